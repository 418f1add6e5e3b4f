//! Policies that differ where no given object shows it.
//!
//! In: a pair. Out: what comparing both of its policies comes to: a grade, and the smallest object on which they decide otherwise. Nobody has given that
//! object: it is constructed.

use crate::sides::Pair;
use engine::world::World;
use engine_compare::{Finding, Grade, Operation, Options, compare};

/// What a comparison came to.
#[derive(Clone, Debug)]
pub struct Constructed {
    /// The policy, by its pair.
    pub pair: usize,
    /// What is claimed.
    pub grade: Grade,
    /// The first difference, with the object.
    pub finding: Option<Finding>,
    /// Why the policies are not compared.
    pub reason: String,
}

/// How many requests are tried: less than a comparison on its own tries.
const MAX_REQUESTS: usize = 3_000;

/// Compares both policies of a pair, with the exceptions and bindings that name them, by requests of these operations, or of all where none is
/// named; nothing where one side has none.
pub fn constructed(
    at: usize,
    pair: &Pair,
    operations: &[Operation],
    world: &dyn World,
    should_continue: &mut dyn FnMut(usize) -> bool,
) -> Option<Constructed> {
    let [old, new] = pair.texts();
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let options = Options {
        max_requests: MAX_REQUESTS,
        mutants: 0,
        operations: operations.to_vec(),
        ..Options::default()
    };
    let answer = compare(&old, &new, &options, world, should_continue);
    let reason = answer.reasons.into_iter().next().map(|reason| reason.text).unwrap_or_default();
    Some(Constructed { pair: at, grade: answer.grade, finding: answer.findings.into_iter().next(), reason })
}
