//! Recorded answers of a real API server, held against what the engine decides for a cluster.
//!
//! In: a row: policies, bindings, parameters, requests with the object as the server had it before its policies, answers; the
//! definitions of the custom kinds that occur. Out: how many decisions agree, and their words: the message of a denial, else the warnings
//! and the object; and the words with which the server does not store a policy.

pub mod kyverno;
pub mod psa;
pub mod releases;

use crate::compare::{self, Difference, Tally, norm};
use engine::apply::{self, Effect, Host, Locations, Options, Recording, RuleResult};
use engine::json::{Map, Value, to_json};
use engine::load::{Bundle, Role, load_with};
use engine::policy::Policy;
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};

/// What the recorder's cluster allows: every user who is known to everything.
const RIGHTS: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cluster-admin}
rules:
- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}
- {nonResourceURLs: ['*'], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everyone}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:authenticated'}]
";

/// The object of a request that podsieve is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// As the server had it before its policies.
    Stored,
    /// As it was sent: what the server makes of it is made here.
    Sent,
}

impl Given {
    fn of(self, request: &Value) -> Option<&Value> {
        let name = if self == Given::Stored { "seen" } else { "raw" };
        request.get(name).filter(|object| !object.is_null())
    }
}

/// Holds a row, with the definitions of custom kinds.
pub fn check(
    (definitions, given): (&str, Given),
    row: &Value,
    tally: &mut Tally,
    differences: &mut Vec<Difference>,
) {
    hold(row, wanted(row, given), decided(definitions, row, given), tally, differences);
}

/// Holds decisions against those of the server.
fn hold(
    row: &Value,
    wanted: Vec<Value>,
    decided: Vec<Value>,
    tally: &mut Tally,
    differences: &mut Vec<Difference>,
) {
    let of = |decisions: Vec<Value>| {
        object([("id", row.get("id").cloned().unwrap_or_default()), ("decisions", Value::array(decisions))])
    };
    compare::case(&of(wanted), Some(&of(decided)), tally, differences);
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().collect::<Map>().into()
}

fn decision(name: String, verdict: &str, words: Value) -> Value {
    object([("name", Value::from(name)), ("verdict", Value::from(verdict)), ("words", words)])
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).unwrap_or_default()
}

fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    items(value, name).iter().filter_map(Value::as_str)
}

fn code(answer: &Value) -> i64 {
    answer.get("code").and_then(Value::as_i64).unwrap_or(0)
}

/// The words with which a policy denies; those of others than policies have none.
fn denial(message: &str) -> Option<&str> {
    let starts = ["ValidatingAdmissionPolicy '", "policy '", "policy \""];
    let at = starts.iter().filter_map(|start| message.find(start)).min()?;
    message.get(at..).filter(|rest| rest.contains(" denied request: "))
}

/// The requests that can be held against, with their places.
fn requests(row: &Value, given: Given) -> impl Iterator<Item = (usize, &Value)> {
    items(row, "requests").iter().enumerate().filter(move |(_, request)| {
        let answer = request.get("answer").unwrap_or(&Value::Null);
        let is_of_policies = code(answer) < 300 || denial(answer.find_str(&["message"])).is_some();
        is_of_policies && comparable(request, given)
    })
}

/// Whether a request came to admission with an object that is known.
fn comparable(request: &Value, given: Given) -> bool {
    let is_given = given.of(request).is_some();
    // The recorder asks no CONNECT.
    let is_laid =
        request.get("answer").is_some_and(|answer| answer.get("unlaid").is_none() && code(answer) > 0);
    is_given && is_laid && request.get("invalid").is_none()
}

/// What the server decided.
fn wanted(row: &Value, given: Given) -> Vec<Value> {
    let refused = items(row, "refused").iter().filter(|refused| refused.get("code").is_some());
    let refused = refused.map(|refused| {
        // Of what it does not know, or cannot read, the words are not compared.
        let words = if code(refused) == 422 { refused.find_str(&["message"]) } else { compare::ANY };
        not_stored(refused.find_str(&["kind"]), refused.find_str(&["name"]), words)
    });
    let decided = requests(row, given).map(|(at, request)| {
        let answer = request.get("answer").unwrap_or(&Value::Null);
        if let Some(words) = denial(answer.find_str(&["message"])).filter(|_| code(answer) >= 300) {
            return decision(format!("request {at}"), "denied", Value::from(named(words, request)));
        }
        let warnings =
            texts(answer, "warnings").filter(|warning| warning.starts_with("Validation failed for"));
        admitted(
            at,
            warnings.map(str::to_owned).collect(),
            answer.get("object").filter(|_| given == Given::Stored),
        )
    });
    refused.chain(decided).collect()
}

