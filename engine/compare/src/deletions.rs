//! Deletions: Kyverno asks ClusterPolicies about them where a rule names no operations, and policies in CEL only where they name them.
//!
//! In: the policies of both sides, and objects that were tried. Out: the operations that are tried, and whether deletions are decided
//! otherwise where they are not among them.

use crate::compare::Options;
use crate::difference::{Basis, difference};
use crate::request::{Operation, Request};
use crate::sides::side::{Depth, Side};
use engine_json::Value;

/// How many objects are deleted to see whether that is decided the same.
const MAX_DELETIONS: usize = 200;
/// What is said where it is not.
pub(crate) const UNLIKE: &str = "deletions are not compared, and not decided the same: ClusterPolicies are asked about them where a rule \
                         names no operations; `--operations create,update,delete` compares them";

/// What is done with objects: as it is asked for, or as the policies name it.
pub(crate) fn operations(options: &Options, documents: &[Vec<&Value>; 2]) -> Vec<Operation> {
    if !options.operations.is_empty() {
        return options.operations.clone();
    }
    // A policy that names no deletion and reads the operation decides about deletions as well.
    let names_deletion = |document: &&Value| {
        let text = engine_json::to_json(document);
        text.contains("DELETE") || text.contains("request.operation") || names_all(document)
    };
    let mut all = vec![Operation::Create, Operation::Update];
    if documents.iter().flatten().any(names_deletion) {
        all.push(Operation::Delete);
    }
    all
}

/// Whether a list of operations below a value names all of them.
fn names_all(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, below)| {
            let items = below.as_array().filter(|_| key.as_str() == "operations").unwrap_or_default();
            items.iter().any(|item| item.as_str() == Some("*")) || names_all(below)
        }),
        Value::Array(items) => items.iter().any(names_all),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether the deletion of an object that was tried is decided otherwise.
pub(crate) fn differ(sides: &[Side<'_>; 2], requests: &[Request], basis: Basis<'_>) -> bool {
    let created = requests.iter().filter(|request| request.attributes.operation == Operation::Create);
    created.take(MAX_DELETIONS).any(|request| {
        let request = Request::deletion_of(request.object.clone(), &request.attributes);
        let [old, new] = sides.each_ref().map(|side| side.evaluate(&request, Depth::Decision));
        difference(&old, &new, basis, &request.object).is_some()
    })
}
