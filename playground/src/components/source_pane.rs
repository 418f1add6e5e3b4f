//! One column of editors: tabs above, the open text below.
//!
//! In: the state and a side. Out: another open tab. Tabs without text are hidden until asked for with `+`.

use web_sys::KeyboardEvent;
use yew::{Callback, Html, Properties, component, html};

use super::text_field::TextField;
use crate::app::Handle;
use crate::browser;
use crate::slot::{Side, Slot};
use crate::state::Action;

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
    let (name, label) = match side {
        Side::Policies => ("policies", "Policies and their settings"),
        Side::Resources => ("resources", "Resources"),
    };
    let keys = {
        let (store, tabs) = (store.clone(), tabs.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = tabs.iter().position(|tab| *tab == open).unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" => at + 1,
                "ArrowLeft" => at.wrapping_sub(1),
                _ => return,
            };
            if let Some(tab) = tabs.get(next) {
                event.prevent_default();
                store.dispatch(Action::ShowedTab(*tab));
                browser::focus(&format!("tab-{}", tab.key()));
            }
        })
    };
    let more = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::AddedTabs(side)))
    };
    let all_shown = tabs.len() == side.slots().count();
    html! {
        <section class={yew::classes!("pane", name)} aria-label={label}>
            <div class="tabs">
                <div class="tablist" role="tablist" aria-label={label} onkeydown={keys}>
                    { for tabs.iter().map(|slot| tab(store, *slot, *slot == open)) }
                </div>
                if !all_shown {
                    <button type="button" class="more" onclick={more} aria-label="Show all inputs" title="Show all inputs">{ "+" }</button>
                }
            </div>
            { for tabs.iter().map(|slot| html! { <TextField key={slot.key()} store={store.clone()} slot={*slot} /> }) }
        </section>
    }
}

fn tab(store: &Handle, slot: Slot, open: bool) -> Html {
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ShowedTab(slot)))
    };
    let loaded = store.state.verdict.output.as_ref().map(|output| output.loaded).unwrap_or_default();
    let count = match slot {
        Slot::Policy => Some(loaded.policies),
        Slot::Resource => Some(loaded.resources),
        Slot::Exceptions => Some(loaded.exceptions),
        Slot::Context | Slot::Config | Slot::Definitions | Slot::OldResource | Slot::Cluster => None,
    };
    html! {
        <button type="button" role="tab" id={format!("tab-{}", slot.key())} aria-selected={open.to_string()}
            aria-controls={format!("field-{}", slot.key())} tabindex={if open { "0" } else { "-1" }}
            title={slot.about()} onclick={show}>
            { slot.title() }
            if let Some(count) = count.filter(|count| *count > 0) { <span class="badge">{ count }</span> }
        </button>
    }
}
