//! The address bar follows the page: an entry of the browser's history for each opening, and in it a link to what is on
//! screen. Back and Forward show what stood there.
//!
//! In: the state. Out: `history.pushState` when texts are opened, `replaceState` a moment after the last key press, and
//! [`Action::Restored`] when the reader goes through the history. Very long texts, and Secrets with data, stay out of it.

use std::cell::RefCell;
use std::rc::Rc;

use engine_lenses::share;
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use wasm_bindgen::{JsCast as _, JsValue};
use yew::{hook, use_effect_with, use_mut_ref};

use crate::app::{self, Handle};
use crate::state::{Action, Source, State, Work};
use crate::texts::Texts;
use crate::{browser, link, samples};

/// More characters than this are not put into the address: a link of them is too long for most places.
const MOST: usize = 16_000;
/// So long nobody has typed when the address follows.
const MILLIS: u32 = 600;
/// The texts of so many entries are kept in memory; older ones are read from their address.
const ENTRIES: usize = 50;

/// What stood on the page in the entries of the history, by the number that each carries.
#[derive(Default)]
struct Entries {
    now: u32,
    last: u32,
    all: Vec<(u32, Work, bool)>,
    /// The texts that are about to be shown are those of the entry that the browser is in.
    restores: bool,
    epoch: u32,
}

impl Entries {
    /// Keeps what is on the page for the entry that the browser is in.
    fn keep(&mut self, state: &State) {
        let work = Work { texts: state.texts.clone(), source: state.source.clone() };
        self.all.retain(|(number, _, _)| *number != self.now);
        self.all.push((self.now, work, state.touched));
        let surplus = self.all.len().saturating_sub(ENTRIES);
        self.all.drain(..surplus);
    }

    fn get(&self, number: u32) -> Option<(Work, bool)> {
        let found = self.all.iter().find(|(other, _, _)| *other == number);
        found.map(|(_, work, touched)| (work.clone(), *touched))
    }

    /// Writes the address of the entry that is about to be left, for what was typed a moment ago.
    fn finish_address(&self) {
        let history = browser::window().and_then(|window| window.history().ok());
        if let (Some(history), Some((work, is_touched))) = (history, self.get(self.now)) {
            let url = address_of(&work.texts, &work.source, is_touched);
            // Where the browser refuses, the address stays as it was: no harm.
            drop(history.replace_state_with_url(&JsValue::from_str(&self.now.to_string()), "", Some(&url)));
        }
    }
}

/// Whether the entry of the history that the page opens in was written by this page, and so holds what the reader had there.
pub(crate) fn is_ours() -> bool {
    number_here().is_some()
}

/// The number of the entry that the browser is in; none where the reader came by an address.
pub(crate) fn number_here() -> Option<u32> {
    number(&browser::window()?.history().ok()?.state().ok()?)
}

fn number(state: &JsValue) -> Option<u32> {
    state.as_string()?.parse().ok()
}

/// The address of what is on the page.
fn address(state: &State) -> String {
    address_of(&state.texts, &state.source, state.touched)
}

fn address_of(texts: &Texts, source: &Source, is_touched: bool) -> String {
    let page = browser::page_url();
    if let Source::Sample { title, .. } = source
        && !is_touched
    {
        let entry = samples::titled(title).filter(|_| !samples::is_first(title));
        let Some(entry) = entry else { return page };
        // An address that names it by another name stays as it was typed.
        let typed = link::library_in_address_bar();
        let is_it = |typed: &String| samples::named(typed).is_some_and(|named| named.id() == entry.id());
        return format!("{page}#/?policy={}", typed.filter(is_it).unwrap_or_else(|| entry.id()));
    }
    if texts.is_empty() || texts.characters() > MOST {
        return page;
    }
    let carried = texts.to_link();
    if carried.iter().any(|(_, text)| share::holds_secret(text)) {
        page
    } else {
        link::to_this_page(&carried)
    }
}

/// Which entry of the history what is on the page belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The one that the browser is in, which this page has numbered.
    Same,
    /// The one that the browser is in, which an address has made: what stood on the page before keeps its own.
    Arrived,
    /// One more.
    Further,
}

/// Writes the address of the entry that the browser is in, or makes a further entry.
fn write(entries: &mut Entries, state: &State, entry: Entry, url: Option<&str>) {
    let Some(history) = browser::window().and_then(|window| window.history().ok()) else { return };
    // Where the browser refuses, the address stays as it was: no harm.
    if entry != Entry::Same {
        entries.last += 1;
        entries.now = entries.last;
    }
    let number = JsValue::from_str(&entries.now.to_string());
    drop(if entry == Entry::Further {
        history.push_state_with_url(&number, "", url)
    } else {
        history.replace_state_with_url(&number, "", url)
    });
    entries.keep(state);
}

