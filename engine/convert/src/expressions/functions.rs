//! Functions of JMESPath as those of CEL.
//!
//! In: a call. Out: its value.

use crate::expressions::access::Access;
use crate::expressions::expr::{Elements, Expr};
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::expressions::jmes::Reading;
use crate::expressions::wildcard::like;
use crate::plain;
use crate::refusal::Converted;
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_json::Value;

/// The value of a call.
pub(crate) fn call(
    reading: &Reading<'_, '_>,
    name: &str,
    arguments: &[Node],
    within: Option<&Expr>,
) -> Converted<Expr> {
    if let ("label_match", [wanted, labels]) = (name, arguments) {
        return label_match(reading, &reading.node(wanted, within)?, &reading.node(labels, within)?);
    }
    let given: Vec<Expr> = arguments.iter().map(|one| reading.node(one, within)).collect::<Converted<_>>()?;
    if let ("keys" | "values", [Expr::Field(access) | Expr::Defaulted(access, _)]) = (name, given.as_slice())
    {
        reading.scope.schema.assume(access, Shape::Map(Box::new(Shape::Any)));
    }
    match (name, given.as_slice()) {
        ("length", [expr @ (Expr::Elements(_) | Expr::Field(_) | Expr::Defaulted(..))]) => {
            Ok(length(reading, expr))
        }
        ("length", [Expr::Nullable(access)]) if access.may_be_null() => {
            Ok(length(reading, &Expr::Elements(Expr::Field(access.clone()).elements(reading.path)?)))
        }
        ("contains", [list, wanted]) => contains(reading, list, wanted),
        ("starts_with", [text, begin]) => test(reading, text, "startsWith", begin),
        ("ends_with", [text, end]) => test(reading, text, "endsWith", end),
        ("pattern_match", [Expr::Literal(Value::String(pattern)), text])
            if !pattern.trim_matches('*').is_empty() =>
        {
            Ok(Expr::Bool(like(&text.as_text(reading.path)?, pattern)))
        }
        ("split", [text, Expr::Literal(Value::String(by))]) => {
            let text = text.as_text(reading.path)?;
            let parts = format!("{}.split({})", operand(&text), quoted(by));
            Ok(Expr::Cel(parts, Shape::List(Box::new(Shape::Text))))
        }
        ("regex_match", [pattern, text]) => test(reading, text, "matches", pattern),
        ("to_string", [expr]) => match expr {
            Expr::Field(access) if access.shape == Some(Shape::Text) => Ok(expr.clone()),
            Expr::Defaulted(_, Value::String(_)) => Ok(expr.clone()),
            _ => Ok(Expr::text(expr.as_text(reading.path)?)),
        },
        ("to_upper" | "to_lower", [expr]) => {
            let function = if name == "to_upper" { "upperAscii" } else { "lowerAscii" };
            Ok(Expr::text(format!("{}.{function}()", operand(&expr.as_text(reading.path)?))))
        }
        ("to_array", [Expr::Elements(elements)]) => Ok(Expr::Elements(elements.clone().defaulted(false))),
        ("keys", [Expr::Field(access)]) if !reading.is_in_filter() => {
            // The field may give way to a default where the function stands behind it, and not within.
            if !matches!(arguments, [Node::Identity | Node::CurrentNode]) {
                reading.scope.need_always(access.is_there());
            }
            Ok(Expr::Elements(Elements::keys_of(access)))
        }
        ("keys", [Expr::Field(access) | Expr::Defaulted(access, _)]) => Ok(Expr::Elements(Elements::new(
            access.or("{}"),
            "key".into(),
            Box::new(Expr::text("key".into())),
        ))),
        ("values", [Expr::Field(access) | Expr::Defaulted(access, _)]) => {
            let shape = match &access.shape {
                Some(Shape::Map(inner)) => Some((**inner).clone()),
                _ => None,
            };
            let item = Access::of(&format!("{}[key]", access.plain()), shape);
            Ok(Expr::Elements(Elements::new(access.or("{}"), "key".into(), Box::new(Expr::Field(item)))))
        }
        _ => made(reading, name, &given),
    }
}

/// How many elements or letters there are; the length of null errs, in a filter for the whole list.
fn length(reading: &Reading<'_, '_>, expr: &Expr) -> Expr {
    match expr {
        Expr::Elements(elements) if reading.is_in_filter() => {
            reading.need_in_filter(elements.there.clone());
            Expr::Count(elements.clone())
        }
        Expr::Elements(elements) => {
            reading.scope.need_there(elements.there.clone());
            Expr::Count(elements.strict())
        }
        Expr::Field(access) | Expr::Defaulted(access, _) => {
            let absent = match &access.shape {
                Some(Shape::Text) => "''",
                Some(Shape::Map(_) | Shape::Object(_)) => "{}",
                _ => "[]",
            };
            if matches!(expr, Expr::Field(_)) {
                reading.need_in_filter(access.is_there());
            }
            Expr::Cel(format!("size({})", access.or(absent)), Shape::Number)
        }
        other => other.clone(),
    }
}

