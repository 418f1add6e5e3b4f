//! Decodes what stands around policies and resources: values, user info, the Playground's context and configuration.

use super::decode::{Node, Problems};
use super::{Answers, Config, Host, Loader, Usable, values};
use crate::diag::{Code, Severity};
use crate::matching::{UserInfo, pairs};
use crate::resource::{DocumentId, Gvk, Resource, plural};
use crate::value::go_text::quote;
use engine_json::ordered::OrderedMap;
use engine_json::{Excess, MAX_DEPTH, Map, Path, Str, Value, measure};
use std::sync::Arc;

/// Variables by name.
pub type Values = Vec<(Str, Value)>;

/// Values, user and namespaces.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Values for every policy and resource.
    pub global_values: Vec<(Str, Value)>,
    /// Names of the global values that a flag gave: policies in CEL do not take the operation from there.
    pub flag_values: Vec<Str>,
    /// Values for one resource of one policy, by policy and resource.
    pub resource_values: OrderedMap<Str, OrderedMap<Str, Values>>,
    /// Values for one rule of one policy: policy, rule, values.
    pub rule_values: Vec<(Str, Str, Values)>,
    /// Labels of namespaces, by name.
    pub namespace_labels: OrderedMap<Str, Vec<(Str, Str)>>,
    /// Whole Namespaces, where they are given, by name.
    pub namespaces: OrderedMap<Str, Value>,
    /// Labels for every namespace that has none of its own.
    pub default_namespace_labels: Vec<(Str, Str)>,
    /// Who asks; `None` where no user info is given.
    pub user: Option<UserInfo>,
    /// Kinds that stand for subresources: their own kind, that of the parent, and the name such as `deployments/scale`.
    pub subresources: Vec<(Value, Value)>,
    /// The operation, where the context or a flag gives one.
    pub operation: Option<Str>,
    /// The subresource that the request is for, where the context or a flag gives one: `exec`, `deployments/scale`.
    pub subresource: Option<Str>,
    /// Whether the request is a dry run.
    pub dry_run: bool,
    /// The request as an API server sent it, where there is one: what it names goes before what would be made up.
    pub request: Option<Value>,
    /// Whether the Playground loads context entries only when they are asked for.
    pub deferred_loading: bool,
    /// Kyverno's configuration.
    pub(crate) config: Arc<Config>,
    /// What answers where context entries ask a cluster.
    pub answers: Answers,
    /// What is given of images, by their references: what a registry would say of them, and who signed them.
    pub image_data: Vec<(Str, Value)>,
    /// The objects that policies take as parameters.
    pub parameters: Vec<Resource>,
    /// The `spec` of each context file, for what asks a cluster or a registry otherwise.
    pub contexts: Vec<Value>,
    /// The plurals of custom kinds whose definitions are given, by group, version and kind.
    pub custom_plurals: OrderedMap<[Str; 3], Str>,
    /// Those definitions.
    pub definitions: Arc<Vec<Value>>,
}

impl Settings {
    /// The values for a resource of a policy, where some are given.
    pub(crate) fn values_for(&self, policy: &str, resource: &str) -> Option<&Values> {
        self.resource_values.get(policy)?.get(resource)
    }

    /// Takes a Namespace for what is known of it.
    pub fn know_namespace(&mut self, namespace: &Value) {
        let name = Str::from(namespace.find_str(&["metadata", "name"]));
        let labels = namespace.find(&["metadata", "labels"]).and_then(Value::as_object);
        self.namespaces.insert(name.clone(), namespace.clone());
        self.namespace_labels.insert(name, pairs(labels));
    }

    /// Takes an operation over all that values say of it.
    pub fn ask_for(&mut self, operation: &str) {
        let is_other = |(name, _): &(Str, Value)| name != values::OPERATION;
        self.global_values.retain(is_other);
        for values in self.resource_values.values_mut().flat_map(OrderedMap::values_mut) {
            values.retain(is_other);
        }
        self.operation = Some(Str::from(operation));
    }

    /// Whether the definition of a custom kind is given.
    pub fn is_defined(&self, gvk: &Gvk) -> bool {
        !self.custom_plurals.is_empty() && self.custom_plurals.contains_key(&key_of(gvk))
    }

