//! Conditions of `preconditions` and `deny`.
//!
//! In: `{any: […], all: […]}` of key, operator, value. Out: a [`Formula`].

pub(crate) mod block;
mod defaults;
mod maps;
pub(crate) mod membership;
mod order;

use crate::conditions::block::{Block, One};
use crate::conditions::defaults::mismatched;
use crate::conditions::maps::merged;
use crate::conditions::membership::{is_many, within};
use crate::conditions::order::{counted, is_number, ordered};
use crate::expressions::access::Access;
use crate::expressions::amounts;
use crate::expressions::expr::{Attribute, Expr, is_falsy};
use crate::expressions::formula::{Formula, Quantifier, quoted};
use crate::expressions::functions::{double, of_any_user};
use crate::expressions::of_cluster;
use crate::expressions::scope::Scope;
use crate::expressions::template::whole;
use crate::expressions::wildcard::like;
use crate::plain;
use crate::refusal::{Class, Converted, refuse};
use engine::value::{Duration, Quantity};
use engine_compare::schema::Shape;
use engine_compare::{PlainValue, Taken};
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
    pub(crate) fn block(&self, written: &Value, path: &Path) -> Converted<Block> {
        if let Some(list) = written.as_array() {
            return Ok(Block { any: Vec::new(), all: self.list(list, path)? });
        }
        let part = |field: &'static str| {
            let list = written.get(field).and_then(Value::as_array)?;
            Some(self.list(list, &path.join(field)))
        };
        let any = part("any").transpose()?.unwrap_or_default();
        if any.is_empty() && written.get("any").is_some_and(|any| any.as_array().is_some()) {
            return refuse(Class::Condition, &path.join("any"), "an empty `any`, which never holds");
        }
        Ok(Block { any, all: part("all").transpose()?.unwrap_or_default() })
    }

    /// What must be there so that no condition of a block errs, and when the block holds.
    pub(crate) fn needing(&self, written: &Value, path: &Path) -> Converted<(Formula, Formula)> {
        let block = self.block(written, path)?;
        Ok((block.needs(), block.holds()))
    }

    fn list(&self, list: &[Value], path: &Path) -> Converted<Vec<One>> {
        let one = |(at, written): (usize, &Value)| {
            self.scope.clear_needs();
            let path = path.join(at);
            let test = self.one(written, &path)?;
            self.scope.schema.traces.note(&path, &test);
            let (needs, is_unseen) = self.scope.clear_needs();
            Ok(One { needs: Formula::and(needs), is_unseen, test })
        };
        list.iter().enumerate().map(one).collect()
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

    /// A field of unknown form in which several keys are looked for: the string that it is taken for elsewhere, or a list.
    fn listed(&self, key: &Expr, operator: &str, value: Expr) -> Expr {
        match value {
            Expr::Field(mut access)
                if access.shape.is_none()
                    && !access.is_outside
                    && operator.contains("In")
                    && matches!(key, Expr::Literal(Value::Array(_))) =>
            {
                let shape = match self.scope.schema.taken_for(&access) {
                    Some(Shape::Text) => Shape::Text,
                    _ => Shape::List(Box::new(Shape::Any)),
                };
                self.scope.schema.assume(&access, shape.clone());
                access.shape = Some(shape);
                Expr::Field(access)
            }
            value => value,
        }
    }

    /// What is compared with a string of the cluster is compared with it as it stands.
    fn note_outside(&self, key: &Expr, operator: &str, value: &Expr) {
        let is_outside = |access: &Access| access.is_outside && access.shape != Some(Shape::Number);
        let is_of_cluster = match value {
            Expr::Field(access)
            | Expr::Defaulted(access, _)
            | Expr::Nullable(access)
            | Expr::OrNull(access) => is_outside(access) && access.parsed_of().is_none(),
            Expr::Elements(elements) => elements.is_outside(),
            _ => false,
        };
        if let (Expr::Field(access), true) = (key, is_of_cluster && operator.contains("In")) {
            self.scope.schema.assume(access, Shape::Text);
        }
        if is_of_cluster && (operator.contains("In") || operator.contains("Equal")) {
            self.scope.note(
                "strings of the cluster are taken for patterns, or for lists of strings in JSON: the source takes ranges such as `1-9` in them for ranges and amounts for amounts, and of other JSON, such as numbers, no operator holds",
            );
        }
    }

    /// Strings of the object that the source takes for wildcards are taken to have none.
    fn note_wildcards(&self, key: &Expr, operator: &str, value: &Expr, path: &Path) {
        let is_list = |value: &Value| {
            let read = value.as_str().and_then(|text| engine_json::parse(text).ok());
            value.as_array().is_some() || read.is_some_and(|read| read.as_array().is_some())
        };
        // A text on the right is a pattern for one key, and a list of one for several.
        let of_key = match value {
            Expr::Literal(written) => operator.contains("In") && (is_list(written) || is_many(key)),
            _ => operator.contains("In"),
        } && !(matches!(operator, "In" | "NotIn") && is_many(key));
        if operator.contains("Equal")
            && of_cluster::pattern(value).is_some()
            && let keys @ [_, ..] = plain::keys_of(key).as_slice()
        {
            let taken = PlainValue { keys: keys.to_vec(), taken: Taken::NoAmount };
            self.scope.schema.assume_plain(None, taken);
        }
        // Several keys are held against the words of a list alone, and no image is written as one.
        let is_image =
            plain::strings(key).iter().any(|one| one.keys.last().is_some_and(|last| last == "image"));
        if operator.contains("In") && is_many(key) && is_image && of_cluster::pattern_of_each(value) {
            self.scope.schema.assume_readable_images();
        }
        if let Some(listed) = plain::listed(value).filter(|_| operator.contains("In")) {
            self.scope.schema.assume_plain(None, listed);
        }
        // A value that is the text of the list is among its words as well.
        if let Expr::Literal(Value::String(text)) = value
            && operator.contains("In")
            && is_list(&Value::from(text.as_str()))
        {
            for found in plain::strings(key) {
                let taken = Taken::OtherThan(text.to_string());
                self.scope.schema.assume_plain(Some(path), PlainValue { taken, ..found });
            }
        }
        if matches!(operator, "Equals" | "Equal" | "NotEquals" | "NotEqual")
            && let (Some(one), Some(other)) = (plain::written_once(key), plain::written_once(value))
        {
            self.scope.schema.assume_plain(Some(path), one);
            self.scope.schema.assume_plain(Some(path), other);
        }
        if let (Expr::Literal(Value::Array(_)), Expr::Field(access)) = (key, value)
            && access.shape == Some(Shape::Text)
            && !access.is_outside
            && operator.contains("In")
        {
            self.scope.schema.assume_plain(Some(path), plain::no_list(access));
        }
        let of_value = operator.contains("In") || operator.contains("Equal") && !operator.contains("Than");
        let has_star = matches!(value, Expr::Literal(_)) || plain::is_plain(key);
        for (side, _) in [(key, of_key), (value, of_value)].into_iter().filter(|(_, is_read)| *is_read) {
            let place = (!plain::is_outside(side)).then_some(path);
            // Wildcards of the cluster are those of the new policy too, and so are those of a key that is held against its lists.
            let is_key = std::ptr::eq(side, key);
            let is_said = !is_key || matches!(value, Expr::Elements(_)) || !is_many(key);
            if is_said && of_cluster::pattern_of_each(value) {
                continue;
            }
            for found in plain::strings(side) {
                let taken = if has_star { found.taken } else { Taken::NoWildcards };
                self.scope.schema.assume_plain(place, PlainValue { taken, ..found });
            }
        }
    }

    fn one(&self, written: &Value, path: &Path) -> Converted<Formula> {
        if written.find_str(&["operator"]).is_empty() {
            let nested = ["all", "any"].into_iter().find(|field| written.get(field).is_some());
            return match nested {
                Some(field) => refuse(
                    Class::Condition,
                    &path.join(field),
                    format!(
                        "`{field}` within a list of conditions, each of which has a key, an operator and a value of its own"
                    ),
                ),
                None => refuse(Class::Condition, path, "a condition without an operator"),
            };
        }
        let side = |field: &'static str| {
            whole(written.get(field).unwrap_or(&Value::Null), self.scope, &path.join(field))
        };
        let sides = [side("key")?, side("value")?];
        // Of null no operator holds, but a key that is there is not equal to it.
        let there = sides.each_ref().map(|side| match side {
            Expr::Field(access) | Expr::OrNull(access) => access.null_unless.clone(),
            _ => None,
        });
        let operator = written.find_str(&["operator"]);
        let test = self.sides(sides, operator, path)?;
        let [key, value] = there.map(|there| there.unwrap_or(Formula::True));
        let of_value = if matches!(operator, "NotEquals" | "NotEqual") {
            Formula::or([value.negated(), test])
        } else {
            Formula::and([value, test])
        };
        Ok(Formula::and([key, of_value]))
    }

    fn sides(&self, [key, value]: [Expr; 2], operator: &str, path: &Path) -> Converted<Formula> {
        self.assume(&key, &value);
        let value = self.listed(&key, operator, value);
        self.assume(&value, &key);
        let value = of_cluster::with_variable(value, self.scope);
        self.note_outside(&key, operator, &value);
        self.note_wildcards(&key, operator, &value, path);
        for side in [&key, &value] {
            match side {
                Expr::Field(access) => self.scope.need(access),
                Expr::Elements(elements) if elements.errs_if_absent => {
                    self.scope.need_always(elements.there.clone());
                }
                Expr::Where(test, inner, None) => {
                    if let Expr::Field(access) = &**inner {
                        self.scope.need_where(test, access);
                    }
                }
                _ => {}
            }
        }
        let is_operation = |one: &Expr| matches!(one, Expr::Attribute(Attribute::Operation));
        let is_deletion =
            is_operation(&key) && value.is_text("DELETE") || is_operation(&value) && key.is_text("DELETE");
        if is_deletion && !operator.contains("Not") {
            self.scope.note_deletions();
        }

        // Of null no operator holds.
        let holds = |access: &Access| match &access.shape {
            Some(Shape::Text) => Ok(Formula::equal(&access.or("''"), "''").negated()),
            Some(Shape::List(_)) | None if operator.contains("In") => {
                self.scope.schema.assume(access, Shape::List(Box::new(Shape::Any)));
                Ok(Formula::equal(&format!("size({})", access.or("[]")), "0").negated())
            }
            _ => refuse(Class::Condition, path, "null where something of unknown type is empty"),
        };
        if let Expr::OrNull(access) = &key {
            let known = compare(&Expr::Field(access.known()), operator, &value, path)?;
            return Ok(Formula::and([holds(access)?, known]));
        }
        if let Expr::OrNull(access) = &value {
            let known = compare(&key, operator, &Expr::Field(access.known()), path)?;
            return Ok(Formula::and([holds(access)?, known]));
        }
        if let Expr::Nullable(access) = key {
            // Of null no operator holds.
            let known = compare(&Expr::Field(access.known()), operator, &value, path)?;
            return Ok(Formula::and([access.is_known(), known]));
        }
        if let Expr::Nullable(access) = value {
            let known = compare(&key, operator, &Expr::Field(access.known()), path)?;
            return Ok(match operator {
                // What is there is not equal to null.
                "NotEquals" | "NotEqual" => Formula::or([access.is_known().negated(), known]),
                _ => Formula::and([access.is_known(), known]),
            });
        }
        compare(&key, operator, &value, path)
    }
}

