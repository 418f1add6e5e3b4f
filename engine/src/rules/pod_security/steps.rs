//! What the trace says of the checks of the Pod Security Standards.
//!
//! In: failed checks, before and after exclusions. Out: a step for each check that failed or was lifted.

use crate::trace::{Detail, Kind, Step, StepOutcome, Trace};
use engine_json::Path;
use engine_podsecurity::{CheckResult, Level, PodView, Version};

/// What the steps are about.
pub(super) struct Checks<'t> {
    pub(super) policy: (Level, Version),
    pub(super) pod: &'t PodView<'t>,
    /// `validate.podSecurity` of the rule.
    pub(super) path: &'t Path,
}

impl Checks<'_> {
    /// The checks that are not left, and what lifted them.
    pub(super) fn lifted(&self, before: &[CheckResult], left: &[CheckResult], by: &str, trace: &mut Trace) {
        for check in before.iter().filter(|check| !left.iter().any(|left| left.check.id == check.check.id)) {
            trace.record(|| self.step(check, StepOutcome::Yes, &format!("; lifted by {by}")));
        }
    }

    /// The checks that refuse the Pod.
    pub(super) fn failed(&self, failed: &[CheckResult], trace: &mut Trace) {
        for check in failed {
            trace.record(|| self.step(check, StepOutcome::No, ""));
        }
    }

    /// Every check passes.
    pub(super) fn nothing_left(&self) -> Step {
        let text = format!("every check of {} passes or is excluded", self.policy.0.name());
        let (level, version) = self.policy;
        let detail = Detail::PodSecurity { level, version, check: None };
        Step::new(Kind::Check, StepOutcome::Yes, text).in_policy(self.path).with(detail)
    }

    fn step(&self, check: &CheckResult, outcome: StepOutcome, more: &str) -> Step {
        let text = format!("{} ({}): {}{more}", check.reason, check.check.id, check.detail);
        let (level, version) = self.policy;
        let step = Step::new(Kind::Check, outcome, text).in_policy(self.path).with(Detail::PodSecurity {
            level,
            version,
            check: Some(check.check.id),
        });
        match check.violations.first() {
            Some(violation) => step.in_resource(&self.pod.resolve(&violation.path)),
            None => step,
        }
    }
}
