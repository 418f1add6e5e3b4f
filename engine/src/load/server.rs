//! What an API server makes of an object on its way to its policies, where something knows that.
//!
//! In: a resource as it was read. Out: the object as policies see it, and what is said of it.

use super::Loader;
use crate::diag::{Code, Diagnostic, Severity};
use crate::resource::{DocumentId, Resource};
use engine_json::{Path, Value};

/// What an API server makes of objects. Numbers that are whole are integers, in and out, but for what is created.
#[derive(Debug)]
pub struct ApiServer {
    /// The object as policies see it that change it.
    pub stored: fn(&Value) -> Arrived,
    /// The object as one of the server's own policies has left it.
    pub patched: fn(&Value) -> Arrived,
    /// The object, be its numbers integers or not, as policies see it that validate, with the one whose place it takes, at this time in nanoseconds since 1970.
    pub created: fn(&Value, Option<&Value>, i64) -> Value,
    /// What of an object the server does not store, although it can read it, as `FIELD: WORDS`; far from all of it.
    pub invalid: fn(&Value) -> Vec<String>,
    /// An object that is there already.
    pub kept: fn(&Value) -> Value,
}

impl ApiServer {
    /// An object as it was before an update.
    pub fn before(&self, old: &Resource, now: i64) -> Value {
        (self.created)(&old.value.with_int_numbers(), None, now)
    }
}

/// An object as a server reads it.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// The object.
    pub object: Value,
    /// How many fields it has that were not written.
    pub filled: usize,
    /// What a strict reader says of it, where that is something.
    pub fault: Option<Fault>,
}

/// What a strict reader says of an object.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Whether no reader takes it: else the fields that it does not know are left out.
    pub is_fatal: bool,
    /// What is wrong, in the server's words.
    pub words: String,
    /// What the server answers.
    pub answer: String,
    /// Where.
    pub path: Path,
}

/// How much was filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// How many fields.
    pub fields: usize,
    /// Of how many resources.
    pub resources: usize,
}

impl Filled {
    /// Counts what was filled into a resource.
    pub fn add(&mut self, fields: usize) {
        self.fields += fields;
        self.resources += usize::from(fields > 0);
    }
}

impl Loader {
    /// A resource as policies see it; nothing of one that the server cannot read.
    pub(super) fn arrived(&mut self, id: DocumentId, value: &Value) -> Option<Value> {
        let Some(server) = self.bundle.server else { return Some(value.clone()) };
        let Arrived { object, filled, fault } = (server.stored)(&value.with_int_numbers());
        self.bundle.filled.add(filled);
        let Some(fault) = fault else { return Some(object) };
        let message = format!("the API server refuses this object: {}", fault.answer);
        self.say(id, &fault.path, Code::Refused, Severity::Error, &message);
        if let Some(diagnostic) = self.diagnostics.pop() {
            let hint = if fault.is_fatal {
                "it is not evaluated"
            } else {
                "it is evaluated without these fields, as a client sees it that does not ask for strict decoding; kubectl \
                 asks for it"
            };
            self.diagnostics.push(Diagnostic::hint(diagnostic, hint));
        }
        (!fault.is_fatal).then_some(object)
    }

    /// An object of the cluster as it is kept there.
    pub(super) fn kept(&self, value: &Value) -> Value {
        self.bundle.server.map_or_else(|| value.clone(), |server| (server.kept)(&value.with_int_numbers()))
    }
}
