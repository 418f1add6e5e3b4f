//! A resource on its way through the parts of a run, and what each of them needs.
//!
//! In: the resource as it was given, and the run. Out: requests, what rules are evaluated over, and results.

use super::{Options, Phase, PolicyResult};
use crate::admission::{self, Admission};
use crate::context::Evaluator;
use crate::load::{Bundle, Host};
use crate::matching::Request;
use crate::policy::{Policy, Rule};
use crate::resource::Resource;
use crate::rules::{Loading, RuleResult, Subject};
use crate::trace::Trace;
use engine_json::Str;

/// A resource, and the run that it goes through.
#[derive(Clone, Copy)]
pub(super) struct Visit<'v> {
    pub(super) bundle: &'v Bundle,
    pub(super) evaluator: &'v Evaluator<'v>,
    pub(super) options: &'v Options,
    /// Its place among the resources of the run.
    pub(super) at: usize,
    /// The resource as it was given; parts of the run may make another of it.
    pub(super) given: &'v Resource,
}

impl<'v> Visit<'v> {
    /// The request with which the resource, as it is now, comes to the policy of this name.
    pub(super) fn admit(&self, policy: &str, resource: &Resource) -> Admission {
        admission::admit(self.bundle, policy, resource, self.evaluator, self.options.host)
    }

    /// The steps that are kept of what a policy says.
    pub(super) fn trace(&self) -> Trace {
        Trace::new(self.options.trace)
    }

    /// What a policy, by its place, said of the resource as it met it.
    pub(super) fn result(
        &self,
        policy: usize,
        phase: Phase,
        rules: Vec<RuleResult>,
        met: &Resource,
    ) -> PolicyResult {
        PolicyResult {
            renamed: met.renamed_from(self.given),
            evaluated: self.evaluator.take_evaluated(&self.given.value),
            ..PolicyResult::new(policy, self.at, phase, rules)
        }
    }

    /// What the match blocks of a policy's rules look at.
    pub(super) fn request<'a>(&self, policy: &'a Policy, admission: &'a Admission) -> Request<'a>
    where
        'v: 'a,
    {
        Request {
            resource: &admission.resource,
            gvk: &admission.gvk,
            subresource: &admission.subresource,
            operation: &admission.operation,
            namespace_labels: namespace_labels(self.bundle, admission.resource.namespace()),
            user: &admission.user,
            policy_namespace: policy.scope_namespace(),
        }
    }

    /// What a rule that matched is evaluated over.
    pub(super) fn subject<'a>(
        &self,
        policy: &'a Policy,
        rule: &'a Rule,
        admission: &'a Admission,
        request: Request<'a>,
    ) -> Subject<'a>
    where
        'v: 'a,
    {
        let Visit { bundle, options, .. } = *self;
        let is_deferred = options.host != Host::Playground || bundle.settings.deferred_loading;
        Subject {
            policy,
            rule,
            resource: &admission.resource,
            old_resource: admission.old_resource.as_ref(),
            operation: &admission.operation,
            request,
            exceptions: &bundle.exceptions,
            host: options.host,
            rule_values: &bundle.settings.rule_values,
            answers: &bundle.settings.answers,
            cluster: if options.host == Host::Playground { &bundle.cluster_resources } else { &[] },
            memory: None,
            image_data: &bundle.settings.image_data,
            image_settings: &admission.config.images,
            loading: if is_deferred { Loading::Deferred } else { Loading::Eager },
            places: options.places,
        }
    }
}

/// The labels of a namespace, as far as they are given.
pub(super) fn namespace_labels<'a>(bundle: &'a Bundle, namespace: &str) -> &'a [(Str, Str)] {
    let settings = &bundle.settings;
    settings.namespace_labels.get(namespace).unwrap_or(&settings.default_namespace_labels)
}

/// Why Kyverno's configuration keeps the resource out of every rule's sight, in words where steps are kept.
pub(super) fn excluded_by_config(admission: &Admission, trace: &Trace) -> Option<String> {
    if let Some(filter) = admission.config.filter_of(&admission.resource) {
        return Some(trace.say(|| {
            format!("Kyverno's configuration leaves this resource alone: resource filter `{filter}`")
        }));
    }
    let user = &admission.user;
    let name = &user.username;
    let excluded = || trace.say(|| format!("Kyverno's configuration leaves user `{name}` alone"));
    admission.config.excludes(user).then(excluded)
}
