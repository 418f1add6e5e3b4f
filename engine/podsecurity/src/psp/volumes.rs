//! What a policy has against the volumes of a Pod.
//!
//! In: `volumes: [{hostPath: {path: /opt/cni/bin}}]` under `allowedHostPaths: [{pathPrefix: /var}]`. Out:
//! `spec.volumes[0].hostPath.pathPrefix: Invalid value: "/opt/cni/bin": is not allowed to be used`.
//!
//! Mirrors: pkg/security/podsecuritypolicy/provider.go validatePodVolumes, util/util.go

use super::pod::{Pod, Volume};
use super::policy::Policy;
use super::refusal::{At, Refusals};
use engine_json::{Str, Value};

pub(super) fn check(policy: &Policy, pod: &Pod, refusals: &mut Refusals) {
    for (at, volume) in pod.volumes.iter().enumerate() {
        let field = format!("spec.volumes[{at}]");
        if !policy.allows_volumes(volume.kind) && !is_token_of_allowed_secret(policy, volume) {
            let detail = format!("{} volumes are not allowed to be used", volume.kind);
            refusals.invalid_text(&At::field(&field), volume.kind, &detail);
            continue;
        }
        match volume.kind {
            "hostPath" => host_path(policy, pod, volume, &field, refusals),
            "flexVolume" => {
                // Go: the path leaves `flexVolume` out.
                let (printed, path) = (format!("{field}.driver"), format!("{field}.flexVolume.driver"));
                let detail = "Flexvolume driver is not allowed to be used";
                driver(&policy.flex_drivers, volume, &At::printed(&printed, &path), detail, refusals);
            }
            "csi" => {
                let printed = format!("{field}.csi.driver");
                let detail = "Inline CSI driver is not allowed to be used";
                driver(&policy.csi_drivers, volume, &At::field(&printed), detail, refusals);
            }
            _ => {}
        }
    }
}

fn driver(allowed: &[Str], volume: &Volume, at: &At<'_>, detail: &str, refusals: &mut Refusals) {
    let driver = volume.source.find_str(&["driver"]);
    if !allowed.is_empty() && !allowed.iter().any(|allowed| allowed == driver) {
        refusals.invalid_text(at, driver, detail);
    }
}

fn host_path(policy: &Policy, pod: &Pod, volume: &Volume, field: &str, refusals: &mut Refusals) {
    let path = volume.source.find_str(&["path"]);
    let fitting: Vec<bool> = policy
        .host_paths
        .iter()
        .filter(|(prefix, _)| has_path_prefix(path, prefix))
        .map(|(_, read_only)| *read_only)
        .collect();
    if policy.host_paths.is_empty() || fitting.contains(&false) {
        return;
    }
    if fitting.is_empty() {
        // Go: the field of the policy, `pathPrefix`, stands for the field of the Pod.
        let (printed, real) = (format!("{field}.hostPath.pathPrefix"), format!("{field}.hostPath.path"));
        return refusals.invalid_text(&At::printed(&printed, &real), path, "is not allowed to be used");
    }
    for container in &pod.containers {
        for (at, (name, read_only)) in container.mounts.iter().enumerate() {
            if *name == volume.name && !read_only {
                let at = At::below(container, &format!("volumeMounts[{at}].readOnly"));
                refusals.invalid(&at, "false", "must be read-only");
            }
        }
    }
}

/// Whether a path is the prefix or lies below it; one slash at the end of either does not count.
fn has_path_prefix(path: &str, prefix: &str) -> bool {
    let trim = |path: &'_ str| path.strip_suffix('/').unwrap_or(path).to_owned();
    let (path, prefix) = (trim(path), trim(prefix));
    path.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the volume is the token of the service account as Kubernetes mounts it, where secrets are allowed.
fn is_token_of_allowed_secret(policy: &Policy, volume: &Volume) -> bool {
    let sources = volume.source.get("sources").and_then(Value::as_array).unwrap_or(&[]);
    policy.release.knows_token_volumes()
        && volume.kind == "projected"
        && policy.volumes.iter().any(|allowed| allowed == "secret")
        && sources.iter().all(is_token_source)
}

fn is_token_source(source: &Value) -> bool {
    let part = |key: &str| source.get(key).filter(|part| !part.is_null());
    let (token, config, downward) = (part("serviceAccountToken"), part("configMap"), part("downwardAPI"));
    let items = |part: &Value| part.get("items").and_then(Value::as_array).unwrap_or(&[]).to_vec();
    let is_namespace = |item: &Value| {
        let api_version = match item.find_str(&["fieldRef", "apiVersion"]) {
            "" => "v1",
            version => version,
        };
        item.find_str(&["path"]) == "namespace"
            && item.find_str(&["fieldRef", "fieldPath"]) == "metadata.namespace"
            && api_version == "v1"
    };
    (token.is_some() || config.is_some() || downward.is_some())
        && token.is_none_or(|t| t.find_str(&["path"]) == "token" && t.find_str(&["audience"]).is_empty())
        && config.is_none_or(|config| config.find_str(&["name"]) == "kube-root-ca.crt")
        && downward.is_none_or(|downward| items(downward).iter().all(is_namespace))
}
