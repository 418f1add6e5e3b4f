//! The texts of a side as the engine reads them.
//!
//! In: texts in which exceptions for policies in CEL, and objects that policies take as parameters, may stand beside the policies. Out:
//! sources; what is not a policy stands in one of its own, where it is read as what it is. Every line keeps its number, as what goes
//! elsewhere leaves its lines empty.

use engine::load::{Host, Role, load};
use engine::wire::Text;
use engine::yaml::Source;
use engine_json::{Str, Value};
use std::collections::BTreeSet;

/// Version and kind of parameters.
type Kinds = BTreeSet<(Str, Str)>;

/// The sources of a side.
pub(crate) fn sources(texts: &[Text]) -> Vec<(Role, Source)> {
    sources_of_texts(texts).map(|(role, source, _)| (role, source)).collect()
}

/// The sources of a side, each with the place of its text.
pub(crate) fn sources_of_texts(texts: &[Text]) -> impl Iterator<Item = (Role, Source, usize)> {
    let kinds = parameter_kinds(texts);
    let of_text = move |(at, text): (usize, &Text)| {
        apart(text, &kinds).into_iter().map(move |(role, text)| (role, (&text).into(), at))
    };
    texts.iter().enumerate().flat_map(of_text)
}

/// The documents of a text.
fn documents(text: &Text) -> Vec<engine::yaml::Document> {
    load(vec![(Role::Policies, text.into())], Host::Cluster).0.documents
}

/// The kinds of which policies take parameters.
fn parameter_kinds(texts: &[Text]) -> Kinds {
    let mut kinds = Kinds::new();
    for text in texts.iter().filter(|text| text.text.contains("paramKind")) {
        for document in documents(text) {
            let rules = document.value.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
            let of_rules = rules.iter().filter_map(|rule| rule.find(&["validate", "cel", "paramKind"]));
            for kind in document.value.find(&["spec", "paramKind"]).into_iter().chain(of_rules) {
                let text = |field: &str| Str::new(kind.find_str(&[field]));
                kinds.insert((text("apiVersion"), text("kind")));
            }
        }
    }
    kinds
}

/// What a document is read as.
fn role_of(document: &Value, kinds: &Kinds) -> Role {
    let text = |field: &str| Str::new(document.find_str(&[field]));
    let (version, kind) = (text("apiVersion"), text("kind"));
    if kind == "PolicyException" && version.starts_with("policies.kyverno.io/") {
        Role::Exceptions
    } else if kinds.contains(&(version, kind)) {
        Role::Parameters
    } else {
        Role::Policies
    }
}

/// A text for each role that its documents have, the policies first.
fn apart(text: &Text, kinds: &Kinds) -> Vec<(Role, Text)> {
    if !text.text.contains("PolicyException") && kinds.is_empty() {
        return vec![(Role::Policies, text.clone())];
    }
    let mut spans: Vec<(usize, usize, Role)> = Vec::new();
    for document in documents(text) {
        let (start, end) = (document.span.start as usize, document.span.end as usize);
        spans.push((start, end, role_of(&document.value, kinds)));
    }
    let with = |role: Role| {
        let mut out = text.text.clone();
        for (start, end, _) in spans.iter().filter(|(_, _, of)| *of != role) {
            if let Some(part) = text.text.get(*start..*end) {
                out.replace_range(*start..*end, &blank(part));
            }
        }
        (role, Text { name: text.name.clone(), text: out })
    };
    let others = [Role::Exceptions, Role::Parameters];
    let others = others.into_iter().filter(|role| spans.iter().any(|(_, _, of)| of == role));
    std::iter::once(Role::Policies).chain(others).map(with).collect()
}

/// As many lines, and as many bytes, without anything in them.
fn blank(part: &str) -> String {
    part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::sources;
    use engine::load::Role;
    use engine::wire::Text;

    #[test]
    fn exceptions_keep_their_lines() {
        let text =
            "kind: ValidatingPolicy\n---\n# é\napiVersion: policies.kyverno.io/v1\nkind: PolicyException\n";
        let all = sources(&[Text { name: "a".into(), text: text.into() }]);
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].0, Role::Exceptions);
        assert_eq!(all[1].1.text.lines().nth(4), Some("kind: PolicyException"));
        assert_eq!(all[0].1.text.lines().next(), Some("kind: ValidatingPolicy"));
        assert!(!all[0].1.text.contains("PolicyException"));
    }

    #[test]
    fn parameters_are_told_from_policies_by_their_kind() {
        let text = "kind: P\nspec: {paramKind: {apiVersion: v1, kind: ConfigMap}}\n---\napiVersion: v1\nkind: ConfigMap\n";
        let all = sources(&[Text { name: "a".into(), text: text.into() }]);
        assert_eq!(all.iter().map(|(role, _)| *role).collect::<Vec<_>>(), [Role::Policies, Role::Parameters]);
        assert_eq!(all[1].1.text.lines().nth(4), Some("kind: ConfigMap"));
        assert_eq!(all[0].1.text.trim_end().lines().count(), 3);
    }
}
