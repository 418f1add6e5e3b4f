//! The road of an object into a cluster, as far as policies that mutate.
//!
//! In: an object as somebody wrote it. Out: the object as it arrives.

use crate::decode::{Refusal, decoded, decoded_metadata};
use crate::encode::{Empty, write};
use crate::table::{Table, table};
use crate::{admission, creation, defaults};
use engine_json::{Map, Str, Value};

/// An object as it arrives.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The object.
    pub object: Value,
    /// How many fields it has that were not written.
    pub filled: usize,
    /// What the server refuses, or leaves out with a warning where it was not asked to refuse.
    pub refused: Vec<Refusal>,
}

impl Stored {
    /// What the server answers instead of storing the object, where the client asks it to be strict, as kubectl does.
    // k8s.io/apiserver: transformDecodeError; sigs.k8s.io/json: the first value that cannot be read ends it.
    pub fn refusal(&self) -> Option<String> {
        let why = self.fault()?;
        let (version, kind) = (self.object.find_str(&["apiVersion"]), self.object.find_str(&["kind"]));
        let version = version.rsplit('/').next().unwrap_or("");
        Some(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"))
    }

    /// What its reader comes to first: what no reader takes, else what a strict one does not.
    pub fn first(&self) -> Option<&Refusal> {
        self.refused.iter().find(|refusal| refusal.is_fatal()).or(self.refused.first())
    }

    /// What is wrong with the object, where its reader is strict.
    pub fn fault(&self) -> Option<String> {
        let first = self.first()?;
        if first.is_fatal() {
            return Some(first.to_string());
        }
        let unknown: Vec<String> = self.refused.iter().map(Refusal::to_string).collect();
        Some(format!("strict decoding error: {}", unknown.join(", ")))
    }
}

/// The object as policies see it that may change it: read by its type, filled in, admitted. Of a kind that is not Kubernetes' own the
/// metadata are read.
pub fn stored(object: &Value) -> Stored {
    read(object, admission::admit)
}

/// The object as a policy has left it that changed it: read by its type, and filled in once more.
// k8s.io/apiserver: plugin/policy/mutating/dispatcher.go dispatchOne, plugin/webhook/mutating/dispatcher.go callAttrMutatingHook.
pub fn patched(object: &Value) -> Stored {
    read(object, |_, _, _| {})
}

fn read(object: &Value, admit: fn(&mut Map, &str, &str)) -> Stored {
    let Some(written) = object.as_object() else {
        return Stored { object: object.clone(), ..Stored::default() };
    };
    let table = table();
    let Some(kind) = table.kind_of(written) else { return custom(written, table) };
    let of = table.of(kind.of);
    let (mut map, refused) = decoded(written, of, table);
    if kind.is_filled {
        defaults::fill(&mut map, of, table);
    }
    admit(&mut map, kind.version, kind.name);
    write(&mut map, of, table, Empty::Kept);
    Stored { filled: added_fields(written, &map), object: Value::object(map), refused }
}

/// The object as somebody reads it who asks for it later: filled in once more, and a list without items is null where it is not left out.
pub fn read_back(object: &Value) -> Value {
    let table = table();
    let Some(written) = object.as_object() else { return object.clone() };
    let Some(kind) = table.kind_of(written) else { return object.clone() };
    let of = table.of(kind.of);
    let (mut map, _) = decoded(written, of, table);
    if kind.is_filled {
        defaults::fill(&mut map, of, table);
    }
    creation::read(&mut map, kind.name);
    write(&mut map, of, table, Empty::Null);
    Value::object(map)
}

fn custom(written: &Map, table: &'static Table) -> Stored {
    let mut object = written.clone();
    let metadata = written.get("metadata").and_then(Value::as_object);
    let refused = metadata.map(|metadata| {
        let (mut metadata, refused) = decoded_metadata(metadata, table);
        write(&mut metadata, table.metadata(), table, Empty::Kept);
        object.insert("metadata", Value::object(metadata));
        refused
    });
    Stored { object: Value::object(object), filled: 0, refused: refused.unwrap_or_default() }
}

/// How many fields one value has that the other has not; those below a field that is new are not counted.
fn added(before: &Value, after: &Value) -> usize {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => added_fields(before, after),
        (Value::Array(before), Value::Array(after)) => {
            let both: usize =
                before.iter().zip(after.iter()).map(|(before, after)| added(before, after)).sum();
            both + after.len().saturating_sub(before.len())
        }
        _ => 0,
    }
}

fn added_fields(before: &Map, after: &Map) -> usize {
    let new = |(key, after): (&Str, &Value)| before.get(key).map_or(1, |before| added(before, after));
    after.iter().map(new).sum()
}
