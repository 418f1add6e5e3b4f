//! `cel.bind(name, value, body)` (`ext/bindings.go`).

use super::{Call, Macro, argument};
use crate::ast::ExprId;
use crate::issue::Issue;
use crate::syntax::build::Builder;

/// The macro of the library of bindings.
pub const BINDINGS: &[Macro] = &[Macro::method("bind", 3, bind)];

fn bind(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    if !b.called_on("cel", call) {
        return Ok(None);
    }
    let name = argument(call, 0)?;
    let wrong = || b.wrong(name, "cel.bind() variable names must be simple identifiers");
    let name = b.name_of(name).ok_or_else(wrong)?;
    let (value, body) = (argument(call, 1)?, argument(call, 2)?);
    Ok(Some(b.bind(&name, value, body, call)))
}

impl Builder<'_> {
    /// Whether the receiver is this name, as that of a library.
    pub(super) fn called_on(&self, namespace: &str, call: &Call<'_>) -> bool {
        call.target.and_then(|target| self.name_of(target)).is_some_and(|name| name == namespace)
    }
}
