//! ValidatingPolicies as ValidatingAdmissionPolicies with their bindings.
//!
//! In: a ValidatingPolicy or NamespacedValidatingPolicy and the exceptions for it. Out: for the policy, and for each variant that autogen
//! makes of it, a policy of the API server and its binding; or what only Kyverno can do.
//! Sources: Kubernetes' `pkg/apis/admissionregistration/validation`, Kyverno's `pkg/admissionpolicy` and `pkg/cel/policies/vpol`.

use crate::kinds::{Made, copied, is_nothing, list, map, metadata, place_of, written};
use crate::refusal::{Class, Converted, Refusal, below, refuse};
use engine_celpolicy::environment::{Environment, Kind, kyverno};
use engine_celpolicy::policy::{Admission, AdmissionProgram, Policy, decode};
use engine_json::{Map, Path, Value};

/// The version in which both kinds are served.
pub(crate) const API_VERSION: &str = "admissionregistration.k8s.io/v1";
/// The label that the API server gives every Namespace.
pub(crate) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Converts a policy; `exceptions` are all that were given.
pub(crate) fn convert(document: &Value, exceptions: &[&Value]) -> Made {
    let mut made = Made::default();
    let own: Vec<&Value> =
        exceptions.iter().copied().filter(|exception| is_for(exception, document)).collect();
    let whole = decode(document);
    if let Err(refusal) = settings(document, &whole) {
        made.refusals(Some(refusal));
        return made;
    }
    made.refusals(constraints(document).err());
    let exempted = own.iter().map(|exception| exempted(exception)).collect::<Converted<Vec<_>>>();
    let exempted = exempted.map_err(|refusal| made.refusals(Some(refusal))).unwrap_or_default();
    if made.is_refused() {
        made.refusals(compiled(document));
        return made;
    }
    for (end, one) in std::iter::once(("", &whole)).chain(variants(&whole)) {
        made.policies.documents.extend(documents(document, one, end, &exempted));
    }
    made.refusals(compiled(document));
    made.policies.notes = notes(document);
    made.beside = [own.into_iter().cloned().collect(), Vec::new()];
    made
}

/// What autogen makes of a policy for Pods, with the ends of their names.
fn variants(policy: &Policy) -> impl Iterator<Item = (&'static str, &Policy)> {
    policy.variants.iter().map(|variant| {
        let rules = variant.match_constraints.as_ref().map(|constraints| list(constraints, "resourceRules"));
        let is_of_cron_jobs =
            rules.into_iter().flatten().any(|rule| written(rule, "resources") == ["cronjobs"]);
        (if is_of_cron_jobs { "-cronjobs" } else { "-controllers" }, variant)
    })
}

/// Whether an exception names the policy.
fn is_for(exception: &Value, policy: &Value) -> bool {
    let references = exception.find(&["spec", "policyRefs"]).and_then(Value::as_array).unwrap_or_default();
    references.iter().any(|reference| {
        reference.find_str(&["name"]) == policy.find_str(&["metadata", "name"])
            && reference.find_str(&["kind"]) == policy.find_str(&["kind"])
    })
}

/// An exception as the condition on which the policy is asked.
fn exempted(exception: &Value) -> Converted<(String, String)> {
    let name = exception.find_str(&["metadata", "name"]);
    let place = Path::from_keys(&["metadata", "name"]);
    let cannot = |why: &str| refuse(Class::Setting, &place, format!("its exception `{name}` {why}"));
    for field in ["images", "allowedValues"] {
        if exception.find(&["spec", field]).is_some_and(|value| !is_nothing(value)) {
            return cannot(&format!("has `{field}`, which the API server does not know"));
        }
    }
    if exception.find(&["spec", "expiresAt"]).is_some() {
        return cannot("expires, and a condition of the API server does not");
    }
    let conditions = exception.find(&["spec", "matchConditions"]).and_then(Value::as_array);
    let expressions: Vec<&str> =
        conditions.unwrap_or_default().iter().map(|one| one.find_str(&["expression"])).collect();
    let expression = match expressions.as_slice() {
        [] => return cannot("has no `matchConditions`: it exempts everything"),
        [one] => format!("!({one})"),
        all => {
            format!("!({})", all.iter().map(|one| format!("({one})")).collect::<Vec<_>>().join(" &&\n  "))
        }
    };
    Ok((format!("not-exempt-{name}"), expression))
}

