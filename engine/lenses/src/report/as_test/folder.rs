//! The whole folder of a test, made of an input as the page has it.
//!
//! In: an input. Out: files by name, and what could not be taken along. The verdicts are those of `kyverno test`, which
//! evaluates as the terminal does.

use super::writer::clones_objects;
use super::{Named, evaluate, label_namespaces, settle, write};
use crate::report::object;
use crate::wire::{Input, TestFolder, Text};
use engine::load::{Bundle, CloneSource, Cluster, Settings};
use engine::matching::UserInfo;
use engine::resource::{DocumentId, Resource};
use engine::world::World;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Str, Value};
use engine_yaml::emit::to_yaml_ordered;

const TEST: &str = "kyverno-test.yaml";
const POLICIES: &str = "policies.yaml";
const RESOURCES: &str = "resources.yaml";
const EXCEPTIONS: &str = "exceptions.yaml";
const OBJECTS: &str = "cluster.yaml";
const CONTEXT: &str = "context.yaml";
const VALUES: &str = "values.yaml";
const USER_INFO: &str = "user-info.yaml";
const IMAGE_DATA: &str = "image-data.yaml";

/// The files of a test of everything in the input.
///
/// # Errors
///
/// Why there is nothing to test.
pub fn run(input: &Input, world: &dyn World) -> Result<TestFolder, String> {
    let (shown, ..) = crate::run::bundle(input, world);
    let evaluated_as = |values: &[Text], user_info: &[Text]| Input {
        host: None,
        values: values.to_vec(),
        user_info: user_info.to_vec(),
        context: Vec::new(),
        config: Vec::new(),
        old_resources: Vec::new(),
        ..input.clone()
    };
    let user_info = if input.user_info.is_empty() {
        user_info(shown.settings.user.as_ref())
    } else {
        joined(&input.user_info)
    };
    let named_after = |name: &str, text: &Option<String>| -> Vec<Text> {
        text.iter().map(|text| Text { name: name.to_owned(), text: text.clone() }).collect()
    };
    let user = named_after(USER_INFO, &user_info);
    // The namespaces of the resources are known once they are read as the terminal reads them.
    let (bare, ..) = crate::run::bundle(&evaluated_as(&[], &user), world);
    let values = if input.values.is_empty() { values(&shown, &bare) } else { joined(&input.values) };
    let (mut bundle, ..) = crate::run::bundle(&evaluated_as(&named_after(VALUES, &values), &user), world);
    settle(&mut bundle);
    let has_cluster = joined(&input.cluster_resources).is_some();
    let invented = if has_cluster { invented_namespaces(&bundle) } else { Vec::new() };
    if has_cluster {
        answer(&mut bundle, &invented)?;
    }
    let is_there = |name: &str, is_there: bool| if is_there { vec![name.to_owned()] } else { Vec::new() };
    let path = |name: &str, is_there: bool| if is_there { name.to_owned() } else { String::new() };
    let exceptions = joined(&input.exceptions);
    let named = Named {
        policies: is_there(POLICIES, true),
        resources: is_there(RESOURCES, true),
        target_resources: is_there(OBJECTS, has_cluster),
        exceptions: is_there(EXCEPTIONS, exceptions.is_some()),
        cluster_resources: is_there(CONTEXT, has_cluster),
        variables: path(VALUES, values.is_some()),
        user_info: path(USER_INFO, user_info.is_some()),
        clone_source: path(OBJECTS, has_cluster),
    };
    let evaluated = evaluate(&bundle, world);
    let written = write(&bundle, &evaluated, &named, None);
    let written = written.ok_or("no rule looks at any resource, so there is nothing to test")?;
    let notes = notes(input, &bundle);
    let head: String = notes.iter().flat_map(|note| ["# ", note, "\n"]).collect();
    let context = has_cluster.then(|| context(&invented));
    let texts = [
        (TEST, Some(head + &written.test)),
        (POLICIES, joined(&input.policies)),
        (RESOURCES, joined(&input.resources)),
        (EXCEPTIONS, exceptions),
        (OBJECTS, joined(&input.cluster_resources)),
        (CONTEXT, context),
        (VALUES, values),
        (USER_INFO, user_info),
        (IMAGE_DATA, joined(&input.image_data)),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?))).chain(written.beside);
    let files = texts.map(|(name, text)| Text { name: name.to_owned(), text }).collect();
    Ok(TestFolder { files, notes })
}

/// Several texts as one of several documents; `None` where there is nothing in them.
fn joined(texts: &[Text]) -> Option<String> {
    let mut out = String::new();
    for text in texts.iter().map(|text| text.text.as_str()).filter(|text| !text.trim().is_empty()) {
        if !out.is_empty() && !text.starts_with("---") {
            out.push_str("---\n");
        }
        out.push_str(text);
        if !text.ends_with('\n') {
            out.push('\n');
        }
    }
    (!out.is_empty()).then_some(out)
}

/// What `kyverno test` cannot take along.
fn notes(input: &Input, bundle: &Bundle) -> Vec<String> {
    let mut notes = Vec::new();
    let mut left_out = |texts: &[Text], what: &str| {
        if joined(texts).is_some() {
            notes.push(format!("left out, as kyverno test knows none: {what}"));
        }
    };
    left_out(&input.old_resources, "resources as they were before an update");
    left_out(&input.config, "a configuration of Kyverno");
    left_out(&input.custom_resource_definitions, "custom resource definitions");
    if joined(&input.image_data).is_some() {
        notes.push(format!(
            "what registries say of images is in {IMAGE_DATA}: podsieve test . --image-data {IMAGE_DATA}"
        ));
    }
    for refused in &bundle.refused {
        notes.push(format!("policy `{}` is refused, and not tested", refused.policy));
    }
    notes
}

