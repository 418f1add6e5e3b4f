//! Finds the exemptions in texts: whatever takes an object out of the reach of a rule that would refuse it.
//!
//! In: the texts of a runner. Out: [`Exemption`]s, each with its place, the edits that take it away, and its selectors: the
//! patterns of images, names, labels or users by which it knows whom it is for.

mod admission;
mod anchors;
mod cel;
mod conditions;
mod exceptions;
mod filters;
mod pod_security;

pub(super) use admission::RUNTIME_CLASS;
pub(super) use exceptions::TTL;

pub(super) use super::found::On;

use super::edit::Edit;
use super::found::{FoundKind, Room, Site};
use super::runner::TrialRunner;
use engine::resource::DocumentId;
use engine_json::{Path, Value};

/// More exemptions than this are not looked at.
pub(super) const MAX_EXEMPTIONS: usize = 300;

/// What kind of exemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An entry of `validate.podSecurity.exclude`.
    PodSecurity,
    /// An `exclude` block, or one filter of it.
    Exclude,
    /// A PolicyException.
    Exception,
    /// A precondition of a rule or of a foreach that skips.
    Precondition,
    /// A condition of a deny that lets through.
    Condition,
    /// A conditional anchor that skips.
    Anchor,
    /// A label of a Namespace that lowers the level of Pod Security Admission.
    PsaLabel,
    /// An exemption in the configuration of Pod Security Admission.
    PsaExemption,
    /// An exemption of a policy in CEL.
    Cel(FoundKind),
}

impl Kind {
    /// The name in answers.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Kind::PodSecurity => "podSecurity",
            Kind::Exclude => "exclude",
            Kind::Exception => "exception",
            Kind::Precondition => "precondition",
            Kind::Condition => "condition",
            Kind::Anchor => "anchor",
            Kind::PsaLabel => "psaLabel",
            Kind::PsaExemption => "psaExemption",
            Kind::Cel(FoundKind::Exception) => "celException",
            Kind::Cel(FoundKind::MatchCondition) => "matchCondition",
            Kind::Cel(FoundKind::Reference) => "matchImageReference",
            Kind::Cel(FoundKind::Validation) => "validation",
            Kind::Cel(FoundKind::ExcludeRule) => "excludeResourceRule",
            Kind::Cel(FoundKind::Selector) => "selector",
        }
    }

    /// Whether it is a PolicyException.
    pub(super) fn is_exception(self) -> bool {
        matches!(self, Kind::Exception | Kind::Cel(FoundKind::Exception))
    }

    /// Whether it is about Pod Security Admission.
    pub(super) fn is_admission(self) -> bool {
        matches!(self, Kind::PsaLabel | Kind::PsaExemption)
    }
}

/// A pattern by which an exemption knows whom it is for.
#[derive(Clone, Debug)]
pub(super) struct ExemptionSelector {
    pub(super) on: On,
    /// Where the text stands that holds it.
    pub(super) path: Path,
    /// The pattern.
    pub(super) pattern: String,
    /// The whole text, which is the pattern but for anchors and expressions.
    pub(super) whole: String,
    /// Where in the text it stands.
    pub(super) site: Site,
}

impl ExemptionSelector {
    fn new(on: On, path: Path, pattern: &str) -> Self {
        ExemptionSelector {
            on,
            path,
            pattern: pattern.to_owned(),
            whole: pattern.to_owned(),
            site: Site::Whole,
        }
    }
}

