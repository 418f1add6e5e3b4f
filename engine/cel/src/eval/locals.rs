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

/// The variables of all comprehensions of a program, each at its place.
pub(super) struct Locals<'v> {
    pub(super) inline: [Local<'v>; INLINE],
    pub(super) more: Vec<Local<'v>>,
}

/// Those that do not lie on the stack. Most programs have none, and are evaluated in less time than a list is made.
#[inline]
pub(super) fn beyond<'v>(count: u16) -> Vec<Local<'v>> {
    let mut more = Vec::new();
    if usize::from(count) > INLINE {
        more.resize_with(usize::from(count) - INLINE, || Local::Unset);
    }
    more
}

impl<'v> Locals<'v> {
    #[inline]
    pub(super) fn get(&self, slot: u16) -> Option<&Local<'v>> {
        let slot = usize::from(slot);
        self.inline.get(slot).or_else(|| self.more.get(slot.wrapping_sub(INLINE)))
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u16, local: Local<'v>) {
        let slot = usize::from(slot);
        let place = self.inline.get_mut(slot).or_else(|| self.more.get_mut(slot.wrapping_sub(INLINE)));
        if let Some(place) = place {
            *place = local;
        }
    }
}
