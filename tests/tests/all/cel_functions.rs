//! The functions of CEL: `docs/cel-functions.md` is what the rows say, and their examples hold.
//!
//! In: the rows of all kinds of policies. Out: a failure where an example has another value, or where the page
//! is not what the rows make of it; with `UPDATE=1` the page is written instead.

use engine::json::{Value, to_json};
use engine::world::StaticWorld;
use engine_cel::function::Function;
use engine_celpolicy::environment::{Environment, Kind, all_rows, is_written};
use engine_celpolicy::expression::json::documented;
use engine_celpolicy::expression::{Question, evaluate};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Functions of CEL

Every function that an expression of Kyverno's policies may call: those of the language and of cel-go's extensions, of
Kubernetes, and of Kyverno. `jsonpatch.escapeKey` is only in a MutatingPolicy, `generator.apply` only in a GeneratingPolicy, all others
in a ValidatingPolicy; `podsieve cel functions --kind KIND` lists those of a kind. `string.(int) -> string` is a method of a string,
`(int) -> string` a function. In the examples it is the beginning of 1970, and values are written as JSON. `cargo test`
evaluates every line below. This page is generated from the rows in `engine/cel/src/standard` and `engine/celpolicy/src/functions`.
";

/// The value of an expression as JSON, or what is wrong.
fn value(environment: &Environment, expression: &str) -> Result<String, String> {
    let question = Question { expression, object: Some(&Value::Null), variables: &[] };
    let answer = evaluate(&question, environment, &StaticWorld::default());
    answer.outcome.map(|value| to_json(&value)).map_err(|wrong| wrong.text().to_owned())
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut rows: Vec<&Function> = documented().collect();
    rows.sort_by(|a, b| a.name.cmp(b.name));
    let mut before = "";
    for row in rows {
        if row.name != before {
            let _ = write!(page, "\n## {}\n", row.name);
        }
        before = row.name;
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
    page
}

/// Functions whose answers come from outside, or that nobody can call: they have no example.
fn needs_no_example(row: &Function) -> bool {
    let asks = |overload: &engine_cel::function::Overload| {
        let signature = overload.signature;
        ["resource.", "generator.", "http.", "globalcontext.", "imagedata.", "kubernetes.authorization."]
            .iter()
            .any(|start| signature.starts_with(start))
    };
    row.overloads.iter().all(asks) || matches!(row.name, "x509.decode" | "dyn")
}

#[test]
fn every_example_holds() {
    // It has those of a ValidatingPolicy, and its own. Examples show values, also where policies have no budget for them.
    let mut environment = Environment::new(Kind::Mutating, false).unwrap();
    environment.limit = None;
    let mut wrong = String::new();
    for row in all_rows() {
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
    let made = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cel-functions.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "not up to date: UPDATE=1 cargo test -p tests --test all cel_functions::");
}
