//! What is asked of the module that compares: in a worker of its own that loads when it is asked for the first time, one question at
//! a time, which tells how far it is and can be stopped.
//!
//! In: a function's name and its input. Out: progress, then the output as JSON, or why there is none.

use std::cell::RefCell;

use serde::Serialize;
use wasm_bindgen::prelude::Closure;
use yew::Callback;

use crate::runner::Line;
use crate::words::compare as words;

/// How long one question may take.
const LIMIT_MILLIS: u32 = 30_000;

type Hears = Closure<dyn FnMut(String, String, f64)>;

thread_local! {
    static LINE: Line = Line::new("comparison");
    /// What hears of the question on its way; kept until the next one, as it is called more than once.
    static HEARS: RefCell<Option<Hears>> = const { RefCell::new(None) };
}

/// What is heard of a question.
pub(crate) enum Heard {
    /// So many requests were tried.
    Tried(u32),
    /// The output as JSON.
    Output(String),
    /// Why there is none.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// Asks.
pub(crate) fn ask(function: &'static str, input: &impl Serialize, on_heard: Callback<Heard>) {
    let Ok(input) = serde_json::to_string(input) else { return };
    let hears = Hears::new(move |end: String, text: String, _: f64| {
        let heard = match end.as_str() {
            "progress" => Heard::Tried(text.parse().unwrap_or(0)),
            "output" => Heard::Output(text),
            "late" => Heard::Failed(words::TOO_LONG.to_owned()),
            "failed" => Heard::Failed(text),
            _ => Heard::Stopped,
        };
        on_heard.emit(heard);
    });
    LINE.with(|line| line.ask("compare", function, &input, LIMIT_MILLIS, false, hears.as_ref()));
    // The one before has heard all it will hear.
    HEARS.replace(Some(hears));
}

/// Ends the question on its way, with its worker.
pub(crate) fn stop() {
    LINE.with(Line::stop);
}
