//! Evaluates Pods by the real engine, with the texts as they are and with changes to them.
//!
//! In: a bundle, and the configuration of Pod Security Admission. Out: who refuses a Pod and with which words; and the same
//! runner with one document changed, or with some of its policies alone.

use super::edit::{Edit, edited};
use super::pod::{containers, map};
use engine::apply::{self, Host, Locations, Options, Phase, PolicyResult, Recording, Status};
use engine::diag::{Diagnostic, Severity};
use engine::load::{self, Bundle, Followed, Role};
use engine::matching::UserInfo;
use engine::policy::Policy;
use engine::resource::{DocumentId, Resource};
use engine::world::World;
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Str, Value};
use engine_podsecurity::Level;
use engine_podsecurity::admission::{Config, Objects, Operation, Request, review};
use engine_values::image::registry::RegistryImage;
use engine_yaml::emit::to_yaml_ordered;
use std::cell::Cell;

/// The document of the admission's configuration, which is not a text of the bundle.
pub(super) const CONFIGURATION: DocumentId = DocumentId(u32::MAX);

/// No run evaluates more Pods than this; what is left then is said to be untried.
pub(super) const MAX_TRIALS: u32 = 60_000;

/// Somebody asks for an object.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) object: Value,
    /// Who asks, where that is not whom the texts name.
    pub(super) user: Option<UserInfo>,
    /// The Namespace of the object, where the exemption is about it.
    pub(super) namespace: Option<Value>,
}

impl Case {
    pub(super) fn of(object: Value) -> Self {
        Case { object, user: None, namespace: None }
    }
}

/// One refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The policy; empty for Pod Security Admission.
    pub(super) policy: String,
    /// The rule as written, or the level.
    pub(super) rule: String,
    /// The words.
    pub(super) text: String,
}

/// Pod Security Admission, where the texts know of it.
#[derive(Clone, Debug)]
struct Psa {
    configuration: Value,
    config: Config,
    /// The Namespaces, by document.
    namespaces: OrderedMap<DocumentId, Value>,
}

/// The texts, ready to evaluate.
#[derive(Clone)]
pub(super) struct TrialRunner<'w> {
    world: &'w dyn World,
    host: Host,
    pub(super) bundle: Bundle,
    documents: std::rc::Rc<OrderedMap<DocumentId, (Role, Value)>>,
    psa: Option<Psa>,
    trials: std::rc::Rc<Cell<u32>>,
}

impl<'w> TrialRunner<'w> {
    /// The runner for these texts.
    pub(super) fn new(bundle: &Bundle, host: Host, configuration: &Value, world: &'w dyn World) -> Self {
        let document = |at: usize| {
            let document = bundle.documents.get(at)?;
            let (role, _) = bundle.source(document.source)?;
            Some((DocumentId(u32::try_from(at).ok()?), (*role, document.value.clone())))
        };
        let documents: OrderedMap<_, _> = (0..bundle.documents.len()).filter_map(document).collect();
        let is_namespace = |value: &Value| value.find_str(&["kind"]) == "Namespace";
        let namespaces: OrderedMap<_, _> = documents
            .iter()
            .filter(|(_, (_, value))| is_namespace(value))
            .map(|(id, (_, value))| (*id, value.clone()))
            .collect();
        let has_labels = namespaces.values().any(|namespace| {
            let labels = namespace.find(&["metadata", "labels"]).and_then(Value::as_object);
            labels.is_some_and(|labels| {
                labels.keys().any(|key| key.starts_with("pod-security.kubernetes.io/enforce"))
            })
        });
        let config = crate::psa::read_config(&to_yaml_ordered(configuration)).unwrap_or_default();
        let psa = (has_labels || !configuration.is_null()).then(|| Psa {
            configuration: configuration.clone(),
            config: if configuration.is_null() { Config::default() } else { config },
            namespaces,
        });
        let mut bundle = bundle.clone();
        // Nothing here has a place, and clones are made often.
        bundle.documents.clear();
        bundle.sources.clear();
        TrialRunner { world, host, bundle, documents: documents.into(), psa, trials: std::rc::Rc::default() }
    }

