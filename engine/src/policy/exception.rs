//! PolicyExceptions: which rules they lift for which resources.

use super::{Conditions, Match};
use crate::resource::DocumentId;
use crate::value::wildcard::Wildcard;
use engine_json::{Str, Value};

/// A PolicyException.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Its name.
    pub name: Str,
    /// Its namespace.
    pub namespace: Str,
    /// Where it stands.
    pub document: DocumentId,
    /// Which resources it lifts something for.
    pub matches: Match,
    /// What must hold besides; `None` for nothing.
    pub conditions: Option<Conditions>,
    /// Which policies and rules it lifts.
    pub targets: Vec<ExceptionTarget>,
    /// The pod-security controls it lifts; empty for the rule as a whole.
    pub pod_security: Vec<Value>,
}

/// A policy and the rules of it that are lifted.
#[derive(Clone, Debug)]
pub struct ExceptionTarget {
    /// `name`, or `namespace/name` for a `Policy`; compared exactly.
    pub policy: Str,
    /// Rule names, with wildcards.
    pub rules: Vec<Wildcard>,
}

impl Exception {
    /// `namespace/name`.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}
