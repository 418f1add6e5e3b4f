//! The entries of `verifyImages`, and the images that each is for.
//!
//! In: a rule and a resource. Out: the entries with their old fields put where they belong, and the images that they name.
//! Mirrors: pkg/engine/utils/image.go, api/kyverno/v1/image_verification_types.go.

use crate::context::{Image, JsonContext, find_images};
use crate::rules::Subject;
use crate::value::wildcard;
use engine_json::{Map, Value};

/// The images of the subject that the rule is for, once for each entry that names them.
// Kyverno: ExtractMatchingImages.
pub(super) fn matching(subject: &Subject<'_>, context: &mut JsonContext<'_>) -> Result<Vec<Image>, String> {
    let all = all_images(subject, context)?;
    let entries: Vec<Value> = entries(&subject.rule.raw).iter().map(converted).collect();
    let named = |image: &Image| {
        let text = image.reference.to_string();
        entries.iter().filter(|entry| references(entry, "imageReferences", &text)).count()
    };
    Ok(all.iter().flat_map(|image| std::iter::repeat_n(image.clone(), named(image))).collect())
}

/// The images of the subject; those that extractors of the rule find become part of `images`.
// Kyverno: GenerateCustomImageInfo.
pub(super) fn all_images(subject: &Subject<'_>, context: &mut JsonContext<'_>) -> Result<Vec<Image>, String> {
    let extractors = subject.rule.raw.get("imageExtractors").filter(|value| !value.is_null());
    let find = |extractors, evaluator| {
        find_images(&subject.resource.value, extractors, subject.image_settings, evaluator)
    };
    if extractors.is_none() {
        // Kyverno: without extractors of its own, the rule sees no image where one cannot be read.
        return Ok(find(None, None).unwrap_or_default());
    }
    // Kyverno: what the rule would see without its extractors is loaded first; where it cannot be, nothing is said.
    drop(context.load_matching("images"));
    let found = find(extractors, Some(context.evaluator))
        .map_err(|error| format!("failed to extract images: {error}"))?;
    context.add_images(&found);
    Ok(found)
}

/// The entries of `verifyImages`.
pub(super) fn entries(rule: &Value) -> &[Value] {
    rule.get("verifyImages").and_then(Value::as_array).unwrap_or_default()
}

/// Whether one of these wildcards fits the image.
pub(super) fn references(entry: &Value, key: &str, image: &str) -> bool {
    let list = entry.get(key).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).any(|pattern| wildcard::matches(pattern, image))
}

/// An entry with its old fields put where they belong now.
// Kyverno: ImageVerification.Convert; what it adds to attestations is lost again.
pub(super) fn converted(entry: &Value) -> Value {
    let text = |key: &str| entry.find_str(&[key]);
    if text("image").is_empty() && text("key").is_empty() && text("issuer").is_empty() {
        return entry.clone();
    }
    let list = |key: &str| entry.get(key).and_then(Value::as_array).unwrap_or_default().to_vec();
    let mut fields = entry.as_object().cloned().unwrap_or_default();
    if !text("image").is_empty() {
        let mut references = list("imageReferences");
        references.push(Value::from(text("image")));
        fields.insert("imageReferences", Value::array(references));
    }
    if list("attestations").is_empty() {
        let mut attestor = Map::new();
        if !text("key").is_empty() {
            let keys: Map = [("publicKeys", Value::from(text("key")))].into_iter().collect();
            attestor.insert("keys", Value::object(keys));
        } else if !text("issuer").is_empty() {
            let keyless = ["issuer", "subject", "roots"].map(|key| (key, Value::from(text(key))));
            attestor.insert("keyless", Value::object(keyless.into_iter().collect::<Map>()));
        }
        if let Some(annotations) = entry.get("annotations").filter(|value| !value.is_null()) {
            attestor.insert("annotations", annotations.clone());
        }
        if !attestor.is_empty() {
            let set = [("entries", Value::array(vec![Value::object(attestor)]))];
            let mut sets = list("attestors");
            sets.push(Value::object(set.into_iter().collect::<Map>()));
            fields.insert("attestors", Value::array(sets));
        }
    }
    Value::object(fields)
}
