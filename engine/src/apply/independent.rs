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

/// What answers where a rule asks for more than its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The other resources.
    Given,
    /// A live cluster, by [`World::kubernetes`](crate::world::World::kubernetes); the labels of its namespaces are in the settings.
    Live,
}

/// Whether the verdict on a resource is the same whatever other resources there are.
pub fn is_independent(bundle: &Bundle) -> bool {
    is_independent_of(bundle, Outside::Given)
}

/// The same, where something else may answer than the other resources.
pub fn is_independent_of(bundle: &Bundle, outside: Outside) -> bool {
    let exceptions = bundle.exceptions.iter().map(|exception| &exception.matches);
    bundle.policies.iter().all(|of| policy(of, outside))
        && exceptions.into_iter().all(|of| is_apart(of, outside))
}

fn policy(policy: &Policy, outside: Outside) -> bool {
    overrides(&policy.failure_action_overrides, outside)
        && policy.body.as_ref().is_none_or(|body| body.is_independent())
        && policy.rules.iter().chain(&policy.autogen).all(|of| rule(of, outside))
}

fn rule(rule: &Rule, outside: Outside) -> bool {
    let body = match &rule.body {
        Body::Validate(body) => {
            overrides(&body.failure_action_overrides, outside) && check(&body.check, outside)
        }
        Body::Mutate(body) => {
            let loops = body.foreach.as_deref().unwrap_or_default();
            body.targets.is_empty() && loops.iter().all(|of| mutate_loop(of, outside))
        }
        // What it needs nobody has looked into here.
        _ => false,
    };
    body && variables(&rule.context, outside)
        && is_apart(&rule.matches, outside)
        && rule.exclude.as_ref().is_none_or(|of| is_apart(of, outside))
}

fn check(check: &Check, outside: Outside) -> bool {
    match check {
        Check::Foreach(loops) => loops
            .iter()
            .all(|of: &Foreach| variables(&of.context, outside) && self::check(&of.check, outside)),
        Check::Cel(body) => body.as_ref().is_none_or(|body| body.is_independent()),
        _ => true,
    }
}

fn mutate_loop(of: &MutateForeach, outside: Outside) -> bool {
    let inner = match &of.step {
        MutateStep::Foreach(loops) => loops.iter().all(|of| mutate_loop(of, outside)),
        MutateStep::Patch { .. } => true,
    };
    inner && variables(&of.context, outside)
}

fn variables(entries: &[ContextEntry], outside: Outside) -> bool {
    entries.iter().all(|entry| match entry.source {
        Source::Variable { .. } => true,
        Source::ConfigMap { .. } | Source::ApiCall(_) => outside == Outside::Live,
        Source::ImageRegistry(_) | Source::GlobalReference(_) | Source::Unknown => false,
    })
}

fn is_apart(matches: &Match, outside: Outside) -> bool {
    outside == Outside::Live || matches.filters().all(|filter: &Filter| filter.namespace_selector.is_none())
}

fn overrides(overrides: &[ActionOverride], outside: Outside) -> bool {
    outside == Outside::Live || overrides.iter().all(|entry| entry.namespace_selector.is_none())
}
