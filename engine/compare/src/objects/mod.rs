//! Objects as a cluster can hold them: what their fields hold, what an API server fills in and what it refuses.
//!
//! In: a kind, a place in it. Out: its type, values that may stand there, and whether an API server would store the whole.

pub(crate) mod admissible;
pub(crate) mod defaults;
pub(crate) mod field_types;
pub(crate) mod format;
pub(crate) mod kinds;
pub mod null_lists;
pub mod plurals;
pub mod schema;
pub(crate) mod stored;
pub(crate) mod subresources;
pub(crate) mod valid;
pub(crate) mod versions;
pub(crate) mod zeros;
