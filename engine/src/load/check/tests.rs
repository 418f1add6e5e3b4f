//! Refusals, one a line.
