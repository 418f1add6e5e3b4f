//! The whole engine in a worker of its own: one question at a time, the newest of each kind.
//!
//! In: a function's name and its input. Out: its output as JSON, or why there is none. A run of more than twenty seconds is
//! ended with its worker.

use std::cell::RefCell;
use std::rc::Rc;

use ::engine::wire::Input;
use gloo_timers::callback::Timeout;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use yew::{Callback, hook, use_effect_with, use_mut_ref, use_state};

use crate::words;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 20_000;
/// How long somebody who types is left alone.
const PAUSE_MILLIS: u32 = 250;

type OnReply = Closure<dyn FnMut(String, f64, String, f64)>;
type Reply = Callback<Result<String, String>>;

#[wasm_bindgen(raw_module = "../runner.js")]
extern "C" {
    type Runner;
    fn connect(is_late: bool, on_reply: &OnReply) -> Runner;
    #[wasm_bindgen(method)]
    fn send(this: &Runner, serial: f64, kind: &str, input: &str);
    #[wasm_bindgen(method)]
    fn stop(this: &Runner);
}

struct Question {
    /// Of what kind it is: a newer one takes the place of the one that waits.
    kind: &'static str,
    function: &'static str,
    input: String,
    on_reply: Reply,
}

#[derive(Default)]
struct Line {
    runner: Option<(Runner, OnReply)>,
    busy: Option<(f64, Reply)>,
    waiting: Vec<Question>,
    serial: f64,
    timer: Option<Timeout>,
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

/// Asks a function of the engine.
pub(crate) fn ask(kind: &'static str, function: &'static str, input: &impl Serialize, on_reply: Reply) {
    let Ok(input) = serde_json::to_string(input) else { return };
    ask_text(kind, function, input, on_reply);
}

/// Hands a waiting question to the worker if it is free.
fn proceed() {
    LINE.with_borrow_mut(|line| {
        if line.busy.is_some() || line.waiting.is_empty() {
            return;
        }
        let question = line.waiting.remove(0);
        line.serial += 1.0;
        line.busy = Some((line.serial, question.on_reply));
        let (runner, _) = line.runner.get_or_insert_with(|| {
            let on_reply = OnReply::new(|kind: String, serial, text, _| hear(&kind, serial, text));
            (connect(true, &on_reply), on_reply)
        });
        runner.send(line.serial, question.function, &question.input);
    });
}

fn hear(kind: &str, serial: f64, text: String) {
    // Serials are small whole numbers; a reply to an older question is of no interest.
    let is_asked =
        LINE.with_borrow(|line| line.busy.as_ref().is_some_and(|(busy, _)| (busy - serial).abs() < 0.5));
    if !is_asked {
        return;
    }
    match kind {
        "begun" => {
            let timer = Timeout::new(LIMIT_MILLIS, || {
                let ended = LINE.with_borrow_mut(|line| line.runner.take());
                if let Some((runner, on_reply)) = ended {
                    runner.stop();
                    // A reply may be on its way to it.
                    Timeout::new(0, move || drop(on_reply)).forget();
                }
                reply(Err(words::TOO_LONG.to_owned()));
            });
            LINE.with_borrow_mut(|line| line.timer = Some(timer));
        }
        "output" => reply(Ok(text)),
        _ => reply(Err(text)),
    }
}

fn reply(answer: Result<String, String>) {
    let busy = LINE.with_borrow_mut(|line| {
        line.timer = None;
        line.busy.take()
    });
    if let Some((_, on_reply)) = busy {
        on_reply.emit(answer);
    }
    proceed();
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
                ask_text(kind, function, input, on_reply);
            }));
        });
    }
    let is_new = answer.as_ref().is_some_and(|(_, of)| input.as_ref() == Some(of));
    Answer { last: answer.as_ref().map(|(last, _)| last.clone()), is_new }
}

/// As `ask`, with the input as JSON.
fn ask_text(kind: &'static str, function: &'static str, input: String, on_reply: Reply) {
    LINE.with_borrow_mut(|line| {
        line.waiting.retain(|other| other.kind != kind);
        line.waiting.push(Question { kind, function, input, on_reply });
    });
    proceed();
}

/// A question as text; the steps are left out.
pub(crate) fn question(
    input: &Input,
    with: impl FnOnce(Input) -> Result<String, serde_json::Error>,
) -> Option<String> {
    with(Input { trace: false, ..input.clone() }).ok()
}
