//! Where two sides read something else: a place that one of them alone reads, or holds against other constants.
//!
//! In: what each side reads. Out: those places; and requests in which each of their values stands beside values of the other places of the same
//! container, or of the same object. Sides that were made of one another differ there, and what an exemption lets in shows only where all of its
//! conditions hold at once in an object that is let in otherwise.

use crate::objects::admissible::is_readable;
use crate::objects::kinds::CONTAINER_LISTS;
use crate::reads::field_path::{Elements, FieldPath, Step, element_name, put, values_at};
use crate::reads::tree::Tree;
use crate::search::Search;
use crate::search::cells::Cells;
use engine_json::{Str, Value};
use std::collections::BTreeSet;

/// How many such places are tried, beside how many others, how many values of those, and how many of these.
const MAX_UNLIKE: usize = 8;
const MAX_BESIDE: usize = 40;
const MAX_VALUES: usize = 14;
const FIRST_VALUES: usize = 2;
/// How many requests are made of them for one object.
const MAX_REQUESTS: usize = 4_000;

/// A place at which two sides do not read the same, with the constants that one of them alone has there.
pub(crate) type Unlike = (FieldPath, Vec<Value>);

/// The places at which two sides do not read the same; first those that one side alone reads.
pub(crate) fn unlike([old, new]: [&Tree; 2]) -> Vec<Unlike> {
    let (mut alone, mut others) = (Vec::new(), Vec::new());
    collect([Some(old), Some(new)], &mut Vec::new(), &mut alone, &mut others);
    alone.into_iter().chain(others).collect()
}

fn collect(
    trees: [Option<&Tree>; 2],
    path: &mut FieldPath,
    alone: &mut Vec<Unlike>,
    others: &mut Vec<Unlike>,
) {
    let constants = trees.map(|tree| tree.map(|tree| tree.constants.as_slice()).unwrap_or_default());
    let [old, new] = constants;
    let only_old = old.iter().filter(|one| !new.contains(one));
    let only_new = new.iter().filter(|one| !old.contains(one));
    let own: Vec<Value> = only_old.chain(only_new).cloned().collect();
    if !own.is_empty() {
        let found = if old.is_empty() || new.is_empty() { &mut *alone } else { &mut *others };
        found.push((path.clone(), own));
    }
    let keys: BTreeSet<_> = trees.iter().flatten().flat_map(|tree| tree.fields.keys().cloned()).collect();
    for key in keys {
        path.push(Step::Key(key.clone()));
        collect(trees.map(|tree| tree.and_then(|tree| tree.fields.get(&key))), path, alone, others);
        path.pop();
    }
    if trees.iter().flatten().any(|tree| tree.each.is_some()) {
        path.push(Step::Each);
        collect(trees.map(|tree| tree.and_then(|tree| tree.each.as_deref())), path, alone, others);
        path.pop();
    }
}

/// The way to the element of a list that a place lies in first.
fn element_of(path: &[Step]) -> Option<&[Step]> {
    let at = path.iter().position(|step| *step == Step::Each)?;
    path.get(..=at)
}

impl Search<'_, '_> {
    /// Values of these places beside those of others, while nothing was found otherwise.
    pub(crate) fn beside_unlike(&mut self, bases: &[Value], cells: &[Cells], until: usize) {
        let all: Vec<Cells> = cells.iter().map(|cells| own_first(cells, &self.reads.unlike)).collect();
        let of = |(path, own): &Unlike| {
            // Of what is true or false each value is among those of the others.
            if own.iter().all(|constant| constant.as_str().is_none()) {
                return None;
            }
            let is_it = |cells: &Cells| {
                cells.path == *path || cells.path.split_last() == Some((&Step::Each, path.as_slice()))
            };
            // A list is tried by its elements.
            all.iter().find(|cells| is_it(cells) && is_scalar(cells))
        };
        let unlike = self.reads.unlike.iter().filter_map(of).take(MAX_UNLIKE);
        let unlike: Vec<_> = unlike.map(|one| (one, beside(one, &all, &self.reads.object))).collect();
        // What is refused anyway shows nothing more.
        let mut passing = Vec::new();
        for base in bases {
            let request = self.bringing(base.clone());
            self.try_one(request);
            passing.extend((self.found.last_failures == Some(0)).then_some(base));
        }
        for base in passing {
            let end = until.min(self.found.tried + MAX_REQUESTS);
            for rank in 0..MAX_VALUES {
                for (one, others) in &unlike {
                    self.beside_others(base, one, (others, rank), end);
                }
            }
        }
    }

