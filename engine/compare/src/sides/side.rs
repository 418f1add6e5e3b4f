//! One side of a comparison: policies, a level of Pod Security, or PodSecurityPolicies, ready to evaluate requests.
//!
//! In: texts. Out: what a cluster does with a request because of them. The engines decide, nothing is decided here.

use crate::objects::kinds::map;
use crate::objects::subresources;
use crate::objects::versions::Versions;
use crate::request::{Operation, Request};
use crate::search::cluster::InCluster;
use crate::sent::{admission_request, is_asked_for};
use crate::sides::bindings::{Given, missing_bindings};
use crate::sides::enforced::enforce;
use crate::sides::generated::{generates, unlabelled};
pub(crate) use crate::sides::response::{FNV, Response, RuleMessage, mix, mix_path};
use crate::sides::sources::{left_out, sources, sources_of_texts};
use crate::sides::standards::{level_of, of_level, of_psp, psp_of};
use crate::sides::subresource;
use crate::sides::unasked::{Unasked, leave_unasked};
use crate::sides::written::Written;
use engine::Bundle;
use engine::apply::{
    Directory, Driver, EXISTING_ALLOWED, Locations, Options, PolicyResult, Recording, RuleType, Status,
    every_step, rule_effect,
};
use engine::body::Effect;
use engine::diag::Diagnostic;
use engine::load::{Host, load_with};
use engine::podsecurity::psp::{Policies, Release};
use engine::podsecurity::{Level, Version};
use engine::resource::{DocumentId, Resource};
use engine::world::World;
use engine_json::{Path, Str, Value};
use engine_lenses::wire::{Range, Text};
use std::cell::OnceCell;

/// The action that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Actions {
    /// That of the policies.
    #[default]
    AsWritten,
    /// What fails is refused, whatever the policies say: a policy that only audits decides something then.
    Enforced,
}

/// What decides on a side.
#[derive(Debug)]
pub(super) enum SideKind {
    /// Policies.
    Policies,
    /// A level of Pod Security.
    Level(Level, Version),
    /// PodSecurityPolicies.
    Psp(Box<Policies>),
}

/// One side.
pub(crate) struct Side<'w> {
    /// What was read.
    pub(crate) bundle: Bundle,
    /// The diagnostics of the texts.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether a policy of the API server has no binding, and is taken to be bound to everything.
    pub(crate) is_unbound: bool,
    /// For which kinds of policies it has bindings.
    given: Given,
    /// For which the other side has some: what has none on this side is not taken to be bound then.
    pub(crate) on_other: Given,
    /// PodSecurityPolicies, where they decide.
    pub(crate) psps: Vec<Value>,
    /// What was added to the texts so that they decide anything, and which checks a level stands for.
    pub(crate) added: Vec<String>,
    /// The bundle without its texts, which is copied for each request. Its policies say which branches they took.
    light: Bundle,
    /// The same, and its policies say what they read: made of the texts where it is asked for.
    reading: OnceCell<Bundle>,
    texts: Vec<Text>,
    /// The texts as they were given.
    written: Written,
    /// Whether a policy reads more of a request than the object and who asks.
    reads_request: bool,
    /// Policies of it that are for scans in the background alone.
    pub(super) unasked: Vec<Unasked>,
    /// The versions of kinds that its policies name.
    pub(crate) versions: Versions,
    pub(super) kind: SideKind,
    actions: Actions,
    world: &'w dyn World,
}

/// How much of a response is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The decision alone.
    Decision,
    /// The branches on the way to it.
    Branches,
    /// The places of the object that were read.
    Reads,
    /// The words and lines.
    Messages,
}

/// The label of a Namespace that is its name.
pub(crate) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

impl<'w> Side<'w> {
    /// Reads two sides.
    pub(crate) fn both([old, new]: [&[Text]; 2], actions: Actions, world: &'w dyn World) -> [Self; 2] {
        let read = |texts, on_other| Side::read(texts, on_other, actions, world);
        let [first, second] = [read(old, Given::default()), read(new, Given::default())];
        let [own, others] = [first.given, second.given];
        let again = |side: Self, texts, on_other: Given| {
            if side.is_unbound && on_other != Given::default() { read(texts, on_other) } else { side }
        };
        [again(first, old, others), again(second, new, own)]
    }

