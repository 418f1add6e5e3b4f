//! Arithmetic, order, membership and size.

use super::Evaluation;
use super::logic::{Truth, smaller};
use crate::cost;
use crate::error::{Error, Kind, Outcome};
use crate::function::Host;
use crate::operators as op;
use crate::program::{Constant, Node, Operation, Relation, Side};
use crate::value::{NotOrdered, Timestamp, Value, compare, contains, go_type};
use std::cmp::Ordering;
use std::sync::Arc;

const INT_OVERFLOW: &str = "integer overflow";
const UINT_OVERFLOW: &str = "unsigned integer overflow";
const TIMESTAMP_OVERFLOW: &str = "timestamp overflow";
const SECOND: i64 = 1_000_000_000;
/// A text of several parts has room for so many bytes at first.
const ROOM: usize = 64;

/// What a sum gives so far: texts grow in one place.
enum Sum<'v> {
    Value(Value<'v>),
    /// A text and how many characters it has.
    Text(String, u64),
}

impl<'v> Sum<'v> {
    fn size(&self) -> u64 {
        match self {
            Sum::Value(value) => cost::size(value),
            Sum::Text(_, characters) => *characters,
        }
    }

    fn value(self) -> Value<'v> {
        match self {
            Sum::Value(value) => value,
            Sum::Text(text, _) => Value::Text(text.into()),
        }
    }
}

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    pub(super) fn binary(&mut self, operation: Operation, by_text: bool, a: u32, b: u32) -> Outcome<'v> {
        if operation == Operation::Add && self.sum_at(a).is_some() {
            return self.sum(by_text, a, b).map(Sum::value);
        }
        let a = self.eval(a)?;
        let b = self.eval(b);
        let units = if !by_text {
            1
        } else if operation == Operation::Add {
            cost::traversal(cost::size(&a).saturating_add(b.as_ref().map_or(1, cost::size)), 1)
        } else {
            smaller(&a, b.as_ref().unwrap_or(&Value::Null))
        };
        self.charge(units);
        operate(&mut self.host, operation, a, &b?)
    }

    /// The parts of the sum at a step, where it is one and nobody listens.
    fn sum_at(&self, at: u32) -> Option<(bool, u32, u32)> {
        match self.program.nodes.get(at as usize) {
            Some(Node::Binary(Operation::Add, by_text, a, b)) if self.trace.is_none() => {
                Some((*by_text, *a, *b))
            }
            _ => None,
        }
    }

    /// `a + b + c`, with the costs and errors of each sum in turn. The depth is that of the tree.
    fn sum(&mut self, by_text: bool, a: u32, b: u32) -> Result<Sum<'v>, Box<Error>> {
        let left = match self.sum_at(a) {
            Some((by_text, first, second)) => {
                self.steps = self.steps.wrapping_add(1);
                self.sum(by_text, first, second).map_err(|error| self.placed(a, error))?
            }
            None => Sum::Value(self.eval(a)?),
        };
        let right = self.eval(b);
        let more = right.as_ref().map_or(1, cost::size);
        self.charge(if by_text { cost::traversal(left.size().saturating_add(more), 1) } else { 1 });
        let right = right?;
        let (Some(part), size) = (right.as_str(), left.size()) else {
            return add(&mut self.host, left.value(), &right).map(Sum::Value);
        };
        let mut text = match left {
            Sum::Text(text, _) => text,
            Sum::Value(value) => match value.as_str() {
                Some(first) => {
                    let mut text = String::with_capacity((first.len() + part.len()).max(ROOM));
                    text.push_str(first);
                    text
                }
                None => return add(&mut self.host, value, &right).map(Sum::Value),
            },
        };
        self.host.charge(text.len() + part.len())?;
        text.push_str(part);
        Ok(Sum::Text(text, size.saturating_add(more)))
    }

    pub(super) fn ordered(&mut self, relation: Relation, by_text: bool, a: u32, b: u32) -> Truth {
        let a = self.eval(a);
        let Ok(left) = &a else { return Truth::of(a) };
        if let Some(Constant::Value(right)) = self.written(b) {
            self.charge(if by_text { smaller(left, right) } else { 1 });
            return stands(left, right, relation).into();
        }
        let b = self.eval(b);
        self.charge(if by_text { smaller(left, b.as_ref().unwrap_or(&Value::Null)) } else { 1 });
        let Ok(right) = &b else { return Truth::of(b) };
        stands(left, right, relation).into()
    }

    pub(super) fn negate(&mut self, a: u32) -> Outcome<'v> {
        let value = self.eval(a);
        self.charge(1);
        match value? {
            Value::Int(i) => i.checked_neg().map(Value::Int).ok_or_else(|| Error::text(INT_OVERFLOW)),
            Value::Duration(d) => {
                d.checked_neg().map(Value::Duration).ok_or_else(|| Error::text(INT_OVERFLOW))
            }
            Value::Double(d) => Ok(Value::Double(-d)),
            Value::Bool(_) => Err(Error::no_overload()),
            other => Err(no_operation(&other, op::NEGATE)),
        }
    }

    pub(super) fn size(&mut self, a: u32) -> Outcome<'v> {
        let value = self.eval(a);
        self.charge(1);
        let Ok(value) = &value else { return value };
        match value.size() {
            _ if matches!(value, Value::Opaque(_)) => Err(no_operation(value, "size")),
            Some(size) => Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX))),
            None => Err(no_operation(value, "size")),
        }
    }

    /// `startsWith`, `endsWith` and `contains`.
    pub(super) fn has_part(&mut self, side: Side, text: u32, part: u32) -> Truth {
        let text = self.eval(text);
        let Ok(whole) = &text else { return Truth::of(text) };
        let part = match self.written(part) {
            Some(Constant::Text(part)) => Ok(Value::Str(part)),
            _ => self.eval(part),
        };
        let units = cost::traversal(part.as_ref().map_or(1, cost::size), 1);
        self.charge(match side {
            Side::Start | Side::End => units,
            Side::Anywhere => cost::traversal(cost::size(whole), 1).saturating_mul(units),
        });
        let Ok(part) = &part else { return Truth::of(part) };
        match (whole.as_str(), part.as_str(), side) {
            (Some(text), Some(part), Side::Start) => Truth::from(text.starts_with(part)),
            (Some(text), Some(part), Side::End) => Truth::from(text.ends_with(part)),
            (Some(text), Some(part), Side::Anywhere) => Truth::from(text.contains(part)),
            _ => Truth::Failed(Error::no_overload()),
        }
    }

    // cel-go: standard.go inAggregate.
    pub(super) fn within(&mut self, a: u32, b: u32, by_size: bool) -> Truth {
        let a = self.eval(a);
        let Ok(value) = &a else { return Truth::of(a) };
        let b = self.eval(b);
        self.charge(if by_size { b.as_ref().map_or(1, cost::size) } else { 1 });
        let Ok(within) = &b else { return Truth::of(b) };
        if let Some(list) = within.as_list() {
            self.steps = self.steps.saturating_add(list.len() as u64 / 8);
            return Truth::from(contains(list, value));
        }
        match within.as_map() {
            Some(map) => Truth::from(map.get(value).is_some()),
            None => Truth::Failed(Error::no_overload()),
        }
    }

    pub(super) fn in_set(&mut self, a: u32, set: u32) -> Truth {
        let a = self.eval(a);
        let Ok(value) = &a else { return Truth::of(a) };
        if matches!(value, Value::Bytes(_) | Value::Octets(_)) {
            return Truth::Failed(self.ended(unhashable(value)));
        }
        Truth::from(self.program.sets.get(set as usize).is_some_and(|set| set.contains(value)))
    }
}

