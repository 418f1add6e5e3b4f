//! Where texts with variables come from: `{{ request.object.metadata.name }}-{{ element.name }}`.
//!
//! In: a value of a classic policy, and what names stand for. Out: the places and constants that it is made of; what is compared on the way is
//! noted.

use crate::reads::jmespath::{self, Names, literal};
use crate::reads::{Origin, Reads};
use engine::template;
use engine_json::{Str, Value};

/// How many variables of one text are followed.
const MAX_NESTED: usize = 9;

/// Where a value of a policy comes from: its variables, and the texts around them.
pub(super) fn text_origin(value: &Value, names: &Names, reads: &mut Reads) -> Origin {
    match value {
        Value::String(text) => {
            let found = variables(text, names, reads);
            if found.paths.is_empty() && found.constants.is_empty() {
                Origin::constant(value.clone())
            } else {
                found
            }
        }
        Value::Array(items) => {
            items.iter().map(|item| text_origin(item, names, reads)).fold(Origin::default(), Origin::and)
        }
        other => literal(other),
    }
}

/// Where the variables of a text come from.
pub(super) fn variables(text: &str, names: &Names, reads: &mut Reads) -> Origin {
    let mut names = names.clone();
    let mut text = text.to_owned();
    let mut made: Vec<Str> = Vec::new();
    for _ in 0..MAX_NESTED {
        let found = template::variables(&text);
        let Some(variable) = found.first().map(|variable| variable.text().to_owned()) else { break };
        let inner = variable.trim_start_matches("{{").trim_end_matches("}}");
        let origin = jmespath::origin(inner.trim(), &names, reads);
        let name = Str::from(format!("{}{}", jmespath::INNER, made.len()));
        // Between backticks stands JSON, in which a name has quotes.
        let quoted = format!("`{variable}`");
        text = if text.contains(&quoted) {
            text.replacen(&quoted, &format!("`\"{name}\"`"), 1)
        } else {
            text.replacen(&variable, &name, 1)
        };
        names.insert(name.clone(), origin);
        made.push(name);
    }
    // Those that are left in the text are not within another.
    let outer = made.iter().filter(|name| text.contains(name.as_str()));
    outer
        .filter_map(|name| names.get(name))
        .fold(Origin::default(), |found, origin| found.and(origin.clone()))
}

/// Where the value of an expression comes from, in which variables may stand.
pub(super) fn path_origin(path: &str, names: &Names, reads: &mut Reads) -> Origin {
    if path.contains("{{") {
        return variables(&format!("{{{{ {path} }}}}"), names, reads);
    }
    jmespath::origin(path, names, reads)
}

/// Calls back with every text of a value.
pub(super) fn every_text(value: &Value, act: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => act(text),
        Value::Array(items) => items.iter().for_each(|item| every_text(item, act)),
        Value::Object(map) => map.values().for_each(|item| every_text(item, act)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
