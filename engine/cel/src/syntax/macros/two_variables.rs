//! Iterations with two variables: the index and the element of a list, or the key and the value of a map
//! (`ext/comprehensions.go`).

use super::standard::quantifier;
use super::{Call, Fold, Macro, argument, transform};
use crate::ast::{Expr, ExprId, Literal, Origin};
use crate::issue::Issue;
use crate::operators;
use crate::syntax::build::Builder;
use engine_json::Str;

/// The macros of the library of two-variable comprehensions.
pub const TWO_VARIABLES: &[Macro] = &[
    Macro::method("all", 3, |b, call| quantifier(b, call, &[0, 1], Origin::All)),
    Macro::method("exists", 3, |b, call| quantifier(b, call, &[0, 1], Origin::Exists)),
    Macro::method("existsOne", 3, |b, call| quantifier(b, call, &[0, 1], Origin::ExistsOne)),
    Macro::method("exists_one", 3, |b, call| quantifier(b, call, &[0, 1], Origin::ExistsOne)),
    Macro::method("transformList", 3, transform_list),
    Macro::method("transformList", 4, transform_list),
    Macro::method("transformMap", 3, transform_map),
    Macro::method("transformMap", 4, transform_map),
    Macro::method("transformMapEntry", 3, transform_map_entry),
    Macro::method("transformMapEntry", 4, transform_map_entry),
];

/// The two variables of a call, in the original's order of complaints.
pub(super) fn variables(b: &Builder<'_>, call: &Call<'_>) -> Result<(Str, Str), Issue> {
    let (first, second) = (argument(call, 0)?, argument(call, 1)?);
    let name = |id| b.name_of(id).ok_or_else(|| b.wrong(id, "argument must be a simple name"));
    let (var, var2) = (name(first)?, name(second)?);
    if var == var2 {
        return Err(b.wrong(second, format!("duplicate variable name: {var}")));
    }
    b.not_the_accumulator(first, &var)?;
    b.not_the_accumulator(second, &var2)?;
    Ok((var, var2))
}

fn transform_list(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let (var, var2) = variables(b, call)?;
    let (predicate, transform) = transform(call, 2)?;
    let step = b.appended(transform, predicate, call);
    let init = b.list(&[], &[], call.span);
    let condition = b.constant(Literal::Bool(true), call);
    let result = b.accumulator(call);
    let fold = Fold { var: &var, var2: Some(&var2), init, condition, step, result };
    b.fold(&fold, Origin::Map { predicate, transform }, call)
}

fn transform_map(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let (var, var2) = variables(b, call)?;
    let (predicate, transform) = transform(call, 2)?;
    let accumulator = b.accumulator(call);
    let key = b.name(&var, call);
    let step = b.operator(operators::MAP_INSERT, &[accumulator, key, transform], call.span);
    into_map(b, call, (&var, &var2), step, Origin::TransformMap { predicate, transform })
}

fn transform_map_entry(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let (var, var2) = variables(b, call)?;
    let (predicate, transform) = transform(call, 2)?;
    let accumulator = b.accumulator(call);
    let step = b.operator(operators::MAP_INSERT, &[accumulator, transform], call.span);
    into_map(b, call, (&var, &var2), step, Origin::TransformMapEntry { predicate, transform })
}

/// A fold whose accumulator begins as an empty map.
fn into_map(
    b: &mut Builder<'_>,
    call: &Call<'_>,
    (var, var2): (&str, &str),
    step: ExprId,
    origin: Origin,
) -> Result<Option<ExprId>, Issue> {
    let (predicate, _) = transform(call, 2)?;
    let step = b.under(predicate, step, call);
    let init = b.add(Expr::Map(Box::default()), call.span);
    let condition = b.constant(Literal::Bool(true), call);
    let result = b.accumulator(call);
    b.fold(&Fold { var, var2: Some(var2), init, condition, step, result }, origin, call)
}
