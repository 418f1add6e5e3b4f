//! Whether resources can be evaluated one by one, each forgotten before the next is read.
//!
//! In: a bundle without its resources. Out: yes where no rule looks at anything but the resource it evaluates. A context
//! entry that is more than a variable, a namespace's labels, the targets of `mutate`: whoever asks for one of these
//! may be answered out of another resource, and then all of them have to be there.

use crate::load::Bundle;
use crate::policy::{
    ActionOverride, Body, Check, ContextEntry, Filter, Foreach, Match, MutateForeach, MutateStep, Policy,
    Rule, Source,
};

/// Whether the verdict on a resource is the same whatever other resources there are.
pub fn is_independent(bundle: &Bundle) -> bool {
    let exceptions = bundle.exceptions.iter().map(|exception| &exception.matches);
    bundle.policies.iter().all(policy) && exceptions.into_iter().all(is_apart)
}

fn policy(policy: &Policy) -> bool {
    overrides(&policy.failure_action_overrides)
        && policy.body.as_ref().is_none_or(|body| body.is_independent())
        && policy.rules.iter().chain(&policy.autogen).all(|of| rule(of))
}

fn rule(rule: &Rule) -> bool {
    let body = match &rule.body {
        Body::Validate(body) => overrides(&body.failure_action_overrides) && check(&body.check),
        Body::Mutate(body) => {
            body.targets.is_empty()
                && body.foreach.as_deref().is_none_or(|loops| loops.iter().all(mutate_loop))
        }
        // What it needs nobody has looked into here.
        _ => false,
    };
    body && variables(&rule.context) && is_apart(&rule.matches) && rule.exclude.as_ref().is_none_or(is_apart)
}

fn check(check: &Check) -> bool {
    match check {
        Check::Foreach(loops) => {
            loops.iter().all(|of: &Foreach| variables(&of.context) && self::check(&of.check))
        }
        Check::Cel(body) => body.as_ref().is_none_or(|body| body.is_independent()),
        _ => true,
    }
}

fn mutate_loop(of: &MutateForeach) -> bool {
    let inner = match &of.step {
        MutateStep::Foreach(loops) => loops.iter().all(mutate_loop),
        MutateStep::Patch { .. } => true,
    };
    inner && variables(&of.context)
}

fn variables(entries: &[ContextEntry]) -> bool {
    entries.iter().all(|entry| matches!(entry.source, Source::Variable { .. }))
}

fn is_apart(matches: &Match) -> bool {
    matches.filters().all(|filter: &Filter| filter.namespace_selector.is_none())
}

fn overrides(overrides: &[ActionOverride]) -> bool {
    overrides.iter().all(|entry| entry.namespace_selector.is_none())
}
