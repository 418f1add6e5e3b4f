//! The strip below the editors: what is to be said about the texts, each line a way to its place.
//!
//! In: diagnostics of the last run. Out: the cursor at the place of the one that was chosen.

use engine::wire::{Diagnostic, Range};
use web_sys::{HtmlElement, KeyboardEvent};
use yew::{Callback, Html, TargetCast, component, html};

use super::{StoreProps, fixes, long, status};
use crate::app::{self, Handle};
use crate::browser;
use crate::slot::Slot;
use crate::state::Action;
use crate::words::{self, texts};

/// More lines than this help nobody.
const MOST: usize = 100;

/// The strip.
#[component]
pub(crate) fn Problems(props: &StoreProps) -> Html {
    let store = &props.store;
    let list: Vec<&Diagnostic> = store.state.problems().collect();
    let kept = store.state.touched.then(|| kept(store));
    if list.is_empty() {
        let quiet = store.state.touched.then_some("touched");
        return html! {
            <section class={yew::classes!("problems", "none", quiet)} aria-label={texts::PROBLEMS}><p>{ texts::NO_PROBLEMS }</p>{ kept }</section>
        };
    }
    html! {
        <section class="problems" aria-label={texts::PROBLEMS}>
            <div class="problems-head"><h2>{ texts::problems(list.len()) }</h2>{ kept }</div>
            <ul onkeydown={keys(&list)}>{ for list.iter().take(MOST).enumerate().map(|(at, said)| row(store, said, at)) }</ul>
        </section>
    }
}

/// That typed text is kept, and how to be rid of it.
fn kept(store: &Handle) -> Html {
    let reset = {
        let store = store.clone();
        Callback::from(move |_| {
            app::start_over(&store);
        })
    };
    html! {
        <p class="kept">
            { if store.state.keeps { texts::KEPT } else { texts::NOT_KEPT } }
            <button type="button" class="plain" onclick={reset}>{ words::START_OVER }</button>
        </p>
    }
}

/// The id of the button of a problem.
fn id(at: usize) -> String {
    format!("problem-{at}")
}

/// The arrow keys go from one problem to the next that has a place.
fn keys(list: &[&Diagnostic]) -> Callback<KeyboardEvent> {
    let with_place = |(at, said): (usize, &&Diagnostic)| said.range.as_ref().map(|_| at);
    let places: Vec<usize> = list.iter().take(MOST).enumerate().filter_map(with_place).collect();
    Callback::from(move |event: KeyboardEvent| {
        let target = event.target_dyn_into::<HtmlElement>().map(|element| element.id()).unwrap_or_default();
        let Some(here) = places.iter().position(|at| id(*at) == target) else { return };
        let next = match event.key().as_str() {
            "ArrowDown" => places.get(here + 1),
            "ArrowUp" => places.get(here.wrapping_sub(1)),
            "Home" => places.first(),
            "End" => places.last(),
            _ => return,
        };
        event.prevent_default();
        if let Some(at) = next {
            browser::focus(&id(*at));
        }
    })
}

fn row(store: &Handle, diagnostic: &Diagnostic, at: usize) -> Html {
    let mark = status::mark(match diagnostic.severity.as_str() {
        "error" => "error",
        "warning" => "warn",
        _ => "none",
    });
    let hints = diagnostic.hints.iter().map(|hint| html! { <span class="hint">{ long::said(hint) }</span> });
    let place = diagnostic.range.as_ref().map(|range| place_named(store, range, Some(id(at))));
    html! {
        <li>
            { mark }
            <span class="said"><span class="sr">{ diagnostic.severity.clone() }{ ": " }</span>{ long::said(&diagnostic.message) }{ for hints }</span>
            { fixes::button(store, diagnostic) }
            { place }
        </li>
    }
}

/// A button that goes to a line.
pub(crate) fn place(store: &Handle, range: &Range) -> Html {
    place_named(store, range, None)
}

fn place_named(store: &Handle, range: &Range, id: Option<String>) -> Html {
    let Some(slot) = Slot::of_input(&range.input) else { return Html::default() };
    let go = {
        let (store, from) = (store.clone(), range.from);
        Callback::from(move |event: yew::MouseEvent| {
            event.stop_propagation();
            store.dispatch(Action::Revealed(slot, from));
        })
    };
    html! { <button type="button" class="plain place" {id} onclick={go}>{ words::place(slot.title(), range.line) }</button> }
}
