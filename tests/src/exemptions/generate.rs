//! Exemptions with weaknesses planted in them, each the same for the same seed.
//!
//! In: choices. Out: texts, and the families of attackers that must get in, as whoever wrote the exemption would say: an
//! open registry, no position, no values, a wildcard, a label, a name that anybody can give.

use super::Texts;
use crate::random::Choices;
use std::fmt::Write;

/// A generated exemption.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What kind, for the figures.
    pub kind: &'static str,
    /// The texts.
    pub texts: Texts,
    /// The families that must be found.
    pub planted: Vec<&'static str>,
}

/// Images that exemptions are written for.
pub(super) const IMAGES: [&str; 5] = [
    "docker.io/istio/proxyv2:1.24.1",
    "cr.l5d.io/linkerd/proxy-init:v2.4.1",
    "ghcr.io/acme/agent:2.0",
    "registry.corp.example/platform/tracer:1.7.3",
    "quay.io/acme/net-tools:5",
];

/// A pattern for an image; whether strangers and whether other tags fit it.
fn pattern(choices: &mut Choices, image: &str) -> (String, Vec<&'static str>) {
    let (name, _) = image.rsplit_once(':').unwrap_or((image, ""));
    let (registry, path) = name.split_once('/').unwrap_or(("", name));
    match choices.below(8) {
        5 => (format!("{registry}/*/{}:*", path.rsplit('/').next().unwrap_or(path)), vec!["registry", "tag"]),
        6 => (
            format!("*.{}/{path}:*", registry.split_once('.').map_or(registry, |(_, domain)| domain)),
            vec!["registry", "tag"],
        ),
        0 => (format!("*/{path}*"), vec!["registry", "tag"]),
        1 => (format!("*{path}:*"), vec!["registry", "tag"]),
        2 => (format!("{name}*"), vec!["registry", "tag"]),
        3 => (format!("{registry}/*"), vec!["registry", "tag"]),
        4 => (format!("{name}:*"), vec!["tag"]),
        _ => (image.to_owned(), Vec::new()),
    }
}

/// A control of containers: its name, the field of a container that breaks it, the path and the values of an exclude.
struct Control {
    name: &'static str,
    context: &'static str,
    field: &'static str,
    value: &'static str,
    /// What gets in where no values are named.
    open: Option<&'static str>,
}

/// What a mesh's init container asks for.
const CAPABILITIES: &str = "securityContext: {capabilities: {add: [NET_ADMIN, NET_RAW]}}";

const CONTROLS: [Control; 5] = [
    Control {
        name: "Capabilities",
        context: "securityContext: {capabilities: {add: [NET_ADMIN, NET_RAW]}}",
        field: "securityContext.capabilities.add",
        value: "NET_ADMIN, NET_RAW",
        open: Some("capability"),
    },
    Control {
        name: "Privileged Containers",
        context: "securityContext: {privileged: true}",
        field: "securityContext.privileged",
        value: "'true'",
        open: None,
    },
    Control {
        name: "Host Ports",
        context: "ports: [{containerPort: 8080, hostPort: 8080}]",
        field: "ports[*].hostPort",
        value: "'8080'",
        open: Some("field"),
    },
    Control {
        name: "/proc Mount Type",
        context: "securityContext: {procMount: Unmasked}",
        field: "securityContext.procMount",
        value: "Unmasked",
        open: None,
    },
    Control {
        name: "SELinux",
        context: "securityContext: {seLinuxOptions: {type: custom_t}}",
        field: "securityContext.seLinuxOptions.type",
        value: "custom_t",
        open: Some("field"),
    },
];

fn control(choices: &mut Choices) -> &'static Control {
    let [capabilities, ..] = &CONTROLS;
    CONTROLS.get(choices.below(CONTROLS.len())).unwrap_or(capabilities)
}

