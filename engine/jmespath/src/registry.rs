//! The functions that an expression may call, and the world they may ask.
//!
//! In: rows. Out: a row by its name; a later row replaces an earlier one of the same name, as Kyverno's `sum`
//! replaces the standard one.

use crate::function::Function;
use crate::standard;
use engine_json::ordered::OrderedMap;

/// Functions by name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    rows: OrderedMap<&'static str, &'static Function>,
}

impl Registry {
    /// No functions.
    pub fn empty() -> Self {
        Registry::default()
    }

    /// The 26 functions of the JMESPath specification.
    pub fn standard() -> Self {
        let mut registry = Registry::empty();
        for rows in standard::FUNCTIONS {
            registry.extend(rows);
        }
        registry
    }

    /// Adds functions; those of known names are replaced.
    pub fn extend(&mut self, rows: &'static [Function]) {
        self.rows.extend(rows.iter().map(|row| (row.name, row)));
    }

    /// The function of that name.
    pub fn get(&self, name: &str) -> Option<&'static Function> {
        self.rows.get(name).copied()
    }

    /// All functions in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &'static Function> {
        self.rows.values().copied()
    }
}

/// What functions may ask of the world outside.
pub trait Host {
    /// The time, in nanoseconds since 1970-01-01T00:00:00Z.
    fn now(&self) -> i64;
    /// Any number.
    fn random(&self) -> u64;
}

/// A world in which nothing happens: the time stands, and each random number is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedHost {
    /// The time, in nanoseconds since 1970-01-01T00:00:00Z.
    pub now: i64,
    /// The random number.
    pub random: u64,
}

impl Host for FixedHost {
    fn now(&self) -> i64 {
        self.now
    }

    fn random(&self) -> u64 {
        self.random
    }
}

/// What a search needs besides expression and document.
#[derive(Clone, Copy)]
pub struct Runtime<'a> {
    /// The functions.
    pub registry: &'a Registry,
    /// The world they may ask.
    pub host: &'a dyn Host,
}

impl<'a> Runtime<'a> {
    /// A runtime with these functions, in a world in which nothing happens.
    pub fn new(registry: &'a Registry) -> Self {
        Runtime { registry, host: &FixedHost { now: 0, random: 0 } }
    }
}
