//! Files: dropped on the page, chosen, or saved; what they hold goes to the inputs it belongs to.
//!
//! In: files by name and documents. Out: texts by slot, or a whole `playground.yaml`. Each document goes by its kind; the
//! rest are resources. What was not read is said.

use std::collections::BTreeMap;

use engine_lenses::wire::Text;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};

use crate::profile;
use crate::reader::{self, shapes};
use crate::slot::Slot;
use crate::state::{Source, Work};
use crate::texts::Texts;
use crate::words::open as words;

/// The files of one drop or choice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    files: Vec<File>,
    /// How many more there were.
    left: u32,
    /// While they are still read: how many documents are, and of how many.
    done: u32,
    of: u32,
}

impl Taken {
    /// How far the reading is; nothing once it has ended.
    pub(crate) fn progress(&self) -> Option<String> {
        (self.of > 0).then(|| words::reading(self.done, self.of))
    }
}

/// A file.
#[derive(Clone, Debug, Default)]
struct File {
    name: String,
    /// Whether it is too large, or a folder.
    unread: bool,
    documents: Vec<Document>,
    /// What the file holds as a `playground.yaml`, if it is one.
    profiles: Option<Vec<profile::Written>>,
}

/// A document as it is written, and what the engine's worker read of it.
#[derive(Clone, Debug, Default)]
struct Document {
    text: String,
    api_version: String,
    kind: String,
}

shapes! {
    Taken { files, left, done, of }
    File { name, unread, documents, profiles }
    Document { text, api_version "apiVersion", kind }
}

#[wasm_bindgen(raw_module = "./files.js")]
extern "C" {
    fn listen(on_files: &Closure<dyn FnMut(String)>);
    fn choose(on_files: &Closure<dyn FnMut(String)>, folder: bool);
    #[wasm_bindgen(js_name = splitLists)]
    fn split_lists(text: &str, then: &JsValue);
    fn save(name: &str, text: &str);
    #[wasm_bindgen(js_name = saveFolder)]
    fn save_folder(folder: &str, json: &str);
    fn today() -> String;
}

/// Takes what is dropped on the page, as long as the page lives.
pub(crate) fn on_drop(take: impl FnMut(Taken) + 'static) {
    listen(closure(take));
}

/// Asks the reader for files.
pub(crate) fn ask(take: impl FnMut(Taken) + 'static) {
    choose(closure(take), false);
}

/// Asks the reader for a folder.
pub(crate) fn ask_folder(take: impl FnMut(Taken) + 'static) {
    choose(closure(take), true);
}

/// The text with the items of each List as documents of their own.
pub(crate) fn split(text: &str, then: impl FnOnce(String) + 'static) {
    split_lists(text, &Closure::once_into_js(then));
}

/// Saves the texts as the file that the Kyverno Playground imports.
pub(crate) fn export(texts: &Texts) {
    save("playground.yaml", &profile::write(texts, &today()));
}

/// Saves a test with today's verdicts as a zip.
pub(crate) fn export_test(files: &[Text]) {
    save_folder("podsieve-test", &serde_json::to_string(files).unwrap_or_default());
}

fn closure(mut take: impl FnMut(Taken) + 'static) -> &'static Closure<dyn FnMut(String)> {
    let on_files = Closure::<dyn FnMut(String)>::new(move |json: String| {
        take(reader::read(&json).unwrap_or_default());
    });
    // The browser may call it at any later time, so it lives as long as the page.
    Box::leak(Box::new(on_files))
}

/// What files make of the texts on screen, and what is to be said about it.
pub(crate) fn open(taken: &Taken, current: &Texts) -> (Work, Vec<String>) {
    let profiles = taken.files.iter().find_map(|file| Some((file, file.profiles.as_ref()?)));
    let (work, mut notes) = match profiles {
        Some((file, profiles)) => of_profiles(profile::read(profiles), &file.name),
        None => of_documents(&taken.files, current),
    };
    let unread: Vec<&str> =
        taken.files.iter().filter(|file| file.unread).map(|file| file.name.as_str()).collect();
    if !unread.is_empty() {
        notes.push(words::unread(&unread));
    }
    if taken.left > 0 {
        notes.push(words::left(taken.left));
    }
    (work, notes)
}

/// Each document where it belongs.
fn of_documents(files: &[File], current: &Texts) -> (Work, Vec<String>) {
    let mut found: BTreeMap<Slot, String> = BTreeMap::new();
    let (mut names, mut aside) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| !file.unread) {
        let mut is_read = file.documents.is_empty();
        for document in &file.documents {
            let Some(slot) = slot_of(document) else {
                aside.push(words::in_file(&document.kind, &file.name));
                continue;
            };
            is_read = true;
            let text = found.entry(slot).or_default();
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&document.text);
            if !document.text.ends_with('\n') {
                text.push('\n');
            }
        }
        if is_read {
            names.push(file.name.as_str());
        }
    }
    let slots: Vec<&str> = found.keys().map(|slot| slot.title()).collect();
    let mut notes = Vec::new();
    if !names.is_empty() {
        notes.push(if found.is_empty() { words::nothing_in(&names) } else { words::read(&names, &slots) });
    }
    if !aside.is_empty() {
        notes.push(words::aside(&aside));
    }
    let mut texts = current.clone();
    for (slot, text) in found {
        texts.set(slot, &text);
    }
    (Work { texts, source: Source::Own }, notes)
}

/// The first profile of a `playground.yaml`; the names of the others are said.
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

/// Where a document belongs; nothing for what the Kyverno CLI alone reads.
fn slot_of(Document { api_version, kind, .. }: &Document) -> Option<Slot> {
    if api_version.starts_with("cli.kyverno.io/") {
        return (kind == "Context").then_some(Slot::ImageData);
    }
    let is_kyverno = api_version.contains("kyverno.io/");
    let is_admission = api_version.starts_with("admissionregistration.k8s.io/");
    Some(match kind.as_str() {
        "PolicyException" if is_kyverno => Slot::Exceptions,
        _ if is_kyverno && kind.ends_with("Policy") => Slot::Policy,
        // Kubernetes' own policies, and what binds them.
        _ if is_admission && (kind.ends_with("Policy") || kind.ends_with("PolicyBinding")) => Slot::Policy,
        "CustomResourceDefinition" => Slot::Definitions,
        _ => Slot::Resource,
    })
}

#[cfg(test)]
mod tests;