/// The beginning of a name that is still to be made; empty where the object has one.
fn beginning(request: &Value) -> &str {
    let raw = request.get("raw").unwrap_or(&Value::Null);
    if raw.find_str(&["metadata", "name"]).is_empty() {
        raw.find_str(&["metadata", "generateName"])
    } else {
        ""
    }
}

/// Words with the name that the engine makes, where the server made one.
fn named(words: &str, request: &Value) -> String {
    const RANDOM: usize = 5;
    let start = beginning(request);
    let mut parts = words.split(start).map(str::to_owned);
    let first = parts.next().unwrap_or_default();
    if start.is_empty() {
        return words.to_owned();
    }
    let made = parts.map(|part| format!("{start}xxxxx{}", part.get(RANDOM..).unwrap_or_default()));
    first + &made.collect::<String>()
}

fn not_stored(kind: &str, name: &str, words: &str) -> Value {
    decision(format!("{kind} {name}"), "not stored", Value::from(words))
}

fn admitted(at: usize, mut warnings: Vec<String>, made: Option<&Value>) -> Value {
    warnings.sort();
    let warnings = Value::array(warnings.into_iter().map(Value::from).collect());
    let words = Value::array(vec![warnings, made.map(bare).unwrap_or_default()]);
    decision(format!("request {at}"), "admitted", words)
}

/// An object without what a server writes into it, and without what Go does not tell from nothing.
fn bare(made: &Value) -> Value {
    const WRITTEN: &[&str] =
        &["managedFields", "uid", "creationTimestamp", "resourceVersion", "generation", "selfLink"];
    let mut made = norm(made);
    if let Some(map) = made.object_mut() {
        map.remove("status");
        if let Some(metadata) = map.get_mut("metadata").and_then(Value::object_mut) {
            for name in WRITTEN {
                metadata.remove(name);
            }
        }
    }
    full(&made)
}

fn full(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(full).collect()),
        Value::Object(map) => {
            let entries = map.iter().map(|(name, value)| (name.clone(), full(value)));
            let is_empty = |value: &Value| {
                value.is_null()
                    || value.as_array().is_some_and(<[Value]>::is_empty)
                    || value.as_object().is_some_and(Map::is_empty)
            };
            let kept = entries.filter(|(name, value)| !is_empty(value) && !name.ends_with("controller-uid"));
            kept.collect::<Map>().into()
        }
        other => other.clone(),
    }
}

/// What the engine decides.
fn decided(definitions: &str, row: &Value, given: Given) -> Vec<Value> {
    let mut all = refusals(row);
    for (at, request) in requests(row, given) {
        let mut object = given.of(request).cloned().unwrap_or_default();
        if given == Given::Stored {
            object = managed(&object, row);
        }
        if !beginning(request).is_empty()
            && let Some(metadata) = object.object_mut().and_then(|map| map.get_mut("metadata")?.object_mut())
        {
            metadata.remove("name");
        }
        let (bundle, _) = load(definitions, row, Some(&object));
        let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
        // The answers were recorded in November 2026.
        let outcome = apply::apply(&bundle, &StaticWorld::at(1_795_132_800_000_000_000), &options);
        let (mut denials, mut warnings) = (Vec::new(), Vec::new());
        let mut made = object.clone();
        for result in &outcome.results {
            let Some(policy) = bundle.policies.get(result.policy) else { continue };
            for rule in &result.rules {
                match apply::rule_effect(&bundle, policy, "", rule) {
                    Effect::Deny => denials.push(Value::from(denied(policy, rule))),
                    Effect::Warn => warnings.push(warned(policy, rule)),
                    Effect::Allow | Effect::Report | Effect::Unknown => {}
                }
            }
            if let Some(mutation) = &result.mutation {
                made = mutation.resource.clone();
            }
        }
        let has_object = given == Given::Stored
            && request.get("answer").is_some_and(|answer| answer.get("object").is_some());
        all.push(if denials.is_empty() {
            admitted(at, warnings, has_object.then_some(&made))
        } else {
            decision(format!("request {at}"), "denied", Value::array(denials))
        });
    }
    all
}

fn binding(rule: &RuleResult) -> Option<&str> {
    let named = rule.report_properties.iter().find(|(name, _)| name == "binding" || name == "mapBinding");
    named.map(|(_, binding)| binding.as_str())
}

/// What a request is told.
fn denied(policy: &Policy, rule: &RuleResult) -> String {
    let (name, message) = (&policy.name, &rule.message);
    match (policy.kind.as_str(), binding(rule)) {
        ("ValidatingAdmissionPolicy", Some(binding)) => {
            format!("ValidatingAdmissionPolicy '{name}' with binding '{binding}' denied request: {message}")
        }
        ("ValidatingAdmissionPolicy", None) => {
            format!("ValidatingAdmissionPolicy '{name}' denied request: {message}")
        }
        (_, Some(binding)) => format!("policy '{name}' with binding '{binding}' denied request: {message}"),
        (_, None) => format!("policy \"{name}\" denied request: {message}"),
    }
}

