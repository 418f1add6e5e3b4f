//! Numbers as Go holds them: `int64`, `float64`, and whole numbers above `int64` that `uint64` still holds.

/// A number with the Go type it has at that place.
///
/// Two numbers are equal when type and value are: `Int(1)` is not `Float(1.0)`, as `reflect.DeepEqual` in
/// Kyverno's JMESPath decides (`go-jmespath`, `objsEqual`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Go's `int64`.
    Int(i64),
    /// A whole number above `i64::MAX` that fits `uint64`; never holds less.
    Uint(u64),
    /// Go's `float64`; never NaN or infinite in a value that was read from text.
    Float(f64),
}

impl Number {
    /// The value as `float64`, rounded to the nearest as Go's conversion does.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Uint(u) => u as f64,
            Number::Float(f) => f,
        }
    }

    /// The value if it is an `int64`; a float is not, even when it is whole.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(i) => Some(i),
            Number::Uint(_) | Number::Float(_) => None,
        }
    }

    /// Whether both stand for the same number, whatever their types.
    pub fn same_value(self, other: Number) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a == b,
            (Number::Uint(a), Number::Uint(b)) => a == b,
            (a, b) => a.as_f64() == b.as_f64(),
        }
    }
}

impl From<i64> for Number {
    fn from(i: i64) -> Self {
        Number::Int(i)
    }
}

impl From<u64> for Number {
    fn from(u: u64) -> Self {
        i64::try_from(u).map_or(Number::Uint(u), Number::Int)
    }
}

impl From<f64> for Number {
    fn from(f: f64) -> Self {
        Number::Float(f)
    }
}
