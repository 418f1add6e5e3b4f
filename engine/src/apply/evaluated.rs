//! Says that text of the data was evaluated as an expression.
//!
//! In: such a text, the policy and the resource. Out: a warning that terminal, page and npm module show at its line.

use super::Evaluated;
use crate::diag::{Code, Diagnostic};
use crate::policy::Policy;
use crate::resource::Resource;
use engine_yaml::Span;

/// The warning about a text, which stands there.
pub fn evaluated_text(
    policy: &Policy,
    resource: &Resource,
    evaluated: &Evaluated,
    span: Option<Span>,
) -> Diagnostic {
    let Evaluated { text, expression, path } = evaluated;
    let whose = match path {
        Some(_) => format!("text of {}/{}", resource.kind(), resource.name_or_generate_name()),
        None => "text that is not the policy's own".to_owned(),
    };
    let message = format!("{whose} is evaluated as an expression by policy `{}`: `{text}`", policy.name);
    Diagnostic::warning(Code::EvaluatedText, span, message)
        .hint(format!(
            "`{expression}` yields it, and Kyverno evaluates again what that yields: whoever may write this text can \
             steer the policy"
        ))
        .hint(
            "let the expression yield a number, a truth value or a single text, such as `contains(…)` or `length(…)`: \
             Kyverno evaluates those no further",
        )
}
