//! `match` and `exclude` as constraints and conditions.
//!
//! In: the blocks of a rule. Out: the resource rules of `matchConstraints`, its selectors, and the conditions on which a request counts.

use crate::expressions::access::Access;
use crate::expressions::formula::{Formula, Quantifier, quoted};
use crate::expressions::types::Types;
use crate::expressions::wildcard::like;
use crate::named_kind::{self, Kind, OF_NAMESPACED, are_in_namespace, namespace_of};
use crate::refusal::{Class, Converted, below, refuse};
use engine_compare::schema::Shape;
use engine_json::{Map, Path, Value};

/// What a rule is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selection {
    /// Kinds with their groups, versions and plurals.
    pub(crate) kinds: Vec<Kind>,
    /// Operations; empty where none is named.
    pub(crate) operations: Vec<String>,
    /// `matchConstraints.objectSelector`.
    pub(crate) object_selector: Option<Value>,
    /// `matchConstraints.namespaceSelector`.
    pub(crate) namespace_selector: Option<Value>,
    /// What is known of the policy.
    pub(crate) owner: Owner,
    /// Whether conditions read the object.
    pub(crate) reads_object: bool,
    /// Conditions with their names.
    pub(crate) conditions: Vec<(String, Formula)>,
}

/// What is known of the policy of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "what is known of a policy, each by itself")]
pub(crate) struct Owner {
    /// Whether it is one of a namespace.
    pub(crate) is_namespaced: bool,
    /// Whether requests pass for which it errs.
    pub(crate) ignores_errors: bool,
    /// Whether autogen extends the rule to what holds templates of Pods.
    pub(crate) is_extended: bool,
    /// Whether it does so to ReplicationControllers, which autogen of policies in CEL does not know.
    pub(crate) replicates: bool,
}

impl Selection {
    /// What objects are known to look like.
    pub(crate) fn shape(&self, schema: &Types<'_>) -> Option<Shape> {
        let mut shapes = self.kinds.iter().map(|kind| schema.schema().kind(&kind.api_version(), &kind.name));
        // Where several kinds are named, their common fields hold the same in Kubernetes' own kinds.
        let first = shapes.next()??;
        shapes.all(|shape| shape.is_some()).then_some(first)
    }

    /// Whether all that it is for is known to be in a namespace.
    pub(crate) fn is_in_namespace(&self) -> bool {
        are_in_namespace(&self.kinds)
    }

    /// Whether it is for Pods alone.
    pub(crate) fn is_for_pods(&self) -> bool {
        matches!(self.kinds.as_slice(), [one] if one.name == "Pod" && one.group.is_empty())
    }

    /// `matchConstraints`.
    pub(crate) fn constraints(&self, operations: &[&str]) -> Value {
        let list = |texts: Vec<&str>| Value::array(texts.into_iter().map(Value::from).collect());
        let mut rules: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for kind in &self.kinds {
            match rules.iter_mut().find(|(group, version, _)| *group == kind.group && *version == kind.asked)
            {
                Some((_, _, plurals)) => plurals.push(&kind.plural),
                None => rules.push((&kind.group, &kind.asked, vec![&kind.plural])),
            }
        }
        let rules = rules.into_iter().map(|(group, version, plurals)| {
            Value::object(Map::from_entries(vec![
                ("apiGroups".into(), list(vec![group])),
                ("apiVersions".into(), list(vec![version])),
                ("resources".into(), list(plurals)),
                ("operations".into(), list(operations.to_vec())),
            ]))
        });
        let mut map = Map::new();
        for (key, selector) in
            [("namespaceSelector", &self.namespace_selector), ("objectSelector", &self.object_selector)]
        {
            if let Some(selector) = selector {
                map.insert(key, selector.clone());
            }
        }
        map.insert("resourceRules", Value::array(rules.collect()));
        Value::object(map)
    }
}

