//! `podsieve psa compile`: each target decides as Pod Security Admission did, and what is excluded stays as narrow as in the rule.
//!
//! In: the recorded answers where they lie beside the repository, and rules written here. Out: a failure where a Pod is decided otherwise.

use engine::json::Value;
use engine_compare::{Direction, Operation, Options, compare};
use engine_convert::podsecurity::{Source, Target, compile, read_level, read_rules};
use engine_lenses::wire::Text;
use tests::compiled::attackers::{attacked, compiled, entry, policy};
use tests::compiled::verdicts;
use tests::{program, terminal};

fn pod(more: &str, list: &str, container: &str) -> String {
    let main = if list == "containers" { "" } else { "  containers: [{name: app, image: 'shop:3'}]\n" };
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: mesh}}\nspec:\n{more}{main}  {list}:\n  - {{name: one, {container}}}\n"
    )
}

/// Rules with one narrow exclusion each, and a Pod for which it is meant.
fn narrow() -> Vec<(Value, String)> {
    of_containers().into_iter().chain(of_pods()).collect()
}

fn of_containers() -> Vec<(Value, String)> {
    let image = "image: 'docker.io/istio/proxyv2:1.24.1'";
    let images: &[&str] = &["docker.io/istio/proxyv2:*"];
    vec![
        (
            entry(
                "Capabilities",
                images,
                "spec.initContainers[*].securityContext.capabilities.add",
                &["NET_ADMIN", "NET_RAW"],
            ),
            pod(
                "",
                "initContainers",
                &format!("{image}, securityContext: {{capabilities: {{add: [NET_ADMIN, NET_RAW]}}}}"),
            ),
        ),
        (
            entry(
                "Privileged Containers",
                images,
                "spec.containers[*].securityContext.privileged",
                &["true"],
            ),
            pod("", "containers", &format!("{image}, securityContext: {{privileged: true}}")),
        ),
        (
            entry("Host Ports", images, "spec.containers[*].ports[*].hostPort", &["80", "443"]),
            pod(
                "",
                "containers",
                &format!(
                    "{image}, ports: [{{containerPort: 80, hostPort: 80}}, {{containerPort: 443, hostPort: 443}}]"
                ),
            ),
        ),
        (
            entry("SELinux", images, "spec.containers[*].securityContext.seLinuxOptions.type", &["spc_t"]),
            pod("", "containers", &format!("{image}, securityContext: {{seLinuxOptions: {{type: spc_t}}}}")),
        ),
        (
            entry("/proc Mount Type", images, "spec.containers[*].securityContext.procMount", &["Unmasked"]),
            pod("", "containers", &format!("{image}, securityContext: {{procMount: Unmasked}}")),
        ),
        (
            entry(
                "Seccomp",
                images,
                "spec.containers[*].securityContext.seccompProfile.type",
                &["Unconfined"],
            ),
            pod(
                "",
                "containers",
                &format!("{image}, securityContext: {{seccompProfile: {{type: Unconfined}}}}"),
            ),
        ),
        (
            entry("Capabilities", &["*/istio/proxyv2*"], "", &[]),
            pod(
                "",
                "containers",
                &format!("{image}, securityContext: {{capabilities: {{add: [SYS_ADMIN]}}}}"),
            ),
        ),
    ]
}

fn of_pods() -> Vec<(Value, String)> {
    let image = "image: 'docker.io/istio/proxyv2:1.24.1'";
    vec![
        (
            entry("HostPath Volumes", &[], "spec.volumes[*].hostPath", &["/var/log*"]),
            pod("  volumes: [{name: log, hostPath: {path: /var/log/pods}}]\n", "containers", image),
        ),
        (
            entry("Host Namespaces", &[], "spec.hostNetwork", &["true"]),
            pod("  hostNetwork: true\n", "containers", image),
        ),
        (
            entry("Sysctls", &[], "spec.securityContext.sysctls[*].name", &["net.core.*"]),
            pod(
                "  securityContext: {sysctls: [{name: net.core.somaxconn, value: '1'}]}\n",
                "containers",
                image,
            ),
        ),
    ]
}

