//! What a problem can be done about by a button: a List taken apart, a resource moved to its input, a text opened where it is
//! evaluated.
//!
//! In: a diagnostic. Out: an edit of the texts that can be undone in their editors, or a link.

use engine_lenses::wire::Diagnostic;
use gloo_timers::callback::Timeout;
use yew::{Callback, Html, html};

use crate::app::Handle;
use crate::slot::Slot;
use crate::state::Action;
use crate::texts::{document_at, moved};
use crate::words::{results::verdicts, texts as words};
use crate::{editor, files, link};

/// An editor that is on its way is asked again after so long, so often.
const MILLIS: u32 = 100;
const TRIES: u32 = 50;

/// The button of a problem; nothing where nobody but the author can do something.
pub(super) fn button(store: &Handle, said: &Diagnostic) -> Html {
    let Some((range, slot)) =
        said.range.as_ref().and_then(|range| Some((range, Slot::of_input(&range.input)?)))
    else {
        return Html::default();
    };
    let text = store.state.texts.get(slot);
    let store = store.clone();
    match said.code.as_str() {
        "unopened-list" => {
            let text = text.to_owned();
            let split = move |_| {
                let store = store.clone();
                files::split(&text, move |text| write(&store, slot, text));
            };
            fix(words::SPLIT, Callback::from(split))
        }
        "unknown-kind" if slot == Slot::Policy && is_resource(&document_at(text, range.line)) => {
            let line = range.line;
            let go = move |_| {
                let texts = &store.state.texts;
                let (policies, resources) = moved(texts.get(slot), texts.get(Slot::Resource), line);
                write(&store, Slot::Resource, resources);
                write(&store, slot, policies);
            };
            fix(words::MOVE, Callback::from(go))
        }
        "not-supported" => {
            let href = link::to_the_original(&store.state.texts.to_link());
            html! { <a class="fix" {href} target="_blank" rel="noopener">{ verdicts::ORIGINAL }</a> }
        }
        _ => Html::default(),
    }
}

fn fix(label: &'static str, onclick: Callback<yew::MouseEvent>) -> Html {
    html! { <button type="button" class="plain fix" {onclick}>{ label }</button> }
}

/// Whether a document says what it is, and is nothing of Kyverno's.
fn is_resource(document: &str) -> bool {
    let line = |key: &str| document.lines().find(|line| line.starts_with(key));
    line("kind:").is_some() && line("apiVersion:").is_some_and(|version| !version.contains("kyverno.io"))
}

/// Writes through the editor, so that it is one step to undo there.
fn write(store: &Handle, slot: Slot, text: String) {
    store.dispatch(Action::ShowedTab(slot));
    write_soon(slot, text, TRIES);
}

fn write_soon(slot: Slot, text: String, tries: u32) {
    if !editor::rewrite_text(slot.title(), &text) && tries > 0 {
        Timeout::new(MILLIS, move || write_soon(slot, text, tries - 1)).forget();
    }
}
