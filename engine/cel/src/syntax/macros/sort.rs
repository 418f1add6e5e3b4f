//! `list.sortBy(element, key)` (`ext/lists.go`).

use super::{ACCUMULATOR, Call, Macro, argument, target};
use crate::ast::{Comprehension, Expr, ExprId, Literal, Origin};
use crate::issue::Issue;
use crate::syntax::build::Builder;
use engine_json::Str;

/// The macro of the library of lists.
pub const LISTS: &[Macro] = &[Macro::method("sortBy", 2, sort_by)];

/// The variable that the list is bound to; no expression can write this name.
pub(in crate::syntax) const INPUT: &str = "@__sortBy_input__";

/// The function that sorts a list by a list of keys.
pub(in crate::syntax) const SORT: &str = "@sortByAssociatedKeys";

/// `let input = list in input.sortByKeys(input.map(element, key))`
fn sort_by(b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
    let target = target(call)?;
    if matches!(b.known(target), None | Some(Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. })) {
        let message =
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(b.wrong(target, message));
    }
    let var = b.variable(argument(call, 0)?, "argument is not an identifier")?;
    let keys = keys(b, call, var)?;
    let input = b.name(INPUT, call);
    let sort = Expr::Call { function: Str::new_static(SORT), target: Some(input), args: [keys].into() };
    let sorted = b.add(sort, call.span);
    Ok(Some(b.bind(INPUT, target, sorted, call)))
}

/// The keys of all elements, as `map` gives them.
fn keys(b: &mut Builder<'_>, call: &Call<'_>, var: Str) -> Result<ExprId, Issue> {
    let range = b.name(INPUT, call);
    let transform = argument(call, 1)?;
    let init = b.list(&[], &[], call.span);
    let condition = b.constant(Literal::Bool(true), call);
    let step = b.appended(transform, None, call);
    let result = b.accumulator(call);
    let keys = Comprehension {
        range,
        var,
        var2: None,
        accu: Str::new_static(ACCUMULATOR),
        init,
        condition,
        step,
        result,
        origin: Origin::Map { predicate: None, transform },
    };
    Ok(b.add(Expr::Comprehension(Box::new(keys)), call.span))
}
