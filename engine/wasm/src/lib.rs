//! The engine's face to JavaScript: strings in, JSON out.
//!
//! In: JSON as `engine_lenses::wire` describes it. Out: JSON text, parsed by `npm/api.js` and by the page. Text is faster
//! across this border than objects are, and exact beyond 2^53. Example: `apply('{"policies":[],"resources":[]}')`.
//! What stands in this file is in every build, the modules `more` and `tools` only with the features of their names; with the
//! feature `cel` policies in CEL are evaluated too.
//! Errors are thrown as JavaScript errors; a panic, which is a fault of ours, is thrown with its place.

mod answer;
#[cfg(feature = "more")]
mod convert;
#[cfg(feature = "more")]
pub mod more;
#[cfg(feature = "tools")]
pub mod tools;

use std::cell::RefCell;

use engine::world::StaticWorld;
use engine_lenses::run::Session;
use engine_lenses::wire::{Input, PsaInput};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// Prepares the module: a panic becomes an error that says what happened and where.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("podsieve has a fault, please report it: {info}"));
    }));
}

thread_local! {
    /// The policies of the last call, for the next one.
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Evaluates policies against resources: an `Input` as JSON gives an `Output` as JSON.
#[wasm_bindgen]
pub fn apply(input_json: &str) -> Result<String, JsError> {
    let input: Input = read(input_json)?;
    // Taken out, not borrowed: after a fault the next call begins anew.
    let mut session = SESSION.take();
    let output = session.run(&input, &world());
    SESSION.set(session);
    json(&output)
}

/// The same by what has changed since an earlier answer: a `ChangesInput` as JSON gives `Changes` as JSON.
#[cfg(feature = "page")]
#[wasm_bindgen]
pub fn changes(input_json: &str) -> Result<String, JsError> {
    let engine_lenses::wire::ChangesInput { input, serial, since } = read(input_json)?;
    let mut session = SESSION.take();
    let changes = session.changes(&input, serial, since, &world());
    SESSION.set(session);
    json(&changes)
}

/// Evaluates Pods and workloads by the Pod Security Standards: a `PsaInput` as JSON gives a `PsaOutput` as JSON.
#[wasm_bindgen]
pub fn psa(input_json: &str) -> Result<String, JsError> {
    let input: PsaInput = read(input_json)?;
    json(&engine_lenses::psa::run(&input))
}

/// The documents of a YAML text as a JSON list, for the page, which has no reader of its own; what cannot be read is left out.
#[wasm_bindgen(js_name = readYaml)]
pub fn read_yaml(text: &str) -> String {
    let source =
        engine::yaml::Source { id: engine::yaml::SourceId(0), name: String::new(), text: text.into() };
    let parsed = engine::yaml::parse(&source, &engine::yaml::Options::default());
    let documents = parsed.documents.into_iter().map(|document| document.value).collect();
    engine_json::to_json(&engine_json::Value::array(documents))
}

/// From here on the strings of answers are cut to what can be drawn: for the page.
#[wasm_bindgen(js_name = forPage)]
pub fn for_page() {
    answer::for_page();
}

/// The instance's memory, which says how much it has taken.
#[wasm_bindgen(js_name = instanceMemory)]
pub fn instance_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// An answer as JSON.
fn json(answer: &impl Serialize) -> Result<String, JsError> {
    answer::json(answer).map_err(|error| JsError::new(&error))
}

/// The same with every text whole, also for the page: for what is written into an editor or a file.
#[cfg(feature = "tools")]
fn whole(answer: &impl Serialize) -> Result<String, JsError> {
    answer::whole(answer).map_err(|error| JsError::new(&error))
}

fn read<T: DeserializeOwned>(input_json: &str) -> Result<T, JsError> {
    serde_json::from_str(input_json).map_err(|error| JsError::new(&refusal(&error.to_string())))
}

/// What is wrong with an input. Lines and columns are those of a JSON text that the caller has never seen.
fn refusal(error: &str) -> String {
    let words = error.rsplit_once(" at line ").map_or(error, |(words, _)| words);
    format!("input: {words}")
}

/// The time, and what evaluates policies in CEL, in the builds that have it.
fn world() -> StaticWorld {
    let world = StaticWorld::at(now());
    #[cfg(all(feature = "cel", not(feature = "tools")))]
    let world = StaticWorld { extension: Some(engine_celpolicy::WITHOUT_STEPS), ..world };
    // The steps to a verdict are a part of what loads late. What an API server fills in is not drawn apart from what a policy changes yet.
    #[cfg(all(feature = "cel", feature = "tools"))]
    let world = StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..world };
    world
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    // Milliseconds of this century times a million stay far below the limits of both types.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds, rounded towards zero")]
    let now = js_sys::Date::now() as i64 * 1_000_000;
    now
}