fn warned(policy: &Policy, rule: &RuleResult) -> String {
    let (name, binding) = (&policy.name, binding(rule).unwrap_or_default());
    format!(
        "Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{binding}': {}",
        rule.message
    )
}

/// The policies and bindings of a row that are not stored.
fn refusals(row: &Value) -> Vec<Value> {
    let (bundle, _) = load("", row, None);
    let mut all = Vec::new();
    for document in &bundle.documents {
        let (kind, name) =
            (document.value.find_str(&["kind"]), document.value.find_str(&["metadata", "name"]));
        let is_it = |value: &Value| {
            value.find_str(&["kind"]) == kind && value.find_str(&["metadata", "name"]) == name
        };
        let is_stored = bundle.policies.iter().any(|policy| is_it(&policy.raw))
            || bundle.bindings.iter().any(|(_, value)| is_it(value));
        let start =
            format!("{kind}.admissionregistration.k8s.io {} is invalid:", to_json(&Value::from(name)));
        let refused = bundle.refused.iter().find(|refused| refused.reason.starts_with(&start));
        if !is_stored && !kind.is_empty() {
            all.push(not_stored(kind, name, refused.map_or("", |refused| &refused.reason)));
        }
    }
    all
}

fn load(definitions: &str, row: &Value, object: Option<&Value>) -> (Bundle, Vec<engine::diag::Diagnostic>) {
    let mut sources = Vec::new();
    let mut give = |role: Role, text: String| {
        sources.push((role, Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() }));
    };
    texts(row, "policies").for_each(|text| give(Role::Policies, text.to_owned()));
    if let Some(object) = object {
        let object = to_json(object);
        let operation = row.find_str(&["operation"]);
        give(Role::Values, to_json(&values(row, operation)));
        give(Role::UserInfo, to_json(&user(row)));
        give(Role::CustomResourceDefinitions, definitions.to_owned());
        give(Role::ClusterResources, RIGHTS.to_owned());
        texts(row, "parameters").for_each(|text| give(Role::Parameters, text.to_owned()));
        if operation == "UPDATE" {
            give(Role::OldResources, object.clone());
        }
        give(Role::Resources, object);
    }
    load_with(sources, Host::Cluster, engine_celpolicy::WITH_STEPS)
}

/// The object as the server has it when it asks: who wrote which field is known, and what is to be stored once policies have changed it
/// is not.
fn managed(seen: &Value, row: &Value) -> Value {
    let mut seen = seen.clone();
    let is_changed = texts(row, "policies").any(|text| text.contains("MutatingAdmissionPolicy"));
    if let Some(metadata) = seen.object_mut().and_then(|map| map.get_mut("metadata")?.object_mut()) {
        let manager = object([("manager", Value::from("recorder")), ("operation", Value::from("Update"))]);
        metadata.insert("managedFields", Value::array(vec![manager]));
        if is_changed && row.find_str(&["operation"]) == "CREATE" {
            metadata.remove("uid");
            metadata.remove("creationTimestamp");
        }
    }
    seen
}

fn values(row: &Value, operation: &str) -> Value {
    let namespaces = row.get("namespaces").and_then(Value::as_object).into_iter().flat_map(Map::iter);
    let namespace = |(name, labels): (&engine::json::Str, &Value)| {
        let labels = if labels.is_null() { Value::object(Map::new()) } else { labels.clone() };
        object([("name", Value::String(name.clone())), ("labels", labels)])
    };
    object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("Values")),
        ("globalValues", object([("request.operation", Value::from(operation))])),
        ("namespaceSelector", Value::array(namespaces.map(namespace).collect())),
    ])
}

/// The user, with the groups that a server adds and what a certificate adds.
fn user(row: &Value) -> Value {
    let name = row.find_str(&["user", "username"]);
    let mut groups: Vec<String> =
        row.get("user").into_iter().flat_map(|user| texts(user, "groups")).map(str::to_owned).collect();
    if let (Some(account), true) = (name.strip_prefix("system:serviceaccount:"), groups.is_empty()) {
        let namespace = account.split(':').next().unwrap_or_default();
        groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
    }
    let has = |group: &str| groups.iter().any(|known| known == group);
    if !name.is_empty()
        && name != "system:anonymous"
        && !has("system:authenticated")
        && !has("system:unauthenticated")
    {
        groups.push("system:authenticated".to_owned());
    }
    let id = Value::array(vec![Value::from("X509SHA256=0")]);
    let info = object([
        ("username", Value::from(name)),
        ("groups", Value::array(groups.into_iter().map(Value::from).collect())),
        ("extra", object([("authentication.kubernetes.io/credential-id", id)])),
    ]);
    object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("UserInfo")),
        ("userInfo", info),
    ])
}
