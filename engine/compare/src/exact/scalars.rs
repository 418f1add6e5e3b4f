//! The classes of a scalar place: every value that the schema allows there is in one, and all tests say the same of all in it.
//!
//! In: the tests on a place, and what the schema allows. Out: the classes; or that they cannot be told.

use crate::exact::asked::{Outside, Test};
use crate::exact::language::{TextClass, TextTest, classes, random_text};
use crate::objects::schema::Shape;
use crate::search::random::Random;
use engine::pattern::leaf::{Range, split_range};
use engine::value::{Duration, Quantity};
use engine_json::{Number, Value};
use std::collections::BTreeSet;

/// A class of values.
#[derive(Clone, Debug)]
pub(crate) enum Class {
    /// The field is not there.
    Absent,
    /// A truth.
    Truth(bool),
    /// Texts.
    Text(TextClass),
    /// Any amount, as every amount is the same to all tests.
    Amount,
    /// Whole numbers from one to another.
    Numbers(i64, i64),
}

/// The classes of a place, and the tests on its texts.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    /// The classes.
    pub(crate) all: Vec<Class>,
    texts: Vec<TextTest>,
}

/// What the schema says of a scalar place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'s> {
    /// What may stand there.
    pub(crate) shape: &'s Shape,
    /// Whether it is a quantity.
    pub(crate) is_quantity: bool,
    /// Whether the field must be there, and not be empty.
    pub(crate) is_needed: bool,
    /// Whether the field is not there where it is false, zero or empty.
    pub(crate) leaves_out_zero: bool,
}

/// The farthest bound that numbers are held against, and the farthest number that is tried.
const MAX_BOUND: i64 = 1 << 40;
/// The longest text whose length is asked for.
const MAX_LENGTH: usize = 100;

/// The classes of a place.
pub(crate) fn of(tests: &[Test], scalar: Scalar<'_>) -> Result<Classes, Outside> {
    let mut all = Vec::new();
    if !scalar.is_needed {
        all.push(Class::Absent);
    }
    let mut texts = Vec::new();
    match scalar.shape {
        // There are no other truths, whatever the tests are.
        Shape::Truth if scalar.leaves_out_zero => all.push(Class::Truth(true)),
        Shape::Truth => all.extend([Class::Truth(true), Class::Truth(false)]),
        Shape::Number => all.extend(numbers(tests, scalar.leaves_out_zero)?),
        Shape::Text => {
            texts = text_tests(tests)?;
            all.extend(of_texts(&mut texts, scalar.is_needed || scalar.leaves_out_zero)?);
        }
        Shape::Either => {
            if !tests.iter().all(is_of_anything) {
                return Err("tests on an amount, or on a number that may be a text");
            }
            all.push(Class::Amount);
            all.push(Class::Numbers(1, 1));
            if !scalar.is_quantity {
                texts = vec![TextTest::is("")];
                all.extend(classes(&texts).unwrap_or_default().into_iter().map(Class::Text));
            }
        }
        Shape::Any => return Err("a field of any form"),
        Shape::List(_) | Shape::Map(_) | Shape::Object(_) => return Err("a field that is not a scalar"),
    }
    Ok(Classes { all, texts })
}

/// Whether a test says the same of every value that is there and not empty.
fn is_of_anything(test: &Test) -> bool {
    match test {
        Test::Pattern(Value::String(text)) => matches!(text.as_str(), "*" | "?*"),
        Test::Pattern(_) | Test::Text(_) | Test::Order(_) | Test::Truth | Test::Size(_) | Test::Has(_) => {
            false
        }
        Test::Falsy => true,
        Test::Equals(value) => value.as_str() == Some(""),
    }
}

fn of_texts(texts: &mut Vec<TextTest>, is_never_empty: bool) -> Result<Vec<Class>, Outside> {
    if is_never_empty {
        texts.push(TextTest::is(""));
    }
    if texts.is_empty() {
        return Ok(vec![Class::Text(TextClass { witness: "x".to_owned(), answers: Vec::new() })]);
    }
    let found = classes(texts).ok_or("more classes of texts than are told apart")?;
    let found = found.into_iter().filter(|class| !is_never_empty || !class.witness.is_empty());
    Ok(found.map(Class::Text).collect())
}

