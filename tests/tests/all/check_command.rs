//! `podsieve check`: what an API server and Kyverno take, and the folders that an API server reads when it starts.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where a verdict, a place, words or the exit code differ.

use tests::program;
use tests::terminal::{Run, run};

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p.static.k8s.io}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: object.metadata.name != 'a'}]
";
const BINDING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b.static.k8s.io}
spec: {policyName: p.static.k8s.io, validationActions: [Deny]}
";
const PARAMETER: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n";
const EXCEPTION: &str = "\
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  policyRefs: [{name: v, kind: ValidatingPolicy}]
  matchConditions: [{name: c, expression: 'true'}]
";
const OWN: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: v}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: object.metadata.name != 'a'}]
";

fn all() -> String {
    let plain = |text: &str| text.replace(".static.k8s.io", "");
    [plain(POLICY), plain(BINDING), PARAMETER.into(), OWN.into(), EXCEPTION.into()].join("---\n")
}

fn checked(files: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    let program = program::find_or_skip()?;
    Some(run(&program, files, &[&["check"], arguments].concat(), ""))
}

#[test]
fn documents_of_all_kinds_in_one_file_are_taken() {
    let Some(answer) = checked(&[("all/a.yaml", &all())], &["all"]) else { return };
    assert_eq!(
        (answer.code, answer.out.as_str(), answer.err.as_str()),
        (0, "5 documents, Kubernetes 1.37: 5 taken, 0 refused\n", "")
    );
}

#[test]
fn what_is_refused_is_named_with_file_line_and_field() {
    let edits = [
        (
            "[Deny]",
            "[Block]",
            "a.yaml:12:43: error[refused]: an API server refuses ValidatingAdmissionPolicyBinding `b`: spec.validationActions[0]: ",
        ),
        ("data: {a: b}", "data: {a: 1}", "a.yaml:17:"),
        (
            "data: {a: b}",
            "date: {a: b}",
            "a.yaml:17:1: error[refused]: ConfigMap `c`: an API server refuses it: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"date\"\n",
        ),
        (
            "apiGroups: ['']",
            "apiGroups: ['*', a]",
            "spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other API groups\n",
        ),
        (
            "kind: ConfigMap",
            "kind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: s}, dota: {}}]",
            "a.yaml:16:61: error[refused]: Secret `s`: an API server refuses it: ",
        ),
    ];
    for (from, to, words) in edits {
        let text = all().replacen(from, to, 1);
        assert_ne!(text, all(), "{from}");
        let Some(answer) = checked(&[("a.yaml", &text)], &["a.yaml"]) else { return };
        assert_eq!(answer.code, 1, "{to}: {}", answer.out);
        assert!(answer.out.contains(words), "{to}: {}", answer.out);
        assert!(
            answer.out.ends_with("5 documents, Kubernetes 1.37: 4 taken, 1 refused\n"),
            "{to}: {}",
            answer.out
        );
    }
}

#[test]
fn the_release_decides_and_json_says_the_same() {
    let text = all().replace("object.metadata.name != 'a'", "isIP(object.metadata.name)");
    let Some(old) = checked(&[("a.yaml", &text)], &["a.yaml", "--kubernetes", "1.30", "--output", "json"])
    else {
        return;
    };
    assert_eq!(old.code, 1, "{}", old.out);
    for words in
        ["\"kubernetes\": \"1.30\"", "\"verdict\": \"refused\"", "an API server 1.30 refuses", "\"line\": 7"]
    {
        assert!(old.out.contains(words), "{words}: {}", old.out);
    }
    let Some(new) = checked(&[("a.yaml", &text)], &["a.yaml", "--kubernetes", "1.31"]) else { return };
    assert_eq!(new.code, 0, "{}", new.out);
    let Some(unknown) = checked(&[("a.yaml", &text)], &["a.yaml", "--kubernetes", "1.12"]) else { return };
    assert_eq!(unknown.code, 1);
    assert!(unknown.err.contains("known are the releases 1.30 to 1.38"), "{}", unknown.err);
}

