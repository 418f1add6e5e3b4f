//! The engine's face to JavaScript: strings in, JSON out.
//!
//! In: JSON as `engine::wire` describes it. Out: JSON text, parsed by `npm/api.js` and by the page. Text is faster
//! across this border than objects are, and exact beyond 2^53. Example: `apply('{"policies":[],"resources":[]}')`.
//! Errors are thrown as JavaScript errors; a panic, which is a fault of ours, is thrown with its place.

mod convert;

use std::cell::RefCell;

use engine::run::Session;
use engine::wire::{Input, MeshInput, PsaInput, PspInput};
use engine::world::StaticWorld;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

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
    let input: Input =
        serde_json::from_str(input_json).map_err(|error| JsError::new(&format!("input: {error}")))?;
    // Taken out, not borrowed: after a fault the next call begins anew.
    let mut session = SESSION.take();
    let output = session.run(&input, &StaticWorld::at(now()));
    SESSION.set(session);
    Ok(serde_json::to_string(&output)?)
}

/// Judges Pods and what makes Pods by the Pod Security Standards: a `PsaInput` as JSON gives a `PsaOutput` as JSON.
#[wasm_bindgen]
pub fn psa(input_json: &str) -> Result<String, JsError> {
    let input: PsaInput =
        serde_json::from_str(input_json).map_err(|error| JsError::new(&format!("input: {error}")))?;
    Ok(serde_json::to_string(&engine::psa::run(&input))?)
}

/// Judges Pods by PodSecurityPolicies and RBAC: a `PspInput` as JSON gives a `PspOutput` as JSON.
#[wasm_bindgen]
pub fn psp(input_json: &str) -> Result<String, JsError> {
    let input: PspInput =
        serde_json::from_str(input_json).map_err(|error| JsError::new(&format!("input: {error}")))?;
    Ok(serde_json::to_string(&engine::psp::run(&input))?)
}

/// Shows Pods as they arrive after injection by a mesh: a `MeshInput` as JSON and the text of the package's `mesh.json`
/// give a `MeshOutput` as JSON.
#[wasm_bindgen]
pub fn mesh(input_json: &str, data: &str) -> Result<String, JsError> {
    let input: MeshInput =
        serde_json::from_str(input_json).map_err(|error| JsError::new(&format!("input: {error}")))?;
    let data =
        engine::injection::Data::read(data).map_err(|error| JsError::new(&format!("data: {error}")))?;
    Ok(serde_json::to_string(&engine::mesh::run(&input, &data))?)
}

/// Reads a link of the Kyverno Playground, or a part of one: `{state, complete, notes: [{code, message}]}` as JSON.
#[wasm_bindgen(js_name = decodeShare)]
pub fn decode_share(text: &str) -> Result<String, JsError> {
    let decoded = engine::share::decode(text).map_err(|error| JsError::new(&error.to_string()))?;
    Ok(convert::decoded(&decoded))
}

/// The documents of a YAML text as a JSON list, for the page, which has no reader of its own; what cannot be read is left out.
#[wasm_bindgen(js_name = readYaml)]
pub fn read_yaml(text: &str) -> String {
    convert::yaml(text)
}

/// Writes what stands behind `#/?content=` in a link: an object of texts as JSON gives the encoded text.
#[wasm_bindgen(js_name = encodeShare)]
pub fn encode_share(state_json: &str) -> Result<String, JsError> {
    let state = convert::state(state_json).map_err(|error| JsError::new(&error))?;
    Ok(engine::share::encode(&state))
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    // Milliseconds of this century times a million stay far below the limits of both types.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds, rounded towards zero")]
    let now = js_sys::Date::now() as i64 * 1_000_000;
    now
}

/// The engine's version and the Kyverno release whose verdicts it follows: `{podsieve, kyverno}` as JSON.
#[wasm_bindgen]
pub fn version() -> Result<String, JsError> {
    Ok(serde_json::to_string(&engine::run::version())?)
}

/// Evaluates an expression of Kyverno's JMESPath dialect; document and result are JSON.
#[wasm_bindgen]
pub fn jmespath(expression: &str, json: &str) -> Result<String, JsError> {
    convert::jmespath(expression, json, now()).map_err(|error| JsError::new(&error))
}

/// Every function that an expression may call: a list of `FunctionDoc` as JSON.
#[wasm_bindgen]
pub fn functions() -> Result<String, JsError> {
    Ok(serde_json::to_string(&engine::run::functions())?)
}
