//! The samples by group, with what each shows, and a search; a click opens one, and own work is put aside.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, TargetCast as _, component, html, use_state};

use super::StoreProps;
use super::notice::prose;
use crate::samples::{self, Entry};
use crate::state::Source;
use crate::words::samples as words;
use crate::{app, browser};

/// The list.
#[component]
pub(crate) fn SamplesMenu(props: &StoreProps) -> Html {
    let typed = use_state(String::new);
    let mut groups: Vec<(&str, Vec<Entry>)> = Vec::new();
    for entry in samples::found(&typed) {
        match groups.last_mut() {
            Some((group, members)) if *group == entry.group() => members.push(entry),
            _ => groups.push((entry.group(), vec![entry])),
        }
    }
    let search = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
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
        html! {
            <li>
                <button type="button" class="entry" aria-current={current.then_some("true")} aria-describedby={entry.id()} onclick={open}>{ title }</button>
                <span class="about" id={entry.id()}>{ prose(entry.line) }</span>
            </li>
        }
    };
    let reset = {
        let store = props.store.clone();
        Callback::from(move |_| {
            app::start_over(&store);
            browser::focus("open-samples");
        })
    };
    html! {
        <>
            <input type="text" role="searchbox" class="search" aria-label={words::SEARCH} placeholder={words::SEARCH}
                autocomplete="off" spellcheck="false" oninput={search} />
            if groups.is_empty() { <p class="foot" role="status">{ words::NONE }</p> }
            { for groups.into_iter().map(|(group, members)| html! {
                <><h3>{ group }</h3><ul class="menu titled">{ for members.into_iter().map(entry) }</ul></>
            }) }
            <p class="foot">
                <button type="button" class="plain" onclick={reset}>{ crate::words::START_OVER }</button>
                { words::FOOT }
            </p>
        </>
    }
}
