//! The shapes in which the engine's input and output cross a border: to the page's worker, to Node, to a file.
//!
//! In: an [`Input`] as JSON. Out: an [`Output`] as JSON, camelCase. These are the only serialized types; the
//! TypeScript declarations in `engine/wasm/npm/index.d.ts` name the same fields.
//!
//! Positions are given in UTF-16 units, as JavaScript and CodeMirror count, beside line and column for people.

mod changes;
mod check;
mod evaluate;
mod explain;
mod mesh;
mod psa;
mod psp;
mod report;
mod rewrite;
mod sieve;

pub use changes::{Changes, ChangesInput};
pub(crate) use changes::{EVALUATED, each_range};

pub use check::CheckOutput;

pub use evaluate::{EvaluateInput, EvaluateOutput, Evaluated};

pub use explain::{Edit, ExplainField, ExplainInput, ExplainOutput, ExplainRead, Explanation};

pub use mesh::{MeshAdded, MeshInput, MeshObject, MeshOutput, MeshRelease};

pub use psa::{
    PsaAdmission, PsaAdvice, PsaChange, PsaCheck, PsaFinding, PsaInput, PsaLevel, PsaNamespace, PsaObject,
    PsaObstacle, PsaObstacleFinding, PsaOutput, PsaStretch,
};

pub use psp::{PspInput, PspOutput, PspPod, PspPolicy, PspRefusal};

pub use report::{ReportInput, ReportOutput, TestFolder};

pub use rewrite::{RewriteInput, RewriteOutput};

pub use sieve::{
    SieveAttack, SieveEdit, SieveExemption, SieveFamily, SieveForm, SieveFunnel, SieveInput, SieveLine,
    SieveNarrow, SieveOutput, SievePod, SieveStep, SieveTightening,
};

use engine::load::{Host, Kubernetes};
pub use engine_json::Str;
use engine_yaml::{Source, SourceId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// What is to be decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Input {
    /// `"cli"` (default), `"playground"` or `"cluster"`: see `Options.host`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "host")]
    pub host: Option<String>,
    /// The release of Kubernetes whose API server decides, `"1.37"`, for the host `"cluster"`: see `Options.kubernetes`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "release")]
    pub kubernetes: Option<String>,
    /// Policies, and whatever else stands beside them in those files.
    pub policies: Vec<Text>,
    /// The resources that are evaluated.
    pub resources: Vec<Text>,
    /// The resources as they were before an update; paired with `resources` by kind, namespace and name.
    pub old_resources: Vec<Text>,
    /// PolicyExceptions.
    pub exceptions: Vec<Text>,
    /// Objects of the cluster: Namespaces with their labels, ConfigMaps, clone sources.
    pub cluster_resources: Vec<Text>,
    /// Objects that policies of Kubernetes take as parameters, beside those that stand among the others.
    pub parameters: Vec<Text>,
    /// Documents of any form, for policies of the mode `JSON`; in the Playground they may stand among the resources.
    pub payloads: Vec<Text>,
    /// Requests, for policies of the mode `HTTP`.
    pub http_payloads: Vec<Text>,
    /// Requests, for policies of the mode `Envoy`.
    pub envoy_payloads: Vec<Text>,
    /// Values files of the Kyverno CLI.
    pub values: Vec<Text>,
    /// A user info file of the Kyverno CLI.
    pub user_info: Vec<Text>,
    /// The Kyverno Playground's context: user, operation, variables, namespace labels, flags.
    pub context: Vec<Text>,
    /// Kyverno's own ConfigMap: resource filters and their like.
    pub config: Vec<Text>,
    /// Custom resource definitions; never required.
    pub custom_resource_definitions: Vec<Text>,
    /// What is known of images, a map from references: `digest` or `resolvedImage`, `manifest`, `configData`, `signedBy`,
    /// `attestations`; or a context file of the Kyverno CLI. No registry is asked.
    pub image_data: Vec<Text>,
    /// Whether each rule says its steps.
    pub trace: bool,
    /// Whether policies without a matching rule say why, though no other step is said; `trace` does so too.
    pub no_match: bool,
}

/// A release that is known; another would otherwise be the default.
fn release<'d, D: Deserializer<'d>>(input: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(input)?;
    match text.as_deref().map(str::parse::<Kubernetes>) {
        Some(Err(words)) => Err(D::Error::custom(format_args!("kubernetes: {words}"))),
        _ => Ok(text),
    }
}

