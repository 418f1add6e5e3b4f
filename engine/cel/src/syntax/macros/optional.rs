//! `optMap` and `optFlatMap` (`cel/library.go`).

use super::{Call, Macro, argument, target};
use crate::ast::{Expr, ExprId};
use crate::issue::Issue;
use crate::operators;
use crate::syntax::build::Builder;
use engine_json::Str;

/// The macros of optional types.
pub const OPTIONAL: &[Macro] =
    &[Macro::method("optMap", 2, opt_map), Macro::method("optFlatMap", 2, opt_flat_map)];

/// `o.hasValue() ? optional.of(let x = o.value() in e) : optional.none()`
fn opt_map(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let (has_value, bound) = parts(b, call, "optMap() variable name must be a simple identifier")?;
    let some = b.operator("optional.of", &[bound], call.span);
    Ok(Some(or_none(b, call, has_value, some)))
}

/// As `optMap`, for a body that is an optional value itself.
fn opt_flat_map(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let (has_value, bound) = parts(b, call, "optFlatMap() variable name must be a simple identifier")?;
    Ok(Some(or_none(b, call, has_value, bound)))
}

fn or_none(b: &mut Builder<'_>, call: &Call<'_>, has_value: ExprId, some: ExprId) -> ExprId {
    let none = b.operator("optional.none", &[], call.span);
    b.operator(operators::CONDITIONAL, &[has_value, some, none], call.span)
}

/// The question whether there is a value, and the body with the value bound; the receiver stands in both.
fn parts(b: &mut Builder<'_>, call: &Call<'_>, not_a_name: &str) -> Result<(ExprId, ExprId), Issue> {
    let (name, target) = (argument(call, 0)?, target(call)?);
    let name = b.name_of(name).ok_or_else(|| b.wrong(name, not_a_name))?;
    let has_value = method(b, call, "hasValue", target);
    let again = b.copy(target, call.span.at);
    let value = method(b, call, "value", again);
    Ok((has_value, b.bind(&name, value, argument(call, 1)?, call)))
}

fn method(b: &mut Builder<'_>, call: &Call<'_>, name: &'static str, target: ExprId) -> ExprId {
    let function = Str::new_static(name);
    b.add(Expr::Call { function, target: Some(target), args: Box::default() }, call.span)
}
