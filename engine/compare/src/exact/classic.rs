//! What a classic policy asks, if it is inside the fragment.
//!
//! In: a policy as it was loaded, with the rules that autogen makes, and a kind. Out: the tests on each place of objects of that kind; or what
//! of the policy is outside. Only what is named here is inside: a construct that is not is outside, however harmless.

use crate::exact::asked::{Asked, MAX_STEPS, Outside, Test};
use crate::exact::cel;
use crate::exact::conditions::{self, has_variable, has_variables};
use crate::exact::language::TextTest;
use crate::reads::field_path::{FieldPath, Step, field_path};
use engine::pattern::anchor::{Anchor, parse};
use engine::policy::{
    ActionOverride, Body, Check, Filter, LabelSelector, Match, PatternSource, Policy, PolicyKind, Rule,
    Validate,
};
use engine::value::wildcard::{Wildcard, contains_wildcard};
use engine_json::{Map, Str, Value};

/// Notes what a policy asks of objects of a kind.
pub(crate) fn read(policy: &Policy, kind: &str, asked: &mut Asked) -> Result<(), Outside> {
    match policy.kind {
        PolicyKind::ClusterPolicy => {}
        PolicyKind::Policy => {
            asked.test(&namespace(), Test::Text(TextTest::is(policy.scope_namespace())));
        }
        PolicyKind::ClusterCleanupPolicy | PolicyKind::CleanupPolicy | PolicyKind::Extension(_) => {
            return Err("a kind that is not ClusterPolicy or Policy");
        }
    }
    let of_webhook = [&["webhookConfiguration", "matchConditions"][..], &["webhookMatchConditions"]];
    let is_given =
        |keys: &&[&str]| policy.raw.find(&[&["spec"], *keys].concat()).is_some_and(|value| !value.is_null());
    if of_webhook.iter().any(is_given) {
        return Err("conditions of the webhook");
    }
    overrides(&policy.failure_action_overrides, asked)?;
    policy.rules_for_kind(kind).try_for_each(|rule| read_rule(rule, kind, asked))
}

fn namespace() -> FieldPath {
    field_path(&["metadata", "namespace"])
}

fn overrides(all: &[ActionOverride], asked: &mut Asked) -> Result<(), Outside> {
    for one in all {
        if one.namespace_selector.is_some() {
            return Err("labels of the Namespace");
        }
        globs(one.namespaces.as_deref().unwrap_or_default(), &namespace(), asked);
    }
    Ok(())
}

fn globs(all: &[Wildcard], path: &[Step], asked: &mut Asked) {
    for wildcard in all {
        asked.test(path, Test::Text(TextTest::glob(wildcard.pattern())));
    }
}

fn read_rule(rule: &Rule, kind: &str, asked: &mut Asked) -> Result<(), Outside> {
    // Every field of a rule is looked at, or does not decide.
    let Rule {
        name: _,
        written_name: _,
        path: _,
        raw,
        origin: _,
        controllers: _,
        matches,
        exclude,
        context,
        preconditions,
        report_properties,
        body,
        taken_up: _,
    } = rule;
    if !context.is_empty() {
        return Err("context");
    }
    if !report_properties.is_null() {
        return Err("report properties");
    }
    for field in ["celPreconditions", "verifyImages", "mutate", "generate"] {
        if raw.get(field).is_some_and(|value| !value.is_null()) {
            return Err("a rule that does something else than validate");
        }
    }
    for block in [Some(matches), exclude.as_ref()].into_iter().flatten() {
        read_match(block, kind, asked)?;
    }
    if let Some(conditions) = preconditions {
        conditions::read(conditions, asked)?;
    }
    let Body::Validate(body) = body else { return Err("a rule that does something else than validate") };
    read_validate(body, raw, asked)
}

fn read_match(block: &Match, kind: &str, asked: &mut Asked) -> Result<(), Outside> {
    block.filters().try_for_each(|filter| read_filter(filter, kind, asked))
}

fn read_filter(filter: &Filter, kind: &str, asked: &mut Asked) -> Result<(), Outside> {
    let Filter {
        path: _,
        has_resources: _,
        kinds,
        name,
        names,
        namespaces,
        annotations,
        has_annotations: _,
        selector,
        namespace_selector,
        operations: _,
        subjects: _,
        roles: _,
        cluster_roles: _,
        fits: _,
    } = filter;
    if filter.has_user_info() {
        return Err("users");
    }
    if namespace_selector.is_some() {
        return Err("labels of the Namespace");
    }
    let is_plain = |one: &Wildcard| one.is_literal();
    if !kinds.iter().all(|one| is_plain(&one.kind) && one.subresource.pattern().is_empty()) {
        return Err("kinds with wildcards, or subresources");
    }
    let name_path = field_path(&["metadata", "name"]);
    globs(names, &name_path, asked);
    globs(name.as_slice(), &name_path, asked);
    let namespace = namespace();
    globs(namespaces, if kind == "Namespace" { &name_path } else { &namespace }, asked);
    for (key, value) in annotations {
        if !is_plain(key) {
            return Err("annotations by wildcard");
        }
        let path = field_path(&["metadata", "annotations", key.pattern()]);
        globs(std::slice::from_ref(value), &path, asked);
    }
    selector.iter().try_for_each(|selector| read_selector(selector, asked))
}

fn read_selector(selector: &LabelSelector, asked: &mut Asked) -> Result<(), Outside> {
    for (key, value) in &selector.match_labels {
        if contains_wildcard(key) || contains_wildcard(value) {
            return Err("labels by wildcard");
        }
        asked.test(&field_path(&["metadata", "labels", key]), Test::Text(TextTest::is(value)));
    }
    for requirement in &selector.match_expressions {
        let path = field_path(&["metadata", "labels", &requirement.key]);
        asked.at(&path);
        for value in &requirement.values {
            asked.test(&path, Test::Text(TextTest::is(value)));
        }
    }
    Ok(())
}

