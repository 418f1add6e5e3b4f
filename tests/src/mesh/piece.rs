//! Pieces of a Pod made of what a record says of them.
//!
//! In: a container or a volume of a record. Out: the same as Kubernetes writes it, with words in braces for what the Pod
//! says: `{tag}`, `{mode}`, `{copied}`. What the records hold only the head of (arguments, hooks) is completed by facts read
//! at the same tags.

use super::releases::Release;
use super::{list, map, strings, text};
use engine::json::{Map, Value};

/// The arguments behind the head that is recorded, by container; `{mode}` is how traffic is taken.
const TAILS: &[(&str, &[&str])] = &[
    (
        "istio-iptables",
        &[
            "-p",
            "15001",
            "-z",
            "15006",
            "-u",
            "1337",
            "-m",
            "{mode}",
            "-i",
            "*",
            "-x",
            "",
            "-b",
            "*",
            "-d",
            "15090,15021,15020",
        ],
    ),
    (
        "sidecar",
        &[
            "--domain",
            "$(POD_NAMESPACE).svc.cluster.local",
            "--proxyLogLevel=warning",
            "--proxyComponentLogLevel=misc:error",
        ],
    ),
    (
        "router",
        &[
            "--domain",
            "$(POD_NAMESPACE).svc.cluster.local",
            "--proxyLogLevel=warning",
            "--proxyComponentLogLevel=misc:error",
        ],
    ),
    ("-c", &["sysctl -w kernel.core_pattern=/var/lib/istio/data/core.proxy && ulimit -c unlimited"]),
];

/// The arguments of linkerd-init behind its flags.
const LINKERD_INIT: [&str; 10] = [
    "--incoming-proxy-port",
    "4143",
    "--outgoing-proxy-port",
    "4140",
    "--proxy-uid",
    "2102",
    "--inbound-ports-to-ignore",
    "4190,4191,4567,4568",
    "--outbound-ports-to-ignore",
    "4567,4568",
];

/// Its arguments that are recorded with what follows them.
const LINKERD_FLAGS: [(&str, &[&str]); 4] = [
    (
        "iptables-nft",
        &["--firewall-bin-path", "iptables-nft", "--firewall-save-bin-path", "iptables-nft-save"],
    ),
    ("--ipv6=false", &["--ipv6=false"]),
    ("", &LINKERD_INIT),
    ("--timeout-close-wait-secs", &["--timeout-close-wait-secs", "3600"]),
];

/// A container.
pub(super) fn container(release: &Release, tag: &str, of: &Value) -> Value {
    let name = of.find_str(&["name"]);
    let mut out = vec![("name", text(name)), ("image", text(&of.find_str(&["image"]).replace(tag, "{tag}")))];
    for key in ["command", "args"] {
        let words = if key == "command" { strings(of, key) } else { arguments(name, of) };
        if !words.is_empty() {
            out.push((key, Value::array(words.into_iter().map(text).collect())));
        }
    }
    for key in ["restartPolicy", "ports"] {
        if let Some(value) = of.get(key) {
            out.push((key, value.clone()));
        }
    }
    for (kind, key) in
        [("startup", "startupProbe"), ("readiness", "readinessProbe"), ("liveness", "livenessProbe")]
    {
        if let Some(probe) = of.find(&["probes", kind]) {
            out.push((key, probe.clone()));
        }
    }
    if let Some(hook) = strings(of, "lifecycle").first().and_then(|hook| hook.strip_suffix(":exec")) {
        let command = hook_command(release, name, hook, of).into_iter().map(text).collect();
        let exec = map(vec![("exec", map(vec![("command", Value::array(command))]))]);
        out.push(("lifecycle", map(vec![(hook, exec)])));
    }
    let resources =
        if name.ends_with("proxy") || name == "enable-core-dump" { release.proxy } else { release.init };
    let has_resources =
        !matches!(name, "noop" | "linkerd-debug" | "linkerd-network-validator" | "enable-core-dump");
    if let Some([cpu, memory, cpu_limit, memory_limit]) = resources.filter(|_| has_resources) {
        let pair = |cpu, memory| map(vec![("cpu", text(cpu)), ("memory", text(memory))]);
        out.push((
            "resources",
            map(vec![("requests", pair(cpu, memory)), ("limits", pair(cpu_limit, memory_limit))]),
        ));
    }
    if let Some(security) = of.get("securityContext").filter(|value| !value.is_null()) {
        out.push(("securityContext", copied(name, security)));
    }
    let mounts: Vec<Value> = strings(of, "volumeMounts").into_iter().filter_map(mount).collect();
    if !mounts.is_empty() {
        out.push(("volumeMounts", Value::array(mounts)));
    }
    map(out)
}

fn arguments<'r>(name: &str, of: &'r Value) -> Vec<&'r str> {
    let (head, flags) = (strings(of, "argsPrefix"), strings(of, "argsSecurityFlags"));
    if name == "linkerd-init" {
        let given = |flag: &&(&str, &'static [&'static str])| flag.0.is_empty() || flags.contains(&flag.0);
        return LINKERD_FLAGS.iter().filter(given).flat_map(|(_, words)| words.iter().copied()).collect();
    }
    if name == "linkerd-network-validator" {
        let words = ["--log-format", "plain", "--log-level", "debug", "--connect-addr", "1.1.1.1:20001"];
        let more = ["--listen-addr", "0.0.0.0:4140", "--timeout", "10s"];
        return words.into_iter().chain(more).collect();
    }
    let tail = TAILS.iter().find(|(last, _)| head.last() == Some(last)).map(|(_, tail)| *tail);
    head.into_iter().chain(tail.unwrap_or_default().iter().copied()).chain(flags).collect()
}

