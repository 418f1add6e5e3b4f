//! What is kept in this browser: the texts on screen, works put aside, the theme, the widths of the columns.
//!
//! In and out: JSON in localStorage under `podsieve:…`. Where storage is forbidden, nothing is kept and nothing fails.

use engine::share;
use gloo_storage::{LocalStorage, Storage as _};
use serde::{Deserialize, Serialize};

use crate::state::{Source, State, Work};
use crate::texts::Texts;

const WORK: &str = "podsieve:work";
const THEME: &str = "podsieve:theme";
const COLUMNS: &str = "podsieve:columns";

#[derive(Serialize, Deserialize)]
struct Stored {
    current: StoredWork,
    touched: bool,
    kept: Vec<StoredWork>,
}

#[derive(Serialize, Deserialize)]
struct StoredWork {
    source: StoredSource,
    /// Keys and texts, as in a link.
    texts: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StoredSource {
    Own,
    Link,
    Sample { title: String, about: String },
}

/// Keeps what a reload shall show again.
pub(crate) fn keep(state: &State) {
    let current = Work { texts: state.texts.clone(), source: state.source.clone() };
    let stored = Stored {
        current: to_stored(&current),
        touched: state.touched,
        kept: state.kept.iter().map(to_stored).collect(),
    };
    // A full or forbidden storage must not stop anybody from typing.
    drop(LocalStorage::set(WORK, stored));
}

/// What was kept: current work, whether it was edited, works put aside.
pub(crate) fn kept() -> Option<(Work, bool, Vec<Work>)> {
    let stored: Stored = LocalStorage::get(WORK).ok()?;
    Some((from_stored(stored.current), stored.touched, stored.kept.into_iter().map(from_stored).collect()))
}

/// `light`, `dark`, or nothing where the system decides.
pub(crate) fn theme() -> Option<String> {
    LocalStorage::raw().get_item(THEME).ok()?
}

/// Keeps the theme; written bare, because boot.js reads it before this module runs.
pub(crate) fn keep_theme(theme: Option<&str>) {
    let storage = LocalStorage::raw();
    // As above: what cannot be kept is not kept.
    drop(match theme {
        Some(theme) => storage.set_item(THEME, theme),
        None => storage.remove_item(THEME),
    });
}

/// The widths of the first two columns, in hundredths of the page.
pub(crate) fn columns() -> Option<(f64, f64)> {
    LocalStorage::get(COLUMNS).ok()
}

pub(crate) fn keep_columns(columns: (f64, f64)) {
    drop(LocalStorage::set(COLUMNS, columns));
}

fn to_stored(work: &Work) -> StoredWork {
    let source = match &work.source {
        Source::Own => StoredSource::Own,
        Source::Link => StoredSource::Link,
        Source::Sample { title, about } => {
            StoredSource::Sample { title: title.clone(), about: about.clone() }
        }
    };
    let state = work.texts.to_link(true, true);
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
        StoredSource::Sample { title, about } => Source::Sample { title, about },
    };
    Work { texts, source }
}
