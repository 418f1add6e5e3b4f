//! The injected Pods held against the records.
//!
//! In: the records and the data of `engine/mesh`. Out: one comparison a record, of both shapes of application: the
//! containers in their order with image, head of the command, security context, restart policy, ports, probes and mounts;
//! volumes; the Pod's security context; labels and annotations; and the level that the Pod reaches, with the reasons.

use super::{is_injection, list, map, parts, strings, text};
use crate::compare::{Difference, Tally};
use engine::json::{Map, Value, parse, to_json};
use engine::podsecurity::{Level, Version, evaluate, pod_of};
use engine_lenses::injection::{Data, Outcome, RECORDED, Setup, arrive};
use std::collections::BTreeSet;

/// The data that the programs carry.
pub fn data() -> Result<Data, String> {
    Data::read(RECORDED).map_err(|error| error.to_string())
}

/// A comparison of every record; what is compared counts as verdicts, and the levels and their reasons as words.
pub fn run(records: &[Value]) -> Result<(Tally, Vec<Difference>), String> {
    let data = data()?;
    let (mut tally, mut differences) = (Tally::default(), Vec::new());
    for record in records {
        let id = record.find_str(&["id"]);
        let mut found = if is_injection(record) {
            injection(&data, record).unwrap_or_else(|error| vec![("setup", String::new(), error)])
        } else {
            super::daemonset::compare(record)
        };
        tally.cases += 1;
        tally.verdicts += 1;
        if found.is_empty() {
            tally.agree += 1;
            tally.verdicts_agree += 1;
            tally.words_agree += 1;
        }
        for (what, expected, got) in found.drain(..) {
            differences.push(Difference { case: id.to_owned(), what: what.to_owned(), expected, got });
        }
    }
    Ok((tally, differences))
}

/// What differs: what it is, what is recorded, what there is.
pub(super) type Found = Vec<(&'static str, String, String)>;

/// Notes a difference.
pub(super) fn differ(found: &mut Found, what: &'static str, expected: &Value, got: &Value) {
    if expected != got {
        found.push((what, to_json(expected), to_json(got)));
    }
}

/// The setup of a record, as a person writes it.
fn setup_of(data: &Data, record: &Value) -> Result<Setup, String> {
    let (mesh, version, options) =
        (record.find_str(&["mesh"]), record.find_str(&["version"]), record.find_str(&["options"]));
    let mut words = vec![format!("{mesh}@{version}")];
    if options != "chart defaults" {
        let (mode, others) = parts(options);
        let is_native = mode.starts_with("native");
        let can_be = data
            .releases()
            .iter()
            .any(|one| one.version == version && one.options.iter().any(|o| o == "native"));
        if can_be && !mode.starts_with("template:") {
            words.push(if is_native { "native" } else { "classic" }.to_owned());
        }
        if mode.contains("cni") {
            words.push("cni".to_owned());
        }
        let by_annotation = record.get("podAnnotationsSet").is_some();
        words.extend(others.iter().filter(|_| !by_annotation).map(|other| (*other).to_owned()));
        let runs_as_root = record.find(&["valuesSet", "proxyInit", "runAsRoot"]).is_some();
        let knows = data
            .releases()
            .iter()
            .any(|one| one.version == version && one.options.iter().any(|o| o == "runAsRoot"));
        if runs_as_root && knows && !others.contains(&"runAsRoot") {
            words.push("runAsRoot".to_owned());
        }
    }
    Setup::read(data, &words.join(","))
}

/// Where the application of a record says that it is hardened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hardened {
    OnThePod,
    OnEachContainer,
}

const ON_POD: &str = r#"{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}}"#;
const ON_CONTAINER: &str = r#"{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}"#;

/// The application of no record.
pub(super) fn plain(hardened: Hardened) -> Value {
    application(&Value::Null, hardened)
}

