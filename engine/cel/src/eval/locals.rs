//! The variables of comprehensions while they have values.

use crate::error::Error;
use crate::value::{Numbers, Value};
use engine_json as json;

/// So many lie on the stack.
pub(super) const INLINE: usize = 6;

/// What a variable of a comprehension holds.
pub(super) enum Local<'v> {
    /// Nothing yet.
    Unset,
    /// A value.
    Value(Value<'v>),
    /// A part of a document.
    Json(&'v json::Value, Numbers),
    /// The value of `cel.bind`, not asked for yet: its step.
    Pending(u32),
    /// The value of `cel.bind`, which cannot be computed.
    Failed(Box<Error>),
}

/// The variables of all comprehensions of a program, each at its place. They lie with whoever starts the evaluation: as a part of
/// it they would be copied whenever it is made.
pub(super) struct Locals<'a, 'v>(pub(super) &'a mut [Local<'v>]);

impl<'v> Locals<'_, 'v> {
    #[inline]
    pub(super) fn get(&self, slot: u16) -> Option<&Local<'v>> {
        self.0.get(usize::from(slot))
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u16, local: Local<'v>) {
        if let Some(place) = self.0.get_mut(usize::from(slot)) {
            *place = local;
        }
    }
}
