//! The configuration of the admission: defaults for namespaces without labels, and who is exempt.
//!
//! In: the text of a `PodSecurityConfiguration` (v1, v1beta1 or v1alpha1), or of an `AdmissionConfiguration` that holds
//! one. Out: a [`Config`], or the error of the original: `enforce: must be one of privileged, baseline, restricted`.
//!
//! Mirrors: k8s.io/pod-security-admission/admission/api/{load,validation,helpers.go}

use super::names::{dns_label, dns_subdomain};
use super::strict::{Shape, decode, read};
use super::{Mode, Policy, Request, Response};
use crate::{Level, Version};
use engine_json::ordered::OrderedSet;
use engine_json::{Value, quote};

/// Defaults and exemptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The policy of a namespace without labels.
    pub defaults: Policy,
    /// Who and what is never asked.
    pub exemptions: Exemptions,
}

/// Who and what is never asked; whole names, no patterns. `None` where the file says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Users.
    pub usernames: Option<Vec<String>>,
    /// Runtime classes.
    pub runtime_classes: Option<Vec<String>>,
    /// Namespaces.
    pub namespaces: Option<Vec<String>>,
}

/// Which step refused a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The text is not a configuration.
    Load,
    /// A level or a version is none.
    Complete,
    /// An exemption can never apply.
    Validate,
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The step.
    pub stage: Stage,
    /// The words of the original.
    pub message: String,
}

const GROUP: &str = "pod-security.admission.config.k8s.io";
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];
const ADMISSION: [&str; 3] =
    ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1alpha1"];

const TEXTS: Shape = Shape::List("[]string");
const SHAPE: Shape = Shape::Struct(
    "PodSecurityConfiguration",
    &[
        ("apiVersion", Shape::Text),
        (
            "defaults",
            Shape::Struct(
                "PodSecurityDefaults",
                &[
                    ("audit", Shape::Text),
                    ("audit-version", Shape::Text),
                    ("enforce", Shape::Text),
                    ("enforce-version", Shape::Text),
                    ("warn", Shape::Text),
                    ("warn-version", Shape::Text),
                ],
            ),
        ),
        (
            "exemptions",
            Shape::Struct(
                "PodSecurityExemptions",
                &[("namespaces", TEXTS), ("runtimeClasses", TEXTS), ("usernames", TEXTS)],
            ),
        ),
        ("kind", Shape::Text),
    ],
);

impl Config {
    /// The configuration of a text; an empty text is the default one.
    pub fn read(text: &str) -> Result<Config, ConfigError> {
        if text.is_empty() {
            return Ok(Config::default());
        }
        let load = |message: String| ConfigError { stage: Stage::Load, message };
        let read = read(text).map_err(load)?;
        let known = |version: &&&str| read.api_version == format!("{GROUP}/{version}");
        let version = VERSIONS.iter().find(known).filter(|_| read.kind == "PodSecurityConfiguration");
        let Some(version) = version else {
            return Err(load(format!(
                "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
                quote(&read.kind),
                quote(&read.api_version)
            )));
        };
        decode(&read, &SHAPE, version).map_err(load)?;
        Config::of_value(&read.value)
    }

    /// The configuration of the plugin `PodSecurity` in the text of an `AdmissionConfiguration`, or of a text that is one
    /// by itself. Where the plugin names a file the answer is its path, and the host reads it.
    pub fn read_admission(text: &str) -> Result<Source, ConfigError> {
        let value = engine_yaml::parse_one(text).unwrap_or_default();
        let is_admission = value.find_str(&["kind"]) == "AdmissionConfiguration"
            && ADMISSION.contains(&value.find_str(&["apiVersion"]));
        if !is_admission {
            return Config::read(text).map(Source::Config);
        }
        let plugins = value.get("plugins").and_then(Value::as_array).unwrap_or(&[]);
        let plugin = plugins.iter().find(|plugin| plugin.find_str(&["name"]) == "PodSecurity");
        let Some(plugin) = plugin else { return Ok(Source::Config(Config::default())) };
        match plugin.get("configuration").filter(|inner| !inner.is_null()) {
            Some(inner) => Config::read(&engine_json::to_json(inner)).map(Source::Config),
            None if plugin.find_str(&["path"]).is_empty() => Ok(Source::Config(Config::default())),
            None => Ok(Source::Path(plugin.find_str(&["path"]).to_owned())),
        }
    }

