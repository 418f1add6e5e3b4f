//! The JSON of a state: one object of strings, as JavaScript writes it, read also when its end is missing.
//!
//! In: a state. Out: `{"policy":"…","resource":"…"}` as `JSON.stringify` prints it; and back, from a text that
//! may stop anywhere: `{"policy":"apiV` still gives the field `policy` with `apiV`.

use super::state::State;

/// Writes the state as `JSON.stringify` does: no spaces, no escapes but the needed ones.
pub(super) fn write(state: &State) -> String {
    let mut out = String::from("{");
    for (at, (name, text)) in state.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_string(&mut out, name);
        out.push(':');
        write_string(&mut out, text);
    }
    out.push('}');
    out
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => out.extend([format!("\\u{:04x}", c as u32)]),
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// How many fields an object may have: the original knows eleven.
pub(super) const MAX_FIELDS: usize = 64;

/// What reading found.
pub(super) struct Found {
    /// The texts in written order.
    pub(super) state: State,
    /// The names whose value is not a string; they are left out.
    pub(super) not_text: Vec<String>,
    /// The field in whose text the JSON stops.
    pub(super) cut_field: Option<String>,
    /// Whether the object is whole and nothing stands behind it.
    pub(super) is_whole: bool,
    /// How many UTF-16 surrogates stood alone.
    pub(super) lone_surrogates: usize,
    /// Whether there are more fields than [`MAX_FIELDS`]; the others are not read.
    pub(super) has_too_many: bool,
}

/// Reads as far as the text goes; `None` if it does not begin as an object.
pub(super) fn read(units: &[u16]) -> Option<Found> {
    let mut reader = Reader { units: units.iter().copied().peekable(), lone_surrogates: 0 };
    if reader.token()? != '{' {
        return None;
    }
    let mut found = Found {
        state: State::without_fields(),
        not_text: Vec::new(),
        cut_field: None,
        is_whole: false,
        lone_surrogates: 0,
        has_too_many: false,
    };
    found.is_whole = reader.fields(&mut found).is_some() && reader.token().is_none();
    found.lone_surrogates = reader.lone_surrogates;
    Some(found)
}

struct Reader<I: Iterator<Item = u16>> {
    units: std::iter::Peekable<I>,
    lone_surrogates: usize,
}

/// A unit as the character it is; a half of a pair is none that JSON knows.
fn as_char(unit: u16) -> char {
    char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

impl<I: Iterator<Item = u16>> Reader<I> {
    /// Reads fields up to the closing brace; `None` when the text stops or is not JSON before it.
    fn fields(&mut self, found: &mut Found) -> Option<()> {
        let mut token = self.token()?;
        if token == '}' {
            return Some(());
        }
        for _ in 0..MAX_FIELDS {
            if token != '"' {
                return None;
            }
            let (name, is_closed) = self.string();
            if !is_closed || self.token()? != ':' {
                return None;
            }
            match self.token()? {
                '"' => {
                    let (text, is_closed) = self.string();
                    found.state.push(&name, text);
                    if !is_closed {
                        found.cut_field = Some(name);
                        return None;
                    }
                }
                other => {
                    self.skip_value(other)?;
                    found.state.remove(&name);
                    found.not_text.push(name);
                }
            }
            match self.token()? {
                '}' => return Some(()),
                ',' => token = self.token()?,
                _ => return None,
            }
        }
        found.has_too_many = true;
        None
    }

    fn next(&mut self) -> Option<char> {
        self.units.next().map(as_char)
    }

    /// The next character that is not white space.
    fn token(&mut self) -> Option<char> {
        self.units.by_ref().map(as_char).find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'))
    }

    /// The string behind an opening quote, and whether its closing quote is there.
    fn string(&mut self) -> (String, bool) {
        let mut units = Vec::new();
        let is_closed = self.string_units(&mut units).is_some();
        if !is_closed {
            // The second half of the last character may lie behind the cut.
            units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
        }
        let decoded = char::decode_utf16(units).map(|unit| {
            unit.unwrap_or_else(|_| {
                self.lone_surrogates += 1;
                char::REPLACEMENT_CHARACTER
            })
        });
        (decoded.collect(), is_closed)
    }

    fn string_units(&mut self, out: &mut Vec<u16>) -> Option<()> {
        loop {
            let unit = self.units.next()?;
            match as_char(unit) {
                '"' => return Some(()),
                '\\' => out.push(self.escape()?),
                _ => out.push(unit),
            }
        }
    }

    fn escape(&mut self) -> Option<u16> {
        Some(match self.next()? {
            'b' => 0x8,
            'f' => 0xc,
            'n' => 0xa,
            'r' => 0xd,
            't' => 0x9,
            'u' => {
                let mut value = 0;
                for _ in 0..4 {
                    value = value * 16 + self.next()?.to_digit(16)?;
                }
                u16::try_from(value).ok()?
            }
            '"' => u16::from(b'"'),
            '\\' => u16::from(b'\\'),
            '/' => u16::from(b'/'),
            _ => return None,
        })
    }

    /// Passes over a value that is not a string and begins with `first`.
    fn skip_value(&mut self, first: char) -> Option<()> {
        let mut depth = 0_usize;
        let mut c = first;
        loop {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.checked_sub(1)?,
                '"' if !self.string().1 => return None,
                _ => {}
            }
            if depth == 0 && matches!(as_char(*self.units.peek()?), ',' | '}') {
                return Some(());
            }
            c = self.next()?;
        }
    }
}
