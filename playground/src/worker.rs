//! The engine in its worker: one question at a time, the newest first, and an end to runs that never end.
//!
//! In: a [`Question`]. Out: a [`Reply`]. While the engine works, a newer question replaces the one that waits;
//! a run of more than five seconds is ended with its worker, and a new worker takes the next question.

use std::cell::RefCell;
use std::rc::Rc;

use engine::wire::{Output, PsaOutput};
use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use yew::Callback;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 5_000;

type OnReply = Closure<dyn FnMut(String, f64, String, f64)>;

#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    type Runner;
    fn connect(on_reply: &OnReply) -> Runner;
    #[wasm_bindgen(method)]
    fn send(this: &Runner, serial: f64, kind: &str, input: &str);
    #[wasm_bindgen(method)]
    fn stop(this: &Runner);
}

/// What the engine is asked, each with its input as JSON; of each kind the newest waits.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    Apply(String),
    Psa(String),
}

/// What came of a question.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Output(Rc<Output>, f64),
    Psa(PsaOutput),
    Failed(String),
}

/// The way to the engine; clones share it.
#[derive(Clone)]
pub(crate) struct Engine {
    inner: Rc<RefCell<Inner>>,
}

struct Inner {
    on_reply: Callback<Reply>,
    /// The worker and the function that it calls.
    runner: Option<(Runner, OnReply)>,
    /// The number of the question that the worker has.
    busy: Option<f64>,
    /// Whether that question is about Pod Security.
    is_psa: bool,
    /// The questions that wait.
    next: Option<String>,
    next_psa: Option<String>,
    serial: f64,
    timer: Option<Timeout>,
}

impl Engine {
    pub(crate) fn new(on_reply: Callback<Reply>) -> Self {
        let inner = Inner {
            on_reply,
            runner: None,
            busy: None,
            is_psa: false,
            next: None,
            next_psa: None,
            serial: 0.0,
            timer: None,
        };
        Self { inner: Rc::new(RefCell::new(inner)) }
    }

    /// Asks; the reply comes later, and only to the newest of several quick questions.
    pub(crate) fn ask(&self, question: Question) {
        match question {
            Question::Apply(input) => self.inner.borrow_mut().next = Some(input),
            Question::Psa(input) => self.inner.borrow_mut().next_psa = Some(input),
        }
        self.proceed();
    }

    /// Hands the waiting question to the worker if it is free.
    fn proceed(&self) {
        let mut inner = self.inner.borrow_mut();
        if inner.busy.is_some() {
            return;
        }
        // The verdict goes before the table.
        let apply = inner.next.take().map(|input| (false, input));
        let Some((is_psa, input)) = apply.or_else(|| inner.next_psa.take().map(|input| (true, input))) else {
            return;
        };
        inner.is_psa = is_psa;
        inner.serial += 1.0;
        let serial = inner.serial;
        inner.busy = Some(serial);
        let (runner, _) = inner.runner.get_or_insert_with(|| {
            let engine = self.clone();
            let on_reply = OnReply::new(move |kind: String, serial, text: String, millis| {
                engine.hear(&kind, serial, &text, millis);
            });
            (connect(&on_reply), on_reply)
        });
        runner.send(serial, if is_psa { "psa" } else { "apply" }, &input);
    }

    /// What the worker says: that it begins, or what came of it.
    fn hear(&self, kind: &str, serial: f64, text: &str, millis: f64) {
        // Serials are small whole numbers; a reply to an older question is of no interest.
        if self.inner.borrow().busy.is_none_or(|busy| (busy - serial).abs() > 0.5) {
            return;
        }
        match kind {
            "begun" => {
                let engine = self.clone();
                let timer = Timeout::new(LIMIT_MILLIS, move || {
                    engine.give_up("the run was ended after 5 seconds; the next edit starts a new one");
                });
                self.inner.borrow_mut().timer = Some(timer);
            }
            "output" if self.inner.borrow().is_psa => match serde_json::from_str::<PsaOutput>(text) {
                Ok(output) => self.reply(Reply::Psa(output)),
                Err(error) => self.give_up(&format!("the engine's answer could not be read: {error}")),
            },
            "output" => match serde_json::from_str::<Output>(text) {
                Ok(output) => self.reply(Reply::Output(Rc::new(output), millis)),
                Err(error) => self.give_up(&format!("the engine's answer could not be read: {error}")),
            },
            _ => self.give_up(text),
        }
    }

    fn reply(&self, reply: Reply) {
        let callback = {
            let mut inner = self.inner.borrow_mut();
            inner.busy = None;
            inner.timer = None;
            inner.on_reply.clone()
        };
        callback.emit(reply);
        self.proceed();
    }

    /// Ends the worker and says why.
    fn give_up(&self, why: &str) {
        let ended = self.inner.borrow_mut().runner.take();
        if let Some((runner, on_reply)) = ended {
            runner.stop();
            // We may be inside this very function, so it is dropped a moment later.
            Timeout::new(0, move || drop(on_reply)).forget();
        }
        self.reply(Reply::Failed(why.to_owned()));
    }
}
