//! Operators of conditions with keys and values of every form: what is converted decides as its source.
//!
//! In: conditions. Out: a failure where a comparison finds a difference, or where another text is made.

mod shared;

use engine_convert::Conversion;
use shared::{converted_of, denied, holds_within, policy, why_refused};

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
