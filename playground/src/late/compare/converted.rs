//! What became of the policies that were to be converted: the grade of each, its notes, or the lines that have no faithful form.
//!
//! In: the answer. Out: nothing but what is on screen and the places that it names.

use engine_lenses::wire::Diagnostic;
use yew::{Html, html};

use super::answer::{Conversion, Converted};
use super::found::{finding, reasons};
use super::target::To;
use crate::desk::Desk;
use crate::parts::{Changes, place, prose};
use crate::status;
use crate::words::compare as w;

/// Policies and sentences that are drawn.
const MOST: usize = 100;
/// Objects of one policy that show a difference.
const MOST_OBJECTS: usize = 5;

/// The answer; until the new policies are compared they have no grade.
pub(super) fn converted(desk: &Desk, changes: &Changes, found: &Converted, to: To, is_busy: bool) -> Html {
    if found.policies.is_empty() {
        return html! { <><p class="hint">{ nothing(to) }</p>{ problems(desk, &found.diagnostics) }</> };
    }
    let whole = found.policies.iter().filter(|one| one.converted).count();
    let is_graded = found.policies.iter().all(|one| !one.converted || one.grade.is_some());
    html! {
        <section class="converted">
            <h3>{ w::converted(whole, found.policies.len()) }</h3>
            if is_busy && !is_graded { <p class="hint">{ w::COMPARING }</p> }
            { problems(desk, &found.diagnostics) }
            { for found.policies.iter().take(MOST).map(|one| policy(desk, changes, one)) }
        </section>
    }
}

/// That no policy is of a kind which becomes this.
fn nothing(to: To) -> &'static str {
    match to {
        To::Cel => w::NOTHING_CLASSIC,
        To::ValidatingAdmissionPolicy => w::NOTHING_VALIDATING,
        To::ValidatingPolicy => w::NOTHING_OF_API_SERVER,
    }
}

/// What is wrong with the text itself.
fn problems(desk: &Desk, said: &[Diagnostic]) -> Html {
    if said.is_empty() {
        return Html::default();
    }
    let row = |one: &Diagnostic| {
        html! { <li>{ prose(&one.message) }{ " " }{ place(desk, one.range.as_ref()) }{ for one.hints.iter().take(MOST).map(|hint| html! { <>{ " " }{ prose(hint) }</> }) }</li> }
    };
    html! { <ul class="said">{ for said.iter().take(MOST).map(row) }</ul> }
}

fn policy(desk: &Desk, changes: &Changes, one: &Conversion) -> Html {
    let look = match &one.grade {
        Some(grade) => w::looks(grade),
        None if one.converted => "none",
        None => "error",
    };
    let grade = match &one.grade {
        Some(grade) => w::of_policy(grade, one.requests),
        None if one.converted => String::new(),
        None => w::NOT_MADE.to_owned(),
    };
    let refused = one.refused.iter().take(MOST).map(|refused| {
        html! { <li>{ prose(&w::refused(&refused.rule, &refused.field)) }{ prose(&refused.text) }{ " " }{ place(desk, refused.range.as_ref()) }</li> }
    });
    let differences = one.findings.iter().take(MOST_OBJECTS).enumerate();
    html! {
        <>
            <div class={yew::classes!("policy", format!("is-{look}"))}>
                <h4>
                    { status::mark(look) }
                    <span>{ one.kind.clone() }{ " " }<b>{ one.name.clone() }</b>if !grade.is_empty() { { ": " }{ grade } }{ " " }{ place(desk, one.range.as_ref()) }</span>
                </h4>
                if !one.refused.is_empty() {
                    <ul class="said">{ for refused }</ul>
                    <p class="sub">{ w::WHOLE_OR_NOT }</p>
                }
                <ul class="said">{ for one.notes.iter().take(MOST).map(|note| html! { <li>{ prose(note) }</li> }) }</ul>
                { reasons(desk, &one.reasons) }
            </div>
            { for differences.map(|(at, one)| finding(desk, changes, one, at == 0)) }
        </>
    }
}
