//! Kubernetes' own policies as an API server decides by them: one case for each rule in which it surprises.
//!
//! In: texts with their roles. Out: a failure where a request fares otherwise. The reasons are the sources of Kubernetes 1.36 that the
//! cases name; recorded answers of a server are the suites `cluster` of `conformance check`.
#![expect(clippy::indexing_slicing, reason = "a test fails as it does")]

use engine::apply::{Effect, Locations, Options, Recording, Status, apply, rule_effect};
use engine::json::Value;
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;

/// What was said of a request: verdict, words, what is done because of it, and what of it was assumed.
type Row = (Status, String, Effect, Vec<String>);

fn run(texts: &[(Role, &str)]) -> (Vec<Row>, Vec<Value>) {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, said) = load_with(sources, Host::Cluster, WITHOUT_STEPS);
    let errors: Vec<_> = said.iter().filter(|said| said.severity == engine::diag::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results;
    let mut rows = Vec::new();
    let mut left = Vec::new();
    for result in &results {
        let policy = &bundle.policies[result.policy];
        for rule in &result.rules {
            let effect = rule_effect(&bundle, policy, "shop", rule);
            rows.push((rule.status, rule.message.clone(), effect, rule.assumed.clone()));
        }
        left.extend(result.mutation.as_ref().map(|made| made.resource.with_int_numbers()));
    }
    (rows, left)
}

fn rows(texts: &[(Role, &str)]) -> Vec<Row> {
    run(texts).0
}

/// What is done with the request, and the words of what refuses it or warns of it.
fn fares(texts: &[(Role, &str)]) -> (Effect, Vec<String>) {
    let rows = rows(texts);
    let worst = rows.iter().map(|(_, _, effect, _)| *effect).max().unwrap_or(Effect::Allow);
    let words = rows.into_iter().filter(|(_, _, effect, _)| *effect == worst && worst > Effect::Report);
    (worst, words.map(|(_, words, ..)| words).collect())
}

fn denied(words: &str) -> (Effect, Vec<String>) {
    (Effect::Deny, vec![words.to_owned()])
}

const LET_IN: (Effect, Vec<String>) = (Effect::Allow, Vec::new());

/// A policy for these resources: group, versions, plurals; with further lines of its spec.
fn policy(resources: &str, spec: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints: \
         {{resourceRules: [{{{resources}, operations: ['*']}}]}}\n{spec}\n---\n"
    )
}

const PODS: &str = "apiGroups: [''], apiVersions: [v1], resources: [pods]";
const ALL: &str = "apiGroups: ['*'], apiVersions: ['*'], resources: ['*']";

fn bound(policy: &str, more: &str) -> String {
    format!(
        "{policy}apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec: \
         {{policyName: p{more}}}\n"
    )
}

fn asks(resources: &str, spec: &str) -> String {
    bound(&policy(resources, spec), ", validationActions: [Deny]")
}

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {containers: [{name: a, \
                   image: a}]}}";

// Kubernetes: policy/validating/validator.go: an error that is ignored is one decision; those behind it stand.
#[test]
fn a_validation_behind_an_ignored_error_denies() {
    let spec = "  failurePolicy: Ignore\n  validations: [{expression: object.none == 1}, {expression: 'true'}, {expression: 'false', \
                message: late}]";
    let with = |text: &str| fares(&[(Role::Policies, text), (Role::Resources, POD)]);
    assert_eq!(with(&asks(PODS, spec)), denied("late"));
    let holds = spec.replace("'false'", "'true'");
    assert_eq!(with(&asks(PODS, &holds)), LET_IN);
    let fails = spec.replace("Ignore", "Fail");
    assert!(with(&asks(PODS, &fails)).1[0].ends_with("no such key: none"));
    let warning = asks(PODS, spec).replace("[Deny]", "[Warn]");
    assert_eq!(with(&warning), (Effect::Warn, vec!["late".to_owned()]));
}