    /// Reads a side, of which the other one has these bindings.
    pub(crate) fn read(texts: &[Text], on_other: Given, actions: Actions, world: &'w dyn World) -> Self {
        let (texts, mut written) = Written::of(texts);
        let texts = texts.as_slice();
        if let [text] = texts
            && let Some((level, version)) = level_of(&text.text)
        {
            let kind = SideKind::Level(level, version);
            let side = Side::with(Bundle::default(), Vec::new(), kind, actions, world);
            return Side {
                added: crate::reads::pod_security::newest_checks(level, version).into_iter().collect(),
                ..side
            };
        }
        let psp = psp_of(texts);
        if !psp.is_empty() {
            let policies = Policies::new(&psp, Release::default());
            let kind = SideKind::Psp(Box::new(policies));
            let side = Side::with(Bundle::default(), Vec::new(), kind, actions, world);
            return Side { psps: psp, ..side };
        }
        let load = |texts| load_with(sources(texts), Host::Cluster, engine_celpolicy::WITH_BRANCHES);
        let (bundle, response) = load(texts);
        let given = Given::of(&bundle);
        let (bindings, added) = missing_bindings(&bundle, on_other);
        let is_unbound = bindings.is_some();
        let mut texts = texts.to_vec();
        let (bundle, response) = match bindings {
            None => (bundle, response),
            Some(bindings) => {
                texts.push(bindings);
                load(&texts)
            }
        };
        let mut side = Side::with(bundle, response, SideKind::Policies, actions, world);
        side.added = added;
        side.added.extend(left_out(&texts));
        side.is_unbound = is_unbound;
        (side.given, side.on_other) = (given, on_other);
        if !side.mutates() {
            let documents: Vec<&Value> =
                side.bundle.documents.iter().map(|document| &document.value).collect();
            side.versions = Versions::named(&documents);
        }
        let unasked = settle(&mut side.bundle, actions);
        side.added.extend(unasked.iter().map(Unasked::note));
        side.unasked = unasked;
        side.light = lightened(side.bundle.clone());
        written.note_sources(sources_of_texts(&texts).map(|(role, _, text)| (role, text)));
        side.written = written;
        side.texts = texts;
        side
    }

    /// The bundle whose policies say what is asked for.
    fn saying(&self, depth: Depth) -> &Bundle {
        if depth != Depth::Reads || self.texts.is_empty() {
            return &self.light;
        }
        self.reading.get_or_init(|| {
            let (mut bundle, _) =
                load_with(sources(&self.texts), Host::Cluster, engine_celpolicy::AS_WRITTEN);
            settle(&mut bundle, self.actions);
            lightened(bundle)
        })
    }

    /// A place as that of the text that was given.
    pub(crate) fn place(&self, range: Range) -> Range {
        self.written.place(range)
    }

    fn with(
        bundle: Bundle,
        diagnostics: Vec<Diagnostic>,
        kind: SideKind,
        actions: Actions,
        world: &'w dyn World,
    ) -> Self {
        Side {
            light: bundle.clone(),
            reads_request: is_asked_for(&bundle),
            bundle,
            diagnostics,
            added: Vec::new(),
            is_unbound: false,
            given: Given::default(),
            on_other: Given::default(),
            psps: Vec::new(),
            unasked: Vec::new(),
            versions: Versions::default(),
            reading: OnceCell::new(),
            texts: Vec::new(),
            written: Written::default(),
            kind,
            actions,
            world,
        }
    }

    /// Takes over the plurals of custom kinds, which are no guess to a cluster.
    pub(crate) fn know(&mut self, plurals: &[([Str; 3], Str)]) {
        for (kind, plural) in plurals {
            self.bundle.settings.custom_plurals.insert(kind.clone(), plural.clone());
        }
    }

    /// Whether a policy of it may change objects, so that it is asked before they are validated.
    pub(crate) fn mutates(&self) -> bool {
        self.bundle.documents.iter().map(|document| &document.value).any(|policy| {
            let rules = policy.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
            policy.find_str(&["kind"]).contains("Mutating")
                || rules.iter().any(|rule| rule.get("mutate").is_some())
        })
    }

    /// Whether a policy of it may change objects or generate some.
    pub(crate) fn changes(&self) -> bool {
        let mut documents = self.bundle.documents.iter().map(|document| &document.value);
        self.mutates()
            || self.bundle.policies.iter().any(generates)
            || documents.any(|policy| policy.find_str(&["kind"]).contains("Generating"))
    }

    /// Whether a policy of it is a ClusterPolicy or Policy.
    pub(crate) fn is_classic(&self) -> bool {
        self.bundle.policies.iter().any(|policy| policy.body.is_none())
    }

