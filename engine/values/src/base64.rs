//! Base64 in the standard alphabet with padding.
//!
//! In: `aGk=`. Out: the bytes of `hi`, or the byte that Go complains of.
//!
//! Mirrors: Go's `encoding/base64` (`StdEncoding`), whose error names a byte in ways of its own.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().enumerate().fold(0_u32, |bits, (n, byte)| bits | u32::from(*byte) << (16 - 8 * n));
        for place in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * place) & 63) as usize);
            out.push(if place > chunk.len() { '=' } else { letter.map_or('=', |byte| char::from(*byte)) });
        }
    }
    out
}

/// The bytes, or the place that the original complains of. Line ends count for nothing.
// Go: base64.go decodeQuantum. Bits behind the last byte are not looked at.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_usize);
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if is_line_end(&byte) {
            continue;
        }
        if byte == b'=' {
            return end_of_padding(text, at, count).map(|()| {
                let bytes = (bits << (6 * (4 - count))).to_be_bytes();
                out.extend(bytes.iter().skip(1).take(count - 1));
                out
            });
        }
        bits = bits << 6 | sextet(byte).ok_or(at - 1)?;
        count += 1;
        if count == 4 {
            out.extend(bits.to_be_bytes().iter().skip(1));
            (bits, count) = (0, 0);
        }
    }
    // Go: an unfinished group is blamed on as many bytes before the end as it has letters.
    if count == 0 { Ok(out) } else { Err(at - count) }
}

/// Checks what follows the first `=`, which stands before `at` and behind `count` letters.
fn end_of_padding(text: &[u8], at: usize, count: usize) -> Result<(), usize> {
    let next = |at: usize| {
        let line_ends = text.iter().skip(at).take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        at + line_ends
    };
    if count < 2 {
        return Err(at - 1);
    }
    let mut end = at;
    if count == 2 {
        end = next(end);
        match text.get(end) {
            None => return Err(text.len()),
            Some(b'=') => end += 1,
            Some(_) => return Err(end - 1),
        }
    }
    end = next(end);
    if end < text.len() { Err(end) } else { Ok(()) }
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
