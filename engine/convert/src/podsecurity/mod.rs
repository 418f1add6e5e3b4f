//! Pod security as policies in CEL: a level, or a `podSecurity` rule, with its exclusions.
//!
//! In: level, version, and what is excluded. Out: for each check that runs a [`Unit`]: variables, an expression that must be true and the
//! words that Kubernetes says. [`compile`](output::compile) makes ValidatingPolicies, a ValidatingAdmissionPolicy with its binding, or a
//! classic rule of them.
//!
//! What is excluded stays narrow: a container whose image fits, in that list, for that field and those values. Nothing else is let in, and
//! so less than Kyverno lets in in the places that `notes` names.
//!
//! Reading order: `source`, `rules`, `words`, `exempt`, `unit`, `containers`, `settings`, `parts`, `silent`, `units`, `classic`, `output`.

mod classic;
mod containers;
mod exempt;
mod output;
mod parts;
mod rules;
mod settings;
mod silent;
mod source;
mod unit;
mod units;
mod words;

pub use output::{Compiled, Target, compile};
pub(crate) use units::OF_JOBS;

pub use rules::read_rules;
pub use source::{Fault, OfPolicy, Source, Standard, read_level};

use crate::refusal::{Class, Converted, refuse};
use crate::rules::validate::{Parts, Validation};
use engine_json::{Path, Value};
use unit::Place;

/// A `podSecurity` rule as one of the rules of a policy: a validation for each check.
pub(crate) fn rule(body: &Value, place: &Path, mut parts: Parts) -> Converted<Parts> {
    if !parts.selection.is_for_pods() {
        return refuse(Class::Match, place, "`podSecurity` for other kinds than Pods");
    }
    let mut wrong = Vec::new();
    let source = source::of_rule(body, place, &mut wrong);
    if let Some((path, text)) = wrong.into_iter().next() {
        return refuse(Class::Setting, &path, text);
    }
    let Some(source) = source else { return refuse(Class::Setting, place, "a level that is not known") };
    parts.notes.extend(units::notes(&source));
    for unit in units::units(&source, Place::Object) {
        let message = output::message(&source, &unit);
        for variable in unit.variables {
            if !parts.variables.contains(&variable) {
                parts.variables.push(variable);
            }
        }
        parts.validations.push(Validation {
            expression: unit.expression,
            message: None,
            message_expression: Some(message),
        });
    }
    Ok(parts)
}
