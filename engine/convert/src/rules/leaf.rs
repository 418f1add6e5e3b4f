//! Scalars of patterns as tests.
//!
//! In: a scalar such as `'!*:latest'` or `'>=1Gi'`, and the value that it is held against. Out: a [`Formula`] that says the same.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::expressions::functions::of_any_user;
use crate::expressions::of_cluster;
use crate::expressions::scope::Scope;
use crate::expressions::template::whole;
use crate::expressions::wildcard::like;
use crate::plain;
use crate::refusal::{Class, Converted, refuse};
use engine::pattern::leaf::Leaf;
use engine::template::replace_variables;
use engine::value::{Duration, Quantity};
use engine_compare::schema::Shape;
use engine_compare::{PlainValue, Taken};
use engine_json::{Path, Value};

/// How many alternatives and terms a text of a pattern may have.
const MAX_TERMS: usize = 100;

/// What an absent value is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// What `null` is worth.
    IsNull,
    /// It satisfies, as behind `=()`.
    Holds,
}

/// The value satisfies the scalar.
pub(crate) fn leaf(
    access: &Access,
    pattern: &Value,
    absent: Absent,
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<Formula> {
    if pattern.as_str().is_some_and(|text| text.contains("{{")) {
        return variable(access, pattern, absent, path, scope);
    }
    let compiled = Leaf::new(pattern);
    let holds = absent == Absent::Holds || compiled.accepts(&Value::Null);
    let test = |text: &str| on(text, access.shape.as_ref(), pattern, path);
    assume_no_pattern(access, pattern, path, scope);
    let plain = if is_amount_there(access, pattern) { Formula::True } else { test(access.plain())? };
    if !access.is_optional() {
        return Ok(plain);
    }
    let is_short = matches!(plain, Formula::Test(..) | Formula::Not(_));
    if let Some(value) = stand_in(&compiled, pattern, access.shape.as_ref(), holds).filter(|_| is_short) {
        return test(&access.or(&value));
    }
    Ok(if holds {
        Formula::or([access.is_there().negated(), plain])
    } else {
        Formula::and([access.is_there(), plain])
    })
}

/// Fields whose values are quantities, which an API server takes only where they are not empty.
const OF_QUANTITIES: [&str; 5] = ["limits", "requests", "hard", "capacity", "allocatable"];

/// Whether no more is asked of a quantity than that it is there.
fn is_amount_there(access: &Access, pattern: &Value) -> bool {
    let of = access.path().and_then(|path| path.iter().rev().nth(1));
    matches!(pattern.as_str(), Some("?*" | "*?"))
        && access.shape == Some(Shape::Either)
        && of.is_some_and(|of| OF_QUANTITIES.contains(&of.as_str()))
}

/// The value is that of a variable.
fn variable(
    access: &Access,
    pattern: &Value,
    absent: Absent,
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<Formula> {
    // What is written beside the variable is part of the pattern that Kyverno makes of both.
    let beside = replace_variables(pattern.as_str().unwrap_or_default(), "");
    if beside.contains(['*', '?', '|', '&', '!', '<', '>']) {
        return refuse(Class::Pattern, path, "a wildcard or an operator beside a variable");
    }
    let expr = whole(pattern, scope, path)?;
    if let Some(made) = of_cluster(access, &expr, absent, (path, scope))? {
        return Ok(made);
    }
    let amounts = compared_amounts(access, &expr);
    let (right, is_amount) = match expr {
        Expr::Field(held) if held.shape == Some(Shape::Either) => (held.plain().to_owned(), true),
        expr => (of_any_user(&expr.as_text(path)?), false),
    };
    let equal = match (&access.shape, is_amount) {
        (Some(Shape::Either), true) => {
            let amount = |text: &str| format!("quantity(string({text}))");
            // Kyverno compares an absent value as 0.
            let left = if absent == Absent::IsNull { access.or("0") } else { access.plain().to_owned() };
            let equal = numbers(&format!("{}.compareTo({})", amount(&left), amount(&right)), "==", "0");
            return Ok(match absent {
                Absent::Holds => Formula::or([access.is_there().negated(), equal]),
                Absent::IsNull => equal,
            });
        }
        (Some(Shape::Text | Shape::Any) | None, false) => {
            scope.note("the value of a variable in a pattern is compared as it stands, also where it holds `*`, `|`, `!` or a range, or is an amount");
            if let Some(amounts) = &amounts {
                scope.schema.assume_plain(None, amounts.clone());
            }
            Formula::equal(access.plain(), &right)
        }
        _ => return refuse(Class::Pattern, path, "a variable in a pattern for a value of another type"),
    };
    Ok(match absent {
        Absent::Holds => Formula::or([access.is_there().negated(), equal]),
        Absent::IsNull => Formula::and([access.is_there(), equal]),
    })
}

/// The value is like a string of the cluster, or like one of those that `|` parts in it; nothing where the variable reads another one.
fn of_cluster(
    access: &Access,
    value: &Expr,
    absent: Absent,
    (path, scope): (&Path, &Scope<'_>),
) -> Converted<Option<Formula>> {
    if !of_cluster::pattern_of_each(value) {
        return Ok(None);
    }
    let text = match &access.shape {
        Some(Shape::Text) => access.plain().to_owned(),
        Some(Shape::Any) | None => format!("string({})", access.plain()),
        _ => {
            return refuse(
                Class::Pattern,
                path,
                "a string of the cluster in a pattern for a value of another type",
            );
        }
    };
    scope.note("strings of the cluster in a pattern are taken for patterns with `*`, `?` and `|`, and not for amounts, ranges or others with `&`, `!`, `<` or `>`");
    let keys = plain::keys_of(value);
    if !keys.is_empty() {
        scope.schema.assume_plain(None, PlainValue { keys, taken: Taken::PlainPattern });
    }
    let pattern = value.as_text(path)?;
    let words = format!("{}.split('|')", operand(&pattern));
    let test = of_cluster::like(&text, &of_cluster::regex("word.trim()"));
    let like = Formula::each(words, Quantifier::Exists, "word".into(), test);
    // Kyverno: pattern.validateStringPatterns holds the whole text against the value first, `|` and spaces with it.
    let like = Formula::or([Formula::equal(&text, &pattern), like]);
    Ok(Some(match absent {
        Absent::Holds => Formula::or([access.is_there().negated(), like]),
        Absent::IsNull => Formula::and([access.is_there(), like]),
    }))
}

/// The strings of both sides, where they are fields by themselves: Kyverno compares amounts with one another however they are written.
// Kyverno: pattern.compareQuantity, where an absent value is 0.
fn compared_amounts(access: &Access, value: &Expr) -> Option<PlainValue> {
    let Expr::Field(held) = value else { return None };
    let is_of_list = |path: &[String]| path.iter().any(|key| key == "[]");
    if let (Some(field), Some(keys)) = (access.path(), held.path())
        && !is_of_list(field)
        && !is_of_list(keys)
    {
        return Some(PlainValue { keys: keys.to_vec(), taken: Taken::LikeField(field.to_vec()) });
    }
    // Of a list each element is compared.
    let keys: Vec<String> = plain::keys_of(value).into_iter().filter(|key| key != "[]").collect();
    (!keys.is_empty()).then_some(PlainValue { keys, taken: Taken::NoAmount })
}

/// A value that may stand for an absent one, as it satisfies the pattern just where an absent value does.
fn stand_in(compiled: &Leaf, pattern: &Value, shape: Option<&Shape>, holds: bool) -> Option<String> {
    match pattern {
        Value::Bool(wanted) => Some((*wanted == holds).to_string()),
        Value::String(text) if !holds && matches!(shape, Some(Shape::Text) | None) => {
            let is_plain = terms(text).iter().flatten().all(|term| {
                matches!(term, Term::Is(operand) if !is_amount(operand) && !matches!(operand.as_str(), "true" | "false"))
            });
            (is_plain && !compiled.accepts(&Value::from(""))).then(|| "''".to_owned())
        }
        _ => None,
    }
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Is(String),
    IsNot(String),
    /// An operator of CEL, and what is on its right.
    Than(&'static str, String),
    Between(String, String),
    Outside(String, String),
}

/// Alternatives of terms.
// Kyverno: pattern.validateStringPatterns.
fn terms(text: &str) -> Vec<Vec<Term>> {
    let alternatives = text.split('|').take(MAX_TERMS);
    alternatives
        .map(|one| one.split('&').take(MAX_TERMS).map(|term| self::term(term.trim())).collect())
        .collect()
}

fn term(text: &str) -> Term {
    let rest = |by: &str| text.strip_prefix(by).map(|rest| rest.trim().to_owned());
    if text.chars().count() < 2 {
        return Term::Is(text.to_owned());
    }
    for (sign, operator) in [(">=", ">="), ("<=", "<="), (">", ">"), ("<", "<")] {
        if let Some(rest) = rest(sign) {
            return Term::Than(operator, rest);
        }
    }
    if let Some(rest) = rest("!") {
        return Term::IsNot(rest);
    }
    let ends = |by: &str| {
        text.match_indices(by).find_map(|(at, _)| {
            let (from, to) = (text.get(..at)?, text.get(at + by.len()..)?);
            (is_end(from) && is_end(to)).then(|| (from.to_owned(), to.to_owned()))
        })
    };
    if let Some((from, to)) = ends("!-") {
        return Term::Outside(from, to);
    }
    if let Some((from, to)) = ends("-") {
        return Term::Between(from, to);
    }
    Term::Is(text.to_owned())
}

/// Whether a text is an end of a range: a number, and letters behind it.
fn is_end(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+', '|']).unwrap_or(text);
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    are_digits(whole) && are_digits(part)
}

/// Whether a text is compared as an amount where the value is one too.
fn is_amount(text: &str) -> bool {
    Quantity::parse(text).is_ok() || Duration::parse(text).is_ok()
}

/// The value that this text gives satisfies the pattern.
fn on(value: &str, shape: Option<&Shape>, pattern: &Value, path: &Path) -> Converted<Formula> {
    if let Some(Shape::List(inner)) = shape {
        let body = on("item", Some(inner), pattern, path)?;
        return Ok(Formula::each(value.to_owned(), Quantifier::All, "item".into(), body));
    }
    match pattern {
        // A text is neither a number nor a truth value.
        Value::Null if shape == Some(&Shape::Text) => Ok(Formula::equal(value, "''")),
        Value::Null => Ok(Formula::or(["''", "0", "false"].map(|empty| Formula::equal(value, empty)))),
        Value::Bool(true) if shape == Some(&Shape::Truth) => Ok(Formula::test(value)),
        Value::Bool(false) if shape == Some(&Shape::Truth) => Ok(Formula::test(value).negated()),
        Value::Bool(wanted) => Ok(Formula::equal(value, &wanted.to_string())),
        Value::Number(_) => Ok(match shape {
            Some(Shape::Number) => Formula::equal(value, &engine_json::to_json(pattern)),
            _ => amount("quantity", value, "==", &engine_json::to_json(pattern)),
        }),
        Value::String(text) => text_on(value, shape, text, path),
        Value::Array(_) | Value::Object(_) => {
            refuse(Class::Pattern, path, "a list or a map in place of a scalar")
        }
    }
}

fn text_on(value: &str, shape: Option<&Shape>, text: &str, path: &Path) -> Converted<Formula> {
    let terms = terms(text);
    let plain: Option<Vec<String>> = terms
        .iter()
        .map(|terms| match terms.as_slice() {
            [Term::Is(operand)] if is_word(operand) => Some(quoted(operand)),
            _ => None,
        })
        .collect();
    if let Some(words) = plain.filter(|words| words.len() > 1 && matches!(shape, Some(Shape::Text) | None)) {
        let list = words.join(", ");
        return Ok(Formula::test(format!("{value} in [{list}]")));
    }
    let mut all = Vec::new();
    for alternative in &terms {
        let tests = alternative.iter().map(|term| term_on(value, shape, term, path));
        all.push(Formula::and(tests.collect::<Converted<Vec<_>>>()?));
    }
    Ok(Formula::or(all))
}

/// Takes it for granted that no value is the text of a pattern, operators and all, which Kyverno lets pass, where nothing else says so.
// Kyverno: pattern.validateStringPattern compares the texts as they are first.
fn assume_no_pattern(access: &Access, pattern: &Value, path: &Path, scope: &Scope<'_>) {
    let Some(text) = pattern.as_str() else { return };
    let shape = match &access.shape {
        Some(Shape::List(inner)) => Some(&**inner),
        shape => shape.as_ref(),
    };
    let takes = |term: &Term| match term {
        Term::Is(operand) => engine::value::wildcard::matches(operand, text),
        Term::IsNot(operand) => !engine::value::wildcard::matches(operand, text),
        Term::Than(..) | Term::Between(..) | Term::Outside(..) => shape != Some(&Shape::Text),
    };
    let is_taken = terms(text).iter().any(|terms| terms.iter().all(takes));
    let is_text = matches!(shape, Some(Shape::Text | Shape::Any) | None);
    if let Some(value) = plain::other_than(access, text).filter(|_| is_text && !is_taken) {
        scope.schema.assume_plain(Some(path), value);
    }
}

/// Whether a text stands for itself alone.
fn is_word(text: &str) -> bool {
    !is_amount(text) && !text.contains(['*', '?']) && !matches!(text, "true" | "false")
}

fn term_on(value: &str, shape: Option<&Shape>, term: &Term, path: &Path) -> Converted<Formula> {
    match term {
        Term::Is(operand) => is(value, shape, operand, path),
        Term::IsNot(operand) => Ok(is(value, shape, operand, path)?.negated()),
        Term::Than(operator, operand) => than(value, shape, operator, operand, path),
        Term::Between(from, to) => {
            Ok(Formula::and([than(value, shape, ">=", from, path)?, than(value, shape, "<=", to, path)?]))
        }
        Term::Outside(from, to) => {
            Ok(Formula::or([than(value, shape, "<", from, path)?, than(value, shape, ">", to, path)?]))
        }
    }
}

fn is(value: &str, shape: Option<&Shape>, operand: &str, path: &Path) -> Converted<Formula> {
    if is_amount(operand) {
        return than(value, shape, "==", operand, path);
    }
    match shape {
        Some(Shape::Truth) => match operand {
            "true" => Ok(Formula::test(value)),
            "false" => Ok(Formula::test(value).negated()),
            "*" | "?*" => Ok(Formula::True),
            _ => refuse(Class::Pattern, path, format!("the string `{operand}` in place of true or false")),
        },
        Some(Shape::Number) => match operand {
            "*" | "?*" => Ok(Formula::True),
            _ => refuse(Class::Pattern, path, format!("the string `{operand}` in place of a number")),
        },
        Some(Shape::Object(_) | Shape::Map(_)) => refuse(
            Class::Pattern,
            path,
            format!("the string `{operand}` in place of an object, which never matches"),
        ),
        Some(Shape::Either) => Ok(like(&format!("string({value})"), operand)),
        Some(Shape::Any | Shape::List(_)) | None if matches!(operand, "true" | "false") => {
            Ok(like(&format!("string({value})"), operand))
        }
        // What the schema says is a text is one.
        Some(Shape::Text) if !operand.is_empty() && operand.trim_matches('*').is_empty() => Ok(Formula::True),
        Some(Shape::Text | Shape::Any | Shape::List(_)) | None => Ok(like(value, operand)),
    }
}

fn than(
    value: &str,
    shape: Option<&Shape>,
    operator: &str,
    operand: &str,
    path: &Path,
) -> Converted<Formula> {
    let is_quantity = Quantity::parse(operand).is_ok();
    let is_duration = Duration::parse(operand).is_ok();
    if is_quantity && matches!(shape, Some(Shape::Number)) && operand.parse::<i64>().is_ok() {
        return Ok(numbers(value, operator, operand));
    }
    if is_duration && is_quantity && operand != "0" {
        return refuse(
            Class::Pattern,
            path,
            format!("`{operand}` may be a duration or a quantity, which depends on the value"),
        );
    }
    if is_duration && !is_quantity {
        let test = format!("duration({value}) {operator} duration({})", quoted(operand));
        return Ok(Formula::Test(
            test,
            opposite(operator)
                .map(|operator| format!("duration({value}) {operator} duration({})", quoted(operand))),
        ));
    }
    if !is_quantity {
        return refuse(Class::Pattern, path, format!("`{operand}` has no order, so that it never matches"));
    }
    let is_text = matches!(shape, Some(Shape::Text));
    let test = amount("quantity", value, operator, operand);
    Ok(if is_text { Formula::and([Formula::test(format!("isQuantity({value})")), test]) } else { test })
}

fn numbers(value: &str, operator: &str, operand: &str) -> Formula {
    let contrary = opposite(operator).map(|operator| format!("{value} {operator} {operand}"));
    Formula::Test(format!("{value} {operator} {operand}"), contrary)
}

fn amount(function: &str, value: &str, operator: &str, operand: &str) -> Formula {
    let left = format!("{function}(string({value})).compareTo({function}({}))", quoted(operand));
    numbers(&left, operator, "0")
}

/// The operator that holds where this one does not.
pub(crate) fn opposite(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "==" => "!=",
        "!=" => "==",
        ">" => "<=",
        ">=" => "<",
        "<" => ">=",
        "<=" => ">",
        _ => return None,
    })
}