// Kubernetes: policy/validating/dispatcher.go warns of each decision; a request is told one denial.
#[test]
fn a_binding_that_warns_does_so_of_each_validation() {
    let spec = "  validations: [{expression: 'false', message: one}, {expression: 'true'}, {expression: 'false', message: two}]";
    let with = |actions: &str| {
        let text = asks(PODS, spec).replace("[Deny]", actions);
        fares(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    assert_eq!(with("[Warn]"), (Effect::Warn, vec!["one".to_owned(), "two".to_owned()]));
    assert_eq!(with("[Warn, Audit]").1.len(), 2);
    assert_eq!(with("[Deny]"), denied("one"));
    assert_eq!(with("[Audit]").0, Effect::Report);
}

const TAKES: &str =
    "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  validations: [{expression: params.data.a == 'b'}]";

// Kubernetes: policy/validating/dispatcher.go addConfigError: the actions of a binding are for what validations say.
#[test]
fn a_fault_of_a_binding_refuses_whatever_its_actions_are() {
    let with = |actions: &str, more: &str, given: &str| {
        let reference = ", paramRef: {name: a, parameterNotFoundAction: Deny}, validationActions: ";
        let text = bound(&policy(ALL, &format!("{TAKES}{more}")), &format!("{reference}{actions}"));
        fares(&[(Role::Policies, text.as_str()), (Role::Resources, given)])
    };
    let missing =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    let node = "{apiVersion: v1, kind: Node, metadata: {name: n}}";
    let lacks = "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
    for actions in ["[Deny]", "[Warn]", "[Audit]", "[Warn, Audit]"] {
        assert_eq!(with(actions, "", POD), denied(missing), "{actions}");
        assert_eq!(with(actions, "", node), denied(lacks), "{actions}");
    }
    assert_eq!(with("[Deny]", "\n  failurePolicy: Ignore", POD), LET_IN);
}

// Kubernetes: the same: an annotation that cannot be made denies under every action.
#[test]
fn an_audit_annotation_that_fails_refuses() {
    let spec = "  validations: [{expression: 'true'}]\n  auditAnnotations: [{key: who, valueExpression: object.metadata.none}]";
    // What an annotation gives has to be a text.
    let spec = spec.replace("object.metadata.none", "string(object.metadata.none)");
    let with = |text: &str| fares(&[(Role::Policies, text), (Role::Resources, POD)]);
    let words = "expression 'string(object.metadata.none)' resulted in error: no such key: none";
    for actions in ["[Deny]", "[Audit]"] {
        let text = asks(PODS, &spec).replace("[Deny]", actions);
        assert_eq!(with(&text), denied(words), "{actions}");
    }
    assert_eq!(with(&asks(PODS, &format!("{spec}\n  failurePolicy: Ignore"))), LET_IN);
    let unmet = format!("{spec}\n  matchConditions: [{{name: c, expression: 'false'}}]");
    assert_eq!(with(&asks(PODS, &unmet)), LET_IN);
}

const OLD_SCALER: &str = "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: \
                          {maxReplicas: 3, targetCPUUtilizationPercentage: 70, scaleTargetRef: {kind: Deployment, name: web}}}";
const NEW_SCALER: &str = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: \
                          {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}, behavior: {scaleDown: {selectPolicy: Disabled}}, \
                          metrics: [{type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: 1k}}}, {type: \
                          Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]}}";

