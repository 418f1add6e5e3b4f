//! Conditions that skip, made to skip less: only where nothing more is asked for, only in one list of containers, and by
//! the image instead of the name.
//!
//! A condition C that keeps a rule from some becomes `any: [C, G]`, where G holds for whoever should not be kept from it.

use super::Proposal;
use super::exception::{capabilities, condition};
use super::patterns::{Exactness, patterns_for};
use crate::sieve::edit::Edit;
use crate::sieve::families::{Attack, What};
use crate::sieve::find::{Exemption, Kind, On};
use crate::sieve::legit::Base;
use crate::sieve::risky_fields::FieldOwner;
use crate::sieve::runner::TrialRunner;
use engine_json::{Path, Segment, Value};

pub(super) fn propose(
    exemption: &Exemption,
    attack: &Attack,
    bases: &[Base],
    runner: &TrialRunner<'_>,
) -> Vec<Proposal> {
    let mut found = Vec::new();
    if exemption.holds(&On::Container) {
        found.extend(by_image(exemption, bases));
    }
    if exemption.kind == Kind::Precondition {
        found.extend(
            guards(exemption, attack, bases)
                .into_iter()
                .filter_map(|(text, guard)| Some(Proposal::new(text, either(exemption, guard, runner)?))),
        );
    }
    found
}

/// The image in the place of the container's name, which anybody can give.
fn by_image(exemption: &Exemption, bases: &[Base]) -> Option<Proposal> {
    let images = bases.iter().flat_map(|base| &base.exempt).map(|container| container.image.as_str());
    let patterns = patterns_for(images, Exactness::AnyTag);
    let first = patterns.first()?;
    let text = format!("look at the image instead of the name: `{}`", patterns.join("`, `"));
    if exemption.kind == Kind::Anchor {
        let (last, way) = exemption.path.split_last()?;
        let Segment::Key(key) = last else { return None };
        let key = key.replace("name", "image");
        let value = Value::from(format!("!{}", patterns.join(" & !")));
        let edits =
            vec![Edit::Set(Path::from(way).join(key.as_str()), value), Edit::Remove(exemption.path.clone())];
        return Some(Proposal::new(text, edits));
    }
    let value = if patterns.len() == 1 {
        Value::from(first.as_str())
    } else {
        Value::array(patterns.iter().map(|pattern| Value::from(pattern.as_str())).collect())
    };
    let edits = vec![
        Edit::Set(exemption.path.join("key"), Value::from("{{ element.image }}")),
        Edit::Set(exemption.path.join("operator"), Value::from("AnyNotIn")),
        Edit::Set(exemption.path.join("value"), value),
    ];
    exemption.foreach.as_ref()?;
    Some(Proposal::new(text, edits))
}

/// Conditions that hold for whoever should not be let off.
fn guards(exemption: &Exemption, attack: &Attack, bases: &[Base]) -> Vec<(String, Value)> {
    let is_loop = exemption.foreach.is_some();
    let text = |what: String| format!("skip only {what}");
    match &attack.what {
        What::Position if is_loop => {
            let mut lists: Vec<&str> =
                bases.iter().flat_map(|base| &base.exempt).map(|container| container.list).collect();
            lists.sort_unstable();
            lists.dedup();
            let names: Vec<String> =
                lists.iter().map(|list| format!("request.object.spec.{list}[].name")).collect();
            let value = format!("{{{{ [{}][] || `[]` }}}}", names.join(", "));
            let guard = condition("{{ element.name }}", "AnyNotIn", Value::from(value));
            vec![(text(format!("in {}[]", lists.join("[] and "))), guard)]
        }
        What::Ask(risky) if risky.is_capability() && is_loop => {
            let names = capabilities(bases);
            let said = text(format!("where no capabilities are added but `{}`", names.join("`, `")));
            let value = Value::array(names.into_iter().map(Value::from).collect());
            let key = "{{ element.securityContext.capabilities.add[] || `[]` }}";
            vec![(said, condition(key, "AnyNotIn", value))]
        }
        What::Ask(risky) if risky.place == FieldOwner::Container && is_loop => {
            let key = format!("{{{{ length([element] | [?{}]) }}}}", risky.finds);
            let said = text(format!("where {} is not requested", risky.text));
            vec![(said, condition(&key, "GreaterThan", Value::from(0_i64)))]
        }
        What::Ask(risky) if !is_loop => {
            let all = "request.object.spec.[initContainers, containers, ephemeralContainers][]";
            let key = match risky.place {
                FieldOwner::Container => format!("{{{{ length({all} | [?{}]) }}}}", risky.finds),
                FieldOwner::Pod => format!("{{{{ length([request.object.spec] | [?{}]) }}}}", risky.finds),
            };
            let said = text(format!("where {} is not requested", risky.text));
            vec![(said, condition(&key, "GreaterThan", Value::from(0_i64)))]
        }
        What::Bystander | What::Image(_) | What::Label if !is_loop => {
            let every: Vec<String> = bases
                .iter()
                .flat_map(|base| crate::sieve::pod::containers(&base.case.object))
                .map(|container| container.image)
                .collect();
            let images = patterns_for(every.iter().map(String::as_str), Exactness::AnyTag);
            let said = text(format!("where all images are among `{}`", images.join("`, `")));
            let value = Value::array(images.into_iter().map(Value::from).collect());
            let key = "{{ request.object.spec.[initContainers, containers, ephemeralContainers][].image }}";
            vec![(said, condition(key, "AnyNotIn", value))]
        }
        What::Position
        | What::Ask(_)
        | What::Bystander
        | What::Image(_)
        | What::Label
        | What::Name
        | What::Namespace
        | What::User => Vec::new(),
    }
}

/// The edits that make of the condition one of two, where its block allows it.
fn either(exemption: &Exemption, guard: Value, runner: &TrialRunner<'_>) -> Option<Vec<Edit>> {
    let document = runner.document(exemption.document)?;
    let own = document.at_path(exemption.path.iter())?.clone();
    let (_, list) = exemption.path.split_last()?;
    let (last, block) = list.split_last()?;
    let list = Path::from(list);
    if *last == Segment::from("any") {
        return Some(vec![Edit::Push(list, guard)]);
    }
    if *last != Segment::from("all") {
        // The old form, a list of which all must hold.
        let items = document.at_path(list.iter())?.as_array()?.to_vec();
        let others: Vec<Value> = items.into_iter().filter(|item| *item != own).collect();
        let mut new = crate::sieve::pod::map([("any", Value::array(vec![own, guard]))]);
        if !others.is_empty() {
            new.make_object().insert("all", Value::array(others));
        }
        return Some(vec![Edit::Set(list, new)]);
    }
    let any = Path::from(block).join("any");
    if document.at_path(any.iter()).is_some() {
        return None;
    }
    Some(vec![Edit::Set(any, Value::array(vec![own, guard])), Edit::Remove(exemption.path.clone())])
}