/// Settings that the API server has not.
fn settings(document: &Value, policy: &Policy) -> Converted<()> {
    let evaluation = Path::from_keys(&["spec", "evaluation"]);
    let mode = document.find_str(&["spec", "evaluation", "mode"]);
    if matches!(mode, "JSON" | "HTTP" | "Envoy") {
        let text = format!("mode `{mode}`: the API server evaluates requests of Kubernetes alone");
        return refuse(Class::Setting, &evaluation.join("mode"), text);
    }
    if document.find(&["spec", "evaluation", "admission", "enabled"]).and_then(Value::as_bool) == Some(false)
    {
        let text = "a policy for background scans alone: the API server has none";
        return refuse(Class::Setting, &below(&evaluation, ["admission", "enabled"]), text);
    }
    if policy.custom.is_some() {
        let text = "templates of Pods in custom workloads: the API server looks for none";
        let place = Path::from_keys(&["spec", "autogen", "podControllers", "controllers"]);
        return refuse(Class::Setting, &place, text);
    }
    if list(document.get("spec").unwrap_or(&Value::Null), "validations").is_empty() {
        return refuse(Class::Setting, &Path::from_keys(&["spec"]), "there are no `validations`");
    }
    Ok(())
}

/// What the API server asks of every rule.
fn constraints(document: &Value) -> Converted<()> {
    let place = Path::from_keys(&["spec", "matchConstraints"]);
    let constraints = document.find(&["spec", "matchConstraints"]).unwrap_or(&Value::Null);
    let rules = list(constraints, "resourceRules");
    if rules.is_empty() {
        return refuse(Class::Match, &place, "the API server takes no policy without `resourceRules`");
    }
    for (at, rule) in rules.iter().enumerate() {
        let lacks = ["apiGroups", "apiVersions", "operations", "resources"]
            .into_iter()
            .find(|field| list(rule, field).is_empty());
        if let Some(field) = lacks {
            let place = place.join("resourceRules").join(at);
            return refuse(Class::Match, &place, format!("the API server takes no rule without `{field}`"));
        }
    }
    Ok(())
}

/// Expressions that the API server does not compile, with what they use.
fn compiled(document: &Value) -> Vec<Refusal> {
    let spec = document.get("spec").unwrap_or(&Value::Null);
    let admission = Admission {
        has_authorizer: true,
        has_params: false,
        ..Admission::read(spec, spec.get("matchConditions"), "validations")
    };
    let Ok(program) = AdmissionProgram::new(&admission) else { return Vec::new() };
    let one = |(field, fault): &(String, engine_celpolicy::compile::Fault)| {
        let problem = fault.problems.first().map_or(fault.text.as_str(), |(_, problem)| problem.as_str());
        Refusal {
            class: Class::Expression,
            path: place_of(&format!("spec.{field}")),
            text: match problem.split('\'').nth(1).filter(|name| is_of_kyverno(name)) {
                Some(name) => format!("`{name}` is Kyverno's: the API server does not know it"),
                None => format!("the API server does not compile it: `{problem}`"),
            },
        }
    };
    program.faults.iter().map(one).collect()
}

/// Whether a name of a function or a variable is one of Kyverno's.
fn is_of_kyverno(name: &str) -> bool {
    let of = |kind: Kind| {
        Environment::new(kind, false).map(|environment| environment.variables).unwrap_or_default()
    };
    let is_known = |known: Vec<engine_json::Str>| known.iter().any(|known| *known == *name);
    let is_variable =
        is_known(of(Kind::Validating)) && !is_known(of(Kind::Admission { params: true, authorizer: true }));
    let begins = |function: &str| function.split('.').next() == Some(name);
    is_variable || kyverno(false).any(|function| function.name == name || begins(function.name))
}

/// What a reader should know.
fn notes(document: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    let has = |keys: &[&str]| document.find(keys).is_some_and(|value| !is_nothing(value));
    if document.find(&["spec", "evaluation", "background", "enabled"]).and_then(Value::as_bool) == Some(true)
    {
        notes.push("background scans are Kyverno's: objects that exist are not reported".to_owned());
    }
    if has(&["spec", "webhookConfiguration"]) {
        notes.push("`webhookConfiguration` is left out: no webhook is called".to_owned());
    }
    let actions = written(document.get("spec").unwrap_or(&Value::Null), "validationActions");
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        notes.push("the API server takes `Deny` without `Warn`: who is refused reads the message".to_owned());
    }
    let validations = list(document.get("spec").unwrap_or(&Value::Null), "validations");
    if validations.iter().any(|one| one.find_str(&["message"]).trim().contains('\n')) {
        notes.push("messages are written on one line, as the API server wants them".to_owned());
    }
    notes
}

