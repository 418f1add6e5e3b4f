//! Policies and bindings that an API server does not store: named in its words, and evaluated by nobody.
//!
//! In: edits of a policy that it stores. Out: a failure where the words are others, or a verdict is given. The words are those of
//! `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

use engine::diag::Severity;
use engine::load::{Host, Role, load_with};
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use tests::program;
use tests::terminal::run;

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {env: prod}}
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  matchConditions: [{name: c, expression: 'true'}]
  variables: [{name: v, expression: '1'}]
  validations: [{expression: variables.v == 1, message: nay, reason: Invalid}]
  auditAnnotations: [{key: k, valueExpression: \"'a'\"}]
";
const BINDING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec:
  policyName: p
  paramRef: {name: a, parameterNotFoundAction: Deny}
  validationActions: [Deny]
";
const MUTATING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: m}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 'test', path: '/a'}]\"}}]
  reinvocationPolicy: Never
";

/// The answer of the server; empty where it stores the document.
fn answer(text: &str) -> String {
    let source = Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let (bundle, said) = load_with(vec![(Role::Policies, source)], Host::Cluster, WITHOUT_STEPS);
    let errors = said.iter().filter(|said| said.severity == Severity::Error);
    assert_eq!(bundle.refused.is_empty(), errors.clone().count() == 0, "{said:?}");
    assert!(errors.clone().all(|said| said.span.is_some()), "{said:?}");
    assert!(bundle.refused.is_empty() || bundle.policies.is_empty() && bundle.bindings.is_empty());
    bundle.refused.into_iter().map(|refused| refused.reason).collect()
}

/// The words of the server for documents with one edit each.
fn refused(document: &str, cases: &[(&str, &str, &str)]) {
    assert_eq!(answer(document), "");
    for (from, to, words) in cases {
        let edited = document.replacen(from, to, 1);
        assert_ne!(edited, document, "{from}");
        let said = answer(&edited);
        let (_, said) = said.split_once(" is invalid: ").unwrap_or(("", "stored"));
        assert_eq!(said, *words, "{to}");
    }
}

/// Edits of a policy, and what the server says of each.
const OF_POLICIES: &[(&str, &str, &str)] = &[
    (
        "failurePolicy: Fail",
        "failurePolicy: Sometimes",
        "spec.failurePolicy: Unsupported value: \"Sometimes\": supported values: \"Fail\", \"Ignore\"",
    ),
    (
        "reason: Invalid",
        "reason: Unauthorized",
        "spec.validations[0].reason: Unsupported value: \"Unauthorized\": supported values: \"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"",
    ),
    (
        "message: nay",
        "message: \"a\\nb\"",
        "spec.validations[0].message: Invalid value: \"a\\nb\": must not contain line breaks",
    ),
    (
        "message: nay",
        "message: ' '",
        "spec.validations[0].message: Invalid value: \" \": must be non-empty if specified",
    ),
    (
        "name: v,",
        "name: a-b,",
        "[spec.variables[0].name: Invalid value: \"a-b\": must be a valid CEL identifier, spec.validations[0].expression: Invalid value: \"variables.v == 1\": compilation failed: ERROR: <input>:1:10: undefined field 'v'\n | variables.v == 1\n | .........^]",
    ),
    (
        "matchConditions: [",
        "matchConditions: [{name: c, expression: 'true'}, ",
        "spec.matchConditions[1].name: Duplicate value: \"c\"",
    ),
    (
        "expression: 'true'",
        "expression: variables.v == 1",
        "spec.matchConditions[0].expression: Invalid value: \"variables.v == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.v == 1\n | ^",
    ),
    (
        "[deployments]",
        "['*', deployments]",
        "spec.matchConstraints.resourceRules[0].resources: Invalid value: [\"*\",\"deployments\"]: if '*' is present, must not specify other resources without subresources",
    ),
    (
        "[deployments]",
        "['*/*', deployments]",
        "spec.matchConstraints.resourceRules[0].resources: Invalid value: [\"*/*\",\"deployments\"]: if '*/*' is present, must not specify other resources",
    ),
    (
        "[CREATE]",
        "[READ]",
        "spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: \"READ\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
    ),
    (
        "apiGroups: [apps]",
        "apiGroups: []",
        "spec.matchConstraints.resourceRules[0].apiGroups: Required value",
    ),
    (
        "matchLabels: {env: prod}",
        "matchExpressions: [{key: env, operator: Is}]",
        "spec.matchConstraints.namespaceSelector.matchExpressions[0].operator: Invalid value: \"Is\": not a valid selector operator",
    ),
    (
        "  matchConditions",
        "  paramKind: {apiVersion: v1}\n  matchConditions",
        "spec.paramKind.kind: Required value",
    ),
    (
        "valueExpression: \"'a'\"",
        "valueExpression: '1'",
        "spec.auditAnnotations[0].valueExpression: Invalid value: \"1\": must evaluate to one of [string null_type] but got int",
    ),
    (
        "message: nay",
        "messageExpression: 'null'",
        "spec.validations[0].messageExpression: Invalid value: \"null\": must evaluate to string but got null_type",
    ),
    (
        "message: nay",
        "messageExpression: \"string(authorizer.path('/a').check('get').allowed())\"",
        "spec.validations[0].messageExpression: Invalid value: \"string(authorizer.path('/a').check('get').allowed())\": compilation failed: ERROR: <input>:1:8: undeclared reference to 'authorizer' (in container '')\n | string(authorizer.path('/a').check('get').allowed())\n | .......^",
    ),
    (
        "{name: p}",
        "{name: p, ownerReferences: [{apiVersion: v1, kind: A, name: a}]}",
        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
    ),
];

