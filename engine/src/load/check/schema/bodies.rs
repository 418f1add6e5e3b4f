//! Tables of `validate`, `mutate` and `generate`.

use super::blocks::{ANY_ALL, LABEL_SELECTOR};
use super::context::CONTEXT;
use super::images::ATTESTOR_SET;
use super::{Field, Kind, Struct, any, by_value, field, flag, plain, pointer, text, texts};

/// The preconditions of a loop, whose form the schema knows.
const LOOP_PRECONDITIONS: Field = pointer("preconditions", &ANY_ALL);

/// The actions of the old field and of overrides.
pub(super) const ACTIONS: &[&str] = &["audit", "enforce", "Audit", "Enforce"];

/// `ValidationFailureActionOverride`.
pub(super) static OVERRIDE: Struct = plain(&[
    field("action", Kind::OneOf(ACTIONS)),
    texts("namespaces"),
    pointer("namespaceSelector", &LABEL_SELECTOR),
]);

/// `Deny`.
pub(super) static DENY: Struct = plain(&[field("conditions", Kind::Conditions)]);

/// `Deny` of a rule.
static RULE_DENY: Struct = plain(&[field("conditions", Kind::RuleConditions)]);

/// `ForEachValidation`.
static VALIDATE_LOOP: Struct = plain(&[
    text("list"),
    flag("elementScope").present(),
    CONTEXT,
    LOOP_PRECONDITIONS,
    any("pattern"),
    any("anyPattern"),
    pointer("deny", &DENY),
    field("foreach", Kind::Loops(&VALIDATE_LOOP)),
]);

static IGNORED_OBJECT: Struct =
    plain(&[text("group"), text("version"), text("kind"), text("name"), text("namespace")]);

static IGNORED_FIELDS: Struct = plain(&[texts("fields"), field("objects", Kind::Structs(&IGNORED_OBJECT))]);

static DRY_RUN: Struct = plain(&[flag("enable"), text("namespace")]);

/// `Manifests`.
static MANIFESTS: Struct = plain(&[
    field("attestors", Kind::Structs(&ATTESTOR_SET)),
    text("annotationDomain"),
    field("ignoreFields", Kind::Structs(&IGNORED_FIELDS)),
    by_value("dryRun", &DRY_RUN),
    text("repository"),
]);

const CONTROLS: &[&str] = &[
    "HostProcess",
    "Host Namespaces",
    "Privileged Containers",
    "Capabilities",
    "HostPath Volumes",
    "Host Ports",
    "AppArmor",
    "SELinux",
    "/proc Mount Type",
    "Seccomp",
    "Sysctls",
    "Volume Types",
    "Privilege Escalation",
    "Running as Non-root",
    "Running as Non-root user",
];

/// `PodSecurityStandard`.
pub(super) static EXCLUSION: Struct = plain(&[
    field("controlName", Kind::OneOf(CONTROLS)).required(),
    texts("images"),
    text("restrictedField"),
    texts("values"),
]);

const STANDARD_VERSIONS: &[&str] = &[
    "v1.19", "v1.20", "v1.21", "v1.22", "v1.23", "v1.24", "v1.25", "v1.26", "v1.27", "v1.28", "v1.29",
    "v1.30", "v1.31", "v1.32", "latest",
];

/// `PodSecurity`.
static POD_SECURITY: Struct = plain(&[
    field("level", Kind::OneOf(&["privileged", "baseline", "restricted"])),
    field("version", Kind::OneOf(STANDARD_VERSIONS)),
    field("exclude", Kind::Structs(&EXCLUSION)),
]);

static EXPRESSION: Struct = plain(&[
    text("expression").required(),
    text("message"),
    text("reason").present(),
    text("messageExpression"),
]);

static PARAM_KIND: Struct = plain(&[text("apiVersion"), text("kind")]);

/// `ParamRef`.
static PARAM_REF: Struct = plain(&[
    text("name"),
    text("namespace"),
    pointer("selector", &LABEL_SELECTOR),
    text("parameterNotFoundAction").present(),
]);

static AUDIT_ANNOTATION: Struct = plain(&[text("key").required(), text("valueExpression").required()]);

static CEL_VARIABLE: Struct = plain(&[text("name").required(), text("expression").required()]);

/// `CEL`.
static CEL: Struct = plain(&[
    flag("generate").present().defaults_to(false),
    field("expressions", Kind::Structs(&EXPRESSION)),
    pointer("paramKind", &PARAM_KIND),
    pointer("paramRef", &PARAM_REF),
    field("auditAnnotations", Kind::Structs(&AUDIT_ANNOTATION)),
    field("variables", Kind::Structs(&CEL_VARIABLE)),
]);

/// `Validation`.
pub(in super::super) static VALIDATE: Struct = plain(&[
    field("failureAction", Kind::OneOf(&["Audit", "Enforce"])).present(),
    field("failureActionOverrides", Kind::Structs(&OVERRIDE)),
    flag("allowExistingViolations").present().defaults_to(true).only_v1(),
    text("message"),
    pointer("manifests", &MANIFESTS),
    field("foreach", Kind::Structs(&VALIDATE_LOOP)),
    any("pattern"),
    any("anyPattern"),
    pointer("deny", &RULE_DENY),
    pointer("podSecurity", &POD_SECURITY),
    pointer("cel", &CEL),
    any("assert"),
]);

/// `TargetResourceSpec`.
static TARGET: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    text("namespace"),
    text("name"),
    text("uid"),
    pointer("selector", &LABEL_SELECTOR),
    CONTEXT,
    field("preconditions", Kind::Conditions),
]);

/// `ForEachMutation`.
static MUTATE_LOOP: Struct = plain(&[
    text("list"),
    field("order", Kind::OneOf(&["Ascending", "Descending"])).present(),
    CONTEXT,
    LOOP_PRECONDITIONS,
    any("patchStrategicMerge"),
    text("patchesJson6902"),
    field("foreach", Kind::Loops(&MUTATE_LOOP)),
]);

/// `Mutation`.
pub(in super::super) static MUTATE: Struct = plain(&[
    flag("mutateExistingOnPolicyUpdate").present(),
    field("targets", Kind::Structs(&TARGET)),
    any("patchStrategicMerge"),
    text("patchesJson6902"),
    field("foreach", Kind::Structs(&MUTATE_LOOP)),
]);

static CLONE: Struct = plain(&[text("namespace"), text("name")]);

static CLONE_LIST: Struct = plain(&[text("namespace"), texts("kinds"), pointer("selector", &LABEL_SELECTOR)]);

/// `ForEachGeneration`.
static GENERATE_LOOP: Struct = plain(&[
    text("list"),
    CONTEXT,
    LOOP_PRECONDITIONS,
    text("apiVersion"),
    text("kind"),
    text("namespace"),
    text("name"),
    text("uid"),
    any("data"),
    by_value("clone", &CLONE),
    by_value("cloneList", &CLONE_LIST),
]);

/// `Generation`.
pub(in super::super) static GENERATE: Struct = plain(&[
    flag("generateExisting").present(),
    flag("synchronize"),
    flag("orphanDownstreamOnPolicyDelete"),
    text("apiVersion"),
    text("kind"),
    text("namespace"),
    text("name"),
    text("uid"),
    any("data"),
    by_value("clone", &CLONE),
    by_value("cloneList", &CLONE_LIST),
    field("foreach", Kind::Structs(&GENERATE_LOOP)),
]);
