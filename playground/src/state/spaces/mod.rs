//! Named workspaces: saved, opened, renamed, deleted, each change with one step back.
//!
//! In: a name, and what is on the page. Out: another list, with a sentence about it; a bound that is met changes nothing
//! and says so. `app` keeps the list in the storage.

use crate::browser::lowercase;
use std::rc::Rc;

use super::{Source, State, Work};
use crate::words::spaces as words;

/// How many there may be.
const MOST: usize = 40;
/// How many characters they may have together: browsers keep about five million of a site.
const CHARACTERS: usize = 2_000_000;
/// How long a name may be.
const NAME: usize = 60;

/// A work under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) name: String,
    pub(crate) work: Work,
}

/// All of them, the one that is open, and the way back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spaces {
    pub(crate) all: Rc<[Space]>,
    /// The name of the one whose texts were put on the page last.
    pub(crate) open: Option<String>,
    /// What came of the last change.
    pub(crate) said: Option<String>,
    /// The list before the last change.
    pub(crate) before: Option<Rc<[Space]>>,
}

/// What is done with them.
#[derive(Clone, Debug)]
pub(crate) enum SpaceAction {
    /// The list as it is kept: at the start, and when another tab of the browser has changed it.
    Read(Rc<[Space]>),
    /// What is on the page gets this name.
    Save(String),
    Open(String),
    Rename(String, String),
    Delete(String),
    Undo,
    /// The browser keeps no more: the list is as it was.
    Refused,
}

impl Spaces {
    pub(crate) fn get(&self, name: &str) -> Option<&Space> {
        self.all.iter().find(|space| space.name == name)
    }

    /// Takes over a new list; the old one is one step away.
    fn change(&mut self, all: Vec<Space>, said: String) {
        self.before = Some(std::mem::replace(&mut self.all, all.into()));
        self.said = Some(said);
    }

    fn save(&mut self, name: &str, work: Work) {
        let is_new = self.get(name).is_none();
        let mut all: Vec<Space> = self.all.iter().filter(|space| space.name != name).cloned().collect();
        let space = Space { name: name.to_owned(), work };
        let characters = all.iter().chain([&space]).map(size).sum();
        if is_new && all.len() >= MOST {
            self.said = Some(words::too_many(MOST));
        } else if characters > CHARACTERS {
            self.said = Some(words::too_large(characters, CHARACTERS));
        } else {
            insert(&mut all, space);
            self.change(all, if is_new { words::saved(name) } else { words::replaced(name) });
            self.open = Some(name.to_owned());
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        if self.get(to).is_some() {
            self.said = Some(words::taken(to));
            return;
        }
        let Some(work) = self.get(from).map(|space| space.work.clone()) else { return };
        let mut all: Vec<Space> = self.all.iter().filter(|space| space.name != from).cloned().collect();
        insert(&mut all, Space { name: to.to_owned(), work });
        self.change(all, words::renamed(from, to));
        if self.open.as_deref() == Some(from) {
            self.open = Some(to.to_owned());
        }
    }

    fn delete(&mut self, name: &str) {
        let all = self.all.iter().filter(|space| space.name != name).cloned().collect();
        self.change(all, words::deleted(name));
    }

    fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            self.all = before;
            self.said = Some(words::undone());
        }
    }
}

/// Puts a workspace where its name belongs; a sort would weigh more than the whole list.
fn insert(all: &mut Vec<Space>, space: Space) {
    let at = all.partition_point(|other| lowercase(&other.name) < lowercase(&space.name));
    all.insert(at, space);
}

/// A name as it is kept, or what is wrong with it.
fn checked(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() {
        Err(words::UNNAMED.to_owned())
    } else if name.chars().count() > NAME {
        Err(words::too_long(NAME))
    } else {
        Ok(name.to_owned())
    }
}

/// How many characters a workspace has.
fn size(space: &Space) -> usize {
    space.work.texts.characters() + space.name.chars().count()
}

impl State {
    pub(super) fn after_space(&mut self, action: SpaceAction) {
        match action {
            SpaceAction::Read(all) => {
                self.spaces.before = None;
                self.spaces.all = all;
            }
            SpaceAction::Save(name) => match checked(&name) {
                Ok(name) => {
                    let work = Work { texts: self.texts.clone(), source: Source::Own };
                    self.spaces.save(&name, work);
                }
                Err(why) => self.spaces.said = Some(why),
            },
            SpaceAction::Open(name) => {
                if let Some(space) = self.spaces.get(&name) {
                    let work = space.work.clone();
                    self.open(work, vec![words::opened(&name)]);
                    self.spaces.open = Some(name);
                    self.spaces.said = None;
                }
            }
            SpaceAction::Rename(from, to) => match checked(&to) {
                Ok(to) => self.spaces.rename(&from, &to),
                Err(why) => self.spaces.said = Some(why),
            },
            SpaceAction::Delete(name) => self.spaces.delete(&name),
            SpaceAction::Undo => self.spaces.undo(),
            SpaceAction::Refused => {
                self.spaces.undo();
                let why = if self.keeps { words::FULL } else { crate::words::texts::NOT_KEPT };
                self.spaces.said = Some(why.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests;
