//! The bytes of a `!!binary` scalar.
//!
//! In: base64 with padding, line breaks allowed. Out: the bytes, `None` where it is not base64.
//! `decode("aGVsbG8=")` is `hello`.

/// The bytes.
// Go: encoding/base64 StdEncoding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let count = digits.len() / 4;
    for (n, group) in digits.chunks(4).enumerate() {
        let (padding, digits) = match group {
            [a, b, b'=', b'='] if n + 1 == count => (2, [*a, *b, b'A', b'A']),
            [a, b, c, b'='] if n + 1 == count => (1, [*a, *b, *c, b'A']),
            [a, b, c, d] => (0, [*a, *b, *c, *d]),
            _ => return None,
        };
        let mut bits: u32 = 0;
        for digit in digits {
            bits = bits << 6 | value(digit)?;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend(bytes.iter().take(3 - padding));
    }
    Some(out)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// The bytes as text: each byte that is not UTF-8 becomes U+FFFD, as in Go's JSON.
pub(crate) fn to_text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}
