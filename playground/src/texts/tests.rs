//! The Secret warning: what must be seen, and what must not be cried about.

use super::{Texts, holds_secret};
use crate::slot::Slot;

#[test]
fn a_secret_with_data_is_seen_in_yaml_and_json() {
    assert!(holds_secret("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  a: Yg==\n"));
    assert!(holds_secret("kind: Pod\n---\nstringData:\n  a: b\nkind: \"Secret\"\n"));
    assert!(holds_secret("{\n  \"kind\": \"Secret\",\n  \"data\": {\"a\": \"Yg==\"}\n}"));
}

#[test]
fn policies_about_secrets_and_empty_secrets_are_no_secrets() {
    assert!(!holds_secret(
        "kind: ClusterPolicy\nspec:\n  rules:\n  - match:\n      any:\n      - resources:\n          kinds:\n          - Secret\n"
    ));
    assert!(!holds_secret("kind: Secret\nmetadata:\n  name: s\n---\nkind: ConfigMap\ndata:\n  a: b\n"));
}

#[test]
fn empty_texts_are_not_sent() {
    let mut texts = Texts::of_sample("kind: ClusterPolicy", "kind: Pod");
    texts.set(Slot::Context, "  \n");
    let input = texts.input();
    assert_eq!(input.policies.len(), 1);
    assert_eq!(input.resources.first().map(|text| text.name.as_str()), Some("resources.yaml"));
    assert!(input.context.is_empty());
    assert_eq!(input.host.as_deref(), Some("playground"));
}
