//! What a MutatingAdmissionPolicy makes of an object.
//!
//! In: the compiled expressions, the objects of the request, parameters. Out: the object patched, or why there is none.
//! Mirrors: `mutateResource` in `pkg/admissionpolicy/mutate.go` of Kyverno 1.19,
//! `apiserver/pkg/admission/plugin/policy/mutating/patch` of Kubernetes 0.36.

use super::admission::{BUDGET, List, Objects, conditions};
use crate::patch::{By, apply_configuration, apply_json, holds_objects_in_lists, misfit, operations};
use crate::policy::{Admission, Made, Mutations, PatchType};
use crate::why::{Making, Question, Questions, Steps};
use engine::load::{ApiServer, Arrived, Fault};
use engine::trace::Step;
use engine_json::{Path, Value};
use std::cell::RefCell;

/// What became of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Patched {
    /// The match conditions are not met.
    NotMatched,
    /// The object, changed or not.
    Object(Value),
    /// A match condition could not be decided, in Kubernetes' words.
    NoConditions(String),
    /// A change could not be made, by its place, in Kubernetes' words.
    Failed(usize, String),
    /// Some changes could not be made, by their places, in Kubernetes' words; the object with the others.
    Partly(Value, Vec<(usize, String)>),
    /// A change ended the request, by its place.
    Ended(usize, String),
}

/// Which of the originals makes changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patcher {
    /// Kyverno's CLI: the first change that cannot be made ends it. Changes do not see the variables of the policy, and whatever reads
    /// them fails.
    // Kyverno: mutate.go evaluates them in a context without.
    Cli,
    /// An API server: a change that cannot be made is left out.
    // Kubernetes: policy/mutating/dispatcher.go dispatchInvocations.
    ApiServer,
}

/// How changes are made.
#[derive(Clone, Copy, Debug)]
pub struct Patching<'a> {
    /// What configurations are merged by.
    pub by: By<'a>,
    /// Who makes them.
    pub patcher: Patcher,
    /// What reads an object anew that was changed.
    pub server: Option<&'static ApiServer>,
    /// Takes the object as each change meets it, for those who want to know why.
    pub met: Option<&'a RefCell<Vec<Value>>>,
}

/// Applies the changes of a policy, each to what those before it have left.
// Kubernetes: variables are evaluated anew for each change, and match conditions know no namespace. Kyverno: nor parameters.
pub fn patch(
    written: &Admission,
    mutations: &Mutations,
    objects: &Objects<'_>,
    how: Patching<'_>,
) -> Patched {
    let bare = unnamed(objects, how.patcher);
    match conditions(written, &mutations.program, &bare) {
        Ok(true) => {}
        Ok(false) => return Patched::NotMatched,
        Err(error) => return Patched::NoConditions(error),
    }
    let mut current = objects.object.clone();
    let mut failed = Vec::new();
    for (at, (of, made)) in mutations.patches.iter().enumerate() {
        if let Some(met) = how.met {
            met.borrow_mut().push(current.clone());
        }
        match patched(mutations, &Objects { object: &current, ..*objects }, (*of, made), how) {
            Ok(patched) => current = patched,
            Err(Unpatched::Failed(error)) if how.patcher == Patcher::Cli => {
                return Patched::Failed(at, error);
            }
            Err(Unpatched::Failed(error)) => failed.push((at, error)),
            Err(Unpatched::Ended(error)) => return Patched::Ended(at, error),
        }
    }
    if failed.is_empty() { Patched::Object(current) } else { Patched::Partly(current, failed) }
}

/// What match conditions see.
fn unnamed<'w>(objects: &Objects<'w>, patcher: Patcher) -> Objects<'w> {
    let params = if patcher == Patcher::Cli { &Value::Null } else { objects.params };
    Objects { namespace: &Value::Null, params, ..*objects }
}

/// Why a change is not made.
enum Unpatched {
    /// It cannot be, in Kubernetes' words.
    Failed(String),
    /// The server ends the request.
    Ended(String),
}

impl From<String> for Unpatched {
    fn from(error: String) -> Self {
        Unpatched::Failed(error)
    }
}