/// The policy and its binding.
fn documents(document: &Value, policy: &Policy, end: &str, exempted: &[(String, String)]) -> Vec<Value> {
    let namespace = document.find_str(&["metadata", "namespace"]);
    let is_namespaced = document.find_str(&["kind"]).starts_with("Namespaced");
    let begin = if is_namespaced && !namespace.is_empty() { format!("{namespace}-") } else { String::new() };
    let name = format!("{begin}{}{end}", policy.name);
    let source = document.get("spec").unwrap_or(&Value::Null);
    let mut spec = Map::new();
    if policy.ignores_failures {
        spec.insert("failurePolicy", Value::from("Ignore"));
    }
    let constraints = policy.match_constraints.clone().unwrap_or_default();
    spec.insert("matchConstraints", if is_namespaced { within(&constraints) } else { constraints });
    let conditions: Vec<Value> = exempted
        .iter()
        .map(|(name, expression)| entry(name, expression))
        .chain(policy.match_conditions.iter().map(|(name, expression)| entry(name, expression)))
        .collect();
    let variables = policy.variables.iter().map(|(name, expression)| entry(name, expression)).collect();
    for (field, entries) in [("matchConditions", conditions), ("variables", variables)] {
        if !entries.is_empty() {
            spec.insert(field, Value::array(entries));
        }
    }
    let written = list(source, "validations");
    let validations = policy.validations.iter().enumerate().map(|(at, one)| {
        let reason = written.get(at).map_or("", |written| written.find_str(&["reason"]));
        validation(at, one, reason)
    });
    spec.insert("validations", Value::array(validations.collect()));
    copied(&mut spec, source, &["auditAnnotations"]);
    let mut binding = Map::new();
    binding.insert("policyName", Value::from(name.as_str()));
    binding.insert("validationActions", actions(source));
    if is_namespaced {
        let label = map([("matchLabels", map([(NAME_LABEL, Value::from(namespace))]))]);
        binding.insert("matchResources", map([("namespaceSelector", label)]));
    }
    let mut head = metadata(document, &name);
    head.remove("namespace");
    let whole = |kind: &str, metadata: Map, spec: Map| {
        map([
            ("apiVersion", Value::from(API_VERSION)),
            ("kind", Value::from(kind)),
            ("metadata", Value::object(metadata)),
            ("spec", Value::object(spec)),
        ])
    };
    let of_binding = Map::from_entries(vec![("name".into(), Value::from(name.as_str()))]);
    vec![
        whole("ValidatingAdmissionPolicy", head, spec),
        whole("ValidatingAdmissionPolicyBinding", of_binding, binding),
    ]
}

/// The constraints for objects that are in a namespace: a selector of Namespaces lets all others through.
fn within(constraints: &Value) -> Value {
    let mut constraints = constraints.as_object().cloned().unwrap_or_default();
    let rules = list(&Value::object(constraints.clone()), "resourceRules").to_vec();
    let rules = rules.into_iter().map(|rule| {
        let mut rule = rule.as_object().cloned().unwrap_or_default();
        rule.insert("scope", Value::from("Namespaced"));
        Value::object(rule)
    });
    constraints.insert("resourceRules", Value::array(rules.collect()));
    Value::object(constraints)
}

fn entry(name: &str, expression: &str) -> Value {
    map([("name", Value::from(name)), ("expression", Value::from(expression))])
}

/// A validation; the API server wants messages on one line, and one where the expression has several.
fn validation(at: usize, one: &engine_celpolicy::policy::Validation, reason: &str) -> Value {
    let mut made = Map::new();
    made.insert("expression", Value::from(one.expression.as_str()));
    let message = on_one_line(&one.message);
    let message = if message.is_empty() && one.expression.trim().contains('\n') {
        format!("CEL expression validation failed at index {at}")
    } else {
        message
    };
    let parts = [
        ("message", message.as_str()),
        ("messageExpression", one.message_expression.as_str()),
        ("reason", reason),
    ];
    for (field, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        made.insert(field, Value::from(text));
    }
    Value::object(made)
}

/// A message on one line.
fn on_one_line(message: &str) -> String {
    message.trim().lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What follows where the policy fails: `Deny` where nothing is said.
fn actions(spec: &Value) -> Value {
    let mut actions = written(spec, "validationActions");
    if actions.is_empty() {
        actions.push("Deny");
    }
    if actions.contains(&"Deny") {
        actions.retain(|action| *action != "Warn");
    }
    Value::array(actions.into_iter().map(Value::from).collect())
}
