//! Which kinds become which, and what their conversions share.
//!
//! In: texts, and what is wanted of them. Out: a [`Conversion`] for each document that is converted.

pub(crate) mod admission;
pub(crate) mod binding;
pub(crate) mod cleanup;
pub(crate) mod exception;
pub(crate) mod names;
pub(crate) mod policy;
pub(crate) mod templates;
pub(crate) mod usable;

use crate::expressions::lines::broken;
use crate::expressions::types::Types;
use crate::kinds::exception::{Known, key_of};
use crate::kinds::policy::Policies;
use crate::kinds::usable::place_of_rule;
use crate::refusal::{Class, Refusal};
use crate::{Conversion, Refused, comments, notes, taken_by, with_written};
use engine::Bundle;
use engine::load::{Host, Role, load_with};
use engine::resource::DocumentId;
use engine_compare::schema::Schema;
use engine_compare::{PlainValue, Unfolded, unfolded};
use engine_json::{Map, Path, Value};
use engine_lenses::run::Positions;
use engine_lenses::wire::{Range, Text};
use std::collections::BTreeSet;

/// Kyverno's classic kinds.
const CLASSIC: [&str; 5] =
    ["ClusterPolicy", "Policy", "PolicyException", "ClusterCleanupPolicy", "CleanupPolicy"];

/// What is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Of Kyverno's classic kinds those in CEL.
    #[default]
    Cel,
    /// Of ValidatingPolicies and classic policies the API server's ValidatingAdmissionPolicies, with bindings.
    ValidatingAdmissionPolicy,
    /// Of ValidatingAdmissionPolicies with their bindings Kyverno's ValidatingPolicies.
    ValidatingPolicy,
}

impl Target {
    /// What it is made of, in words.
    pub fn sources(self) -> &'static str {
        match self {
            Target::Cel => "ClusterPolicy, Policy, CleanupPolicy or PolicyException of kyverno.io",
            Target::ValidatingAdmissionPolicy => "ValidatingPolicy, ClusterPolicy or Policy",
            Target::ValidatingPolicy => "ValidatingAdmissionPolicy",
        }
    }

    /// Whether a document of this kind is converted.
    fn takes(self, api_version: &str, kind: &str) -> bool {
        let is_of = |group: &str| api_version.split('/').next() == Some(group);
        match self {
            Target::Cel => CLASSIC.contains(&kind) && is_of("kyverno.io"),
            Target::ValidatingAdmissionPolicy => {
                let is_classic = matches!(kind, "ClusterPolicy" | "Policy") && is_of("kyverno.io");
                let is_new = matches!(kind, "ValidatingPolicy" | "NamespacedValidatingPolicy");
                is_classic || (is_new && is_of("policies.kyverno.io"))
            }
            Target::ValidatingPolicy => {
                kind == "ValidatingAdmissionPolicy" && is_of("admissionregistration.k8s.io")
            }
        }
    }
}

/// What became of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) policies: Policies,
    /// Documents without which the source, and what it became, decide something else.
    pub(crate) beside: [Vec<Value>; 2],
}

impl Made {
    /// More that has no faithful form.
    pub(crate) fn refusals(&mut self, more: impl IntoIterator<Item = Refusal>) {
        self.policies.refusals.extend(more.into_iter().map(|refusal| (String::new(), refusal)));
    }

    /// Whether something has no faithful form.
    pub(crate) fn is_refused(&self) -> bool {
        !self.policies.refusals.is_empty()
    }
}

/// Everything that was given.
struct Given<'b> {
    bundle: &'b Bundle,
    schema: &'b Schema,
}

