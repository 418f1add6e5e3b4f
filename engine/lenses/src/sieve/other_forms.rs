//! Exceptions and edits for policies in CEL: for the funnel and for `narrow`.
//!
//! In: a refused workload. Out: a PolicyException of the policy's group, or the policy with a match condition more.

use super::cel;
use super::edit::{Edit, edited};
use super::find::{On, TTL};
use super::found::Guard;
use super::funnel::{Form, Refused, cannot};
use super::narrow::{Exactness, Narrowed, tightened};
use super::pod::{containers, map, spec_of};
use super::tighten::patterns_for;
use engine::load::Role;
use engine::resource::DocumentId;
use engine::value::wildcard;
use engine_json::{Path, Value};
use engine_yaml::emit::to_yaml_ordered;

/// The name of the condition that is put into a policy.
const CONDITION: &str = "exempt";

/// The namespace of the workload; one that names none lies in `default` for the terminal, and in none for the Playground.
fn namespace(refused: &Refused<'_, '_>) -> Guard {
    let names = match refused.resource.namespace() {
        "" => vec!["default".to_owned(), String::new()],
        namespace => vec![namespace.to_owned()],
    };
    Guard::Is(On::Namespace, names)
}

/// The names of the workload and of its Pods.
fn names(refused: &Refused<'_, '_>) -> Guard {
    let own = refused.resource.name_or_generate_name();
    let pods = refused.names.as_deref().unwrap_or(own);
    let mut names = vec![pods.to_owned()];
    if refused.resource.kind() != "Pod" && !wildcard::matches(pods, own) {
        names.insert(0, own.to_owned());
    }
    Guard::Is(On::Name, names)
}

/// All images of the workload, any tag of each.
fn images(refused: &Refused<'_, '_>) -> Guard {
    let all: Vec<String> =
        containers(&refused.base.case.object).into_iter().map(|container| container.image).collect();
    Guard::Images(patterns_for(all.iter().map(String::as_str), Exactness::AnyTag))
}

/// A PolicyException with these conditions.
fn exception(refused: &Refused<'_, '_>, guards: &[Guard], expires: Option<&str>) -> Option<Value> {
    let policy = refused.runner.document(refused.policy.document)?;
    let name = format!("{}-{}", refused.policy.name, refused.resource.name_or_generate_name());
    let spec = spec_of(&refused.base.case.object)?;
    let object = cel::exception(policy, name.trim_end_matches('-'), guards, &spec)?;
    let Some(ends) = expires else { return Some(object) };
    let label = Path::from_keys(&["metadata", "labels"]).join(TTL);
    edited(&object, &[Edit::Set(label, Value::from(ends))])
}

/// One match condition more, which leaves out where all of these hold; and where its expression stands.
fn condition(refused: &Refused<'_, '_>, guards: &[Guard]) -> Option<(Edit, Path, Value)> {
    let document = refused.runner.document(refused.policy.document)?;
    // A policy for Pods is rewritten for what makes them.
    let spec = Path::from_keys(&["spec"]);
    let spec = if refused.resource.kind() == "Pod" || is_for_pods(document) {
        spec
    } else {
        spec_of(&refused.base.case.object)?
    };
    let says: Option<Vec<String>> = guards.iter().map(|guard| cel::guard(guard, &spec, None)).collect();
    let text = format!("!({})", says?.join(" && "));
    let list = Path::from_keys(&["spec", "matchConditions"]);
    let known = document.at_path(list.iter()).and_then(Value::as_array).unwrap_or_default();
    let is_free = |name: &String| known.iter().all(|one| one.find_str(&["name"]) != name);
    let numbered = (2..=known.len() + 2).map(|at| format!("{CONDITION}-{at}"));
    let name = std::iter::once(CONDITION.to_owned()).chain(numbered).find(is_free)?;
    let value = map([("name", name.into()), ("expression", text.into())]);
    let path = list.join(known.len()).join("expression");
    Some((Edit::Push(list, value.clone()), path, value))
}