/// The object after one change.
fn patched(
    mutations: &Mutations,
    objects: &Objects<'_>,
    (of, made): (PatchType, &Made),
    how: Patching<'_>,
) -> Result<Value, Unpatched> {
    let mut list = List::new(&mutations.program, objects);
    if how.patcher == Patcher::Cli {
        list.forget_variables();
    }
    let value = list.evaluate(made, &mut BUDGET.clone()).map_err(|over| over.to_string())??;
    match (of, how.patcher) {
        (PatchType::ApplyConfiguration, _) => {
            match read_again(how, apply_configuration(objects.object, &value, how.by)?) {
                (_, Some(fault)) if fault.is_fatal => Err(Unpatched::Failed(fault.words)),
                (made, _) => Ok(made),
            }
        }
        (PatchType::JsonPatch, Patcher::Cli) => Ok(apply_json(objects.object, &operations(&value)?)?),
        (PatchType::JsonPatch, Patcher::ApiServer) => {
            if holds_objects_in_lists(&value) {
                return Err(Unpatched::Ended(PANICS.to_owned()));
            }
            let patched = apply_json(objects.object, &operations(&value)?)?;
            // Kubernetes: the patched text is read as an object of its kind, by a strict reader.
            let (patched, fault) = read_again(how, patched);
            let fault = match how.server {
                Some(_) => fault.map(|fault| fault.words),
                None => misfit(objects.object, &patched, how.by),
            };
            match fault {
                Some(words) => Err(Unpatched::Ended(format!("Internal error occurred: {words}"))),
                None => Ok(patched),
            }
        }
    }
}

/// An object that was changed, as the server reads it.
fn read_again(how: Patching<'_>, made: Value) -> (Value, Option<Fault>) {
    let Some(server) = how.server else { return (made, None) };
    let Arrived { object, fault, .. } = (server.patched)(&made);
    (object, fault)
}

/// What is said of a patch that no server survives.
// cel-go 0.26: common/types/list.go ConvertToNative, given an `Object` where it wants a value of JSON.
const PANICS: &str = "the API server of Kubernetes 1.36 panics: the value of a JSON patch is a list or a map that holds `Object…{}`, and it \
                      closes the connection; write such items as maps";

/// Who changes an object, and how.
#[derive(Clone, Copy)]
pub(crate) struct Changing<'w> {
    pub(crate) written: &'w Admission,
    pub(crate) mutations: &'w Mutations,
    /// Where the policy stands in its document.
    pub(crate) root: &'w Path,
    pub(crate) patcher: Patcher,
    /// The object as each change met it.
    pub(crate) met: &'w [Value],
}

/// The steps to what became of an object.
pub(super) fn explained<W: Steps>(
    changing: Changing<'_>,
    objects: &Objects<'_>,
    patched: &Patched,
) -> Vec<Step> {
    let Changing { written, mutations, root, patcher, met } = changing;
    let has_variables = patcher == Patcher::ApiServer;
    let program = &mutations.program;
    let spec = root.join("spec");
    let place = |list: &str, at: usize| spec.join(list).join(at).join("expression");
    let bare = unnamed(objects, patcher);
    let of_conditions = List::new(program, &bare);
    let names = written.match_conditions.iter().map(|(name, _)| name.as_str());
    let conditions = program.match_conditions.iter().zip(names).enumerate();
    let conditions = Questions {
        environment: &program.environment,
        bindings: &of_conditions.bindings,
        document: objects.object,
        place: Path::root(),
        outside: None,
        conditions: conditions
            .map(|(at, (made, name))| Question::of_made(name, made, place("matchConditions", at)))
            .collect(),
        variables: Vec::new(),
        validations: Vec::new(),
    };
    let mut steps = W::steps_of_makings(&conditions, Vec::new());
    if matches!(patched, Patched::NotMatched | Patched::NoConditions(_)) {
        return steps;
    }
    let mut list = List::new(program, objects);
    if !has_variables {
        list.forget_variables();
    }
    let variables = program.variables.iter().enumerate().filter(|_| has_variables);
    let questions = Questions {
        bindings: &list.bindings,
        conditions: Vec::new(),
        variables: variables
            .map(|(at, (name, made))| Question::of_made(name, made, place("variables", at)))
            .collect(),
        ..conditions
    };
    // Behind one that fails nothing is evaluated, and so it met nothing.
    let makings = mutations.patches.iter().zip(met).enumerate().map(|(at, ((of, made), object))| {
        let field = match of {
            PatchType::JsonPatch => "jsonPatch",
            PatchType::ApplyConfiguration => "applyConfiguration",
        };
        let place = spec.join("mutations").join(at).join(field).join("expression");
        Making { asked: Question::of_made("", made, place), object: Some(object) }
    });
    steps.extend(W::steps_of_makings(&questions, makings.collect()));
    steps
}
