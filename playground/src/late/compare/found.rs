//! What a comparison came to: the grade in a sentence, the smallest objects with what both sides say of them, how far the search came
//! and what it rests on.
//!
//! In: the answer. Out: objects written into the resources, tests copied.

use yew::{Html, Properties, component, html, use_state};

use super::answer::{Compared, Decision, Finding, Reason, Said, Search};
use crate::copy::{CopyButton, copy};
use crate::desk::{Change, Desk};
use crate::parts::{Changes, place, prose, yaml};
use crate::slot::Slot;
use crate::words::compare as w;
use crate::{long, status};

/// Differences, rules of a side and generated objects that are drawn.
const MOST: usize = 20;
/// Sentences of a list.
const MOST_SAID: usize = 100;
/// What `kyverno test` reads first.
const TEST: &str = "kyverno-test.yaml";
/// The user where no policy names one.
const DEFAULT_USER: &str = "jane";

/// The answer.
pub(super) fn compared(desk: &Desk, changes: &Changes, found: &Compared) -> Html {
    let directions: Vec<&str> = found.findings.iter().map(|finding| finding.direction.as_str()).collect();
    let sentence = w::sentence(&found.grade, found.search.requests, &directions, found.stopped);
    html! {
        <>
            <div class={yew::classes!("grade", format!("is-{}", w::looks(&found.grade)))}>
                <h3>{ status::mark(w::looks(&found.grade)) }{ w::grade(&found.grade, !found.but_for.is_empty()) }</h3>
                <p>{ sentence }</p>
                if !found.but_for.is_empty() { <p>{ prose(&w::but_for(&found.but_for)) }</p> }
                { reasons(desk, &found.reasons) }
            </div>
            { for found.findings.iter().take(MOST).enumerate().map(|(at, one)| finding(desk, changes, one, at == 0)) }
            <section class="far">
                // What is the same needs no word about how far a search came.
                if found.grade != "same" { { search(&found.search) } }
                if !found.not_noticed.is_empty() {
                    <details><summary>{ w::MISSED }</summary>
                        <ul class="said">{ for found.not_noticed.iter().take(MOST_SAID).map(|missed| html! { <li>{ missed.class.clone() }{ " " }{ prose(&missed.text) }</li> }) }</ul>
                    </details>
                }
                if !found.assumptions.is_empty() {
                    <details><summary>{ w::ASSUMED }</summary>
                        <ul class="said">{ for found.assumptions.iter().take(MOST_SAID).map(|one| html! { <li>{ prose(one) }</li> }) }</ul>
                    </details>
                }
            </section>
        </>
    }
}

/// Why a side is not compared.
pub(super) fn reasons(desk: &Desk, reasons: &[Reason]) -> Html {
    let row = |reason: &Reason| {
        html! { <li>{ w::of_side(&reason.side) }{ prose(&reason.text) }{ " " }{ place(desk, reason.range.as_ref()) }</li> }
    };
    if reasons.is_empty() {
        return Html::default();
    }
    html! { <ul class="said">{ for reasons.iter().take(MOST_SAID).map(row) }</ul> }
}

fn search(search: &Search) -> Html {
    let Search { requests, undecided, only_written, places, pairs_met, pairs_not_met, mutants, noticed } =
        *search;
    if requests == 0 {
        return Html::default();
    }
    html! {
        <>
            <p class="sub">{ w::search(requests, places, pairs_met, pairs_met.saturating_add(pairs_not_met)) }</p>
            if mutants > 0 { <p class="sub">{ w::noticed(noticed, mutants) }</p> }
            if undecided > 0 { <p class="sub">{ w::undecided(undecided) }</p> }
            if only_written > 0 { <p class="sub">{ w::only_written(only_written) }</p> }
        </>
    }
}

