//! A request that both sides evaluate.
//!
//! In: an object, and the attributes of the request. Out: [`Request`].

use crate::objects::defaults::{defaulted, identified};
use crate::objects::kinds::{EPHEMERAL_LIST, is_pod};
use crate::objects::subresources::Subresource;
use crate::sides::side::Side;
use engine::matching::UserInfo;
use engine_json::{Map, Str, Value};
use std::sync::Arc;

/// What is done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// It is new.
    Create,
    /// It was there.
    Update,
    /// It goes.
    Delete,
    /// It is connected to.
    Connect,
}

impl Operation {
    /// The word in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
            Operation::Connect => "CONNECT",
        }
    }
}

/// What an admission request says beside the object.
#[derive(Clone, Debug, PartialEq)]
pub struct Attributes {
    /// What is done.
    pub operation: Operation,
    /// The object as it was, where it is updated.
    pub old: Option<Value>,
    /// Who asks.
    pub user: UserInfo,
    /// Labels of the Namespace.
    pub labels: Vec<(Str, Str)>,
    /// Whether nothing is to be stored (`dryRun`).
    pub is_dry_run: bool,
    /// The subresource that the object is for, where it is one of its own.
    pub of: Option<&'static Subresource>,
    /// The objects that the cluster holds, where policies ask for any.
    pub cluster: Option<Arc<Vec<Value>>>,
}

impl Attributes {
    /// A user whom no policy names creates the object.
    pub fn creation() -> Self {
        Attributes {
            operation: Operation::Create,
            old: None,
            user: default_user(),
            labels: Vec::new(),
            is_dry_run: false,
            of: None,
            cluster: None,
        }
    }
}

/// The user where no policy names one.
pub(crate) fn default_user() -> UserInfo {
    UserInfo {
        roles: Vec::new(),
        cluster_roles: Vec::new(),
        username: Str::new_static("jane"),
        uid: Str::default(),
        groups: vec![Str::new_static("system:authenticated")],
        extra: Map::new(),
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The object; for one that goes, as it is.
    pub object: Value,
    /// The operation, the old object, the user, the labels of the Namespace.
    pub attributes: Attributes,
}

impl Request {
    /// The request as the policies of these sides meet it: with what an API server fills in. What changes a new object is asked before it is
    /// given an identifier.
    pub(crate) fn defaulted(&self, sides: [&Side<'_>; 2]) -> Self {
        let is_new = self.attributes.operation == Operation::Create;
        let is_early = is_new && sides.iter().any(|side| side.mutates() || side.deletes());
        let filled = |object: &Value, generation: i64| {
            let object = defaulted(object);
            if is_early { object } else { identified(object, generation) }
        };
        let before = self.attributes.old.as_ref();
        let is_changed = before.is_some_and(|before| before.get("spec") != self.object.get("spec"));
        let known = before.and_then(|before| before.find(&["metadata", "generation"])?.as_i64());
        let generation = known.unwrap_or(1).max(1);
        let old = before.map(|before| filled(before, generation));
        let object = filled(&self.object, generation.saturating_add(i64::from(is_changed)));
        Request { object, attributes: Attributes { old, ..self.attributes.clone() } }
    }

    /// The creation of an object.
    pub fn of(object: Value) -> Self {
        Request { object, attributes: Attributes::creation() }
    }

    /// The deletion of an object, asked for as by these attributes.
    pub(crate) fn deletion_of(object: Value, attributes: &Attributes) -> Self {
        let old = Some(object.clone());
        Request { object, attributes: Attributes { operation: Operation::Delete, old, ..attributes.clone() } }
    }

    /// The subresource that the request is for.
    pub fn subresource(&self) -> Option<&'static str> {
        self.attributes
            .of
            .map(|of| of.name)
            .or_else(|| self.adds_ephemeral().then_some("ephemeralcontainers"))
    }

    /// Whether the request is for `ephemeralcontainers`: an update adds such containers to a Pod, which an API server
    /// takes nowhere else (Kubernetes: `podEphemeralContainersStrategy`).
    pub(crate) fn adds_ephemeral(&self) -> bool {
        let is_update = self.attributes.operation == Operation::Update;
        let Some(old) = self.attributes.old.as_ref().filter(|_| is_update) else { return false };
        let of = |object: &Value| object.find(&["spec", EPHEMERAL_LIST]).cloned();
        is_pod(&self.object) && of(&self.object) != of(old)
    }
}
