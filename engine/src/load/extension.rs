//! What crates above the engine add to it: kinds of policies, and what reads rules in CEL.
//!
//! In: a table that such a crate brings. Out: what the loader does with a document or a rule that it does not know itself.

use super::table::Struct;
use super::{ApiServer, Bundle, Kubernetes, Refused, Unsupported};
use crate::body::{PhaseRunner, RuleCheck};
use crate::diag::Diagnostic;
use crate::policy::{Policy, Rule};
use crate::resource::DocumentId;
use engine_json::{Path, Value};
use std::sync::Arc;

/// A kind of policy that a crate above the engine evaluates: a row of the table that [`load_with`] takes.
pub struct ExtensionKind {
    /// The kind.
    pub kind: &'static str,
    /// The API versions in which it is read.
    pub api_versions: &'static [&'static str],
    /// Further API versions, which a cluster has; the CLI reads them where it looks at no schema, in a `List`.
    pub more_versions: &'static [&'static str],
    /// What it may hold; what breaks the schema is named with its place, and not read.
    pub schema: &'static Struct,
    /// What it is read as.
    pub reading: Reading,
    /// Why an API server of a release would not store a document of it, where that is known: a cluster has none then.
    pub not_stored: Option<fn(&Value, Kubernetes) -> Option<NotStored>>,
}

/// Why an API server does not store a document.
#[derive(Clone, Debug)]
pub struct NotStored {
    /// All that it answers.
    pub reason: String,
    /// What is wrong in its words, each with its place in the document.
    pub faults: Vec<(Path, String)>,
}

/// What such a kind is read as.
#[derive(Clone, Copy)]
pub enum Reading {
    /// A policy.
    Policy(DecodeExtensionKind),
    /// An exception, which the bodies of policies read; with what says, in the original's words, why it does not load one.
    Exception(fn(&Value) -> Option<String>),
    /// What binds a policy to resources, which the bodies of policies read.
    Binding,
}

/// What crates above the engine add to it.
#[derive(Debug)]
pub struct Extension {
    /// Further kinds of policies.
    pub kinds: &'static [ExtensionKind],
    /// What reads rules with `validate.cel`.
    pub cel_rule: Option<DecodeCelRule>,
    /// What brings resources to kinds that do not only validate.
    pub phases: Option<&'static dyn PhaseRunner>,
    /// What fills in where the Playground is followed: [`published_defaults`](super::published_defaults), or
    /// [`as_written`](super::as_written) where it never is; a module that names the latter alone does not carry the table.
    pub defaults: fn(&Value) -> Value,
    /// What stores objects where a cluster is followed; nothing where they are evaluated as they are written.
    pub server: Option<&'static ApiServer>,
    /// What settles for which subresources objects are requests: [`settle_subresources`](super::settle_subresources), or
    /// [`as_sent`](super::as_sent) where a server says it; a module that names the latter alone does not carry the table.
    pub requests: fn(&mut Bundle) -> Result<(), String>,
}

/// Nothing is added.
pub(crate) static NO_EXTENSION: &Extension = &Extension {
    kinds: &[],
    cel_rule: None,
    phases: None,
    defaults: super::published_defaults,
    server: None,
    requests: super::settle_subresources,
};

impl std::fmt::Debug for ExtensionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind)
    }
}

/// Where a policy stands among the documents.
#[derive(Clone, Copy, Debug)]
pub struct DocumentPath<'a> {
    /// The document.
    pub document: DocumentId,
    /// Where in it: the root, or an item of a list.
    pub path: &'a Path,
}

/// Reads a policy of such a kind: what was read so far, where the policy stands, the policy, and the kind of the row.
/// The policy, and what is to be said of it.
pub type DecodeExtensionKind =
    fn(&Bundle, &DocumentPath<'_>, &Value, &'static str) -> Result<(Policy, Vec<Diagnostic>), Box<Unusable>>;

/// Reads a rule in CEL: what was read so far, the policy's document, the rule. What evaluates it, and what is to be said of its
/// expressions; nothing where it cannot be evaluated.
pub type DecodeCelRule = fn(&Bundle, DocumentId, &Rule) -> Option<(Arc<dyn RuleCheck>, Vec<Diagnostic>)>;

/// Why a policy cannot be used.
#[derive(Clone, Debug, Default)]
pub struct Unusable {
    /// What is said about its text.
    pub diagnostics: Vec<Diagnostic>,
    /// What Kyverno says, where it counts the policy as an error.
    pub refused: Option<Refused>,
    /// What is missing here, where Kyverno would evaluate the policy.
    pub unsupported: Option<Unsupported>,
}
