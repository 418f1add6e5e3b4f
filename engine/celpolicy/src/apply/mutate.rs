//! What a MutatingPolicy makes of an object.
//!
//! In: a policy, the exceptions for it, an object with its request. Out: a row, and the object where it came through; nothing where the
//! policy is not for it. Mirrors: `pkg/cel/policies/mpol/engine/engine.go`, `mpol/compiler/policy.go` of Kyverno 1.19.

use super::evaluate::{Allowed, Explaining, annotate, exempting};
use super::frame::Frame;
use super::matching::matches;
use super::{Row, Subject};
use crate::compile::Compiled;
use crate::functions::native::to_json;
use crate::patch::{By, apply_configuration, apply_json, operations};
use crate::policy::{Exception, Mutating, Mutation, Policy};
use crate::why::{Making, Question, Steps};
use engine::apply::Status;
use engine::body::Asked;
use engine::load::Host;
use engine::trace::Step;
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::{Numbers, Value as Cel};
use engine_json::{Path, Str, Value};
use std::cell::OnceCell;
use std::sync::Arc;

/// The exceptions of a policy with their conditions, and the time at which they must not have ended, where that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'w> {
    /// All of them, in their order.
    pub all: &'w [(Exception, Vec<Compiled>)],
    /// In nanoseconds since 1970 (UTC).
    pub now: Option<i64>,
    /// The policy that they have to be for, where they are given for all.
    pub of: Option<&'w Policy>,
}

impl<'w> Conditions<'w> {
    /// Those that a host looks at.
    pub fn of(all: &'w [(Exception, Vec<Compiled>)], asked: &Asked<'_>) -> Self {
        Conditions { all, now: (asked.host == Host::Cluster).then(|| asked.world.now()), of: None }
    }

    /// Those that are for the policy and have not ended.
    pub fn present(self) -> impl Iterator<Item = &'w (Exception, Vec<Compiled>)> {
        self.all.iter().filter(move |(exception, _)| {
            let is_over = self.now.is_some_and(|now| exception.is_expired(now));
            !is_over && self.of.is_none_or(|policy| exception.times_for(policy) > 0)
        })
    }
}

