//! GlobalContextEntries that are given, and context entries whose answer is not.
//!
//! In: objects of kind `GlobalContextEntry` among the resources. Out: [`GlobalEntry`]s with the objects that they stand for,
//! and a warning at each context entry of a policy that nobody can answer.
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/global_context.go.

use super::decode::{Node, Problems};
use super::{Bundle, Host, Loader};
use crate::diag::{Code, Severity};
use crate::policy::{Body, ContextEntry, Source};
use crate::resource::{ApiPath, DocumentId, Gvk, Resource, plural};
use crate::template;
use engine_json::arrange::Arrange as _;
use engine_json::ordered::{OrderedMap, OrderedSet};
use engine_json::{Path, Str, Value};
use std::cell::LazyCell;

/// A GlobalContextEntry for objects of the cluster.
#[derive(Clone, Debug)]
pub struct GlobalEntry {
    /// Its name.
    pub name: Str,
    /// Names and expressions of its projections.
    pub projections: Vec<(Str, Str)>,
    /// The objects that it stands for: a list.
    pub objects: Value,
    /// Its document.
    pub document: DocumentId,
    /// Whether no object of its kind is given: then it is empty by assumption.
    pub is_assumed: bool,
    /// `spec.kubernetesResource`.
    wanted: Value,
}

impl GlobalEntry {
    /// The plural of its objects.
    pub(crate) fn plural(&self) -> &str {
        self.wanted.find_str(&["resource"])
    }

    fn is_of_kind(&self, object: &Resource) -> bool {
        let text = |key: &str| self.wanted.find_str(&[key]);
        object.gvk.group == text("group")
            && object.gvk.version == text("version")
            && plural(&object.gvk.kind) == self.plural()
    }

    fn is_within(&self, object: &Resource) -> bool {
        let namespace = self.wanted.find_str(&["namespace"]);
        namespace.is_empty() || object.namespace() == namespace
    }
}

impl Bundle {
    /// What a context entry needs and nobody has given.
    fn missing_for(&self, entry: &ContextEntry, host: Host) -> Option<String> {
        let settings = &self.settings;
        let what = match &entry.source {
            Source::ConfigMap { name, namespace } => {
                let is_it = |object: &Resource| {
                    object.kind() == "ConfigMap" && object.name() == name && object.namespace() == namespace
                };
                let is_there = host == Host::Playground && self.cluster_resources.iter().any(is_it);
                // Playground: backend/pkg/engine/mocks/contextloader.go, WithCMCheck, asks before any variable is resolved.
                let is_literal = ![name, namespace].iter().any(|text| text.contains("{{"));
                let taken = if host != Host::Playground || is_literal {
                    ""
                } else {
                    ", by a name that the Playground takes as it is written, variables and all"
                };
                let is_missing = !is_there && !self.is_mocked(entry);
                return is_missing.then(|| format!("the ConfigMap `{namespace}/{name}`{taken}"));
            }
            Source::ApiCall(_) if host == Host::Playground => "an answer of the Kubernetes API",
            Source::ImageRegistry(_) if settings.image_data.is_empty() => "image data",
            Source::GlobalReference(_) if !settings.answers.has_entries => "a GlobalContextEntry",
            Source::ImageRegistry(_)
            | Source::GlobalReference(_)
            | Source::ApiCall(_)
            | Source::Variable { .. }
            | Source::Unknown => return None,
        };
        (!self.is_mocked(entry)).then(|| what.to_owned())
    }

    /// Whether a value for the name of an entry, or for something within it, stands in.
    fn is_mocked(&self, entry: &ContextEntry) -> bool {
        let settings = &self.settings;
        let names_it = |(name, _): &(Str, Value)| name.split('.').next() == Some(entry.name.as_str());
        let of_resources = settings.resource_values.values().flat_map(OrderedMap::values).flatten();
        let of_rules = settings.rule_values.iter().flat_map(|(_, _, values)| values);
        settings.global_values.iter().chain(of_resources).chain(of_rules).any(names_it)
    }

