//! Policies in CEL: Kubernetes' and Kyverno's functions, the environments of the kinds, and the kinds themselves.
//!
//! In: policies, resources, what lies outside. Out: verdicts in Kyverno's words. The language is `engine-cel`; values that
//! functions share with those of JMESPath are in `engine-values`. The crate stands above the engine, so that a client that
//! evaluates no CEL does not carry it.
//!
//! The modules below stand in the order of their dependence: each uses only those above it.

pub mod functions;

pub mod environment;

pub mod hosts;

pub mod compile;

mod place;

pub mod policy;

pub mod lint;

pub mod patch;

mod server;

pub mod why;

pub mod apply;

pub mod expression;

pub mod phases;

mod kinds;

pub use server::as_stored;

pub use kinds::{AS_WRITTEN, OF_REQUESTS, WITH_BRANCHES, WITH_STEPS, WITHOUT_STEPS, request_fault};
