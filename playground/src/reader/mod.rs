//! JSON into what is already there: the engine's answers and what this browser keeps, in a tenth of the code that
//! serde makes for them; every visitor loads it.
//!
//! In: a text, and a value whose fields stand at their defaults. Out: the value, or where the text stops to be one.
//! Example: `reader::read::<Output>(text)?`. Which fields the answers have stands in `answers`.

use std::fmt;

use engine_lenses::wire::Str;

mod answers;

/// Reads a whole text.
pub(crate) fn read<T: Read + Default>(text: &str) -> Result<T, Unreadable> {
    let mut value = T::default();
    let mut reader = Reader { text, at: 0 };
    value.read(&mut reader)?;
    if reader.peek().is_some() { Err(reader.stuck()) } else { Ok(value) }
}

/// The byte at which a text is not what it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unreadable(usize);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::words::results::tabs::no_sense(self.0))
    }
}

pub(crate) type Done = Result<(), Unreadable>;

/// What can be read.
pub(crate) trait Read {
    /// Takes over what stands next.
    fn read(&mut self, reader: &mut Reader<'_>) -> Done;
}

/// A text and how far it was read.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// An object; what it says of other names is passed over. Engine and storage write fields in their order, so the
    /// next name is nearly always the first that is looked at.
    pub(crate) fn object(&mut self, names: &[&str], fields: &mut [&mut dyn Read]) -> Done {
        let mut next = 0;
        self.all(b'{', b'}', &mut |reader| {
            let name = reader.raw()?;
            reader.take(b':')?;
            let found = (next..names.len()).chain(0..next).find(|at| names.get(*at) == Some(&name));
            match found.and_then(|at| fields.get_mut(at)) {
                Some(field) => {
                    next = found.map_or(0, |at| at + 1);
                    field.read(reader)
                }
                None => reader.skip(),
            }
        })
    }

    /// A list, item by item.
    pub(crate) fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Done) -> Done {
        self.all(b'[', b']', item)
    }

    /// What stands between two signs, one after another with commas between.
    fn all(&mut self, first: u8, last: u8, one: &mut dyn FnMut(&mut Self) -> Done) -> Done {
        self.take(first)?;
        if self.peek() == Some(last) {
            return self.take(last);
        }
        loop {
            one(self)?;
            if self.peek() == Some(last) {
                return self.take(last);
            }
            self.take(b',')?;
        }
    }

    /// The next sign behind blanks.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.text.as_bytes().get(self.at).copied();
            if !matches!(byte, Some(b' ' | b'\n' | b'\t' | b'\r')) {
                return byte;
            }
            self.at += 1;
        }
    }

    /// Goes past a sign that must come next.
    pub(crate) fn take(&mut self, sign: u8) -> Done {
        if self.peek() != Some(sign) {
            return Err(self.stuck());
        }
        self.at += 1;
        Ok(())
    }

    fn stuck(&self) -> Unreadable {
        Unreadable(self.at)
    }

    /// Goes past a word if it comes next.
    fn is_word(&mut self, word: &str) -> bool {
        self.peek();
        let is_it = self.rest().starts_with(word);
        self.at += if is_it { word.len() } else { 0 };
        is_it
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// A string as it is written, without its quotes.
    fn raw(&mut self) -> Result<&'a str, Unreadable> {
        self.take(b'"')?;
        let rest = self.rest();
        let mut bytes = rest.bytes().enumerate();
        while let Some((end, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    self.at += end + 1;
                    return rest.get(..end).ok_or(self.stuck());
                }
                // The next one ends nothing.
                b'\\' => drop(bytes.next()),
                _ => {}
            }
        }
        Err(self.stuck())
    }

    /// A string.
    fn string(&mut self) -> Result<String, Unreadable> {
        let raw = self.raw()?;
        let mut pieces = raw.split('\\');
        let mut out = String::with_capacity(raw.len());
        out.push_str(pieces.next().unwrap_or_default());
        while let Some(piece) = pieces.next() {
            let mut signs = piece.chars();
            match signs.next() {
                // A backslash that is meant: what comes behind it is text.
                None => {
                    out.push('\\');
                    out.push_str(pieces.next().unwrap_or_default());
                    continue;
                }
                Some('u') => {
                    let digits = signs.as_str().get(..4).ok_or(self.stuck())?;
                    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                    let unit = u16::from_str_radix(digits, 16).ok().filter(|_| is_hex).ok_or(self.stuck())?;
                    // A character beyond 16 bits is never written as two escapes; half of one is not a character.
                    out.push(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER));
                    signs = signs.as_str().get(4..).unwrap_or_default().chars();
                }
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('b') => out.push('\u{8}'),
                Some('f') => out.push('\u{c}'),
                Some(sign) => out.push(sign),
            }
            out.push_str(signs.as_str());
        }
        Ok(out)
    }

    /// A whole number.
    fn number(&mut self) -> Result<u32, Unreadable> {
        self.peek();
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest.get(..end).and_then(|digits| digits.parse().ok()).ok_or(self.stuck())?;
        self.at += end;
        Ok(number)
    }

    /// Goes past any value.
    fn skip(&mut self) -> Done {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Some(b'"') => drop(self.raw()?),
                Some(sign) => {
                    self.at += 1;
                    match sign {
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => depth = depth.checked_sub(1).ok_or(self.stuck())?,
                        _ => {}
                    }
                }
                None => return Err(self.stuck()),
            }
            if depth == 0 && matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                return Ok(());
            }
        }
    }
}

impl Read for String {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        *self = reader.string()?;
        Ok(())
    }
}

impl Read for Str {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        let start = reader.at;
        let raw = reader.raw()?;
        *self = if raw.contains('\\') {
            reader.at = start;
            reader.string()?.into()
        } else {
            raw.into()
        };
        Ok(())
    }
}

impl Read for u32 {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        *self = reader.number()?;
        Ok(())
    }
}

impl Read for bool {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        *self = reader.is_word("true");
        if *self || reader.is_word("false") { Ok(()) } else { Err(reader.stuck()) }
    }
}

impl<T: Read + Default> Read for Option<T> {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        if reader.is_word("null") {
            *self = None;
            return Ok(());
        }
        self.insert(T::default()).read(reader)
    }
}

impl<T: Read + Default> Read for Vec<T> {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        self.clear();
        reader.list(&mut |reader| {
            let mut item = T::default();
            item.read(reader)?;
            self.push(item);
            Ok(())
        })
    }
}

/// A pair is a list of two.
impl<A: Read, B: Read> Read for (A, B) {
    fn read(&mut self, reader: &mut Reader<'_>) -> Done {
        let (first, second) = self;
        let items: &mut [&mut dyn Read] = &mut [first, second];
        let mut items = items.iter_mut();
        reader.list(&mut |reader| match items.next() {
            Some(item) => item.read(reader),
            None => Err(reader.stuck()),
        })
    }
}

/// The fields of shapes, each with its name in JSON where that is another; none can be forgotten.
macro_rules! shapes {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    ($($shape:ty { $($field:ident $($name:literal)?),+ $(,)? })+) => {$(
        impl $crate::reader::Read for $shape {
            fn read(&mut self, reader: &mut $crate::reader::Reader<'_>) -> $crate::reader::Done {
                let Self { $($field),+ } = self;
                reader.object(&[$($crate::reader::shapes!(@name $field $($name)?)),+], &mut [$($field),+])
            }
        }
    )+};
}
pub(crate) use shapes;

#[cfg(test)]
mod tests;
