//! What the page asks for late or never, and npm exports: explanations, links, expressions, PodSecurityPolicy, reports.
//!
//! In and out: as in `lib.rs`.

use engine::wire::{ExplainInput, Input, MeshInput, PspInput, ReportInput, SieveInput};
use engine::world::StaticWorld;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::{convert, now, read};

/// Says why each rule decided as it did: an `ExplainInput` as JSON gives an `ExplainOutput` as JSON.
#[wasm_bindgen]
pub fn explain(input_json: &str) -> Result<String, JsError> {
    let input: ExplainInput = read(input_json)?;
    Ok(serde_json::to_string(&engine::explain::run(&input, &StaticWorld::at(now())))?)
}

/// Judges Pods by PodSecurityPolicies and RBAC: a `PspInput` as JSON gives a `PspOutput` as JSON.
#[wasm_bindgen]
pub fn psp(input_json: &str) -> Result<String, JsError> {
    let input: PspInput = read(input_json)?;
    Ok(serde_json::to_string(&engine::psp::run(&input))?)
}

/// Shows Pods as they arrive after injection by a mesh: a `MeshInput` as JSON and the text of the package's `mesh.json`
/// give a `MeshOutput` as JSON.
#[wasm_bindgen]
pub fn mesh(input_json: &str, data: &str) -> Result<String, JsError> {
    let input: MeshInput = read(input_json)?;
    let data =
        engine::injection::Data::read(data).map_err(|error| JsError::new(&format!("data: {error}")))?;
    Ok(serde_json::to_string(&engine::mesh::run(&input, &data))?)
}

/// Finds exemptions and who gets in through them, the funnel and the narrowest exemption of what is refused: a
/// `SieveInput` as JSON gives a `SieveOutput` as JSON.
#[wasm_bindgen]
pub fn sieve(input_json: &str) -> Result<String, JsError> {
    let input: SieveInput = read(input_json)?;
    Ok(serde_json::to_string(&engine::sieve::run(&input, &StaticWorld::at(now())))?)
}

/// Writes the reports of everything in the input: a `ReportInput` as JSON gives a `ReportOutput` as JSON.
#[wasm_bindgen]
pub fn report(input_json: &str) -> Result<String, JsError> {
    let input: ReportInput = read(input_json)?;
    let output =
        engine::report::run(&input, &StaticWorld::at(now())).map_err(|error| JsError::new(&error))?;
    Ok(serde_json::to_string(&output)?)
}

/// The folder of a test with today's verdicts: an `Input` as JSON gives a `TestFolder` as JSON.
#[wasm_bindgen(js_name = testFolder)]
pub fn test_folder(input_json: &str) -> Result<String, JsError> {
    let input: Input = read(input_json)?;
    let output = engine::report::as_test::run(&input, &StaticWorld::at(now()))
        .map_err(|error| JsError::new(&error))?;
    Ok(serde_json::to_string(&output)?)
}

/// Reads a link of the Kyverno Playground, or a part of one: `{state, complete, notes: [{code, message}]}` as JSON.
#[wasm_bindgen(js_name = decodeShare)]
pub fn decode_share(text: &str) -> Result<String, JsError> {
    let decoded = engine::share::decode(text).map_err(|error| JsError::new(&error.to_string()))?;
    Ok(convert::decoded(&decoded))
}

/// Writes what stands behind `#/?content=` in a link: an object of texts as JSON gives the encoded text.
#[wasm_bindgen(js_name = encodeShare)]
pub fn encode_share(state_json: &str) -> Result<String, JsError> {
    let state = convert::state(state_json).map_err(|error| JsError::new(&error))?;
    Ok(engine::share::encode(&state))
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
