//! What is filled in and what is asked for, held against each other: an object with any field of its kind is taken once it is completed.

use super::{complete, is_valid};
use crate::objects::admissible::{is_admissible, without_ephemeral};
use crate::objects::kinds::{Target, smallest};
use crate::objects::schema::{KEY, Schema, Shape};
use crate::reads::field_path::{Elements, FieldPath, Step, put};
use crate::reads::tree::Tree;
use crate::request::{Attributes, Operation, Request};
use crate::search::cells::{CellInputs, cells};
use engine_json::{Str, Value};

/// The kinds of which more than metadata is looked at; the Pods of other controllers are those of Deployments.
const KINDS: [(&str, &str); 17] = [
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("v1", "ReplicationController"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("v1", "Service"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("policy/v1", "PodDisruptionBudget"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("storage.k8s.io/v1", "StorageClass"),
];
/// Fields that no object of the kind has, or of any kind: a role in a namespace names no addresses, what a controller keeps running has no end.
const LEFT_OUT: [(&str, &str); 5] = [
    ("Role", "nonResourceURLs"),
    ("Deployment", "activeDeadlineSeconds"),
    ("StatefulSet", "activeDeadlineSeconds"),
    ("ReplicationController", "activeDeadlineSeconds"),
    ("*", "readinessProbe.terminationGracePeriodSeconds"),
];

/// The places of all fields below a shape.
fn fields(schema: &Schema, shape: &Shape, path: &mut FieldPath, found: &mut Vec<FieldPath>) {
    let mut below = |step: Step, shape: &Shape| {
        path.push(step);
        found.push(path.clone());
        fields(schema, shape, path, found);
        path.pop();
    };
    match shape {
        Shape::Object(_) => {
            let names: Vec<&str> = schema.fields(shape).collect();
            for (name, field) in names.into_iter().filter_map(|name| Some((name, schema.field(shape, name)?)))
            {
                below(Step::Key(Str::new(name)), &field);
            }
        }
        Shape::Map(inner) => below(Step::Key(KEY), inner),
        Shape::List(inner) => below(Step::Each, inner),
        Shape::Text | Shape::Number | Shape::Truth | Shape::Either | Shape::Any => {}
    }
}

fn word(step: &Step) -> String {
    match step {
        Step::Key(key) => format!(".{key}"),
        Step::Each => "[]".to_owned(),
    }
}

fn is_taken(mut object: Value, schema: &Schema) -> bool {
    complete(&mut object, schema);
    let old = (object.find_str(&["kind"]) == "Pod").then(|| without_ephemeral(&object)).flatten();
    let mut request = Request::of(object);
    if old.is_some() {
        request.attributes = Attributes { operation: Operation::Update, old, ..Attributes::creation() };
    }
    is_admissible(&request, schema) && is_valid(&request, false, schema)
}

#[test]
fn an_object_with_any_field_is_taken_once_it_is_completed() {
    let schema = Schema::new();
    let mut missed = Vec::new();
    for (version, kind) in KINDS {
        let target = Target { version: Str::new(version), kind: Str::new(kind) };
        let base = smallest(&target, &schema);
        let mut all = Vec::new();
        fields(&schema, &schema.of(&base).unwrap(), &mut Vec::new(), &mut all);
        for path in all {
            let mut tree = Tree::default();
            let _ = tree.at(&path);
            let inputs = CellInputs { schema: &schema, pool: &[] };
            let known = cells(&tree, version, kind, &inputs);
            let Some(cells) = known.into_iter().find(|cells| cells.path == path) else { continue };
            let with = |value: &Value| {
                let mut object = base.clone();
                put(&mut object, &path, Some(value), Elements::First, &schema);
                object
            };
            let words: String = path.iter().map(word).collect();
            let is_left_out =
                LEFT_OUT.iter().any(|(of, field)| (*of == "*" || *of == kind) && words.contains(field));
            let is_any_taken = || cells.values.iter().flatten().any(|value| is_taken(with(value), &schema));
            if !is_left_out && !is_any_taken() {
                missed.push(format!("{kind} {words}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} places:\n{}", missed.len(), missed.join("\n"));
}