/// Two sides under an operator.
fn compare(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let Some(two) = mismatched(key, operator) {
        let known = compare(&two.known, operator, value, path)?;
        let default = compare(&two.default, operator, value, path)?;
        return Ok(Formula::choice(two.is_kept, known, default));
    }
    if let Some(two) = mismatched(value, operator) {
        let known = compare(key, operator, &two.known, path)?;
        let default = compare(key, operator, &two.default, path)?;
        return Ok(Formula::choice(two.is_kept, known, default));
    }
    if let (Expr::Literal(key), Expr::Literal(value)) = (key, value)
        && let Some(holds) = engine_lenses::written::holds(key, operator, value)
    {
        return Ok(if holds { Formula::True } else { Formula::False });
    }
    match operator {
        "Equals" | "Equal" | "NotEquals" | "NotEqual" if let Some((there, is_any)) = is_any(key, value) => {
            let is_any = is_any?;
            let test = if operator.starts_with("Not") { is_any } else { is_any.negated() };
            Ok(Formula::and([there, test]))
        }
        "Equals" | "Equal" => equals(key, value, path),
        // Of null no operator holds, and elsewhere it may be that, or something empty.
        "NotEquals" | "NotEqual" if matches!(key, Expr::Where(_, _, None)) => refuse(
            Class::Condition,
            &path.join("key"),
            "`&&`, which may give null, held against something else",
        ),
        "NotEquals" | "NotEqual" => Ok(equals(key, value, path)?.negated()),
        "In" | "AnyIn" | "AllIn" | "NotIn" | "AnyNotIn" | "AllNotIn" => within(key, operator, value, path),
        "GreaterThan" => ordered(key, ">", value, path),
        "GreaterThanOrEquals" => ordered(key, ">=", value, path),
        "LessThan" => ordered(key, "<", value, path),
        "LessThanOrEquals" => ordered(key, "<=", value, path),
        other => refuse(Class::Condition, &path.join("operator"), format!("operator `{other}`")),
    }
}

