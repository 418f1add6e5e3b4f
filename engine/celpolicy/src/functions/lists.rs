//! Sums, extremes and places of lists (Kubernetes: `library/lists.go`).

use super::{one, two};
use engine_cel::cost::{self};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Overload};
use engine_cel::value::{Equality, Value, compare, equal, is_ordered};
use std::cmp::Ordering;

/// An overload for lists of one type.
macro_rules! of_list {
    ($run:expr, $name:literal, $suffix:literal, $of:literal, $gives:literal) => {
        one(concat!("list_", $name, "_", $suffix), concat!("list(", $of, ").() -> ", $gives), $run)
            .cost_by_name(cost::EACH)
    };
}

/// The overloads for lists of each type whose values have an order.
macro_rules! comparable {
    ($run:expr, $suffix:literal) => {
        &[
            of_list!($run, "int", $suffix, "int", "int"),
            of_list!($run, "uint", $suffix, "uint", "uint"),
            of_list!($run, "double", $suffix, "double", "double"),
            of_list!($run, "bool", $suffix, "bool", "bool"),
            of_list!($run, "duration", $suffix, "duration", "duration"),
            of_list!($run, "timestamp", $suffix, "timestamp", "timestamp"),
            of_list!($run, "string", $suffix, "string", "string"),
            of_list!($run, "bytes", $suffix, "bytes", "bytes"),
        ]
    };
}

const SORTED: &[Overload] = &[
    of_list!(|_, list| is_sorted(&list), "int", "is_sorted_bool", "int", "bool"),
    of_list!(|_, list| is_sorted(&list), "uint", "is_sorted_bool", "uint", "bool"),
    of_list!(|_, list| is_sorted(&list), "double", "is_sorted_bool", "double", "bool"),
    of_list!(|_, list| is_sorted(&list), "bool", "is_sorted_bool", "bool", "bool"),
    of_list!(|_, list| is_sorted(&list), "duration", "is_sorted_bool", "duration", "bool"),
    of_list!(|_, list| is_sorted(&list), "timestamp", "is_sorted_bool", "timestamp", "bool"),
    of_list!(|_, list| is_sorted(&list), "string", "is_sorted_bool", "string", "bool"),
    of_list!(|_, list| is_sorted(&list), "bytes", "is_sorted_bool", "bytes", "bool"),
];

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "isSorted",
        overloads: SORTED,
        note: "Whether no element is greater than the next.",
        examples: &[("[1, 2, 2].isSorted()", "true"), ("['b', 'a'].isSorted()", "false")],
    },
    Function {
        name: "sum",
        overloads: &[
            of_list!(|_, list| sum(&list, Value::Int(0)), "int", "sum_int", "int", "int"),
            of_list!(|_, list| sum(&list, Value::Uint(0)), "uint", "sum_uint", "uint", "uint"),
            of_list!(|_, list| sum(&list, Value::Double(0.0)), "double", "sum_double", "double", "double"),
            of_list!(
                |_, list| sum(&list, Value::Duration(0)),
                "duration",
                "sum_duration",
                "duration",
                "duration"
            ),
        ],
        note: "The sum of the elements; 0 of none.",
        examples: &[("[1, 3].sum()", "4"), ("[].sum()", "0")],
    },
    Function {
        name: "max",
        overloads: comparable!(|_, list| extreme(&list, "max", Ordering::Less), "max"),
        note: "The greatest element.",
        examples: &[("[1, 3, 2].max()", "3")],
    },
    Function {
        name: "min",
        overloads: comparable!(|_, list| extreme(&list, "min", Ordering::Greater), "min"),
        note: "The least element.",
        examples: &[("[1, 3, 2].min()", "1")],
    },
    Function {
        name: "indexOf",
        overloads: &[two("list_a_index_of_int", "list(A).(A) -> int", |_, list, item| {
            place(&list, &item, |places| places.next())
        })
        .cost_by_name(cost::EACH)],
        note: "The first place of an element; -1 where it is missing.",
        examples: &[("[1, 2, 1].indexOf(1)", "0")],
    },
    Function {
        name: "lastIndexOf",
        overloads: &[two("list_a_last_index_of_int", "list(A).(A) -> int", |_, list, item| {
            place(&list, &item, |places| places.last())
        })
        .cost_by_name(cost::EACH)],
        note: "The last place of an element; -1 where it is missing.",
        examples: &[("[1, 2, 1].lastIndexOf(1)", "2")],
    },
];

/// What version 1 of the library adds.
pub const INCLUDES: &[Function] = &[Function {
    name: "includes",
    overloads: &[two("list_includes_dyn_dyn", "dyn.(dyn) -> bool", |_, target, item| {
        let is_it = |value: &Value<'_>| equal(value, &item) == Equality::Equal;
        Ok(Value::Bool(match target.as_list() {
            Some(list) => list.iter().any(|element| is_it(&element)),
            None => is_it(&target),
        }))
    })
    .cost_by_name(cost::EACH)],
    note: "Whether an element is in a list, or is what stands in its place.",
    examples: &[("[1, 2].includes(2)", "true"), ("'a'.includes('b')", "false")],
}];

fn is_sorted<'v>(list: &Value<'v>) -> Outcome<'v> {
    let mut before: Option<Value<'v>> = None;
    for next in list.as_list().ok_or_else(Error::no_overload)?.iter() {
        if !is_ordered(&next) {
            return Err(Error::no_overload());
        }
        // Kubernetes: values that cannot be compared with one another are passed over.
        if before.is_some_and(|before| compare(&before, &next) == Ok(Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
        before = Some(next);
    }
    Ok(Value::Bool(true))
}

fn sum<'v>(list: &Value<'v>, zero: Value<'v>) -> Outcome<'v> {
    list.as_list().ok_or_else(Error::no_overload)?.iter().try_fold(zero, |sum, next| {
        let overflow = |text: &'static str| move || Error::text(text);
        Ok(match (sum, next) {
            (Value::Int(a), Value::Int(b)) => {
                Value::Int(a.checked_add(b).ok_or_else(overflow("integer overflow"))?)
            }
            (Value::Uint(a), Value::Uint(b)) => {
                Value::Uint(a.checked_add(b).ok_or_else(overflow("unsigned integer overflow"))?)
            }
            (Value::Double(a), Value::Double(b)) => Value::Double(a + b),
            (Value::Duration(a), Value::Duration(b)) => {
                Value::Duration(a.checked_add(b).ok_or_else(overflow("integer overflow"))?)
            }
            _ => return Err(Error::no_overload()),
        })
    })
}

fn extreme<'v>(list: &Value<'v>, name: &str, worse: Ordering) -> Outcome<'v> {
    let mut best: Option<Value<'v>> = None;
    for next in list.as_list().ok_or_else(Error::no_overload)?.iter() {
        if !is_ordered(&next) {
            return Err(Error::no_overload());
        }
        if best.as_ref().is_none_or(|best| compare(best, &next) == Ok(worse)) {
            best = Some(next);
        }
    }
    best.ok_or_else(|| Error::text(format!("{name} called on empty list")))
}

fn place<'v>(
    list: &Value<'v>,
    item: &Value<'v>,
    choose: fn(&mut dyn Iterator<Item = usize>) -> Option<usize>,
) -> Outcome<'v> {
    let elements = list.as_list().ok_or_else(Error::no_overload)?.iter().enumerate();
    let mut places =
        elements.filter(|(_, element)| equal(element, item) == Equality::Equal).map(|(place, _)| place);
    Ok(Value::Int(choose(&mut places).and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)))
}
