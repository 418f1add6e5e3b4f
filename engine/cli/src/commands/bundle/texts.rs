//! The texts beside a module: its metadata, a manifest, a README.
//!
//! In: a name, and what the policies need. Out: YAML as `kwctl annotate` and `kubectl apply` read it, and Markdown.

use super::object;
use super::rules::Needs;
use engine::json::Value;
use engine::yaml::emit::to_yaml_ordered;

/// What a module may ask of its host: policies in its settings may, where those that it holds do not. Of which kinds stands in
/// `contextAwareResources`.
const CALLS: [&str; 3] =
    ["kubernetes/get_resource", "kubernetes/list_resources_all", "kubernetes/list_resources_by_namespace"];

/// Kubewarden's metadata of a policy.
pub(super) fn metadata(name: &str, needs: &Needs) -> String {
    let title =
        format!("Policies of Kyverno and Kubernetes, decided by podsieve {}", env!("CARGO_PKG_VERSION"));
    let annotations = object([
        ("io.kubewarden.policy.title", Value::from(name)),
        ("io.kubewarden.policy.description", Value::from(title)),
        ("io.kubewarden.policy.license", Value::from("Apache-2.0")),
        ("io.kubewarden.policy.category", Value::from("Kyverno")),
    ]);
    to_yaml_ordered(&object([
        ("rules", needs.rules()),
        ("mutating", Value::Bool(needs.mutates)),
        ("contextAwareResources", needs.context()),
        ("hostCapabilities", Value::array(CALLS.iter().copied().map(Value::from).collect())),
        ("backgroundAudit", Value::Bool(true)),
        ("executionMode", Value::from("kubewarden-wapc")),
        ("policyType", Value::from("kubernetes")),
        ("annotations", annotations),
    ]))
}

/// A ClusterAdmissionPolicy for a module.
pub(super) fn manifest(name: &str, from: &str, needs: &Needs) -> String {
    let spec = object([
        ("module", Value::from(from)),
        ("rules", needs.rules()),
        ("mutating", Value::Bool(needs.mutates)),
        // What the API server does where Kubewarden gives no answer.
        ("failurePolicy", Value::from(if needs.fails { "Fail" } else { "Ignore" })),
        ("backgroundAudit", Value::Bool(true)),
        ("contextAwareResources", needs.context()),
        ("settings", object([])),
    ]);
    to_yaml_ordered(&object([
        ("apiVersion", Value::from("policies.kubewarden.io/v1")),
        ("kind", Value::from("ClusterAdmissionPolicy")),
        ("metadata", object([("name", Value::from(name))])),
        ("spec", spec),
    ]))
}

/// What to do with the files.
pub(super) fn readme(name: &str, module: &str, from: &str, needs: &Needs) -> String {
    let stem = module.strip_suffix(".wasm").unwrap_or(module);
    let policies = needs.policies.join("\n- ");
    let manifest = manifest(name, from, needs);
    let target = from.strip_prefix("registry://").unwrap_or(from);
    format!(
        "# {name}\n\nA policy for Kubewarden, made by podsieve {version}. It decides these policies as Kyverno {kyverno} does:\n\n- {policies}\n\n\
         ## Publish\n\n    kwctl annotate {module} --metadata-path {stem}.metadata.yml --output-path annotated.wasm\n    \
         kwctl push annotated.wasm {target}\n\n## Use\n\n```yaml\n{manifest}```\n\n## Check\n\n    podsieve bundle --check {module} requests/\n",
        version = env!("CARGO_PKG_VERSION"),
        kyverno = engine::KYVERNO_VERSION,
    )
}