/// What a rule is for.
pub(crate) fn selection(rule: &Value, path: &Path, schema: &Types<'_>) -> Converted<Selection> {
    let mut made = Selection::default();
    let place = below(path, ["match"]);
    let block = rule.get("match").cloned().unwrap_or_default();
    let (filters, is_all) = filters(&block, &place)?;
    for (filter, place) in &filters {
        for (at, kind) in list(filter, &["resources", "kinds"]).iter().enumerate() {
            let place = below(place, ["resources", "kinds"]).join(at);
            let found = named_kind::kind(kind.as_str().unwrap_or(""), &place, schema)?;
            if !made.kinds.contains(&found) {
                made.kinds.push(found);
            }
        }
    }
    if made.kinds.is_empty() {
        return refuse(Class::Match, &place, "there are no `kinds`: name those that the rule is for");
    }
    if is_all
        && filters.len() > 1
        && filters.iter().filter(|(filter, _)| filter.find(&["resources", "kinds"]).is_some()).count() > 1
    {
        return refuse(Class::Match, &place, "`all` with kinds in several filters: name them in one");
    }
    made.operations =
        filters.iter().flat_map(|(filter, _)| texts(filter, &["resources", "operations"])).collect();
    made.operations.dedup();
    let is_one = filters.len() == 1;
    let metadata = metadata_of(&made.operations);
    let is_kept = !asks_for_updates(&made.operations);
    let is_constraint = |selector: &Value| is_one && is_kept && !has_wildcards(selector);
    made.reads_object = filters.iter().any(|(filter, _)| reads_object(filter, is_constraint));
    let mut alternatives = Vec::new();
    for (filter, place) in &filters {
        let mut tests = Vec::new();
        if !is_one && !is_all {
            let kinds = texts(filter, &["resources", "kinds"]);
            let of_all = kinds.len() == made.kinds.len();
            if !of_all {
                tests.push(kind_is(&kinds));
            }
            let operations = texts(filter, &["resources", "operations"]);
            if !operations.is_empty() {
                tests.push(one_of("request.operation", &operations));
            }
        }
        let namespace = namespace_of(&kinds_of(filter, place, &made.kinds, schema)?, metadata);
        tests.extend(attributes(filter, place, (is_one.then_some(&mut made), metadata, &namespace), schema)?);
        alternatives.push(Formula::and(tests));
    }
    let all = if is_all { Formula::and(alternatives) } else { Formula::or(alternatives) };
    if all != Formula::True {
        made.conditions.push(("matched".into(), all));
    }
    if let Some((excluded, of_object)) = excluded(rule, path, (metadata, &made.kinds), schema)? {
        made.reads_object |= of_object;
        made.conditions.push(("not-excluded".into(), excluded.negated()));
    }
    Ok(made)
}

/// The kinds that a filter names, and where it names none, those of the rule.
fn kinds_of(filter: &Value, path: &Path, all: &[Kind], schema: &Types<'_>) -> Converted<Vec<Kind>> {
    let place = below(path, ["resources", "kinds"]);
    let named = texts(filter, &["resources", "kinds"]);
    let named = named.iter().enumerate().map(|(at, kind)| named_kind::kind(kind, &place.join(at), schema));
    let named = named.collect::<Converted<Vec<_>>>()?;
    Ok(if named.is_empty() { all.to_vec() } else { named })
}

/// What is excluded of these kinds, and whether that asks for something of the object.
pub(crate) fn excluded(
    rule: &Value,
    path: &Path,
    (metadata, all): (&str, &[Kind]),
    schema: &Types<'_>,
) -> Converted<Option<(Formula, bool)>> {
    let place = below(path, ["exclude"]);
    let Some(block) = rule.get("exclude") else { return Ok(None) };
    let (filters, is_all) = filters(block, &place)?;
    let mut alternatives = Vec::new();
    for (filter, place) in &filters {
        let mut tests = Vec::new();
        let namespace = namespace_of(&kinds_of(filter, place, all, schema)?, metadata);
        let kinds = texts(filter, &["resources", "kinds"]);
        if !kinds.is_empty() {
            tests.push(kind_is(&kinds));
        }
        let operations = texts(filter, &["resources", "operations"]);
        if !operations.is_empty() {
            tests.push(one_of("request.operation", &operations));
        }
        tests.extend(attributes(filter, place, (None, metadata, &namespace), schema)?);
        if tests.is_empty() {
            continue;
        }
        alternatives.push(Formula::and(tests));
    }
    let of_object = filters.iter().any(|(filter, _)| reads_object(filter, |_| false));
    let all = if is_all { Formula::and(alternatives) } else { Formula::or(alternatives) };
    Ok(Some((all, of_object)))
}

/// The filters of a block, and whether all of them must fit.
fn filters(block: &Value, path: &Path) -> Converted<(Vec<(Value, Path)>, bool)> {
    let of = |field: &'static str| {
        let place = below(path, [field]);
        let list = list(block, &[field]).to_vec();
        list.into_iter().enumerate().map(|(at, one)| (one, place.join(at))).collect::<Vec<_>>()
    };
    let (any, all) = (of("any"), of("all"));
    match (any.is_empty(), all.is_empty()) {
        (false, true) => Ok((any, false)),
        (true, false) => Ok((all, true)),
        (false, false) => refuse(
            Class::Match,
            path,
            "both `any` and `all`: write what `all` asks into each filter of `any`",
        ),
        (true, true) => Ok((vec![(block.clone(), path.clone())], false)),
    }
}

