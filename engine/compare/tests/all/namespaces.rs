//! Labels of the Namespace in which an object is.

use crate::shared::compared;
use engine_compare::Grade;

/// Two tests of labels that say something else of some value.
const APART: [(&str, &str); 5] = [
    ("LABELS.?env.orValue('') != 'prod'", "!LABELS.?env.orValue('').startsWith('prod')"),
    ("LABELS.?env.orValue('') != 'prod'", "!LABELS.?env.orValue('').endsWith('prod')"),
    ("!LABELS.?env.orValue('').matches('^prod-[0-9]+$')", "!LABELS.?env.orValue('').matches('^prod-.*$')"),
    ("!LABELS.?env.orValue('').matches('^prod')", "!LABELS.?env.orValue('').matches('prod')"),
    (
        "LABELS.?env.orValue('') != 'prod' || LABELS.?team.orValue('') != 'pay'",
        "LABELS.?env.orValue('') != 'prod' || LABELS.?team.orValue('') in ['', 'x']",
    ),
];

#[test]
fn values_that_only_begin_or_end_as_a_constant_are_tried() {
    for (old, new) in APART {
        let [old, new] = [old, new].map(|text| text.replace("LABELS", "namespaceObject.metadata.?labels"));
        assert_eq!(compared("configmaps", &old, &new).grade, Grade::Different, "{old} {new}");
    }
}
