//! What causes a difference: the rule that holds up a request, with the lines that decided.
//!
//! In: a request on which two sides differ, and the direction. Out: numbers, one for each such rule of the side that holds it up. Two requests
//! with the same number show the same mistake.

use crate::difference::Direction;
use crate::request::Request;
use crate::sides::side::{Depth, Response, Side};

/// Stands for the cause where no rule holds up the request.
pub(crate) const NO_CAUSE: u64 = 0;

/// The causes, with what an API server fills in: a rule may err on what a file leaves out, and fail in a cluster.
pub(crate) fn causes(request: &Request, [old, new]: [&Side<'_>; 2], direction: Direction) -> Vec<u64> {
    let side = match direction {
        Direction::Wider => old,
        Direction::Stricter => new,
        Direction::Otherwise => return vec![NO_CAUSE],
    };
    or_none(side.evaluate(&request.defaulted([old, new]), Depth::Branches).causes)
}

/// The same of what the sides were found to decide about such a request, with their branches.
pub(crate) fn causes_of([old, new]: &[Response; 2], direction: Direction) -> Vec<u64> {
    match direction {
        Direction::Wider => or_none(old.causes.clone()),
        Direction::Stricter => or_none(new.causes.clone()),
        // Of what is changed or made no line says that it is otherwise.
        Direction::Otherwise => vec![NO_CAUSE],
    }
}

fn or_none(found: Vec<u64>) -> Vec<u64> {
    if found.is_empty() { vec![NO_CAUSE] } else { found }
}
