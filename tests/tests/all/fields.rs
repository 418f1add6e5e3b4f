//! The editor knows every field of policies, with what it is for: `www/data/policies.json`.
//!
//! In: the engine's tables of fields, and `www/data/fields.txt` with a sentence on each. Out: a failure where a field has no
//! sentence or a sentence no field, or where the file is not what both make; with `UPDATE=1` it is written instead.

use engine::load::{Outline, outline};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The type of `metadata`, which the schemas of Kubernetes describe.
const METADATA: &str = "#meta.v1.ObjectMeta";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/data").join(name)
}

/// Ends of paths and what they are for.
fn sentences(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(": ").unwrap_or((line, ""))).collect()
}

/// The longest end of a path that has a sentence.
fn longest<'t>(path: &str, sentences: &BTreeMap<&'t str, &'t str>) -> Option<(&'t str, &'t str)> {
    let mut rest = path;
    loop {
        if let Some((end, sentence)) = sentences.get_key_value(rest) {
            return Some((end, sentence));
        }
        rest = rest.split_once('.')?.1;
    }
}

/// The editor's form of the tables, made while one walks over them from the kinds down.
struct Made<'t> {
    outline: Outline,
    sentences: BTreeMap<&'t str, &'t str>,
    /// The numbers of the types that are needed, in the order in which they were met, with the path to each.
    met: Vec<(usize, String)>,
    used: BTreeSet<&'t str>,
    unexplained: String,
}

impl Made<'_> {
    /// The new number of a type.
    fn number(&mut self, old: usize, path: &str) -> usize {
        let known = self.met.iter().position(|(other, _)| *other == old);
        known.unwrap_or_else(|| {
            self.met.push((old, path.to_owned()));
            self.met.len() - 1
        })
    }

    /// What a field holds, its types by their new numbers, choices without those that differ in their first letter alone.
    fn holds(&mut self, old: &str, path: &str) -> String {
        let form = |form: &str| {
            let base = form.trim_start_matches(['[', ']', '{', '}']);
            let lists = form.strip_suffix(base).unwrap_or("");
            if let Some(number) = base.strip_prefix('#') {
                return format!("{lists}#{}", self.number(number.parse().unwrap_or(0), path));
            }
            if let Some(choices) = base.strip_prefix('=') {
                let all: Vec<&str> = choices.split(',').collect();
                let is_kept = |choice: &&&str| {
                    let twin = |other: &&str| other.eq_ignore_ascii_case(choice) && **other < ***choice;
                    !all.iter().any(twin)
                };
                return format!(
                    "{lists}={}",
                    all.iter().filter(is_kept).copied().collect::<Vec<_>>().join(",")
                );
            }
            form.to_owned()
        };
        old.split('|').map(form).collect::<Vec<_>>().join("|")
    }

    /// The fields of a type, in their order.
    fn fields(&mut self, old: usize, path: &str) -> String {
        let mut fields = Vec::new();
        for field in self.outline.types.get(old).cloned().unwrap_or_default() {
            if field.name == "status" {
                continue;
            }
            let path = format!("{path}.{}", field.name);
            let found = longest(&path, &self.sentences);
            if let Some((end, _)) = found {
                self.used.insert(end);
            } else {
                let _ = writeln!(self.unexplained, "no sentence for {path}");
            }
            let sentence = found.map_or("", |(_, sentence)| sentence);
            let holds =
                if field.name == "metadata" { METADATA.to_owned() } else { self.holds(&field.holds, &path) };
            let mark = if field.is_required { "!" } else { "" };
            fields.push(format!("{:?}:{}", field.name, json!([format!("{mark}{holds}"), sentence])));
        }
        format!("{{{}}}", fields.join(","))
    }
}

#[test]
fn the_editor_knows_every_field() {
    let text = std::fs::read_to_string(data("fields.txt")).unwrap_or_default();
    let mut made = Made {
        outline: outline(),
        sentences: sentences(&text),
        met: Vec::new(),
        used: BTreeSet::new(),
        unexplained: String::new(),
    };
    let kinds: Vec<String> = made
        .outline
        .kinds
        .clone()
        .into_iter()
        .map(|(version, kind, old)| format!("{:?}: {}", format!("{version} {kind}"), made.number(old, kind)))
        .collect();
    let mut types = Vec::new();
    // More types are met while the fields of one are written.
    while let Some((old, path)) = made.met.get(types.len()).cloned() {
        types.push(made.fields(old, &path));
    }
    assert!(made.unexplained.is_empty(), "\n{}", made.unexplained);
    let unused: Vec<_> = made.sentences.keys().filter(|end| !made.used.contains(**end)).collect();
    assert!(unused.is_empty(), "sentences of www/data/fields.txt without a field: {unused:?}");
    let written =
        format!("{{\"kinds\": {{{}}},\n\"types\": [\n{}\n]}}\n", kinds.join(", "), types.join(",\n"));
    if std::env::var_os("UPDATE").is_some() {
        assert!(std::fs::write(data("policies.json"), &written).is_ok());
    }
    let found = std::fs::read_to_string(data("policies.json")).unwrap_or_default();
    assert!(
        found == written,
        "www/data/policies.json is not up to date: UPDATE=1 cargo test -p tests --test all fields::"
    );
}
