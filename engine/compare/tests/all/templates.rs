//! Labels and annotations of controllers and of their templates: a rule for Pods is asked by autogen about those of the template.

use engine_compare::{Comparison, Grade, Operation, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, operations: vec![Operation::Create], ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

fn classic(rest: &str, pattern: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [Pod]{rest}}}}}]}}, validate: {{failureAction: Enforce, \
         allowExistingViolations: false, message: refused, pattern: {pattern}}}}}]}}}}"
    )
}

fn in_cel(constraints: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         autogen: {{podControllers: {{controllers: []}}}}, matchConstraints: {{{constraints}}}, \
         validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

const DEPLOYMENTS: &str = "resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]";

fn objects(answer: &Comparison) -> Vec<String> {
    let all = answer.findings.iter();
    all.map(|finding| {
        format!("{} {}", finding.direction.as_str(), engine_json::to_json(&finding.request.object))
    })
    .collect()
}

/// Whether a Deployment is shown that has labels or annotations which its template has not, and one the other way round.
fn shown(answer: &Comparison, field: &str) -> [bool; 2] {
    let deployments = answer
        .findings
        .iter()
        .map(|finding| &finding.request.object)
        .filter(|object| object.find_str(&["kind"]) == "Deployment");
    let mut shown = [false; 2];
    for object in deployments {
        let of_controller = object.find(&["metadata", field, "team"]).is_some();
        let of_template = object.find(&["spec", "template", "metadata", field, "team"]).is_some();
        shown[0] |= of_controller && !of_template;
        shown[1] |= of_template && !of_controller;
    }
    shown
}

#[test]
fn a_label_of_the_controller_is_not_one_of_the_template() {
    let only = "Deployment";
    let annotated = |policy: &str| {
        policy.replace(
            "{name: p}",
            &format!("{{name: p, annotations: {{pod-policies.kyverno.io/autogen-controllers: {only}}}}}"),
        )
    };
    for field in ["labels", "annotations"] {
        let old = annotated(&classic("", &format!("{{metadata: {{{field}: {{team: '?*'}}}}}}")));
        // For Pods as the source, and for Deployments of their own labels.
        let pods = DEPLOYMENTS.replace("[apps]", "['']").replace("deployments", "pods");
        let rule = |place: &str| {
            format!("has({place}.{field}) && has({place}.{field}.team) && {place}.{field}.team != ''")
        };
        let of = |place: &str| {
            let deployments = in_cel(DEPLOYMENTS, &rule(place)).replace("{name: p}", "{name: q}");
            format!("{}\n---\n{deployments}", in_cel(&pods, &rule("object.metadata")))
        };
        let answer = compared(&old, &of("object.metadata"));
        assert_eq!(answer.grade, Grade::Different);
        assert_eq!(shown(&answer, field), [true, true], "{:#?}", objects(&answer));

        let right = of("object.spec.template.metadata").replace(
            "has(object.spec.template.metadata.",
            "has(object.spec.template.metadata) && has(object.spec.template.metadata.",
        );
        let answer = compared(&old, &right);
        let own = answer.findings.iter().filter(|finding| finding.gap.is_none()).count();
        assert_eq!(own, 0, "{:#?}", objects(&answer));
    }
}

#[test]
fn mistakes_about_deployments_are_shown_beside_those_about_pods() {
    let old = classic("", "{spec: {=(hostNetwork): false, =(hostPID): false}}");
    let pods = DEPLOYMENTS.replace("[apps]", "['']").replace("deployments", "pods");
    let is_off = |place: &str, field: &str| format!("!{place}.?{field}.orValue(false)");
    let of_pods = format!("{} && {}", is_off("object.spec", "hostNetwork"), is_off("object.spec", "hostIPC"));
    // One mistake is that about Pods once more, the other one is of Deployments alone.
    let template = "object.spec.template.spec";
    let of_deployments = format!("true || {}", is_off(template, "hostPID"));
    let deployments = in_cel(DEPLOYMENTS, &of_deployments).replace("{name: p}", "{name: q}");
    let answer = compared(&old, &format!("{}\n---\n{deployments}", in_cel(&pods, &of_pods)));
    let of = |kind: &str, direction: &str| -> Vec<String> {
        let all = objects(&answer).into_iter();
        let is_it =
            |text: &String| text.starts_with(direction) && text.contains(&format!("\"kind\":\"{kind}\""));
        all.filter(is_it).collect()
    };
    let of_pods = [of("Pod", "wider"), of("Pod", "stricter")];
    assert!(of_pods[0].iter().any(|text| text.contains("hostPID")), "{:#?}", objects(&answer));
    assert!(of_pods[1].iter().any(|text| text.contains("hostIPC")), "{:#?}", objects(&answer));
    let of_deployments = of("Deployment", "wider");
    assert!(!of_deployments.is_empty(), "{:#?}", objects(&answer));
    assert!(of_deployments.iter().all(|text| text.contains("hostNetwork")), "{of_deployments:#?}");
    assert!(answer.findings.len() <= 9);
}
