//! Conditions of `preconditions` and `deny`.
//!
//! In: `{any: […], all: […]}` of key, operator, value. Out: a [`Formula`].

use crate::expr::{Attribute, Elements, Expr};
use crate::formula::{Formula, Quantifier, quoted};
use crate::leaf::opposite;
use crate::refusal::{Class, Converted, refuse};
use crate::scope::Scope;
use crate::template::whole;
use crate::wildcard::like;
use engine::value::{Duration, Quantity};
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// Conditions in a scope.
pub(crate) struct Conditions<'c, 's> {
    scope: &'c Scope<'s>,
}

impl<'c, 's> Conditions<'c, 's> {
    pub(crate) fn new(scope: &'c Scope<'s>) -> Self {
        Conditions { scope }
    }

    /// A block of conditions.
    pub(crate) fn block(&self, written: &Value, path: &Path) -> Converted<Formula> {
        if let Some(list) = written.as_array() {
            return self.all(list, path).map(Formula::and);
        }
        let part = |field: &'static str| {
            let list = written.get(field).and_then(Value::as_array)?;
            Some(self.all(list, &path.join(field)))
        };
        let any = part("any").transpose()?.map_or(Formula::True, Formula::or);
        let all = part("all").transpose()?.map_or(Formula::True, Formula::and);
        Ok(Formula::and([any, all]))
    }

    fn all(&self, list: &[Value], path: &Path) -> Converted<Vec<Formula>> {
        list.iter().enumerate().map(|(at, one)| self.one(one, &path.join(at))).collect()
    }

    /// Takes it for granted that a field of unknown form is like what it is held against.
    fn assume(&self, one: &Expr, other: &Expr) {
        let Expr::Literal(written) = other else { return };
        let written = written.as_array().and_then(<[Value]>::first).unwrap_or(written);
        match one {
            Expr::Field(access) | Expr::Defaulted(access, _) if written.as_array().is_none() => {
                self.scope.schema.assume_like(access, written);
            }
            Expr::Elements(elements) => self.assume(&elements.item, other),
            _ => {}
        }
    }

    fn one(&self, written: &Value, path: &Path) -> Converted<Formula> {
        let side = |field: &'static str| {
            whole(written.get(field).unwrap_or(&Value::Null), self.scope, &path.join(field))
        };
        let (key, value) = (side("key")?, side("value")?);
        let operator = written.find_str(&["operator"]);
        self.assume(&key, &value);
        self.assume(&value, &key);
        let is_operation = |one: &Expr| matches!(one, Expr::Attribute(Attribute::Operation));
        let is_deletion =
            is_operation(&key) && value.is_text("DELETE") || is_operation(&value) && key.is_text("DELETE");
        if is_deletion && !operator.contains("Not") {
            self.scope.note_deletions();
        }

        if let Expr::Nullable(access) = key {
            // Of null no operator holds.
            let known = compare(&Expr::Field(access.known()), operator, &value, path)?;
            return Ok(Formula::and([access.is_there(), known]));
        }
        compare(&key, operator, &value, path)
    }
}

/// Two sides under an operator.
fn compare(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    match operator {
        "Equals" | "Equal" => equals(key, value, path),
        "NotEquals" | "NotEqual" => Ok(equals(key, value, path)?.negated()),
        "In" | "AnyIn" | "AllIn" | "NotIn" | "AnyNotIn" | "AllNotIn" => within(key, operator, value, path),
        "GreaterThan" => ordered(key, ">", value, path),
        "GreaterThanOrEquals" => ordered(key, ">=", value, path),
        "LessThan" => ordered(key, "<", value, path),
        "LessThanOrEquals" => ordered(key, "<=", value, path),
        other => refuse(Class::Condition, &path.join("operator"), format!("operator `{other}`")),
    }
}

/// A single value as text of CEL, with its form.
fn single(expr: &Expr) -> Option<(String, Option<Shape>)> {
    match expr {
        Expr::Field(access) => Some((access.plain().to_owned(), access.shape.clone())),
        Expr::Defaulted(access, default) => {
            let text = match default {
                Value::String(text) => quoted(text),
                other => engine_json::to_json(other),
            };
            Some((access.or(&text), access.shape.clone()))
        }
        Expr::Attribute(attribute) => Some((attribute.text().to_owned(), Some(Shape::Text))),
        Expr::Cel(text, shape) => Some((text.clone(), Some(shape.clone()))),
        _ => None,
    }
}

