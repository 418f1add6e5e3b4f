//! What calls cost, as cel-go counts with Kubernetes' estimator.
//!
//! In: the arguments of a call and the size of its result. Out: units of the cost limit. The rules are those of cel-go
//! (`interpreter/runtimecost.go`, `ext`) and of Kubernetes (`apiserver/pkg/cel/library/cost.go`), which go first.

use crate::error::Error;
use crate::value::{Value, go_type};

/// What an identifier or a selection costs.
pub(crate) const SELECT: u64 = 1;
/// What a list literal costs that is not constant.
pub(crate) const LIST: u64 = 10;
/// What a map literal costs that is not constant.
pub(crate) const MAP: u64 = 30;
/// What a struct literal costs.
pub(crate) const STRUCT: u64 = 40;

/// What a call costs.
#[derive(Clone, Copy, Debug)]
pub enum Cost {
    /// 1.
    One,
    /// A fixed number of units.
    Fixed(u64),
    /// By the arguments.
    Args(fn(&[Value<'_>]) -> u64),
    /// The same, where the original takes it for granted that an argument is of some type.
    Typed(Granted, fn(&[Value<'_>]) -> u64),
    /// By the size of the result.
    Result(fn(u64) -> u64),
    /// By both; the first gives what the arguments cost, to which the size of the result and a rounded-up 1 are added.
    Both(fn(&[Value<'_>]) -> f64, Rounding),
}

/// What cel-go's cost rules take for granted of an argument: the place and the type. They panic where it does not hold.
#[derive(Clone, Copy, Debug)]
pub enum Granted {
    /// A list.
    List(usize),
    /// An `int`.
    Int(usize),
}

impl Granted {
    /// The error of arguments of which that does not hold; the argument behind those that are given has failed.
    // cel-go: ext/lists.go trackListDistinct, trackListSort, trackListSortBy, trackListFlattenLegacy.
    pub(crate) fn refused(self, args: &[Value<'_>]) -> Option<Box<Error>> {
        let (Granted::List(at) | Granted::Int(at)) = self;
        let arg = args.get(at);
        let of = arg.map_or("*types.Err", go_type);
        let text = match self {
            Granted::List(_) if arg.is_some_and(|arg| arg.as_list().is_some()) => return None,
            Granted::Int(_) if matches!(arg, Some(Value::Int(_))) => return None,
            Granted::List(_) => {
                // Go names the first method, by the alphabet, that the type does not have.
                let method = if arg.is_some_and(has_add) { "Contains" } else { "Add" };
                format!("interface conversion: {of} is not traits.Lister: missing method {method}")
            }
            Granted::Int(_) => format!("interface conversion: ref.Val is {of}, not types.Int"),
        };
        Some(Error::internal(text))
    }
}

fn has_add(value: &Value<'_>) -> bool {
    let is_number = matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_));
    let is_time = matches!(value, Value::Duration(_) | Value::Timestamp(_));
    is_number || is_time || value.as_str().is_some() || value.as_bytes().is_some()
}

/// How a cost with a fraction becomes a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The next whole number above.
    Up,
    /// The whole number below.
    Down,
}

/// What a call costs, before its result is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pending {
    Known(u64),
    Result(fn(u64) -> u64),
    Both(f64, Rounding),
}

impl Cost {
    /// The error in which a call ends whatever it gives; see [`Granted`].
    pub(crate) fn refused(self, args: &[Value<'_>]) -> Option<Box<Error>> {
        if let Cost::Typed(granted, _) = self { granted.refused(args) } else { None }
    }

    /// The cost, as far as the arguments say it.
    pub(crate) fn before(self, args: &[Value<'_>]) -> Pending {
        match self {
            Cost::One => Pending::Known(1),
            Cost::Fixed(units) => Pending::Known(units),
            Cost::Args(rule) | Cost::Typed(_, rule) => Pending::Known(rule(args)),
            Cost::Result(rule) => Pending::Result(rule),
            Cost::Both(rule, rounding) => Pending::Both(rule(args), rounding),
        }
    }
}

impl Pending {
    /// The cost; an error counts as a result of size 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "costs are positive; Go converts so"
    )]
    pub(crate) fn units(self, result: Option<&Value<'_>>) -> u64 {
        let size = || result.map_or(1, size);
        match self {
            Pending::Known(units) => units,
            Pending::Result(rule) => rule(size()),
            Pending::Both(args, rounding) => {
                // cel-go: ext/costs.go actualSize; an optional value has no size there.
                let is_optional = matches!(result, Some(Value::Optional(_)));
                let total = 1.0 + args + if is_optional { 1.0 } else { size() as f64 };
                if rounding == Rounding::Up { total.ceil() as u64 } else { total as u64 }
            }
        }
    }
}

/// The size by which a value is charged; 1 for what has none.
// cel-go: runtimecost.go actualSize.
pub fn size(value: &Value<'_>) -> u64 {
    match value {
        Value::Optional(Some(value)) => size(value),
        value => value.size().unwrap_or(1),
    }
}

fn arg(args: &[Value<'_>], at: usize) -> u64 {
    args.get(at).map_or(1, size)
}

/// Up to here a tenth in floats, rounded up, is the tenth in whole numbers.
const EXACT: u64 = 1 << 20;

/// What it costs to go through a text so many times, in the floats of the original.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "costs are positive; Go converts so"
)]
pub fn traversal(size: u64, times: u64) -> u64 {
    let units = size.saturating_mul(times);
    if units <= 10 {
        return u64::from(units > 0);
    }
    if units <= EXACT {
        return units.div_ceil(10);
    }
    ((size as f64 * times as f64) * 0.1).ceil() as u64
}

fn regex_units(text: u64, pattern: u64) -> u64 {
    traversal(text + 1, 1).saturating_mul(pattern.div_ceil(4))
}

/// The first argument once.
pub const TEXT: Cost = Cost::Args(|args| traversal(arg(args, 0), 1));
/// The first argument twice.
pub const TEXT_TWICE: Cost = Cost::Args(|args| traversal(arg(args, 0), 2));
/// The second argument once.
pub const SECOND_TEXT: Cost = Cost::Args(|args| traversal(arg(args, 1), 1));
/// The smaller of two arguments: equality and order.
pub const SMALLER: Cost = Cost::Args(|args| traversal(arg(args, 0).min(arg(args, 1)), 1));
/// Both arguments: what is put together.
pub const SUM: Cost = Cost::Args(|args| traversal(arg(args, 0) + arg(args, 1), 1));
/// One in the other.
pub const PRODUCT: Cost =
    Cost::Args(|args| traversal(arg(args, 0), 1).saturating_mul(traversal(arg(args, 1), 1)));
/// A regular expression, the second argument, over a text.
pub const PATTERN: Cost = Cost::Args(|args| regex_units(arg(args, 0), arg(args, 1)));
/// A regular expression of `regex.…` over a text, and the result.
pub const EXTRACT: Cost = Cost::Both(regex_share, Rounding::Up);
/// The same and a list.
pub const EXTRACT_ALL: Cost = Cost::Both(|args| regex_share(args) + LIST as f64, Rounding::Up);
/// The same, rounded down.
pub const REPLACE: Cost = Cost::Both(regex_share, Rounding::Down);
/// Twice what was joined.
pub const JOINED: Cost = Cost::Result(|size| traversal(size, 2));
/// The elements of the second argument.
pub const ELEMENTS: Cost = Cost::Args(|args| arg(args, 1));
/// The elements of the first argument; of a text its traversal; texts within are gone through too.
pub const EACH: Cost = Cost::Args(|args| args.first().map_or(0, each));
/// A list of the size of the result.
pub const OUTPUT: Cost = Cost::Result(|size| size.saturating_add(1 + LIST));
/// A list of the size of the first argument.
pub const FLATTEN: Cost = Cost::Args(|args| allocated(1.0, arg(args, 0)));
/// A list of the size of the first argument for each level that the second one says.
pub const FLATTEN_TO: Cost = Cost::Typed(Granted::Int(1), |args| {
    let depth = if let Some(Value::Int(depth)) = args.get(1) { *depth as f64 } else { 1.0 };
    allocated(if depth < 0.0 { 1.0 } else { depth }, arg(args, 0))
});
/// The elements of the first argument, each with each.
pub const SELF_COMPARE: Cost = Cost::Typed(Granted::List(0), |args| args.first().map_or(1, self_compare));
/// The elements of the second argument, each with each.
pub const KEYS_COMPARE: Cost = Cost::Typed(Granted::List(1), |args| args.get(1).map_or(1, self_compare));
/// The elements of one list with those of the other.
pub const SETS: Cost = Cost::Args(|args| arg(args, 0).saturating_mul(arg(args, 1)).saturating_add(1));
/// The same twice.
pub const SETS_TWICE: Cost =
    Cost::Args(|args| arg(args, 0).saturating_mul(arg(args, 1)).saturating_mul(2).saturating_add(1));
/// The elements of the first argument and the call.
pub const ELEMENTS_AND_CALL: Cost = Cost::Args(|args| arg(args, 0).saturating_add(1));
/// The first argument once, and the call.
pub const TEXT_AND_CALL: Cost = Cost::Args(|args| traversal(arg(args, 0), 1).saturating_add(1));
/// More than any limit.
pub const MAXIMUM: Cost = Cost::Fixed(u64::MAX);

fn regex_share(args: &[Value<'_>]) -> f64 {
    (arg(args, 0) + 1) as f64 * 0.1 * ((arg(args, 1) + 1) as f64 * 0.25)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "costs are positive; Go converts so"
)]
fn allocated(factor: f64, size: u64) -> u64 {
    let units = size as f64 * factor;
    // Go: a float beyond the whole numbers becomes 2^63 on most machines.
    let units = if units >= u64::MAX as f64 { 1 << 63 } else { units as u64 };
    units.saturating_add(1 + LIST)
}

// cel-go: ext/lists.go trackListSelfCompare.
fn self_compare(list: &Value<'_>) -> u64 {
    let size = size(list);
    let first = list.as_list().and_then(|list| list.get(0));
    let texts = first.is_some_and(|first| first.as_str().is_some() || first.as_bytes().is_some());
    allocated(if texts { 2.1 } else { 2.0 }, size.saturating_mul(size))
}

// Kubernetes: library/cost.go traversalCost. The depth is that of the value.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "costs are positive; Go converts so"
)]
fn each(value: &Value<'_>) -> u64 {
    if let Some(bytes) = value.as_str().map(str::as_bytes).or_else(|| value.as_bytes()) {
        return (bytes.len() as f64 * 0.1) as u64;
    }
    if let Some(list) = value.as_list() {
        return list.iter().map(|element| each(&element)).sum();
    }
    value.as_map().map_or(1, |map| map.iter().map(|(key, value)| each(&key) + each(&value)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_in_whole_numbers_is_the_tenth_in_floats() {
        for units in 0..=EXACT {
            assert_eq!(traversal(units, 1) as f64, (units as f64 * 0.1).ceil(), "{units}");
        }
    }
}
