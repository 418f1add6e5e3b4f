//! Bits of whole numbers (cel-go: `ext/math.go`).

use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.bitAnd",
        overloads: &[
            Overload::new("math_bitAnd_int_int", "(int, int) -> int").run(Run::Two(and)),
            Overload::new("math_bitAnd_uint_uint", "(uint, uint) -> uint").run(Run::Two(and)),
        ],
        note: "The bits set in both.",
        examples: &[("math.bitAnd(6, 3)", "2")],
    },
    Function {
        name: "math.bitNot",
        overloads: &[
            Overload::new("math_bitNot_int_int", "(int) -> int").run(Run::One(not)),
            Overload::new("math_bitNot_uint_uint", "(uint) -> uint").run(Run::One(not)),
        ],
        note: "The bits turned over.",
        examples: &[("math.bitNot(1)", "-2")],
    },
    Function {
        name: "math.bitOr",
        overloads: &[
            Overload::new("math_bitOr_int_int", "(int, int) -> int").run(Run::Two(or)),
            Overload::new("math_bitOr_uint_uint", "(uint, uint) -> uint").run(Run::Two(or)),
        ],
        note: "The bits set in one of the two.",
        examples: &[("math.bitOr(6, 3)", "7")],
    },
    Function {
        name: "math.bitShiftLeft",
        overloads: &[
            Overload::new("math_bitShiftLeft_int_int", "(int, int) -> int").run(Run::Two(left)),
            Overload::new("math_bitShiftLeft_uint_int", "(uint, int) -> uint").run(Run::Two(left)),
        ],
        note: "The bits moved to the left.",
        examples: &[("math.bitShiftLeft(1, 3)", "8")],
    },
    Function {
        name: "math.bitShiftRight",
        overloads: &[
            Overload::new("math_bitShiftRight_int_int", "(int, int) -> int").run(Run::Two(right)),
            Overload::new("math_bitShiftRight_uint_int", "(uint, int) -> uint").run(Run::Two(right)),
        ],
        note: "The bits moved to the right, zeros from the left.",
        examples: &[("math.bitShiftRight(8, 2)", "2")],
    },
    Function {
        name: "math.bitXor",
        overloads: &[
            Overload::new("math_bitXor_int_int", "(int, int) -> int").run(Run::Two(xor)),
            Overload::new("math_bitXor_uint_uint", "(uint, uint) -> uint").run(Run::Two(xor)),
        ],
        note: "The bits set in just one of the two.",
        examples: &[("math.bitXor(6, 3)", "5")],
    },
];

/// Two ints or two uints as one.
fn both<'v>(a: &Value<'v>, b: &Value<'v>, join: fn(u64, u64) -> u64) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            Ok(Value::Int(join(a.cast_unsigned(), b.cast_unsigned()).cast_signed()))
        }
        (Value::Uint(a), Value::Uint(b)) => Ok(Value::Uint(join(*a, *b))),
        _ => Err(Error::no_overload()),
    }
}

fn and<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    both(&a, &b, |a, b| a & b)
}

fn or<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    both(&a, &b, |a, b| a | b)
}

fn xor<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    both(&a, &b, |a, b| a ^ b)
}

fn not<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value {
        Value::Int(i) => Ok(Value::Int(!i)),
        Value::Uint(u) => Ok(Value::Uint(!u)),
        _ => Err(Error::no_overload()),
    }
}

/// Moves bits; by 64 and more nothing is left.
fn shift<'v>(
    value: &Value<'v>,
    by: &Value<'v>,
    name: &str,
    move_bits: fn(u64, u32) -> Option<u64>,
) -> Outcome<'v> {
    let Value::Int(by) = by else { return Err(Error::no_overload()) };
    if *by < 0 {
        return Err(Error::text(format!("{name}() negative offset: {by}")));
    }
    let by = u32::try_from(*by).unwrap_or(u32::MAX);
    match value {
        Value::Int(i) => Ok(Value::Int(move_bits(i.cast_unsigned(), by).unwrap_or(0).cast_signed())),
        Value::Uint(u) => Ok(Value::Uint(move_bits(*u, by).unwrap_or(0))),
        _ => Err(Error::no_overload()),
    }
}

fn left<'v>(_: &mut Host<'_>, value: Value<'v>, by: Value<'v>) -> Outcome<'v> {
    shift(&value, &by, "math.bitShiftLeft", u64::checked_shl)
}

fn right<'v>(_: &mut Host<'_>, value: Value<'v>, by: Value<'v>) -> Outcome<'v> {
    shift(&value, &by, "math.bitShiftRight", u64::checked_shr)
}
