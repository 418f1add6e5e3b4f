//! Policies in CEL through the engine's own door and the terminal.
//!
//! In: the built `podsieve`, files in a folder of their own; bundles. Out: a failure where a value, a verdict, a message or the
//! place of a mistake differs.

use engine::apply::{Locations, Options, Recording, RuleResult, Status, apply};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use tests::program;
use tests::terminal::run;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: app, image: 'nginx:1'}\n";

const POLICY: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: tags}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  variables:
  - {name: images, expression: 'object.spec.containers.map(c, c.image)'}
  validations:
  - expression: variables.images.all(i, !i.endsWith(':latest'))
    message: name a version
  - expression: variables.images.size() < 2
    messageExpression: \"'one image, not ' + string(variables.images.size())\"
";

fn evaluated(policy: &str, resource: &str) -> Vec<RuleResult> {
    evaluated_by(Host::Cli, policy, resource)
}

fn evaluated_by(host: Host, policy: &str, resource: &str) -> Vec<RuleResult> {
    let source = |name: &str, text: &str| Source { id: SourceId(0), name: name.into(), text: text.into() };
    let sources = vec![
        (Role::Policies, source("policy.yaml", policy)),
        (Role::Resources, source("pod.yaml", resource)),
    ];
    let (bundle, _) = load_with(sources, host, WITHOUT_STEPS);
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::default(), &options).results;
    results.into_iter().flat_map(|result| result.rules).collect()
}

#[test]
fn a_policy_passes_fails_and_says_why() {
    let rows = |pod: &str| -> Vec<(Status, String)> {
        evaluated(POLICY, pod).into_iter().map(|verdict| (verdict.status, verdict.message)).collect()
    };
    assert_eq!(rows(POD), [(Status::Pass, "success".to_owned())]);
    assert_eq!(rows(&POD.replace(":1", ":latest")), [(Status::Fail, "name a version".to_owned())]);
    let two = format!("{POD}  - {{name: b, image: 'b:1'}}\n");
    assert_eq!(rows(&two), [(Status::Fail, "one image, not 2".to_owned())]);
    let service = POD.replace("kind: Pod", "kind: Service");
    assert_eq!(rows(&service), []);
}

#[test]
fn a_policy_for_pods_is_for_their_controllers_too() {
    let deployment = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: app, image: 'nginx:latest'}
";
    let verdicts = evaluated(POLICY, deployment);
    assert_eq!(verdicts.iter().map(|v| v.status).collect::<Vec<_>>(), [Status::Fail]);
}

#[test]
fn what_nobody_answers_never_passes() {
    let policy = POLICY.replace("variables.images.size() < 2", "http.get('http://a').size() < 0 || true");
    let policy = policy.replace("|| true", "|| false");
    let verdicts = evaluated(&policy, POD);
    assert_eq!(verdicts.iter().map(|v| v.status).collect::<Vec<_>>(), [Status::Error]);
    assert!(verdicts[0].message.contains("not decided"), "{}", verdicts[0].message);
}

#[test]
fn the_terminal_evaluates_a_policy_as_any_other() {
    let Some(program) = program::find_or_skip() else { return };
    let bad = POD.replace(":1", ":latest");
    let files = [("policy.yaml", POLICY), ("pod.yaml", bad.as_str())];
    let text = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    let failed = "\nApplying 1 policy rule(s) to 1 resource(s)...\npolicy tags -> resource default/Pod/web failed:\n\
                  1 -  name a version\n\npass: 0, fail: 1, warn: 0, error: 0, skip: 0 \n";
    assert_eq!((text.code, text.out.as_str(), text.err.as_str()), (1, failed, ""));
    let report = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "-p"], "");
    assert!(report.out.contains("source: KyvernoValidatingPolicy"), "{}", report.out);
    let sarif =
        run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "--report-format", "sarif"], "");
    assert!(sarif.out.contains("\"ruleId\": \"tags\""), "{}", sarif.out);
}

