//! Attestors as they are written, with the expressions that fill in their keys and certificates.
//!
//! In: a list of attestors, an environment. Out: [`CompiledAttestor`]s, or what is wrong with their expressions.
//! Mirrors: `pkg/image/verification/variables/attestors.go` of Kyverno 1.19.

use super::decode::items;
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::Environment;
use engine_json::{Str, Value, write_json};

/// An attestor, and its expressions as programs.
#[derive(Debug)]
pub struct CompiledAttestor {
    /// Its name.
    pub name: Str,
    /// As it is written.
    pub written: Value,
    /// The expressions, in the order in which they are evaluated.
    pub expressions: Vec<(&'static Given, Compiled)>,
}

/// A field of an attestor that an expression can give.
#[derive(Debug)]
pub struct Given {
    /// Where the field and the expression stand.
    within: &'static [&'static str],
    /// The field that the expression fills.
    field: &'static str,
    /// The part that the original shows where the expression does not compile.
    shown: &'static [&'static str],
    /// What the original calls it.
    pub words: &'static str,
}

const KEY: Given =
    Given { within: &["cosign", "key"], field: "data", shown: &["cosign", "key"], words: "key" };
const CERTIFICATE: Given = Given {
    within: &["cosign", "certificate", "cert"],
    field: "value",
    shown: &["cosign", "certificate"],
    words: "cert",
};
const CHAIN: Given = Given {
    within: &["cosign", "certificate", "certChain"],
    field: "value",
    shown: &["cosign", "certificate"],
    words: "cert chain",
};
const ROOT: Given = Given {
    within: &["cosign", "trustedRoot"],
    field: "value",
    shown: &["cosign", "trustedRoot"],
    words: "trustedRoot",
};
const NOTARY: Given =
    Given { within: &["notary", "certs"], field: "value", shown: &["notary"], words: "notary cert" };
const NOTARY_TIME: Given =
    Given { within: &["notary", "tsaCerts"], field: "value", shown: &["notary"], words: "notary tsa cert" };

// In the order in which the original evaluates them, which is that in which it compiles those of one attestor.
static OF_KEYS: [Given; 2] = [KEY, ROOT];
static OF_CERTIFICATES: [Given; 3] = [CERTIFICATE, CHAIN, ROOT];
static OF_NOTARY: [Given; 2] = [NOTARY, NOTARY_TIME];

impl Given {
    fn expression<'a>(&self, attestor: &'a Value) -> &'a str {
        attestor.find(self.within).map_or("", |part| part.find_str(&["expression"]))
    }

    /// The attestor with this field.
    pub fn filled(&self, attestor: &Value, text: &str) -> Value {
        let mut attestor = attestor.clone();
        let part = self.within.iter().try_fold(&mut attestor, |part, name| part.object_mut()?.get_mut(name));
        if let Some(part) = part.and_then(Value::object_mut) {
            part.insert(self.field, Value::from(text));
        }
        attestor
    }
}

/// A fault of an attestor: where the expression stands, how the original shows the attestor, what is wrong.
pub(super) struct AttestorFault {
    /// `spec.attestors[0].cosign.key.expression`.
    pub(super) field: String,
    /// `spec.attestors[0]: Invalid value: {…}: …`.
    pub(super) entry: String,
    /// What is wrong.
    pub(super) fault: Fault,
}

/// The attestors; the first expression that does not compile ends it.
pub(super) fn attestors(
    environment: &Environment,
    list: Option<&Value>,
) -> Result<Vec<CompiledAttestor>, Box<AttestorFault>> {
    items(list).enumerate().map(|(at, written)| attestor(environment, at, written)).collect()
}

fn attestor(
    environment: &Environment,
    at: usize,
    written: &Value,
) -> Result<CompiledAttestor, Box<AttestorFault>> {
    let has = |path: &[&str]| written.find(path).is_some_and(|part| !part.is_null());
    let given: &'static [Given] = if !has(&["cosign"]) {
        &OF_NOTARY
    } else if !KEY.expression(written).is_empty() || !has(&["cosign", "certificate"]) {
        &OF_KEYS
    } else {
        &OF_CERTIFICATES
    };
    let mut expressions = Vec::new();
    for given in given {
        let text = given.expression(written);
        if text.is_empty() {
            continue;
        }
        let made = compile(text, environment, Wanted::Any).map_err(|fault| {
            let path = format!("spec.attestors[{at}]");
            let shown = written.find(given.shown).map(shown).unwrap_or_default();
            Box::new(AttestorFault {
                field: format!("{path}.{}.expression", given.within.join(".")),
                entry: format!("{path}: Invalid value: {shown}: {}", fault.text),
                fault,
            })
        })?;
        expressions.push((given, made));
    }
    let name = Str::from(written.find_str(&["name"]));
    Ok(CompiledAttestor { name, written: written.clone(), expressions })
}

/// The fields of the parts that are shown, in the order in which Go writes them.
const ORDER: &[&str] =
    &["data", "kms", "hashAlgorithm", "cert", "certChain", "certs", "tsaCerts", "value", "expression"];

/// A part of an attestor as Go writes it: in the order of its structure, without what is empty.
fn shown(part: &Value) -> String {
    let Some(text) = part.as_str() else {
        let fields = ORDER.iter().filter_map(|name| {
            let value = part.get(name)?;
            let is_empty = value.is_null() || value.as_str().is_some_and(str::is_empty);
            (!is_empty).then(|| format!("\"{name}\":{}", shown(value)))
        });
        return format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
    };
    let mut out = String::new();
    write_json(&mut out, &Value::from(text));
    out
}