/// An exemption.
#[derive(Clone, Debug)]
pub(super) struct Exemption {
    pub(super) kind: Kind,
    /// One line that says what is exempt.
    pub(super) text: String,
    pub(super) document: DocumentId,
    /// Where it stands in that document.
    pub(super) path: Path,
    /// The rule it stands in, or the rules that it names.
    pub(super) rule: String,
    /// The keys of the policies that it weakens.
    pub(super) policies: Vec<String>,
    /// How to take it away; nothing for the whole document.
    pub(super) removal: Vec<Edit>,
    pub(super) selectors: Vec<ExemptionSelector>,
    /// The controls of the Pod Security Standards that it lifts, each with the values that it names.
    pub(super) controls: Vec<(String, Vec<String>)>,
    /// Images that it seems to be written for, where no pattern says so.
    pub(super) hints: Vec<String>,
    /// The filters that must fit besides, for an exclude block or an exception.
    pub(super) filters: Vec<Path>,
    /// The foreach that it stands in.
    pub(super) foreach: Option<Path>,
    /// Where a condition more can stand, for one of a policy in CEL.
    pub(super) room: Option<Room>,
    /// The kind of Pods, or of what makes them, that the policy is for, where its rules do not say it.
    pub(super) workload: Option<&'static str>,
    /// What is known before anything is run: why it can have no effect.
    pub(super) idle: Option<String>,
    /// What else is worth knowing.
    pub(super) notes: Vec<String>,
}

impl Exemption {
    fn new(kind: Kind, document: DocumentId, path: Path) -> Self {
        Exemption {
            kind,
            text: String::new(),
            document,
            path,
            rule: String::new(),
            policies: Vec::new(),
            removal: Vec::new(),
            selectors: Vec::new(),
            controls: Vec::new(),
            hints: Vec::new(),
            filters: Vec::new(),
            foreach: None,
            room: None,
            workload: None,
            idle: None,
            notes: Vec::new(),
        }
    }

    /// An exemption that is not written yet.
    pub(super) fn of_nothing(kind: Kind, document: DocumentId) -> Self {
        Exemption::new(kind, document, Path::root())
    }

    /// The patterns of images.
    pub(super) fn image_selectors(&self) -> impl Iterator<Item = &ExemptionSelector> {
        self.selectors.iter().filter(|selector| selector.on == On::Image)
    }

    /// Whether it is of a policy in CEL.
    pub(super) fn is_cel(&self) -> bool {
        self.room.is_some()
    }

    /// Whether it has a pattern on such a thing.
    pub(super) fn holds(&self, on: &On) -> bool {
        self.selectors.iter().any(|selector| selector.on == *on)
    }

    /// The runner without this exemption.
    pub(super) fn removed<'w>(&self, runner: &TrialRunner<'w>) -> Option<TrialRunner<'w>> {
        if self.removal.is_empty() {
            return runner.with_document(self.document, None);
        }
        runner.with_edits(self.document, &self.removal)
    }
}

/// All exemptions, in the order of the texts.
pub(super) fn all(runner: &TrialRunner<'_>) -> Vec<Exemption> {
    let mut found = Vec::new();
    for policy in &runner.bundle.policies {
        let Some(document) = runner.document(policy.document) else { continue };
        let rules = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
        for (at, rule) in rules.iter().enumerate() {
            let path = engine::policy::Policy::rule_path(at);
            let mut of_rule = Vec::new();
            pod_security::find(rule, policy.document, &path, &mut of_rule);
            filters::find(rule, policy.document, &path, &mut of_rule);
            conditions::find(rule, policy.document, &path, &mut of_rule);
            anchors::find(rule, policy.document, &path, &mut of_rule);
            for exemption in &mut of_rule {
                rule.find_str(&["name"]).clone_into(&mut exemption.rule);
                exemption.policies = vec![policy.key()];
            }
            found.extend(of_rule);
        }
    }
    exceptions::find(runner, &mut found);
    cel::find(runner, &mut found);
    admission::find(runner, &mut found);
    found.sort_by_key(|exemption| exemption.document);
    found
}

/// A list of patterns as text: `` `a`, `b` ``.
fn listed<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}

/// The texts of a list, with their places.
fn texts<'v>(value: &'v Value, path: &Path) -> Vec<(Path, &'v str)> {
    match value {
        Value::String(text) => vec![(path.clone(), text.as_str())],
        Value::Array(items) => {
            let item = |(at, item): (usize, &'v Value)| Some((path.join(at), item.as_str()?));
            items.iter().enumerate().filter_map(item).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
