//! The shapes of the sieve: what it is asked and what it answers.
//!
//! In: a [`SieveInput`] as JSON. Out: a [`SieveOutput`] as JSON: every exemption in the texts with the Pods that get in
//! through it and the line that shuts each out; the funnel of a refused workload; the narrowest exemption for it.
//! Whatever is claimed has been run: each attacker is admitted with the exemption and refused without it.

use super::{Diagnostic, Input, ObjectRef, Range, Text, Version};
use serde::{Deserialize, Serialize};

/// What is to be sieved.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SieveInput {
    /// What is asked: `check` (default), `funnel` or `narrow`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The texts, as for `apply`: policies, exceptions, Namespaces, and the Pods that the exemptions are meant for. The
    /// funnel and `narrow` look at those of the resources that are refused.
    pub input: Input,
    /// The configuration of Pod Security Admission: an `AdmissionConfiguration` or a `PodSecurityConfiguration`.
    pub admission_config: Vec<Text>,
    /// A level of the Pod Security Standards that stands in where no policy refuses the workload: `baseline` or `restricted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Which form `narrow` writes: `exception`, `podSecurity` or `rule`; all that can be had where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// When an exemption that `narrow` writes ends: a date, or a duration such as `720h`; never where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Resources that exemptions are meant for whatever their texts call them, each as `Pod/shop/web`; for `check`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meant_for: Vec<String>,
    /// Resources that no exemption is meant for: whatever lets one in is wide; for `check`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_meant_for: Vec<String>,
    /// Whether `narrow` takes the images by digest or tag as they are written; else any tag of the same repository.
    pub exact_images: bool,
}

/// What the sieve found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveOutput {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by
    /// the diagnostics that are errors.
    pub complete: bool,
    /// What was asked: `check`, `funnel` or `narrow`.
    pub ask: String,
    /// The exemptions in the texts, in their order; for `check`.
    pub exemptions: Vec<SieveExemption>,
    /// The funnel of each refused workload; for `funnel`.
    pub funnels: Vec<SieveFunnel>,
    /// The narrowest exemptions; for `narrow`.
    pub narrowest: Vec<SieveNarrow>,
    /// How many Pods were evaluated.
    pub tried: u32,
    /// What is to be said about the texts, and about limits that were reached.
    pub diagnostics: Vec<Diagnostic>,
}

/// One exemption and what gets in through it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveExemption {
    /// What kind: `podSecurity`, `exclude`, `exception`, `precondition`, `condition`, `anchor`, `psaLabel`, `psaExemption`; of
    /// policies in CEL `celException`, `matchCondition`, `validation`, `excludeResourceRule`, `selector`.
    pub kind: String,
    /// One line: ``control `Capabilities` for images `*/istio/proxyv2*` ``.
    pub text: String,
    /// The policy or exception that holds it, or the Namespace.
    pub owner: ObjectRef,
    /// The rule that holds it, or the rules that an exception lifts; empty for Pod Security Admission.
    pub rule: String,
    /// Its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// `wide` (somebody gets in), `narrow` (nobody did), `idle` (it lets nothing in), `unknown` (no Pod is known that it is
    /// meant for) or `untried` (too many Pods had been evaluated before it could be tried to the end).
    pub status: String,
    /// Why, for `idle`, `unknown` and `untried`, and what else is worth knowing; one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The Pods that it is meant for: admitted with it, refused without it.
    pub legitimate: Vec<SievePod>,
    /// The Pods of the texts that it lets in and is not meant for, as the caller or the text itself says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<SievePod>,
    /// The width: how many of the attackers that anybody can make get in.
    pub width: u32,
    /// How many attackers were tried.
    pub tried: u32,
    /// The attackers that get in.
    pub attacks: Vec<SieveAttack>,
    /// What was tried, by family.
    pub families: Vec<SieveFamily>,
}

/// A Pod that an exemption is meant for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SievePod {
    /// The object; its range where it stands in the texts.
    pub resource: ObjectRef,
    /// Whether it was made of the exemption's own values, as no text holds such a Pod.
    pub made: bool,
    /// It as YAML.
    pub text: String,
    /// The user that asks for it, where the exemption is about users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The groups of that user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The Namespace as YAML, where the exemption is about its labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name in `meantFor` and `notMeantFor`.
    pub key: String,
    /// Why the exemption is not meant for it, in one line; empty for those that it is meant for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doubt: String,
}