// Kubernetes: policy/matching/matching.go: `Equivalent` is what nobody writes; pkg/apis/autoscaling/v1/conversion.go.
#[test]
fn a_rule_matches_the_other_versions_of_a_kind() {
    let with = |version: &str, expression: &str, object: &str| {
        let rule = format!(
            "apiGroups: [autoscaling], apiVersions: [{version}], resources: [horizontalpodautoscalers]"
        );
        let text = asks(&rule, &format!("  validations: [{{expression: \"{expression}\", message: nay}}]"));
        fares(&[(Role::Policies, text.as_str()), (Role::Resources, object)]).0
    };
    assert_eq!(with("v2", "false", OLD_SCALER), Effect::Deny);
    assert_eq!(with("v1", "false", NEW_SCALER), Effect::Deny);
    let newer = "object.apiVersion == 'autoscaling/v2' && object.spec.metrics[0].resource.target.averageUtilization == 70 && \
                 request.kind.version == 'v2' && request.requestKind.version == 'v1'";
    assert_eq!(with("v2", newer, OLD_SCALER), Effect::Allow);
    let metrics =
        "[{'type':'Pods','pods':{'metricName':'hits','targetAverageValue':'1k'}}]".replace('\'', "\\\\\\\"");
    let behavior = "{'ScaleUp':null,'ScaleDown':{'StabilizationWindowSeconds':null,'SelectPolicy':'Disabled','Policies':null,\
                    'Tolerance':null}}"
        .replace('\'', "\\\\\\\"");
    let older = format!(
        "object.spec.targetCPUUtilizationPercentage == 60 && !has(object.spec.metrics) && \
         object.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'] == '{metrics}' && \
         object.metadata.annotations['autoscaling.alpha.kubernetes.io/behavior'] == '{behavior}'"
    );
    assert_eq!(with("v1", &older, NEW_SCALER), Effect::Allow);
    let annotated = OLD_SCALER.replace(
        "namespace: shop}",
        "namespace: shop, annotations: {autoscaling.alpha.kubernetes.io/metrics: \
         '[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"1Gi\"}}]'}}",
    );
    let kept = "object.spec.metrics.size() == 2 && object.spec.metrics[0].resource.target == {'type': 'AverageValue', 'averageValue': \
                '1Gi'} && object.metadata.annotations.size() == 0";
    assert_eq!(with("v2", kept, &annotated), Effect::Allow);
}

#[test]
fn an_event_is_one_of_either_group() {
    let event = "{apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop}, involvedObject: {kind: Pod}, message: started}";
    let rule = "apiGroups: [events.k8s.io], apiVersions: [v1], resources: [events]";
    let spec = "  validations: [{expression: \"object.note != 'started'\", messageExpression: \"string(object.apiVersion + object.regarding.kind)\"}]";
    let text = asks(rule, spec);
    let said = fares(&[(Role::Policies, text.as_str()), (Role::Resources, event)]);
    assert_eq!(said, denied("events.k8s.io/v1Pod"));
    let exact = text.replace("matchConstraints: {", "matchConstraints: {matchPolicy: Exact, ");
    assert_eq!(fares(&[(Role::Policies, exact.as_str()), (Role::Resources, event)]), LET_IN);
}

const WIDGETS: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: \
                       {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v2, served: true, \
                       storage: true}, {name: v1, served: true}, {name: v0, served: false}]}\n";

// The versions of a custom kind are those that its definition serves; without it nobody knows them.
#[test]
fn versions_of_a_custom_kind_are_in_its_definition() {
    let widget = "{apiVersion: example.com/v2, kind: Widget, metadata: {name: w, namespace: shop}}";
    let with = |version: &str, definition: &str| {
        let rule = format!("apiGroups: [example.com], apiVersions: [{version}], resources: [widgets]");
        let text = asks(
            &rule,
            "  validations: [{expression: \"object.apiVersion == 'example.com/v2'\", message: nay}]",
        );
        let given = [(Role::CustomResourceDefinitions, definition)];
        let given = given.into_iter().filter(|(_, text)| !text.is_empty());
        fares(&given.chain([(Role::Policies, text.as_str()), (Role::Resources, widget)]).collect::<Vec<_>>())
    };
    assert_eq!(with("v1", WIDGETS), denied("nay"));
    assert_eq!(with("v0", WIDGETS), LET_IN);
    assert_eq!(with("v2", ""), LET_IN);
    let converted = WIDGETS.replace("scope:", "conversion: {strategy: Webhook}, scope:");
    for (version, definition) in [("v1", ""), ("v1", converted.as_str())] {
        let (effect, words) = with(version, definition);
        assert!(effect == Effect::Unknown && words[0].starts_with("not decided: "), "{words:?}");
    }
}