#[test]
fn a_policy_that_does_not_compile_is_named_and_the_others_decide() {
    let Some(program) = program::find_or_skip() else { return };
    let broken = POLICY.replace("name: tags", "name: broken").replace("object.spec.", "objet.spec.");
    let files = [("broken.yaml", broken.as_str()), ("policy.yaml", POLICY), ("pod.yaml", POD)];
    let both = run(&program, &files, &["apply", "broken.yaml", "policy.yaml", "-r", "pod.yaml"], "");
    assert_eq!(both.code, 1);
    assert!(both.out.ends_with("\npass: 1, fail: 0, warn: 0, error: 1, skip: 0 \n"), "{}", both.out);
    assert!(both.err.contains("broken.yaml:9:33"), "{}", both.err);
    assert!(both.err.contains("undeclared reference to 'objet'"), "{}", both.err);
}

#[test]
fn an_exception_exempts_and_a_broken_one_ends_the_run() {
    let Some(program) = program::find_or_skip() else { return };
    let exception = "\
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: web, namespace: x}
spec:
  policyRefs: [{name: tags, kind: ValidatingPolicy}]
  matchConditions: [{name: web, expression: object.metadata.name == 'web'}]
";
    let bad = POD.replace(":1", ":latest");
    let broken = exception.replace("policyRefs", "policyReferences");
    let files = [
        ("policy.yaml", POLICY),
        ("pod.yaml", bad.as_str()),
        ("exception.yaml", exception),
        ("broken.yaml", broken.as_str()),
    ];
    let with =
        |file: &str| run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "-e", file], "");
    let exempted = with("exception.yaml");
    assert_eq!(exempted.code, 0, "{}", exempted.err);
    assert!(exempted.out.contains("to 1 resource(s) with 1 exception(s)...\n"), "{}", exempted.out);
    assert!(exempted.out.ends_with("\npass: 0, fail: 0, warn: 0, error: 0, skip: 1 \n"), "{}", exempted.out);
    assert_eq!(with("broken.yaml").code, 1);
}

#[test]
fn a_test_folder_asks_its_context_file() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = POLICY.replace(
        "variables.images.size() < 2",
        "resource.get('v1', 'configmaps', 'x', 'max').data.count == string(variables.images.size())",
    );
    let context = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Context
metadata: {name: context}
spec:
  resources:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: max, namespace: x}, data: {count: '1'}}
";
    let test = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: tags}
policies: [policy.yaml]
resources: [pod.yaml]
context: context.yaml
results:
- {policy: tags, kind: Pod, resources: [web], result: pass, isValidatingPolicy: true}
";
    let files = [
        ("policy.yaml", policy.as_str()),
        ("pod.yaml", POD),
        ("context.yaml", context),
        ("kyverno-test.yaml", test),
    ];
    let passed = run(&program, &files, &["test", "."], "");
    assert_eq!(passed.code, 0, "{}{}", passed.out, passed.err);
    assert!(passed.out.contains("Test Summary: 1 tests passed and 0 tests failed"), "{}", passed.out);
    let without = run(
        &program,
        &[files[0], files[1], ("kyverno-test.yaml", &test.replace("context: context.yaml\n", ""))],
        &["test", "."],
        "",
    );
    assert_eq!(without.code, 1, "{}", without.out);
}

#[test]
fn a_rule_in_cel_is_one_of_the_policy_and_its_mistakes_are_named() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: tags}
spec:
  rules:
  - name: latest
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: name a version
      cel:
        variables:
        - {name: images, expression: 'object.spec.containers.map(c, c.image)'}
        expressions:
        - expression: variables.images.all(i, !i.endsWith(':latest'))
";
    let deployment = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: app, image: 'nginx:latest'}
