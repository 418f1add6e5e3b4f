//! Policies that are for scans in the background alone.
//!
//! In: what was read of a side. Out: the same without them, as no request is evaluated by them, and a line for each.

use crate::settings::is_asked_on_admission;
use engine::Bundle;
use engine::policy::Policy;

/// Leaves out the policies that are not asked on admission.
pub(crate) fn leave_unasked(bundle: &mut Bundle) -> Vec<String> {
    let policies = std::mem::take(&mut bundle.policies);
    let is_asked = |policy: &Policy| {
        let document = bundle.document(policy.document);
        document.is_none_or(|document| is_asked_on_admission(&document.value))
    };
    let (asked, unasked): (Vec<_>, Vec<_>) = policies.into_iter().partition(is_asked);
    bundle.policies = asked;
    let note = |policy: &Policy| format!("`{}` is not asked about requests: admission is off", policy.name);
    unasked.iter().map(note).collect()
}