// Kubernetes: policy/validating/dispatcher.go: what is of no Namespace has none.
#[test]
fn an_object_of_the_cluster_has_no_namespace() {
    let spec = "  validations: [{expression: namespaceObject == null}]";
    let text = asks(ALL, spec);
    for object in [
        "{apiVersion: v1, kind: Namespace, metadata: {name: fresh}}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: c}}",
    ] {
        assert_eq!(fares(&[(Role::Policies, text.as_str()), (Role::Resources, object)]), LET_IN, "{object}");
    }
    let text = asks(
        ALL,
        "  validations: [{expression: \"namespaceObject.status.phase != 'Active'\", message: there}]",
    );
    assert_eq!(fares(&[(Role::Policies, text.as_str()), (Role::Resources, POD)]), denied("there"));
}

// Kubernetes: policy/generic/plugin.go, pkg/kubeapiserver/admission/exclusion/resources.go.
#[test]
fn policies_are_not_asked_about_policies_and_reviews() {
    let never = asks(ALL, "  validations: [{expression: 'false', message: nay}]");
    let of = |version: &str, kind: &str| {
        let object = format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: x}}}}");
        fares(&[(Role::Policies, never.as_str()), (Role::Resources, object.as_str())])
    };
    for kind in ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"] {
        assert_eq!(of("admissionregistration.k8s.io/v1", kind), LET_IN, "{kind}");
    }
    assert_eq!(of("authorization.k8s.io/v1", "SubjectAccessReview"), LET_IN);
    assert_eq!(of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"), denied("nay"));
}

// Kubernetes: policy/generic/policy_source.go ensureParamsForPolicyLocked.
#[test]
fn a_kind_of_parameters_has_to_be_served() {
    let with = |api_version: &str, given: &[(Role, &str)]| {
        let spec = TAKES.replace(
            "{apiVersion: v1, kind: ConfigMap}",
            &format!("{{apiVersion: {api_version}, kind: Widget}}"),
        );
        let text = bound(
            &policy(PODS, &spec),
            ", paramRef: {name: w, parameterNotFoundAction: Allow}, validationActions: [Deny]",
        );
        fares(&[&[(Role::Policies, text.as_str()), (Role::Resources, POD)], given].concat())
    };
    let words = |version: &str| {
        format!(
            "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/{version}, Kind=Widget'"
        )
    };
    assert_eq!(with("example.com/v1", &[]), denied(&words("v1")));
    let definition = [(Role::CustomResourceDefinitions, WIDGETS)];
    assert_eq!(with("example.com/v1", &definition), LET_IN);
    assert_eq!(with("example.com/v0", &definition), denied(&words("v0")));
    let widget =
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}, data: {a: c}}";
    assert_eq!(with("example.com/v1", &[(Role::Parameters, widget)]).0, Effect::Deny);
}

