//! The comments of a source, each beside what its place became.
//!
//! In: the comments with the values that they are about, and the policies that were made. Out: for each policy its comments with their
//! places. Each comment stands once: at what was made of the nearest value around it, in the first policy that was made of that.

mod origins;
mod read;
mod within;

pub(crate) use read::read;
pub(crate) use within::Traces;

use crate::comments::origins::Origins;
use crate::kinds::policy::Policies;
use engine_json::{Path, Value};
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
            let text = text.strip_prefix('#').unwrap_or(&text);
            of.at(&path).within.push((line, format!("{sign}{text}")));
            continue;
        }
        let is_exact = origin.source_len == comment.path.len();
        let lines = of.at(&origin.path);
        match comment.side {
            Side::Beside if is_exact => lines.beside.push(text),
            Side::Below => lines.below.push(text),
            Side::Above | Side::Beside => lines.above.push(text),
        }
    }
    for (document, of) in policies.documents.iter().zip(&mut placed) {
        explain(document, of);
    }
    placed
}

/// Says why metadata are a variable, which nothing in the policy says.
fn explain(document: &Value, of: &mut Placed) {
    let variables = document.find(&["spec", "variables"]).and_then(Value::as_array).unwrap_or_default();
    for (at, variable) in variables.iter().enumerate() {
        let is_made = matches!(variable.find_str(&["name"]), "metadata" | "oldMetadata")
            && variable.find_str(&["expression"]).starts_with("has(");
        if is_made {
            let path = Path::from_keys(&["spec", "variables"]).join(at);
            of.at(&path)
                .above
                .push("# Templates of Pods, which autogen reads, need not have metadata.".to_owned());
        }
    }
}

/// A comment without what YAML takes for the end of a line.
fn on_one_line(text: &str) -> String {
    let is_break = |c: char| (c.is_control() && c != '\t') || "\u{85}\u{2028}\u{2029}\u{feff}".contains(c);
    text.chars().map(|c| if is_break(c) { ' ' } else { c }).collect()
}
