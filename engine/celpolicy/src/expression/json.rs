//! Questions and answers as JSON text, for a border that text crosses.
//!
//! In: `{"expression": "…", "object"?: …, "variables"?: {…}, "kind"?: "…"}`. Out: `{"type", "value", "cost"}` where there is a
//! value, `{"type", "error", "cost"}` where the evaluation fails, `{"error", "problems": [{"message", "line", "column"}]}` where
//! the expression does not compile.

use super::{Answer, Question, Wrong, evaluate, is_name};
use crate::environment::{Environment, Kind, all_rows, is_written};
use engine::world::World;
use engine_cel::function::Function;
use engine_cel::report::position;
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Str, Value, parse, to_json};

/// The fields of a question.
const FIELDS: [&str; 4] = ["expression", "kind", "object", "variables"];

/// The answer to a question.
///
/// # Errors
/// What is wrong with the question, not with the expression in it.
pub fn answer(input: &str, world: &dyn World) -> Result<String, String> {
    let input = parse(input).map_err(|error| format!("input: {error}"))?;
    let input = input.as_object().ok_or("input: an object is wanted")?;
    if let Some(unknown) = input.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let known = FIELDS.map(|field| format!("`{field}`")).join(", ");
        return Err(format!("input: unknown field `{unknown}`, expected one of {known}"));
    }
    let text = |field: &str| match input.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("input: {field} must be a string")),
    };
    let expression = text("expression")?.ok_or("input: missing field `expression`")?;
    let kind = kind(text("kind")?.unwrap_or("ValidatingPolicy"))?;
    let variables = variables(input.get("variables"))?;
    let question = Question { expression, object: input.get("object"), variables: &variables };
    let answer = evaluate(&question, &Environment::new(kind, false)?, world);
    Ok(to_json(&written(expression, answer)))
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::named(name).ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|(name, _)| *name).collect();
        format!("input: kind must be one of {}", names.join(", "))
    })
}

fn variables(given: Option<&Value>) -> Result<Vec<(Str, Value)>, String> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(Vec::new()) };
    let given = given.as_object().ok_or("input: variables must be an object")?;
    if let Some(wrong) = given.keys().find(|name| !is_name(name)) {
        return Err(format!("input: `{wrong}` is not the name of a variable"));
    }
    Ok(given.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn written(expression: &str, answer: Answer) -> Value {
    let mut fields = Map::new();
    if let Some(of) = &answer.of {
        fields.insert("type", Value::from(of.to_string()));
        fields.insert("cost", Value::from(i64::try_from(answer.cost).unwrap_or(i64::MAX)));
    }
    match answer.outcome {
        Ok(value) => {
            fields.insert("value", value);
        }
        Err(wrong) => {
            fields.insert("error", Value::from(wrong.text()));
            if let Wrong::Compilation(fault) = wrong {
                let problems = fault.problems.iter().map(|(at, message)| problem(expression, *at, message));
                fields.insert("problems", Value::array(problems.collect()));
            }
        }
    }
    Value::object(fields)
}

/// What is wrong, and where: one without a place is about the whole.
fn problem(expression: &str, at: Option<u32>, message: &str) -> Value {
    let mut fields = Map::new();
    fields.insert("message", Value::from(message));
    if at.is_some() {
        let place = position(expression, at);
        fields.insert("line", Value::from(place.line));
        fields.insert("column", Value::from(place.column));
    }
    Value::object(fields)
}

/// Every function that people may call: a list of `{name, signatures, doc, examples: [{expression, value}]}`, by name; of
/// those of one name each library's own.
pub fn functions() -> String {
    let mut all: Vec<&Function> = documented().collect();
    all.arrange_by(|a, b| a.name.cmp(b.name));
    to_json(&Value::array(all.into_iter().map(described).collect()))
}

/// The rows that people call by name, of all kinds.
pub fn documented() -> impl Iterator<Item = &'static Function> {
    all_rows().filter(|row| is_written(row.name))
}

fn described(row: &Function) -> Value {
    let text = |text: &str| Value::from(text);
    let example = |(expression, value): &(&str, &str)| {
        let fields = [("expression", text(expression)), ("value", text(value))];
        Value::object(fields.into_iter().collect::<Map>())
    };
    let signatures = row.overloads.iter().map(|overload| text(overload.signature)).collect();
    let fields = [
        ("name", text(row.name)),
        ("signatures", Value::array(signatures)),
        ("doc", text(row.note)),
        ("examples", Value::array(row.examples.iter().map(example).collect())),
    ];
    Value::object(fields.into_iter().collect::<Map>())
}
