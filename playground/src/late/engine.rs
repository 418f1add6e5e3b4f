//! What these views ask the whole engine, in a worker of its own: one question at a time, the newest of each kind.
//!
//! In: a function's name and its input. Out: its output as JSON, or why there is none. A run of more than twenty seconds is
//! ended with its worker.

use std::rc::Rc;

use engine_lenses::wire::Input;
use gloo_timers::callback::Timeout;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::Closure;
use yew::{Callback, hook, use_effect_with, use_mut_ref, use_state};

use crate::runner::Line;
use crate::words;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 20_000;
/// How long somebody who types is left alone.
const PAUSE_MILLIS: u32 = 250;

type Reply = Callback<Result<String, String>>;

thread_local! {
    /// The way to the worker; the queue is `Line` of `www/js/runner.js`.
    static LINE: Line = Line::new("late");
}

/// Asks a function of the engine; a newer question of its kind takes the place of the one that waits.
pub(crate) fn ask(kind: &'static str, function: &'static str, input: &impl Serialize, on_reply: Reply) {
    let Ok(input) = serde_json::to_string(input) else { return };
    ask_text(kind, function, &input, on_reply);
}

/// As `ask`, with the input as JSON.
fn ask_text(kind: &'static str, function: &'static str, input: &str, on_reply: Reply) {
    let on_reply = Closure::once_into_js(move |end: String, text: String, _: f64| match end.as_str() {
        "output" => on_reply.emit(Ok(text)),
        "late" => on_reply.emit(Err(words::TOO_LONG.to_owned())),
        "failed" => on_reply.emit(Err(text)),
        _ => {}
    });
    LINE.with(|line| line.ask(kind, function, input, LIMIT_MILLIS, false, &on_reply));
}

/// What came of a question so far.
#[derive(Clone, Debug)]
pub(crate) struct Answer<T> {
    /// The last answer.
    pub(crate) last: Option<Result<Rc<T>, String>>,
    /// Whether it is of what is on screen now.
    pub(crate) is_new: bool,
}

/// Asks while `input` is there, and again when it changes.
#[hook]
pub(crate) fn use_answer<T: DeserializeOwned + 'static>(
    kind: &'static str,
    function: &'static str,
    input: Option<String>,
) -> Answer<T> {
    let answer = use_state(|| None::<(Result<Rc<T>, String>, String)>);
    let timer = use_mut_ref(|| None::<Timeout>);
    let newest = use_mut_ref(|| None::<String>);
    newest.borrow_mut().clone_from(&input);
    {
        let answer = answer.clone();
        use_effect_with(input.clone(), move |input| {
            let Some(input) = input.clone() else { return };
            let on_reply = {
                let input = input.clone();
                Callback::from(move |reply: Result<String, String>| {
                    // An answer to a question that nobody has any more would only flicker.
                    if newest.borrow().as_ref() != Some(&input) {
                        return;
                    }
                    let read = |text: String| {
                        serde_json::from_str(&text).map(Rc::new).map_err(|error| words::unreadable(&error))
                    };
                    answer.set(Some((reply.and_then(read), input.clone())));
                })
            };
            let pause = if timer.borrow().is_some() { PAUSE_MILLIS } else { 0 };
            *timer.borrow_mut() = Some(Timeout::new(pause, move || {
                ask_text(kind, function, &input, on_reply);
            }));
        });
    }
    let is_new = answer.as_ref().is_some_and(|(_, of)| input.as_ref() == Some(of));
    Answer { last: answer.as_ref().map(|(last, _)| last.clone()), is_new }
}

/// A question as text; the steps are left out.
pub(crate) fn question(
    input: &Input,
    with: impl FnOnce(Input) -> Result<String, serde_json::Error>,
) -> Option<String> {
    with(Input { trace: false, ..input.clone() }).ok()
}
