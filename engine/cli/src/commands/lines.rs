//! Lines of a program that talks to this one over standard input.
//!
//! In: a stream of bytes. Out: line after line, each within a bound; what is longer is read to its end and named, and the next line counts.

use std::io::{BufRead, Read as _};

/// Bytes of one line: as many as the npm package takes at once.
pub(crate) const MAX_LINE: u64 = 128 << 20;

/// What stands in a line.
pub(crate) enum Line {
    Text(String),
    /// Why it is not used.
    Unusable(String),
}

/// The next line that is not empty; none at the end.
pub(crate) fn next(input: &mut impl BufRead, most: u64) -> std::io::Result<Option<Line>> {
    loop {
        let mut bytes = Vec::new();
        let count = input.by_ref().take(most.saturating_add(1)).read_until(b'\n', &mut bytes)?;
        if count == 0 {
            return Ok(None);
        }
        if !bytes.ends_with(b"\n") && bytes.len() as u64 > most {
            skip(input)?;
            return Ok(Some(Line::Unusable(format!(
                "the line has more than {most} bytes: ask about less at once"
            ))));
        }
        match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => return Ok(Some(Line::Text(text))),
            Err(_) => return Ok(Some(Line::Unusable("the line is not UTF-8".to_owned()))),
        }
    }
}

/// Reads on behind the next line break.
fn skip(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let count = match memchr::memchr(b'\n', bytes) {
            Some(at) => at + 1,
            None => bytes.len(),
        };
        let is_end = bytes.is_empty() || bytes.get(count - 1) == Some(&b'\n');
        input.consume(count);
        if is_end {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, next};

    #[test]
    fn a_line_too_long_is_named_and_the_next_one_read() {
        let mut input = "\n123456789\n12345678\n\nab".as_bytes();
        let mut read = || match next(&mut input, 8).unwrap() {
            Some(Line::Text(text)) => text,
            Some(Line::Unusable(why)) => why,
            None => "end".to_owned(),
        };
        assert_eq!(read(), "the line has more than 8 bytes: ask about less at once");
        assert_eq!(read(), "12345678\n");
        assert_eq!(read(), "ab");
        assert_eq!(read(), "end");
    }
}
