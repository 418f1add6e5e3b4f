//! Exemptions of policies in CEL.

use super::{Exemption, ExemptionSelector, Kind};
use crate::sieve::cel;
use crate::sieve::found::{Documents, Found, FoundSelector};
use crate::sieve::runner::TrialRunner;
use engine_json::Value;

pub(super) fn find(runner: &TrialRunner<'_>, found: &mut Vec<Exemption>) {
    let bundle = &runner.bundle;
    let policy = |policy: &engine::policy::Policy| {
        Some((policy.document, policy.key(), runner.document(policy.document)?))
    };
    let documents = Documents {
        policies: bundle.policies.iter().filter_map(policy).collect(),
        exceptions: bundle.other_exceptions.iter().map(|(id, value)| (*id, value)).collect(),
        bindings: bundle.bindings.iter().map(|(id, value)| (*id, value)).collect(),
        now: runner.now(),
    };
    found.extend(cel::find(&documents).into_iter().map(|one| exemption(one, runner)));
}

fn exemption(found: Found, runner: &TrialRunner<'_>) -> Exemption {
    let document = runner.document(found.document).cloned().unwrap_or_default();
    let selector = |selector: FoundSelector| {
        let whole = document.at_path(selector.path.iter()).and_then(Value::as_str).unwrap_or_default();
        ExemptionSelector {
            whole: whole.to_owned(),
            site: selector.site,
            ..ExemptionSelector::new(selector.on, selector.path, &selector.pattern)
        }
    };
    let controls = match found.capabilities.as_slice() {
        [] => Vec::new(),
        names => vec![("Capabilities".to_owned(), names.to_vec())],
    };
    Exemption {
        text: found.text,
        rule: found.rule,
        policies: found.policies,
        removal: found.removal,
        selectors: found.selectors.into_iter().map(selector).collect(),
        controls,
        room: Some(found.room),
        workload: found.workload,
        idle: found.idle,
        notes: found.notes,
        ..Exemption::new(Kind::Cel(found.kind), found.document, found.path)
    }
}
