//! The samples: each a Markdown file `samples/GROUP/NAME.md`, collected by `build.rs`.
//!
//! In: a title line, prose, a `yaml KEY` block for each text (`policy`, `resource`, `clusterResources` and the other keys
//! of a link), perhaps a `text view` block with the tab to open, a `text expect` block of lines such as
//! `fail  policy/rule  default/Pod/web` (status, policy and rule, namespace, kind and name; `-` for no namespace).
//! Out: [`Entry`]s in menu order, a [`Sample`] for one of them, and the expectations that a test holds against the engine.
//! The texts of the entries come late, together: `late/samples.json` of the built page.

use crate::browser::lowercase;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};

use crate::slot::Slot;
use crate::state::Tab;
use crate::texts::Texts;
use crate::words::samples as words;

mod files {
    //! The texts as they were when the page was built.
    include!(concat!(env!("OUT_DIR"), "/samples.rs"));
}

/// One entry of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The folder.
    folder: &'static str,
    /// The file, without its ending.
    name: &'static str,
    /// What it is called in the menu.
    pub(crate) title: &'static str,
    /// What it shows, in a sentence.
    pub(crate) line: &'static str,
    /// The name of its first policy.
    policy: &'static str,
}

/// What an entry opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The menu's entry.
    pub(crate) title: String,
    /// What it shows and what to try, one paragraph.
    pub(crate) about: String,
    texts: Texts,
    /// The tab that says its story best.
    pub(crate) view: Tab,
    /// What the test expects.
    pub(crate) expect: Vec<String>,
}

#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    #[wasm_bindgen(js_name = readSample)]
    fn read_sample(id: &str, then: &JsValue);
}

/// The menu: group by group, the newcomer's first, then by file name.
pub(crate) fn entries() -> Vec<Entry> {
    let entry = |&(folder, name, title, line, policy)| Entry { folder, name, title, line, policy };
    let mut entries: Vec<Entry> = files::INDEX.iter().map(entry).collect();
    entries.sort_by_key(|entry| (rank(entry.group()), entry.id() != files::FIRST));
    entries
}

/// The sample for a policy of a library: `best-practices/require-labels` by its last part, which is the name of the policy or
/// of the file here; or by our own id.
pub(crate) fn named(policy: &str) -> Option<Entry> {
    let policy = policy.trim_matches('/');
    let last = policy.rsplit('/').next().unwrap_or_default();
    let entries = entries();
    let find = |is_it: &dyn Fn(&Entry) -> bool| entries.iter().find(|entry| is_it(entry)).copied();
    // Our own name before that of another's file.
    find(&|entry| entry.id() == policy)
        .or_else(|| find(&|entry| entry.name == last))
        .or_else(|| find(&|entry| entry.policy == last))
}

/// The entries that hold every typed word, in title, sentence or heading; all of them where none is typed.
pub(crate) fn found(typed: &str) -> Vec<Entry> {
    let typed = lowercase(typed);
    let holds = |entry: &Entry| {
        let described = lowercase(&format!("{} {} {}", entry.title, entry.line, entry.group()));
        typed.split_whitespace().all(|word| described.contains(word))
    };
    entries().into_iter().filter(holds).collect()
}

/// The entry with this title.
pub(crate) fn titled(title: &str) -> Option<Entry> {
    entries().into_iter().find(|entry| entry.title == title)
}

/// Whether this is the title of the newcomer's sample.
pub(crate) fn is_first(title: &str) -> bool {
    entries().first().is_some_and(|entry| entry.title == title)
}

/// The newcomer's sample.
pub(crate) fn first() -> Sample {
    read(files::FIRST_TEXT)
}

impl Entry {
    /// `mesh/service-mesh-capabilities`: stable, never shown.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }

    /// The menu's heading.
    pub(crate) fn group(&self) -> &'static str {
        heading(self.folder)
    }

    /// Fetches the sample; `None` where it cannot be had.
    pub(crate) fn fetch(&self, then: impl FnOnce(Option<Sample>) + 'static) {
        let answer = move |text: String| then((!text.is_empty()).then(|| read(&text)));
        read_sample(&self.id(), &Closure::once_into_js(answer));
    }
}

impl Sample {
    pub(crate) fn texts(&self) -> Texts {
        self.texts.clone()
    }
}

fn heading(group: &str) -> &'static str {
    words::GROUPS
        .iter()
        .find(|(folder, _)| *folder == group)
        .map_or(words::OTHER_GROUP, |(_, heading)| heading)
}

fn rank(heading: &str) -> usize {
    words::GROUPS.iter().position(|(_, known)| *known == heading).unwrap_or(words::GROUPS.len())
}

/// Reads one file; a part that is missing is empty, and the test says so.
fn read(text: &str) -> Sample {
    let mut sample = Sample {
        title: String::new(),
        about: String::new(),
        texts: Texts::default(),
        view: Tab::Results,
        expect: Vec::new(),
    };
    let mut block: Option<(&str, String)> = None;
    for line in text.lines() {
        if let Some((kind, content)) = &mut block {
            if line == "```" {
                take(&mut sample, kind, content);
                block = None;
            } else {
                content.push_str(line);
                content.push('\n');
            }
        } else if let Some(kind) = line.strip_prefix("```") {
            block = Some((kind, String::new()));
        } else if let Some(title) = line.strip_prefix("# ") {
            title.clone_into(&mut sample.title);
        } else if !line.is_empty() {
            if !sample.about.is_empty() {
                sample.about.push(' ');
            }
            sample.about.push_str(line);
        }
    }
    sample
}

/// Takes over what stands in a block.
fn take(sample: &mut Sample, kind: &str, content: &str) {
    let key = kind.strip_prefix("yaml ");
    match key.and_then(|key| Slot::ALL.into_iter().find(|slot| slot.key() == key)) {
        Some(slot) => sample.texts.set(slot, content),
        None if kind == "text view" => sample.view = Tab::of_title(content.trim()).unwrap_or(Tab::Results),
        // Indented lines say what was made, which the suite holds against the engine.
        None => {
            let verdicts = content.lines().filter(|line| !line.starts_with(' '));
            sample.expect = verdicts.map(str::to_owned).collect();
        }
    }
}

#[cfg(test)]
mod tests;
