//! Steps of a rule as rows: what was tried, what came of it, where; a click marks the lines.

use engine_lenses::wire::{Explanation, Range, Step};
use yew::{Callback, Html, classes, html};

use crate::desk::Desk;
use crate::long;
use crate::parts::{place, prose};
use crate::words::steps as w;

/// So many steps are open without being asked for; of an expression in CEL its parts, with the value of each.
const FEW: usize = 8;
const FEW_PARTS: usize = 40;
/// Rows drawn at once.
const MOST: usize = 400;

/// All steps of a rule; those at these places stand out.
pub(crate) fn tree(desk: &Desk, one: &Explanation, known: &[usize]) -> Html {
    let rows = one.steps.iter().enumerate().take(MOST);
    let has_parts = one.steps.iter().any(|step| step.kind == "expression");
    let few = if has_parts { FEW_PARTS } else { FEW };
    let decided = |at: usize| has_parts && one.deciding.iter().any(|place| *place as usize == at);
    html! {
        <details class="trace" open={one.steps.len() <= few}>
            <summary>{ w::all(one.steps.len()) }</summary>
            <ul>{ for rows.map(|(at, step)| marked(desk, step, step.depth.min(8), known.contains(&at), decided(at))) }</ul>
            if one.steps.len() > MOST { <p class="sub">{ w::more(one.steps.len() - MOST) }</p> }
        </details>
    }
}

/// The lines of a step.
pub(crate) fn ranges(step: &Step) -> Vec<Range> {
    step.policy_range.iter().chain(&step.resource_range).cloned().collect()
}

/// One step.
pub(crate) fn row(desk: &Desk, step: &Step, depth: u32, is_known: bool) -> Html {
    marked(desk, step, depth, is_known, false)
}

/// One step among others: whether the line that is asked about knows it, and whether the verdict follows from it.
fn marked(desk: &Desk, step: &Step, depth: u32, is_known: bool, decided: bool) -> Html {
    let ranges = ranges(step);
    // Of an expression the parts are code.
    let text = if matches!(step.kind.as_str(), "expression" | "precondition" | "context") {
        prose(&step.text)
    } else {
        html! { long::sentence(&step.text).into_owned() }
    };
    let content = html! {
        <>
            <span class="kind">{ w::kind(&step.kind) }</span>
            <span class={classes!("outcome", format!("is-{}", step.outcome))}>{ step.outcome.clone() }</span>
            <span class="said">{ text }if decided { <strong class="decided">{ w::DECIDED }</strong> }</span>
        </>
    };
    let point = {
        let (desk, ranges) = (desk.clone(), ranges.clone());
        Callback::from(move |_| desk.mark(&ranges))
    };
    html! {
        <li class={classes!("step", format!("depth-{depth}"), is_known.then_some("chosen"), decided.then_some("decides"))}>
            if ranges.is_empty() {
                <div class="content">{ content }</div>
            } else {
                <button type="button" class="content" onclick={point}>{ content }</button>
            }
            <span class="where">{ for ranges.iter().map(|range| place(desk, Some(range))) }</span>
        </li>
    }
}
