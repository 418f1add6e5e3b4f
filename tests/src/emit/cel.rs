//! Answers to the cases of the CEL specification.
//!
//! In: `{id, expr, bindings?, container?, check?}`. Out: `{id, result}` or `{id, error: true}`. The environment is that of a
//! ValidatingPolicy, without Kubernetes' and Kyverno's own functions, and where cel-go departs from the specification the
//! specification's: `format` in no language, the milliseconds of a duration within its second, keys of four types.

use engine_cel::check::{check, homogeneous_literals};
use engine_cel::env::Env;
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input};
use engine_cel::function::{Function, Host, Overload, Run};
use engine_cel::program::{Options, Program};
use engine_cel::types::Type;
use engine_cel::value::{Map, Timestamp, Value};
use engine_cel::{standard, syntax};
use engine_json::{Map as Object, Number, Str, Value as Json, to_json};
use engine_values::base64;
use engine_values::time::Time;

/// The answer to one case.
pub(super) fn answer(case: &Json) -> Json {
    let id = case.get("id").cloned().unwrap_or_default();
    let rest = match evaluate(case) {
        Ok(result) => ("result", result),
        Err(_) => ("error", Json::Bool(true)),
    };
    Json::from([("id", id), rest].into_iter().collect::<Object>())
}

/// The libraries of a ValidatingPolicy that the language itself brings, with the specification's rows where it differs.
fn rows() -> impl Iterator<Item = &'static Function> {
    let libraries = [
        standard::OPTIONAL,
        standard::STRINGS,
        standard::LISTS,
        standard::SETS,
        standard::ENCODERS,
        standard::REGEX,
        standard::TWO_VARIABLES,
    ];
    let rows = standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten();
    let rows = rows.filter(|row| !matches!(row.name, "format" | "getMilliseconds"));
    rows.chain(standard::STRINGS_FORMAT).chain(MILLISECONDS)
}

// cel-spec: doc/langdef.md, getMilliseconds; cel-go gives all milliseconds of a duration.
const MILLISECONDS: &[Function] = &[Function {
    name: "getMilliseconds",
    overloads: &[
        Overload::new("timestamp_to_milliseconds", "timestamp.() -> int").run(Run::One(milliseconds)),
        Overload::new("timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int")
            .run(Run::Two(milliseconds_in_zone)),
        Overload::new("duration_to_milliseconds", "duration.() -> int").run(Run::One(milliseconds)),
    ],
    note: "The milliseconds of the second.",
    examples: &[],
}];

#[expect(clippy::needless_pass_by_value, reason = "the form of a row")]
fn milliseconds<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value {
        Value::Timestamp(at) => Ok(Value::Int(i64::from(at.nanoseconds) / 1_000_000)),
        Value::Duration(nanoseconds) => Ok(Value::Int(nanoseconds / 1_000_000 % 1_000)),
        _ => Err(Error::no_overload()),
    }
}

const MACROS: &[&[syntax::Macro]] = &[
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
    syntax::PROTOS,
];

/// The value as the cases write it, or what is wrong with the expression or its evaluation.
fn evaluate(case: &Json) -> Result<Json, String> {
    let source = case.find_str(&["expr"]);
    let mut env = standard::with_messages(standard::with_types(Env::new(rows())?));
    env.refuses_other_keys = true;
    env.container = Str::from(case.find_str(&["container"]));
    let mut names = Vec::new();
    let mut bindings = Vec::new();
    for (name, value) in case.get("bindings").and_then(Json::as_object).into_iter().flat_map(Object::iter) {
        let value = read(value).ok_or("a binding that cannot be read")?;
        env = env.with_variable(name, type_of(&value));
        names.push(name.clone());
        bindings.push(Binding::Value(value));
    }
    let options = syntax::Options { macros: MACROS, optional_syntax: true };
    let ast = syntax::parse(source, &options).map_err(|issues| format!("{issues:?}"))?;
    let checked = (case.get("check") != Some(&Json::Bool(false))).then(|| check(&ast, &env));
    if let Some(checked) = &checked {
        let mixed = homogeneous_literals(&ast, checked);
        if let Some(issue) = checked.issues.first().or(mixed.first()) {
            return Err(issue.message.clone());
        }
    }
    let options = Options { variables: &names, fold: true };
    let program = Program::new(&ast, checked.as_ref(), &env, &options).map_err(|e| e.to_string())?;
    let evaluated = program.evaluate(&Input { variables: &bindings, ..Input::default() });
    evaluated.outcome.map(|value| write(&value)).map_err(|e| e.to_string())
}

