//! All tests of this crate that need no more than its public names, as one program.

mod changing_faults;
mod kinds;
mod payloads;
mod places;
mod unmatched;
mod values;
mod why;
mod why_changing;
mod writing;
