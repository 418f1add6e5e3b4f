//! The views that load late: the sieve, meshes, what was mutated, comparisons, steps and edits in *Why*. A module of its own beside the page's, with its own root.
//!
//! In: a place on the page and what the page gives it ([`given::Given`] as JSON), again at every change. Out: the drawn view; texts
//! changed in their editors, and what is asked of the page (`desk`). Its questions go to the whole engine (`engine`).

#[expect(dead_code, reason = "the page uses the rest")]
#[path = "../slot.rs"]
mod slot;

#[expect(dead_code, reason = "the page uses the rest")]
#[path = "../components/status.rs"]
mod status;

#[path = "../components/long.rs"]
mod long;

#[path = "../components/copy.rs"]
mod copy;

mod words;

mod diff;

mod given;

mod desk;
mod engine;
mod runner;

mod parts;

mod compare;

mod edits;
mod funnel;
mod line;
mod mesh;
mod mutated;
mod narrow;
mod sieve;
mod steps;
mod touch;

mod root;

fn main() {}
