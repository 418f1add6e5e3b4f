//! The kinds beside ClusterPolicy: each output decides the same as its source, a spoilt one is noticed, and what has no faithful form is
//! refused with its field.
#![expect(clippy::expect_used, reason = "a test that finds nothing is broken")]

mod generating;
mod verifying;

use engine::world::StaticWorld;
use engine_compare::{Comparison, Grade, Operation, Options, compare};
use engine_convert::{Conversion, Target, convert_all, grade};
use engine_lenses::wire::Text;

fn converted(text: &str, target: Target) -> Vec<Conversion> {
    let text = Text { name: "given.yaml".into(), text: text.to_owned() };
    convert_all(&[text], target).into_iter().map(|(_, conversion)| conversion).collect()
}

fn options() -> Options {
    Options { mutants: 0, max_requests: 1_200, ..Options::default() }
}

fn world() -> StaticWorld {
    let extension = Some(engine_celpolicy::WITH_STEPS);
    StaticWorld { extension, ..StaticWorld::at(1_700_000_000_500_000_000) }
}

/// The last of what became of a text, which must be whole and decide the same.
fn holds(text: &str, target: Target) -> Conversion {
    let mut all = converted(text, target);
    let conversion = all.pop().expect("something is converted");
    assert!(conversion.is_whole(), "{text}: {:?}", conversion.refused);
    let answer = grade(&conversion, &options(), &world(), &mut |_| true);
    let shown = (&answer.findings, &answer.reasons);
    let is_shown = match answer.grade {
        Grade::Same => answer.counts.cases > 1,
        Grade::NoDifference => answer.counts.requests > 100,
        Grade::Different | Grade::NotCompared => false,
    };
    assert!(is_shown, "{shown:?} {:?}\n{}", answer.counts, conversion.text());
    conversion
}

/// How a conversion compares whose text was changed.
fn spoilt(conversion: &Conversion, from: &str, to: &str) -> Comparison {
    let (good, beside) = (conversion.text(), &conversion.beside);
    assert!(good.contains(from), "{good}");
    let text = |first: String, more: &[engine_json::Value]| {
        let more = more.iter().map(engine::yaml::emit::to_yaml_ordered);
        let all: Vec<String> = std::iter::once(first).chain(more).collect();
        vec![Text { name: "side.yaml".into(), text: all.join("---\n") }]
    };
    let old = text(engine::yaml::emit::to_yaml_ordered(&conversion.source), &beside[0]);
    let new = text(good.replace(from, to), &beside[1]);
    let options = Options { operations: vec![Operation::Create], max_requests: 8_000, ..options() };
    compare(&old, &new, &options, &world(), &mut |_| true)
}

/// Fields and reasons.
fn refused(text: &str, target: Target) -> Vec<(String, String)> {
    let all = converted(text, target);
    let last = all.last().expect("something is converted");
    assert!(last.documents.is_empty(), "{}", last.text());
    assert!(last.refused.iter().all(|refused| refused.range.is_some()), "{:?}", last.refused);
    last.refused.iter().map(|refused| (refused.field.clone(), refused.text.clone())).collect()
}

fn of_kind(kind: &str, resources: &str, rest: &str) -> String {
    let group = if resources == "deployments" { "apps" } else { "''" };
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules:\n    - \
         {{apiGroups: [{group}], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [{resources}]}}\n  {}\n",
        rest.replace('\n', "\n  ")
    )
}

const VAP: Target = Target::ValidatingAdmissionPolicy;

#[test]
fn a_policy_of_kyverno_becomes_one_of_the_api_server_for_each_variant() {
    let rest = "variables: [{name: shared, expression: 'object.spec.?hostNetwork.orValue(false)'}]\nvalidationActions: [Deny, Warn]\n\
                validations:\n- expression: \"!variables.shared &&\\n object.metadata.?labels.?team.orValue('') != ''\"\n  message: \"one\\n two\"";
    let conversion = holds(&of_kind("ValidatingPolicy", "pods", rest), VAP);
    let text = conversion.text();
    let names: Vec<&str> =
        conversion.documents.iter().map(|document| document.find_str(&["metadata", "name"])).collect();
    assert_eq!(names, ["p", "p", "p-controllers", "p-controllers", "p-cronjobs", "p-cronjobs"]);
    assert!(text.contains("validationActions: [Deny]\n") && text.contains("message: one two\n"), "{text}");
    assert!(conversion.notes.iter().any(|note| note.contains("without `Warn`")), "{:?}", conversion.notes);
    assert_eq!(spoilt(&conversion, "!= ''", "!= 'x'").grade, Grade::Different);
    let off = format!("autogen: {{podControllers: {{controllers: []}}}}\n{rest}");
    assert_eq!(holds(&of_kind("ValidatingPolicy", "pods", &off), VAP).documents.len(), 2);
}

