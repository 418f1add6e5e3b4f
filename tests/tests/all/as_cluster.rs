//! Policies in CEL as a cluster evaluates them, beside what `kyverno apply` says: one case for each difference.
//!
//! In: texts with their roles. Out: a failure where either host says something else. The reason of each difference is the source of
//! Kyverno 1.19 or of Kubernetes 1.36 that the case names: neither can be asked here.

use engine::apply::{Effect, Locations, Options, Recording, Status, apply, effect};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use tests::program;
use tests::terminal::run;

/// What a run says: each row's verdict, and what a cluster would do with the request.
fn rows(host: Host, texts: &[(Role, &str)]) -> (Vec<Status>, Vec<Effect>) {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, said) = load_with(sources, host, WITHOUT_STEPS);
    let errors: Vec<_> = said.iter().filter(|said| said.severity == engine::diag::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results;
    let effects = results.iter().map(|result| effect(&bundle, result)).collect();
    (results.iter().flat_map(|result| &result.rules).map(|row| row.status).collect(), effects)
}

fn both(texts: &[(Role, &str)]) -> (Vec<Status>, Vec<Status>) {
    (rows(Host::Cli, texts).0, rows(Host::Cluster, texts).0)
}

/// A ValidatingPolicy for Deployments with these operations and this validation.
fn policy(operations: &str, expression: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: [apps], apiVersions: [v1], operations: [{operations}], resources: \
         [deployments]}}\n  validations:\n  - {{expression: \"{expression}\"}}\n"
    )
}

/// A ValidatingAdmissionPolicy for Deployments, with further lines of its spec.
fn admission(expression: &str, more: &str) -> String {
    policy("'*'", expression)
        .replace("policies.kyverno.io/v1", "admissionregistration.k8s.io/v1")
        .replace("ValidatingPolicy", "ValidatingAdmissionPolicy")
        + more
}

/// A binding of that policy.
fn binding(name: &str, more: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\n\
         spec: {{policyName: p, validationActions: [Deny]{more}}}\n"
    )
}

const DEPLOYMENT: &str =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3}}";
const NAMESPACE: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {env: prod}}}";

fn config_map(name: &str, namespace: &str, max: u8) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: {namespace}}}, data: {{max: '{max}'}}}}\n"
    )
}

// Kyverno: ProcessResources of the CLI makes every number a double; an API server sends integers.
#[test]
fn whole_numbers_are_integers() {
    let odd = policy("CREATE", "object.spec.replicas % 2 == 1");
    let texts = [(Role::Policies, odd.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Error], vec![Status::Pass]));
    let whole = policy("CREATE", "type(object.spec.replicas) == int");
    let texts = [(Role::Policies, whole.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Fail], vec![Status::Pass]));
}

// Kubernetes: what is there already is updated. The CLI asks about a creation unless its values say otherwise.
#[test]
fn an_object_that_was_there_is_updated() {
    let fewer = policy("UPDATE", "object.spec.replicas >= oldObject.spec.replicas");
    let old = DEPLOYMENT.replace("replicas: 3", "replicas: 5");
    let texts =
        [(Role::Policies, fewer.as_str()), (Role::OldResources, old.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![], vec![Status::Fail]));
    // Kyverno: the CLI takes the object itself for the old one.
    let update =
        "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nglobalValues: {request.operation: UPDATE}\n";
    let texts = [(Role::Values, update), texts[0], texts[1], texts[2]];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Fail]));
}

const DELETE: &str =
    "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nglobalValues: {request.operation: DELETE}\n";

// Kubernetes: the old object of a creation and the object of a deletion are null. The CLI asks Kubernetes' policies about
// creations alone (pkg/admissionpolicy/validate.go); Kyverno's own have an empty object in both hosts.
#[test]
fn a_deletion_is_one_for_policies_of_kubernetes() {
    let gone = admission("object == null && oldObject.spec.replicas == 3", "");
    let bound = binding("b", "");
    let texts = [
        (Role::Values, DELETE),
        (Role::Policies, gone.as_str()),
        (Role::Policies, bound.as_str()),
        (Role::Resources, DEPLOYMENT),
    ];
    assert_eq!(both(&texts), (vec![Status::Fail], vec![Status::Pass]));
    let empty = policy("'*'", "object == {} && oldObject.spec.replicas == 3 && request.object == null");
    let texts = [(Role::Values, DELETE), (Role::Policies, empty.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Pass]));
    let new = policy("CREATE", "oldObject == {} && request.oldObject == null");
    let texts = [(Role::Policies, new.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Pass]));
}

