//! `mutate` rules: a patch, or a patch for each element of a list.
//!
//! In: what the rule changes, its resource and its context. Out: the verdict in Kyverno's words, and the resource
//! that the rules after it see.
//! Mirrors: pkg/engine/handlers/mutation/{mutate_resource,common}.go, pkg/engine/mutate/mutation.go.

use super::{RuleResult, Status, Subject, add_entries, conditions, evaluate_conditions};
use crate::context::{JsonContext, variables};
use crate::patch;
use crate::policy::{Mutate, MutateForeach, MutateStep};
use crate::trace::{Kind, Step, StepOutcome, Trace};
use engine_json::{Map, Value, to_json};

/// How deep `foreach` may nest.
const MAX_NESTING: usize = 8;
/// How many elements one rule may visit for one resource.
const MAX_ELEMENTS: usize = 10_000;

/// What is said of a patch that changes nothing.
const NOTHING: &str = "no patches applied";

/// What a patch, or all patches of a loop, came to.
#[derive(Debug)]
enum Outcome {
    /// The patched resource.
    Pass(Value),
    /// Nothing changed, for this reason.
    Skip(String),
    /// Something went wrong.
    Error(String),
}

/// Runs the body of a rule whose preconditions hold. The resource is `null` after an error: no rule and no policy
/// after it has anything to match.
// Kyverno: NewErrorResponse carries an empty resource, and the engine goes on with it.
pub(super) fn run<'a>(
    subject: &Subject<'a>,
    body: &'a Mutate,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> (RuleResult, Value) {
    Mutator::new(subject, context, trace).run(body, &subject.resource.value)
}

// Kyverno: buildSuccessMessage.
fn mutated_message(patched: &Value) -> String {
    let kind = patched.find_str(&["kind"]);
    let name = patched.find_str(&["metadata", "name"]);
    match patched.find_str(&["metadata", "namespace"]) {
        "" => format!("mutated {kind}/{name}"),
        namespace => format!("mutated {kind}/{name} in namespace {namespace}"),
    }
}

/// Patches one object for a rule.
pub(super) struct Mutator<'m, 'a> {
    subject: &'m Subject<'a>,
    context: &'m mut JsonContext<'a>,
    trace: &'m mut Trace,
    elements: usize,
}

impl<'m, 'a> Mutator<'m, 'a> {
    pub(super) fn new(
        subject: &'m Subject<'a>,
        context: &'m mut JsonContext<'a>,
        trace: &'m mut Trace,
    ) -> Self {
        Mutator { subject, context, trace, elements: 0 }
    }

    /// What the rule says of the object, and the object after it.
    pub(super) fn run(&mut self, body: &'a Mutate, resource: &Value) -> (RuleResult, Value) {
        let outcome = match &body.foreach {
            Some(loops) => self.loops(loops, resource.clone(), 0),
            None => self.whole(resource),
        };
        let (status, message, patched) = match outcome {
            Outcome::Pass(patched) => (Status::Pass, mutated_message(&patched), patched),
            Outcome::Skip(reason) => (Status::Skip, reason, resource.clone()),
            // Where the original crashes there is no empty resource to follow; the others go on with what they have.
            Outcome::Error(message) if message.contains(patch::CRASH_NOTE) => {
                (Status::Error, message, resource.clone())
            }
            Outcome::Error(message) => (Status::Error, message, Value::Null),
        };
        (RuleResult::new(self.subject.rule, status, message), patched)
    }

    // Kyverno: mutate.Mutate puts variables into the whole rule, its match block included.
    fn whole(&mut self, resource: &Value) -> Outcome {
        let rule = match variables::substitute(self.context, &self.subject.rule.raw) {
            Ok(rule) => rule,
            Err(error) => return Outcome::Error(format!("variable substitution failed: {error}")),
        };
        let text = match rule.find(&["mutate", "patchesJson6902"]) {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(other) => {
                let found = json_type(other);
                return Outcome::Error(format!(
                    "variable substitution failed: json: cannot unmarshal {found} into Go struct field Mutation.mutate.patchesJson6902 of type string"
                ));
            }
        };
        self.patch(resource, rule.find(&["mutate", "patchStrategicMerge"]), text)
    }

