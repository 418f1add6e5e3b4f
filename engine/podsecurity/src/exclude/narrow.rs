//! The narrowest exclusions that lift a failed check of one Pod.
//!
//! In: a Pod and a check that fails. Out: an exclusion for each image and field, with exactly the values that stand
//! there: `{control: "Capabilities", images: ["docker.io/istio/proxyv2:1.24.0"], restricted_field:
//! "spec.initContainers[*].securityContext.capabilities.add", values: ["NET_ADMIN", "NET_RAW"]}`. They have been tried.

use super::apply::{bad_values, without_places};
use super::{Exclusion, Images, Wildcard, apply, control_of, evaluate};
use crate::{CheckResult, Level, PodView, Version};
use engine_json::Str;
use engine_json::arrange::Arrange as _;

/// The exclusions; none where no exclusion lifts the check.
pub fn narrowest(
    policy: (Level, Version),
    failed: &CheckResult,
    pod: &PodView<'_>,
    wildcard: &Wildcard,
) -> Option<Vec<Exclusion>> {
    let control = control_of(failed.check.id)?;
    let mut exclusions: Vec<Exclusion> = Vec::new();
    for violation in &failed.violations {
        let container = pod.spec.at_path(violation.path.iter().skip(1).take(2));
        let image = container
            .filter(|_| violation.container().is_some())
            .map(|container| container.find_str(&["image"]));
        let images: Vec<Str> = match (control.images, image) {
            (Images::Forbidden, _) | (Images::Optional, None) => Vec::new(),
            (Images::Required | Images::Optional, Some(image)) if !image.is_empty() => vec![Str::new(image)],
            (Images::Required | Images::Optional, _) => return None,
        };
        let field = Str::new(without_places(violation));
        let mut values = bad_values(violation);
        if values.is_empty() {
            // What is missing has no value and fits any, and Kyverno takes no field without values.
            values.push(Str::new_static("nil"));
        }
        let same = |known: &&mut Exclusion| known.images == images && known.restricted_field == field;
        match exclusions.iter_mut().find(same) {
            Some(known) => {
                known.values.extend(values);
                known.values.arrange();
                known.values.dedup();
            }
            None => exclusions.push(Exclusion {
                control: Str::new_static(control.name),
                images,
                restricted_field: field,
                values,
            }),
        }
    }
    let left = apply(policy, &exclusions, evaluate(policy, pod), pod, wildcard);
    let is_lifted = !left.iter().any(|result| control.checks.contains(&result.check.id));
    (is_lifted && !exclusions.is_empty()).then_some(exclusions)
}