";
    let wrong = policy.replace("object.spec", "objet.spec");
    let files = [
        ("policy.yaml", policy),
        ("wrong.yaml", wrong.as_str()),
        ("pod.yaml", POD),
        ("deployment.yaml", deployment),
    ];
    let with = |args: &[&str]| run(&program, &files, &[&["apply"], args].concat(), "");
    let passed = with(&["policy.yaml", "-r", "pod.yaml"]);
    assert_eq!((passed.code, passed.err.as_str()), (0, ""), "{}", passed.out);
    let failed = with(&["policy.yaml", "-r", "deployment.yaml"]);
    assert_eq!(failed.code, 1);
    assert!(failed.out.contains("1 - autogen-latest name a version\n"), "{}", failed.out);
    // What cannot be decided never passes.
    let wrong = with(&["wrong.yaml", "-r", "pod.yaml"]);
    assert_eq!(wrong.code, 1);
    let words = "1 - latest expression 'variables.images.all(i, !i.endsWith(':latest'))' resulted in error: \
                 composited variable \"images\" fails to compile: compilation failed: ERROR: <input>:1:1: undeclared \
                 reference to 'objet' (in container '')";
    assert!(wrong.out.contains(words), "{}", wrong.out);
    assert!(wrong.err.contains("wrong.yaml:12:39"), "{}", wrong.err);
}

#[test]
fn the_playground_names_rows_after_the_policy_and_keeps_whole_numbers() {
    let policy = "\
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: odd, namespace: a}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas % 2 == 1
";
    let deployment =
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a}, spec: {replicas: 3}}";
    let rows = |host: Host, namespace: &str| -> Vec<(String, Status)> {
        let deployment = deployment.replace("namespace: a", &format!("namespace: {namespace}"));
        let rows = evaluated_by(host, policy, &deployment).into_iter();
        rows.map(|row| (row.rule.to_string(), row.status)).collect()
    };
    assert_eq!(rows(Host::Playground, "a"), [("odd".to_owned(), Status::Pass)]);
    assert_eq!(rows(Host::Playground, "b"), []);
    // In the CLI such a policy is for every namespace, and every number is a double, which has no remainder.
    assert_eq!(rows(Host::Cli, "b"), [(String::new(), Status::Error)]);
}

const ADMISSION: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= double(params.data.max)
    messageExpression: \"'at most ' + params.data.max\"
";

#[test]
fn a_policy_of_kubernetes_takes_parameters_by_its_bindings() {
    let Some(program) = program::find_or_skip() else { return };
    let binding = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec:
  policyName: replicas
  paramRef: {name: few, parameterNotFoundAction: Deny}
";
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3}}";
    let params = "{apiVersion: v1, kind: ConfigMap, metadata: {name: few}, data: {max: '2'}}";
    let files = [
        ("policy.yaml", ADMISSION),
        ("binding.yaml", binding),
        ("deployment.yaml", deployment),
        ("pod.yaml", POD),
        ("params.yaml", params),
    ];
    let with = |args: &[&str]| run(&program, &files, &[&["apply", "policy.yaml"], args].concat(), "");
    let bound = with(&["binding.yaml", "-r", "deployment.yaml", "--parameter-resource", "params.yaml"]);
    assert_eq!(bound.code, 1, "{}", bound.err);
    assert!(bound.out.contains("1 - replicas at most 2\n"), "{}", bound.out);
    let report =
        with(&["binding.yaml", "-r", "deployment.yaml", "--parameter-resource", "params.yaml", "-p"]);
    for part in ["binding: few", "process: background scan", "source: ValidatingAdmissionPolicy"] {
        assert!(report.out.contains(part), "{part}: {}", report.out);
    }
    // Without a parameter nothing can be compared, and that is an error.
    let without = with(&["-r", "deployment.yaml"]);
    assert_eq!(without.code, 1);
    assert!(without.out.ends_with("\npass: 0, fail: 0, warn: 0, error: 1, skip: 0 \n"), "{}", without.out);
    let other = with(&["-r", "pod.yaml"]);
    assert!(other.out.ends_with("\npass: 0, fail: 0, warn: 0, error: 0, skip: 0 \n"), "{}", other.out);
}

#[test]
fn a_payload_is_evaluated_by_policies_that_ask_for_one() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: small}
spec:
  evaluation: {mode: JSON}
  validations:
  - {expression: object.size() < 2, message: too much}
