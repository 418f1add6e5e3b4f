//! The texts of a side as the engine reads them.
//!
//! In: texts in which exceptions for policies in CEL, and objects that policies take as parameters, may stand beside the policies. Out:
//! sources; what is not a policy stands in one of its own, where it is read as what it is. Every line keeps its number, as what goes
//! elsewhere leaves its lines empty. A manifest that is not a policy, such as a ClusterRole, decides nothing and is left out, if there is a policy
//! besides.

use engine::load::{Role, is_beside_policies};
use engine::yaml::{self, Source, SourceId};
use engine_json::{Str, Value};
use engine_lenses::wire::Text;
use std::collections::BTreeSet;

/// Version and kind of parameters.
type Kinds = BTreeSet<(Str, Str)>;

/// Groups whose objects decide requests, or belong to what does, beside those that the engine knows.
const DECIDING: [&str; 3] = ["kyverno.io/", "admissionregistration.k8s.io/", "kubewarden"];

/// The sources of a side.
pub(crate) fn sources(texts: &[Text]) -> Vec<(Role, Source)> {
    sources_of_texts(texts).map(|(role, source, _)| (role, source)).collect()
}

/// The sources of a side, each with the place of its text.
pub(crate) fn sources_of_texts(texts: &[Text]) -> impl Iterator<Item = (Role, Source, usize)> {
    let kinds = parameter_kinds(texts);
    let has_policy = has_policy(texts);
    let of_text = move |(at, text): (usize, &Text)| {
        apart(text, &kinds, has_policy).into_iter().map(move |(role, text)| (role, (&text).into(), at))
    };
    texts.iter().enumerate().flat_map(of_text)
}

/// What a side holds beside its policies that decides nothing, a line for each.
pub(crate) fn left_out(texts: &[Text]) -> Vec<String> {
    if !has_policy(texts) {
        return Vec::new();
    }
    let kinds = parameter_kinds(texts);
    let all = texts.iter().flat_map(documents).map(|document| document.value);
    all.filter(|document| role_of(document, &kinds).is_none())
        .map(|document| {
            let (kind, name) = (document.find_str(&["kind"]), document.find_str(&["metadata", "name"]));
            format!("left out: {kind} `{name}` is not a policy and decides nothing here")
        })
        .collect()
}

/// The documents of a text.
fn documents(text: &Text) -> Vec<yaml::Document> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.text.as_str().into() };
    yaml::parse(&source, &yaml::Options::default()).documents
}

/// Whether one of the documents is a policy.
fn has_policy(texts: &[Text]) -> bool {
    texts.iter().flat_map(documents).any(|document| {
        let kind = document.value.find_str(&["kind"]);
        kind.ends_with("Policy") && !is_manifest(&document.value)
    })
}

/// Whether a document only lies beside policies.
fn is_manifest(document: &Value) -> bool {
    let (version, kind) = (document.find_str(&["apiVersion"]), document.find_str(&["kind"]));
    let is_deciding = DECIDING.iter().any(|group| version.contains(group));
    !is_deciding
        && kind != "PodSecurityPolicy"
        && !kind.ends_with("List")
        && is_beside_policies(version, kind)
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

/// What a document is read as; nothing where it is none of these.
fn role_of(document: &Value, kinds: &Kinds) -> Option<Role> {
    let text = |field: &str| Str::new(document.find_str(&[field]));
    let (version, kind) = (text("apiVersion"), text("kind"));
    if kind == "PolicyException" && version.starts_with("policies.kyverno.io/") {
        Some(Role::Exceptions)
    } else if kinds.contains(&(version, kind)) {
        Some(Role::Parameters)
    } else {
        (!is_manifest(document)).then_some(Role::Policies)
    }
}

/// A text for each role that its documents have, the policies first.
fn apart(text: &Text, kinds: &Kinds, has_policy: bool) -> Vec<(Role, Text)> {
    let mut spans: Vec<(usize, usize, Option<Role>)> = Vec::new();
    for document in documents(text) {
        let (start, end) = (document.span.start as usize, document.span.end as usize);
        let role = role_of(&document.value, kinds);
        // Where nothing else is there, what is no policy is said to be none.
        spans.push((start, end, if has_policy { role } else { role.or(Some(Role::Policies)) }));
    }
    if spans.iter().all(|(_, _, role)| *role == Some(Role::Policies)) {
        return vec![(Role::Policies, text.clone())];
    }
    let with = |role: Role| {
        let mut out = text.text.clone();
        for (start, end, _) in spans.iter().filter(|(_, _, of)| *of != Some(role)) {
            if let Some(part) = text.text.get(*start..*end) {
                out.replace_range(*start..*end, &blank(part));
            }
        }
        (role, Text { name: text.name.clone(), text: out })
    };
    let others = [Role::Exceptions, Role::Parameters];
    let others = others.into_iter().filter(|role| spans.iter().any(|(_, _, of)| *of == Some(*role)));
    std::iter::once(Role::Policies).chain(others).map(with).collect()
}

/// As many lines, and as many bytes, without anything in them.
fn blank(part: &str) -> String {
    part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{left_out, sources};
    use engine::load::Role;
    use engine_lenses::wire::Text;

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

    #[test]
    fn manifests_beside_policies_are_left_out() {
        let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\n";
        let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\n";
        let text = |text: String| [Text { name: "a".into(), text }];
        let both = text(format!("{role}---\n{policy}"));
        assert_eq!(left_out(&both), ["left out: ClusterRole `r` is not a policy and decides nothing here"]);
        let all = sources(&both);
        assert!(!all[0].1.text.contains("ClusterRole"), "{}", all[0].1.text);
        assert_eq!(all[0].1.text.lines().nth(5), Some("kind: ClusterPolicy"));
        // A policy under a wrong name is none that is left out, and neither is what stands without a policy.
        for whole in [format!("{policy}---\n{}", policy.replace("Policy", "Policie")), role.to_owned()] {
            let whole = text(whole);
            assert!(left_out(&whole).is_empty());
            assert_eq!(*sources(&whole)[0].1.text, whole[0].text);
        }
    }
}
