//! The three views of a narrow screen, as buttons within reach of a thumb.
//!
//! In: the state. Out: another view. Wide screens show all three and hide this.

use yew::{Callback, Html, component, html};

use super::{StoreProps, status};
use crate::state::{Action, View};
use crate::words::page;

/// The buttons.
#[component]
pub(crate) fn Views(props: &StoreProps) -> Html {
    let store = &props.store;
    let button = |view: View, words: &str, sign: Html| {
        let show = {
            let store = store.clone();
            Callback::from(move |_| store.dispatch(Action::Viewed(view)))
        };
        let current = (store.state.view == view).then_some("page");
        html! { <button type="button" aria-current={current} onclick={show}>{ sign }{ words }</button> }
    };
    let statuses: Vec<&str> = store
        .state
        .verdict
        .output
        .iter()
        .flat_map(|output| &output.results)
        .flat_map(|r| &r.rules)
        .map(|rule| rule.status.as_str())
        .collect();
    let sign = status::mark(status::worst(&statuses.iter().copied()));
    html! {
        <nav class="views" aria-label={page::VIEWS}>
            { button(View::Policies, page::POLICIES, Html::default()) }
            { button(View::Resources, page::RESOURCES, Html::default()) }
            { button(View::Results, page::RESULTS, sign) }
        </nav>
    }
}