fn read_validate(body: &Validate, raw: &Value, asked: &mut Asked) -> Result<(), Outside> {
    let Validate {
        message,
        failure_action: _,
        failure_action_overrides,
        allow_existing_violations: _,
        check,
    } = body;
    // What cannot be said of a pattern is an error; of conditions it decides nothing.
    if has_variable(message) && !matches!(check, Check::Deny(_)) {
        return Err("a message with variables");
    }
    overrides(failure_action_overrides, asked)?;
    match check {
        Check::Pattern(source) => read_source(source, std::slice::from_ref(&source.value), asked),
        Check::AnyPattern(source) => read_source(source, source.value.as_array().unwrap_or_default(), asked),
        Check::Cel(Some(_)) => cel::read_rule(raw.find(&["validate", "cel"]).unwrap_or(&Value::Null), asked),
        Check::Deny(conditions) => conditions.as_ref().map_or(Ok(()), |all| conditions::read(all, asked)),
        Check::Cel(None) | Check::Empty => Err("a rule that is not evaluated"),
        Check::Foreach(_) => Err("foreach"),
        Check::PodSecurity(_) => Err("podSecurity"),
        Check::Manifests(_) => Err("signatures of manifests"),
    }
}

fn read_source(source: &PatternSource, patterns: &[Value], asked: &mut Asked) -> Result<(), Outside> {
    if source.compiled.len() != patterns.len() || has_variables(&source.value) {
        return Err("a pattern with variables");
    }
    patterns.iter().try_for_each(|pattern| read_pattern(pattern, &mut Vec::new(), Within::Maps, asked))
}

/// Where a part of a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// In no list.
    Maps,
    /// In an element of a list.
    Element,
}

fn read_pattern(
    pattern: &Value,
    path: &mut FieldPath,
    within: Within,
    asked: &mut Asked,
) -> Result<(), Outside> {
    if path.len() >= MAX_STEPS {
        return Err("a deep pattern");
    }
    match pattern {
        Value::Object(map) => {
            asked.at(path);
            map.iter().try_for_each(|(key, below)| read_field(key, below, path, within, asked))
        }
        Value::Array(items) => match items.as_slice() {
            // Kyverno: only the first item of a pattern's list counts, but for lists of lists.
            [] => {
                asked.at(path);
                Ok(())
            }
            [Value::Array(_), ..] => Err("lists of lists"),
            [first, ..] => {
                path.push(Step::Each);
                asked.quantify(path, &engine_json::to_json(first));
                let read = read_pattern(first, path, Within::Element, asked);
                path.pop();
                read
            }
        },
        // A scalar is held against each element of a list.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            asked.test(path, Test::Pattern(pattern.clone()));
            Ok(())
        }
    }
}

fn read_field(
    written: &Str,
    below: &Value,
    path: &mut FieldPath,
    within: Within,
    asked: &mut Asked,
) -> Result<(), Outside> {
    let parsed = parse(written);
    let key = match parsed {
        // Which keys the walk has met when it fails depends on the order of the elements.
        Some((Anchor::Condition | Anchor::Existence, _)) if within == Within::Element => {
            return Err("a conditional anchor in elements of a list");
        }
        Some((Anchor::AddIfNotPresent, _)) => return Err("an anchor that only mutation knows"),
        Some((
            Anchor::Condition | Anchor::Existence | Anchor::Global | Anchor::Equality | Anchor::Negation,
            key,
        )) => key,
        None => written.as_str(),
    };
    if contains_wildcard(key) {
        return Err("keys with wildcards");
    }
    // Kyverno: of labels and annotations in a pattern, what is not a text is dropped.
    if matches!(key, "labels" | "annotations")
        && below.as_object().is_some_and(|map| map.values().any(|value| value.as_str().is_none()))
    {
        return Err("labels that are not texts");
    }
    if matches!(parsed, Some((Anchor::Existence, _))) {
        return read_existence(key, below, path, asked);
    }
    path.push(Step::Key(Str::new(key)));
    let read = read_pattern(below, path, within, asked);
    path.pop();
    read
}

/// `^(list)`: for each map of the pattern's list some element must fit.
fn read_existence(key: &str, below: &Value, path: &mut FieldPath, asked: &mut Asked) -> Result<(), Outside> {
    let items = below.as_array().unwrap_or_default();
    if items.is_empty() || items.iter().any(|item| item.as_object().is_none()) {
        return Err("an existence anchor on something else than a list of maps");
    }
    path.push(Step::Key(Str::new(key)));
    path.push(Step::Each);
    let mut read = Ok(());
    for item in items {
        asked.quantify(path, &format!("^{}", engine_json::to_json(item)));
        read = read.and_then(|()| read_pattern(item, path, Within::Element, asked));
    }
    path.pop();
    path.pop();
    read
}

/// A selector of policies in CEL, as written.
pub(crate) fn read_written_selector(selector: Option<&Value>, asked: &mut Asked) {
    let Some(selector) = selector else { return };
    let label = |key: &str| field_path(&["metadata", "labels", key]);
    let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flat_map(Map::iter);
    for (key, value) in labels {
        asked.test(&label(key), Test::Text(TextTest::is(value.as_str().unwrap_or(""))));
    }
    for entry in selector.get("matchExpressions").and_then(Value::as_array).unwrap_or_default() {
        let path = label(entry.find_str(&["key"]));
        asked.at(&path);
        for value in entry.get("values").and_then(Value::as_array).unwrap_or_default() {
            asked.test(&path, Test::Text(TextTest::is(value.as_str().unwrap_or(""))));
        }
    }
}
