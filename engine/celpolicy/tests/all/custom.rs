//! Custom workloads whose templates of Pods are found: which templates, what a policy sees of each, and what is said of them.

use engine::apply::{Host, Locations, Options, Recording, apply};
use engine::load::{Role, load_with};
use engine::world::StaticWorld;
use engine_celpolicy::WITH_STEPS;
use engine_yaml::{Source, SourceId};

const JOB_SET: &str = "
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js, namespace: shop, labels: {app: parent}}
spec:
  replicatedJobs:
  - name: a
    template: {spec: {template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: 'nginx:1'}]}}}}
  - name: b
    template:
      spec:
        template:
          metadata: {name: own}
          spec: {containers: [{name: c, image: 'nginx:latest'}], initContainers: [{name: i, image: busybox}]}
status: {template: {spec: {containers: [{name: old, image: 'nginx:latest'}]}}}
";

/// A policy of this kind for Pods that names these controllers.
fn policy(kind: &str, controllers: &str, more: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  \
         autogen: {{podControllers: {{controllers: [{controllers}]}}}}\n  matchConstraints:\n    resourceRules:\n    \
         - {{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}}\n{more}\n"
    )
}

fn validating(controllers: &str, expression: &str) -> String {
    let expression = engine_json::to_json(&engine_json::Value::from(expression));
    policy(
        "ValidatingPolicy",
        controllers,
        &format!("  validations: [{{expression: {expression}, message: bad}}]"),
    )
}

/// The status and the message of each answer.
fn said(policy: &str, object: &str, more: &[(Role, &str)]) -> Vec<(&'static str, String)> {
    let texts = [(Role::Policies, policy), (Role::Resources, object)];
    let source = |(role, text): &(Role, &str)| {
        (*role, Source { id: SourceId(0), name: String::new(), text: (*text).into() })
    };
    let sources = texts.iter().chain(more).map(source).collect();
    let (bundle, problems) = load_with(sources, Host::Cli, WITH_STEPS);
    assert!(bundle.refused.is_empty(), "{problems:?}");
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let outcome = apply(&bundle, &StaticWorld::default(), &options);
    let rules = outcome.results.into_iter().flat_map(|result| result.rules);
    rules.map(|rule| (rule.status.as_str(), rule.message)).collect()
}

const SECOND: &str = "(pod template at spec.replicatedJobs[1].template.spec.template)";
const NAMED: &str = "jobsets.v1alpha2.jobset.x-k8s.io";

#[test]
fn the_first_template_that_fails_decides() {
    let verdicts = |expression: &str| said(&validating(NAMED, expression), JOB_SET, &[]);
    assert_eq!(verdicts("object.spec.containers.all(c, c.image != '')"), [("pass", "success".to_owned())]);
    assert_eq!(
        verdicts("object.spec.containers.all(c, !c.image.endsWith(':latest'))"),
        [("fail", format!("bad {SECOND}"))]
    );
    assert_eq!(
        verdicts("!has(object.spec.initContainers) || object.spec.nope"),
        [("error", format!("error: no such key: nope {SECOND}"))]
    );
}

#[test]
fn a_template_is_seen_as_a_pod() {
    for expression in [
        "object.kind == 'Pod' && object.apiVersion == 'v1' && object.metadata.namespace == 'shop'",
        "object.metadata.name == (has(object.spec.initContainers) ? 'own' : 'js')",
        "oldObject == null && request.oldObject == null && request.object.kind == 'Pod'",
        "request.name == object.metadata.name && request.resource.resource == 'pods' && request.requestKind.kind == 'Pod'",
    ] {
        let verdicts = said(&validating(NAMED, expression), JOB_SET, &[]);
        assert_eq!(verdicts, [("pass", "success".to_owned())], "{expression}");
    }
    let values = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: {name: v}\nglobalValues: {request.operation: DELETE}\n";
    let gone =
        validating(NAMED, "object == null && oldObject.kind == 'Pod' && request.operation == 'DELETE'");
    assert_eq!(said(&gone, JOB_SET, &[(Role::Values, values)]), [("pass", "success".to_owned())]);
}

