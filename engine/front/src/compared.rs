//! Comparing and converting policies, with answers as plain data.
//!
//! In: what is asked, and who waits for the search. Out: shapes that serde writes, with whole ranges, and objects as YAML too.

use crate::asked::{CompareInput, ConvertInput};
use crate::search::Search;
use engine::world::World;
use engine::yaml::emit::to_yaml_ordered;
use engine_compare::{Comparison, Counts, Finding, KindGap, MissedMutant, Reason, RuleVerdict, test_folder};
use engine_convert::{Conversion, Refused, convert_all, grade};
use engine_json::{Value, to_json};
use engine_lenses::run::run;
use engine_lenses::wire::{Diagnostic, Input, Range, TestFolder, Text};
use serde::Serialize;

/// A pair and its grade.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompareOutput {
    grade: &'static str,
    findings: Vec<FindingOutput>,
    reasons: Vec<ReasonOutput>,
    search: Searched,
    not_noticed: Vec<NotNoticed>,
    /// Settings in which the sides differ and that are not compared.
    but_for: Vec<String>,
    assumptions: Vec<String>,
    /// Whether the search ended by its limit or by the caller.
    stopped: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingOutput {
    direction: &'static str,
    operation: &'static str,
    /// What the request is for beside the object: `ephemeralcontainers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    subresource: Option<&'static str>,
    /// Where the difference lies between the kinds of policies, whatever they say.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<&'static str>,
    /// The gap in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'static str>,
    object: serde_json::Value,
    /// The same as YAML.
    yaml: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_object: Option<serde_json::Value>,
    /// The same as YAML, where it differs from the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_yaml: Option<String>,
    user: String,
    groups: Vec<String>,
    /// Whether nothing is to be stored.
    dry_run: bool,
    namespace_labels: Vec<(String, String)>,
    /// What the cluster holds, where policies ask for it.
    cluster: Vec<serde_json::Value>,
    /// The same as YAML.
    cluster_yaml: Vec<String>,
    old: SideOutput,
    new: SideOutput,
    /// A folder for `kyverno test` that passes with the old side and fails with the new one, where there can be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<TestFolder>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_test: Option<&'static str>,
}

#[derive(Serialize)]
struct SideOutput {
    effect: &'static str,
    rules: Vec<RuleOutput>,
    /// The object as this side leaves it, where it changes it, as YAML.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    generated: Vec<String>,
}

