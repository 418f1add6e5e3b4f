//! What is kept in this browser: the texts on screen, works put aside, named workspaces, the theme, the widths of the
//! columns.
//!
//! In and out: JSON in localStorage under `podsieve:…`. Where storage is forbidden, nothing is kept and nothing fails.

use std::rc::Rc;

use engine_lenses::share;
use serde::Serialize;

use crate::address;
use crate::browser;
use crate::reader::{self, Done, Read, Reader, shapes};
use crate::state::{Source, Space, State, Theme, Work};
use crate::texts::Texts;

const WORK: &str = "podsieve:work";
pub(crate) const SPACES: &str = "podsieve:spaces";
const THEME: &str = "podsieve:theme";
const COLUMNS: &str = "podsieve:columns";
const TRIED: &str = "podsieve:tried";

#[derive(Default, Serialize)]
struct Stored {
    current: StoredWork,
    touched: bool,
    kept: Vec<StoredWork>,
    /// The workspace that is open.
    space: Option<String>,
    /// The entry of the browser's history that it is of.
    entry: Option<String>,
}

#[derive(Default, Serialize)]
struct StoredSpace {
    name: String,
    work: StoredWork,
}

#[derive(Default, Serialize)]
struct StoredWork {
    source: StoredSource,
    /// Keys and texts, as in a link.
    texts: Vec<(String, String)>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
enum StoredSource {
    #[default]
    Own,
    Link,
    Sample(StoredSample),
}

#[derive(Default, Serialize)]
struct StoredSample {
    title: String,
    about: String,
}

shapes! {
    Stored { current, touched, kept, space, entry }
    StoredSpace { name, work }
    StoredWork { source, texts }
    StoredSample { title, about }
}

/// `"own"`, `"link"` or `{"sample": …}`.
impl Read for StoredSource {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        let mut word = String::new();
        let mut sample = StoredSample::default();
        if reader.peek() == Some(b'"') {
            word.read(reader)?;
        } else {
            reader.object(&["sample"], &mut [&mut sample])?;
        }
        *self = match word.as_str() {
            "own" => Self::Own,
            "link" => Self::Link,
            _ => Self::Sample(sample),
        };
        Ok(())
    }
}

/// Keeps what a reload shall show again.
pub(crate) fn keep(state: &State) {
    let current = Work { texts: state.texts.clone(), source: state.source.clone() };
    let stored = Stored {
        current: to_stored(&current),
        touched: state.touched,
        kept: state.kept.iter().map(to_stored).collect(),
        space: state.spaces.open.clone(),
        entry: address::number_here().map(|number| number.to_string()),
    };
    // A full or forbidden storage must not stop anybody from typing.
    set(WORK, &stored);
}

/// What was kept: current work, whether it was edited, works put aside, the name of the open workspace.
pub(crate) fn kept() -> Option<(Work, bool, Vec<Work>, Option<String>)> {
    let stored: Stored = get(WORK)?;
    let kept = stored.kept.into_iter().map(from_stored).collect();
    Some((from_stored(stored.current), stored.touched, kept, stored.space))
}

/// The entry of the browser's history that was kept last, in whichever tab.
pub(crate) fn entry() -> Option<u32> {
    get::<Stored>(WORK)?.entry?.parse().ok()
}

/// The named workspaces.
pub(crate) fn spaces() -> Rc<[Space]> {
    let stored: Vec<StoredSpace> = get(SPACES).unwrap_or_default();
    stored.into_iter().map(|space| Space { name: space.name, work: from_stored(space.work) }).collect()
}

/// Keeps the workspaces; whether the browser has taken them.
pub(crate) fn keep_spaces(spaces: &[Space]) -> bool {
    let stored = |space: &Space| StoredSpace { name: space.name.clone(), work: to_stored(&space.work) };
    let all: Vec<StoredSpace> = spaces.iter().map(stored).collect();
    set(SPACES, &all)
}

/// The theme that was chosen; nothing where the system decides.
pub(crate) fn theme() -> Option<Theme> {
    Theme::of_word(&open()?.get_item(THEME).ok()??)
}

/// Keeps the theme; written bare, because boot.js reads it before this module runs.
pub(crate) fn keep_theme(theme: Option<Theme>) {
    let Some(storage) = open() else { return };
    // As above: what cannot be kept is not kept.
    drop(match theme {
        Some(theme) => storage.set_item(THEME, theme.word()),
        None => storage.remove_item(THEME),
    });
}

/// The widths of the first two columns, in thousandths of the page.
pub(crate) fn columns() -> Option<(u32, u32)> {
    get(COLUMNS)
}

pub(crate) fn keep_columns(columns: (u32, u32)) {
    set(COLUMNS, &columns);
}

/// What is kept under a key; nothing where it is not what we write.
fn get<T: Read + Default>(key: &str) -> Option<T> {
    reader::read(&open()?.get_item(key).ok()??).ok()
}

/// Keeps a value; whether the browser has taken it.
fn set(key: &str, value: &impl Serialize) -> bool {
    let taken = || open()?.set_item(key, &serde_json::to_string(value).ok()?).ok();
    taken().is_some()
}

/// What the browser keeps for this page; nothing where it forbids that.
fn open() -> Option<web_sys::Storage> {
    browser::window()?.local_storage().ok()?
}

/// Whether anything can be kept here.
pub(crate) fn is_allowed() -> bool {
    let tried = || {
        let storage = open()?;
        storage.set_item(TRIED, "").ok()?;
        storage.remove_item(TRIED).ok()
    };
    tried().is_some()
}

fn to_stored(work: &Work) -> StoredWork {
    let source = match &work.source {
        Source::Own => StoredSource::Own,
        Source::Link => StoredSource::Link,
        Source::Sample { title, about } => {
            StoredSource::Sample(StoredSample { title: title.clone(), about: about.clone() })
        }
    };
    let state = work.texts.to_link();
    let texts = state.iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect();
    StoredWork { source, texts }
}

fn from_stored(stored: StoredWork) -> Work {
    let mut state = share::State::without_fields();
    for (key, text) in stored.texts {
        state.push(&key, text);
    }
    let texts = Texts::of_link(state);
    let source = match stored.source {
        StoredSource::Own => Source::Own,
        StoredSource::Link => Source::Link,
        StoredSource::Sample(StoredSample { title, about }) => Source::Sample { title, about },
    };
    Work { texts, source }
}
