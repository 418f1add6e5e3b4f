//! Tables of `match`, `exclude`, label selectors and conditions.

use super::{Also, Field, Kind, Struct, any, by_value, field, plain, pointer, text, text_map, texts};

/// One of `matchExpressions`.
static REQUIREMENT: Struct = plain(&[text("key").required(), text("operator").required(), texts("values")]);

/// `metav1.LabelSelector`.
pub(in super::super) static LABEL_SELECTOR: Struct =
    plain(&[text_map("matchLabels"), field("matchExpressions", Kind::Structs(&REQUIREMENT))]);

/// `ResourceDescription`.
pub(in super::super) static RESOURCES: Struct = Struct {
    fields: &[
        texts("kinds"),
        text("name"),
        texts("names"),
        texts("namespaces"),
        text_map("annotations"),
        pointer("selector", &LABEL_SELECTOR),
        pointer("namespaceSelector", &LABEL_SELECTOR),
        field("operations", Kind::List(&Kind::OneOf(&["CREATE", "CONNECT", "UPDATE", "DELETE"]))),
    ],
    also: Also::NotBoth("name", "names"),
};

/// `rbacv1.Subject`.
static SUBJECT: Struct =
    plain(&[text("kind").required(), text("apiGroup"), text("name").required(), text("namespace")]);

const SUBJECTS: Field = field("subjects", Kind::Structs(&SUBJECT));

/// `ResourceFilter`.
pub(in super::super) static FILTER: Struct =
    plain(&[texts("roles"), texts("clusterRoles"), SUBJECTS, by_value("resources", &RESOURCES)]);

/// `MatchResources`.
pub(in super::super) static MATCH: Struct = Struct {
    fields: &[
        field("any", Kind::Structs(&FILTER)),
        field("all", Kind::Structs(&FILTER)),
        texts("roles").only_v1(),
        texts("clusterRoles").only_v1(),
        SUBJECTS.only_v1(),
        by_value("resources", &RESOURCES).only_v1(),
    ],
    also: Also::NotBoth("any", "all"),
};

/// `metav1.MatchCondition`: one of `celPreconditions`.
pub(super) static MATCH_CONDITION: Struct = plain(&[text("name").required(), text("expression").required()]);

/// `Condition`, where the schema knows it.
pub(super) static CONDITION: Struct =
    plain(&[any("key"), field("operator", Kind::OneOf(OPERATORS)), any("value"), text("message")]);

/// `Condition`, where the schema takes it as any JSON.
pub(super) static LOOSE_CONDITION: Struct =
    plain(&[any("key"), text("operator"), any("value"), text("message")]);

/// `AnyAllConditions`, where the schema knows it.
pub(super) static ANY_ALL: Struct =
    plain(&[field("any", Kind::Structs(&CONDITION)), field("all", Kind::Structs(&CONDITION))]);

/// `AnyAllConditions`, where the schema takes it as any JSON.
pub(super) static LOOSE_ANY_ALL: Struct =
    plain(&[field("any", Kind::Structs(&LOOSE_CONDITION)), field("all", Kind::Structs(&LOOSE_CONDITION))]);

/// `AnyAllConditions` of rules in `v2beta1`.
pub(super) static NEW_ANY_ALL: Struct =
    plain(&[field("any", Kind::Structs(&NEW_CONDITION)), field("all", Kind::Structs(&NEW_CONDITION))]);

static NEW_CONDITION: Struct =
    plain(&[any("key"), field("operator", Kind::OneOf(NEW_OPERATORS)), any("value"), text("message")]);

/// The operators that `v2beta1` takes in conditions of rules.
const NEW_OPERATORS: &[&str] = &[
    "Equals",
    "NotEquals",
    "AnyIn",
    "AllIn",
    "AnyNotIn",
    "AllNotIn",
    "GreaterThanOrEquals",
    "GreaterThan",
    "LessThanOrEquals",
    "LessThan",
    "DurationGreaterThanOrEquals",
    "DurationGreaterThan",
    "DurationLessThanOrEquals",
    "DurationLessThan",
];

/// The operators that the schema takes; `Equal` and `NotEqual` are known to the engine and not to it.
const OPERATORS: &[&str] = &[
    "Equals",
    "NotEquals",
    "In",
    "AnyIn",
    "AllIn",
    "NotIn",
    "AnyNotIn",
    "AllNotIn",
    "GreaterThanOrEquals",
    "GreaterThan",
    "LessThanOrEquals",
    "LessThan",
    "DurationGreaterThanOrEquals",
    "DurationGreaterThan",
    "DurationLessThanOrEquals",
    "DurationLessThan",
];