";
    let files = [
        ("small.yaml", policy),
        ("policy.yaml", POLICY),
        ("one.json", "{\"a\": 1}"),
        ("two.yaml", "n: 1\nyes: 2\n"),
        ("list.json", "[1]"),
    ];
    let with =
        |args: &[&str]| run(&program, &files, &[&["apply", "small.yaml", "policy.yaml"], args].concat(), "");
    assert_eq!(with(&["--json", "one.json"]).code, 0);
    let two = with(&["--json", "two.yaml"]);
    assert_eq!(two.code, 1);
    assert!(
        two.out.contains("policy small -> resource JSON payload failed:\n1 -  too much\n"),
        "{}",
        two.out
    );
    let list = with(&["--json", "list.json"]);
    assert_eq!(list.code, 1, "{}{}", list.out, list.err);
    let both = with(&["--json", "one.json", "-r", "one.json"]);
    let words = "Error: both resource and json files can not be used together, use one or the other\n";
    assert_eq!((both.code, both.err.as_str()), (1, words));
}

#[test]
fn a_test_folder_names_payloads_by_their_files() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: small}
spec:
  evaluation: {mode: JSON}
  validations:
  - {expression: object.size() < 2, message: too much}
";
    let test = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: small}
policies: [policy.yaml]
jsonPayloads: [one.json, two.json]
results:
- {policy: small, kind: '', resources: [one.json], result: pass}
- {policy: small, kind: '', resources: [two.json], result: fail}
";
    let files = [
        ("policy.yaml", policy),
        ("one.json", "{\"a\": 1}"),
        ("two.json", "{\"a\": 1, \"b\": 2}"),
        ("kyverno-test.yaml", test),
    ];
    let tested = run(&program, &files, &["test", "."], "");
    assert_eq!(tested.code, 0, "{}{}", tested.out, tested.err);
    assert!(tested.out.contains("  Loading JSON payloads ...\n"), "{}", tested.out);
    assert!(tested.out.contains("to 0 resources with 0 exceptions"), "{}", tested.out);
    for row in ["│ /one.json │ Pass   │ Ok     │", "│ /two.json │ Pass   │ Ok     │"] {
        assert!(tested.out.contains(row), "{}", tested.out);
    }
    let wrong =
        [files[0], files[1], files[2], ("kyverno-test.yaml", &test.replace("result: fail", "result: pass"))];
    assert_eq!(run(&program, &wrong, &["test", "."], "").code, 1);
}

// Kyverno: the processors of policies in CEL take `GlobalOperation`, which reads the values file alone.
#[test]
fn the_operation_of_a_flag_does_not_count() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = POLICY
        .replace("operations: [CREATE]", "operations: ['*']")
        .replace("variables.images.size() < 2", "request.operation == 'CREATE'");
    let values =
        "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nglobalValues: {request.operation: DELETE}\n";
    let files = [("policy.yaml", policy.as_str()), ("pod.yaml", POD), ("values.yaml", values)];
    let with = |args: &[&str]| {
        run(&program, &files, &[&["apply", "policy.yaml", "-r", "pod.yaml"], args].concat(), "")
    };
    let flag = with(&["--set", "request.operation=DELETE"]);
    assert_eq!(flag.code, 0, "{}", flag.out);
    assert!(
        flag.err.contains("`--set request.operation` does not count for policies in CEL"),
        "{}",
        flag.err
    );
    let file = with(&["--values-file", "values.yaml"]);
    assert_eq!((file.code, file.err.contains("does not count")), (1, false), "{}", file.out);
}

#[test]
fn a_mistake_in_a_condition_of_an_exception_stands_at_its_character() {
    let Some(program) = program::find_or_skip() else { return };
    let exception = "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec:\n  policyRefs: [{name: tags, kind: \
                     ValidatingPolicy}]\n  matchConditions:\n  - name: c\n    expression: object.kind != '' && nope\n";
    let files = [("p.yaml", POLICY), ("r.yaml", POD), ("e.yaml", exception)];
    let all = run(&program, &files, &["apply", "p.yaml", "-r", "r.yaml", "-e", "e.yaml"], "");
    let said = "error[bad-expression]: spec.matchConditions[0].expression: undeclared reference to 'nope' (in container '')\n --> e.yaml:8:38\n";
    assert!(all.err.contains(said) && all.code == 1, "{}{}", all.out, all.err);
}
