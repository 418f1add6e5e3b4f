//! placeholder
pub(super) const FUNCTIONS: &[engine_jmespath::Function] = &[];
