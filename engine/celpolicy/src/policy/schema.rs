//! What policies that validate may hold, their exceptions and their bindings.
//!
//! Mirrors: the CRD `validatingpolicies.policies.kyverno.io` of Kyverno 1.19 (that of the namespaced kind is the same), and
//! `admissionregistration.k8s.io/v1` of Kubernetes 1.32.

use engine::load::table::{
    Kind, METADATA, Struct, any, by_value, field, flag, plain, pointer, text, text_map, texts,
};

pub(super) static RULE: Struct = plain(&[
    texts("apiGroups"),
    texts("apiVersions"),
    texts("operations"),
    texts("resources"),
    texts("resourceNames"),
    text("scope"),
]);

pub(super) static REQUIREMENT: Struct =
    plain(&[text("key").required(), text("operator").required(), texts("values")]);

pub(super) static SELECTOR: Struct =
    plain(&[text_map("matchLabels"), field("matchExpressions", Kind::Structs(&REQUIREMENT))]);

pub(super) static CONSTRAINTS: Struct = plain(&[
    field("resourceRules", Kind::Structs(&RULE)),
    field("excludeResourceRules", Kind::Structs(&RULE)),
    pointer("namespaceSelector", &SELECTOR),
    pointer("objectSelector", &SELECTOR),
    text("matchPolicy"),
]);

pub(super) static NAMED: Struct = plain(&[text("name").required(), text("expression").required()]);

pub(super) static VALIDATION: Struct =
    plain(&[text("expression").required(), text("message"), text("messageExpression"), text("reason")]);

pub(super) static ANNOTATION: Struct = plain(&[text("key").required(), text("valueExpression").required()]);

pub(super) static SWITCH: Struct = plain(&[flag("enabled")]);

static EVALUATION: Struct =
    plain(&[text("mode"), pointer("admission", &SWITCH), pointer("background", &SWITCH)]);

pub(super) static CONTROLLERS: Struct = plain(&[texts("controllers")]);

static AUTOGEN: Struct =
    plain(&[pointer("podControllers", &CONTROLLERS), pointer("validatingAdmissionPolicy", &SWITCH)]);

pub(super) static WEBHOOK: Struct = plain(&[field("timeoutSeconds", Kind::Integer(i64::MIN))]);

static SPEC: Struct = plain(&[
    pointer("matchConstraints", &CONSTRAINTS),
    field("matchConditions", Kind::Structs(&NAMED)),
    field("variables", Kind::Structs(&NAMED)),
    field("validations", Kind::Structs(&VALIDATION)),
    field("auditAnnotations", Kind::Structs(&ANNOTATION)),
    field("failurePolicy", Kind::OneOf(&["Ignore", "Fail"])),
    field("validationActions", Kind::List(&Kind::OneOf(&["Deny", "Audit", "Warn"]))),
    pointer("evaluation", &EVALUATION),
    pointer("autogen", &AUTOGEN),
    pointer("webhookConfiguration", &WEBHOOK),
]);

static REFERENCE: Struct = plain(&[text("name").required(), text("kind").required()]);

static EXCEPTION_SPEC: Struct = plain(&[
    field("policyRefs", Kind::Structs(&REFERENCE)).required(),
    field("matchConditions", Kind::Structs(&NAMED)),
    texts("images"),
    texts("allowedValues"),
    field("reportResult", Kind::OneOf(&["skip", "pass"])),
    any("expiresAt"),
    any("evaluationMode"),
    any("properties"),
]);

pub(super) static PARAM_KIND: Struct = plain(&[text("apiVersion"), text("kind")]);

static LOOSE_VALIDATION: Struct =
    plain(&[text("expression"), text("message"), text("messageExpression"), text("reason")]);

pub(super) static LOOSE_NAMED: Struct = plain(&[text("name"), text("expression")]);

pub(super) static LOOSE_ANNOTATION: Struct = plain(&[text("key"), text("valueExpression")]);

// Kyverno: of built-in kinds unknown fields and wrong types are refused, and nothing is required.
static ADMISSION_SPEC: Struct = plain(&[
    pointer("paramKind", &PARAM_KIND),
    pointer("matchConstraints", &CONSTRAINTS),
    field("validations", Kind::Structs(&LOOSE_VALIDATION)),
    text("failurePolicy"),
    field("auditAnnotations", Kind::Structs(&LOOSE_ANNOTATION)),
    field("matchConditions", Kind::Structs(&LOOSE_NAMED)),
    field("variables", Kind::Structs(&LOOSE_NAMED)),
]);

static PARAM_REF: Struct = plain(&[
    text("name"),
    text("namespace"),
    pointer("selector", &SELECTOR),
    text("parameterNotFoundAction"),
]);

static BINDING_SPEC: Struct = plain(&[
    text("policyName"),
    pointer("paramRef", &PARAM_REF),
    pointer("matchResources", &CONSTRAINTS),
    texts("validationActions"),
]);

/// `ValidatingAdmissionPolicy`.
pub static ADMISSION: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &ADMISSION_SPEC),
    any("status"),
]);

/// `ValidatingAdmissionPolicyBinding`.
pub static BINDING: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &BINDING_SPEC),
]);

/// `PolicyException`.
pub static EXCEPTION: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &EXCEPTION_SPEC).required(),
    any("status"),
]);

/// `ValidatingPolicy` and `NamespacedValidatingPolicy`.
pub static VALIDATING: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &SPEC).required(),
    any("status"),
]);