#[test]
fn attackers_get_in_where_the_rule_lets_them_in_and_nowhere_else() {
    let (mut pods, mut admitted) = (0, 0);
    for (exclusion, meant) in narrow() {
        let policy = policy("baseline", "latest", &Value::array(vec![exclusion]));
        for target in [Target::ValidatingPolicies, Target::AdmissionPolicy] {
            let asked = attacked(&policy, std::slice::from_ref(&meant), target).unwrap();
            assert_eq!((asked.wider, asked.stricter), (Vec::new(), Vec::new()), "{policy}");
            assert!(asked.admitted > 0, "nobody gets in: {policy}");
            pods += asked.pods;
            admitted += asked.admitted;
        }
    }
    assert!(pods > 50 && admitted > 50, "{pods} {admitted}");
}

#[test]
fn a_neighbour_of_what_is_excluded_is_refused() {
    let (exclusion, meant) = narrow().swap_remove(0);
    let policy = policy("baseline", "latest", &Value::array(vec![exclusion]));
    for target in [Target::ValidatingPolicies, Target::AdmissionPolicy] {
        let text = compiled(&policy, target).unwrap();
        let is_allowed = |pod: &str| {
            let object = engine::yaml::parse_one(pod).unwrap();
            verdicts(&text, &[object]).first().is_some_and(|verdict| verdict.allowed)
        };
        assert!(is_allowed(&meant));
        for (from, to) in [
            ("NET_RAW", "SYS_ADMIN"),
            ("docker.io/istio/proxyv2:", "evil.example/istio/proxyv2:"),
            ("initContainers:", "ephemeralContainers:"),
            ("add: [NET_ADMIN, NET_RAW]}", "add: [NET_ADMIN]}, privileged: true"),
        ] {
            let attacker = meant.replace(from, to);
            assert!(attacker != meant && !is_allowed(&attacker), "{target:?} {to}");
        }
    }
}

#[test]
fn templates_are_asked_like_pods() {
    let source = Source::new(engine::podsecurity::Level::Baseline, engine::podsecurity::Version::Latest);
    for target in [Target::ValidatingPolicies, Target::AdmissionPolicy, Target::ClassicCel] {
        let text = compile(&source, target).text();
        for (kind, api, template) in [
            ("ReplicationController", "v1", "template: @"),
            ("Deployment", "apps/v1", "template: @"),
            ("Job", "batch/v1", "template: @"),
            ("CronJob", "batch/v1", "jobTemplate: {spec: {template: @}}"),
        ] {
            for (privileged, allowed) in [("true", false), ("false", true)] {
                let pod = format!(
                    "{{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: a, image: a, securityContext: {{privileged: {privileged}}}}}]}}}}"
                );
                let object = format!(
                    "{{apiVersion: {api}, kind: {kind}, metadata: {{name: a, namespace: b}}, spec: {{{}}}}}",
                    template.replace('@', &pod)
                );
                let object = engine::yaml::parse_one(&object).unwrap();
                let verdict = verdicts(&text, &[object]).swap_remove(0);
                assert_eq!(verdict.allowed, allowed, "{target:?} {kind}: {:?}", verdict.messages);
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_level_is_said_with_its_line() {
    let text = "level: restrictd\nfoo: 1\nversion: '1.2'\naction: Block\nexclude:\n- controlName: Capabilities\n  values: [a]\n- controlName: Seccom\n- controlName: Sysctls\n  restrictedField: spec.sysctls\n  values: [a]\n";
    let faults = read_level("level.yaml", text).unwrap_err();
    let mut found: Vec<(u32, &str)> = faults.iter().map(|fault| (fault.line, fault.field.as_str())).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (1, "level"),
            (2, "foo"),
            (3, "version"),
            (4, "action"),
            (6, "exclude[0].controlName"),
            (7, "exclude[0].values"),
            (8, "exclude[1].controlName"),
            (10, "exclude[2].restrictedField"),
        ]
    );
    assert!(read_level("level.yaml", "[]").is_err() && read_level("level.yaml", "").is_err());
    for (version, words) in [("1.29", "v1.29"), ("'1.29'", "v1.29"), ("1.30", "v1.30"), ("new", "")] {
        let fault =
            read_level("level.yaml", &format!("level: baseline\nversion: {version}")).unwrap_err().remove(0);
        assert!(
            fault.text.starts_with("must be \"latest\" or \"v1.x\"") && fault.text.contains(words),
            "{}",
            fault.text
        );
    }
    assert!(read_rules("p.yaml", "spec: {rules: [{name: r, validate: {pattern: {}}}]}").is_err());
}

#[test]
fn names_that_are_exempt_are_whole_and_such_as_kubernetes_takes() {
    let text = "level: baseline\nname: Foo_Bar\nexemptions:\n  namespaces: ['def*', a.b]\n  usernames: ['*', bob, '{{x}}', '']\n  runtimeClasses: ['kata?', a.b]\n";
    let faults = read_level("level.yaml", text).unwrap_err();
    let mut found: Vec<(u32, &str)> = faults.iter().map(|fault| (fault.line, fault.field.as_str())).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (2, "name"),
            (4, "exemptions.namespaces[0]"),
            (4, "exemptions.namespaces[1]"),
            (5, "exemptions.usernames[0]"),
            (5, "exemptions.usernames[2]"),
            (5, "exemptions.usernames[3]"),
            (6, "exemptions.runtimeClasses[0]"),
        ]
    );
}

