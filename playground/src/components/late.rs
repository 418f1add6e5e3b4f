//! The place of a view that loads late, drawn by a module of its own (`src/late`): the sieve, meshes, what was mutated, edits.
//!
//! In: the state and the view's name. Out: what the view asks of the page: a text field to be opened, lines to be marked, a
//! place to go to. Texts it changes itself, in their editors, so that every change can be undone.

use engine_lenses::wire::{Input, Range};
use serde::Serialize;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use web_sys::Element;
use yew::{Html, Properties, component, html, use_effect_with, use_memo, use_node_ref};

use super::results::mutated::Mutated;
use crate::app::Handle;
use crate::reader;
use crate::slot::Slot;
use crate::state::{Action, Chosen, LINE, Pointed};

type OnAsk = Closure<dyn Fn(String, String)>;

#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    fn draw(place: &Element, json: &str, on_ask: &OnAsk);
    fn erase(place: &Element);
}

#[derive(PartialEq, Properties)]
pub(crate) struct LateProps {
    pub(crate) store: Handle,
    pub(crate) view: &'static str,
}

/// What the view is given; `src/late/given.rs` reads it.
#[derive(Serialize)]
struct Given<'a> {
    view: &'static str,
    input: Input,
    chosen: Option<&'a Chosen>,
    /// The line that is asked about: its input and number.
    line: Option<(&'static str, u32)>,
    /// Whether the page itself asks for no steps.
    is_large: bool,
    mutated: Option<Mutated<'a>>,
    /// The policies that are compared with the others; only for the view of that.
    new_policies: &'a str,
}

/// The place.
#[component]
pub(crate) fn Late(props: &LateProps) -> Html {
    let store = &props.store;
    let place = use_node_ref();
    let dispatcher = store.dispatcher();
    let on_ask = use_memo((), move |()| {
        OnAsk::new(move |ask: String, text: String| {
            if let Some(action) = action(&ask, &text) {
                dispatcher.dispatch(action);
            }
        })
    });
    let output = store.state.verdict.output.as_deref();
    let described = Given {
        view: props.view,
        input: store.state.texts.input(),
        chosen: store.state.chosen.as_ref(),
        line: store.state.line.map(|line| (line.slot.input(), line.line)),
        is_large: store.state.texts.is_large(),
        new_policies: if props.view == "compare" { store.state.texts.get(Slot::NewPolicy) } else { "" },
        mutated: output.filter(|_| props.view == "mutated").map(Mutated::of),
    };
    let json = serde_json::to_string(&described).unwrap_or_default();
    {
        let place = place.clone();
        use_effect_with(json, move |json| {
            if let Some(place) = place.cast() {
                draw(&place, json, &on_ask);
            }
        });
    }
    {
        let place = place.clone();
        use_effect_with((), move |()| {
            let place = place.cast();
            move || {
                if let Some(place) = place {
                    erase(&place);
                }
            }
        });
    }
    // What was mutated looks as what was generated, which the page draws itself.
    html! { <div class={(props.view != "mutated").then_some("late")} ref={place} /> }
}

/// What is done for a view: `open` with an input, `because` with a sentence, `answer` with what a line is about, `mark`, `line` and `go` with ranges.
fn action(ask: &str, text: &str) -> Option<Action> {
    if ask == "open" {
        return Slot::of_input(text).map(Action::Added);
    }
    if ask == "because" {
        return Some(Action::Explained(text.to_owned()));
    }
    if ask == "answer" {
        return reader::read(text).ok().map(Action::Answered);
    }
    let ranges: Vec<Range> = reader::read(text).ok()?;
    if ask == "mark" {
        return Some(Action::Pointed(Pointed { key: String::new(), ranges, status: "warn" }));
    }
    if ask == "line" {
        return Some(Action::Pointed(Pointed { key: LINE.to_owned(), ranges, status: "skip" }));
    }
    let range = ranges.first()?;
    Some(Action::Revealed(Slot::of_input(&range.input)?, range.from))
}
