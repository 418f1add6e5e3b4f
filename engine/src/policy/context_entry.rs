//! Entries of a rule's context: named values that are loaded when an expression asks for them.

use engine_json::{Path, Str, Value};

/// A named value of the context.
#[derive(Clone, Debug)]
pub struct ContextEntry {
    /// The name under which expressions find it.
    pub name: Str,
    /// Where the value comes from.
    pub source: Source,
    /// Where the entry stands in the policy's document.
    pub path: Path,
}

/// Where a context entry takes its value from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A value or an expression, with a default.
    Variable {
        /// The value, with variables; null where absent.
        value: Value,
        /// The expression; empty where absent.
        jmes_path: Str,
        /// The default, with variables; null where absent.
        default: Value,
    },
    /// A ConfigMap.
    ConfigMap {
        /// Its name, with variables.
        name: Str,
        /// Its namespace, with variables; empty for the policy's own.
        namespace: Str,
    },
    /// A call of the Kubernetes API or of a service; the value is the entry as written.
    ApiCall(Value),
    /// A question to an image registry; the value is the entry as written.
    ImageRegistry(Value),
    /// A GlobalContextEntry; the value is the entry as written.
    GlobalReference(Value),
    /// None of the known sources, or several.
    Unknown,
}
