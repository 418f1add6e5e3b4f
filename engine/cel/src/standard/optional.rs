//! Values that may be missing.

use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_[_]",
        overloads: &[
            Overload::new("optional_list_index_int", "(optional_type(list(V)), int) -> optional_type(V)"),
            Overload::new("optional_map_index_value", "(optional_type(map(K, V)), K) -> optional_type(V)"),
        ],
        note: "The element or value within an optional list or map, as an optional value.",
        examples: &[("optional.of(['a'])[0].value()", "\"a\"")],
    },
    Function {
        name: "_?._",
        overloads: &[Overload::new("select_optional_field", "(dyn, string) -> optional_type(V)")],
        note: "The field as an optional value: none where it is missing.",
        examples: &[("{'a': 1}.?b.hasValue()", "false")],
    },
    Function {
        name: "_[?_]",
        overloads: &[
            Overload::new("list_optindex_optional_int", "(list(V), int) -> optional_type(V)"),
            Overload::new(
                "optional_list_optindex_optional_int",
                "(optional_type(list(V)), int) -> optional_type(V)",
            ),
            Overload::new("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)"),
            Overload::new(
                "optional_map_optindex_optional_value",
                "(optional_type(map(K, V)), K) -> optional_type(V)",
            ),
        ],
        note: "The element as an optional value: none where it is missing.",
        examples: &[("[1][?0].value()", "1")],
    },
    Function {
        name: "first",
        overloads: &[Overload::new("list_first", "list(V).() -> optional_type(V)").run(Run::One(first))],
        note: "The first element as an optional value.",
        examples: &[("[1, 2].first().value()", "1")],
    },
    Function {
        name: "hasValue",
        overloads: &[
            Overload::new("optional_hasValue", "optional_type(V).() -> bool").run(Run::One(has_value))
        ],
        note: "Whether an optional value is there.",
        examples: &[("optional.none().hasValue()", "false")],
    },
    Function {
        name: "last",
        overloads: &[Overload::new("list_last", "list(V).() -> optional_type(V)").run(Run::One(last))],
        note: "The last element as an optional value.",
        examples: &[("[1, 2].last().value()", "2")],
    },
    Function {
        name: "optional.none",
        overloads: &[Overload::new("optional_none", "() -> optional_type(V)")
            .run(Run::Zero(|_| Ok(Value::Optional(None))))],
        note: "The optional value that is not there.",
        examples: &[("optional.none() == optional.none()", "true")],
    },
    Function {
        name: "optional.of",
        overloads: &[Overload::new("optional_of", "(V) -> optional_type(V)").run(Run::One(some))],
        note: "An optional value that is there.",
        examples: &[("optional.of(1).value()", "1")],
    },
    Function {
        name: "optional.ofNonZeroValue",
        overloads: &[
            Overload::new("optional_ofNonZeroValue", "(V) -> optional_type(V)").run(Run::One(some_non_zero))
        ],
        note: "An optional value, none for null, zero, false and what is empty.",
        examples: &[("optional.ofNonZeroValue('').hasValue()", "false")],
    },
    Function {
        name: "optional.unwrap",
        overloads: &[
            Overload::new("optional_unwrap", "(list(optional_type(V))) -> list(V)").run(Run::One(unwrap))
        ],
        note: "The values that are there, of a list of optional values.",
        examples: &[("optional.unwrap([optional.of(1), optional.none()])", "[1]")],
    },
    Function {
        name: "or",
        overloads: &[Overload::new(
            "optional_or_optional",
            "optional_type(V).(optional_type(V)) -> optional_type(V)",
        )],
        note: "The first of two optional values that is there.",
        examples: &[("optional.none().or(optional.of(2)).value()", "2")],
    },
    Function {
        name: "orValue",
        overloads: &[Overload::new("optional_orValue_value", "optional_type(V).(V) -> V")],
        note: "The value, or another where it is not there.",
        examples: &[("optional.none().orValue(2)", "2")],
    },
    Function {
        name: "unwrapOpt",
        overloads: &[
            Overload::new("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)").run(Run::One(unwrap))
        ],
        note: "The values that are there, of a list of optional values.",
        examples: &[("[optional.of(1), optional.none()].unwrapOpt()", "[1]")],
    },
    Function {
        name: "value",
        overloads: &[Overload::new("optional_value", "optional_type(V).() -> V").run(Run::One(value))],
        note: "The value, an error where it is not there.",
        examples: &[("optional.of('a').value()", "\"a\"")],
    },
];

fn some<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::some(value))
}

// cel-go: IsZeroValue of each type; times and values of other types are never zero, but the zero time.
fn some_non_zero<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let zero = match &value {
        Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) | Value::Duration(0) => true,
        Value::Double(d) => *d == 0.0,
        Value::Timestamp(at) => at.seconds == crate::value::Timestamp::MIN && at.nanoseconds == 0,
        Value::Opaque(opaque) => opaque.is_zero(),
        Value::Str(_)
        | Value::Text(_)
        | Value::Bytes(_)
        | Value::Octets(_)
        | Value::List(_)
        | Value::JsonList(..)
        | Value::Map(_)
        | Value::JsonMap(..) => value.size() == Some(0),
        _ => false,
    };
    Ok(if zero { Value::Optional(None) } else { Value::some(value) })
}

fn has_value<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(matches!(value, Value::Optional(Some(_)))))
}

fn value<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value {
        Value::Optional(Some(value)) => Ok(Value::clone(&value)),
        _ => Err(Error::text("optional.none() dereference")),
    }
}

fn at<'v>(list: &Value<'v>, place: impl Fn(usize) -> usize) -> Outcome<'v> {
    let element = list.as_list().and_then(|list| list.get(place(list.len())));
    Ok(element.map_or(Value::Optional(None), Value::some))
}

fn first<'v>(_: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    at(&list, |_| 0)
}

fn last<'v>(_: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    at(&list, |len| len.wrapping_sub(1))
}

fn unwrap<'v>(_: &mut Host<'_>, list: Value<'v>) -> Outcome<'v> {
    let Some(list) = list.as_list() else { return Err(Error::no_overload()) };
    let mut values = Vec::new();
    for element in list.iter() {
        match element {
            Value::Optional(value) => values.extend(value.map(|value| Value::clone(&value))),
            other => return Err(Error::text(format!("value {other} is not optional"))),
        }
    }
    Ok(Value::list(values))
}
