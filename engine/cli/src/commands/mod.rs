//! One file for each command: it asks for files, lets the engine decide, and has the answer printed.
//!
//! In: the arguments of the command. Out: its exit code. `apply::run(&arguments)` is `Ok(1)` where a rule failed.

pub(crate) mod apply;
pub(crate) mod ask;
pub(crate) mod bundle;
pub(crate) mod cel;
pub(crate) mod check;
pub(crate) mod cleanup;
pub(crate) mod compare;
pub(crate) mod completion;
pub(crate) mod convert;
pub(crate) mod create;
pub(crate) mod explain;
pub(crate) mod impact;
pub(crate) mod inputs;
pub(crate) mod jp;
pub(crate) mod legacy;
pub(crate) mod lines;
pub(crate) mod mcp;
pub(crate) mod mesh;
pub(crate) mod psa;
pub(crate) mod psp;
pub(crate) mod running;
pub(crate) mod serve;
pub(crate) mod share;
pub(crate) mod sieve;
pub(crate) mod test;
pub(crate) mod version;
