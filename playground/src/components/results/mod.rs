//! The right column: what the engine said, in tabs that stand there only when they have something to say.
//!
//! In: the state. Out: another open tab; what each tab does is in its own file.

use web_sys::KeyboardEvent;
use yew::{Callback, Html, component, html, use_effect_with};

mod autogen;
pub(crate) mod brief;
mod generated;
mod list;
mod matrix;
pub(crate) mod mutated;
mod overview;
mod pod_security;
mod report;
mod rule_row;
mod steps;
mod why;

use super::StoreProps;
use super::arrows::beside;
use super::late::Late;
use super::long;
use crate::app::Handle;
use crate::browser;
use crate::state::{Action, Tab};
use crate::words::results::tabs as words;

/// The pane.
#[component]
pub(crate) fn Results(props: &StoreProps) -> Html {
    let store = &props.store;
    let tabs = store.state.result_tabs();
    let open = store.state.open_result_tab();
    let stale = store.state.verdict.stale.then_some("stale");
    // Also where the page itself has opened it, as a sample does; and once it is seen, or another stands before it.
    use_effect_with((open, tabs.len(), store.state.view), |(open, ..)| browser::scroll_along(open.id()));
    let keys = {
        let (store, tabs) = (store.clone(), tabs.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(tab) = beside(&event, &tabs, &open) {
                event.prevent_default();
                store.dispatch(Action::ShowedResultTab(*tab));
                browser::focus(tab.id());
            }
        })
    };
    let content = match &store.state.verdict.output {
        None => {
            let why = store.state.verdict.failure.as_ref();
            why.map_or_else(Html::default, |why| html! { <p class="empty">{ long::said(why) }</p> })
        }
        Some(output) => match open {
            Tab::Results => html! { <overview::Overview store={store.clone()} /> },
            Tab::Why => html! { <why::Why store={store.clone()} /> },
            Tab::Mutated => html! { <Late store={store.clone()} view="mutated" /> },
            Tab::Generated => generated::generated(output),
            Tab::Report => report::report(store),
            Tab::PodSecurity => html! { <pod_security::PodSecurity store={store.clone()} /> },
            Tab::Autogen => autogen::autogen(store, output),
            Tab::Sieve => html! { <Late store={store.clone()} view="sieve" /> },
            Tab::Mesh => html! { <Late store={store.clone()} view="mesh" /> },
            Tab::Compare => html! { <Late store={store.clone()} view="compare" /> },
        },
    };
    html! {
        <section class={yew::classes!("pane", "results", stale)} aria-label={words::RESULTS}>
            <div class="tabs">
                <div class="tablist" role="tablist" aria-label={words::TITLE} onkeydown={keys}>
                    { for tabs.iter().map(|shown| tab(store, *shown, *shown == open)) }
                </div>
            </div>
            <div class="view" role="tabpanel" id="result-view" aria-labelledby={open.id()} tabindex="0">
                <h2 class="sr">{ open.title() }</h2>
                { content }
            </div>
        </section>
    }
}

fn tab(store: &Handle, tab: Tab, open: bool) -> Html {
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ShowedResultTab(tab)))
    };
    html! {
        <button type="button" role="tab" id={tab.id()} aria-selected={open.to_string()} aria-controls="result-view"
            tabindex={if open { "0" } else { "-1" }} onclick={show}>{ tab.title() }</button>
    }
}