/// A `podSecurity` rule of a policy with these head, settings, and part for the requests.
fn rule_of(head: &str, settings: &str, selected: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: {head}\nspec:\n{settings}  rules:\n  - name: r\n{selected}    validate:\n      failureAction: Enforce\n      podSecurity: {{level: baseline, version: latest}}\n"
    )
}

#[test]
fn a_rule_is_for_the_controllers_that_autogen_makes_it_for() {
    let pod = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
    let head = "ClusterPolicy\nmetadata: {name: p}";
    let chosen = "ClusterPolicy\nmetadata: {name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: 'Deployment,ReplicationController'}}";
    for (head, selected, kinds) in [
        (head, pod.to_owned(), &["Deployment", "ReplicationController"][..]),
        (chosen, pod.to_owned(), &["Deployment", "ReplicationController"]),
        (&chosen.replace(",Rep", ",Stateful"), pod.to_owned(), &["Deployment"]),
        (head, pod.replace("[Pod]", "[Pod], names: ['*']"), &[]),
        (head, pod.replace("[Pod]", "[v1/Pod]"), &[]),
        (head, pod.replace("[Pod]", "['*/Pod']"), &[]),
        (
            head,
            format!("{pod}    exclude: {{any: [{{resources: {{selector: {{matchLabels: {{x: y}}}}}}}}]}}\n"),
            &[],
        ),
    ] {
        let policy = rule_of(head, "", &selected);
        let sources = read_rules("p.yaml", &policy).unwrap();
        for target in
            [Target::ValidatingPolicies, Target::AdmissionPolicy, Target::Classic, Target::ClassicCel]
        {
            let text = compile(&sources[0], target).text();
            for (kind, api) in [("Deployment", "apps/v1"), ("ReplicationController", "v1")] {
                let object = format!(
                    "{{apiVersion: {api}, kind: {kind}, metadata: {{name: a, namespace: b}}, spec: {{template: {}}}}}",
                    pod_with("hostNetwork: true")
                );
                let object = engine::yaml::parse_one(&object).unwrap();
                let verdict = verdicts(&text, &[object]).swap_remove(0);
                assert_eq!(verdict.allowed, !kinds.contains(&kind), "{target:?} {kind}\n{policy}\n{text}");
            }
        }
    }
}

/// The template of a Pod with something in its spec.
fn pod_with(spec: &str) -> String {
    format!("{{metadata: {{labels: {{a: b}}}}, spec: {{{spec}, containers: [{{name: a, image: a}}]}}}}")
}