    /// The configuration of an object whose fields have the forms that they must have.
    pub fn of_value(value: &Value) -> Result<Config, ConfigError> {
        let (mut defaults, mut errors) = (Policy::default(), Vec::new());
        for mode in Mode::ALL {
            let (name, part) = (mode.name(), defaults.mode_mut(mode));
            match value.find_str(&["defaults", name]) {
                "" => {}
                text => match Level::parse(text) {
                    Some(level) => part.level = level,
                    None => errors.push(format!("{name}: {}", Level::MUST_BE)),
                },
            }
            match value.find_str(&["defaults", &format!("{name}-version")]) {
                "" => {}
                text => match Version::parse(text) {
                    Some(version) => part.version = version,
                    None => errors.push(format!("{name}-version: {}", Version::MUST_BE)),
                },
            }
        }
        refuse(Stage::Complete, &errors)?;
        let names = |key: &str| {
            let list = value.find(&["exemptions", key]).and_then(Value::as_array)?;
            Some(list.iter().map(|name| name.as_str().unwrap_or("").to_owned()).collect::<Vec<_>>())
        };
        let exemptions = Exemptions {
            usernames: names("usernames"),
            runtime_classes: names("runtimeClasses"),
            namespaces: names("namespaces"),
        };
        refuse(Stage::Validate, &exemptions.errors())?;
        Ok(Config { defaults, exemptions })
    }
}

/// Where the configuration of an `AdmissionConfiguration` stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the text itself.
    Config(Config),
    /// In the file of this path, which the host reads.
    Path(String),
}

fn refuse(stage: Stage, errors: &[String]) -> Result<(), ConfigError> {
    match errors {
        [] => Ok(()),
        [one] => Err(ConfigError { stage, message: one.clone() }),
        several => Err(ConfigError { stage, message: format!("[{}]", several.join(", ")) }),
    }
}

impl Exemptions {
    /// The response to a request that is exempt by its namespace or its user.
    pub(super) fn of_request(&self, request: &Request) -> Option<Response> {
        if self.has_namespace(&request.namespace) {
            return Some(Response::exempt("namespace"));
        }
        has(self.usernames.as_ref(), &request.user).then(|| Response::exempt("user"))
    }

    pub(super) fn has_namespace(&self, name: &str) -> bool {
        has(self.namespaces.as_ref(), name)
    }

    /// Whether the spec of a Pod names an exempt runtime class.
    pub(super) fn has_runtime_class(&self, spec: &Value) -> bool {
        has(self.runtime_classes.as_ref(), spec.find_str(&["runtimeClassName"]))
    }

    fn errors(&self) -> Vec<String> {
        let user = |name: &str| {
            if name.is_empty() { vec!["username must not be empty".to_owned()] } else { Vec::new() }
        };
        let mut errors = list_errors("namespaces", self.namespaces.as_ref(), &dns_label);
        errors.extend(list_errors("runtimeClasses", self.runtime_classes.as_ref(), &dns_subdomain));
        errors.extend(list_errors("usernames", self.usernames.as_ref(), &user));
        errors
    }
}

fn has(list: Option<&Vec<String>>, name: &str) -> bool {
    !name.is_empty() && list.is_some_and(|list| list.iter().any(|known| known == name))
}

fn list_errors(key: &str, list: Option<&Vec<String>>, wrong: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let (mut errors, mut seen) = (Vec::new(), OrderedSet::new());
    for (at, name) in list.into_iter().flatten().enumerate() {
        let field = format!("exemptions.{key}[{at}]");
        let wrong = wrong(name);
        if !wrong.is_empty() {
            errors.push(format!("{field}: Invalid value: {}: {}", quote(name), wrong.join(", ")));
        } else if !seen.insert(name) {
            errors.push(format!("{field}: Duplicate value: {}", quote(name)));
        }
    }
    errors
}