// Kyverno: pkg/admissionpolicy/user_info.go invents a user where none is given. A cluster knows one, and nobody can say which.
#[test]
fn nobody_is_not_somebody() {
    let scan = admission("request.userInfo.username == 'system:kyverno:background-scan'", "");
    let bound = binding("b", "");
    let texts =
        [(Role::Policies, scan.as_str()), (Role::Policies, bound.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Error]));
    let user = "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: {name: u}\nuserInfo: {username: jo}\n";
    let jo = admission("request.userInfo.username == 'jo'", "");
    let texts = [(Role::UserInfo, user), (Role::Policies, jo.as_str()), texts[1], texts[2]];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Pass]));
}

// Kyverno: the CLI looks into values alone, a webhook asks its lister.
#[test]
fn a_namespace_among_the_objects_is_there() {
    let named = policy("CREATE", "namespaceObject.metadata.labels.env == 'prod'");
    let texts = [
        (Role::Policies, named.as_str()),
        (Role::ClusterResources, NAMESPACE),
        (Role::Resources, DEPLOYMENT),
    ];
    assert_eq!(both(&texts), (vec![Status::Error], vec![Status::Pass]));
    let selecting = policy("CREATE", "false")
        .replace("  validations", "    namespaceSelector: {matchLabels: {env: prod}}\n  validations");
    let texts = [(Role::Policies, selecting.as_str()), texts[1], texts[2]];
    assert_eq!(both(&texts), (vec![], vec![Status::Fail]));
}

// Kubernetes: every Namespace has the label. The CLI has none for Kubernetes' policies.
#[test]
fn every_namespace_has_the_label_of_its_name() {
    let selecting = admission("false", "").replace(
        "  validations",
        "    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}\n  validations",
    );
    let bound = binding(
        "b",
        ", matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}}",
    );
    let texts = [
        (Role::Policies, selecting.as_str()),
        (Role::Policies, bound.as_str()),
        (Role::Resources, DEPLOYMENT),
    ];
    assert_eq!(both(&texts), (vec![], vec![Status::Fail]));
}

// Kyverno: vpol/engine/predicate.go NamespacedPolicy, which only the webhook asks.
#[test]
fn a_policy_of_a_namespace_is_for_that_namespace() {
    let of = |namespace: &str| {
        policy("CREATE", "false")
            .replace("kind: ValidatingPolicy", "kind: NamespacedValidatingPolicy")
            .replace("{name: p}", &format!("{{name: p, namespace: {namespace}}}"))
    };
    let (other, own) = (of("other"), of("shop"));
    let with = |policy: &str| both(&[(Role::Policies, policy), (Role::Resources, DEPLOYMENT)]);
    assert_eq!(with(&other), (vec![Status::Fail], vec![]));
    assert_eq!(with(&own), (vec![Status::Fail], vec![Status::Fail]));
}

// Kyverno: pkg/cel/engine/exception.go ListExceptions, which the CLI does not call.
#[test]
fn an_exception_that_has_ended_exempts_nobody() {
    let until = |time: &str| {
        format!(
            "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: e, namespace: x}}\nspec: {{policyRefs: \
             [{{name: p, kind: ValidatingPolicy}}], expiresAt: '{time}'}}\n"
        )
    };
    let never = policy("CREATE", "false");
    let (past, future) = (until("2020-01-01T00:00:00Z"), until("2100-01-01T00:00:00Z"));
    let with = |exception: &str| {
        both(&[(Role::Policies, &never), (Role::Exceptions, exception), (Role::Resources, DEPLOYMENT)])
    };
    assert_eq!(with(&past), (vec![Status::Skip], vec![Status::Fail]));
    assert_eq!(with(&future), (vec![Status::Skip], vec![Status::Skip]));
}

// Kubernetes: policy/validating/dispatcher.go asks the definition, then its bindings, and without one nobody.
#[test]
fn a_policy_and_its_binding_both_select() {
    let never = admission("false", "");
    let (bound, pod) = (binding("b", ""), "{apiVersion: v1, kind: Pod, metadata: {name: a}}");
    let texts = [(Role::Policies, never.as_str()), (Role::Policies, bound.as_str()), (Role::Resources, pod)];
    assert_eq!(both(&texts), (vec![Status::Fail], vec![]));
    let alone = [(Role::Policies, never.as_str()), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&alone), (vec![Status::Fail], vec![Status::Skip]));
}

