//! The strip below the editors: what is to be said about the texts, each line a way to its place.
//!
//! In: diagnostics of the last run. Out: the cursor at the place of the one that was chosen.

use engine_lenses::wire::{Diagnostic, Range};
use web_sys::{HtmlElement, KeyboardEvent};
use yew::{Callback, Html, TargetCast, component, html, use_state};

use super::notice::coded;
use super::{StoreProps, fixes, long, status};
use crate::app::{self, Handle};
use crate::browser;
use crate::slot::Slot;
use crate::state::Action;
use crate::words::{self, texts};

/// More lines than this help nobody.
const MOST: usize = 100;

/// A row names so many of its places.
const MOST_PLACES: usize = 6;
/// Text with more quoted pieces than this is drawn as it is.
const MOST_QUOTES: usize = 20;

/// Problems that say the same, and where each of them is.
struct Row<'a> {
    said: &'a Diagnostic,
    places: Vec<&'a Range>,
}

/// The strip.
#[component]
pub(crate) fn Problems(props: &StoreProps) -> Html {
    let store = &props.store;
    let is_open = use_state(|| true);
    let list: Vec<&Diagnostic> = store.state.problems().collect();
    let kept = store.state.touched.then(|| kept(store));
    if list.is_empty() {
        let quiet = store.state.touched.then_some("touched");
        return html! {
            <section class={yew::classes!("problems", "none", quiet)} aria-label={texts::PROBLEMS}><p>{ texts::NO_PROBLEMS }</p>{ kept }</section>
        };
    }
    let fold = {
        let is_open = is_open.clone();
        Callback::from(move |_| is_open.set(!*is_open))
    };
    let rows = rows(&list);
    html! {
        <section class="problems" aria-label={texts::PROBLEMS}>
            <div class="problems-head">
                <h2><button type="button" class="plain fold" aria-expanded={is_open.to_string()} onclick={fold}>{ texts::problems(list.len()) }</button></h2>
                { kept }
            </div>
            if *is_open {
                <ul onkeydown={keys(&rows)}>{ for rows.iter().enumerate().map(|(at, of)| row(store, of, at)) }</ul>
            }
        </section>
    }
}

/// The first rows: what is said in the same words of several places is one of them.
fn rows<'a>(list: &[&'a Diagnostic]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for said in list {
        let places = said.range.iter();
        let same = |row: &&mut Row<'a>| row.said.message == said.message && row.said.hints == said.hints;
        if let Some(row) = rows.iter_mut().find(same) {
            row.places.extend(places);
        } else if rows.len() < MOST {
            rows.push(Row { said, places: places.collect() });
        }
    }
    rows
}

/// What the engine says, its quoted pieces as code.
pub(crate) fn described(text: &str) -> Html {
    if text.matches('`').count() > MOST_QUOTES { long::said(text) } else { coded(&long::sentence(text)) }
}

/// What is wrong, and below it what may help. Where a text is not YAML the hint names the mistake, so it comes first: a parser's
/// sentence says only where it gave up.
pub(crate) fn said(diagnostic: &Diagnostic) -> Html {
    let mut lines: Vec<&String> = diagnostic.hints.iter().collect();
    let first = if diagnostic.code == "yaml-syntax" { lines.len().min(1) } else { 0 };
    lines.insert(first, &diagnostic.message);
    let line = |(at, text): (usize, &String)| {
        let text = described(text);
        if at == 0 {
            text
        } else {
            html! { <span class="hint">{ text }</span> }
        }
    };
    lines.into_iter().enumerate().map(line).collect()
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
fn keys(rows: &[Row<'_>]) -> Callback<KeyboardEvent> {
    let with_place = |(at, row): (usize, &Row<'_>)| (!row.places.is_empty()).then_some(at);
    let places: Vec<usize> = rows.iter().enumerate().filter_map(with_place).collect();
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

fn row(store: &Handle, row: &Row<'_>, at: usize) -> Html {
    let diagnostic = row.said;
    let mark = status::mark(match diagnostic.severity.as_str() {
        "error" => "error",
        "warning" => "warn",
        _ => "none",
    });
    let place = |(nth, range): (usize, &&Range)| place_named(store, range, (nth == 0).then(|| id(at)));
    let surplus = row.places.len().saturating_sub(MOST_PLACES);
    html! {
        <li>
            { mark }
            <span class="said"><span class="sr">{ diagnostic.severity.clone() }{ ": " }</span>{ said(diagnostic) }</span>
            { fixes::button(store, diagnostic) }
            <span class="places">
                { for row.places.iter().take(MOST_PLACES).enumerate().map(place) }
                if surplus > 0 { { texts::more_places(surplus) } }
            </span>
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
