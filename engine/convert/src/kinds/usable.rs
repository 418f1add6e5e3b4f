//! What Kyverno does not take: of the source, and of what would be made of it.
//!
//! In: a document as it was loaded, and what it became. Out: why it is not converted.

use crate::kinds::policy::Policies;
use crate::refusal::{Class, Refusal};
use crate::{Refused, emit};
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::load::{Host, Role, load_with};
use engine::resource::DocumentId;
use engine_json::{Path, Segment, Value};
use engine_lenses::run::Positions;
use engine_lenses::wire::Text;

/// What Kyverno says against a source, in its words.
pub(crate) fn by_kyverno(
    (bundle, said): (&Bundle, &[Diagnostic]),
    id: DocumentId,
    positions: &Positions<'_>,
) -> Vec<Refused> {
    let one = |text: String, field: String, range| Refused {
        class: Class::Setting,
        rule: String::new(),
        text,
        field,
        range,
    };
    let mut found: Vec<Refused> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for refused in bundle.refused.iter().filter(|refused| refused.document == id) {
        words.push(&refused.reason);
        // A cluster takes them; its CLI does not, so that what they become cannot be held against them.
        let is_condition = refused.path.to_string().ends_with("webhookConfiguration.matchConditions");
        let text = if is_condition {
            "conditions of the webhook are not converted: the Kyverno CLI crashes on a policy with them, so nothing can be compared with it; written as `matchConditions` of each new policy they say the same, where autogen extends none".to_owned()
        } else {
            format!("Kyverno refuses it: {}", refused.reason)
        };
        found.push(one(text, refused.path.to_string(), positions.of_path(id, &refused.path)));
    }
    let whole =
        usize::try_from(id.0).ok().and_then(|at| bundle.documents.get(at)).map(|document| document.span);
    let is_within = |diagnostic: &&Diagnostic| {
        diagnostic.span.zip(whole).is_some_and(|(span, whole)| {
            span.source == whole.source && (whole.start..=whole.end).contains(&span.start)
        })
    };
    // What is about another kind than policies is not about what is converted.
    let is_other = |code: Code| matches!(code, Code::UnknownKind | Code::NoKind);
    let errors = said.iter().filter(|one| one.severity == Severity::Error && !is_other(one.code));
    for error in errors.filter(is_within) {
        // A reason of Kyverno may end with a blank that its diagnostic does not have.
        if !words.iter().any(|known| error.message.trim_end().ends_with(known.trim_end())) {
            let range = error.span.and_then(|span| positions.of_span(span));
            found.push(one(format!("Kyverno refuses it: {}", error.message), "metadata".into(), range));
        }
    }
    found
}

/// A policy of a namespace without one: an API server puts it into the namespace that a client is set to, which the file does not say.
pub(crate) fn without_namespace(document: &Value) -> Option<Refusal> {
    let kind = document.find_str(&["kind"]);
    let is_of_namespace = matches!(kind, "Policy" | "CleanupPolicy") || kind.starts_with("Namespaced");
    (is_of_namespace && document.find_str(&["metadata", "namespace"]).is_empty()).then(|| Refusal {
        class: Class::Setting,
        path: Path::from_keys(&["metadata", "name"]),
        text: format!("a {kind} without `metadata.namespace`: which objects it is for is not known"),
    })
}

/// Why Kyverno does not take what was made, each at the rule that it was made of.
pub(crate) fn made(source: &Value, policies: &Policies) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = Vec::new();
    for (at, document) in policies.documents.iter().enumerate() {
        let Some(why) = why_not(document) else { continue };
        let rules = policies.rules.get(at).map(Vec::as_slice).unwrap_or_default();
        let path = if rules.is_empty() { Path::from_keys(&["spec"]) } else { place_of_rule(source, rules) };
        let (path, text) = match in_cel(source, &path, rules.len(), &why) {
            Some((path, problem)) => (path, format!("the expression does not compile: {problem}")),
            None => (path, format!("what it would become is refused: {why}")),
        };
        // Of a policy and what is made beside it for the same rules one is named.
        if !found.iter().any(|known| known.path == path) {
            found.push(Refusal { class: Class::Rule, path, text });
        }
    }
    found
}

/// The expression of the only rule that is written in CEL and does not compile, and why.
fn in_cel(source: &Value, rule: &Path, rules: usize, why: &str) -> Option<(Path, String)> {
    let (field, problem) = why.split_once(": ")?;
    let at = field.strip_prefix("spec.validations[")?.split_once(']')?.0.parse::<usize>().ok()?;
    let expressions = rule.concat(&["validate", "cel", "expressions"].map(Segment::from));
    let path = expressions.join(at).join("expression");
    let is_written = rules == 1 && source.at_path(path.iter()).is_some();
    is_written.then(|| (path, problem.to_owned()))
}

fn why_not(document: &Value) -> Option<String> {
    let text = Text { name: "converted.yaml".into(), text: emit::document(&[], document) };
    let role =
        if document.find_str(&["kind"]) == "PolicyException" { Role::Exceptions } else { Role::Policies };
    let (_, said) = load_with(vec![(role, (&text).into())], Host::Cluster, engine_celpolicy::AS_WRITTEN);
    let of_expression = said.iter().find(|one| one.code == Code::BadExpression);
    let first = of_expression.or_else(|| said.iter().find(|one| one.severity == Severity::Error))?;
    Some(first.message.clone())
}

/// Where the first of these rules stands.
pub(crate) fn place_of_rule(document: &Value, rules: &[String]) -> Path {
    let all = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    let at = all.iter().position(|rule| rules.first().is_some_and(|name| rule.find_str(&["name"]) == name));
    Path::from_keys(&["spec", "rules"]).join(at.unwrap_or_default())
}
