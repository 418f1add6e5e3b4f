//! The commands of the page: everything that can be done on it, by name.
//!
//! In: the state. Out: [`Command`]s that make sense now; and those that a typed text means, the best first. What they do is
//! in `components/palette.rs`.

use crate::browser::lowercase;
use crate::samples::{self, Entry};
use crate::slot::Slot;
use crate::state::{Panel, State, Tab, Theme};
use crate::words::commands as words;

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Panel(Panel),
    Input(Slot),
    Tab(Tab),
    Sample(Entry),
    Space(String),
    Theme(Option<Theme>),
    Back,
    Reset,
    New,
    Wrap,
    Files,
    Export,
    Test,
    CopyLink,
    CopyOriginal,
    Search,
    /// To ask about the line with the cursor.
    Line,
}

/// One line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) title: String,
    /// What kind of thing it is about.
    pub(crate) group: &'static str,
    /// The key that does the same.
    pub(crate) key: &'static str,
    pub(crate) does: Does,
}

/// The commands that make sense now.
pub(crate) fn all(state: &State) -> Vec<Command> {
    let mut all = Vec::new();
    let mut add = |group: &'static str, title: &str, key: &'static str, does: Does| {
        all.push(Command { title: title.to_owned(), group, key, does });
    };
    for tab in state.result_tabs() {
        add(words::TAB, tab.title(), "", Does::Tab(tab));
    }
    for slot in Slot::ALL {
        add(words::INPUT, slot.title(), "", Does::Input(slot));
    }
    for (title, panel, key) in [
        (words::SAMPLES, Panel::Samples, ""),
        (words::OPEN, Panel::Open, ""),
        (words::SHARE, Panel::Share, ""),
        (words::SPACES, Panel::Spaces, ""),
        (words::ABOUT, Panel::About, "?"),
    ] {
        add(words::PAGE, title, key, Does::Panel(panel));
    }
    if state.verdict.output.is_some() {
        add(words::PAGE, words::SEARCH, "/", Does::Search);
        add(words::PAGE, words::LINE, words::LINE_KEY, Does::Line);
    }
    for (title, does) in [
        (words::LINK, Does::CopyLink),
        (words::ORIGINAL, Does::CopyOriginal),
        (words::FILES, Does::Files),
        (words::EXPORT, Does::Export),
        (words::TEST, Does::Test),
    ] {
        add(words::PAGE, title, "", does);
    }
    if state.way_back().is_some() {
        add(words::PAGE, words::BACK, "", Does::Back);
    }
    add(words::PAGE, words::NEW, "", Does::New);
    add(words::PAGE, words::RESET, "", Does::Reset);
    add(words::PAGE, words::WRAP, words::WRAP_KEY, Does::Wrap);
    for (title, theme) in
        [(words::LIGHT, Some(Theme::Light)), (words::DARK, Some(Theme::Dark)), (words::SYSTEM, None)]
    {
        add(words::PAGE, title, "", Does::Theme(theme));
    }
    for space in state.spaces.all.iter() {
        add(words::SPACE, &space.name, "", Does::Space(space.name.clone()));
    }
    for entry in samples::entries() {
        add(words::SAMPLE, entry.title, "", Does::Sample(entry));
    }
    all
}

/// The commands that hold every typed word, in title or kind: those whose title begins with the text first, then those in
/// which each word begins one, then the rest.
pub(crate) fn matching(all: Vec<Command>, typed: &str) -> Vec<Command> {
    let typed = lowercase(typed.trim());
    let wanted: Vec<&str> = typed.split_whitespace().collect();
    let rank = |command: &Command| {
        let title = lowercase(&command.title);
        let whole = format!("{title} {}", command.group);
        let begins = |word: &&str| {
            whole.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.starts_with(*word))
        };
        if !wanted.iter().all(|word| whole.contains(word)) {
            None
        } else if title.starts_with(&typed) {
            Some(0)
        } else {
            Some(if wanted.iter().all(begins) { 1 } else { 2 })
        }
    };
    let found: Vec<(u8, Command)> =
        all.into_iter().filter_map(|command| Some((rank(&command)?, command))).collect();
    // One rank after the other: three looks weigh less than a sort.
    let of = |wanted: u8| {
        found.iter().filter(move |(rank, _)| *rank == wanted).map(|(_, command)| command.clone())
    };
    (0..=2).flat_map(of).collect()
}

#[cfg(test)]
mod tests;
