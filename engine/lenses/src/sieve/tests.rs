//! What a runner whose budget is spent says of exemptions.

use super::registries::Lonely;
use super::runner::TrialRunner;
use super::{check, run};
use crate::run::Positions;
use crate::wire::{Input, SieveInput, Text};
use engine::load::{Host, load};
use engine::world::StaticWorld;
use engine_json::Value;

const POLICY: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    exclude: {any: [{resources: {names: [istio-*]}}]}
    validate: {podSecurity: {level: baseline, version: latest}}
";

fn input(policies: &str, exceptions: &str) -> SieveInput {
    let text = |text: &str| vec![Text { name: "text.yaml".to_owned(), text: text.to_owned() }];
    let input = Input { policies: text(policies), exceptions: text(exceptions), ..Input::default() };
    SieveInput { input, ..SieveInput::default() }
}

#[test]
fn an_exemption_that_there_was_no_time_for_is_neither_narrow_nor_idle() {
    let (bundle, _) = load(crate::run::sources(&input(POLICY, "").input), Host::Cli);
    let (world, positions) = (StaticWorld::default(), Positions::new(&bundle));
    let texts = check::Texts { bundle: &bundle, positions: &positions, lonely: Lonely::of(&bundle) };
    let runner = || TrialRunner::new(&bundle, Host::Cli, &Value::Null, &world);
    let status =
        |runner: TrialRunner<'_>| check::all(&runner, &texts, &[], &mut Vec::new())[0].status.clone();
    assert_eq!((status(runner()), status(runner().spent())), ("wide".to_owned(), "untried".to_owned()));
}

#[test]
fn exemptions_that_are_not_looked_at_are_counted() {
    let exception = |n: usize| {
        format!(
            "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: e{n}, namespace: a}}\nspec:\n  exceptions: \
             [{{policyName: absent, ruleNames: [r]}}]\n  match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n---\n"
        )
    };
    let output = run(&input("", &(0..301).map(exception).collect::<String>()), &StaticWorld::default());
    let said: Vec<&str> = output.diagnostics.iter().map(|said| said.message.as_str()).collect();
    let words = "only the first 300 of 301 exemptions are tried and shown: split the texts";
    assert!(output.exemptions.len() == 300 && said.contains(&words), "{said:?}");
}

/// The narrowest PolicyException for each refused workload of these resources: kinds, names, who gets in.
fn narrowed(resources: &str) -> Vec<(String, Vec<String>)> {
    let text = vec![Text { name: "pods.yaml".to_owned(), text: resources.to_owned() }];
    let policy = POLICY.replace("    exclude: {any: [{resources: {names: [istio-*]}}]}\n", "");
    let mut asked = input(&policy, "");
    asked.input.resources = text;
    asked.ask = Some("narrow".to_owned());
    asked.form = Some("exception".to_owned());
    asked.exact_images = true;
    let output = run(&asked, &StaticWorld::default());
    let lines = |object: &str| {
        let from = object.find("names:").map_or("", |at| object.get(at..).unwrap_or_default());
        from.lines().skip(1).map_while(|line| line.trim().strip_prefix("- ")).collect::<Vec<_>>().join(" ")
    };
    output.narrowest.iter().map(|one| (lines(&one.object), one.admits.clone())).collect()
}

const SPEC: &str =
    "{containers: [{name: c, image: r.example/a:1, securityContext: {capabilities: {add: [NET_ADMIN]}}}]}";

#[test]
fn the_pods_of_a_controller_are_let_in_by_the_pattern_of_their_names() {
    let pod =
        |metadata: &str| format!("{{apiVersion: v1, kind: Pod, metadata: {{{metadata}}}, spec: {SPEC}}}\n");
    let names = |resources: &str| narrowed(resources).into_iter().map(|(names, _)| names).collect::<Vec<_>>();
    // One that stands alone is named.
    assert_eq!(names(&pod("name: orders-pod, namespace: shop")), ["orders-pod"]);
    // Of a Deployment: by its owner, by the name that it was made with, or by the Deployment beside it.
    let hash = "namespace: shop, labels: {pod-template-hash: 7c9f4}";
    let owner = "ownerReferences: [{kind: ReplicaSet, name: orders-7c9f4, controller: true}]";
    assert_eq!(names(&pod(&format!("name: orders-7c9f4-x7k2p, {hash}, {owner}"))), ["orders-*"]);
    assert_eq!(names(&pod(&format!("generateName: orders-7c9f4-, {hash}"))), ["orders-*"]);
    let compliant = "{containers: [{name: c, image: r.example/a:1}]}";
    let deployment = |spec: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: orders, namespace: shop}}, spec: {{template: \
             {{metadata: {{labels: {{app: orders}}}}, spec: {spec}}}}}}}\n"
        )
    };
    let beside = format!(
        "{}---\n{}",
        deployment(compliant),
        pod("name: orders-pod, namespace: shop, labels: {app: orders}")
    );
    assert_eq!(narrowed(&beside), [("orders-*".to_owned(), vec!["name `orders-evil`".to_owned()])]);
    let other = beside.replace(
        "labels: {app: orders}}, spec: {containers: [{name: c, image: r.example/a:1, sec",
        "labels: {app: x}}, spec: {containers: [{name: c, image: r.example/a:1, sec",
    );
    assert_eq!(names(&other), ["orders-pod"]);
    // A Deployment that is refused itself lets its Pods in too.
    assert_eq!(names(&deployment(SPEC)), ["orders orders-*"]);
}

#[test]
fn a_pod_without_a_namespace_is_exempt_by_the_terminal_and_by_the_playground() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {hostNetwork: true, containers: [{name: c, image: i}]}\n";
    let policy = POLICY.replace("    exclude: {any: [{resources: {names: [istio-*]}}]}\n", "");
    for host in ["playground", "cli"] {
        let mut asked = input(&policy, "");
        asked.input.resources = vec![Text { name: "pod.yaml".to_owned(), text: pod.to_owned() }];
        asked.input.host = Some(host.to_owned());
        asked.ask = Some("narrow".to_owned());
        asked.form = Some("exception".to_owned());
        let output = run(&asked, &StaticWorld::default());
        let exception = output.narrowest.first().expect("an exception").object.clone();
        assert!(exception.contains("namespaces:\n        - default\n"), "{exception}");
        asked.input.exceptions = vec![Text { name: "e.yaml".to_owned(), text: exception }];
        for by in if host == "cli" { &["cli"][..] } else { &["cli", "playground"] } {
            asked.input.host = Some((*by).to_owned());
            let said = crate::run::run(&asked.input, &StaticWorld::default());
            assert_eq!((said.counts.skip, said.counts.fail), (1, 0), "{host} {by}");
        }
    }
}
