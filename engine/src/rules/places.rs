//! Where in policy and resource a verdict was decided.
//!
//! In: conditions or an element of a loop. Out: paths on the result. Values share their nodes with the resource they
//! were taken from, so an element's place is found by looking for the very node, and never guessed from its content.

use super::{Locations, RuleResult, Subject};
use crate::context::JsonContext;
use crate::policy::{Condition, Conditions};
use crate::resource::place_of as find;
use crate::template;
use engine_jmespath::Node;
use engine_json::{Path, Segment, Value};

/// Points at the conditions, and at the fields of the resource that they read.
pub(super) fn of_conditions(
    result: &mut RuleResult,
    conditions: Option<&Conditions>,
    context: &JsonContext<'_>,
    subject: &Subject<'_>,
) {
    let Some(conditions) = conditions.filter(|_| subject.places == Locations::Include) else { return };
    let all: Vec<&Condition> = match conditions {
        Conditions::List(list) => list.iter().collect(),
        Conditions::AnyAll { any, all } => any.iter().flatten().chain(all).collect(),
    };
    if all.is_empty() {
        return;
    }
    result.policy_paths = all.iter().map(|condition| condition.path.clone()).collect();
    for condition in all {
        for side in [&condition.key, &condition.value] {
            read_fields(result, side, context, subject);
        }
    }
}

fn read_fields(result: &mut RuleResult, side: &Value, context: &JsonContext<'_>, subject: &Subject<'_>) {
    match side {
        Value::String(text) => {
            for found in template::variables(text) {
                let inner = found.text().replace("{{", "").replace("}}", "");
                let compiled = context.evaluator.compile(inner.trim());
                let Ok(expression) = compiled.as_ref() else { continue };
                for chain in chains(expression.ast()) {
                    if let Some(path) = resource_path(&chain, context, subject)
                        && !result.resource_paths.contains(&path)
                    {
                        result.resource_paths.push(path);
                    }
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|item| read_fields(result, item, context, subject)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}

/// The plain ways from the document's root that an expression starts with: `a.b[0]` of `a.b[0][*].c || d`.
fn chains(node: &Node) -> Vec<Vec<Segment>> {
    let mut found = Vec::new();
    let whole = collect(node, &mut found);
    found.extend(whole);
    found
}

/// Adds the chains of a node; returns its own chain where the node is nothing but one.
fn collect(node: &Node, found: &mut Vec<Vec<Segment>>) -> Option<Vec<Segment>> {
    match node {
        Node::Field(name) => Some(vec![Segment::Key(name.clone())]),
        Node::Subexpression(left, right) | Node::IndexExpression(left, right) => {
            let mut chain = collect(left, found)?;
            match &**right {
                Node::Field(name) => chain.push(Segment::Key(name.clone())),
                Node::Index(at) if *at >= 0 => {
                    chain.push(Segment::from(usize::try_from(*at).unwrap_or_default()));
                }
                _ => {
                    found.push(chain);
                    return None;
                }
            }
            Some(chain)
        }
        other => {
            for child in other.children() {
                let chain = collect(child, found);
                found.extend(chain);
            }
            None
        }
    }
}

/// The place in the resource that a chain reads, as far as it is there.
fn resource_path(chain: &[Segment], context: &JsonContext<'_>, subject: &Subject<'_>) -> Option<Path> {
    let key = |at: usize| match chain.get(at) {
        Some(Segment::Key(key)) => key.as_str(),
        Some(Segment::Index(_)) | None => "",
    };
    let (base, rest) = match (key(0), key(1)) {
        ("request", "object" | "oldObject") => (Path::root(), chain.get(2..)?),
        (name, _) if name.starts_with("element") && !name.starts_with("elementIndex") => {
            let element = context.value(name)?;
            (find(&subject.resource.value, element)?, chain.get(1..)?)
        }
        _ => return None,
    };
    let mut path = base;
    for segment in rest {
        let longer = path.join(segment.clone());
        if subject.resource.value.at_path(longer.iter()).is_none() {
            break;
        }
        path = longer;
    }
    (!path.is_empty()).then_some(path)
}

/// Puts the place of the element before the paths that are relative to it.
pub(super) fn within_element(result: &mut RuleResult, element: &Value, subject: &Subject<'_>) {
    if subject.places != Locations::Include || result.resource_paths.is_empty() {
        return;
    }
    match find(&subject.resource.value, element) {
        Some(base) => {
            for path in &mut result.resource_paths {
                *path = base.concat(path);
            }
        }
        None => result.resource_paths.clear(),
    }
}

/// Points at the element where nothing narrower is known.
pub(super) fn of_element(result: &mut RuleResult, element: &Value, subject: &Subject<'_>) {
    if subject.places == Locations::Include && result.resource_paths.is_empty() {
        result.resource_paths.extend(find(&subject.resource.value, element));
    }
}

/// The place of a value that the resource holds.
pub(super) fn of(value: &Value, subject: &Subject<'_>) -> Option<Path> {
    find(&subject.resource.value, value).or_else(|| find(&subject.resource.typed, value))
}
