//! A few words: what this is, whose verdicts it follows, how the keyboard works.

use yew::{Callback, Html, component, html};

use super::StoreProps;
use super::toolbar::ThemeSwitch;
use crate::state::{Action, Panel};
use crate::words::commands as words;

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
            <p class="theme">{ "Light or dark: " }<ThemeSwitch store={props.store.clone()} /></p>
            <p>{ "podsieve evaluates Kyverno policies in your browser. It is a project of its own and no part of Kyverno; " }
                { "it follows the verdicts and words of Kyverno " }{ versions.kyverno }{ "." }</p>
            <p>{ "The engine (podsieve " }{ versions.podsieve }{ ") runs in a worker on this page. " }
                { "Nothing is sent: the page asks nobody for anything but its own files, and its Content-Security-Policy forbids more. " }
                { "What you type is kept in this browser until you start over." }</p>
            <p>{ "Resources are evaluated as in the Kyverno Playground: no namespace is added, and Kyverno’s default resource filters apply." }</p>
            <h3>{ "Keyboard" }</h3>
            <dl>
                <dt>{ "Ctrl/Cmd+K" }</dt><dd><button type="button" class="plain" onclick={commands}>{ "commands" }</button>{ ": everything on this page by name" }</dd>
                <dt>{ "Tab" }</dt><dd>{ "indents in an editor; Escape and then Tab leaves it" }</dd>
                <dt>{ "Ctrl+Space" }</dt><dd>{ "completes in an editor: keys, values, functions; so does typing" }</dd>
                <dt>{ "Ctrl/Cmd+F" }</dt><dd>{ "finds in an editor" }</dd>
                <dt>{ words::LINE_KEY }</dt><dd>{ words::LINE_ABOUT }</dd>
                <dt>{ "F8" }</dt><dd>{ "next remark in an editor; ↑ ↓ in the list of remarks" }</dd>
                <dt>{ "← →" }</dt><dd>{ "other tab; on a divider, another width" }</dd>
                <dt>{ "/" }</dt><dd>{ "searches the verdicts, where there are many" }</dd>
                <dt>{ "Enter" }</dt><dd>{ "on a verdict marks its lines" }</dd>
                <dt>{ "Escape" }</dt><dd>{ "closes a panel" }</dd>
            </dl>
        </div>
    }
}
