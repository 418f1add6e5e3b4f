//! `podsieve cel`: CEL expressions as policies see them: what they give, what is wrong with them, what they may call.
//!
//! In: expressions, files. Out: values; problems with file, line and column; functions with their signatures.

mod policies;

use crate::args::{Cel, CelCheck, CelCommand, CelEval, CelFunctions};
use crate::clock;
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::terminal;
use engine::json::{Str, Value, to_json_indent};
use engine::load::Kubernetes;
use engine::yaml::emit::to_yaml;
use engine::yaml::{Options, Source, SourceId, parse, parse_one};
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::environment::{Environment, Kind, Offered, is_written};
use engine_celpolicy::expression::{Question, Wrong, evaluate, is_name};

/// Runs the command.
pub(crate) fn run(cel: &Cel) -> Result<u8, Failure> {
    match &cel.command {
        CelCommand::Eval(arguments) => eval(arguments),
        CelCommand::Check(arguments) => check(arguments),
        CelCommand::Functions(arguments) => {
            functions(arguments)?;
            Ok(0)
        }
    }
}

/// What expressions of a kind may use: as Kyverno compiles them, or as an API server does that knows the libraries of a release.
fn environment(kind: &str, libraries: Option<Kubernetes>) -> Result<Environment, Failure> {
    let Some(known) = Kind::named(kind) else {
        let names: Vec<&str> = Kind::ALL.iter().map(|(name, _)| *name).collect();
        return Err(Failure(format!("--kind {kind}: known are {}", names.join(", "))));
    };
    let patches = match (known, libraries) {
        (_, None) => return Environment::new(known, false).map_err(Failure),
        (Kind::Admission { .. }, _) if kind != "validate.cel" => false,
        (Kind::MutatingAdmission { .. }, _) => true,
        _ => {
            return Err(Failure(format!(
                "--kubernetes is for policies of Kubernetes, not for --kind {kind}"
            )));
        }
    };
    let libraries = libraries.unwrap_or_default();
    let offered = Offered { params: true, authorizer: true, variables: true, patches, libraries };
    Environment::new(Kind::ApiServer(offered), false).map_err(Failure)
}

/// The first document of a file.
fn resource(path: &str) -> Result<Value, Failure> {
    let read = files::read(path)
        .map_err(|Unreadable { original, .. }| Failure(format!("`{path}` cannot be read: {original}")))?;
    let source = Source { id: SourceId(0), name: path.to_owned(), text: read.text.into() };
    let parsed = parse(&source, &Options::default());
    if let Some(finding) = parsed.findings.first() {
        return Err(Failure(format!("{path}: {}", finding.message)));
    }
    let document = parsed.documents.into_iter().find(|document| !document.value.is_null());
    document.map(|document| document.value).ok_or_else(|| Failure(format!("`{path}` holds no document")))
}

/// The name and value of `--var name=value`.
fn variable(text: &str) -> Result<(Str, Value), Failure> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Failure(format!("--var {text}: write name=value")))?;
    if !is_name(name) {
        return Err(Failure(format!("--var {text}: `{name}` is not a name")));
    }
    let value = parse_one(value).map_err(|error| Failure(format!("--var {name}: {}", error.message)))?;
    Ok((Str::from(name), value))
}

fn eval(arguments: &CelEval) -> Result<u8, Failure> {
    if !matches!(arguments.output.as_str(), "yaml" | "json") {
        return Err(Failure(format!("-o {}: known are yaml, json", arguments.output)));
    }
    let environment = environment(&arguments.of.kind, arguments.of.kubernetes)?;
    let variables = arguments.var.iter().map(|text| variable(text)).collect::<Result<Vec<_>, _>>()?;
    let object = arguments.resource.as_deref().map(resource).transpose()?;
    let question =
        Question { expression: &arguments.expression, object: object.as_ref(), variables: &variables };
    let answer = evaluate(&question, &environment, &crate::world::at(clock::now()));
    let value = match answer.outcome {
        Ok(value) => value,
        Err(Wrong::Compilation(fault)) => {
            terminal::say(&format!("{}\n", fault.text));
            return Ok(1);
        }
        Err(Wrong::Evaluation(text)) => return Err(Failure(text.clone() + &tip(&text))),
    };
    terminal::document(&if arguments.output == "json" {
        format!("{}\n", to_json_indent(&value, "  "))
    } else {
        to_yaml(&value)
    });
    Ok(0)
}

/// What to do where a variable has no value; empty for other errors.
fn tip(error: &str) -> String {
    match error.strip_prefix("no such attribute(s): ") {
        Some(name @ ("object" | "oldObject" | "request" | "namespaceObject")) => {
            format!("\n  tip: `{name}` is there with a resource: -r FILE")
        }
        Some(name) => format!("\n  tip: give it a value with --var '{name}=VALUE'"),
        None => String::new(),
    }
}

fn check(arguments: &CelCheck) -> Result<u8, Failure> {
    if arguments.expressions.is_empty() && arguments.file.is_empty() {
        return Err(Failure("give an expression, or a file with -f".to_owned()));
    }
    let environment = environment(&arguments.of.kind, arguments.of.kubernetes.map(Kubernetes::before))?;
    let mut wrong = policies::check(&arguments.file, arguments.of.kubernetes)?;
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

/// Lists the functions of a kind, all or those of these names.
fn functions(arguments: &CelFunctions) -> Result<(), Failure> {
    let names = &arguments.names;
    let environment = environment(&arguments.of.kind, arguments.of.kubernetes.map(Kubernetes::before))?;
    let known: Vec<_> = environment.env.functions().collect();
    for declared in &known {
        let name = declared.row.name;
        let is_asked = names.iter().any(|wanted| wanted == name);
        if !(is_asked || names.is_empty() && is_written(name)) {
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
