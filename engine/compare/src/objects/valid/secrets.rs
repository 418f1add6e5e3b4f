//! Secrets: which keys each type of them needs.
//!
//! In: a Secret. Out: whether Kubernetes' validation takes it, and the same with the keys that it lacks.
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (`ValidateSecret`)

use super::complete::{SOME, needs};
use crate::objects::kinds::map;
use engine::value::base64::{decode, encode};
use engine_json::{Map, Value};

/// The annotation of a token of a ServiceAccount.
const ACCOUNT: &str = "kubernetes.io/service-account.name";
/// A key or an annotation that must not be empty.
const NOT_EMPTY: &str = "ssh-privatekey";

/// The bytes of a key, which may be written as text.
fn bytes(secret: &Value, key: &str) -> Option<Vec<u8>> {
    if let Some(text) = secret.find(&["stringData", key]) {
        return Some(text.as_str().unwrap_or_default().as_bytes().to_vec());
    }
    let data = secret.find(&["data", key])?;
    Some(decode(data.as_str().unwrap_or_default().as_bytes()).unwrap_or_default())
}

/// Whether a key holds a map in JSON.
fn is_config(secret: &Value, key: &str) -> bool {
    let text = bytes(secret, key).and_then(|bytes| String::from_utf8(bytes).ok());
    let read = text.and_then(|text| engine_json::parse(&text).ok());
    read.is_some_and(|read| matches!(read, Value::Object(_) | Value::Null))
}

/// Whether a Secret has what its type asks for; other types ask for nothing.
pub(super) fn is_secret(secret: &Value) -> bool {
    let has = |key: &str| bytes(secret, key).is_some();
    match secret.find_str(&["type"]) {
        "kubernetes.io/service-account-token" => {
            !secret.find_str(&["metadata", "annotations", ACCOUNT]).is_empty()
        }
        "kubernetes.io/dockercfg" => is_config(secret, ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => is_config(secret, ".dockerconfigjson"),
        "kubernetes.io/basic-auth" => has("username") || has("password"),
        "kubernetes.io/ssh-auth" => bytes(secret, NOT_EMPTY).is_some_and(|key| !key.is_empty()),
        "kubernetes.io/tls" => has("tls.crt") && has("tls.key"),
        _ => true,
    }
}

/// Gives a Secret what its type asks for.
pub(super) fn complete(secret: &mut Value) {
    if is_secret(secret) {
        return;
    }
    let (keys, text): (&[&'static str], _) = match secret.find_str(&["type"]) {
        "kubernetes.io/service-account-token" => {
            let metadata = secret.make_object();
            needs(metadata, "metadata", Value::object(Map::new()));
            if let Some(metadata) = metadata.get_mut("metadata").and_then(Value::object_mut) {
                needs(metadata, "annotations", Value::object(Map::new()));
                if let Some(all) = metadata.get_mut("annotations").and_then(Value::object_mut) {
                    all.insert(ACCOUNT, Value::from(SOME));
                }
            }
            return;
        }
        "kubernetes.io/dockercfg" => (&[".dockercfg"], "{}"),
        "kubernetes.io/dockerconfigjson" => (&[".dockerconfigjson"], "{}"),
        "kubernetes.io/basic-auth" => (&["username"], SOME),
        "kubernetes.io/ssh-auth" => (&[NOT_EMPTY], SOME),
        _ => (&["tls.crt", "tls.key"], SOME),
    };
    let is_there = |key: &str| text == SOME && key != NOT_EMPTY && bytes(secret, key).is_some();
    let missing: Vec<&'static str> = keys.iter().copied().filter(|key| !is_there(key)).collect();
    let secret = secret.make_object();
    if let Some(texts) = secret.get_mut("stringData").and_then(Value::object_mut) {
        for key in &missing {
            texts.remove(key);
        }
    }
    needs(secret, "data", Value::object(map([])));
    let Some(data) = secret.get_mut("data").and_then(Value::object_mut) else { return };
    for key in missing {
        data.insert(key, Value::from(encode(text.as_bytes())));
    }
}