#[test]
fn fields_of_a_policy_hold_what_they_may() {
    refused(POLICY, OF_POLICIES);
}

#[test]
fn a_policy_says_what_it_is_for_and_asks_something() {
    let asks = POLICY.split("  validations").next().unwrap_or_default();
    let both = "validations or auditAnnotations must contain at least one item";
    let said = answer(asks);
    assert!(
        said.ends_with(&format!(
            "[spec.validations: Required value: {both}, spec.auditAnnotations: Required value: {both}]"
        )),
        "{said}"
    );
    let (start, rest) = POLICY.split_once("  matchConstraints").unwrap_or_default();
    let (_, rest) = rest.split_once("  matchConditions").unwrap_or_default();
    let said = answer(&format!("{start}  matchConditions{rest}"));
    assert!(said.ends_with("is invalid: spec.matchConstraints: Required value"), "{said}");
    let said = answer(&format!("{start}  matchConstraints: {{}}\n  matchConditions{rest}"));
    assert!(said.ends_with("is invalid: spec.matchConstraints.resourceRules: Required value"), "{said}");
    let many: Vec<String> = (0..65).map(|at| format!("{{name: c{at}, expression: 'true'}}")).collect();
    let said = answer(&POLICY.replace("{name: c, expression: 'true'}", &many.join(", ")));
    assert!(said.ends_with("spec.matchConditions: Too many: 65: must have at most 64 items"), "{said}");
}

#[test]
fn fields_of_a_binding_hold_what_they_may() {
    refused(
        BINDING,
        &[
            (
                "[Deny]",
                "[Deny, Warn]",
                "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
            ),
            (
                "[Deny]",
                "[Block]",
                "spec.validationActions[0]: Unsupported value: \"Block\": supported values: \"Audit\", \"Deny\", \"Warn\"",
            ),
            ("[Deny]", "[Deny, Deny]", "spec.validationActions[1]: Duplicate value: \"Deny\""),
            (
                "  validationActions: [Deny]\n",
                "",
                "spec.validationActions: Required value: at least one validation action is required",
            ),
            ("policyName: p", "policyName: ''", "spec.policyName: Required value"),
            (", parameterNotFoundAction: Deny", "", "spec.paramRef.parameterNotFoundAction: Required value"),
            (
                "Action: Deny",
                "Action: Maybe",
                "spec.paramRef.parameterNotFoundAction: Unsupported value: \"Maybe\": supported values: \"Deny\", \"Allow\"",
            ),
            (
                "name: a,",
                "name: a, selector: {},",
                "[spec.paramRef.name: Forbidden: name and selector are mutually exclusive, spec.paramRef.selector: Forbidden: name and selector are mutually exclusive]",
            ),
            ("name: a,", "", "spec.paramRef: Required value: one of name or selector must be specified"),
        ],
    );
}

#[test]
fn fields_of_a_policy_that_mutates_hold_what_they_may() {
    refused(
        MUTATING,
        &[
            ("  reinvocationPolicy: Never\n", "", "spec.reinvocationPolicy: Required value"),
            (
                "Never",
                "Always",
                "spec.reinvocationPolicy: Unsupported value: \"Always\": supported values: \"IfNeeded\", \"Never\"",
            ),
            (
                "[CREATE]",
                "[DELETE]",
                "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"",
            ),
            (
                "\"[JSONPatch{op: 'test', path: '/a'}]\"",
                "'[]'",
                "spec.mutations[0].jsonPatch.expression: Invalid value: \"[]\": must evaluate to list(JSONPatch) but got list(dyn)",
            ),
            (
                "patchType: JSONPatch, jsonPatch",
                "patchType: ApplyConfiguration, jsonPatch",
                "[spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration, spec.mutations[0].jsonPatch: Invalid value: \"{jsonPatch}\": must not be specified when patchType is ApplyConfiguration]",
            ),
            (
                "patchType: JSONPatch,",
                "patchType: Merge,",
                "spec.mutations[0].patchType: Unsupported value: \"Merge\": supported values: \"ApplyConfiguration\", \"JSONPatch\"",
            ),
        ],
    );
}

#[test]
fn a_refused_policy_ends_no_run_and_passes_none() {
    let Some(program) = program::find_or_skip() else { return };
    let wrong = POLICY.replace("reason: Invalid", "reason: Unauthorized");
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}}";
    let files = [("p.yaml", wrong.as_str()), ("b.yaml", BINDING), ("d.yaml", deployment)];
    let args = ["apply", "p.yaml", "b.yaml", "-r", "d.yaml", "--as-cluster"];
    let said = run(&program, &files, &args, "");
    assert_eq!(said.code, 1, "{}", said.err);
    let words = "an API server refuses ValidatingAdmissionPolicy `p`: spec.validations[0].reason: Unsupported value: \"Unauthorized\"";
    assert!(said.err.contains(words) && said.err.contains("p.yaml:11"), "{}", said.err);
    assert!(said.out.contains("pass: 0, fail: 0,"), "{}", said.out);
    // The CLI evaluates it.
    let here = run(&program, &files, &["apply", "p.yaml", "b.yaml", "-r", "d.yaml"], "");
    assert!(!here.err.contains("refuses"), "{}", here.err);
}