impl<'b> Given<'b> {
    /// The documents of a kind.
    fn of(&self, group: &str, kind: &str) -> Vec<&'b Value> {
        let documents = self.bundle.documents.iter().map(|document| &document.value);
        let is_of = |value: &&Value| {
            value.find_str(&["kind"]) == kind
                && value.find_str(&["apiVersion"]).split('/').next() == Some(group)
        };
        documents.filter(is_of).collect()
    }

    /// A classic policy in CEL, beside all exceptions.
    fn classic(&self, document: &Value, id: DocumentId, types: &Types<'_>) -> Policies {
        let loaded = self.bundle.policies.iter().find(|policy| policy.document == id);
        let exceptions = self.of("kyverno.io", "PolicyException");
        let key = key_of(document);
        policy::convert(document, loaded, types, &|rule| exception::lifts(&exceptions, &key, loaded, rule))
    }

    /// The classic policies that an exception names, converted.
    fn named<'g>(
        &'g self,
        exception: &'g Value,
        types: &'g Types<'_>,
    ) -> impl Iterator<Item = Known<'b>> + 'g {
        let entries = exception.find(&["spec", "exceptions"]).and_then(Value::as_array).unwrap_or_default();
        self.bundle.documents.iter().enumerate().filter_map(move |(at, document)| {
            let value = &document.value;
            let key = key_of(value);
            let is_named = entries.iter().any(|entry| entry.find_str(&["policyName"]) == key);
            let is_policy = matches!(value.find_str(&["kind"]), "ClusterPolicy" | "Policy");
            let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
            (is_named && is_policy).then(|| Known {
                key,
                source: value,
                loaded: self.bundle.policies.iter().find(|policy| policy.document == id),
                made: self.classic(value, id, types),
            })
        })
    }

    /// A classic policy as policies of the API server, by way of those in CEL.
    fn chained(&self, document: &Value, id: DocumentId, types: &Types<'_>) -> Made {
        let classic = self.classic(document, id, types);
        let key = key_of(document);
        let exceptions = self.of("kyverno.io", "PolicyException");
        let own: Vec<&Value> =
            exceptions.into_iter().filter(|exception| exception::names(exception, &key)).collect();
        let mut made = Made::default();
        let mut lifted = Vec::new();
        for exception in &own {
            let known: Vec<Known<'_>> = self.named(exception, types).collect();
            let converted = exception::convert(exception, &known, types);
            let name = exception.find_str(&["metadata", "name"]);
            made.refusals(converted.policies.refusals.into_iter().map(|(_, refusal)| Refusal {
                path: Path::from_keys(&["metadata", "name"]),
                text: format!("its exception `{name}`: {}", refusal.text),
                ..refusal
            }));
            lifted.extend(converted.policies.documents);
        }
        made.policies.refusals.extend(classic.refusals);
        made.policies.allows_existing_violations = classic.allows_existing_violations;
        made.policies.leaves_deletions = classic.leaves_deletions;
        made.policies.notes = classic.notes;
        let lifted: Vec<&Value> = lifted.iter().collect();
        for ((one, rules), counts) in classic.documents.iter().zip(&classic.rules).zip(&classic.counts) {
            let place = place_of_rule(document, rules);
            if !matches!(one.find_str(&["kind"]), "ValidatingPolicy" | "NamespacedValidatingPolicy") {
                let text = "only rules that validate become policies of the API server".into();
                made.refusals(Some(Refusal { class: Class::Rule, path: place, text }));
                continue;
            }
            let next = admission::convert(one, &lifted);
            let refusals = next.policies.refusals.into_iter();
            made.refusals(refusals.map(|(_, refusal)| Refusal { path: place.clone(), ..refusal }));
            made.policies.rules.extend(std::iter::repeat_n(rules.clone(), next.policies.documents.len()));
            made.policies.counts.push(counts.clone());
            made.policies.counts.resize(made.policies.rules.len(), Vec::new());
            made.policies.documents.extend(next.policies.documents);
            made.policies.notes.extend(next.policies.notes);
        }
        made.policies.notes.dedup();
        made.beside = [own.into_iter().cloned().collect(), Vec::new()];
        made
    }

    fn convert(&self, document: &Value, id: DocumentId, target: Target, types: &Types<'_>) -> Made {
        match target {
            Target::Cel => match document.find_str(&["kind"]) {
                "PolicyException" => {
                    let known: Vec<Known<'_>> = self.named(document, types).collect();
                    exception::convert(document, &known, types)
                }
                "ClusterCleanupPolicy" | "CleanupPolicy" => cleanup::convert(document, types),
                _ => Made { policies: self.classic(document, id, types), ..Made::default() },
            },
            Target::ValidatingAdmissionPolicy
                if document.find_str(&["apiVersion"]).starts_with("kyverno.io/") =>
            {
                self.chained(document, id, types)
            }
            Target::ValidatingAdmissionPolicy => {
                admission::convert(document, &self.of("policies.kyverno.io", "PolicyException"))
            }
            Target::ValidatingPolicy => binding::convert(
                document,
                &self.of("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
            ),
        }
    }
}