/// A Pod with an exempt container in a list.
fn pod(list: &str, image: &str, context: &str, more: &str) -> String {
    let exempt = format!("  - name: exempt\n    image: {image}\n    {context}\n");
    let app = "  - name: app\n    image: registry.example/shop:3\n";
    let (init, main) =
        if list == "initContainers" { (exempt, String::new()) } else { (String::new(), exempt) };
    let init = if init.is_empty() { init } else { format!("  initContainers:\n{init}") };
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\n  namespace: store\n  labels: {{mesh: 'on'}}\nspec:\n{more}{init}  containers:\n{app}{main}"
    )
}

fn policy(rule: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: guard}}\nspec:\n  validationFailureAction: Enforce\n  background: false\n  rules:\n  - name: guarded\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n{rule}"
    )
}

/// One exemption.
pub fn generate(choices: &mut Choices) -> Generated {
    let mut made = match choices.below(13) {
        0 | 1 => pod_security(choices),
        2 => exception_with_controls(choices),
        3 => whole_exception(choices),
        4 => exclude_block(choices),
        5 => by_image_in_foreach(choices),
        6 => by_name_in_foreach(choices),
        7 => anchor(choices),
        8 => by_function(choices),
        9 => in_deny(choices),
        10 => by_user(choices),
        11 => of_controllers(choices),
        _ => by_label(choices),
    };
    if choices.below(3) == 2 && made.kind != "exception" {
        made.texts.pods.clear();
    }
    made
}

/// Entries of an exclude, and what is planted in them.
fn entries(choices: &mut Choices, indent: &str) -> (String, Vec<&'static str>, String) {
    let image = choices.pick(&IMAGES).to_owned();
    let control = control(choices);
    let (pattern, mut planted) = pattern(choices, &image);
    let mut text = format!("{indent}- controlName: {}\n{indent}  images: ['{pattern}']\n", control.name);
    if choices.below(2) == 0 {
        planted.push("position");
        planted.extend(control.open);
    } else {
        let _ = writeln!(text, "{indent}  restrictedField: spec.initContainers[*].{}", control.field);
        let _ = writeln!(text, "{indent}  values: [{}]", control.value);
    }
    (text, planted, pod("initContainers", &image, control.context, ""))
}

fn pod_security(choices: &mut Choices) -> Generated {
    let (entries, planted, pod) = entries(choices, "        ");
    let rule =
        format!("    validate:\n      podSecurity:\n        level: baseline\n        exclude:\n{entries}");
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods: vec![pod] };
    Generated { kind: "podSecurity", texts, planted }
}

const BASELINE: &str = "    validate:\n      podSecurity: {level: baseline}\n";

fn exception(match_: &str, rest: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: exempt, namespace: kyverno}}\nspec:\n  exceptions: [{{policyName: guard, ruleNames: [guarded]}}]\n  match:\n    any:\n    - resources: {{{match_}}}\n{rest}"
    )
}

fn exception_with_controls(choices: &mut Choices) -> Generated {
    let (entries, mut planted, pod) = entries(choices, "  ");
    let wide = choices.below(2) == 0;
    let namespace = if wide { "namespaces: ['st*']" } else { "namespaces: [store]" };
    planted.extend(wide.then_some("namespace"));
    let exception = exception(namespace, &format!("  podSecurity:\n{entries}"));
    let texts = Texts { policies: vec![policy(BASELINE)], exceptions: vec![exception], pods: vec![pod] };
    Generated { kind: "exception with controls", texts, planted }
}

/// A filter, and what is planted in it.
fn filter(choices: &mut Choices) -> (&'static str, Vec<&'static str>) {
    match choices.below(4) {
        0 => ("kinds: [Pod], namespaces: [store], names: [shop]", vec![]),
        1 => ("kinds: [Pod], namespaces: ['st*'], names: ['sh*']", vec!["namespace", "name"]),
        2 => ("kinds: [Pod], namespaces: [store]", vec!["name"]),
        _ => ("kinds: [Pod], selector: {matchLabels: {mesh: 'on'}}", vec!["label", "name", "namespace"]),
    }
}