// The same: each binding decides. The CLI keeps what the last one said.
#[test]
fn every_binding_decides() {
    let most = admission(
        "object.spec.replicas <= int(params.data.max)",
        "  paramKind: {apiVersion: v1, kind: ConfigMap}\n",
    );
    let bindings = [
        binding("few", ", paramRef: {name: few, namespace: shop, parameterNotFoundAction: Deny}"),
        binding("many", ", paramRef: {name: many, namespace: shop, parameterNotFoundAction: Deny}"),
    ];
    let (few, many) = (config_map("few", "shop", 1), config_map("many", "shop", 9));
    let texts = [
        (Role::Policies, most.as_str()),
        (Role::Policies, bindings[0].as_str()),
        (Role::Policies, bindings[1].as_str()),
        (Role::Parameters, few.as_str()),
        (Role::Parameters, many.as_str()),
        (Role::Resources, DEPLOYMENT),
    ];
    assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Fail, Status::Pass]));
}

// Kubernetes: policy/generic/policy_dispatcher.go CollectParams. The CLI compares names alone and makes one list of what a
// selector selects.
#[test]
fn parameters_are_those_that_are_meant() {
    let most = admission(
        "object.spec.replicas <= int(params.data.max)",
        "  paramKind: {apiVersion: v1, kind: ConfigMap}\n",
    );
    let elsewhere = config_map("limits", "other", 9);
    let with = |reference: &str, given: &str| {
        let bound = binding("b", &format!(", paramRef: {reference}"));
        both(&[
            (Role::Policies, &most),
            (Role::Policies, &bound),
            (Role::Parameters, given),
            (Role::Resources, DEPLOYMENT),
        ])
    };
    // Of another namespace: not found. What then is done is looked at in a cluster.
    let denied = "{name: limits, parameterNotFoundAction: Deny}";
    assert_eq!(with(denied, &elsewhere), (vec![Status::Pass], vec![Status::Error]));
    let allowed = "{name: limits, parameterNotFoundAction: Allow}";
    assert_eq!(with(allowed, &elsewhere), (vec![Status::Pass], vec![Status::Skip]));
    assert_eq!(
        with("{name: none, parameterNotFoundAction: Allow}", &elsewhere),
        (vec![Status::Error], vec![Status::Skip])
    );
    // Another kind of the same name.
    let secret = elsewhere.replace("ConfigMap", "Secret").replace("other", "shop");
    assert_eq!(with(denied, &secret), (vec![Status::Pass], vec![Status::Error]));
    // A selector: one after the other, and not a list.
    let here = config_map("limits", "shop", 9);
    assert_eq!(
        with("{selector: {}, parameterNotFoundAction: Deny}", &here),
        (vec![Status::Error], vec![Status::Pass])
    );
}

// Kyverno: no webhook is asked of policies of mode JSON; the CLI evaluates them over resources too.
#[test]
fn payloads_alone_are_for_policies_of_payloads() {
    let json = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\nspec:\n  evaluation: {mode: \
                JSON}\n  validations: [{expression: 'false'}]\n";
    assert_eq!(both(&[(Role::Policies, json), (Role::Resources, DEPLOYMENT)]), (vec![Status::Fail], vec![]));
}

// Kyverno: pkg/cel/libs/context.go asks the API server; the CLI answers from context files, of a list by namespace alone.
#[test]
fn functions_see_the_objects_that_are_given() {
    let own = config_map("limits", "shop", 3);
    let with = |expression: &str| {
        let policy = policy("CREATE", expression);
        both(&[(Role::Policies, &policy), (Role::ClusterResources, &own), (Role::Resources, DEPLOYMENT)])
    };
    let get = "resource.get('v1', 'configmaps', 'shop', 'limits').data.max == '3'";
    assert_eq!(with(get), (vec![Status::Error], vec![Status::Pass]));
    let list = "resource.list('v1', 'configmaps', '').items.size() == 1";
    assert_eq!(with(list), (vec![Status::Error], vec![Status::Pass]));
    let selected = "resource.list('v1', 'configmaps', '', {'app': 'x'}).items.size() == 0";
    assert_eq!(with(selected), (vec![Status::Error], vec![Status::Pass]));
    // In the CLI what is not found is null, which can be compared; a cluster says that it is not there.
    let absent = "dyn(resource.get('v1', 'configmaps', 'shop', 'none')) == null";
    assert_eq!(with(absent), (vec![Status::Pass], vec![Status::Error]));
}

