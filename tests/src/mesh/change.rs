//! What an option changes: the difference of two records.
//!
//! In: the record of a mode and the record of the same mode with an option. Out: a change as the data holds it.

use super::generate::{Placed, Pool};
use super::{map, text};
use engine::json::{Map, Value, to_json};

/// The change from one shape to another.
pub(super) fn between(pool: &mut Pool, base: &Placed, with: &Placed) -> Result<Value, String> {
    let mut fields = Vec::new();
    let gone: Vec<Value> = base.names().filter(|name| with.get(name).is_none()).map(text).collect();
    if !gone.is_empty() {
        fields.push(("drop", Value::array(gone)));
    }
    let (mut places, mut patches) = (Vec::new(), Map::new());
    let mut is_classic = false;
    for one in &with.containers {
        let known = base.get(&one.name);
        let is_moved = known.is_some_and(|known| (known.list, known.side) != (one.list, one.side));
        is_classic |= is_moved;
        if known.is_none() || is_moved {
            let next = with.following(one).unwrap_or_default();
            let mut place = vec![text(one.list), text(one.side), text(&one.name), text(next)];
            if known.is_none() {
                place.push(pool.place(&one.container));
            }
            places.push(Value::array(place));
        }
        if let Some(known) = known
            && let Some(patch) = patch(&known.container, &one.container)
        {
            patches.insert(one.name.as_str(), patch);
        }
    }
    if !places.is_empty() {
        fields.push(("place", Value::array(places)));
    }
    if !patches.is_empty() {
        fields.push(("patch", Value::object(patches)));
    }
    if is_classic {
        fields.push(("isClassic", Value::Bool(true)));
    }
    if base.volumes.iter().any(|volume| !with.volumes.contains(volume)) {
        return Err("an option takes volumes away".to_owned());
    }
    let fresh: Vec<Value> = with
        .volumes
        .iter()
        .filter(|volume| !base.volumes.contains(volume))
        .map(|one| pool.place(one))
        .collect();
    if !fresh.is_empty() {
        fields.push(("volumes", Value::array(fresh)));
    }
    if with.security != base.security {
        fields.push(("security", with.security.clone()));
    }
    if with.drops_init && !base.drops_init {
        fields.push(("dropsInit", Value::Bool(true)));
    }
    Ok(map(fields))
}

/// The merge patch from one value to another; of capabilities, what is added.
fn patch(from: &Value, to: &Value) -> Option<Value> {
    if from == to {
        return None;
    }
    let (Some(before), Some(after)) = (from.as_object(), to.as_object()) else { return Some(to.clone()) };
    let mut out = Map::new();
    for (key, value) in before.iter().filter(|(key, _)| !after.contains_key(key)) {
        let _ = value;
        out.insert(key.clone(), Value::Null);
    }
    for (key, value) in after.iter() {
        let changed = match (before.get(key), value) {
            (Some(Value::Array(known)), Value::Array(all)) if matches!(key.as_str(), "add" | "drop") => {
                let fresh: Vec<Value> = all.iter().filter(|one| !known.contains(one)).cloned().collect();
                (!fresh.is_empty()).then(|| Value::array(fresh))
            }
            (Some(known), value) => patch(known, value),
            (None, value) => Some(value.clone()),
        };
        if let Some(changed) = changed {
            out.insert(key.clone(), changed);
        }
    }
    (!out.is_empty()).then(|| Value::object(out))
}

/// Two changes of one option, seen in two modes, as one; an error where they contradict each other.
pub(super) fn together(one: &Value, other: &Value) -> Result<Value, String> {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return Ok(other.clone()) };
    let mut out = one.clone();
    for (key, value) in other.iter() {
        let both = match (out.get(key), value) {
            (None, value) => value.clone(),
            (Some(known), value) if known == value => continue,
            (Some(Value::Array(known)), Value::Array(more)) => {
                let fresh = more.iter().filter(|one| !known.contains(one));
                Value::array(known.iter().chain(fresh).cloned().collect())
            }
            (Some(known @ Value::Object(_)), Value::Object(_)) if key == "patch" => together(known, value)?,
            (Some(known), value) => {
                return Err(format!("`{key}` is {} and {}", to_json(known), to_json(value)));
            }
        };
        out.insert(key.clone(), both);
    }
    Ok(Value::object(out))
}
