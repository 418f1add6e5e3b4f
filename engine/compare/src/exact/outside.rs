//! What keeps a side from being told by cases, whatever its rules say.
//!
//! In: a side. Out: the reason, if there is one.

use crate::exact::asked::Outside;
use crate::same::have_one_name;
use crate::sides::side::Side;
use engine_json::Value;

/// Why not every case is evaluated of such a side, whatever its rules say.
pub(super) fn why_outside(side: &Side<'_>) -> Option<Outside> {
    let documents = || side.bundle.documents.iter().map(|document| &document.value);
    let is_exact = |document: &Value| {
        ["matchConstraints", "matchResources"]
            .iter()
            .any(|field| document.find_str(&["spec", field, "matchPolicy"]) == "Exact")
    };
    if documents().any(is_exact) {
        return Some("matchPolicy: Exact, as other versions of a kind are not tried");
    }
    let documents: Vec<&Value> = documents().collect();
    have_one_name(&documents).then_some("two documents of one name, of which a cluster keeps the last")
}
