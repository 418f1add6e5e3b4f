//! Decodes a rule: what it matches, its context, its conditions and its body.

use super::decode::{Node, Problems};
use super::selectors::{decode_match, decode_selector};
use crate::diag::{Code, Severity};
use crate::pattern::Pattern;
use crate::policy::{
    Action, ActionOverride, Body, Check, Condition, Conditions, ContextEntry, Foreach, Generate,
    GenerateForeach, ImageConditions, Mutate, MutateForeach, MutateStep, MutateTarget, Origin, PatternSource,
    Rule, Sentence, Source, Validate, VerifyImages,
};
use crate::template::has_markers;
use crate::value::Wildcard;
use engine_json::{Path, Str, Value};

/// How a rule came about.
pub(crate) struct RuleProvenance<'a> {
    /// Who made it.
    pub(crate) origin: Origin,
    /// The name of the rule as written.
    pub(crate) written_name: &'a str,
    /// The kinds it was made for.
    pub(crate) controllers: Vec<Str>,
    /// How many levels were put around its patterns.
    pub(crate) added_levels: usize,
}

const RULE_FIELDS: &[&str] = &[
    "name",
    "context",
    "reportProperties",
    "match",
    "exclude",
    "imageExtractors",
    "preconditions",
    "celPreconditions",
    "mutate",
    "validate",
    "generate",
    "verifyImages",
    "skipBackgroundRequests",
];

/// A rule; `path` is where the rule as written stands in the policy's document.
pub(crate) fn decode_rule(
    value: &Value,
    path: &Path,
    provenance: RuleProvenance<'_>,
    problems: &mut Problems,
) -> Rule {
    let node = Node::new(value, path);
    node.known_fields(RULE_FIELDS, problems);
    let name = node.field("name").text(problems);
    let exclude = node.field("exclude");
    Rule {
        written_name: Str::new(provenance.written_name),
        path: path.clone(),
        raw: value.clone(),
        matches: decode_match(&node.field("match"), problems),
        exclude: (!exclude.is_absent()).then(|| decode_match(&exclude, problems)),
        context: decode_context(&node.field("context"), problems),
        preconditions: decode_conditions(&node.field("preconditions"), problems),
        report_properties: node.field("reportProperties").value.clone(),
        body: decode_body(&node, provenance.added_levels, problems),
        origin: provenance.origin,
        controllers: provenance.controllers,
        taken_up: Sentence::default(),
        name,
    }
}

fn decode_body(node: &Node<'_>, added_levels: usize, problems: &mut Problems) -> Body {
    if node.has("validate") {
        return Body::Validate(Box::new(decode_validate(&node.field("validate"), added_levels, problems)));
    }
    if node.has("mutate") {
        let mutate = node.field("mutate");
        let foreach =
            mutate.has("foreach").then(|| mutate.field("foreach").items(problems, decode_mutate_foreach));
        let targets = mutate.field("targets").items(problems, decode_mutate_target);
        return Body::Mutate(Box::new(Mutate { foreach, targets }));
    }
    if node.has("generate") {
        return Body::Generate(Box::new(decode_generate(&node.field("generate"), problems)));
    }
    if node.has("verifyImages") {
        return Body::VerifyImages(Box::new(decode_images(&node.field("verifyImages"), problems)));
    }
    Body::None
}

const VALIDATE_FIELDS: &[&str] = &[
    "message",
    "failureAction",
    "failureActionOverrides",
    "allowExistingViolations",
    "pattern",
    "anyPattern",
    "deny",
    "foreach",
    "podSecurity",
    "cel",
    "manifests",
    "assert",
];

fn decode_validate(node: &Node<'_>, added_levels: usize, problems: &mut Problems) -> Validate {
    node.known_fields(VALIDATE_FIELDS, problems);
    let check = decode_check(node, added_levels, problems);
    Validate {
        message: node.field("message").text(problems),
        failure_action: node
            .has("failureAction")
            .then(|| Action::from_text(&node.field("failureAction").text(problems))),
        failure_action_overrides: decode_overrides(&node.field("failureActionOverrides"), problems),
        allow_existing_violations: node.field("allowExistingViolations").flag(problems).unwrap_or(true),
        check,
    }
}

// Kyverno: manifests, then podSecurity, then cel, then deny, pattern, anyPattern and foreach (engine/validation.go).
fn decode_check(node: &Node<'_>, added_levels: usize, problems: &mut Problems) -> Check {
    if node
        .field("manifests")
        .value
        .get("attestors")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty())
    {
        return Check::Manifests(node.field("manifests").value.clone());
    }
    if node.has("podSecurity") {
        return Check::PodSecurity(node.field("podSecurity").value.clone());
    }
    if node.has("cel") {
        return Check::Cel(None);
    }
    decode_demand(node, added_levels, problems)
}