    /// The plural of a kind: that of its definition, or as it is guessed.
    pub fn plural(&self, gvk: &Gvk) -> Str {
        let defined =
            if self.custom_plurals.is_empty() { None } else { self.custom_plurals.get(&key_of(gvk)) };
        defined.cloned().unwrap_or_else(|| Str::from(plural(&gvk.kind)))
    }

    /// Whether the definition of a custom kind is given.
    pub fn has_definition(&self, gvk: &Gvk) -> bool {
        self.custom_plurals.contains_key(&key_of(gvk))
    }

    /// Takes the definition of a custom kind: how its objects are called in rules, and the schema by which they are changed.
    // Kyverno: common.LoadCrdsFromPath.
    pub fn define(&mut self, definition: &Value) {
        if definition.find_str(&["kind"]) != "CustomResourceDefinition" {
            return;
        }
        Arc::make_mut(&mut self.definitions).push(definition.clone());
        let text = |path: &[&str]| Str::from(definition.find_str(path));
        let (group, kind) = (text(&["spec", "group"]), text(&["spec", "names", "kind"]));
        let plural = text(&["spec", "names", "plural"]);
        let versions = definition.find(&["spec", "versions"]).and_then(Value::as_array).unwrap_or_default();
        let is_served = |version: &&Value| version.get("served").and_then(Value::as_bool) == Some(true);
        for version in versions.iter().filter(is_served) {
            let key = [group.clone(), Str::from(version.find_str(&["name"])), kind.clone()];
            self.custom_plurals.insert(key, plural.clone());
        }
    }

    /// The words with which the original ends where the values are of an operation that there is not.
    // Kyverno: variables.ValidateOperation over GlobalOperation, which knows texts alone.
    pub fn unknown_operation(&self) -> Option<String> {
        let (_, value) = self.global_values.iter().rfind(|(name, _)| name == values::OPERATION)?;
        let operation = value.as_str().filter(|text| !values::is_operation(text))?;
        let operation = quote(operation);
        Some(format!(
            "invalid request.operation value {operation}, must be one of CREATE, UPDATE, DELETE, CONNECT"
        ))
    }
}

fn key_of(gvk: &Gvk) -> [Str; 3] {
    [gvk.group.clone(), gvk.version.clone(), gvk.kind.clone()]
}

impl Loader {
    pub(super) fn definition_document(&mut self, value: &Value) {
        // The Playground's answers were recorded without them.
        if self.host != Host::Playground {
            self.bundle.settings.define(value);
        }
    }