/// A host by its name; another word would otherwise be the default, and its verdicts those of somebody else.
fn host<'d, D: Deserializer<'d>>(input: D) -> Result<Option<String>, D::Error> {
    let name = Option::<String>::deserialize(input)?;
    match name.as_deref() {
        Some(other) if Host::named(other).is_none() => Err(D::Error::custom(format_args!(
            "host `{other}` is not known: write `cli`, `playground` or `cluster`"
        ))),
        _ => Ok(name),
    }
}

/// A text and what to call it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Text {
    /// A file name, or the name of an editor.
    pub name: String,
    /// YAML or JSON, one or many documents.
    pub text: String,
}

/// Loading numbers its sources itself.
impl From<&Text> for Source {
    fn from(text: &Text) -> Self {
        Source { id: SourceId(0), name: text.name.clone(), text: text.text.as_str().into() }
    }
}

/// What was decided.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Output {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by
    /// the diagnostics that are errors.
    pub complete: bool,
    /// One entry a policy and resource, in the order of evaluation; without rules where nothing matched.
    pub results: Vec<PolicyResult>,
    /// How many rule results have each status, and how much is undecided.
    pub counts: Counts,
    /// Policies that Kyverno refuses, with its words.
    pub refused: Vec<Refused>,
    /// What is to be said about the texts.
    pub diagnostics: Vec<Diagnostic>,
    /// For each policy that is evaluated the rules that autogen makes of it, or why it makes none.
    pub autogen: Vec<Autogen>,
    /// How many policies and resources were read.
    pub loaded: Loaded,
    /// When each policy that deletes by the clock is due: cleanup policies, and DeletingPolicies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    /// What a GitOps tool will see as drift, where policies change objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
}

/// What a GitOps tool will see as drift.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Drift {
    /// One entry an object that differs.
    pub objects: Vec<DriftOf>,
    /// The `ignoreDifferences` of an Argo CD Application that leaves these fields alone, as YAML.
    pub ignore_differences: String,
}

/// The fields of one object that differ, as paths of jq.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DriftOf {
    /// The object.
    pub resource: ObjectRef,
    /// Fields that say something else than the text.
    pub changed: Vec<String>,
    /// Fields that the text does not have.
    pub added: Vec<String>,
    /// Fields that the text alone has.
    pub removed: Vec<String>,
}

/// When a policy that deletes is due.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Schedule {
    /// The policy.
    pub policy: ObjectRef,
    /// The schedule as written.
    pub schedule: String,
    /// The next times, RFC 3339 in UTC; none where the schedule is none.
    pub next: Vec<String>,
    /// How what depends on a deleted object goes: `Foreground`, `Background` or `Orphan`; empty where the policy does
    /// not say.
    pub propagation: String,
}

/// The engine's version and the release whose verdicts it follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// This engine.
    pub podsieve: String,
    /// The Kyverno release.
    pub kyverno: String,
}

/// Numbers for the summary line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// Rules that passed.
    pub pass: u32,
    /// Rules that failed.
    pub fail: u32,
    /// Rules that warned.
    pub warn: u32,
    /// Rules that could not be decided.
    pub error: u32,
    /// Rules that were skipped.
    pub skip: u32,
    /// What was not evaluated: rules that match a resource and are of a kind that is not evaluated, and documents that could
    /// not be read or used.
    pub undecided: u32,
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Loaded {
    /// Policies.
    pub policies: u32,
    /// Rules, those that autogen makes included: the CLI's "Applying n policy rule(s)".
    pub rules: u32,
    /// Resources.
    pub resources: u32,
    /// Exceptions.
    pub exceptions: u32,
}

/// What autogen makes of one policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Autogen {
    /// The policy.
    pub policy: ObjectRef,
    /// The rules that it makes, in Kyverno's order.
    pub rules: Vec<AutogenRule>,
    /// What keeps it from the policy, or from some of its rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hindrances: Vec<AutogenHindrance>,
}

