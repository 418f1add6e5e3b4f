//! Opens a pasted link in any form in which people pass them on, or files.

use yew::{Callback, Html, SubmitEvent, component, html, use_node_ref, use_state};

use super::StoreProps;
use crate::state::Action;
use crate::words::open as words;
use crate::{app, browser, files, link};

/// The form.
#[component]
pub(crate) fn OpenPanel(props: &StoreProps) -> Html {
    let field = use_node_ref();
    let failure = use_state(|| None::<String>);
    let submit = {
        let (field, failure, store) = (field.clone(), failure.clone(), props.store.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
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
                placeholder={words::LINK_EXAMPLE} />
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