/// Converts the documents of several texts, each with the place of its text.
pub fn convert_all(texts: &[Text], target: Target) -> Vec<(usize, Conversion)> {
    let opened: Vec<Option<Unfolded>> = texts.iter().map(unfolded).collect();
    let read = texts.iter().zip(&opened).map(|(text, made)| made.as_ref().map_or(text, |made| &made.text));
    let sources = read.map(|text| (Role::Policies, text.into())).collect();
    let (bundle, said) = load_with(sources, Host::Cluster, engine_celpolicy::AS_WRITTEN);
    let positions = Positions::new(&bundle);
    let schema = Schema::new();
    let given = Given { bundle: &bundle, schema: &schema };
    let mut all = Vec::new();
    for (at, document) in bundle.documents.iter().enumerate() {
        let value = &document.value;
        if !target.takes(value.find_str(&["apiVersion"]), value.find_str(&["kind"])) {
            continue;
        }
        let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
        let of_text = usize::try_from(document.source.0).unwrap_or(usize::MAX);
        let made = opened.get(of_text).and_then(Option::as_ref).zip(texts.get(of_text));
        let of_source = |range: Range| match made {
            Some((made, text)) => made.of_source(range, text),
            None => range,
        };
        let place = |path: &Path| positions.of_path(id, path).map(of_source);
        let mut said = usable::by_kyverno((&bundle, &said), id, &positions);
        for one in &mut said {
            one.range = one.range.take().map(of_source);
        }
        all.push((of_text, conversion(&given, id, value, target, Told { said, place: &place })));
    }
    all
}

/// What is known of a document: what Kyverno says against it, and where its values stand.
struct Told<'t> {
    said: Vec<Refused>,
    place: &'t dyn Fn(&Path) -> Option<Range>,
}

fn conversion(
    given: &Given<'_>,
    id: DocumentId,
    value: &Value,
    target: Target,
    Told { said: of_source, place }: Told<'_>,
) -> Conversion {
    let types = Types::new(given.schema);
    let made = given.convert(value, id, target, &types);
    let mut policies = made.policies;
    let written = texts_of(value);
    policies.documents.iter_mut().for_each(|document| break_lines(document, &written));
    policies.refusals.extend(usable::without_namespace(value).map(|refusal| (String::new(), refusal)));
    if of_source.is_empty() && policies.refusals.is_empty() {
        // What is made is not handed out if Kyverno does not take it.
        let refusals = usable::made(value, &policies).into_iter().map(|refusal| (String::new(), refusal));
        policies.refusals.extend(refusals.collect::<Vec<_>>());
    }
    let refusals = std::mem::take(&mut policies.refusals);
    let mut refused: Vec<Refused> = refusals
        .into_iter()
        .map(|(rule, refusal)| Refused {
            class: refusal.class,
            rule,
            text: with_written(value, &refusal),
            field: refusal.path.to_string(),
            range: place(&refusal.path),
        })
        .collect();
    refused.extend(of_source);
    if refused.is_empty() {
        policies.notes.extend(taken_by(policies.documents.iter()));
    }
    let comments = if refused.is_empty() {
        comments::place(comments::read(given.bundle, id), value, &policies, &types.traces)
    } else {
        Vec::new()
    };
    Conversion {
        kind: value.find_str(&["kind"]).to_owned(),
        name: value.find_str(&["metadata", "name"]).to_owned(),
        range: place(&Path::from_keys(&["kind"])),
        source: value.clone(),
        comments,
        documents: if refused.is_empty() { policies.documents } else { Vec::new() },
        refused,
        notes: notes(policies.notes, &types, place),
        field_types: types.assumed(),
        has_readable_images: types.has_readable_images(),
        keeps_order: types.keeps_order(),
        plain_values: plain_values(&types),
        rules: value.find(&["spec", "rules"]).and_then(Value::as_array).map_or(0, <[Value]>::len),
        allows_existing_violations: policies.allows_existing_violations,
        leaves_deletions: policies.leaves_deletions,
        beside: made.beside,
    }
}