/// Whether a text is compared as an amount where the other side is one.
fn is_amount(text: &str) -> bool {
    Quantity::parse(text).is_ok() || Duration::parse(text).is_ok()
}

fn equals(key: &Expr, value: &Expr, path: &Path) -> Converted<Formula> {
    if let (Expr::Bool(formula), Expr::Literal(Value::Bool(wanted))) = (key, value) {
        return Ok(if *wanted { formula.clone() } else { formula.clone().negated() });
    }
    if let Expr::Count(elements) = key {
        return counted(elements, "==", value, path);
    }
    if let Expr::Literal(written) = key
        && !matches!(value, Expr::Literal(_))
        && let Value::String(text) = written
        && !is_amount(text)
        && let Some((right, _)) = single(value)
    {
        return Ok(Formula::equal(&right, &quoted(text)));
    }
    let Some((left, shape)) = single(key) else {
        return refuse(Class::Condition, &path.join("key"), "equality with this key is not converted");
    };
    match value {
        Expr::Literal(Value::String(text)) if is_amount(text) && shape != Some(Shape::Number) => {
            refuse(Class::Condition, &path.join("value"), format!("`{text}` equals other amounts too"))
        }
        Expr::Literal(Value::String(text)) if shape == Some(Shape::Number) => Ok(Formula::equal(&left, text)),
        Expr::Literal(Value::String(_)) if shape == Some(Shape::Truth) => Ok(Formula::False),
        Expr::Literal(Value::String(text)) => Ok(like(&left, text)),
        Expr::Literal(value @ (Value::Bool(_) | Value::Number(_))) => {
            Ok(Formula::equal(&left, &engine_json::to_json(value)))
        }
        Expr::Literal(Value::Array(_) | Value::Object(_)) if shape == Some(Shape::Text) => Ok(Formula::False),
        Expr::Literal(Value::Array(list)) if list.is_empty() => Ok(Formula::equal(&left, "[]")),
        Expr::Literal(_) => refuse(Class::Condition, &path.join("value"), "a list or a map to be equal to"),
        other => match single(other) {
            Some((right, _)) => Ok(Formula::equal(&left, &right)),
            None => {
                refuse(Class::Condition, &path.join("value"), "equality with this value is not converted")
            }
        },
    }
}

/// The number of elements, held against another number: where it is asked whether there are any, no one counts.
fn counted(elements: &Elements, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let Expr::Count(other) = value {
        let (left, right) = (elements.size(path)?, other.size(path)?);
        let contrary = opposite(operator).map(|operator| format!("{left} {operator} {right}"));
        return Ok(Formula::Test(format!("{left} {operator} {right}"), contrary));
    }
    let number = match value {
        Expr::Literal(value @ Value::Number(_)) => engine_json::to_json(value),
        Expr::Literal(Value::String(text)) => text.to_string(),
        _ => {
            return refuse(
                Class::Condition,
                &path.join("value"),
                "a number of elements is compared with a value that is not a number",
            );
        }
    };
    let is_any = || elements.each(Quantifier::Exists, &mut |_| Ok(Formula::True));
    match (operator, number.as_str()) {
        (">" | "!=", "0") | (">=", "1") => is_any(),
        ("==" | "<=", "0") | ("<", "1") => Ok(is_any()?.negated()),
        _ if number.parse::<i64>().is_err() => refuse(
            Class::Condition,
            &path.join("value"),
            format!("a number of elements is compared with `{number}`, which is not a number"),
        ),
        _ => {
            let size = elements.size(path)?;
            let contrary = opposite(operator).map(|operator| format!("{size} {operator} {number}"));
            Ok(Formula::Test(format!("{size} {operator} {number}"), contrary))
        }
    }
}

