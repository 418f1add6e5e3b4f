//! Functions on maps and lists.

use engine_jmespath::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
