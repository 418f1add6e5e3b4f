//! Functions on maps and lists: looking up, turning one into the other, comparing labels.
//!
//! Example: ``items(`{"a":1}`, 'key', 'value')`` is `[{"key":"a","value":1}]`.

use super::arguments::{as_text, text, whole_number, wrong_type};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "label_match",
        args: &[Arg::OBJECT, Arg::OBJECT],
        returns: &[Kind::Bool],
        note: "whether the second map holds every entry of the first",
        examples: &[
            ("label_match(`{\"app\":\"web\"}`, `{\"app\":\"web\",\"tier\":\"front\"}`)", "true"),
            ("label_match(`{\"app\":\"web\"}`, `{\"app\":\"db\"}`)", "false"),
        ],
        run: label_match,
    },
    Function {
        name: "lookup",
        args: &[Arg::of(&[Kind::Object, Kind::Array]), Arg::of(&[Kind::String, Kind::Number])],
        returns: &[Kind::Any],
        note: "the value under the key of the map, or at the place in the list; null where there is none",
        examples: &[
            ("lookup(`{\"a\":1}`, 'a')", "1"),
            ("lookup(`[\"x\",\"y\"]`, `1`)", "\"y\""),
            ("lookup(`[]`, `0`)", "null"),
        ],
        run: lookup,
    },
    Function {
        name: "items",
        args: &[Arg::of(&[Kind::Object, Kind::Array]), Arg::STRING, Arg::STRING],
        returns: &[Kind::ArrayObject],
        note: "a list of maps, each with the key or place of an entry under the second argument and its value under the third",
        examples: &[
            (
                "items(`{\"b\":2,\"a\":1}`, 'key', 'value')",
                r#"[{"key":"a","value":1},{"key":"b","value":2}]"#,
            ),
            ("items(`[\"x\"]`, 'place', 'value')", r#"[{"place":0,"value":"x"}]"#),
        ],
        run: items,
    },
    Function {
        name: "object_from_lists",
        args: &[Arg::ARRAY, Arg::ARRAY],
        returns: &[Kind::Object],
        note: "a map of the keys in the first list and the values in the second; null where values are missing",
        examples: &[("object_from_lists(`[\"a\",1]`, `[true]`)", r#"{"a":true,"1":null}"#)],
        run: object_from_lists,
    },
];

fn label_match(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let map = |at: usize| {
        // Kyverno: counts these arguments from 0, unlike all others.
        arguments.get(at).and_then(Argument::object).ok_or_else(|| wrong_type("label_match", at, "Object"))
    };
    let (wanted, found) = (map(0)?, map(1)?);
    call.charge(wanted.len())?;
    Ok(Value::Bool(wanted.iter().all(|(key, value)| found.get(key) == Some(value))))
}

fn lookup(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let key = arguments.get(1);
    let collection = arguments.first();
    if let Some(map) = collection.and_then(Argument::object) {
        let key = key.and_then(Argument::text).ok_or_else(|| wrong_type("lookup", 2, "String"))?;
        return Ok(map.get(key).cloned().unwrap_or_default());
    }
    let Some(list) = collection.and_then(Argument::plain_list) else {
        return Err(wrong_type("lookup", 1, "Object or Array"));
    };
    let place = key.and_then(Argument::number).ok_or_else(|| wrong_type("lookup", 2, "Number"))?;
    let place = whole_number(place)
        .map_err(|reason| EvalError::other(format!("JMESPath function 'lookup': argument #2: {reason}")))?;
    Ok(usize::try_from(place).ok().and_then(|at| list.get(at)).cloned().unwrap_or_default())
}

fn items(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (key_name, value_name) = (text("items", arguments, 1)?, text("items", arguments, 2)?);
    let item = |key: Value, value: &Value| {
        Value::object(Map::from_iter([(key_name, key), (value_name, value.clone())]))
    };
    let collection = arguments.first();
    if let Some(map) = collection.and_then(Argument::object) {
        call.charge(map.len().saturating_mul(4))?;
        let entries = map.sorted().into_iter();
        return Ok(Value::array(
            entries.map(|(key, value)| item(Value::String(key.clone()), value)).collect(),
        ));
    }
    let Some(list) = collection.and_then(Argument::plain_list) else {
        return Err(wrong_type("items", 1, "Object or Array"));
    };
    call.charge(list.len().saturating_mul(4))?;
    let entries = list.iter().enumerate();
    Ok(Value::array(entries.map(|(at, value)| item(Value::from(at as f64), value)).collect()))
}

fn object_from_lists(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let list = |at: usize| {
        let list = arguments.get(at).and_then(Argument::plain_list);
        list.ok_or_else(|| wrong_type("object_from_lists", at + 1, "Array"))
    };
    let (keys, values) = (list(0)?, list(1)?);
    call.charge(keys.len().saturating_mul(4))?;
    let mut entries = Vec::with_capacity(keys.len());
    for (at, key) in keys.iter().enumerate() {
        let key = as_text(key).ok_or_else(|| wrong_type("object_from_lists", 1, "StringArray"))?;
        entries.push((key.into(), values.get(at).cloned().unwrap_or_default()));
    }
    Ok(Value::object(Map::from_entries(entries)))
}
