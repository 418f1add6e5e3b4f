//! Policies as if they all enforced.
//!
//! In: what was read of a side. Out: the same with the action Enforce wherever a policy or a rule has one.

use engine::Bundle;
use engine::policy::{Action, Body, Rule};
use std::sync::Arc;

/// Makes every policy enforce.
pub(crate) fn enforce(bundle: &mut Bundle) {
    for policy in &mut bundle.policies {
        policy.failure_action = Action::Enforce;
        policy.failure_action_overrides.clear();
        for rule in policy.rules.iter_mut().chain(&mut policy.autogen) {
            if let Body::Validate(body) = &rule.body {
                let mut body = body.clone();
                body.failure_action = Some(Action::Enforce);
                body.failure_action_overrides.clear();
                *rule = Arc::new(Rule { body: Body::Validate(body), ..(**rule).clone() });
            }
        }
    }
}
