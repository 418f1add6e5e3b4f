//! What runs already: the objects of streams, of dumps and of a live cluster, for the commands that evaluate them.
//!
//! In: streams, or the way to a cluster. Out: batches of texts of one object, so that memory does not grow with what there is; and the
//! world that answers what rules ask a cluster. Nothing is evaluated here.

mod batches;
mod cluster;
mod kinds;
mod objects;
mod world;

pub(super) use batches::{Batch, Batches};
pub(super) use cluster::{Reading, Way, connect, discovered, dry_run, namespaces, refuse_wasi};
pub(super) use kinds::{Wanted, wanted};
pub(super) use objects::objects;
pub(super) use world::Live;
