//! What is rarely asked for: meshes, the sieve, reports, test folders, PodSecurityPolicy, changes of texts.
//!
//! In and out: as in `lib.rs`.

use engine_lenses::wire::{EvaluateInput, Input, MeshInput, PspInput, ReportInput, RewriteInput, SieveInput};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::{json, read, whole, world};

/// Shows Pods as they arrive after injection by a mesh: a `MeshInput` as JSON and the text of the package's `mesh.json`
/// give a `MeshOutput` as JSON.
#[wasm_bindgen]
pub fn mesh(input_json: &str, data: &str) -> Result<String, JsError> {
    let input: MeshInput = read(input_json)?;
    let data = engine_lenses::injection::Data::read(data)
        .map_err(|error| JsError::new(&format!("data: {error}")))?;
    json(&engine_lenses::mesh::run(&input, &data))
}

/// Finds exemptions and who gets in through them, the funnel and the narrowest exemption of what is refused: a
/// `SieveInput` as JSON gives a `SieveOutput` as JSON.
#[wasm_bindgen]
pub fn sieve(input_json: &str) -> Result<String, JsError> {
    let input: SieveInput = read(input_json)?;
    json(&engine_lenses::sieve::run(&input, &world()))
}

/// Names what no API server would take, in resources and in patterns: an `Input` as JSON gives a `CheckOutput` as JSON.
#[wasm_bindgen(js_name = checkResources)]
pub fn check_resources(input_json: &str) -> Result<String, JsError> {
    let input: Input = read(input_json)?;
    json(&engine_kinds::run(&input, &world()))
}

/// Writes the reports of everything in the input: a `ReportInput` as JSON gives a `ReportOutput` as JSON.
#[wasm_bindgen]
pub fn report(input_json: &str) -> Result<String, JsError> {
    let input: ReportInput = read(input_json)?;
    let output = engine_lenses::report::run(&input, &world()).map_err(|error| JsError::new(&error))?;
    whole(&output)
}

/// The folder of a test with today's verdicts: an `Input` as JSON gives a `TestFolder` as JSON.
#[wasm_bindgen(js_name = testFolder)]
pub fn test_folder(input_json: &str) -> Result<String, JsError> {
    let input: Input = read(input_json)?;
    let output =
        engine_lenses::report::as_test::run(&input, &world()).map_err(|error| JsError::new(&error))?;
    whole(&output)
}

/// Evaluates Pods by PodSecurityPolicies and RBAC: a `PspInput` as JSON gives a `PspOutput` as JSON.
#[wasm_bindgen]
pub fn psp(input_json: &str) -> Result<String, JsError> {
    let input: PspInput = read(input_json)?;
    json(&engine_lenses::psp::run(&input))
}

/// Evaluates an expression where it stands in a policy: an `EvaluateInput` as JSON gives an `EvaluateOutput` as JSON.
#[wasm_bindgen]
pub fn evaluate(input_json: &str) -> Result<String, JsError> {
    let input: EvaluateInput = read(input_json)?;
    let output = engine_lenses::evaluate::run(&input, &world()).map_err(|error| JsError::new(&error))?;
    json(&output)
}

/// Writes a text in which one document says something else: a `RewriteInput` as JSON gives a `RewriteOutput` as JSON.
#[wasm_bindgen]
pub fn rewrite(input_json: &str) -> Result<String, JsError> {
    let input: RewriteInput = read(input_json)?;
    let output = engine_lenses::rewrite::run(&input).map_err(|error| JsError::new(&error))?;
    whole(&output)
}

/// What stands between two places of a policy in CEL: type, value, what a function does. An `EvaluateInput` as JSON, whose
/// `expression` is the second place as a number; see `engine_lenses::writing`.
#[wasm_bindgen(js_name = celDescribe)]
pub fn cel_describe(input_json: &str) -> Result<String, JsError> {
    let input: EvaluateInput = read(input_json)?;
    let to = input.expression.parse().unwrap_or(input.at);
    Ok(engine_lenses::writing::describe(&input, to, &world()))
}

/// What may stand at a place of a policy in CEL: an `EvaluateInput` as JSON gives JSON, see `engine_lenses::writing`.
#[wasm_bindgen(js_name = celComplete)]
pub fn cel_complete(input_json: &str) -> Result<String, JsError> {
    let input: EvaluateInput = read(input_json)?;
    Ok(engine_lenses::writing::complete(&input, &world()))
}

/// What may be done about what is wrong with expressions in CEL: an `EvaluateInput` as JSON, of which the texts and `place` are
/// read, gives JSON, see `engine_lenses::writing`.
#[wasm_bindgen(js_name = celFixes)]
pub fn cel_fixes(input_json: &str) -> Result<String, JsError> {
    let input: EvaluateInput = read(input_json)?;
    Ok(engine_lenses::writing::fixes(&input.input, &input.place))
}
