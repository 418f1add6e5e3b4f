//! The policy of a namespace: a level and a version for each mode, from its labels and the defaults.
//!
//! In: labels such as `pod-security.kubernetes.io/enforce: baseline`. Out: a [`Policy`], always, and what is wrong with
//! the labels. A bad level fails closed for `enforce` and open for `audit` and `warn`; a bad version is `latest`.
//!
//! Mirrors: k8s.io/pod-security-admission/api/helpers.go PolicyToEvaluate

use crate::{Level, Version};
use engine_json::{Map, Value, quote, to_json};
use std::fmt;

/// What all labels begin with.
const PREFIX: &str = "pod-security.kubernetes.io/";

/// What is done about a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The Pod is refused.
    Enforce,
    /// The audit log gets a note.
    Audit,
    /// The user gets a warning.
    Warn,
}

impl Mode {
    /// All modes, in the order in which they are read and printed.
    pub const ALL: [Mode; 3] = [Mode::Enforce, Mode::Audit, Mode::Warn];

    /// The name, which is also the end of the label.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Enforce => "enforce",
            Mode::Audit => "audit",
            Mode::Warn => "warn",
        }
    }
}

/// A level at a version; prints as `baseline:v1.24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelVersion {
    /// The level.
    pub level: Level,
    /// The version.
    pub version: Version,
}

impl LevelVersion {
    /// `privileged:latest`, the default of everything.
    pub const PRIVILEGED: LevelVersion = LevelVersion { level: Level::Privileged, version: Version::Latest };

    fn is_equivalent(self, other: LevelVersion) -> bool {
        self == other || (self.level == Level::Privileged && other.level == Level::Privileged)
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.level, self.version)
    }
}

/// What a namespace asks for in each mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What Pods must satisfy.
    pub enforce: LevelVersion,
    /// What the audit log measures.
    pub audit: LevelVersion,
    /// What users are warned about.
    pub warn: LevelVersion,
}

impl Default for Policy {
    fn default() -> Self {
        let privileged = LevelVersion::PRIVILEGED;
        Policy { enforce: privileged, audit: privileged, warn: privileged }
    }
}

impl Policy {
    /// The part of a mode.
    pub fn mode(&self, mode: Mode) -> LevelVersion {
        match mode {
            Mode::Enforce => self.enforce,
            Mode::Audit => self.audit,
            Mode::Warn => self.warn,
        }
    }

    /// The part of a mode, to change.
    pub fn mode_mut(&mut self, mode: Mode) -> &mut LevelVersion {
        match mode {
            Mode::Enforce => &mut self.enforce,
            Mode::Audit => &mut self.audit,
            Mode::Warn => &mut self.warn,
        }
    }

    /// The policy that the labels of a Namespace ask for, over the defaults of the cluster.
    pub fn of_labels(labels: Option<&Map>, defaults: Policy) -> (Policy, Vec<LabelError>) {
        let (mut policy, mut errors) = (defaults, Vec::new());
        let Some(labels) = labels else { return (policy, errors) };
        let mut enforced = false;
        for mode in Mode::ALL {
            let part = policy.mode_mut(mode);
            if let Some(text) = label(labels, mode.name()) {
                let level = Level::parse(&text);
                enforced |= mode == Mode::Enforce && level.is_some();
                // A typing error must not open a namespace, nor may it fill logs and terminals.
                let safe = if mode == Mode::Enforce { Level::Restricted } else { Level::Privileged };
                part.level = level.unwrap_or(safe);
                if level.is_none() {
                    errors.push(LabelError {
                        label: mode.name().to_owned(),
                        value: text,
                        detail: Level::MUST_BE,
                    });
                }
            }
            let name = format!("{}-version", mode.name());
            if let Some(text) = label(labels, &name) {
                let version = Version::parse(&text);
                part.version = version.unwrap_or(Version::Latest);
                if version.is_none() {
                    errors.push(LabelError { label: name, value: text, detail: Version::MUST_BE });
                }
            }
        }
        // A stricter `enforce` also warns, so that Deployments, whose Pods it would refuse, say so.
        if enforced && label(labels, "warn").is_none() && policy.enforce.level > policy.warn.level {
            policy.warn.level = policy.enforce.level;
            if label(labels, "warn-version").is_none() {
                policy.warn.version = policy.enforce.version;
            }
        }
        (policy, errors)
    }

    /// Whether no mode asks for anything.
    pub fn is_fully_privileged(&self) -> bool {
        Mode::ALL.iter().all(|mode| self.mode(*mode).level == Level::Privileged)
    }

    /// Whether both decide the same.
    pub fn is_equivalent(&self, other: &Policy) -> bool {
        Mode::ALL.iter().all(|mode| self.mode(*mode).is_equivalent(other.mode(*mode)))
    }
}

/// Whether a Namespace has the label of a mode, or that of its version.
pub(super) fn has_label(labels: Option<&Map>, mode: Mode) -> bool {
    let names = [mode.name().to_owned(), format!("{}-version", mode.name())];
    labels.is_some_and(|labels| names.iter().any(|name| label(labels, name).is_some()))
}

/// The value of a label; one that is not a text as JSON, which no level and no version is. Null is empty, as in Go.
fn label(labels: &Map, name: &str) -> Option<String> {
    labels.get(&format!("{PREFIX}{name}")).map(|value| match value {
        Value::String(text) => text.to_string(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => to_json(value),
    })
}

/// A label whose value says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelError {
    /// The end of the label: `enforce-version`.
    pub label: String,
    /// The value.
    pub value: String,
    /// What it must be.
    pub detail: &'static str,
}

impl LabelError {
    /// The field: `metadata.labels[pod-security.kubernetes.io/enforce]`.
    pub fn field(&self) -> String {
        format!("metadata.labels[{PREFIX}{}]", self.label)
    }

    /// The error without its field.
    pub fn body(&self) -> String {
        format!("Invalid value: {}: {}", quote(&self.value), self.detail)
    }

    /// All errors in one text: the only one as it is, several in brackets.
    pub fn all(errors: &[LabelError]) -> String {
        let texts: Vec<String> = errors.iter().map(LabelError::to_string).collect();
        match texts.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        }
    }
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field(), self.body())
    }
}
