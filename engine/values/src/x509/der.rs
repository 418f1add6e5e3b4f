//! DER, the encoding that certificates are written in: tag, length, content.
//!
//! In: the bytes `30 03 02 01 05`. Out: a sequence, in which `small_integer` reads 5. Every function gives nothing
//! where the bytes are not what it asks for.
//!
//! Mirrors: golang.org/x/crypto/cryptobyte (`String`), also in what it refuses: long tags, lengths and numbers that
//! could be shorter.

use engine_json::Value;

pub(super) const BOOLEAN: u8 = 1;
pub(super) const INTEGER: u8 = 2;
pub(super) const BIT_STRING: u8 = 3;
pub(super) const OCTET_STRING: u8 = 4;
pub(super) const OBJECT_IDENTIFIER: u8 = 6;
pub(super) const UTF8_STRING: u8 = 12;
pub(super) const NUMERIC_STRING: u8 = 18;
pub(super) const PRINTABLE_STRING: u8 = 19;
pub(super) const T61_STRING: u8 = 20;
pub(super) const IA5_STRING: u8 = 22;
pub(super) const UTC_TIME: u8 = 23;
pub(super) const GENERALIZED_TIME: u8 = 24;
pub(super) const BMP_STRING: u8 = 30;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// `[n]` with a simple value.
pub(super) const fn context(number: u8) -> u8 {
    0x80 | number
}

/// `[n]` around other elements.
pub(super) const fn constructed(number: u8) -> u8 {
    0xa0 | number
}

/// Bytes of which elements are read one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Der<'a>(pub(super) &'a [u8]);

/// One element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
    /// Tag, length and content.
    pub(super) whole: &'a [u8],
}

/// A bit string; the last bits of the last byte may not belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) unused: u8,
}

/// The numbers of an object identifier.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Oid(pub(super) Vec<u32>);

impl Oid {
    /// As a list of numbers.
    pub(super) fn value(&self) -> Value {
        Value::array(self.0.iter().map(|number| Value::from(f64::from(*number))).collect())
    }

    /// As `1.2.3`.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
    }

    /// Whether it is `1.2.3`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.text() == text
    }
}

impl<'a> Der<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_next(&self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    /// The next element.
    pub(super) fn any(&mut self) -> Option<Element<'a>> {
        let (&tag, &first) = (self.0.first()?, self.0.get(1)?);
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (header, length) = if first < 0x80 {
            (2, usize::from(first))
        } else {
            let count = usize::from(first & 0x7f);
            let digits = self.0.get(2..2 + count).filter(|_| (1..=4).contains(&count))?;
            let length = digits.iter().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
            if length < 0x80 || digits.first() == Some(&0) {
                return None;
            }
            (2 + count, usize::try_from(length).ok()?)
        };
        let (whole, rest) = self.0.split_at_checked(header.checked_add(length)?)?;
        self.0 = rest;
        Some(Element { tag, content: whole.get(header..)?, whole })
    }

    /// The next element, which has this tag.
    pub(super) fn element(&mut self, tag: u8) -> Option<Element<'a>> {
        self.any().filter(|element| element.tag == tag)
    }

    /// What is in the next element, which has this tag.
    pub(super) fn read(&mut self, tag: u8) -> Option<Der<'a>> {
        self.element(tag).map(|element| Der(element.content))
    }

    /// What is in the next element if it has this tag.
    #[expect(clippy::option_option, reason = "malformed and absent are different")]
    pub(super) fn optional(&mut self, tag: u8) -> Option<Option<Der<'a>>> {
        if self.is_next(tag) { self.read(tag).map(Some) } else { Some(None) }
    }

    pub(super) fn boolean(&mut self) -> Option<bool> {
        match self.read(BOOLEAN)?.0 {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    /// The bytes of a number in two's complement, as few as possible.
    pub(super) fn integer(&mut self, tag: u8) -> Option<&'a [u8]> {
        let bytes = self.read(tag)?.0;
        match bytes {
            [] | [0, 0..0x80, ..] | [0xff, 0x80..=0xff, ..] => None,
            _ => Some(bytes),
        }
    }

    /// A number of at most 64 bits.
    pub(super) fn small_integer(&mut self, tag: u8) -> Option<i64> {
        let bytes = self.integer(tag).filter(|bytes| bytes.len() <= 8)?;
        let start = if bytes.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
        Some(bytes.iter().fold(start, |number, byte| number << 8 | i64::from(*byte)))
    }

    pub(super) fn oid(&mut self) -> Option<Oid> {
        oid(self.read(OBJECT_IDENTIFIER)?.0)
    }

    pub(super) fn bits(&mut self) -> Option<Bits<'a>> {
        let (&unused, bytes) = self.read(BIT_STRING)?.0.split_first()?;
        let last = bytes.last();
        let is_wrong = unused > 7 || last.map_or(unused != 0, |last| last & ((1 << unused) - 1) != 0);
        if is_wrong { None } else { Some(Bits { bytes, unused }) }
    }
}

/// The numbers, which have 31 bits at most.
pub(super) fn oid(bytes: &[u8]) -> Option<Oid> {
    let mut numbers = Vec::new();
    let (mut number, mut length) = (0_u32, 0);
    for &byte in bytes {
        if length == 0 && byte == 0x80 || length == 5 || number >= 1 << 24 {
            return None;
        }
        number = number << 7 | u32::from(byte & 0x7f);
        length += 1;
        if byte & 0x80 == 0 {
            if numbers.is_empty() {
                let first = (number / 40).min(2);
                numbers.push(first);
                number -= first * 40;
            }
            numbers.push(number);
            (number, length) = (0, 0);
        }
    }
    (length == 0 && !numbers.is_empty()).then_some(Oid(numbers))
}

impl Bits<'_> {
    /// The bit at this place, counted from the front.
    pub(super) fn is_set(&self, at: usize) -> bool {
        let is_inside = at < (self.bytes.len() * 8).saturating_sub(usize::from(self.unused));
        is_inside && self.bytes.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0)
    }

    /// The bits moved to the right, so that none of the last byte is unused.
    pub(super) fn aligned(&self) -> Vec<u8> {
        let mut carry = 0;
        let shifted = self.bytes.iter().map(|&byte| {
            let wide = u16::from(byte) << (8 - self.unused);
            let [high, low] = wide.to_be_bytes();
            let out = carry | high;
            carry = low;
            out
        });
        if self.unused == 0 { self.bytes.to_vec() } else { shifted.collect() }
    }
}
