//! What policies that change things may hold.
//!
//! Mirrors: the CRDs of the group `policies.kyverno.io` of Kyverno 1.19 (those of the namespaced kinds are the same).

use super::schema::{
    ANNOTATION, CONSTRAINTS, CONTROLLERS, LOOSE_NAMED, NAMED, PARAM_KIND, RULE, SELECTOR, SWITCH, WEBHOOK,
};
use engine::load::table::{Kind, METADATA, Struct, any, by_value, field, flag, plain, pointer, text};

static DELETING_SPEC: Struct = plain(&[
    text("schedule").required(),
    pointer("matchConstraints", &CONSTRAINTS),
    field("conditions", Kind::Structs(&NAMED)),
    field("variables", Kind::Structs(&NAMED)),
    field("deletionPropagationPolicy", Kind::OneOf(&["Foreground", "Background", "Orphan"])),
]);

/// `DeletingPolicy` and `NamespacedDeletingPolicy`.
pub static DELETING: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &DELETING_SPEC).required(),
    any("status"),
]);

static EXPRESSION: Struct = plain(&[text("expression")]);

static MUTATION: Struct = plain(&[
    text("patchType").required(),
    pointer("applyConfiguration", &EXPRESSION),
    pointer("jsonPatch", &EXPRESSION),
]);

static TARGETS: Struct = plain(&[
    field("resourceRules", Kind::Structs(&RULE)),
    field("excludeResourceRules", Kind::Structs(&RULE)),
    pointer("namespaceSelector", &SELECTOR),
    pointer("objectSelector", &SELECTOR),
    text("matchPolicy"),
    text("expression"),
]);

static MUTATING_EVALUATION: Struct = plain(&[
    text("mode"),
    pointer("admission", &SWITCH),
    pointer("background", &SWITCH),
    pointer("mutateExisting", &SWITCH),
    flag("skipBackgroundRequests"),
    flag("useServerSideApply"),
]);

static MUTATING_AUTOGEN: Struct =
    plain(&[pointer("podControllers", &CONTROLLERS), pointer("mutatingAdmissionPolicy", &SWITCH)]);

static MUTATING_SPEC: Struct = plain(&[
    pointer("matchConstraints", &CONSTRAINTS),
    field("matchConditions", Kind::Structs(&NAMED)),
    field("variables", Kind::Structs(&NAMED)),
    field("mutations", Kind::Structs(&MUTATION)),
    pointer("targetMatchConstraints", &TARGETS),
    field("targetMatchConditions", Kind::Structs(&NAMED)),
    field("auditAnnotations", Kind::Structs(&ANNOTATION)),
    field("failurePolicy", Kind::OneOf(&["Ignore", "Fail"])),
    text("reinvocationPolicy"),
    pointer("evaluation", &MUTATING_EVALUATION),
    pointer("autogen", &MUTATING_AUTOGEN),
    pointer("webhookConfiguration", &WEBHOOK),
]);

/// `MutatingPolicy` and `NamespacedMutatingPolicy`.
pub static MUTATING: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &MUTATING_SPEC).required(),
    any("status"),
]);

static LOOSE_MUTATION: Struct = plain(&[
    text("patchType"),
    pointer("applyConfiguration", &EXPRESSION),
    pointer("jsonPatch", &EXPRESSION),
]);

// Kyverno: of built-in kinds unknown fields and wrong types are refused, and nothing is required.
static MUTATING_ADMISSION_SPEC: Struct = plain(&[
    pointer("paramKind", &PARAM_KIND),
    pointer("matchConstraints", &CONSTRAINTS),
    field("variables", Kind::Structs(&LOOSE_NAMED)),
    field("mutations", Kind::Structs(&LOOSE_MUTATION)),
    text("failurePolicy"),
    field("matchConditions", Kind::Structs(&LOOSE_NAMED)),
    text("reinvocationPolicy"),
]);

/// `MutatingAdmissionPolicy`.
pub static MUTATING_ADMISSION: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &MUTATING_ADMISSION_SPEC),
]);

static TEMPLATE: Struct =
    plain(&[text("value").required(), field("interpolate", Kind::OneOf(&["none", "cel"]))]);

static GENERATION: Struct = plain(&[text("expression"), pointer("template", &TEMPLATE)]);

static GENERATING_EVALUATION: Struct = plain(&[
    pointer("admission", &SWITCH),
    pointer("generateExisting", &SWITCH),
    pointer("synchronize", &SWITCH),
    pointer("orphanDownstreamOnPolicyDelete", &SWITCH),
    flag("skipBackgroundRequests"),
]);

static GENERATING_SPEC: Struct = plain(&[
    pointer("matchConstraints", &CONSTRAINTS),
    field("matchConditions", Kind::Structs(&NAMED)),
    field("variables", Kind::Structs(&NAMED)),
    field("generate", Kind::Structs(&GENERATION)).required(),
    field("auditAnnotations", Kind::Structs(&ANNOTATION)),
    pointer("evaluation", &GENERATING_EVALUATION),
    flag("useServerSideApply"),
    pointer("webhookConfiguration", &WEBHOOK),
]);

/// `GeneratingPolicy` and `NamespacedGeneratingPolicy`.
pub static GENERATING: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &GENERATING_SPEC).required(),
    any("status"),
]);
