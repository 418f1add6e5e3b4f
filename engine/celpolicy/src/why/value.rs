//! The value that a part of an expression had.
//!
//! In: a part, the macros around it, and what was said. Out: its value; in a macro that of the first element for which the part
//! was evaluated. What the evaluation passed over on its way down a chain of fields is read where it lies in the document.

use super::view::View;
use engine_cel::ast::{Comprehension, ExprId, Origin};
use engine_cel::value::Value;
use engine_json::Value as Json;

/// So many elements of a macro are looked at.
const MAX_ROUNDS: usize = 40;

/// A value, and of which elements of the macros around it, outermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value, or the words of the error.
    pub value: Result<Json, String>,
    /// The places of the elements, from 0.
    pub elements: Vec<usize>,
}

/// The value of a part that stands in these macros.
pub(super) fn of(view: &View<'_, '_>, id: ExprId, folds: &[(ExprId, &Comprehension)]) -> Option<Found> {
    let Some(((at, fold), inner)) = folds.split_first() else {
        let whole = |value| Found { value, elements: Vec::new() };
        if let Some(said) = view.value(id) {
            return Some(whole(said.as_ref().map(Value::to_json).map_err(Clone::clone)));
        }
        let path = view.path(id, 0)?;
        return Some(whole(Ok(view.ground.document.at_path(path.iter())?.clone())));
    };
    if let Origin::Bind { value, .. } = fold.origin {
        let bound = view.bound_value(&fold.accu, value);
        return of(&view.within(None, &bound), id, inner);
    }
    view.rounds(*at).iter().take(MAX_ROUNDS).find_map(|round| {
        let bound = view.bound(fold, round);
        let mut found = of(&view.within(Some(&round.scope), &bound), id, inner)?;
        found.elements.insert(0, round.at);
        Some(found)
    })
}
