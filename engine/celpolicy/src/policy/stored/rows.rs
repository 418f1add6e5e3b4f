//! What each field has to be, in the order in which an API server says it.

use super::Check::{Alone, By, Each, EachOneOf, Fields, Needed, OneOf};
use super::{Row, checks};

const METADATA: &[Row] = &[
    ("name", By(checks::name)),
    ("labels", By(checks::labels)),
    ("annotations", By(checks::annotations)),
    ("ownerReferences", Each(OWNER)),
];

const OWNER: &[Row] = &[("", By(checks::owner))];

const SELECTOR: &[Row] = &[("matchLabels", By(checks::labels)), ("matchExpressions", Each(REQUIREMENT))];

const REQUIREMENT: &[Row] =
    &[("", By(checks::operator)), ("key", By(checks::label_key)), ("values", By(checks::label_values))];

const OPERATIONS: &[Row] = &[
    ("operations", Needed("")),
    ("operations", Alone("if '*' is present, must not specify other operations")),
    ("operations", EachOneOf(&["*", "CONNECT", "CREATE", "DELETE", "UPDATE"])),
];

const KINDS: &[Row] = &[
    ("apiGroups", Needed("")),
    ("apiGroups", Alone("if '*' is present, must not specify other API groups")),
    ("apiVersions", Needed("")),
    ("apiVersions", Alone("if '*' is present, must not specify other API versions")),
    ("apiVersions", Each(&[("", Needed(""))])),
    ("resources", By(checks::resources)),
    ("scope", OneOf(&["*", "Cluster", "Namespaced"])),
];

const RULE: &[Row] =
    &[("resourceNames", By(checks::resource_names)), ("", Fields(OPERATIONS)), ("", Fields(KINDS))];

/// Of a webhook that Kyverno makes of a policy in CEL: names are not among its rules.
pub(super) const WEBHOOK: &[Row] = &[(
    "spec",
    Fields(&[(
        "matchConstraints",
        Fields(&[("resourceRules", Each(&[("", Fields(OPERATIONS)), ("", Fields(KINDS))]))]),
    )]),
)];

/// The same of one that generates: its operations are Kyverno's.
pub(super) const GENERATING_WEBHOOK: &[Row] =
    &[("spec", Fields(&[("matchConstraints", Fields(&[("resourceRules", Each(KINDS))]))]))];

const CONSTRAINTS: &[Row] = &[
    ("matchPolicy", OneOf(&["Equivalent", "Exact"])),
    ("namespaceSelector", Fields(SELECTOR)),
    ("objectSelector", Fields(SELECTOR)),
    ("resourceRules", Each(RULE)),
    ("excludeResourceRules", Each(RULE)),
];

/// Of a policy alone: its rules say which types expressions are about.
const CONSTRAINTS_OF_POLICY: &[Row] = &[("", Fields(CONSTRAINTS)), ("resourceRules", Needed(""))];

const FAILURE_POLICY: Row = ("failurePolicy", OneOf(&["Fail", "Ignore"]));

const CONDITION: &[Row] = &[
    ("expression", By(checks::condition)),
    ("name", By(checks::condition_name)),
    ("name", By(checks::unique)),
];

const VARIABLE: &[Row] = &[("name", By(checks::variable_name)), ("expression", By(checks::variable))];

const VALIDATION: &[Row] = &[
    ("expression", By(checks::validation)),
    ("messageExpression", By(checks::message_expression)),
    ("message", By(checks::message)),
    ("reason", OneOf(&["Forbidden", "Invalid", "RequestEntityTooLarge"])),
];

const ANNOTATION: &[Row] = &[
    ("key", By(checks::annotation_key)),
    ("valueExpression", By(checks::annotation)),
    ("key", By(checks::unique)),
];

const SPEC: &[Row] = &[
    FAILURE_POLICY,
    ("paramKind", By(checks::param_kind)),
    ("matchConstraints", Needed("")),
    ("matchConstraints", Fields(CONSTRAINTS_OF_POLICY)),
    ("matchConditions", By(checks::at_most_64)),
    ("matchConditions", Each(CONDITION)),
    ("variables", Each(VARIABLE)),
    ("", By(checks::asks_something)),
    ("validations", Each(VALIDATION)),
    ("auditAnnotations", By(checks::at_most_20)),
    ("auditAnnotations", Each(ANNOTATION)),
];

/// `ValidatingAdmissionPolicy`.
pub(super) const POLICY: &[Row] = &[("metadata", Fields(METADATA)), ("spec", Fields(SPEC))];

const MUTATING_SPEC: &[Row] = &[
    FAILURE_POLICY,
    ("paramKind", By(checks::param_kind)),
    ("matchConstraints", Needed("")),
    ("matchConstraints", Fields(CONSTRAINTS_OF_POLICY)),
    ("matchConstraints", By(checks::no_deletion)),
    ("matchConditions", By(checks::at_most_64)),
    ("matchConditions", Each(CONDITION)),
    ("variables", Each(VARIABLE)),
    ("mutations", Needed("mutations must contain at least one item")),
    ("mutations", Each(&[("", By(checks::mutation))])),
    ("reinvocationPolicy", Needed("")),
    ("reinvocationPolicy", By(checks::reinvocation)),
];

/// `MutatingAdmissionPolicy`.
pub(super) const MUTATING: &[Row] = &[("metadata", Fields(METADATA)), ("spec", Fields(MUTATING_SPEC))];

const REFERENCE: &[Row] = &[
    ("name", By(checks::parameter_name)),
    ("selector", Fields(SELECTOR)),
    ("selector", By(checks::not_beside_name)),
    ("", By(checks::name_or_selector)),
    ("parameterNotFoundAction", By(checks::not_found_action)),
];

const BOUND: &[Row] = &[
    ("policyName", By(checks::policy_name)),
    ("paramRef", Fields(REFERENCE)),
    ("matchResources", Fields(CONSTRAINTS)),
];

const BINDING_SPEC: &[Row] = &[("", Fields(BOUND)), ("validationActions", By(checks::actions))];

/// `ValidatingAdmissionPolicyBinding`.
pub(super) const BINDING: &[Row] = &[("metadata", Fields(METADATA)), ("spec", Fields(BINDING_SPEC))];

const MUTATING_BINDING_SPEC: &[Row] = &[("", Fields(BOUND)), ("matchResources", By(checks::no_deletion))];

/// `MutatingAdmissionPolicyBinding`.
pub(super) const MUTATING_BINDING: &[Row] =
    &[("metadata", Fields(METADATA)), ("spec", Fields(MUTATING_BINDING_SPEC))];
