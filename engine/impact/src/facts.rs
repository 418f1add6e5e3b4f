//! What one side says of an object.
//!
//! In: an object and a driver over the policies of a side. Out: a [`Fact`] for each rule that speaks, and the object as it is left.

use engine::Bundle;
use engine::apply::{Driver, Effect, PolicyResult, RuleResult, RuleType, Status, clip, rule_effect};
use engine::resource::Resource;
use engine_json::{Str, Value};

/// So long may a message be that is kept.
const MAX_MESSAGE: usize = 4 << 10;

/// What a rule decided, and in which words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The verdict.
    pub status: Status,
    /// What a cluster does because of it.
    pub effect: Effect,
    /// The message.
    pub message: String,
}

/// What one rule said.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// The policy, by its pair.
    pub(crate) pair: usize,
    /// The rule as written; empty for a policy without rules.
    pub(crate) rule: Str,
    pub(crate) rule_type: RuleType,
    pub(crate) verdict: Verdict,
    /// What it generated.
    pub(crate) generated: Vec<Value>,
    /// The other object that it changed, as it left it.
    pub(crate) target: Option<Value>,
}

/// A rule that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    /// The policy, by its pair.
    pub pair: usize,
    /// The rule.
    pub rule: String,
    /// Why.
    pub message: String,
}

/// What a side says of an object.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) facts: Vec<Fact>,
    /// The object after mutation, where that changed it.
    pub(crate) left: Option<Value>,
    /// Each policy that changed it, by its pair, and what it left; null where it failed, which may end the run for this object.
    pub(crate) steps: Vec<(usize, Value)>,
    pub(crate) undecided: Vec<Undecided>,
}

impl Said {
    /// Evaluates objects. `pairs` are those of the policies of the bundle, which is the driver's; one without says nothing here.
    pub(crate) fn of(
        bundle: &Bundle,
        driver: &Driver<'_>,
        pairs: &[Option<usize>],
        resources: &[Resource],
    ) -> Vec<Self> {
        let mut all: Vec<Self> = resources.iter().map(|_| Said::default()).collect();
        driver.each(resources, |result| {
            if let (Some(said), Some(resource)) =
                (all.get_mut(result.resource), resources.get(result.resource))
            {
                said.add(bundle, pairs, resource, result);
            }
        });
        all
    }

    /// Takes what a policy said.
    pub(crate) fn add(
        &mut self,
        bundle: &Bundle,
        pairs: &[Option<usize>],
        resource: &Resource,
        result: PolicyResult,
    ) {
        let Some(policy) = bundle.policies.get(result.policy) else { return };
        let Some(pair) = pairs.get(result.policy).copied().flatten() else { return };
        if let Some(mutation) = result.mutation.filter(|mutation| mutation.changed) {
            // A policy may write what is there already, or take back what another one wrote; and 1 is 1.0 to an API server.
            let left = mutation.resource.with_int_numbers();
            self.left = Some(left.clone()).filter(|left| *left != resource.value.with_int_numbers());
            self.steps.push((pair, left));
        }
        let not_supported = |rule: Str| Undecided {
            pair,
            rule: rule.to_string(),
            message: "this kind of rule is not evaluated".to_owned(),
        };
        self.undecided.extend(result.undecided.into_iter().map(not_supported));
        for mut rule in result.rules {
            let effect = rule_effect(bundle, policy, resource.namespace(), &rule);
            clip(&mut rule.message, MAX_MESSAGE);
            let RuleResult { written_name, rule_type, status, message, generated, patched_target, .. } = rule;
            let changes = matches!(rule_type, RuleType::Mutation | RuleType::ImageVerify);
            if changes && matches!(status, Status::Error | Status::Fail) {
                self.steps.push((pair, Value::Null));
            }
            if status == Status::Error {
                let (rule, message) = (written_name.to_string(), message.clone());
                self.undecided.push(Undecided { pair, rule, message });
            }
            let verdict = Verdict { status, effect, message };
            self.facts.push(Fact {
                pair,
                rule: written_name,
                rule_type,
                verdict,
                generated,
                target: patched_target,
            });
        }
    }
}
