//! The smallest edits that would make the chosen rule pass, each to be put into the resource.
//!
//! In: the texts and the chosen verdict. Out: changes of the resources.

use ::engine::wire::{Edit, ExplainInput, ExplainOutput, Explanation};
use yew::{Html, component, html};

use crate::desk::Change;
use crate::engine::{question, use_answer};
use crate::parts::{Changes, answered, full_name, place, use_changes, yaml};
use crate::root::ViewProps;
use crate::told::Chosen;
use crate::words::{self, edits as w};

/// The view.
#[component]
pub(crate) fn Edits(props: &ViewProps) -> Html {
    let rule = props.told.chosen.as_ref().map(|chosen| chosen.rule.clone());
    let input = question(&props.told.input, |input| {
        serde_json::to_string(&ExplainInput { input, rule, ..ExplainInput::default() })
    });
    let answer = use_answer::<ExplainOutput>("edits", "explain", input);
    let changes = use_changes(&props.desk, &props.told.input);
    let content = if answer.last.is_none() {
        html! { <p class="sub">{ w::SEARCHING }</p> }
    } else {
        answered(&answer, |found| {
            let chosen = props.told.chosen.as_ref();
            let explanation =
                chosen.and_then(|chosen| found.explanations.iter().find(|one| is_of(one, chosen)));
            explanation.map(|one| told(props, &changes, one)).unwrap_or_default()
        })
    };
    html! { <div class="edits" aria-busy={(!answer.is_new).to_string()}>{ changes.bar() }{ content }</div> }
}

fn is_of(one: &Explanation, chosen: &Chosen) -> bool {
    let rule = if one.rule == chosen.rule { Some(&one.rule) } else { one.autogen.as_ref() };
    rule.is_some_and(|rule| *rule == chosen.rule)
        && full_name(&one.policy) == chosen.policy
        && full_name(&one.resource) == chosen.resource
}

fn told(props: &ViewProps, changes: &Changes, one: &Explanation) -> Html {
    if !matches!(one.verdict.as_str(), "fail" | "warn") {
        return Html::default();
    }
    let Some(range) = one.resource.range.as_ref().filter(|_| !one.edits.is_empty()) else {
        return html! { <p class="sub">{ w::NONE }</p> };
    };
    let is_many = one.edits.len() > 1;
    let row = |edit: &Edit| {
        let after = edit.after.as_ref().map_or_else(|| w::GOES.to_owned(), Clone::clone);
        let change = Change::Fields(range.clone(), vec![edit.clone()]);
        html! {
            <li>
                <p class="remedy">
                    <span><code>{ edit.path.clone() }</code>{ ": " }<b>{ after }</b>{ edit.before.as_ref().map(|before| format!(" {}", w::before(before))) }{ " " }{ place(&props.desk, edit.range.as_ref()) }</span>
                    { changes.button(words::APPLY, &edit.path, change) }
                </p>
                if !edit.yaml.is_empty() { { yaml(&edit.yaml) } }
            </li>
        }
    };
    html! {
        <>
            <h3>{ if is_many { w::TITLE_MANY } else { w::TITLE } }</h3>
            <p class="sub">{ w::TRIED }</p>
            <ul>{ for one.edits.iter().map(row) }</ul>
            if is_many { <p class="inside">{ changes.button(w::APPLY_ALL, "", Change::Fields(range.clone(), one.edits.clone())) }</p> }
        </>
    }
}
