//! Variables and what is selected from them.

use super::locals::Local;
use super::logic::Truth;
use super::{Binding, Evaluation};
use crate::cost::SELECT;
use crate::error::{Error, Kind, Outcome};
use crate::program::{Attribute, Constant, Key, Near, Node, Qualifier, Root};
use crate::value::convert::double_to_int;
use crate::value::{Numbers, Value, go_type, native_type};
use engine_json as json;
use json::{Map, Str};
use std::sync::atomic::Ordering;

type Found<'v> = Result<Option<Value<'v>>, Box<Error>>;

/// What an attribute stands for. Parts of documents are not made values before somebody needs them.
pub(super) enum Resolved<'v> {
    Json(&'v json::Value, Numbers),
    /// An optional part of a document.
    SomeJson(&'v json::Value, Numbers),
    Value(Value<'v>),
    /// An optional value.
    Some(Value<'v>),
    /// Nothing, where that is allowed.
    None,
    /// Whether something is there.
    Test(bool),
}

impl Resolved<'_> {
    fn none(test: bool) -> Self {
        if test { Resolved::Test(false) } else { Resolved::None }
    }
}

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    pub(super) fn variable(&mut self, slot: u16) -> Outcome<'v> {
        match self.input.variables.get(usize::from(slot)) {
            Some(Binding::Value(value)) => Ok(value.clone()),
            Some(Binding::Lazy) => match self.input.lazy {
                Some(lazy) => lazy.variable(slot),
                None => Err(self.missing(slot)),
            },
            Some(Binding::Missing) | None => Err(self.missing(slot)),
        }
    }

    fn missing(&self, slot: u16) -> Box<Error> {
        let name = self.program.names.get(usize::from(slot)).cloned().unwrap_or_default();
        Error::new(Kind::NoSuchAttribute(name))
    }

    pub(super) fn local(&mut self, slot: u16) -> Outcome<'v> {
        let pending = match self.locals.get(slot) {
            Some(Local::Json(value, numbers)) => return Ok(Value::json(value, *numbers)),
            Some(Local::Value(value)) => return Ok(value.clone()),
            Some(Local::Failed(error)) => return Err(error.clone()),
            Some(Local::Pending(node)) => *node,
            Some(Local::Unset) | None => return Ok(Value::Null),
        };
        let outcome = self.eval(pending);
        self.locals.set(
            slot,
            match &outcome {
                Ok(value) => Local::Value(value.clone()),
                Err(error) => Local::Failed(error.clone()),
            },
        );
        outcome
    }

    // cel-go: attributes.go Resolve and applyQualifiers. Each selection that is made costs 1, and the whole 1 more.
    pub(super) fn attribute(&mut self, at: u32, attribute: u32) -> Outcome<'v> {
        match self.resolved(attribute) {
            Ok(Resolved::Json(found, numbers)) => Ok(Value::json(found, numbers)),
            Ok(Resolved::SomeJson(found, numbers)) => Ok(Value::some(Value::json(found, numbers))),
            Ok(Resolved::Value(value)) => Ok(value),
            Ok(Resolved::Some(value)) => Ok(Value::some(value)),
            Ok(Resolved::None) => Ok(Value::Optional(None)),
            Ok(Resolved::Test(is_there)) => Ok(Value::Bool(is_there)),
            Err(error) => Err(self.placed(at, error)),
        }
    }

    /// `has(…)`.
    pub(super) fn has(&mut self, at: u32) -> Truth {
        match self.resolved(at) {
            Ok(Resolved::Test(is_there)) => Truth::from(is_there),
            Ok(_) => Truth::Failed(Error::no_overload()),
            Err(error) => Truth::Failed(error),
        }
    }

    /// What an attribute stands for, and what that costs.
    pub(super) fn resolved(&mut self, at: u32) -> Result<Resolved<'v>, Box<Error>> {
        let program = self.program;
        let Some(attribute) = program.attributes.get(at as usize) else { return Err(Error::no_overload()) };
        if attribute.test && matches!(attribute.root, Root::Conditional(_)) {
            let resolved = self.resolve(attribute);
            self.cost = self.cost.saturating_sub(SELECT);
            return resolved;
        }
        self.charge(if attribute.charged && !attribute.test { SELECT } else { 0 });
        self.resolve(attribute)
    }

    fn resolve(&mut self, attribute: &'v Attribute) -> Result<Resolved<'v>, Box<Error>> {
        if let Some((map, numbers)) = self.document(attribute.root) {
            return self.fields(map, numbers, attribute);
        }
        let mut qualifiers = attribute.qualifiers.as_slice();
        let value = match attribute.root {
            Root::Var(slot) => {
                if let Some(Binding::Lazy) = self.input.variables.get(usize::from(slot))
                    && let Some((first, rest)) = qualifiers.split_first()
                    && let Key::Field(name) = &first.key
                {
                    qualifiers = rest;
                    let found = self.input.lazy.and_then(|lazy| lazy.field(slot, name));
                    match self.lazy_field(found, first, attribute.test && rest.is_empty())? {
                        Ok(value) => value,
                        Err(done) => return Ok(done),
                    }
                } else {
                    self.variable(slot)?
                }
            }
            Root::Local(slot) => self.local(slot)?,
            Root::Node(node) | Root::Conditional(node) => self.eval(node)?,
        };
        if let Value::Optional(inner) = &value {
            let Some(inner) = inner else { return Ok(Resolved::none(attribute.test)) };
            return self.select_all(Value::clone(inner), qualifiers, attribute.test, true);
        }
        self.select_all(value, qualifiers, attribute.test, false)
    }

    /// The map of a document that a root stands for, where it is one and nobody listens.
    fn document(&self, root: Root) -> Option<(&'v Map, Numbers)> {
        let value = match root {
            _ if self.trace.is_some() => return None,
            Root::Var(slot) => match self.input.variables.get(usize::from(slot)) {
                Some(Binding::Value(value)) => value,
                _ => return None,
            },
            Root::Local(slot) => match self.locals.get(slot) {
                Some(Local::Json(json::Value::Object(map), numbers)) => return Some((map, *numbers)),
                Some(Local::Value(value)) => value,
                _ => return None,
            },
            Root::Node(_) | Root::Conditional(_) => return None,
        };
        if let Value::JsonMap(map, numbers) = value { Some((map, *numbers)) } else { None }
    }

    /// Follows fields through the maps of a document: nothing is made on the way. What is not a field, or stands in no map, goes
    /// the long way.
    fn fields(
        &mut self,
        mut map: &'v Map,
        numbers: Numbers,
        attribute: &'v Attribute,
    ) -> Result<Resolved<'v>, Box<Error>> {
        let mut qualifiers = attribute.qualifiers.as_slice();
        let mut is_optional = false;
        let mut units = 0;
        while let Some((first, rest)) = qualifiers.split_first() {
            let Key::Field(name) = &first.key else { break };
            is_optional |= first.optional;
            let Some(found) = look_up(map, name, &first.near) else {
                self.charge(units);
                return self.without(map, numbers, attribute, rest.is_empty(), first, is_optional);
            };
            units += SELECT;
            qualifiers = rest;
            match found {
                found if rest.is_empty() => {
                    self.charge(units);
                    return Ok(match (attribute.test, is_optional) {
                        (true, _) => Resolved::Test(true),
                        (false, false) => Resolved::Json(found, numbers),
                        (false, true) => Resolved::SomeJson(found, numbers),
                    });
                }
                json::Value::Object(next) => map = next,
                other => {
                    self.charge(units);
                    let value = Value::json(other, numbers);
                    return self.select_all(value, qualifiers, attribute.test, is_optional);
                }
            }
        }
        self.charge(units);
        self.select_all(Value::JsonMap(map, numbers), qualifiers, attribute.test, is_optional)
    }

    /// What an attribute is when a map does not have its field.
    fn without(
        &mut self,
        map: &'v Map,
        numbers: Numbers,
        attribute: &Attribute,
        is_last: bool,
        field: &'v Qualifier,
        is_optional: bool,
    ) -> Result<Resolved<'v>, Box<Error>> {
        if is_optional {
            return Ok(Resolved::none(attribute.test));
        }
        self.charge(SELECT);
        if attribute.test && is_last {
            return Ok(Resolved::Test(false));
        }
        Err(self.absent(&Value::JsonMap(map, numbers), field))
    }

    /// Selects from a value, one after the other.
    fn select_all(
        &mut self,
        mut value: Value<'v>,
        qualifiers: &'v [Qualifier],
        test: bool,
        mut is_optional: bool,
    ) -> Result<Resolved<'v>, Box<Error>> {
        let last = qualifiers.len().wrapping_sub(1);
        for (place, qualifier) in qualifiers.iter().enumerate() {
            is_optional |= qualifier.optional;
            let found = self.select(&value, qualifier);
            let is_test = test && place == last;
            if is_optional {
                let is_set = is_set(&value, qualifier);
                if is_set.is_some() && matches!(&value, Value::Opaque(opaque) if opaque.is_struct()) {
                    // cel-go: an optional qualifier looks for the name that Go has, and finds none.
                    return Err(no_field(qualifier));
                }
                match found?.filter(|_| is_set != Some(false)) {
                    Some(found) => {
                        self.charge(SELECT);
                        value = found;
                    }
                    None => return Ok(Resolved::none(test)),
                }
            } else {
                self.charge(SELECT);
                match found? {
                    // cel-go: ext/native.go nativeObj.IsSet; a field that is empty is not there.
                    Some(found) if is_test && matches!(value, Value::Opaque(_)) => {
                        let is_set = is_set(&value, qualifier).unwrap_or(found.size() != Some(0));
                        return Ok(Resolved::Test(is_set));
                    }
                    Some(found) => value = found,
                    None if is_test => return Ok(Resolved::Test(false)),
                    None => return Err(self.absent(&value, qualifier)),
                }
            }
            if self.trace.is_some() && place != last {
                self.describe_part(qualifier, &value);
            }
        }
        if test {
            return Ok(Resolved::Test(true));
        }
        Ok(if is_optional { Resolved::Some(value) } else { Resolved::Value(value) })
    }

    #[cold]
    fn describe_part(&mut self, qualifier: &Qualifier, value: &Value<'v>) {
        if let Some(trace) = &mut self.trace {
            trace.value(qualifier.place, Ok(value));
        }
    }

    /// A field of a lazy variable: its value, or what the whole attribute is then.
    fn lazy_field(
        &mut self,
        found: Option<Outcome<'v>>,
        qualifier: &'v Qualifier,
        is_test: bool,
    ) -> Result<Result<Value<'v>, Resolved<'v>>, Box<Error>> {
        match found {
            Some(found) if is_test => {
                self.charge(SELECT);
                found.map(|_| Err(Resolved::Test(true)))
            }
            Some(found) => {
                self.charge(SELECT);
                found.map(|value| Ok(if qualifier.optional { Value::some(value) } else { value }))
            }
            None if is_test => {
                self.charge(SELECT);
                Ok(Err(Resolved::Test(false)))
            }
            None if qualifier.optional => Ok(Err(Resolved::None)),
            None => {
                self.charge(SELECT);
                Err(self.absent(&Value::Null, qualifier))
            }
        }
    }

    // cel-go: attributes.go refQualify.
    fn select(&mut self, value: &Value<'v>, qualifier: &'v Qualifier) -> Found<'v> {
        let program = self.program;
        match &qualifier.key {
            Key::Field(name) => match value {
                Value::JsonMap(map, numbers) => {
                    Ok(look_up(map, name, &qualifier.near).map(|found| Value::json(found, *numbers)))
                }
                Value::Map(map) => Ok(map.get_str(name).cloned()),
                other => find(other, &Value::Str(name)),
            },
            Key::Constant(at) => match program.constants.get(*at as usize) {
                Some(constant) => find(value, &constant.value()),
                None => Ok(None),
            },
            Key::Node(node) => {
                let key = self.eval(*node)?;
                if !is_key(&key) {
                    let of = if self.is_native(*node) { native_type(&key) } else { go_type(&key) };
                    return Err(Error::text(format!("invalid qualifier type: {of}")));
                }
                find(value, &key)
            }
        }
    }

    /// Whether the original holds the value of a node as it lies in a variable.
    fn is_native(&self, node: u32) -> bool {
        match self.program.nodes.get(node as usize) {
            Some(Node::Var(..)) => true,
            Some(Node::Attribute(at)) => {
                let attribute = self.program.attributes.get(*at as usize);
                attribute.is_some_and(|attribute| matches!(attribute.root, Root::Var(_)))
            }
            Some(Node::Conditional(_, yes, no)) => self.is_native(*yes) && self.is_native(*no),
            _ => false,
        }
    }

    /// The error for what is not there.
    #[cold]
    fn absent(&mut self, value: &Value<'v>, qualifier: &'v Qualifier) -> Box<Error> {
        let key = match &qualifier.key {
            Key::Field(name) => Str::from(&**name),
            Key::Constant(at) => {
                let constant = self.program.constants.get(*at as usize).map(Constant::value);
                Str::from(constant.map_or_else(String::new, |key| key.to_string()))
            }
            Key::Node(node) => {
                let (cost, steps) = (self.cost, self.steps);
                let key = self.eval(*node).map_or_else(|_| String::new(), |key| key.to_string());
                (self.cost, self.steps) = (cost, steps);
                Str::from(key)
            }
        };
        let kind = if value.as_list().is_some() { Kind::OutOfBounds(key) } else { Kind::NoSuchKey(key) };
        Box::new(Error { kind, at: Some(qualifier.place) })
    }
}

