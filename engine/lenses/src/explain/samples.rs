//! Values that a part of a pattern accepts, and values near one that is there.
//!
//! In: what is wanted, and what was found. Out: a short list, the likeliest first. These are proposals only: each is
//! tried by evaluating the changed resource.

use engine::pattern::anchor::{self, Anchor};
use engine::pattern::leaf::{Leaf, Range, split_range};
use engine_json::{Map, Number, Value};

/// How deep a missing part of a pattern may nest.
const MAX_DEPTH: usize = 16;
/// More proposals than this for one field help nobody.
const MOST: usize = 16;
/// What stands for any text.
const ANY: &str = "example";

/// Values that satisfy a part of a pattern.
pub(super) fn satisfying(wanted: &Value, found: &Value) -> Vec<Value> {
    match wanted {
        Value::Object(_) | Value::Array(_) => {
            let leaf = wanted.as_array().and_then(<[Value]>::first).filter(|item| is_scalar(item));
            match (leaf, found) {
                // A scalar for each item of a list.
                (Some(leaf), Value::Array(items)) => {
                    let accepts = Leaf::new(leaf);
                    let kept: Vec<Value> =
                        items.iter().filter(|item| accepts.accepts(item)).cloned().collect();
                    let mut lists = if kept.is_empty() { Vec::new() } else { vec![Value::array(kept)] };
                    lists
                        .extend(scalars(leaf, &Value::Null).into_iter().map(|item| Value::array(vec![item])));
                    lists
                }
                _ => whole(wanted, 0).into_iter().collect(),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => match found {
            Value::Array(items) => {
                let accepts = Leaf::new(wanted);
                let kept: Vec<Value> = items.iter().filter(|item| accepts.accepts(item)).cloned().collect();
                let replaced: Vec<Value> = items
                    .iter()
                    .map(|item| scalars(wanted, item).into_iter().next().unwrap_or_else(|| item.clone()))
                    .collect();
                vec![Value::array(kept), Value::array(replaced)]
            }
            _ => scalars(wanted, found),
        },
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_))
}

/// A value for a whole part of a pattern: what must be there, and nothing else.
fn whole(wanted: &Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match wanted {
        Value::Object(map) => {
            let mut made = Map::new();
            for (written, below) in map.iter() {
                let (anchor, key) =
                    anchor::parse(written).map_or((None, written.as_str()), |(a, key)| (Some(a), key));
                match anchor {
                    Some(Anchor::Negation | Anchor::Equality | Anchor::Global) => {}
                    Some(Anchor::Condition | Anchor::Existence | Anchor::AddIfNotPresent) | None => {
                        made.insert(key.replace('*', "").replace('?', "a"), whole(below, depth + 1)?);
                    }
                }
            }
            Some(Value::object(made))
        }
        Value::Array(items) => {
            let items: Option<Vec<Value>> = items.iter().map(|item| whole(item, depth + 1)).collect();
            items.map(Value::array)
        }
        scalar => scalars(scalar, &Value::Null).into_iter().next(),
    }
}

/// Values that satisfy a scalar.
fn scalars(wanted: &Value, found: &Value) -> Vec<Value> {
    let leaf = Leaf::new(wanted);
    let mut proposals = Vec::new();
    match wanted {
        Value::String(text) => {
            for term in text.split('|').flat_map(|part| part.split('&')) {
                of_term(term.trim(), found, &mut proposals);
            }
        }
        other => proposals.push(other.clone()),
    }
    // A list that must not be met as a whole: each of `!a & !b` is another value.
    proposals.extend(near(found).into_iter().flatten());
    let mut kept: Vec<Value> = Vec::new();
    for proposal in proposals {
        if leaf.accepts(&proposal) && proposal != *found && !kept.contains(&proposal) && kept.len() < MOST {
            kept.push(proposal);
        }
    }
    kept
}

fn of_term(term: &str, found: &Value, proposals: &mut Vec<Value>) {
    match split_range(term) {
        Some(Range::In(from, to)) => return [from, to].iter().for_each(|end| typed(end, found, proposals)),
        Some(Range::NotIn(from, to)) => {
            typed(&beside(from, -1), found, proposals);
            return typed(&beside(to, 1), found, proposals);
        }
        None => {}
    }
    for (prefix, step) in [(">=", 0), ("<=", 0), (">", 1), ("<", -1)] {
        if let Some(rest) = term.strip_prefix(prefix) {
            return typed(&beside(rest.trim(), step), found, proposals);
        }
    }
    if let Some(refused) = term.strip_prefix('!') {
        return otherwise(refused, found, proposals);
    }
    if !term.contains(['*', '?']) {
        return typed(term, found, proposals);
    }
    let last = found.as_str().and_then(|text| text.rsplit('/').next()).unwrap_or(ANY);
    for filling in [last, ANY, ""] {
        let text = term.replace("?*", if filling.is_empty() { ANY } else { filling });
        proposals.push(Value::from(text.replacen('*', filling, 1).replace('*', "").replace('?', "a")));
    }
}

/// A text as the type that was found, and as the types that it can be read as.
fn typed(text: &str, found: &Value, proposals: &mut Vec<Value>) {
    let number = text.parse::<i64>().ok().map(Value::from);
    let truth = text.parse::<bool>().ok().map(Value::from);
    if found.as_str().is_none() {
        proposals.extend(truth.clone());
        proposals.extend(number.clone());
    }
    proposals.push(Value::from(text));
    proposals.extend(truth);
    proposals.extend(number);
}

/// The number at the start of a quantity a step up or down: `100Mi` gives `101Mi`.
fn beside(text: &str, step: i64) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or((text, ""));
    number
        .parse::<i64>()
        .map_or_else(|_| text.to_owned(), |number| format!("{}{unit}", number.saturating_add(step)))
}

