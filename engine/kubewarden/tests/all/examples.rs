//! The examples in the documentation of this crate, as they are written there.

/// src/lib.rs
#[test]
fn a_request_is_refused() {
    use engine_kubewarden::{Guest, Nowhere};
    let payload = r#"{
      "settings": {"policies": {"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "labels"}, "spec": {
        "rules": [{"name": "team", "match": {"any": [{"resources": {"kinds": ["Pod"]}}]}, "validate": {"failureAction": "Enforce",
          "message": "The label team is required.", "pattern": {"metadata": {"labels": {"team": "?*"}}}}}]}}},
      "request": {"operation": "CREATE", "kind": {"version": "v1", "kind": "Pod"}, "name": "web", "namespace": "shop",
        "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": []}}}
    }"#;
    let answer = Guest::default().call("validate", payload.as_bytes(), &Nowhere).unwrap();
    let answer = engine_json::parse(&String::from_utf8(answer).unwrap()).unwrap();
    assert_eq!(answer.get("accepted").unwrap().as_bool(), Some(false));
    assert!(
        answer
            .find_str(&["message"])
            .starts_with("\n\nresource Pod/shop/web was blocked due to the following policies")
    );
}