#[test]
fn a_policy_of_a_namespace_stays_one() {
    let selected = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
    let policy = rule_of("Policy\nmetadata: {name: p, namespace: here}", "", selected);
    let sources = read_rules("p.yaml", &policy).unwrap();
    for target in [Target::ValidatingPolicies, Target::AdmissionPolicy, Target::Classic, Target::ClassicCel] {
        let text = compile(&sources[0], target).text();
        for (namespace, allowed) in [("here", false), ("there", true)] {
            let object = format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: a, namespace: {namespace}}}, spec: {{hostNetwork: true, containers: [{{name: a, image: a}}]}}}}"
            );
            let object = engine::yaml::parse_one(&object).unwrap();
            let verdict = verdicts(&text, &[object]).swap_remove(0);
            assert_eq!(verdict.allowed, allowed, "{target:?} {namespace}\n{text}");
        }
    }
    let nowhere = rule_of("Policy\nmetadata: {name: p}", "", selected);
    assert!(read_rules("p.yaml", &nowhere).is_err());
}

#[test]
fn settings_of_the_policy_are_kept() {
    let selected = "    match: {any: [{resources: {kinds: [Pod], operations: [CREATE]}}]}\n    exclude: {any: [{resources: {namespaces: [kube-*]}}]}\n";
    let settings = "  background: false\n  failurePolicy: Ignore\n";
    let policy = rule_of("ClusterPolicy\nmetadata: {name: p}", settings, selected);
    let source = read_rules("p.yaml", &policy).unwrap().swap_remove(0);
    let text = |target| compile(&source, target).text();
    for (target, parts) in [
        (
            Target::ValidatingPolicies,
            &["failurePolicy: Ignore", "background:\n      enabled: false", "operations: [CREATE]\n"][..],
        ),
        (Target::AdmissionPolicy, &["failurePolicy: Ignore", "operations: [CREATE]\n"]),
        (
            Target::Classic,
            &["failurePolicy: Ignore", "background: false", "namespaces: [kube-*]", "operations: [CREATE]"],
        ),
        (
            Target::ClassicCel,
            &["failurePolicy: Ignore", "background: false", "namespaces: [kube-*]", "operations: [CREATE]"],
        ),
    ] {
        for part in parts {
            assert!(text(target).contains(part), "{part}\n{}", text(target));
        }
    }
    assert!(
        compile(&source, Target::AdmissionPolicy)
            .notes
            .iter()
            .any(|note| note.contains("allowExistingViolations"))
    );
    assert!(!text(Target::Classic).contains("allowExistingViolations"));
    let off = rule_of("ClusterPolicy\nmetadata: {name: p}", "  admission: false\n", selected);
    let off = read_rules("p.yaml", &off).unwrap().swap_remove(0);
    assert!(compile(&off, Target::AdmissionPolicy).refused.is_some());
    let by_namespace = "  validationFailureActionOverrides: [{action: Audit, namespaces: [a]}]\n";
    let faults = read_rules("p.yaml", &rule_of("ClusterPolicy\nmetadata: {name: p}", by_namespace, selected))
        .unwrap_err();
    assert!(faults.iter().any(|fault| fault.line == 5), "{faults:?}");
    let conditions = "  webhookConfiguration: {matchConditions: [{name: a, expression: 'true'}]}\n";
    let faults = read_rules("p.yaml", &rule_of("ClusterPolicy\nmetadata: {name: p}", conditions, selected))
        .unwrap_err();
    let lines: Vec<(u32, &str)> = faults.iter().map(|fault| (fault.line, fault.field.as_str())).collect();
    assert_eq!(lines, [(5, "spec.webhookConfiguration.matchConditions")], "{faults:?}");
    let none =
        read_rules("p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kyverno.io}\n").unwrap_err();
    assert!(none[0].text.contains("no policy with a podSecurity rule"));
}

#[test]
fn a_rule_of_kyverno_says_where_it_differs_and_what_it_cannot_name() {
    let level = |version: &str| {
        read_level("l", &format!("level: baseline\nversion: {version}")).unwrap().swap_remove(0)
    };
    let old = compile(&level("v1.7"), Target::Classic);
    assert!(old.refused.is_some_and(|reason| reason.contains("v1.7")) && old.documents.is_empty());
    let younger = compile(&level("v1.30"), Target::Classic);
    assert_eq!(younger.differing, ["hostProbesAndHostLifecycle"]);
    let same = compile(&level("v1.34"), Target::Classic);
    assert!(same.differing.is_empty() && same.text().contains("version: v1.32"), "{}", same.text());
}

