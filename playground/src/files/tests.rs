//! Where the documents of files go, and that nothing of them is lost.

use super::{File, open};
use crate::slot::Slot;
use crate::texts::Texts;

fn file(name: &str, text: &str) -> File {
    File { name: name.to_owned(), text: text.to_owned(), profiles: None }
}

#[test]
fn documents_go_to_their_inputs_as_they_are_written() {
    let mixed = "# why\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\n---\napiVersion: v1\nkind: Pod\n---\n# empty\n---\napiVersion: kyverno.io/v2\nkind: PolicyException\n";
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition";
    let mut current = Texts::default();
    current.set(Slot::Context, "context: {}");
    let (work, notes) =
        open(&[file("mixed.yaml", mixed), file("crd.yaml", crd), file("pod.yaml", "kind: Pod\n")], &current);
    let text = |slot| work.texts.get(slot).to_owned();
    assert_eq!(text(Slot::Policy), "# why\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\n");
    assert_eq!(text(Slot::Resource), "apiVersion: v1\nkind: Pod\n---\nkind: Pod\n");
    assert_eq!(text(Slot::Exceptions), "apiVersion: kyverno.io/v2\nkind: PolicyException\n");
    assert_eq!(text(Slot::Definitions), format!("{crd}\n"));
    assert_eq!(text(Slot::Context), "context: {}");
    assert_eq!(notes, ["mixed.yaml, crd.yaml, pod.yaml read into Policies, Exceptions, CRDs, Resources"]);
}

#[test]
fn a_network_policy_is_a_resource_and_an_empty_file_is_told() {
    let (work, _) =
        open(&[file("n.yaml", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n")], &Texts::default());
    assert!(work.texts.get(Slot::Policy).is_empty());
    assert!(work.texts.get(Slot::Resource).contains("NetworkPolicy"));
    let (_, notes) = open(&[file("n.yaml", "# nothing\n")], &Texts::default());
    assert_eq!(notes, ["there is nothing to read in n.yaml"]);
}
