//! One finding of a check: which field, which value, whose.
//!
//! In: nothing; the checks make them. Out: parts to mark lines with, and the texts in which Kubernetes and
//! Kyverno's fork print them: `spec.containers[0].securityContext.privileged: Forbidden`.

use engine_json::{Path, Segment, Str, Value};
use std::fmt::Write;

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The value that stands there is not allowed.
    Forbidden,
    /// Nothing stands there and something must.
    Required,
    /// Nothing stands there; the fork prints it as the forbidden value `nil`.
    Unset,
    /// The value has a type that Kubernetes does not read there; the type it would read.
    WrongType(&'static str),
}

/// Who sets the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The Pod as a whole.
    Pod,
    /// The container (of any list) of that name.
    Container(Str),
    /// The volume of that name.
    Volume(Str),
    /// An annotation of the Pod.
    Annotation,
}

/// A field that breaks a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The way to the field from the Pod: begins with `spec` or `metadata`. The field need not be there.
    pub path: Path,
    /// The value that is refused, if it is a value: of capabilities the refused ones, sorted.
    pub value: Option<Value>,
    /// Who sets it, or fails to.
    pub subject: Subject,
    /// What is wrong.
    pub fault: Fault,
}

impl Violation {
    /// The name of the container that sets the field, if one does.
    pub fn container(&self) -> Option<&str> {
        match &self.subject {
            Subject::Container(name) => Some(name),
            Subject::Pod | Subject::Volume(_) | Subject::Annotation => None,
        }
    }

    /// Whether the field could be read at all.
    pub fn is_readable(&self) -> bool {
        match self.fault {
            Fault::Forbidden | Fault::Required | Fault::Unset => true,
            Fault::WrongType(_) => false,
        }
    }

    /// The field as Kubernetes prints paths: `spec.volumes[0].hostPath`, `metadata.annotations[a/b]`.
    pub fn field(&self) -> String {
        field_text(&self.path)
    }

    /// The bad value that Kyverno's fork gives the error: empty text where there is none.
    pub fn bad_value(&self) -> Value {
        match self.fault {
            Fault::Forbidden | Fault::WrongType(_) => self.value.clone().unwrap_or_else(|| Value::from("")),
            Fault::Required => Value::from(""),
            Fault::Unset => Value::from("nil"),
        }
    }

    /// The error as Go prints it, for the given spelling of the field.
    pub fn error_text(&self, field: &str) -> String {
        match self.fault {
            Fault::Forbidden | Fault::Unset => format!("{field}: Forbidden"),
            Fault::Required => format!("{field}: Required value"),
            Fault::WrongType(expected) => {
                let found = self.value.as_ref().map_or("null", type_name);
                format!("{field}: Invalid value: \"{found}\": must be of type {expected}")
            }
        }
    }
}

/// A path as Kubernetes prints it: keys of annotations in brackets, other keys after a dot.
pub fn field_text(path: &Path) -> String {
    let mut out = String::new();
    let mut in_annotations = false;
    for segment in path.iter() {
        // Writing to a String cannot fail.
        let _ = match segment {
            Segment::Index(at) => write!(out, "[{at}]"),
            Segment::Key(key) if in_annotations => write!(out, "[{key}]"),
            Segment::Key(key) => write!(out, "{}{key}", if out.is_empty() { "" } else { "." }),
        };
        in_annotations = *segment == Segment::from("annotations");
    }
    out
}

/// The type of a value in the words of a schema.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
