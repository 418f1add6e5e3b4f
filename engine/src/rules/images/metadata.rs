//! What a resource carries about the verification of its images.
//!
//! In: what the rules of a policy found out. Out: the annotations `kyverno.io/verify-images` and
//! `kyverno.io/verify-images-scoped`; and back, what they say of an image.
//! Mirrors: pkg/engine/api/imageverifymetadata.go, pkg/engine/utils/image.go.

use crate::resource::Resource;
use crate::rules::Subject;
use engine_json::{Map, Value, parse, to_json};

/// The annotation that says of each image whether it was verified.
const ANNOTATION: &str = "kyverno.io/verify-images";
/// The same, by policy and rule.
const SCOPED_ANNOTATION: &str = "kyverno.io/verify-images-scoped";

/// What the rules of one policy found out of each image.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    images: Map,
    rules: Map,
}

impl Metadata {
    pub(super) fn add(&mut self, image: &str, status: &'static str) {
        self.images.insert(image, Value::from(status));
    }

    pub(super) fn add_scoped(&mut self, rule: &str, image: &str, status: &'static str) {
        self.add(image, status);
        if !self.rules.contains_key(rule) {
            self.rules.insert(rule, Value::object(Map::new()));
        }
        if let Some(images) = self.rules.get_mut(rule).and_then(Value::object_mut) {
            images.insert(image, Value::from(status));
        }
    }

    /// The annotations, where there is anything to say.
    // Kyverno: ImageVerificationMetadata.Patches.
    pub(crate) fn annotations(&self, policy: &str) -> Vec<(&'static str, String)> {
        if self.images.is_empty() {
            return Vec::new();
        }
        let sorted = |map: &Map| -> Map {
            map.sorted().into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let mut found = vec![(ANNOTATION, to_json(&Value::object(sorted(&self.images))))];
        if !self.rules.is_empty() {
            let rules = sorted(&self.rules)
                .iter()
                .map(|(rule, images)| {
                    (rule.clone(), Value::object(sorted(images.as_object().unwrap_or(&Map::new()))))
                })
                .collect::<Map>();
            let policies: Map = [(policy, Value::object(rules))].into_iter().collect();
            // Go: a struct prints its fields in order, a map sorted.
            let policies = to_json(&Value::object(policies));
            found.push((SCOPED_ANNOTATION, format!("{{\"version\":1,\"policies\":{policies}}}")));
        }
        found
    }
}

/// What the resource says of an image under this policy and rule: `pass`, `fail` or `skip`.
// Kyverno: IsImageVerifiedForPolicy; only the annotation with policies counts.
pub(super) fn verified_status(
    subject: &Subject<'_>,
    resource: &Resource,
    image: &str,
) -> Result<String, String> {
    let annotation =
        resource.annotations().and_then(|all| all.get(SCOPED_ANNOTATION)).and_then(Value::as_str);
    let Some(text) = annotation else { return Ok("fail".to_owned()) };
    let metadata = parse(text).map_err(|error| format!("failed to parse scoped image metadata: {error}"))?;
    let policy = format!("{}/{}", subject.policy.namespace, subject.policy.name);
    let is_known = metadata.get("version").and_then(Value::as_i64) == Some(1);
    let status = metadata.find_str(&["policies", &policy, &subject.rule.name, image]);
    Ok(if is_known && !status.is_empty() { status.to_owned() } else { "fail".to_owned() })
}
