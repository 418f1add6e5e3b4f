//! What the app asks the engine in its worker, and what comes of it.
//!
//! In: a [`Question`]. Out: a [`Reply`]. The queue is `Line` of `www/js/runner.js`: while the engine works, a newer question
//! replaces the one of its kind that waits; a run of more than five seconds is ended with its worker.

use std::rc::Rc;

use engine::wire::{Output, PsaOutput, ReportOutput, TestFolder};
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use yew::Callback;

use crate::reader;
use crate::words::results::tabs as words;

/// How long one run may take.
const LIMIT_MILLIS: u32 = 5_000;

// Bound by name and order to `Line` of `www/js/runner.js`, which nothing checks. `late/engine.rs` binds it too, from the folder
// that it is built into: what changes in one of the three changes in all.
#[wasm_bindgen(raw_module = "./runner.js")]
extern "C" {
    type Line;
    #[wasm_bindgen(constructor)]
    fn new(is_late: bool) -> Line;
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
    /// What the end of a question means; nothing where a newer one has taken its place.
    fn of(question: Question, end: &str, text: &str, millis: f64) -> Option<Self> {
        let failed = |why: String| Some(Self::Failed(question, why));
        match end {
            "output" => match Self::read(question, text, millis) {
                Ok(reply) => Some(reply),
                Err(error) => failed(words::unreadable(&error.to_string())),
            },
            "late" => failed(words::TOO_LONG.to_owned()),
            "failed" => failed(text.to_owned()),
            _ => None,
        }
    }

    fn read(question: Question, text: &str, millis: f64) -> Result<Self, reader::Unreadable> {
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
    first: Rc<Line>,
    late: Rc<Line>,
    on_reply: Callback<Reply>,
}

impl Engine {
    pub(crate) fn new(on_reply: &Callback<Reply>) -> Self {
        let line = |is_late| Rc::new(Line::new(is_late));
        Self { first: line(false), late: line(true), on_reply: on_reply.clone() }
    }

    /// Asks; the input is JSON. The reply comes later, and only to the newest of several quick questions.
    pub(crate) fn ask(&self, question: Question, input: &impl serde::Serialize) {
        let Ok(input) = serde_json::to_string(input) else { return };
        let on_reply = self.on_reply.clone();
        let on_reply = Closure::once_into_js(move |end: String, text: String, millis: f64| {
            if let Some(reply) = Reply::of(question, &end, &text, millis) {
                on_reply.emit(reply);
            }
        });
        let line = if question.is_late() { &self.late } else { &self.first };
        let function = question.function();
        // The verdict goes before the rest.
        line.ask(function, function, &input, LIMIT_MILLIS, question == Question::Apply, &on_reply);
    }
}
