//! The top line: name, menus, the verdict in one line, the theme.
//!
//! In: the state. Out: panels opened, the theme set. The verdict line is read out when it changes.

use engine_lenses::share::host::NAMES;
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, TargetCast as _, classes, component, html, use_state};

use super::{StoreProps, long, status};
use crate::slot::Slot;
use crate::state::{Action, Panel, State, Theme};
use crate::words::{self, commands, page};
use crate::{app, link};

/// The top line.
#[component]
pub(crate) fn Toolbar(props: &StoreProps) -> Html {
    let store = &props.store;
    let button = |panel: Panel, words: &str| {
        let toggle = {
            let store = store.clone();
            Callback::from(move |_| store.dispatch(Action::Toggled(panel)))
        };
        let open = store.state.panel == Some(panel);
        html! {
            <button type="button" id={panel.button()} class={classes!("tool", open.then_some("open"))}
                aria-expanded={open.to_string()} onclick={toggle}>{ words }</button>
        }
    };
    let anew = {
        let store = store.clone();
        Callback::from(move |_| app::start_anew(&store))
    };
    if store.state.is_embedded {
        return html! {
            <header class="toolbar">
                <h1 class="brand"><img src="./icon.svg" alt="" width="20" height="20" />{ words::NAME }</h1>
                <div class="verdict" role="status">{ verdict(&store.state) }</div>
                <Host store={store.clone()} />
                <Whole store={store.clone()} />
            </header>
        };
    }
    html! {
        <header class="toolbar">
            <h1 class="brand"><img src="./icon.svg" alt="" width="20" height="20" />{ words::NAME }</h1>
            <nav class="tools" aria-label={page::TOOLS}>
                <button type="button" class="tool anew" onclick={anew}>{ page::NEW }</button>
                { button(Panel::Samples, page::SAMPLES) }
                { button(Panel::Open, page::OPEN) }
                { button(Panel::Share, page::SHARE) }
                { button(Panel::Spaces, page::SPACES) }
            </nav>
            <div class="verdict" role="status">{ verdict(&store.state) }</div>
            <Host store={store.clone()} />
            <div class="corner">
                <ThemeSwitch store={store.clone()} />
                { button(Panel::About, "?") }
            </div>
        </header>
    }
}

/// As whom the policies are evaluated: what the verdict beside it is of.
#[component]
fn Host(props: &StoreProps) -> Html {
    let here = props.store.state.texts.host();
    let choose = {
        let store = props.store.clone();
        Callback::from(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            if let Some(host) = usize::try_from(at).ok().and_then(|at| NAMES.get(at)) {
                store.dispatch(Action::ChoseHost(host));
            }
        })
    };
    let option = |name: &'static str| {
        html! { <option selected={name == here} title={page::host_about(name)}>{ page::host(name) }</option> }
    };
    html! {
        <select id="host" class="host" onchange={choose} aria-label={page::HOST} title={page::host_about(here)}>
            { for NAMES.into_iter().map(option) }
        </select>
    }
}

/// The way from inside another page to the whole one. Its link is made when somebody turns to it: to pack long texts takes time.
#[component]
fn Whole(props: &StoreProps) -> Html {
    let texts = props.store.state.texts.clone();
    let made = use_state(|| None);
    let href = made.as_ref().filter(|(of, _)| *of == texts).map(|(_, link): &(_, String)| link.clone());
    let is_made = href.is_some();
    let make = move || {
        if !is_made {
            let link = link::to_this_page(&texts.to_link());
            made.set(Some((texts.clone(), link)));
        }
    };
    let (on_enter, on_focus) = (make.clone(), make);
    html! {
        <a class="whole" href={href.unwrap_or_else(crate::browser::page_url)} target="_blank" rel="noopener"
            onpointerenter={move |_| on_enter()} onfocus={move |_| on_focus()}>{ page::WHOLE }</a>
    }
}

/// `2 fail · 5 pass   0.8 ms, nothing left this browser`.
fn verdict(state: &State) -> Html {
    if let Some(why) = &state.verdict.failure {
        return html! { <span class="count">{ status::mark("error") }<span class="failure">{ long::sentence(why).into_owned() }</span></span> };
    }
    let Some(output) = &state.verdict.output else {
        return html! { <span class="quiet">{ page::EVALUATING }</span> };
    };
    let counts = output.counts;
    let number = |status: &str| match status {
        "pass" => counts.pass,
        "fail" => counts.fail,
        "warn" => counts.warn,
        "error" => counts.error,
        _ => counts.skip,
    };
    let shown: Vec<Html> = status::ORDER
        .into_iter()
        .filter(|status| number(status) > 0)
        .map(|status| {
            html! { <span class={classes!("count", format!("is-{status}"))}>{ status::mark(status) }<b>{ number(status) }</b>{ " " }{ status }</span> }
        })
        .collect();
    let nothing = shown.is_empty().then(|| html! { <span class="quiet">{ nothing_matched(state) }</span> });
    let refused = output.refused.len();
    let refusals = (refused > 0).then(|| {
        html! { <span class="count is-error">{ status::mark("error") }<b>{ refused }</b>{ " " }{ page::refused(refused) }</span> }
    });
    // Verdicts beside documents that could not be read must not look like all of them.
    let missing = match state.verdict.not_evaluated() {
        0 if !shown.is_empty() => state.verdict.unread(),
        number => number,
    };
    let missing = (missing > 0).then(|| {
        html! { <span class="count is-none">{ status::mark("none") }<b>{ missing }</b>{ " " }{ page::NOT_EVALUATED }</span> }
    });
    html! {
        <>
            { for shown } { nothing } { refusals } { missing }
            <span class="time" aria-hidden="true">{ time(state.verdict.millis) }<span class="promise">{ page::PROMISE }</span></span>
        </>
    }
}

fn nothing_matched(state: &State) -> &'static str {
    let loaded = state.verdict.output.as_ref().map(|output| output.loaded).unwrap_or_default();
    if loaded.policies == 0 {
        if state.verdict.has_error(Slot::Policy) { page::UNUSABLE_POLICY } else { page::NO_POLICY }
    } else if loaded.resources == 0 {
        if state.verdict.has_error(Slot::Resource) { page::UNUSABLE_RESOURCE } else { page::NO_RESOURCE }
    } else {
        state.verdict.silence()
    }
}

/// A duration with two significant digits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast stops at both ends of the type"
)]
fn time(millis: f64) -> String {
    // Whole numbers: what writes fractions weighs much.
    let tenths = ((millis * 10.0).round() as u32).max(1);
    if tenths < 100 {
        format!("{}.{}{}", tenths / 10, tenths % 10, page::MILLIS)
    } else {
        format!("{}{}", (tenths + 5) / 10, page::MILLIS)
    }
}

/// Light, dark, or as the system has it: one button that goes round.
#[component]
pub(crate) fn ThemeSwitch(props: &StoreProps) -> Html {
    let (next, words) = match props.store.state.theme {
        Some(Theme::Light) => (Some(Theme::Dark), commands::LIGHT),
        Some(Theme::Dark) => (None, commands::DARK),
        None => (Some(Theme::Light), commands::SYSTEM),
    };
    let turn = {
        let store = props.store.clone();
        Callback::from(move |_| store.dispatch(Action::Themed(next)))
    };
    html! {
        <button type="button" class="tool icon" onclick={turn} aria-label={words} title={words}>
            <svg viewBox="0 0 16 16" aria-hidden="true" class="glyph">
                <circle cx="8" cy="8" r="6.2" class="line" />
                <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" class="fill" />
            </svg>
        </button>
    }
}
