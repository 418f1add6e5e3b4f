//! Links to what is on screen: for the Kyverno Playground and for this page, and what they carry.
//!
//! In: the texts. Out: links, their length, a warning where a Secret with data is inside.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_state};

use super::StoreProps;
use crate::slot::Slot;
use crate::state::Action;
use crate::{browser, files, link};

/// Longer links are cut by some chats and trackers.
const LONG: usize = 2_000;

/// The panel's content.
#[component]
pub(crate) fn SharePanel(props: &StoreProps) -> Html {
    let texts = &props.store.state.texts;
    let with_context = use_state(|| true);
    let with_config = use_state(|| true);
    let state = texts.to_link(*with_context, *with_config);
    let original = link::to_the_original(&state);
    let own = link::to_this_page(&state);
    let tick = |words: &'static str, slot: Slot, on: &yew::UseStateHandle<bool>| {
        if texts.get(slot).trim().is_empty() {
            return Html::default();
        }
        let set = {
            let on = on.clone();
            Callback::from(move |event: yew::Event| {
                on.set(event.target_unchecked_into::<HtmlInputElement>().checked());
            })
        };
        html! { <label class="tick"><input type="checkbox" checked={**on} onchange={set} />{ words }</label> }
    };
    let left_out = |slot: Slot| match slot {
        Slot::Context => !*with_context,
        Slot::Config => !*with_config,
        Slot::Policy
        | Slot::Exceptions
        | Slot::Definitions
        | Slot::Resource
        | Slot::OldResource
        | Slot::Cluster
        | Slot::ImageData => false,
    };
    let secrets: Vec<&str> =
        texts.secrets().into_iter().filter(|slot| !left_out(*slot)).map(Slot::title).collect();
    let length = original.chars().count();
    let markdown = link::markdown(&own, &props.store.state.verdict.words());
    let command = link::command(&original);
    let export = {
        let texts = texts.clone();
        Callback::from(move |_| files::export(&texts))
    };
    let test = {
        let store = props.store.clone();
        Callback::from(move |_| store.dispatch(Action::WantedTest))
    };
    html! {
        <>
            if !secrets.is_empty() {
                <p class="wrong" role="alert">
                    { format!("A Secret with data is in {}: whoever gets the link can read it.", secrets.join(" and ")) }
                </p>
            }
            { tick("include the context", Slot::Context, &with_context) }
            { tick("include the Kyverno config", Slot::Config, &with_config) }
            <CopyField id="share-original" label="For the Kyverno Playground" text={original} />
            <CopyField id="share-own" label="For this page" text={own} />
            <details>
                <summary>{ "Other forms" }</summary>
                <CopyField id="share-markdown" label="Markdown" text={markdown} />
                <CopyField id="share-frame" label="Embedded in a page" text={link::frame(&state)} />
                <CopyField id="share-command" label="Command line" text={command} />
                <p class="foot"><button type="button" class="plain" onclick={test}>{ "Save as a test folder" }</button>{ ": a zip with today’s verdicts, which " }<code>{ "kyverno test" }</code>{ " runs" }</p>
                { for props.store.state.test_notes.iter().map(|note| html! { <p class="foot" role="status">{ note }</p> }) }
                <p class="foot"><button type="button" class="plain" onclick={export}>{ "Save as playground.yaml" }</button>{ ", which the Kyverno Playground imports" }</p>
            </details>
            <p class="foot">
                { format!("{length} characters") }
                if length > LONG { { "; some chats and trackers cut links of this length" } }
                { ". The text is inside the link; nothing is stored anywhere." }
            </p>
        </>
    }
}

#[derive(PartialEq, Properties)]
struct CopyFieldProps {
    id: &'static str,
    label: &'static str,
    text: String,
}

/// A text that cannot be edited, and a button that copies it.
#[component]
fn CopyField(props: &CopyFieldProps) -> Html {
    let copied = use_state(|| None::<String>);
    let copy = {
        let (id, text, copied) = (props.id, props.text.clone(), copied.clone());
        Callback::from(move |_| {
            if let Some(field) = browser::by_id(id) {
                use wasm_bindgen::JsCast as _;
                if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
                    input.select();
                }
            }
            if let Some(window) = browser::window() {
                // Where the browser forbids it, the text is selected and Ctrl+C works.
                drop(window.navigator().clipboard().write_text(&text));
            }
            copied.set(Some(text.clone()));
        })
    };
    let done = copied.as_deref() == Some(props.text.as_str());
    html! {
        <div class="copy">
            <label for={props.id}>{ props.label }</label>
            <div class="row">
                <input id={props.id} type="text" readonly=true value={props.text.clone()} spellcheck="false" />
                <button type="button" class="main" onclick={copy} aria-label={format!("Copy: {}", props.label)}>
                    { if done { "Copied" } else { "Copy" } }
                </button>
            </div>
        </div>
    }
}
