//! Which objects are decided differently by new policies than by old ones.
//!
//! In: two bundles of policies that were loaded alike, and objects. Out: rows, one for each object and rule that decides otherwise, collapsed to what a
//! person reads; nothing for what stays as it is.
//!
//! Only what changed is evaluated twice: policies that differ, and, where those change objects, all that see what is left. The rows are those of two
//! whole runs, one by each side, held against one another.
//!
//! Reading order: `sides` (which policies changed), `facts` (what one side says of an object), `class` (what a row is), `judge` (both sides of an object),
//! `rows`, `groups`; `diff`, `edit` and `constructed` for what is shown beside.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod sides;
mod facts;
mod class;
mod diff;
mod judge;
mod rows;
mod groups;
mod edit;
mod constructed;

pub use class::{Class, Direction};
pub use constructed::{Constructed, constructed};
pub use edit::{Editor, Shown};
pub use facts::{Undecided, Verdict};
pub use groups::{Group, collapse};
pub use judge::{Change, Judge, Judged, Rules, Tables, afterwards};
pub use rows::{Counts, Object, Owner, Row};
pub use sides::{Pair, PairChange, Sides, Twice};
