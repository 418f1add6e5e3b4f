//! Functions that take texts and lists apart, or put them together.

use super::{Form, MAX_LENGTH};
use crate::search::regex::sample;
use crate::search::texts::{IMAGES, images};
use engine::value::base64::{decode, encode};
use engine_json::Value;

/// How many texts of a regular expression are put in place of what it becomes.
const MAX_REPLACED: usize = 3;
/// How many parts a text is made of to be split.
const MAX_PARTS: i64 = 32;

/// What becomes the result.
pub(super) fn before(form: &Form, result: &Value) -> Vec<Value> {
    match result {
        Value::String(text) => of_text(form, text).into_iter().collect(),
        Value::Number(_) => result.as_i64().map(|number| of_number(form, number)).unwrap_or_default(),
        Value::Array(items) => of_list(form, items),
        Value::Null | Value::Bool(_) | Value::Object(_) => Vec::new(),
    }
}

fn values(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
    texts.into_iter().map(Value::from).collect()
}

fn filler(count: usize) -> String {
    "x".repeat(count.min(MAX_LENGTH))
}

fn of_text(form: &Form, text: &str) -> Vec<Value> {
    match form.function.as_str() {
        "trim" => {
            let cut = form.text(0).filter(|cut| *cut != text);
            let cut = cut.and_then(|cut| cut.chars().next()).unwrap_or(' ');
            values([format!("{cut}{text}"), format!("{text}{cut}"), format!("{text}\n")])
        }
        "trim_prefix" => {
            let prefix = form.text(0).unwrap_or_default();
            values([format!("{prefix}{text}"), format!("{prefix}{prefix}{text}")])
        }
        "reverse" => values([text.chars().rev().collect()]),
        "lowerAscii" | "to_lower" | "upperAscii" | "to_upper" | "equal_fold" => {
            let mut chars = text.chars();
            let first =
                chars.next().map(|c| format!("{}{}", c.to_uppercase(), chars.as_str().to_lowercase()));
            values([text.to_uppercase(), text.to_lowercase()].into_iter().chain(first))
        }
        "base64.decode" | "base64_decode" => values([encode(text.as_bytes())]),
        "base64.encode" | "base64_encode" => {
            let decoded = decode(text.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            values(decoded)
        }
        "substring" | "charAt" => {
            let before = filler(form.count(0).unwrap_or(0));
            values([format!("{before}{text}"), format!("{before}{text}x"), before])
        }
        "truncate" => values([format!("{text}y"), format!("{text}{text}")]),
        "split" => {
            let Some(between) = form.text(0).filter(|between| *between != text) else { return Vec::new() };
            let after = format!("x{between}{text}");
            let last = format!("x{between}{after}");
            values([format!("{text}{between}x"), after, last, format!("{text}{between}{text}")])
        }
        "join" => of_join(form, text),
        "replace" | "replace_all" => of_replace(form, text),
        "regex.replace" | "regex_replace_all" | "regex_replace_all_literal" => of_pattern(form, text),
        "find" | "findAll" | "regex.extract" | "regex.extractAll" => {
            values([format!("x {text} x"), format!("{text} {text}")])
        }
        "_+_" => form
            .arguments
            .iter()
            .filter_map(Value::as_str)
            .filter(|part| !part.is_empty())
            .flat_map(|part| [text.strip_prefix(part), text.strip_suffix(part)])
            .flatten()
            .map(Value::from)
            .collect(),
        "format" => of_format(form, text),
        "strings.quote" => values([text.trim_matches('"').to_owned()]),
        "path_canonicalize" => values([
            format!("{text}/"),
            format!("{text}/."),
            format!("{text}/x/.."),
            text.replacen('/', "//", 1),
        ]),
        "jsonpatch.escapeKey" => values([text.replace("~1", "/").replace("~0", "~")]),
        "parseServiceAccount" | "user.parseServiceAccount" => {
            values([format!("system:serviceaccount:{text}:x"), format!("system:serviceaccount:x:{text}")])
        }
        "image" | "parseImageReference" | "image_normalize" | "isImage" => {
            values(images(text).into_iter().chain(IMAGES.map(str::to_owned)))
        }
        _ => Vec::new(),
    }
}

/// The list that is joined to the text, and the same in another order.
fn of_join(form: &Form, text: &str) -> Vec<Value> {
    let between = form.text(0).unwrap_or_default();
    if between.is_empty() {
        return vec![Value::array(text.chars().map(|c| Value::from(c.to_string())).collect())];
    }
    if between == text {
        return Vec::new();
    }
    let parts: Vec<Value> = text.split(between).map(Value::from).collect();
    let turned = parts.iter().rev().cloned().collect();
    vec![Value::array(parts), Value::array(turned), Value::array(vec![Value::from(text)])]
}

fn of_replace(form: &Form, text: &str) -> Vec<Value> {
    let (Some(from), Some(to)) = (form.text(0), form.text(1)) else { return Vec::new() };
    let mut found = vec![format!("{from}{text}"), format!("{text}{from}"), format!("{from}{text}{from}")];
    if !to.is_empty() {
        found.insert(0, text.replacen(to, from, 1));
        found.insert(0, text.replace(to, from));
    }
    values(found)
}

fn of_pattern(form: &Form, text: &str) -> Vec<Value> {
    let (Some(first), Some(second)) = (form.text(0), form.text(1)) else { return Vec::new() };
    let mut found = Vec::new();
    // JMESPath names the expression first, CEL second where the text is a constant.
    for (pattern, to) in [(first, second), (second, first)] {
        for sample in sample(pattern).into_iter().take(MAX_REPLACED) {
            found.push(format!("{sample}{text}"));
            if !to.is_empty() {
                found.push(text.replace(to, &sample));
            }
        }
    }
    values(found)
}

/// What stands in the text where the template has its verbs.
fn of_format(form: &Form, text: &str) -> Vec<Value> {
    let Some(template) = form.text(0).filter(|template| template.contains('%')) else { return Vec::new() };
    let mut rest = text;
    let mut found = Vec::new();
    let mut pieces = template.split('%');
    let Some(after) = rest.strip_prefix(pieces.next().unwrap_or_default()) else { return Vec::new() };
    rest = after;
    for piece in pieces {
        let literal = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let literal = literal.get(1..).unwrap_or_default();
        let end = if literal.is_empty() { Some(rest.len()) } else { rest.find(literal) };
        let Some((value, after)) = end.and_then(|end| rest.split_at_checked(end)) else { return found };
        found.push(Value::from(value));
        rest = after.strip_prefix(literal).unwrap_or_default();
    }
    found
}

fn of_number(form: &Form, number: i64) -> Vec<Value> {
    match form.function.as_str() {
        "indexOf" | "lastIndexOf" => {
            let Some(part) = form.text(0) else { return Vec::new() };
            let count = usize::try_from(number).unwrap_or(0);
            let one = format!("{}{part}", filler(count));
            let list = (0..count.min(8)).map(|_| Value::from("x")).chain([Value::from(part)]).collect();
            let mut found = values([format!("{one}x{part}"), format!("{part}{one}"), one]);
            found.push(Value::array(list));
            found
        }
        "split" => {
            let Some(between) = form.text(0) else { return Vec::new() };
            let parts = |count: i64| vec!["x"; usize::try_from(count.clamp(0, MAX_PARTS)).unwrap_or(0)];
            values([number - 1, number, number + 1].map(|count| parts(count).join(between)))
        }
        _ => Vec::new(),
    }
}

fn of_list(form: &Form, items: &[Value]) -> Vec<Value> {
    let list = |items: Vec<Value>| Value::array(items);
    match form.function.as_str() {
        "split" | "findAll" | "regex.extractAll" => {
            let between = form.text(0).filter(|_| form.function == "split").unwrap_or(" ");
            let parts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            let whole = parts.join(between);
            values([format!("{whole}{between}x"), whole])
        }
        "reverse" | "sort" | "@sortByAssociatedKeys" | "sort_by" => {
            vec![list(items.iter().rev().cloned().collect())]
        }
        "distinct" => {
            let twice: Vec<Value> = items.iter().chain(items.first()).cloned().collect();
            vec![list(twice)]
        }
        "slice" => {
            let before = vec![Value::from("x"); form.count(0).unwrap_or(0).min(8)];
            let whole: Vec<Value> = before.into_iter().chain(items.iter().cloned()).collect();
            let longer = whole.iter().cloned().chain([Value::from("x")]).collect();
            vec![list(whole), list(longer)]
        }
        _ => Vec::new(),
    }
}
