//! `validate`: one demand, anchors, loops, pod-security exclusions, CEL.
//! Mirrors: pkg/policy/validate/validate.go, pkg/policy/common/validate_pattern.go, PodSecurityStandard.Validate.

use super::refusal::{FieldError, FieldPath, Refusal};
use super::{field, given, has_validate, items, text};
use crate::pattern::anchor::{self, Anchor};
use crate::policy::Rule;
use engine_json::{Path, Segment, Value};

const RESTRICTED: &[&str] = &[
    "Volume Types",
    "Privilege Escalation",
    "Running as Non-root",
    "Running as Non-root user",
    "Seccomp",
    "Capabilities",
];
const OF_PODS: &[&str] = &["Host Namespaces", "HostPath Volumes", "Sysctls", "Volume Types"];
const OF_CONTAINERS: &[&str] =
    &["Capabilities", "Privileged Containers", "Host Ports", "/proc Mount Type", "Privilege Escalation"];

/// The exclusions of `validate.podSecurity`.
// Kyverno: Rule.ValidatePSaControlNames; the words leave `validate` out.
pub(super) fn check_pod_security(rule: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let pod_security = field(field(rule, "validate"), "podSecurity");
    let place = place.really(&[Segment::from("validate")]).child("podSecurity").child("exclude");
    for (at, exclude) in items(pod_security, "exclude").iter().enumerate() {
        let place = place.index(at);
        let name = text(exclude, "controlName");
        let mut about_name =
            |detail: &str| errors.push(place.child("controlName").invalid_text(name, detail));
        let images = !items(exclude, "images").is_empty();
        if OF_CONTAINERS.contains(&name) {
            if !images {
                about_name("exclude.images must be specified for the container level control");
            }
        } else if OF_PODS.contains(&name) && images {
            about_name("exclude.images must not be specified for the pod level control");
        }
        let (restricted, values) =
            (!text(exclude, "restrictedField").is_empty(), !items(exclude, "values").is_empty());
        if restricted && !values {
            errors.push(place.child("values").forbidden("values is required"));
        }
        if !restricted && values {
            errors.push(place.child("restrictedField").forbidden("restrictedField is required"));
        }
        let level = text(pod_security, "level");
        if level == "baseline" && !matches!(name, "Seccomp" | "Capabilities") && RESTRICTED.contains(&name) {
            let detail = "Invalid control name defined at the given level";
            errors.push(place.child("controlName").invalid_text(name, detail));
        }
    }
}

/// The part that the words name, the words, and the place.
type Problem = (String, String, Path);

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize) -> Result<(), Refusal> {
    if !has_validate(&rule.raw) {
        return Ok(());
    }
    let path = rule.path.join("validate");
    check_body(&rule.raw, &path).map_err(|(part, words, path)| {
        Refusal::new(format!("path: spec.rules[{at}].validate.{part}.: {words}"), path)
    })
}

fn check_body(rule: &Value, path: &Path) -> Result<(), Problem> {
    let validate = field(rule, "validate");
    let fault = |words: &str, path: Path| Err((String::new(), words.to_owned(), path));
    let demands = ["pattern", "anyPattern", "deny", "foreach", "podSecurity", "cel"];
    let mut count = demands.iter().filter(|key| given(validate, key).is_some()).count();
    count += usize::from(!items(field(validate, "manifests"), "attestors").is_empty());
    match count {
        0 => return fault("one of pattern, anyPattern, deny, foreach, cel must be specified", path.clone()),
        1 => {}
        _ => {
            return fault(
                "only one of pattern, anyPattern, deny, foreach, cel can be specified",
                path.clone(),
            );
        }
    }
    check_patterns(validate, path)?;
    for (at, each) in items(validate, "foreach").iter().enumerate() {
        let path = path.join("foreach").join(at);
        if let Err(words) = check_loop(each) {
            return fault(words, path);
        }
    }
    if given(rule, "celPreconditions").is_some() && given(validate, "cel").is_none() {
        return fault("celPrecondition can only be used with validate.cel", path.clone());
    }
    match given(validate, "cel").map_or(Ok(()), check_cel) {
        Ok(()) => Ok(()),
        Err(words) => fault(words, path.join("cel")),
    }
}

