//! The Secret warning: what must be seen, and what must not be cried about.

use crate::share::holds_secret;

#[test]
fn a_secret_is_seen_however_it_is_written() {
    let seen = [
        "kind: Secret\ndata: {a: Yg==}\n",
        "apiVersion: v1\nkind: \"Secret\"  # mind\nstringData:\n  a: b\n",
        "{kind: Secret, data: {a: Yg==}}",
        r#"{"apiVersion":"v1","kind":"Secret","data":{"a":"Yg=="}}"#,
        "kind: Pod\n---\nkind : Secret\ndata :\n  a: Yg==\n  broken: [\n",
        "items:\n- kind: Secret\n  data: {a: Yg==}\n",
    ];
    for text in seen {
        assert!(holds_secret(text), "{text}");
    }
    for text in [
        "kind: Secret\n",
        "kind: SecretStore\ndata: {}\n",
        "kinds: [Secret]\ndata: 1\n",
        "mykind: Secret\ndata: 1\n",
    ] {
        assert!(!holds_secret(text), "{text}");
    }
}

#[test]
fn policies_about_secrets_and_empty_secrets_are_no_secrets() {
    assert!(!holds_secret(
        "kind: ClusterPolicy\nspec:\n  rules:\n  - match:\n      any:\n      - resources:\n          kinds:\n          - Secret\n"
    ));
    assert!(!holds_secret("kind: Secret\nmetadata:\n  name: s\n---\nkind: ConfigMap\ndata:\n  a: b\n"));
}