fn hook_command(release: &Release, name: &str, hook: &str, of: &Value) -> Vec<&'static str> {
    let is_grpc = strings(of, "volumeMounts").iter().any(|mount| mount.starts_with("istio-xds:"));
    match (name, hook) {
        ("linkerd-proxy", _) if release.version == "stable-2.12.6" => {
            vec!["/usr/lib/linkerd/linkerd-await", "--timeout=2m"]
        }
        ("linkerd-proxy", _) => vec!["/usr/lib/linkerd/linkerd-await", "--timeout=2m", "--port=4191"],
        (_, "preStop") => vec!["pilot-agent", "request", "--debug-port=15020", "POST", "drain"],
        _ if is_grpc => vec!["pilot-agent", "wait", "--url=http://localhost:15020/healthz/ready"],
        _ => vec!["pilot-agent", "wait"],
    }
}

/// The security context with a word where Linkerd copies from the Pod's first container, which drops all in the records.
fn copied(name: &str, security: &Value) -> Value {
    let mut security = security.clone();
    let capabilities = security.get("capabilities").cloned().unwrap_or_default();
    let drops_all = strings(&capabilities, "drop") == ["ALL"];
    match name {
        "linkerd-proxy" if drops_all => {
            security.make_object().insert("capabilities", text("{copied}"));
        }
        "linkerd-init" if drops_all => {
            let mut capabilities = capabilities;
            capabilities.make_object().insert("drop", text("{copied}"));
            security.make_object().insert("capabilities", capabilities);
        }
        _ => {}
    }
    security
}

/// A mount, written `NAME:PATH`; that of the token has the name that the Pod gives it, and the author's are not ours.
fn mount(written: &str) -> Option<Value> {
    let (name, path) = written.split_once(':')?;
    let name = if name == "kube-api-access-x" { "{token}" } else { name };
    let mut fields = vec![("name", text(name)), ("mountPath", text(path))];
    if name == "{token}" {
        fields.push(("readOnly", Value::Bool(true)));
    }
    (name != "host").then(|| map(fields))
}

/// A volume.
pub(super) fn volume(of: &Value) -> Value {
    let (name, kind, source) = (of.find_str(&["name"]), of.find_str(&["type"]), of.find_str(&["source"]));
    let body = match kind {
        "emptyDir" => {
            of.get("medium").map_or_else(|| map(vec![]), |medium| map(vec![("medium", medium.clone())]))
        }
        "downwardAPI" => {
            let item = |path: &str| {
                let field = map(vec![("fieldPath", text(&format!("metadata.{path}")))]);
                map(vec![("path", text(path)), ("fieldRef", field)])
            };
            map(vec![("items", Value::array(vec![item("labels"), item("annotations")]))])
        }
        "projected" => {
            let audience = source.rsplit_once("aud=").map_or("", |(_, audience)| audience);
            let (path, seconds) = if audience == "istio-ca" {
                ("istio-token", 43200)
            } else {
                ("linkerd-identity-token", 86400)
            };
            let token = map(vec![
                ("path", text(path)),
                ("expirationSeconds", Value::from(i64::from(seconds))),
                ("audience", text(audience)),
            ]);
            map(vec![("sources", Value::array(vec![map(vec![("serviceAccountToken", token)])]))])
        }
        _ => {
            let mut fields = vec![("name", text(source))];
            if source == "istio-ca-crl" {
                fields.push(("optional", Value::Bool(true)));
            }
            map(fields)
        }
    };
    map(vec![("name", text(name)), (kind, body)])
}

/// Labels or annotations, with words where the Pod says.
pub(super) fn names(of: Option<&Value>, more: &[(&str, &str)], tag: &str) -> Value {
    let mut out = Map::new();
    for (key, value) in of.and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        let said = value.as_str().unwrap_or_default();
        let said = match key.as_str() {
            "linkerd.io/proxy-deployment" => {
                out.insert("linkerd.io/proxy-{kind}", text("{workload}"));
                continue;
            }
            "kubectl.kubernetes.io/default-container" | "kubectl.kubernetes.io/default-logs-container" => {
                "{container}"
            }
            "service.istio.io/canonical-name" => "{app}",
            "service.istio.io/canonical-revision" => "{revision}",
            "linkerd.io/workload-ns" => "{ns}",
            "sidecar.istio.io/interceptionMode" => "{mode}",
            "linkerd.io/trust-root-sha256" => "sha256-of-the-trust-anchors",
            "sidecar.istio.io/status" => continue,
            _ if key.ends_with('*') => continue,
            _ => said,
        };
        out.insert(key.clone(), text(&said.replace(tag, "{tag}")));
    }
    for (key, value) in more {
        out.insert(*key, text(value));
    }
    Value::object(out)
}

/// The volumes of a record, without the author's own.
pub(super) fn volumes(record: &Value) -> Vec<Value> {
    list(record, "volumes").iter().filter(|one| one.find_str(&["type"]) != "hostPath").map(volume).collect()
}
