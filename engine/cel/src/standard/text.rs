//! Strings taken apart and put together (cel-go: `ext/strings.go`, version 2).

use super::format::format;
use crate::cost;
use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "charAt",
        overloads: &[Overload::new("string_char_at_int", "string.(int) -> string").run(Run::Two(char_at))],
        note: "The character at a place; empty at the end.",
        examples: &[("'abc'.charAt(1)", "\"b\"")],
    },
    Function {
        name: "format",
        overloads: &[Overload::new("string_format", "string.(list(dyn)) -> string")
            .run(Run::Two(format))
            .cost(cost::TEXT)],
        note: "The text with `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` replaced by the arguments.",
        examples: &[("'%s: %d'.format(['a', 2])", "\"a: 2\"")],
    },
    Function {
        name: "indexOf",
        overloads: &[
            Overload::new("string_index_of_string", "string.(string) -> int")
                .run(Run::Two(index_of))
                .cost_by_name(cost::EACH),
            Overload::new("string_index_of_string_int", "string.(string, int) -> int")
                .run(Run::Many(index_of_from))
                .cost_by_name(cost::EACH),
        ],
        note: "The place of the first occurrence, -1 where there is none.",
        examples: &[("'tacocat'.indexOf('ac')", "1"), ("'tacocat'.indexOf('a', 3)", "5")],
    },
    Function {
        name: "join",
        overloads: &[
            Overload::new("list_join", "list(string).() -> string")
                .run(Run::One(join))
                .cost_by_name(cost::JOINED),
            Overload::new("list_join_string", "list(string).(string) -> string")
                .run(Run::Two(join_with))
                .cost_by_name(cost::JOINED),
        ],
        note: "The strings of a list put together, with a separator between them.",
        examples: &[("['a', 'b'].join('-')", "\"a-b\"")],
    },
    Function {
        name: "lastIndexOf",
        overloads: &[
            Overload::new("string_last_index_of_string", "string.(string) -> int")
                .run(Run::Two(last_index_of))
                .cost_by_name(cost::EACH),
            Overload::new("string_last_index_of_string_int", "string.(string, int) -> int")
                .run(Run::Many(last_index_of_from))
                .cost_by_name(cost::EACH),
        ],
        note: "The place of the last occurrence, -1 where there is none.",
        examples: &[("'tacocat'.lastIndexOf('a')", "5")],
    },
    Function {
        name: "lowerAscii",
        overloads: &[Overload::new("string_lower_ascii", "string.() -> string")
            .run(Run::One(lower_ascii))
            .cost_by_name(cost::TEXT)],
        note: "The text with ASCII letters in lower case.",
        examples: &[("'AbÇ'.lowerAscii()", "\"abÇ\"")],
    },
    Function {
        name: "replace",
        overloads: &[
            Overload::new("string_replace_string_string", "string.(string, string) -> string")
                .run(Run::Many(replace))
                .cost_by_name(cost::TEXT_TWICE),
            Overload::new("string_replace_string_string_int", "string.(string, string, int) -> string")
                .run(Run::Many(replace))
                .cost_by_name(cost::TEXT_TWICE),
        ],
        note: "The text with occurrences replaced; at most as many as a third argument says.",
        examples: &[("'aaa'.replace('a', 'b', 2)", "\"bba\"")],
    },
    Function {
        name: "split",
        overloads: &[
            Overload::new("string_split_string", "string.(string) -> list(string)")
                .run(Run::Two(split))
                .cost_by_name(cost::TEXT_TWICE),
            Overload::new("string_split_string_int", "string.(string, int) -> list(string)")
                .run(Run::Many(split_many))
                .cost_by_name(cost::TEXT_TWICE),
        ],
        note: "The parts between separators; at most as many as a second argument says.",
        examples: &[("'a,b,c'.split(',', 2)", "[\"a\",\"b,c\"]")],
    },
    Function {
        name: "strings.quote",
        overloads: &[Overload::new("strings_quote", "(string) -> string")
            .run(Run::One(quote))
            .cost(cost::TEXT)],
        note: "The text in double quotes, special characters escaped.",
        examples: &[("strings.quote('a\"b')", "\"\\\"a\\\\\\\"b\\\"\"")],
    },
    Function {
        name: "substring",
        overloads: &[
            Overload::new("string_substring_int", "string.(int) -> string")
                .run(Run::Two(substring))
                .cost_by_name(cost::TEXT),
            Overload::new("string_substring_int_int", "string.(int, int) -> string")
                .run(Run::Many(substring_to))
                .cost_by_name(cost::TEXT),
        ],
        note: "The characters from a place, up to another.",
        examples: &[("'tacocat'.substring(4)", "\"cat\""), ("'tacocat'.substring(0, 4)", "\"taco\"")],
    },
    Function {
        name: "trim",
        overloads: &[Overload::new("string_trim", "string.() -> string")
            .run(Run::One(trim))
            .cost_by_name(cost::TEXT)],
        note: "The text without white space at both ends.",
        examples: &[("' a '.trim()", "\"a\"")],
    },
    Function {
        name: "upperAscii",
        overloads: &[Overload::new("string_upper_ascii", "string.() -> string")
            .run(Run::One(upper_ascii))
            .cost_by_name(cost::TEXT)],
        note: "The text with ASCII letters in upper case.",
        examples: &[("'abç'.upperAscii()", "\"ABç\"")],
    },
];

