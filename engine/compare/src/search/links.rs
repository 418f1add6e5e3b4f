//! Places whose values are held against each other: a mount and its volume, a request and its limit.
//!
//! In: the pairs of places, an object, the cells. Out: changes that make two values equal, nearly equal, or any two of their cells.

use crate::objects::schema::Schema;
use crate::reads::field_path::{Elements, FieldPath, put, values_at};
use crate::reads::tree::Tree;
use crate::search::cells::Cells;
use crate::search::random::Random;
use crate::search::texts::near;
use engine_json::Value;
use std::collections::BTreeSet;

/// A pair of places.
pub(crate) type Link = (FieldPath, FieldPath);

/// How many pairs of cells of one pair of places are tried: those that come first in both, as what policies name does, and some of the others.
const MAX_NEAR: usize = 80;
const MAX_DRAWN: usize = 80;
/// Of how many pairs of places, and with how many constants, texts are put together.
const MAX_COMPOSED: usize = 4;

/// Writes the value at one place to the other, as it is or nearly so; whether there was one.
pub(crate) fn copy(object: &mut Value, link: &Link, random: &mut Random, schema: &Schema) -> bool {
    let (from, to) = if random.below(2) == 0 { (&link.0, &link.1) } else { (&link.1, &link.0) };
    let values: Vec<Value> = values_at(object, from).into_iter().cloned().collect();
    let Some(value) = random.of(&values).filter(|value| value.as_object().is_none()) else { return false };
    let value = match value.as_str() {
        Some(text) if random.below(3) == 0 => {
            random.of(&near(text)).map_or_else(|| value.clone(), |text| Value::from(text.as_str()))
        }
        _ => value.clone(),
    };
    let which = [Elements::First, Elements::Further, Elements::All];
    let which = random.of(&which).copied().unwrap_or(Elements::First);
    put(object, to, Some(&value), which, schema);
    true
}

/// The object with texts at one place that hold the value of another, put together with the constants of that place, and with more before and
/// behind: of a Namespace `default` and `.example.com` come `default.example.com`, `xdefault.example.com` and `x.default.example.com`.
pub(crate) fn composed(base: &Value, links: &BTreeSet<Link>, reads: &Tree, schema: &Schema) -> Vec<Value> {
    let mut found = Vec::new();
    for (from, to) in either_way(links) {
        let constants = reads.known(to).map_or(&[][..], |node| &node.constants);
        let constants = constants.iter().filter_map(Value::as_str).filter(|text| text.len() > 1);
        let value = values_at(base, from).first().and_then(|value| value.as_str());
        let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
        for constant in constants.take(MAX_COMPOSED) {
            let (begins, ends) = (first_mark(constant), last_mark(constant));
            let behind = begins.into_iter().flat_map(|mark| {
                [String::new(), "x".to_owned(), format!("x{mark}")]
                    .map(|more| format!("{more}{value}{constant}"))
            });
            let before = ends.into_iter().flat_map(|mark| {
                [String::new(), "x".to_owned(), format!("{mark}x")]
                    .map(|more| format!("{constant}{value}{more}"))
            });
            for text in behind.chain(before) {
                let mut object = base.clone();
                put(&mut object, to, Some(&Value::from(text)), Elements::All, schema);
                found.push(object);
            }
        }
    }
    found
}

/// The object with values at two places that Kyverno reads as the same amount, and CEL does not: texts with and without a unit, a number and its
/// text, a zero and nothing (pkg/engine/pattern: what is absent is compared as `0`).
pub(crate) fn same_amounts(base: &Value, links: &BTreeSet<Link>, schema: &Schema) -> Vec<Value> {
    let ways = [
        (Value::from("1"), Some(Value::from("1000m"))),
        (Value::from("1"), Some(Value::from(1_i64))),
        (Value::from("0"), None),
    ];
    let with = |(one, other): (&FieldPath, &FieldPath)| {
        let with_ways = ways.iter().map(|(first, second)| {
            let mut object = base.clone();
            put(&mut object, one, Some(first), Elements::All, schema);
            put(&mut object, other, second.as_ref(), Elements::All, schema);
            object
        });
        with_ways.collect::<Vec<_>>()
    };
    either_way(links).flat_map(with).collect()
}

/// The first pairs, each from one place to the other and back.
fn either_way(links: &BTreeSet<Link>) -> impl Iterator<Item = (&FieldPath, &FieldPath)> {
    links.iter().take(MAX_COMPOSED).flat_map(|(one, other)| [(one, other), (other, one)])
}

/// The mark that a text begins with, where it does.
fn first_mark(text: &str) -> Option<char> {
    text.chars().next().filter(char::is_ascii_punctuation)
}

/// The mark that a text ends with, where it does.
fn last_mark(text: &str) -> Option<char> {
    text.chars().next_back().filter(char::is_ascii_punctuation)
}

/// The object with the cells of two places that are held against each other.
pub(crate) fn pairs(
    base: &Value,
    links: &BTreeSet<Link>,
    cells: &[Cells],
    random: &mut Random,
    schema: &Schema,
) -> Vec<Value> {
    let of = |path: &FieldPath| cells.iter().find(|cells| cells.path == *path);
    let mut found = Vec::new();
    for (one, other) in links.iter().filter_map(|(one, other)| Some((of(one)?, of(other)?))) {
        let (ones, others) = (one.values.len(), other.values.len());
        let mut near: Vec<(usize, usize)> = (0..ones.min(MAX_NEAR))
            .flat_map(|at| (0..others.min(MAX_NEAR)).map(move |to| (at, to)))
            .collect();
        near.sort_by_key(|(at, to)| at + to);
        near.truncate(MAX_NEAR);
        let drawn = if ones * others > near.len() { MAX_DRAWN } else { 0 };
        near.extend((0..drawn).map(|_| (random.below(ones), random.below(others))));
        for (at, to) in near {
            let (first, second) = (one.values.get(at), other.values.get(to));
            let (Some(first), Some(second)) = (first, second) else { continue };
            let mut object = base.clone();
            put(&mut object, &one.path, first.as_ref(), Elements::All, schema);
            put(&mut object, &other.path, second.as_ref(), Elements::All, schema);
            found.push(object);
        }
    }
    found
}