/// What `validate` and each `foreach` can demand alike.
fn decode_demand(node: &Node<'_>, added_levels: usize, problems: &mut Problems) -> Check {
    if node.has("deny") {
        let deny = node.field("deny");
        deny.known_fields(&["conditions"], problems);
        return Check::Deny(decode_conditions(&deny.field("conditions"), problems));
    }
    if node.has("pattern") {
        let pattern = node.field("pattern");
        return Check::Pattern(PatternSource {
            compiled: compile(std::slice::from_ref(pattern.value)),
            value: pattern.value.clone(),
            path: pattern.path(),
            added_levels,
        });
    }
    if node.has("anyPattern") {
        let pattern = node.field("anyPattern");
        // Kyverno: deserializeAnyPattern goes through JSON text, after which every number is a float64.
        let value = pattern.value.with_float_numbers();
        return Check::AnyPattern(PatternSource {
            compiled: compile(value.as_array().unwrap_or_default()),
            value,
            path: pattern.path(),
            added_levels,
        });
    }
    if node.has("foreach") {
        return Check::Foreach(node.field("foreach").items(problems, decode_foreach));
    }
    Check::Empty
}

fn compile(patterns: &[Value]) -> Vec<Pattern> {
    if patterns.iter().any(has_markers) { Vec::new() } else { patterns.iter().map(Pattern::new).collect() }
}

const FOREACH_FIELDS: &[&str] =
    &["list", "elementScope", "context", "preconditions", "pattern", "anyPattern", "deny", "foreach"];

fn decode_foreach(node: &Node<'_>, problems: &mut Problems) -> Foreach {
    node.known_fields(FOREACH_FIELDS, problems);
    Foreach {
        list: node.field("list").text(problems),
        element_scope: node.field("elementScope").flag(problems),
        context: decode_context(&node.field("context"), problems),
        preconditions: decode_conditions(&node.field("preconditions"), problems),
        check: decode_demand(node, 0, problems),
        path: node.path(),
    }
}

/// One loop of `mutate.foreach`.
// Kyverno: ForEachMutation; a loop with loops within has nothing else (mutateElements asks for them first).
fn decode_mutate_foreach(node: &Node<'_>, problems: &mut Problems) -> MutateForeach {
    node.known_fields(MUTATE_FOREACH_FIELDS, problems);
    let strategic = node.field("patchStrategicMerge").value.clone();
    let inner = node.field("foreach").items(problems, decode_mutate_foreach);
    let order = node.field("order").text(problems);
    MutateForeach {
        list: node.field("list").text(problems),
        is_descending: if order.is_empty() { !strategic.is_null() } else { order == "Descending" },
        context: decode_context(&node.field("context"), problems),
        preconditions: decode_conditions(&node.field("preconditions"), problems),
        step: if inner.is_empty() {
            MutateStep::Patch { strategic, json6902: node.field("patchesJson6902").value.clone() }
        } else {
            MutateStep::Foreach(inner)
        },
        path: node.path(),
    }
}

/// One of `mutate.targets`.
fn decode_mutate_target(node: &Node<'_>, problems: &mut Problems) -> MutateTarget {
    let fields = node.value.as_object().into_iter().flat_map(engine_json::Map::iter);
    let wanted = fields.filter(|(key, _)| !matches!(key.as_str(), "context" | "preconditions"));
    MutateTarget {
        wanted: Value::object(wanted.map(|(key, value)| (key.clone(), value.clone())).collect()),
        context: decode_context(&node.field("context"), problems),
        preconditions: decode_conditions(&node.field("preconditions"), problems),
    }
}

// Kyverno: Generation. Variables are put into the pattern when the rule runs, so it stays a value until then.
fn decode_generate(node: &Node<'_>, problems: &mut Problems) -> Generate {
    let loops = node.has("foreach").then(|| {
        node.field("foreach").items(problems, |item, problems| GenerateForeach {
            list: item.field("list").text(problems),
            context: decode_context(&item.field("context"), problems),
            preconditions: decode_conditions(&item.field("preconditions"), problems),
            pattern: generate_pattern(item.value),
            path: item.path(),
        })
    });
    Generate {
        synchronize: node.field("synchronize").flag(problems).unwrap_or(false),
        foreach: loops,
        pattern: generate_pattern(node.value),
    }
}

