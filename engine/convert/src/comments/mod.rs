//! The comments of a source, each beside what its place became.
//!
//! In: the comments with the values that they are about, and the policies that were made. Out: for each policy its comments with their
//! places. Each comment stands once: at what was made of the nearest value around it, in the first policy that was made of that.

mod origins;
mod read;
mod within;

pub(crate) use read::read;
pub(crate) use within::Traces;

use crate::comments::origins::{Origin, Origins};
use crate::kinds::policy::Policies;
use engine_json::{Path, Segment, Value};
use engine_yaml::{Comment, Side};
use std::collections::BTreeMap;

/// The comments of a value that is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pub(crate) above: Vec<String>,
    /// On its line.
    pub(crate) beside: Vec<String>,
    pub(crate) below: Vec<String>,
    /// Between the lines of a text: the line before which each stands.
    pub(crate) within: Vec<(usize, String)>,
}

/// The comments of a document.
#[derive(Clone, Debug, Default)]
pub struct Placed(BTreeMap<Path, Lines>);

impl Placed {
    /// Those of a value.
    pub(crate) fn of(&self, path: &Path) -> Option<&Lines> {
        self.0.get(path)
    }

    /// The same, to add more.
    pub(crate) fn at(&mut self, path: &Path) -> &mut Lines {
        self.0.entry(path.clone()).or_default()
    }

    /// Whether something within a value has comments.
    pub(crate) fn is_any_below(&self, path: &Path) -> bool {
        self.0.keys().any(|known| known.len() > path.len() && known.starts_with(path))
    }
}

/// What names the schema of the source, which that of another kind is not.
const SCHEMAS: [&str; 2] = ["yaml-language-server:", "$schema"];

/// The places of comments in the documents that were made.
pub(crate) fn place(
    found: Vec<Comment>,
    source: &Value,
    policies: &Policies,
    traces: &Traces,
) -> Vec<Placed> {
    let origins = Origins::new(source, policies);
    let mut placed = vec![Placed::default(); policies.documents.len()];
    let mut said: Vec<(Said, Option<Segment>)> = Vec::new();
    let mut last = None;
    let is_of_schema = |comment: &Comment| {
        let text = comment.text.trim_start_matches(['#', ' ']);
        SCHEMAS.iter().any(|name| text.starts_with(name))
    };
    for comment in found.into_iter().filter(|comment| !is_of_schema(comment)) {
        let origin = origins.of(&comment.path, comment.side);
        let Some((document, of)) =
            policies.documents.get(origin.document).zip(placed.get_mut(origin.document))
        else {
            continue;
        };
        let text = on_one_line(&comment.text);
        if let Some((path, line, sign)) = within::line(document, &origin, &comment, traces) {
            let of_list = comment
                .path
                .iter()
                .rev()
                .find_map(key_of)
                .filter(|_| is_item(&comment.path) && is_entry(&text));
            let text = text.strip_prefix('#').unwrap_or(&text);
            let text =
                of_list.map_or_else(|| text.to_owned(), |key| format!(" {key}: {}", text.trim_start()));
            of.at(&path).within.push((line, format!("{sign}{text}")));
            continue;
        }
        // Rules that became one policy say the same of the same.
        let place = (origin.document, origin.path.clone(), below_rule(&comment.path).to_vec(), text.clone());
        let rule = comment.path.get(RULE);
        if said.iter().any(|(known, other)| *known == place && other.as_ref() != rule) {
            continue;
        }
        said.push((place, rule.cloned()));
        let is_exact = origin.source_len == comment.path.len();
        let lines = of.at(&origin.path);
        match comment.side {
            Side::Beside if is_exact => lines.beside.push(text),
            Side::Below if is_exact || !is_entry(&text) => lines.below.push(text),
            // What stands one below another has one label.
            side if is_exact || last.as_ref() == Some(&(comment.path.clone(), side)) => {
                lines.above.push(text);
            }
            side => lines.above.extend(labelled(text, &comment.path, &origin, side)),
        }
        last = Some((comment.path, comment.side));
    }
    for (document, of) in policies.documents.iter().zip(&mut placed) {
        explain(document, of);
    }
    placed
}

/// A comment: the document and the place where it is put, the path of what it is about within its rule, and its text.
type Said = (usize, Path, Vec<Segment>, String);

/// At which place of a path the number of a rule stands.
const RULE: usize = 2;

/// The path within a rule.
fn below_rule(path: &[Segment]) -> &[Segment] {
    path.get(RULE + 1..).unwrap_or_default()
}

/// Whether a comment reads like an entry of a list or a map that is not in use.
fn is_entry(text: &str) -> bool {
    let text = text.trim_start_matches(['#', ' ']);
    let key =
        text.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' ')).map(|(key, _)| key);
    text.starts_with("- ")
        || key.is_some_and(|key| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c))
        })
}

fn key_of(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Key(key) => Some(key.to_string()),
        Segment::Index(_) => None,
    }
}

/// Whether a path leads to an item of a list.
fn is_item(path: &Path) -> bool {
    matches!(path.last(), Some(Segment::Index(_)))
}

/// Fields of a rule of which nothing may be left, so that what is said of them names them.
const LEFT: [&str; 4] = ["preconditions", "celPreconditions", "context", "exclude"];
/// Keys that say nothing of what stands below them.
const PLAIN: [&str; 4] = ["any", "all", "resources", "value"];

/// A comment whose field has no place of its own, with the name of the field.
fn labelled(text: String, path: &Path, origin: &Origin, side: Side) -> Vec<String> {
    let below = path.get(origin.source_len..).unwrap_or_default();
    if side == Side::Below {
        let within = if path.len() > RULE { below_rule(path) } else { path };
        let within = match within {
            [list @ .., Segment::Index(_)] => list,
            other => other,
        };
        return vec![format!("# {}:", Path::from(within)), text];
    }
    let of_match = origin.path.iter().any(|segment| {
        ["matchConstraints", "matchConditions"].iter().any(|field| *segment == Segment::from(*field))
    });
    let first = below.first().and_then(key_of).filter(|key| LEFT.contains(&key.as_str()));
    let last = below.iter().rev().find_map(key_of).filter(|key| of_match && !PLAIN.contains(&key.as_str()));
    match first.or(last) {
        Some(label) => vec![format!("# {label}: {}", text.trim_start_matches(['#', ' ']))],
        None => vec![text],
    }
}

/// Says why metadata are a variable, which nothing in the policy says.
fn explain(document: &Value, of: &mut Placed) {
    let variables = document.find(&["spec", "variables"]).and_then(Value::as_array).unwrap_or_default();
    for (at, variable) in variables.iter().enumerate() {
        let is_made = matches!(variable.find_str(&["name"]), "metadata" | "oldMetadata")
            && variable.find_str(&["expression"]).contains("has(");
        if is_made {
            let path = Path::from_keys(&["spec", "variables"]).join(at);
            of.at(&path).above.push("# Templates of Pods need not have metadata.".to_owned());
        }
    }
}

/// A comment without what YAML takes for the end of a line.
fn on_one_line(text: &str) -> String {
    let is_break = |c: char| (c.is_control() && c != '\t') || "\u{85}\u{2028}\u{2029}\u{feff}".contains(c);
    text.chars().map(|c| if is_break(c) { ' ' } else { c }).collect()
}
