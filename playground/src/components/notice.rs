//! One line below the toolbar: what the sample shows and what to try, what is to be said about a link, the way back.
//!
//! In: the state. Out: nothing where there is nothing to say.

use yew::{Callback, Html, component, html};

use super::{StoreProps, long};
use crate::state::{Action, Hint, Source};
use crate::words::{self, notice};

/// The line.
#[component]
pub(crate) fn Notice(props: &StoreProps) -> Html {
    let store = &props.store;
    let state = &store.state;
    let act = |action: Action| {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(action.clone()))
    };
    let is_new = state.hint == Hint::New;
    let told = match &state.source {
        Source::Sample { title, about } if is_new => {
            html! { <p><strong>{ long::short(title).into_owned() }</strong>{ ". " }{ prose(about) }</p> }
        }
        Source::Link if is_new && state.notes.is_empty() => html! { <p>{ notice::FROM_LINK }</p> },
        Source::Link | Source::Own | Source::Sample { .. } => Html::default(),
    };
    let speaks = is_new && !matches!(state.source, Source::Own) || !state.notes.is_empty();
    let back = state.way_back().is_some() && (speaks || state.hint != Hint::Hidden);
    if !speaks && !back {
        return Html::default();
    }
    html! {
        <aside class="notice" aria-label={notice::TITLE}>
            <div class="words">
                { for state.notes.iter().map(|note| html! { <p class="note">{ long::said(note) }</p> }) }
                { told }
                if !speaks { <p>{ notice::ASIDE }</p> }
            </div>
            if back {
                <button type="button" class="plain" onclick={act(Action::WentBack)}>{ words::BACK_TO_WORK }</button>
            }
            <button type="button" class="plain" onclick={act(Action::Dismissed)}>{ notice::HIDE }</button>
        </aside>
    }
}

/// Text with `code` between backticks, as the samples' Markdown has it.
fn prose(text: &str) -> Html {
    let piece = |(at, piece): (usize, &str)| {
        if at % 2 == 1 {
            html! { <code>{ piece.to_owned() }</code> }
        } else {
            html! { piece.to_owned() }
        }
    };
    text.split('`').enumerate().map(piece).collect()
}