/// Functions that make a value of another kind.
fn made(reading: &Reading<'_, '_>, name: &str, given: &[Expr]) -> Converted<Expr> {
    let text = |expr: &Expr| expr.as_text(reading.path);
    match (name, given) {
        ("to_number", [Expr::Literal(Value::String(written))]) if written.parse::<f64>().is_ok() => {
            Ok(Expr::Double(double(written)))
        }
        ("to_number", [expr @ (Expr::Cel(_, Shape::Text) | Expr::Attribute(_))]) => {
            Ok(Expr::Double(format!("double({})", text(expr)?)))
        }
        ("max" | "min", [Expr::Items(items)]) if !items.is_empty() => {
            let numbers = items.iter().map(|item| match item {
                Expr::Double(text) => Ok(text.clone()),
                Expr::Literal(number @ Value::Number(_)) => Ok(double(&engine_json::to_json(number))),
                _ => reading.refuse(&format!("`{name}()` of what are not all numbers")),
            });
            let numbers = numbers.collect::<Converted<Vec<_>>>()?.join(", ");
            Ok(Expr::Double(format!("[{numbers}].{name}()")))
        }
        ("regex_replace_all", [pattern, from, to]) => {
            let to = match to {
                Expr::Literal(Value::String(written)) => match replacement(written) {
                    Some(written) => quoted(&written),
                    None => return reading.refuse("the replacement"),
                },
                other => text(other)?,
            };
            Ok(Expr::text(format!("regex.replace({}, {}, {to})", text(from)?, text(pattern)?)))
        }
        ("divide", [one, other]) if is_quantity(one) && is_quantity(other) => {
            let amount = |expr: &Expr| Ok(format!("quantity({}).asApproximateFloat()", text(expr)?));
            Ok(Expr::Double(format!("{} / {}", amount(one)?, amount(other)?)))
        }
        ("base64_decode", [expr]) => {
            if let Some(padded) = plain::padded(expr) {
                reading.scope.note(&format!(
                    "the source errs for base64 without padding, the new policy reads it; taken for granted: {}. In a Secret an API server takes no other",
                    padded.describe()
                ));
                reading.scope.schema.assume_plain(None, padded);
            }
            Ok(Expr::text(format!("string(base64.decode({}))", text(expr)?)))
        }
        ("parse_json", [expr]) => Ok(parsed(reading, &format!("json.unmarshal({})", text(expr)?), expr)),
        ("parse_yaml", [expr]) => Ok(parsed(reading, &format!("yaml.parse({})", text(expr)?), expr)),
        ("merge", [Expr::Field(access) | Expr::Defaulted(access, _), Expr::Literal(Value::Object(map))]) => {
            let access = match given.first() {
                Some(Expr::Defaulted(access, _)) => Access::of(&access.or("{}"), access.shape.clone()),
                _ => access.clone(),
            };
            Ok(Expr::Merged(access, (**map).clone()))
        }
        _ => reading.refuse(&format!("`{name}()`")),
    }
}

/// A replacement with its groups as CEL writes them: `\\1` for `$1` and `${1}`; `None` for groups by name.
// Go: Regexp.Expand takes the longest name of letters, digits and underscores.
fn replacement(written: &str) -> Option<String> {
    let mut made = String::new();
    let mut rest = written;
    while let Some((before, after)) = rest.split_once('$') {
        made.push_str(&before.replace('\\', "\\\\"));
        if let Some(after) = after.strip_prefix('$') {
            made.push('$');
            rest = after;
            continue;
        }
        let (name, after) = if let Some(braced) = after.strip_prefix('{') {
            braced.split_once('}')?
        } else {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            after.split_at(after.find(|c| !is_part(c)).unwrap_or(after.len()))
        };
        let is_digit = name.len() == 1 && name.chars().all(|c| c.is_ascii_digit());
        if !is_digit {
            return None;
        }
        made.push('\\');
        made.push_str(name);
        rest = after;
    }
    made.push_str(&rest.replace('\\', "\\\\"));
    Some(made)
}

/// What a text holds that is read; of what is in it nothing is known.
fn parsed(reading: &Reading<'_, '_>, call: &str, text: &Expr) -> Expr {
    Expr::Field(Access::parsed(&reading.scope.answer("parsed", call), plain::keys_of(text)))
}

/// The name or the namespace of the service account who asks.
pub(crate) fn account(part: &str) -> String {
    format!("parseServiceAccount(request.userInfo.username).{part}")
}

/// The same of any user: Kyverno cuts off the first 22 letters of each name, so that `arn:aws:iam::123456789012:user/jane` is the account `user/jane` to it.
// Kyverno: pkg/engine/context/context.go AddServiceAccount.
pub(crate) fn of_any_user(text: &str) -> String {
    let extracted = |regex: &str| format!("regex.extract(request.userInfo.username, '{regex}').orValue('')");
    match text {
        _ if text == account("Name") => extracted("^.{22}[^:]*:([^:]*)"),
        _ if text == account("Namespace") => extracted("^.{22}([^:]*):"),
        _ => text.to_owned(),
    }
}

