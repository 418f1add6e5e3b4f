//! Elements that are looked up and not compared one by one, so that functions over long lists take time by their length.
//!
//! In: values. Out: whether an equal one was there before.

use crate::error::{Error, Kind};
use crate::value::{Equality, Value, equal};
use engine_json::Str;
use engine_json::ordered::OrderedSet;

/// So many comparisons one call may make of elements that have no key: lists, maps and their like.
const MAX_COMPARISONS: u64 = 50_000_000;

/// Whole numbers up to here are each one double; behind them a double is equal to several.
const EXACT: i64 = (1 << 53) - 1;

/// Values with the same key are equal, and equal to no value without one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Text(Str),
    Number(i64),
    /// The bits of a double with a fraction.
    Fraction(u64),
}

fn key(value: &Value<'_>) -> Option<Key> {
    let number = |i: i64| (-EXACT..=EXACT).contains(&i).then_some(Key::Number(i));
    match value {
        Value::Str(text) => Some(Key::Text(Str::from(*text))),
        Value::Text(text) => Some(Key::Text(Str::from(&**text))),
        Value::Int(i) => number(*i),
        Value::Uint(u) => i64::try_from(*u).ok().and_then(number),
        Value::Double(d) if d.fract() != 0.0 && d.is_finite() => Some(Key::Fraction(d.to_bits())),
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of 53 bits")]
        Value::Double(d) if d.abs() <= EXACT as f64 => Some(Key::Number(*d as i64)),
        _ => None,
    }
}

/// Values that were there.
#[derive(Default)]
pub(super) struct Known<'v> {
    keys: OrderedSet<Key>,
    others: Vec<Value<'v>>,
    comparisons: u64,
}

impl<'v> Known<'v> {
    /// All of these.
    pub(super) fn of(values: impl Iterator<Item = Value<'v>>) -> Self {
        let mut known = Known::default();
        for value in values {
            match key(&value) {
                Some(key) => drop(known.keys.insert(key)),
                None => known.others.push(value),
            }
        }
        known
    }

    /// Whether a value equal to this one was there.
    ///
    /// # Errors
    /// More comparisons than a call may make.
    pub(super) fn has(&mut self, value: &Value<'_>) -> Result<bool, Box<Error>> {
        match key(value) {
            Some(key) => Ok(self.keys.contains(&key)),
            None => self.has_other(value),
        }
    }

    /// The same; from now on it is there.
    ///
    /// # Errors
    /// As [`Known::has`].
    pub(super) fn add(&mut self, value: &Value<'v>) -> Result<bool, Box<Error>> {
        if let Some(key) = key(value) {
            return Ok(!self.keys.insert(key));
        }
        let has = self.has_other(value)?;
        if !has {
            self.others.push(value.clone());
        }
        Ok(has)
    }

    fn has_other(&mut self, value: &Value<'_>) -> Result<bool, Box<Error>> {
        self.comparisons = self.comparisons.saturating_add(self.others.len() as u64);
        if self.comparisons > MAX_COMPARISONS {
            return Err(Error::new(Kind::Bound("MAX_COMPARISONS")));
        }
        Ok(self.others.iter().any(|other| equal(value, other) == Equality::Equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_have_a_bound() {
        let list = |i: i64| Value::list(vec![Value::Int(i)]);
        let mut known = Known::of((0..3).map(list));
        known.comparisons = MAX_COMPARISONS - 3;
        assert_eq!(known.has(&Value::Int(1)), Ok(false));
        assert_eq!(known.has(&list(1)), Ok(true));
        assert_eq!(known.has(&list(1)).map_err(|error| error.kind), Err(Kind::Bound("MAX_COMPARISONS")));
    }
}
