//! LZ-string: text of UTF-16 units in six-bit symbols, as the Kyverno Playground packs its state.
//!
//! In: UTF-16 units. Out: base64 as the original writes it (`Q===` for the empty text, with up to three pads);
//! and back, also from a text that was cut, with whatever its beginning still says.
//!
//! Mirrors: the npm package lz-string 1.5.0 (`compressToBase64`, `decompressFromBase64`).

use engine_json::ordered::OrderedMap;

/// How many UTF-16 units a packed text may unfold to: 8 Mi. Few symbols can stand for very much text.
pub const MAX_UNITS: usize = 8 * 1024 * 1024;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The codes below say what follows instead of standing for a text.
const UNIT_8: u32 = 0;
const UNIT_16: u32 = 1;
const END: u32 = 2;
const FIRST_CODE: u32 = 3;

/// How the unpacking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the mark that the writer sets.
    Mark,
    /// At the end of the symbols: the packed text was cut.
    Cut,
    /// At a code that stands for nothing: the packed text was changed, or is none.
    Damage,
    /// At [`MAX_UNITS`].
    Limit,
}

/// Packs UTF-16 units, as `compressToBase64`.
pub fn compress_to_base64(units: &[u16]) -> String {
    let mut writer = Writer { out: String::new(), symbol: 0, filled: 0 };
    let mut codes = Codes::new();
    // Texts by the code of all but their last unit (END for none) and that unit.
    let mut dictionary: OrderedMap<(u32, u16), u32> = OrderedMap::new();
    let mut next_code = FIRST_CODE;
    // The text read so far that the dictionary knows, and its unit if that was never written yet.
    let mut known: Option<(u32, Option<u16>)> = None;
    for &unit in units {
        let mut is_new = false;
        let single = *dictionary.entry((END, unit)).or_insert_with(|| {
            is_new = true;
            next_code += 1;
            next_code - 1
        });
        let single = (single, is_new.then_some(unit));
        known = match known {
            None => Some(single),
            Some(text) => {
                if let Some(&longer) = dictionary.get(&(text.0, unit)) {
                    Some((longer, None))
                } else {
                    writer.text(text, &mut codes);
                    dictionary.insert((text.0, unit), next_code);
                    next_code += 1;
                    Some(single)
                }
            }
        };
    }
    if let Some(text) = known {
        writer.text(text, &mut codes);
    }
    writer.bits(END, codes.width);
    writer.finish()
}

/// How wide the next code is: both sides count the dictionary's growth.
struct Codes {
    width: u32,
    until_wider: u64,
}

impl Codes {
    fn new() -> Self {
        Codes { width: 2, until_wider: 2 }
    }

    fn grow(&mut self) {
        self.until_wider -= 1;
        if self.until_wider == 0 {
            self.until_wider = 1 << self.width;
            self.width += 1;
        }
    }
}

struct Writer {
    out: String,
    symbol: u8,
    filled: u32,
}

impl Writer {
    /// The code of a known text, or the unit itself where it appears first.
    fn text(&mut self, (code, new_unit): (u32, Option<u16>), codes: &mut Codes) {
        match new_unit {
            None => self.bits(code, codes.width),
            Some(unit) => {
                let (mark, width) = if unit < 256 { (UNIT_8, 8) } else { (UNIT_16, 16) };
                self.bits(mark, codes.width);
                self.bits(u32::from(unit), width);
                codes.grow();
            }
        }
        codes.grow();
    }

    /// The lowest bit first.
    fn bits(&mut self, value: u32, count: u32) {
        for at in 0..count {
            self.bit(value >> at & 1 == 1);
        }
    }

    fn bit(&mut self, bit: bool) {
        self.symbol = self.symbol << 1 | u8::from(bit);
        self.filled += 1;
        if self.filled == 6 {
            self.out.extend(ALPHABET.get(usize::from(self.symbol)).map(|byte| *byte as char));
            (self.symbol, self.filled) = (0, 0);
        }
    }

