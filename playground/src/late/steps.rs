//! Steps of a rule as rows: what was tried, what came of it, where; a click marks the lines.

use ::engine::wire::{Explanation, Range, Step};
use yew::{Callback, Html, classes, html};

use crate::desk::Desk;
use crate::long;
use crate::parts::place;
use crate::words::steps as w;

/// So many steps are open without being asked for.
const FEW: usize = 8;
/// Rows drawn at once.
const MOST: usize = 400;

/// All steps of a rule; those at these places stand out.
pub(crate) fn tree(desk: &Desk, one: &Explanation, known: &[usize]) -> Html {
    let rows = one.steps.iter().enumerate().take(MOST);
    html! {
        <details class="trace" open={one.steps.len() <= FEW}>
            <summary>{ w::all(one.steps.len()) }</summary>
            <ul>{ for rows.map(|(at, step)| row(desk, step, step.depth.min(8), known.contains(&at))) }</ul>
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
    let ranges = ranges(step);
    let content = html! {
        <>
            <span class="kind">{ w::kind(&step.kind) }</span>
            <span class={classes!("outcome", format!("is-{}", step.outcome))}>{ step.outcome.clone() }</span>
            <span class="said">{ long::sentence(&step.text).into_owned() }</span>
        </>
    };
    let point = {
        let (desk, ranges) = (desk.clone(), ranges.clone());
        Callback::from(move |_| desk.mark(&ranges))
    };
    html! {
        <li class={classes!("step", format!("depth-{depth}"), is_known.then_some("chosen"))}>
            if ranges.is_empty() {
                <div class="content">{ content }</div>
            } else {
                <button type="button" class="content" onclick={point}>{ content }</button>
            }
            <span class="where">{ for ranges.iter().map(|range| place(desk, Some(range))) }</span>
        </li>
    }
}
