//! A module that says once what it repeats.
//!
//! In: a module with the names of its functions. Out: one in which ranges of operators that are met more than once are functions
//! that are called in their place, and which has no names any more. wasm-opt has no such pass.

use super::choose::{Chosen, choose};
use super::function::{Function, What};
use super::parts::{Parts, unread};
use super::range::{GET, Handed, SET, local_op};
use std::collections::HashSet;
use wasm_encoder::Encode;
use wasmparser::{BinaryReaderError, FuncValidatorAllocations, Parser, ValidPayload, Validator};

/// What is repeated within functions that were made so is made a function in another round.
const ROUNDS: usize = 2;
/// Numbers of functions below this have one byte.
const ONE_BYTE: u32 = 128;
const CALL: u8 = 0x10;

/// What is called for every sign of a text, or every piece of memory: a call more within it would be felt in each
/// verdict.
const HOT: [&str; 37] = [
    "<[u8]>",
    "<char>",
    "<str",
    "Allocator>::",
    "Chars",
    "ConvertVec",
    "Formatter>::pad",
    "__rust_",
    "alloc::boxed",
    "alloc::fmt",
    "alloc::string",
    "alloc::sync",
    "alloc::vec",
    "alloc_impl_runtime",
    "core::array",
    "core::char",
    "core::cmp",
    "core::fmt::write",
    "core::iter",
    "core::ptr::drop_in_place<smol",
    "core::slice",
    "core::str",
    "dlmalloc",
    "engine::load::check::field",
    "engine::load::check::given",
    "engine::load::check::items",
    "engine::load::decode",
    "engine::pattern",
    "engine::template",
    "engine_jmespath",
    "engine_json",
    "engine_values::wildcard",
    "engine_yaml::fast",
    "memchr",
    "memcmp",
    "raw_vec",
    "smol_str",
];

/// The module, shorter.
pub(super) fn once(module: &[u8]) -> Result<Vec<u8>, String> {
    let names = Parts::read(module).and_then(|parts| parts.names()).map_err(unread)?;
    let mut now = module.to_vec();
    for _ in 0..ROUNDS {
        now = round(&now, &names)?;
    }
    ordered(&now, names.len())
}

/// Functions as lists of operators.
fn functions(module: &[u8]) -> Result<Vec<Function>, BinaryReaderError> {
    let mut validator = Validator::new();
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let ValidPayload::Func(function, body) = validator.payload(&payload?)? {
            found.push(Function::read(&body, function.into_validator(FuncValidatorAllocations::default()))?);
        }
    }
    Ok(found)
}

/// One round.
fn round(module: &[u8], names: &[String]) -> Result<Vec<u8>, String> {
    let mut functions = functions(module).map_err(unread)?;
    for (function, name) in functions.iter_mut().zip(names) {
        function.is_hot = name.is_empty() || HOT.iter().any(|hot| name.contains(hot));
    }
    let mut parts = Parts::read(module).map_err(unread)?;
    let mut calls: Vec<Vec<Replaced>> = functions.iter().map(|_| Vec::new()).collect();
    for Chosen { shape, calls: places } in choose(&functions, module) {
        let number = parts.add(shape.signature, shape.body);
        for (place, handed) in places {
            if let Some(calls) = calls.get_mut(place.function as usize) {
                calls.push((place.from as usize, place.to as usize, call(number, &handed)));
            }
        }
    }
    for (((_, body), function), calls) in parts.functions.iter_mut().zip(&functions).zip(&mut calls) {
        calls.sort();
        *body = with_calls(function, calls, module);
    }
    parts.write(|function| function)
}

/// From one operator to another there is this instead.
type Replaced = (usize, usize, Vec<u8>);

fn call(number: u32, handed: &Handed) -> Vec<u8> {
    let mut text = Vec::new();
    handed.inputs.iter().for_each(|local| local_op(&mut text, GET, *local as usize));
    text.push(CALL);
    number.encode(&mut text);
    handed.output.iter().for_each(|local| local_op(&mut text, SET, *local as usize));
    text
}

fn with_calls(function: &Function, calls: &[Replaced], module: &[u8]) -> Vec<u8> {
    let mut body = module.get(function.declared.clone()).unwrap_or_default().to_vec();
    let mut copied = 0;
    let copy = |body: &mut Vec<u8>, from: usize, to: usize| {
        for op in function.ops.get(from..to).unwrap_or_default() {
            body.extend_from_slice(module.get(op.at.clone()).unwrap_or_default());
        }
    };
    for (from, to, text) in calls {
        copy(&mut body, copied, *from);
        body.extend_from_slice(text);
        copied = *to;
    }
    copy(&mut body, copied, function.ops.len());
    body
}

/// The functions that are called in most places first, as their numbers are shorter; new ones beside what calls them first, which
/// travels better.
fn ordered(module: &[u8], old: usize) -> Result<Vec<u8>, String> {
    let functions = functions(module).map_err(unread)?;
    let mut parts = Parts::read(module).map_err(unread)?;
    let imported = parts.imported;
    let called = |function: &Function| -> Vec<usize> {
        let number = |what: &What| match what {
            What::Call(number) => number.checked_sub(imported).map(|number| number as usize),
            _ => None,
        };
        function.ops.iter().filter_map(|op| number(&op.what)).collect()
    };
    let calls: Vec<Vec<usize>> = functions.iter().map(called).collect();
    let mut counts = vec![0_usize; functions.len()];
    for number in calls.iter().flatten() {
        if let Some(count) = counts.get_mut(*number) {
            *count += 1;
        }
    }
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(counts.get(*number).copied().unwrap_or(0)));
    order.truncate(ONE_BYTE.saturating_sub(imported) as usize);
    let mut placed: HashSet<usize> = order.iter().copied().collect();
    for first in 0..functions.len() {
        let mut next = vec![first];
        while let Some(number) = next.pop() {
            if placed.insert(number) {
                order.push(number);
                next.extend(calls.get(number).into_iter().flatten().rev().filter(|called| **called >= old));
            }
        }
    }
    let mut numbers = vec![0; functions.len()];
    for (new, number) in (imported..).zip(&order) {
        if let Some(place) = numbers.get_mut(*number) {
            *place = new;
        }
    }
    let index = |number: u32| match number.checked_sub(imported) {
        Some(own) => numbers.get(own as usize).copied().unwrap_or(number),
        None => number,
    };
    let renumbered = |number: &usize| {
        let kind = parts.functions.get(*number)?.0;
        Some((kind, with_numbers(functions.get(*number)?, module, &index)))
    };
    parts.functions = order.iter().filter_map(renumbered).collect();
    parts.has_no_names = true;
    parts.write(index)
}

fn with_numbers(function: &Function, module: &[u8], index: &impl Fn(u32) -> u32) -> Vec<u8> {
    let mut calls: Vec<Replaced> = Vec::new();
    for (at, op) in function.ops.iter().enumerate() {
        if let What::Call(number) = op.what {
            calls.push((at, at + 1, call(index(number), &Handed::default())));
        }
    }
    with_calls(function, &calls, module)
}
