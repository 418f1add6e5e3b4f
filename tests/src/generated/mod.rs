//! Random policies and resources that mean something: rules match, patterns are made of what resources hold,
//! expressions call functions.
//!
//! In: choices. Out: an [`Input`] as the page and the npm package give it to the engine. Nothing in it asks for the time
//! or for random numbers, so that every engine gives the same answer at any time.

pub mod cel;
mod condition;
mod expression;
mod mutate;
mod pattern;
mod policy;
mod resource;

use crate::random::Choices;
use engine::json::{Str, Value, to_json};
use engine::yaml::emit::to_yaml;
use engine_lenses::wire::{Input, Text};
use expression::Expressions;

/// What cases are made of.
pub struct Generator {
    expressions: Expressions,
}

impl Default for Generator {
    fn default() -> Self {
        Generator { expressions: Expressions::new(&engine_lenses::run::functions()) }
    }
}

impl Generator {
    /// A case: one or two policies, a few resources, and now and then what stands around them.
    pub fn case(&self, choices: &mut Choices) -> Input {
        let resources: Vec<Value> = (0..=choices.below(3)).map(|n| resource::resource(choices, n)).collect();
        let mut maker = policy::Maker { choices, expressions: &self.expressions, samples: &resources };
        let policies: Vec<Value> = (0..=maker.choices.below(2)).map(|n| maker.policy(n)).collect();
        let exceptions = if choices.once_in(5) { vec![policy::exception(choices)] } else { Vec::new() };
        let values = if choices.once_in(6) { vec![policy::values(choices)] } else { Vec::new() };
        let is_playground = choices.once_in(3);
        let is_update = choices.once_in(4);
        let context = if is_playground { vec![policy::context(choices, is_update)] } else { Vec::new() };
        let old: Vec<Value> = if is_update {
            resources.iter().enumerate().map(|(n, _)| resource::resource(choices, n)).collect()
        } else {
            Vec::new()
        };
        let mut texts = |name: &str, values: &[Value]| {
            let text = |(n, value): (usize, &Value)| Text {
                name: format!("{name}-{n}.yaml"),
                text: if choices.once_in(2) { to_yaml(value) } else { to_json(value) },
            };
            values.iter().enumerate().map(text).collect::<Vec<Text>>()
        };
        Input {
            host: is_playground.then(|| "playground".to_owned()),
            policies: texts("policy", &policies),
            resources: texts("resource", &resources),
            old_resources: texts("old", &old),
            exceptions: texts("exception", &exceptions),
            values: texts("values", &values),
            context: texts("context", &context),
            trace: choices.once_in(3),
            ..Input::default()
        }
    }
}

/// A map of these entries; those that are null are left out.
fn object<K: Into<Str>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
    let entries = entries.into_iter().filter(|(_, value)| !value.is_null());
    Value::object(entries.map(|(key, value)| (key.into(), value)).collect())
}

/// A list of texts.
fn texts(texts: &[&str]) -> Value {
    Value::array(texts.iter().map(|text| Value::from(*text)).collect())
}

/// Now and then something that does not belong there.
fn odd(choices: &mut Choices, value: Value) -> Value {
    if !choices.once_in(60) {
        return value;
    }
    match choices.below(8) {
        0 => Value::Null,
        1 => Value::from(true),
        2 => Value::from(-1_i64),
        3 => Value::from(1.5),
        4 => Value::from(""),
        5 => Value::array(vec![value]),
        6 => object([("a", value)]),
        _ => Value::from(i64::MAX),
    }
}