#[test]
fn a_policy_of_a_namespace_is_bound_to_it() {
    let text = of_kind(
        "NamespacedValidatingPolicy",
        "deployments",
        "validations: [{expression: 'object.spec.replicas > 1'}]",
    )
    .replace("{name: p}", "{name: p, namespace: team}");
    let text = holds(&text, VAP).text();
    assert!(
        text.contains("kubernetes.io/metadata.name: team") && text.contains("scope: Namespaced"),
        "{text}"
    );
    assert!(text.contains("name: team-p\n") && !text.contains("namespace: team"), "{text}");
}

#[test]
fn exceptions_become_conditions_of_the_api_server() {
    let policy =
        of_kind("ValidatingPolicy", "deployments", "validations: [{expression: 'object.spec.replicas > 1'}]");
    let exception = |spec: &str| {
        format!(
            "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: e}}\nspec: {{policyRefs: [{{name: p, kind: \
             ValidatingPolicy}}], {spec}}}\n---\n{policy}"
        )
    };
    let text = exception("matchConditions: [{name: a, expression: \"object.metadata.name == 'a'\"}]");
    let conversion = holds(&text, VAP);
    assert!(conversion.text().contains("name: not-exempt-e\n"), "{}", conversion.text());
    assert_eq!(spoilt(&conversion, "== 'a'", "== 'b'").grade, Grade::Different);
    for (spec, why) in [
        ("images: [nginx]", "`images`"),
        ("matchConditions: []", "exempts everything"),
        ("expiresAt: '2030-01-01T00:00:00Z'", "expires"),
    ] {
        let found = refused(&exception(spec), VAP);
        assert!(found[0].0 == "metadata.name" && found[0].1.contains(why), "{found:?}");
    }
}

#[test]
fn what_only_kyverno_does_is_refused_with_its_field() {
    let rule = "validations: [{expression: 'true'}]";
    for (rest, field, why) in [
        (
            "evaluation: {mode: JSON}\nvalidations: [{expression: 'true'}]",
            "spec.evaluation.mode",
            "mode `JSON`",
        ),
        (
            "evaluation: {admission: {enabled: false}}\nvalidations: [{expression: 'true'}]",
            "spec.evaluation.admission.enabled",
            "background",
        ),
        (
            "validations: [{expression: \"resource.Get('v1', 'pods', '', 'a') != null\"}]",
            "spec.validations[0].expression",
            "`resource`",
        ),
        (
            "variables: [{name: a, expression: \"image('a').registry()\"}]\nvalidations: [{expression: 'true'}]",
            "spec.variables[0].expression",
            "`image`",
        ),
        (
            "validations: [{expression: \"globalContext.Get('a', '') == object\"}]",
            "spec.validations[0].expression",
            "`globalContext`",
        ),
        (
            "validations: [{expression: \"http.Get('http://a') == object\"}]",
            "spec.validations[0].expression",
            "`http`",
        ),
        (
            "validations: [{expression: 'time.now() > timestamp(object.metadata.creationTimestamp)'}]",
            "spec.validations[0].expression",
            "`time`",
        ),
        (
            "validations: [{expression: 'object.spec.x in exceptions.allowedValues'}]",
            "spec.validations[0].expression",
            "`exceptions`",
        ),
    ] {
        let found = refused(&of_kind("ValidatingPolicy", "deployments", rest), VAP);
        assert!(found[0].0 == field && found[0].1.contains(why), "{rest}: {found:?}");
    }
    let without = of_kind("ValidatingPolicy", "pods", rule).replace("operations: [CREATE, UPDATE], ", "");
    assert!(refused(&without, VAP)[0].1.contains("without `operations`"));
}

fn admission(rest: &str, bindings: &str) -> String {
    let policy = of_kind("ValidatingAdmissionPolicy", "pods", rest)
        .replace("policies.kyverno.io/v1", "admissionregistration.k8s.io/v1");
    format!("{policy}{bindings}")
}

fn binding(name: &str, rest: &str) -> String {
    format!(
        "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\nspec: \
         {{policyName: p, {rest}}}\n"
    )
}

const VPOL: Target = Target::ValidatingPolicy;

