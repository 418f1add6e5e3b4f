//! Text in quotes as Go's `strconv.Quote` and the verb `%q` write it.
//!
//! In: any text. Out: the text in double quotes, with Go's escapes for what Go does not print as it is:
//! `quote("a\u{200b}\n")` is `"a\u200b\n"`.

use std::fmt::Write;

/// The text in double quotes, with Go's escapes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out.push('"');
    out
}

fn push_escaped(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = match c {
        '"' | '\\' => write!(out, "\\{c}"),
        ' '..='~' => write!(out, "{c}"),
        '\u{7}' => out.write_str("\\a"),
        '\u{8}' => out.write_str("\\b"),
        '\t' => out.write_str("\\t"),
        '\n' => out.write_str("\\n"),
        '\u{b}' => out.write_str("\\v"),
        '\u{c}' => out.write_str("\\f"),
        '\r' => out.write_str("\\r"),
        '\0'..='\u{1f}' | '\u{7f}' => write!(out, "\\x{:02x}", u32::from(c)),
        _ if is_print(c) => write!(out, "{c}"),
        ..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
        _ => write!(out, "\\U{:08x}", u32::from(c)),
    };
}

/// Whether Go prints the character as it is: letters, marks, numbers, punctuation and symbols.
///
/// Rust's `Debug` draws the same line, save that it also escapes a combining mark at the start of a text.
fn is_print(c: char) -> bool {
    let mut text = String::from("a");
    text.push(c);
    !text.escape_debug().any(|escaped| escaped == '\\')
}
