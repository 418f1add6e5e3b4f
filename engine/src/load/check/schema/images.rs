//! Tables of `verifyImages` and its attestors.

use super::blocks::ANY_ALL;
use super::bodies::DENY;
use super::context::CREDENTIALS;
use super::{Kind, Struct, any, by_value, field, flag, plain, pointer, text, text_map, texts};

static REKOR: Struct = plain(&[text("url").always(), text("pubkey"), flag("ignoreTlog")]);

static CT_LOG: Struct = plain(&[flag("ignoreSCT"), text("pubkey"), text("tsaCertChain")]);

static SECRET: Struct = plain(&[text("name").required(), text("namespace").required()]);

/// `StaticKeyAttestor`.
pub(in super::super) static KEYS: Struct = plain(&[
    text("publicKeys"),
    text("signatureAlgorithm").or("sha256"),
    text("kms"),
    pointer("secret", &SECRET),
    pointer("rekor", &REKOR),
    pointer("ctlog", &CT_LOG),
]);

/// `CertificateAttestor`.
pub(in super::super) static CERTIFICATES: Struct =
    plain(&[text("cert"), text("certChain"), pointer("rekor", &REKOR), pointer("ctlog", &CT_LOG)]);

/// `KeylessAttestor`.
pub(in super::super) static KEYLESS: Struct = plain(&[
    pointer("rekor", &REKOR),
    pointer("ctlog", &CT_LOG),
    text("issuer"),
    text("issuerRegExp"),
    text("subject"),
    text("subjectRegExp"),
    text("roots"),
    text_map("additionalExtensions"),
]);

/// `Attestor`.
pub(in super::super) static ATTESTOR: Struct = plain(&[
    pointer("keys", &KEYS),
    pointer("certificates", &CERTIFICATES),
    pointer("keyless", &KEYLESS),
    any("attestor"),
    text_map("annotations"),
    text("repository"),
    text("signatureAlgorithm").or("sha256"),
]);

/// `AttestorSet`.
pub(in super::super) static ATTESTOR_SET: Struct =
    plain(&[field("count", Kind::Integer(1)).present(), field("entries", Kind::Structs(&ATTESTOR))]);

/// `Attestation`.
static ATTESTATION: Struct = plain(&[
    text("name"),
    text("predicateType").always(),
    text("type").always(),
    field("attestors", Kind::Structs(&ATTESTOR_SET)).always(),
    field("conditions", Kind::Structs(&ANY_ALL)),
]);

/// `ValidateImageVerification`.
pub(in super::super) static IMAGE_VALIDATE: Struct = plain(&[text("message"), pointer("deny", &DENY)]);

/// `ImageVerification`.
pub(in super::super) static IMAGE: Struct = plain(&[
    field("failureAction", Kind::OneOf(&["Audit", "Enforce"])).present(),
    field("type", Kind::OneOf(&["Cosign", "SigstoreBundle", "Notary"])),
    text("image").only_v1(),
    texts("imageReferences"),
    texts("skipImageReferences"),
    text("key").only_v1(),
    text("roots").only_v1(),
    text("subject").only_v1(),
    text("issuer").only_v1(),
    text_map("additionalExtensions").only_v1(),
    field("attestors", Kind::Structs(&ATTESTOR_SET)),
    field("attestations", Kind::Structs(&ATTESTATION)),
    text_map("annotations").only_v1(),
    text("repository"),
    flag("cosignOCI11").only_v1(),
    flag("mutateDigest").always().defaults_to(true),
    flag("verifyDigest").always().defaults_to(true),
    by_value("validate", &IMAGE_VALIDATE),
    flag("required").always().defaults_to(true),
    pointer("imageRegistryCredentials", &CREDENTIALS),
    flag("useCache").always().defaults_to(true),
]);