/// A family of attackers, and how many of them get in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveFamily {
    /// Its name: `registry`, `position`, … (docs/sieve.md lists them).
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// How many were tried.
    pub tried: u32,
    /// How many get in.
    pub admitted: u32,
}

/// An attacker that gets in: admitted with the exemption and refused without it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveAttack {
    /// The family.
    pub family: String,
    /// What differs from the legitimate Pod, in one line: ``image `evil.example/istio/proxyv2:1` ``.
    pub text: String,
    /// Who can do it: `anyone` who may create Pods, or `publisher`: who may push to the registry of the image.
    pub who: String,
    /// Which of the legitimate Pods it was made of.
    pub legitimate: u32,
    /// The object as YAML.
    pub resource: String,
    /// The user that asks for it, where the exemption is about users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The groups of that user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The Namespace as YAML, where the exemption is about its labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The lines in which it differs from the legitimate Pod, with three lines around each.
    pub diff: Vec<SieveLine>,
    /// What is said to it without the exemption.
    pub refusal: String,
    /// The change that shuts it out and leaves every legitimate Pod in; absent where no single change does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tightening: Option<SieveTightening>,
}

/// A line of a comparison.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveLine {
    /// `+` (the attacker's), `-` (the legitimate Pod's), or a blank (both).
    pub sign: String,
    /// The line.
    pub text: String,
}

/// A change of an exemption.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveTightening {
    /// One line: ``write `docker.io/istio/proxyv2:*` for `*/istio/proxyv2*` ``.
    pub text: String,
    /// The lines that change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The change of the text itself; absent where the object has to be written anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<SieveEdit>,
    /// The whole object after the change, as YAML.
    pub object: String,
    /// What to look at before it is written, one line each: a registry that one Pod alone uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Replace this stretch of a text by another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveEdit {
    /// The stretch; empty where something is put in.
    pub range: Range,
    /// What stands there instead.
    pub text: String,
}

/// A refused workload and the ways to let it in, from the widest to the narrowest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveFunnel {
    /// The workload.
    pub resource: ObjectRef,
    /// Who refuses it: a policy, or empty for Pod Security Admission.
    pub policy: String,
    /// The rule that refuses it; for Pod Security Admission the level.
    pub rule: String,
    /// What is said to it.
    pub refusal: String,
    /// The widths: `cluster`, `namespace`, `profile`, `control`, `image`, `place`.
    pub steps: Vec<SieveStep>,
    /// The attackers that each way was tried with, by name.
    pub attackers: Vec<String>,
}

/// One width of the funnel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveStep {
    /// `cluster`, `namespace`, `profile`, `control`, `image` or `place`.
    pub width: String,
    /// In words.
    pub title: String,
    /// Each system that could say it.
    pub forms: Vec<SieveForm>,
}

/// How one system says one width.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveForm {
    /// `psa` (Pod Security Admission), `podSecurity` (an exclude of the rule), `exception` (a PolicyException) or `rule`.
    pub system: String,
    /// Whether it can.
    pub can: bool,
    /// Why it cannot, or what is to be known.
    pub note: String,
    /// The change, as YAML.
    pub text: String,
    /// Whether the workload gets in with it.
    pub admits: bool,
    /// How many attackers get in as well.
    pub let_in: u32,
    /// How many were tried.
    pub tried: u32,
    /// Which attackers get in, by name.
    pub names: Vec<String>,
}

/// The narrowest exemption of one form for a refused workload.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SieveNarrow {
    /// The workload.
    pub resource: ObjectRef,
    /// The policy that refuses it.
    pub policy: String,
    /// The rule that refuses it.
    pub rule: String,
    /// `exception`, `podSecurity` or `rule`.
    pub form: String,
    /// The whole object to use, as YAML: the PolicyException, or the policy with its change.
    pub object: String,
    /// The part that is new, as YAML.
    pub change: String,
    /// The attackers that it shuts out.
    pub refuses: Vec<String>,
    /// The attackers that get in all the same.
    pub admits: Vec<String>,
    /// What is to be known, one line each.
    pub notes: Vec<String>,
}