// Kubernetes compares names alone; Kyverno's copy of its matcher takes the beginning of a name that is still to be made.
#[test]
fn a_name_that_is_still_to_be_made_is_no_name() {
    let by_name = |text: String| {
        text.replace("resources: [deployments]", "resources: [deployments], resourceNames: [we]")
    };
    let starting = DEPLOYMENT.replace("name: web", "generateName: web-");
    let kyverno = by_name(policy("CREATE", "false"));
    let texts = [(Role::Policies, kyverno.as_str()), (Role::Resources, starting.as_str())];
    assert_eq!(both(&texts), (vec![Status::Fail], vec![Status::Fail]));
    let (kubernetes, bound) = (
        by_name(admission("false", "")),
        binding(
            "b",
            ", matchResources: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: \
             [deployments], resourceNames: [we]}]}",
        ),
    );
    let texts = [
        (Role::Policies, kubernetes.as_str()),
        (Role::Policies, bound.as_str()),
        (Role::Resources, starting.as_str()),
    ];
    assert_eq!(both(&texts), (vec![Status::Fail], vec![]));
}

// Kyverno: validate_cel.go. Its CLI leaves `request.resource` empty and looks for parameters in no namespace.
#[test]
fn a_rule_in_cel_has_its_request_and_its_parameters() {
    let rule = |expression: &str, more: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: \
             {{any: [{{resources: {{kinds: [Deployment]}}}}]}}\n    validate: {{cel: {{expressions: [{{expression: \
             \"{expression}\"}}]{more}}}}}\n"
        )
    };
    let own = config_map("limits", "shop", 3);
    let with = |policy: String| {
        both(&[
            (Role::Policies, &policy),
            (Role::Parameters, &own),
            (Role::ClusterResources, NAMESPACE),
            (Role::Resources, DEPLOYMENT),
        ])
    };
    let named = rule("request.resource.resource == 'deployments'", "");
    assert_eq!(with(named), (vec![Status::Fail], vec![Status::Pass]));
    let odd = rule("object.spec.replicas % 2 == 1", "");
    assert_eq!(with(odd), (vec![Status::Fail], vec![Status::Pass]));
    let labelled = rule("namespaceObject.metadata.labels.env == 'prod'", "");
    assert_eq!(with(labelled), (vec![Status::Fail], vec![Status::Pass]));
    let of = |reference: &str| {
        rule(
            "object.spec.replicas <= int(params.data.max)",
            &format!(", paramKind: {{apiVersion: v1, kind: ConfigMap}}, paramRef: {reference}"),
        )
    };
    assert_eq!(
        with(of("{name: limits, namespace: shop, parameterNotFoundAction: Deny}")),
        (vec![Status::Error], vec![Status::Pass])
    );
    assert_eq!(
        with(of("{name: limits, parameterNotFoundAction: Deny}")),
        (vec![Status::Error], vec![Status::Pass])
    );
    assert_eq!(
        with(of("{name: none, parameterNotFoundAction: Deny}")),
        (vec![Status::Error], vec![Status::Error])
    );
}

// Kyverno: vpol/handler.go: an error refuses as a failure does, whatever the failure policy. Kubernetes: an error counts as the
// failure policy says, and what is done is up to each binding.
#[test]
fn what_is_done_with_a_request_is_up_to_the_actions() {
    let of = |actions: &str, expression: &str| {
        policy("CREATE", expression) + &format!("  failurePolicy: Ignore\n  validationActions: [{actions}]\n")
    };
    let with = |text: &str| rows(Host::Cluster, &[(Role::Policies, text), (Role::Resources, DEPLOYMENT)]).1;
    assert_eq!(with(&of("Deny", "false")), [Effect::Deny]);
    assert_eq!(with(&of("Deny", "object.none == 1")), [Effect::Deny]);
    assert_eq!(with(&of("Warn, Audit", "false")), [Effect::Warn]);
    assert_eq!(with(&of("Audit", "false")), [Effect::Report]);
    let bound = |actions: &str, policy: &str| {
        let bound = binding("b", "").replace("[Deny]", actions);
        let texts =
            [(Role::Policies, policy), (Role::Policies, bound.as_str()), (Role::Resources, DEPLOYMENT)];
        rows(Host::Cluster, &texts).1
    };
    let (never, broken) =
        (admission("false", ""), admission("object.none == 1", "  failurePolicy: Ignore\n"));
    assert_eq!(bound("[Deny]", &never), [Effect::Deny]);
    assert_eq!(bound("[Warn, Audit]", &never), [Effect::Warn]);
    assert_eq!(bound("[Audit]", &never), [Effect::Report]);
    assert_eq!(bound("[Deny]", &broken), [Effect::Allow]);
    assert_eq!(bound("[Deny]", &broken.replace("Ignore", "Fail")), [Effect::Deny]);
}

#[test]
fn the_terminal_says_where_a_cluster_decides_otherwise() {
    let Some(program) = program::find_or_skip() else { return };
    let (odd, alike) =
        (policy("CREATE", "object.spec.replicas % 2 == 1"), policy("CREATE", "object.spec.replicas == 3"));
    let unbound = admission("object.spec.replicas == 4", "");
    let two = format!("{DEPLOYMENT}\n---\n{}\n", DEPLOYMENT.replace("name: web", "name: db"));
    let files = [
        ("odd.yaml", odd.as_str()),
        ("alike.yaml", alike.as_str()),
        ("unbound.yaml", unbound.as_str()),
        ("deployment.yaml", two.as_str()),
    ];
    let with =
        |args: &[&str]| run(&program, &files, &[&["apply"], args, &["-r", "deployment.yaml"]].concat(), "");
    let differing = with(&["odd.yaml"]);
    let line = "note: in a cluster policy `p` says pass of shop/Deployment/web and 1 other, and error here: every whole \
                number is read as a double here\n";
    assert!(differing.err.ends_with(line), "{}", differing.err);
    let filled = "note: an API server fills in 12 fields of 2 resources before policies see them (--as-written leaves them out)\n";
    assert_eq!(with(&["odd.yaml", "--as-cluster"]).err, filled);
    let there = with(&["odd.yaml", "--as-cluster", "--as-written"]);
    assert_eq!((there.code, there.err.as_str()), (0, ""), "{}", there.out);
    assert!(there.out.ends_with("\npass: 2, fail: 0, warn: 0, error: 0, skip: 0 \n"), "{}", there.out);
    assert_eq!(with(&["alike.yaml"]).err, "");
    let unbound = with(&["unbound.yaml"]);
    let line = "note: in a cluster policy `p` says nothing of shop/Deployment/web and 1 other, and fail here: no binding of the \
                policy is given, and without one it decides nothing\n";
    assert_eq!(unbound.err, line);
}

// Kyverno: kubectl-validate drops such a policy; here that is an error with a line, and never a pass.
#[test]
fn an_owner_without_a_name_keeps_a_policy_out() {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    for kind in [policy("CREATE", "true == (object != null)"), admission("object != null", "")] {
        let count = |owner: &str| {
            let owned = kind.replace("{name: p}", &format!("{{name: p, ownerReferences: [{owner}]}}"));
            let (bundle, said) = load_with(vec![(Role::Policies, source(&owned))], Host::Cli, WITHOUT_STEPS);
            (bundle.policies.len(), said.iter().filter(|said| said.message.contains("is required")).count())
        };
        assert_eq!(count("{apiVersion: v1, kind: A, name: a, uid: b}"), (1, 0));
        assert_eq!(count("{apiVersion: v1, kind: A, name: a}"), (0, 1));
    }
}

// A second evaluation for each verdict would take as long as the first: what cannot differ is not asked again.
#[test]
fn what_cannot_depend_on_the_host_is_known_by_its_expressions() {
    use engine_celpolicy::compile::{Wanted, compile};
    use engine_celpolicy::environment::{Environment, Kind};
    let environment = Environment::new(Kind::Validating, false).ok();
    let depends = |text: &str| {
        let compiled =
            environment.as_ref().and_then(|environment| compile(text, environment, Wanted::Any).ok());
        compiled.map(|compiled| (compiled.depends.on_numbers, compiled.depends.on_request))
    };
    for alike in [
        "object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([])",
        "object.spec.containers.all(c, c.?securityContext.?privileged.orValue(false) == false)",
        "object.spec.replicas >= 2 && object.spec.containers.exists_one(c, c.name == 'a')",
        "object.metadata.name + '-x' == 'a-x'",
    ] {
        assert_eq!(depends(alike), Some((false, false)), "{alike}");
    }
    for other in [
        "object.spec.replicas % 2 == 0",
        "object.spec.replicas + 1 == 2",
        "type(object.spec.replicas) == int",
        "string(object.spec.replicas) == '3'",
    ] {
        assert_eq!(depends(other), Some((true, false)), "{other}");
    }
    assert_eq!(depends("request.operation == 'CREATE'"), Some((false, true)));
}

// Kyverno: the stand-in names the resource with its group.
#[test]
fn a_list_of_what_is_not_given_names_its_group() {
    let listing =
        policy("CREATE", "resource.List('networking.k8s.io/v1', 'ingresses', 'shop').items.size() == 0");
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let texts = vec![(Role::Policies, source(&listing)), (Role::Resources, source(DEPLOYMENT))];
    let (bundle, _) = load_with(texts, Host::Cli, WITHOUT_STEPS);
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::default(), &options).results;
    let messages: Vec<_> =
        results.iter().flat_map(|result| &result.rules).map(|row| row.message.as_str()).collect();
    assert_eq!(messages, ["error: failed to list resource: ingresses.networking.k8s.io resource not found"]);
}
