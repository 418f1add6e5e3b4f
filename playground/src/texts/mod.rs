//! The texts of all slots, and what is made of them: the engine's input, the state of a link.
//!
//! In: text by slot. Out: `engine_lenses::wire::Input`, `engine_lenses::share::State`. Cloning is cheap.

use std::rc::Rc;

use engine_lenses::share::{self, host};
use engine_lenses::wire::{Input, Text};

use crate::slot::Slot;

/// With more resources than this no steps are asked for.
const LARGE: usize = 60;

/// Whether a line stands between documents.
fn is_border(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
}

/// The documents of a text, each with the number of its first line; without the lines between them.
fn documents(text: &str) -> Vec<(usize, String)> {
    let mut all = vec![(1, String::new())];
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if is_border(line.trim_end_matches('\n')) {
            all.push((at + 1, String::new()));
        } else if let Some((_, document)) = all.last_mut() {
            document.push_str(line);
        }
    }
    all
}

/// The place of the document that a line is in.
fn place_of(documents: &[(usize, String)], line: u32) -> usize {
    documents.iter().rposition(|(first, _)| *first <= line as usize).unwrap_or(0)
}

/// The document that a line, counted from 1, is in.
pub(crate) fn document_at(text: &str, line: u32) -> String {
    let mut all = documents(text);
    all.swap_remove(place_of(&all, line)).1
}

/// Two texts once the document of a line has gone from the end of one to the end of the other.
pub(crate) fn moved(from: &str, to: &str, line: u32) -> (String, String) {
    let mut left = documents(from);
    let (_, document) = left.remove(place_of(&left, line));
    let mut there = documents(to);
    there.push((0, document));
    (joined(&left), joined(&there))
}

fn joined(documents: &[(usize, String)]) -> String {
    let said =
        documents.iter().map(|(_, document)| document.trim_end()).filter(|document| !document.is_empty());
    said.map(|document| format!("{document}\n")).collect::<Vec<_>>().join("---\n")
}

/// One text a slot; empty where nothing was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    by_slot: [Rc<str>; Slot::ALL.len()],
    /// As whom they are evaluated, where the reader or a link has chosen it.
    host: Option<&'static str>,
    /// The link that the texts came from: its order of keys, and keys that the page has no editor for.
    base: Rc<share::State>,
}

impl Texts {
    pub(crate) fn get(&self, slot: Slot) -> &str {
        self.by_slot.get(slot as usize).map_or("", |text| text)
    }

    pub(crate) fn set(&mut self, slot: Slot, text: &str) {
        if let Some(place) = self.by_slot.get_mut(slot as usize) {
            *place = text.into();
        }
    }

    /// As whom they are evaluated: a name of `share::host::NAMES`.
    pub(crate) fn host(&self) -> &'static str {
        self.host.unwrap_or_else(|| host::usual(self.get(Slot::Policy)))
    }

    /// Has them evaluated as by this host; what is usual need not be chosen.
    pub(crate) fn choose_host(&mut self, host: &'static str) {
        self.host = Some(host).filter(|host| *host != host::usual(self.get(Slot::Policy)));
    }

    /// Whether less than half of what a text was is left of it.
    pub(crate) fn is_replaced(&self, slot: Slot, before: &Self) -> bool {
        let (old, new) = (before.get(slot).as_bytes(), self.get(slot).as_bytes());
        let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
        let kept = same(&mut old.iter().zip(new)) + same(&mut old.iter().rev().zip(new.iter().rev()));
        kept * 2 < old.len()
    }

    /// With a policy and resources alone.
    #[cfg(test)]
    pub(crate) fn of_sample(policy: &str, resource: &str) -> Self {
        let mut texts = Self::default();
        texts.set(Slot::Policy, policy);
        texts.set(Slot::Resource, resource);
        texts
    }

    /// Whether the engine would be asked the same: new policies are compared and not evaluated.
    pub(crate) fn are_evaluated_alike(&self, other: &Self) -> bool {
        self.host() == other.host()
            && Slot::ALL.into_iter().all(|slot| slot == Slot::NewPolicy || self.get(slot) == other.get(slot))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_slot.iter().all(|text| text.trim().is_empty())
    }

    /// The same, with all steps of the rules that matched, for who asks why.
    pub(crate) fn input_with_steps(&self) -> Input {
        Input { trace: !self.is_large(), ..self.input() }
    }

    /// What the engine is asked.
    pub(crate) fn input(&self) -> Input {
        let of = |slot: Slot| {
            let text = self.get(slot);
            if text.trim().is_empty() {
                return Vec::new();
            }
            vec![Text { name: slot.file().to_owned(), text: text.to_owned() }]
        };
        Input {
            host: Some(self.host().to_owned()),
            policies: of(Slot::Policy),
            resources: of(Slot::Resource),
            old_resources: of(Slot::OldResource),
            exceptions: of(Slot::Exceptions),
            cluster_resources: of(Slot::Cluster),
            context: of(Slot::Context),
            config: of(Slot::Config),
            custom_resource_definitions: of(Slot::Definitions),
            image_data: of(Slot::ImageData),
            no_match: !self.is_large(),
            ..Input::default()
        }
    }

    /// Whether there are so many resources that the steps of all verdicts would be more than the page can take in.
    pub(crate) fn is_large(&self) -> bool {
        self.get(Slot::Resource).split("\n---").nth(LARGE).is_some()
    }

    /// Whether something may be exempt from a rule; the engine knows for certain, and is asked late.
    pub(crate) fn may_exempt(&self) -> bool {
        let holds = |slot: Slot, words: &[&str]| words.iter().any(|word| self.get(slot).contains(word));
        let level = ["security.kubernetes.io/enforce"];
        let classic = ["exclude", "NotIn", "NotEquals", "(image)", "(name)"];
        holds(Slot::Policy, &classic)
            || holds(Slot::Policy, &["matchConditions", "celPreconditions", "matchImageReferences"])
            || holds(Slot::Exceptions, &["PolicyException"])
            || holds(Slot::Resource, &level)
            || holds(Slot::Cluster, &level)
    }

    /// The texts that a link carries; what it lacks is empty, so that a link gives the same verdict everywhere.
    pub(crate) fn of_link(state: share::State) -> Self {
        let mut texts = Self::default();
        for slot in Slot::ALL {
            texts.set(slot, state.get(slot.key()).unwrap_or_default());
        }
        texts.host = host::chosen(&state);
        texts.base = Rc::new(state);
        texts
    }

    /// The state of a link, with all that there is; context and configuration only where there is any.
    pub(crate) fn to_link(&self) -> share::State {
        let mut state = share::State::clone(&self.base);
        for slot in Slot::ALL {
            let text = self.get(slot);
            if text.is_empty() && matches!(slot, Slot::Context | Slot::Config) {
                state.remove(slot.key());
            } else if !text.is_empty() || state.get(slot.key()).is_some() {
                state.set(slot.key(), text);
            }
        }
        match self.host {
            Some(host) => state.set(host::FIELD, host),
            None => drop(state.remove(host::FIELD)),
        }
        state
    }

    /// The same without the texts under some keys: empty where the original always writes them, else not there.
    pub(crate) fn to_link_without(&self, left_out: &[String]) -> share::State {
        let mut state = self.to_link();
        for key in left_out {
            if share::State::new().get(key).is_some() {
                state.set(key, "");
            } else {
                state.remove(key);
            }
        }
        state
    }

    /// How many characters all texts have.
    pub(crate) fn characters(&self) -> usize {
        self.to_link().iter().map(|(_, text)| text.chars().count()).sum()
    }
}

#[cfg(test)]
mod tests;
