//! Policies that are for scans in the background alone.
//!
//! In: what was read of a side. Out: the same without them, as no request is evaluated by them, and a line for each; and why two sides
//! that have no others are not compared.

use crate::answer::Reason;
use crate::settings::{admission_setting, is_asked_on_admission};
use crate::sides::side::Side;
use engine::Bundle;
use engine::policy::Policy;
use engine::resource::DocumentId;
use engine_json::Path;
use engine_lenses::run::Positions;

/// A policy that is for scans in the background alone.
#[derive(Debug)]
pub(crate) struct Unasked {
    name: String,
    document: DocumentId,
}

impl Unasked {
    /// What is said of it beside an answer.
    pub(crate) fn note(&self) -> String {
        format!("`{}` is not asked about requests: admission is off", self.name)
    }
}

/// Leaves out the policies that are not asked on admission.
pub(crate) fn leave_unasked(bundle: &mut Bundle) -> Vec<Unasked> {
    let policies = std::mem::take(&mut bundle.policies);
    let is_asked = |policy: &Policy| {
        let document = bundle.document(policy.document);
        document.is_none_or(|document| is_asked_on_admission(&document.value))
    };
    let (asked, unasked): (Vec<_>, Vec<_>) = policies.into_iter().partition(is_asked);
    bundle.policies = asked;
    unasked
        .iter()
        .map(|policy| Unasked { name: policy.name.to_string(), document: policy.document })
        .collect()
}

/// Why two sides are not compared of which neither is asked about requests; nothing where one of them is.
pub(crate) fn why_nothing_is_asked(sides: &[Side<'_>; 2]) -> Vec<Reason> {
    let asks = |side: &Side<'_>| side.unasked.is_empty() || !side.bundle.policies.is_empty();
    if sides.iter().any(asks) {
        return Vec::new();
    }
    let of_side = |(name, side): (&'static str, &Side<'_>)| {
        let positions = Positions::new(&side.bundle);
        let reason = |unasked: &Unasked| Reason {
            side: name,
            text: format!(
                "{}, and neither side decides any; scans in the background are not compared",
                unasked.note()
            ),
            range: side.bundle.document(unasked.document).and_then(|document| {
                let setting = admission_setting(document.value.find_str(&["kind"]));
                let range = positions.of_path(unasked.document, &Path::from_keys(setting));
                range.map(|range| side.place(range))
            }),
        };
        side.unasked.iter().map(reason).collect::<Vec<_>>()
    };
    ["old", "new"].into_iter().zip(sides).flat_map(of_side).collect()
}
