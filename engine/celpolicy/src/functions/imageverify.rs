//! What policies of images ask of a registry (Kyverno: `libs/imageverify`).
//!
//! In: an image, attestors, the name of an attestation. Out: what whoever evaluates answers; where there is no answer an error that
//! says so.

use super::many;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_json::{Str, Value as Json};
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "verifyImageSignatures",
        overloads: &[many(
            "verify_image_signature_string_stringarray",
            "(string, list(dyn)) -> int",
            |host, args| ask(host, SIGNATURES, args),
        )],
        note: "By how many of the attestors the image is signed.",
        examples: &[],
    },
    Function {
        name: "verifyAttestationSignatures",
        overloads: &[many(
            "verify_image_attestations_string_string_stringarray",
            "(string, string, list(dyn)) -> int",
            |host, args| ask(host, ATTESTATIONS, args),
        )],
        note: "By how many of the attestors an attestation of the image is signed.",
        examples: &[],
    },
    Function {
        name: "getImageData",
        overloads: &[many("get_image_data_string", "(string) -> dyn", |host, args| ask(host, DATA, args))],
        note: "What a registry holds of the image: its manifest, its configuration.",
        examples: &[],
    },
    Function {
        name: "extractPayload",
        overloads: &[many("payload_string_string", "(string, string) -> dyn", |host, args| {
            ask(host, PAYLOAD, args)
        })],
        note: "What an attestation of the image says.",
        examples: &[],
    },
];

/// The questions, by which whoever evaluates knows them.
pub const SIGNATURES: &str = "verifyImageSignatures";
/// See [`SIGNATURES`].
pub const ATTESTATIONS: &str = "verifyAttestationSignatures";
/// See [`SIGNATURES`].
pub const DATA: &str = "getImageData";
/// See [`SIGNATURES`].
pub const PAYLOAD: &str = "extractPayload";

/// A question of those who say why, and of no expression: who signed the image, or its attestations.
pub const SIGNERS: &str = "who signed";

fn ask<'v>(host: &mut Host<'_>, question: &str, args: &[Value<'v>]) -> Outcome<'v> {
    let no_answer = || Error::text(format!("{question}: not decided, no registry is asked here"));
    host.outside.ok_or_else(no_answer)?.ask(question, args)
}

/// An attestor as a value: who signs.
#[derive(Clone, Debug)]
pub struct Attestor {
    /// Its name in the policy.
    pub name: Str,
    /// What the policy says of it, with the values of its expressions.
    pub written: Json,
}

impl Opaque for Attestor {
    fn type_name(&self) -> &'static str {
        "imageverify.attestor"
    }

    fn go_type(&self) -> &'static str {
        "v1alpha1.Attestor"
    }

    // Kyverno: the type does not know itself.
    fn asked_type(&self) -> Result<&'static str, &'static str> {
        Err("type conversion error from 'imageverify.attestor' to 'type'")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        let Value::Opaque(other) = other else { return Equality::NoOverload };
        let other = other.as_any().downcast_ref::<Attestor>();
        other.map_or(Equality::NoOverload, |other| (self.written == other.written).into())
    }
}
