//! Operators of conditions with keys and values of every form: what is converted decides as its source.
//!
//! In: conditions. Out: a failure where a comparison finds a difference, or where another text is made.

use crate::shared::{converted_of, denied, holds_within, policy, why_refused};
use engine_convert::Conversion;

fn holds_for(kind: &str, rule: &str) -> String {
    let conversion: Conversion = converted_of(policy("a: b", kind, rule));
    holds_within(&conversion, rule, 600);
    conversion.text()
}

#[test]
fn no_amount_equals_a_text_with_wildcards() {
    let label = "request.object.metadata.labels.k || ''";
    for wildcard in ["?*", "*", "?", "??", "1?", "1*", "*m", "?Gi"] {
        for operator in ["Equals", "NotEquals"] {
            let text = holds_for("Service", &denied(label, operator, &format!("'{wildcard}'")));
            assert!(text.contains("isQuantity(object.metadata.?labels.?k.orValue(''))"), "{text}");
            holds_for(
                "Service",
                &denied("request.object.spec.ports[0].targetPort", operator, &format!("'{wildcard}'")),
            );
        }
    }
    // No amount is like these, and no amount is a type.
    for (key, wildcard) in [(label, "web-*"), (label, "*:latest"), ("request.object.spec.type", "?*")] {
        let text = holds_for("Service", &denied(key, "Equals", &format!("'{wildcard}'")));
        assert!(!text.contains("isQuantity"), "{text}");
    }
    let said = why_refused(&converted_of(policy("a: b", "Service", &denied(label, "Equals", "'10'"))));
    assert!(said.contains("other amounts"), "{said}");
    // The operators of the family `In` know no amounts.
    for operator in ["AnyIn", "AllIn", "In", "AnyNotIn", "AllNotIn"] {
        let text = holds_for("Service", &denied(label, operator, "['1?', '?m']"));
        assert!(!text.contains("isQuantity"), "{text}");
    }
}

#[test]
fn no_text_with_wildcards_is_a_number_or_a_list() {
    for (kind, key) in [
        ("StatefulSet", "request.object.spec.replicas || `0`"),
        ("StatefulSet", "request.object.spec.template.spec.hostNetwork || `false`"),
        ("Service", "request.object.spec.externalIPs"),
        ("Service", "request.object.metadata.labels"),
    ] {
        for operator in ["Equals", "NotEquals"] {
            holds_for(kind, &denied(key, operator, "'?*'"));
        }
    }
    let text = holds_for("StatefulSet", &denied("request.object.spec.replicas", "Equals", "'05'"));
    assert!(text.contains("replicas != 5"), "{text}");
}

#[test]
fn what_a_request_decides_is_asked_of_ephemeral_containers_too() {
    let of_update = denied("request.operation", "Equals", "UPDATE");
    let of_user = denied("request.userInfo.username", "Equals", "jane");
    let of_old = denied("request.oldObject.metadata.labels.a || ''", "Equals", "b");
    for (rule, operations) in [(&of_update, ""), (&of_user, ""), (&of_old, ", operations: [UPDATE]")] {
        let no_autogen = "pod-policies.kyverno.io/autogen-controllers: none";
        let written = policy(no_autogen, "'Pod'", rule)
            .replace("['Pod']", &format!("[Pod]{operations}"))
            .replace("spec:", "spec:\n  background: false");
        let conversion = converted_of(written);
        holds_within(&conversion, rule, 600);
        let text = conversion.text();
        assert!(text.contains("resources: [pods/ephemeralcontainers]"), "{text}");
    }
    // What is asked about updates alone may be wrong of a Pod that is there.
    let pattern = "validate: {message: m, pattern: {metadata: {labels: {a: b}}}}";
    let of_updates = policy("a: b", "'Pod'", pattern).replace("['Pod']", "[Pod], operations: [UPDATE]");
    let conversion = converted_of(of_updates);
    holds_within(&conversion, pattern, 600);
    assert!(conversion.text().contains("pods/ephemeralcontainers"), "{}", conversion.text());
    // Of others the Pod is as it was let in.
    assert!(!holds_for("Pod", pattern).contains("pods/ephemeralcontainers"));
    let added = "preconditions: {all: [{key: '{{ request.operation }}', operator: Equals, value: UPDATE}]}\n\
                 mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}";
    assert!(!holds_for("Pod", added).contains("pods/ephemeralcontainers"));
}

