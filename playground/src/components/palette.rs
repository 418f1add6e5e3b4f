//! The command palette: a field, and below it the commands that it means; by keyboard alone.
//!
//! In: the state. Out: a command done. The field is a combobox whose list box is always open, so the keyboard stays in the
//! field; Escape gives it back to where it was.

use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::{
    Callback, Html, InputEvent, TargetCast as _, UseStateHandle, component, html, use_effect_with,
    use_mut_ref, use_state,
};

use super::StoreProps;
use super::copy::copy;
use crate::app::{self, Handle};
use crate::commands::{self, Command, Does};
use crate::state::{Action, Panel, SpaceAction, View};
use crate::words::commands as words;
use crate::{browser, editor, files, link};

const FIELD: &str = "commands-field";
const LIST: &str = "commands-list";
/// How many lines Page Up and Page Down go.
const PAGE: usize = 8;

/// The palette.
#[component]
pub(crate) fn Palette(props: &StoreProps) -> Html {
    let store = &props.store;
    let typed = use_state(String::new);
    let at = use_state(|| 0_usize);
    let before = use_mut_ref(|| None::<HtmlElement>);
    {
        let before = before.clone();
        use_effect_with((), move |()| {
            *before.borrow_mut() = browser::focused();
            browser::focus(FIELD);
        });
    }
    use_effect_with((*at, (*typed).clone()), |(at, _)| browser::scroll_to(&id(*at)));
    let found = commands::matching(commands::all(&store.state), &typed);
    let leave = {
        let store = store.clone();
        Callback::from(move |()| {
            store.dispatch(Action::Closed);
            let had = before.borrow();
            // A button of a panel that the palette took the place of is gone, and the page as a whole has no keyboard.
            match had.as_ref().filter(|element| element.is_connected() && element.tag_name() != "BODY") {
                Some(element) => drop(element.focus()),
                None => browser::focus(store.state.open_result_tab().id()),
            }
        })
    };
    let run = {
        let (store, leave) = (store.clone(), leave.clone());
        Callback::from(move |does: Does| {
            leave.emit(());
            perform(&store, does);
        })
    };
    let keys = {
        let doings = found.iter().map(|command| command.does.clone()).collect();
        keys(at.clone(), doings, leave.clone(), run.clone())
    };
    let input = {
        let (typed, at) = (typed.clone(), at.clone());
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
            at.set(0);
        })
    };
    let active = (!found.is_empty()).then(|| id(*at));
    html! {
        <section class="panel palette" id="panel" role="dialog" aria-label={words::TITLE} onkeydown={keys}>
            <div class="palette-head">
                <input id={FIELD} type="text" role="combobox" aria-label={words::TITLE} aria-expanded="true" aria-controls={LIST}
                    aria-autocomplete="list" aria-activedescendant={active} placeholder={words::TYPE}
                    autocomplete="off" spellcheck="false" value={(*typed).clone()} oninput={input} />
                <button type="button" class="plain" onclick={move |_| leave.emit(())}>{ crate::words::CLOSE }</button>
            </div>
            if found.is_empty() { <p class="foot" role="status">{ words::NONE }</p> }
            <ul class="menu" id={LIST} role="listbox" aria-label={words::TITLE} hidden={found.is_empty()}>
                { for found.into_iter().enumerate().map(|(line, command)| row(line, line == *at, command, &run)) }
            </ul>
        </section>
    }
}

/// By keyboard: the line that is meant, and what it does.
fn keys(
    at: UseStateHandle<usize>,
    doings: Vec<Does>,
    leave: Callback<()>,
    run: Callback<Does>,
) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let last = doings.len().saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => at.set(if *at >= last { 0 } else { *at + 1 }),
            "ArrowUp" => at.set(if *at == 0 { last } else { *at - 1 }),
            "PageDown" => at.set((*at + PAGE).min(last)),
            "PageUp" => at.set(at.saturating_sub(PAGE)),
            "Enter" => {
                if let Some(does) = doings.get(*at) {
                    run.emit(does.clone());
                }
            }
            "Escape" => leave.emit(()),
            _ => return,
        }
        event.prevent_default();
    })
}

/// The id of a line.
fn id(at: usize) -> String {
    format!("command-{at}")
}

fn row(line: usize, is_active: bool, command: Command, run: &Callback<Does>) -> Html {
    let Command { title, group, key, does } = command;
    let click = {
        let run = run.clone();
        Callback::from(move |_| run.emit(does.clone()))
    };
    html! {
        <li id={id(line)} class="entry" role="option" aria-selected={is_active.to_string()} onclick={click}>
            <span>{ title }</span>
            <span class="kind">{ group } if !key.is_empty() { <kbd>{ key }</kbd> }</span>
        </li>
    }
}

/// Does what a command says.
fn perform(store: &Handle, does: Does) {
    let state = &store.state;
    match does {
        Does::Panel(panel) => store.dispatch(Action::Toggled(panel)),
        Does::Input(slot) => {
            store.dispatch(Action::Added(slot));
            store.dispatch(Action::Revealed(slot, 0));
        }
        Does::Tab(tab) => {
            store.dispatch(Action::Viewed(View::Results));
            store.dispatch(Action::ShowedResultTab(tab));
            browser::focus_later(tab.id());
        }
        Does::Sample(entry) => app::open_sample(store, entry, Vec::new()),
        Does::Space(name) => store.dispatch(Action::Space(SpaceAction::Open(name))),
        Does::Theme(theme) => store.dispatch(Action::Themed(theme)),
        Does::Back => store.dispatch(Action::WentBack),
        Does::Reset => app::start_over(store),
        Does::New => app::start_anew(store),
        Does::Wrap => editor::wrap(),
        Does::Files => {
            let store = store.clone();
            files::ask(move |chosen| app::take_files(&store, &chosen));
        }
        Does::Export => files::export(&state.texts),
        Does::Test => {
            // Where there is something to be said of it.
            store.dispatch(Action::Toggled(Panel::Share));
            store.dispatch(Action::WantedTest);
        }
        Does::CopyLink => copy(&link::to_this_page(&state.texts.to_link())),
        Does::CopyOriginal => copy(&link::to_the_original(&state.texts.to_link())),
        Does::Line => editor::ask_line(),
        Does::Search => {
            store.dispatch(Action::Viewed(View::Results));
            store.dispatch(Action::ShowedResultTab(crate::state::Tab::Results));
            browser::focus_later("results-search");
        }
    }
}
