//! Classic policies written anew in CEL, and policies of Kyverno and of the API server as one another.
//!
//! In: texts with ClusterPolicies and Policies. Out: for each policy a [`Conversion`]: the text of policies in CEL that say the same, or
//! what has no faithful form, with its line and the reason. Nothing is approximated: a policy is converted whole or not at all, and
//! [`grade`] compares what was made with its source by `engine_compare`.
//!
//! ```
//! use engine_lenses::wire::Text;
//! let text = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: [{resources: \
//!     {kinds: [Pod]}}]}, validate: {message: team, pattern: {metadata: {labels: {team: '?*'}}}}}]}}";
//! let all = engine_convert::convert(&Text { name: "policy.yaml".into(), text: text.into() });
//! assert!(all[0].text().contains("expression: object.metadata.?labels.?team.orValue('') != ''"));
//! ```
//!
//! Reading order: `refusal`; `expressions` (JMESPath as CEL, and formulas as text); `plain`, `named_kind`, `select`, `filter`, `context`; `conditions`; `rules`
//! (what each kind of rule becomes); `podsecurity`; `kinds` (whole policies); `comments`; `emit`; `grade`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod comments;
mod conditions;
mod context;
mod emit;
mod expressions;
mod filter;
mod grade;
mod kinds;
mod named_kind;
mod plain;
pub mod podsecurity;
mod refusal;
mod rules;
mod select;

pub use comments::Placed;
pub use grade::grade;
pub use kinds::{Target, convert_all};
pub use refusal::Class;

use engine_celpolicy::policy::oldest_taking;
use engine_compare::{FieldType, PlainValue, Taken};
use engine_json::{Path, Segment, Value};
use engine_lenses::wire::{Range, Text};

/// A place that has no faithful form.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What kind of thing.
    pub class: Class,
    /// The rule; empty where it is about the policy.
    pub rule: String,
    /// Why.
    pub text: String,
    /// The field.
    pub field: String,
    /// Where it stands.
    pub range: Option<Range>,
}

/// A policy, and what became of it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is taken for granted, each by itself")]
pub struct Conversion {
    /// The kind of the source.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub range: Option<Range>,
    /// The source.
    pub source: Value,
    /// The policies in CEL; empty where something is refused.
    pub documents: Vec<Value>,
    /// The comments of each.
    pub comments: Vec<Placed>,
    /// What has no faithful form.
    pub refused: Vec<Refused>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What fields of custom kinds are taken to hold.
    pub field_types: Vec<FieldType>,
    /// Whether images are taken to be such as can be pulled: for another one the source errs, and no kubelet runs it.
    pub has_readable_images: bool,
    /// Whether the source alone puts containers or volumes that it changes before others, as a note says.
    pub keeps_order: bool,
    /// Strings of objects that the source takes for wildcards, and in which none are taken to stand.
    pub plain_values: Vec<PlainValue>,
    /// How many rules the source has.
    pub rules: usize,
    /// Whether the source lets updates pass that change nothing for the worse.
    pub allows_existing_violations: bool,
    /// Documents without which the source, and what it became, decide something else: bindings, exceptions, other policies.
    pub beside: [Vec<Value>; 2],
    /// Whether the source evaluates deletions too, as a note says.
    pub leaves_deletions: bool,
}

impl Conversion {
    /// Whether all of it is converted.
    pub fn is_whole(&self) -> bool {
        self.refused.is_empty() && !self.documents.is_empty()
    }

    /// The policies in CEL as YAML, with the comments of the source.
    pub fn text(&self) -> String {
        let none = Placed::default();
        let texts = self
            .documents
            .iter()
            .enumerate()
            .map(|(at, document)| emit::commented(self.comments.get(at).unwrap_or(&none), document));
        texts.collect::<Vec<_>>().join("---\n")
    }
}

/// Which API servers take the policies of Kubernetes among what was made; nothing where there is none.
fn taken_by<'d>(made: impl Iterator<Item = &'d Value>) -> Option<String> {
    let of_kubernetes =
        made.filter(|document| document.find_str(&["apiVersion"]).starts_with("admissionregistration."));
    let oldest = of_kubernetes.filter_map(oldest_taking).max()?;
    Some(format!("API servers take it since Kubernetes {oldest}"))
}

/// What a reader should know, and what is taken for granted.
fn notes(
    mut notes: Vec<String>,
    types: &expressions::types::Types<'_>,
    place: &dyn Fn(&Path) -> Option<Range>,
) -> Vec<String> {
    for (path, value) in types.plain() {
        let Some(path) = path else { continue };
        let line = place(&path).map_or_else(String::new, |range| format!("line {}: ", range.line));
        let why = match value.taken {
            Taken::Keyed(_) => {
                "the source loses elements of a list that it merges by a key where one lacks it or two share it"
            }
            Taken::WrittenOnce => {
                "the source compares amounts by what they are, the new policy as they are written"
            }
            Taken::NoListOrRange => "the source reads lists and ranges in a string",
            Taken::OtherThan(_) => "the source lets a value pass that is the text of its pattern",
            _ => {
                "the source takes `*` and `?` in a value of the object for wildcards, the new policy compares it as it stands"
            }
        };
        let note = format!("{line}{why}; taken for granted: {}", value.describe());
        // A patch for templates is of the same lines.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let field_types = types.assumed();
    if types.has_readable_images() {
        notes.push(
            "images are taken to be such as can be pulled, by no digest of SHA-512: the source errs for others, such as `Nginx`, and the new policy for such digests"
                .into(),
        );
    }
    if !field_types.is_empty() {
        let types: Vec<String> = field_types.iter().map(FieldType::describe).collect();
        notes.push(format!("the schema of the kind is not known; taken for granted: {}", types.join(", ")));
    }
    notes
}

/// So many characters of what is written are shown.
const MAX_SHOWN: usize = 120;

/// Why something is not converted, with the string that is written there where the reason names nothing.
fn with_written(document: &Value, refusal: &refusal::Refusal) -> String {
    let written = refusal.path.iter().try_fold(document, |value, segment| match segment {
        Segment::Key(key) => value.get(key),
        Segment::Index(at) => value.at(usize::try_from(*at).ok()?),
    });
    let written = written.and_then(Value::as_str);
    let written = written.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    match written.filter(|_| !refusal.text.contains('`')) {
        Some(written) if written.chars().count() > MAX_SHOWN => {
            format!("{}: `{}…`", refusal.text, written.chars().take(MAX_SHOWN).collect::<String>())
        }
        Some(written) => format!("{}: `{written}`", refusal.text),
        None => refusal.text.clone(),
    }
}

/// Converts all classic policies of a text.
pub fn convert(text: &Text) -> Vec<Conversion> {
    convert_all(std::slice::from_ref(text), Target::Cel)
        .into_iter()
        .map(|(_, conversion)| conversion)
        .collect()
}
