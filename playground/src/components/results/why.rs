//! Why a verdict is what it is: what decided, in a sentence; all steps and what else there is to say come late.
//!
//! In: the chosen verdict and its trace. Out: another chosen verdict; a step's lines in both editors.

use engine_lenses::wire::{Output, Step};
use web_sys::HtmlSelectElement;
use yew::{Callback, Html, TargetCast as _, classes, component, html};

use super::steps::{self, deciding};
use crate::app::Handle;
use crate::components::late::Late;
use crate::components::notice::coded;
use crate::components::{StoreProps, long, problems, status};
use crate::state::{Action, Answer, Chosen, Pointed, Subject, full_name, subjects};
use crate::words::results::why as words;

/// Verdicts offered in the list.
const MOST: usize = 500;

/// The tab's content.
#[component]
pub(super) fn Why(props: &StoreProps) -> Html {
    let store = &props.store;
    let Some(output) = &store.state.verdict.output else { return Html::default() };
    let state = &store.state;
    let (because, view) = if let Some(subject) = state.subject() {
        (
            because(store, subject),
            if matches!(subject.status(), "fail" | "warn" | "error") { "edits" } else { "others" },
        )
    } else if let Some(answer) = state.unmatched() {
        (not_for_it(store, answer), "others")
    } else {
        let empty = html! { <p class="empty">{ words::EMPTY }</p> };
        return html! { <div class="why">{ chooser(store, output) }{ empty }</div> };
    };
    html! { <div class="why">{ chooser(store, output) }{ because }<Late store={store.clone()} {view} /></div> }
}

/// The list of all verdicts.
fn chooser(store: &Handle, output: &Output) -> Html {
    let all: Vec<Chosen> = subjects(output).take(MOST).map(|s| Chosen::of(s.result, s.rule, true)).collect();
    let names: Vec<(bool, String)> = subjects(output)
        .take(MOST)
        .map(|subject| {
            let chosen = store.state.chosen.as_ref();
            let is_chosen = chosen.is_some_and(|chosen| chosen.is(subject.result, subject.rule));
            let rule = subject.rule.map_or(String::new(), |rule| format!(" / {}", rule.rule));
            let word = subject.rule.map_or(words::NO_MATCH, |rule| &rule.status);
            let (policy, resource) = (&subject.result.policy.name, full_name(&subject.result.resource));
            (is_chosen, long::short(&format!("{word}  {policy}{rule}  ·  {resource}")).into_owned())
        })
        .collect();
    let is_none = names.iter().all(|(is_chosen, _)| !is_chosen);
    let unmatched = store.state.chosen.as_ref().filter(|_| store.state.unmatched().is_some());
    let unlisted = unmatched.map_or_else(
        || words::CHOOSE.to_owned(),
        |Chosen { policy, rule, resource, .. }| {
            let policy = policy.split_once(' ').map_or("", |(_, name)| name);
            format!("{}  {policy} / {rule}  ·  {resource}", words::NO_MATCH)
        },
    );
    let choose = {
        let store = store.clone();
        Callback::from(move |event: yew::Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            // The first entry of the list says that nothing is chosen, where that is so.
            let at = usize::try_from(at).ok().and_then(|at| at.checked_sub(usize::from(is_none)));
            if let Some(chosen) = at.and_then(|at| all.get(at)) {
                store.dispatch(Action::Chose(chosen.clone()));
            }
        })
    };
    html! {
        <select class="chooser" onchange={choose} aria-label={words::WHICH}>
            if is_none { <option selected=true>{ unlisted }</option> }
            { for names.into_iter().map(|(is_chosen, name)| html! { <option selected={is_chosen}>{ name }</option> }) }
        </select>
    }
}

/// What kept the rule that somebody points at from the resource.
fn not_for_it(store: &Handle, answer: &Answer) -> Html {
    html! {
        <div class="because is-none">
            <h3>{ status::mark("") }{ words::not_for_it(&answer.rule) }</h3>
            <ul>{ for answer.deciding.iter().enumerate().map(|(at, step)| row(store, at, step)) }</ul>
        </div>
    }
}

/// What decided.
fn because(store: &Handle, subject: Subject<'_>) -> Html {
    let all = subject.steps();
    let decisive = deciding(subject);
    // The sentence names what is absent or offends; until it has come, what kind of step decided.
    let headline = match store.state.sentence() {
        Some(sentence) => coded(&long::sentence(&words::sentence(sentence))),
        None => html! { steps::headline(subject, &decisive) },
    };
    // Where no step was taken, the reason is a sentence of its own.
    let silent = subject.result.no_match.as_deref().filter(|_| subject.rule.is_none() && decisive.is_empty());
    let message = subject.rule.map(|rule| rule.message.as_str()).filter(|message| !message.is_empty());
    html! {
        <div class={classes!("because", format!("is-{}", if subject.rule.is_some() { subject.status() } else { "none" }))}>
            <h3>{ status::mark(subject.status()) }<span>{ headline }</span></h3>
            if let Some(message) = message { <p class="message"><span class="quiet">{ words::KYVERNO_SAYS }</span>{ long::said(message) }</p> }
            if let Some(why) = silent { <p class="message">{ coded(&long::sentence(why)) }</p> }
            <ul>{ for decisive.iter().filter_map(|at| Some(row(store, *at, all.get(*at)?))) }</ul>
        </div>
    }
}

/// One step; a click marks its lines.
fn row(store: &Handle, at: usize, step: &Step) -> Html {
    let ranges: Vec<_> = step.policy_range.iter().chain(&step.resource_range).cloned().collect();
    let key = format!("step/{at}");
    let chosen = store.state.pointed.as_ref().is_some_and(|pointed| pointed.key == key);
    let point = {
        let (store, ranges) = (store.clone(), ranges.clone());
        Callback::from(move |_| {
            let pointed = Pointed { key: key.clone(), ranges: ranges.clone(), status: "skip" };
            store.dispatch(Action::Pointed(pointed));
        })
    };
    let content = html! {
        <>
            <span class="kind">{ words::kind(&step.kind) }</span>
            <span class={classes!("outcome", format!("is-{}", step.outcome))}>{ &step.outcome }</span>
            <span class="step-text">{ coded(&long::sentence(&step.text)) }</span>
        </>
    };
    html! {
        <li class={classes!("step", chosen.then_some("chosen"))}>
            if ranges.is_empty() {
                <div class="content">{ content }</div>
            } else {
                <button type="button" class="content" aria-pressed={chosen.to_string()} onclick={point}>{ content }</button>
            }
            <span class="where">{ for ranges.iter().map(|range| problems::place(store, range)) }</span>
        </li>
    }
}
