//! Why a rule decided as it did: the step that decided, in one sentence, and what would make a refused resource pass.
//!
//! In: a bundle, or a [`wire::ExplainInput`]. Out: a [`wire::Explanation`] for each policy, resource and rule, rules
//! that are not for the resource included. Nothing here evaluates: all comes from the trace of the evaluation, and each
//! edit has been tried by evaluating the edited resource.

mod deciding;
mod edits;
mod likely;
mod looks;
mod reads;
mod samples;
mod sentence;

use crate::run::{self, Positions};
use crate::wire;
use deciding::Verdict;
use engine::apply::{self, Host, Locations, Options, PolicyResult, Recording, RuleResult};
use engine::diag::Diagnostic;
use engine::load::{self, Bundle};
use engine::policy::{Policy, Rule};
use engine::resource::Resource;
use engine::trace::{Detail, Kind, Step};
use engine::world::World;
use engine_json::arrange::Arrange as _;
use engine_json::{Path, Value, to_json};
use std::cell::Cell;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct ExplainOptions {
    /// Which of the originals is followed where they differ.
    pub host: Host,
    /// Only rules of this name, as written or as autogen names them.
    pub rule: Option<String>,
    /// Only what is said of the resource with this kind, namespace and name.
    pub resource: Option<wire::ObjectRef>,
    /// Whether edits are looked for.
    pub edits: Edits,
    /// Whether it is said which fields each step looked at.
    pub reads: Reads,
}

/// Whether it is said which fields of the resource each step looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// It is not.
    #[default]
    Omit,
    /// It is.
    Include,
}

/// Whether edits are looked for that would make a failing rule pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// They are.
    #[default]
    Sought,
    /// They are not.
    Unsought,
}

/// Explains everything in the input.
pub fn run(input: &wire::ExplainInput, world: &dyn World) -> wire::ExplainOutput {
    let host = run::host(&input.input);
    let (bundle, diagnostics) =
        load::load_with(run::sources(&input.input), run::followed(&input.input), world.extension());
    let edits = if input.no_edits { Edits::Unsought } else { Edits::Sought };
    let reads = if input.reads { Reads::Include } else { Reads::Omit };
    let asked =
        ExplainOptions { host, rule: input.rule.clone(), resource: input.resource.clone(), edits, reads };
    let explanations = explain(&bundle, &asked, world);
    output(&bundle, explanations, diagnostics)
}

/// Values for a field that decided, which may make the rule decide otherwise: made of what is there, of what the policy
/// wants there, and of the literals beside it. `None` takes the field away. These are proposals; nothing is tried.
pub fn values(found: Option<&Value>, wanted: Option<&Value>, literals: &[Value]) -> Vec<Option<Value>> {
    let found = found.unwrap_or(&Value::Null);
    let mut values: Vec<Option<Value>> = Vec::new();
    if let Some(wanted) = wanted {
        values.extend(samples::satisfying(wanted, found).into_iter().map(Some));
        values.extend(samples::breaking(wanted).into_iter().map(Some));
        values.extend(samples::of_condition(&[wanted], literals, found));
    }
    values.extend(samples::near(found));
    let mut kept: Vec<Option<Value>> = Vec::new();
    for value in values {
        if value.as_ref() != Some(found) && !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// Explanations with what stands beside them.
pub fn output(
    bundle: &Bundle,
    explanations: Vec<wire::Explanation>,
    diagnostics: Vec<Diagnostic>,
) -> wire::ExplainOutput {
    let positions = Positions::new(bundle);
    let diagnostics: Vec<_> = diagnostics.into_iter().map(|said| run::diagnostic(said, &positions)).collect();
    wire::ExplainOutput {
        version: run::version(),
        complete: run::is_complete(&diagnostics),
        explanations,
        refused: run::refused(bundle, &positions),
        diagnostics,
    }
}

/// Explains every verdict of a bundle.
pub fn explain(bundle: &Bundle, asked: &ExplainOptions, world: &dyn World) -> Vec<wire::Explanation> {
    let options = Options { host: asked.host, trace: Recording::On, places: Locations::Include };
    let work = Work { bundle, asked, world, positions: Positions::new(bundle), bench: Cell::default() };
    let Some(wanted) = &asked.resource else {
        let outcome = apply::apply(bundle, world, &options);
        return outcome.results.iter().flat_map(|result| work.of_result(result)).collect();
    };
    let is_at = |one: &Resource, wanted: &wire::Range| {
        work.positions.of_path(one.document, &Path::root()).is_some_and(|found| {
            found.line == wanted.line
                && (wanted.column == 0 || wanted.column == found.column)
                && (wanted.name.is_empty() || wanted.name == found.name)
        })
    };
    let is_wanted = |one: &Resource| {
        (one.kind(), one.namespace(), one.name_or_generate_name())
            == (&*wanted.kind, &*wanted.namespace, &*wanted.name)
            && wanted.range.as_ref().is_none_or(|range| is_at(one, range))
    };
    let at = |(at, one): (usize, &Resource)| is_wanted(one).then_some(at);
    let places: Vec<usize> = bundle.resources.iter().enumerate().filter_map(at).take(MAX_SAME).collect();
    let mut found = Vec::new();
    for at in &places {
        apply::apply_each(bundle, world, &options, *at..*at + 1, |result| {
            found.extend(work.of_result(&result));
        });
    }
    apply::cleanup(bundle, world, &options, |result| {
        if places.contains(&result.resource) {
            found.extend(work.of_result(&result));
        }
    });
    found
}

/// So many resources of one name are explained.
const MAX_SAME: usize = 20;

struct Work<'w> {
    bundle: &'w Bundle,
    asked: &'w ExplainOptions,
    world: &'w dyn World,
    positions: Positions<'w>,
    /// Made when edits are first sought.
    bench: Cell<Option<edits::Bench>>,
}

/// One policy over one resource.
#[derive(Clone, Copy)]
struct Pair<'w> {
    policy: &'w Policy,
    resource: &'w Resource,
    at: (usize, usize),
}

