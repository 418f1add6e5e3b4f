//! The tab *Results*: what to show of the verdicts, then the verdicts as a list, or as a table where there are many.
//!
//! In: the last output. Out: nothing but what is on screen: the filter is the view's own matter. `/` leads to the search.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement, InputEvent};
use yew::{Callback, Event, Html, TargetCast as _, UseStateHandle, component, html, use_memo, use_state};

use super::list;
use super::matrix::Matrix;
use crate::components::{StoreProps, status};
use crate::state::{Filter, Table};
use crate::words::results::verdicts as words;
use crate::{browser, link};

/// With more resources than this the verdicts are a table, unless the reader wants the list.
const MANY: usize = 30;
/// With fewer verdicts than this nobody needs to search.
const FEW: usize = 12;

/// The tab's content.
#[component]
pub(crate) fn Overview(props: &StoreProps) -> Html {
    let store = &props.store;
    let filter = use_state(Filter::default);
    let wants_list = use_state(|| None::<bool>);
    let serial = store.state.verdict.serial;
    let output = store.state.verdict.output.clone();
    let resources = output.as_ref().map_or(0, |output| output.loaded.resources as usize);
    let is_list = filter.is_unmatched() || wants_list.unwrap_or(resources <= MANY);
    let table = {
        let output = output.clone();
        use_memo((serial, is_list, (*filter).clone()), move |(_, is_list, filter)| {
            output.filter(|_| !is_list).map(|output| Table::of(&output, filter)).unwrap_or_default()
        })
    };
    let Some(output) = output else { return Html::default() };
    let facts = &store.state.verdict.facts;
    if facts.verdicts < FEW && filter.is_empty() && is_list {
        return html! { <><Original store={store.clone()} />{ list::list(store, &output, &filter) }</> };
    }
    let turn = {
        let filter = filter.clone();
        Callback::from(move |()| {
            if filter.is_unmatched() {
                filter.set(Filter { status: String::new(), ..(*filter).clone() });
            }
            wants_list.set(Some(!is_list));
        })
    };
    let silent = resources.saturating_sub(facts.with_verdict);
    let content = if is_list {
        list::list(store, &output, &filter)
    } else if table.rows.is_empty() {
        html! { <p class="empty">{ words::NONE }</p> }
    } else {
        html! { <Matrix store={store.clone()} table={Rc::clone(&table)} /> }
    };
    html! {
        <div class="overview">
            { controls(&filter, is_list, silent > 0, turn) }
            <Original store={store.clone()} />
            if silent > 0 { { unmatched(&filter, silent, resources) } }
            { content }
        </div>
    }
}

/// What to show: words to search for, a status, list or table.
fn controls(filter: &UseStateHandle<Filter>, is_list: bool, has_silent: bool, turn: Callback<()>) -> Html {
    let search = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            filter.set(Filter { words: typed, ..(*filter).clone() });
        })
    };
    let choose = {
        let filter = filter.clone();
        Callback::from(move |event: Event| {
            let status = event.target_unchecked_into::<HtmlSelectElement>().value();
            filter.set(Filter { status, ..(*filter).clone() });
        })
    };
    let option = |status: &'static str| {
        html! { <option value={status} selected={filter.status == status}>{ words::ONLY }{ status }</option> }
    };
    html! {
        <div class="controls find" role="search" aria-label={words::FIND}>
            <input type="search" id="results-search" placeholder={words::SEARCH_EXAMPLE} aria-label={words::SEARCH}
                autocomplete="off" spellcheck="false" value={filter.words.clone()} oninput={search} />
            <select id="results-which" aria-label={words::WHICH} onchange={choose}>
                <option value="" selected={filter.status.is_empty()}>{ words::ALL }</option>
                { for status::ORDER.into_iter().map(option) }
                if has_silent { <option value={words::UNMATCHED} selected={filter.is_unmatched()}>{ words::ONLY_UNMATCHED }</option> }
            </select>
            <button type="button" class="plain" onclick={move |_| turn.emit(())}>{ if is_list { words::AS_TABLE } else { words::AS_LIST } }</button>
        </div>
    }
}

/// How many resources no rule is for, and the way to them.
fn unmatched(filter: &UseStateHandle<Filter>, silent: usize, resources: usize) -> Html {
    let show = {
        let filter = filter.clone();
        Callback::from(move |_| {
            filter.set(Filter { status: words::UNMATCHED.to_owned(), words: String::new() });
            browser::focus("results-which");
        })
    };
    html! {
        <p class="silent">
            { status::mark("none") }
            <span>
                { words::unmatched(silent, resources) }
                if !filter.is_unmatched() { <button type="button" class="plain" onclick={show}>{ words::SHOW_UNMATCHED }</button> }
            </span>
        </p>
    }
}

/// That some of it is not evaluated here, and the way to where it is.
#[component]
fn Original(props: &StoreProps) -> Html {
    let state = &props.store.state;
    let missing = state.verdict.not_evaluated();
    // Texts are packed when they change, not at each drawing.
    let href = use_memo((state.texts.clone(), missing > 0), |(texts, is_wanted)| {
        is_wanted.then(|| link::to_the_original(&texts.to_link()))
    });
    let unread = state.verdict.unread();
    let Some(href) = (*href).clone() else {
        let has_verdicts = state.verdict.output.as_ref().is_some_and(|output| !output.results.is_empty());
        return if unread > 0 && has_verdicts {
            html! { <p class="silent">{ status::mark("none") }<span>{ words::unread(unread) }</span></p> }
        } else {
            Html::default()
        };
    };
    html! {
        <p class="silent">
            { status::mark("none") }
            <span>
                { words::not_evaluated(missing) }
                <a {href} target="_blank" rel="noopener">{ words::ORIGINAL }</a>
            </span>
        </p>
    }
}
