//! Values as JSON with keys in written order, as Go writes the fields of a struct.
//!
//! In: a value. Out: compact JSON, or JSON over lines; `{"b":1,"a":2}` stays in this order.

use engine_json::{Value, write_json, write_string};

/// Compact JSON.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None);
    out
}

/// JSON over lines, indented by two.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Some(0));
    out
}

fn write(out: &mut String, value: &Value, depth: Option<usize>) {
    let line = |out: &mut String, depth: Option<usize>| {
        if let Some(depth) = depth {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    let inner = depth.map(|depth| depth + 1);
    match value {
        Value::Array(list) if !list.is_empty() => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, inner);
                write(out, item, inner);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, inner);
                write_string(out, key);
                out.push_str(if depth.is_some() { ": " } else { ":" });
                write(out, item, inner);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => write_json(out, value),
    }
}
