//! Cleanup policies as DeletingPolicies.
//!
//! In: a CleanupPolicy or ClusterCleanupPolicy. Out: a NamespacedDeletingPolicy or DeletingPolicy with its schedule, what it matches and its
//! conditions; or what has no faithful form. No request is made where a policy deletes: what is asked of one is asked of the object.
//! Sources: Kyverno's `pkg/controllers/cleanup` and `pkg/cel/policies/dpol`.

use crate::conditions::Conditions;
use crate::expressions::formula::{Formula, quoted};
use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts};
use crate::expressions::types::Types;
use crate::kinds::{Made, copied, map, metadata};
use crate::refusal::{Class, Converted, Refusal, refuse};
use crate::select::{Owner, Selection, selection};
use engine::value::Duration;
use engine::value::cron::Cron;
use engine_json::{Map, Path, Value};

/// Converts a policy.
pub(crate) fn convert(document: &Value, types: &Types<'_>) -> Made {
    let mut made = Made::default();
    match policy(document, types, &mut made.policies.notes) {
        Ok(policy) => made.policies.documents.push(policy),
        Err(refusal) => made.refusals(Some(refusal)),
    }
    made
}

fn policy(document: &Value, types: &Types<'_>, notes: &mut Vec<String>) -> Converted<Value> {
    let path = Path::from_keys(&["spec"]);
    let source = document.get("spec").cloned().unwrap_or_default();
    let is_namespaced = document.find_str(&["kind"]) == "CleanupPolicy";
    let schedule = source.find_str(&["schedule"]);
    if let Err(why) = Cron::parse(schedule) {
        return refuse(
            Class::Setting,
            &path.join("schedule"),
            format!("Kyverno refuses the schedule: {why}"),
        );
    }
    let owner = Owner { is_namespaced, ..Owner::default() };
    let selection = Selection { owner, ..selection(&source, &path, types)? };
    let mut scope = Scope::new(&selection, types);
    scope.is_for_pods = false;
    scope.context(source.get("context"), &path.join("context"));
    let mut conditions = Vec::new();
    for (name, formula) in &selection.conditions {
        let text = of_object(&formula.text(), &selection);
        if text.contains("request.") {
            let of = if name == "matched" { "match" } else { "exclude" };
            let text = "what asks for a request: none is made where a policy deletes";
            return refuse(Class::Match, &path.join(of), text);
        }
        conditions.push((name.clone(), text));
    }
    let written = source.get("conditions").filter(|written| !written.is_null());
    if let Some(written) = written {
        conditions.extend(of_block(written, &path.join("conditions"), &scope, &selection)?);
    }
    notes.extend(scope.notes());
    let entry = |(name, expression): &(String, String)| {
        map([("name", Value::from(name.as_str())), ("expression", Value::from(expression.as_str()))])
    };
    let mut spec = Map::new();
    spec.insert("schedule", Value::from(schedule));
    copied(&mut spec, &source, &["deletionPropagationPolicy"]);
    spec.insert("matchConstraints", selection.constraints(&["*"]));
    let variables = scope.variables(&conditions.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
    for (field, list) in [("variables", variables), ("conditions", conditions)] {
        if !list.is_empty() {
            spec.insert(field, Value::array(list.iter().map(entry).collect()));
        }
    }
    let kind = if is_namespaced { "NamespacedDeletingPolicy" } else { "DeletingPolicy" };
    Ok(map([
        ("apiVersion", Value::from("policies.kyverno.io/v1")),
        ("kind", Value::from(kind)),
        ("metadata", Value::object(metadata(document, document.find_str(&["metadata", "name"])))),
        ("spec", Value::object(spec)),
    ]))
}

/// What is asked of a request, asked of the object.
fn of_object(text: &str, selection: &Selection) -> String {
    let namespace = if selection.is_in_namespace() {
        "object.metadata.namespace"
    } else {
        "object.metadata.?namespace.orValue('')"
    };
    let text = text.replace("request.?namespace.orValue('')", "object.metadata.?namespace.orValue('')");
    text.replace("request.namespace", namespace).replace("request.kind.kind", "object.kind")
}

/// The conditions of a block, with names: each of `all` for itself.
fn of_block(
    written: &Value,
    path: &Path,
    scope: &Scope<'_>,
    selection: &Selection,
) -> Converted<Vec<(String, String)>> {
    let part = |field: &'static str| {
        let list = written.get(field).and_then(Value::as_array).unwrap_or_default();
        list.iter()
            .enumerate()
            .map(|(at, one)| one_of(one, &path.join(field).join(at), scope))
            .collect::<Converted<Vec<(&str, Formula)>>>()
    };
    let (any, all) = (part("any")?, part("all")?);
    let mut found: Vec<(&str, Formula)> = all;
    if !any.is_empty() {
        found.push(("any-of", Formula::or(any.into_iter().map(|(_, formula)| formula))));
    }
    let mut named: Vec<(String, String)> = Vec::new();
    for (name, formula) in found {
        if formula == Formula::True {
            continue;
        }
        let count = named.iter().filter(|(known, _)| known.starts_with(name)).count();
        let name = if count == 0 { name.to_owned() } else { format!("{name}-{}", count + 1) };
        let text = of_object(&formula.text(), selection);
        if text.contains("request.") {
            return refuse(
                Class::Condition,
                path,
                "what asks for a request: none is made where a policy deletes",
            );
        }
        named.push((name, text));
    }
    Ok(named)
}

