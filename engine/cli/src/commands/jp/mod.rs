//! `podsieve jp`: JMESPath expressions as policies see them: what they give, what they are made of, what they may call.
//!
//! In: expressions, files, standard input. Out: what `kyverno jp` prints.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/jp/{query,parse,function}/command.go.

mod ast;
mod notes;

use crate::args::{Jp, JpCommand, JpParse, JpQuery};
use crate::clock;
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::terminal;
use engine::QueryError;
use engine::jmespath::Registry;
use engine::json::{Number, Value, to_json, to_json_indent};
use engine::yaml::parse_one;
use engine_lenses::wire::FunctionDoc;

/// Runs the command.
pub(crate) fn run(jp: &Jp) -> Result<u8, Failure> {
    match &jp.command {
        JpCommand::Query(arguments) => query(arguments),
        JpCommand::Parse(arguments) => parse(arguments),
        JpCommand::Function(arguments) => {
            function(&arguments.names);
            Ok(0)
        }
    }
}

const PROMPT: &str = "Reading from terminal input.\n";

/// What standard input holds, after saying what is expected there.
fn ask(what: &str) -> Result<String, Failure> {
    terminal::print(&format!("{PROMPT}{what}\n"));
    Ok(files::read("-").map_err(|Unreadable { original, .. }| Failure(original))?.text)
}

fn file(path: &str) -> Result<String, Failure> {
    let failed =
        |Unreadable { original, .. }: Unreadable| Failure(format!("failed open file {path}: {original}"));
    Ok(files::read(path).map_err(failed)?.text)
}

fn query(arguments: &JpQuery) -> Result<u8, Failure> {
    let mut queries = arguments.expressions.clone();
    for path in &arguments.query {
        queries.push(file(path)?);
    }
    let mut input = arguments.input.as_deref().map(|path| document(&file(path)?)).transpose()?;
    if queries.is_empty() && input.is_none() {
        return Err(Failure("at least one query or input object is required".to_owned()));
    }
    if queries.is_empty() {
        queries.push(ask("Enter a jmespath expression and hit Ctrl+D.")?);
    }
    let input = match input.take() {
        Some(input) => input,
        None => document(&ask("Enter input object and hit Ctrl+D.")?)?,
    };
    let world = crate::world::at(clock::now());
    for query in &queries {
        let result = engine::query(query, &input, &world).map_err(|error| {
            Failure(match error {
                QueryError::Parse(error) => format!("failed to compile JMESPath: {query}, error: {error}"),
                QueryError::Eval(error) => format!("error evaluating JMESPath expression: {error}"),
            })
        })?;
        if let Some(number) = unwritable(&result) {
            let words = format!("error marshalling result to JSON: json: unsupported value: {number}");
            return Err(Failure(words));
        }
        let shown = match &result {
            Value::String(text) if arguments.unquoted => text.to_string(),
            value if arguments.compact => to_json(value),
            value => to_json_indent(value, "  "),
        };
        terminal::document(&format!("# {query}\n{shown}\n"));
    }
    Ok(0)
}

/// A number that JSON has no form for, as Go prints it.
fn unwritable(value: &Value) -> Option<&'static str> {
    match value {
        Value::Number(Number::Float(f)) if f.is_nan() => Some("NaN"),
        Value::Number(Number::Float(f)) if f.is_infinite() => Some(if *f > 0.0 { "+Inf" } else { "-Inf" }),
        Value::Array(list) => list.iter().find_map(unwritable),
        Value::Object(map) => map.values().find_map(unwritable),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// A document of YAML or JSON; every number is a float64, as Go reads JSON.
fn document(text: &str) -> Result<Value, Failure> {
    let read = parse_one(text).map_err(|error| {
        Failure(format!("error parsing input json: error converting YAML to JSON: {}", error.original))
    })?;
    Ok(read.with_float_numbers())
}

fn parse(arguments: &JpParse) -> Result<u8, Failure> {
    let mut expressions = arguments.expressions.clone();
    for path in &arguments.file {
        expressions.push(file(path)?);
    }
    if expressions.is_empty() {
        expressions.push(ask("Enter a jmespath expression and hit Ctrl+D.")?);
    }
    for expression in &expressions {
        let parsed = engine::jmespath::parse(expression).map_err(|error| {
            // Go: HighlightLocation; only errors of syntax have a place.
            let place = format!("\n{expression}\n{}^", " ".repeat(error.offset));
            let place = if error.message.starts_with("SyntaxError") { place } else { String::new() };
            Failure(format!("{error}{place}"))
        })?;
        terminal::print(&format!("# {expression}\n{}\n", ast::dump(parsed.ast())));
    }
    Ok(0)
}

/// Lists Kyverno's functions, all or those of these names.
fn function(names: &[String]) {
    let known = engine_lenses::run::functions();
    for row in known.iter().filter(|row| !is_of_the_specification(row)) {
        if names.is_empty() || names.contains(&row.name) {
            let (name, signature, note) = (&row.name, &row.signature, note(row));
            terminal::print(&format!("Name: {name}\n  Signature: {signature}\n  Note:      {note}\n\n"));
        }
    }
    // The original passes over the functions of the specification, and over names that it does not know.
    for name in names {
        match known.iter().find(|row| row.name == *name) {
            Some(row) if is_of_the_specification(row) => {
                let (signature, note) = (&row.signature, &row.doc);
                terminal::say(&format!(
                    "note: {signature}: {note} (a function of the JMESPath specification)\n"
                ));
            }
            Some(_) => {}
            None => terminal::say(&format!("warning: there is no function `{name}`\n")),
        }
    }
}

/// Whether Kyverno has left the function as JMESPath has it; its own `sum` is another one.
fn is_of_the_specification(row: &FunctionDoc) -> bool {
    Registry::standard().get(&row.name).is_some_and(|standard| standard.note == row.doc)
}

/// The original's words about a function; our own where it has none.
fn note(row: &FunctionDoc) -> &str {
    notes::NOTES.iter().find(|(name, _)| *name == row.name).map_or(&row.doc, |(_, note)| note)
}

#[cfg(test)]
mod tests {
    use super::{is_of_the_specification, note, notes};

    #[test]
    fn every_function_of_kyverno_is_listed_and_every_note_is_of_one() {
        let known = engine_lenses::run::functions();
        let listed: Vec<_> = known.iter().filter(|row| !is_of_the_specification(row)).collect();
        for (name, words) in notes::NOTES {
            assert!(listed.iter().any(|row| row.name == *name && note(row) == *words), "{name}");
        }
        assert_eq!(known.len() - listed.len(), 25, "all of the specification but `sum`");
        assert!(listed.iter().all(|row| !note(row).is_empty()));
    }
}