    pub(super) fn values_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        let mut problems = Problems::new();
        let node = Node::new(value, &root);
        values::read(&node, &mut self.bundle.settings, &mut problems);
        if self.report(id, problems) == Usable::No {
            let Settings {
                user,
                config,
                answers,
                image_data,
                parameters,
                contexts,
                custom_plurals,
                definitions,
                ..
            } = std::mem::take(&mut self.bundle.settings);
            self.bundle.settings = Settings {
                user,
                config,
                answers,
                image_data,
                parameters,
                contexts,
                custom_plurals,
                definitions,
                ..Settings::default()
            };
        }
        // The values stay: the words with which a run ends name the operation.
        if let Some(words) = self.bundle.settings.unknown_operation() {
            let path = root.join("globalValues").join(values::OPERATION);
            self.say(id, &path, Code::UnknownValue, Severity::Error, words);
        }
    }

    pub(super) fn user_info_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        let mut problems = Problems::new();
        let node = Node::new(value, &root);
        node.known_fields(
            &["apiVersion", "kind", "metadata", "roles", "clusterRoles", "userInfo"],
            &mut problems,
        );
        let user = node.field("userInfo");
        user.known_fields(&["username", "uid", "groups", "extra"], &mut problems);
        let extra = user.map(&mut problems).and_then(|_| user.field("extra").map(&mut problems)).cloned();
        if let Some(extra) = &extra {
            for (key, _) in extra.iter() {
                user.field("extra").field(key).texts(&mut problems);
            }
        }
        let info = UserInfo {
            roles: node.field("roles").texts(&mut problems),
            cluster_roles: node.field("clusterRoles").texts(&mut problems),
            username: user.field("username").text(&mut problems),
            uid: user.field("uid").text(&mut problems),
            groups: user.field("groups").texts(&mut problems),
            extra: extra.unwrap_or_default(),
        };
        if self.report(id, problems) == Usable::Yes {
            self.bundle.settings.user = Some(info);
        }
    }

    /// The Playground's context.
    pub(super) fn context_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        let mut problems = Problems::new();
        let node = Node::new(value, &root);
        let context = node.field("context");
        let settings = &mut self.bundle.settings;
        let info = UserInfo {
            roles: context.field("roles").texts(&mut problems),
            cluster_roles: context.field("clusterRoles").texts(&mut problems),
            username: context.field("username").text(&mut problems),
            groups: context.field("groups").texts(&mut problems),
            ..UserInfo::default()
        };
        settings.user = Some(info);
        settings.default_namespace_labels = pairs(context.field("namespaceLabels").value.as_object());
        let operation = context.field("operation").text(&mut problems);
        settings.operation = (!operation.is_empty()).then_some(operation);
        let subresource = context.field("subresource").text(&mut problems);
        settings.subresource = (!subresource.is_empty()).then_some(subresource);
        settings.dry_run = context.field("dryRun").flag(&mut problems).unwrap_or(false);
        settings.deferred_loading = node
            .field("flags")
            .field("enableDeferredLoading")
            .field("enabled")
            .flag(&mut problems)
            .unwrap_or(false);
        settings.global_values.extend(entries(&node.field("variables"), &mut problems));
        self.report(id, problems);
    }

    /// What is known of images: a map from references to what a registry would say, or the images of a context file.
    pub(super) fn image_data_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        let mut problems = Problems::new();
        let node = Node::new(value, &root);
        let known = &mut self.bundle.settings.image_data;
        if value.find_str(&["kind"]) == "Context" {
            node.known_fields(&["apiVersion", "kind", "metadata", "spec"], &mut problems);
            known.extend(node.field("spec").field("images").items(&mut problems, context_image));
            self.bundle.settings.contexts.extend(value.get("spec").cloned());
        } else if let Some(images) = node.map(&mut problems) {
            for (image, data) in images.iter() {
                if node.field(image).map(&mut problems).is_some() {
                    known.push((image.clone(), data.clone()));
                }
            }
        }
        self.report(id, problems);
    }

    /// Kyverno's own ConfigMap; the CLI knows none.
    pub(super) fn config_document(&mut self, value: &Value) {
        if self.host == Host::Playground {
            self.bundle.settings.config = Arc::new(Config::of_config_map(value));
        }
    }
}

/// An image of a context file, with the names that a registry's answer has.
// Kyverno: ImageData in apis/v1alpha1/context.go.
fn context_image(item: &Node<'_>, problems: &mut Problems) -> (Str, Value) {
    const FIELDS: &[(&str, &str)] = &[
        ("image", "image"),
        ("resolvedImage", "resolvedImage"),
        ("registry", "registry"),
        ("repository", "repository"),
        ("tag", "identifier"),
        ("digest", "digest"),
        ("imageIndex", "manifestList"),
        ("manifest", "manifest"),
        ("config", "configData"),
    ];
    let known: Vec<&str> = FIELDS.iter().map(|(field, _)| *field).collect();
    item.known_fields(&known, problems);
    let given = |(field, name): &(&'static str, &'static str)| Some((*name, item.value.get(field)?.clone()));
    let mut data: Map = FIELDS.iter().filter_map(given).collect();
    if item.has("digest") {
        data.insert("identifier", item.field("digest").value.clone());
    }
    (item.field("image").text(problems), Value::object(data))
}

/// The entries of a map with all numbers as float64.
pub(super) fn entries(node: &Node<'_>, problems: &mut Problems) -> Values {
    let mut found = Values::new();
    for (name, value) in node.map(problems).into_iter().flat_map(Map::iter) {
        match variable(name, value) {
            Ok(entry) => found.push(entry),
            Err(message) => node.field(name).problem(Code::Limit, Severity::Error, message, problems),
        }
    }
    found
}

/// A variable by its dotted name, all numbers of its value as float64; or why there is none.
///
/// Each part of the name is a level of the document that expressions see, which may not nest without end.
pub fn variable(name: &str, value: &Value) -> Result<(Str, Value), String> {
    let parts = name.split('.').count();
    if measure(value, parts, usize::MAX) == Err(Excess::Depth) {
        return Err(format!(
            "a variable whose name and value come to more than {MAX_DEPTH} levels: give it a name of fewer parts, or a flatter value"
        ));
    }
    Ok((Str::new(name), value.with_float_numbers()))
}