/// The operators of the family `In`.
fn within(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    let is_list = match key {
        Expr::Elements(_) | Expr::Cel(_, Shape::List(_)) => true,
        Expr::Field(access) => matches!(access.shape, Some(Shape::List(_))),
        Expr::Defaulted(access, default) => {
            matches!(access.shape, Some(Shape::List(_))) || default.as_array().is_some()
        }
        Expr::Request(_)
        | Expr::Attribute(_)
        | Expr::Nullable(_)
        | Expr::Items(_)
        | Expr::Literal(_)
        | Expr::Bool(_)
        | Expr::Count(_)
        | Expr::Cel(..) => false,
    };
    let is_among = |item: &Expr| among(item, value, path);
    if let Expr::Literal(Value::Array(keys)) = key {
        let keys: Vec<Expr> = keys.iter().map(|one| Expr::Literal(one.clone())).collect();
        return written_keys(&keys, operator, value, path);
    }
    if let Expr::Items(keys) = key {
        let is_text = |one: &Expr| single(one).is_some_and(|(_, shape)| shape == Some(Shape::Text));
        if !keys.iter().all(is_text) {
            return refuse(
                Class::Condition,
                &path.join("key"),
                "a list of values that are not known to be texts",
            );
        }
        return written_keys(keys, operator, value, path);
    }
    if !is_list {
        let test = is_among(key)?;
        return Ok(if operator.contains("Not") { test.negated() } else { test });
    }
    let elements = key.clone().elements(&path.join("key"))?;
    let elements = if matches!(key, Expr::Field(_)) { elements.strict() } else { elements };
    let knows_empty = |value: &Expr| matches!(value, Expr::Literal(Value::Array(all)) if all.iter().any(|one| one.as_str() == Some("")));
    let is_same_if_empty = operator == "AnyIn" || (operator == "AnyNotIn" && knows_empty(value));
    if elements.is_text_if_empty && !is_same_if_empty {
        return refuse(Class::Condition, path, "an empty text in place of an empty list");
    }
    let (quantifier, is_negated) = match operator {
        "AnyIn" => (Quantifier::Exists, false),
        "In" | "AllIn" => (Quantifier::All, false),
        "AnyNotIn" | "NotIn" => (Quantifier::Exists, true),
        _ => (Quantifier::All, true),
    };
    let each = elements.each(quantifier, &mut |item| {
        let test = is_among(item)?;
        Ok(if is_negated { test.negated() } else { test })
    })?;
    // Of null no operator holds.
    Ok(if quantifier == Quantifier::All { Formula::and([elements.there, each]) } else { each })
}

/// The same for keys that are written as a list.
fn written_keys(keys: &[Expr], operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    let there = match value {
        Expr::Elements(elements) => elements.there.clone(),
        Expr::Defaulted(..) | Expr::Field(_) | Expr::Literal(_) => Formula::True,
        _ => {
            return refuse(
                Class::Condition,
                &path.join("value"),
                "a list of keys with this value is not converted",
            );
        }
    };
    let tests = keys.iter().map(|key| among(key, value, path)).collect::<Converted<Vec<_>>>()?;
    Ok(match operator {
        "AnyIn" => Formula::or(tests),
        "In" | "AllIn" => Formula::and([there, Formula::and(tests)]),
        "AnyNotIn" | "NotIn" => Formula::and([there, Formula::or(tests.into_iter().map(Formula::negated))]),
        _ => Formula::and([there, Formula::and(tests.into_iter().map(Formula::negated))]),
    })
}

