//! PEM: bytes as base64 between two lines.
//!
//! In: a text with `-----BEGIN CERTIFICATE-----` in it. Out: `CERTIFICATE` and the bytes of the first whole block.
//!
//! Mirrors: Go's `encoding/pem` (`Decode`).

use crate::base64;

/// A block: its type and its bytes.
pub(super) struct Block<'a> {
    pub(super) kind: &'a str,
    pub(super) bytes: Vec<u8>,
}

/// The first block whose lines and base64 are right.
pub(super) fn decode(text: &str) -> Option<Block<'_>> {
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with("-----BEGIN ") {
            open = label(line, "-----BEGIN ").map(|kind| (kind, Vec::new()));
        } else if line.starts_with("-----END ") {
            let Some((kind, lines)) = open.take() else { continue };
            if label(line, "-----END ") == Some(kind)
                && let Some(bytes) = content(&lines)
            {
                return Some(Block { kind, bytes });
            }
        } else if let Some((_, lines)) = &mut open {
            lines.push(line);
        }
    }
    None
}

fn label<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.trim_end_matches([' ', '\t']).strip_prefix(begin)?.strip_suffix("-----")
}

/// The bytes of the lines behind the headers.
fn content(lines: &[&str]) -> Option<Vec<u8>> {
    let body = lines.iter().skip_while(|line| line.contains(':'));
    let is_letter = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let mut letters = Vec::new();
    for line in body {
        letters.extend(line.bytes().filter(is_letter));
        letters.push(b'\n');
    }
    base64::decode(&letters).ok()
}
