//! Whether an API server stores a policy or a binding of its own, and its words where it does not.
//!
//! In: a document that its schema takes. Out: what is wrong with it, in the order in which the server says it.
//! Mirrors: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36, with the defaults of its versions.

mod checks;
mod expressions;
mod rows;
mod served;
mod words;

use crate::place::path_of;
use engine::load::{Kubernetes, NotStored};
use engine_json::{Path, Value, quote};
use expressions::Expressions;
use words::shown;

/// Something for which an API server does not store an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unstorable {
    /// The field: `spec.validations[0].reason`.
    field: String,
    /// The same as the server writes it.
    named: String,
    /// What is wrong with it, in the server's words.
    words: String,
}

/// What a field has to be: a row of a table says it of one field, the rows in the order of the server.
#[derive(Clone, Copy)]
enum Check {
    /// It is there, and not empty; else these words.
    Needed(&'static str),
    /// If it is there, it is one of these.
    OneOf(&'static [&'static str]),
    /// Each of its items is one of these.
    EachOneOf(&'static [&'static str]),
    /// If `*` is among its items, nothing else is; else these words.
    Alone(&'static str),
    /// If it is there, its fields are as these rows say.
    Fields(&'static [Row]),
    /// Each of its items is as these rows say.
    Each(&'static [Row]),
    /// What no table says.
    By(fn(&At<'_>, &mut Said<'_>)),
}

/// A field, and what it has to be; the value itself where there is no name.
type Row = (&'static str, Check);

/// Where a check is made.
struct At<'v> {
    /// The field by its full name.
    path: String,
    value: &'v Value,
    /// The object or the list that holds it.
    parent: &'v Value,
    /// Its place where that is a list, or the place of the object that holds it.
    place: usize,
    /// The list in which that object stands.
    siblings: &'v [Value],
}

/// What was found, and what checks ask about the whole document.
struct Said<'v> {
    document: &'v Value,
    release: Kubernetes,
    expressions: Expressions,
    found: Vec<Unstorable>,
}

impl Said<'_> {
    fn push(&mut self, field: &str, words: String) {
        let said = Unstorable { field: field.to_owned(), named: field.to_owned(), words };
        // Go: an aggregate of errors says each once.
        if !self.found.contains(&said) {
            self.found.push(said);
        }
    }

    fn required(&mut self, field: &str, detail: &str) {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        self.push(field, format!("Required value{detail}"));
    }

    fn forbidden(&mut self, field: &str, detail: &str) {
        self.push(field, format!("Forbidden: {detail}"));
    }

    fn invalid(&mut self, field: &str, value: &Value, detail: &str) {
        self.push(field, format!("Invalid value: {}: {detail}", shown(field, value, self.release)));
    }

    fn duplicate(&mut self, field: &str, value: &Value) {
        self.push(field, format!("Duplicate value: {}", shown(field, value, self.release)));
    }

    fn not_supported(&mut self, field: &str, value: &Value, supported: &[&str]) {
        let supported: Vec<String> = supported.iter().map(|value| quote(value)).collect();
        let supported = supported.join(", ");
        self.push(
            field,
            format!(
                "Unsupported value: {}: supported values: {supported}",
                shown(field, value, self.release)
            ),
        );
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_default()
}

/// Whether Go takes a value for one that is not there.
fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn check(
    rows: &[Row],
    (path, value): (&str, &Value),
    (place, siblings): (usize, &[Value]),
    said: &mut Said<'_>,
) {
    for (name, check) in rows {
        let (path, held) = match *name {
            "" => (path.to_owned(), value),
            name if path.is_empty() => (name.to_owned(), value.get(name).unwrap_or(&Value::Null)),
            name => (format!("{path}.{name}"), value.get(name).unwrap_or(&Value::Null)),
        };
        let at = At { path, value: held, parent: value, place, siblings };
        check_one(*check, &at, said);
    }
}

fn check_one(check: Check, at: &At<'_>, said: &mut Said<'_>) {
    let At { path, value, place, siblings, .. } = at;
    match check {
        Check::Needed(detail) => {
            if is_absent(value) {
                said.required(path, detail);
            }
        }
        Check::OneOf(supported) => {
            if value.as_str().is_some_and(|value| !supported.contains(&value)) {
                said.not_supported(path, value, supported);
            }
        }
        Check::EachOneOf(supported) => {
            for (at, item) in items(value).iter().enumerate() {
                if item.as_str().is_some_and(|item| !supported.contains(&item)) {
                    said.not_supported(&format!("{path}[{at}]"), item, supported);
                }
            }
        }
        Check::Alone(detail) => {
            let items = items(value);
            if items.len() > 1 && items.iter().any(|item| item.as_str() == Some("*")) {
                said.invalid(path, value, detail);
            }
        }
        Check::Fields(rows) => {
            if !value.is_null() {
                self::check(rows, (path, value), (*place, siblings), said);
            }
        }
        Check::Each(rows) => {
            let items = items(value);
            for (at, item) in items.iter().enumerate() {
                self::check(rows, (&format!("{path}[{at}]"), item), (at, items), said);
            }
        }
        Check::By(check) => check(at, said),
    }
}

/// What is wrong with a document by the rows of its kind.
fn unstorable(rows: &[Row], document: &Value, release: Kubernetes) -> Vec<Unstorable> {
    let Ok(expressions) = Expressions::of(document, release) else { return Vec::new() };
    let mut said = Said { document, release, expressions, found: Vec::new() };
    check(rows, ("", document), (0, &[]), &mut said);
    said.found
}

fn placed(found: &[Unstorable]) -> Vec<(Path, String)> {
    let text = |said: &Unstorable| format!("{}: {}", said.named, said.words);
    found.iter().map(|said| (path_of(&Path::root(), &said.field), text(said))).collect()
}

/// What an API server refuses of the webhook that Kyverno makes of a policy in CEL, in its words.
// Kyverno: pkg/controllers/webhook/validating.go, buildWebhookRules.
pub fn refusal_of_webhook(document: &Value) -> Vec<(Path, String)> {
    let is_generating = document.find_str(&["kind"]).contains("Generating");
    let rows = if is_generating { rows::GENERATING_WEBHOOK } else { rows::WEBHOOK };
    placed(&unstorable(rows, document, Kubernetes::RELEASED))
}

/// What an API server of a release refuses of a document, in its words, with the places.
pub fn faults_of(document: &Value, release: Kubernetes) -> Vec<(Path, String)> {
    let (version, kind) = (document.find_str(&["apiVersion"]), document.find_str(&["kind"]));
    let rows = match kind {
        "ValidatingAdmissionPolicy" => rows::POLICY,
        "ValidatingAdmissionPolicyBinding" => rows::BINDING,
        "MutatingAdmissionPolicy" => rows::MUTATING,
        "MutatingAdmissionPolicyBinding" => rows::MUTATING_BINDING,
        _ => return Vec::new(),
    };
    if !served::is_served(version, kind, release) {
        // client-go: meta.NoKindMatchError.
        let words = format!("no matches for kind {} in version {}", quote(kind), quote(version));
        return vec![(Path::from_keys(&["apiVersion"]), words)];
    }
    let mut faults = unstorable(rows, document, release);
    if kind == "ValidatingAdmissionPolicyBinding" && release < Kubernetes::minor(32) {
        // Kubernetes: validateValidatingAdmissionPolicyBindingSpec had it so until 1.31.
        for said in &mut faults {
            said.named = said.field.replace("matchResources", "matchResouces");
        }
    }
    placed(&faults)
}

/// The end of names that an API server keeps for files of its own.
pub const STATIC: &str = ".static.k8s.io";

/// Why an API server of a release does not store a document, in its words; nothing where it does.
// apimachinery: errors.NewInvalid.
pub fn refusal_to_store(document: &Value, release: Kubernetes) -> Option<NotStored> {
    let (kind, name) = (document.find_str(&["kind"]), document.find_str(&["metadata", "name"]));
    let mut faults = faults_of(document, release);
    // Kubernetes: ValidateStaticSuffix, whose gate ManifestBasedAdmissionControlConfig is on since 1.37.
    if name.ends_with(STATIC) && release >= Kubernetes::minor(37) {
        let words = format!(
            "metadata.name: Invalid value: {}: names ending with {} are reserved for static manifest-based configurations and cannot be \
             managed via the API",
            quote(name),
            quote(STATIC)
        );
        faults.push((Path::from_keys(&["metadata", "name"]), words));
    }
    let texts: Vec<&str> = faults.iter().map(|(_, text)| text.as_str()).collect();
    let all = aggregated(&texts)?;
    let reason = format!("{kind}.admissionregistration.k8s.io {} is invalid: {all}", quote(name));
    Some(NotStored { reason, faults })
}

/// Errors as Go writes them together; nothing where there is none.
// apimachinery: utilerrors.NewAggregate.
pub fn aggregated(texts: &[&str]) -> Option<String> {
    match texts {
        [] => None,
        [one] => Some((*one).to_owned()),
        many => Some(format!("[{}]", many.join(", "))),
    }
}

/// The oldest known release of which an API server takes a policy or binding of Kubernetes.
pub fn oldest_taking(document: &Value) -> Option<Kubernetes> {
    Kubernetes::all().find(|release| refusal_to_store(document, *release).is_none())
}
