//! One column of editors: tabs above, the open text below.
//!
//! In: the state and a side. Out: another open tab. Inputs without text are out of the way behind `+ add`.

use web_sys::KeyboardEvent;
use yew::{Callback, Html, Properties, component, html, use_effect_with};

use super::arrows::beside;
use super::status;
use super::text_field::TextField;
use crate::app::Handle;
use crate::browser;
use crate::slot::{Side, Slot};
use crate::state::{Action, State};
use crate::words::texts as words;

#[derive(PartialEq, Properties)]
pub(crate) struct SourcePaneProps {
    pub(crate) store: Handle,
    pub(crate) side: Side,
}

/// The column.
#[component]
pub(crate) fn SourcePane(props: &SourcePaneProps) -> Html {
    let (store, side) = (&props.store, props.side);
    let tabs = store.state.tabs(side);
    let open = store.state.open_tab(side);
    use_effect_with((open, tabs.len(), store.state.view), |(open, ..)| {
        browser::scroll_along(&format!("tab-{}", open.key()));
    });
    let (name, label) = match side {
        Side::Policies => ("policies", words::POLICIES),
        Side::Resources => ("resources", words::RESOURCES),
    };
    let keys = {
        let (store, tabs) = (store.clone(), tabs.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(tab) = beside(&event, &tabs, &open) {
                event.prevent_default();
                store.dispatch(Action::ShowedTab(*tab));
                browser::focus(&format!("tab-{}", tab.key()));
            }
        })
    };
    // A list of its own, all with keys: beside elements without keys a new tab would mount the others anew, and what could
    // be undone in them would be lost.
    let field = |slot: &Slot| html! { <TextField key={slot.key()} store={store.clone()} slot={*slot} /> };
    let fields: Html = tabs.iter().map(field).collect();
    html! {
        <section class={yew::classes!("pane", name)} aria-label={label}>
            <div class="tabs">
                <div class="tablist" role="tablist" aria-label={label} onkeydown={keys}>
                    { for tabs.iter().map(|slot| tab(store, *slot, *slot == open)) }
                </div>
                { adder(store, side, &tabs) }
            </div>
            { further(store, side, &tabs) }
            { fields }
        </section>
    }
}

/// The button that lists the inputs that are not shown.
fn adder(store: &Handle, side: Side, tabs: &[Slot]) -> Html {
    if tabs.len() == side.slots().count() {
        return Html::default();
    }
    let toggle = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ToggledAdding(side)))
    };
    let open = store.state.adding == Some(side);
    html! {
        <button type="button" class="more" id={side.adder()} aria-expanded={open.to_string()} onclick={toggle}>{ words::ADD }</button>
    }
}

/// The list of these inputs, each with what it is for.
fn further(store: &Handle, side: Side, tabs: &[Slot]) -> Html {
    if store.state.adding != Some(side) {
        return Html::default();
    }
    let entry = |slot: Slot| {
        let add = {
            let store = store.clone();
            Callback::from(move |_| {
                store.dispatch(Action::Added(slot));
                browser::focus_later(&format!("tab-{}", slot.key()));
            })
        };
        html! { <li><button type="button" class="entry" onclick={add}><b>{ slot.title() }</b><span>{ slot.about() }</span></button></li> }
    };
    html! { <ul class="menu further" aria-label={words::FURTHER}>{ for side.slots().filter(|slot| !tabs.contains(slot)).map(entry) }</ul> }
}

fn tab(store: &Handle, slot: Slot, open: bool) -> Html {
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ShowedTab(slot)))
    };
    let count = count(&store.state, slot);
    let wrong = store.state.verdict.has_error(slot);
    html! {
        <button type="button" role="tab" id={format!("tab-{}", slot.key())} aria-selected={open.to_string()}
            aria-controls={format!("field-{}", slot.key())} tabindex={if open { "0" } else { "-1" }}
            title={slot.about()} onclick={show}>
            { slot.title() }
            if count > 0 { <span class="badge">{ count }</span> }
            if wrong { <span class="wrong-mark">{ status::mark("error") }<span class="sr">{ words::HAS_ERRORS }</span></span> }
        </button>
    }
}

/// How many objects a text holds; texts that are one object alone are not counted.
fn count(state: &State, slot: Slot) -> usize {
    let loaded = state.verdict.output.as_ref().map(|output| output.loaded).unwrap_or_default();
    match slot {
        Slot::Policy => loaded.policies as usize,
        Slot::Resource => loaded.resources as usize,
        Slot::Exceptions => loaded.exceptions as usize,
        Slot::Context | Slot::Config | Slot::ImageData => 0,
        Slot::Definitions | Slot::OldResource | Slot::Cluster | Slot::NewPolicy => {
            state.texts.get(slot).split("\n---").filter(|document| document.contains("kind:")).count()
        }
    }
}
