//! Tables of a policy, its spec and its rules.

use super::blocks::{MATCH, MATCH_CONDITION, NEW_ANY_ALL};
use super::bodies::{ACTIONS, EXCLUSION, GENERATE, MUTATE, OVERRIDE, VALIDATE};
use super::context::CONTEXT;
use super::images::IMAGE;
use super::{Kind, Struct, any, by_value, field, flag, plain, pointer, text, text_map, texts};

static EXTRACTOR: Struct =
    plain(&[text("path").required(), text("value"), text("name"), text("key"), text("jmesPath")]);

/// `Rule`.
pub(in super::super) static RULE: Struct = plain(&[
    field("name", Kind::Name).required(),
    CONTEXT,
    text_map("reportProperties"),
    by_value("match", &MATCH).required(),
    pointer("exclude", &MATCH),
    field("imageExtractors", Kind::Map(&Kind::Structs(&EXTRACTOR))),
    field("preconditions", Kind::RuleConditions),
    field("celPreconditions", Kind::Structs(&MATCH_CONDITION)),
    pointer("mutate", &MUTATE),
    pointer("validate", &VALIDATE),
    pointer("generate", &GENERATE),
    field("verifyImages", Kind::Structs(&IMAGE)),
    flag("skipBackgroundRequests").present().defaults_to(true),
]);

static WEBHOOK: Struct = plain(&[
    field("failurePolicy", Kind::OneOf(&["Ignore", "Fail"])).present(),
    field("timeoutSeconds", Kind::Integer(i64::MIN)).present(),
    field("matchConditions", Kind::Structs(&MATCH_CONDITION)),
]);

/// `Spec`.
static SPEC: Struct = plain(&[
    field("rules", Kind::Structs(&RULE)),
    field("applyRules", Kind::OneOf(&["All", "One"])).present(),
    field("failurePolicy", Kind::OneOf(&["Ignore", "Fail"])).present(),
    field("validationFailureAction", Kind::OneOf(ACTIONS)).or("Audit"),
    field("validationFailureActionOverrides", Kind::Structs(&OVERRIDE)),
    flag("emitWarning").present().defaults_to(false),
    flag("admission").present().defaults_to(true),
    flag("background").present().defaults_to(true),
    flag("schemaValidation").present(),
    field("webhookTimeoutSeconds", Kind::Integer(i64::MIN)).present(),
    flag("mutateExistingOnPolicyUpdate"),
    flag("generateExistingOnPolicyUpdate").present(),
    flag("generateExisting"),
    flag("useServerSideApply"),
    pointer("webhookConfiguration", &WEBHOOK),
]);

/// `metav1.ObjectMeta`.
pub static METADATA: Struct = plain(&[
    text("name"),
    text("generateName"),
    text("namespace"),
    text("selfLink"),
    text("uid"),
    text("resourceVersion"),
    any("generation"),
    any("creationTimestamp"),
    any("deletionTimestamp"),
    any("deletionGracePeriodSeconds"),
    text_map("labels"),
    text_map("annotations"),
    any("ownerReferences"),
    texts("finalizers"),
    any("managedFields"),
]);

/// `PolicyStatus`; nothing of it decides anything.
static STATUS: Struct = plain(&[
    any("ready"),
    any("conditions"),
    any("autogen"),
    any("rulecount"),
    any("validatingadmissionpolicy"),
]);

/// `ClusterPolicy` and `Policy`.
pub(in super::super::super) static POLICY: Struct = plain(&[
    text("kind"),
    text("apiVersion"),
    by_value("metadata", &METADATA),
    by_value("spec", &SPEC).required(),
    by_value("status", &STATUS),
]);

static CLEANUP_SPEC: Struct = plain(&[
    CONTEXT,
    by_value("match", &MATCH).required(),
    pointer("exclude", &MATCH),
    text("schedule").required(),
    pointer("conditions", &NEW_ANY_ALL),
    field("deletionPropagationPolicy", Kind::OneOf(&["Foreground", "Background", "Orphan"])),
]);

static CLEANUP_STATUS: Struct = plain(&[any("conditions"), any("lastExecutionTime")]);

/// `ClusterCleanupPolicy` and `CleanupPolicy`; blocks and conditions are those of `v2beta1`.
pub(in super::super::super) static CLEANUP: Struct = plain(&[
    text("kind"),
    text("apiVersion"),
    by_value("metadata", &METADATA),
    by_value("spec", &CLEANUP_SPEC).required(),
    by_value("status", &CLEANUP_STATUS),
]);

static TARGETS: Struct = plain(&[text("policyName").required(), texts("ruleNames").required()]);

static EXCEPTION_SPEC: Struct = plain(&[
    flag("background"),
    by_value("match", &MATCH).required(),
    pointer("conditions", &NEW_ANY_ALL),
    field("exceptions", Kind::Structs(&TARGETS)).required(),
    field("podSecurity", Kind::Structs(&EXCLUSION)),
]);

/// `PolicyException`; blocks and conditions are those of `v2beta1`.
pub(in super::super::super) static EXCEPTION: Struct = plain(&[
    text("kind"),
    text("apiVersion"),
    by_value("metadata", &METADATA),
    by_value("spec", &EXCEPTION_SPEC).required(),
]);
