//! Values to YAML, byte for byte as the originals write it.
//!
//! In: a value. Out: `to_yaml` as `sigs.k8s.io/yaml` writes it (two blanks, lists not indented, lines folded from
//! column 80 on), `to_yaml4` as go-yaml v3 does (four blanks, lists indented, no folding). Keys come sorted, numbers
//! in texts by size: `{"b":[1],"a":"yes"}` becomes `a: "yes"` and `b:` over `- 1`.

mod analyze;
mod order;
mod write;

use crate::float::float;
use engine_json::{Number, Value, float_text};
use write::Writer;

/// Which original is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// go-yaml v2, as `sigs.k8s.io/yaml` calls it.
    V2,
    /// go-yaml v3 with its own indentation.
    V3,
}

/// Which order keys come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Sorted,
    Written,
}

/// The value as `sigs.k8s.io/yaml` `JSONToYAML` writes it.
pub fn to_yaml(value: &Value) -> String {
    Writer::new(Style::V2, Order::Sorted).document(value)
}

/// The value in the form of [`to_yaml`], with the keys of every map in the order in which they are written.
pub fn to_yaml_ordered(value: &Value) -> String {
    Writer::new(Style::V2, Order::Written).document(value)
}

/// The value as go-yaml v3 `Marshal` writes it, each number by its type; what `encoding/json` read has floats alone.
pub fn to_yaml4(value: &Value) -> String {
    Writer::new(Style::V3, Order::Sorted).document(value)
}

/// The value in the form of [`to_yaml4`], indented by two blanks, as its `Encoder` writes it where that is asked for.
pub fn to_yaml4_by_two(value: &Value) -> String {
    Writer::new(Style::V3, Order::Sorted).by(2).document(value)
}

/// A number as text.
fn number(style: Style, number: Number) -> String {
    match style {
        Style::V3 => match number {
            Number::Int(i) => i.to_string(),
            Number::Uint(u) => u.to_string(),
            Number::Float(f) => float(f),
        },
        // Go: the value goes through JSON, whose text is read as YAML: a whole float comes back as an integer.
        Style::V2 => match number {
            Number::Int(i) => i.to_string(),
            Number::Uint(u) => u.to_string(),
            Number::Float(f) => {
                let text = float_text(f);
                match (text.parse::<i64>(), text.parse::<u64>()) {
                    (Ok(i), _) => i.to_string(),
                    (Err(_), Ok(u)) => u.to_string(),
                    (Err(_), Err(_)) => float(f),
                }
            }
        },
    }
}
