//! Which ranges become functions.
//!
//! In: the functions of a module. Out: for each new function its body and where it is called. What saves most goes first.

use super::function::Function;
use super::range::{Grown, Handed, MAX_OPS, Shape, Walk};
use std::collections::BinaryHeap;

/// A new function saves at least so many bytes,
const LEAST: i64 = 20;
/// of which each call takes so many: what travels grows with each.
const TOLL: i64 = 0;

/// A range that may become a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    hash: u64,
    /// Which function, and the operators of it.
    pub(super) function: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    /// So many bytes the range has, a call instead of it, and the new function beside the operators.
    bytes: u16,
    call: u16,
    frame: u16,
}

/// A new function.
pub(super) struct Chosen {
    pub(super) shape: Shape,
    pub(super) calls: Vec<(Place, Handed)>,
}

/// The functions that are worth it.
pub(super) fn choose(functions: &[Function], module: &[u8]) -> Vec<Chosen> {
    let places = places(functions, module);
    let mut groups: Vec<Vec<Place>> = Vec::new();
    let mut heap = BinaryHeap::new();
    for group in places.chunk_by(|one, other| one.hash == other.hash) {
        let gain = gain(group);
        if gain >= LEAST {
            heap.push((gain, groups.len()));
            groups.push(group.to_vec());
        }
    }
    drop(places);
    let mut taken: Vec<Vec<bool>> =
        functions.iter().map(|function| vec![false; function.ops.len()]).collect();
    let mut chosen = Vec::new();
    while let Some((_, number)) = heap.pop() {
        let Some(group) = groups.get_mut(number) else { continue };
        let left = free(group, &taken);
        let now = gain(&left);
        if now < LEAST {
            continue;
        }
        if heap.peek().is_some_and(|(next, _)| now < *next) {
            *group = left;
            heap.push((now, number));
            continue;
        }
        let Some(new) = same(functions, module, &left) else { continue };
        for (place, _) in &new.calls {
            let within = taken.get_mut(place.function as usize);
            if let Some(within) =
                within.and_then(|taken| taken.get_mut(place.from as usize..place.to as usize))
            {
                within.fill(true);
            }
        }
        chosen.push(new);
    }
    chosen
}

/// All ranges that would be shorter as a call, those with one text together.
fn places(functions: &[Function], module: &[u8]) -> Vec<Place> {
    let mut found = Vec::new();
    for (number, function) in (0..).zip(functions).filter(|(_, function)| !function.is_hot) {
        for from in 0..function.ops.len() {
            begin(function, number, from, module, &mut found);
        }
    }
    found.sort_unstable_by_key(|place| (place.hash, place.function, place.from));
    found
}

/// The ranges that begin at an operator.
fn begin(function: &Function, number: u32, from: usize, module: &[u8], found: &mut Vec<Place>) {
    let mut walk = Walk::new(function, from, module);
    for at in from..from + MAX_OPS {
        match walk.grow(at) {
            Grown::Not => break,
            Grown::Inside => continue,
            Grown::Whole => {}
        }
        let short = |size: usize| u16::try_from(size).unwrap_or(u16::MAX);
        let wide = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        if let Some(costs) = walk.costs(at + 1)
            && walk.bytes > costs.call
        {
            found.push(Place {
                hash: costs.hash,
                function: number,
                from: wide(from),
                to: wide(at + 1),
                bytes: short(walk.bytes),
                call: short(costs.call),
                frame: short(costs.frame),
            });
        }
    }
}

/// So many bytes a function saves.
fn gain(places: &[Place]) -> i64 {
    let saved = |place: &Place| i64::from(place.bytes) - i64::from(place.call) - TOLL;
    let body = places.first().map_or(0, |place| i64::from(place.bytes) + i64::from(place.frame));
    places.iter().map(saved).sum::<i64>() - body
}

/// What is left of places where others are taken, none of them over another.
fn free(places: &[Place], taken: &[Vec<bool>]) -> Vec<Place> {
    let mut left: Vec<Place> = Vec::new();
    for place in places {
        let within = taken.get(place.function as usize);
        let within = within.and_then(|taken| taken.get(place.from as usize..place.to as usize));
        let is_free = within.is_some_and(|within| within.iter().all(|taken| !taken));
        let is_after = |last: &Place| last.function != place.function || last.to <= place.from;
        if is_free && left.last().is_none_or(is_after) {
            left.push(*place);
        }
    }
    left
}

/// The places that have the same text as the first: a hash may be met by chance.
fn same(functions: &[Function], module: &[u8], places: &[Place]) -> Option<Chosen> {
    let mut found: Option<Chosen> = None;
    for place in places {
        let mut walk = Walk::new(functions.get(place.function as usize)?, place.from as usize, module);
        for at in place.from..place.to {
            walk.grow(at as usize);
        }
        let Some((shape, handed)) = walk.shape(place.to as usize) else { continue };
        match &mut found {
            None => found = Some(Chosen { shape, calls: vec![(*place, handed)] }),
            Some(found) if found.shape == shape => found.calls.push((*place, handed)),
            Some(_) => {}
        }
    }
    found.filter(|found| found.calls.len() > 1)
}