#[test]
fn a_namespace_can_be_a_parameter() {
    let spec = "  paramKind: {apiVersion: v1, kind: Namespace}\n  validations: [{expression: 'false', messageExpression: \
                \"params.kind + '/' + params.metadata.name\"}]";
    let reference = |name: &str| {
        format!(", paramRef: {{name: {name}, parameterNotFoundAction: Deny}}, validationActions: [Deny]")
    };
    let with = |name: &str| {
        let text = bound(&policy(PODS, spec), &reference(name));
        fares(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    assert_eq!(with("shop"), denied("Namespace/shop"));
    assert_eq!(with("kube-system"), denied("Namespace/kube-system"));
    assert!(with("nowhere").1[0].contains("no params found"));
}

// Kubernetes: registry/rest/create.go names an object once it is changed, and before it is validated.
#[test]
fn an_object_is_named_before_it_is_validated() {
    let unnamed = POD.replace("name: web, ", "generateName: web-, ");
    let text = asks(
        PODS,
        "  validations: [{expression: 'false', messageExpression: \"object.metadata.name + ' ' + request.name\"}]",
    );
    let said = fares(&[(Role::Policies, text.as_str()), (Role::Resources, unnamed.as_str())]);
    assert_eq!(said, denied("web-xxxxx web-xxxxx"));
}

// Kubernetes: plugin/pkg/auth/authorizer/rbac/rbac.go; cel/library/authz.go.
#[test]
fn roles_that_are_given_say_who_may_do_what() {
    let user = |groups: &str| {
        format!(
            "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: {{name: u}}\nuserInfo: {{username: jo, groups: [{groups}]}}\n"
        )
    };
    let roles = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: shop}\nrules: [{apiGroups: [''], \
                 resources: [pods, 'pods/exec'], verbs: [get]}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: \
                 RoleBinding\nmetadata: {name: r, namespace: shop}\nroleRef: {kind: Role, name: r}\nsubjects: [{kind: User, name: jo}, \
                 {kind: ServiceAccount, name: robot}]\n";
    let with = |expression: &str, groups: &str, roles: &str| {
        let text = asks(PODS, &format!("  validations: [{{expression: \"{expression}\", message: nay}}]"));
        let user = user(groups);
        let given = [(Role::ClusterResources, roles)];
        let given = given.into_iter().filter(|(_, text)| !text.is_empty());
        let texts =
            [(Role::UserInfo, user.as_str()), (Role::Policies, text.as_str()), (Role::Resources, POD)];
        fares(&given.chain(texts).collect::<Vec<_>>())
    };
    let may = |of: &str| format!("authorizer.group('').resource('pods'){of}.allowed()");
    assert_eq!(with(&may(".namespace('shop').check('get')"), "devs", roles), LET_IN);
    assert_eq!(with(&may(".subresource('exec').namespace('shop').check('get')"), "devs", roles), LET_IN);
    for denies in [
        ".check('get')",
        ".namespace('shop').check('list')",
        ".subresource('log').namespace('shop').check('get')",
    ] {
        assert_eq!(with(&may(denies), "devs", roles), denied("nay"), "{denies}");
    }
    assert_eq!(with("authorizer.requestResource.check('get').allowed()", "devs", roles), LET_IN);
    let robot = "authorizer.serviceAccount('shop', 'robot').group('').resource('pods').namespace('shop').check('get').allowed()";
    assert_eq!(with(robot, "devs", roles), LET_IN);
    assert_eq!(with("authorizer.path('/healthz').check('get').allowed()", "'system:masters'", ""), LET_IN);
    // Nobody has given any: that is no answer.
    let (effect, words) = with(&may(".check('get')"), "devs", "");
    assert!(effect == Effect::Deny && words[0].contains("not decided"), "{words:?}");
}

// What decides nothing because of what nobody has given is named, and no pass under `--strict`.
#[test]
fn what_nobody_has_given_is_assumed() {
    let assumed = |texts: &[(Role, &str)]| {
        let rows = rows(texts);
        assert!(rows.iter().all(|(.., effect, _)| *effect == Effect::Allow), "{rows:?}");
        rows.into_iter().flat_map(|(.., assumed)| assumed).collect::<Vec<_>>().join("; ")
    };
    let never = policy(PODS, "  validations: [{expression: 'false'}]");
    let alone = assumed(&[(Role::Policies, never.as_str()), (Role::Resources, POD)]);
    assert!(alone.contains("no binding of the policy is given"), "{alone}");
    let missing = bound(
        &policy(PODS, TAKES),
        ", paramRef: {name: limits, parameterNotFoundAction: Allow}, validationActions: [Deny]",
    );
    let missing = assumed(&[(Role::Policies, missing.as_str()), (Role::Resources, POD)]);
    assert!(missing.contains("`limits`") && missing.contains("--parameter-resource"), "{missing}");
    let labelled = bound(
        &never.replace(
            "matchConstraints: {",
            "matchConstraints: {namespaceSelector: {matchLabels: {env: prod}}, ",
        ),
        ", validationActions: [Deny]",
    );
    let texts = [(Role::Policies, labelled.as_str()), (Role::Resources, POD)];
    let unknown = assumed(&texts);
    assert!(unknown.contains("Namespace `shop` is not given"), "{unknown}");
    let read = asks(PODS, "  validations: [{expression: '!has(namespaceObject.metadata.labels.env)'}]");
    let unknown = assumed(&[(Role::Policies, read.as_str()), (Role::Resources, POD)]);
    assert!(unknown.contains("Namespace `shop` is not given"), "{unknown}");
    let shop = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {env: dev}}}";
    assert_eq!(assumed(&[&texts[..], &[(Role::ClusterResources, shop)]].concat()), "");
}