impl Work<'_> {
    fn of_result(&self, result: &PolicyResult) -> Vec<wire::Explanation> {
        let (Some(policy), Some(resource)) =
            (self.bundle.policies.get(result.policy), self.bundle.resources.get(result.resource))
        else {
            return Vec::new();
        };
        let pair = Pair { policy, resource, at: (result.policy, result.resource) };
        let mut found: Vec<wire::Explanation> = Vec::new();
        let is_decided = |name: &str| result.rules.iter().any(|rule| rule.written_name == name);
        for (rule, steps) in by_rule(&result.no_match, policy) {
            let written = rule.map_or("", |rule| rule.written_name.as_str());
            // Of a rule and what autogen made of it, those that are not for the kind say nothing beside the one that is.
            let is_known = rule.is_some() && found.iter().any(|known| is_variant(known, written));
            if is_decided(written) || !self.is_asked(rule.map_or("", |rule| &rule.name), written) {
                continue;
            }
            let mut explanation = self.unmatched(pair, rule, steps);
            if let Some(rule) = rule.filter(|rule| result.undecided.contains(&rule.name)) {
                undecide(&mut explanation, rule);
            }
            if !is_known {
                found.push(explanation);
            } else if !deciding::is_about_kind(steps)
                && let Some(known) = found.iter_mut().find(|known| is_variant(known, written))
            {
                *known = explanation;
            }
        }
        let matched = result.rules.iter().filter(|rule| self.is_asked(&rule.rule, &rule.written_name));
        found.extend(matched.map(|rule| self.matched(pair, rule)));
        let place = |explanation: &wire::Explanation| {
            policy.all_rules().position(|rule| rule.name == explanation.rule).unwrap_or(usize::MAX)
        };
        found.arrange_by_key(place);
        found
    }

    fn is_asked(&self, name: &str, written: &str) -> bool {
        self.asked.rule.as_ref().is_none_or(|wanted| wanted == name || wanted == written)
    }

    fn unmatched(&self, pair: Pair<'_>, rule: Option<&Rule>, steps: &[Step]) -> wire::Explanation {
        let deciding = deciding::of(Verdict::NoMatch, steps);
        wire::Explanation {
            rule: rule.map_or_else(String::new, |rule| rule.name.to_string()),
            autogen: rule.and_then(autogen),
            verdict: "noMatch".to_owned(),
            effect: apply::Effect::Allow.as_str().to_owned(),
            sentence: sentence::of(Verdict::NoMatch, "", steps, &deciding, &[]),
            reads: self.reads(steps, rule, pair.resource),
            ..self.explanation(pair, steps, &deciding, &[])
        }
    }

    fn matched(&self, pair: Pair<'_>, said: &RuleResult) -> wire::Explanation {
        let rule = pair.policy.all_rules().map(AsRef::as_ref).find(|rule: &&Rule| rule.name == said.rule);
        let verdict = Verdict::Decided(said.status);
        let steps = apply::every_step(&said.steps);
        let deciding = deciding::of(verdict, &steps);
        let fields = reads::of_steps(&steps, &deciding, rule, pair.resource);
        let namespace = pair.resource.namespace();
        let effect = apply::rule_effect(self.bundle, pair.policy, namespace, said);
        let may_pass = match said.status {
            apply::Status::Fail => true,
            // What an expression does not find in the resource can be put there.
            apply::Status::Error => pair.policy.body.is_some(),
            apply::Status::Pass | apply::Status::Warn | apply::Status::Skip => false,
        };
        let edits = if self.asked.edits == Edits::Sought && may_pass {
            let mut bench = self.bench.take().unwrap_or_else(|| edits::Bench::new(self.bundle));
            let (policies, host) = (&self.bundle.policies, self.asked.host);
            let found = edits::sought(&mut bench, policies, host, self.world, pair.at, &said.rule);
            self.bench.set(Some(bench));
            found
        } else {
            Vec::new()
        };
        let mut sentence = sentence::of(verdict, &said.message, &steps, &deciding, &fields);
        let assumed = said.assumed.join("; ");
        // A policy that is not asked because of what nobody has given has no other reason.
        if said.message == format!("(assumed: {assumed})") && said.status == apply::Status::Skip {
            sentence = format!("is not asked: {assumed}");
        } else if !assumed.is_empty() && !sentence.contains("(assumed: ") {
            sentence = format!("{sentence} (assumed: {assumed})");
        }
        wire::Explanation {
            rule: said.rule.to_string(),
            autogen: said.is_made_by_autogen().then(|| said.written_name.to_string()),
            verdict: said.status.as_str().to_owned(),
            effect: effect.as_str().to_owned(),
            message: said.message.clone(),
            sentence,
            edits: edits.iter().map(|edit| self.edit(edit, pair.resource)).collect(),
            reads: self.reads(&steps, rule, pair.resource),
            ..self.explanation(pair, &steps, &deciding, &fields)
        }
    }

    fn explanation(
        &self,
        pair: Pair<'_>,
        steps: &[Step],
        deciding: &[usize],
        fields: &[reads::Field],
    ) -> wire::Explanation {
        let Pair { policy, resource, .. } = pair;
        let step = |taken: &Step| run::step(taken, policy.document, resource.document, &self.positions);
        let json = |value: &Value| to_json(&value.with_int_numbers());
        wire::Explanation {
            policy: run::policy_ref(policy, &self.positions),
            resource: run::resource_ref(resource, &self.positions),
            deciding: deciding.iter().filter_map(|at| u32::try_from(*at).ok()).collect(),
            fields: fields
                .iter()
                .map(|field| wire::ExplainField {
                    path: field.path.to_string(),
                    value: resource.value.at_path(field.path.iter()).map(json),
                    wanted: field.wanted.as_ref().map(json),
                    literals: field.literals.iter().map(json).collect(),
                    range: self.positions.of_path(resource.document, &field.path),
                })
                .collect(),
            steps: steps.iter().map(step).collect(),
            ..wire::Explanation::default()
        }
    }

    fn reads(&self, steps: &[Step], rule: Option<&Rule>, resource: &Resource) -> Vec<wire::ExplainRead> {
        if self.asked.reads == Reads::Omit {
            return Vec::new();
        }
        let described = |look: &looks::Look| wire::ExplainRead {
            step: look.step.and_then(|at| u32::try_from(at).ok()),
            path: look.path.to_string(),
            absent: resource.value.at_path(look.path.iter()).is_none(),
            range: self.positions.of_path(resource.document, &look.path),
        };
        looks::of_each(steps, rule, resource).iter().map(described).collect()
    }

    fn edit(&self, edit: &edits::Edit, resource: &Resource) -> wire::Edit {
        let json = |value: &Value| to_json(&value.with_int_numbers());
        wire::Edit {
            path: edit.path.to_string(),
            before: edit.before.as_ref().map(json),
            after: edit.after.as_ref().map(json),
            yaml: edit.yaml.clone(),
            range: self.positions.of_path(resource.document, &edit.path),
        }
    }
}

