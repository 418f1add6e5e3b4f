//! CEL for JavaScript, in a module that loads only where somebody asks for it.
//!
//! In: JSON as `engine_celpolicy::expression::json` describes it. Out: JSON text, parsed by `npm/api.js`. A question of the
//! wrong shape is thrown as a JavaScript error; a panic, which is a fault of ours, is thrown with its place.

use engine::world::StaticWorld;
use engine_celpolicy::expression::json;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// Prepares the module: a panic becomes an error that says what happened and where.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("podsieve has a fault, please report it: {info}"));
    }));
}

/// What an expression gives: a question as JSON gives an answer as JSON.
#[wasm_bindgen]
pub fn cel(input_json: &str) -> Result<String, JsError> {
    json::answer(input_json, &StaticWorld::at(now())).map_err(|error| JsError::new(&error))
}

/// Every function that an expression may call, as JSON.
#[wasm_bindgen]
pub fn functions() -> String {
    json::functions()
}

/// The instance's memory, which says how much it has taken.
#[wasm_bindgen(js_name = instanceMemory)]
pub fn instance_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    // Milliseconds of this century times a million stay far below the limits of both types.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds, rounded towards zero")]
    let now = js_sys::Date::now() as i64 * 1_000_000;
    now
}
