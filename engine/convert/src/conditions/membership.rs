//! Whether values are among others: the operators of the family `In`.
//!
//! In: two sides. Out: a [`Formula`].

use crate::conditions::{equals, is_amount, single};
use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::expressions::of_cluster;
use crate::expressions::wildcard::like;
use crate::plain;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::leaf::opposite;
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// Whether a key is a list.
pub(crate) fn is_many(key: &Expr) -> bool {
    match key {
        Expr::Elements(_) | Expr::Cel(_, Shape::List(_)) => true,
        Expr::Field(access) => matches!(access.shape, Some(Shape::List(_))),
        Expr::Defaulted(access, default) => {
            matches!(access.shape, Some(Shape::List(_))) || default.as_array().is_some()
        }
        Expr::Request(_)
        | Expr::Attribute(_)
        | Expr::Nullable(_)
        | Expr::Listed(_)
        | Expr::OrNull(_)
        | Expr::Images(_)
        | Expr::Double(_)
        | Expr::Merged(..)
        | Expr::Uncertain(_)
        | Expr::Fields(_)
        | Expr::Items(_)
        | Expr::Literal(_)
        | Expr::Bool(_)
        | Expr::Where(..)
        | Expr::Count(_)
        | Expr::Cel(..) => false,
    }
}

/// Whether words are compared as they stand: by the old operators those of lists, and always those of a list in a text.
// Kyverno: setExistsInArray, and keyExistsInArray with `string` as value.
fn is_exact(operator: &str, is_list: bool, value: &Expr) -> bool {
    let is_in_text = matches!(value, Expr::Literal(Value::String(text)) if engine_json::parse(text).is_ok_and(|read| read.as_array().is_some()));
    if is_list { matches!(operator, "In" | "NotIn") } else { is_in_text }
}

/// How words are compared.
#[derive(Clone, Copy)]
struct How {
    /// As they stand.
    is_exact: bool,
    /// As those of a list, where wildcards count on both sides.
    is_many: bool,
}

