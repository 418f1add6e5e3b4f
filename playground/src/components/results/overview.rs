//! The tab *Results*: what to show of the verdicts, then the verdicts as a list, or as a table where there are many.
//!
//! In: the last output. Out: nothing but what is on screen: the filter is the view's own matter. `/` leads to the search.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement, InputEvent};
use yew::{Callback, Event, Html, TargetCast as _, component, html, use_memo, use_state};

use super::list;
use super::matrix::Matrix;
use crate::components::{StoreProps, status};
use crate::state::{Filter, Table};
use crate::words::results::verdicts as words;

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
    let is_list = wants_list.unwrap_or(resources <= MANY);
    let table = {
        let output = output.clone();
        use_memo((serial, is_list, (*filter).clone()), move |(_, is_list, filter)| {
            output.filter(|_| !is_list).map(|output| Table::of(&output, filter)).unwrap_or_default()
        })
    };
    let Some(output) = output else { return Html::default() };
    let verdicts = output.results.iter().map(|result| result.rules.len()).sum::<usize>();
    if verdicts < FEW && filter.is_empty() && is_list {
        return list::list(store, &output, &filter);
    }
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
    let turn = Callback::from(move |_| wants_list.set(Some(!is_list)));
    let option = |status: &'static str| {
        html! { <option value={status} selected={filter.status == status}>{ words::ONLY }{ status }</option> }
    };
    let content = if is_list {
        list::list(store, &output, &filter)
    } else if table.rows.is_empty() {
        html! { <p class="empty">{ words::NONE }</p> }
    } else {
        html! { <Matrix store={store.clone()} table={Rc::clone(&table)} /> }
    };
    html! {
        <div class="overview">
            <div class="controls find" role="search" aria-label={words::FIND}>
                <input type="search" id="results-search" placeholder={words::SEARCH_EXAMPLE} aria-label={words::SEARCH}
                    autocomplete="off" spellcheck="false" value={filter.words.clone()} oninput={search} />
                <select aria-label={words::WHICH} onchange={choose}>
                    <option value="" selected={filter.status.is_empty()}>{ words::ALL }</option>
                    { for status::ORDER.into_iter().map(option) }
                </select>
                <button type="button" class="plain" onclick={turn}>{ if is_list { words::AS_TABLE } else { words::AS_LIST } }</button>
            </div>
            { content }
        </div>
    }
}
