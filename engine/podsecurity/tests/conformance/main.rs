//! Holds this crate against the recorded answers of the originals, read in place from the shared folder.
//!
//! In: rows of `shared/conformance/podsecurity`. Out: `agreed/total` for each file on standard output, and a failure
//! where a row differs. Without the folder every test says "skipped".
#![expect(clippy::print_stdout, reason = "the figures are the point of the test")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

mod admission;
mod kyverno;
mod psp;
mod standards;

use engine_json::{Map, Value, to_json};
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the recorded answers are, if they are there.
fn folder() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/conformance/podsecurity"))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        println!("skipped: no recorded answers beside this repository");
    }
    found
}

/// The text of a file, unzipped where its name ends in `.gz`.
fn text(file: &str) -> Option<String> {
    let path = folder()?.join(file);
    let mut text = String::new();
    let mut open = File::open(&path).unwrap();
    if Path::new(file).extension().is_some_and(|end| end == "gz") {
        GzDecoder::new(open).read_to_string(&mut text).unwrap();
    } else {
        open.read_to_string(&mut text).unwrap();
    }
    Some(text)
}

/// The rows of a file of JSON lines.
fn rows(file: &str) -> Option<Vec<Value>> {
    let text = text(file)?;
    Some(text.lines().map(|line| engine_json::parse(line).unwrap()).collect())
}

/// Prints how many rows agree, and the first that do not; fails unless all do.
fn hold(file: &str, total: usize, differing: &[(String, Value, Value)]) {
    println!("{file}: {}/{total} agree", total - differing.len());
    for (id, wanted, got) in differing.iter().take(10) {
        println!("{id}\n  wanted {}\n  got    {}", to_json(wanted), to_json(got));
    }
    assert!(total > 0 && differing.is_empty(), "{file}: {} of {total} rows differ", differing.len());
}

/// Answers every row and holds it against what was recorded.
fn hold_each(file: &str, rows: &[Value], answer: impl Fn(&Value) -> Value) {
    let mut differing = Vec::new();
    for row in rows {
        let got = answer(row);
        if got != *row {
            differing.push((row.find_str(&["id"]).to_owned(), row.clone(), got));
        }
    }
    hold(file, rows.len(), &differing);
}

/// A map of these entries, without those whose value is null.
fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let set = entries.into_iter().filter(|(_, value)| !value.is_null());
    Value::object(set.collect::<Map>())
}

/// The text, or null where it is empty.
fn unless_empty(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

/// The texts as a list, or null where there is none.
fn list<T: AsRef<str>>(texts: &[T]) -> Value {
    if texts.is_empty() {
        return Value::Null;
    }
    Value::array(texts.iter().map(|text| Value::from(text.as_ref())).collect())
}

/// The same map with other entries put in or, where null, taken out.
fn with<const N: usize>(row: &Value, entries: [(&str, Value); N]) -> Value {
    let mut map = row.as_object().unwrap().clone();
    for (key, value) in entries {
        if value.is_null() {
            map.remove(key);
        } else {
            map.insert(key, value);
        }
    }
    Value::object(map)
}
