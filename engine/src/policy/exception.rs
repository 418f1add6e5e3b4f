//! PolicyExceptions: which rules they lift for which resources.

use super::{Conditions, Filter, Match, Policy};
use crate::resource::DocumentId;
use crate::value::wildcard::Wildcard;
use engine_json::arrange::Arrange as _;
use engine_json::ordered::{OrderedMap, OrderedSet};
use engine_json::{Str, Value};

/// A PolicyException.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Its name.
    pub name: Str,
    /// Its namespace.
    pub namespace: Str,
    /// Where it stands.
    pub document: DocumentId,
    /// Which resources it lifts something for.
    pub matches: Match,
    /// What must hold besides; `None` for nothing.
    pub conditions: Option<Conditions>,
    /// Which policies and rules it lifts.
    pub targets: Vec<ExceptionTarget>,
    /// The pod-security controls it lifts; empty for the rule as a whole.
    pub pod_security: Vec<Value>,
}

/// A policy and the rules of it that are lifted.
#[derive(Clone, Debug)]
pub struct ExceptionTarget {
    /// `name`, or `namespace/name` for a `Policy`; compared exactly.
    pub policy: Str,
    /// Rule names, with wildcards.
    pub rules: Vec<Wildcard>,
}

impl Exception {
    /// `namespace/name`.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// Why it exempts from nothing, as far as that can be read: no policy is found by a key that it names, or the policy does not have the
    /// rule. Nothing where one of its entries names a rule that is there.
    pub fn exempts_nothing<'p>(&self, find: impl Fn(&str) -> Option<&'p Policy>) -> Option<String> {
        let mut reasons = Vec::new();
        for target in &self.targets {
            let Some(policy) = find(&target.policy) else {
                reasons.push(format!("no policy is called `{}` among the texts", target.policy));
                continue;
            };
            let is_named = |name: &str| target.rules.iter().any(|wanted| wanted.matches(name));
            if policy.all_rules().any(|rule| is_named(&rule.name)) {
                return None;
            }
            reasons.push(format!(
                "policy `{}` has no rule {}; it has {}",
                target.policy,
                listed(target.rules.iter().map(Wildcard::pattern)),
                listed(policy.rules.iter().map(|rule| rule.name.as_str()))
            ));
        }
        reasons.into_iter().next()
    }
}

fn listed<'t>(names: impl IntoIterator<Item = &'t str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Exceptions in the order in which they were read, found by the policy that they name and, where they are for
/// resources of plain names, by the resource.
#[derive(Clone, Debug)]
pub struct Exceptions {
    all: Vec<Exception>,
    by_policy: OrderedMap<Str, Of>,
}

/// Places of the exceptions for a policy.
#[derive(Clone, Debug, Default)]
struct Of {
    named: OrderedMap<Str, Vec<usize>>,
    others: Vec<usize>,
}

/// None at all.
pub(crate) static NO_EXCEPTIONS: Exceptions = Exceptions { all: Vec::new(), by_policy: OrderedMap::new() };

impl Exceptions {
    /// Adds an exception behind the others.
    pub fn push(&mut self, exception: Exception) {
        let at = self.all.len();
        let policies: OrderedSet<&Str> =
            engine_json::arrange::set(exception.targets.iter().map(|target| &target.policy));
        let names = names(&exception.matches);
        for policy in policies {
            let of = self.by_policy.entry(policy.clone()).or_default();
            match &names {
                Some(names) => {
                    for name in names {
                        of.named.entry(name.clone()).or_default().push(at);
                    }
                }
                None => of.others.push(at),
            }
        }
        self.all.push(exception);
    }

    /// Keeps the exceptions for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Exception) -> bool) {
        *self = std::mem::take(&mut self.all).into_iter().filter(|exception| keep(exception)).collect();
    }

    /// The exceptions that name this policy and can be for a resource of this name.
    pub(crate) fn about(&self, policy: &str, resource: &str) -> Vec<&Exception> {
        let Some(of) = self.by_policy.get(policy) else { return Vec::new() };
        let mut places = of.others.clone();
        places.extend(of.named.get(resource).into_iter().flatten());
        places.arrange();
        places.into_iter().filter_map(|at| self.all.get(at)).collect()
    }
}

/// The only names that a block is for, where it is for no others.
fn names(block: &Match) -> Option<OrderedSet<Str>> {
    let of = |filter: &Filter| -> Option<Vec<Str>> {
        let wanted = filter.name.as_ref().map_or(filter.names.as_slice(), std::slice::from_ref);
        let plain = !wanted.is_empty() && wanted.iter().all(Wildcard::is_literal);
        plain.then(|| wanted.iter().map(|name| Str::new(name.pattern())).collect())
    };
    if block.any.is_empty() {
        block.all.iter().find_map(of).map(engine_json::arrange::set)
    } else {
        block
            .any
            .iter()
            .map(of)
            .collect::<Option<Vec<_>>>()
            .map(|names| names.into_iter().flatten().collect())
    }
}

impl Default for Exceptions {
    fn default() -> Self {
        NO_EXCEPTIONS.clone()
    }
}

impl std::ops::Deref for Exceptions {
    type Target = [Exception];

    fn deref(&self) -> &[Exception] {
        &self.all
    }
}

impl FromIterator<Exception> for Exceptions {
    fn from_iter<I: IntoIterator<Item = Exception>>(exceptions: I) -> Self {
        let mut all = Exceptions::default();
        exceptions.into_iter().for_each(|exception| all.push(exception));
        all
    }
}
