//! What is made of rows is what the rows say: `docs/functions.md` and the editor's functions in `www/data`.
//!
//! In: the rows. Out: a failure where an example has another value, or where a file is not what the rows make of it;
//! with `UPDATE=1` the file is written instead.

use engine::json::{parse, to_json};
use engine::world::StaticWorld;
use engine_lenses::wire::FunctionDoc;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Functions

Every function that a JMESPath expression may call in a policy: the 26 of the JMESPath specification and those of Kyverno.
The type after the arguments is that of the result. An argument `number` takes only a number, `string|number` either.
In the examples it is the beginning of 1970. `cargo test` evaluates every line below. This
page is generated from the rows in `engine/src/functions` and `engine/jmespath/src/standard`.
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
    let rows = engine_lenses::run::functions();
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

/// Whether a file is what the rows make of it; where that is asked for, it is written first.
fn is_up_to_date(path: &str, made: &str) -> bool {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE").is_some() && std::fs::write(&whole, made).is_err() {
        return false;
    }
    std::fs::read_to_string(&whole).is_ok_and(|written| written == made)
}

const ADVICE: &str = "not up to date: UPDATE=1 cargo test -p tests --test all docs::";

#[test]
fn the_page_of_functions_is_made_of_their_rows() {
    assert!(is_up_to_date("docs/functions.md", &page(&engine_lenses::run::functions())), "{ADVICE}");
}

#[test]
fn the_editor_completes_every_function() {
    let rows: Vec<String> =
        engine_lenses::run::functions().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    let made = format!("[\n{}\n]\n", rows.join(",\n"));
    assert!(is_up_to_date("www/data/functions.json", &made), "{ADVICE}");
}

/// Where the documents lie.
fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_index_lists_every_document_and_the_readme_leads_to_it() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    let mut missing = Vec::new();
    for folder in ["docs", "docs/stories"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let link = format!("{}/{name}", folder.trim_start_matches("docs"));
            if Path::new(&name).extension().is_some_and(|end| end == "md")
                && link != "/README.md"
                && !index.contains(&format!("({})", link.trim_start_matches('/')))
            {
                missing.push(link);
            }
        }
    }
    assert!(missing.is_empty(), "docs/README.md does not list {missing:?}");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("(docs/README.md)") && readme.contains("docs/limits.md"));
}