    fn patch(&mut self, resource: &Value, strategic: Option<&Value>, text: &str) -> Outcome {
        let outcome = apply(resource, strategic, text);
        self.describe(match &outcome {
            Outcome::Pass(_) => Ok(true),
            Outcome::Skip(_) => Ok(false),
            Outcome::Error(message) => Err(message),
        });
        outcome
    }

    /// Records what a patch came to: whether it changes anything.
    fn describe(&mut self, outcome: Result<bool, &str>) {
        self.trace.record(|| match outcome {
            Ok(true) => Step::new(Kind::Verdict, true, "the patch changes the resource"),
            Ok(false) => Step::new(Kind::Verdict, false, NOTHING),
            Err(message) => Step::new(Kind::Verdict, StepOutcome::Error, message.to_owned()),
        });
    }

    // Kyverno: mutateForEach.
    fn loops(&mut self, loops: &'a [MutateForeach], mut resource: Value, nesting: usize) -> Outcome {
        if nesting >= MAX_NESTING {
            return Outcome::Error(format!(
                "failed to process foreach: nested deeper than {MAX_NESTING} loops: split the rule"
            ));
        }
        let mut changed = false;
        for each in loops {
            let elements = match self.context.query(&each.list) {
                Ok(Value::Array(list)) => list.to_vec(),
                Ok(other) => vec![other],
                // Kyverno: the error is said twice.
                Err(error) => {
                    return Outcome::Error(format!(
                        "failed to evaluate list {}: {error}: {error}",
                        each.list
                    ));
                }
            };
            self.context.checkpoint();
            let outcome = self.elements(each, &elements, &resource, nesting);
            self.context.restore();
            match outcome {
                Outcome::Pass(patched) => {
                    // What comes next sees the change; elements of this loop did not.
                    self.context.replace(&["request", "object"], patched.clone());
                    resource = patched;
                    changed = true;
                }
                Outcome::Skip(_) => {}
                Outcome::Error(message) => {
                    return Outcome::Error(format!("failed to mutate elements: {message}"));
                }
            }
        }
        if changed { Outcome::Pass(resource) } else { Outcome::Skip("0 elements processed".to_owned()) }
    }

    // Kyverno: mutateElements.
    fn elements(
        &mut self,
        each: &'a MutateForeach,
        elements: &[Value],
        resource: &Value,
        nesting: usize,
    ) -> Outcome {
        let mut patched = Patched::new(resource.clone());
        let mut order: Vec<(usize, &Value)> = elements.iter().enumerate().collect();
        if each.is_descending {
            order.reverse();
        }
        for (index, element) in order.into_iter().filter(|(_, element)| !element.is_null()) {
            self.elements += 1;
            if self.elements > MAX_ELEMENTS {
                return Outcome::Error(format!(
                    "failed to process foreach: more than {MAX_ELEMENTS} elements: split the list over several rules"
                ));
            }
            self.context.reset();
            self.context.add_element(element, index, nesting);
            self.trace.record(|| {
                Step::new(Kind::Foreach, StepOutcome::Note, format!("element {index}")).in_policy(&each.path)
            });
            self.trace.enter();
            let outcome = self.element(each, index, &mut patched, nesting);
            self.trace.leave();
            if let Err(message) = outcome {
                return Outcome::Error(message);
            }
        }
        let patched = patched.value();
        // Kyverno: Go's types count, so patches that undo each other still make int64 of float64.
        if patched == *resource { Outcome::Skip(NOTHING.to_owned()) } else { Outcome::Pass(patched) }
    }

    fn element(
        &mut self,
        each: &'a MutateForeach,
        index: usize,
        patched: &mut Patched,
        nesting: usize,
    ) -> Result<(), String> {
        if let Err(error) = add_entries(self.context, &each.context, self.subject) {
            return Err(format!("failed to load to mutate.foreach[{index}].context: {error}"));
        }
        let preconditions = each.preconditions.as_ref();
        match evaluate_conditions(self.context, preconditions, self.trace, conditions::Role::Precondition) {
            Err(error) => {
                return Err(format!("failed to evaluate mutate.foreach[{index}].preconditions: {error}"));
            }
            Ok(outcome) if !outcome.holds => return Ok(()),
            Ok(_) => {}
        }
        let outcome = match &each.step {
            MutateStep::Foreach(loops) => self.loops(loops, patched.value(), nesting + 1),
            MutateStep::Patch { strategic, json6902 } => {
                return self.element_patch(patched, strategic, json6902);
            }
        };
        match outcome {
            Outcome::Pass(value) => *patched = Patched::new(value),
            Outcome::Skip(_) => {}
            Outcome::Error(message) => return Err(message),
        }
        Ok(())
    }

