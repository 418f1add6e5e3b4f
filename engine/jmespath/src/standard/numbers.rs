//! Functions over numbers: `abs`, `avg`, `ceil`, `floor`, `sum`.
//!
//! Example: ``avg(`[1,2]`)`` is 1.5; of an empty list it is NaN, which no JSON holds.

use super::{list, number};
use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "abs",
        args: &[Arg::NUMBER],
        returns: &[Kind::Number],
        note: "the number without its sign",
        examples: &[("abs(`-1.5`)", "1.5")],
        run: |_, arguments| Ok(Value::from(number(arguments, 0)?.abs())),
    },
    Function {
        name: "avg",
        args: &[Arg::ARRAY_NUMBER],
        returns: &[Kind::Number],
        note: "the average of the numbers",
        examples: &[("avg(`[1,2]`)", "1.5")],
        run: |call, arguments| {
            let count = list(arguments, 0)?.len() as f64;
            Ok(Value::from(total(call, arguments)? / count))
        },
    },
    Function {
        name: "ceil",
        args: &[Arg::NUMBER],
        returns: &[Kind::Number],
        note: "the next whole number not below",
        examples: &[("ceil(`1.2`)", "2"), ("ceil(`-1.2`)", "-1")],
        run: |_, arguments| Ok(Value::from(number(arguments, 0)?.ceil())),
    },
    Function {
        name: "floor",
        args: &[Arg::NUMBER],
        returns: &[Kind::Number],
        note: "the next whole number not above",
        examples: &[("floor(`1.2`)", "1"), ("floor(`-1.2`)", "-2")],
        run: |_, arguments| Ok(Value::from(number(arguments, 0)?.floor())),
    },
    Function {
        name: "sum",
        args: &[Arg::ARRAY_NUMBER],
        returns: &[Kind::Number],
        note: "the sum of the numbers",
        examples: &[("sum(`[1,2]`)", "3"), ("sum(`[]`)", "0")],
        run: |call, arguments| Ok(Value::from(total(call, arguments)?)),
    },
];

fn total(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<f64, EvalError> {
    let numbers = list(arguments, 0)?;
    call.charge(numbers.len())?;
    Ok(numbers.iter().filter_map(Value::as_f64).fold(0.0, |sum, number| sum + number))
}
