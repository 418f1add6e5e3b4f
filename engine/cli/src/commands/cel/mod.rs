//! `podsieve cel`: CEL expressions as policies see them: what they give, what is wrong with them, what they may call.
//!
//! In: expressions, files. Out: values; problems with file, line and column; functions with their signatures.

mod policies;

use crate::args::{Cel, CelCheck, CelCommand, CelEval};
use crate::clock;
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::terminal;
use engine::json::{Value, to_json_indent};
use engine::load::Settings;
use engine::resource::{DocumentId, Resource};
use engine::yaml::emit::to_yaml;
use engine::yaml::{Options, Source, SourceId, parse, parse_one};
use engine_cel::eval::{Binding, Input};
use engine_cel::value::{Numbers, Value as CelValue};
use engine_celpolicy::apply::{CliWorld, Subject, bindings};
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::environment::{Environment, Kind};

/// Runs the command.
pub(crate) fn run(cel: &Cel) -> Result<u8, Failure> {
    match &cel.command {
        CelCommand::Eval(arguments) => eval(arguments),
        CelCommand::Check(arguments) => check(arguments),
        CelCommand::Functions(arguments) => {
            functions(&arguments.names)?;
            Ok(0)
        }
    }
}

fn environment(kind: &str) -> Result<Environment, Failure> {
    let known = Kind::ALL.iter().find(|(name, _)| *name == kind);
    let Some((_, kind)) = known else {
        let names: Vec<&str> = Kind::ALL.iter().map(|(name, _)| *name).collect();
        return Err(Failure(format!("--kind {kind}: known are {}", names.join(", "))));
    };
    Environment::new(*kind, false).map_err(Failure)
}

/// The first document of a file.
fn resource(path: &str) -> Result<Value, Failure> {
    let read =
        files::read(path).map_err(|Unreadable { original, .. }| Failure(format!("{path}: {original}")))?;
    let source = Source { id: SourceId(0), name: path.to_owned(), text: read.text.into() };
    let parsed = parse(&source, &Options::default());
    if let Some(finding) = parsed.findings.first() {
        return Err(Failure(format!("{path}: {}", finding.message)));
    }
    let document = parsed.documents.into_iter().find(|document| !document.value.is_null());
    document.map(|document| document.value).ok_or_else(|| Failure(format!("{path} holds no document")))
}

/// The name and value of `--var name=value`.
fn variable(text: &str) -> Result<(&str, Value), Failure> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Failure(format!("--var {text}: write name=value")))?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !is_name {
        return Err(Failure(format!("--var {text}: `{name}` is not a name")));
    }
    let value = parse_one(value).map_err(|error| Failure(format!("--var {name}: {}", error.message)))?;
    Ok((name, value))
}

fn eval(arguments: &CelEval) -> Result<u8, Failure> {
    if !matches!(arguments.output.as_str(), "yaml" | "json") {
        return Err(Failure(format!("-o {}: known are yaml, json", arguments.output)));
    }
    let mut environment = environment(&arguments.kind)?;
    let variables = arguments.var.iter().map(|text| variable(text)).collect::<Result<Vec<_>, _>>()?;
    for (name, _) in &variables {
        environment = environment.with_variable(name);
    }
    let object = arguments.resource.as_deref().map(resource).transpose()?;
    let asked = Resource::new(object.clone().unwrap_or_default(), DocumentId(0));
    let settings = Settings::default();
    let subject = Subject::of(&asked, &settings);
    let mut bound = bindings(&subject, &environment.variables);
    if object.is_none() {
        for (name, binding) in environment.variables.iter().zip(&mut bound) {
            if matches!(name.as_str(), "object" | "oldObject" | "request" | "namespaceObject") {
                *binding = Binding::Missing;
            }
        }
    }
    for (name, value) in &variables {
        let place = environment.variables.iter().position(|known| known == name);
        if let Some(binding) = place.and_then(|place| bound.get_mut(place)) {
            *binding = Binding::Value(CelValue::json(value, Numbers::AsWritten));
        }
    }
    let compiled =
        compile(&arguments.expression, &environment, Wanted::Any).map_err(|fault| Failure(fault.text))?;
    let world = crate::world::at(clock::now());
    let outside = CliWorld { world: &world, settings: &settings, namespace: "", also: &[] };
    let input = Input { variables: &bound, lazy: None, limit: environment.limit, outside: Some(&outside) };
    let value = compiled.program.evaluate(&input).outcome.map_err(|error| Failure(error.to_string()))?;
    let value = value.to_json();
    terminal::document(&if arguments.output == "json" {
        format!("{}\n", to_json_indent(&value, "  "))
    } else {
        to_yaml(&value)
    });
    Ok(0)
}

fn check(arguments: &CelCheck) -> Result<u8, Failure> {
    if arguments.expressions.is_empty() && arguments.file.is_empty() {
        return Err(Failure("name an expression, or a file with -f".to_owned()));
    }
    let environment = environment(&arguments.kind)?;
    let mut wrong = policies::check(&arguments.file)?;
    for expression in &arguments.expressions {
        match compile(expression, &environment, Wanted::Any) {
            Ok(compiled) => terminal::print(&format!("{expression}\n  {}\n", compiled.of)),
            Err(fault) => {
                wrong += 1;
                terminal::say(&format!("{}\n", fault.text));
            }
        }
    }
    Ok(u8::from(wrong > 0))
}

/// Lists functions, all or those of these names.
fn functions(names: &[String]) -> Result<(), Failure> {
    let environment = environment("ValidatingPolicy")?;
    let known: Vec<_> = environment.env.functions().collect();
    for declared in &known {
        let name = declared.row.name;
        let is_asked = names.iter().any(|wanted| wanted == name);
        // Operators are written as such, and what macros become cannot be written.
        let is_written = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !(is_asked || names.is_empty() && is_written) {
            continue;
        }
        terminal::print(&format!("Name: {name}\n"));
        for shape in &declared.overloads {
            terminal::print(&format!("  Signature: {}\n", shape.overload.signature));
        }
        terminal::print(&format!("  Note:      {}\n\n", declared.row.note));
    }
    for name in names.iter().filter(|name| !known.iter().any(|declared| declared.row.name == **name)) {
        terminal::say(&format!("warning: there is no function `{name}`\n"));
    }
    Ok(())
}
