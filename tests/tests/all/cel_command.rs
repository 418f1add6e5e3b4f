//! `podsieve cel`: what expressions give, what is wrong with them, what they may call.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where a value, a message or the place of a mistake
//! differs.

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

#[test]
fn an_expression_is_evaluated_over_a_resource() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("pod.yaml", POD)];
    let yaml = run(
        &program,
        &files,
        &["cel", "eval", "object.spec.containers.map(c, c.name)", "-r", "pod.yaml"],
        "",
    );
    assert_eq!((yaml.code, yaml.out.as_str(), yaml.err.as_str()), (0, "- app\n", ""));
    let json = run(
        &program,
        &files,
        &["cel", "eval", "quantity(limit) == quantity('1Gi')", "--var", "limit=1024Mi", "-o", "json"],
        "",
    );
    assert_eq!((json.code, json.out.as_str()), (0, "true\n"));
    let wrong = run(&program, &files, &["cel", "eval", "object.nope", "-r", "pod.yaml"], "");
    assert_eq!((wrong.code, wrong.err.as_str()), (1, "Error: no such key: nope\n"));
    let kind = run(&program, &files, &["cel", "eval", "1", "--kind", "Pod"], "");
    assert_eq!(kind.code, 1);
    assert!(kind.err.contains("known are ValidatingPolicy, "), "{}", kind.err);
}

#[test]
fn a_variable_without_a_value_is_named_with_what_to_do() {
    let Some(program) = program::find_or_skip() else { return };
    let said = |arguments: &[&str]| {
        let answer = run(&program, &[], arguments, "");
        assert_eq!((answer.code, answer.out.as_str()), (1, ""));
        answer.err
    };
    let object = said(&["cel", "eval", "object.spec"]);
    assert_eq!(
        object,
        "Error: no such attribute(s): object\n  tip: `object` is there with a resource: -r FILE\n"
    );
    let params = said(&["cel", "eval", "params.a", "--kind", "ValidatingAdmissionPolicy"]);
    assert_eq!(
        params,
        "Error: no such attribute(s): params\n  tip: give it a value with --var 'params=VALUE'\n"
    );
    let wrong = said(&["cel", "eval", "nope"]);
    assert_eq!(
        wrong,
        "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^\n"
    );
}

#[test]
fn each_kind_has_functions_of_its_own() {
    let Some(program) = program::find_or_skip() else { return };
    let has = |kind: &str, name: &str| {
        let listed = run(&program, &[], &["cel", "functions", name, "--kind", kind], "");
        listed.out.contains(&format!("Name: {name}\n"))
    };
    let kinds = ["ValidatingPolicy", "MutatingPolicy", "GeneratingPolicy", "DeletingPolicy", "validate.cel"];
    for (name, wanted) in [
        ("quantity", [true, true, true, true, true]),
        ("jsonpatch.escapeKey", [false, true, false, false, false]),
        ("apply", [false, false, true, false, false]),
        ("transformList", [false; 5]),
        ("parseServiceAccount", [true, true, false, false, false]),
        ("sha256", [true, true, true, true, false]),
    ] {
        assert_eq!(kinds.map(|kind| has(kind, name)), wanted, "{name}");
    }
}

#[test]
fn a_mistake_is_shown_at_its_place_in_the_yaml() {
    let Some(program) = program::find_or_skip() else { return };
    let folded = POLICY.replace(
        "  - expression: variables.images.all(i, !i.endsWith(':latest'))\n",
        "  - expression: >-\n      variables.images.all(i,\n      !i.endsWit(':latest'))\n",
    );
    let run = run(&program, &[("policy.yaml", folded.as_str())], &["cel", "check", "-f", "policy.yaml"], "");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("policy.yaml:13:17"), "{}", run.err);
    assert!(run.err.contains("undeclared reference to 'endsWit'"), "{}", run.err);
}

/// Kyverno loads both and reports the mistake with each resource.
#[test]
fn a_mistake_that_does_not_keep_a_policy_from_being_loaded_is_one_too() {
    let Some(program) = program::find_or_skip() else { return };
    let admission = POLICY.replace(
        "policies.kyverno.io/v1\nkind: ValidatingPolicy",
        "admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy",
    );
    let rule = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: rule}
spec:
  rules:
  - name: tags
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      cel:
        expressions:
        - expression: object.spec.containers.all(c, !c.image.endsWith(':latest'))
";
    for (text, sound) in [
        (admission.as_str(), "ValidatingAdmissionPolicy tags: all expressions compile\n"),
        (rule, "ClusterPolicy rule: all expressions compile\n"),
    ] {
        let checked =
            |text: &str| run(&program, &[("policy.yaml", text)], &["cel", "check", "-f", "policy.yaml"], "");
        let good = checked(text);
        assert_eq!((good.code, good.out.as_str(), good.err.as_str()), (0, sound, ""));
        let bad = checked(&text.replace("endsWith", "endsWit"));
        assert_eq!((bad.code, bad.out.as_str()), (1, ""), "{}", bad.err);
        assert!(bad.err.starts_with("error[bad-expression]"), "{}", bad.err);
        assert!(bad.err.contains("undeclared reference to 'endsWit'"), "{}", bad.err);
    }
    let none = run(&program, &[("pod.yaml", "")], &["cel", "check", "-f", "pod.yaml"], "");
    assert_eq!(none.err, "warning: there is no expression in CEL in these files: nothing was checked\n");
}

#[test]
fn functions_are_listed_with_their_signatures() {
    let Some(program) = program::find_or_skip() else { return };
    let run = run(&program, &[], &["cel", "functions", "isQuantity", "nope"], "");
    assert_eq!(run.code, 0);
    assert!(run.out.contains("Name: isQuantity\n  Signature: (string) -> bool\n"), "{}", run.out);
    assert_eq!(run.err, "warning: there is no function `nope`\n");
}

// The original stops behind the first list of expressions with a mistake, and so does the text of the refusal, which the recorded
// answers hold.
#[test]
fn every_mistake_of_a_policy_is_named_at_once() {
    let Some(program) = program::find_or_skip() else { return };
    let broken = POLICY
        .replace(
            "  variables:\n",
            "  matchConditions:\n  - {name: a, expression: request.operaton == 'CREATE'}\n  variables:\n",
        )
        .replace("c.image)'}", "c.image'}")
        .replace("variables.images.all(i, !i.", "variables.images.all(i, !j.")
        .replace("string(variables.images.size())", "variables.images.size().nope()");
    let checked =
        run(&program, &[("policy.yaml", broken.as_str())], &["cel", "check", "-f", "policy.yaml"], "");
    assert_eq!(checked.code, 1);
    let places: Vec<&str> =
        checked.err.lines().filter_map(|line| line.trim().strip_prefix("--> policy.yaml:")).collect();
    assert_eq!(places, ["9:34", "11:70", "13:42", "16:73"], "{}", checked.err);
}
