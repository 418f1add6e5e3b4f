//! A module with another memory to begin with: that of an instance which has done its preparations.
//!
//! In: a module, and the memory of an instance between two calls. Out: the module whose instances begin with that memory. All else stays:
//! between two calls the globals of a module that rustc made are what they were at the beginning.
//! Mirrors: the binary format of WebAssembly 2.0, sections 5, 11 and 12.

const HEADER: usize = 8;
const PAGE: usize = 65_536;
/// So many zeros in a row are left out: two segments cost less.
const GAP: usize = 64;
/// So many segments a module may have: engines take 100,000.
const MAX_SEGMENTS: usize = 90_000;

const MEMORY: u8 = 5;
const GLOBAL: u8 = 6;
const START: u8 = 8;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// The module with this memory.
pub(crate) fn with_memory(module: &[u8], memory: &[u8]) -> Result<Vec<u8>, String> {
    let sections = sections(module)?;
    let body = |wanted: u8| sections.iter().find(|(id, _)| *id == wanted).map(|(_, body)| *body);
    if body(START).is_some() {
        return Err("the module does something when it is started".to_owned());
    }
    let data = body(DATA).ok_or("the module has no data")?;
    let from = body(GLOBAL).and_then(stack).filter(|top| first_data(data).is_some_and(|first| first >= *top));
    let segments = segments(memory, from.unwrap_or(0) as usize)?;
    let count = leb(u32::try_from(segments.len()).unwrap_or(u32::MAX));
    let mut out = module.get(..HEADER).unwrap_or_default().to_vec();
    for (id, body) in &sections {
        match *id {
            MEMORY => section(&mut out, MEMORY, &memory_section(body, memory.len())?),
            DATA_COUNT => section(&mut out, DATA_COUNT, &count),
            DATA => section(&mut out, DATA, &data_section(memory, &segments)),
            id => section(&mut out, id, body),
        }
    }
    Ok(out)
}

/// The sections of a module, each with its kind.
fn sections(module: &[u8]) -> Result<Vec<(u8, &[u8])>, String> {
    let (_, mut rest) = module.split_at_checked(HEADER).ok_or("this is not a module of WebAssembly")?;
    let mut found = Vec::new();
    while let Some((id, behind)) = rest.split_first() {
        let (length, behind) = number(behind).ok_or("a section has no length")?;
        let (body, behind) = behind.split_at_checked(length as usize).ok_or("a section is cut short")?;
        found.push((*id, body));
        rest = behind;
    }
    Ok(found)
}

/// Where the stack begins, from which it grows towards 0: the first global of a module that rustc made. Between two calls nothing below
/// is in use.
fn stack(globals: &[u8]) -> Option<u32> {
    let (_, first) = number(globals)?;
    // A mutable i32, which begins as a constant; one below 2^31 is written as a number without a sign would be.
    let (value, _) = number(first.strip_prefix(&[0x7f, 0x01, 0x41])?)?;
    Some(value)
}

/// The lowest place of a module's data, which stands in order.
fn first_data(data: &[u8]) -> Option<u32> {
    let (_, first) = number(data)?;
    let (value, _) = number(first.strip_prefix(&[0x00, 0x41])?)?;
    Some(value)
}

fn section(out: &mut Vec<u8>, id: u8, body: &[u8]) {
    out.push(id);
    out.extend(leb(u32::try_from(body.len()).unwrap_or(u32::MAX)));
    out.extend(body);
}

/// One memory, of so many bytes at the beginning.
fn memory_section(body: &[u8], bytes: usize) -> Result<Vec<u8>, String> {
    let pages = u32::try_from(bytes.div_ceil(PAGE)).map_err(|_| "the memory is too large")?;
    match body.split_first_chunk::<2>() {
        Some(([1, 0], _)) => Ok([vec![1, 0], leb(pages)].concat()),
        _ => Err("the module must have one memory, without a limit".to_owned()),
    }
}

/// The places of what is not zero, from a place on.
fn segments(memory: &[u8], from: usize) -> Result<Vec<(usize, usize)>, String> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in memory.iter().enumerate().skip(from).filter(|(_, byte)| **byte != 0) {
        match found.last_mut() {
            Some((_, end)) if at - *end < GAP => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    if found.len() > MAX_SEGMENTS {
        return Err(format!("the memory is in {} pieces, at most {MAX_SEGMENTS} fit a module", found.len()));
    }
    Ok(found)
}

fn data_section(memory: &[u8], segments: &[(usize, usize)]) -> Vec<u8> {
    let mut body = leb(u32::try_from(segments.len()).unwrap_or(u32::MAX));
    for (start, end) in segments {
        let bytes = memory.get(*start..*end).unwrap_or_default();
        // Active, in the first memory, at a constant: `i32.const START end`.
        body.extend([0x00, 0x41]);
        body.extend(signed(i64::try_from(*start).unwrap_or(i64::MAX)));
        body.push(0x0b);
        body.extend(leb(u32::try_from(bytes.len()).unwrap_or(u32::MAX)));
        body.extend(bytes);
    }
    body
}

/// A number of a module, and what stands behind it.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    const MOST: usize = 5;
    let mut value = 0u32;
    for (at, byte) in bytes.iter().take(MOST).enumerate() {
        value |= u32::from(byte & 0x7f).checked_shl(u32::try_from(7 * at).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

fn leb(mut value: u32) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or(0);
        value >>= 7;
        if value == 0 {
            out.push(low);
            return out;
        }
        out.push(low | 0x80);
    }
}

fn signed(mut value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or(0);
        value >>= 7;
        if (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0) {
            out.push(low);
            return out;
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::{first_data, leb, number, segments, signed, stack};

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 1, 127, 128, 16_384, u32::MAX] {
            let written = leb(value);
            assert_eq!(number(&written), Some((value, [].as_slice())));
        }
        assert_eq!(signed(64), [0xc0, 0x00]);
        assert_eq!(signed(0x10_0000), [0x80, 0x80, 0xc0, 0x00]);
        assert_eq!(number(&[0x80; 6]), None);
    }

    #[test]
    fn the_stack_is_below_the_data() {
        let global = [vec![1, 0x7f, 1, 0x41], signed(1_048_576), vec![0x0b]].concat();
        assert_eq!(stack(&global), Some(1_048_576));
        let data = [vec![1, 0, 0x41], signed(1_048_580), vec![0x0b, 1, 7]].concat();
        assert_eq!(first_data(&data), Some(1_048_580));
    }

    #[test]
    fn zeros_are_left_out() {
        let mut memory = vec![0; 1_000];
        (memory[3], memory[10], memory[500]) = (1, 2, 3);
        assert_eq!(segments(&memory, 0), Ok(vec![(3, 11), (500, 501)]));
        assert_eq!(segments(&memory, 11), Ok(vec![(500, 501)]));
    }
}