/// Lets the address follow the page.
#[hook]
pub(crate) fn use_address(store: &Handle) {
    let entries = use_mut_ref(|| {
        let first = browser::moment();
        Entries { now: first, last: first, epoch: store.state.epoch, ..Entries::default() }
    });
    let timer = use_mut_ref(|| None::<Timeout>);
    let newest = use_mut_ref(|| Rc::clone(&store.state));
    *newest.borrow_mut() = Rc::clone(&store.state);
    let is_drawn = use_mut_ref(|| false);
    let is_embedded = store.state.is_embedded;
    let follower = Follower { entries, timer, newest };
    {
        let follower = follower.clone();
        let key = (store.state.texts.clone(), store.state.epoch);
        use_effect_with(key, move |(_, epoch)| {
            if !is_embedded {
                let is_first = !std::mem::replace(&mut *is_drawn.borrow_mut(), true);
                follower.follow(*epoch, is_first);
            }
        });
    }
    let store = store.clone();
    use_effect_with((), move |()| {
        let listen = |name: &'static str, heard: Box<dyn FnMut(&web_sys::Event)>| {
            browser::window().filter(|_| !is_embedded).map(|window| EventListener::new(&window, name, heard))
        };
        let leaver = follower.clone();
        let leave = move |_: &web_sys::Event| leaver.leave();
        let restore = move |event: &web_sys::Event| {
            let event = event.dyn_ref::<web_sys::PopStateEvent>();
            // A number is of an entry of this page; what else there is was typed into the address bar.
            if let Some(number) = event.and_then(|event| number(&event.state())) {
                let (work, touched) = follower.restore(number).unwrap_or_else(from_address);
                store.dispatch(Action::Restored(work, touched));
            }
        };
        let listeners = [listen("pagehide", Box::new(leave)), listen("popstate", Box::new(restore))];
        move || drop(listeners)
    });
}

/// What lets the address follow: shared by all that the browser calls.
#[derive(Clone)]
struct Follower {
    entries: Rc<RefCell<Entries>>,
    /// Runs while the address waits for the end of the typing.
    timer: Rc<RefCell<Option<Timeout>>>,
    newest: Rc<RefCell<Rc<State>>>,
}

impl Follower {
    /// Something else is on the page: it was opened, or somebody types.
    fn follow(&self, epoch: u32, is_first: bool) {
        let state = Rc::clone(&self.newest.borrow());
        let mut kept = self.entries.borrow_mut();
        if std::mem::replace(&mut kept.epoch, epoch) != epoch {
            let entry = match (std::mem::take(&mut kept.restores), number_here()) {
                (false, None) => Entry::Arrived,
                (false, Some(here)) if here == kept.now => Entry::Further,
                _ => Entry::Same,
            };
            if self.timer.borrow_mut().take().is_some() && entry == Entry::Further {
                kept.finish_address();
            }
            write(&mut kept, &state, entry, Some(&address(&state)));
        } else if is_first && link::is_in_address_bar() {
            // What the reader came with stays as it is; a sample that it names comes in its place.
            if link::library_in_address_bar().is_none() {
                write(&mut kept, &state, Entry::Same, None);
            }
        } else {
            if is_first {
                // Numbered at once: what is opened before the address follows is a further entry all the same.
                write(&mut kept, &state, Entry::Same, None);
            } else {
                kept.keep(&state);
            }
            let follower = self.clone();
            *self.timer.borrow_mut() = Some(Timeout::new(MILLIS, move || follower.write()));
        }
    }

    /// Writes the address of what is on the page now.
    fn write(&self) {
        let state = Rc::clone(&self.newest.borrow());
        write(&mut self.entries.borrow_mut(), &state, Entry::Same, Some(&address(&state)));
    }

    /// What was typed a moment ago is in the address before the page goes.
    fn leave(&self) {
        if self.timer.borrow_mut().take().is_some() {
            self.write();
        }
    }

    /// What stood in an entry that the browser has gone to.
    fn restore(&self, number: u32) -> Option<(Work, bool)> {
        let mut entries = self.entries.borrow_mut();
        entries.now = number;
        entries.restores = true;
        entries.get(number)
    }
}

/// What an entry of an earlier load of the page held, as far as its address says.
fn from_address() -> (Work, bool) {
    match link::from_address_bar() {
        Some(Ok((work, _))) => (Work { source: Source::Own, ..work }, true),
        Some(Err(_)) | None => (app::newcomers_work(), false),
    }
}
