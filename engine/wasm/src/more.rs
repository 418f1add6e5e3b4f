//! What the page asks for late or never, and npm exports in its main entry: explanations, links, expressions.
//!
//! In and out: as in `lib.rs`.

use engine_lenses::wire::ExplainInput;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::{convert, json, now, read, world};

/// Says why each rule decided as it did: an `ExplainInput` as JSON gives an `ExplainOutput` as JSON.
#[wasm_bindgen]
pub fn explain(input_json: &str) -> Result<String, JsError> {
    let input: ExplainInput = read(input_json)?;
    json(&engine_lenses::explain::run(&input, &world()))
}

/// Reads a link of the Kyverno Playground, or a part of one: `{state, complete, notes: [{code, message}]}` as JSON.
#[wasm_bindgen(js_name = decodeShare)]
pub fn decode_share(text: &str) -> Result<String, JsError> {
    let decoded = engine_lenses::share::decode(text).map_err(|error| JsError::new(&error.to_string()))?;
    Ok(convert::decoded(&decoded))
}

/// Writes what stands behind `#/?content=` in a link: an object of texts as JSON gives the encoded text.
#[wasm_bindgen(js_name = encodeShare)]
pub fn encode_share(state_json: &str) -> Result<String, JsError> {
    let state = convert::state(state_json).map_err(|error| JsError::new(&error))?;
    Ok(engine_lenses::share::encode(&state))
}

/// The engine's version and the Kyverno release whose verdicts it follows: `{podsieve, kyverno}` as JSON.
#[wasm_bindgen]
pub fn version() -> Result<String, JsError> {
    json(&engine_lenses::run::version())
}

/// Evaluates an expression of Kyverno's JMESPath dialect; document and result are JSON.
#[wasm_bindgen]
pub fn jmespath(expression: &str, json: &str) -> Result<String, JsError> {
    convert::jmespath(expression, json, now()).map_err(|error| JsError::new(&error))
}

/// What an expression of CEL gives, in the builds that have it: a question as JSON gives an answer as JSON, see
/// `engine_celpolicy::expression::json`.
#[cfg(feature = "cel")]
#[wasm_bindgen]
pub fn cel(input_json: &str) -> Result<String, JsError> {
    engine_celpolicy::expression::json::answer(input_json, &world()).map_err(|error| JsError::new(&error))
}

/// Every function that an expression of JMESPath may call: a list of `FunctionDoc` as JSON.
#[wasm_bindgen]
pub fn functions() -> Result<String, JsError> {
    json(&engine_lenses::run::functions())
}
