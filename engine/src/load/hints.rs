//! What a text probably is where it cannot be read, or is not a policy: a hint that names it.
//!
//! In: a text and the byte at which reading it stopped, or the kind of a document. Out: what to do, such as `there is a
//! tab here: YAML indents with spaces`; nothing where the text gives no sign.

use super::decode::distance;
use super::layout::{self, Hint};
use crate::diag::Code;
use engine_json::Value;

/// So many bytes around the place are looked at.
const NEAR: usize = 2_000;
/// How many letters may be wrong in a kind.
const SLIP: usize = 3;

const TAB: &str = "there is a tab here: YAML indents with spaces";
const STAR: &str = "a bare `*` begins an alias in YAML: write it in quotes, as in `\"*\"`";
const HELM: &str = "this looks like a Helm template: give what `helm template` prints";
const EXPRESSION: &str = "put a value that begins with an expression in quotes: `\"{{ … }}\"`";
const REGO: &str =
    "this looks like Rego, the language of OPA and Gatekeeper: only Kyverno's policies are evaluated here";
const PATH: &str = "this looks like the path of a file: give the text that is in it";
const ELSEWHERE: &str = "give a resource among the resources (`--resource` in the terminal); policies are kinds such as `ClusterPolicy` and `ValidatingPolicy`";
const GATEKEEPER: &str = "this is Gatekeeper's: only Kyverno's policies are evaluated here";

/// What follows `{{` in Helm's templates, and in no expression of Kyverno's.
const OF_HELM: &[&str] = &[
    "-",
    " .",
    ".",
    "/*",
    " include ",
    " if ",
    " else",
    " end ",
    " range ",
    " with ",
    " template ",
    " toYaml ",
    " $",
    " define ",
    " tpl ",
];

/// Kinds of policies, with the version that is written for each.
const POLICIES: &[(&str, &str)] = &[
    ("ClusterPolicy", "kyverno.io/v1"),
    ("Policy", "kyverno.io/v1"),
    ("PolicyException", "kyverno.io/v2"),
    ("CleanupPolicy", "kyverno.io/v2"),
    ("ClusterCleanupPolicy", "kyverno.io/v2"),
    ("ValidatingPolicy", "policies.kyverno.io/v1"),
    ("MutatingPolicy", "policies.kyverno.io/v1"),
    ("GeneratingPolicy", "policies.kyverno.io/v1"),
    ("DeletingPolicy", "policies.kyverno.io/v1"),
    ("ImageValidatingPolicy", "policies.kyverno.io/v1"),
];

/// The hint for a text that is not YAML, by what stands at and before the place.
pub(super) fn of_syntax(text: &str, at: usize, message: &str) -> Option<Hint> {
    let from = text.floor_char_boundary(at.saturating_sub(NEAR));
    let to = text.ceil_char_boundary(at.saturating_add(NEAR).min(text.len()));
    let before = text.get(from..text.floor_char_boundary(at)).unwrap_or_default();
    let near = text.get(from..to).unwrap_or_default();
    // The line of the place, and those above it where the mistake may have begun.
    let seen = before.rsplit('\n').take(3).chain(text.get(at..to).unwrap_or_default().split('\n').take(1));
    let lines: Vec<&str> = seen.collect();
    let any = |is: fn(&str) -> bool| lines.iter().any(|line| is(line));
    let known = if is_helm(near) {
        HELM
    } else if any(is_indented_by_tab) {
        TAB
    } else if is_rego(near) {
        REGO
    } else if any(has_bare_star) || lines.windows(2).any(|pair| has_bare_star(&pair.concat())) {
        STAR
    } else if let Some(hint) = layout::hint(text, at, message) {
        return Some(hint);
    } else if near.contains(": {{") || near.contains("- {{") {
        EXPRESSION
    } else {
        return None;
    };
    Some((known.to_owned(), None))
}

/// The hint for a document of the policies that says not what it is.
pub(super) fn of_nothing(value: &Value) -> Option<&'static str> {
    let text = value.as_str()?;
    let is_path = !text.contains(char::is_whitespace)
        && [".yaml", ".yml", ".json"].iter().any(|ending| text.ends_with(ending));
    if is_path { Some(PATH) } else { is_rego(text).then_some(REGO) }
}

/// The hint for a document of the policies that is not a policy, and what kind of mistake that is: a policy under a version
/// without a group belongs nowhere else.
pub(super) fn of_kind(version: &str, kind: &str) -> (Code, String) {
    if version.contains("gatekeeper.sh/") {
        return (Code::UnknownKind, GATEKEEPER.to_owned());
    }
    let code = if version.contains('/') { Code::UnknownKind } else { Code::UnknownValue };
    let near = |(name, _): &&(&str, &str)| {
        kind.len() + SLIP > name.len()
            && distance(kind, name) <= if version.contains("kyverno.io") { SLIP } else { 1 }
    };
    match POLICIES.iter().filter(near).min_by_key(|(name, _)| distance(kind, name)) {
        Some((name, right)) if *name == kind => (code, format!("write `apiVersion: {right}`")),
        Some((name, _)) => (code, format!("did you mean `{name}`?")),
        None => (Code::UnknownKind, ELSEWHERE.to_owned()),
    }
}

