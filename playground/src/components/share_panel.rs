//! Links to what is on screen: for the Kyverno Playground and for this page, and what they carry.
//!
//! In: the texts. Out: links of the parts that are wanted, their length, a warning where a Secret with data is inside.

use engine_lenses::share;
use web_sys::HtmlInputElement;
use yew::{Callback, Html, Properties, TargetCast as _, UseStateHandle, component, html, use_state};

use super::copy::copy;
use super::{StoreProps, long};
use crate::app::Handle;
use crate::slot::Slot;
use crate::state::Action;
use crate::words::{copying, share as words};
use crate::{browser, files, link};

/// Longer links are cut by some chats and trackers.
const LONG: usize = 2_000;
/// Longer links do not get from another program to the browser on Windows (32,767 characters a command line), nor through
/// most places where links are written.
const VERY_LONG: usize = 32_000;

/// The panel's content.
#[component]
pub(crate) fn SharePanel(props: &StoreProps) -> Html {
    let texts = &props.store.state.texts;
    let left_out = use_state(Vec::<String>::new);
    let state = texts.to_link_without(&left_out);
    let original = link::to_the_original(&state);
    let own = link::to_this_page(&state);
    let length = original.chars().count();
    let secrets = secrets(&state);
    html! {
        <>
            if !secrets.is_empty() { <p class="wrong" role="alert">{ words::secrets(&secrets) }</p> }
            { parts(&texts.to_link(), &left_out) }
            <p class="length" role="status">
                <b>{ words::length(length) }</b>
                if length > VERY_LONG { { words::VERY_LONG } } else if length > LONG { { words::LONG } }
            </p>
            <CopyField id="share-own" label={words::OWN} text={own.clone()} />
            <CopyField id="share-original" label={words::ORIGINAL} text={original.clone()} />
            { forms(&props.store, &state, [&own, &original], length > VERY_LONG) }
            <p class="foot">{ words::PROMISE }</p>
        </>
    }
}

/// What a part of a link is called here.
fn title(key: &str) -> String {
    let slot = Slot::ALL.into_iter().find(|slot| slot.key() == key);
    match slot {
        Some(slot) => slot.title().to_owned(),
        None if key == share::host::FIELD => words::HOST.to_owned(),
        None => words::without_editor(&long::short(key)),
    }
}

/// The parts that hold a Secret with data, also those that came with a link and have no editor.
fn secrets(state: &share::State) -> Vec<String> {
    state.iter().filter(|(_, text)| share::holds_secret(text)).map(|(key, _)| title(key)).collect()
}

/// A box for each part that has a text.
fn parts(whole: &share::State, left_out: &UseStateHandle<Vec<String>>) -> Html {
    let tick = |key: &str, text: &str| {
        let set = {
            let (left_out, key) = (left_out.clone(), key.to_owned());
            Callback::from(move |event: yew::Event| {
                let mut next = Vec::clone(&left_out);
                if event.target_unchecked_into::<HtmlInputElement>().checked() {
                    next.retain(|other| *other != key);
                } else {
                    next.push(key.clone());
                }
                left_out.set(next);
            })
        };
        let words = words::part(&title(key), text.chars().count());
        let is_in = !left_out.iter().any(|other| other == key);
        html! { <label class="tick"><input type="checkbox" checked={is_in} onchange={set} />{ words }</label> }
    };
    let filled = whole.iter().filter(|(_, text)| !text.is_empty());
    html! { <fieldset class="parts"><legend>{ words::WHAT }</legend>{ for filled.map(|(key, text)| tick(key, text)) }</fieldset> }
}

/// The other forms of a link, and what becomes a file; open from the first where a file is the better way.
fn forms(store: &Handle, state: &share::State, [own, original]: [&str; 2], is_open: bool) -> Html {
    let markdown = words::markdown(own, &store.state.verdict.words());
    let export = {
        let texts = store.state.texts.clone();
        Callback::from(move |_| files::export(&texts))
    };
    let test = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::WantedTest))
    };
    html! {
        <details open={is_open}>
            <summary>{ words::FORMS }</summary>
            <CopyField id="share-markdown" label={words::MARKDOWN} text={markdown} />
            <CopyField id="share-frame" label={words::FRAME} text={link::frame(state)} />
            <CopyField id="share-command" label={words::COMMAND} text={words::command(original)} />
            <p class="foot"><button type="button" class="plain" onclick={test}>{ words::TEST }</button>{ words::TEST_MORE }<code>{ words::TEST_CODE }</code>{ words::TEST_END }</p>
            { for store.state.test_notes.iter().map(|note| html! { <p class="foot" role="status">{ note }</p> }) }
            <p class="foot"><button type="button" class="plain" onclick={export}>{ words::EXPORT }</button>{ words::EXPORT_END }</p>
        </details>
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
    let on_click = {
        let (id, text, copied) = (props.id, props.text.clone(), copied.clone());
        Callback::from(move |_| {
            if let Some(field) = browser::by_id(id) {
                use wasm_bindgen::JsCast as _;
                if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
                    input.select();
                }
            }
            // Where the browser forbids it, the text is selected and Ctrl+C works.
            copy(&text);
            copied.set(Some(text.clone()));
        })
    };
    let done = copied.as_deref() == Some(props.text.as_str());
    html! {
        <div class="copy">
            <label for={props.id}>{ props.label }</label>
            <div class="row">
                <input id={props.id} type="text" readonly=true value={props.text.clone()} spellcheck="false" />
                <button type="button" class="main" onclick={on_click} aria-label={words::copy(props.label)}>
                    { if done { copying::COPIED } else { copying::COPY } }
                </button>
            </div>
        </div>
    }
}