/// The operators of the family `In`.
pub(crate) fn within(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    let is_list = is_many(key);
    let is_many = is_list || matches!(key, Expr::Items(_));
    let how = How { is_exact: is_exact(operator, is_many, value), is_many };
    let is_among = |item: &Expr| among(item, value, how, path);
    if let (Expr::Literal(Value::String(word)), Expr::Field(access)) = (key, value)
        && access.parsed_of().is_some()
    {
        return among_parsed(word, operator, access, path);
    }
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
    if is_list && matches!(operator, "In" | "NotIn") {
        only_texts(key, path)?;
    }
    if let (Some((_, Some(Shape::Number))), Expr::Literal(Value::String(text))) = (single(key), value)
        && matches!(operator, "In" | "NotIn")
        && range(text).is_some()
    {
        // They read no ranges.
        return Ok(Formula::False);
    }
    of_known_form(key, value, path)?;
    if let Expr::Literal(written) = value
        && let Some(made) = unread(operator, written, is_list, path)?
    {
        return Ok(made);
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

/// Refuses a field of unknown form beside a text that says nothing of it.
fn of_known_form(key: &Expr, value: &Expr, path: &Path) -> Converted<()> {
    let may_be_any = matches!(single(key), Some((_, None | Some(Shape::Any))));
    match value {
        Expr::Literal(Value::String(text)) if may_be_any && OF_NO_FORM.contains(&text.as_str()) => refuse(
            Class::Condition,
            &path.join("value"),
            "a field of unknown form held against what may be a string or not",
        ),
        _ => Ok(()),
    }
}

/// Texts that say nothing of the form of what is held against them.
const OF_NO_FORM: [&str; 4] = ["true", "false", "null", "*"];

/// What becomes of a condition whose value the operator does not read as a list, nor as a word: nothing where it does.
// Kyverno: keyExistsInArray, setExistsInArray, and those of `AnyIn` and `AllIn`. What is not read meets no operator, not even a negated one.
fn unread(operator: &str, written: &Value, is_many: bool, path: &Path) -> Converted<Option<Formula>> {
    let (is_negated, is_old) = (operator.contains("Not"), matches!(operator, "In" | "NotIn"));
    let are_texts = |list: &[Value]| list.iter().all(|one| one.as_str().is_some());
    let is_read = match written {
        Value::Array(list) => !is_old || !is_many || are_texts(list),
        Value::String(text) => match engine_json::parse(text) {
            Ok(Value::Array(list)) => are_texts(&list),
            Ok(Value::Null) => !is_many,
            Ok(_) => false,
            Err(_) => !is_old,
        },
        _ => return Ok(None),
    };
    match written {
        _ if is_read => Ok(None),
        Value::Array(_) => refuse(
            Class::Condition,
            &path.join("value"),
            format!("values that are not strings under `{operator}`, which takes no others of several"),
        ),
        // A single value is among them that is the text.
        _ if !is_many => Ok(is_negated.then_some(Formula::False)),
        Value::String(text) if is_negated && !is_old && text.as_str() != "null" => Ok(Some(Formula::False)),
        _ => refuse(
            Class::Condition,
            &path.join("value"),
            format!("a list held by `{operator}` against a string that is read as no list"),
        ),
    }
}

/// Refuses lists of what are not strings.
fn only_texts(key: &Expr, path: &Path) -> Converted<()> {
    let elements = key.clone().elements(&path.join("key"))?;
    elements.each(Quantifier::All, &mut |item| match single(item) {
        Some((_, Some(Shape::Text | Shape::Any) | None)) => Ok(Formula::True),
        _ => refuse(
            Class::Condition,
            &path.join("key"),
            "elements that are not strings under `In` or `NotIn`, on which Kyverno crashes: write `AllIn` or `AnyNotIn`",
        ),
    })?;
    Ok(())
}

/// The same for keys that are written as a list.
fn written_keys(keys: &[Expr], operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let (Some((_, Some(Shape::Text))), "In" | "NotIn") = (single(value), operator)
        && outside_text(value).is_none()
    {
        return refuse(
            Class::Condition,
            &path.join("value"),
            format!("several keys held by `{operator}` against a string, which it reads as no list"),
        );
    }
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
    let tests = keys
        .iter()
        .map(|key| among(key, value, How { is_exact: is_exact(operator, true, value), is_many: true }, path))
        .collect::<Converted<Vec<_>>>()?;
    Ok(match operator {
        "AnyIn" => Formula::or(tests),
        "In" | "AllIn" => Formula::and([there, Formula::and(tests)]),
        "AnyNotIn" | "NotIn" => Formula::and([there, Formula::or(tests.into_iter().map(Formula::negated))]),
        _ => Formula::and([there, Formula::and(tests.into_iter().map(Formula::negated))]),
    })
}

/// A word is among what a text holds: a list, or a string; of anything else no operator holds, and of a string not `NotIn`.
fn among_parsed(word: &str, operator: &str, access: &Access, path: &Path) -> Converted<Formula> {
    if is_amount(word) || word.contains(['*', '?']) || matches!(word, "true" | "false" | "null") {
        return refuse(
            Class::Condition,
            &path.join("key"),
            format!("whether `{word}` is among values that may be of any form"),
        );
    }
    let (all, word) = (access.plain(), quoted(word));
    let is_list = format!("type({all}) == list");
    Ok(match operator {
        "NotIn" => {
            Formula::and([Formula::test(is_list), Formula::test(format!("{word} in {all}")).negated()])
        }
        "AnyNotIn" | "AllNotIn" => Formula::test(format!(
            "({is_list} ? !({word} in {all}) : type({all}) == string && {all} != {word})"
        )),
        _ => Formula::test(format!("({is_list} ? {word} in {all} : {all} == {word})")),
    })
}

/// A single value is among others.
fn among(item: &Expr, value: &Expr, how: How, path: &Path) -> Converted<Formula> {
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
        return word_among((item, text), value, how, path);
    }
    let Some((of_key, shape)) = single(item) else {
        return refuse(
            Class::Condition,
            &path.join("key"),
            "whether this key is among others is not converted",
        );
    };
    if matches!(shape, Some(Shape::List(_) | Shape::Map(_) | Shape::Object(_))) {
        return refuse(Class::Condition, &path.join("key"), "whether lists or maps are among others");
    }
    if let Some((_, Some(Shape::Text))) = single(value).filter(|_| outside_text(value).is_none()) {
        return refuse(
            Class::Condition,
            &path.join("value"),
            "a string of the object, in which the source may read a list, a range or a pattern",
        );
    }
    if let Expr::Literal(Value::String(one)) = value
        && shape == Some(Shape::Number)
        && let Some((from, to)) = range(one)
    {
        return Ok(Formula::and([(">=", from), ("<=", to)].map(|(operator, end)| {
            let contrary = opposite(operator).map(|operator| format!("{of_key} {operator} {end}"));
            Formula::Test(format!("{of_key} {operator} {end}"), contrary)
        })));
    }
    if let Some(text) = outside_text(value) {
        if matches!(shape, Some(Shape::Number | Shape::Either)) {
            return refuse(
                Class::Condition,
                &path.join("value"),
                "a string of the cluster for a number, which may be a range",
            );
        }
        return Ok(listed_text(&as_text(&of_key, shape.as_ref()), &text, of_cluster::pattern(value), how));
    }
    let text = as_text(&of_key, shape.as_ref());
    let Expr::Literal(written) = value else {
        return among_elements(item, &text, value, how, path);
    };
    // Of a custom kind, what is held against digits or truths may be one.
    let is_other = |word: &String| {
        matches!(word.as_str(), "true" | "false") || word.contains(|c: char| c.is_ascii_digit())
    };
    let is_open = matches!(shape, None | Some(Shape::Any)) && words(written, path)?.iter().any(is_other);
    let text = if is_open { format!("string({text})") } else { text };
    among_written(item, &text, written, how.is_exact, path)
}

/// A written word is among others.
fn word_among((item, text): (&Expr, &str), value: &Expr, how: How, path: &Path) -> Converted<Formula> {
    if let Some(right) = outside_text(value) {
        return Ok(listed_text(&quoted(text), &right, of_cluster::pattern(value), how));
    }
    if let Some((right, Some(Shape::Text))) = single(value) {
        return Ok(Formula::equal(&right, &quoted(text)));
    }
    let elements = value.clone().elements(&path.join("value"))?;
    let elements = if matches!(value, Expr::Field(_)) { elements.strict() } else { elements };
    elements.each(Quantifier::Exists, &mut |one| {
        if let Some(regex) = of_cluster::pattern(one).filter(|_| !how.is_exact) {
            let like = of_cluster::like(&quoted(text), &regex);
            let equal = if plain::is_plain(item) { Formula::False } else { is_word(one, text, path)? };
            return Ok(Formula::or([equal, like]));
        }
        match single(one) {
            // What stands for everything is like every word.
            Some((one_text, _)) if !how.is_exact && plain::has_star(one) && plain::is_plain(item) => {
                Ok(among_texts(&one_text, &[text.to_owned(), "*".into()]))
            }
            _ => is_word(one, text, path),
        }
    })
}

/// A value is like a written word: amounts are words too.
fn is_word(one: &Expr, word: &str, path: &Path) -> Converted<Formula> {
    match single(one) {
        Some((text, shape)) => Ok(like(&as_text(&text, shape.as_ref()), word)),
        None => refuse(
            Class::Condition,
            &path.join("value"),
            "whether a word is among these values is not converted",
        ),
    }
}

/// The text of a key is among the elements of a list.
fn among_elements(item: &Expr, text: &str, value: &Expr, how: How, path: &Path) -> Converted<Formula> {
    let is_made = matches!(value, Expr::Cel(made, _) if of_cluster::is_answer(made));
    value.clone().elements(&path.join("value"))?.each(Quantifier::Exists, &mut |one| {
        let one = &(if is_made { of_cluster::marked(one.clone()) } else { one.clone() });
        let Some((other, _)) = single(one) else {
            let said = "whether a key is among these values is not converted";
            return refuse(Class::Condition, &path.join("value"), said);
        };
        let patterns =
            [of_cluster::pattern(one).map(|regex| of_cluster::like(text, &regex)), of_key_pattern(item, one)];
        let is_like = patterns.into_iter().flatten().filter(|_| !how.is_exact).collect::<Vec<_>>();
        Ok(if is_like.is_empty() { Formula::equal(text, &other) } else { Formula::or(is_like) })
    })
}

/// The text of a key is among written words.
fn among_written(
    item: &Expr,
    text: &str,
    written: &Value,
    is_exact: bool,
    path: &Path,
) -> Converted<Formula> {
    let mut words = words(written, path)?;
    // Who asks may be called as the text of the list.
    if let (Expr::Attribute(_), Some(whole)) =
        (item, written.as_str().filter(|whole| !words.iter().any(|word| word == whole)))
    {
        if whole.contains(['*', '?']) {
            let said = "who asks held against wildcards in a list within a string";
            return refuse(Class::Condition, &path.join("value"), said);
        }
        words.push(whole.to_owned());
    }
    if is_exact {
        return Ok(among_texts(text, &words));
    }
    // What stands for everything is among all words.
    let has_star = plain::has_star(item) && !words.iter().any(|word| word == "*");
    if has_star && !words.iter().any(|word| word.contains(['*', '?'])) {
        words.push("*".into());
        return Ok(among_texts(text, &words));
    }
    let star = has_star.then(|| Formula::equal(text, "'*'"));
    Ok(Formula::or(std::iter::once(among_words(text, &words)).chain(star)))
}

/// A value as text.
fn as_text(value: &str, shape: Option<&Shape>) -> String {
    let is_text = !matches!(shape, Some(Shape::Number | Shape::Truth | Shape::Either));
    if is_text { value.to_owned() } else { format!("string({value})") }
}

/// A string of an answer of the cluster.
fn outside_text(value: &Expr) -> Option<String> {
    let (Expr::Field(access) | Expr::Defaulted(access, _)) = value else { return None };
    let (text, shape) = single(value)?;
    (access.is_outside && shape == Some(Shape::Text)).then_some(text)
}

/// A value of the cluster is like a key in which wildcards may stand.
fn of_key_pattern(item: &Expr, value: &Expr) -> Option<Formula> {
    let (key, shape) = single(item)?;
    let may_have = !plain::strings(item).is_empty() && matches!(shape, None | Some(Shape::Text | Shape::Any));
    let other = of_cluster::text(value).filter(|_| may_have)?;
    Some(of_cluster::like(&other, &of_cluster::regex(&key)))
}

/// The text is like a string, or in the list that the string holds as JSON.
// Kyverno: keyExistsInArray and its like take one key by the pattern and by the words of the list as they stand, several by patterns alone.
fn listed_text(text: &str, value: &str, regex: Option<String>, how: How) -> Formula {
    let value = operand(value);
    let like = regex.filter(|_| !how.is_exact);
    let words = format!("json.unmarshal({value})");
    let listed = match &like {
        Some(_) if how.is_many => {
            let test = of_cluster::like(text, &of_cluster::regex("word"));
            Formula::each(words, Quantifier::Exists, "word".into(), test)
        }
        _ => Formula::test(format!("{text} in {words}")),
    };
    let is_list = Formula::and([
        Formula::test(format!("{value}.startsWith('[')")),
        Formula::test(format!("{value}.endsWith(']')")),
    ]);
    let test = like.map_or_else(|| Formula::equal(text, &value), |regex| of_cluster::like(text, &regex));
    Formula::or([test, Formula::and([is_list, listed])])
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
    if words.iter().any(|word| !word.is_empty() && word.trim_matches('*').is_empty()) {
        return Formula::True;
    }
    if words.iter().any(|word| word.contains(['*', '?'])) {
        return Formula::or(words.iter().map(|word| like(text, word)));
    }
    among_texts(text, words)
}

/// A text is one of these.
fn among_texts(text: &str, words: &[String]) -> Formula {
    let all: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match all.as_slice() {
        [one] => Formula::equal(text, one),
        [] => Formula::False,
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
