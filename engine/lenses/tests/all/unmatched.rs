//! Why a policy in CEL is not for a resource, in a sentence with its lines.

use engine::world::StaticWorld;
use engine_celpolicy::{WITH_STEPS, WITHOUT_STEPS};
use engine_lenses::explain::run;
use engine_lenses::wire::{ExplainInput, Explanation, Input, Text};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, labels: {app: web}}\nspec: {containers: []}\n";

/// A policy of this kind with these constraints; line 5 of it is the first of them.
fn policy(kind: &str, constraints: &str) -> String {
    let (group, rest) = match kind {
        "ValidatingPolicy" => ("policies.kyverno.io/v1", "validations: [{expression: 'has(object.spec)'}]"),
        "ValidatingAdmissionPolicy" => {
            ("admissionregistration.k8s.io/v1", "validations: [{expression: 'has(object.spec)'}]")
        }
        "MutatingPolicy" => (
            "policies.kyverno.io/v1",
            "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]",
        ),
        "MutatingAdmissionPolicy" => (
            "admissionregistration.k8s.io/v1alpha1",
            "reinvocationPolicy: Never\n  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]",
        ),
        "GeneratingPolicy" => {
            ("policies.kyverno.io/v1", "generate: [{expression: 'generator.Apply(\"shop\", [])'}]")
        }
        "ImageValidatingPolicy" => (
            "policies.kyverno.io/v1",
            "attestors: [{name: a, notary: {certs: {value: x}}}]\n  matchImageReferences: [{glob: '*'}]\n  validations: [{expression: 'images.containers.size() > 0'}]",
        ),
        _ => {
            ("policies.kyverno.io/v1", "schedule: '* * * * *'\n  conditions: [{name: a, expression: 'true'}]")
        }
    };
    format!(
        "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  matchConstraints: {constraints}\n  {rest}\n"
    )
}

fn explained(policy: &str, extension: &'static engine::load::Extension) -> Vec<Explanation> {
    let text = |name: &str, text: &str| vec![Text { name: name.into(), text: text.into() }];
    let input =
        Input { policies: text("policy.yaml", policy), resources: text("pod.yaml", POD), ..Input::default() };
    let world = StaticWorld { extension: Some(extension), ..StaticWorld::default() };
    run(&ExplainInput { input, ..ExplainInput::default() }, &world).explanations
}

#[test]
fn the_constraint_that_decided_is_named() {
    let pods = "apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]";
    for (constraints, wanted) in [
        (
            "{resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: ['*']}]}".to_owned(),
            "does not match: the resource is `pods`, the policy wants `deployments`",
        ),
        (
            "{resourceRules: [{apiGroups: [x], apiVersions: [v1], resources: [pods, jobs], operations: ['*']}]}".to_owned(),
            "does not match: the API group is `\"\"`, the policy wants `x`",
        ),
        (
            "{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [pods/exec], operations: [CONNECT]}]}".to_owned(),
            "does not match: the resource is `pods`, the policy wants `pods/exec`",
        ),
        (
            "{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [UPDATE, DELETE]}]}".to_owned(),
            "does not match: the operation is `CREATE`, the policy wants `UPDATE` or `DELETE`",
        ),
        (
            format!("{{resourceRules: [{{{pods}, resourceNames: [db]}}]}}"),
            "does not match: the name is `web`, the policy wants `db`",
        ),
        (
            format!("{{resourceRules: [{{{pods}, scope: Cluster}}]}}"),
            "does not match: the scope is `Namespaced`, the policy wants `Cluster`",
        ),
        (
            format!("{{objectSelector: {{matchLabels: {{app: db}}}}, resourceRules: [{{{pods}}}]}}"),
            "does not match: `objectSelector` does not select the resource, which has the labels `app=web`",
        ),
        (
            format!("{{excludeResourceRules: [{{{pods}}}], resourceRules: [{{{pods}}}]}}"),
            "does not match: a rule of `excludeResourceRules` leaves the resource out",
        ),
    ] {
        let said = explained(&policy("ValidatingPolicy", &constraints), WITH_STEPS);
        let one = said.first().unwrap();
        assert_eq!((one.verdict.as_str(), one.sentence.as_str()), ("noMatch", wanted), "{constraints}");
        assert_eq!(one.steps.first().unwrap().policy_range.as_ref().unwrap().line, 5, "{constraints}");
    }
}

#[test]
fn of_several_rules_the_nearest_is_named() {
    let constraints = "{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [UPDATE]}, \
                       {apiGroups: [''], apiVersions: [v1], resources: [secrets], operations: [CREATE]}]}";
    let said = explained(&policy("ValidatingPolicy", constraints), WITH_STEPS);
    let sentence = &said.first().unwrap().sentence;
    assert!(sentence.ends_with("the operation is `CREATE`, the policy wants `UPDATE`"), "{sentence}");
}

#[test]
fn every_kind_says_it_and_none_says_it_of_a_resource_that_it_is_for() {
    for kind in [
        "ValidatingPolicy",
        "ValidatingAdmissionPolicy",
        "MutatingPolicy",
        "MutatingAdmissionPolicy",
        "GeneratingPolicy",
        "ImageValidatingPolicy",
        "DeletingPolicy",
    ] {
        let of = |resources: &str| {
            let rule =
                format!("apiGroups: [''], apiVersions: [v1], resources: [{resources}], operations: [CREATE]");
            let said = explained(&policy(kind, &format!("{{resourceRules: [{{{rule}}}]}}")), WITH_STEPS);
            said.into_iter()
                .filter(|one| one.verdict == "noMatch")
                .map(|one| one.sentence)
                .collect::<Vec<_>>()
        };
        let wanted = "does not match: the resource is `pods`, the policy wants `secrets`";
        assert_eq!(of("secrets"), [wanted], "{kind}");
        assert_eq!(of("pods"), Vec::<String>::new(), "{kind}");
    }
}

#[test]
fn an_engine_without_steps_does_not_say_it() {
    let constraints = "{resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: ['*']}]}";
    assert!(explained(&policy("ValidatingPolicy", constraints), WITHOUT_STEPS).is_empty());
}