/// Since version 3.
pub(super) const REVERSE: &[Function] = &[Function {
    name: "reverse",
    overloads: &[Overload::new("string_reverse", "string.() -> string").run(Run::One(reverse))],
    note: "The characters in reverse order.",
    examples: &[("'abc'.reverse()", "\"cba\"")],
}];

/// A string that was made.
fn made<'v>(host: &mut Host<'_>, text: String) -> Outcome<'v> {
    host.charge(text.len())?;
    Ok(Value::Text(text.into()))
}

fn text<'a>(value: &'a Value<'_>) -> &'a str {
    value.as_str().unwrap_or("")
}

/// A whole number as a place of a text; none where it is negative. What is beyond the memory of a machine is behind the end of
/// every text: a wasm module, which counts in 32 bits, says the same as a native one.
fn place(value: &Value<'_>) -> Result<usize, i64> {
    match value {
        Value::Int(i) if *i >= 0 => Ok(usize::try_from(*i).unwrap_or(usize::MAX)),
        Value::Int(i) => Err(*i),
        _ => Err(-1),
    }
}

fn out_of_range<'v>(at: i64) -> Outcome<'v> {
    Err(Error::text(format!("index out of range: {at}")))
}

/// The byte at which a character begins, or the end; `None` behind the end.
fn byte_at(text: &str, at: usize) -> Option<usize> {
    if text.is_ascii() {
        return (at <= text.len()).then_some(at);
    }
    text.char_indices().map(|(byte, _)| byte).chain([text.len()]).nth(at)
}

fn char_at<'v>(host: &mut Host<'_>, value: Value<'v>, at: Value<'v>) -> Outcome<'v> {
    let all = text(&value);
    match place(&at).map(|at| byte_at(all, at)) {
        Ok(Some(byte)) => {
            let found = all.get(byte..).and_then(|rest| rest.chars().next());
            made(host, found.map(String::from).unwrap_or_default())
        }
        Ok(None) => out_of_range(if let Value::Int(at) = at { at } else { -1 }),
        Err(at) => out_of_range(at),
    }
}

fn characters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

fn int<'v>(number: usize) -> Outcome<'v> {
    Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn index_of<'v>(_: &mut Host<'_>, value: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    find_from(text(&value), text(&part), 0)
}

fn index_of_from<'v>(_: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, part, from] = args else { return Err(Error::no_overload()) };
    match place(from) {
        Ok(from) => find_from(text(value), text(part), from),
        Err(at) => out_of_range(at),
    }
}

fn find_from<'v>(all: &str, part: &str, from: usize) -> Outcome<'v> {
    let Some(start) = byte_at(all, from) else {
        return if part.is_empty() { int(characters(all)) } else { Ok(Value::Int(-1)) };
    };
    let rest = all.get(start..).unwrap_or("");
    match rest.find(part) {
        Some(byte) => int(from + characters(rest.get(..byte).unwrap_or(""))),
        None => Ok(Value::Int(-1)),
    }
}

fn last_index_of<'v>(_: &mut Host<'_>, value: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    let (all, part) = (text(&value), text(&part));
    match all.rfind(part) {
        Some(byte) => int(characters(all.get(..byte).unwrap_or(""))),
        None => Ok(Value::Int(-1)),
    }
}

// cel-go: ext/strings.go lastIndexOfOffset: the offset is where the occurrence may begin at the latest.
fn last_index_of_from<'v>(_: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, part, from] = args else { return Err(Error::no_overload()) };
    let (all, part) = (text(value), text(part));
    let from = match place(from) {
        Ok(from) => from,
        Err(at) => return out_of_range(at),
    };
    let count = characters(all);
    if part.is_empty() {
        return int(from.min(count));
    }
    let (Some(last), true) = (byte_at(all, from), from < count) else { return Ok(Value::Int(-1)) };
    let end = last.saturating_add(part.len()).min(all.len());
    // The end may stand within a character; then nothing ends there.
    let end = (end..=all.len()).find(|end| all.is_char_boundary(*end)).unwrap_or(all.len());
    let within = all.get(..end).unwrap_or(all);
    let found = within.rmatch_indices(part).map(|(byte, _)| byte).find(|byte| *byte <= last);
    found.map_or(Ok(Value::Int(-1)), |byte| int(characters(all.get(..byte).unwrap_or(""))))
}