#[test]
fn a_folder_for_the_start_of_a_server_is_taken() {
    let files =
        [("m/a.yaml", POLICY), ("m/b.yml", BINDING), ("m/more/c.yaml", "no: manifest"), ("m/notes.txt", "a")];
    let Some(answer) = checked(&files, &["m", "--static-manifests"]) else { return };
    assert_eq!((answer.code, answer.out.as_str()), (0, "2 documents, Kubernetes 1.37: 2 taken, 0 refused\n"));
}

/// Edits of both files, with what the server says when it starts.
const MANIFESTS: &[(&str, &str, &str)] = &[
    (
        "name: p.static.k8s.io}\nspec:\n  match",
        "name: p}\nspec:\n  match",
        "m/a.yaml:3:12: error[refused]: error loading m/a.yaml: \"p\" in file \"m/a.yaml\" must have a name ending with \".static.k8s.io\"\n",
    ),
    (
        "spec:\n  match",
        "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  match",
        "error loading m/a.yaml: ValidatingAdmissionPolicy \"p.static.k8s.io\": spec.paramKind is not supported for static manifests\n",
    ),
    (
        "spec:\n  match",
        "spec:\n  extra: 1\n  match",
        "m/a.yaml:5:3: error[refused]: error loading m/a.yaml: strict decoding error: unknown field \"spec.extra\"\n",
    ),
    (
        "{expression: object.metadata.name != 'a'}",
        "{expression: '1'}",
        "error loading m/a.yaml: ValidatingAdmissionPolicy \"p.static.k8s.io\": spec.validations[0].expression: ",
    ),
    (
        "policyName: p.static.k8s.io",
        "policyName: q.static.k8s.io",
        "m/b.yaml:4:8: error[refused]: binding \"b.static.k8s.io\" references policy \"q.static.k8s.io\" which does not exist in the manifest directory\n",
    ),
    (
        "policyName: p.static.k8s.io",
        "policyName: q",
        "error loading m/b.yaml: binding \"b.static.k8s.io\": spec.policyName \"q\" must end with \".static.k8s.io\"\n",
    ),
    (
        "[Deny]}",
        "[Deny], paramRef: {name: x, parameterNotFoundAction: Deny}}",
        "error loading m/b.yaml: binding \"b.static.k8s.io\": spec.paramRef is not supported for static manifests\n",
    ),
    (
        "kind: ValidatingAdmissionPolicyBinding",
        "kind: ConfigMap",
        "error loading m/b.yaml: no kind \"ConfigMap\" is registered for version \"admissionregistration.k8s.io/v1\" in scheme \"k8s.io/kubernetes/pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35\"\n",
    ),
    (
        "v1\nkind: ValidatingAdmissionPolicyBinding",
        "v1beta1\nkind: ValidatingAdmissionPolicyBinding",
        "error loading m/b.yaml: unsupported resource type *v1beta1.ValidatingAdmissionPolicyBinding\n",
    ),
];

#[test]
fn what_stops_a_server_is_said_in_its_words() {
    for (from, to, words) in MANIFESTS {
        let edited = [POLICY, BINDING].map(|text| text.replacen(from, to, 1));
        assert_ne!(edited, [POLICY, BINDING].map(str::to_owned), "{from}");
        let files = [("m/a.yaml", edited[0].as_str()), ("m/b.yaml", edited[1].as_str())];
        let Some(answer) = checked(&files, &["m", "--static-manifests"]) else { return };
        assert_eq!(answer.code, 1, "{to}: {}", answer.out);
        assert!(answer.out.contains(words), "{to}: {}", answer.out);
    }
    let twice = [("m/a.yaml", POLICY), ("m/b.yaml", POLICY)];
    let Some(answer) = checked(&twice, &["m", "--static-manifests"]) else { return };
    let words =
        "duplicate name \"p.static.k8s.io\" found in file \"m/b.yaml\" (previously seen in \"m/a.yaml\")";
    assert!(answer.out.contains(words), "{}", answer.out);
    let Some(old) = checked(&twice, &["m", "--static-manifests", "--kubernetes", "1.36"]) else { return };
    assert_eq!(old.code, 1);
    assert!(old.err.contains("since Kubernetes 1.37"), "{}", old.err);
}
