//! Exemptions within policies in CEL: match conditions, parts of validations, excluded rules, selectors.

use super::super::Texts;
use super::{
    ALL, GeneratedCel, conditions, exception, generated, image_test, place, pod, policy, rule, some_image,
    whole,
};
use crate::random::Choices;

pub(super) fn condition_by_place(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let (test, mut planted) = place(choices);
    planted.extend(whole(rule));
    let more = match choices.below(3) {
        0 => conditions(&[format!("!({test})")]),
        1 => conditions(&["has(object.spec)".to_owned(), format!("({test}) ? false : true")]),
        _ => format!(
            "  variables:\n  - name: isExempt\n    expression: {test:?}\n{}",
            conditions(&["object.kind != 'Node'".to_owned()])
        ),
    };
    let is_variable = more.starts_with("  variables");
    let written =
        if is_variable { format!("variables.isExempt || {validation}") } else { validation.clone() };
    let texts =
        Texts { policies: vec![policy("", &more, &written)], exceptions: Vec::new(), pods: vec![pod] };
    generated("match condition by name", texts, &policy("", "", &validation), planted)
}

pub(super) fn condition_by_image(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, _, image) = rule(choices);
    let (test, planted) = some_image(choices, rule, &image);
    let more = conditions(&[format!("!{test}")]);
    let texts = Texts {
        policies: vec![policy("", &more, &validation)],
        exceptions: Vec::new(),
        pods: vec![pod("initContainers", &image, rule.asks)],
    };
    generated("match condition by image", texts, &policy("", "", &validation), planted)
}

pub(super) fn condition_by_namespace_label(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, _, _) = rule(choices);
    let test = choices.pick(&[
        "namespaceObject.metadata.?labels[?'exempt'].orValue('') == 'true'",
        "namespaceObject != null && has(namespaceObject.metadata.labels) && 'exempt' in namespaceObject.metadata.labels",
        "namespaceObject.metadata.?labels[?'team'].orValue('') in ['mesh', 'infra']",
    ]);
    let mut planted = whole(rule);
    planted.push("name");
    let more = conditions(&[format!("!({test})")]);
    let texts =
        Texts { policies: vec![policy("", &more, &validation)], exceptions: Vec::new(), pods: Vec::new() };
    generated("label of the namespace", texts, &policy("", "", &validation), planted)
}

pub(super) fn validation_by_image(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, image) = rule(choices);
    let (test, mut planted) = image_test(choices, "c.image", &image);
    planted.extend(rule.open);
    planted.push("position");
    let written = match choices.below(3) {
        0 => format!("{ALL}.all(c, {test} || ({}))", rule.test),
        1 => format!("{ALL}.filter(c, !({test})).all(c, {})", rule.test),
        _ => format!("{ALL}.all(c, ({test}) ? true : ({}))", rule.test),
    };
    let texts = Texts { policies: vec![policy("", "", &written)], exceptions: Vec::new(), pods: vec![pod] };
    generated("validation by image", texts, &policy("", "", &validation), planted)
}

pub(super) fn validation_by_name(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let test = choices.pick(&[
        "c.name == 'exempt'",
        "c.name.startsWith('ex')",
        "['exempt', 'proxy'].exists(n, c.name == n)",
    ]);
    let mut planted = vec!["image", "registry", "position"];
    planted.extend(rule.open);
    let written = format!("{ALL}.all(c, {test} || ({}))", rule.test);
    let texts = Texts { policies: vec![policy("", "", &written)], exceptions: Vec::new(), pods: vec![pod] };
    generated("validation by container name", texts, &policy("", "", &validation), planted)
}

pub(super) fn exclude_rule(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let mut planted = whole(rule);
    planted.push("namespace");
    let excluded = "    excludeResourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods], resourceNames: [shop]}\n";
    let texts =
        Texts { policies: vec![policy(excluded, "", &validation)], exceptions: Vec::new(), pods: vec![pod] };
    generated("excluded resource rule", texts, &policy("", "", &validation), planted)
}

pub(super) fn selector(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let by_label = vec!["label", "name", "namespace"];
    // An object selector of Kyverno's own kinds leaves out nothing that is created: the old object has no labels.
    let (selects, more, is_of_kubernetes) = match choices.below(4) {
        0 => (
            "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [store]}]}",
            vec!["name"],
            false,
        ),
        1 => (
            "namespaceSelector: {matchExpressions: [{key: exempt, operator: DoesNotExist}]}",
            vec!["name"],
            false,
        ),
        2 => (
            "objectSelector: {matchExpressions: [{key: mesh, operator: NotIn, values: ['on']}]}",
            by_label,
            true,
        ),
        _ => ("objectSelector: {matchExpressions: [{key: mesh, operator: DoesNotExist}]}", by_label, true),
    };
    let mut planted = whole(rule);
    planted.extend(more);
    let pods = if selects.contains("exempt") { Vec::new() } else { vec![pod] };
    let (mut written, mut bare) =
        (policy(&format!("    {selects}\n"), "", &validation), policy("", "", &validation));
    if is_of_kubernetes {
        (written, bare) = (of_kubernetes(&written), of_kubernetes(&bare));
    }
    generated("selector", Texts { policies: vec![written], exceptions: Vec::new(), pods }, &bare, planted)
}

