//! Defaults of another type than what they stand for.
//!
//! In: `livenessProbe || ''`, a map or a string. Out: when the value is there and not empty, and what is compared then and otherwise.

use crate::expressions::expr::Expr;
use crate::expressions::formula::Formula;
use engine_compare::schema::Shape;
use engine_json::Value;

/// A value that gives way to a default of another type.
pub(super) struct Mismatched {
    /// When the value itself is compared.
    pub(super) is_kept: Formula,
    /// The value where it is there.
    pub(super) known: Expr,
    /// What is compared otherwise.
    pub(super) default: Expr,
}

/// The two values of a field with a default of another type, which no test holds of in the same way; nothing where the default is of its type.
// Go: interpreter.go ASTOrExpression, for which what is empty and `false` give way as what is absent does.
pub(super) fn mismatched(expr: &Expr, operator: &str) -> Option<Mismatched> {
    let Expr::Defaulted(access, default) = expr else { return None };
    let is_kept = match (access.shape.as_ref()?, default) {
        (Shape::Text, Value::String(_))
        | (Shape::Truth, Value::Bool(_))
        | (Shape::Number, Value::Number(_))
        | (Shape::Either, Value::Number(_) | Value::String(_))
        | (Shape::List(_), Value::Array(_))
        | (Shape::Map(_) | Shape::Object(_), Value::Object(_))
        | (Shape::Any, _) => return None,
        // A string in place of a list is read by this family as it is, and an empty list holds as an empty string does.
        (Shape::List(_), Value::String(_)) if operator.contains("In") => return None,
        (Shape::Text, _) => Formula::equal(&access.or("''"), "''").negated(),
        (Shape::Truth, _) => Formula::test(access.or("false")),
        (Shape::Number | Shape::Either, _) => access.is_there(),
        (Shape::List(_), _) => Formula::equal(&format!("size({})", access.or("[]")), "0").negated(),
        (Shape::Map(_) | Shape::Object(_), _) => {
            Formula::equal(&format!("size({})", access.or("{}")), "0").negated()
        }
    };
    let (known, default) = (Expr::Field(access.known()), Expr::Literal(default.clone()));
    Some(Mismatched { is_kept, known, default })
}