#[test]
fn the_command_writes_policies_or_names_lines() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("level.yaml", "level: baseline\nname: base\n"), ("bad.yaml", "level: low\n")];
    let run = |arguments: &[&str]| terminal::run(&program, &files, arguments, "");
    let made = run(&["psa", "compile", "level.yaml", "--to", "vap"]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(
        made.out.contains("kind: ValidatingAdmissionPolicyBinding") && made.out.contains("policyName: base")
    );
    let bad = run(&["psa", "compile", "bad.yaml"]);
    assert!(bad.code == 1 && bad.err.contains("bad.yaml:1: `level`"), "{}", bad.err);
}

#[test]
fn a_classic_policy_that_exempts_users_is_one_that_kyverno_takes() {
    let level = "name: restricted\nlevel: restricted\nversion: v1.30\nexemptions: {usernames: [bob]}\n";
    let sources = read_level("level.yaml", level).unwrap();
    for target in [Target::Classic, Target::ClassicCel] {
        let text = compile(&sources[0], target).text();
        let sources = vec![(
            engine::load::Role::Policies,
            engine::yaml::Source {
                id: engine::yaml::SourceId(0),
                name: "policy.yaml".into(),
                text: text.as_str().into(),
            },
        )];
        let (bundle, _) =
            engine::load::load_with(sources, engine::load::Host::Cluster, engine_celpolicy::WITH_STEPS);
        let refused: Vec<&str> = bundle.refused.iter().map(|refused| refused.reason.as_str()).collect();
        assert_eq!(refused, Vec::<&str>::new(), "{text}");
        assert_eq!(bundle.policies.len(), 1);
    }
}

/// A level with one exclusion, compiled.
fn with_exclusion(level: &str, exclusion: &str, target: Target) -> String {
    let text = format!("name: base\nlevel: {level}\nversion: v1.34\nexclude:\n- {{{exclusion}}}\n");
    let sources = read_level("level.yaml", &text).unwrap_or_default();
    sources.first().map(|source| compile(source, target).text()).unwrap_or_default()
}

#[test]
fn comparing_finds_what_an_exclusion_lets_in_and_a_mistake_in_one() {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, operations: vec![Operation::Create], ..Options::default() };
    let side = |text: &str| vec![Text { name: "policies.yaml".into(), text: text.to_owned() }];
    let first = |old: &str, new: &str| {
        let answer = compare(&side(old), &side(new), &options, &world, &mut |_| true);
        answer.findings.first().map(|finding| finding.direction)
    };
    let added = |list: &str, image: &str, values: &str| {
        format!(
            "controlName: Capabilities, images: ['{image}'], restrictedField: 'spec.{list}[*].securityContext.capabilities.add', values: [{values}]"
        )
    };
    let native = Target::AdmissionPolicy;
    let nginx = with_exclusion("baseline", &added("containers", "nginx*", "NET_ADMIN"), native);
    assert_eq!(first("level: baseline\nversion: v1.34\n", &nginx), Some(Direction::Wider));
    let both = added("initContainers", "docker.io/istio/proxyv2:*", "NET_ADMIN, NET_RAW");
    for target in [native, Target::Classic] {
        let mesh = with_exclusion("restricted", &both, target);
        for (list, image, values, expected) in [
            ("initContainers", "docker.io/istio/proxyv2:*", "NET_ADMIN", &[Direction::Stricter][..]),
            ("initContainers", "docker.io/istio/proxyv2*", "NET_ADMIN, NET_RAW", &[Direction::Wider]),
            (
                "containers",
                "docker.io/istio/proxyv2:*",
                "NET_ADMIN, NET_RAW",
                &[Direction::Wider, Direction::Stricter],
            ),
        ] {
            let other = with_exclusion("restricted", &added(list, image, values), target);
            let found = first(&mesh, &other);
            assert!(
                found.is_some_and(|found| expected.contains(&found)),
                "{target:?} {list} {image} {values}: {found:?}"
            );
        }
    }
}
