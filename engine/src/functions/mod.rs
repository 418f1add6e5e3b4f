//! Kyverno's own JMESPath functions: one file a family, one row a function.
//!
//! In: nothing. Out: a registry that holds the standard functions and these.
//! Mirrors: pkg/engine/jmespath/functions.go.

mod collections;
mod strings;

use crate::world::World;
use engine_jmespath::{Host, Registry};

/// Every function that a policy can call.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.extend(strings::FUNCTIONS);
    registry.extend(collections::FUNCTIONS);
    registry
}

/// The world as functions see it.
pub(crate) struct WorldHost<'a> {
    pub(crate) world: &'a dyn World,
}

impl Host for WorldHost<'_> {
    fn now(&self) -> i64 {
        self.world.now()
    }

    fn random(&self) -> u64 {
        self.world.random()
    }
}
