//! Lists, maps and objects that are written out.

use super::Evaluation;
use super::operate::unhashable;
use crate::cost;
use crate::error::{Error, Outcome};
use crate::value::{Map, Value};

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    // What is made is charged behind its parts: a part that ends the evaluation is the last to be charged.
    pub(super) fn list(&mut self, first: u32, count: u32) -> Outcome<'v> {
        let made = self.made_list(first, count);
        self.charge(cost::LIST);
        made
    }

    fn made_list(&mut self, first: u32, count: u32) -> Outcome<'v> {
        self.host.charge(count as usize * size_of::<Value<'_>>())?;
        let mut list = Vec::with_capacity(count as usize);
        for at in 0..count {
            list.push(self.eval(self.argument(first.saturating_add(at)))?);
        }
        Ok(Value::list(list))
    }

    pub(super) fn optional_list(&mut self, first: u32, count: u32) -> Outcome<'v> {
        let made = self.made_optional_list(first, count);
        self.charge(cost::LIST);
        made
    }

    fn made_optional_list(&mut self, first: u32, count: u32) -> Outcome<'v> {
        let mut list = Vec::with_capacity(count as usize);
        for at in 0..count {
            let at = first.saturating_add(at * 2);
            let value = self.eval(self.argument(at))?;
            if self.argument(at.saturating_add(1)) == 0 {
                list.push(value);
                continue;
            }
            match value {
                Value::Optional(value) => list.extend(value.map(|value| Value::clone(&value))),
                other => {
                    let text = "cannot initialize optional list element from non-optional value";
                    return Err(Error::text(format!("{text} {other}")));
                }
            }
        }
        self.host.charge(list.len() * size_of::<Value<'_>>())?;
        Ok(Value::list(list))
    }

    pub(super) fn map(&mut self, first: u32, count: u32) -> Outcome<'v> {
        let made = self.made_map(first, count);
        self.charge(cost::MAP);
        made
    }

    fn made_map(&mut self, first: u32, count: u32) -> Outcome<'v> {
        self.host.charge(count as usize * 2 * size_of::<Value<'_>>())?;
        let mut map = Map::with_capacity(count as usize);
        for at in 0..count {
            let at = first.saturating_add(at * 3);
            let key = self.eval(self.argument(at))?;
            if self.program.refuses_other_keys && !is_plain(&key) {
                return Err(Error::text("unsupported key type"));
            }
            let value = self.eval(self.argument(at.saturating_add(1)))?;
            let optional = self.argument(at.saturating_add(2)) != 0;
            entry(&mut map, key, value, optional).map_err(|error| self.ended(error))?;
        }
        Ok(Value::map(map))
    }

    pub(super) fn object(&mut self, name: u32, first: u32, count: u32) -> Outcome<'v> {
        let made = self.made_object(name, first, count);
        self.charge(cost::STRUCT);
        made
    }

    fn made_object(&mut self, name: u32, first: u32, count: u32) -> Outcome<'v> {
        let program = self.program;
        let mut map = Map::with_capacity(count as usize);
        map.type_name = program.names.get(name as usize).cloned();
        for at in 0..count {
            let at = first.saturating_add(at * 3);
            let field = program.names.get(self.argument(at) as usize).map_or("", |name| name.as_str());
            let value = self.eval(self.argument(at.saturating_add(1)))?;
            let optional = self.argument(at.saturating_add(2)) != 0;
            entry(&mut map, Value::Str(field), value, optional)?;
        }
        super::messages::made(map)
    }
}

/// Whether the specification knows keys of this type.
fn is_plain(key: &Value<'_>) -> bool {
    matches!(key, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Str(_) | Value::Text(_))
}

/// Sets an entry; an optional one that is not there takes away what stood under its key.
// cel-go: interpretable.go evalMap.
fn entry<'v>(map: &mut Map<'v>, key: Value<'v>, value: Value<'v>, optional: bool) -> Result<(), Box<Error>> {
    if matches!(&key, Value::Bytes(_) | Value::Octets(_))
        || matches!(&key, Value::Opaque(opaque) if !opaque.is_hashable())
    {
        return Err(unhashable(&key));
    }
    if !optional {
        map.insert(key, value);
        return Ok(());
    }
    match value {
        Value::Optional(Some(value)) => map.insert(key, Value::clone(&value)),
        Value::Optional(None) => map.remove(&key),
        other => {
            let text = format!("cannot initialize optional entry '{key}' from non-optional value {other}");
            return Err(Error::text(text));
        }
    }
    Ok(())
}