#[derive(Serialize)]
struct RuleOutput {
    policy: String,
    rule: String,
    status: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
struct ReasonOutput {
    side: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Searched {
    /// The cases that stand for all requests, where the sides were shown to be the same by them.
    cases: usize,
    requests: usize,
    undecided: usize,
    assumed: usize,
    only_written: usize,
    places: usize,
    old_branches: usize,
    new_branches: usize,
    pairs_met: usize,
    pairs_not_met: usize,
    mutants: usize,
    noticed: usize,
}

#[derive(Serialize)]
struct NotNoticed {
    class: String,
    text: String,
}

/// Compares two sides, with a test for each finding that a test shows.
///
/// # Errors
/// An operation that there is not.
pub fn compare(
    input: &CompareInput,
    world: &dyn World,
    search: &mut dyn Search,
) -> Result<CompareOutput, String> {
    let options = input.options()?;
    search.begin(input.seconds());
    let answer =
        engine_compare::compare(&input.old, &input.new, &options, world, &mut |tried| search.goes_on(tried));
    Ok(CompareOutput::of(&answer, [&input.old, &input.new], search.was_stopped(), world.now()))
}

/// Converts policies, and compares each with what it became.
pub fn convert(input: &ConvertInput, world: &dyn World, search: &mut dyn Search) -> ConvertOutput {
    let options = input.options();
    let mut output = ConvertOutput { diagnostics: diagnostics(&input.policies, world), policies: Vec::new() };
    for (at, conversion) in convert_all(&input.policies, input.to.into()) {
        search.begin(input.seconds());
        let comparison = (conversion.is_whole() && !input.no_compare)
            .then(|| grade(&conversion, &options, world, &mut |tried| search.goes_on(tried)));
        output.add(at, &conversion, comparison.as_ref(), search.was_stopped());
    }
    output
}

impl CompareOutput {
    fn of(answer: &Comparison, sides: [&[Text]; 2], stopped: bool, now: i64) -> Self {
        CompareOutput {
            grade: answer.grade.as_str(),
            findings: answer
                .findings
                .iter()
                .map(|finding| finding_output(finding, Some((sides, now))))
                .collect(),
            reasons: answer.reasons.iter().map(reason).collect(),
            search: search(&answer.counts),
            not_noticed: answer.missed.iter().map(not_noticed).collect(),
            but_for: answer.but_for.clone(),
            assumptions: answer.assumptions.clone(),
            stopped,
        }
    }
}

fn not_noticed(MissedMutant { class, text }: &MissedMutant) -> NotNoticed {
    NotNoticed { class: class.clone(), text: text.clone() }
}

/// Where something stands in one of the sides: `input` names the side.
fn of_side(range: Option<&Range>, side: &'static str) -> Option<Range> {
    range.map(|range| Range { input: side.into(), ..range.clone() })
}

fn reason(reason: &Reason) -> ReasonOutput {
    let Reason { side, text, range } = reason;
    ReasonOutput { side, text: text.clone(), range: of_side(range.as_ref(), side) }
}

fn json(value: &Value) -> serde_json::Value {
    // What `to_json` writes is JSON; `null` stands for what never happens.
    serde_json::from_str(&to_json(value)).unwrap_or_default()
}

fn finding_output(finding: &Finding, sides: Option<([&[Text]; 2], i64)>) -> FindingOutput {
    let attributes = &finding.request.attributes;
    let old_object = attributes.old.as_ref().filter(|old| **old != finding.request.object);
    let [old, new] = ["old", "new"].map(|name| side(finding, name));
    let tested = sides.map(|([old, new], now)| test_folder(old, new, &finding.request, now));
    let cluster = attributes.cluster.as_deref().map(Vec::as_slice).unwrap_or_default();
    FindingOutput {
        direction: finding.direction.as_str(),
        operation: attributes.operation.as_str(),
        subresource: finding.request.subresource(),
        gap: finding.gap.map(KindGap::as_str),
        explanation: finding.gap.map(KindGap::explanation),
        object: json(&finding.request.object),
        yaml: to_yaml_ordered(&finding.request.object),
        old_object: attributes.old.as_ref().map(json),
        old_yaml: old_object.map(to_yaml_ordered),
        user: attributes.user.username.to_string(),
        groups: attributes.user.groups.iter().map(ToString::to_string).collect(),
        dry_run: attributes.is_dry_run,
        namespace_labels: attributes
            .labels
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        cluster: cluster.iter().map(json).collect(),
        cluster_yaml: cluster.iter().map(to_yaml_ordered).collect(),
        old,
        new,
        no_test: tested.as_ref().and_then(|tested| tested.as_ref().err().copied()),
        test: tested.and_then(Result::ok),
    }
}

fn side(finding: &Finding, name: &'static str) -> SideOutput {
    let at = usize::from(name == "new");
    let [old, new] = finding.effects;
    SideOutput {
        effect: if at == 0 { old } else { new }.as_str(),
        rules: finding.verdicts.get(at).into_iter().flatten().map(|verdict| rule(verdict, name)).collect(),
        object: finding.left.get(at).cloned().flatten(),
        generated: finding.generated.get(at).cloned().unwrap_or_default(),
    }
}

fn rule(verdict: &RuleVerdict, side: &'static str) -> RuleOutput {
    RuleOutput {
        policy: verdict.policy.clone(),
        rule: verdict.rule.clone(),
        status: verdict.status.clone(),
        message: verdict.message.clone(),
        range: of_side(verdict.range.as_ref(), side),
    }
}

fn search(counts: &Counts) -> Searched {
    Searched {
        cases: counts.cases,
        requests: counts.requests,
        undecided: counts.undecided,
        assumed: counts.assumed,
        only_written: counts.only_written,
        places: counts.places,
        old_branches: counts.old_branches,
        new_branches: counts.new_branches,
        pairs_met: counts.pairs_met,
        pairs_not_met: counts.pairs_not_met,
        mutants: counts.mutants,
        noticed: counts.noticed,
    }
}

/// What became of each policy.
#[derive(Serialize)]
pub struct ConvertOutput {
    policies: Vec<PolicyOutput>,
    /// What is wrong with the texts themselves.
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicyOutput {
    /// Which of the texts it stands in, from 0.
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    kind: String,
    name: String,
    converted: bool,
    /// The policies in CEL; empty where something is refused.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    requests: usize,
    stopped: bool,
    /// Whether the source admits updates of what failed before, which is not counted as a difference.
    allows_existing_violations: bool,
    findings: Vec<FindingOutput>,
    reasons: Vec<ReasonOutput>,
    refused: Vec<RefusedOutput>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct RefusedOutput {
    rule: String,
    class: &'static str,
    field: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

impl ConvertOutput {
    /// One more policy, of the text at this place.
    fn add(&mut self, index: usize, conversion: &Conversion, comparison: Option<&Comparison>, stopped: bool) {
        let mut notes = conversion.notes.clone();
        if conversion.is_whole() && conversion.allows_existing_violations {
            notes.push(EXISTING.to_owned());
        }
        let at = |range: Option<&Range>| {
            range.map(|range| Range { index: u32::try_from(index).unwrap_or(u32::MAX), ..range.clone() })
        };
        let findings = comparison.iter().flat_map(|comparison| &comparison.findings);
        let reasons = comparison.iter().flat_map(|comparison| &comparison.reasons);
        self.policies.push(PolicyOutput {
            index,
            range: at(conversion.range.as_ref()),
            kind: conversion.kind.clone(),
            name: conversion.name.clone(),
            converted: conversion.is_whole(),
            text: conversion.text(),
            grade: comparison.map(|comparison| comparison.grade.as_str()),
            requests: comparison.map_or(0, |comparison| comparison.counts.requests),
            stopped,
            allows_existing_violations: conversion.allows_existing_violations,
            findings: findings.map(|finding| finding_output(finding, None)).collect(),
            reasons: reasons.map(reason).collect(),
            refused: conversion.refused.iter().map(|one| refused(one, at(one.range.as_ref()))).collect(),
            notes,
        });
    }
}

/// As `podsieve convert` says it.
const EXISTING: &str = "the source admits updates of objects that failed before (`allowExistingViolations`), the new policy refuses them; such updates are not counted";

fn refused(one: &Refused, range: Option<Range>) -> RefusedOutput {
    RefusedOutput {
        rule: one.rule.clone(),
        class: one.class.as_str(),
        field: one.field.clone(),
        text: one.text.clone(),
        range,
    }
}

/// What of the texts is misspelt or cannot be read, which may be why a policy is not converted.
fn diagnostics(policies: &[Text], world: &dyn World) -> Vec<Diagnostic> {
    let input = Input { host: Some("cluster".to_owned()), policies: policies.to_vec(), ..Input::default() };
    // What is refused is listed with its policy, and objects beside the policies are not converted.
    let is_listed = |code: &str| matches!(code, "refused" | "unknown-kind" | "no-kind");
    let mut said = run(&input, world).diagnostics;
    said.retain(|one| one.severity == "error" && !is_listed(&one.code));
    said
}
