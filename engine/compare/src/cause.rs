//! What causes a difference: the rule that holds up a request, with the lines that decided.
//!
//! In: a request on which two sides differ, and the direction. Out: numbers, one for each such rule of the side that holds it up. Two requests
//! with the same number show the same mistake.

use crate::difference::Direction;
use crate::request::Request;
use crate::sides::side::{Depth, Side};

/// Stands for the cause where no rule holds up the request.
pub(crate) const NO_CAUSE: u64 = 0;

/// The causes, with what an API server fills in: a rule may err on what a file leaves out, and fail in a cluster.
pub(crate) fn causes(request: &Request, [old, new]: [&Side<'_>; 2], direction: Direction) -> Vec<u64> {
    let side = match direction {
        Direction::Wider => old,
        Direction::Stricter => new,
        // Of what is changed or made no line says that it is otherwise.
        Direction::Otherwise => return vec![NO_CAUSE],
    };
    let found = side.evaluate(&request.defaulted(), Depth::Branches).causes;
    if found.is_empty() { vec![NO_CAUSE] } else { found }
}
