//! `proto.getExt(message, a.b)` and `proto.hasExt(message, a.b)`: fields whose name is `a.b` (`ext/protos.go`).

use super::{Call, Macro, argument};
use crate::ast::{Expr, ExprId};
use crate::issue::Issue;
use crate::syntax::build::Builder;
use engine_json::Str;

/// The macros of the library of protocol buffers.
pub const PROTOS: &[Macro] = &[
    Macro::method("getExt", 2, |b, call| extension(b, call, Access::Value)),
    Macro::method("hasExt", 2, |b, call| extension(b, call, Access::Presence)),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Value,
    Presence,
}

fn extension(b: &mut Builder<'_>, call: &Call<'_>, asked: Access) -> Result<Option<ExprId>, Issue> {
    if !b.called_on("proto", call) {
        return Ok(None);
    }
    let (operand, written) = (argument(call, 0)?, argument(call, 1)?);
    let field = b.dotted(written).ok_or_else(|| b.wrong(written, "invalid extension field"))?;
    let select = Expr::Select { operand, field: Str::from(field), test: asked == Access::Presence };
    Ok(Some(b.add(select, call.span)))
}

impl Builder<'_> {
    /// The text of a selection from names alone.
    fn dotted(&self, mut id: ExprId) -> Option<String> {
        let mut fields = Vec::new();
        while let Expr::Select { operand, field, test: false } = self.known(id)? {
            fields.push(field.as_str());
            id = *operand;
        }
        let Expr::Ident(name) = self.known(id)? else { return None };
        if fields.is_empty() {
            return None;
        }
        fields.push(name.as_str());
        fields.reverse();
        Some(fields.join("."))
    }
}