/// The strings that are written in a document.
fn texts_of(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::String(text) => std::iter::once(&**text).collect(),
        Value::Array(list) => list.iter().flat_map(texts_of).collect(),
        Value::Object(map) => map.iter().flat_map(|(_, value)| texts_of(value)).collect(),
        _ => BTreeSet::new(),
    }
}

/// Breaks the long lines of expressions but of those that the source has.
fn break_lines(value: &mut Value, written: &BTreeSet<&str>) {
    if let Some(list) = value.array_mut() {
        for one in list.iter_mut() {
            break_lines(one, written);
        }
    }
    let Some(map) = value.object_mut() else { return };
    for (key, value) in map.iter_mut() {
        match value.as_str().filter(|text| key.as_str() == "expression" && !written.contains(text)) {
            Some(text) => *value = Value::from(broken(text)),
            None => break_lines(value, written),
        }
    }
}

/// What is taken to have no wildcards, each once.
fn plain_values(types: &Types<'_>) -> Vec<PlainValue> {
    let mut all: Vec<PlainValue> = Vec::new();
    for (_, value) in types.plain() {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// The field that a path such as `spec.validations[0].expression` names.
pub(crate) fn place_of(field: &str) -> Path {
    let segments = field.split('.').flat_map(|part| part.split('['));
    segments.fold(Path::root(), |path, segment| {
        let index = segment.strip_suffix(']').and_then(|index| index.parse::<usize>().ok());
        index.map_or_else(|| path.join(segment), |index| path.join(index))
    })
}

/// A list of a map; empty where there is none.
pub(crate) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).unwrap_or_default()
}

/// The texts of a list.
pub(crate) fn written<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    list(value, field).iter().filter_map(Value::as_str).collect()
}

/// A map of these entries.
pub(crate) fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}

/// Whether a value says nothing.
pub(crate) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Takes over fields as they are.
pub(crate) fn copied(to: &mut Map, from: &Value, fields: &[&str]) {
    for field in fields {
        if let Some(value) = from.get(field).filter(|value| !is_nothing(value)) {
            to.insert(*field, value.clone());
        }
    }
}

/// Annotations that speak of the kind that a policy was, or of what `kubectl` did.
const OWN: [&str; 2] =
    ["pod-policies.kyverno.io/autogen-controllers", "kubectl.kubernetes.io/last-applied-configuration"];

/// Name, namespace, labels and annotations under another name.
pub(crate) fn metadata(document: &Value, name: &str) -> Map {
    let own = document.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut made = Map::new();
    made.insert("name", Value::from(name));
    for field in ["namespace", "labels", "annotations"] {
        let Some(value) = own.get(field) else { continue };
        let mut value = value.clone();
        if let Some(map) = value.object_mut().filter(|_| field == "annotations") {
            for key in OWN {
                map.remove(key);
            }
        }
        if !is_nothing(&value) {
            made.insert(field, value);
        }
    }
    made
}