/// The application: one container, one init container, the token as the API server adds it.
fn application(record: &Value, hardened: Hardened) -> Value {
    let read = |json: &str| parse(json).unwrap_or_default();
    let is_gateway = record.find_str(&["options"]) == "template:gateway";
    let mount = map(vec![
        ("name", text("kube-api-access-x")),
        ("mountPath", text("/var/run/secrets/kubernetes.io/serviceaccount")),
    ]);
    let container = |name: &str| {
        let mut security = read(ON_CONTAINER);
        if hardened == Hardened::OnEachContainer {
            for (key, value) in read(ON_POD).as_object().into_iter().flat_map(Map::iter) {
                security.make_object().insert(key.clone(), value.clone());
            }
        }
        let mounts = Value::array(vec![mount.clone()]);
        map(vec![
            ("name", text(name)),
            ("image", text("shop")),
            ("securityContext", security),
            ("volumeMounts", mounts),
        ])
    };
    let auto = map(vec![("name", text("istio-proxy")), ("image", text("auto"))]);
    let name = if is_gateway { "gw" } else { "shop" };
    let token =
        r#"{"name":"kube-api-access-x","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}}"#;
    let mut spec =
        vec![("containers", Value::array(vec![if is_gateway { auto } else { container("shop") }]))];
    if !is_gateway {
        spec.push(("initContainers", Value::array(vec![container("setup")])));
    }
    spec.push(("volumes", Value::array(vec![read(token)])));
    if hardened == Hardened::OnThePod {
        spec.push(("securityContext", read(ON_POD)));
    }
    let mut labels = vec![("app", text(name))];
    if !is_gateway {
        labels.push(("version", text("v1")));
    }
    let mut annotations = record.get("podAnnotationsSet").cloned().unwrap_or_default();
    if let Some(template) = record.find_str(&["options"]).strip_prefix("template:") {
        annotations.make_object().insert("inject.istio.io/templates", text(template));
    }
    let meta = map(vec![("labels", map(labels)), ("annotations", annotations)]);
    let template = map(vec![("metadata", meta), ("spec", map(spec))]);
    map(vec![
        ("apiVersion", text("apps/v1")),
        ("kind", text("Deployment")),
        ("metadata", map(vec![("name", text(name)), ("namespace", text("shop"))])),
        ("spec", map(vec![("template", template)])),
    ])
}

fn injection(data: &Data, record: &Value) -> Result<Found, String> {
    let setup = setup_of(data, record)?;
    let mut found = Found::new();
    let shapes = [("podLevelApp", Hardened::OnThePod), ("containerLevelApp", Hardened::OnEachContainer)];
    for (key, hardened) in shapes {
        let object = application(record, hardened);
        let arrival = arrive(data, &setup, &object, None).ok_or("there is no Pod in the application")?;
        if arrival.outcome != Outcome::Injected {
            return Err(arrival.reason);
        }
        if hardened == Hardened::OnThePod {
            pod(&mut found, record, &object, &arrival.pod);
        }
        level(&mut found, record.find(&["pss", key]).unwrap_or(&Value::Null), &arrival.pod);
    }
    Ok(found)
}

/// The level that a Pod reaches and the reasons, against those of the record.
pub(super) fn level(found: &mut Found, recorded: &Value, pod: &Value) {
    let (level, baseline, restricted) = reached(pod);
    differ(found, "level", &text(recorded.find_str(&["level"])), &text(level));
    for (key, got) in [("baselineReasons", baseline), ("restrictedReasons", restricted)] {
        let expected: BTreeSet<String> = strings(recorded, key).into_iter().map(str::to_owned).collect();
        if expected != got {
            found.push((key, format!("{expected:?}"), format!("{got:?}")));
        }
    }
}

/// The level that a Pod reaches, and what it breaks in baseline and in restricted.
pub(super) fn reached(pod: &Value) -> (&'static str, BTreeSet<String>, BTreeSet<String>) {
    let view = pod_of(pod);
    let reasons = |level| -> BTreeSet<String> {
        let results = view.as_ref().map(|view| evaluate(level, Version::Latest, view)).unwrap_or_default();
        results.iter().filter(|result| !result.allowed).map(|result| result.reason.to_owned()).collect()
    };
    let (baseline, restricted) = (reasons(Level::Baseline), reasons(Level::Restricted));
    let reached = match (baseline.is_empty(), restricted.is_empty()) {
        (true, true) => "restricted",
        (true, false) => "baseline",
        (false, _) => "privileged",
    };
    (reached, baseline, restricted)
}

