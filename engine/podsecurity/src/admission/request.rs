//! What the admission is asked.
//!
//! In: the parts of an `AdmissionReview` request. Out: a [`Request`], plain data. A decode error of the host goes where
//! the object would stand: `object: Err("cannot read".into())`.

use engine_json::Value;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `CREATE`.
    Create,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
    /// `CONNECT`.
    Connect,
}

/// What it is done to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core.
    pub group: String,
    /// The plural: `pods`.
    pub resource: String,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The name in the request; empty where the server makes one up.
    pub name: String,
    /// The namespace of the request; of a Namespace its own name.
    pub namespace: String,
    /// The resource.
    pub resource: Resource,
    /// The subresource, or empty.
    pub subresource: String,
    /// The operation.
    pub operation: Operation,
    /// Who asks.
    pub user: String,
    /// The object, or why it cannot be decoded.
    pub object: Result<Option<Value>, String>,
    /// The object as it was before an update, or why it cannot be decoded.
    pub old_object: Result<Option<Value>, String>,
}

impl Request {
    /// A request of nobody in particular about a resource of the core, without objects.
    pub fn new(resource: &str, name: &str, namespace: &str, operation: Operation) -> Request {
        Request {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            resource: Resource { group: String::new(), resource: resource.to_owned() },
            subresource: String::new(),
            operation,
            user: String::new(),
            object: Ok(None),
            old_object: Ok(None),
        }
    }
}
