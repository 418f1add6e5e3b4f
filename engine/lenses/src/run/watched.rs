//! A world that notes whether it was asked: a verdict that hangs on the time or on random numbers is another one tomorrow.
//!
//! In: a [`World`]. Out: its answers, and whether there were any.

use engine::load::Extension;
use engine::world::{SignatureAnswer, World};
use engine_json::Value;
use std::cell::Cell;

/// A world and whether it was asked.
pub(super) struct Watched<'a> {
    world: &'a dyn World,
    asked: Cell<bool>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(world: &'a dyn World) -> Self {
        Watched { world, asked: Cell::new(false) }
    }

    /// Whether anybody has asked.
    pub(super) fn was_asked(&self) -> bool {
        self.asked.get()
    }

    fn asked(&self) -> &'a dyn World {
        self.asked.set(true);
        self.world
    }
}

impl World for Watched<'_> {
    fn now(&self) -> i64 {
        self.asked().now()
    }

    fn random(&self) -> u64 {
        self.asked().random()
    }

    fn image_data(&self, reference: &str) -> Option<Value> {
        self.asked().image_data(reference)
    }

    fn manifest_signature(
        &self,
        object: &Value,
        manifests: &Value,
        attestor: &Value,
    ) -> Option<SignatureAnswer> {
        self.asked().manifest_signature(object, manifests, attestor)
    }

    fn kubernetes(&self, path: &str) -> Option<Result<Value, String>> {
        self.asked().kubernetes(path)
    }

    fn global_context(&self, entry: &str, projection: &str) -> Option<Value> {
        self.asked().global_context(entry, projection)
    }

    fn extension(&self) -> &'static Extension {
        self.world.extension()
    }
}