/// A condition, with the beginning of its name.
fn one_of(written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<(&'static str, Formula)> {
    if let Some(formula) = age(written) {
        return Ok(("age", formula));
    }
    let text = engine_json::to_json(written);
    if text.contains("time_") {
        return refuse(Class::Condition, path, "times other than the age of the object");
    }
    let counted = emptiness(written).unwrap_or_else(|| written.clone());
    let moved = map([("all", Value::array(vec![as_request(&counted)]))]);
    let (needs, formula) = Conditions::new(scope).needing(&moved, path).map_err(|refusal| Refusal {
        path: path.clone(),
        text: refusal.text.replace("request.object", "target"),
        ..refusal
    })?;
    Ok(("condition", Formula::and([needs, formula])))
}

/// A condition that a list is empty, or is not, as one about how many elements it has.
fn emptiness(written: &Value) -> Option<Value> {
    let is_about_equality = matches!(written.find_str(&["operator"]), "Equals" | "NotEquals");
    let is_of_nothing = written.get("value").and_then(Value::as_array).is_some_and(<[Value]>::is_empty);
    let key = parts(written.find_str(&["key"]).trim());
    let [Part::Variable(inner)] = key.as_slice() else { return None };
    let of = inner.trim().strip_suffix("`[]`")?.trim_end().strip_suffix("||")?.trim_end();
    let of = of.strip_suffix("[]").unwrap_or(of);
    let is_path = of.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    (is_about_equality && is_of_nothing && is_path).then(|| {
        map([
            ("key", Value::from(format!("{{{{ length({of} || `[]`) }}}}"))),
            ("operator", Value::from(written.find_str(&["operator"]))),
            ("value", Value::from(0_i64)),
        ])
    })
}

/// The condition with `request.object` in place of `target`.
fn as_request(written: &Value) -> Value {
    match written {
        Value::String(text) => {
            let parts = parts(text);
            let moved = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Variable(inner) => format!("{{{{ {} }}}}", with_object(inner)),
            });
            Value::from(moved.collect::<String>())
        }
        Value::Array(list) => Value::array(list.iter().map(as_request).collect()),
        Value::Object(map) => {
            Value::object(map.iter().map(|(key, value)| (key.clone(), as_request(value))).collect())
        }
        other => other.clone(),
    }
}

/// An expression with `request.object` in place of the name `target`.
fn with_object(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"' | '`' | '-');
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("target") {
        out.push_str(before);
        let begins = !out.ends_with(is_part);
        let ends = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        out.push_str(if begins && ends { "request.object" } else { "target" });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A condition about how long ago the object was made.
fn age(written: &Value) -> Option<Formula> {
    let key = written.find_str(&["key"]);
    let key = parts(key.trim());
    let [Part::Variable(inner)] = key.as_slice() else { return None };
    let (function, arguments) = inner.trim().strip_suffix(')')?.split_once('(')?;
    let bare = |text: &str| {
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | '{' | '}')).to_owned()
    };
    let arguments: Vec<String> = arguments.split(',').map(bare).collect();
    let is_now = |text: &str| matches!(text, "time_now_utc()" | "time_now()");
    // `time_now_utc` knows whole seconds alone.
    let whole = "time.truncate(time.now(), duration('1s'))";
    let (of, now) = match (function.trim(), arguments.as_slice()) {
        ("time_since", [layout, of, until]) if layout.is_empty() && until.is_empty() => (of, "time.now()"),
        ("time_since", [layout, of, until]) if layout.is_empty() && is_now(until) => (of, whole),
        ("time_diff", [of, until]) if is_now(until) => (of, whole),
        _ => return None,
    };
    let limit = written.find_str(&["value"]);
    Duration::parse(limit).ok().filter(|_| of == "target.metadata.creationTimestamp")?;
    let sign = match written.find_str(&["operator"]).trim_start_matches("Duration") {
        "GreaterThan" => ">",
        "GreaterThanOrEquals" => ">=",
        "LessThan" => "<",
        "LessThanOrEquals" => "<=",
        _ => return None,
    };
    let made = "timestamp(object.metadata.creationTimestamp)";
    Some(Formula::test(format!("{now} - {made} {sign} duration({})", quoted(limit))))
}
