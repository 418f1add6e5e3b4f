//! What the app asks the engine in its worker, and what comes of it.
//!
//! In: a [`Question`]. Out: a [`Reply`]. The queue is `Line` of `www/js/runner.js`: while the engine works, a newer question
//! replaces the one of its kind that waits; a run of more than five seconds is ended with its worker.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine_lenses::share::host::holds_cel;
use engine_lenses::wire::{
    Changes, ChangesInput, CheckOutput, Input, Output, PsaOutput, ReportOutput, TestFolder,
};
use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use yew::Callback;

use crate::reader;
use crate::words::results::tabs as words;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 5_000;

// Bound by name and order to `Line` of `www/js/runner.js`, which nothing checks. `late/runner.rs` binds it too, from the folder
// that it is built into: what changes in one of the three changes in all.
#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    type Line;
    #[wasm_bindgen(constructor)]
    fn new(engine: &str) -> Line;
    #[wasm_bindgen(method)]
    fn ask(
        this: &Line,
        kind: &str,
        function: &str,
        input: &str,
        limit: u32,
        is_urgent: bool,
        on_reply: &JsValue,
    );
}

/// What the engine can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Apply,
    Psa,
    Report,
    TestFolder,
    CheckResources,
}

impl Question {
    /// The function of the module that answers.
    const fn function(self) -> &'static str {
        match self {
            Self::Apply => "changes",
            Self::Psa => "psa",
            Self::Report => "report",
            Self::TestFolder => "testFolder",
            Self::CheckResources => "checkResources",
        }
    }

    /// Whether it is asked of the whole engine, which loads late.
    const fn is_late(self) -> bool {
        match self {
            Self::Apply | Self::Psa => false,
            Self::Report | Self::TestFolder | Self::CheckResources => true,
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
    Checked(CheckOutput),
    Failed(Question, String),
}

impl Reply {
    /// What the end of a question means; nothing where a newer one has taken its place.
    fn of(question: Question, end: &str, text: &str, millis: f64, held: &Awaited) -> Option<Self> {
        if question == Question::Apply && held.is_late() {
            return None;
        }
        let failed = |why: String| Some(Self::Failed(question, why));
        match end {
            "output" => match Self::read(question, text, millis, held) {
                Ok(reply) => Some(reply),
                Err(error) => failed(words::unreadable(&error.to_string())),
            },
            "late" => failed(words::TOO_LONG.to_owned()),
            "failed" => failed(text.to_owned()),
            _ => None,
        }
    }

    fn read(question: Question, text: &str, millis: f64, held: &Awaited) -> Result<Self, reader::Unreadable> {
        Ok(match question {
            Question::Apply => Self::Output(held.take(reader::read(text)?)?, millis),
            Question::Psa => Self::Psa(reader::read(text)?),
            Question::Report => Self::Report(reader::read(text)?),
            Question::TestFolder => Self::TestFolder(reader::read(text)?),
            Question::CheckResources => Self::Checked(reader::read(text)?),
        })
    }
}

/// The last answer, of which the engine says what has changed.
#[derive(Default)]
struct Held {
    /// The number of the newest question.
    asked: Cell<u32>,
    /// The number of the question that was answered last, and its answer.
    last: RefCell<(u32, Option<Rc<Output>>)>,
}

impl Held {
    /// The question with what the engine has to know of the answers before.
    fn question(&self, input: Input) -> ChangesInput {
        self.asked.set(self.asked.get() + 1);
        ChangesInput { input, serial: self.asked.get(), since: self.last.borrow().0 }
    }
}

/// When an answer is freed that another has replaced: once that is on screen, as thousands of verdicts take a while.
const FREE_MILLIS: u32 = 100;

/// A question on its way.
struct Awaited {
    held: Rc<Held>,
    serial: u32,
}

impl Awaited {
    /// Whether a newer question has been answered already, by the other of the two engines.
    fn is_late(&self) -> bool {
        self.held.last.borrow().0 > self.serial
    }

    /// The whole answer, kept for the next one.
    fn take(&self, changes: Changes) -> Result<Rc<Output>, reader::Unreadable> {
        let mut last = self.held.last.borrow_mut();
        let (serial, before) = std::mem::take(&mut *last);
        let fits = changes.since == serial;
        let whole = changes.onto(before.as_deref().filter(|_| fits)).map(Rc::new);
        if let Some(before) = before {
            Timeout::new(FREE_MILLIS, move || drop(before)).forget();
        }
        if let Some(whole) = &whole {
            *last = (self.serial, Some(Rc::clone(whole)));
        }
        whole.ok_or(reader::Unreadable::default())
    }
}

/// The way to the engine, and to the whole engine once that is asked; clones share it.
#[derive(Clone)]
pub(crate) struct Engine {
    first: Rc<Line>,
    late: Rc<Line>,
    held: Rc<Held>,
    on_reply: Callback<Reply>,
}

impl Engine {
    pub(crate) fn new(on_reply: &Callback<Reply>) -> Self {
        let line = |engine| Rc::new(Line::new(engine));
        Self { first: line("first"), late: line("late"), held: Rc::default(), on_reply: on_reply.clone() }
    }

    /// Asks for the verdicts: the whole engine, where a policy is in CEL, or only looks so: it gives the same answer.
    pub(crate) fn apply(&self, input: Input) {
        let line =
            if input.policies.iter().any(|text| holds_cel(&text.text)) { &self.late } else { &self.first };
        self.ask_line(line, Question::Apply, &self.held.question(input));
    }

    /// Asks; the input is JSON. The reply comes later, and only to the newest of several quick questions.
    pub(crate) fn ask(&self, question: Question, input: &impl serde::Serialize) {
        let line = if question.is_late() { &self.late } else { &self.first };
        self.ask_line(line, question, input);
    }

    fn ask_line(&self, line: &Line, question: Question, input: &impl serde::Serialize) {
        let Ok(input) = serde_json::to_string(input) else { return };
        let on_reply = self.on_reply.clone();
        let awaited = Awaited { held: Rc::clone(&self.held), serial: self.held.asked.get() };
        let on_reply = Closure::once_into_js(move |end: String, text: String, millis: f64| {
            if let Some(reply) = Reply::of(question, &end, &text, millis, &awaited) {
                on_reply.emit(reply);
            }
        });
        let function = question.function();
        // The verdict goes before the rest.
        line.ask(function, function, &input, LIMIT_MILLIS, question == Question::Apply, &on_reply);
    }
}
