//! Strings of the cluster, in which the source takes `*` and `?` for wildcards.
//!
//! In: a value of a ConfigMap, an annotation of a Namespace and the like. Out: the regular expression that it stands for, as text of CEL.
//! Source: Kyverno's pkg/engine/variables/operator and its `ext/wildcard`, whose wildcards stand for any letters.

use crate::conditions::single;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, operand};
use crate::expressions::scope::Scope;
use crate::plain;
use engine_compare::schema::Shape;

/// The regular expression of a text with wildcards.
pub(crate) fn regex(text: &str) -> String {
    format!(
        r"'(?s)^' + regex.replace({text}, '[[:punct:]]', '\\\\\\0').replace('\\*', '.*').replace('\\?', '.') + '$'"
    )
}

/// A text is like what a regular expression says.
pub(crate) fn like(text: &str, regex: &str) -> Formula {
    Formula::test(format!("{}.matches({regex})", operand(text)))
}

/// The text of a value of the cluster, if wildcards may stand in it.
pub(crate) fn text(value: &Expr) -> Option<String> {
    let is_of_cluster = match value {
        Expr::Field(access) | Expr::Defaulted(access, _) => access.is_outside,
        Expr::Cel(text, _) => is_answer(text),
        _ => false,
    };
    let (text, shape) = single(value).filter(|_| is_of_cluster && !plain::strings(value).is_empty())?;
    match shape {
        Some(Shape::Text) => Some(text),
        Some(Shape::Any) | None => Some(format!("string({text})")),
        Some(_) => None,
    }
}

/// Whether a text of CEL is made of an answer of the cluster.
pub(crate) fn is_answer(text: &str) -> bool {
    let of_object = ["metadata.", "oldMetadata.", "oldSpec.", "allContainers", "allItems"];
    let of_variable = |rest: &str| !of_object.iter().any(|name| rest.starts_with(name));
    text.strip_prefix("variables.").is_some_and(of_variable)
        || ["resource.Get(", "resource.List(", "globalContext.Get("].iter().any(|call| text.starts_with(call))
}

/// A part of what is made of an answer of the cluster, known to be one.
pub(crate) fn marked(part: Expr) -> Expr {
    match part {
        Expr::Field(access) => Expr::Field(access.outside()),
        other => other,
    }
}

/// The regular expression of a value of the cluster; nothing where no wildcard can stand in it.
pub(crate) fn pattern(value: &Expr) -> Option<String> {
    if let Expr::Field(access) | Expr::Defaulted(access, _) = value
        && access.regex.is_some()
    {
        return access.regex.clone();
    }
    text(value).map(|text| regex(&text))
}

/// Whether wildcards of a value, or of each element of a list, are read as such.
pub(crate) fn pattern_of_each(value: &Expr) -> bool {
    match value {
        Expr::Elements(elements) => pattern_of_each(&elements.item),
        Expr::Nullable(access) | Expr::OrNull(access) => pattern(&Expr::Field(access.clone())).is_some(),
        value => pattern(value).is_some(),
    }
}

/// Whether a text of CEL reads nothing of the element of a loop.
fn is_free_of(text: &str, element: &Expr) -> bool {
    let Some((element, _)) = single(element) else { return false };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let root = element.split(|c| !is_part(c)).next().unwrap_or("");
    !root.is_empty() && !text.split(|c| !is_part(c)).any(|word| word == root)
}

/// The same value, with a variable for its regular expression where one is seen.
pub(crate) fn with_variable(value: Expr, scope: &Scope<'_>) -> Expr {
    let Some(text) = text(&value) else { return value };
    let (Expr::Field(access) | Expr::Defaulted(access, _)) = &value else { return value };
    if access.parsed_of().is_some() || !scope.elements.iter().all(|element| is_free_of(&text, element)) {
        return value;
    }
    let last = access.plain().rsplit(['.', '[', ']']).find(|part| !part.is_empty()).unwrap_or("");
    let words = last.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        let (first, rest) = word.split_at(1);
        name.push_str(&if name.is_empty() { first.to_ascii_lowercase() } else { first.to_ascii_uppercase() });
        name.push_str(rest);
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name = "cluster".into();
    }
    let Some(made) = scope.spare_variable(&format!("{name}Pattern"), &regex(&text)) else { return value };
    match value {
        Expr::Field(access) => Expr::Field(access.with_regex(made)),
        Expr::Defaulted(access, default) => Expr::Defaulted(access.with_regex(made), default),
        other => other,
    }
}