    /// How many Pods were evaluated.
    pub(super) fn trials(&self) -> u32 {
        self.trials.get()
    }

    /// Whether no more Pods are evaluated.
    pub(super) fn budget_spent(&self) -> bool {
        self.trials.get() >= MAX_TRIALS
    }

    /// Now, in nanoseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.world.now()
    }

    /// A document as it is written.
    pub(super) fn document(&self, id: DocumentId) -> Option<&Value> {
        if id == CONFIGURATION {
            return self.psa.as_ref().map(|psa| &psa.configuration);
        }
        self.documents.get(&id).map(|(_, value)| value)
    }

    /// All documents.
    pub(super) fn documents(&self) -> impl Iterator<Item = (DocumentId, Role, &Value)> {
        self.documents.iter().map(|(id, (role, value))| (*id, *role, value))
    }

    /// The admission's configuration, where there is an admission.
    pub(super) fn admission(&self) -> Option<&Config> {
        self.psa.as_ref().map(|psa| &psa.config)
    }

    /// The runner with edits to a document; `None` where it cannot be used any more.
    pub(super) fn with_edits(&self, id: DocumentId, edits: &[Edit]) -> Option<TrialRunner<'w>> {
        self.with_document(id, Some(edited(self.document(id)?, edits)?))
    }

    /// The runner with another document in the place of one, or without it.
    pub(super) fn with_document(&self, id: DocumentId, value: Option<Value>) -> Option<TrialRunner<'w>> {
        let mut runner = self.clone();
        if id == CONFIGURATION {
            let psa = runner.psa.as_mut()?;
            psa.configuration = value.unwrap_or_default();
            psa.config = crate::psa::read_config(&to_yaml_ordered(&psa.configuration)).ok()?;
            return Some(runner);
        }
        let (role, _) = self.documents.get(&id)?;
        let news = self.loaded(*role, id, value.as_ref())?;
        let bundle = &mut runner.bundle;
        let (own, others): (Vec<_>, Vec<_>) =
            news.policies.into_iter().partition(|policy| policy.document == id);
        replace(&mut bundle.policies, own, |policy| policy.document == id);
        for new in others {
            let is_it = |old: &&mut Policy| old.document == new.document && old.key() == new.key();
            if let Some(old) = bundle.policies.iter_mut().find(is_it) {
                *old = new;
            }
        }
        bundle.other_exceptions = news.other_exceptions;
        bundle.bindings = news.bindings;
        let mut exceptions = bundle.exceptions.to_vec();
        replace(&mut exceptions, news.exceptions.to_vec(), |exception| exception.document == id);
        bundle.exceptions = exceptions.into_iter().collect();
        if let Some(psa) = runner.psa.as_mut()
            && psa.namespaces.contains_key(&id)
        {
            psa.namespaces.insert(id, value.clone()?);
        }
        let mut documents = (*runner.documents).clone();
        match value {
            Some(value) => documents.insert(id, (*role, value)),
            None => documents.remove(&id),
        };
        runner.documents = documents.into();
        Some(runner)
    }

    /// What becomes of a document, and of those whose policies another crate evaluates: such policies are made anew with the
    /// exceptions and bindings that there are then. `None` where something cannot be used.
    fn loaded(&self, role: Role, id: DocumentId, value: Option<&Value>) -> Option<Bundle> {
        let bundle = &self.bundle;
        let with_body = bundle.policies.iter().filter(|policy| is_cel(policy));
        let mut all: Vec<DocumentId> = with_body.map(|policy| policy.document).collect();
        all.extend(bundle.other_exceptions.iter().chain(&bundle.bindings).map(|(id, _)| *id));
        // Whether it is one of these is known once it is read alone.
        let alone = match value {
            None => Bundle::default(),
            Some(value) => self.read([(role, id, value.clone())])?,
        };
        let is_other = all.contains(&id)
            || !alone.other_exceptions.is_empty()
            || !alone.bindings.is_empty()
            || alone.policies.iter().any(is_cel);
        if !is_other {
            let (other_exceptions, bindings) = (bundle.other_exceptions.clone(), bundle.bindings.clone());
            return Some(Bundle { other_exceptions, bindings, ..alone });
        }
        all.push(id);
        all.sort_unstable();
        all.dedup();
        let document = |known: DocumentId| {
            let (role, written) = self.documents.get(&known)?;
            let value = if known == id { value } else { Some(written) };
            Some((*role, known, value?.clone()))
        };
        self.read(all.into_iter().filter_map(document))
    }

    fn read(&self, documents: impl IntoIterator<Item = (Role, DocumentId, Value)>) -> Option<Bundle> {
        let followed = Followed { host: self.host, kubernetes: self.bundle.kubernetes };
        let (news, said) = load::load_values(documents, followed, self.world.extension());
        let is_bad = |said: &Diagnostic| said.severity == Severity::Error;
        (news.refused.is_empty() && !said.iter().any(is_bad)).then_some(news)
    }

    /// The runner with one document more, and the number it goes by.
    pub(super) fn with_new(&self, role: Role, value: &Value) -> Option<(TrialRunner<'w>, DocumentId)> {
        let last = self.documents.keys().next_back().map_or(0, |id| id.0 + 1);
        let id = DocumentId(last);
        let mut runner = self.clone();
        let mut documents = (*runner.documents).clone();
        documents.insert(id, (role, Value::Null));
        runner.documents = documents.into();
        Some((runner.with_document(id, Some(value.clone()))?, id))
    }

    /// The runner of Pod Security Admission alone: a namespace with labels, in a cluster with such a default.
    pub(super) fn of_admission(
        &self,
        default: &str,
        namespace: &str,
        labels: &[(&str, &str)],
    ) -> TrialRunner<'w> {
        let mut runner = self.only(&|_| false, false);
        let mut config = Config::default();
        if let Some(level) = Level::parse(default) {
            config.defaults.enforce.level = level;
        }
        let mut value = super::pod::namespace(namespace);
        let path = Path::from_keys(&["metadata", "labels"]);
        for (key, label) in labels {
            let edit = Edit::Set(path.join(*key), Value::from(*label));
            value = edited(&value, &[edit]).unwrap_or(value);
        }
        let namespaces = OrderedMap::from_iter([(DocumentId(0), value)]);
        runner.psa = Some(Psa { configuration: Value::Null, config, namespaces });
        runner
    }

    /// The runner with only those policies that `keep` names, and whatever mutates; with or without the admission.
    pub(super) fn only(&self, keep: &dyn Fn(&str) -> bool, with_admission: bool) -> TrialRunner<'w> {
        let mut runner = self.clone();
        let mutates = |policy: &Policy| {
            policy.rules.iter().any(|rule| matches!(rule.body, engine::policy::Body::Mutate(_)))
                || policy.body.as_ref().is_some_and(|body| body.phase() == Phase::Mutate)
        };
        runner.bundle.policies.retain(|policy| keep(&policy.key()) || mutates(policy));
        runner.psa = runner.psa.filter(|_| with_admission);
        runner
    }

    /// The runner after all the trials that it may hold.
    #[cfg(test)]
    pub(super) fn spent(self) -> Self {
        self.trials.set(MAX_TRIALS);
        self
    }

    /// Who refuses the object.
    pub(super) fn refusals(&self, case: &Case) -> Vec<Refusal> {
        self.trials.set(self.trials.get().saturating_add(1));
        let mut refusals = Vec::new();
        let resource = load::resource(&case.object, CONFIGURATION, self.host, load::published_defaults);
        let options = Options { host: self.host, trace: Recording::Off, places: Locations::Omit };
        let looks_at_images = self.looks_at_images();
        let asked = self.asked(case, looks_at_images.then_some(&resource));
        let bundle = asked.as_ref().unwrap_or(&self.bundle);
        let mut take = |result: PolicyResult| {
            if !matches!(result.phase, Phase::Validate | Phase::VerifyImages) {
                return;
            }
            let Some(policy) = bundle.policies.get(result.policy) else { return };
            // What cannot be decided is never let in.
            let bad = result.rules.iter().filter(|rule| matches!(rule.status, Status::Fail | Status::Error));
            refusals.extend(bad.map(|rule| Refusal {
                policy: policy.key(),
                rule: rule.written_name.to_string(),
                text: rule.message.clone(),
            }));
        };
        apply::apply_to_each(bundle, std::slice::from_ref(&resource), self.world, &options, &mut take);
        if looks_at_images {
            apply::afterwards(bundle, self.world, &options, &mut take);
        }
        refusals.extend(self.admission_refusal(&resource.typed, case));
        refusals
    }

    /// The bundle with what a case has of its own; `None` where that is nothing. Policies of images are asked once all
    /// resources went through the others, so theirs is the only one.
    fn asked(&self, case: &Case, resource: Option<&Resource>) -> Option<Bundle> {
        if case.user.is_none() && case.namespace.is_none() && resource.is_none() {
            return None;
        }
        let mut changed = self.bundle.clone();
        if let Some(resource) = resource {
            changed.settings.image_data.extend(self.unsigned(&case.object));
            changed.resources = vec![resource.clone()];
        }
        if let Some(user) = &case.user {
            changed.settings.user = Some(user.clone());
        }
        if let Some(namespace) = &case.namespace {
            changed.settings.know_namespace(namespace);
        }
        Some(changed)
    }

    /// Whether a policy in CEL looks at images.
    fn looks_at_images(&self) -> bool {
        let bodies = self.bundle.policies.iter().filter_map(|policy| policy.body.as_ref());
        bodies.map(|body| body.phase()).any(|phase| phase == Phase::VerifyImages)
    }

    /// The images of an object of which nothing is known, for policies that ask registries: an attacker has pushed his image, and
    /// nobody has signed it.
    fn unsigned(&self, object: &Value) -> Vec<(Str, Value)> {
        let given = &self.bundle.settings.image_data;
        let reference = |image: &str| {
            let read = RegistryImage::parse(image).ok()?;
            Some((read.registry.clone(), read.repository(), read.identifier().to_owned()))
        };
        let none = || Value::array(Vec::new());
        let data = map([("signedBy", none()), ("attestations", none())]);
        let all = containers(object).into_iter().map(|container| Str::from(container.image.as_str()));
        let is_new = |image: &Str| {
            let wanted = reference(image);
            !given.iter().any(|(known, _)| known == image || reference(known) == wanted)
        };
        all.filter(is_new).map(|image| (image, data.clone())).collect()
    }

    fn admission_refusal(&self, object: &Value, case: &Case) -> Option<Refusal> {
        let psa = self.psa.as_ref()?;
        if object.find_str(&["kind"]) != "Pod" {
            return None;
        }
        let (name, namespace) =
            (object.find_str(&["metadata", "name"]), object.find_str(&["metadata", "namespace"]));
        let mut namespaces: Vec<Value> = psa.namespaces.values().cloned().collect();
        namespaces.push(super::pod::namespace(namespace));
        let mut request = Request::new("pods", name, namespace, Operation::Create);
        request.object = Ok(Some(object.clone()));
        if let Some(user) = &case.user {
            request.user = user.username.to_string();
        }
        let response = review(&request, &psa.config, &Objects(&namespaces));
        let status = response.status.filter(|_| !response.allowed)?;
        Some(Refusal { policy: String::new(), rule: "enforce".to_owned(), text: status.message })
    }
}

/// Whether another crate evaluates a policy or a rule of it.
fn is_cel(policy: &Policy) -> bool {
    policy.body.is_some()
}

/// Puts new items where the old ones stood.
fn replace<T>(items: &mut Vec<T>, news: Vec<T>, is_old: impl Fn(&T) -> bool) {
    let at = items.iter().position(&is_old).unwrap_or(items.len());
    items.retain(|item| !is_old(item));
    items.splice(at..at, news);
}