    // Kyverno: mutate.ForEach, substituteAllInForEach.
    fn element_patch(
        &mut self,
        patched: &mut Patched,
        strategic: &Value,
        json6902: &Value,
    ) -> Result<(), String> {
        let patches = [("patchStrategicMerge", strategic.clone()), ("patchesJson6902", json6902.clone())];
        let patches = Value::object(patches.into_iter().collect::<Map>());
        match variables::substitute(self.context, &patches) {
            Ok(patches) => {
                let text = patches.find_str(&["patchesJson6902"]);
                let outcome = match patches.get("patchStrategicMerge").filter(|patch| !patch.is_null()) {
                    Some(patch) => patched.merge(patch),
                    None => patched.patch(text),
                };
                self.describe(outcome.as_ref().map(|changed| *changed).map_err(String::as_str));
                outcome.map(|_| ())
            }
            Err(error) => Err(format!("variable substitution failed: {error}")),
        }
    }
}

/// The resource while a loop patches it, element by element.
struct Patched {
    /// As it was before `live`.
    value: Value,
    /// Under strategic merges, which mostly set a field or two of one item.
    live: Option<patch::Live>,
    /// Whether one of these has changed it.
    is_changed: bool,
    /// Whether `value` holds whole numbers alone; unknown until it is asked for.
    is_whole: Option<bool>,
}

impl Patched {
    fn new(value: Value) -> Self {
        Patched { value, live: None, is_changed: false, is_whole: None }
    }

    fn value(&self) -> Value {
        match &self.live {
            // What no patch has changed keeps its types.
            Some(live) if self.is_changed => live.value(),
            Some(_) | None => self.value.clone(),
        }
    }

    /// Applies the text of a JSON patch; whether it changes anything.
    fn patch(&mut self, text: &str) -> Result<bool, String> {
        if self.live.is_some() {
            *self = Patched::new(self.value());
        }
        let is_whole = *self.is_whole.get_or_insert_with(|| !self.value.has_floats());
        if is_whole && let Some(is_changed) = patch::apply_plain_json6902(&mut self.value, text) {
            return Ok(is_changed);
        }
        match apply(&self.value, None, text) {
            Outcome::Pass(value) => *self = Patched::new(value),
            Outcome::Skip(_) => return Ok(false),
            Outcome::Error(message) => return Err(message),
        }
        Ok(true)
    }

    /// Merges a patch; whether it changes anything.
    fn merge(&mut self, patch: &Value) -> Result<bool, String> {
        let live = self.live.get_or_insert_with(|| patch::Live::new(&self.value));
        let applied = live.apply(patch).map_err(|error| format!("failed to patch resource: {error}"))?;
        let is_changed = match applied {
            patch::Applied::Nothing => false,
            patch::Applied::Fields => true,
            patch::Applied::Whole(value) => with_kind(value).map(|_| true)?,
        };
        self.is_changed |= is_changed;
        Ok(is_changed)
    }
}

/// The patched resource, if it still has a kind.
fn with_kind(patched: Value) -> Result<Value, String> {
    if patched.find_str(&["kind"]).is_empty() {
        let body = to_json(&patched);
        return Err(format!("failed to unmarshal patched resource: Object 'Kind' is missing in '{body}'"));
    }
    Ok(patched)
}

/// One patch, its variables put in; a strategic merge goes before a JSON patch.
fn apply(resource: &Value, strategic: Option<&Value>, text: &str) -> Outcome {
    let patched = match strategic.filter(|patch| !patch.is_null()) {
        Some(patch) => patch::apply_strategic(resource, patch),
        None if !text.is_empty() => patch::apply_json6902(resource, text),
        None => return Outcome::Error("empty mutate rule".to_owned()),
    };
    match patched {
        Err(error) => Outcome::Error(format!("failed to patch resource: {error}")),
        Ok(None) => Outcome::Skip(NOTHING.to_owned()),
        Ok(Some(patched)) => with_kind(patched).map_or_else(Outcome::Error, Outcome::Pass),
    }
}

/// What Go's JSON reader calls a value.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
