//! The last part of the driver: generate policies, over what mutation has left.
//!
//! In: one resource. Out: what each policy said, and the objects that it made.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/{policy_processor,generate}.go, and for the Playground its
//! backend/pkg/engine/processor.go.

use super::visit::{Visit, excluded_by_config};
use super::{Phase, PolicyResult};
use crate::admission::Admission;
use crate::cluster::{self, Cluster};
use crate::load::{Bundle, Host};
use crate::matching::Request;
use crate::policy::{Body, NO_EXCEPTIONS, Policy, Rule};
use crate::resource::{Resource, Shelf};
use crate::rules::{self, RuleResult, Status, Subject};
use crate::trace::{Kind, Step, Trace};
use engine_json::Str;
use engine_json::ordered::OrderedSet;
use std::rc::Rc;

/// What the generate rules of a run share.
#[derive(Default)]
pub(super) struct Stock {
    /// The cluster's objects, from which the CLI makes a new cluster for each policy and resource.
    base: Rc<Shelf>,
    /// The cluster that the Playground keeps for a whole run.
    kept: Cluster,
    /// The names of all namespaces among the objects at hand.
    namespaces: OrderedSet<Str>,
}

impl Stock {
    pub(super) fn new(bundle: &Bundle) -> Self {
        if !bundle.policies.iter().any(generates) {
            return Stock::default();
        }
        let base = cluster::base(&bundle.cluster_resources);
        let all = bundle.resources.iter().chain(&bundle.cluster_resources);
        let namespaces = all.filter(|object| object.kind() == "Namespace");
        Stock {
            kept: Cluster::new(None, &base, []),
            namespaces: namespaces.map(|object| Str::new(object.name())).collect(),
            base,
        }
    }
}

fn generates(policy: &Policy) -> bool {
    policy.rules.iter().any(|rule| matches!(rule.body, Body::Generate(_)))
}

/// Applies all generate policies to one resource, as mutation has left it.
pub(super) fn run(visit: &Visit<'_>, resource: &Resource, stock: &Stock, results: &mut Vec<PolicyResult>) {
    let Visit { bundle, options, .. } = *visit;
    for (at, policy) in bundle.policies.iter().enumerate() {
        if !generates(policy) {
            continue;
        }
        let mut trace = visit.trace();
        let admission = visit.admit(&policy.name, resource);
        let own;
        let cluster = match options.host {
            Host::Playground => &stock.kept,
            Host::Cli | Host::Cluster => {
                let key = policy.key();
                let clones =
                    bundle.settings.answers.clone_sources.iter().filter(|source| source.policy == key);
                let clones = clones.flat_map(|source| &source.objects);
                own = Cluster::new(Some(&admission.resource), &stock.base, clones);
                &own
            }
        };
        let work = Work { visit, policy, admission: &admission, stock, cluster };
        let mut no_match = Vec::new();
        let rules = if let Some(reason) = excluded_by_config(&admission, &trace) {
            trace.record(|| Step::new(Kind::Match, false, reason));
            no_match.append(&mut trace.take());
            Vec::new()
        } else {
            work.run(&mut trace, &mut no_match)
        };
        results.push(PolicyResult { no_match, ..visit.result(at, Phase::Generate, rules, resource) });
    }
}

/// One policy over one resource.
struct Work<'w> {
    visit: &'w Visit<'w>,
    policy: &'w Policy,
    admission: &'w Admission,
    stock: &'w Stock,
    cluster: &'w Cluster,
}

impl<'w> Work<'w> {
    fn subject(&self, rule: &'w Rule, request: Request<'w>) -> Subject<'w> {
        self.visit.subject(self.policy, rule, self.admission, request)
    }

    fn run(&self, trace: &mut Trace, unmatched: &mut Vec<Step>) -> Vec<RuleResult> {
        let mut context = self.admission.context(self.visit.evaluator);
        let request = self.visit.request(self.policy, self.admission);
        let mut found: Vec<(&Rule, RuleResult)> = Vec::new();
        for rule in self.policy.all_rules() {
            let is_background = match &rule.body {
                Body::Generate(_) => true,
                Body::Mutate(body) => !body.targets.is_empty(),
                Body::Validate(_) | Body::VerifyImages(_) | Body::Cleanup(_) | Body::None => false,
            };
            if !is_background {
                continue;
            }
            let mut subject = self.subject(rule, request);
            if !self.namespace_is_known() {
                subject.exceptions = &NO_EXCEPTIONS;
            }
            let Some(mut result) = rules::filter_background(&subject, &mut context, trace) else {
                unmatched.append(&mut trace.take());
                continue;
            };
            trace.matched();
            rules::mark_assumed([&mut result], &self.visit.evaluator.take_assumed());
            result.steps = trace.take();
            let stops = self.policy.apply_one && result.status != Status::Skip;
            found.push((rule, result));
            if stops && self.visit.options.host != Host::Playground {
                break;
            }
        }
        self.make(&mut found, &mut context, request, trace);
        found.into_iter().map(|(_, result)| result).collect()
    }

    // Kyverno: handleGeneratePolicy of the CLI tries every rule that gave a result, whatever it said; where one fails, nothing that
    // the others made is said. In a cluster each rule is for itself (pkg/background/generate/controller.go ProcessUR).
    fn make(
        &self,
        found: &mut [(&'w Rule, RuleResult)],
        context: &mut crate::context::JsonContext<'w>,
        request: Request<'w>,
        trace: &mut Trace,
    ) {
        let mut failed = None;
        for (rule, result) in found.iter_mut() {
            let subject = Subject { memory: Some(self.cluster), ..self.subject(rule, request) };
            trace.matched();
            match rules::run_generate(&subject, self.cluster, context, trace) {
                Ok(mut made) => {
                    if result.status != Status::Pass && !made.objects.is_empty() {
                        let word = result.status.as_str();
                        made.notes.push(format!(
                            "Kyverno's command line generates all the same; a cluster does not where a rule says {word}"
                        ));
                    }
                    result.generated = made.objects;
                    result.note = made.notes.join("; ");
                }
                Err(error) => {
                    result.note = format!("nothing is generated: {error}");
                    failed = Some(rule.name.clone());
                }
            }
            // The filter before has asked the same, mostly.
            let mut assumed = self.visit.evaluator.take_assumed();
            assumed.retain(|text| !result.assumed.contains(text));
            rules::mark_assumed([&mut *result], &assumed);
            result.steps.extend(trace.take());
            if failed.is_some() && self.visit.options.host == Host::Cli {
                break;
            }
        }
        if let Some(name) = failed.filter(|_| self.visit.options.host == Host::Cli) {
            for (rule, result) in found.iter_mut().filter(|(rule, _)| rule.name != name) {
                if std::mem::take(&mut result.generated).is_empty() && !result.note.is_empty() {
                    continue;
                }
                result.note =
                    format!("nothing is said of what `{}` generates, for rule `{name}` fails", rule.name);
            }
        }
    }

    /// Whether the namespace of the resource is among the objects at hand.
    // Kyverno: MatchesException, called for a cluster, applies no exception where it cannot find the namespace. The
    // Playground invents a namespace for each resource.
    fn namespace_is_known(&self) -> bool {
        let namespace = self.admission.resource.namespace();
        namespace.is_empty()
            || self.visit.options.host == Host::Playground
            || self.stock.namespaces.contains(namespace)
    }
}