    /// Whether all of its policies are in CEL.
    fn is_cel(&self) -> bool {
        self.bundle.policies.iter().all(|policy| policy.body.is_some())
    }

    /// Whether a ClusterPolicy or Policy of it is asked about deletions: one that does more than change objects.
    pub(crate) fn asks_deletions(&self) -> bool {
        let classic = self.bundle.policies.iter().filter(|policy| policy.body.is_none());
        classic.flat_map(|policy| &policy.rules).any(|rule| rule.raw.get("mutate").is_none())
    }

    /// Whether a policy in CEL of it names `pods/ephemeralcontainers`.
    pub(crate) fn names_ephemeral(&self) -> bool {
        self.bundle.documents.iter().any(|document| subresources::names_ephemeral(&document.value))
    }

    /// Whether it decides about Pods alone, and not about what makes them.
    pub(crate) fn is_of_pods(&self) -> bool {
        !matches!(self.kind, SideKind::Policies)
    }

    /// What a cluster does with a request.
    pub(crate) fn evaluate(&self, request: &Request, depth: Depth) -> Response {
        let converted = self.versions.converted(request);
        let request = converted.as_ref().unwrap_or(request);
        match &self.kind {
            SideKind::Policies => self.evaluate_policies(request, depth),
            SideKind::Level(level, version) => of_level(*level, *version, request, depth),
            SideKind::Psp(policies) => of_psp(policies, request, depth),
        }
    }

    /// An object as it is in a cluster.
    pub(crate) fn as_cluster(value: &Value) -> Resource {
        Resource::new(value.with_int_numbers().with_float_numbers(), DocumentId(u32::MAX))
    }

    /// The policies, and the world, that a request meets.
    pub(crate) fn asked(&self, request: &Request, depth: Depth) -> (Bundle, InCluster<'w>) {
        let resource = Side::as_cluster(&request.object);
        let mut bundle = self.saying(depth).clone();
        bundle.settings.custom_plurals.clone_from(&self.bundle.settings.custom_plurals);
        let attributes = &request.attributes;
        bundle.settings.operation = Some(Str::new_static(attributes.operation.as_str()));
        bundle.settings.user = Some(attributes.user.clone());
        if !attributes.labels.is_empty() {
            let name = Str::new(resource.namespace());
            // An API server writes this one.
            let own = (Str::new_static(NAME_LABEL), name.clone());
            let labels = attributes.labels.iter().cloned().chain([own]).collect();
            bundle.settings.namespace_labels.insert(name, labels);
        }
        if let Some(old) = attributes.old.as_ref().filter(|_| attributes.operation == Operation::Update) {
            bundle.old_resources.push(Side::as_cluster(old));
        }
        if bundle.policies.iter().any(generates) {
            // A rule that copies finds its source here.
            let objects = attributes.cluster.iter().flat_map(|objects| objects.iter());
            bundle.cluster_resources.extend(objects.map(Side::as_cluster));
        }
        if let Some(of) = attributes.of {
            subresource::tell_of(&mut bundle.settings, of, request);
        } else if let Some(subresource) = request.subresource() {
            subresource::tell(&mut bundle.settings, subresource, request);
        } else if self.reads_request {
            bundle.settings.request = Some(admission_request(request, None, &bundle.settings));
        } else if attributes.is_dry_run {
            // All else is as policies in CEL are given it in any case, and no other policy asks.
            bundle.settings.request = self.is_cel().then(|| map([("dryRun", Value::Bool(true))]).into());
        }
        let world = InCluster::new(self.world, attributes.cluster.as_ref(), &mut bundle);
        (bundle, world)
    }

    fn evaluate_policies(&self, request: &Request, depth: Depth) -> Response {
        if self.deletes() {
            return self.evaluate_deletion(request, depth);
        }
        let resource = Side::as_cluster(&request.object);
        let (bundle, world) = self.asked(request, depth);
        let trace = if depth == Depth::Decision { Recording::Off } else { Recording::On };
        let places = if depth == Depth::Decision { Locations::Omit } else { Locations::Include };
        let options = Options { host: Host::Cluster, trace, places };
        let directory = Directory::of(&bundle);
        let mut response = Response::nothing();
        let mut results = Vec::new();
        Driver::new(&bundle, &directory, &world, &options)
            .each(std::slice::from_ref(&resource), |result| results.push(result));
        for result in &results {
            self.take(&bundle, resource.namespace(), result, depth, &mut response);
        }
        if request.adds_ephemeral() {
            response.object = response.object.and_then(|object| subresource::kept_of(&object, request));
            // What a rule makes for a Pod was made when the Pod came.
            response.generated.clear();
        }
        response.generated.sort_by_cached_key(engine_json::to_json);
        response.branches.sort_unstable();
        response.branches.dedup();
        response.sign();
        response
    }

