//! A few words: what this is, whose verdicts it follows, how the keyboard works.

use yew::{Callback, Html, component, html};

use super::StoreProps;
use super::toolbar::ThemeSwitch;
use crate::editor;
use crate::state::{Action, Panel};
use crate::words::about as words;

/// Where the project's source is; empty where the workspace does not say.
const SOURCE: &str = env!("CARGO_PKG_REPOSITORY");

/// The documents beside the page, and the source.
fn links() -> impl Iterator<Item = Html> {
    let source = (!SOURCE.is_empty()).then_some((words::SOURCE, SOURCE));
    words::DOCUMENTS.into_iter().chain(source).map(|(title, href)| {
        html! { <><a {href} target="_blank" rel="noopener">{ title }</a>{ " " }</> }
    })
}

/// The panel's content.
#[component]
pub(crate) fn About(props: &StoreProps) -> Html {
    let versions =
        props.store.state.verdict.output.as_ref().map(|output| output.version.clone()).unwrap_or_default();
    let commands = {
        let store = props.store.clone();
        Callback::from(move |_| store.dispatch(Action::Toggled(Panel::Commands)))
    };
    html! {
        <div class="prose">
            <p class="theme">{ words::THEME }<ThemeSwitch store={props.store.clone()} /></p>
            <p><label class="tick"><input type="checkbox" checked={editor::is_wrapped()} onchange={|_| editor::wrap()} />{ words::WRAP }</label></p>
            <p>{ words::WHAT }{ versions.kyverno }{ words::WHAT_END }</p>
            <p>{ words::ENGINE }{ versions.podsieve }{ words::ENGINE_END }</p>
            <p>{ words::HOST }</p>
            <p>{ words::MORE }{ for links() }</p>
            <p>{ words::OTHERS }<a href="./THIRD_PARTY_LICENSES.txt" target="_blank" rel="noopener">{ words::LICENSES }</a>{ words::OTHERS_END }</p>
            <h3>{ words::KEYBOARD }</h3>
            <dl>
                <dt>{ words::COMMANDS_KEY }</dt><dd><button type="button" class="plain" onclick={commands}>{ words::COMMANDS }</button>{ words::COMMANDS_END }</dd>
                { for words::KEYS.into_iter().map(|(key, what)| html! { <><dt>{ key }</dt><dd>{ what }</dd></> }) }
            </dl>
        </div>
    }
}
