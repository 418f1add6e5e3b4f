//! `playground.yaml`: the file in which the Kyverno Playground exports and imports its profiles.
//!
//! In: its profiles as texts by key, read by the engine's worker. Out: profiles by name, the current one first; and back,
//! a file with one profile. Its keys are plural where a link's are singular; the original writes `clusterResources` and
//! reads `clutserResources`, we read both.

use std::fmt::Write as _;

use engine_lenses::share;

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

/// A profile as it stands in the file: texts by key.
pub(crate) type Written = Vec<(String, String)>;

/// The profiles of a file, the current one first.
pub(crate) fn read(profiles: &[Written]) -> Vec<(String, Texts)> {
    let mut read: Vec<(String, Texts)> = profiles.iter().map(profile).collect();
    read.sort_by_key(|(name, _)| name != CURRENT);
    read
}

fn profile(written: &Written) -> (String, Texts) {
    let find = |key: &str| written.iter().find(|(known, _)| known == key).map_or("", |(_, text)| text);
    let mut state = share::State::new();
    for (key, slot) in KEYS {
        let text = find(key);
        if !text.is_empty() {
            state.set(slot, text);
        }
    }
    (find("name").to_owned(), Texts::of_link(state))
}

/// The file of what is on screen; `date` as `2026-01-31`.
pub(crate) fn write(texts: &Texts, date: &str) -> String {
    let state = texts.to_link();
    let mut out =
        format!("date: {date:?}\nversion: {:?}\nprofiles:\n- name: {CURRENT}\n", env!("CARGO_PKG_VERSION"));
    for (key, slot) in KEYS.into_iter().filter(|(key, _)| *key != "clutserResources") {
        let _ = write!(out, "  {key}: ");
        write_text(&mut out, state.get(slot).unwrap_or_default());
    }
    out
}

/// A text as a block where a block can hold it as it is, else in quotes: a JSON text is one of YAML too.
fn write_text(out: &mut String, text: &str) {
    let body = text.strip_suffix('\n').unwrap_or(text);
    // Letters of most scripts; not the separators and marks of U+2000 and later, some of which break lines in YAML 1.1.
    let is_plain = |c: char| matches!(c, '\n' | ' '..='~' | '\u{a1}'..='\u{1fff}' | '\u{3041}'..='\u{d7ff}');
    let fits = !body.is_empty()
        && !body.starts_with([' ', '\n'])
        && !body.ends_with('\n')
        && body.chars().all(is_plain);
    if !fits {
        let _ = writeln!(out, "{}", serde_json::to_string(text).unwrap_or_default());
        return;
    }
    out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
    for line in body.split('\n') {
        out.push_str(if line.is_empty() { "" } else { "    " });
        out.push_str(line);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests;