/// As cel-go has it: the zone is read, and changes nothing.
fn milliseconds_in_zone<'v>(host: &mut Host<'_>, at: Value<'v>, zone: Value<'v>) -> Outcome<'v> {
    let overloads = standard::CORE.iter().copied().flatten().flat_map(|row| row.overloads);
    match overloads
        .filter(|overload| overload.id == "timestamp_to_milliseconds_with_tz")
        .map(|o| o.run)
        .next()
    {
        Some(Run::Two(run)) => run(host, at, zone),
        _ => Err(Error::no_overload()),
    }
}

fn type_of(value: &Value<'_>) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::Str(_) | Value::Text(_) => Type::String,
        Value::Bytes(_) | Value::Octets(_) => Type::Bytes,
        Value::Duration(_) => Type::Duration,
        Value::Timestamp(_) => Type::Timestamp,
        Value::List(list) => Type::list(list.first().map_or(Type::Dyn, type_of)),
        Value::Map(map) => {
            let (key, value) = map.at(0).map_or((Type::Dyn, Type::Dyn), |(k, v)| (type_of(k), type_of(v)));
            Type::map(key, value)
        }
        _ => Type::Dyn,
    }
}

fn read(pair: &Json) -> Option<Value<'static>> {
    let text = pair.at(1).and_then(Json::as_str);
    Some(match pair.at(0)?.as_str()? {
        "null" => Value::Null,
        "bool" => Value::Bool(pair.at(1)?.as_bool()?),
        "int" => Value::Int(text?.parse().ok()?),
        "uint" => Value::Uint(text?.parse().ok()?),
        "double" => Value::Double(match text {
            Some("NaN") => f64::NAN,
            Some("Infinity") => f64::INFINITY,
            Some("-Infinity") => f64::NEG_INFINITY,
            _ => pair.at(1)?.as_f64()?,
        }),
        "string" => Value::text(text?),
        "bytes" => Value::Octets(base64::decode(text?.as_bytes()).ok()?.into()),
        "duration" => Value::Duration(text?.parse().ok()?),
        "timestamp" => {
            let at = Time::parse_rfc3339(text?).ok()?;
            let (seconds, nanoseconds, offset) = (at.unix, at.nanoseconds, at.offset);
            Value::Timestamp(Timestamp { seconds, nanoseconds, offset })
        }
        "list" => Value::list(pair.at(1)?.as_array()?.iter().map(read).collect::<Option<_>>()?),
        "map" => {
            let entries = pair.at(1)?.as_array()?.iter();
            let entries = entries.map(|entry| Some((read(entry.at(0)?)?, read(entry.at(1)?)?)));
            Value::map(entries.collect::<Option<Map<'static>>>()?)
        }
        _ => return None,
    })
}

fn write(value: &Value<'_>) -> Json {
    let pair = |name: &str, value: Json| Json::array(vec![Json::from(name), value]);
    if let Some(list) = value.as_list() {
        return pair("list", Json::array(list.iter().map(|element| write(&element)).collect()));
    }
    if let Some(map) = value.as_map() {
        let mut entries: Vec<(Json, Json)> = map.iter().map(|(k, v)| (write(&k), write(&v))).collect();
        entries.sort_by_key(|(key, _)| to_json(key));
        return pair("map", Json::array(entries.into_iter().map(|(k, v)| Json::array(vec![k, v])).collect()));
    }
    match value {
        Value::Null => Json::array(vec![Json::from("null")]),
        Value::Bool(b) => pair("bool", Json::Bool(*b)),
        Value::Int(i) => pair("int", Json::from(i.to_string())),
        Value::Uint(u) => pair("uint", Json::from(u.to_string())),
        Value::Double(d) if d.is_nan() => pair("double", Json::from("NaN")),
        Value::Double(d) if d.is_infinite() => {
            pair("double", Json::from(if *d > 0.0 { "Infinity" } else { "-Infinity" }))
        }
        Value::Double(d) => pair("double", Json::from(Number::Float(*d))),
        Value::Type(name) => pair("type", Json::from(*name)),
        Value::Optional(Some(value)) => pair("optional", write(value)),
        Value::Optional(None) => Json::array(vec![Json::from("optional")]),
        Value::Bytes(_) | Value::Octets(_) => {
            pair("bytes", Json::from(base64::encode(value.as_bytes().unwrap_or_default())))
        }
        Value::Duration(_) => pair("duration", value.to_json()),
        Value::Timestamp(_) => pair("timestamp", value.to_json()),
        other => pair("string", Json::from(other.as_str().unwrap_or(""))),
    }
}
