//! How long a value is as JSON text, and whether it nests too deep, before anybody writes it or walks it.
//!
//! In: a value. Out: the bytes that [`to_json`](crate::to_json) would write. Values share their nodes, so what takes a few
//! kilobytes of memory can be terabytes of text; the walk ends where the bound is passed.

use crate::{MAX_DEPTH, Number, Value, float_text};
use std::fmt;

/// What is wrong with a value that was put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// It nests deeper than [`MAX_DEPTH`].
    Depth,
    /// It is longer than this many bytes.
    Bytes(usize),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Depth => write!(f, "nested deeper than {MAX_DEPTH} levels: make the value flatter"),
            Excess::Bytes(most) => write!(f, "more than {most} bytes: make the value smaller"),
        }
    }
}

/// The length of a value as JSON text, where it stands `beneath` so many lists and maps of a document.
///
/// An error if the document nests deeper than [`MAX_DEPTH`] because of it, as [`parse`](crate::parse) counts, or if the text
/// were longer than `most`.
pub fn measure(value: &Value, beneath: usize, most: usize) -> Result<usize, Excess> {
    let mut length = Length { bytes: 0, most };
    length.add_value(value, beneath)?;
    Ok(length.bytes)
}

struct Length {
    bytes: usize,
    most: usize,
}

impl Length {
    fn add(&mut self, bytes: usize) -> Result<(), Excess> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.most { Err(Excess::Bytes(self.most)) } else { Ok(()) }
    }

    fn add_value(&mut self, value: &Value, depth: usize) -> Result<(), Excess> {
        if depth > MAX_DEPTH {
            return Err(Excess::Depth);
        }
        match value {
            Value::Null => self.add("null".len()),
            Value::Bool(flag) => self.add(if *flag { "true".len() } else { "false".len() }),
            Value::Number(number) => self.add(number_length(*number)),
            Value::String(text) => self.add(string_length(text)),
            Value::Array(list) => {
                self.add("[]".len() + list.len().saturating_sub(1))?;
                list.iter().try_for_each(|item| self.add_value(item, depth + 1))
            }
            Value::Object(map) => {
                self.add("{}".len() + map.len().saturating_sub(1))?;
                map.iter().try_for_each(|(key, item)| {
                    self.add(string_length(key) + ":".len())?;
                    self.add_value(item, depth + 1)
                })
            }
        }
    }
}

fn number_length(number: Number) -> usize {
    let digits = |size: u64| size.checked_ilog10().unwrap_or_default() as usize + 1;
    match number {
        Number::Int(i) => usize::from(i < 0) + digits(i.unsigned_abs()),
        Number::Uint(u) => digits(u),
        Number::Float(f) => float_text(f).len(),
    }
}

/// The length of a text in quotes, as [`write_string`](crate::write_string) writes it.
fn string_length(text: &str) -> usize {
    let escaped = |c: char| match c {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => 6,
        _ => c.len_utf8(),
    };
    "\"\"".len() + text.chars().map(escaped).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::{Excess, measure};
    use crate::{MAX_DEPTH, Map, Value, parse, to_json};

    #[test]
    fn the_length_is_that_of_the_text() {
        let every: String =
            (0..0x250).chain(0x2020..0x2030).chain([0x1_f600]).filter_map(char::from_u32).collect();
        let numbers = r"[0,-1,9,10,-9223372036854775808,18446744073709551615,0.5,-0.0,1e21,1e-7,123456.789]";
        let mut map: Map = [("", Value::Null), ("a<b", Value::from(true))].into_iter().collect();
        map.insert(every.as_str(), Value::from(every.as_str()));
        map.insert("numbers", parse(numbers).unwrap());
        map.insert("empty", parse(r#"[[],{},[{}],false,"",{"a":{}}]"#).unwrap());
        let value = Value::object(map);
        assert_eq!(measure(&value, 0, usize::MAX), Ok(to_json(&value).len()));
    }

    #[test]
    fn depth_is_counted_as_texts_are_read() {
        for levels in [MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 2] {
            let text = "[".repeat(levels) + &"]".repeat(levels);
            let made = (1..levels).fold(Value::array(Vec::new()), |value, _| Value::array(vec![value]));
            assert_eq!(measure(&made, 0, usize::MAX).is_ok(), parse(&text).is_ok(), "{levels}");
            assert_eq!(measure(&made, 2, usize::MAX).is_ok(), levels < MAX_DEPTH, "{levels}");
        }
    }

    #[test]
    fn a_value_that_doubles_at_each_level_is_not_walked_to_its_end() {
        let doubled = |value: Value, _| Value::array(vec![value.clone(), value]);
        let value = (0..200).fold(Value::Null, doubled);
        assert_eq!(measure(&value, 0, 1 << 20), Err(Excess::Bytes(1 << 20)));
        let deep = (0..100_000).fold(Value::Null, |value, _| Value::array(vec![value]));
        assert_eq!(measure(&deep, 0, usize::MAX), Err(Excess::Depth));
        std::mem::forget(deep); // even dropping it would overflow the stack
    }
}
