//! All tests of this crate that need no more than its public names, as one program.

mod changing_faults;
mod custom;
mod kinds;
mod places;
mod releases;
mod values;