    /// The first values of a place beside one value of each other place.
    fn beside_others(&mut self, base: &Value, one: &Cells, (others, rank): (&[&Cells], usize), end: usize) {
        for other in others {
            let Some(second) = other.values.get(rank) else { continue };
            for first in one.values.iter().take(FIRST_VALUES) {
                if self.is_over(end) || self.found.has_own_difference() {
                    return;
                }
                let mut object = self.with_element(base, &one.path);
                put(&mut object, &one.path, first.as_ref(), Elements::All, self.schema);
                put(&mut object, &other.path, second.as_ref(), Elements::All, self.schema);
                let request = self.bringing(object);
                self.try_one(request);
            }
        }
    }

    /// The object with an element that the place lies in: among further lists of containers one like the first container.
    fn with_element(&self, base: &Value, path: &[Step]) -> Value {
        let mut object = base.clone();
        let Some([before @ .., Step::Key(list), Step::Each]) = element_of(path) else { return object };
        if !CONTAINER_LISTS.contains(&list.as_str()) {
            return object;
        }
        let at = [before, &[Step::Key(list.clone())]].concat();
        let known = [before, &[Step::Key("containers".into()), Step::Each]].concat();
        let first = values_at(base, &known).first().map(|first| (*first).clone());
        if let Some(mut first) = first.filter(|_| values_at(base, &at).is_empty()) {
            first.make_object().insert("name", Value::from(element_name(list, 0)));
            put(&mut object, &at, Some(&Value::array(vec![first])), Elements::All, self.schema);
        }
        object
    }
}

/// The place with the values first that have to do with constants of one side alone.
fn own_first(cells: &Cells, unlike: &[Unlike]) -> Cells {
    let is_here =
        |(path, _): &&Unlike| *path == cells.path || cells.path.split_last() == Some((&Step::Each, path));
    let bare =
        |constant: &Value| constant.as_str().map(|text| text.trim_matches(['*', '?', '!', ':']).to_owned());
    let own: Vec<String> =
        unlike.iter().filter(is_here).flat_map(|(_, own)| own.iter().filter_map(bare)).collect();
    let is_own = |value: &&Option<Value>| {
        let text = value.as_ref().and_then(Value::as_str);
        text.is_some_and(|text| own.iter().any(|own| !own.is_empty() && text.contains(own.as_str())))
    };
    let is_image = cells.path.last() == Some(&Step::Key(Str::new_static("image")));
    // No kubelet pulls what cannot be read.
    let is_tried =
        |value: &&Option<Value>| !is_image || value.as_ref().and_then(Value::as_str).is_none_or(is_readable);
    let (mut values, rest): (Vec<_>, Vec<_>) = cells.values.iter().filter(is_tried).partition(is_own);
    values.extend(rest);
    Cells { values: values.into_iter().cloned().collect(), ..cells.clone() }
}

/// Whether something other than a list or a map is tried at a place.
fn is_scalar(cells: &Cells) -> bool {
    cells.values.iter().flatten().any(|value| value.as_array().is_none() && value.as_object().is_none())
}

/// The other places of the same element that are read; of the same object, where the place lies in no list.
fn beside<'c>(one: &Cells, cells: &'c [Cells], reads: &Tree) -> Vec<&'c Cells> {
    let element = element_of(&one.path);
    let is_beside = |other: &&Cells| {
        other.path != one.path
            && is_scalar(other)
            && element.is_none_or(|element| other.path.starts_with(element))
            && reads.known(&other.path).is_some()
    };
    cells.iter().filter(is_beside).take(MAX_BESIDE).collect()
}