    /// The plural of the objects that an entry lists, where none of them is given: the list is empty then.
    fn empty_list_for(
        &self,
        entry: &ContextEntry,
        is_given: &dyn Fn(&[String; 3]) -> bool,
    ) -> Option<String> {
        /// What stands for variables, which no name holds.
        const ANY: &str = "\0";
        let Source::ApiCall(call) = &entry.source else { return None };
        let path = template::replace_variables(call.find_str(&["urlPath"]), ANY);
        let path = ApiPath::parse(path.trim_start_matches('/')).filter(|path| path.name.is_empty())?;
        let (group, version, resource) = path.plural();
        let is_known = [group, version, resource].iter().all(|part| !part.contains(ANY));
        let is_empty = is_known && !is_given(&[group, version, resource].map(str::to_owned));
        (is_empty && !self.is_mocked(entry)).then(|| resource.to_owned())
    }

    /// Group, version and plural of all kinds that are given.
    fn given_plurals(&self) -> OrderedSet<[String; 3]> {
        let kinds = self.resources.iter().chain(&self.cluster_resources).map(|object| &object.gvk);
        let names = |Gvk { group, version, kind }: &'_ Gvk| (group.clone(), version.clone(), kind.clone());
        let kinds: OrderedSet<(Str, Str, Str)> = engine_json::arrange::set(kinds.map(names));
        let plurals =
            kinds.iter().map(|(group, version, kind)| [group.to_string(), version.to_string(), plural(kind)]);
        engine_json::arrange::set(plurals)
    }
}

/// Whether an object is a GlobalContextEntry that the original takes out of the resources.
// Kyverno: extractGlobalContextEntries knows version v2 alone.
pub(super) fn is_global_entry(value: &Value) -> bool {
    value.find_str(&["kind"]) == "GlobalContextEntry" && value.find_str(&["apiVersion"]) == "kyverno.io/v2"
}

impl Loader {
    pub(super) fn global_entry_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        let mut problems = Problems::new();
        let node = Node::new(value, &root);
        let spec = node.field("spec");
        let projections = spec.field("projections").items(&mut problems, |item, problems| {
            (item.field("name").text(problems), item.field("jmesPath").text(problems))
        });
        let name = node.field("metadata").field("name").text(&mut problems);
        self.report(id, problems);
        let answers = &mut self.bundle.settings.answers;
        answers.has_entries = true;
        // Kyverno: entries that ask a service are in no offline store.
        if spec.has("kubernetesResource") {
            let wanted = spec.field("kubernetesResource").value.clone();
            let objects = Value::array(Vec::new());
            answers.entries.push(GlobalEntry {
                name,
                projections,
                objects,
                document: id,
                is_assumed: true,
                wanted,
            });
        }
    }

    /// Says which context entries nobody can answer, once all texts are read.
    pub(super) fn name_missing_context(&mut self) {
        let mut missing = Vec::new();
        // Few policies ask, and then there may be many resources.
        let given = LazyCell::new(|| self.bundle.given_plurals());
        let is_given = |plural: &[String; 3]| given.contains(plural);
        for policy in &self.bundle.policies {
            // What a cleanup policy may ask at all is said by its own checks.
            let rules = policy.rules.iter().filter(|rule| !matches!(rule.body, Body::Cleanup(_)));
            for rule in rules {
                for entry in &rule.context {
                    let of = format!("context entry `{}` of rule `{}`", entry.name, rule.name);
                    let message = if let Some(what) = self.bundle.missing_for(entry, self.host) {
                        format!("{of} needs {what}, which is not given: expressions that use it will fail")
                    } else if let Some(plural) = self.bundle.empty_list_for(entry, &is_given) {
                        format!("{of} lists `{plural}`: none is among the resources, so the list is empty")
                    } else {
                        continue;
                    };
                    missing.push((policy.document, entry.path.clone(), message));
                }
            }
        }
        for (document, path, message) in missing {
            self.say(document, &path, Code::MissingContext, Severity::Warning, message);
        }
    }

    /// Fills the entries with the objects that they stand for, once all texts are read.
    // Kyverno: buildGlobalContextStore asks the stand-in of the cluster, which lists by namespace and name.
    pub(super) fn fill_global_context(&mut self) {
        let bundle = &mut self.bundle;
        for entry in &mut bundle.settings.answers.entries {
            let all = bundle.resources.iter().chain(&bundle.cluster_resources);
            let mut found: Vec<&Resource> = all.filter(|object| entry.is_of_kind(object)).collect();
            entry.is_assumed = found.is_empty();
            found.retain(|object| entry.is_within(object));
            found.arrange_by_key(|object| (object.namespace(), object.name()));
            entry.objects = Value::array(found.into_iter().map(|object| object.value.clone()).collect());
        }
    }
}
