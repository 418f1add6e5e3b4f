//! Changes one field of a tree.

use crate::{Map, Path, Segment, Value};

impl Value {
    /// Sets the value at a path, making maps on the way and lists longer by one item, or takes it out; whether anything
    /// changed.
    pub fn put(&mut self, path: &Path, value: Option<Value>) -> bool {
        let Some((last, way)) = path.split_last() else { return false };
        let mut place = self;
        for (segment, next) in way.iter().zip(path.iter().skip(1)) {
            let grows = value.is_some();
            let empty = || match next {
                Segment::Index(_) => Value::array(Vec::new()),
                Segment::Key(_) => Value::object(Map::new()),
            };
            let below = match segment {
                Segment::Index(at) => {
                    let Some(list) = place.array_mut() else { return false };
                    if grows && *at as usize == list.len() {
                        list.push(empty());
                    }
                    list.get_mut(*at as usize)
                }
                Segment::Key(key) => {
                    if grows && place.get(key).is_none_or(Value::is_null) {
                        place.make_object().insert(key.clone(), empty());
                    }
                    place.object_mut().and_then(|map| map.get_mut(key))
                }
            };
            let Some(below) = below else { return false };
            place = below;
        }
        match (last, value) {
            (Segment::Key(key), Some(value)) => {
                place.make_object().insert(key.clone(), value);
                true
            }
            (Segment::Key(key), None) => place.object_mut().is_some_and(|map| map.remove(key).is_some()),
            (Segment::Index(at), value) => {
                let at = *at as usize;
                let Some(list) = place.array_mut() else { return false };
                match value {
                    Some(value) if at == list.len() => list.push(value),
                    Some(value) => match list.get_mut(at) {
                        Some(item) => *item = value,
                        None => return false,
                    },
                    None if at < list.len() => drop(list.remove(at)),
                    None => return false,
                }
                true
            }
        }
    }
}
