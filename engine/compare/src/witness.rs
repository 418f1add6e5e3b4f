//! A request that both sides are asked about.
//!
//! In: an object, and what stands around it. Out: [`Witness`], and how its parts are said.

use crate::arrived::arrived;
use engine::matching::UserInfo;
use engine_json::{Map, Str, Value};

/// What is done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// It is new.
    Create,
    /// It was there.
    Update,
    /// It goes.
    Delete,
}

impl Operation {
    /// The word in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
        }
    }
}

/// What stands around an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Around {
    /// What is done.
    pub operation: Operation,
    /// The object as it was, where it is updated.
    pub old: Option<Value>,
    /// Who asks.
    pub user: UserInfo,
    /// Labels of the Namespace.
    pub labels: Vec<(Str, Str)>,
}

impl Around {
    /// Somebody of whom no policy knows makes the object.
    pub fn plain() -> Self {
        Around { operation: Operation::Create, old: None, user: somebody(), labels: Vec::new() }
    }
}

/// Who asks where no policy asks who.
pub(crate) fn somebody() -> UserInfo {
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
pub struct Witness {
    /// The object; for one that goes, as it is.
    pub object: Value,
    /// What stands around it.
    pub around: Around,
}

impl Witness {
    /// The request as policies meet it: with what an API server fills in.
    pub(crate) fn arrived(&self) -> Self {
        let old = self.around.old.as_ref().map(arrived);
        Witness { object: arrived(&self.object), around: Around { old, ..self.around.clone() } }
    }

    /// The creation of an object.
    pub fn of(object: Value) -> Self {
        Witness { object, around: Around::plain() }
    }
}
