//! `random`: a text that matches a regular expression.
//!
//! In: `[a-z]{5}`. Out: five letters that the host's random numbers chose. The language is a plain one without
//! `\d`, `(?…)` and the like, in which `.` stands for a printable character of ASCII here; the original mostly
//! gives U+FFFD for it.
//!
//! Mirrors: github.com/zach-klippenstein/goregen.

use super::arguments::text;
use crate::value::re2::ast::Node;
use crate::value::re2::class::Class;
use crate::value::re2::{Dialect, parse};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "random",
    args: &[Arg::STRING],
    returns: &[Kind::String],
    note: "a random text that matches the regular expression",
    examples: &[("random('ab{2}(c|c)')", "\"abbc\""), ("length(random('[a-z]{8}'))", "8")],
    run: random,
}];

/// How many bytes a random text may have.
const MAX_LENGTH: usize = 1 << 20;

/// How often `*` and `+` repeat at most.
const MAX_REPEATS: u32 = 4096;

fn random(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let pattern = text("random", arguments, 0)?;
    if pattern.is_empty() {
        return Err(EvalError::other("no pattern provided"));
    }
    call.charge(pattern.len())?;
    let parsed = parse(pattern, Dialect::Plain).map_err(|error| EvalError::other(error.to_string()))?;
    let mut out = String::new();
    generate(call, &parsed.node, pattern, &mut out)?;
    Ok(Value::from(out))
}

/// Appends a text that matches a part. The height of the tree is bounded, and every part takes from the budget.
fn generate(call: &mut Call<'_, '_>, node: &Node, pattern: &str, out: &mut String) -> Result<(), EvalError> {
    call.charge(1)?;
    if out.len() > MAX_LENGTH {
        return Err(EvalError::limit(format!("the random text exceeds {MAX_LENGTH} bytes")));
    }
    match node {
        Node::Empty | Node::Assert(_) => Ok(()),
        Node::Char(c) => {
            out.push(*c);
            Ok(())
        }
        Node::Any { .. } => {
            let code = below(call, 0x7f - 0x20);
            out.push(char::from_u32(0x20 + code).unwrap_or(' '));
            Ok(())
        }
        Node::Class(class) => {
            let c = one_of(call, class).ok_or_else(|| {
                EvalError::other(format!("invalid generator pattern: /{pattern}/ matches no text"))
            })?;
            out.push(c);
            Ok(())
        }
        Node::Capture(_, node) => generate(call, node, pattern, out),
        Node::Concat(nodes) => nodes.iter().try_for_each(|node| generate(call, node, pattern, out)),
        Node::Alternate(nodes) => {
            let chosen = below(call, u32::try_from(nodes.len()).unwrap_or(u32::MAX));
            match nodes.get(chosen as usize) {
                Some(node) => generate(call, node, pattern, out),
                None => Ok(()),
            }
        }
        Node::Repeat { node, min, max, .. } => {
            let max = max.unwrap_or_else(|| MAX_REPEATS.max(*min));
            let count = min + below(call, max - min + 1);
            (0..count).try_for_each(|_| generate(call, node, pattern, out))
        }
    }
}

/// A random number below `bound`, which is not zero; 0 where it is.
fn below(call: &Call<'_, '_>, bound: u32) -> u32 {
    // The high bits of a product: no bound is favoured by more than 2^-32.
    let product = u128::from(call.host().random()) * u128::from(bound);
    u32::try_from(product >> 64).unwrap_or(0)
}

/// A character of the set, none of them preferred; surrogates become U+FFFD as in Go. NUL is left out.
fn one_of(call: &Call<'_, '_>, class: &Class) -> Option<char> {
    let ranges =
        class.ranges().iter().map(|&(low, high)| (low.max(1), high)).filter(|(low, high)| low <= high);
    let total: u32 = ranges.clone().map(|(low, high)| high - low + 1).sum();
    if total == 0 {
        return None;
    }
    let mut left = below(call, total);
    for (low, high) in ranges {
        let size = high - low + 1;
        if left < size {
            return Some(char::from_u32(low + left).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        left -= size;
    }
    None
}
