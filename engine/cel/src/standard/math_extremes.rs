//! The least and the greatest number (cel-go: `ext/math.go`).

use super::convert::same;
use crate::cost;
use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::{NotOrdered, Value, compare};
use std::cmp::Ordering;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.@max",
        overloads: &[
            Overload::new("math_@max_double", "(double) -> double").run(Run::One(same)),
            Overload::new("math_@max_int", "(int) -> int").run(Run::One(same)),
            Overload::new("math_@max_uint", "(uint) -> uint").run(Run::One(same)),
            Overload::new("math_@max_double_double", "(double, double) -> double").run(Run::Two(greatest)),
            Overload::new("math_@max_int_int", "(int, int) -> int").run(Run::Two(greatest)),
            Overload::new("math_@max_uint_uint", "(uint, uint) -> uint").run(Run::Two(greatest)),
            Overload::new("math_@max_int_uint", "(int, uint) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_int_double", "(int, double) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_double_int", "(double, int) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_double_uint", "(double, uint) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_uint_int", "(uint, int) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_uint_double", "(uint, double) -> dyn").run(Run::Two(greatest)),
            Overload::new("math_@max_list_double", "(list(double)) -> double")
                .run(Run::One(greatest_of))
                .cost(cost::ELEMENTS_AND_CALL),
            Overload::new("math_@max_list_int", "(list(int)) -> int")
                .run(Run::One(greatest_of))
                .cost(cost::ELEMENTS_AND_CALL),
            Overload::new("math_@max_list_uint", "(list(uint)) -> uint")
                .run(Run::One(greatest_of))
                .cost(cost::ELEMENTS_AND_CALL),
        ],
        note: "What `math.greatest` becomes: the greatest number.",
        examples: &[("math.greatest(1, 3, 2)", "3")],
    },
    Function {
        name: "math.@min",
        overloads: &[
            Overload::new("math_@min_double", "(double) -> double").run(Run::One(same)),
            Overload::new("math_@min_int", "(int) -> int").run(Run::One(same)),
            Overload::new("math_@min_uint", "(uint) -> uint").run(Run::One(same)),
            Overload::new("math_@min_double_double", "(double, double) -> double").run(Run::Two(least)),
            Overload::new("math_@min_int_int", "(int, int) -> int").run(Run::Two(least)),
            Overload::new("math_@min_uint_uint", "(uint, uint) -> uint").run(Run::Two(least)),
            Overload::new("math_@min_int_uint", "(int, uint) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_int_double", "(int, double) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_double_int", "(double, int) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_double_uint", "(double, uint) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_uint_int", "(uint, int) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_uint_double", "(uint, double) -> dyn").run(Run::Two(least)),
            Overload::new("math_@min_list_double", "(list(double)) -> double")
                .run(Run::One(least_of))
                .cost(cost::ELEMENTS_AND_CALL),
            Overload::new("math_@min_list_int", "(list(int)) -> int")
                .run(Run::One(least_of))
                .cost(cost::ELEMENTS_AND_CALL),
            Overload::new("math_@min_list_uint", "(list(uint)) -> uint")
                .run(Run::One(least_of))
                .cost(cost::ELEMENTS_AND_CALL),
        ],
        note: "What `math.least` becomes: the least number.",
        examples: &[("math.least(1, 3, 2)", "1")],
    },
];

/// The one of two numbers that lies in this direction; the first of two equal ones.
// cel-go: ext/math.go minPair, maxPair.
fn extreme<'v>(first: Value<'v>, second: Value<'v>, wanted: Ordering, name: &str) -> Outcome<'v> {
    match compare(&second, &first) {
        Ok(order) => Ok(if order == wanted { second } else { first }),
        Err(NotOrdered::Nan) => Err(Error::text(format!("NaN values cannot be ordered: {name}"))),
        Err(NotOrdered::Types | NotOrdered::Never) => Err(Error::text(format!("no such overload: {name}"))),
    }
}

// cel-go: ext/math.go minList, maxList.
fn extreme_of<'v>(list: &Value<'v>, wanted: Ordering, name: &str) -> Outcome<'v> {
    let Some(list) = list.as_list() else { return Err(Error::no_overload()) };
    let Some(mut found) = list.get(0) else {
        return Err(Error::text(format!("{name}(list) argument must not be empty")));
    };
    for element in list.iter().skip(1) {
        found = extreme(found, element, wanted, name)?;
    }
    Ok(found)
}

fn greatest<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    extreme(a, b, Ordering::Greater, "math.@max")
}

fn least<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    extreme(a, b, Ordering::Less, "math.@min")
}

fn greatest_of<'v>(_: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    extreme_of(&list, Ordering::Greater, "math.@max")
}

fn least_of<'v>(_: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    extreme_of(&list, Ordering::Less, "math.@min")
}
