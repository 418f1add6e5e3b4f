//! Expressions that ask who may do what.
//!
//! In: what was read of a side. Out: a reason and a line for each expression that names `authorizer`: an API server answers by its roles and
//! webhooks, and nothing answers here.
//! Mirrors: k8s.io/apiserver/pkg/admission/plugin/policy/validating/plugin.go (`compilePolicy`), of Kyverno 1.19
//! pkg/engine/handlers/validation/validate_cel.go: both declare `authorizer`.

use crate::answer::Reason;
use crate::reads::cel::parsed;
use crate::sides::side::Side;
use engine::resource::DocumentId;
use engine_cel::ast::Expr;
use engine_json::{Path, Segment, Value};
use engine_lenses::run::Positions;

/// Kinds whose expressions may ask: those of an API server, and classic ones, of which the rule `validate.cel` may.
const ASKING: [&str; 4] = ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ClusterPolicy", "Policy"];
/// How many expressions of a side are named, and how deep a policy is looked into.
const MAX_NAMED: usize = 8;
const MAX_DEPTH: usize = 20;

/// Why two sides are not compared of which one asks; nothing where none does.
pub(crate) fn why_asked(sides: &[Side<'_>; 2]) -> Vec<Reason> {
    let of_side = |(name, side): (&'static str, &Side<'_>)| {
        let positions = Positions::new(&side.bundle);
        let mut found = Vec::new();
        for (at, document) in side.bundle.documents.iter().enumerate() {
            if ASKING.contains(&document.value.find_str(&["kind"])) {
                let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
                let mut paths = Vec::new();
                below(&document.value, &Path::default(), 0, &mut paths);
                let policy = document.value.find_str(&["metadata", "name"]);
                found.extend(paths.into_iter().map(|path| Reason {
                    side: name,
                    text: format!("`{policy}` asks the API server's authorizer, which is not evaluated here"),
                    range: positions.of_path(id, &path).map(|range| side.place(range)),
                }));
            }
        }
        found.truncate(MAX_NAMED);
        found
    };
    ["old", "new"].into_iter().zip(sides).flat_map(of_side).collect()
}

/// The places of the expressions below a value that ask.
fn below(value: &Value, path: &Path, depth: usize, found: &mut Vec<Path>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => {
            for (at, item) in (0..).zip(items.iter()) {
                below(item, &path.join(Segment::Index(at)), depth + 1, found);
            }
        }
        Value::Object(map) => {
            for (key, item) in map.iter() {
                let path = path.join(key.as_str());
                match item {
                    Value::String(text) if key == "expression" && asks(text) => found.push(path),
                    item => below(item, &path, depth + 1, found),
                }
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether an expression names it.
fn asks(expression: &str) -> bool {
    let is_it = |expr: &Expr| matches!(expr, Expr::Ident(name) if name == "authorizer");
    expression.contains("authorizer")
        && parsed(expression).is_some_and(|ast| ast.nodes().iter().any(|node| is_it(&node.expr)))
}