fn operate<'v>(host: &mut Host<'_>, operation: Operation, a: Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match operation {
        Operation::Add => add(host, a, b),
        Operation::Subtract => subtract(&a, b),
        Operation::Multiply => multiply(&a, b),
        Operation::Divide => divide(&a, b),
        Operation::Modulo => modulo(&a, b),
    }
}

/// The error for a first value that does not have the operation.
// cel-go: interpretable.go evalBinary; a receiver is asked for a method of the name and has none.
pub(crate) fn no_operation(a: &Value<'_>, name: &'static str) -> Box<Error> {
    match a {
        Value::Str(_) | Value::Text(_) | Value::Timestamp(_) | Value::Duration(_) => Error::no_overload(),
        _ => Error::new(Kind::NoOperation(name)),
    }
}

/// The error for a value that Go does not take for a key: a panic.
pub(super) fn unhashable(value: &Value<'_>) -> Box<Error> {
    Error::internal(format!("runtime error: hash of unhashable type {}", go_type(value)))
}

/// Whether two values stand in this relation.
fn stands(a: &Value<'_>, b: &Value<'_>, relation: Relation) -> Result<bool, Box<Error>> {
    let (name, is) = match relation {
        Relation::Less => (op::LESS, compare(a, b).map(Ordering::is_lt)),
        Relation::LessEquals => (op::LESS_EQUALS, compare(a, b).map(Ordering::is_le)),
        Relation::Greater => (op::GREATER, compare(a, b).map(Ordering::is_gt)),
        Relation::GreaterEquals => (op::GREATER_EQUALS, compare(a, b).map(Ordering::is_ge)),
    };
    match is {
        Ok(is) => Ok(is),
        Err(NotOrdered::Nan) => Ok(false),
        // A NaN on the right makes the answer false before types are looked at, where the left has an order.
        Err(NotOrdered::Types) if is_nan(a) || is_nan(b) => Ok(false),
        Err(NotOrdered::Types) => Err(Error::no_overload()),
        Err(NotOrdered::Never) => Err(no_operation(a, name)),
    }
}