fn pod(found: &mut Found, record: &Value, object: &Value, pod: &Value) {
    let spec = pod.get("spec").cloned().unwrap_or_default();
    for key in ["containers", "initContainers"] {
        let names: Vec<Value> = list(&spec, key).iter().map(|one| text(one.find_str(&["name"]))).collect();
        let expected = record.find(&["resultingOrder", key]).cloned().unwrap_or_default();
        differ(found, "order", &expected, &Value::array(names));
    }
    for one in list(record, "injected") {
        let expected = one.get("container").unwrap_or(&Value::Null);
        let all = list(&spec, "containers").iter().chain(list(&spec, "initContainers"));
        let name = expected.find_str(&["name"]);
        match all.into_iter().find(|got| got.find_str(&["name"]) == name) {
            Some(got) => container(found, expected, got),
            None => found.push(("container", name.to_owned(), "missing".to_owned())),
        }
    }
    let expected: BTreeSet<String> = list(record, "volumes").iter().map(volume_of_record).collect();
    let own = list(object.find(&["spec", "template", "spec"]).unwrap_or(&Value::Null), "volumes");
    let got: BTreeSet<String> = list(&spec, "volumes").iter().skip(own.len()).map(volume).collect();
    if expected != got {
        found.push(("volumes", format!("{expected:?}"), format!("{got:?}")));
    }
    let before = parse(ON_POD).unwrap_or_default();
    let after = record.get("podSecurityContextAfter").filter(|value| !value.is_null()).unwrap_or(&before);
    differ(found, "podSecurityContext", after, spec.get("securityContext").unwrap_or(&Value::Null));
    for (key, of) in [("annotations", "annotationsAdded"), ("labels", "labelsAdded")] {
        for (name, expected) in record.get(of).and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            let got = pod.find(&["metadata", key, name]).cloned().unwrap_or_default();
            // What was rendered with no trust anchors at hand.
            if name != "linkerd.io/trust-root-sha256" {
                differ(found, of, expected, &got);
            }
        }
    }
}

fn container(found: &mut Found, expected: &Value, got: &Value) {
    for key in ["image", "command", "securityContext", "restartPolicy", "ports"] {
        let field = |value: &Value| value.get(key).cloned().unwrap_or_default();
        differ(found, key, &field(expected), &field(got));
    }
    let (arguments, head) = (strings(got, "args"), strings(expected, "argsPrefix"));
    let flags = strings(expected, "argsSecurityFlags");
    if !arguments.starts_with(&head) || flags.iter().any(|flag| !arguments.contains(flag)) {
        found.push(("args", format!("{head:?} {flags:?}"), format!("{arguments:?}")));
    }
    for (kind, key) in
        [("startup", "startupProbe"), ("readiness", "readinessProbe"), ("liveness", "livenessProbe")]
    {
        let probe = expected.find(&["probes", kind]).cloned().unwrap_or_default();
        differ(found, "probe", &probe, got.get(key).unwrap_or(&Value::Null));
    }
    let hooks: Vec<String> = ["postStart", "preStop"]
        .into_iter()
        .filter(|hook| got.find(&["lifecycle", hook, "exec"]).is_some())
        .map(|hook| format!("{hook}:exec"))
        .collect();
    if hooks != strings(expected, "lifecycle") {
        found.push(("lifecycle", format!("{:?}", strings(expected, "lifecycle")), format!("{hooks:?}")));
    }
    let mounts: BTreeSet<String> = list(got, "volumeMounts")
        .iter()
        .map(|mount| format!("{}:{}", mount.find_str(&["name"]), mount.find_str(&["mountPath"])))
        .collect();
    let recorded: BTreeSet<String> =
        strings(expected, "volumeMounts").into_iter().map(str::to_owned).collect();
    if mounts != recorded {
        found.push(("volumeMounts", format!("{recorded:?}"), format!("{mounts:?}")));
    }
}

fn volume_of_record(volume: &Value) -> String {
    let field = |key| volume.find_str(&[key]);
    format!("{} {} {}", field("name"), field("type"), field("medium"))
}

fn volume(volume: &Value) -> String {
    let map = volume.as_object();
    let kind = map.into_iter().flat_map(Map::iter).find(|(key, _)| *key != "name");
    let (kind, body) = kind.map_or(("", &Value::Null), |(key, body)| (key.as_str(), body));
    format!("{} {kind} {}", volume.find_str(&["name"]), body.find_str(&["medium"]))
}
