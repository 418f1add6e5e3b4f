//! One line below the toolbar: what the sample shows and what to try, what is to be said about a link, the way back.
//!
//! In: the state. Out: nothing where there is nothing to say.

use yew::{Callback, Html, classes, component, html, use_state};

use super::{StoreProps, long};
use crate::samples;
use crate::state::{Action, Hint, Source};
use crate::words::{self, notice};

/// More letters than this are cut short on a phone until somebody wants to read on.
const LONG: usize = 120;

/// The line.
#[component]
pub(crate) fn Notice(props: &StoreProps) -> Html {
    let store = &props.store;
    let state = &store.state;
    let is_whole = use_state(|| false);
    let act = |action: Action| {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(action.clone()))
    };
    let is_new = state.hint == Hint::New;
    let described = match &state.source {
        Source::Sample { title, about } if is_new => {
            // Who comes for the first time reads what this is.
            let what = samples::is_first(title).then_some(notice::WHAT);
            html! { <p>{ what }<strong>{ long::short(title).into_owned() }</strong>{ ". " }{ prose(about) }</p> }
        }
        Source::Link if is_new && state.notes.is_empty() => html! { <p>{ notice::FROM_LINK }</p> },
        Source::Link | Source::Own | Source::Sample { .. } => Html::default(),
    };
    let speaks = is_new && !matches!(state.source, Source::Own) || !state.notes.is_empty();
    let back = state.way_back().is_some() && (speaks || state.hint != Hint::Hidden);
    if !speaks && !back {
        return Html::default();
    }
    let is_long = match &state.source {
        Source::Sample { about, .. } if is_new => about.len() > LONG || !state.notes.is_empty(),
        Source::Link | Source::Own | Source::Sample { .. } => {
            state.notes.iter().any(|note| note.len() > LONG)
        }
    };
    let turn = {
        let is_whole = is_whole.clone();
        Callback::from(move |_| is_whole.set(!*is_whole))
    };
    html! {
        <aside class="notice" aria-label={notice::TITLE}>
            <div class={classes!("words", (is_long && !*is_whole).then_some("cut"))}>
                { for state.notes.iter().map(|note| html! { <p class="note">{ long::said(note) }</p> }) }
                { described }
                if !speaks { <p>{ notice::ASIDE }</p> }
            </div>
            if is_long {
                <button type="button" class="plain reads-on" aria-expanded={is_whole.to_string()} onclick={turn}>
                    { if *is_whole { notice::LESS } else { notice::MORE } }
                </button>
            }
            if back {
                <button type="button" class="plain" onclick={act(Action::WentBack)}>{ words::BACK_TO_WORK }</button>
            }
            <button type="button" class="plain" onclick={act(Action::Dismissed)}>{ notice::HIDE }</button>
        </aside>
    }
}

/// Text with `code` between backticks and *emphasis* between stars, as the samples' Markdown has it.
pub(super) fn prose(text: &str) -> Html {
    let word = |(at, word): (usize, &str)| {
        let word = word.to_owned();
        if at % 2 == 1 {
            html! { <em>{ word }</em> }
        } else {
            html! { word }
        }
    };
    with_code(text, |piece| piece.split('*').enumerate().map(word).collect())
}

/// Text with `code` between backticks, as the engine's sentences have it.
pub(crate) fn coded(text: &str) -> Html {
    with_code(text, |piece| html! { piece.to_owned() })
}

fn with_code(text: &str, plain: impl Fn(&str) -> Html) -> Html {
    let piece = |(at, piece): (usize, &str)| {
        if at % 2 == 1 {
            html! { <code>{ piece.to_owned() }</code> }
        } else {
            plain(piece)
        }
    };
    text.split('`').enumerate().map(piece).collect()
}