fn is_nan(value: &Value<'_>) -> bool {
    matches!(value, Value::Double(d) if d.is_nan())
}

fn int<'v>(result: Option<i64>) -> Outcome<'v> {
    result.map(Value::Int).ok_or_else(|| Error::text(INT_OVERFLOW))
}

fn uint<'v>(result: Option<u64>) -> Outcome<'v> {
    result.map(Value::Uint).ok_or_else(|| Error::text(UINT_OVERFLOW))
}

fn duration<'v>(result: Option<i64>) -> Outcome<'v> {
    result.map(Value::Duration).ok_or_else(|| Error::text(INT_OVERFLOW))
}

/// `a + b`.
fn add<'v>(host: &mut Host<'_>, a: Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_add(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_add(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::Duration(a), Value::Duration(b)) => duration(a.checked_add(*b)),
        (Value::Duration(d), Value::Timestamp(t)) => later(*t, d),
        (Value::Timestamp(t), Value::Duration(d)) => later(t, *d),
        (a, b) => join(host, a, b),
    }
}

fn join<'v>(host: &mut Host<'_>, a: Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
        host.charge(a.len() + b.len())?;
        let mut text = String::with_capacity(a.len() + b.len());
        text.push_str(a);
        text.push_str(b);
        return Ok(Value::Text(text.into()));
    }
    if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
        host.charge(a.len() + b.len())?;
        return Ok(Value::Octets([a, b].concat().into()));
    }
    if let (Some(_), Some(more)) = (a.as_list(), b.as_list()) {
        return append(host, a, more);
    }
    let adds = matches!(a, Value::Int(_) | Value::Uint(_) | Value::Double(_));
    let joins = a.as_str().is_some() || a.as_bytes().is_some() || a.as_list().is_some();
    Err(if adds || joins { Error::no_overload() } else { no_operation(&a, op::ADD) })
}

/// A list with more behind it; a list that nobody else holds grows in place.
fn append<'v>(host: &mut Host<'_>, a: Value<'v>, more: crate::value::ListRef<'_, 'v>) -> Outcome<'v> {
    let size = size_of::<Value<'_>>();
    if let Value::List(mut list) = a {
        if let Some(own) = Arc::get_mut(&mut list) {
            host.charge(more.len() * size)?;
            own.extend(more.iter());
            return Ok(Value::List(list));
        }
        host.charge((list.len() + more.len()) * size)?;
        return Ok(Value::list(list.iter().cloned().chain(more.iter()).collect()));
    }
    let Some(list) = a.as_list() else { return Err(Error::no_overload()) };
    host.charge((list.len() + more.len()) * size)?;
    Ok(Value::list(list.iter().chain(more.iter()).collect()))
}

// cel-go: overflow.go addTimeDurationChecked.
fn later<'v>(at: Timestamp, by: i64) -> Outcome<'v> {
    let nanoseconds = i64::from(at.nanoseconds) + by % SECOND;
    let seconds = at.seconds + by / SECOND + nanoseconds.div_euclid(SECOND);
    if !(Timestamp::MIN..=Timestamp::MAX).contains(&seconds) {
        return Err(Error::text(TIMESTAMP_OVERFLOW));
    }
    let nanoseconds = u32::try_from(nanoseconds.rem_euclid(SECOND)).unwrap_or(0);
    Ok(Value::Timestamp(Timestamp { seconds, nanoseconds, ..at }))
}

fn subtract<'v>(a: &Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_sub(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_sub(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        (Value::Duration(a), Value::Duration(b)) => duration(a.checked_sub(*b)),
        (Value::Timestamp(t), Value::Duration(d)) => match d.checked_neg() {
            Some(back) => later(*t, back),
            None => Err(Error::text(INT_OVERFLOW)),
        },
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            let seconds = a.seconds.checked_sub(b.seconds).and_then(|s| s.checked_mul(SECOND));
            duration(seconds.and_then(|s| s.checked_add(i64::from(a.nanoseconds) - i64::from(b.nanoseconds))))
        }
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(Error::no_overload()),
        _ => Err(no_operation(a, op::SUBTRACT)),
    }
}

fn multiply<'v>(a: &Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_mul(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_mul(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(Error::no_overload()),
        _ => Err(no_operation(a, op::MULTIPLY)),
    }
}

fn divide<'v>(a: &Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Error::text("division by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int(a.checked_div(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_div(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(Error::no_overload()),
        _ => Err(no_operation(a, op::DIVIDE)),
    }
}

fn modulo<'v>(a: &Value<'v>, b: &Value<'v>) -> Outcome<'v> {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Error::text("modulus by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int(a.checked_rem(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_rem(*b)),
        (Value::Int(_) | Value::Uint(_), _) => Err(Error::no_overload()),
        _ => Err(no_operation(a, op::MODULO)),
    }
}