/// A rule that autogen makes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutogenRule {
    /// Its name.
    pub rule: String,
    /// The rule that it is made of, as the author named it.
    pub from: String,
    /// The kinds that it is for.
    pub kinds: Vec<String>,
    /// The rule as YAML.
    pub text: String,
    /// The rule that it is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// Why autogen makes no rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutogenHindrance {
    /// The rule for which it makes none; absent where it makes none for the whole policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// One sentence.
    pub reason: String,
    /// The lines that decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// One policy applied to one resource.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyResult {
    /// The policy.
    pub policy: ObjectRef,
    /// The resource.
    pub resource: ObjectRef,
    /// What each rule that matched said.
    pub rules: Vec<RuleResult>,
    /// What a cluster would do with the request as far as this policy is concerned: `allow`, `report`, `warn` or `deny`;
    /// `unknown` where a rule that matches is of a kind that is not evaluated, and no other rule refuses.
    pub effect: String,
    /// The resource after mutation, as YAML with its keys in written order, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patched: Option<String>,
    /// The resource as the policy found it, written in the same manner, where it changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// Why no rule said anything, in one sentence: where a rule matches and is not evaluated, that; else what kept the
    /// rules from matching, if `trace` or `noMatch` was asked for. Absent where rules spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_match: Option<String>,
    /// What a cluster would say instead of another host, and why; absent where it says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_cluster: Option<String>,
    /// What was tried where no rule matched, if `trace` or `noMatch` was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// An object by name, and where it stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectRef {
    /// Group and version, as written.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for a cluster's own objects.
    pub namespace: String,
    /// Name, or the generateName where there is none.
    pub name: String,
    /// Its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// What one rule said.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuleResult {
    /// The rule's name; with `autogen-` before it where autogen made the rule.
    pub rule: Str,
    /// `Validation`, `Mutation`, `Generation` or `ImageVerify`.
    #[serde(rename = "type")]
    pub kind: Str,
    /// `pass`, `fail`, `warn`, `error` or `skip`.
    pub status: Str,
    /// Kyverno's words.
    pub message: String,
    /// What a cluster would do with the request because of it: `allow`, `report`, `warn` or `deny`.
    pub effect: Str,
    /// The rule as the author named it, where autogen made this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autogen: Option<String>,
    /// Report properties.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<(String, String)>,
    /// Names of the exceptions that applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// Why the verdict is less safe than it looks, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The lines of the policy that decided; the rule as a whole where nothing narrower is known.
    pub policy_ranges: Vec<Range>,
    /// The lines of the resource that decided.
    pub resource_ranges: Vec<Range>,
    /// What happened on the way, where `trace` was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Objects that the rule generated, as YAML.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generated: Vec<String>,
    /// What the verdict alone does not say, such as why a rule that passed generated nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The other object that a `mutate` rule with targets has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// An object that a rule has changed though another one was evaluated.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    /// The object.
    pub resource: ObjectRef,
    /// As it was given, as YAML; absent where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// As the rule has left it, as YAML.
    pub patched: String,
}

/// One step of a decision.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    /// How deep the step lies within others, from 0.
    pub depth: u32,
    /// What kind of step: `rule`, `match`, `exclude`, `context`, `precondition`, `variable`, `condition`, `pattern`, `field`,
    /// `anchor`, `check`, `foreach`, `exception`, `oldObject`, `verdict`.
    pub kind: String,
    /// What came of it: `yes`, `no`, `error` or empty.
    pub outcome: String,
    /// One sentence.
    pub text: String,
    /// Where in the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_range: Option<Range>,
    /// Where in the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_range: Option<Range>,
}

/// A policy that Kyverno refuses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Refused {
    /// The policy's name, with its namespace before it if it has one.
    pub policy: String,
    /// Kyverno's words.
    pub reason: String,
    /// The line that is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// Something to be said about a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Diagnostic {
    /// A stable name such as `yaml-syntax`.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// One line.
    pub message: String,
    /// Where; absent for what concerns no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What to do, and what follows from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// A stretch of one input text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Range {
    /// The field of [`Input`] that holds the text: `policies`, `resources`, …
    pub input: Str,
    /// Which text of that field, from 0.
    pub index: u32,
    /// The text's name.
    pub name: Str,
    /// First UTF-16 unit.
    pub from: u32,
    /// The unit behind the last.
    pub to: u32,
    /// First line, from 1.
    pub line: u32,
    /// Character in that line, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
}

/// A function that expressions may call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionDoc {
    /// Its name.
    pub name: String,
    /// Name, kinds of arguments, kind of result: `add(any, any) any`.
    pub signature: String,
    /// What it does, in a few words.
    pub doc: String,
    /// At least one.
    pub examples: Vec<FunctionExample>,
}

/// An expression that calls a function, and what comes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionExample {
    /// The expression; it looks at no document.
    pub expression: String,
    /// Its value as JSON text.
    pub value: String,
}
