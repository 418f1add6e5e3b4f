//! Leaves of a pattern: one value against one scalar, with Kyverno's operators inside strings.
//!
//! In: a scalar such as `">=1Gi & <2Gi | ?*"`, compiled once. Out: whether a value satisfies it.
//! Mirrors: pkg/engine/pattern/pattern.go, pkg/engine/operator/operator.go.

use crate::value::{Duration, Quantity, Wildcard, go_text};
use engine_json::{Number, Str, Value};

/// So many bytes of a text are looked at in one step of work.
const TEXT_UNIT: usize = 64;

/// A compiled scalar.
#[derive(Clone, Debug)]
pub enum Leaf {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An `int64`.
    Int(i64),
    /// A `float64`.
    Float(f64),
    /// A string with operators.
    Text(TextLeaf),
    /// A map: any map satisfies it. Reached only through operators.
    AnyMap,
    /// A list: nothing satisfies it.
    Never,
}

/// A string pattern: alternatives of terms that must all hold.
#[derive(Clone, Debug)]
pub struct TextLeaf {
    text: Str,
    alternatives: Vec<Vec<Term>>,
    /// How much work it is to look at one part of a text: each term does, and a `?` at each of its places.
    weight: usize,
}

#[derive(Clone, Debug)]
enum Term {
    Compare(Operator, Operand),
    /// Both ends included.
    InRange(Operand, Operand),
    /// Outside of both ends.
    NotInRange(Operand, Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    More,
    Less,
    MoreEqual,
    LessEqual,
}

/// The right side of an operator, read in every way that it can be read.
#[derive(Clone, Debug)]
struct Operand {
    duration: Option<Duration>,
    quantity: Option<Quantity>,
    wildcard: Wildcard,
}

impl Leaf {
    /// Compiles a scalar.
    pub fn new(value: &Value) -> Self {
        match value {
            Value::Null => Leaf::Null,
            Value::Bool(b) => Leaf::Bool(*b),
            Value::Number(Number::Int(i)) => Leaf::Int(*i),
            Value::Number(n @ (Number::Uint(_) | Number::Float(_))) => Leaf::Float(n.as_f64()),
            Value::String(text) => Leaf::Text(TextLeaf::new(text)),
            Value::Object(_) => Leaf::AnyMap,
            Value::Array(_) => Leaf::Never,
        }
    }

    /// How much work it is to hold a value, or the items of a list, against it.
    pub(super) fn work(&self, value: &Value) -> usize {
        let one = |value: &Value| match self {
            Leaf::Text(leaf) => leaf.work(value.as_str().map_or(0, str::len)),
            Leaf::Null | Leaf::Bool(_) | Leaf::Int(_) | Leaf::Float(_) | Leaf::AnyMap | Leaf::Never => 1,
        };
        match value {
            Value::Array(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(one(item))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                one(value)
            }
        }
    }

    /// Whether the value satisfies it.
    // Kyverno: pattern.Validate.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Leaf::Bool(expected) => value.as_bool() == Some(*expected),
            Leaf::Int(expected) => int_accepts(*expected, value),
            Leaf::Float(expected) => float_accepts(*expected, value),
            Leaf::Null => match value {
                Value::Null => true,
                Value::Bool(b) => !b,
                Value::Number(n) => n.as_f64() == 0.0,
                Value::String(text) => text.is_empty(),
                Value::Array(_) | Value::Object(_) => false,
            },
            Leaf::Text(leaf) => leaf.accepts(value),
            Leaf::AnyMap => value.as_object().is_some(),
            Leaf::Never => false,
        }
    }
}