/// A request on which both sides differ, and what each says of it.
pub(super) fn finding(desk: &Desk, changes: &Changes, one: &Finding, is_open: bool) -> Html {
    let cluster = one.cluster_yaml.join("---\n");
    let open = Change::Added(Slot::Resource.input(), one.yaml.clone());
    html! {
        <details class="object is-fail" open={is_open}>
            <summary><h4>{ w::finding(one) }</h4></summary>
            <div class="inside">
                if let Some(explanation) = &one.explanation { <p class="sub">{ w::sentence_of(explanation) }</p> }
                <div class="sides" role="group" aria-label={w::SIDES}>
                    { side(desk, w::OLD, &one.old) }
                    { side(desk, w::NEW, &one.new) }
                </div>
                <h5>{ w::SMALLEST }</h5>
                if one.user != DEFAULT_USER { <p class="sub">{ w::user(&one.user, &one.groups) }</p> }
                if one.dry_run { <p class="sub">{ w::DRY_RUN }</p> }
                if !one.namespace_labels.is_empty() { <p class="sub">{ w::labels(&one.namespace_labels) }</p> }
                <div class="copied"><CopyButton text={one.yaml.clone()} what={w::OBJECT} />{ yaml(&one.yaml) }</div>
                if let Some(old) = &one.old_yaml { <h5>{ w::BEFORE }</h5>{ yaml(old) } }
                if !one.cluster_yaml.is_empty() { <h5>{ w::CLUSTER }</h5>{ yaml(&cluster) } }
                <p class="buttons">
                    { changes.button(w::OPEN, "", open) }
                    if !one.cluster_yaml.is_empty() { { changes.button(w::INTO_CLUSTER, "", Change::Added(Slot::Cluster.input(), cluster.clone())) } }
                    { test(one) }
                </p>
                if !one.no_test.is_empty() { <p class="sub">{ prose(&w::no_test(&one.no_test)) }</p> }
            </div>
        </details>
    }
}

/// What one side does, and why.
fn side(desk: &Desk, name: &'static str, side: &Decision) -> Html {
    html! {
        <section class="side">
            <h5><span class="who">{ name }</span>{ " " }{ w::effect(&side.effect) }</h5>
            if side.rules.is_empty() { <p class="sub">{ w::SILENT }</p> }
            <ul class="verdicts">{ for side.rules.iter().take(MOST).map(|one| rule(desk, one)) }</ul>
            if let Some(object) = &side.object { <p class="sub">{ w::LEFT }</p>{ yaml(object) } }
            if !side.generated.is_empty() { <p class="sub">{ w::GENERATED }</p> }
            { for side.generated.iter().take(MOST).map(|one| yaml(one)) }
        </section>
    }
}

fn rule(desk: &Desk, one: &Said) -> Html {
    html! {
        <li>
            { status::mark(&one.status) }
            <span>
                <b class={format!("is-{}", one.status)}>{ one.status.clone() }</b>{ " " }{ long::short(&one.policy).into_owned() }
                if !one.rule.is_empty() { { " / " }{ long::short(&one.rule).into_owned() } }
                { " " }{ place(desk, one.range.as_ref()) }
                if !one.message.is_empty() { <span class="message">{ long::said(&one.message) }</span> }
            </span>
        </li>
    }
}

fn test(one: &Finding) -> Html {
    let Some(test) = &one.test else { return Html::default() };
    let file = test.files.iter().find(|file| file.name.ends_with(TEST));
    file.map(|file| html! { <CopyTest text={file.text.clone()} /> }).unwrap_or_default()
}

#[derive(PartialEq, Properties)]
struct CopyTestProps {
    text: String,
}

/// Copies the test, and says so.
#[component]
fn CopyTest(props: &CopyTestProps) -> Html {
    let copied = use_state(|| false);
    let on_click = {
        let (text, copied) = (props.text.clone(), copied.clone());
        yew::Callback::from(move |_| {
            copy(&text);
            copied.set(true);
        })
    };
    html! { <button type="button" class="apply" title={w::TEST} onclick={on_click}>{ if *copied { w::COPIED } else { w::COPY_TEST } }</button> }
}