    /// At least one more bit is written, then zeros up to a whole symbol, then pads up to four.
    // lz-string: the pads count to a multiple of four, so that there may be three of them.
    fn finish(mut self) -> String {
        self.bit(false);
        while self.filled > 0 {
            self.bit(false);
        }
        while !self.out.len().is_multiple_of(4) {
            self.out.push('=');
        }
        self.out
    }
}

/// What unpacking gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// The text.
    pub units: Vec<u16>,
    /// How many of the units are certain; the others come from a code whose last bits were cut off.
    pub certain: usize,
    /// Where it ended.
    pub end: End,
}

/// Unpacks six-bit symbols, as `decompressFromBase64`, and says how far it came.
pub fn decompress(symbols: impl IntoIterator<Item = u8>) -> Unpacked {
    let mut reader = Reader { symbols: symbols.into_iter(), symbol: 0, left: 0, is_past_end: false };
    let mut units = Vec::new();
    let (end, certain) = reader.units(&mut units);
    Unpacked { units, certain, end }
}

struct Reader<I> {
    symbols: I,
    symbol: u8,
    left: u32,
    is_past_end: bool,
}

impl<I: Iterator<Item = u8>> Reader<I> {
    /// Appends what the symbols say; returns how it ended and how many units are certain.
    fn units(&mut self, units: &mut Vec<u16>) -> (End, usize) {
        // Each text of the dictionary lies somewhere in what was read before: its start and its length. The first
        // three codes are not texts.
        let mut dictionary: Vec<(u32, u32)> = vec![(0, 0); FIRST_CODE as usize];
        let mut codes = Codes::new();
        let mut previous: Option<(u32, u32)> = None;
        while self.has_more() {
            let certain = units.len();
            let start = u32::try_from(certain).unwrap_or(u32::MAX);
            let length = match self.bits(codes.width) {
                END => return (if self.is_past_end { End::Cut } else { End::Mark }, certain),
                code @ (UNIT_8 | UNIT_16) => {
                    let unit = self.bits(if code == UNIT_8 { 8 } else { 16 });
                    units.push(u16::try_from(unit).unwrap_or(0));
                    dictionary.push((start, 1));
                    codes.grow();
                    1
                }
                code => {
                    let text = dictionary.get(code as usize).copied();
                    // The code about to be given: the previous text and its own first unit.
                    let repeated = previous.filter(|_| code as usize == dictionary.len());
                    let Some((from, length)) = text.or(repeated.map(|(from, length)| (from, length + 1)))
                    else {
                        return (if self.is_past_end { End::Cut } else { End::Damage }, certain);
                    };
                    if certain + length as usize > MAX_UNITS {
                        return (End::Limit, certain);
                    }
                    for at in from as usize..(from + length) as usize {
                        units.push(units.get(at).copied().unwrap_or(0));
                    }
                    length
                }
            };
            if self.is_past_end {
                return (End::Cut, certain);
            }
            if units.len() > MAX_UNITS {
                return (End::Limit, certain);
            }
            // The previous text and the first unit of this one stand side by side: they are the next entry.
            if let Some((from, length)) = previous {
                dictionary.push((from, length + 1));
            }
            codes.grow();
            previous = Some((start, length));
        }
        (End::Cut, units.len())
    }

    /// Whether there is at least one more bit.
    fn has_more(&mut self) -> bool {
        if self.left == 0
            && let Some(symbol) = self.symbols.next()
        {
            (self.symbol, self.left) = (symbol, 6);
        }
        self.left > 0
    }

    /// The next bits, the lowest first; zeros behind the end, as lz-string reads them.
    fn bits(&mut self, count: u32) -> u32 {
        let mut value = 0;
        for at in 0..count {
            if !self.has_more() {
                self.is_past_end = true;
                break;
            }
            self.left -= 1;
            value |= u32::from(self.symbol >> self.left & 1) << at;
        }
        value
    }
}