/// A rule that filters lift as a whole, a Pod that needs it, and what the lifting opens.
fn lifted(choices: &mut Choices) -> (String, String, Vec<&'static str>) {
    let image = choices.pick(&IMAGES).to_owned();
    if choices.below(2) == 0 {
        let control = control(choices);
        let pod = pod("initContainers", &image, control.context, "");
        (BASELINE.to_owned(), pod, vec!["image", "position", "bystander", "field", "registry"])
    } else {
        let pod = pod("initContainers", &image, CAPABILITIES, "");
        (
            capabilities("[initContainers, containers][]", ""),
            pod,
            vec!["image", "bystander", "capability", "registry"],
        )
    }
}

fn whole_exception(choices: &mut Choices) -> Generated {
    let (rule, pod, mut planted) = lifted(choices);
    let (filter, more) = filter(choices);
    planted.extend(more);
    let texts =
        Texts { policies: vec![policy(&rule)], exceptions: vec![exception(filter, "")], pods: vec![pod] };
    Generated { kind: "exception", texts, planted }
}

fn exclude_block(choices: &mut Choices) -> Generated {
    let (rule, pod, mut planted) = lifted(choices);
    let (filter, more) = filter(choices);
    // An exclude of all Pods is not a policy.
    planted.extend(more);
    let rule = format!("    exclude: {{any: [{{resources: {{{filter}}}}}]}}\n{rule}");
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods: vec![pod] };
    Generated { kind: "exclude", texts, planted }
}

/// A rule that forbids capabilities, over these lists, with a condition that skips.
fn capabilities(lists: &str, skip: &str) -> String {
    format!(
        "    validate:\n      message: no capabilities\n      foreach:\n      - list: request.object.spec.{lists}\n{skip}        deny:\n          conditions:\n            all:\n            - {{key: \"{{{{ element.securityContext.capabilities.add[] || `[]` }}}}\", operator: AnyNotIn, value: [CHOWN, KILL]}}\n"
    )
}

fn by_image_in_foreach(choices: &mut Choices) -> Generated {
    let image = choices.pick(&IMAGES).to_owned();
    let (pattern, mut planted) = pattern(choices, &image);
    planted.push("capability");
    let everywhere = choices.below(2) == 0;
    let lists = if everywhere { "[initContainers, containers][]" } else { "initContainers[]" };
    planted.extend(everywhere.then_some("position"));
    let operator = choices.pick(&["AnyNotIn", "AllNotIn", "NotEquals"]).to_owned();
    let value = if operator == "NotEquals" { format!("'{pattern}'") } else { format!("['{pattern}']") };
    let skip = format!(
        "        preconditions:\n          all:\n          - {{key: \"{{{{ element.image }}}}\", operator: {operator}, value: {value}}}\n"
    );
    let pods = vec![pod("initContainers", &image, CAPABILITIES, "")];
    let texts = Texts { policies: vec![policy(&capabilities(lists, &skip))], exceptions: Vec::new(), pods };
    Generated { kind: "precondition by image", texts, planted }
}

fn by_name_in_foreach(choices: &mut Choices) -> Generated {
    let image = choices.pick(&IMAGES).to_owned();
    let everywhere = choices.below(2) == 0;
    let lists = if everywhere { "[initContainers, containers][]" } else { "initContainers[]" };
    let name = choices.pick(&["exempt", "exem*"]);
    let mut planted = vec!["image", "registry", "capability"];
    planted.extend(everywhere.then_some("position"));
    let skip = format!(
        "        preconditions:\n          all:\n          - {{key: \"{{{{ element.name }}}}\", operator: AnyNotIn, value: ['{name}']}}\n"
    );
    let pods = vec![pod("initContainers", &image, CAPABILITIES, "")];
    let texts = Texts { policies: vec![policy(&capabilities(lists, &skip))], exceptions: Vec::new(), pods };
    Generated { kind: "precondition by name", texts, planted }
}

fn anchor(choices: &mut Choices) -> Generated {
    let image = choices.pick(&IMAGES).to_owned();
    let by_name = choices.below(2) == 0;
    let (pattern, planted) = pattern(choices, &image);
    let (key, pattern, planted) = if by_name {
        ("name", "exempt".to_owned(), vec!["image", "registry"])
    } else {
        ("image", pattern, planted)
    };
    let rule = format!(
        "    validate:\n      message: not privileged\n      pattern:\n        spec:\n          =(initContainers):\n          - ({key}): \"!{pattern}\"\n            =(securityContext): {{=(privileged): \"false\"}}\n          containers:\n          - =(securityContext): {{=(privileged): \"false\"}}\n"
    );
    let pods = vec![pod("initContainers", &image, "securityContext: {privileged: true}", "")];
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods };
    Generated { kind: "anchor", texts, planted }
}

