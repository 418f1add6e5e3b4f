//! The policies of the stories and their twins in CEL: the same verdict on the same objects.
//!
//! In: the files in `docs/stories`, and every object of them changed in one field after the other. Out: a failure where a classic
//! policy lets an object in and its twin does not, or the other way round.

use engine::apply::{Locations, Options, Recording, Status, apply};
use engine::json::{Value, parse, to_json};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Options as YamlOptions, Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use std::path::Path;

fn source(name: &str, text: &str) -> Source {
    Source { id: SourceId(0), name: name.into(), text: text.into() }
}

/// A file of a story.
fn file(story: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/stories/{story}.md"));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let (_, rest) = text.split_once(&format!("```yaml {name}\n")).unwrap_or(("", ""));
    rest.split_once("```").map_or("", |(body, _)| body).to_owned()
}

fn objects(text: &str) -> Vec<Value> {
    let parsed = engine::yaml::parse(&source("objects.yaml", text), &YamlOptions::default());
    parsed.documents.into_iter().map(|document| document.value).collect()
}

/// Whether each object is let in; one that no rule is for is.
fn let_in(texts: &[(Role, &str)], objects: &[Value]) -> Vec<bool> {
    let mut sources: Vec<_> = texts.iter().map(|(role, text)| (*role, source("text.yaml", text))).collect();
    let all: Vec<String> = objects.iter().map(to_json).collect();
    sources.push((Role::Resources, source("objects.yaml", &all.join("\n---\n"))));
    let (bundle, said) = load_with(sources, Host::Cli, WITHOUT_STEPS);
    let policy = said.iter().find(|said| said.severity == engine::diag::Severity::Error);
    assert!(bundle.refused.is_empty() && bundle.unsupported.is_empty(), "{policy:?}");
    assert_eq!(bundle.resources.len(), objects.len(), "{policy:?}");
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let mut verdicts = vec![true; objects.len()];
    for result in apply(&bundle, &StaticWorld::default(), &options).results {
        let is_bad = result.rules.iter().any(|rule| matches!(rule.status, Status::Fail | Status::Error));
        if let Some(verdict) = verdicts.get_mut(result.resource).filter(|_| is_bad) {
            *verdict = false;
        }
    }
    verdicts
}

