//! Evaluates one rule over one resource.
//!
//! In: a rule that matched, its context, and exceptions. Out: a [`RuleResult`], or nothing where the rule has
//! nothing to say.
//! Mirrors: pkg/engine/engine.go (invokeRuleHandler), pkg/engine/handlers/validation.

mod assumed;
mod cel;
mod cleanup;
mod conditions;
mod context;
mod described;
mod exceptions;
mod existing;
mod gate;
mod generate;
mod images;
mod manifests;
mod mutate;
mod mutate_existing;
mod places;
mod pod_security;
mod properties;
mod validate;

pub(crate) use assumed::mark as mark_assumed;
pub(crate) use cleanup::{result as cleanup_result, run as run_cleanup};
pub(crate) use conditions::evaluate as evaluate_conditions;
pub(crate) use context::add_entries;
pub use described::every_step;
pub use existing::EXISTING_ALLOWED;
pub(crate) use generate::{filter as filter_background, run as run_generate};
pub(crate) use images::{Metadata as ImageMetadata, run_verify as run_verify_images};
pub use pod_security::unreadable;

use crate::body::Effect;
use crate::cluster::Cluster;
use crate::context::JsonContext;
use crate::load::{Answers, Host, Values};
use crate::matching::Request;
use crate::policy::{Body, Check, Exceptions, Policy, Rule, Validate};
use crate::resource::Resource;
use crate::trace::{Step, Trace};
use crate::value::image::ImageSettings;
use engine_json::{Path, Str, Value};

/// What a rule said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Satisfied.
    Pass,
    /// Not satisfied.
    Fail,
    /// Not satisfied, and only worth a warning.
    Warn,
    /// Could not be decided.
    Error,
    /// Does not apply.
    Skip,
}

impl Status {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Warn => "warn",
            Status::Error => "error",
            Status::Skip => "skip",
        }
    }

    /// How bad it is, from nothing to say (0) to what could not be decided (4): where several verdicts become one, the worst stands.
    pub fn severity(self) -> u8 {
        match self {
            Status::Skip => 0,
            Status::Pass => 1,
            Status::Warn => 2,
            Status::Fail => 3,
            Status::Error => 4,
        }
    }
}

/// What kind of rule spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleType {
    /// It validates.
    Validation,
    /// It mutates.
    Mutation,
    /// It generates.
    Generation,
    /// It verifies images.
    ImageVerify,
    /// It deletes.
    Deletion,
}

impl RuleType {
    /// The type of what a body says, where the original does not say otherwise.
    fn of(body: &Body) -> Self {
        match body {
            Body::Validate(_) | Body::None => RuleType::Validation,
            Body::Mutate(_) => RuleType::Mutation,
            Body::Generate(_) => RuleType::Generation,
            Body::VerifyImages(_) => RuleType::ImageVerify,
            Body::Cleanup(_) => RuleType::Deletion,
        }
    }

    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleType::Validation => "Validation",
            RuleType::Mutation => "Mutation",
            RuleType::Generation => "Generation",
            RuleType::ImageVerify => "ImageVerify",
            RuleType::Deletion => "Deletion",
        }
    }
}

/// What one rule said of one resource.
#[derive(Clone, Debug)]
pub struct RuleResult {
    /// The rule's name, with what autogen puts before it.
    pub rule: Str,
    /// The rule's name as written.
    pub written_name: Str,
    /// What kind of rule.
    pub rule_type: RuleType,
    /// The verdict.
    pub status: Status,
    /// Kyverno's words.
    pub message: String,
    /// Properties for the report.
    pub properties: Vec<(String, String)>,
    /// Properties that only reports carry.
    pub report_properties: Vec<(String, String)>,
    /// The exceptions that applied, as `namespace/name`.
    pub exceptions: Vec<String>,
    /// What the verdict does not say: why it is less safe than it looks, one line each.
    pub warnings: Vec<String>,
    /// What was taken for an answer that nobody has given: such a verdict is not a safe pass.
    pub assumed: Vec<String>,
    /// The places in the policy's document that decided; none where it is the rule as a whole.
    pub policy_paths: Vec<Path>,
    /// The places in the resource's document that decided.
    pub resource_paths: Vec<Path>,
    /// What happened on the way; empty unless asked for.
    pub steps: Vec<Step>,
    /// The object that a `mutate` rule with targets has patched.
    pub patched_target: Option<Value>,
    /// The objects that a `generate` rule has made.
    pub generated: Vec<Value>,
    /// What the verdict alone does not say, such as why a `generate` rule that passed made nothing; else empty.
    pub note: String,
    /// What a cluster does because of it, where the verdict alone does not say that.
    pub effect: Option<Effect>,
}

