//! The macros of the language itself: `has`, `all`, `exists`, `exists_one`, `map`, `filter` (`parser/macro.go`).

use super::{Call, Fold, Macro, argument, transform};
use crate::ast::{Expr, ExprId, Literal, Origin};
use crate::issue::Issue;
use crate::operators;
use crate::syntax::build::Builder;

/// The macros of every environment.
pub const STANDARD: &[Macro] = &[
    Macro::function("has", 1, has),
    Macro::method("all", 2, |b, call| quantifier(b, call, &[0], Origin::All)),
    Macro::method("exists", 2, |b, call| quantifier(b, call, &[0], Origin::Exists)),
    Macro::method("exists_one", 2, |b, call| quantifier(b, call, &[0], Origin::ExistsOne)),
    Macro::method("map", 2, map),
    Macro::method("map", 3, map),
    Macro::method("filter", 2, filter),
];

/// `has(e.f)`: whether the field is there.
fn has(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let asked = argument(call, 0)?;
    match b.known(asked) {
        Some(Expr::Select { operand, field, .. }) => {
            let presence = Expr::Select { operand: *operand, field: field.clone(), test: true };
            Ok(Some(b.add(presence, call.span)))
        }
        _ => Err(b.wrong(asked, "invalid argument to has() macro")),
    }
}

/// `all`, `exists`, `exists_one` with the variables at these arguments and the predicate behind them.
pub(super) fn quantifier(
    b: &mut Builder<'_>,
    call: &Call<'_>,
    variables: &[usize],
    origin: fn(ExprId) -> Origin,
) -> Result<Option<ExprId>, Issue> {
    let (var, var2) = if variables.len() > 1 {
        let (var, var2) = super::two_variables::variables(b, call)?;
        (var, Some(var2))
    } else {
        (b.variable(argument(call, 0)?, "argument must be a simple name")?, None)
    };
    let predicate = argument(call, variables.len())?;
    let origin = origin(predicate);
    let (init, condition, step, result) = match origin {
        Origin::All(_) => all(b, predicate, call),
        Origin::Exists(_) => exists(b, predicate, call),
        _ => exists_one(b, predicate, call),
    };
    let fold = Fold { var: &var, var2: var2.as_deref(), init, condition, step, result };
    b.fold(&fold, origin, call)
}

type Parts = (ExprId, ExprId, ExprId, ExprId);

fn all(b: &mut Builder<'_>, predicate: ExprId, call: &Call<'_>) -> Parts {
    let init = b.constant(Literal::Bool(true), call);
    let so_far = b.accumulator(call);
    let condition = b.operator(operators::NOT_STRICTLY_FALSE, &[so_far], call.span);
    let before = b.accumulator(call);
    let step = b.operator(operators::LOGICAL_AND, &[before, predicate], call.span);
    (init, condition, step, b.accumulator(call))
}

fn exists(b: &mut Builder<'_>, predicate: ExprId, call: &Call<'_>) -> Parts {
    let init = b.constant(Literal::Bool(false), call);
    let so_far = b.accumulator(call);
    let not_yet = b.operator(operators::LOGICAL_NOT, &[so_far], call.span);
    let condition = b.operator(operators::NOT_STRICTLY_FALSE, &[not_yet], call.span);
    let before = b.accumulator(call);
    let step = b.operator(operators::LOGICAL_OR, &[before, predicate], call.span);
    (init, condition, step, b.accumulator(call))
}

fn exists_one(b: &mut Builder<'_>, predicate: ExprId, call: &Call<'_>) -> Parts {
    let init = b.constant(Literal::Int(0), call);
    let condition = b.constant(Literal::Bool(true), call);
    let before = b.accumulator(call);
    let one = b.constant(Literal::Int(1), call);
    let more = b.operator(operators::ADD, &[before, one], call.span);
    let step = b.under(Some(predicate), more, call);
    let count = b.accumulator(call);
    let one = b.constant(Literal::Int(1), call);
    (init, condition, step, b.operator(operators::EQUALS, &[count, one], call.span))
}

/// The message of `map` and `filter` for a variable that is no name.
const NOT_A_NAME: &str = "argument is not an identifier";

fn map(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let var = b.variable(argument(call, 0)?, NOT_A_NAME)?;
    let (predicate, transform) = transform(call, 1)?;
    let init = b.list(&[], &[], call.span);
    let condition = b.constant(Literal::Bool(true), call);
    let step = b.appended(transform, predicate, call);
    let result = b.accumulator(call);
    b.fold(
        &Fold { var: &var, var2: None, init, condition, step, result },
        Origin::Map { predicate, transform },
        call,
    )
}

fn filter(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let element = argument(call, 0)?;
    let var = b.variable(element, NOT_A_NAME)?;
    let predicate = argument(call, 1)?;
    let init = b.list(&[], &[], call.span);
    let condition = b.constant(Literal::Bool(true), call);
    let step = b.appended(element, Some(predicate), call);
    let result = b.accumulator(call);
    b.fold(&Fold { var: &var, var2: None, init, condition, step, result }, Origin::Filter(predicate), call)
}