#[test]
fn only_whole_names_of_custom_kinds_are_taken() {
    let none: [(&str, String); 0] = [];
    for name in [
        "jobsets",
        "jobsets.v1alpha2",
        "jobsets.v1alpha2.",
        "..",
        "'jobsets.v1.jobset.x-k8s.io'",
        "'JobSets.v1alpha2.jobset.x-k8s.io'",
    ] {
        assert_eq!(said(&validating(name, "false"), JOB_SET, &[]), none, "{name}");
    }
    for name in [NAMED, "'*.v1alpha2.jobset.x-k8s.io'", "'jobsets/*.*.*'"] {
        assert_eq!(said(&validating(name, "false"), JOB_SET, &[]).len(), 1, "{name}");
    }
}

#[test]
fn a_name_of_no_controller_is_told() {
    let policies =
        validating("deployments, cronjobs, jobsets, jobsets.v1alpha2.jobset.x-k8s.io, x.v1.", "true");
    let source = Source { id: SourceId(0), name: String::new(), text: policies.as_str().into() };
    let (_, problems) = load_with(vec![(Role::Policies, source)], Host::Cli, WITH_STEPS);
    let all = problems.iter().map(|problem| problem.message.as_str());
    let said: Vec<_> = all.filter(|message| message.ends_with("passed over")).collect();
    assert_eq!(
        said,
        ["`jobsets`", "`x.v1.`"]
            .map(|name| format!("{name} names no controller that is known here, and is passed over"))
    );
}

#[test]
fn an_object_without_a_template_is_an_error() {
    let empty = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: js}\nspec: {template: {metadata: null, spec: {containers: [{name: a, image: b}]}}}\n";
    let why = "error: extraction mode: no pod template found in jobset.x-k8s.io/v1alpha2/JobSet";
    assert_eq!(said(&validating(NAMED, "true"), empty, &[]), [("error", why.to_owned())]);
}

#[test]
fn a_controller_that_is_named_twice_answers_twice() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: shop}\nspec: {template: {spec: {containers: [{name: a, image: b}]}}}\n";
    let both = validating("deployments, deployments.v1.apps", "object.spec.containers.size() > 1");
    let wanted = [("fail", "bad".to_owned()), ("fail", "bad (pod template at spec.template)".to_owned())];
    assert_eq!(said(&both, deployment, &[]), wanted);
}

#[test]
fn exceptions_are_asked_about_each_template() {
    let exception = |condition: &str| {
        format!(
            "apiVersion: policies.kyverno.io/v1beta1\nkind: PolicyException\nmetadata: {{name: e, namespace: shop}}\nspec:\n  \
             policyRefs: [{{name: p, kind: ValidatingPolicy}}]\n  matchConditions: [{{name: c, expression: \"{condition}\"}}]\n"
        )
    };
    let verdicts = |condition: &str| {
        said(&validating(NAMED, "false"), JOB_SET, &[(Role::Exceptions, &exception(condition))])
    };
    let skipped = "rule is skipped due to policy exception: shop/e, shop/e";
    assert_eq!(verdicts("object.kind == 'Pod'"), [("skip", skipped.to_owned())]);
    assert_eq!(verdicts("!has(object.spec.initContainers)"), [("fail", format!("bad {SECOND}"))]);
}

#[test]
fn a_policy_that_mutates_leaves_custom_workloads_as_they_are() {
    let mutations = "  matchConditions: [{name: c, expression: object.spec.nope == 1}]\n  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]";
    let why = "extraction mode: mutation for custom workload CRDs is not yet supported";
    let of = |controllers: &str| said(&policy("MutatingPolicy", controllers, mutations), JOB_SET, &[]);
    assert_eq!(of(NAMED), [("skip", why.to_owned())]);
    assert_eq!(of("jobsets"), []);
}