impl RuleResult {
    /// A result of the type of the rule's body, which points at no place yet.
    pub(crate) fn new(rule: &Rule, status: Status, message: impl Into<String>) -> Self {
        RuleResult {
            written_name: rule.written_name.clone(),
            properties: properties::written(rule),
            ..Self::of_policy(rule.name.clone(), RuleType::of(&rule.body), status, message)
        }
    }

    /// The same result under another type.
    fn with_type(self, rule_type: RuleType) -> Self {
        RuleResult { rule_type, ..self }
    }

    /// Whether autogen made the rule of one that is written.
    pub fn is_made_by_autogen(&self) -> bool {
        !self.written_name.is_empty() && self.rule != self.written_name
    }

    /// What a policy without rules said, under the name that the original gives.
    pub fn of_policy(
        rule: impl Into<Str>,
        rule_type: RuleType,
        status: Status,
        message: impl Into<String>,
    ) -> Self {
        RuleResult {
            rule: rule.into(),
            written_name: Str::default(),
            rule_type,
            status,
            message: message.into(),
            properties: Vec::new(),
            report_properties: Vec::new(),
            exceptions: Vec::new(),
            warnings: Vec::new(),
            assumed: Vec::new(),
            policy_paths: Vec::new(),
            resource_paths: Vec::new(),
            steps: Vec::new(),
            patched_target: None,
            generated: Vec::new(),
            note: String::new(),
            effect: None,
        }
    }
}

/// What a rule is evaluated over.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) rule: &'a Rule,
    /// The resource that is evaluated; for a deletion the one that goes.
    pub(crate) resource: &'a Resource,
    /// The resource before an update.
    pub(crate) old_resource: Option<&'a Resource>,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub(crate) operation: &'a str,
    /// What match blocks look at.
    pub(crate) request: Request<'a>,
    /// All exceptions that are known.
    pub(crate) exceptions: &'a Exceptions,
    /// The values of a values file: policy, rule, values.
    pub(crate) rule_values: &'a [(Str, Str, Values)],
    /// Who asks.
    pub(crate) host: Host,
    /// What answers where context entries ask a cluster.
    pub(crate) answers: &'a Answers,
    /// The objects of the cluster.
    pub(crate) cluster: &'a [Resource],
    /// The cluster that a `generate` rule writes into.
    pub(crate) memory: Option<&'a Cluster>,
    /// What is given of images, by their references.
    pub(crate) image_data: &'a [(Str, Value)],
    /// What Kyverno's configuration says about images.
    pub(crate) image_settings: &'a ImageSettings,
    /// When context entries are loaded.
    pub(crate) loading: Loading,
    /// Whether results say where in the texts they were decided.
    pub(crate) places: Locations,
}

impl<'a> Subject<'a> {
    /// The values for this rule, which are set again whenever context entries are loaded.
    fn values(&self) -> impl Iterator<Item = &'a (Str, Value)> {
        let (policy, rule) = (&self.policy.name, self.rule.name.as_str());
        // A values file may name a rule without what autogen puts before it.
        let is_rule = move |named: &Str| {
            rule == named
                || rule.strip_prefix("autogen-cronjob-") == Some(named)
                || rule.strip_prefix("autogen-") == Some(named)
        };
        let mine = self.rule_values.iter().filter(move |(of, named, _)| of == policy && is_rule(named));
        mine.flat_map(|(_, _, values)| values)
    }
}

