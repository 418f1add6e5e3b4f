//! What a cluster would do with the request for a resource, given what the rules said.
//!
//! In: a policy, the resource's namespace, and results. Out: an [`Effect`] for each rule; a request fares as the worst of
//! them. Example: a rule that fails under Enforce refuses the request, the same rule under Audit is only reported.
//! Mirrors: pkg/policycache/cache.go, pkg/engine/api/engineresponse.go, pkg/webhooks/resource/validation/validation.go.

use super::PolicyResult;
use super::visit::namespace_labels;
pub use crate::body::Effect;
use crate::load::Bundle;
use crate::matching;
use crate::policy::{Action, ActionOverride, Body, Policy, Rule};
use crate::rules::{RuleResult, RuleType, Status};
use engine_json::{Str, Value};

/// What a cluster would do with the request for a resource, as far as one policy is concerned.
pub fn effect(bundle: &Bundle, result: &PolicyResult) -> Effect {
    let (Some(policy), Some(resource)) =
        (bundle.policies.get(result.policy), bundle.resources.get(result.resource))
    else {
        return Effect::Allow;
    };
    let of = |rule: &RuleResult| rule_effect(bundle, policy, resource.namespace(), rule);
    let known = result.rules.iter().map(of).max().unwrap_or(Effect::Allow);
    if result.undecided.is_empty() { known } else { known.max(Effect::Unknown) }
}

/// What a cluster would do because of what one rule said.
// Kyverno: a policy without admission is asked by reports alone; what is generated or cleaned up holds up no request.
pub fn rule_effect(bundle: &Bundle, policy: &Policy, namespace: &str, said: &RuleResult) -> Effect {
    // What stays is not a finding.
    if said.rule_type == RuleType::Deletion && said.status == Status::Fail {
        return Effect::Allow;
    }
    let is_bad = matches!(said.status, Status::Fail | Status::Error | Status::Warn);
    let reported = if is_bad { Effect::Report } else { Effect::Allow };
    if let Some(body) = policy.body.as_ref().filter(|_| policy.admission) {
        return said.effect.unwrap_or_else(|| body.effect(policy, said));
    }
    let written = policy.rules.iter().find(|rule| rule.name == said.written_name);
    let Some(rule) = written.filter(|_| policy.admission) else { return reported };
    let place = RequestNamespace { namespace, labels: namespace_labels(bundle, namespace) };
    let on_error = if policy.ignores_errors { Effect::Warn } else { Effect::Deny };
    match (said.rule_type, said.status) {
        (_, Status::Skip) | (RuleType::Deletion, _) => Effect::Allow,
        (RuleType::Generation, _) => reported,
        (RuleType::Mutation, _) if has_targets(rule) => reported,
        // Kyverno: mutation with emitWarning warns of everything but what is skipped.
        (RuleType::Mutation, Status::Pass) if policy.emit_warning => Effect::Warn,
        (_, Status::Pass) => Effect::Allow,
        (RuleType::Mutation | RuleType::ImageVerify, Status::Error) => on_error,
        (RuleType::ImageVerify, Status::Fail) if place.action(policy, rule) == Action::Enforce => {
            Effect::Deny
        }
        (RuleType::Mutation | RuleType::ImageVerify, Status::Fail | Status::Warn) => Effect::Warn,
        (RuleType::Validation, status) => match place.asked_by(policy, rule) {
            // What is asked under Enforce and does not refuse warns.
            Action::Enforce => match status {
                Status::Error => on_error,
                Status::Fail if place.action(policy, rule) == Action::Enforce => Effect::Deny,
                Status::Fail | Status::Warn | Status::Pass | Status::Skip => Effect::Warn,
            },
            Action::Audit if policy.emit_warning => Effect::Warn,
            Action::Audit => Effect::Report,
        },
    }
}

/// Which of the two rounds of validation a rule speaks in: what is asked under Enforce refuses with all its words, what is asked under
/// Audit is reported. Nothing for what is not validation by a rule.
pub fn round(bundle: &Bundle, policy: &Policy, namespace: &str, said: &RuleResult) -> Option<Action> {
    let rule = policy.rules.iter().find(|rule| rule.name == said.written_name)?;
    let place = RequestNamespace { namespace, labels: namespace_labels(bundle, namespace) };
    (said.rule_type == RuleType::Validation).then(|| place.asked_by(policy, rule))
}

fn has_targets(rule: &Rule) -> bool {
    matches!(&rule.body, Body::Mutate(body) if !body.targets.is_empty())
}

/// Where overrides are looked up.
struct RequestNamespace<'a> {
    namespace: &'a str,
    labels: &'a [(Str, Str)],
}

impl RequestNamespace<'_> {
    fn overridden(&self, overrides: &[ActionOverride]) -> Option<Action> {
        let fits = |entry: &&ActionOverride| {
            // Kyverno: pkg/engine/api/engineresponse.go matchOverride asks whether there is a list.
            let by_name = entry
                .namespaces
                .as_ref()
                .is_none_or(|names| names.iter().any(|name| name.matches(self.namespace)));
            let by_label = entry
                .namespace_selector
                .as_ref()
                .is_none_or(|selector| matching::selector_matches(selector, self.labels));
            by_name && by_label
        };
        overrides.iter().find(fits).map(|entry| entry.action)
    }

    /// Which of the two rounds of validation asks the rule.
    // Kyverno: checkValidationFailureActionOverrides: the overrides of the rule, or of the policy where it has none, go
    // before both actions.
    fn asked_by(&self, policy: &Policy, rule: &Rule) -> Action {
        let Body::Validate(body) = &rule.body else { return self.action(policy, rule) };
        let own = &body.failure_action_overrides;
        let overrides = if own.is_empty() { &policy.failure_action_overrides } else { own };
        self.overridden(overrides).or(body.failure_action).unwrap_or(policy.failure_action)
    }

    /// What a failure of the rule means.
    // Kyverno: failureActionForRule.
    fn action(&self, policy: &Policy, rule: &Rule) -> Action {
        self.of_rule(rule)
            .or_else(|| self.overridden(&policy.failure_action_overrides))
            .unwrap_or(policy.failure_action)
    }

    /// What the rule itself says: an override before its own action.
    // Kyverno: ruleAction.
    fn of_rule(&self, rule: &Rule) -> Option<Action> {
        match &rule.body {
            Body::Validate(body) => self.overridden(&body.failure_action_overrides).or(body.failure_action),
            // Kyverno: one entry that enforces is enough.
            Body::VerifyImages(_) => {
                let entries = rule.raw.get("verifyImages").and_then(Value::as_array).unwrap_or_default();
                let mut actions = entries.iter().filter_map(|entry| entry.get("failureAction")?.as_str());
                let first = actions.next().map(Action::from_text)?;
                let enforces = actions.any(|action| Action::from_text(action) == Action::Enforce);
                Some(if enforces { Action::Enforce } else { first })
            }
            Body::Mutate(_) | Body::Generate(_) | Body::Cleanup(_) | Body::None => None,
        }
    }
}

/// The one action by which `--audit-warn` takes a policy.
// Kyverno: GetValidationFailureAction: the first rule that says something, then the overrides of the policy, then the
// policy's own action.
pub fn failure_action(policy: &Policy, namespace: &str, labels: &[(Str, Str)]) -> Action {
    let place = RequestNamespace { namespace, labels };
    let of_rule = policy.rules.iter().find_map(|rule| place.of_rule(rule));
    let of_policy = || place.overridden(&policy.failure_action_overrides);
    of_rule.or_else(of_policy).unwrap_or(policy.failure_action)
}
