//! `playground.yaml`: the file in which the Kyverno Playground exports and imports its profiles.
//!
//! In: a text. Out: profiles by name, the current one first; and back, with one profile. Its keys are plural where a
//! link's are singular; the original writes `clusterResources` and reads `clutserResources`, we read both.

use engine::json::{Map, Value};
use engine::share;
use engine::yaml::{Options, Source, SourceId, emit, parse};

use crate::texts::Texts;

/// The profile that is on screen.
const CURRENT: &str = "current-state";

/// The keys of the file and those of a link.
const KEYS: [(&str, &str); 11] = [
    ("policies", "policy"),
    ("resources", "resource"),
    ("oldResources", "oldResource"),
    ("context", "context"),
    ("config", "config"),
    ("customResourceDefinitions", "customResourceDefinitions"),
    ("clusterResources", "clusterResources"),
    ("clutserResources", "clusterResources"),
    ("exceptions", "exceptions"),
    ("imageData", "imageData"),
    ("vapBindings", "vapBindings"),
];

/// The profiles of a file, the current one first; `None` where the text is no such file.
pub(crate) fn read(text: &str) -> Option<Vec<(String, Texts)>> {
    // Quickly over everything else.
    if !text.contains("profiles") {
        return None;
    }
    let source = Source { id: SourceId(0), name: "playground.yaml".into(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    let profiles = parsed.documents.first()?.value.get("profiles")?.as_array()?;
    let mut read: Vec<(String, Texts)> = profiles.iter().map(profile).collect();
    read.sort_by_key(|(name, _)| name != CURRENT);
    Some(read)
}

fn profile(value: &Value) -> (String, Texts) {
    let mut state = share::State::new();
    for (key, slot) in KEYS {
        if let Some(text) = value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()) {
            state.set(slot, text);
        }
    }
    (value.find_str(&["name"]).to_owned(), Texts::of_link(state))
}

/// The file of what is on screen; `date` as `2026-01-31`.
pub(crate) fn write(texts: &Texts, date: &str) -> String {
    let state = texts.to_link(true, true);
    let text = |text: &str| Value::String(text.into());
    let mut profile = vec![("name".into(), text(CURRENT))];
    for (key, slot) in KEYS.into_iter().filter(|(key, _)| *key != "clutserResources") {
        profile.push((key.into(), text(state.get(slot).unwrap_or_default())));
    }
    let profiles = Value::array(vec![Value::object(Map::from_entries(profile))]);
    let file = vec![
        ("date".into(), text(date)),
        ("version".into(), text(env!("CARGO_PKG_VERSION"))),
        ("profiles".into(), profiles),
    ];
    emit::to_yaml_ordered(&Value::object(Map::from_entries(file)))
}

#[cfg(test)]
mod tests;