/// A single value is among others.
fn among(item: &Expr, value: &Expr, path: &Path) -> Converted<Formula> {
    if let (Expr::Bool(truth), Expr::Literal(Value::Array(all))) = (item, value) {
        let is_wanted = |wanted: bool| all.iter().any(|one| one.as_bool() == Some(wanted));
        return Ok(match (is_wanted(true), is_wanted(false)) {
            (true, true) => Formula::True,
            (true, false) => truth.clone(),
            (false, true) => truth.clone().negated(),
            (false, false) => Formula::False,
        });
    }
    if let (Expr::Literal(Value::Bool(_)), Expr::Elements(elements)) = (item, value) {
        return elements.each(Quantifier::Exists, &mut |one| equals(one, item, path));
    }
    if let Expr::Literal(Value::String(text)) = item
        && let Expr::Elements(_) | Expr::Field(_) | Expr::Defaulted(..) = value
    {
        if let Some((right, Some(Shape::Text))) = single(value) {
            return Ok(Formula::equal(&right, &quoted(text)));
        }
        let elements = value.clone().elements(&path.join("value"))?;
        let elements = if matches!(value, Expr::Field(_)) { elements.strict() } else { elements };
        return elements
            .each(Quantifier::Exists, &mut |one| equals(one, &Expr::literal(&Value::from(&**text)), path));
    }
    let Some((text, shape)) = single(item) else {
        return refuse(
            Class::Condition,
            &path.join("key"),
            "whether this key is among others is not converted",
        );
    };
    if let Expr::Literal(Value::String(one)) = value
        && shape == Some(Shape::Number)
        && let Some((from, to)) = range(one)
    {
        return Ok(Formula::and([(">=", from), ("<=", to)].map(|(operator, end)| {
            let contrary = opposite(operator).map(|operator| format!("{text} {operator} {end}"));
            Formula::Test(format!("{text} {operator} {end}"), contrary)
        })));
    }
    let is_text = !matches!(shape, Some(Shape::Number | Shape::Truth | Shape::Either));
    let text = if is_text { text } else { format!("string({text})") };
    let Expr::Literal(written) = value else {
        let elements = value.clone().elements(&path.join("value"))?;
        return elements.each(Quantifier::Exists, &mut |one| {
            single(one).map_or_else(
                || {
                    refuse(
                        Class::Condition,
                        &path.join("value"),
                        "whether a key is among these values is not converted",
                    )
                },
                |(one, _)| Ok(Formula::equal(&text, &one)),
            )
        });
    };
    Ok(among_words(&text, &words(written, path)?))
}

/// The words of a written value.
fn words(written: &Value, path: &Path) -> Converted<Vec<String>> {
    let refused = |text: String| refuse(Class::Condition, &path.join("value"), text);
    match written {
        Value::Array(list) => {
            let word = |one: &Value| one.as_str().map_or_else(|| engine_json::to_json(one), str::to_owned);
            Ok(list.iter().map(word).collect())
        }
        Value::String(one) => match engine_json::parse(one).ok().as_ref().and_then(Value::as_array) {
            Some(list) => Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            None if one.contains('-') && one.split('-').all(is_amount) => {
                refused(format!("the range `{one}`"))
            }
            None => Ok(vec![one.to_string()]),
        },
        _ => refused("whether a key is among such a value is not converted".into()),
    }
}

/// A text is one of these, or like one of them.
fn among_words(text: &str, words: &[String]) -> Formula {
    if words.iter().any(|word| word.contains(['*', '?'])) {
        return Formula::or(words.iter().map(|word| like(text, word)));
    }
    let all: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match all.as_slice() {
        [one] => Formula::equal(text, one),
        all => {
            let list = all.join(", ");
            Formula::Test(format!("{text} in [{list}]"), Some(format!("!({text} in [{list}])")))
        }
    }
}

/// The ends of a range of whole numbers.
fn range(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once('-')?;
    let is_number = |text: &str| text.trim().parse::<i64>().is_ok();
    (is_number(from) && is_number(to)).then(|| (from.trim().to_owned(), to.trim().to_owned()))
}

fn ordered(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let Expr::Count(elements) = key {
        return counted(elements, operator, value, path);
    }
    let Some((left, shape)) = single(key) else {
        return refuse(Class::Condition, &path.join("key"), "the order of this key is not converted");
    };
    let compare = |left: &str, right: &str| {
        let contrary = opposite(operator).map(|operator| format!("{left} {operator} {right}"));
        Ok(Formula::Test(format!("{left} {operator} {right}"), contrary))
    };
    let written = match value {
        Expr::Literal(value @ Value::Number(_)) => engine_json::to_json(value),
        Expr::Literal(Value::String(text)) => text.to_string(),
        other => {
            return match (single(other), &shape) {
                (Some((right, Some(Shape::Number))), Some(Shape::Number)) => compare(&left, &right),
                _ => {
                    refuse(Class::Condition, &path.join("value"), "the order of this value is not converted")
                }
            };
        }
    };
    match shape {
        Some(Shape::Number | Shape::Any) | None if written.parse::<i64>().is_ok() => compare(&left, &written),
        Some(Shape::Either) if Quantity::parse(&written).is_ok() => {
            compare(&format!("quantity(string({left})).compareTo(quantity({}))", quoted(&written)), "0")
        }
        _ => refuse(Class::Condition, path, format!("`{written}` ordered with a value of unknown form")),
    }
}
