//! Maps with keys that are set.
//!
//! In: `merge(labels, {a: b})`, and another value. Out: when the two are equal.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::refusal::{Class, Converted, refuse};
use engine_json::{Map, Path, Value};

/// Two maps are the same but for the keys that are set in both of them.
pub(super) fn merged(one: &Access, set: &Map, value: &Expr, path: &Path) -> Converted<Formula> {
    let is_set = |key: &str| set.keys().map(|name| Formula::equal(key, &quoted(name))).collect::<Vec<_>>();
    let within = |map: &str, other: &str, known: &dyn Fn(&str) -> Formula| {
        Formula::each(
            map.to_owned(),
            Quantifier::All,
            "key".into(),
            Formula::or(is_set("key").into_iter().chain([known(other)])),
        )
    };
    match value {
        Expr::Merged(other, of_other) if of_other == set => {
            let (one, other) = (one.plain(), other.plain());
            let same = |other: &str| {
                Formula::and([
                    Formula::test(format!("key in {}", operand(other))),
                    Formula::equal(&format!("{}[key]", operand(one)), &format!("{}[key]", operand(other))),
                ])
            };
            let there = |other: &str| Formula::test(format!("key in {}", operand(other)));
            Ok(Formula::and([within(one, other, &same), within(other, one, &there)]))
        }
        Expr::Literal(Value::Object(wanted)) => {
            let one = one.plain();
            // What is set is the same whatever the map has.
            if set.iter().any(|(key, value)| wanted.get(key) != Some(value)) {
                return Ok(Formula::False);
            }
            let rest: Vec<_> = wanted.iter().filter(|(key, _)| !set.contains_key(key)).collect();
            if rest.iter().any(|(_, value)| value.as_str().is_none()) {
                return refuse(Class::Condition, &path.join("value"), "a map of other values than strings");
            }
            let names = rest.iter().map(|(key, _)| quoted(key)).chain(set.keys().map(|key| quoted(key)));
            let names = names.collect::<Vec<_>>().join(", ");
            let only = Formula::each(
                one.to_owned(),
                Quantifier::All,
                "key".into(),
                Formula::test(format!("key in [{names}]")),
            );
            let held = rest.iter().map(|(key, value)| {
                let key = quoted(key);
                let value = quoted(value.as_str().unwrap_or(""));
                Formula::equal(&format!("{one}[?{key}].orValue('')"), &value)
            });
            Ok(Formula::and(held.chain([only])))
        }
        _ => refuse(Class::Condition, &path.join("value"), "a map that is merged, and another value"),
    }
}