#[test]
fn strings_in_place_of_lists_are_read_as_by_the_source() {
    let (label, images) =
        ("request.object.metadata.labels.k || ''", "request.object.spec.template.spec.containers[].image");
    // What is JSON and no list of strings meets no negated operator; the old operators read nothing else.
    for value in
        ["'10'", "'true'", "'{}'", "'[1, 2]'", "'web'", "'1-10'", "'null'", "'[\"web\", \"app\"]'", "'[]'"]
    {
        for operator in ["AnyIn", "AllIn", "AnyNotIn", "AllNotIn", "In", "NotIn"] {
            for (kind, key) in [
                ("Service", label),
                ("StatefulSet", images),
                ("StatefulSet", "request.object.spec.replicas || `0`"),
            ] {
                let rule = denied(key, operator, value);
                let conversion = converted_of(policy("a: b", kind, &rule));
                if conversion.is_whole() {
                    holds_within(&conversion, &rule, 150);
                }
            }
        }
    }
    let text = holds_for("Service", &denied(label, "AnyNotIn", "'10'"));
    assert!(text.contains("expression: 'true'"), "{text}");
    let refused = |kind: &str, key: &str, operator: &str, value: &str| {
        why_refused(&converted_of(policy("a: b", kind, &denied(key, operator, value))))
    };
    assert!(refused("StatefulSet", images, "AllIn", "'10'").contains("read as no list"));
    assert!(refused("Service", "request.object.spec.ports[].port", "NotIn", "['80']").contains("crashes"));
    assert!(refused("Role", "request.object.rules[].verbs", "AllIn", "['get']").contains("lists or maps"));
    let other = "'{{ request.object.metadata.annotations.other }}'";
    assert!(refused("Service", label, "AnyIn", other).contains("may read a list"));
    assert!(
        refused("StatefulSet", "request.object.spec.replicas", "Equals", other).contains("a number held")
    );
}

#[test]
fn amounts_and_numbers_are_ordered_as_by_the_source() {
    let (storage, target) =
        ("request.object.spec.resources.requests.storage", "request.object.spec.ports[0].targetPort");
    for operator in ["GreaterThan", "LessThanOrEquals"] {
        holds_for("PersistentVolumeClaim", &denied(storage, operator, "'10Gi'"));
        holds_for("Service", &denied(target, operator, "'10'"));
        let of_number = denied(storage, operator, "10");
        let said = why_refused(&converted_of(policy("a: b", "PersistentVolumeClaim", &of_number)));
        assert!(said.contains("ordered"), "{said}");
        let of_custom = denied("request.object.spec.field", operator, "'10'");
        assert!(!converted_of(policy("a: b", "example.com/v1/Thing", &of_custom)).is_whole());
    }
}

#[test]
fn the_keys_of_what_is_not_there_are_an_error() {
    for key in ["request.object.metadata.labels.keys(@)", "keys(request.object.metadata.labels)"] {
        for operator in ["AnyIn", "AllIn", "AnyNotIn", "AllNotIn"] {
            holds_for("Service", &denied(key, operator, "['a', 'b*']"));
            holds_for("Service", &denied(&format!("{key} || `[]`"), operator, "['a', 'b*']"));
            // A filter and `[]` take that error for null.
            holds_for("Service", &denied(&format!("{key}[?contains(@, 'a')]"), operator, "['a', 'b*']"));
            holds_for("Service", &denied(&format!("{key}[]"), operator, "['a', 'b*']"));
        }
    }
}

#[test]
fn a_field_alone_is_an_expression_that_gives_a_truth() {
    for pattern in ["{spec: {hostNetwork: true}}", "{spec: {securityContext: {runAsNonRoot: true}}}"] {
        let text = holds_for("Pod", &format!("validate: {{message: m, pattern: {pattern}}}"));
        assert!(text.contains(".orValue(false) == true"), "{text}");
    }
    holds_for("Pod", &denied("request.object.spec.hostNetwork || `false`", "Equals", "false"));
}

#[test]
fn nothing_is_taken_for_granted_of_fields_that_a_known_kind_has_not() {
    let pattern = "validate: {message: m, pattern: {spec: {containers: [{name: a}]}}}";
    let conversion = converted_of(policy("a: b", "ReplicationController", pattern));
    holds_within(&conversion, pattern, 150);
    assert!(conversion.field_types.is_empty(), "{:?}", conversion.notes);
}

#[test]
fn elements_are_merged_into_lists_by_their_keys() {
    for (list, patch) in [
        ("imagePullSecrets", "{spec: {imagePullSecrets: [{name: registry}]}}"),
        ("env", "{spec: {containers: [{(name): '*', env: [{name: A, value: x}]}]}}"),
        ("volumeMounts", "{spec: {containers: [{(name): '*', volumeMounts: [{name: v, mountPath: /m}]}]}}"),
    ] {
        let rule = format!("mutate: {{patchStrategicMerge: {patch}}}");
        let conversion = converted_of(policy("a: b", "Pod", &rule));
        holds_within(&conversion, &rule, 200);
        let taken = conversion.notes.iter().filter(|note| note.contains(&format!("`{list}` with a")));
        assert_eq!(taken.count(), 1, "{:?}", conversion.notes);
    }
}
