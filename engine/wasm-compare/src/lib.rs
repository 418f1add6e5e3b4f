//! Comparing and converting policies for JavaScript, in a module that loads only when it is asked for.
//!
//! In: JSON as the two rows of the front take it, and a function that hears how many requests were tried. Out: their answer as JSON
//! text, parsed by `npm/api.js` and by the page. A question of the wrong shape is thrown as a JavaScript error; a panic, which is a fault of
//! ours, is thrown with its place.

mod progress;

use js_sys::Function;
use podsieve::{Asking, COMPARE, CONVERT, Question, Session};
use progress::Progress;
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
    answer(&COMPARE, input_json, on_progress)
}

/// Converts policies, and compares each with what it became. `on_progress` is called as by [`compare`].
#[wasm_bindgen]
pub fn convert(input_json: &str, on_progress: Option<Function>) -> Result<String, JsError> {
    answer(&CONVERT, input_json, on_progress)
}

/// The instance's memory, which says how much it has taken.
#[wasm_bindgen(js_name = instanceMemory)]
pub fn instance_memory() -> JsValue {
    wasm_bindgen::memory()
}

fn answer(question: &Question, input_json: &str, on_progress: Option<Function>) -> Result<String, JsError> {
    let (mut session, mut search) = (Session::default(), Progress::new(on_progress));
    let mut asking =
        Asking { world: &podsieve::world_at(nanos()), session: &mut session, search: &mut search };
    question.answer(input_json, &mut asking).map_err(|error| JsError::new(&error))
}

/// Nanoseconds since 1970.
fn nanos() -> i64 {
    // Milliseconds of this century times a million stay far below the limits of both types.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds, rounded towards zero")]
    let now = js_sys::Date::now() as i64 * 1_000_000;
    now
}