/// What the Pod Security Standards look at, set to what they let in and to what they do not.
const CHANGES: &[(&str, &str)] = &[
    ("hostNetwork", "true"),
    ("hostPID", "true"),
    ("hostIPC", "false"),
    ("securityContext", r#"{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}}"#),
    ("securityContext", r#"{"runAsNonRoot":true,"runAsUser":0,"seccompProfile":{"type":"RuntimeDefault"}}"#),
    ("securityContext", r#"{"runAsNonRoot":false,"seccompProfile":{"type":"RuntimeDefault"}}"#),
    ("volumes", r#"[{"name":"a","hostPath":{"path":"/"}}]"#),
    ("volumes", r#"[{"name":"a","emptyDir":{}}]"#),
];

const CONTAINER_CHANGES: &[(&str, &str)] = &[
    ("privileged", "true"),
    ("privileged", "false"),
    ("allowPrivilegeEscalation", "true"),
    ("allowPrivilegeEscalation", "false"),
    ("runAsNonRoot", "true"),
    ("runAsNonRoot", "false"),
    ("runAsUser", "0"),
    ("runAsUser", "1000"),
    ("capabilities", r#"{"drop":["ALL"]}"#),
    ("capabilities", r#"{"drop":["ALL"],"add":["NET_BIND_SERVICE"]}"#),
    ("capabilities", r#"{"drop":["ALL"],"add":["CHOWN"]}"#),
    ("capabilities", r#"{"add":["NET_ADMIN"]}"#),
    ("capabilities", r#"{"add":["NET_ADMIN","SYS_ADMIN"]}"#),
    ("capabilities", r#"{"add":["KILL"]}"#),
    ("capabilities", "{}"),
];

const IMAGES: &[&str] = &[
    "docker.io/istio/proxyv2:1.24.6",
    "docker.io/istio/proxyv2:1.20.2",
    "evil.example/istio/proxyv2:1",
    "cr.l5d.io/linkerd/proxy-init:v2.2.3",
    "busybox:1.35",
];

/// A Pod spec that satisfies all that is asked: from here one change at a time shows each question.
const SAFE: &str = r#"{"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"a",
    "image":"busybox:1.35","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}],"initContainers":
    [{"name":"b","image":"docker.io/istio/proxyv2:1.24.6","securityContext":{"allowPrivilegeEscalation":false,"capabilities":
    {"drop":["ALL"]}}}]}"#;

fn json(text: &str) -> Value {
    parse(text).unwrap_or_default()
}

/// The object with a value at a path; the steps of it are made where they are missing.
fn with(object: &Value, path: &[&str], value: &Value) -> Value {
    let [first, rest @ ..] = path else { return value.clone() };
    let mut object = object.clone();
    if let (Ok(at), Some(list)) = (first.parse::<usize>(), object.array_mut()) {
        if let Some(item) = list.get_mut(at) {
            *item = with(item, rest, value);
        }
        return object;
    }
    if object.as_object().is_none() {
        object = json("{}");
    }
    let inner = object.get(first).cloned().unwrap_or_default();
    if let Some(map) = object.object_mut() {
        map.insert((*first).to_owned(), with(&inner, rest, value));
    }
    object
}

/// Which policies are held against each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Restricted,
    Capabilities,
}

/// An object and all its changes, or those of capabilities and of what the level baseline says nothing of.
fn changed(object: &Value, of: Of) -> Vec<Value> {
    let spec: &[&'static str] =
        if object.find(&["spec", "template"]).is_some() { &["spec", "template", "spec"] } else { &["spec"] };
    if object.find(spec).is_none() {
        return vec![object.clone()];
    }
    let at = |path: &[&'static str]| -> Vec<&str> { [spec, path].concat() };
    let mut all = Vec::new();
    for object in [object.clone(), with(object, spec, &json(SAFE))] {
        for (field, value) in CHANGES.iter().filter(|_| of == Of::Restricted) {
            all.push(with(&object, &at(&[field]), &json(value)));
        }
        for list in ["containers", "initContainers"] {
            if object.find(&at(&[list])).is_none() {
                continue;
            }
            for (field, value) in
                CONTAINER_CHANGES.iter().filter(|(field, _)| of == Of::Restricted || *field != "privileged")
            {
                all.push(with(&object, &at(&[list, "0", "securityContext", field]), &json(value)));
            }
            for image in IMAGES {
                let imaged = with(&object, &at(&[list, "0", "image"]), &Value::from(*image));
                let adds = at(&[list, "0", "securityContext", "capabilities", "add"]);
                all.push(with(&imaged, &adds, &json(r#"["NET_ADMIN","NET_RAW"]"#)));
            }
            if of == Of::Restricted {
                all.push(with(
                    &object,
                    &at(&[list, "0", "ports"]),
                    &json(r#"[{"containerPort":1,"hostPort":1}]"#),
                ));
            }
        }
        all.push(object);
    }
    let elsewhere = ["prod-b", "default", "staging"].map(Value::from);
    let moved = all
        .iter()
        .flat_map(|object| elsewhere.each_ref().map(|name| with(object, &["metadata", "namespace"], name)));
    moved.collect()
}

/// Holds a classic policy against its twin.
fn alike(classic: &[(Role, &str)], twin: &[(Role, &str)], objects: &[Value]) {
    let (one, other) = (let_in(classic, objects), let_in(twin, objects));
    for (object, (one, other)) in objects.iter().zip(one.iter().zip(&other)) {
        assert_eq!(one, other, "let in by the classic policy, by its twin: {}", to_json(object));
    }
    // A comparison in which all are let in, or none, would prove nothing.
    assert!(one.contains(&true) && one.contains(&false), "{one:?}");
}

/// The objects of the stories with a Pod in them, and their changes.
fn workloads(of: Of) -> Vec<Value> {
    let texts = [
        file("restricted_in_production", "deploy.yaml"),
        file("restricted_in_production", "elsewhere.yaml"),
        file("how_wide_is_my_exemption", "pods.yaml"),
        file("how_wide_is_my_exemption", "staging.yaml"),
        file("mesh", "orders.yaml"),
        file("mesh", "pod.yaml"),
        file("in_cel", "deploy.yaml"),
        file("in_cel", "pods.yaml"),
        file("in_cel", "staging.yaml"),
    ];
    texts.iter().flat_map(|text| objects(text)).flat_map(|object| changed(&object, of)).collect()
}

#[test]
fn restricted_in_production_is_the_same_in_cel() {
    let (classic, twin) =
        (file("restricted_in_production", "restricted.yaml"), file("in_cel", "restricted.yaml"));
    alike(&[(Role::Policies, &classic)], &[(Role::Policies, &twin)], &workloads(Of::Restricted));
    let (classic, twin) = (file("restricted_in_production", "labels.yaml"), file("in_cel", "labels.yaml"));
    let mut namespaces = objects(&file("restricted_in_production", "namespaces.yaml"));
    namespaces.extend(objects("{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {pod-security.kubernetes.io/enforce: ''}}}"));
    alike(&[(Role::Policies, &classic)], &[(Role::Policies, &twin)], &namespaces);
}

#[test]
fn the_mesh_gets_in_by_both_and_nobody_else() {
    let classic = file("how_wide_is_my_exemption", "narrow.yaml");
    let twin = file("in_cel", "capabilities.yaml");
    alike(&[(Role::Policies, &classic)], &[(Role::Policies, &twin)], &workloads(Of::Capabilities));
}

#[test]
fn an_exception_lets_in_the_same_in_cel() {
    let classic = file("how_wide_is_my_exemption", "baseline.yaml");
    let (exception, twin) =
        (file("how_wide_is_my_exemption", "exception.yaml"), file("in_cel", "strict.yaml"));
    let exempting = file("in_cel", "exception.yaml");
    // A classic exception names rules, and that of autogen is another one.
    let mut pods = workloads(Of::Capabilities);
    pods.retain(|object| object.find_str(&["kind"]) == "Pod");
    alike(
        &[(Role::Policies, &classic), (Role::Exceptions, &exception)],
        &[(Role::Policies, &twin), (Role::Exceptions, &exempting)],
        &pods,
    );
}
