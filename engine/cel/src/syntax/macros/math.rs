//! `math.least` and `math.greatest` (`ext/math.go`).

use super::{Call, Macro, target};
use crate::ast::{Expr, ExprId, Literal};
use crate::issue::Issue;
use crate::syntax::build::Builder;

/// The macros of the library of mathematics; they take any number of arguments.
pub const MATH: &[Macro] = &[
    Macro::method_of_any("least", |b, call| extreme(b, call, "math.@min")),
    Macro::method_of_any("greatest", |b, call| extreme(b, call, "math.@max")),
];

fn extreme(b: &mut Builder<'_>, call: &Call<'_>, function: &'static str) -> Result<Option<ExprId>, Issue> {
    if !b.called_on("math", call) {
        return Ok(None);
    }
    let name = call.name;
    match call.args {
        [] => return Err(b.wrong(target(call)?, format!("math.{name}() requires at least one argument"))),
        [only] if !b.may_be_number(*only) && !b.may_be_numbers(*only) => {
            return Err(b.wrong(*only, format!("math.{name}() invalid single argument value")));
        }
        [_] => {}
        args => {
            if let Some(&wrong) = args.iter().find(|&&arg| !b.may_be_number(arg)) {
                let message = format!("math.{name}() simple literal arguments must be numeric");
                return Err(b.wrong(wrong, message));
            }
        }
    }
    if call.args.len() <= 2 {
        return Ok(Some(b.operator(function, call.args, call.span)));
    }
    let list = b.list(call.args, &[], call.span);
    Ok(Some(b.operator(function, &[list], call.span)))
}

impl Builder<'_> {
    /// Whether nothing that is written says that this is not a number.
    fn may_be_number(&self, id: ExprId) -> bool {
        match self.known(id) {
            Some(Expr::Literal(value)) => {
                matches!(value, Literal::Int(_) | Literal::Uint(_) | Literal::Double(_))
            }
            Some(Expr::List { .. } | Expr::Map(_) | Expr::Struct { .. }) => false,
            _ => true,
        }
    }

    fn may_be_numbers(&self, id: ExprId) -> bool {
        match self.known(id) {
            Some(Expr::List { elements, .. }) => {
                !elements.is_empty() && elements.iter().all(|&element| self.may_be_number(element))
            }
            _ => false,
        }
    }
}
