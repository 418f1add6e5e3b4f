//! What the author of a Pod asks of a mesh by annotations.
//!
//! In: what was asked for the whole mesh, the Pod, its namespace. Out: the mode and the options for this Pod.

use crate::data::Row;
use crate::setup::Setup;
use engine_json::Value;

/// The mode and the options of one Pod.
pub(crate) struct InjectionMode<'s> {
    pub(crate) is_native: bool,
    pub(crate) is_cni: bool,
    pub(crate) options: Vec<&'s str>,
    /// A whole shape that takes the place of those of the modes: `template:gateway`.
    pub(crate) template: Option<&'s str>,
}

impl InjectionMode<'_> {
    /// The name of the shape in the data.
    pub(crate) fn base(&self) -> &'static str {
        match (self.is_native, self.is_cni) {
            (false, false) => "init",
            (false, true) => "cni",
            (true, false) => "native+init",
            (true, true) => "native+cni",
        }
    }
}

/// When an annotation asks for its option.
enum When {
    /// Its value is true, as Go reads truth values.
    True,
    /// It has this value; any other value takes the option back.
    Is(&'static str),
    /// It is there at all.
    Any,
}

/// Annotations and the options they ask for.
// Istio: injection-template.yaml; Linkerd: pkg/inject/inject.go `GetOverriddenValues`. Later ones win.
const ANNOTATIONS: &[(&str, When, &str)] = &[
    ("sidecar.istio.io/interceptionMode", When::Is("TPROXY"), "tproxy"),
    ("sidecar.istio.io/interceptionMode", When::Is("NONE"), "none"),
    ("sidecar.istio.io/capNetBindService", When::True, "capNetBindService"),
    ("sidecar.istio.io/enableCoreDump", When::True, "coreDump"),
    ("sidecar.istio.io/nativeSidecar", When::True, "native"),
    ("inject.istio.io/templates", When::Is("gateway"), "template:gateway"),
    ("inject.istio.io/templates", When::Is("grpc-agent"), "template:grpc-agent"),
    ("config.linkerd.io/enable-debug-sidecar", When::True, "debug"),
    ("config.linkerd.io/close-wait-timeout", When::Any, "closeWait"),
    ("config.linkerd.io/proxy-await", When::Is("disabled"), "await=disabled"),
    ("config.alpha.linkerd.io/proxy-enable-native-sidecar", When::True, "native"),
    ("config.beta.linkerd.io/proxy-enable-native-sidecar", When::True, "native"),
    ("config.linkerd.io/proxy-enable-native-sidecar", When::True, "native"),
];

/// Fields of `proxy.istio.io/config`, their values, and the options they ask for.
const CONFIG: &[(&[&str], &str, &str)] = &[
    (&["holdApplicationUntilProxyStarts"], "true", "hold"),
    (&["interceptionMode"], "TPROXY", "tproxy"),
    (&["interceptionMode"], "NONE", "none"),
    (&["proxyMetadata", "IPTABLES_TRACE_LOGGING"], "true", "iptablesTrace"),
];

/// What is asked for one Pod.
pub(crate) fn of_pod<'s>(setup: &'s Setup, pod: &Value, namespace: Option<&Value>) -> InjectionMode<'s> {
    let row = setup.row();
    let mut names: Vec<&'s str> = setup.options.iter().map(String::as_str).collect();
    config(row, pod, &mut names);
    for (annotation, when, option) in ANNOTATIONS {
        let value = annotation_of(pod, namespace, annotation);
        let is_on = match (when, value) {
            (_, "") => continue,
            (When::True, value) => is_true(value),
            (When::Is(wanted), value) => value == *wanted,
            (When::Any, _) => true,
        };
        switch(row, &mut names, option, is_on);
    }
    let last = |one: &str, other: &str| {
        names.iter().rev().find(|name| **name == one || **name == other).map(|name| *name == one)
    };
    InjectionMode {
        is_native: last("native", "classic").unwrap_or(row.is_native()) && row.base("native+init").is_some(),
        is_cni: names.contains(&"cni"),
        template: names.iter().rev().copied().find(|name| row.has_base(name)),
        // In the order of the data, in which they were recorded.
        options: row
            .options()
            .filter_map(|name| names.iter().copied().find(|asked| *asked == name))
            .collect(),
    }
}

/// An annotation of the Pod; Linkerd's also of the namespace.
pub(crate) fn annotation_of<'v>(pod: &'v Value, namespace: Option<&'v Value>, key: &str) -> &'v str {
    match (pod.find_str(&["metadata", "annotations", key]), namespace) {
        ("", Some(namespace)) if key.starts_with("config.") => {
            namespace.find_str(&["metadata", "annotations", key])
        }
        (value, _) => value,
    }
}

fn is_true(value: &str) -> bool {
    matches!(value, "true" | "True" | "TRUE" | "t" | "T" | "1")
}

fn switch(row: Row<'_>, names: &mut Vec<&str>, option: &'static str, is_on: bool) {
    names.retain(|name| *name != option);
    if is_on && row.knows(option) {
        names.push(option);
    } else if !is_on && option == "native" && row.knows("classic") {
        names.push("classic");
    }
}

fn config(row: Row<'_>, pod: &Value, names: &mut Vec<&str>) {
    let text = pod.find_str(&["metadata", "annotations", "proxy.istio.io/config"]);
    let Some(config) = (!text.is_empty()).then(|| engine_yaml::parse_one(text).ok()).flatten() else {
        return;
    };
    for (path, wanted, option) in CONFIG {
        let said = match config.find(path) {
            None => continue,
            Some(Value::Bool(said)) => {
                if *said {
                    "true"
                } else {
                    "false"
                }
            }
            Some(other) => other.as_str().unwrap_or_default(),
        };
        switch(row, names, option, said == *wanted);
    }
}