/// Whether an object of this version and kind is a manifest that only lies beside policies: no policy under a wrong name or version,
/// and none of another engine that is known here.
#[must_use]
pub fn is_beside_policies(version: &str, kind: &str) -> bool {
    !version.is_empty()
        && !kind.is_empty()
        && of_kind(version, kind) == (Code::UnknownKind, ELSEWHERE.to_owned())
}

fn is_helm(text: &str) -> bool {
    text.contains("-}}")
        || text.split("{{").skip(1).any(|rest| OF_HELM.iter().any(|sign| rest.starts_with(sign)))
}

fn is_indented_by_tab(line: &str) -> bool {
    line.chars().take_while(|letter| letter.is_whitespace()).any(|letter| letter == '\t')
}

/// `package NAME` before anything else.
fn is_rego(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let name = first.and_then(|line| line.strip_prefix("package "));
    name.is_some_and(|rest| !rest.split_whitespace().next().unwrap_or_default().ends_with(':'))
}

/// A star at the beginning of a value or of an item of a list, outside quotes: `*`, `*-prod`, `[*]`.
fn has_bare_star(line: &str) -> bool {
    let (mut quote, mut last) = (None, None);
    for sign in line.chars() {
        match quote {
            Some(open) => quote = (sign != open).then_some(open),
            None if matches!(sign, '"' | '\'') && !last.is_some_and(char::is_alphanumeric) => {
                quote = Some(sign);
            }
            None if sign == '*' && last.is_none_or(|last| ":-[,{".contains(last)) => return true,
            None => {}
        }
        if !sign.is_whitespace() {
            last = Some(sign);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hint for a text whose reading stops at the mark `^`.
    fn hint(text: &str) -> Option<String> {
        let at = text.find('^').unwrap();
        of_syntax(&text.replace('^', ""), at, "found what is not expected").map(|(words, _)| words)
    }

    #[test]
    fn what_stops_the_reader_is_named() {
        let hint = |text: &str| hint(text).unwrap_or_default();
        assert_eq!(hint("kind: Pod\nspec:\n^\tcontainers: []\n"), TAB);
        assert_eq!(hint("kinds:\n- ^*\n"), STAR);
        assert_eq!(hint("name: ^*-prod"), STAR);
        assert_eq!(hint("kinds: [*^]"), STAR);
        assert_eq!(hint("message: don't\nkinds: [Pod, ^*]"), STAR);
        assert!(!hint("message:no\npattern^: {image: \"!*:latest & *:*\", a: '* b'}").contains(STAR));
        assert_eq!(hint("a: 1\n^{{- if .Values.on }}\nb: 2\n{{- end }}\n"), HELM);
        assert_eq!(hint("name: ^{{ .Values.name }}\n"), HELM);
        assert_eq!(hint("value: ^{{ request.object.metadata.name }}\n"), EXPRESSION);
        assert_eq!(hint("# a policy\npackage kubernetes.admission\n\ndeny[msg] ^{\n"), REGO);
        assert_eq!(hint("a: b: ^c"), "");
        assert_eq!(hint("é: b: ^c"), "");
    }

    #[test]
    fn a_path_in_place_of_a_text_is_named() {
        let hint = |text: &str| of_nothing(&Value::String(text.into()));
        assert_eq!([hint("./policies/latest.yaml"), hint("pod.json")], [Some(PATH); 2]);
        assert_eq!(hint("see pod.yaml"), None);
    }

    #[test]
    fn a_kind_with_a_slip_is_named() {
        assert_eq!(of_kind("kyverno.io/v1", "ClusterPolic").1, "did you mean `ClusterPolicy`?");
        assert_eq!(of_kind("kyverno.io/v1", "clusterpolicy").1, "did you mean `ClusterPolicy`?");
        assert_eq!(of_kind("kyverno.io/v1beta1", "ClusterPolicy").1, "write `apiVersion: kyverno.io/v1`");
        assert_eq!(of_kind("templates.gatekeeper.sh/v1", "ConstraintTemplate").1, GATEKEEPER);
        // What can be moved to the resources by a button is of an unknown kind; a policy is not moved.
        let codes = [("v1", "ClusterPolicy"), ("v1", "Pod"), ("iam.example.com/v1", "Policy")];
        let codes = codes.map(|(version, kind)| of_kind(version, kind).0);
        assert_eq!(codes, [Code::UnknownValue, Code::UnknownKind, Code::UnknownKind]);
        assert!(of_kind("v1", "Pod").1.starts_with("give a resource among the resources"));
        let beside = |version, kind| is_beside_policies(version, kind);
        assert!(beside("v1", "ConfigMap") && beside("rbac.authorization.k8s.io/v1", "ClusterRole"));
        assert!(
            !beside("v1", "ClusterPolicy") && !beside("kyverno.io/v1", "ClusterPolice") && !beside("v1", "")
        );
        assert!(of_kind("v1", "Job").1.starts_with("give a resource among the resources"));
    }
}
