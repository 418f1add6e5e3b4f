//! The two sides: from texts to policies that are ready to evaluate a request, and what they do about it.
//!
//! In: texts. Out: a `Side`, which gives for each request what a cluster with these policies does.

pub(crate) mod authorizer;
pub(crate) mod bindings;
pub(crate) mod deletion;
pub(crate) mod enforced;
pub(crate) mod generated;
mod response;
pub(crate) mod side;
pub(crate) mod sources;
pub(crate) mod standards;
pub(crate) mod subresource;
pub(crate) mod unable;
pub(crate) mod unasked;
pub(crate) mod written;
