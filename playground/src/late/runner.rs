//! The queue of questions to a worker: `Line` of `www/js/runner.js`.
//!
//! In: the name of a worker, and questions as JSON. Out: replies to a callback, by how they ended.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

// Bound by name and order, which nothing checks. `worker.rs` binds it too, from the folder that it is built into: what changes in one
// of the three changes in all.
#[wasm_bindgen(raw_module = "../runner.js")]
extern "C" {
    pub(crate) type Line;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(engine: &str) -> Line;
    #[wasm_bindgen(method)]
    pub(crate) fn ask(
        this: &Line,
        kind: &str,
        function: &str,
        input: &str,
        limit: u32,
        is_urgent: bool,
        on_reply: &JsValue,
    );
    #[wasm_bindgen(method)]
    pub(crate) fn stop(this: &Line);
}
