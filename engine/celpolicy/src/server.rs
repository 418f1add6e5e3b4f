//! An API server of the release that `engine-kubernetes` knows, for hosts that follow a cluster.
//!
//! In: objects. Out: what the server makes of them on their way to its policies.

use engine::load::{ApiServer, Arrived, Fault, label_key, label_value};
use engine_json::{Map, Value, quote};
use engine_kubernetes::{Creation, Refusal, Stored};
use engine_podsecurity::defaults::defaulted_object;
use engine_values::time::Time;

/// What stores objects as an API server does.
pub(crate) static API_SERVER: ApiServer = ApiServer {
    stored: |object| arrived(engine_kubernetes::stored(object)),
    patched: |object| arrived(engine_kubernetes::patched(object)),
    created,
    invalid,
    kept: |object| engine_kubernetes::read_back(&engine_kubernetes::stored(object).object),
};

/// An object as policies of a server see it that validate; of one that it cannot read, what pod security reads.
pub fn as_stored(object: &Value) -> Value {
    let stored = engine_kubernetes::stored(&object.with_int_numbers());
    let is_read = !stored.first().is_some_and(Refusal::is_fatal);
    if is_read { created(&stored.object, None, 0) } else { defaulted_object(object) }
}

fn arrived(stored: Stored) -> Arrived {
    let fault = stored.first().map(|first| Fault {
        is_fatal: first.is_fatal(),
        words: stored.fault().unwrap_or_default(),
        answer: stored.refusal().unwrap_or_default(),
        path: first.path.clone(),
    });
    Arrived { fault, filled: stored.filled, object: stored.object }
}

fn invalid(object: &Value) -> Vec<String> {
    let labels = object.find(&["metadata", "labels"]).and_then(Value::as_object);
    let words = labels.into_iter().flat_map(Map::iter).flat_map(|(key, value)| {
        let value = value.as_str().unwrap_or("");
        let of_key = label_key(key).into_iter().map(move |words| (key.as_str(), words));
        of_key.chain(label_value(value).into_iter().map(move |words| (value, words)))
    });
    let of_labels =
        words.map(|(text, words)| format!("metadata.labels: Invalid value: {}: {words}", quote(text)));
    of_labels.chain(engine_kubernetes::invalid(object)).collect()
}

/// An object that has a uid comes from a cluster, and is as it is.
fn created(object: &Value, old: Option<&Value>, now: i64) -> Value {
    if !object.find_str(&["metadata", "uid"]).is_empty() {
        return object.clone();
    }
    let time = Time::from_unix(now.div_euclid(1_000_000_000), 0).to_rfc3339();
    // Which of them it is differs from request to request.
    let creation = Creation {
        uid: "00000000-0000-0000-0000-000000000000",
        time: &time,
        suffix: "xxxxx",
        address: "10.96.0.0",
        node_port: 30000,
    };
    // Ports are counted.
    let whole = (object.find_str(&["kind"]) == "Service").then(|| object.with_int_numbers());
    let object = whole.as_ref().unwrap_or(object);
    match old {
        Some(old) => engine_kubernetes::updated(object, old, &creation),
        None => engine_kubernetes::created(object, &creation),
    }
}
