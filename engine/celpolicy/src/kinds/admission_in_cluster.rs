//! What an API server decides by a ValidatingAdmissionPolicy.
//!
//! In: a policy with its bindings, and what is asked about. Out: a row for each binding that has something to say, and one for each
//! validation of which a binding warns.
//! Mirrors: `apiserver/pkg/admission/plugin/policy/validating/dispatcher.go` of Kubernetes 0.36.

use super::admission::AdmissionBody;
use super::binding::Binding;
use super::in_cluster::{
    Selecting, Selection, UNBOUND, asker, is_never_asked, namespace_doubt, no_parameters,
};
use crate::apply::{Decision, Objects, Subject, broken_annotations, decisions};
use engine::apply::{Effect, RuleResult, Status};
use engine::body::Asked;
use engine_json::Value;
use std::borrow::Cow;

impl AdmissionBody {
    /// The rows of the resource in a cluster: those of each binding that selects it, where the policy does too.
    pub(super) fn rows_in_cluster(&self, subject: &Subject, asked: &Asked<'_>) -> Vec<RuleResult> {
        if is_never_asked(subject) {
            return Vec::new();
        }
        let selecting = Selecting { subject, param_kind: self.param_kind.as_ref(), asked };
        let seen = match selecting.selection(self.constraints.as_ref()) {
            Selection::No => return Vec::new(),
            Selection::Doubtful(why) => return vec![self.doubtful(None, &why)],
            Selection::Undecided(why) => return vec![self.undecided(None, why)],
            Selection::Failed(error) => return vec![self.failed("policy", &error, None)],
            Selection::AsAsked => Cow::Borrowed(subject),
            Selection::As(place) => match subject.in_version(&place) {
                Ok(seen) => Cow::Owned(seen),
                Err(why) => return vec![self.undecided(None, why)],
            },
        };
        if self.bindings.is_empty() {
            return if selecting.is_sent() { Vec::new() } else { vec![self.unbound()] };
        }
        if let Some(error) = selecting.unknown_kind() {
            return vec![self.failed("policy", &error, None)];
        }
        self.bindings.iter().flat_map(|binding| self.rows_of_binding(&selecting, &seen, binding)).collect()
    }

    fn rows_of_binding(
        &self,
        selecting: &Selecting<'_>,
        seen: &Subject,
        binding: &Binding,
    ) -> Vec<RuleResult> {
        match selecting.selection(binding.constraints.as_ref()) {
            Selection::No => return Vec::new(),
            Selection::Doubtful(why) => return vec![self.doubtful(Some(binding), &why)],
            Selection::Undecided(why) => return vec![self.undecided(Some(binding), why)],
            Selection::Failed(error) => return vec![self.failed("binding", &error, Some(binding))],
            Selection::AsAsked | Selection::As(_) => {}
        }
        match selecting.params(binding) {
            Ok(found) if found.objects.is_empty() && found.is_answered => Vec::new(),
            Ok(found) if found.objects.is_empty() => {
                vec![self.doubtful(Some(binding), &no_parameters(binding))]
            }
            Ok(found) => self.decided(selecting.asked, seen, &found.objects, binding),
            Err(error) => vec![self.failed("binding", &error, Some(binding))],
        }
    }

    /// What is decided with each of the parameters.
    // Kubernetes: what is denied first is what a request is told; a binding that warns does so for each.
    fn decided(
        &self,
        asked: &Asked<'_>,
        seen: &Subject,
        params: &[Value],
        binding: &Binding,
    ) -> Vec<RuleResult> {
        let (program, ignores) = (self.program_of(asked.host), self.written.ignores_failures);
        let asker = asker(asked, seen, program);
        let doubt = namespace_doubt(seen, program);
        let (mut denied, mut good): (Vec<RuleResult>, Option<RuleResult>) = (Vec::new(), None);
        for params in params {
            let objects = Objects { asker: Some(&asker), ..Objects::of(seen, params) };
            let decisions = decisions(&self.written, program, &objects);
            let is_ended =
                matches!(decisions.first(), Some(Decision::NotMatched | Decision::Failed { at: None, .. }));
            let row = |decision: Decision| {
                let doubt = doubt.as_deref().filter(|_| decision == Decision::Admitted);
                let row = self.explained(&objects, decision, Some(binding), asked);
                doubt.into_iter().fold(row, RuleResult::assuming)
            };
            let mut best = Decision::Admitted;
            for decision in decisions {
                match decision {
                    Decision::Admitted => {}
                    Decision::NotMatched => best = decision,
                    Decision::Failed { .. } if ignores => best = decision,
                    Decision::Denied { .. } | Decision::Failed { .. } => {
                        if denied.is_empty() || binding.action == Effect::Warn {
                            denied.push(row(decision));
                        }
                    }
                }
            }
            // An error that was ignored says more than what holds, and that more than a policy that was not asked.
            let is_more = match (&good, &best) {
                (None, _) => true,
                (Some(good), Decision::Failed { .. }) => good.status != Status::Error,
                (Some(good), Decision::Admitted) => good.status == Status::Skip,
                (Some(_), _) => false,
            };
            if is_more && denied.is_empty() {
                good = Some(row(best));
            }
            if !is_ended && !ignores {
                let broken = broken_annotations(program, &objects).into_iter().next();
                let refused = |message| RuleResult {
                    effect: Some(Effect::Deny),
                    ..row(Decision::Failed { at: None, message })
                };
                denied.extend(broken.map(refused));
            }
        }
        if denied.is_empty() { good.into_iter().collect() } else { denied }
    }

    /// A row for what is wrong with a policy or a binding by itself: whatever its actions are, it refuses.
    fn failed(&self, what: &str, error: &str, binding: Option<&Binding>) -> RuleResult {
        let message = format!("failed to configure {what}: {error}");
        let effect = if self.written.ignores_failures { Effect::Allow } else { Effect::Deny };
        RuleResult { effect: Some(effect), ..self.result(Decision::Failed { at: None, message }, binding) }
    }

    /// A row for what lies in something that nobody has given.
    fn undecided(&self, binding: Option<&Binding>, message: String) -> RuleResult {
        let row = self.result(Decision::Failed { at: None, message }, binding);
        RuleResult { effect: Some(Effect::Unknown), ..row }
    }

    /// A row for a policy that is not asked because of what nobody has given.
    fn doubtful(&self, binding: Option<&Binding>, why: &str) -> RuleResult {
        let row = self.result(Decision::NotMatched, binding);
        RuleResult { message: String::new(), ..row }.assuming(why)
    }

    /// A row for a policy that is not asked because nobody has given a binding, which is said once when it is read.
    fn unbound(&self) -> RuleResult {
        RuleResult { warnings: Vec::new(), ..self.doubtful(None, UNBOUND) }
    }
}
