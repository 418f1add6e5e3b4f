//! JSON text to the engine's types and back, without JavaScript: tested natively.
//!
//! In: `{"policy":"…","resource":"…"}`. Out: a state with these texts in this order; and the other shapes of `lib.rs`.

use engine::world::StaticWorld;
use engine_json::{Map, Value};
use engine_lenses::share::{Decoded, State};

/// A state of an object of texts; its order is kept, so that the link of a state is always the same.
pub(crate) fn state(json: &str) -> Result<State, String> {
    let value = engine_json::parse(json).map_err(|error| format!("state: {error}"))?;
    let map = value.as_object().ok_or("state: an object of texts is wanted, such as {\"policy\": \"…\"}")?;
    let mut state = State::without_fields();
    for (name, text) in map.iter() {
        let text = text.as_str().ok_or_else(|| format!("state: `{name}` is not a text"))?;
        state.push(name, text);
    }
    Ok(state)
}

/// What a link carries, as JSON.
pub(crate) fn decoded(decoded: &Decoded) -> String {
    let texts = decoded.state.iter().map(|(name, text)| (name.into(), Value::String(text.into()))).collect();
    let note = |code: &str, message: &str| {
        let fields = vec![
            ("code".into(), Value::String(code.into())),
            ("message".into(), Value::String(message.into())),
        ];
        Value::object(Map::from_entries(fields))
    };
    let notes = decoded.notes.iter().map(|found| note(found.code.name(), &found.message)).collect();
    to_text(vec![
        ("state".into(), Value::object(Map::from_entries(texts))),
        ("complete".into(), Value::Bool(decoded.complete)),
        ("notes".into(), Value::array(notes)),
    ])
}

/// The value of an expression over a document, with all of Kyverno's functions; `now` in nanoseconds since 1970.
pub(crate) fn jmespath(expression: &str, json: &str, now: i64) -> Result<String, String> {
    let document = engine_json::parse(json).map_err(|error| format!("document: {error}"))?;
    let world = StaticWorld::at(now);
    let found = engine::query(expression, &document.with_float_numbers(), &world);
    found.map(|value| engine_json::to_json(&value)).map_err(|error| error.to_string())
}

fn to_text(fields: Vec<(engine_json::Str, Value)>) -> String {
    engine_json::to_json(&Value::object(Map::from_entries(fields)))
}