/// A field of a map, which is looked for at the last two places where it stood: maps of one kind are alike.
#[inline]
fn look_up<'v>(map: &'v Map, name: &str, near: &Near) -> Option<&'v json::Value> {
    let guesses = near.load(Ordering::Relaxed);
    let [first, second] = guesses.to_le_bytes();
    match map.get_at(usize::from(first), name) {
        Some(found) => Some(found),
        None => match map.get_at(usize::from(second), name) {
            Some(found) => Some(found),
            None => look_everywhere(map, name, near, first),
        },
    }
}

fn look_everywhere<'v>(map: &'v Map, name: &str, near: &Near, last: u8) -> Option<&'v json::Value> {
    let at = map.position(name)?;
    if let Ok(at) = u8::try_from(at) {
        near.store(u16::from_le_bytes([at, last]), Ordering::Relaxed);
    }
    map.at(at).map(|(_, value)| value)
}

fn is_key(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Str(_) | Value::Text(_)
    )
}

/// What stands under a key; `None` where nothing does.
///
/// # Errors
/// A list is asked for something that is no place.
fn find<'v>(value: &Value<'v>, key: &Value<'_>) -> Found<'v> {
    if let Some(map) = value.as_map() {
        return Ok(map.get(key));
    }
    if let Some(list) = value.as_list() {
        let at = index(key)?;
        return Ok(usize::try_from(at).ok().and_then(|at| list.get(at)));
    }
    let Value::Opaque(opaque) = value else { return Ok(None) };
    // cel-go: ext/native.go nativeObj.Get.
    match key.as_str().map(|name| (name, opaque.field(name))) {
        Some((_, Some(found))) => Ok(Some(found)),
        Some((name, None)) if opaque.is_struct() => Err(Error::text(format!("no such field: {name}"))),
        None if opaque.is_struct() => Err(Error::no_overload()),
        _ => Ok(None),
    }
}

fn no_field(qualifier: &Qualifier) -> Box<Error> {
    match &qualifier.key {
        Key::Field(name) => Error::text(format!("no such field: {name}")),
        _ => Error::no_overload(),
    }
}

/// Whether a type that knows it holds something in a field.
fn is_set(value: &Value<'_>, qualifier: &Qualifier) -> Option<bool> {
    match (value, &qualifier.key) {
        (Value::Opaque(opaque), Key::Field(name)) => opaque.is_set(name),
        _ => None,
    }
}

// cel-go: list.go IndexOrError.
fn index(key: &Value<'_>) -> Result<i64, Box<Error>> {
    let place = match key {
        Value::Int(at) => return Ok(*at),
        Value::Double(at) => double_to_int(*at),
        Value::Uint(at) => i64::try_from(*at).ok(),
        other => {
            let of = other.type_name();
            return Err(Error::text(format!("unsupported index type '{of}' in list")));
        }
    };
    place.ok_or_else(|| Error::text(format!("unsupported index value {key} in list")))
}
