//! What opens below the toolbar: samples, a link to open, links to share, workspaces, commands, a few words about the page.
//!
//! In: the state. Out: one panel, or none. Panels hang below the toolbar, close with Escape, and dim nothing.

use yew::{Callback, Html, component, html, use_effect_with};

use super::{StoreProps, about, open_panel, palette, samples_menu, share_panel, spaces_panel};
use crate::browser;
use crate::state::{Action, Panel};
use crate::words;

/// The open panel.
#[component]
pub(crate) fn Panels(props: &StoreProps) -> Html {
    let store = props.store.clone();
    let open = store.state.panel;
    use_effect_with(open, |open| {
        match open {
            // The palette puts the keyboard into its field itself.
            Some(Panel::Commands) | None => {}
            // What is in the clipboard can be pasted at once.
            Some(Panel::Open) => browser::focus("pasted"),
            Some(_) => browser::focus("panel"),
        }
    });
    let Some(panel) = open else { return Html::default() };
    let close = {
        let store = store.clone();
        Callback::from(move |_| {
            store.dispatch(Action::Closed);
            browser::focus(panel.button());
        })
    };
    let (title, side, content) = match panel {
        Panel::Samples => (words::samples::TITLE, "left", html! { <samples_menu::SamplesMenu {store} /> }),
        Panel::Open => (words::open::TITLE, "left", html! { <open_panel::OpenPanel {store} /> }),
        Panel::Share => (words::share::TITLE, "right", html! { <share_panel::SharePanel {store} /> }),
        Panel::Spaces => (words::spaces::TITLE, "left", html! { <spaces_panel::SpacesPanel {store} /> }),
        Panel::Commands => return html! { <palette::Palette {store} /> },
        Panel::About => (words::about::TITLE, "right", html! { <about::About {store} /> }),
    };
    html! {
        <section class={yew::classes!("panel", side)} id="panel" role="dialog" aria-label={title} tabindex="-1">
            <div class="panel-head">
                <h2>{ title }</h2>
                <button type="button" class="plain" onclick={close}>{ words::CLOSE }</button>
            </div>
            { content }
        </section>
    }
}
