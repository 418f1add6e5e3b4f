//! Pod Security Admission: labels that lower the level of a namespace, and the exemptions of its configuration.

use super::{Exemption, ExemptionSelector, Kind, On};
use crate::sieve::edit::Edit;
use crate::sieve::runner::{CONFIGURATION, TrialRunner};
use engine_json::{Path, Segment, Value};
use engine_podsecurity::Level;

const LABEL: &str = "pod-security.kubernetes.io/enforce";

pub(super) fn find(runner: &TrialRunner<'_>, found: &mut Vec<Exemption>) {
    let Some(config) = runner.admission() else { return };
    // Where the cluster asks for nothing, a namespace that says `privileged` opens what baseline would close.
    let default = match config.defaults.enforce.level {
        Level::Privileged => Level::Baseline,
        level @ (Level::Baseline | Level::Restricted) => level,
    };
    for (document, _, value) in runner.documents() {
        let label = value.find(&["metadata", "labels", LABEL]).and_then(Value::as_str);
        if value.find_str(&["kind"]) != "Namespace" || label != Some("privileged") {
            continue;
        }
        let path = Path::from_keys(&["metadata", "labels"]).join(LABEL);
        let mut exemption = Exemption::new(Kind::PsaLabel, document, path.clone());
        let name = value.find_str(&["metadata", "name"]);
        exemption.text = format!("namespace `{name}` enforces `privileged`: nothing is checked");
        exemption.removal = vec![Edit::Set(path, Value::from(default.name()))];
        let at = Path::from_keys(&["metadata", "name"]);
        exemption.selectors = vec![ExemptionSelector::new(On::Namespace, at, name)];
        found.push(exemption);
    }
    let Some(written) = runner.document(CONFIGURATION) else { return };
    let base = match written.find_str(&["kind"]) {
        "AdmissionConfiguration" => {
            let plugins = written.get("plugins").and_then(Value::as_array).unwrap_or_default();
            let is_it = |plugin: &Value| plugin.find_str(&["name"]) == "PodSecurity";
            let Some(at) = plugins.iter().position(is_it) else { return };
            Path::root().join("plugins").join(at).join("configuration")
        }
        _ => Path::root(),
    };
    for (key, what) in
        [("namespaces", "namespace"), ("usernames", "user"), ("runtimeClasses", "runtime class")]
    {
        let path = base.join("exemptions").join(key);
        let items = written.at_path(path.iter()).and_then(Value::as_array).unwrap_or_default();
        for (at, item) in items.iter().enumerate() {
            let Some(name) = item.as_str() else { continue };
            let path = path.join(Segment::from(at));
            let mut exemption = Exemption::new(Kind::PsaExemption, CONFIGURATION, path.clone());
            exemption.text = format!("{what} `{name}` is exempt from Pod Security Admission");
            exemption.removal = vec![Edit::Remove(path.clone())];
            let on = match key {
                "namespaces" => On::Namespace,
                "usernames" => On::Subject("User".to_owned(), String::new()),
                _ => {
                    exemption.notes.push(format!("any Pod may set `runtimeClassName: {name}`"));
                    On::Annotation(RUNTIME_CLASS.to_owned())
                }
            };
            exemption.selectors = vec![ExemptionSelector::new(on, path, name)];
            found.push(exemption);
        }
    }
}

/// Stands for the field `runtimeClassName` among the things that a Pod is known by.
pub(in crate::sieve) const RUNTIME_CLASS: &str = "runtimeClassName";