fn join<'v>(host: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    joined(host, &list, "")
}

fn join_with<'v>(host: &mut Host<'_>, list: Value<'v>, separator: Value<'v>) -> Outcome<'v> {
    joined(host, &list, text(&separator))
}

fn joined<'v>(host: &mut Host<'_>, list: &Value<'v>, separator: &str) -> Outcome<'v> {
    let Some(list) = list.as_list() else { return Err(Error::no_overload()) };
    let mut all = String::with_capacity(if list.len() > 1 { 64 } else { 0 });
    for (at, element) in list.iter().enumerate() {
        if at > 0 {
            all.push_str(separator);
        }
        match element.as_str() {
            Some(text) => all.push_str(text),
            None => return Err(Error::text(format!("join: invalid input: {element}"))),
        }
        if all.len() as u64 > crate::function::MAX_BYTES {
            break;
        }
    }
    made(host, all)
}

fn lower_ascii<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    made(host, text(&value).to_ascii_lowercase())
}

fn upper_ascii<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    made(host, text(&value).to_ascii_uppercase())
}

/// Checks that so many pieces of a text do not make too much.
fn bounded(host: &mut Host<'_>, pieces: usize, size: usize) -> Result<(), Box<Error>> {
    host.charge(pieces.saturating_mul(size))
}

// Go: strings.Replace; negative is all.
fn replace<'v>(host: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, old, new, count @ ..] = args else { return Err(Error::no_overload()) };
    let (all, old, new) = (text(value), text(old), text(new));
    let limit = match count.first() {
        Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let found = if old.is_empty() { all.len() + 1 } else { all.matches(old).take(limit).count() };
    bounded(host, found.min(limit), new.len())?;
    made(host, all.replacen(old, new, limit))
}

fn split<'v>(host: &mut Host<'_>, value: Value<'v>, separator: Value<'v>) -> Outcome<'v> {
    split_into(host, &value, text(&separator), -1)
}

fn split_many<'v>(host: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, separator, Value::Int(count)] = args else { return Err(Error::no_overload()) };
    split_into(host, value, text(separator), *count)
}

// Go: strings.SplitN; an empty separator splits between characters.
fn split_into<'v>(host: &mut Host<'_>, value: &Value<'v>, separator: &str, count: i64) -> Outcome<'v> {
    let limit = usize::try_from(count).unwrap_or(usize::MAX);
    let all = text(value);
    if limit == 0 {
        return Ok(Value::list(Vec::new()));
    }
    let pieces: Vec<&str> =
        if separator.is_empty() { characters_of(all, limit) } else { all.splitn(limit, separator).collect() };
    bounded(host, pieces.len(), size_of::<Value<'_>>() * 2)?;
    let borrowed = if let Value::Str(all) = value { Some(*all) } else { None };
    let piece = |piece: &str| match borrowed.and_then(|all| same_piece(all, piece)) {
        Some(piece) => Value::Str(piece),
        None => Value::text(piece),
    };
    Ok(Value::list(pieces.into_iter().map(piece).collect()))
}

/// A piece of a text as a part of the text that lives longer.
fn same_piece<'v>(all: &'v str, piece: &str) -> Option<&'v str> {
    let start = (piece.as_ptr() as usize).checked_sub(all.as_ptr() as usize)?;
    all.get(start..start.checked_add(piece.len())?)
}

fn characters_of(all: &str, limit: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.chars().next() {
        if pieces.len() + 1 == limit {
            pieces.push(rest);
            return pieces;
        }
        let (piece, behind) = rest.split_at_checked(first.len_utf8()).unwrap_or((rest, ""));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

fn quote<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let mut quoted = String::from("\"");
    for c in text(&value).chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    made(host, quoted)
}

fn substring<'v>(host: &mut Host<'_>, value: Value<'v>, start: Value<'v>) -> Outcome<'v> {
    let all = text(&value);
    match place(&start).map(|at| byte_at(all, at)) {
        Ok(Some(byte)) => made(host, all.get(byte..).unwrap_or("").to_owned()),
        Ok(None) => out_of_range(if let Value::Int(at) = start { at } else { -1 }),
        Err(at) => out_of_range(at),
    }
}

fn substring_to<'v>(host: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, Value::Int(start), Value::Int(end)] = args else { return Err(Error::no_overload()) };
    if start > end {
        return Err(Error::text(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let all = text(value);
    let byte = |at: &i64| usize::try_from(*at).ok().and_then(|at| byte_at(all, at)).ok_or(*at);
    match (byte(start), byte(end)) {
        (Ok(start), Ok(end)) => made(host, all.get(start..end).unwrap_or("").to_owned()),
        (Err(at), _) | (_, Err(at)) => out_of_range(at),
    }
}

fn trim<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    made(host, text(&value).trim().to_owned())
}

fn reverse<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    made(host, text(&value).chars().rev().collect())
}