/// A number with a point.
pub(crate) fn double(written: &str) -> String {
    if written.contains(['.', 'e', 'E']) { written.to_owned() } else { format!("{written}.0") }
}

/// Whether a value is known to be a quantity.
fn is_quantity(expr: &Expr) -> bool {
    match expr {
        Expr::Field(access) | Expr::Defaulted(access, _) => access.shape == Some(Shape::Either),
        Expr::Cel(_, shape) => *shape == Shape::Either,
        _ => false,
    }
}

/// All labels of one map are in the other.
fn label_match(reading: &Reading<'_, '_>, wanted: &Expr, labels: &Expr) -> Converted<Expr> {
    let (Expr::Field(wanted), Expr::Field(labels)) = (wanted, labels) else {
        return reading.refuse("`label_match()` of what is not a field");
    };
    // What is not a map is an error, for the whole list where it is one of its elements.
    let is_map = match &wanted.shape {
        Some(Shape::Map(_) | Shape::Object(_)) => Formula::True,
        _ => Formula::test(format!("type({}) == map", wanted.plain())),
    };
    let is_map = Formula::and([wanted.is_there(), is_map]);
    reading.need_in_filter(is_map.clone());
    reading.scope.need(labels);
    let (map, labels) = (wanted.plain().to_owned(), labels.plain());
    let body = Formula::and([
        Formula::test(format!("label in {labels}")),
        Formula::equal(&format!("{labels}[label]"), &format!("{map}[label]")),
    ]);
    let each = Formula::each(map, Quantifier::All, "label".into(), body);
    Ok(Expr::Bool(if reading.is_in_filter() { Formula::and([is_map, each]) } else { each }))
}

fn contains(reading: &Reading<'_, '_>, list: &Expr, wanted: &Expr) -> Converted<Expr> {
    let is_text = match list {
        Expr::Field(access) => access.shape == Some(Shape::Text),
        Expr::Defaulted(_, Value::String(_)) | Expr::Attribute(_) | Expr::Cel(_, Shape::Text) => true,
        _ => false,
    };
    if is_text {
        return test(reading, list, "contains", wanted);
    }
    if let (Expr::Literal(value), Expr::Attribute(_) | Expr::Cel(_, Shape::Text)) = (list, wanted) {
        let text = wanted.as_text(reading.path)?;
        let all: Option<Vec<String>> =
            value.as_array().and_then(|list| list.iter().map(|one| one.as_str().map(quoted)).collect());
        if let Some(all) = all {
            return Ok(Expr::Bool(Formula::test(format!("{text} in [{}]", all.join(", ")))));
        }
    }
    let is_list = match list {
        Expr::Field(access) | Expr::Defaulted(access, _) => matches!(access.shape, Some(Shape::List(_))),
        Expr::Elements(_) | Expr::Cel(_, Shape::List(_)) => true,
        Expr::Nullable(access) => access.may_be_null(),
        _ => false,
    };
    if let Expr::Field(access) = list
        && matches!(access.shape, None | Some(Shape::Any))
        && !reading.is_in_filter()
    {
        reading.scope.need(access);
        reading.scope.schema.assume_parts(access);
        // Of a text it is a part, of a list an element; all else errs, here as there.
        let (all, one) = (access.plain(), wanted.as_text(reading.path)?);
        let test = format!("(type({all}) == list ? {one} in {all} : {all}.contains({one}))");
        return Ok(Expr::Bool(Formula::test(test)));
    }
    if !is_list {
        return reading.refuse("`contains()` of what may be a text or a list");
    }
    let wanted = wanted.as_text(reading.path)?;
    // What is not a list cannot contain anything: that errs, in a filter for the whole list.
    let elements = list.clone().elements(reading.path)?;
    let elements = if reading.is_in_filter() {
        reading.need_in_filter(elements.there.clone());
        elements
    } else {
        reading.scope.need_there(elements.there.clone());
        elements.strict()
    };
    if let (Formula::True, Expr::Field(item)) = (&elements.filter, &*elements.item)
        && item.plain() == elements.name
    {
        return Ok(Expr::Bool(Formula::test(format!("{wanted} in {}", operand(&elements.list)))));
    }
    let found = elements
        .each(Quantifier::Exists, &mut |item| Ok(Formula::equal(&item.as_text(reading.path)?, &wanted)))?;
    Ok(Expr::Bool(found))
}

fn test(reading: &Reading<'_, '_>, text: &Expr, function: &str, with: &Expr) -> Converted<Expr> {
    let with = with.as_text(reading.path)?;
    let text = text.as_text(reading.path)?;
    Ok(Expr::Bool(Formula::test(format!("{}.{function}({with})", operand(&text)))))
}
