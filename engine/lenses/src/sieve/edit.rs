//! Changes of values: what a tightening does to a policy, and an attack to a Pod.
//!
//! In: a value and edits. Out: the changed value, or nothing where an edit finds no place.

use engine_json::{Map, Path, Segment, Value};

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    /// A value is set; maps on the way to it are made.
    Set(Path, Value),
    /// A value is put at the end of a list, which is made where it is missing.
    Push(Path, Value),
    /// A value goes, and the lists and maps that it leaves empty with it.
    Remove(Path),
}

impl Edit {
    /// The place that changes.
    pub(super) fn path(&self) -> &Path {
        match self {
            Edit::Set(path, _) | Edit::Push(path, _) | Edit::Remove(path) => path,
        }
    }
}

/// The value after the edits.
pub(super) fn edited(value: &Value, edits: &[Edit]) -> Option<Value> {
    let mut changed = value.clone();
    for edit in edits {
        match edit {
            Edit::Set(path, value) => *place(&mut changed, path)? = value.clone(),
            Edit::Push(path, value) => {
                let list = place(&mut changed, path)?;
                if list.is_null() {
                    *list = Value::array(Vec::new());
                }
                list.array_mut()?.push(value.clone());
            }
            Edit::Remove(path) => remove(&mut changed, path)?,
        }
    }
    Some(changed)
}

/// The place of a path, made where maps on the way are missing.
fn place<'v>(root: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.iter().try_fold(root, |value, segment| match segment {
        Segment::Key(key) => {
            if value.is_null() {
                *value = Value::object(Map::new());
            }
            let map = value.object_mut()?;
            if !map.contains_key(key) {
                map.insert(key.clone(), Value::Null);
            }
            map.get_mut(key)
        }
        Segment::Index(at) => value.array_mut()?.get_mut(*at as usize),
    })
}

fn remove(root: &mut Value, path: &Path) -> Option<()> {
    let (last, way) = path.split_last()?;
    let parent = way.iter().try_fold(&mut *root, |value, segment| match segment {
        Segment::Key(key) => value.object_mut()?.get_mut(key),
        Segment::Index(at) => value.array_mut()?.get_mut(*at as usize),
    })?;
    let is_empty = match last {
        Segment::Key(key) => {
            let map = parent.object_mut()?;
            map.remove(key)?;
            map.is_empty()
        }
        Segment::Index(at) => {
            let list = parent.array_mut()?;
            if *at as usize >= list.len() {
                return None;
            }
            list.remove(*at as usize);
            list.is_empty()
        }
    };
    if is_empty && !way.is_empty() {
        return remove(root, &way.into());
    }
    Some(())
}
