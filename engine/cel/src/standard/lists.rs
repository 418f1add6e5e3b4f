//! Lists taken apart, sorted and made (cel-go: `ext/lists.go`, version 3).

use super::known::Known;
use crate::cost;
use crate::error::{Error, Kind, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::{ListRef, Value, compare, is_ordered};
use engine_json::arrange::Arrange as _;
use std::cmp::Ordering;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "@sortByAssociatedKeys",
        overloads: &[
            Overload::new("list_int_sortByAssociatedKeys", "list(T).(list(int)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
            Overload::new("list_uint_sortByAssociatedKeys", "list(T).(list(uint)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
            Overload::new("list_double_sortByAssociatedKeys", "list(T).(list(double)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
            Overload::new("list_bool_sortByAssociatedKeys", "list(T).(list(bool)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
            Overload::new(
                "list_google.protobuf.Duration_sortByAssociatedKeys",
                "list(T).(list(duration)) -> list(T)",
            )
            .run(Run::Two(sort_by_keys))
            .cost(cost::KEYS_COMPARE)
            .unguarded(),
            Overload::new(
                "list_google.protobuf.Timestamp_sortByAssociatedKeys",
                "list(T).(list(timestamp)) -> list(T)",
            )
            .run(Run::Two(sort_by_keys))
            .cost(cost::KEYS_COMPARE)
            .unguarded(),
            Overload::new("list_string_sortByAssociatedKeys", "list(T).(list(string)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
            Overload::new("list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) -> list(T)")
                .run(Run::Two(sort_by_keys))
                .cost(cost::KEYS_COMPARE)
                .unguarded(),
        ],
        note: "What `sortBy` becomes: the elements in the order of their keys.",
        examples: &[],
    },
    Function {
        name: "distinct",
        overloads: &[Overload::new("list_distinct", "list(T).() -> list(T)")
            .run(Run::One(distinct))
            .cost(cost::SELF_COMPARE)],
        note: "The elements without repetitions, each at its first place.",
        examples: &[("[1, 2, 1].distinct()", "[1,2]")],
    },
    Function {
        name: "flatten",
        overloads: &[
            Overload::new("list_flatten", "list(list(T)).() -> list(T)")
                .run(Run::One(flatten))
                .cost(cost::FLATTEN)
                .unguarded(),
            Overload::new("list_flatten_int", "list(dyn).(int) -> list(dyn)")
                .run(Run::Two(flatten_to))
                .cost(cost::FLATTEN_TO)
                .unguarded(),
        ],
        note: "The elements of the lists in a list, to a depth of one or as given.",
        examples: &[("[[1], [2, 3]].flatten()", "[1,2,3]")],
    },
    Function {
        name: "lists.range",
        overloads: &[Overload::new("lists_range", "(int) -> list(int)")
            .run(Run::One(range))
            .cost(cost::OUTPUT)],
        note: "The numbers from 0 up to before the argument.",
        examples: &[("lists.range(3)", "[0,1,2]")],
    },
    Function {
        name: "reverse",
        overloads: &[Overload::new("list_reverse", "list(T).() -> list(T)")
            .run(Run::One(reverse))
            .cost(cost::OUTPUT)],
        note: "The elements in reverse order.",
        examples: &[("[1, 2].reverse()", "[2,1]")],
    },
    Function {
        name: "slice",
        overloads: &[Overload::new("list_slice", "list(T).(int, int) -> list(T)")
            .run(Run::Many(slice))
            .cost(cost::OUTPUT)],
        note: "The elements from a place up to before another.",
        examples: &[("[1, 2, 3].slice(1, 3)", "[2,3]")],
    },
    Function {
        name: "sort",
        overloads: &[
            Overload::new("list_int_sort", "list(int).() -> list(int)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_uint_sort", "list(uint).() -> list(uint)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_double_sort", "list(double).() -> list(double)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_bool_sort", "list(bool).() -> list(bool)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_google.protobuf.Duration_sort", "list(duration).() -> list(duration)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_google.protobuf.Timestamp_sort", "list(timestamp).() -> list(timestamp)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_string_sort", "list(string).() -> list(string)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
            Overload::new("list_bytes_sort", "list(bytes).() -> list(bytes)")
                .run(Run::One(sort))
                .cost(cost::SELF_COMPARE)
                .unguarded(),
        ],
        note: "The elements in ascending order.",
        examples: &[("[3, 1, 2].sort()", "[1,2,3]")],
    },
];

/// The longest list that `lists.range` makes (`maxRangeSize`).
const MAX_RANGE: i64 = 1_000_000;

/// The elements, or the error for what is not a list.
fn elements<'a, 'v>(list: &'a Value<'v>, name: &'static str) -> Result<ListRef<'a, 'v>, Box<Error>> {
    // cel-go: the trait of lists is asked for first; texts, times and durations have methods, but not this one.
    list.as_list().ok_or_else(|| match list {
        Value::Str(_) | Value::Text(_) | Value::Timestamp(_) | Value::Duration(_) => Error::no_overload(),
        _ => Error::new(Kind::NoOperation(name)),
    })
}

fn made<'v>(host: &mut Host<'_>, values: Vec<Value<'v>>) -> Outcome<'v> {
    host.charge(values.len() * size_of::<Value<'_>>())?;
    Ok(Value::list(values))
}

fn range<'v>(host: &mut Host<'_>, size: Value<'v>) -> Outcome<'v> {
    let Value::Int(size) = size else { return Err(Error::no_overload()) };
    if size < 0 {
        return Err(Error::text(format!("lists.range: size must be non-negative, got {size}")));
    }
    if size > MAX_RANGE {
        return Err(Error::text(format!("lists.range: size {size} exceeds maximum allowed ({MAX_RANGE})")));
    }
    made(host, (0..size).map(Value::Int).collect())
}

fn reverse<'v>(host: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    let list = elements(&list, "reverse")?;
    made(host, (0..list.len()).rev().filter_map(|at| list.get(at)).collect())
}

fn slice<'v>(host: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [list, Value::Int(start), Value::Int(end)] = args else { return Err(Error::no_overload()) };
    let list = elements(list, "slice")?;
    let wrong = |why: String| Err(Error::text(format!("cannot slice({start}, {end}), {why}")));
    if *start < 0 || *end < 0 {
        return wrong("negative indexes not supported".to_owned());
    }
    if start > end {
        return wrong("start index must be less than or equal to end index".to_owned());
    }
    let (from, to) = (usize::try_from(*start).unwrap_or(0), usize::try_from(*end).unwrap_or(usize::MAX));
    if to > list.len() {
        return wrong(format!("list is length {}", list.len()));
    }
    made(host, (from..to).filter_map(|at| list.get(at)).collect())
}

/// The type of a value with those of its parts, as cel-go knows it at run time.
fn whole_type<'a>(value: &'a Value<'_>) -> &'a str {
    match value {
        Value::Optional(_) => "optional_type(dyn)",
        value => {
            if value.as_map().is_some() {
                "map(dyn, dyn)"
            } else {
                value.type_name()
            }
        }
    }
}

fn flatten<'v>(host: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    let Some(elements) = list.as_list() else {
        return Err(Error::text(format!("no such overload: {}.flatten()", whole_type(&list))));
    };
    let mut values = Vec::new();
    flatten_into(elements, 1, &mut values);
    made(host, values)
}

fn flatten_to<'v>(host: &mut Host<'_>, list: Value<'v>, depth: Value<'v>) -> Outcome<'v> {
    let (Some(elements), Value::Int(depth)) = (list.as_list(), &depth) else {
        let (list, depth) = (whole_type(&list), whole_type(&depth));
        return Err(Error::text(format!("no such overload: {list}.flatten({depth})")));
    };
    if *depth < 0 {
        return Err(Error::text("level must be non-negative"));
    }
    let mut values = Vec::new();
    flatten_into(elements, *depth, &mut values);
    made(host, values)
}

