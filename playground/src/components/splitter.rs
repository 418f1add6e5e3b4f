//! A divider between two columns: dragged, or moved with the arrow keys; the widths are remembered.
//!
//! Widths are custom properties of `#columns` in hundredths of its width, set through the CSS object model, which the
//! Content-Security-Policy allows where it refuses style attributes.

use web_sys::{KeyboardEvent, PointerEvent};
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_effect_with, use_state};

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

/// The narrowest column, in hundredths.
const LEAST: f64 = 16.0;
const USUAL: (f64, f64) = (35.0, 31.0);

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
                let bounds = columns.get_bounding_client_rect();
                let percent = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0) * 100.0;
                place.set(move_to(which, percent));
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
            let step = match event.key().as_str() {
                "ArrowLeft" => -2.0,
                "ArrowRight" => 2.0,
                _ => return,
            };
            event.prevent_default();
            place.set(move_to(which, position(which, widths()) + step));
        })
    };
    let label = match which {
        Which::First => "Width of the policies",
        Which::Second => "Width of the results",
    };
    html! {
        <div class="splitter" role="separator" aria-orientation="vertical" tabindex="0" aria-label={label}
            aria-valuenow={format!("{:.0}", *place)} aria-valuemin="16" aria-valuemax="84"
            onpointerdown={grab} onpointermove={drag} onkeydown={press} />
    }
}

fn widths() -> (f64, f64) {
    let (first, second) = storage::columns().unwrap_or(USUAL);
    let sane = first.is_finite()
        && second.is_finite()
        && first >= LEAST
        && second >= LEAST
        && first + second <= 100.0 - LEAST;
    if sane { (first, second) } else { USUAL }
}

/// Where a divider stands.
fn position(which: Which, (first, second): (f64, f64)) -> f64 {
    match which {
        Which::First => first,
        Which::Second => first + second,
    }
}

/// Moves a divider; the other one stays where it is.
fn move_to(which: Which, percent: f64) -> f64 {
    let (first, second) = widths();
    let end = first + second;
    let moved = match which {
        Which::First => {
            let first = percent.clamp(LEAST, end - LEAST);
            (first, end - first)
        }
        Which::Second => (first, percent.clamp(first + LEAST, 100.0 - LEAST) - first),
    };
    apply(moved);
    storage::keep_columns(moved);
    position(which, moved)
}

fn apply((first, second): (f64, f64)) {
    if let Some(columns) = browser::by_id("columns") {
        let style = columns.style();
        // Percentages of ours: the browser has no reason to refuse.
        drop(style.set_property("--first", &format!("{first}fr")));
        drop(style.set_property("--second", &format!("{second}fr")));
        drop(style.set_property("--third", &format!("{}fr", 100.0 - first - second)));
    }
}
