//! What the functions of policies of images answer.
//!
//! In: a question with an image, attestors, an attestation. Out: how many of the attestors signed, what the image holds, what an attestation
//! says; an error where nothing says it. Mirrors: `pkg/cel/libs/imageverify/impl.go` of Kyverno 1.19.

use super::images::Around;
use super::registry::{Image, statement};
use crate::functions::imagedata;
use crate::functions::imageverify::{ATTESTATIONS, Attestor, DATA, PAYLOAD, SIGNATURES, SIGNERS};
use crate::functions::native::from_json;
use crate::policy::{ImageProgram, Images, Reference};
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input};
use engine_cel::function::Outside;
use engine_cel::value::{Numbers, Value as Cel};
use engine_json::Value;

/// The functions of one policy over one object.
pub(super) struct Verifying<'w> {
    pub(super) policy: &'w Images,
    pub(super) program: &'w ImageProgram,
    pub(super) around: Around<'w>,
}

impl Outside for Verifying<'_> {
    fn ask(&self, function: &str, args: &[Cel<'_>]) -> Outcome<'static> {
        let text = |at: usize| args.get(at).and_then(Cel::as_str).unwrap_or("");
        let counted = |count: Result<i64, String>| count.map(Cel::Int).map_err(Error::text);
        match function {
            SIGNATURES => counted(self.signatures(text(0), args.get(1))),
            ATTESTATIONS => counted(self.attestations(text(0), text(1), args.get(2))),
            DATA => {
                let data = self.image(text(0)).and_then(|image| image.data(text(0)));
                data.map(imagedata::image).map_err(Error::text)
            }
            PAYLOAD => {
                let payload = self.payload(text(0), text(1));
                payload.map(|payload| from_json(&payload, Numbers::Doubles)).map_err(Error::text)
            }
            SIGNERS => {
                let signers = self.image(text(0)).map(|image| image.signers(args.len() > 1));
                signers.map(|signers| from_json(&signers, Numbers::AsWritten)).map_err(Error::text)
            }
            _ => self.around.outside.ask(function, args),
        }
    }
}

impl<'w> Verifying<'w> {
    /// Whether the policy is for an image: one of its references fits, or there is none.
    ///
    /// # Errors
    /// What an expression says.
    pub(super) fn is_meant(program: &ImageProgram, image: &str) -> Result<bool, String> {
        for reference in &program.references {
            let fits = match reference {
                Reference::Glob(glob) => glob.matches(image),
                Reference::Expression(expression) => {
                    let variables = [Binding::Value(Cel::text(image))];
                    let input = Input { variables: &variables, ..Input::default() };
                    let said = expression.program.evaluate(&input).outcome;
                    said.map_err(|error| error.to_string())?.as_bool() == Some(true)
                }
            };
            if fits {
                return Ok(true);
            }
        }
        Ok(program.references.is_empty())
    }

    fn image(&self, image: &str) -> Result<Image<'w>, String> {
        Image::find(self.around.data, image).map_err(|error| format!("failed to get imagedata: {error}"))
    }

    fn attestation(&self, name: &str) -> Result<&'w Value, String> {
        let found = self.policy.attestations.iter().rfind(|(known, _)| known == name);
        found.map(|(_, written)| written).ok_or_else(|| format!("attestation not found in policy: {name}"))
    }

    fn signatures(&self, image: &str, attestors: Option<&Cel<'_>>) -> Result<i64, String> {
        let attestors = list(attestors)?;
        if !Self::is_meant(self.program, image)? {
            return Ok(0);
        }
        let known = self.image(image)?;
        let mut count = 0;
        for attestor in &attestors {
            count += i64::from(known.is_signed_by(image, &attestor.written)?);
        }
        if !attestors.is_empty() {
            self.around.verified.record(image, count > 0);
        }
        Ok(count)
    }

    fn attestations(&self, image: &str, name: &str, attestors: Option<&Cel<'_>>) -> Result<i64, String> {
        let attestors = list(attestors)?;
        if !Self::is_meant(self.program, image)? {
            return Ok(0);
        }
        let attestation = self.attestation(name)?;
        let known = self.image(image)?;
        let [intoto, referrer] = ["intoto", "referrer"].map(|way| {
            attestation.get(way).filter(|part| !part.is_null()).map(|part| part.find_str(&["type"]))
        });
        let mut count = 0;
        for attestor in &attestors {
            let has = |kind: &str| attestor.written.get(kind).is_some_and(|part| !part.is_null());
            let is_cosign = has("cosign");
            if !is_cosign && !has("notary") {
                continue;
            }
            let of = match (is_cosign, intoto, referrer) {
                (true, Some(of), _) | (false, _, Some(of)) => of,
                // Kyverno: cosign knows statements alone.
                (true, None, _) => continue,
                (false, _, None) => {
                    return Err("notary verifier only supports oci 1.1 referrers as attestations".to_owned());
                }
            };
            let Some(found) = known.attested_by(image, of, &attestor.written)? else { continue };
            count += 1;
            if is_cosign {
                self.around.verified.keep(image, of, statement(found, of));
            }
        }
        if !attestors.is_empty() {
            self.around.verified.record(image, count > 0);
        }
        Ok(count)
    }

    fn payload(&self, image: &str, name: &str) -> Result<Value, String> {
        let attestation = self.attestation(name)?;
        let known = self.image(image)?;
        let of = |way: &str| attestation.find(&[way, "type"]).and_then(Value::as_str);
        let payload = match (of("intoto"), of("referrer")) {
            (Some(of), _) => self.around.verified.payload(image, of).ok_or_else(|| {
                "intoto attestation payload cannot be fetch before verifying intoto attestation".to_owned()
            }),
            (None, Some(of)) => known.attached(image, of),
            (None, None) => Err(format!("could not find attestation {name}")),
        };
        payload.map_err(|error| format!("failed to get payload: {error}"))
    }
}

/// The attestors of a list.
// cel-go: ConvertToNative of each element.
fn list(attestors: Option<&Cel<'_>>) -> Result<Vec<Attestor>, String> {
    let list = attestors.and_then(Cel::as_list);
    let elements = list.iter().flat_map(|list| list.iter());
    let one = |element: Cel<'_>| {
        if let Cel::Opaque(opaque) = &element
            && let Some(attestor) = opaque.as_any().downcast_ref::<Attestor>()
        {
            return Ok(attestor.clone());
        }
        Err(match crate::functions::native::string(&element) {
            Ok(_) => "unsupported native conversion from string to 'v1alpha1.Attestor'".to_owned(),
            Err(error) => error.replace("'string'", "'v1alpha1.Attestor'"),
        })
    };
    elements.map(one).collect()
}
