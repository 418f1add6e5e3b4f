//! Which Pods of the texts an exemption is not meant for, though it lets them in.
//!
//! In: the resources, and what the caller ticked. Out: for each resource nothing, or why no exemption is meant for it. What
//! nobody ticked is judged by what the text calls it: its name, its labels and annotations, the comments above and in it.

use crate::wire::SieveInput;
use engine::diag::{Code, Diagnostic};
use engine::load::Bundle;
use engine::resource::Resource;
use engine_json::{Map, Value};

/// Words by which people mark a Pod that must stay out.
const WORDS: [&str; 9] = [
    "lookalike",
    "look-alike",
    "attacker",
    "impostor",
    "imposter",
    "malicious",
    "evil",
    "rogue",
    "must-be-refused",
];

/// Why no exemption is meant for each resource; nothing where one may be.
pub(super) fn not_meant(input: &SieveInput, bundle: &Bundle) -> Vec<Option<String>> {
    let why = |resource: &Resource| {
        let key = key(resource);
        if input.meant_for.contains(&key) {
            return None;
        }
        if input.not_meant_for.contains(&key) {
            return Some("it is named as one that the exemption is not meant for".to_owned());
        }
        called(resource, bundle)
    };
    bundle.resources.iter().map(why).collect()
}

/// What names no resource.
pub(super) fn unknown(input: &SieveInput, bundle: &Bundle) -> Vec<Diagnostic> {
    let all: Vec<String> = bundle.resources.iter().map(key).collect();
    let named = input.meant_for.iter().chain(&input.not_meant_for).filter(|name| !all.contains(name));
    let say = |name: &String| {
        let message = format!("there is no resource `{name}`: write `Kind/namespace/name`, or `Kind/name`");
        Diagnostic::error(Code::WrongType, None, message)
    };
    named.map(say).collect()
}

/// How a caller names a resource: `Pod/shop/web`, or `Node/one` without a namespace.
pub(super) fn key(resource: &Resource) -> String {
    let (kind, name) = (resource.kind(), resource.name_or_generate_name());
    match resource.namespace() {
        "" => format!("{kind}/{name}"),
        namespace => format!("{kind}/{namespace}/{name}"),
    }
}

/// By which word a text calls a resource one that must stay out.
fn called(resource: &Resource, bundle: &Bundle) -> Option<String> {
    let says = |what: &str, word: &str| format!("its {what} says `{word}`");
    if let Some(word) = word_in(resource.name_or_generate_name()) {
        return Some(says("name", word));
    }
    for (what, map) in [("labels", "label"), ("annotations", "annotation")]
        .map(|(key, what)| (what, resource.value.find(&["metadata", key]).and_then(Value::as_object)))
    {
        let mut texts = map.into_iter().flat_map(Map::iter);
        let found = texts.find_map(|(key, value)| word_in(key).or_else(|| value.as_str().and_then(word_in)));
        if let Some(word) = found {
            return Some(says(what, word));
        }
    }
    comments(resource, bundle).find_map(word_in).map(|word| says("comment", word))
}

/// The first of the words that stands in a text as a word of its own.
fn word_in(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let is_letter = |c: char| c.is_alphanumeric();
    WORDS.into_iter().find(|word| {
        text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).is_none_or(|before| !before.ends_with(is_letter));
            let after = text.get(at + word.len()..).unwrap_or_default();
            before && !after.strip_prefix('s').unwrap_or(after).starts_with(is_letter)
        })
    })
}

/// The lines of a resource's document that are comments, with those between it and the document before.
fn comments<'b>(resource: &Resource, bundle: &'b Bundle) -> impl Iterator<Item = &'b str> {
    let text = bundle.document(resource.document).and_then(|document| {
        let (_, source) = bundle.source(document.source)?;
        let (start, end) = (document.span.start as usize, document.span.end as usize);
        let before = source.text.get(..start)?;
        let from = before.rfind("\n---").map_or(0, |at| at + 1);
        source.text.get(from..end)
    });
    text.unwrap_or_default().lines().map(str::trim_start).filter(|line| line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::word_in;

    #[test]
    fn a_word_stands_alone() {
        assert_eq!(word_in("# The Lookalikes of the mesh"), Some("lookalike"));
        assert_eq!(word_in("app-evil-2"), Some("evil"));
        assert_eq!(word_in("medieval-devil"), None);
        assert_eq!(word_in("roguelike"), None);
    }
}
