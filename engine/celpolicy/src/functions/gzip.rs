//! Texts compressed (Kyverno: `libs/gzip`).
//!
//! In: a text. Out: gzip, as Go writes it where no part of the text repeats itself; else longer than Go's, and read back
//! to the same text.

use super::native::string;
use super::one;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress as inflate, inflate_flags};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "gzip.decompress",
        overloads: &[one("decompress_bytes_string", "(bytes) -> string", decompress)],
        note: "The text within compressed bytes.",
        examples: &[("gzip.decompress(gzip.compress('hello'))", "\"hello\"")],
    },
    Function {
        name: "gzip.compress",
        overloads: &[one("compress_any_bytes", "(dyn) -> bytes", compress)],
        note: "A text as compressed bytes.",
        examples: &[(
            "base64.encode(gzip.compress('hello'))",
            "\"H4sIAAAAAAAA/8pIzcnJBwQAAP//hqYQNgUAAAA=\"",
        )],
    },
];

/// The text may be so long once it is decompressed.
const MAX_TEXT: usize = 64 << 20;

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
    let out = body(bytes).and_then(inflated).map_err(Error::text)?;
    host.charge(out.len())?;
    Ok(Value::text(&String::from_utf8_lossy(&out)))
}

fn compress<'v>(host: &mut Host<'_>, text: Value<'v>) -> Outcome<'v> {
    let text = string(&text).map_err(Error::text)?;
    host.charge(text.len() * 2)?;
    let mut out = HEADER.to_vec();
    out.append(&mut deflated(text.as_bytes()));
    out.extend(trailer(text.as_bytes()));
    Ok(Value::Octets(out.into()))
}

const CUT: &str = "unexpected EOF";
const WRONG: &str = "gzip: invalid checksum";

/// What stands behind the header.
// Go: gzip.Reader.readHeader.
fn body(bytes: &[u8]) -> Result<&[u8], &'static str> {
    let [checked, extra, name, comment] =
        [2, 4, 8, 16].map(|bit| bytes.get(3).is_some_and(|flags| flags & bit != 0));
    let mut rest = bytes.get(HEADER.len()..).ok_or(CUT)?;
    if extra {
        let (length, behind) = rest.split_first_chunk::<2>().ok_or(CUT)?;
        rest = behind.get(usize::from(u16::from_le_bytes(*length))..).ok_or(CUT)?;
    }
    for has_text in [name, comment] {
        if has_text {
            let end = rest.iter().position(|byte| *byte == 0).ok_or(CUT)?;
            rest = rest.get(end + 1..).ok_or(CUT)?;
        }
    }
    if checked {
        let header = bytes.get(..bytes.len() - rest.len()).unwrap_or_default();
        let (digest, behind) = rest.split_first_chunk::<2>().ok_or(CUT)?;
        if !crc(header).to_le_bytes().starts_with(digest) {
            return Err("gzip: invalid header");
        }
        rest = behind;
    }
    Ok(rest)
}

/// The text of a body, held against the trailer behind it.
fn inflated(body: &[u8]) -> Result<Vec<u8>, &'static str> {
    let (out, behind) = unpacked(body)?;
    match behind.map(<[u8]>::first_chunk::<8>) {
        None => Ok(out),
        Some(None) => Err(CUT),
        Some(Some(found)) if *found == trailer(&out) => Ok(out),
        Some(Some(_)) => Err(WRONG),
    }
}

/// A text that deflate has packed, and what stands behind it; nothing where it is cut because it is too long.
pub(crate) fn unpacked(mut body: &[u8]) -> Result<(Vec<u8>, Option<&[u8]>), &'static str> {
    let mut state = Box::<DecompressorOxide>::default();
    let mut out = vec![0; body.len().saturating_mul(4).clamp(64, MAX_TEXT)];
    let mut end = 0;
    loop {
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) = inflate(&mut state, body, &mut out, end, flags);
        end += written;
        body = body.get(read..).unwrap_or_default();
        match status {
            TINFLStatus::Done => break,
            TINFLStatus::HasMoreOutput if out.len() == MAX_TEXT => return Ok((out, None)),
            TINFLStatus::HasMoreOutput => out.resize(out.len().saturating_mul(2).min(MAX_TEXT), 0),
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Err(CUT),
            _ => return Err(WRONG),
        }
    }
    out.truncate(end);
    Ok((out, Some(body)))
}

/// What ends a text: its checksum and its length.
fn trailer(text: &[u8]) -> [u8; 8] {
    let length = u32::try_from(text.len() as u64 & 0xffff_ffff).unwrap_or(0);
    (u64::from(crc(text)) | u64::from(length) << 32).to_le_bytes()
}

/// CRC-32, bit by bit: a table would be a kilobyte of the modules, that of the usual crate sixteen.
fn crc(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..u8::BITS {
            sum = (sum >> 1) ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 };
        }
    }
    !sum
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

#[cfg(test)]
mod tests {
    use super::{CUT, body, inflated};
    use flate2::read::GzDecoder;
    use flate2::{Compression, GzBuilder};
    use std::io::{Read, Write};

    fn ours(bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
        body(bytes).and_then(inflated)
    }

    /// What another writes, with each part that a header may have.
    fn written(text: &[u8]) -> Vec<u8> {
        let header = GzBuilder::new().extra(vec![1, 2, 3]).filename("name").comment("a comment");
        let mut to = header.write(Vec::new(), Compression::best());
        to.write_all(text).unwrap();
        to.finish().unwrap()
    }

    #[test]
    fn what_others_write_is_read() {
        for text in [Vec::new(), b"hello".to_vec(), b"again and ".repeat(50_000), (0..=255).collect()] {
            assert_eq!(ours(&written(&text)), Ok(text));
        }
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        let whole = written(b"hello, hello, hello");
        for end in 10..whole.len() {
            assert_eq!(ours(&whole[..end]), Err(CUT), "{end} bytes");
        }
    }

    #[test]
    fn what_is_broken_is_read_as_another_reads_it() {
        let whole = written(b"hello, hello, hello");
        for at in 10..whole.len() {
            for bit in 0..8 {
                let mut broken = whole.clone();
                broken[at] ^= 1 << bit;
                let mut text = Vec::new();
                let theirs = GzDecoder::new(broken.as_slice()).read_to_end(&mut text).map(|_| text);
                assert_eq!(ours(&broken).ok(), theirs.ok(), "bit {bit} of byte {at}");
            }
        }
    }
}