/// What the policy says of the object, and the object as it leaves it; nothing where it is not for it.
pub fn mutate(
    policy: &Mutating,
    exceptions: Conditions<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> Option<(Row, Option<Value>)> {
    match matches(&policy.constraints(), subject) {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => {
            let message = format!("failed to execute matching: Internal error occurred: {error}");
            return Some((Row::new("match", Status::Error, message), None));
        }
    }
    Some(changed(policy, exceptions, (subject, &policy.conditions), outside, explaining))
}

/// What the policy makes of an object that it changes because of another one.
pub fn mutate_target(
    policy: &Mutating,
    exceptions: Conditions<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> (Row, Option<Value>) {
    changed(policy, exceptions, (subject, &policy.target_conditions), outside, explaining)
}

/// The objects that the policy changes beside the one that is asked about, by namespace and name; nothing where no expression
/// says which.
///
/// # Errors
/// Why the expression does not say it, in Kyverno's words.
// Kyverno: discoverCELTargets in the CLI's policy_processor.go; nothing but the object and variables has a value.
pub fn targets(
    policy: &Mutating,
    subject: &Subject,
    outside: &dyn Outside,
) -> Result<Option<Vec<(Str, Str)>>, String> {
    let Some(expression) = &policy.target_expression else { return Ok(None) };
    let mut frame = Frame::new(&policy.environment, &policy.variables, subject, outside);
    for name in ["request", "oldObject", "namespaceObject"] {
        frame.bind(name, Binding::Missing);
    }
    frame.bind("object", Binding::Value(Cel::json(&subject.object, Numbers::AsWritten)));
    frame.bind("variables", Binding::Lazy);
    let name = &policy.policy.name;
    let found = frame
        .run(expression)
        .map_err(|error| format!("failed to evaluate CEL expression for policy {name}: {error}"))?;
    let found = to_json(&found)
        .map_err(|error| format!("failed to convert CEL result for policy {name}: {error}"))?;
    let key = |object: &Value| {
        let text = |field: &str| Str::from(object.find_str(&["metadata", field]));
        (text("namespace"), text("name"))
    };
    let items = found.find(&["items"]).and_then(Value::as_array);
    Ok(Some(items.map_or_else(|| vec![key(&found)], |items| items.iter().map(key).collect())))
}

/// The same for an object that the policy is for, if these conditions hold.
fn changed(
    policy: &Mutating,
    exceptions: Conditions<'_>,
    (subject, conditions): (&Subject, &[Compiled]),
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> (Row, Option<Value>) {
    if policy.is_for_custom {
        let why = "extraction mode: mutation for custom workload CRDs is not yet supported";
        return (Row::new("", Status::Skip, why), None);
    }
    let objects: Vec<OnceCell<Value>> = policy.mutations.iter().map(|_| OnceCell::new()).collect();
    let mut frame = Frame::new(&policy.environment, &policy.variables, subject, outside);
    frame.bind("object", Binding::Value(Cel::json(&subject.object, Numbers::AsWritten)));
    let done = Work { policy, subject, objects: &objects }.run(&mut frame, exceptions, conditions);
    let (mut row, object) = done.unwrap_or_else(|error| {
        (Row::new("evaluation", Status::Error, format!("failed to evaluate policy: {error}")), None)
    });
    if let Some((explainers, root)) = explaining.why
        && row.exceptions.is_empty()
    {
        frame.bind("object", Binding::Value(Cel::json(&subject.object, Numbers::AsWritten)));
        row.steps = (explainers.mutation)(policy, &frame, &subject.object, &objects, root);
    }
    (row, object)
}

/// The steps to what the policy at this place made of an object, which each mutation but the last has left in its cell.
pub(super) fn explained<'w, W: Steps>(
    policy: &'w Mutating,
    frame: &'w Frame<'w>,
    object: &'w Value,
    objects: &'w [OnceCell<Value>],
    root: &Path,
) -> Vec<Step> {
    let spec = root.join("spec");
    let met = |at: usize| match at.checked_sub(1) {
        None => Some(object),
        Some(before) => objects.get(before).and_then(OnceCell::get),
    };
    let mutations = policy.mutations.iter().zip(&policy.written).enumerate();
    let made = mutations.map_while(|(at, (mutation, (place, source)))| {
        let (Mutation::JsonPatch(compiled) | Mutation::Configuration(compiled)) = mutation;
        let place = spec.concat(&place.iter().cloned().collect::<Vec<_>>());
        // Behind one that fails nothing is evaluated.
        let object = Some(met(at)?);
        Some(Making { asked: Question { name: "", source, compiled: Some(compiled), place }, object })
    });
    let questions = frame.questions((&policy.policy, root), object, ("matchConditions", &policy.conditions));
    W::steps_of_makings(&questions, made.collect())
}

struct Work<'w> {
    policy: &'w Mutating,
    subject: &'w Subject,
    /// The object as each mutation leaves it.
    objects: &'w [OnceCell<Value>],
}

impl<'w> Work<'w> {
    fn run(
        &self,
        frame: &mut Frame<'w>,
        exceptions: Conditions<'w>,
        conditions: &'w [Compiled],
    ) -> Result<(Row, Option<Value>), String> {
        if let Some(row) = exempted(frame, exceptions)? {
            return Ok((row, None));
        }
        frame.bind("variables", Binding::Lazy);
        if !frame.conditions(conditions)? {
            return Ok((Row::new("", Status::Skip, "skip"), None));
        }
        let mut object = &self.subject.object;
        for (mutation, place) in self.policy.mutations.iter().zip(self.objects) {
            let patched = self.patched(frame, mutation, object)?;
            object = place.get_or_init(|| patched);
            frame.bind("object", Binding::Value(Cel::json(object, Numbers::AsWritten)));
        }
        let mut row = Row::new("", Status::Pass, "success");
        annotate(&mut row, self.annotations(frame)?);
        Ok((row, Some(object.clone())))
    }

    fn patched(&self, frame: &Frame<'w>, mutation: &'w Mutation, object: &Value) -> Result<Value, String> {
        match mutation {
            Mutation::JsonPatch(expression) => {
                let list = frame.run(expression).map_err(|error| error.to_string())?;
                apply_json(object, &operations(&list)?)
            }
            Mutation::Configuration(expression) => {
                let configuration = frame.run(expression).map_err(|error| error.to_string())?;
                let version = self.subject.object_version();
                let (atomics, definitions) = (self.policy.changes_atomics, &self.subject.definitions);
                let by = By::Kind { version, atomics, definitions };
                apply_configuration(object, &configuration, by)
            }
        }
    }

    fn annotations(&self, frame: &Frame<'w>) -> Result<Vec<(String, String)>, String> {
        let mut all = Vec::new();
        for (key, compiled) in &self.policy.annotations {
            match frame.run(compiled) {
                Ok(Cel::Null) => {
                    let why = "type conversion error from 'null_type' to 'string'";
                    return Err(format!("failed to convert auditAnnotation \"{key}\" expression: {why}"));
                }
                Ok(value) => {
                    let text = value.as_str().unwrap_or("");
                    if !text.is_empty() {
                        all.push((key.to_string(), text.to_owned()));
                    }
                }
                Err(error) => return Err(format!("failed to evaluate auditAnnotation \"{key}\": {error}")),
            }
        }
        Ok(all)
    }
}

/// The row of an exception that exempts from the whole policy; else binds what the others allow.
pub(super) fn exempted<'w>(frame: &mut Frame<'w>, exceptions: Conditions<'w>) -> Result<Option<Row>, String> {
    let mut matched: Vec<&Exception> = Vec::new();
    for (exception, conditions) in exceptions.present() {
        let has_full = matched.iter().any(|exception| exception.is_full());
        match frame.conditions(conditions) {
            Ok(true) => matched.push(exception),
            Ok(false) => {}
            Err(_) if has_full => {}
            Err(error) => return Err(error),
        }
    }
    if matched.iter().any(|exception| exception.is_full()) {
        return Ok(Some(exempting(&matched)));
    }
    let allowed = Allowed {
        images: matched.iter().flat_map(|exception| &exception.images).cloned().collect(),
        values: matched.iter().flat_map(|exception| &exception.allowed_values).cloned().collect(),
    };
    frame.bind("exceptions", Binding::Value(Cel::Opaque(Arc::new(allowed))));
    Ok(None)
}