#[test]
fn a_policy_of_the_api_server_becomes_one_of_kyverno_for_each_binding() {
    let rest = "validations: [{expression: 'object.spec.?hostPID.orValue(false) == false', message: m}]";
    let one = holds(&admission(rest, &binding("b", "validationActions: [Audit, Warn]")), VPOL);
    let text = one.text();
    assert!(text.contains("validationActions: [Audit, Warn]") && text.contains("controllers: []"), "{text}");
    assert_eq!(spoilt(&one, "== false", "== true").grade, Grade::Different);
    let narrow = "validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {env: prod}}, resourceRules: [{apiGroups: \
                  ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*']}]}";
    let bindings = format!("{}{}", binding("a", narrow), binding("b", "validationActions: [Warn]"));
    let two = holds(&admission(rest, &bindings), VPOL);
    let names: Vec<&str> = two.documents.iter().map(|one| one.find_str(&["metadata", "name"])).collect();
    assert_eq!(names, ["p-a", "p-b"]);
    assert!(two.text().contains("operations: [CREATE]\n"), "{}", two.text());
    let alone = holds(&admission(rest, ""), VPOL);
    assert!(alone.notes[0].contains("no binding was given"), "{:?}", alone.notes);
    for (rest, bindings, field, why) in [
        (
            "paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations: [{expression: 'params != null'}]",
            "",
            "spec.paramKind",
            "parameters",
        ),
        (
            "validations: [{expression: \"authorizer.group('').resource('pods').check('get').allowed()\"}]",
            "",
            "spec.validations[0].expression",
            "`authorizer`",
        ),
    ] {
        let found = refused(&admission(rest, bindings), VPOL);
        assert!(found[0].0 == field && found[0].1.contains(why), "{found:?}");
    }
}

const TWO_RULES: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: hosts}
spec:
  validationFailureAction: Enforce
  rules:
  - name: network
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: m, pattern: {spec: {=(hostNetwork): false}}}
  - name: pid
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: m, pattern: {spec: {=(hostPID): false}}}
---
";

fn exception(rules: &str, rest: &str) -> String {
    format!(
        "{TWO_RULES}apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: agents, namespace: ops}}\nspec:\n  exceptions: \
         [{{policyName: hosts, ruleNames: [{rules}]}}]\n  {rest}\n"
    )
}

#[test]
fn an_exception_is_for_the_policy_of_its_rule() {
    let rest = "match: {any: [{resources: {kinds: [Pod, DaemonSet], namespaces: [monitoring], names: ['agent-*']}}]}\n  conditions: {any: \
                [{key: \"{{ request.object.metadata.labels.app || '' }}\", operator: Equals, value: agent}]}";
    let conversion = holds(&exception("'*network'", rest), Target::Cel);
    let text = conversion.text();
    assert!(text.contains("name: hosts-network\n") && !text.contains("hosts-pid"), "{text}");
    assert!(text.contains("object.metadata.name.startsWith('agent-')"), "{text}");
    assert_eq!(spoilt(&conversion, "'agent-'", "'other-'").grade, Grade::Different);
    // The same by way of the new policies as policies of the API server.
    let policy_last = {
        let text = exception("'*network'", rest);
        let (policy, exception) = text.split_once("---").expect("two documents");
        format!("{}---{policy}", exception.trim_start())
    };
    assert!(holds(&policy_last, VAP).text().contains("name: not-exempt-agents"));
    // Without exceptions both rules are one policy.
    assert_eq!(converted(TWO_RULES, Target::Cel)[0].documents.len(), 2);
    // What is named without autogen is lifted for Pods alone.
    let pods =
        holds(&exception("network", "match: {any: [{resources: {kinds: [Pod, DaemonSet]}}]}"), Target::Cel);
    assert!(pods.text().contains("request.kind.kind == 'Pod'"), "{}", pods.text());
    for (rules, rest, field, why) in [
        (
            "network",
            "match: {any: [{resources: {kinds: [Pod]}}]}\n  background: false",
            "spec.background",
            "background scans",
        ),
        (
            "network",
            "match: {any: [{resources: {kinds: [Pod]}}]}\n  podSecurity: [{controlName: Seccomp}]",
            "spec.podSecurity",
            "podSecurity.exclude",
        ),
        (
            "nothing",
            "match: {any: [{resources: {kinds: [Pod]}}]}",
            "spec.exceptions[0].ruleNames",
            "has no rule",
        ),
        (
            "network",
            "match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [a]}]}",
            "spec.match.any[0].clusterRoles",
            "clusterRoles",
        ),
    ] {
        let found = refused(&exception(rules, rest), Target::Cel);
        assert!(found[0].0 == field && found[0].1.contains(why), "{found:?}");
    }
    let unknown = exception("network", "match: {any: [{resources: {kinds: [Pod]}}]}")
        .replace("policyName: hosts", "policyName: other");
    assert!(refused(&unknown, Target::Cel)[0].1.contains("was not given"));
}