// Kyverno: HasVerifyImageChecks; digests and verification are required unless the policy says otherwise, which its schema
// has filled in.
fn decode_images(node: &Node<'_>, problems: &mut Problems) -> VerifyImages {
    let images = node.items(problems, |item, problems| {
        let validate = item.field("validate");
        let deny = validate.field("deny");
        ImageConditions {
            attestations: item.field("attestations").items(problems, |attestation, problems| {
                attestation
                    .field("conditions")
                    .items(problems, decode_conditions)
                    .into_iter()
                    .flatten()
                    .collect()
            }),
            has_validate: !validate.is_absent(),
            deny: decode_conditions(&deny.field("conditions"), problems),
        }
    });
    let asks = |item: &Value, key: &str| item.get(key).and_then(Value::as_bool).unwrap_or(false);
    let entries = node.value.as_array().unwrap_or_default();
    let has_checks = entries.iter().any(|item| asks(item, "verifyDigest") || asks(item, "required"));
    VerifyImages { images, has_checks }
}

/// The fields of a `generate` into which variables are put.
// Kyverno: GeneratePattern.
fn generate_pattern(value: &Value) -> Value {
    const FIELDS: &[&str] = &["apiVersion", "kind", "namespace", "name", "uid", "data", "clone", "cloneList"];
    let fields = value.as_object().into_iter().flat_map(engine_json::Map::iter);
    let kept = fields.filter(|(key, _)| FIELDS.contains(&key.as_str()));
    Value::object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

const MUTATE_FOREACH_FIELDS: &[&str] =
    &["list", "order", "context", "preconditions", "patchStrategicMerge", "patchesJson6902", "foreach"];

/// `validationFailureActionOverrides` and `failureActionOverrides`.
pub(super) fn decode_overrides(node: &Node<'_>, problems: &mut Problems) -> Vec<ActionOverride> {
    node.items(problems, |item, problems| {
        item.known_fields(&["action", "namespaces", "namespaceSelector"], problems);
        let namespaces = item.field("namespaces");
        let named = namespaces.texts(problems).iter().map(|text| Wildcard::new(text)).collect();
        ActionOverride {
            action: Action::from_text(&item.field("action").text(problems)),
            namespaces: (!namespaces.value.is_null()).then_some(named),
            namespace_selector: decode_selector(&item.field("namespaceSelector"), problems),
        }
    })
}

/// Conditions in either form; `None` where absent.
pub(super) fn decode_conditions(node: &Node<'_>, problems: &mut Problems) -> Option<Conditions> {
    match node.value {
        Value::Null => None,
        Value::Array(_) => Some(Conditions::List(node.items(problems, decode_condition))),
        Value::Object(_) => {
            node.known_fields(&["any", "all"], problems);
            let any = node.has("any").then(|| node.field("any").items(problems, decode_condition));
            Some(Conditions::AnyAll { any, all: node.field("all").items(problems, decode_condition) })
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            node.problem(
                Code::WrongType,
                Severity::Error,
                "conditions must be a list, or a map with `any` and `all`",
                problems,
            );
            None
        }
    }
}

fn decode_condition(node: &Node<'_>, problems: &mut Problems) -> Condition {
    node.known_fields(&["key", "operator", "value", "message"], problems);
    Condition {
        key: scalar_as_json(node.field("key").value),
        operator: node.field("operator").text(problems),
        value: scalar_as_json(node.field("value").value),
        message: node.field("message").text(problems),
        path: node.path(),
    }
}

/// A lone number becomes a float64, those inside lists and maps stay what they are.
// Kyverno: jsonutils.DocumentToUntyped sends scalars through JSON text, lists and maps not.
fn scalar_as_json(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}

const ENTRY_FIELDS: &[&str] =
    &["name", "configMap", "apiCall", "imageRegistry", "variable", "globalReference"];

pub(super) fn decode_context(node: &Node<'_>, problems: &mut Problems) -> Vec<ContextEntry> {
    node.items(problems, |item, problems| {
        item.known_fields(ENTRY_FIELDS, problems);
        ContextEntry {
            name: item.field("name").text(problems),
            source: decode_source(item, problems),
            path: item.path(),
        }
    })
}

// Kyverno: contextLoader.newLoader asks in this order.
fn decode_source(item: &Node<'_>, problems: &mut Problems) -> Source {
    if item.has("configMap") {
        let map = item.field("configMap");
        map.known_fields(&["name", "namespace"], problems);
        return Source::ConfigMap {
            name: map.field("name").text(problems),
            namespace: map.field("namespace").text(problems),
        };
    }
    if item.has("apiCall") {
        return Source::ApiCall(item.field("apiCall").value.clone());
    }
    if item.has("globalReference") {
        return Source::GlobalReference(item.field("globalReference").value.clone());
    }
    if item.has("imageRegistry") {
        return Source::ImageRegistry(item.field("imageRegistry").value.clone());
    }
    if item.has("variable") {
        let variable = item.field("variable");
        variable.known_fields(&["value", "jmesPath", "default"], problems);
        return Source::Variable {
            value: variable.field("value").value.with_float_numbers(),
            jmes_path: variable.field("jmesPath").text(problems),
            default: variable.field("default").value.with_float_numbers(),
        };
    }
    Source::Unknown
}
