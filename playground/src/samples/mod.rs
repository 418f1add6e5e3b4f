//! The samples: each a Markdown file `samples/GROUP/NAME.md`, collected by `build.rs`.
//!
//! In: a title line, prose, a `yaml KEY` block for each text (`policy`, `resource`, `clusterResources` and the other keys
//! of a link), perhaps a `text view` block with the tab to open, a `text expect` block of lines such as
//! `fail  policy/rule  default/Pod/web` (status, policy and rule, namespace, kind and name; `-` for no namespace).
//! Out: [`Sample`]s in menu order, and the expectations that a test holds against the engine.

use crate::slot::Slot;
use crate::state::Tab;
use crate::texts::Texts;

mod files {
    //! The texts as they were when the page was built.
    include!(concat!(env!("OUT_DIR"), "/samples.rs"));
}

/// One entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// `mesh/service-mesh-capabilities`: stable, never shown.
    pub(crate) id: String,
    /// The menu's heading.
    pub(crate) group: &'static str,
    /// The menu's entry.
    pub(crate) title: String,
    /// What it shows and what to try, one paragraph.
    pub(crate) about: String,
    texts: Texts,
    /// The tab that tells its story best.
    pub(crate) view: Tab,
    /// What the test expects.
    pub(crate) expect: Vec<String>,
}

/// The sample that a newcomer sees first.
const FIRST: &str = "mesh/service-mesh-capabilities";

/// All samples, in the order of the menu: group by group, the newcomer's first, then by file name.
pub(crate) fn all() -> Vec<Sample> {
    let mut samples: Vec<Sample> =
        files::FILES.iter().map(|(group, name, text)| read(group, name, text)).collect();
    samples.sort_by_key(|sample| (rank(sample.group), sample.id != FIRST));
    samples
}

/// The newcomer's sample.
pub(crate) fn first() -> Option<Sample> {
    let samples = all();
    samples.first().cloned()
}

impl Sample {
    pub(crate) fn texts(&self) -> Texts {
        self.texts.clone()
    }
}

/// Folders and their headings, in the order of the menu.
const GROUPS: [(&str, &str); 4] = [
    ("mesh", "Service meshes"),
    ("pod-security", "Pod security"),
    ("objects", "New objects"),
    ("good-practice", "Good practice"),
];

fn heading(group: &str) -> &'static str {
    GROUPS.iter().find(|(folder, _)| *folder == group).map_or("More", |(_, heading)| heading)
}

fn rank(heading: &str) -> usize {
    GROUPS.iter().position(|(_, known)| *known == heading).unwrap_or(GROUPS.len())
}

/// Reads one file; a part that is missing is empty, and the test says so.
fn read(group: &str, name: &str, text: &str) -> Sample {
    let mut sample = Sample {
        id: format!("{group}/{name}"),
        group: heading(group),
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
        // Indented lines tell what was made, which the suite holds against the engine.
        None => {
            let verdicts = content.lines().filter(|line| !line.starts_with(' '));
            sample.expect = verdicts.map(str::to_owned).collect();
        }
    }
}

#[cfg(test)]
mod tests;