fn list<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    value.find(keys).and_then(Value::as_array).unwrap_or_default()
}

fn texts(value: &Value, keys: &[&str]) -> Vec<String> {
    list(value, keys).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn one_of(value: &str, texts: &[String]) -> Formula {
    match texts {
        [one] => Formula::equal(value, &quoted(one)),
        all => Formula::test(format!(
            "{value} in [{}]",
            all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn kind_is(kinds: &[String]) -> Formula {
    let names: Vec<String> =
        kinds.iter().map(|kind| kind.rsplit('/').next().unwrap_or("").to_owned()).collect();
    if names.iter().any(|name| name == "*") { Formula::True } else { one_of("request.kind.kind", &names) }
}

/// Whether these operations are updates among others; all are where none is named.
fn asks_for_updates(operations: &[String]) -> bool {
    operations.is_empty() || operations.iter().any(|operation| operation == "UPDATE")
}

/// The metadata of what a request is about: of a deletion there is an old object alone.
fn metadata_of(operations: &[String]) -> &'static str {
    let is_deletion = |operation: &String| operation == "DELETE";
    match operations {
        [] => "object.metadata",
        all if all.iter().all(is_deletion) => "oldObject.metadata",
        all if all.iter().any(is_deletion) => "(request.operation == 'DELETE' ? oldObject : object).metadata",
        _ => "object.metadata",
    }
}

/// The attributes of a filter beside kinds and operations; selectors become constraints where they can.
///
/// An `objectSelector` is for updates of objects of which the old or the new one has the labels
/// (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object/matcher.go), a selector in `match` for the new one alone.
fn attributes(
    filter: &Value,
    path: &Path,
    (mut made, metadata, namespace): (Option<&mut Selection>, &str, &str),
    schema: &Types<'_>,
) -> Converted<Vec<Formula>> {
    let mut tests = Vec::new();
    let empty = Map::new();
    let resources = filter.get("resources").and_then(Value::as_object).unwrap_or(&empty);
    for (field, value) in resources.iter() {
        let place = below(path, ["resources"]).join(field.clone());
        let all = || value.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
        match field.as_str() {
            "kinds" | "operations" => {}
            "name" => tests.push(like(&format!("{metadata}.name"), value.as_str().unwrap_or(""))),
            "names" => tests.push(Formula::or(all().map(|name| like(&format!("{metadata}.name"), name)))),
            // What is in no namespace is like `*` too.
            "namespaces" if all().any(|name| !name.is_empty() && name.trim_matches('*').is_empty()) => {
                tests.push(Formula::True);
            }
            "namespaces" => tests.push(Formula::or(all().map(|name| like(namespace, name)))),
            "annotations" => tests.push(annotations(metadata, value, &place, schema)?),
            "selector"
                if made.as_ref().is_some_and(|made| !asks_for_updates(&made.operations))
                    && !has_wildcards(value) =>
            {
                if let Some(made) = made.as_deref_mut() {
                    made.object_selector = Some(value.clone());
                }
            }
            "namespaceSelector" if made.is_some() && !has_wildcards(value) && namespace == OF_NAMESPACED => {
                if let Some(made) = made.as_deref_mut() {
                    made.namespace_selector = Some(value.clone());
                }
            }
            "selector" => tests.push(labels(metadata, value, &place, schema)?),
            "namespaceSelector" if namespace == OF_NAMESPACED => {
                tests.push(labels("namespaceObject.metadata", value, &place, schema)?);
            }
            "namespaceSelector" => tests.push(labels_of_any(value, &place, schema)?),
            other => return refuse(Class::Match, &place, format!("`{other}`")),
        }
    }
    if filter.get("subjects").is_some() {
        tests.push(subjects(list(filter, &["subjects"]), &below(path, ["subjects"]))?);
    }
    for field in ["roles", "clusterRoles"] {
        if filter.get(field).is_some() {
            let text = format!(
                "`{field}` are found out by Kyverno, and expressions do not know them: name users, groups or service accounts in `subjects`"
            );
            return refuse(Class::Match, &below(path, [field]), text);
        }
    }
    Ok(tests)
}

/// Whether a filter asks for something of the object in a condition.
fn reads_object(filter: &Value, is_constraint: impl Fn(&Value) -> bool) -> bool {
    let has = |field: &str| filter.find(&["resources", field]);
    let is_condition = has("selector").is_some_and(|selector| !is_constraint(selector));
    is_condition || ["name", "names", "annotations"].iter().any(|field| has(field).is_some())
}

fn has_wildcards(selector: &Value) -> bool {
    selector.find(&["matchLabels"]).and_then(Value::as_object).is_some_and(|labels| {
        labels
            .iter()
            .any(|(key, value)| key.contains(['*', '?']) || value.as_str().unwrap_or("").contains(['*', '?']))
    })
}

fn annotations(metadata: &str, value: &Value, path: &Path, schema: &Types<'_>) -> Converted<Formula> {
    let metadata = Access::of(metadata, Some(Shape::Map(Box::new(Shape::Map(Box::new(Shape::Text))))));
    pairs(&metadata.field("annotations", schema), value, path, schema)
}

/// Each key and value is like some key and value.
fn pairs(access: &Access, value: &Value, path: &Path, schema: &Types<'_>) -> Converted<Formula> {
    let Some(map) = value.as_object() else { return refuse(Class::Match, path, "not a map") };
    let mut tests = Vec::new();
    for (key, value) in map.iter() {
        let value = value.as_str().unwrap_or("");
        if key.contains(['*', '?']) {
            let map = access.or("{}");
            let body = Formula::and([like("key", key), like(&format!("{}[key]", access.plain()), value)]);
            tests.push(Formula::each(map, Quantifier::Exists, "key".into(), body));
            continue;
        }
        let field = access.field(key, schema);
        tests.push(match value {
            "*" => field.is_there(),
            "" => Formula::and([field.is_there(), Formula::equal(field.plain(), "''")]),
            _ if value.trim_matches('*').is_empty() => field.is_there(),
            _ => like(&field.or("''"), value),
        });
    }
    Ok(Formula::and(tests))
}

/// Whether labels are those that a selector asks for.
pub(crate) fn labels(
    metadata: &str,
    selector: &Value,
    path: &Path,
    schema: &Types<'_>,
) -> Converted<Formula> {
    let metadata = Access::of(metadata, Some(Shape::Map(Box::new(Shape::Map(Box::new(Shape::Text))))));
    selected(&metadata.field("labels", schema), selector, path, schema)
}

/// Whether the Namespace of what may be in none is selected: a Namespace never is, and what is in none has no labels of one. A `namespaceSelector`
/// of an API server takes a Namespace for its own, and passes over all else that is in none.
// Kyverno: pkg/engine/utils/match.go. Kubernetes: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace/matcher.go.
fn labels_of_any(selector: &Value, path: &Path, schema: &Types<'_>) -> Converted<Formula> {
    let map = |inner| Shape::Map(Box::new(inner));
    let namespace = Access::of("namespaceObject", Some(map(map(map(Shape::Text)))));
    let labels = namespace.field("metadata", schema).field("labels", schema);
    let is_other = Formula::equal("request.kind.kind", "'Namespace'").negated();
    Ok(Formula::and([is_other, selected(&labels, selector, path, schema)?]))
}

/// Whether these labels are those that a selector asks for.
fn selected(labels: &Access, selector: &Value, path: &Path, schema: &Types<'_>) -> Converted<Formula> {
    let mut tests = Vec::new();
    if let Some(pairs_of) = selector.get("matchLabels") {
        tests.push(pairs(labels, pairs_of, path, schema)?);
    }
    for one in list(selector, &["matchExpressions"]) {
        let field = labels.field(one.find_str(&["key"]), schema);
        let values = texts(one, &["values"]);
        let is_in = Formula::and([field.is_there(), one_of(field.plain(), &values)]);
        tests.push(match one.find_str(&["operator"]) {
            "In" => is_in,
            "NotIn" => is_in.negated(),
            "Exists" => field.is_there(),
            "DoesNotExist" => field.is_there().negated(),
            other => return refuse(Class::Match, path, format!("operator `{other}`")),
        });
    }
    Ok(Formula::and(tests))
}

fn subjects(subjects: &[Value], path: &Path) -> Converted<Formula> {
    let mut tests = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let name = subject.find_str(&["name"]);
        tests.push(match subject.find_str(&["kind"]) {
            "ServiceAccount" => {
                let text = format!("system:serviceaccount:{}:{name}", subject.find_str(&["namespace"]));
                like("request.userInfo.username", &text)
            }
            "User" => like("request.userInfo.username", name),
            "Group" => Formula::each(
                "request.userInfo.groups".into(),
                Quantifier::Exists,
                "group".into(),
                like("group", name),
            ),
            other => return refuse(Class::Match, &path.join(at), format!("a subject of kind `{other}`")),
        });
    }
    Ok(Formula::or(tests))
}