/// Who asks, as a user info file; `None` where nobody is named.
fn user_info(user: Option<&UserInfo>) -> Option<String> {
    let user = user?;
    let texts = |list: &[Str]| {
        if list.is_empty() {
            Value::Null
        } else {
            Value::array(list.iter().map(|text| Value::String(text.clone())).collect())
        }
    };
    let username = if user.username.is_empty() { Value::Null } else { Value::String(user.username.clone()) };
    let info = object([("username", username), ("groups", texts(&user.groups))]);
    let (roles, cluster_roles) = (texts(&user.roles), texts(&user.cluster_roles));
    let is_empty = info.as_object().is_none_or(Map::is_empty) && roles.is_null() && cluster_roles.is_null();
    let document = object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("UserInfo")),
        ("metadata", object([("name", Value::from("user-info"))])),
        ("roles", roles),
        ("clusterRoles", cluster_roles),
        ("userInfo", info),
    ]);
    (!is_empty).then(|| to_yaml_ordered(&document))
}

/// What stands around the resources, as a values file: variables, the operation, the labels of namespaces.
fn values(shown: &Bundle, bare: &Bundle) -> Option<String> {
    let Settings { global_values, operation, .. } = &shown.settings;
    let mut globals: Map = global_values.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    if let Some(operation) = operation {
        globals.insert("request.operation", Value::String(operation.clone()));
    }
    let namespaces: OrderedSet<&str> = engine_json::arrange::set(
        bare.resources.iter().map(Resource::namespace).filter(|namespace| !namespace.is_empty()),
    );
    let selector = |namespace: &&str| {
        let object = shown.cluster_resources.iter().find(|object| is_namespace(object, namespace));
        let own = object.and_then(|object| object.value.find(&["metadata", "labels"]).cloned());
        let default = || {
            let labels = shown.settings.default_namespace_labels.iter();
            Value::object(labels.map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect())
        };
        let labels = own.unwrap_or_else(default);
        let has_labels = labels.as_object().is_some_and(|labels| !labels.is_empty());
        has_labels.then(|| object_of(namespace, labels))
    };
    let selectors: Vec<Value> = namespaces.iter().filter_map(selector).collect();
    let is_empty = globals.is_empty() && selectors.is_empty();
    let or_nothing = |value: Value, is_empty: bool| if is_empty { Value::Null } else { value };
    let has_no_globals = globals.is_empty();
    let document = object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("Values")),
        ("metadata", object([("name", Value::from("values"))])),
        ("globalValues", or_nothing(Value::object(globals), has_no_globals)),
        ("namespaceSelector", or_nothing(Value::array(selectors.clone()), selectors.is_empty())),
    ]);
    (!is_empty).then(|| to_yaml_ordered(&document))
}

fn object_of(namespace: &str, labels: Value) -> Value {
    object([("name", Value::from(namespace)), ("labels", labels)])
}

fn is_namespace(object: &Resource, name: &str) -> bool {
    object.kind() == "Namespace" && object.name() == name
}

/// Namespaces in which resources are and that are not objects themselves.
// Playground: it invents an empty object for each.
fn invented_namespaces(bundle: &Bundle) -> Vec<Value> {
    let all = || bundle.resources.iter().chain(&bundle.cluster_resources);
    let names: OrderedSet<&str> =
        engine_json::arrange::set(all().map(Resource::namespace).filter(|name| !name.is_empty()));
    let missing = names.into_iter().filter(|name| !all().any(|object| is_namespace(object, name)));
    let namespace = |name: &str| {
        object([
            ("apiVersion", Value::from("v1")),
            ("kind", Value::from("Namespace")),
            ("metadata", object([("name", Value::from(name))])),
        ])
    };
    missing.map(namespace).collect()
}

/// The file from which a test knows that there is a cluster, with the namespaces that no other file holds.
fn context(invented: &[Value]) -> String {
    to_yaml_ordered(&object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("Context")),
        ("metadata", object([("name", Value::from("context"))])),
        ("spec", object([("resources", Value::array(invented.to_vec()))])),
    ]))
}

/// Lets the cluster's objects answer, as they will when the test runs.
fn answer(bundle: &mut Bundle, invented: &[Value]) -> Result<(), String> {
    let resource = |value: &Value| Resource::new(value.with_float_numbers(), DocumentId(0));
    let given = bundle.resources.iter().chain(&bundle.cluster_resources).cloned();
    let objects: Vec<Resource> = given.chain(invented.iter().map(resource)).collect();
    let mut sources = Vec::new();
    for policy in &bundle.policies {
        for rule in policy.all_rules().filter(|rule| clones_objects(rule)) {
            let objects = bundle.cluster_resources.clone();
            sources.push(CloneSource { policy: policy.key(), rule: rule.name.clone(), objects });
        }
    }
    let answers = &mut bundle.settings.answers;
    answers.clone_sources = sources;
    answers.cluster = Cluster::Objects(objects);
    label_namespaces(bundle)
}
