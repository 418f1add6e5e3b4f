//! Named workspaces: what is on the page under a name, the list of them, one step back.
//!
//! In: the state. Out: what the reader does with them. Bounds and their words are in `state::spaces`.

use wasm_bindgen::JsCast as _;
use web_sys::HtmlInputElement;
use yew::{Callback, Html, MouseEvent, SubmitEvent, component, html, use_node_ref, use_state};

use super::StoreProps;
use crate::app::Handle;
use crate::browser;
use crate::state::{Action, Panel, Space, SpaceAction};
use crate::words::spaces as words;

/// The panel's content.
#[component]
pub(crate) fn SpacesPanel(props: &StoreProps) -> Html {
    let store = &props.store;
    let spaces = &store.state.spaces;
    let renamed = use_state(|| None::<String>);
    let field = use_node_ref();
    let save = {
        let (store, field) = (store.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let name = field.cast::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            store.dispatch(Action::Space(SpaceAction::Save(name)));
        })
    };
    let undo = {
        let store = store.clone();
        Callback::from(move |_| {
            store.dispatch(Action::Space(SpaceAction::Undo));
            browser::focus("panel");
        })
    };
    let back = {
        let store = store.clone();
        Callback::from(move |_| {
            store.dispatch(Action::WentBack);
            browser::focus(Panel::Spaces.button());
        })
    };
    html! {
        <>
            <form class="copy" onsubmit={save}>
                <label for="space-name">{ words::NAME }</label>
                <div class="row">
                    <input id="space-name" ref={field} type="text" autocomplete="off" spellcheck="false" value={spaces.open.clone().unwrap_or_default()} />
                    <button type="submit" class="main">{ words::SAVE }</button>
                </div>
            </form>
            <p class="saved" role="status">
                if let Some(said) = &spaces.said {
                    { said.clone() }
                    if spaces.before.is_some() { { " " }<button type="button" class="plain" onclick={undo}>{ words::UNDO }</button> }
                }
            </p>
            if store.state.way_back().is_some() {
                <p class="foot aside">{ words::ASIDE }{ " " }<button type="button" class="plain" onclick={back}>{ crate::words::BACK_TO_WORK }</button></p>
            }
            if spaces.all.is_empty() { <p class="foot">{ words::NONE }</p> }
            <ul class="menu spaces">{ for spaces.all.iter().map(|space| row(store, space, &renamed)) }</ul>
            <p class="foot">{ words::FOOT }</p>
        </>
    }
}

fn row(store: &Handle, space: &Space, renamed: &yew::UseStateHandle<Option<String>>) -> Html {
    let name = &space.name;
    let act = |action: SpaceAction, place: &'static str| {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| {
            store.dispatch(Action::Space(action.clone()));
            browser::focus(place);
        })
    };
    if renamed.as_deref() == Some(name) {
        return rename(store, name, renamed);
    }
    let is_open = store.state.spaces.open.as_deref() == Some(name);
    let start = {
        let (renamed, name) = (renamed.clone(), name.clone());
        Callback::from(move |_| {
            renamed.set(Some(name.clone()));
            browser::focus_later("space-renamed");
        })
    };
    let open = act(SpaceAction::Open(name.clone()), "open-spaces");
    let delete = act(SpaceAction::Delete(name.clone()), "panel");
    html! {
        <li key={name.clone()}>
            <button type="button" class="entry" aria-current={is_open.then_some("true")} onclick={open}>{ name.clone() }</button>
            <button type="button" class="plain" aria-label={words::does(words::RENAME, name)} onclick={start}>{ words::RENAME }</button>
            <button type="button" class="plain" aria-label={words::does(words::DELETE, name)} onclick={delete}>{ words::DELETE }</button>
        </li>
    }
}

/// The name as a field.
fn rename(store: &Handle, name: &str, renamed: &yew::UseStateHandle<Option<String>>) -> Html {
    let submit = {
        let (store, renamed, name) = (store.clone(), renamed.clone(), name.to_owned());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let field =
                browser::by_id("space-renamed").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
            let to = field.map(|field| field.value()).unwrap_or_default();
            store.dispatch(Action::Space(SpaceAction::Rename(name.clone(), to)));
            renamed.set(None);
            browser::focus("panel");
        })
    };
    html! {
        <li key={name.to_owned()}>
            <form class="row" onsubmit={submit}>
                <input id="space-renamed" type="text" aria-label={words::does(words::RENAME, name)} value={name.to_owned()} autocomplete="off" spellcheck="false" />
                <button type="submit" class="main">{ words::RENAME }</button>
            </form>
        </li>
    }
}