    pub(crate) fn take(
        &self,
        bundle: &Bundle,
        namespace: &str,
        result: &PolicyResult,
        depth: Depth,
        response: &mut Response,
    ) {
        let Some(policy) = bundle.policies.get(result.policy) else { return };
        if !result.undecided.is_empty() {
            response.effect = response.effect.max(Effect::Unknown);
        }
        // Nothing is changed about what goes: an API server refuses a patch of it, and Kyverno is not asked for one
        // (pkg/controllers/webhook/controller.go).
        let is_deletion = bundle.settings.operation.as_deref() == Some(Operation::Delete.as_str());
        if let Some(mutation) = result.mutation.as_ref().filter(|mutation| mutation.changed && !is_deletion) {
            response.object = Some(mutation.resource.with_int_numbers());
        }
        result.no_match.iter().for_each(|step| response.branch(result.policy, step));
        if depth == Depth::Reads {
            result.no_match.iter().for_each(|step| response.note_reads(step));
        }
        for rule in result.rules.iter().filter(|rule| !(is_deletion && rule.rule_type == RuleType::Mutation))
        {
            let effect = rule_effect(bundle, policy, namespace, rule);
            let is_loose = matches!(effect, Effect::Report | Effect::Warn);
            let effect = match (self.actions, rule.status) {
                // What is generated holds up no request: the objects are compared.
                _ if rule.rule_type == RuleType::Generation => Effect::Allow,
                (Actions::Enforced, Status::Fail) if is_loose => Effect::Deny,
                (Actions::Enforced, Status::Error) if is_loose && !policy.ignores_errors => Effect::Deny,
                _ => effect,
            };
            response.effect = response.effect.max(effect);
            response.is_assumed |= !rule.assumed.is_empty();
            response.allows_existing |= rule.status == Status::Skip && rule.message == EXISTING_ALLOWED;
            response.rules.insert(format!("{}/{}", policy.key(), rule.rule), rule.status);
            // A cluster generates where a rule passes, the command line in any case.
            let made = rule.generated.iter().filter(|_| rule.status == Status::Pass);
            response.generated.extend(made.map(|made| unlabelled(&made.with_int_numbers())));
            if depth == Depth::Decision {
                continue;
            }
            if matches!(rule.status, Status::Fail | Status::Error) {
                response.note_failure(&policy.key(), rule);
            }
            rule.steps.iter().for_each(|step| response.branch(result.policy, step));
            if depth == Depth::Reads {
                for step in &every_step(&rule.steps) {
                    response.note_reads(step);
                }
                response.reads.extend(rule.resource_paths.iter().cloned());
            }
            let mut branch = mix(FNV, rule.rule.as_bytes());
            branch = mix(branch, &[rule.status as u8]);
            rule.resource_paths.iter().for_each(|path| branch = mix_path(branch, path));
            rule.policy_paths.iter().for_each(|path| branch = mix_path(branch, path));
            response.branches.push(branch);
            if depth == Depth::Messages {
                let path = rule.policy_paths.first().cloned().unwrap_or_else(|| written(policy, rule));
                response.messages.push(RuleMessage {
                    policy: policy.key(),
                    rule: rule.rule.to_string(),
                    status: rule.status,
                    message: rule.message.clone(),
                    place: Some((policy.document, path)),
                });
            }
        }
    }
}

/// Takes out of a bundle what is asked about no request, which is returned in words, and lets it enforce where that is wanted.
fn settle(bundle: &mut Bundle, actions: Actions) -> Vec<Unasked> {
    let unasked = leave_unasked(bundle);
    if actions == Actions::Enforced {
        enforce(bundle);
    }
    unasked
}

/// A bundle without its texts.
fn lightened(mut bundle: Bundle) -> Bundle {
    bundle.sources.clear();
    bundle.documents.clear();
    bundle
}

fn written(policy: &engine::policy::Policy, response: &engine::apply::RuleResult) -> Path {
    let rule = policy.rules.iter().find(|rule| rule.name == response.written_name);
    rule.map_or_else(|| Path::from_keys(&["spec"]), |rule| rule.path.clone())
}
