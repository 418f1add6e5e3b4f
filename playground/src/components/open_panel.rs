//! Opens a pasted link in any form in which people pass them on, or files.

use yew::{Callback, Html, KeyboardEvent, SubmitEvent, component, html, use_node_ref, use_state};

use super::StoreProps;
use crate::state::Action;
use crate::words::open as words;
use crate::{app, browser, files, link};

/// The form.
#[component]
pub(crate) fn OpenPanel(props: &StoreProps) -> Html {
    let field = use_node_ref();
    let failure = use_state(|| None::<String>);
    let open = {
        let (field, failure, store) = (field.clone(), failure.clone(), props.store.clone());
        Callback::from(move |()| {
            let text =
                field.cast::<web_sys::HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
            if let Some(policy) = link::library(&text) {
                app::open_library(&store, &policy);
                store.dispatch(Action::Closed);
                browser::focus("open-open");
                return;
            }
            match link::read(&text) {
                Ok((work, notes)) => {
                    store.dispatch(Action::Opened(work, notes));
                    browser::focus("open-open");
                }
                Err(why) => failure.set(Some(why)),
            }
        })
    };
    let submit = open.reform(|event: SubmitEvent| event.prevent_default());
    // A link is one line, however long: Enter opens it, as in a field of one line.
    let keys = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            open.emit(());
        }
    });
    let choose = {
        let store = props.store.clone();
        Callback::from(move |_| {
            let store = store.clone();
            files::ask(move |chosen| app::take_files(&store, &chosen));
        })
    };
    let anew = {
        let store = props.store.clone();
        Callback::from(move |_| app::start_anew(&store))
    };
    let choose_folder = {
        let store = props.store.clone();
        Callback::from(move |_| {
            let store = store.clone();
            files::ask_folder(move |chosen| app::take_files(&store, &chosen));
        })
    };
    html! {
        <form onsubmit={submit}>
            <label for="pasted">{ words::LINK }<code>{ words::LINK_CODE }</code></label>
            <textarea id="pasted" ref={field} rows="5" spellcheck="false" autocomplete="off"
                placeholder={words::LINK_EXAMPLE} onkeydown={keys} />
            if let Some(why) = &*failure { <p class="wrong" role="alert">{ why.clone() }</p> }
            <p class="foot"><button type="submit" class="main">{ words::OPEN }</button>{ words::FOOT }</p>
            <h3>{ words::FILES }</h3>
            <p>
                <button type="button" class="plain" onclick={choose}>{ words::CHOOSE }</button>
                <button type="button" class="plain" onclick={choose_folder}>{ words::CHOOSE_FOLDER }</button>
                { words::DROP }<code>{ words::DROP_CODE }</code>
                { words::DROP_END }
            </p>
            <h3>{ words::NOTHING }</h3>
            <p><button type="button" class="plain" onclick={anew}>{ words::NEW }</button></p>
        </form>
    }
}
