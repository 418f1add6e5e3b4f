//! A status as colour, shape and word: colour alone is never the message.
//!
//! In: `pass`, `fail`, `warn`, `error`, `skip`, or anything else (undecided). Out: a small drawing.

use yew::{Html, html};

/// The statuses in the order in which a reader wants to hear of them.
pub(crate) const ORDER: [&str; 5] = ["fail", "error", "warn", "pass", "skip"];

/// The shape of a status; the word stands beside it, so it is hidden from screen readers.
pub(crate) fn mark(status: &str) -> Html {
    let shape = match status {
        "pass" => {
            html! { <><circle cx="8" cy="8" r="7" class="shape" /><path d="M4.8 8.2l2.2 2.3 4.2-4.7" class="sign" /></> }
        }
        "fail" => {
            html! { <><rect x="1.2" y="1.2" width="13.6" height="13.6" rx="3" class="shape" /><path d="M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6" class="sign" /></> }
        }
        "warn" => {
            html! { <><path d="M8 1l7.2 13.4H.8z" class="shape" /><path d="M8 6v4M8 12.2v.1" class="sign" /></> }
        }
        "error" => {
            html! { <><path d="M8 .6L15.4 8 8 15.4.6 8z" class="shape" /><path d="M8 4.6v4M8 11v.1" class="sign" /></> }
        }
        "skip" => {
            html! { <><circle cx="8" cy="8" r="7" class="shape" /><path d="M4.5 8h6.6M8.6 5.4L11.2 8l-2.6 2.6" class="sign" /></> }
        }
        _ => {
            html! { <><circle cx="8" cy="8" r="6.3" class="ring" /><path d="M8 8h.01" class="sign ink" /></> }
        }
    };
    let status = if ORDER.contains(&status) { status.to_owned() } else { "none".to_owned() };
    html! { <svg class={yew::classes!("mark", format!("is-{status}"))} viewBox="0 0 16 16" aria-hidden="true">{ shape }</svg> }
}

/// The word of a status that the table of verdicts draws as a shape.
pub(crate) fn word(status: &str) -> &'static str {
    ORDER.into_iter().find(|known| *known == status).unwrap_or("none")
}

/// The class that gives a cell of that table its colour and shape.
pub(crate) fn class(status: &str) -> &'static str {
    match status {
        "pass" => "is-pass",
        "fail" => "is-fail",
        "warn" => "is-warn",
        "error" => "is-error",
        "skip" => "is-skip",
        _ => "is-none",
    }
}

/// The most pressing of some statuses.
pub(crate) fn worst<'a>(statuses: &(impl Iterator<Item = &'a str> + Clone)) -> &'static str {
    ORDER.into_iter().find(|status| statuses.clone().any(|found| found == *status)).unwrap_or("none")
}
