//! Texts compressed (Kyverno: `libs/gzip`).
//!
//! In: a text. Out: gzip, as Go writes it where no part of the text repeats itself; else longer than Go's, and read back
//! to the same text.

use super::native::string;
use super::one;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host, noted, shown};
use engine_cel::value::Value;
use flate2::Crc;
use flate2::read::GzDecoder;
use std::io::{ErrorKind, Read};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "gzip.decompress",
        overloads: &[one("decompress_bytes_string", "(bytes) -> string", decompress)],
        note: noted("The text within compressed bytes."),
        examples: shown(&[("gzip.decompress(gzip.compress('hello'))", "\"hello\"")]),
    },
    Function {
        name: "gzip.compress",
        overloads: &[one("compress_any_bytes", "(dyn) -> bytes", compress)],
        note: noted("A text as compressed bytes."),
        examples: shown(&[(
            "base64.encode(gzip.compress('hello'))",
            "\"H4sIAAAAAAAA/8pIzcnJBwQAAP//hqYQNgUAAAA=\"",
        )]),
    },
];

/// The text may be so long once it is decompressed.
const MAX_TEXT: u64 = 64 << 20;

/// Go's header: deflate, no name, no time, an unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

fn decompress<'v>(host: &mut Host<'_>, bytes: Value<'v>) -> Outcome<'v> {
    let bytes = bytes.as_bytes().unwrap_or_default();
    // Go: gzip.NewReader reads ten bytes before it looks at any.
    match bytes.len() {
        0 => return Err(Error::text("EOF")),
        1..10 => return Err(Error::text("unexpected EOF")),
        _ => {}
    }
    if !bytes.starts_with(&[0x1f, 0x8b, 8]) {
        return Err(Error::text("gzip: invalid header"));
    }
    let mut out = Vec::new();
    GzDecoder::new(bytes).take(MAX_TEXT).read_to_end(&mut out).map_err(|error| {
        Error::text(match error.kind() {
            ErrorKind::UnexpectedEof => "unexpected EOF",
            _ => "gzip: invalid checksum",
        })
    })?;
    host.charge(out.len())?;
    Ok(Value::text(&String::from_utf8_lossy(&out)))
}

fn compress<'v>(host: &mut Host<'_>, text: Value<'v>) -> Outcome<'v> {
    let text = string(&text).map_err(Error::text)?;
    host.charge(text.len() * 2)?;
    let mut out = HEADER.to_vec();
    out.append(&mut deflated(text.as_bytes()));
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    out.extend(crc.sum().to_le_bytes());
    out.extend(crc.amount().to_le_bytes());
    Ok(Value::Octets(out.into()))
}

/// One block of literals in the fixed code of deflate, and the empty block that ends Go's.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    if !bytes.is_empty() {
        bits.push(0b010, 3);
        for &byte in bytes {
            let byte = u32::from(byte);
            if byte < 144 { bits.code(0x30 + byte, 8) } else { bits.code(0x190 + byte - 144, 9) }
        }
        bits.code(0, 7);
    }
    bits.push(0b001, 3);
    bits.align();
    let mut out = bits.out;
    out.extend([0, 0, 0xff, 0xff]);
    out
}

/// Bits, the lowest of each byte first.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, bits: u32, count: u32) {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held.to_le_bytes()[0]);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// A code: its highest bit comes first.
    fn code(&mut self, code: u32, count: u32) {
        self.push(code.reverse_bits() >> (32 - count), count);
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.push(0, 8 - self.count);
        }
    }
}
