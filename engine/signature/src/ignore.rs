//! Fields in which an object may differ from what was signed.
//!
//! In: an object and the rule's settings. Out: [`Fields`], which know a key when they see it. One row of `BUILT_IN` for each
//! field that the original ignores by itself.

use crate::settings::{Ignored, ObjectPattern, Settings};
use engine::json::Value;
use regex::{Regex, RegexSet};

/// Kinds, and the fields that k8s-manifest-sigstore and Kyverno ignore for them.
// pkg/k8smanifest/resources/default-config.yaml; Kyverno: pkg/engine/resources/default-config.yaml.
const BUILT_IN: &[(&str, &[&str])] = &[
    (
        "*",
        &[
            "metadata.annotations.cosign.sigstore.dev/resourceBundleRef",
            "metadata.annotations.cosign.sigstore.dev/signature",
            "metadata.annotations.cosign.sigstore.dev/message",
            "metadata.annotations.cosign.sigstore.dev/certificate",
            "metadata.annotations.cosign.sigstore.dev/bundle",
            "metadata.managedFields.*",
            "metadata.resourceVersion",
            "metadata.selfLink",
            "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration",
            "metadata.annotations.namespace",
            "metadata.creationTimestamp",
            "metadata.generation",
            "metadata.uid",
            "metadata.finalizers",
            "metadata.labels.app.kubernetes.io/instance",
            "status",
            "metadata.namespace",
            "spec.containers.*.imagePullPolicy",
            "spec.containers.*.terminationMessagePath",
            "spec.containers.*.terminationMessagePolicy",
            "spec.dnsPolicy",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.terminationGracePeriodSeconds",
            "metadata.annotations.control-plane.alpha.kubernetes.io/leader",
            "metadata.annotations.deprecated.daemonset.template.generation",
            "metadata.annotations.deployment.kubernetes.io/revision",
        ],
    ),
    ("ServiceAccount", &["secrets.*.name", "imagePullSecrets.*.name"]),
    (
        "Service",
        &[
            "spec.ports.*.nodePort",
            "spec.clusterIP",
            "spec.clusterIPs.0",
            "spec.sessionAffinity",
            "spec.type",
            "spec.ipFamilies.*",
            "spec.ipFamilyPolicy",
            "spec.internalTrafficPolicy",
        ],
    ),
    ("Route", &["spec.host"]),
    (
        "Pod",
        &[
            "spec.volumes.*.name",
            "spec.volumes.*.projected.*",
            "spec.volumes.*.configMap.defaultMode",
            "spec.containers.*.volumeMounts.*",
            "spec.tolerations.*",
            "spec.enableServiceLinks",
            "spec.preemptionPolicy",
            "spec.priority",
            "spec.serviceAccount",
        ],
    ),
    (
        "Deployment",
        &[
            "spec.progressDeadlineSeconds",
            "spec.revisionHistoryLimit",
            "spec.strategy.*",
            "spec.template.metadata.creationTimestamp",
            "spec.containers.*.ports.*.protocol",
            "spec.containers.*.resources",
            "spec.securityContext",
        ],
    ),
    ("CustomResourceDefinition", &["spec.conversion.strategy", "spec.names.listKind"]),
    ("ClusterPolicy", POLICY),
    ("Policy", POLICY),
];

const POLICY: &[&str] = &[
    "metadata.annotations.pod-policies.kyverno.io/autogen-controllers",
    "spec.failurePolicy",
    "spec.background",
    "spec.validationFailureAction",
];

/// The annotations that carry signatures, whatever their domain.
const ANNOTATIONS: [&str; 5] = ["message", "signature", "certificate", "bundle", "resourceBundleRef"];

/// Fields that are not looked at.
#[derive(Default)]
pub(crate) struct Fields(RegexSet);

impl Fields {
    /// Whether the field with this key is one of them.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.is_match(key)
    }
}

/// The fields that may differ for this object.
pub(crate) fn fields_for(object: &Value, settings: &Settings) -> Fields {
    let kind = object.find_str(&["kind"]);
    let group = object.find_str(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    let is_mine = |of: &str| of == "*" || (of == kind && (of != "Route" || group == "route.openshift.io"));
    let built_in = BUILT_IN.iter().filter(|(of, _)| is_mine(of)).flat_map(|(_, fields)| *fields);
    let of_rule =
        settings.ignored.iter().filter(|ignored| is_for(ignored, object)).flat_map(|ignored| &ignored.fields);
    let annotations =
        ANNOTATIONS.iter().map(|name| format!("metadata.annotations.{}*", settings.annotation(name)));
    let own = built_in.map(|field| pattern(field)).chain(annotations.map(|field| pattern(&field)));
    // One that is not a regular expression matches nothing, as in the original, and leaves the others as they are.
    let sound = of_rule.map(|field| pattern(field)).filter(|pattern| Regex::new(pattern).is_ok());
    Fields(RegexSet::new(own.chain(sound)).unwrap_or_else(|_| RegexSet::empty()))
}

/// The expression of a field: the original puts `*` behind each, makes `.*` of every `*` and binds neither end, so that a
/// field covers all that begins with it, and all that merely holds it.
// mapnode: DiffResult.Filter, patternMatchString; `foo[1].bar` is another way to write `foo.1.bar`.
fn pattern(field: &str) -> String {
    let dotted = field.replace('[', ".").replace(']', "");
    format!("{dotted}*").replace('*', ".*")
}

fn is_for(ignored: &Ignored, object: &Value) -> bool {
    ignored.objects.is_empty() || ignored.objects.iter().any(|pattern| fits(pattern, object))
}

fn fits(pattern: &ObjectPattern, object: &Value) -> bool {
    let (group, version) =
        object.find_str(&["apiVersion"]).split_once('/').unwrap_or(("", object.find_str(&["apiVersion"])));
    matches(&pattern.group, group)
        && matches(&pattern.version, version)
        && matches(&pattern.kind, object.find_str(&["kind"]))
        && matches(&pattern.name, object.find_str(&["metadata", "name"]))
        && matches(&pattern.namespace, object.find_str(&["metadata", "namespace"]))
}

/// `*` may only stand at the end, `-` is for what is empty, and `,` parts alternatives.
// k8s-manifest-sigstore: pkg/util MatchPattern.
fn matches(pattern: &str, value: &str) -> bool {
    let one = |pattern: &str| match pattern.trim() {
        "" | "*" => true,
        "-" if value.is_empty() => true,
        pattern => match pattern.strip_suffix('*') {
            Some(start) => value.starts_with(start.trim_end_matches('*')),
            None => pattern == value,
        },
    };
    one(pattern) || (pattern.contains(',') && !pattern.trim().ends_with('*') && pattern.split(',').any(one))
}
