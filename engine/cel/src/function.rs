//! Functions: a row says name, overloads with their signatures, what it does, and examples that the tests evaluate.
//!
//! In: rows of the standard library, of extensions, and of whoever uses the language. Out: what the checker and the
//! program know of functions. A row is all that a new function takes.

/// One function, with all its overloads. The row is its documentation.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name: `size`, `math.abs`, `_+_`.
    pub name: &'static str,
    /// The overloads, in the order in which cel-go declares them; the checker looks at them in this order.
    pub overloads: &'static [Overload],
    /// What it does, in a few words.
    pub note: &'static str,
    /// Expressions and their values as `podsieve cel eval` prints them.
    pub examples: &'static [(&'static str, &'static str)],
}

/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// The name of the overload in cel-go (`common/overloads`, `ext`), unique within an environment.
    pub id: &'static str,
    /// What it takes and gives, as [`crate::types::Signature`] reads it.
    pub signature: &'static str,
}

impl Overload {
    /// A way to call a function, by its name in cel-go and its signature.
    pub const fn new(id: &'static str, signature: &'static str) -> Self {
        Overload { id, signature }
    }
}
