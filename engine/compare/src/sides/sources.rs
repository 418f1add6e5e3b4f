//! The texts of a side as the engine reads them.
//!
//! In: texts in which exceptions for policies in CEL may stand beside the policies. Out: sources; such exceptions stand in one of their
//! own, where they are read as exceptions. Every line keeps its number, as what goes elsewhere leaves its lines empty.

use engine::load::{Host, Role, load};
use engine::wire::Text;
use engine::yaml::Source;

/// The sources of a side.
pub(crate) fn sources(texts: &[Text]) -> Vec<(Role, Source)> {
    let mut all = Vec::new();
    for text in texts {
        match apart(text) {
            None => all.push((Role::Policies, text.into())),
            Some((policies, exceptions)) => {
                all.push((Role::Policies, (&policies).into()));
                all.push((Role::Exceptions, (&exceptions).into()));
            }
        }
    }
    all
}

/// The policies and the exceptions of a text that has such exceptions.
fn apart(text: &Text) -> Option<(Text, Text)> {
    if !text.text.contains("PolicyException") {
        return None;
    }
    let (bundle, _) = load(vec![(Role::Policies, text.into())], Host::Cluster);
    let mut spans: Vec<(usize, usize, bool)> = Vec::new();
    for document in &bundle.documents {
        let is_exception = document.value.find_str(&["kind"]) == "PolicyException"
            && document.value.find_str(&["apiVersion"]).starts_with("policies.kyverno.io/");
        let (start, end) = (document.span.start as usize, document.span.end as usize);
        spans.push((start, end, is_exception));
    }
    if !spans.iter().any(|(_, _, is_exception)| *is_exception) {
        return None;
    }
    let without = |gone: bool| {
        let mut out = text.text.clone();
        for (start, end, _) in spans.iter().filter(|(_, _, is_exception)| *is_exception == gone) {
            if let Some(part) = text.text.get(*start..*end) {
                out.replace_range(*start..*end, &blank(part));
            }
        }
        Text { name: text.name.clone(), text: out }
    };
    Some((without(true), without(false)))
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
}
