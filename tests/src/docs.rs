//! `docs/functions.md` says what the rows of the functions say, and what it shows is so.
//!
//! In: the rows. Out: a failure where an example has another value, or where the file is not what the rows make of it;
//! with `UPDATE=1` the file is written instead.

use engine::json::{parse, to_json};
use engine::wire::FunctionDoc;
use engine::world::StaticWorld;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Functions

Every function that a JMESPath expression may call in a policy: the 26 of the JMESPath specification and those of Kyverno.
Behind the arguments stands what comes back. An argument of the kind `number` takes a number alone, `string|number` either.
In examples the clock stands at the beginning of 1970. `cargo test` evaluates every line below. This
page is made of the rows in `engine/src/functions` and `engine/jmespath/src/standard`.
";

fn page(rows: &[FunctionDoc]) -> String {
    let mut page = HEAD.to_owned();
    let links: Vec<String> = rows.iter().map(|row| format!("[{0}](#{0})", row.name)).collect();
    let _ = write!(page, "\n{}\n", links.join(" · "));
    for FunctionDoc { name, signature, doc, examples } in rows {
        let _ = write!(page, "\n## {name}\n\n`{signature}`: {doc}.\n\n```\n");
        for example in examples {
            let _ = writeln!(page, "{}\n  → {}", example.expression, example.value);
        }
        page.push_str("```\n");
    }
    page
}

#[test]
fn every_function_has_an_example_that_holds() {
    let rows = engine::run::functions();
    assert!(rows.windows(2).all(|pair| pair[0].name < pair[1].name));
    for row in &rows {
        assert!(!row.doc.is_empty() && row.signature.starts_with(&format!("{}(", row.name)), "{}", row.name);
        assert!(
            row.examples.iter().any(|example| example.expression.contains(&format!("{}(", row.name))),
            "{}",
            row.name
        );
        for example in &row.examples {
            let found =
                engine::query(&example.expression, &engine::json::Value::Null, &StaticWorld::default());
            let wanted = parse(&example.value).unwrap();
            assert_eq!(to_json(&found.unwrap()), to_json(&wanted), "{}", example.expression);
        }
    }
}

#[test]
fn the_page_of_functions_is_made_of_their_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/functions.md");
    let page = page(&engine::run::functions());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).is_ok_and(|written| written == page),
        "docs/functions.md is not up to date: UPDATE=1 cargo test -p tests --test docs"
    );
}