/// A list of the policy's own variables, and a list of texts.
pub(super) fn by_variable(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, image) = rule(choices);
    let (name, _) = image.rsplit_once(':').unwrap_or((&image, ""));
    let (test, mut planted) = match choices.below(3) {
        0 => {
            (format!("['{name}', 'ghcr.io/none/'].exists(p, c.image.startsWith(p))"), vec!["registry", "tag"])
        }
        1 => (
            // The registry of Docker goes by another name there.
            format!(
                "image(c.image).registry() == '{}'",
                name.split('/').next().unwrap_or(name).replace("docker.io", "index.docker.io")
            ),
            vec!["registry", "tag"],
        ),
        _ => ("c.image in variables.exempt".to_owned(), vec![]),
    };
    planted.extend(rule.open);
    planted.push("position");
    let variables = format!(
        "  variables:\n  - {{name: all, expression: {ALL:?}}}\n  - {{name: exempt, expression: \"['{image}', 'a:1']\"}}\n"
    );
    let written = match choices.below(2) {
        0 => format!("variables.all.all(c, {test} || ({}))", rule.test),
        _ => format!("variables.all.filter(c, !({test}) && !({})).size() == 0", rule.test),
    };
    let texts =
        Texts { policies: vec![policy("", &variables, &written)], exceptions: Vec::new(), pods: vec![pod] };
    generated("validation with variables", texts, &policy("", "", &validation), planted)
}

pub(super) fn by_service_account(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let test = choices.pick(&[
        "object.spec.?serviceAccountName.orValue('') == 'istio-cni'",
        "has(object.spec.serviceAccountName) && object.spec.serviceAccountName.startsWith('istio-')",
        "object.metadata.?annotations[?'mesh.example/exempt'].orValue('') == 'yes'",
    ]);
    let pod = pod
        .replace("spec:\n", "spec:\n  serviceAccountName: istio-cni\n")
        .replace("  labels:", "  annotations: {mesh.example/exempt: 'yes'}\n  labels:");
    let mut planted = whole(rule);
    planted.extend(["label", "name", "namespace"]);
    let written = match choices.below(2) {
        0 => policy("", &conditions(&[format!("!({test})")]), &validation),
        _ => policy("", "", &format!("({test}) ? true : {validation}")),
    };
    let texts = Texts { policies: vec![written], exceptions: Vec::new(), pods: vec![pod] };
    generated("service account, annotation", texts, &policy("", "", &validation), planted)
}

/// A Deployment, which the policy's variant for controllers is for.
pub(super) fn of_deployments(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let (_, spec) = pod.split_once("spec:\n").unwrap_or_default();
    let template = spec.lines().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat();
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  namespace: store\nspec:\n  selector: {{matchLabels: {{app: shop}}}}\n  template:\n    metadata: {{labels: {{app: shop}}}}\n    spec:\n{template}"
    );
    let test =
        choices.pick(&["object.metadata.namespace == 'store'", "object.metadata.namespace.startsWith('st')"]);
    let mut planted = whole(rule);
    planted.push("name");
    planted.extend(test.contains("starts").then_some("namespace"));
    let bare = policy("", "", &validation);
    let (written, exceptions) = match choices.below(2) {
        0 => (bare.clone(), vec![exception(&conditions(&[test.to_owned()]))]),
        _ => (policy("", &conditions(&[format!("!({test})")]), &validation), Vec::new()),
    };
    let texts = Texts { policies: vec![written], exceptions, pods: vec![deployment] };
    generated("Deployment", texts, &bare, planted)
}

/// The same said with more signs than it needs.
pub(super) fn in_other_words(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, image) = rule(choices);
    let (name, _) = image.rsplit_once(':').unwrap_or((&image, ""));
    let (more, mut planted): (String, Vec<&str>) = match choices.below(5) {
        0 => (
            format!("{ALL}.all(c, !c.image.startsWith('{name}'))"),
            vec!["registry", "tag", "bystander", "position"],
        ),
        1 => (
            format!("!({ALL}.filter(c, c.image.contains('{name}')).size() > 0)"),
            vec!["registry", "tag", "bystander", "position"],
        ),
        2 => (
            "object.metadata.namespace != 'store' || !(object.metadata.name.startsWith('sh'))".to_owned(),
            [whole(rule), vec!["name"]].concat(),
        ),
        3 => ("!(request.namespace == 'store')".to_owned(), [whole(rule), vec!["name"]].concat()),
        _ => (
            "!(object.metadata.name == 'other' || object.metadata.namespace in ['store'])".to_owned(),
            [whole(rule), vec!["name"]].concat(),
        ),
    };
    planted.extend(rule.open);
    let written = policy("", &conditions(&[more]), &validation);
    let texts = Texts { policies: vec![written], exceptions: Vec::new(), pods: vec![pod] };
    generated("match condition in other words", texts, &policy("", "", &validation), planted)
}

/// The policy as one of Kubernetes' own kind.
fn of_kubernetes(policy: &str) -> String {
    policy.replace(
        "policies.kyverno.io/v1\nkind: ValidatingPolicy",
        "admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy",
    )
}

/// A policy of Kubernetes' own kind, with a condition or with a binding that leaves something out.
pub(super) fn admission_policy(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let bare = of_kubernetes(&policy("", "", &validation));
    let mut planted = whole(rule);
    if choices.below(2) == 0 {
        let (test, more) = place(choices);
        planted.extend(more);
        let written = of_kubernetes(&policy("", &conditions(&[format!("!({test})")]), &validation));
        let texts = Texts { policies: vec![written], exceptions: Vec::new(), pods: vec![pod] };
        return generated("ValidatingAdmissionPolicy", texts, &bare, planted);
    }
    planted.extend(["label", "name", "namespace"]);
    let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: guard}\nspec:\n  policyName: guard\n  validationActions: [Deny]\n";
    let selects = "  matchResources: {objectSelector: {matchExpressions: [{key: mesh, operator: NotIn, values: ['on']}]}}\n";
    let mut found = generated("binding", Texts::default(), &bare, planted);
    found.without.policies.push(binding.to_owned());
    found.made.texts = Texts {
        policies: vec![bare, format!("{binding}{selects}")],
        exceptions: Vec::new(),
        pods: vec![pod],
    };
    found
}