fn check_patterns(validate: &Value, path: &Path) -> Result<(), Problem> {
    let supported = |anchor: Anchor| match anchor {
        Anchor::Condition | Anchor::Existence | Anchor::Equality | Anchor::Negation | Anchor::Global => true,
        Anchor::AddIfNotPresent => false,
    };
    let named = |prefix: String, path: Path| {
        move |bad: BadAnchor| (format!("{prefix}.{}", bad.named), bad.words, path.concat(&bad.path))
    };
    let pattern = field(validate, "pattern");
    check_anchors(pattern, "/", &Path::root(), supported)
        .map_err(named("pattern".to_owned(), path.join("pattern")))?;
    match field(validate, "anyPattern") {
        Value::Null => Ok(()),
        Value::Array(list) => {
            for (at, pattern) in list.iter().enumerate() {
                let place = named(format!("anyPattern[{at}]"), path.join("anyPattern").join(at));
                check_anchors(pattern, "/", &Path::root(), supported).map_err(place)?;
            }
            Ok(())
        }
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            let kind = match other {
                Value::Bool(_) => "bool",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Object(_) | Value::Array(_) | Value::Null => "object",
            };
            let words = format!(
                "failed to deserialize anyPattern, expect array: json: cannot unmarshal {kind} into Go value of type []interface {{}}"
            );
            Err(("anyPattern".to_owned(), words, path.join("anyPattern")))
        }
    }
}

/// An anchor where it must not stand.
pub(super) struct BadAnchor {
    /// The way to it as the original writes it.
    pub(super) named: String,
    /// What is wrong.
    pub(super) words: String,
    /// The way to it.
    pub(super) path: Path,
}

/// The first anchor of a pattern that is not supported or holds no list.
// Kyverno: common.ValidatePattern; the order of a map's keys is random there and as written here.
pub(super) fn check_anchors(
    pattern: &Value,
    named: &str,
    path: &Path,
    supported: fn(Anchor) -> bool,
) -> Result<(), BadAnchor> {
    match pattern {
        Value::Object(map) => {
            for (key, value) in map.iter() {
                let (named, path) = (format!("{named}/{key}"), path.join(key.clone()));
                if let Err(words) = check_anchor(key, value, supported) {
                    return Err(BadAnchor { named, words, path });
                }
                check_anchors(value, &named, &path, supported)?;
            }
            Ok(())
        }
        Value::Array(list) => {
            for (at, item) in list.iter().enumerate() {
                check_anchors(item, &format!("{named}{at}/"), &path.join(at), supported)?;
            }
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn check_anchor(key: &str, value: &Value, supported: fn(Anchor) -> bool) -> Result<(), String> {
    let Some((anchor, _)) = anchor::parse(key) else { return Ok(()) };
    if !supported(anchor) {
        return Err(format!("unsupported anchor {key}"));
    }
    match value {
        _ if anchor != Anchor::Existence => Ok(()),
        Value::Array(list) if list.is_empty() => {
            Err("existence anchor: should have at least one value".to_owned())
        }
        Value::Array(_) => Ok(()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Err("existence anchor should have value of type list".to_owned())
        }
    }
}

// Kyverno: validateForEach; loops within loops are not looked at.
fn check_loop(each: &Value) -> Result<(), &'static str> {
    if text(each, "list").is_empty() {
        return Err("foreach.list is required");
    }
    let count = ["pattern", "anyPattern", "deny"].iter().filter(|key| given(each, key).is_some()).count();
    match count + usize::from(!items(each, "foreach").is_empty()) {
        0 => Err("one of pattern, anyPattern, deny, or a nested foreach must be specified"),
        1 => Ok(()),
        _ => Err("only one of pattern, anyPattern, deny, or a nested foreach can be specified"),
    }
}

fn check_cel(cel: &Value) -> Result<(), &'static str> {
    if items(cel, "expressions").iter().any(|expression| text(expression, "expression").is_empty()) {
        return Err("cel.expressions.expression is required");
    }
    let (kind, reference) = (given(cel, "paramKind"), given(cel, "paramRef"));
    if let Some(kind) = kind {
        if text(kind, "apiVersion").is_empty() {
            return Err("cel.paramKind.apiVersion is required");
        }
        if text(kind, "kind").is_empty() {
            return Err("cel.paramKind.kind is required");
        }
        if reference.is_none() {
            return Err("cel.paramRef is required");
        }
    }
    if let Some(reference) = reference {
        if text(reference, "name").is_empty() == given(reference, "selector").is_none() {
            return Err("one of cel.paramRef.name or cel.paramRef.selector must be set");
        }
        if given(reference, "parameterNotFoundAction").is_none() {
            return Err("cel.paramRef.parameterNotFoundAction is required");
        }
        if kind.is_none() {
            return Err("cel.paramKind is required");
        }
    }
    for annotation in items(cel, "auditAnnotations") {
        if text(annotation, "key").is_empty() {
            return Err("cel.auditAnnotation.key is required");
        }
        if text(annotation, "valueExpression").is_empty() {
            return Err("cel.auditAnnotation.valueExpression is required");
        }
    }
    Ok(())
}
