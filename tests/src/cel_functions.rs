//! The functions of CEL: `docs/cel-functions.md` is what the rows say, and their examples hold.
//!
//! In: the rows of a ValidatingPolicy's environment. Out: a failure where an example has another value, or where the page
//! is not what the rows make of it; with `UPDATE=1` the page is written instead.

use engine::json::to_json;
use engine::load::Settings;
use engine::resource::{DocumentId, Resource};
use engine::world::StaticWorld;
use engine_cel::env::Declared;
use engine_cel::eval::Input;
use engine_cel::function::Function;
use engine_celpolicy::apply::{CliWorld, Subject, bindings};
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::environment::{Environment, Kind, rows};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Functions of CEL

Every function that an expression of a ValidatingPolicy may call: those of the language and of cel-go's extensions, of
Kubernetes, and of Kyverno. `string.(int) -> string` is a method of a string, `(int) -> string` a function. In examples the
clock stands at the beginning of 1970, and values are written as JSON. `cargo test` evaluates every line below. This page is
made of the rows in `engine/cel/src/standard` and `engine/celpolicy/src/functions`.
";

/// Whether people write it: operators have no name, and what macros become holds an `@` or begins with `_`.
fn is_written(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('@')
}

/// The value of an expression as JSON, or what is wrong.
fn value(environment: &Environment, expression: &str) -> Result<String, String> {
    let compiled = compile(expression, environment, Wanted::Any).map_err(|fault| fault.text)?;
    let resource = Resource::new(engine::json::Value::Null, DocumentId(0));
    let settings = Settings::default();
    let subject = Subject::of(&resource, &settings);
    let bound = bindings(&subject, &environment.variables);
    let world = StaticWorld::default();
    let outside = CliWorld { world: &world, settings: &settings, namespace: "", also: &[] };
    let input = Input { variables: &bound, lazy: None, limit: None, outside: Some(&outside) };
    let outcome = compiled.program.evaluate(&input).outcome;
    outcome.map(|value| to_json(&value.to_json())).map_err(|error| error.to_string())
}

/// The rows of one name.
fn of_name(name: &str) -> Vec<&'static Function> {
    rows(false).filter(|row| row.name == name).collect()
}

fn page(environment: &Environment) -> String {
    let mut page = HEAD.to_owned();
    let written: Vec<&Declared> =
        environment.env.functions().filter(|declared| is_written(declared.row.name)).collect();
    for declared in written {
        let name = declared.row.name;
        let _ = write!(page, "\n## {name}\n");
        for row in of_name(name) {
            let _ = writeln!(page, "\n{}\n", row.note);
            for overload in row.overloads {
                let _ = writeln!(page, "- `{}`", overload.signature);
            }
            if !row.examples.is_empty() {
                page.push_str("\n```\n");
                for (expression, value) in row.examples {
                    let _ = writeln!(page, "{expression}\n  → {value}");
                }
                page.push_str("```\n");
            }
        }
    }
    page
}

/// Functions whose answers come from outside, or that nobody can call: they have no example.
fn needs_no_example(row: &Function) -> bool {
    let asks = |overload: &engine_cel::function::Overload| {
        let signature = overload.signature;
        ["resource.", "http.", "globalcontext.", "imagedata.", "kubernetes.authorization."]
            .iter()
            .any(|start| signature.starts_with(start))
    };
    row.overloads.iter().all(asks) || matches!(row.name, "x509.decode" | "dyn")
}

#[test]
fn every_example_holds() {
    let environment = Environment::new(Kind::Validating, false).unwrap();
    let mut wrong = String::new();
    for row in rows(false) {
        assert!(!row.note.is_empty(), "{} says nothing", row.name);
        let is_written = is_written(row.name);
        if row.examples.is_empty() && is_written && !needs_no_example(row) {
            let _ = writeln!(wrong, "{} has no example", row.name);
        }
        for (expression, wanted) in row.examples {
            let found = value(&environment, expression);
            if found.as_deref() != Ok(*wanted) {
                let _ = writeln!(wrong, "{expression}: {found:?}, and not {wanted}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn the_page_is_made_of_the_rows() {
    let environment = Environment::new(Kind::Validating, false).unwrap();
    let made = page(&environment);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cel-functions.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "not up to date: UPDATE=1 cargo test -p tests --test cel_functions");
}
