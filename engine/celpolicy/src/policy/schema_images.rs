//! What policies of images may hold.
//!
//! Mirrors: the CRD `imagevalidatingpolicies.policies.kyverno.io` of Kyverno 1.19 (that of the namespaced kind is the same).

use super::schema::{ANNOTATION, CONSTRAINTS, CONTROLLERS, NAMED, SWITCH, VALIDATION, WEBHOOK};
use engine::load::table::{
    Kind, METADATA, Struct, any, by_value, field, flag, one_of, plain, pointer, text, text_map, texts,
};

static REFERENCE: Struct = one_of(&["glob", "expression"], &[text("glob"), text("expression")]);

static GIVEN: Struct = one_of(&["value", "expression"], &[text("value"), text("expression")]);

static KEY: Struct = plain(&[text("data"), text("kms"), text("hashAlgorithm"), text("expression")]);

static IDENTITY: Struct = plain(&[
    text("issuer"),
    text("subject"),
    text("issuerRegExp"),
    text("subjectRegExp"),
    text("subjectExpression"),
]);

static KEYLESS: Struct = plain(&[
    field("identities", Kind::Structs(&IDENTITY)).required(),
    text("roots"),
    text_map("additionalExtensions"),
]);

static CERTIFICATE: Struct = plain(&[pointer("cert", &GIVEN), pointer("certChain", &GIVEN)]);

static SECRET: Struct = plain(&[text("name")]);

static SOURCE: Struct =
    plain(&[text("repository"), field("PullSecrets", Kind::Structs(&SECRET)), text("tagPrefix")]);

static LOG: Struct = plain(&[
    text("url"),
    text("rekorPubKey"),
    text("ctLogPubKey"),
    text("tsaCertChain"),
    flag("insecureIgnoreTlog"),
    flag("insecureIgnoreSCT"),
]);

static ROOT: Struct = plain(&[text("path"), text("data")]);

static TUF: Struct = plain(&[pointer("root", &ROOT), text("mirror")]);

static COSIGN: Struct = plain(&[
    pointer("key", &KEY),
    pointer("keyless", &KEYLESS),
    pointer("certificate", &CERTIFICATE),
    pointer("source", &SOURCE),
    pointer("ctlog", &LOG),
    pointer("tuf", &TUF),
    text_map("annotations"),
    pointer("trustedRoot", &GIVEN),
]);

static NOTARY: Struct = plain(&[pointer("certs", &GIVEN), pointer("tsaCerts", &GIVEN)]);

static ATTESTOR: Struct = one_of(
    &["cosign", "notary"],
    &[text("name").required(), pointer("cosign", &COSIGN), pointer("notary", &NOTARY)],
);

static TYPE: Struct = plain(&[text("type").required()]);

static ATTESTATION: Struct =
    plain(&[text("name").required(), pointer("intoto", &TYPE), pointer("referrer", &TYPE)]);

static CREDENTIALS: Struct = plain(&[
    flag("allowInsecureRegistry"),
    field("providers", Kind::List(&Kind::OneOf(&["default", "amazon", "azure", "google", "github"]))),
    texts("secrets"),
]);

static CONFIGURATION: Struct = plain(&[flag("mutateDigest"), flag("verifyDigest"), flag("required")]);

static EVALUATION: Struct =
    plain(&[text("mode"), pointer("admission", &SWITCH), pointer("background", &SWITCH)]);

static AUTOGEN: Struct = plain(&[pointer("podControllers", &CONTROLLERS)]);

static SPEC: Struct = plain(&[
    pointer("matchConstraints", &CONSTRAINTS),
    field("failurePolicy", Kind::OneOf(&["Ignore", "Fail"])),
    field("auditAnnotations", Kind::Structs(&ANNOTATION)),
    field("validationActions", Kind::List(&Kind::OneOf(&["Deny", "Audit", "Warn"]))),
    field("matchConditions", Kind::Structs(&NAMED)),
    field("variables", Kind::Structs(&NAMED)),
    pointer("validationConfigurations", &CONFIGURATION),
    field("matchImageReferences", Kind::Structs(&REFERENCE)),
    pointer("credentials", &CREDENTIALS),
    field("images", Kind::Structs(&NAMED)),
    field("attestors", Kind::Structs(&ATTESTOR)).required(),
    field("attestations", Kind::Structs(&ATTESTATION)),
    field("validations", Kind::Structs(&VALIDATION)).required(),
    pointer("webhookConfiguration", &WEBHOOK),
    pointer("evaluation", &EVALUATION),
    pointer("autogen", &AUTOGEN),
]);

/// `ImageValidatingPolicy` and `NamespacedImageValidatingPolicy`.
pub static IMAGES: Struct = plain(&[
    text("apiVersion"),
    text("kind"),
    by_value("metadata", &METADATA),
    by_value("spec", &SPEC).required(),
    any("status"),
]);
