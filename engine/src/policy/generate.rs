//! What a `generate` rule makes.

use super::{Conditions, ContextEntry};
use engine_json::{Path, Str, Value};

/// `generate`.
#[derive(Clone, Debug)]
pub struct Generate {
    /// `synchronize`: an object that is there already is made equal.
    pub synchronize: bool,
    /// `foreach`; `None` where it is not there.
    pub foreach: Option<Vec<GenerateForeach>>,
    /// What is made without `foreach`: `apiVersion`, `kind`, `namespace`, `name`, and one of `data`, `clone` and
    /// `cloneList`, with variables in them.
    pub pattern: Value,
}

/// One loop of `generate.foreach`.
#[derive(Clone, Debug)]
pub struct GenerateForeach {
    /// The expression that gives the list.
    pub list: Str,
    /// Context entries of each element.
    pub context: Vec<ContextEntry>,
    /// Preconditions of each element.
    pub preconditions: Option<Conditions>,
    /// What is made for each element.
    pub pattern: Value,
    /// Where it stands in the policy's document.
    pub path: Path,
}
