//! The engine in its worker: one question at a time, the newest first, and an end to runs that never end.
//!
//! In: a [`Question`]. Out: a [`Reply`]. While the engine works, a newer question replaces the one of its kind that
//! waits; a run of more than five seconds is ended with its worker, and a new worker takes the next question.

use std::cell::RefCell;
use std::rc::Rc;

use engine::wire::{Output, PsaOutput, ReportOutput, TestFolder};
use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use yew::Callback;

use crate::reader;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 5_000;

type OnReply = Closure<dyn FnMut(String, f64, String, f64)>;

#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    type Runner;
    fn connect(is_late: bool, on_reply: &OnReply) -> Runner;
    #[wasm_bindgen(method)]
    fn send(this: &Runner, serial: f64, kind: &str, input: &str);
    #[wasm_bindgen(method)]
    fn stop(this: &Runner);
}

/// What the engine can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Apply,
    Psa,
    Report,
    TestFolder,
}

impl Question {
    /// The function of the module that answers.
    const fn function(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Psa => "psa",
            Self::Report => "report",
            Self::TestFolder => "testFolder",
        }
    }

    /// Whether it is asked of the whole engine, which loads late.
    const fn is_late(self) -> bool {
        match self {
            Self::Apply | Self::Psa => false,
            Self::Report | Self::TestFolder => true,
        }
    }
}

/// What came of a question.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Output(Rc<Output>, f64),
    Psa(PsaOutput),
    Report(ReportOutput),
    TestFolder(TestFolder),
    Failed(Question, String),
}

impl Reply {
    fn of(question: Question, text: &str, millis: f64) -> Result<Self, reader::Unreadable> {
        Ok(match question {
            Question::Apply => Self::Output(Rc::new(reader::read(text)?), millis),
            Question::Psa => Self::Psa(reader::read(text)?),
            Question::Report => Self::Report(reader::read(text)?),
            Question::TestFolder => Self::TestFolder(reader::read(text)?),
        })
    }
}

/// The way to the engine, and to the whole engine once that is asked; clones share it.
#[derive(Clone)]
pub(crate) struct Engine {
    first: Line,
    late: Line,
}

impl Engine {
    pub(crate) fn new(on_reply: &Callback<Reply>) -> Self {
        Self { first: Line::new(false, on_reply), late: Line::new(true, on_reply) }
    }

    /// Asks; the input is JSON. The reply comes later, and only to the newest of several quick questions.
    pub(crate) fn ask(&self, question: Question, input: &impl serde::Serialize) {
        if let Ok(input) = serde_json::to_string(input) {
            let line = if question.is_late() { &self.late } else { &self.first };
            line.ask(question, input);
        }
    }
}

/// The way to one worker.
#[derive(Clone)]
struct Line {
    inner: Rc<RefCell<Inner>>,
}

struct Inner {
    is_late: bool,
    on_reply: Callback<Reply>,
    /// The worker and the function that it calls.
    runner: Option<(Runner, OnReply)>,
    /// The question that the worker has, and its number.
    busy: Option<(Question, f64)>,
    /// The questions that wait, one of a kind, the first to be asked first.
    waiting: Vec<(Question, String)>,
    serial: f64,
    timer: Option<Timeout>,
}

impl Line {
    fn new(is_late: bool, on_reply: &Callback<Reply>) -> Self {
        let inner = Inner {
            is_late,
            on_reply: on_reply.clone(),
            runner: None,
            busy: None,
            waiting: Vec::new(),
            serial: 0.0,
            timer: None,
        };
        Self { inner: Rc::new(RefCell::new(inner)) }
    }

    fn ask(&self, question: Question, input: String) {
        {
            let waiting = &mut self.inner.borrow_mut().waiting;
            waiting.retain(|(other, _)| *other != question);
            // The verdict goes before the rest.
            let at = if question == Question::Apply { 0 } else { waiting.len() };
            waiting.insert(at, (question, input));
        }
        self.proceed();
    }

    /// Hands a waiting question to the worker if it is free.
    fn proceed(&self) {
        let mut inner = self.inner.borrow_mut();
        if inner.busy.is_some() || inner.waiting.is_empty() {
            return;
        }
        let (question, input) = inner.waiting.remove(0);
        inner.serial += 1.0;
        let (serial, is_late) = (inner.serial, inner.is_late);
        inner.busy = Some((question, serial));
        let (runner, _) = inner.runner.get_or_insert_with(|| {
            let line = self.clone();
            let on_reply = OnReply::new(move |kind: String, serial, text: String, millis| {
                line.hear(&kind, serial, &text, millis);
            });
            (connect(is_late, &on_reply), on_reply)
        });
        runner.send(serial, question.function(), &input);
    }

    /// What the worker says: that it begins, or what came of it.
    fn hear(&self, kind: &str, serial: f64, text: &str, millis: f64) {
        let busy = self.inner.borrow().busy;
        // Serials are small whole numbers; a reply to an older question is of no interest.
        let Some((question, _)) = busy.filter(|(_, busy)| (busy - serial).abs() < 0.5) else { return };
        match kind {
            "begun" => {
                let line = self.clone();
                let timer = Timeout::new(LIMIT_MILLIS, move || {
                    line.give_up(
                        question,
                        "the run was ended after 5 seconds; the next edit starts a new one",
                    );
                });
                self.inner.borrow_mut().timer = Some(timer);
            }
            "output" => match Reply::of(question, text, millis) {
                Ok(reply) => self.reply(reply),
                Err(error) => {
                    self.give_up(question, &format!("the engine's answer could not be read: {error}"));
                }
            },
            _ => self.give_up(question, text),
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
    fn give_up(&self, question: Question, why: &str) {
        let ended = self.inner.borrow_mut().runner.take();
        if let Some((runner, on_reply)) = ended {
            runner.stop();
            // We may be inside this very function, so it is dropped a moment later.
            Timeout::new(0, move || drop(on_reply)).forget();
        }
        self.reply(Reply::Failed(question, why.to_owned()));
    }
}
