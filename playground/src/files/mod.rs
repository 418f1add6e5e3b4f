//! Files: dropped on the page, chosen, or saved; what they hold goes to the inputs it belongs to.
//!
//! In: files by name and text. Out: texts by slot, or a whole `playground.yaml`. Each document goes by its kind; the
//! rest are resources.

use std::collections::BTreeMap;

use engine::wire::Text;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};

use crate::profile;
use crate::reader::{self, shapes};
use crate::slot::Slot;
use crate::state::{Source, Work};
use crate::texts::Texts;
use crate::words::open as words;

#[wasm_bindgen(raw_module = "./files.js")]
extern "C" {
    fn listen(on_files: &Closure<dyn FnMut(String)>);
    fn choose(on_files: &Closure<dyn FnMut(String)>);
    fn save(name: &str, text: &str);
    #[wasm_bindgen(js_name = saveFolder)]
    fn save_folder(folder: &str, json: &str);
    fn today() -> String;
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
    /// What the file holds as a `playground.yaml`, if it is one.
    pub(crate) profiles: Option<Vec<profile::Written>>,
}

shapes! {
    File { name, text, profiles }
}

/// Takes what is dropped on the page, as long as the page lives.
pub(crate) fn on_drop(take: impl FnMut(Vec<File>) + 'static) {
    listen(closure(take));
}

/// Asks the reader for files.
pub(crate) fn ask(take: impl FnMut(Vec<File>) + 'static) {
    choose(closure(take));
}

/// Saves the texts as the file that the Kyverno Playground imports.
pub(crate) fn export(texts: &Texts) {
    save("playground.yaml", &profile::write(texts, &today()));
}

/// Saves a test with today's verdicts as a zip.
pub(crate) fn export_test(files: &[Text]) {
    save_folder("podsieve-test", &serde_json::to_string(files).unwrap_or_default());
}

fn closure(mut take: impl FnMut(Vec<File>) + 'static) -> &'static Closure<dyn FnMut(String)> {
    let on_files = Closure::<dyn FnMut(String)>::new(move |json: String| {
        take(reader::read(&json).unwrap_or_default());
    });
    // The browser may call it at any later time, so it lives as long as the page.
    Box::leak(Box::new(on_files))
}

/// What files make of the texts on screen, and what is to be said about it.
pub(crate) fn open(files: &[File], current: &Texts) -> (Work, Vec<String>) {
    for file in files {
        if let Some(profiles) = &file.profiles {
            return of_profiles(profile::read(profiles), &file.name);
        }
    }
    let mut found: BTreeMap<Slot, String> = BTreeMap::new();
    for document in files.iter().flat_map(|file| documents(&file.text)) {
        let text = found.entry(slot_of(document)).or_default();
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(document);
        if !document.ends_with('\n') {
            text.push('\n');
        }
    }
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let slots: Vec<&str> = found.keys().map(|slot| slot.title()).collect();
    let note = if found.is_empty() { words::nothing_in(&names) } else { words::read(&names, &slots) };
    let mut texts = current.clone();
    for (slot, text) in found {
        texts.set(slot, &text);
    }
    (Work { texts, source: Source::Own }, vec![note])
}

/// The first profile of a `playground.yaml`; the names of the others are told.
fn of_profiles(profiles: Vec<(String, Texts)>, file: &str) -> (Work, Vec<String>) {
    let mut profiles = profiles.into_iter();
    let Some((name, texts)) = profiles.next() else {
        return (Work { texts: Texts::default(), source: Source::Own }, vec![words::no_profile(file)]);
    };
    let others: Vec<String> = profiles.map(|(name, _)| name).collect();
    let mut notes = vec![words::profile(&name, file)];
    if !others.is_empty() {
        notes.push(words::other_profiles(&others));
    }
    (Work { texts, source: Source::Own }, notes)
}

/// The documents of a text, as they are written; separators and empty ones are left out.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut starts = vec![0];
    starts.extend(text.match_indices("\n---").map(|(at, _)| at + 1));
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    let piece = move |(start, end): (usize, usize)| {
        let piece = text.get(start..end).unwrap_or_default();
        let is_separator = piece.lines().next().is_some_and(|line| line.trim_end() == "---");
        if is_separator { piece.split_once('\n').map_or("", |(_, rest)| rest) } else { piece }
    };
    let pieces = starts.into_iter().zip(ends).map(piece);
    pieces.filter(|piece| {
        piece.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    })
}

/// Where a document belongs, by the first line that names its kind.
fn slot_of(document: &str) -> Slot {
    let value = |key: &str| {
        let line =
            document.lines().find_map(|line| line.trim_start_matches(['{', ' ', '"']).strip_prefix(key));
        line.map(|rest| rest.trim_matches(['"', '\'', ':', ' ', ',', '}', '\r'])).unwrap_or_default()
    };
    let kind = value("kind");
    let api_version = value("apiVersion");
    let is_kyverno = api_version.contains("kyverno.io/");
    match kind {
        "PolicyException" if is_kyverno => Slot::Exceptions,
        _ if is_kyverno && kind.ends_with("Policy") => Slot::Policy,
        "CustomResourceDefinition" => Slot::Definitions,
        _ => Slot::Resource,
    }
}

#[cfg(test)]
mod tests;
