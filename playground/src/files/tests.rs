//! Where the documents of files go, and that nothing of them is lost unsaid.

use super::{Document, File, Taken, open};
use crate::slot::Slot;
use crate::texts::Texts;

fn document(api_version: &str, kind: &str, text: &str) -> Document {
    Document { text: text.to_owned(), api_version: api_version.to_owned(), kind: kind.to_owned() }
}

fn file(name: &str, documents: Vec<Document>) -> File {
    File { name: name.to_owned(), documents, ..File::default() }
}

fn taken(files: Vec<File>) -> Taken {
    Taken { files, ..Taken::default() }
}

#[test]
fn documents_go_to_their_inputs_as_they_are_written() {
    let policy = "# why\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\n";
    let exception = "{\"apiVersion\": \"kyverno.io/v2\", \"kind\": \"PolicyException\"}";
    let mixed = vec![
        document("kyverno.io/v1", "ClusterPolicy", policy),
        document("v1", "Pod", "apiVersion: v1\nkind: Pod\n"),
        document("kyverno.io/v2", "PolicyException", exception),
    ];
    let crd = vec![document("apiextensions.k8s.io/v1", "CustomResourceDefinition", "kind: x")];
    let pod = vec![document("", "Pod", "kind: Pod\n")];
    let mut current = Texts::default();
    current.set(Slot::Context, "context: {}");
    let files = taken(vec![file("mixed.yaml", mixed), file("crd.yaml", crd), file("pod.yaml", pod)]);
    let (work, notes) = open(&files, &current);
    let text = |slot| work.texts.get(slot).to_owned();
    assert_eq!(text(Slot::Policy), policy);
    assert_eq!(text(Slot::Resource), "apiVersion: v1\nkind: Pod\n---\nkind: Pod\n");
    assert_eq!(text(Slot::Exceptions), format!("{exception}\n"));
    assert_eq!(text(Slot::Definitions), "kind: x\n");
    assert_eq!(text(Slot::Context), "context: {}");
    assert_eq!(notes, ["mixed.yaml, crd.yaml, pod.yaml read into Policies, Exceptions, CRDs, Resources"]);
}

#[test]
fn admission_policies_and_their_bindings_are_policies() {
    let of = |kind: &str| document("admissionregistration.k8s.io/v1", kind, &format!("kind: {kind}\n"));
    let documents = vec![
        of("ValidatingAdmissionPolicy"),
        of("ValidatingAdmissionPolicyBinding"),
        of("ValidatingWebhookConfiguration"),
    ];
    let (work, _) = open(&taken(vec![file("all.yaml", documents)]), &Texts::default());
    let policies = "kind: ValidatingAdmissionPolicy\n---\nkind: ValidatingAdmissionPolicyBinding\n";
    assert_eq!(work.texts.get(Slot::Policy), policies);
    assert_eq!(work.texts.get(Slot::Resource), "kind: ValidatingWebhookConfiguration\n");
}

#[test]
fn a_network_policy_is_a_resource_and_an_empty_file_is_described() {
    let policy = document("networking.k8s.io/v1", "NetworkPolicy", "kind: NetworkPolicy\n");
    let (work, _) = open(&taken(vec![file("n.yaml", vec![policy])]), &Texts::default());
    assert!(work.texts.get(Slot::Policy).is_empty());
    assert!(work.texts.get(Slot::Resource).contains("NetworkPolicy"));
    let (_, notes) = open(&taken(vec![file("n.yaml", Vec::new())]), &Texts::default());
    assert_eq!(notes, ["there is nothing to read in n.yaml"]);
}

#[test]
fn files_of_the_command_line_are_no_resources() {
    let files = taken(vec![
        file("kyverno-test.yaml", vec![document("cli.kyverno.io/v1alpha1", "Test", "kind: Test\n")]),
        file("values.yaml", vec![document("cli.kyverno.io/v1alpha1", "Values", "kind: Values\n")]),
        file("context.yaml", vec![document("cli.kyverno.io/v1alpha1", "Context", "kind: Context\n")]),
        file("pod.yaml", vec![document("v1", "Pod", "kind: Pod\n")]),
    ]);
    let (work, notes) = open(&files, &Texts::default());
    assert_eq!(work.texts.get(Slot::Resource), "kind: Pod\n");
    assert_eq!(work.texts.get(Slot::ImageData), "kind: Context\n");
    assert_eq!(notes[0], "context.yaml, pod.yaml read into Resources, Image data");
    assert_eq!(
        notes[1],
        "left out, as only the Kyverno CLI reads it: Test in kyverno-test.yaml, Values in values.yaml; variables and user info \
         go into Request"
    );
}

#[test]
fn what_is_not_read_is_told_and_never_said_to_be_read() {
    let big = File { unread: true, ..file("big.yaml", Vec::new()) };
    let small = file("small.yaml", vec![document("v1", "Pod", "kind: Pod\n")]);
    let profiles = File { profiles: Some(Vec::new()), ..file("playground.yaml", Vec::new()) };
    let unread = "not read, as larger than 4 MiB, no UTF-8 text or no manifest: big.yaml";
    let left = "not read, as more than 200 files or 32 MiB at once: 3 more";
    let cases = [
        (vec![small, big.clone()], vec!["small.yaml read into Resources", unread, left]),
        (vec![big.clone(), profiles], vec!["playground.yaml holds no profile", unread, left]),
        (vec![big], vec![unread, left]),
    ];
    for (files, wanted) in cases {
        assert_eq!(open(&Taken { files, left: 3, ..Taken::default() }, &Texts::default()).1, wanted);
    }
}

/// What `files.js` hands over.
#[test]
fn files_are_read_from_json() {
    let json = r#"{"files": [{"name": "a.json", "unread": false, "profiles": null,
        "documents": [{"text": "{}", "apiVersion": "kyverno.io/v1", "kind": "Policy"}]}], "left": 2}"#;
    let taken: Taken = crate::reader::read(json).unwrap();
    assert_eq!(taken.left, 2);
    assert_eq!(open(&taken, &Texts::default()).0.texts.get(Slot::Policy), "{}\n");
}