/// Values other than the one that a pattern refuses.
fn otherwise(refused: &str, found: &Value, proposals: &mut Vec<Value>) {
    match refused {
        "true" => proposals.push(Value::from(false)),
        "false" => proposals.push(Value::from(true)),
        _ => {}
    }
    if let Some(image) = found.as_str().filter(|_| refused.contains(':')) {
        let name = untagged(image);
        proposals.push(Value::from(format!("{name}:1.0.0")));
    }
    proposals.extend(near(found).into_iter().flatten());
    proposals.push(Value::from(ANY));
}

/// An image without tag and digest.
fn untagged(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or(image);
    match name.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        Some(_) | None => name,
    }
}

/// Values near one that is there, the field taken away last.
pub(super) fn near(found: &Value) -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> = Vec::new();
    let mut add = |value: Value| values.push(Some(value));
    match found {
        Value::Bool(truth) => add(Value::from(!truth)),
        Value::Number(number) => {
            let at = number.as_f64();
            for other in [0.0, 1.0, at + 1.0, at - 1.0, at * 1000.0, 65_534.0, -1.0] {
                add(Value::Number(Number::Float(other)));
            }
        }
        Value::String(text) => {
            if text.contains(['/', ':', '@']) {
                add(Value::from(format!("{}:1.0.0", untagged(text))));
                add(Value::from(format!("{}:latest", untagged(text))));
                add(Value::from(format!("registry.example/{text}")));
            }
            add(Value::from(format!("{text}-changed")));
            add(Value::from(ANY));
            add(Value::from("1"));
        }
        Value::Array(items) => {
            for at in 0..items.len().min(4) {
                let mut left = items.to_vec();
                left.remove(at);
                add(Value::array(left));
            }
            if let Some((first, rest)) = items.split_first() {
                for other in near_item(first) {
                    add(Value::array(std::iter::once(other).chain(rest.iter().cloned()).collect()));
                }
            }
            add(Value::array(vec![Value::from(ANY)]));
        }
        Value::Null => {
            for value in [Value::from(true), Value::from(false), Value::from(ANY), Value::from(1_i64)] {
                add(value);
            }
            add(Value::array(vec![Value::from(ANY)]));
        }
        Value::Object(map) => {
            for key in map.keys().take(6) {
                let mut left = Map::clone(map);
                left.remove(key);
                add(Value::object(left));
            }
            let mut more = Map::clone(map);
            more.insert(ANY, Value::from(ANY));
            add(Value::object(more));
        }
    }
    values.push(None);
    values
}

/// A few values near an item of a list.
fn near_item(item: &Value) -> Vec<Value> {
    match item {
        Value::Array(_) => Vec::new(),
        other => near(other).into_iter().flatten().take(6).collect(),
    }
}

/// Values that a part of a pattern refuses, where the resource has nothing yet: the part with one scalar of it broken.
pub(super) fn breaking(wanted: &Value) -> Vec<Value> {
    let mut found = broken(wanted, 0);
    found.truncate(MOST);
    found
}

