//! A policy of a kind that a crate above the engine evaluates.
//!
//! In: a resource, and what verdicts on it may depend on. Out: what the policy says of it. The engine knows of such a policy what
//! reports and links need of any policy (`policy::Policy`), and asks its [`Body`] for the rest.

use crate::context::Directory;
use crate::load::{Host, Settings};
use crate::matching::UserInfo;
use crate::resource::{Gvk, Resource};
use crate::rules::{RuleResult, Status};
use crate::world::World;
use engine_json::{Path, Value};
use std::any::Any;
use std::cell::OnceCell;
use std::fmt::Debug;
use std::sync::Arc;

/// What evaluates a policy: made once when the policy is loaded, and shared by all threads.
pub trait Body: Debug + Send + Sync {
    /// What the policy says of a resource; nothing where the original has no answer for it either.
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>>;

    /// Whether the verdict on a resource is the same whatever other resources there are.
    fn is_independent(&self) -> bool;

    /// When the policy is asked, among the policies with a body: smaller first, and then in the order in which they were loaded.
    fn turn(&self) -> u8;

    /// The body as it is beside the exceptions of its group: whole documents, in the order in which they were given.
    fn with_exceptions(&self, _given: &[&Value]) -> WithExceptions {
        WithExceptions::Same
    }

    /// The body as it is beside the bindings of its group: whole documents; nothing where none of them is for the policy.
    fn with_bindings(&self, _given: &[&Value]) -> Option<Arc<dyn Body>> {
        None
    }

    /// Whether what the policy skips is counted.
    fn counts_skips(&self) -> bool {
        true
    }

    /// The name of the engine that reports give as the source of a result.
    fn source(&self) -> &'static str;
}

/// What evaluates a `validate` rule of a language that the engine does not know.
pub trait RuleBody: Debug + Send + Sync {
    /// What the rule says of a resource that it matches: the verdict, the message, and the place in the rule that
    /// decided.
    fn evaluate(&self, asked: &AskedRule<'_>) -> (Status, String, Option<Path>);

    /// Whether the verdict on a resource is the same whatever other resources there are.
    fn is_independent(&self) -> bool;
}

/// What exceptions make of a body.
#[derive(Debug)]
pub enum WithExceptions {
    /// Nothing: none of them is for the policy.
    Same,
    /// A body that knows them.
    Changed(Arc<dyn Body>),
    /// The policy cannot be evaluated: one of them, by its place, has a fault, in Kyverno's words.
    Refused {
        /// The place of the exception.
        exception: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A resource that policies are asked about.
pub struct Asked<'a> {
    /// The resource, as the policies before have left it.
    pub resource: &'a Resource,
    /// Values, user, namespaces.
    pub settings: &'a Settings,
    /// Which of the originals is followed.
    pub host: Host,
    /// What lies outside.
    pub world: &'a dyn World,
    /// What a body has made of the resource, for the bodies after it.
    pub made: OnceCell<Box<dyn Any>>,
}

/// A request that a rule is asked about.
pub struct AskedRule<'a> {
    /// The object as it will be; nothing for one that goes.
    pub object: Option<&'a Resource>,
    /// The object as it was, where there is one.
    pub old_object: Option<&'a Resource>,
    /// The kind that rules match.
    pub gvk: &'a Gvk,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub operation: &'a str,
    /// Who asks.
    pub user: &'a UserInfo,
    /// Which of the originals is followed.
    pub host: Host,
    /// The objects of the run.
    pub objects: &'a Directory<'a>,
    /// What lies outside.
    pub world: &'a dyn World,
}