/// What is said of a rule that matches and is of a kind that is not evaluated.
fn undecide(explanation: &mut wire::Explanation, rule: &Rule) {
    let (key, inner) = rule.unsupported().unwrap_or_default();
    "undecided".clone_into(&mut explanation.verdict);
    apply::Effect::Unknown.as_str().clone_into(&mut explanation.effect);
    explanation.sentence =
        format!("not decided: the rule matches, and `{key}.{inner}` rules are not supported yet");
    explanation.deciding.clear();
    explanation.fields.clear();
}

fn autogen(rule: &Rule) -> Option<String> {
    (rule.name != rule.written_name).then(|| rule.written_name.to_string())
}

/// Whether the explanation is of the rule of this name, or of one that autogen made of it.
fn is_variant(explanation: &wire::Explanation, written: &str) -> bool {
    explanation.autogen.as_deref().unwrap_or(&explanation.rule) == written
}

/// Steps of rules one after the other, taken apart; without a rule where nothing was taken up.
fn by_rule<'s, 'p>(steps: &'s [Step], policy: &'p Policy) -> Vec<(Option<&'p Rule>, &'s [Step])> {
    let begins = |step: &Step| step.kind == Kind::Rule && step.depth == 0;
    let starts: Vec<usize> =
        steps.iter().enumerate().filter(|(_, step)| begins(step)).map(|(at, _)| at).collect();
    if starts.is_empty() {
        return if steps.is_empty() { Vec::new() } else { vec![(None, steps)] };
    }
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(steps.len()));
    let rule = |step: Option<&Step>| match step.and_then(|step| step.detail.as_ref()) {
        Some(Detail::Rule(name)) => {
            policy.all_rules().map(AsRef::as_ref).find(|rule: &&Rule| rule.name == *name)
        }
        _ => None,
    };
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| Some((rule(steps.get(*start)), steps.get(*start..end)?)))
        .collect()
}

#[cfg(test)]
mod tests;
