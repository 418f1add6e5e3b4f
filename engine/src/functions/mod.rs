//! Kyverno's own JMESPath functions: one file a family, one row a function.
//!
//! In: nothing. Out: a registry that holds the standard functions and these. Example: `to_upper('nginx')` is
//! `NGINX`. A new function is one row, and one line here if it begins a family.
//!
//! Mirrors: pkg/engine/jmespath/functions.go.

mod arguments;
mod arithmetic;
mod collections;
mod encoding;
mod hashing;
mod images;
mod network;
mod parsing;
mod paths;
mod random;
mod regex;
mod strings;
mod time;
mod versions;
mod x509;

use crate::world::World;
use engine_jmespath::{Function, Host, Registry};
pub use paths::clean as clean_path;

/// All families.
const FAMILIES: [&[Function]; 14] = [
    arithmetic::FUNCTIONS,
    collections::FUNCTIONS,
    encoding::FUNCTIONS,
    hashing::FUNCTIONS,
    images::FUNCTIONS,
    network::FUNCTIONS,
    parsing::FUNCTIONS,
    paths::FUNCTIONS,
    random::FUNCTIONS,
    regex::FUNCTIONS,
    strings::FUNCTIONS,
    time::FUNCTIONS,
    versions::FUNCTIONS,
    x509::FUNCTIONS,
];

/// Every function that a policy can call.
pub fn registry() -> Registry {
    let mut registry = Registry::standard();
    for rows in FAMILIES {
        registry.extend(rows);
    }
    registry
}

/// Whether a regular expression, as Go knows them, matches any part of a text; one that is none matches nothing.
pub(crate) fn is_regex_match(expression: &str, text: &str) -> bool {
    crate::value::re2::Regex::new(expression)
        .is_ok_and(|regex| regex.is_match(text).is_ok_and(|answer| answer.value))
}

/// Whether a text holds a whole PEM block.
pub(crate) fn is_pem(text: &str) -> bool {
    crate::value::x509::is_pem(text)
}

/// The world as functions see it.
pub(crate) struct WorldHost<'a> {
    pub(crate) world: &'a dyn World,
}

impl Host for WorldHost<'_> {
    fn now(&self) -> i64 {
        self.world.now()
    }

    fn random(&self) -> u64 {
        self.world.random()
    }
}

#[cfg(test)]
mod tests;