/// The tests on texts; what is held against something else says the same of all texts.
fn text_tests(tests: &[Test]) -> Result<Vec<TextTest>, Outside> {
    let mut found: Vec<TextTest> = Vec::new();
    for test in tests {
        match test {
            Test::Pattern(value) => of_pattern(value, &mut found)?,
            Test::Equals(Value::String(text)) => found.push(TextTest::is(text)),
            Test::Equals(_) => {}
            Test::Text(test) => found.push(test.clone()),
            Test::Falsy => found.push(TextTest::is("")),
            Test::Size(size) if *size <= MAX_LENGTH => {
                found.extend([TextTest::at_least(*size), TextTest::at_least(size + 1)]);
            }
            Test::Size(_) | Test::Order(_) | Test::Truth | Test::Has(_) => {
                return Err("a test on a text outside of the fragment");
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// An operator before a term of a pattern.
// Kyverno: GetOperatorFromStringPattern; a term of one byte has none.
fn split_operator(term: &str) -> (&str, &str) {
    let operators = [">=", "<=", ">", "<", "!"];
    let found = operators.iter().find(|operator| term.len() >= 2 && term.starts_with(**operator));
    found.map_or(("", term), |operator| term.split_at_checked(operator.len()).unwrap_or(("", term)))
}

fn terms(text: &str) -> impl Iterator<Item = &str> {
    let alternatives = text.split('|').map(|part| part.trim_matches(' '));
    alternatives.flat_map(|part| part.split('&')).map(|term| term.trim_matches(' '))
}

/// A scalar of a pattern that is held against a text.
fn of_pattern(value: &Value, found: &mut Vec<TextTest>) -> Result<(), Outside> {
    match value {
        Value::Null => found.push(TextTest::is("")),
        Value::Bool(_) => {}
        Value::String(text) => {
            found.push(TextTest::is(text));
            for term in terms(text) {
                let (operator, rest) = split_operator(term);
                let rest = rest.trim();
                let is_amount = Duration::parse(rest).is_ok() || Quantity::parse(rest).is_ok();
                if is_amount || split_range(term).is_some() || !matches!(operator, "" | "!") {
                    return Err("a text held against an amount");
                }
                found.push(TextTest::glob(rest));
            }
        }
        Value::Number(_) => return Err("a text held against a number"),
        Value::Array(_) | Value::Object(_) => return Err("a pattern that is not a scalar"),
    }
    Ok(())
}

/// The bounds that whole numbers are held against, and the intervals between them.
fn numbers(tests: &[Test], is_never_zero: bool) -> Result<Vec<Class>, Outside> {
    let mut bounds: BTreeSet<i64> = is_never_zero.then_some(0).into_iter().collect();
    for test in tests {
        match test {
            Test::Pattern(value) => bounds_of(value, &mut bounds)?,
            Test::Equals(Value::Number(number)) => {
                let bound = Value::Number(*number).as_i64();
                bounds.insert(bound.ok_or("a number with a fraction")?);
            }
            // No number is false.
            Test::Equals(_) | Test::Falsy => {}
            Test::Order(bound) => drop(bounds.insert(*bound)),
            Test::Text(_) | Test::Size(_) | Test::Truth | Test::Has(_) => {
                return Err("a test on a number outside of the fragment");
            }
        }
    }
    if bounds.iter().any(|bound| bound.abs() >= MAX_BOUND) {
        return Err("a large number");
    }
    let mut all = Vec::new();
    let mut from = -MAX_BOUND;
    for bound in bounds {
        if from < bound {
            all.push(Class::Numbers(from, bound - 1));
        }
        if !(is_never_zero && bound == 0) {
            all.push(Class::Numbers(bound, bound));
        }
        from = bound + 1;
    }
    all.push(Class::Numbers(from, MAX_BOUND));
    Ok(all)
}

/// Why a pattern of a number is outside.
const OTHER: Outside = "a number held against something else than a whole number";

/// What a scalar of a pattern holds a whole number against.
fn bounds_of(value: &Value, bounds: &mut BTreeSet<i64>) -> Result<(), Outside> {
    let whole = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i64>().ok().filter(|_| is_plain && (digits == "0" || !digits.starts_with('0')))
    };
    match value {
        Value::Null => drop(bounds.insert(0)),
        Value::Bool(_) => {}
        Value::Number(Number::Int(number)) => drop(bounds.insert(*number)),
        Value::String(text) => {
            for term in terms(text) {
                match split_range(term) {
                    Some(Range::In(from, to) | Range::NotIn(from, to)) => {
                        bounds.insert(whole(from).ok_or(OTHER)?);
                        bounds.insert(whole(to).ok_or(OTHER)?);
                    }
                    None => {
                        let (operator, rest) = split_operator(term);
                        let rest = rest.trim();
                        // Every number is a text that is not empty.
                        let is_anything = matches!(operator, "" | "!") && matches!(rest, "*" | "?*");
                        if !is_anything {
                            bounds.insert(whole(rest).ok_or(OTHER)?);
                        }
                    }
                }
            }
        }
        Value::Number(_) => return Err("a number with a fraction"),
        Value::Array(_) | Value::Object(_) => return Err("a pattern that is not a scalar"),
    }
    Ok(())
}

impl Classes {
    /// The member that stands for a class; nothing where the field is not there.
    pub(crate) fn witness(&self, at: usize) -> Option<Value> {
        match self.all.get(at)? {
            Class::Absent => None,
            Class::Truth(truth) => Some(Value::Bool(*truth)),
            Class::Text(class) => Some(Value::from(class.witness.as_str())),
            Class::Amount => Some(Value::from("1")),
            Class::Numbers(from, to) => {
                let near = if *from == -MAX_BOUND { *to } else { *from };
                Some(Value::from(near))
            }
        }
    }

    /// A random member of a class.
    pub(crate) fn member(&self, at: usize, random: &mut Random) -> Option<Value> {
        match self.all.get(at)? {
            Class::Absent => None,
            Class::Truth(truth) => Some(Value::Bool(*truth)),
            Class::Text(class) => Some(Value::from(self.text(class, random))),
            Class::Amount => {
                random.of(&["1", "100m", "64Mi", "2Gi", "0", "0.5", "1e3"]).map(|text| Value::from(*text))
            }
            Class::Numbers(from, to) => {
                let width = usize::try_from(to - from).unwrap_or(usize::MAX);
                let step = match random.below(3) {
                    0 => random.below(width.saturating_add(1)),
                    _ => random.below(width.saturating_add(1).min(40)),
                };
                let step = i64::try_from(step).unwrap_or(0);
                let is_from_below = *from != -MAX_BOUND && random.below(2) == 0;
                Some(Value::from(if is_from_below { from + step } else { to - step }))
            }
        }
    }

    fn text(&self, class: &TextClass, random: &mut Random) -> String {
        const TRIES: usize = 12;
        for _ in 0..TRIES {
            let text = if random.below(3) == 0 {
                format!("{}{}", class.witness, random_text(&self.texts, random))
            } else {
                random_text(&self.texts, random)
            };
            let answers = self.texts.iter().map(|test| test.accepts(&text));
            if answers.eq(class.answers.iter().copied()) {
                return text;
            }
        }
        class.witness.clone()
    }
}