/// When context entries are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loading {
    /// When an expression names them.
    Deferred,
    /// In the order of their declaration, before anything else.
    Eager,
}

/// Whether results say where in the texts they were decided; finding out costs time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locations {
    /// They do.
    Include,
    /// They point at the rule as a whole.
    Omit,
}

/// Runs a rule that matched: context, preconditions, body.
pub(crate) fn run<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let rule = subject.rule;
    if matches!(rule.body, Body::VerifyImages(_)) {
        return images::validate(subject, context, trace);
    }
    let Body::Validate(body) = &rule.body else { return None };
    if let Err((status, message)) = gate::load(subject, &rule.context, context) {
        return Some(RuleResult::new(rule, status, message));
    }
    ask_preconditions(subject, context, trace)
        .or_else(|| properties::over(rule, context, |context| check(subject, body, context, trace)))
}

/// The result of a rule whose preconditions do not hold, with the places that decided.
fn ask_preconditions<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let preconditions = subject.rule.preconditions.as_ref();
    let (status, message) = gate::ask(preconditions, context, trace).err()?;
    let mut result = RuleResult::new(subject.rule, status, message);
    places::of_conditions(&mut result, preconditions, context, subject);
    Some(result)
}

/// What the body of a `validate` rule says once its preconditions hold; exceptions come first.
fn check<'a>(
    subject: &Subject<'a>,
    body: &'a Validate,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    if let Check::PodSecurity(written) = &body.check {
        return pod_security::run(subject, body, written, context, trace);
    }
    if let Some(result) = exceptions::skip(subject, context, trace) {
        return Some(result);
    }
    if let Check::Manifests(manifests) = &body.check {
        return manifests::run(subject, manifests, context, trace);
    }
    // Kyverno: the handler sets the values again, over what context entries have loaded since, and asks for
    // the preconditions a second time.
    if subject.values().next().is_some()
        && let Some(result) = recheck_preconditions(subject, context, trace)
    {
        return Some(result);
    }
    match &body.check {
        Check::Deny(_) | Check::Pattern(_) | Check::AnyPattern(_) | Check::Foreach(_) | Check::Empty => {
            validate::run(subject, body, context, trace)
        }
        Check::Cel(Some(rule)) => Some(cel::run(subject, rule.as_ref(), context, trace)),
        // Named in a diagnostic when the policy was loaded.
        Check::PodSecurity(_) | Check::Manifests(_) | Check::Cel(None) => None,
    }
}

/// Runs a `mutate` rule that matched; the resource as the rules after it see it, `null` where there is none any more.
pub(crate) fn run_mutate<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> (Vec<RuleResult>, Value) {
    let rule = subject.rule;
    let Body::Mutate(body) = &rule.body else { return (Vec::new(), subject.resource.value.clone()) };
    let unchanged = || subject.resource.value.clone();
    if let Err((status, message)) =
        gate::open(subject, &rule.context, rule.preconditions.as_ref(), context, trace)
    {
        return (vec![RuleResult::new(rule, status, message)], unchanged());
    }
    let mut patched = None;
    let results = properties::over(rule, context, |context| {
        if let Some(result) = exceptions::skip(subject, context, trace) {
            return vec![result];
        }
        if !body.targets.is_empty() {
            return mutate_existing::run(subject, body, context, trace);
        }
        let (result, value) = mutate::run(subject, body, context, trace);
        patched = Some(value);
        vec![result]
    });
    (results, patched.unwrap_or_else(unchanged))
}

fn recheck_preconditions<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    for (name, value) in subject.values() {
        context.add_variable(name, value.clone());
    }
    ask_preconditions(subject, context, trace)
}

/// The texts that are not empty, joined.
// Kyverno: stringutils.JoinNonEmpty.
pub(crate) fn join_non_empty(texts: &[&str], separator: &str) -> String {
    texts.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(separator)
}
