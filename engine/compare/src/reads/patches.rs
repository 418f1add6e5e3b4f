//! What JSON patches read: the places that they lead to, those that they copy from, and the values that they test.
//!
//! In: the operations of a patch, as `patchesJson6902` or as `JSONPatch{…}` of an expression. Out: their reads.
// RFC 6902, 4: `remove`, `replace`, `move`, `copy` and `test` fail where what they name is not there, and `add` where what holds it is not.

use crate::reads::cel::Walker;
use crate::reads::field_path::{FieldPath, field_path};
use crate::reads::{Origin, Reads};
use engine_cel::ast::{Expr, ExprId, Field, Literal};
use engine_json::{Str, Value};

/// What stands for a part of a path that is known when it is evaluated alone.
const UNKNOWN: &str = "{{}}";
/// How deep a value or a path is followed.
const MAX_DEPTH: usize = 32;

/// The reads of `patchesJson6902`.
pub(super) fn read(text: &str, reads: &mut Reads) {
    let patches = engine::yaml::parse_one(text).unwrap_or_default();
    for patch in patches.as_array().unwrap_or_default() {
        note_places(patch.find_str(&["op"]), patch.find_str(&["path"]), patch.find_str(&["from"]), reads);
        let value = patch.get("value").filter(|value| value.as_str().is_none_or(|text| !text.contains("{{")));
        if let (Some(value), "test") = (value, patch.find_str(&["op"])) {
            note_test(patch.find_str(&["path"]), Origin::constant(value.clone()), reads);
        }
    }
}

/// The reads of one operation in an expression.
pub(super) fn of_struct(walker: &mut Walker<'_>, fields: &[Field]) {
    let id = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.value);
    let text =
        |walker: &Walker<'_>, name: &str| id(name).and_then(|id| text_of(walker, id, 0)).unwrap_or_default();
    let (op, path, from) = (text(walker, "op"), text(walker, "path"), text(walker, "from"));
    note_places(&op, &path, &from, walker.reads);
    if let (Some(value), true) = (id("value"), matches!(op.as_str(), "test" | UNKNOWN)) {
        let held = match value_of(walker, value, 0) {
            Some(value) => Origin::constant(value),
            None => walker.walk(value),
        };
        note_test(&path, held, walker.reads);
    }
}

fn note_places(op: &str, path: &str, from: &str, reads: &mut Reads) {
    for (pointer, is_read) in [(path, true), (from, matches!(op, "move" | "copy" | UNKNOWN))] {
        if let Some(place) = place(pointer, reads).filter(|_| is_read) {
            reads.note_object(&place, &[]);
        }
    }
}

/// Notes what a place is tested for.
fn note_test(path: &str, held: Origin, reads: &mut Reads) {
    let Some(place) = place(path, reads) else { return };
    let whole = field_path(&["request", "object"]).into_iter().chain(place).collect();
    reads.note(&Origin::path(whole).and(held));
}

/// The place that a JSON pointer leads to; none where its keys are not known.
fn place(pointer: &str, reads: &mut Reads) -> Option<FieldPath> {
    let keys: Vec<String> =
        pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
    if keys.iter().any(|key| key.parse::<u32>().is_ok()) {
        reads.asks_order = true;
    }
    // `{{elementIndex}}` is the number of an element that a `foreach` walks, and so is most of what an expression puts in.
    let is_element = |key: &str| {
        key == "-"
            || key == UNKNOWN
            || key.parse::<u32>().is_ok()
            || key.replace(' ', "").starts_with("{{elementIndex")
    };
    let keys: Vec<&str> = keys.iter().map(|key| if is_element(key) { "[]" } else { key.as_str() }).collect();
    let is_known = !keys.is_empty() && !keys.iter().any(|key| key.contains("{{"));
    is_known.then(|| field_path(&keys))
}

/// A text that is written, or put together of texts; what is put in is unknown.
fn text_of(walker: &Walker<'_>, id: ExprId, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match walker.ast.expr(id) {
        Expr::Literal(Literal::String(text)) => text.to_string(),
        Expr::Call { function, args, .. } => match (function.as_str(), &**args) {
            ("_+_", [left, right]) => {
                format!("{}{}", text_of(walker, *left, depth + 1)?, text_of(walker, *right, depth + 1)?)
            }
            // k8s.io/apiserver/pkg/cel/mutation: `jsonpatch.escapeKey`.
            ("escapeKey", [key]) => text_of(walker, *key, depth + 1)?.replace('~', "~0").replace('/', "~1"),
            _ => UNKNOWN.to_owned(),
        },
        _ => UNKNOWN.to_owned(),
    })
}

/// A value in which everything is written.
fn value_of(walker: &Walker<'_>, id: ExprId, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match walker.ast.expr(id) {
        Expr::Literal(literal) => Some(match literal {
            Literal::Null => Value::Null,
            Literal::Bool(truth) => Value::Bool(*truth),
            Literal::Int(number) => Value::from(*number),
            Literal::Uint(number) => Value::from(i64::try_from(*number).ok()?),
            Literal::Double(number) => Value::from(*number),
            Literal::String(text) => Value::String(text.clone()),
            Literal::Bytes(_) => return None,
        }),
        Expr::List { elements, .. } => {
            let items = elements.iter().map(|element| value_of(walker, *element, depth + 1));
            Some(Value::array(items.collect::<Option<_>>()?))
        }
        Expr::Map(entries) => {
            let entries = entries.iter().map(|entry| {
                let key = text_of(walker, entry.key, depth + 1).filter(|key| !key.contains(UNKNOWN))?;
                Some((Str::from(key), value_of(walker, entry.value, depth + 1)?))
            });
            Some(Value::object(entries.collect::<Option<_>>()?))
        }
        _ => None,
    }
}