/// The recursion is as deep as the lists are nested.
fn flatten_into<'v>(list: ListRef<'_, 'v>, depth: i64, values: &mut Vec<Value<'v>>) {
    for element in list.iter() {
        match element.as_list() {
            Some(inner) if depth > 0 => flatten_into(inner, depth - 1, values),
            _ => values.push(element),
        }
    }
}

fn sort<'v>(host: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    sorted(host, list.clone(), &list, "sort")
}

// cel-go: ext/lists.go sortListByAssociatedKeys; the sort there is not stable, this one is.
fn sort_by_keys<'v>(host: &mut Host<'_>, list: Value<'v>, keys: Value<'v>) -> Outcome<'v> {
    sorted(host, list, &keys, "@sortByAssociatedKeys")
}

fn sorted<'v>(host: &mut Host<'_>, list: Value<'v>, keys: &Value<'v>, function: &'static str) -> Outcome<'v> {
    let (values, key_list) = (elements(&list, function)?, elements(keys, function)?);
    if values.len() != key_list.len() {
        let text =
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got";
        let (values, keys) = (values.len(), key_list.len());
        return Err(Error::text(format!("{text} {values} and {keys} elements respectively")));
    }
    let Some(first) = key_list.get(0) else { return Ok(list) };
    if !is_ordered(&first) {
        return Err(Error::text("list elements must be comparable"));
    }
    if key_list.len() > 1 && key_list.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(Error::text("list elements must have the same type"));
    }
    let mut pairs: Vec<(Value<'v>, Value<'v>)> = key_list.iter().zip(values.iter()).collect();
    pairs.arrange_by(|a, b| compare(&a.0, &b.0).unwrap_or(Ordering::Equal));
    made(host, pairs.into_iter().map(|(_, value)| value).collect())
}

/// Strings and whole numbers are found by a sorted set, the rest by going through what is there.
fn distinct<'v>(host: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    let list = elements(&list, "distinct")?;
    let mut known = Known::default();
    let mut values = Vec::new();
    for element in list.iter() {
        if !known.add(&element)? {
            values.push(element);
        }
    }
    made(host, values)
}
