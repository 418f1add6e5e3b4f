//! Comparing and converting policies for JavaScript, in a module that loads only when it is asked for.
//!
//! In: JSON as `question` describes it, and a function that hears how many requests were tried. Out: JSON text as `answer` describes
//! it, parsed by `npm/api.js` and by the page. A question of the wrong shape is thrown as a JavaScript error; a panic, which is a fault of
//! ours, is thrown with its place.

mod answer;
mod progress;
mod question;

use answer::{CompareOutput, ConvertOutput};
use engine::world::StaticWorld;
use engine_compare::compare as compare_sides;
use engine_convert::{convert_all, grade};
use js_sys::Function;
use progress::Progress;
use question::{CompareInput, ConvertInput};
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

/// Compares two sides. `on_progress` is called now and then with how many requests were tried; where it returns `false` the search ends.
#[wasm_bindgen]
pub fn compare(input_json: &str, on_progress: Option<Function>) -> Result<String, JsError> {
    let input: CompareInput = read(input_json)?;
    let options = input.options()?;
    let mut progress = Progress::new(on_progress);
    progress.begin(input.seconds());
    let answer =
        compare_sides(&input.old, &input.new, &options, &world(), &mut |tried| progress.goes_on(tried));
    json(&CompareOutput::of(&answer, [&input.old, &input.new], progress.was_stopped(), nanos()))
}

/// Converts policies, and compares each with what it became. `on_progress` is called as by [`compare`].
#[wasm_bindgen]
pub fn convert(input_json: &str, on_progress: Option<Function>) -> Result<String, JsError> {
    let input: ConvertInput = read(input_json)?;
    let options = input.options();
    let mut output =
        ConvertOutput { diagnostics: answer::diagnostics(&input.policies, &world()), policies: Vec::new() };
    let mut progress = Progress::new(on_progress);
    for (at, conversion) in convert_all(&input.policies, input.to.into()) {
        progress.begin(input.seconds());
        let comparison = (conversion.is_whole() && !input.no_compare)
            .then(|| grade(&conversion, &options, &world(), &mut |tried| progress.goes_on(tried)));
        output.add(at, &conversion, comparison.as_ref(), progress.was_stopped());
    }
    json(&output)
}

/// The instance's memory, which says how much it has taken.
#[wasm_bindgen(js_name = instanceMemory)]
pub fn instance_memory() -> JsValue {
    wasm_bindgen::memory()
}

fn json(answer: &impl Serialize) -> Result<String, JsError> {
    serde_json::to_string(answer).map_err(|error| JsError::new(&error.to_string()))
}

/// Lines and columns of an error are those of a JSON text that the caller has never seen.
fn read<T: DeserializeOwned>(input_json: &str) -> Result<T, JsError> {
    serde_json::from_str(input_json).map_err(|error| {
        let error = error.to_string();
        let words = error.rsplit_once(" at line ").map_or(error.as_str(), |(words, _)| words);
        JsError::new(&format!("input: {words}"))
    })
}

fn world() -> StaticWorld {
    StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..StaticWorld::at(nanos()) }
}

/// Nanoseconds since 1970.
fn nanos() -> i64 {
    // Milliseconds of this century times a million stay far below the limits of both types.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds, rounded towards zero")]
    let now = js_sys::Date::now() as i64 * 1_000_000;
    now
}
