//! A divider between two columns: dragged, or moved with the arrow keys; the widths are remembered.
//!
//! Widths are custom properties of `#columns` in thousandths of its width, set through the CSS object model, which the
//! Content-Security-Policy allows where it refuses style attributes.

use web_sys::{KeyboardEvent, PointerEvent};
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_effect_with, use_state};

use crate::words::page as words;
use crate::{browser, storage};

/// Which divider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Between policies and resources.
    First,
    /// Between resources and results.
    Second,
}

#[derive(PartialEq, Properties)]
pub(crate) struct SplitterProps {
    pub(crate) which: Which,
}

/// The whole width. Whole numbers: what reads and writes fractions weighs much.
const WHOLE: u32 = 1000;
/// The narrowest column.
const LEAST: u32 = 160;
/// How far an arrow key goes.
const STEP: u32 = 20;
const USUAL: (u32, u32) = (340, 290);

/// The divider.
#[component]
pub(crate) fn Splitter(props: &SplitterProps) -> Html {
    let which = props.which;
    let place = use_state(|| position(which, widths()));
    use_effect_with((), |()| apply(widths()));
    let drag = {
        let place = place.clone();
        Callback::from(move |event: PointerEvent| {
            if event.buttons() & 1 == 1
                && let Some(columns) = browser::by_id("columns")
            {
                let along = event.client_x().saturating_sub(columns.offset_left());
                let part = i64::from(along) * i64::from(WHOLE) / i64::from(columns.offset_width().max(1));
                place.set(move_to(which, u32::try_from(part).unwrap_or_default()));
            }
        })
    };
    let grab = Callback::from(|event: PointerEvent| {
        let element: web_sys::Element = event.target_unchecked_into();
        // Without the capture a drag ends at the divider's edge; nothing worse.
        drop(element.set_pointer_capture(event.pointer_id()));
        event.prevent_default();
    });
    let press = {
        let place = place.clone();
        Callback::from(move |event: KeyboardEvent| {
            let here = position(which, widths());
            let there = match event.key().as_str() {
                "ArrowLeft" => here.saturating_sub(STEP),
                "ArrowRight" => here + STEP,
                _ => return,
            };
            event.prevent_default();
            place.set(move_to(which, there));
        })
    };
    let label = match which {
        Which::First => words::POLICIES_WIDTH,
        Which::Second => words::RESULTS_WIDTH,
    };
    html! {
        <div class="splitter" role="separator" aria-orientation="vertical" tabindex="0" aria-label={label}
            aria-valuenow={(*place / 10).to_string()} aria-valuemin="16" aria-valuemax="84"
            onpointerdown={grab} onpointermove={drag} onkeydown={press} />
    }
}

fn widths() -> (u32, u32) {
    let sane = |(first, second): &(u32, u32)| {
        *first >= LEAST && *second >= LEAST && first.saturating_add(*second) <= WHOLE - LEAST
    };
    storage::columns().filter(sane).unwrap_or(USUAL)
}

/// Where a divider stands.
fn position(which: Which, (first, second): (u32, u32)) -> u32 {
    match which {
        Which::First => first,
        Which::Second => first + second,
    }
}

/// Moves a divider; the other one stays where it is.
fn move_to(which: Which, to: u32) -> u32 {
    let (first, second) = widths();
    let end = first + second;
    let moved = match which {
        Which::First => {
            let first = to.clamp(LEAST, end - LEAST);
            (first, end - first)
        }
        Which::Second => (first, to.clamp(first + LEAST, WHOLE - LEAST) - first),
    };
    apply(moved);
    storage::keep_columns(moved);
    position(which, moved)
}

fn apply((first, second): (u32, u32)) {
    if let Some(columns) = browser::by_id("columns") {
        let style = columns.style();
        // Numbers of ours: the browser has no reason to refuse.
        drop(style.set_property("--first", &format!("{first}fr")));
        drop(style.set_property("--second", &format!("{second}fr")));
        drop(style.set_property("--third", &format!("{}fr", WHOLE - first - second)));
    }
}
