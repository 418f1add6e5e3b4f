//! A policy of a kind that a crate above the engine evaluates.
//!
//! In: a resource, and what verdicts on it may depend on. Out: what the policy says of it. The engine knows of such a policy what
//! reports and links need of any policy (`policy::Policy`), and asks its [`Body`] for the rest.

use crate::load::Settings;
use crate::resource::Resource;
use crate::rules::RuleResult;
use crate::world::World;
use engine_json::Value;
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

    /// The name of the engine that reports give as the source of a result.
    fn source(&self) -> &'static str;
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
    /// What lies outside.
    pub world: &'a dyn World,
    /// What a body has made of the resource, for the bodies after it.
    pub made: OnceCell<Box<dyn Any>>,
}