fn cleanup(kind: &str, rest: &str) -> String {
    let namespace = if kind == "CleanupPolicy" { ", namespace: team" } else { "" };
    format!(
        "apiVersion: kyverno.io/v2\nkind: {kind}\nmetadata: {{name: old{namespace}}}\nspec:\n  schedule: '*/5 * * * *'\n  {}\n",
        rest.replace('\n', "\n  ")
    )
}

#[test]
fn a_cleanup_policy_deletes_the_same() {
    let pods = "match: {any: [{resources: {kinds: [Pod]}}]}";
    for (kind, rest, made) in [
        (
            "CleanupPolicy",
            "deletionPropagationPolicy: Orphan\nmatch: {any: [{resources: {kinds: [Pod], names: ['a-*']}}]}",
            "deletionPropagationPolicy: Orphan",
        ),
        (
            "ClusterCleanupPolicy",
            "match: {any: [{resources: {kinds: [ReplicaSet], selector: {matchLabels: {old: 'true'}}}}]}\nexclude: {any: [{resources: {namespaces: [kube-system]}}]}",
            "object.metadata.namespace != 'kube-system'",
        ),
        (
            "ClusterCleanupPolicy",
            "match: {any: [{resources: {kinds: [ReplicaSet]}}]}\nconditions: {all: [{key: '{{ target.spec.replicas }}', operator: Equals, value: 0}, {key: \"{{ time_diff('{{target.metadata.creationTimestamp}}','{{ time_now_utc() }}') }}\", operator: GreaterThan, value: 30s}]}",
            "time.truncate(time.now(), duration('1s')) - timestamp(object.metadata.creationTimestamp) >\n          duration('30s')",
        ),
        (
            "ClusterCleanupPolicy",
            &format!(
                "{pods}\nconditions: {{all: [{{key: \"{{{{ time_since('', '{{{{ target.metadata.creationTimestamp }}}}', '') }}}}\", operator: GreaterThanOrEquals, value: 24h}}]}}"
            ),
            "time.now() - timestamp(object.metadata.creationTimestamp) >= duration('24h')",
        ),
        (
            "ClusterCleanupPolicy",
            &format!(
                "{pods}\nconditions: {{all: [{{key: '{{{{ target.metadata.ownerReferences[] || `[]` }}}}', operator: Equals, value: []}}]}}"
            ),
            "size(",
        ),
        (
            "ClusterCleanupPolicy",
            &format!(
                "{pods}\nconditions: {{any: [{{key: '{{{{ target.metadata.name }}}}', operator: Equals, value: a}}, {{key: '{{{{ target.metadata.name }}}}', operator: Equals, value: b}}]}}"
            ),
            "name: any-of",
        ),
    ] {
        let conversion = holds(&cleanup(kind, rest), Target::Cel);
        assert!(conversion.text().contains(made), "{}", conversion.text());
    }
    let named =
        holds(&cleanup("ClusterCleanupPolicy", &pods.replace("[Pod]", "[Pod], names: [a]")), Target::Cel);
    assert_eq!(spoilt(&named, "'a'", "'b'").grade, Grade::Different);
}

#[test]
fn what_no_policy_that_deletes_can_ask_is_refused() {
    for (rest, field, why) in [
        (
            "match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: a}]}]}",
            "spec.match",
            "asks for a request",
        ),
        (
            "match: {any: [{resources: {kinds: [Pod]}}]}\nconditions: {all: [{key: \"{{ time_after('{{ time_now_utc() }}', '2024-01-01T00:00:00Z') }}\", operator: Equals, value: true}]}",
            "spec.conditions.all[0]",
            "other than the age",
        ),
    ] {
        let found = refused(&cleanup("ClusterCleanupPolicy", rest), Target::Cel);
        assert!(found[0].0 == field && found[0].1.contains(why), "{found:?}");
    }
    let broken = cleanup("ClusterCleanupPolicy", "match: {any: [{resources: {kinds: [Pod]}}]}")
        .replace("*/5 * *", "*/5 *");
    assert!(refused(&broken, Target::Cel)[0].1.contains("refuses the schedule"));
}
