//! Functions of JMESPath as those of CEL.
//!
//! In: a call. Out: its value.

use crate::formula::{Formula, Quantifier, operand, quoted};
use crate::got::{Got, Many};
use crate::jmes::Reading;
use crate::refusal::Made;
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_json::Value;

/// The value of a call.
pub(crate) fn call(
    reading: &Reading<'_, '_>,
    name: &str,
    arguments: &[Node],
    within: Option<&Got>,
) -> Made<Got> {
    let given: Vec<Got> = arguments.iter().map(|one| reading.node(one, within)).collect::<Made<_>>()?;
    match (name, given.as_slice()) {
        ("length", [Got::Many(many)]) => Ok(Got::Count(many.clone())),
        ("length", [Got::Field(reach) | Got::Defaulted(reach, _)]) => {
            let absent = match &reach.shape {
                Some(Shape::Text) => "''",
                Some(Shape::Map(_) | Shape::Object(_)) => "{}",
                _ => "[]",
            };
            Ok(Got::Given(format!("size({})", reach.or(absent)), Shape::Number))
        }
        ("contains", [list, wanted]) => contains(reading, list, wanted),
        ("starts_with", [text, begin]) => test(reading, text, "startsWith", begin),
        ("ends_with", [text, end]) => test(reading, text, "endsWith", end),
        ("regex_match", [pattern, text]) => test(reading, text, "matches", pattern),
        ("to_string", [got]) => match got {
            Got::Field(reach) if reach.shape == Some(Shape::Text) => Ok(got.clone()),
            Got::Defaulted(_, Value::String(_)) => Ok(got.clone()),
            _ => Ok(Got::text(got.as_text(reading.path)?)),
        },
        ("to_upper" | "to_lower", [got]) => {
            let function = if name == "to_upper" { "upperAscii" } else { "lowerAscii" };
            Ok(Got::text(format!("{}.{function}()", operand(&got.as_text(reading.path)?))))
        }
        ("to_array", [Got::Many(many)]) => Ok(Got::Many(many.clone().defaulted(false))),
        ("keys", [Got::Field(reach) | Got::Defaulted(reach, _)]) => {
            Ok(Got::Many(Many::new(reach.or("{}"), "key".into(), Box::new(Got::text("key".into())))))
        }
        ("values", [Got::Field(reach) | Got::Defaulted(reach, _)]) => {
            let shape = match &reach.shape {
                Some(Shape::Map(inner)) => Some((**inner).clone()),
                _ => None,
            };
            let item = crate::reach::Reach::of(&format!("{}[key]", reach.plain()), shape);
            Ok(Got::Many(Many::new(reach.or("{}"), "key".into(), Box::new(Got::Field(item)))))
        }
        _ => reading.refuse(&format!("`{name}()`")),
    }
}

fn contains(reading: &Reading<'_, '_>, list: &Got, wanted: &Got) -> Made<Got> {
    let is_text = match list {
        Got::Field(reach) => reach.shape == Some(Shape::Text),
        Got::Defaulted(_, Value::String(_)) | Got::Given(_, Shape::Text) => true,
        _ => false,
    };
    if is_text {
        return test(reading, list, "contains", wanted);
    }
    if let (Got::Written(value), Got::Given(text, Shape::Text)) = (list, wanted) {
        let all: Option<Vec<String>> =
            value.as_array().and_then(|list| list.iter().map(|one| one.as_str().map(quoted)).collect());
        if let Some(all) = all {
            return Ok(Got::Truth(Formula::test(format!("{text} in [{}]", all.join(", ")))));
        }
    }
    let is_list = match list {
        Got::Field(reach) | Got::Defaulted(reach, _) => matches!(reach.shape, Some(Shape::List(_))),
        Got::Many(_) | Got::Given(_, Shape::List(_)) => true,
        _ => false,
    };
    if !is_list {
        return reading.refuse("`contains()` of what may be a text or a list");
    }
    let wanted = wanted.as_text(reading.path)?;
    // What is no list at all cannot contain anything: that errs, and in a filter the element drops out.
    let many = list.clone().many(reading.path)?;
    let many = if reading.is_in_filter { many } else { many.strict() };
    if let (Formula::True, Got::Field(item)) = (&many.filter, &*many.item)
        && item.plain() == many.name
    {
        return Ok(Got::Truth(Formula::test(format!("{wanted} in {}", operand(&many.list)))));
    }
    let found =
        many.each(Quantifier::Exists, &mut |item| Ok(Formula::equal(&item.as_text(reading.path)?, &wanted)))?;
    Ok(Got::Truth(found))
}

fn test(reading: &Reading<'_, '_>, text: &Got, function: &str, with: &Got) -> Made<Got> {
    let with = with.as_text(reading.path)?;
    let text = text.as_text(reading.path)?;
    Ok(Got::Truth(Formula::test(format!("{}.{function}({with})", operand(&text)))))
}
