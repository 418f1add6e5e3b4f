//! What a MutatingAdmissionPolicy makes of an object.
//!
//! In: the compiled expressions, the objects of the request, parameters. Out: the object patched, or why there is none.
//! Mirrors: `mutateResource` in `pkg/admissionpolicy/mutate.go` of Kyverno 1.19,
//! `apiserver/pkg/admission/plugin/policy/mutating/patch` of Kubernetes 0.36.

use super::admission::{BUDGET, List, Objects, conditions};
use crate::patch::{By, apply_configuration, apply_json, operations};
use crate::policy::{Admission, Mutations, PatchType};
use engine_json::Value;

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
}

/// How changes are made.
#[derive(Clone, Copy, Debug)]
pub struct Patching<'a> {
    /// What configurations are merged by.
    pub by: By<'a>,
    /// Whether changes see the variables of the policy.
    // Kyverno: mutate.go evaluates them in a context without: `variables` is not there, and whatever reads it fails.
    pub has_variables: bool,
}

/// Applies the changes of a policy, each to what those before it have left.
// Kubernetes: variables are evaluated anew for each change, and match conditions know no namespace and no parameters.
pub fn patch(
    written: &Admission,
    mutations: &Mutations,
    objects: &Objects<'_>,
    how: Patching<'_>,
) -> Patched {
    let bare = Objects { namespace: &Value::Null, params: &Value::Null, ..*objects };
    match conditions(written, &mutations.program, &bare) {
        Ok(true) => {}
        Ok(false) => return Patched::NotMatched,
        Err(error) => return Patched::NoConditions(error),
    }
    let mut current = objects.object.clone();
    for (at, (of, made)) in mutations.patches.iter().enumerate() {
        let objects = Objects { object: &current, ..*objects };
        let mut list = List::new(&mutations.program, &objects);
        if !how.has_variables {
            list.forget_variables();
        }
        let patched = match list.evaluate(made, &mut BUDGET.clone()) {
            Err(over) => Err(over.to_string()),
            Ok(Err(error)) => Err(error),
            Ok(Ok(value)) => match of {
                PatchType::JsonPatch => operations(&value).and_then(|steps| apply_json(&current, &steps)),
                PatchType::ApplyConfiguration => apply_configuration(&current, &value, how.by),
            },
        };
        match patched {
            Ok(patched) => current = patched,
            Err(error) => return Patched::Failed(at, error),
        }
    }
    Patched::Object(current)
}
