//! A button that copies a text, and says that it has.

use yew::{Callback, Html, Properties, component, html, use_state};

use crate::words::copying as words;

/// Puts a text into the clipboard; where the browser forbids it, nothing happens.
pub(crate) fn copy(text: &str) {
    if let Some(window) = web_sys::window() {
        drop(window.navigator().clipboard().write_text(text));
    }
}

#[derive(PartialEq, Properties)]
pub(crate) struct CopyButtonProps {
    pub(crate) text: String,
    /// What it copies, for those who do not see where it stands.
    pub(crate) what: &'static str,
}

/// The button.
#[component]
pub(crate) fn CopyButton(props: &CopyButtonProps) -> Html {
    let copied = use_state(|| None::<String>);
    let on_click = {
        let (text, copied) = (props.text.clone(), copied.clone());
        Callback::from(move |_| {
            copy(&text);
            copied.set(Some(text.clone()));
        })
    };
    let done = copied.as_deref() == Some(props.text.as_str());
    html! {
        <button type="button" class="plain copies" onclick={on_click} aria-label={words::copy(props.what)}>
            { if done { words::COPIED } else { words::COPY } }
        </button>
    }
}