fn by_label(choices: &mut Choices) -> Generated {
    let (rule, pod, mut planted) = lifted(choices);
    planted.push("label");
    let skip = "    preconditions:\n      all:\n      - {key: \"{{ request.object.metadata.labels.mesh || '' }}\", operator: NotEquals, value: 'on'}\n";
    let texts =
        Texts { policies: vec![policy(&format!("{skip}{rule}"))], exceptions: Vec::new(), pods: vec![pod] };
    Generated { kind: "precondition by label", texts, planted }
}

/// A condition that asks a function, over images or over a list that comes from elsewhere.
fn by_function(choices: &mut Choices) -> Generated {
    let image = choices.pick(&IMAGES).to_owned();
    let name = image.split([':', '/']).rev().nth(1).unwrap_or_default().to_owned();
    let condition = match choices.below(3) {
        0 => format!(
            "{{key: \"{{{{ contains(element.image, '{name}') }}}}\", operator: Equals, value: false}}"
        ),
        1 => format!(
            "{{key: \"{{{{ regex_match('.*/{name}:.*', element.image) }}}}\", operator: NotEquals, value: true}}"
        ),
        _ => "{key: \"{{ element.image }}\", operator: AnyNotIn, value: \"{{ exempt }}\"}".to_owned(),
    };
    let context = format!("    context:\n    - name: exempt\n      variable: {{value: ['*/{name}*']}}\n");
    let skip = format!("        preconditions:\n          all:\n          - {condition}\n");
    let rule = format!("{context}{}", capabilities("initContainers[]", &skip));
    let pods = vec![pod("initContainers", &image, CAPABILITIES, "")];
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods };
    Generated { kind: "precondition by function", texts, planted: vec!["registry", "tag", "capability"] }
}

/// A condition among those of a deny.
fn in_deny(choices: &mut Choices) -> Generated {
    let image = choices.pick(&IMAGES).to_owned();
    let (pattern, mut planted) = pattern(choices, &image);
    planted.push("capability");
    let extra = format!(
        "            - {{key: \"{{{{ element.image }}}}\", operator: AllNotIn, value: ['{pattern}']}}\n"
    );
    let rule = format!("{}{extra}", capabilities("initContainers[]", ""));
    let pods = vec![pod("initContainers", &image, CAPABILITIES, "")];
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods };
    Generated { kind: "condition of a deny", texts, planted }
}

/// An exclude of users: by wildcard, or by a group that everybody is in.
fn by_user(choices: &mut Choices) -> Generated {
    let (rule, _, _) = lifted(choices);
    let subject = choices.pick(&[
        "{kind: User, name: 'builder-*'}",
        "{kind: Group, name: 'system:authenticated'}",
        "{kind: ServiceAccount, name: 'deploy*', namespace: tools}",
    ]);
    let rule = format!("    exclude: {{any: [{{subjects: [{subject}]}}]}}\n{rule}");
    let texts = Texts { policies: vec![policy(&rule)], exceptions: Vec::new(), pods: Vec::new() };
    Generated { kind: "exclude of users", texts, planted: vec!["user"] }
}

/// A rule for Deployments alone, with an exclusion.
fn of_controllers(choices: &mut Choices) -> Generated {
    let (entries, planted, _) = entries(choices, "        ");
    let rule =
        format!("    validate:\n      podSecurity:\n        level: baseline\n        exclude:\n{entries}");
    let policy = policy(&rule).replace("kinds: [Pod]", "kinds: [Deployment]");
    let texts = Texts { policies: vec![policy], exceptions: Vec::new(), pods: Vec::new() };
    Generated { kind: "podSecurity of Deployments", texts, planted }
}
