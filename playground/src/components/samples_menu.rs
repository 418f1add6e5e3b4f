//! The samples by group; a click opens one, and own work is put aside.

use yew::{Callback, Html, component, html};

use super::StoreProps;
use crate::samples::{self, Entry};
use crate::state::{Action, Source};
use crate::{app, browser, words};

/// The list.
#[component]
pub(crate) fn SamplesMenu(props: &StoreProps) -> Html {
    let mut groups: Vec<(&str, Vec<Entry>)> = Vec::new();
    for entry in samples::entries() {
        match groups.last_mut() {
            Some((group, members)) if *group == entry.group() => members.push(entry),
            _ => groups.push((entry.group(), vec![entry])),
        }
    }
    let entry = |entry: Entry| {
        let title = entry.title;
        let current =
            matches!(&props.store.state.source, Source::Sample { title, .. } if title == entry.title);
        let open = {
            let store = props.store.clone();
            Callback::from(move |_| {
                app::open_sample(&store, entry, Vec::new());
                browser::focus("open-samples");
            })
        };
        html! { <li><button type="button" class="entry" aria-current={current.then_some("true")} onclick={open}>{ title }</button></li> }
    };
    let reset = {
        let store = props.store.clone();
        Callback::from(move |_| {
            store.dispatch(Action::Opened(app::newcomers_work(), Vec::new()));
            browser::clear_fragment();
            browser::focus("open-samples");
        })
    };
    html! {
        <>
            { for groups.into_iter().map(|(group, members)| html! {
                <><h3>{ group }</h3><ul class="menu">{ for members.into_iter().map(entry) }</ul></>
            }) }
            <p class="foot">
                <button type="button" class="plain" onclick={reset}>{ words::START_OVER }</button>
                { words::samples::FOOT }
            </p>
        </>
    }
}
