//! How much text a run keeps until it is printed.
//!
//! In: responses and texts of one part of the resources, in their order. Out: messages that are cut, and whether a text is
//! kept. Each part has a share that depends on the number of parts alone, so that the same run prints the same.

use engine::apply::clip;
use engine_lenses::report::Response;

/// How many bytes of mutated and generated objects a run prints or writes.
const MAX_OBJECTS: usize = 512 << 20;
/// How many bytes of messages a run keeps as they are; behind that each is cut to [`SHORT`].
const MAX_MESSAGES: usize = 128 << 20;
/// What a message may have where there are too many long ones: more than any that a rule's author would write.
const SHORT: usize = 4 << 10;

/// What is left for one part.
pub(super) struct Room {
    objects: usize,
    messages: usize,
    /// How many texts were not kept.
    pub(super) lost: usize,
}

impl Room {
    /// The share of one of so many parts.
    pub(super) fn of(parts: usize) -> Self {
        let share = |all: usize| all / parts.max(1);
        Room { objects: share(MAX_OBJECTS), messages: share(MAX_MESSAGES), lost: 0 }
    }

    /// Cuts the messages of a response where there is no room for them as they are.
    pub(super) fn cut(&mut self, response: &mut Response<'_>) {
        for rule in &mut response.rules {
            match self.messages.checked_sub(rule.message.len()) {
                Some(left) => self.messages = left,
                None => clip(&mut rule.message, SHORT),
            }
        }
    }

    /// Whether a text about objects is kept.
    pub(super) fn keeps(&mut self, text: &str) -> bool {
        let left = self.objects.checked_sub(text.len());
        match left {
            Some(left) => self.objects = left,
            None => self.lost += 1,
        }
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_together_keep_no_more_than_a_run_may() {
        let text = "x".repeat(64 << 10);
        let kept = |parts: usize| -> usize {
            let part = |_| {
                let mut room = Room::of(parts);
                let kept = (0..10_000).filter(|_| room.keeps(&text)).count();
                assert_eq!(kept + room.lost, 10_000);
                kept
            };
            (0..parts).map(part).sum::<usize>() * text.len()
        };
        assert_eq!([kept(1), kept(8)], [MAX_OBJECTS; 2]);
        assert!(kept(3) <= MAX_OBJECTS);
    }
}
