//! What Kubernetes' types ask of their fields: which are needed, of which there is one at most, which hold one of a few texts, which stand
//! beside one text of another field alone.
//!
//! In: the name of a type, and what an object has there. Out: whether it may be so, and what is filled in so that it may. What completes
//! objects and what refuses them both read the tables of `rows`.

mod rows;

use engine_json::{Map, Value};
use rows::{CHOICES, Choices, Groups, NEEDED, ONE_OF, OneOf, SAMPLES, TAGGED, Tagged};

/// The texts that a field of a type may hold, or some of the form that it takes; nothing where it may hold any.
pub(crate) fn choices(of: &str, field: &str) -> &'static [&'static str] {
    let is_it = |(known, name, _): &&Choices| *known == of && *name == field;
    CHOICES.iter().chain(SAMPLES).find(is_it).map_or(&[], |(_, _, texts)| texts)
}

impl OneOf {
    fn of_type(of: &str) -> Option<&'static OneOf> {
        ONE_OF.iter().find(|one| one.of == of)
    }

    /// The group of a field, if it is in one.
    fn group(&self, field: &str) -> Option<usize> {
        match &self.groups {
            Groups::Are(groups) => groups.iter().position(|group| group.contains(&field)),
            Groups::AllBut(others) => (!others.contains(&field)).then_some(0),
        }
    }

    /// Whether two fields may not stand beside each other.
    fn excludes(&self, one: &str, other: &str) -> bool {
        let (Some(group), Some(other_group)) = (self.group(one), self.group(other)) else { return false };
        match self.groups {
            Groups::Are(_) => group != other_group,
            Groups::AllBut(_) => one != other,
        }
    }
}

/// The fields of a type that stand beside one text of another field alone.
fn tagged(of: &str) -> impl Iterator<Item = &'static Tagged> {
    TAGGED.iter().filter(move |row| row.of == of)
}

/// A field that stands in place of the one of several that is read.
pub(crate) fn other_of(of: &str, is_read: impl Fn(&str) -> bool) -> Option<&'static str> {
    let one_of = OneOf::of_type(of)?;
    one_of.tried.iter().copied().find(|field| !is_read(field))
}

/// Whether a type takes none without the field.
pub(crate) fn is_needed(of: &str, field: &str) -> bool {
    NEEDED.iter().any(|(known, needed, _)| *known == of && *needed == field)
}

/// Takes away what may not stand beside a field, and says of which it is.
pub(crate) fn keep_one(map: &mut Map, of: &str, field: &str) {
    for row in tagged(of).filter(|row| row.member == field) {
        map.insert(row.tag, Value::from(row.text));
    }
    let Some(one_of) = OneOf::of_type(of) else { return };
    let others: Vec<_> = map.keys().filter(|key| one_of.excludes(key, field)).cloned().collect();
    for other in others {
        map.remove(&other);
    }
}

/// Puts there what a type asks for.
pub(crate) fn fill_in(map: &mut Map, of: &str) {
    let put = |map: &mut Map, field: &'static str, text: &str| {
        map.insert(field, engine::yaml::parse_one(text).unwrap_or_default().with_int_numbers());
    };
    // What is meant is said where it is there.
    for row in tagged(of).filter(|row| !row.is_default) {
        if map.contains_key(row.member) && map.get(row.tag).is_none_or(|tag| !is_there(tag)) {
            put(map, row.tag, row.text);
        }
    }
    for (_, field, text) in NEEDED.iter().filter(|(known, _, _)| *known == of) {
        // A text without letters was put there.
        if map.get(field).is_none_or(|value| !is_there(value) && value.as_str().is_none()) {
            put(map, field, text);
        }
    }
    for row in tagged(of) {
        let is_meant = map.get(row.tag).and_then(Value::as_str) == Some(row.text);
        match (is_meant, map.contains_key(row.member), row.default) {
            (true, false, Some(text)) => put(map, row.member, text),
            // A tag that says something else means something else.
            (false, true, _) if map.contains_key(row.tag) => drop(map.remove(row.member)),
            _ => {}
        }
    }
    if let Some(one_of) = OneOf::of_type(of)
        && let Some((field, text)) = one_of.default
        && map.keys().all(|key| one_of.group(key).is_none())
    {
        put(map, field, text);
    }
}

/// Whether a map has what its type asks for.
pub(crate) fn are_met(map: &Map, of: &str) -> bool {
    let has = |field: &str| map.get(field).is_some_and(is_there);
    let are_there = NEEDED.iter().filter(|(known, _, _)| *known == of).all(|(_, field, _)| has(field));
    let is_one = OneOf::of_type(of).is_none_or(|one_of| {
        let mut there = map.keys().filter(|key| one_of.group(key).is_some());
        match there.next() {
            None => one_of.default.is_none(),
            Some(first) => there.all(|other| !one_of.excludes(first, other)),
        }
    });
    let is_choice = |(_, field, texts): &Choices| {
        let is_it = |value: &Value| value.as_str().is_none_or(|text| texts.contains(&text));
        match map.get(field) {
            Some(Value::Array(items)) => items.iter().all(is_it),
            Some(value) => is_it(value),
            None => true,
        }
    };
    let is_meant = |row: &Tagged| {
        let tag = map.get(row.tag).and_then(Value::as_str);
        let is_it = tag == Some(row.text);
        let is_filled_in = tag.is_none() && row.is_default;
        if map.contains_key(row.member) { is_it || is_filled_in } else { !is_it || row.default.is_none() }
    };
    are_there
        && is_one
        && tagged(of).all(is_meant)
        && CHOICES.iter().filter(|(known, _, _)| *known == of).all(is_choice)
}

/// Whether a value is there, and is not an empty text or list.
fn is_there(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}