fn broken(wanted: &Value, depth: usize) -> Vec<Value> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    match wanted {
        Value::Object(map) => {
            let mut found = Vec::new();
            for (written, below) in map.iter() {
                let (anchor, key) =
                    anchor::parse(written).map_or((None, written.as_str()), |(a, key)| (Some(a), key));
                let inner = match anchor {
                    Some(Anchor::Negation) => vec![Value::from(ANY)],
                    Some(Anchor::Condition | Anchor::Global) => continue,
                    Some(Anchor::Equality | Anchor::Existence | Anchor::AddIfNotPresent) | None => {
                        broken(below, depth + 1)
                    }
                };
                // What the other keys ask for stays as it should be.
                let others = map.iter().filter(|(other, _)| *other != written);
                let others: Map = others.map(|(key, value)| (key.clone(), value.clone())).collect();
                let others = whole(&Value::object(others), depth + 1).unwrap_or(Value::Null);
                for value in inner.into_iter().take(2) {
                    let mut made = others.as_object().cloned().unwrap_or_default();
                    made.insert(key.replace('*', "").replace('?', "a"), value);
                    found.push(Value::object(made));
                }
            }
            found
        }
        Value::Array(items) => {
            let items = items.iter().flat_map(|item| broken(item, depth + 1));
            items.map(|item| Value::array(vec![item])).collect()
        }
        scalar => {
            let leaf = Leaf::new(scalar);
            let mut proposals = Vec::new();
            operands(scalar, &mut proposals);
            proposals.extend(near(scalar).into_iter().flatten());
            proposals.retain(|value| !leaf.accepts(value));
            proposals.truncate(3);
            proposals
        }
    }
}

/// The right sides of the terms of a scalar, and the numbers next to them.
fn operands(scalar: &Value, proposals: &mut Vec<Value>) {
    let Some(text) = scalar.as_str() else { return };
    for term in text.split('|').flat_map(|part| part.split('&')) {
        let operand = term.trim().trim_start_matches(['!', '>', '<', '=']).trim();
        let plain = operand.replace("?*", ANY).replace('*', "").replace('?', "a");
        for step in [0, 1, -1] {
            typed(&beside(&plain, step), &Value::Null, proposals);
        }
    }
}

/// Values that a condition may want, made of what it compares with and of the literals beside it.
pub(super) fn of_condition(others: &[&Value], literals: &[Value], found: &Value) -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> = Vec::new();
    let mut add = |value: Value| {
        if value != *found && !values.contains(&Some(value.clone())) {
            values.push(Some(value));
        }
    };
    for hint in others.iter().copied().chain(literals) {
        match hint {
            Value::Array(items) => {
                for item in items.iter().take(4) {
                    of_hint(item, found, &mut add);
                }
                if found.as_array().is_some() || found.is_null() {
                    add(hint.clone());
                }
            }
            scalar => of_hint(scalar, found, &mut add),
        }
    }
    let more = near(found);
    values.extend(more.into_iter().filter(|value| value.as_ref() != Some(found)));
    values.truncate(4 * MOST);
    values
}

/// A text with a part of it replaced: the registry or the tag of an image, or a part of a path.
fn within(found: &str, hint: &str, proposals: &mut Vec<Value>) {
    let hint = hint.trim_end_matches('*');
    let part_of_path = hint.trim_end_matches('/');
    let parts: Vec<&str> = found.split('/').collect();
    if parts.len() > 1 && !hint.is_empty() {
        for at in 0..parts.len().min(3) {
            let mut changed = parts.clone();
            if let Some(part) = changed.get_mut(at) {
                *part = part_of_path;
            }
            proposals.push(Value::from(changed.join("/")));
        }
    } else if !found.is_empty() && !hint.is_empty() {
        proposals.push(Value::from(format!("{part_of_path}/{found}")));
    }
    if found.contains(['/', ':']) {
        proposals.push(Value::from(format!("{}:{hint}", untagged(found))));
    }
    proposals.push(Value::from(format!("{hint}{found}")));
    proposals.push(Value::from(format!("{found}{hint}")));
}

fn of_hint(hint: &Value, found: &Value, add: &mut dyn FnMut(Value)) {
    let mut one = |value: Value| {
        if found.as_array().is_some() || found.is_null() {
            add(Value::array(vec![value.clone()]));
        }
        add(value);
    };
    match hint {
        Value::String(text) => {
            let mut proposals = vec![hint.clone()];
            of_term(text, found, &mut proposals);
            if let Some(found) = found.as_str() {
                within(found, text, &mut proposals);
            }
            operands(hint, &mut proposals);
            proposals.into_iter().for_each(&mut one);
        }
        Value::Number(number) => {
            let at = number.as_f64();
            for other in [at, at + 1.0, at - 1.0] {
                one(Value::Number(Number::Float(other)));
            }
        }
        Value::Bool(truth) => {
            one(hint.clone());
            one(Value::from(!truth));
        }
        Value::Object(_) => one(hint.clone()),
        Value::Null | Value::Array(_) => {}
    }
}
