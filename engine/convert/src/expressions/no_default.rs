//! Why a value and what stands behind its `||` have no form in CEL.
//!
//! In: the two values. Out: the reason, for a reader who is to change the one or the other.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use engine_compare::schema::Shape;
use engine_json::Value;

/// Why this is not converted.
pub(crate) fn why_no_default(value: &Expr, default: &Expr) -> String {
    let Expr::Literal(default) = default else {
        return "a default that is not written in the policy, behind `||`,".into();
    };
    match value {
        Expr::Field(access) | Expr::Nullable(access) | Expr::Uncertain(access) => of_field(access, default),
        _ => "a default, behind `||`, for a list that is put together or what a function gives,".into(),
    }
}

fn of_field(access: &Access, default: &Value) -> String {
    let written = engine_json::to_json(default);
    let field = access.path().map(|path| path.join(".").replace(".[]", "[]")).unwrap_or_default();
    match &access.shape {
        Some(Shape::Truth) => {
            format!("the default `{written}` of a truth value, for which `false` gives way to it too,")
        }
        None if access.path().is_some() && access.path_of_some().is_none() => {
            format!("the default `{written}` of `{field}`, a field that the kind has not,")
        }
        None | Some(Shape::Any) => format!(
            "the default `{written}` of a field of unknown type, to which what is empty or `false` gives way too (a rule for one kind of Kubernetes knows the type),"
        ),
        Some(_) => format!(
            "the default `{written}` of a field of another type, to which what is empty gives way too,"
        ),
    }
}