/// Where elements are held against an empty list: that the list is there, as of null no operator holds, and whether there are any.
fn is_any(key: &Expr, value: &Expr) -> Option<(Formula, Converted<Formula>)> {
    let Expr::Elements(elements) = key else { return None };
    let is_empty = matches!(value, Expr::Literal(Value::Array(list)) if list.is_empty());
    let any = || elements.each(Quantifier::Exists, &mut |_| Ok(Formula::True));
    is_empty.then(|| (elements.there.clone(), any()))
}

/// A single value as text of CEL, with its form.
pub(crate) fn single(expr: &Expr) -> Option<(String, Option<Shape>)> {
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
pub(crate) fn is_amount(text: &str) -> bool {
    Quantity::parse(text).is_ok() || Duration::parse(text).is_ok()
}

pub(crate) fn equals(key: &Expr, value: &Expr, path: &Path) -> Converted<Formula> {
    if let (Expr::Bool(formula), Expr::Literal(Value::Bool(wanted))) = (key, value) {
        return Ok(if *wanted { formula.clone() } else { formula.clone().negated() });
    }
    if let Expr::Count(elements) = key {
        return counted(elements, "==", value, path);
    }
    if let Expr::Where(test, inner, elsewhere) = key {
        return equals_where((test, inner), elsewhere.as_ref(), value, path);
    }
    if let (Expr::Double(left), Expr::Literal(number @ Value::Number(_))) = (key, value) {
        return Ok(Formula::equal(left, &double(&engine_json::to_json(number))));
    }
    if let Expr::Merged(one, set) = key {
        return merged(one, set, value, path);
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
        // Kyverno: validateValueWithIntPattern reads no wildcards.
        Expr::Literal(Value::String(text)) if shape == Some(Shape::Number) => Ok(match text.parse::<i64>() {
            Ok(number) => Formula::equal(&left, &number.to_string()),
            Err(_) => Formula::False,
        }),
        // Of these no string is one.
        Expr::Literal(Value::String(_))
            if matches!(shape, Some(Shape::Truth | Shape::List(_) | Shape::Map(_) | Shape::Object(_))) =>
        {
            Ok(Formula::False)
        }
        Expr::Literal(Value::String(text)) if text.contains(['*', '?']) => {
            Ok(like_no_amount(key, &left, text))
        }
        Expr::Literal(Value::String(text)) => Ok(like(&left, text)),
        Expr::Literal(value @ (Value::Bool(_) | Value::Number(_))) => {
            Ok(Formula::equal(&left, &engine_json::to_json(value)))
        }
        Expr::Literal(Value::Array(_) | Value::Object(_)) if shape == Some(Shape::Text) => Ok(Formula::False),
        Expr::Literal(Value::Array(list)) if list.is_empty() => Ok(Formula::equal(&left, "[]")),
        Expr::Literal(_) => refuse(Class::Condition, &path.join("value"), "a list or a map to be equal to"),
        other => equals_other(&left, shape.as_ref(), other, path),
    }
}

/// A value of this form equals one that is not written in the policy.
fn equals_other(left: &str, shape: Option<&Shape>, other: &Expr, path: &Path) -> Converted<Formula> {
    let refused = |text: &str| refuse(Class::Condition, &path.join("value"), text);
    if let Some(regex) = of_cluster::pattern(other) {
        return match shape {
            Some(Shape::Text) => Ok(of_cluster::like(left, &regex)),
            Some(Shape::Number | Shape::Either) => {
                refused("a string of the cluster for a number, which may be written otherwise")
            }
            _ => Ok(of_cluster::like(&format!("string({left})"), &regex)),
        };
    }
    match single(other) {
        Some((right, Some(Shape::Either))) if shape == Some(&Shape::Number) => Ok(is_number(left, &right)),
        Some((_, of_other)) if (shape == Some(&Shape::Number)) != (of_other == Some(Shape::Number)) => {
            refused("a number held against what need not be one")
        }
        Some((right, _)) => Ok(Formula::equal(left, &right)),
        None => refused("equality with this value is not converted"),
    }
}

/// The text is like one with wildcards, and no amount: that is compared as one, and equals none with wildcards.
fn like_no_amount(key: &Expr, text: &str, pattern: &str) -> Formula {
    let shape = single(key).and_then(|(_, shape)| shape);
    let is_text = matches!(shape, Some(Shape::Text | Shape::Either));
    // Of a custom kind, what is held against digits may be a number.
    let may_be_number = match shape {
        None | Some(Shape::Any) => pattern.contains(|c: char| c.is_ascii_digit()),
        shape => shape == Some(Shape::Either),
    };
    let text = if may_be_number { format!("string({text})") } else { of_any_user(text) };
    let is_all = is_text && pattern.trim_matches('*').is_empty();
    let like = if is_all { Formula::True } else { like(&text, pattern) };
    if !amounts::may_be_like(pattern) || plain::is_word(key) {
        return like;
    }
    Formula::and([like, amounts::is_none(&text)])
}

/// A value that is taken where a formula holds, and what is there elsewhere, held against what is written.
fn equals_where(
    (test, inner): (&Formula, &Expr),
    elsewhere: Option<&Value>,
    value: &Expr,
    path: &Path,
) -> Converted<Formula> {
    let Expr::Literal(wanted) = value else {
        return refuse(Class::Condition, &path.join("value"), "equality with this value is not converted");
    };
    let equal = equals(inner, value, path)?;
    let is_plain = |text: &str| !is_amount(text) && !text.contains(['*', '?']);
    let is_same = match elsewhere {
        None if is_falsy(wanted) => None,
        None => Some(false),
        Some(one) => match (one, wanted) {
            (Value::String(one), Value::String(wanted)) if is_plain(one) && is_plain(wanted) => {
                Some(one == wanted)
            }
            (Value::Bool(one), Value::Bool(wanted)) => Some(one == wanted),
            (Value::Bool(_), Value::String(_)) | (Value::String(_), Value::Bool(_)) => Some(false),
            _ => None,
        },
    };
    match is_same {
        Some(true) => Ok(Formula::or([test.clone().negated(), equal])),
        Some(false) => Ok(Formula::and([test.clone(), equal])),
        None => refuse(Class::Condition, &path.join("key"), "equality with this key is not converted"),
    }
}
