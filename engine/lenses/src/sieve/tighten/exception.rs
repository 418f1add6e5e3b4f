//! Conditions for a PolicyException: the images that it is meant for, and nothing more asked for than they need.

use super::Proposal;
use super::patterns::{Exactness, patterns_for};
use crate::sieve::edit::Edit;
use crate::sieve::families::{Attack, What};
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{LISTS, containers, map, spec_of};
use crate::sieve::risky_fields::{FieldOwner, RiskyField};
use crate::sieve::runner::TrialRunner;
use engine_json::{Path, Value};

pub(super) fn propose(
    exemption: &Exemption,
    attack: &Attack,
    base: &Base,
    bases: &[Base],
    runner: &TrialRunner<'_>,
) -> Vec<Proposal> {
    let Some(document) = runner.document(exemption.document) else { return Vec::new() };
    let Some(spec) = spec_of(&base.case.object) else { return Vec::new() };
    let all = format!("request.object.{spec}.[initContainers, containers, ephemeralContainers][]");
    let mut conditions = Vec::new();
    if matches!(attack.what, What::Position) {
        conditions.extend(elsewhere(bases, &spec));
    }
    match &attack.what {
        What::Image(_) | What::Label | What::Bystander | What::Position => {
            for exactness in [Exactness::AnyTag, Exactness::Exact] {
                let every: Vec<String> = bases
                    .iter()
                    .flat_map(|base| containers(&base.case.object))
                    .map(|container| container.image)
                    .collect();
                let images = patterns_for(every.iter().map(String::as_str), exactness);
                let text = format!("add a condition: all images are among `{}`", images.join("`, `"));
                let value = Value::array(images.into_iter().map(Value::from).collect());
                conditions.push((text, condition(&format!("{{{{ {all}.image }}}}"), "AllIn", value)));
            }
        }
        What::Ask(risky) if risky.is_capability() => {
            let names = capabilities(bases);
            let text = format!("add a condition: no capabilities are added but `{}`", names.join("`, `"));
            let value = Value::array(names.into_iter().map(Value::from).collect());
            let key = format!("{{{{ {all}.securityContext.capabilities.add[] || `[]` }}}}");
            conditions.push((text, condition(&key, "AllIn", value)));
        }
        What::Ask(risky) => conditions.push(absent(risky, &all, &spec)),
        What::Name | What::Namespace | What::User => {}
    }
    let path = Path::from_keys(&["spec", "conditions", "all"]);
    let is_there = document.at_path(path.iter()).is_some();
    let edits = |condition: Value| {
        if is_there {
            vec![Edit::Push(path.clone(), condition)]
        } else {
            vec![Edit::Set(path.clone(), Value::array(vec![condition]))]
        }
    };
    conditions.into_iter().map(|(text, condition)| Proposal::new(text, edits(condition))).collect()
}

/// The condition that the exempt images stand in no other list.
fn elsewhere(bases: &[Base], spec: &Path) -> Option<(String, Value)> {
    let exempt: Vec<_> = bases.iter().flat_map(|base| &base.exempt).collect();
    let others: Vec<&str> =
        LISTS.into_iter().filter(|list| exempt.iter().all(|container| container.list != *list)).collect();
    let images = patterns_for(exempt.iter().map(|container| container.image.as_str()), Exactness::AnyTag);
    if others.is_empty() || images.is_empty() {
        return None;
    }
    let text = format!("add a condition: none of `{}` in {}[]", images.join("`, `"), others.join("[], "));
    let key = format!("{{{{ request.object.{spec}.[{}][].image || `[]` }}}}", others.join(", "));
    let value = Value::array(images.into_iter().map(Value::from).collect());
    Some((text, condition(&key, "AllNotIn", value)))
}

/// The condition that it is not requested.
fn absent(risky: &RiskyField, all: &str, spec: &Path) -> (String, Value) {
    let key = match risky.place {
        FieldOwner::Container => format!("{{{{ length({all} | [?{}]) }}}}", risky.finds),
        FieldOwner::Pod => format!("{{{{ length([request.object.{spec}] | [?{}]) }}}}", risky.finds),
    };
    (
        format!("add a condition: {} is not requested", risky.text),
        condition(&key, "Equals", Value::from(0_i64)),
    )
}

/// A condition.
pub(in crate::sieve) fn condition(key: &str, operator: &str, value: Value) -> Value {
    map([("key", key.into()), ("operator", operator.into()), ("value", value)])
}

/// The capabilities that the legitimate Pods add.
pub(super) fn capabilities(bases: &[Base]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for base in bases {
        for container in containers(&base.case.object) {
            let path = container.path.join("securityContext").join("capabilities").join("add");
            let added = base.case.object.at_path(path.iter()).and_then(Value::as_array).unwrap_or_default();
            found.extend(added.iter().filter_map(|name| name.as_str().map(str::to_owned)));
        }
    }
    found.sort();
    found.dedup();
    found
}
