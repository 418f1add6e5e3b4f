//! Addresses and URLs as Go's `net`, `net/netip` and `net/url` read them.
//!
//! In: `http://10.0.0.1:80/a`. Out: its parts, or Go's error.

pub mod address;
pub mod egress;
pub mod prefix;
pub mod url;