fn int_accepts(expected: i64, value: &Value) -> bool {
    match value {
        Value::Number(Number::Int(i)) => *i == expected,
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => {
            let f = n.as_f64();
            f == f.trunc() && go_text::float_to_int(f) == expected
        }
        Value::String(text) => go_text::parse_int(text).is_ok_and(|i| i == expected),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn float_accepts(expected: f64, value: &Value) -> bool {
    match value {
        Value::Number(Number::Int(i)) => {
            expected == expected.trunc() && go_text::float_to_int(expected) == *i
        }
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => n.as_f64() == expected,
        Value::String(text) => go_text::parse_float(text).is_ok_and(|f| f == expected),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

impl TextLeaf {
    /// Compiles a string pattern.
    pub fn new(text: &str) -> Self {
        let alternatives: Vec<Vec<Term>> = text
            .split('|')
            .map(|part| {
                part.trim_matches(' ').split('&').map(|term| Term::new(term.trim_matches(' '))).collect()
            })
            .collect();
        let terms: usize = alternatives.iter().map(Vec::len).sum();
        let places = if text.contains('?') { text.len().div_ceil(TEXT_UNIT) } else { 0 };
        TextLeaf { text: Str::new(text), alternatives, weight: terms + places }
    }

    /// How much work it is to hold a text of this length against it.
    fn work(&self, length: usize) -> usize {
        self.weight.saturating_mul(1 + length / TEXT_UNIT)
    }

    /// Whether the value satisfies it.
    pub fn accepts(&self, value: &Value) -> bool {
        value.as_str() == Some(&self.text)
            || self.alternatives.iter().any(|terms| terms.iter().all(|term| term.accepts(value)))
    }
}

impl Term {
    fn new(text: &str) -> Self {
        match split_range(text) {
            Some(Range::In(from, to)) => Term::InRange(Operand::new(from), Operand::new(to)),
            Some(Range::NotIn(from, to)) => Term::NotInRange(Operand::new(from), Operand::new(to)),
            None => {
                let (operator, rest) = split_operator(text);
                Term::Compare(operator, Operand::new(rest.trim()))
            }
        }
    }

    fn accepts(&self, value: &Value) -> bool {
        match self {
            Term::Compare(operator, operand) => operand.compare(value, *operator),
            Term::InRange(from, to) => {
                from.compare(value, Operator::MoreEqual) && to.compare(value, Operator::LessEqual)
            }
            Term::NotInRange(from, to) => {
                from.compare(value, Operator::Less) || to.compare(value, Operator::More)
            }
        }
    }
}

/// The operator before a term; a term of one byte has none.
// Kyverno: GetOperatorFromStringPattern looks at strings of two bytes or more only.
fn split_operator(text: &str) -> (Operator, &str) {
    const PREFIXES: [(&str, Operator); 5] = [
        (">=", Operator::MoreEqual),
        ("<=", Operator::LessEqual),
        (">", Operator::More),
        ("<", Operator::Less),
        ("!", Operator::NotEqual),
    ];
    if text.len() >= 2 {
        for (prefix, operator) in PREFIXES {
            if let Some(rest) = text.strip_prefix(prefix) {
                return (operator, rest);
            }
        }
    }
    (Operator::Equal, text)
}

/// A range in a pattern.
pub enum Range<'a> {
    /// `a-b`.
    In(&'a str, &'a str),
    /// `a!-b`.
    NotIn(&'a str, &'a str),
}

/// Reads `1Gi-2Gi` or `10!-20`; nothing where an operator stands before it.
// Kyverno: InRangeRegex, NotInRangeRegex.
pub fn split_range(text: &str) -> Option<Range<'_>> {
    if text.len() < 2 || split_operator(text).0 != Operator::Equal {
        return None;
    }
    let from_end = range_end(text)?;
    let (from, rest) = text.split_at_checked(from_end)?;
    let (is_in, to) = match rest.strip_prefix("!-") {
        Some(to) => (false, to),
        None => (true, rest.strip_prefix('-')?),
    };
    (range_end(to)? == to.len()).then_some(if is_in { Range::In(from, to) } else { Range::NotIn(from, to) })
}

/// Where the number with its unit at the start of `text` ends.
// Go: `[-|\+]?\d+(?:\.\d+)?[A-Za-z]*`; the class in front holds a `|` as well.
fn range_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let run = |from: usize, class: fn(&u8) -> bool| {
        from + bytes.get(from..).unwrap_or_default().iter().take_while(|b| class(b)).count()
    };
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'|' | b'+')));
    let mut end = run(start, u8::is_ascii_digit);
    if end == start {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = run(end + 1, u8::is_ascii_digit);
        if fraction > end + 1 {
            end = fraction;
        }
    }
    Some(run(end, u8::is_ascii_alphabetic))
}

impl Operand {
    fn new(text: &str) -> Self {
        Operand {
            duration: Duration::parse(text).ok(),
            quantity: Quantity::parse(text).ok(),
            wildcard: Wildcard::new(text),
        }
    }

    // Kyverno: validateString tries durations, then quantities, then text; the first that both sides are decides.
    fn compare(&self, value: &Value, operator: Operator) -> bool {
        if (self.duration.is_some() || self.quantity.is_some())
            && let Some(text) = number_text(value)
        {
            if let Some(expected) = &self.duration
                && let Ok(found) = Duration::parse(&text)
            {
                return holds(found.cmp(expected), operator);
            }
            if let Some(expected) = &self.quantity
                && let Ok(found) = Quantity::parse(&text)
            {
                return holds(found.cmp(expected), operator);
            }
        }
        let matched = match value {
            Value::String(text) => self.wildcard.matches(text),
            Value::Bool(b) => self.wildcard.matches(if *b { "true" } else { "false" }),
            Value::Number(Number::Int(i)) => self.wildcard.matches(&i.to_string()),
            Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => {
                self.wildcard.matches(&go_text::float_e(n.as_f64()))
            }
            // Neither equal nor unequal: a missing value fails `!x` too.
            Value::Null | Value::Array(_) | Value::Object(_) => return false,
        };
        match operator {
            Operator::Equal => matched,
            Operator::NotEqual => !matched,
            Operator::More | Operator::Less | Operator::MoreEqual | Operator::LessEqual => false,
        }
    }
}

fn holds(order: std::cmp::Ordering, operator: Operator) -> bool {
    match operator {
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::More => order.is_gt(),
        Operator::Less => order.is_lt(),
        Operator::MoreEqual => order.is_ge(),
        Operator::LessEqual => order.is_le(),
    }
}

/// A value as the text that durations and quantities are read from; null is zero.
// Kyverno: convertNumberToString.
fn number_text(value: &Value) -> Option<Str> {
    match value {
        Value::Null => Some(Str::new_static("0")),
        Value::String(text) => Some(text.clone()),
        Value::Number(Number::Int(i)) => Some(engine_json::format_smolstr!("{i}")),
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => Some(go_text::float_f(n.as_f64()).into()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