fn is_for_pods(policy: &Value) -> bool {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]).and_then(Value::as_array);
    let names = |rule: &Value| {
        let resources = rule.get("resources").and_then(Value::as_array).unwrap_or_default();
        resources.iter().any(|name| name.as_str() == Some("pods"))
    };
    rules.unwrap_or_default().iter().any(names)
}

/// The narrowest exception.
pub(super) fn of_exception<'w>(
    refused: &Refused<'_, 'w>,
    expires: Option<&str>,
    exactness: Exactness,
) -> Option<Narrowed<'w>> {
    let object = exception(refused, &[namespace(refused), names(refused)], expires)?;
    let (runner, id) = refused.runner.with_new(Role::Exceptions, &object)?;
    let runner = tightened(refused, runner, id, &Path::root(), exactness)?;
    let object = runner.document(id)?.clone();
    Some(Narrowed { change: object.clone(), object, runner })
}

/// The narrowest match condition.
pub(super) fn of_policy<'w>(refused: &Refused<'_, 'w>, exactness: Exactness) -> Option<Narrowed<'w>> {
    let document = refused.policy.document;
    let (edit, path, _) = condition(refused, &[namespace(refused), names(refused)])?;
    let runner = refused.runner.with_edits(document, &[edit])?;
    let runner = tightened(refused, runner, document, &path, exactness)?;
    let object = runner.document(document)?.clone();
    let change = object.at_path(path.parent().iter())?.clone();
    Some(Narrowed { change: map([("matchConditions", Value::array(vec![change]))]), object, runner })
}

/// What an exception says for a width.
pub(super) fn exception_form<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "exception";
    let guards = match width {
        "cluster" => vec![],
        "namespace" => vec![namespace(refused)],
        "control" => vec![namespace(refused), names(refused)],
        "profile" => return cannot(SYSTEM, "an exception lifts a policy, not a level"),
        "image" => {
            return cannot(SYSTEM, "an exception lifts the policy for the whole Pod, not for one image");
        }
        _ => {
            let Some(narrowed) = of_exception(refused, None, Exactness::AnyTag) else {
                return cannot(SYSTEM, "no exception lets it in");
            };
            let note = "match conditions stand in for image and place".to_owned();
            let text = to_yaml_ordered(&narrowed.object);
            return Form { system: SYSTEM, note, text, runner: Some(narrowed.runner) };
        }
    };
    let Some(object) = exception(refused, &guards, None) else {
        return cannot(SYSTEM, "policies of this kind take no exceptions");
    };
    let runner = refused.runner.with_new(Role::Exceptions, &object).map(|(runner, _)| runner);
    Form { system: SYSTEM, note: String::new(), text: to_yaml_ordered(&object), runner }
}

/// What an edit of the policy says for a width.
pub(super) fn policy_form<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "rule";
    let document: DocumentId = refused.policy.document;
    let guards = match width {
        "cluster" => {
            let text = format!("# without the policy `{}`\n", refused.policy.name);
            let runner = refused.runner.with_document(document, None);
            return Form { system: SYSTEM, note: String::new(), text, runner };
        }
        "namespace" => vec![namespace(refused)],
        "control" => vec![namespace(refused), names(refused)],
        "image" => vec![images(refused)],
        "profile" => return cannot(SYSTEM, "the policy is not a profile"),
        _ => {
            let Some(narrowed) = of_policy(refused, Exactness::AnyTag) else {
                return cannot(SYSTEM, "no match condition lets it in");
            };
            let text = to_yaml_ordered(&narrowed.change);
            return Form { system: SYSTEM, note: String::new(), text, runner: Some(narrowed.runner) };
        }
    };
    let Some((edit, _, value)) = condition(refused, &guards) else {
        return cannot(SYSTEM, "the policy has no room for a match condition");
    };
    let text = to_yaml_ordered(&map([("matchConditions", Value::array(vec![value]))]));
    Form { system: SYSTEM, note: String::new(), text, runner: refused.runner.with_edits(document, &[edit]) }
}
