//! Kubernetes' MutatingAdmissionPolicy: as it is written, and compiled.
//!
//! In: the `spec` of a document that its schema takes. Out: a [`MutatingAdmission`] in which each expression is a program or says what
//! is wrong with it. Mirrors: `pkg/admissionpolicy/{mutate,compiler}.go` of Kyverno 1.19.

use super::admission::make;
use super::decode::items;
use super::{Admission, AdmissionProgram, Made};
use crate::compile::{Fault, Wanted};
use crate::environment::Kind;
use engine_json::{Str, Value};

/// How an object is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// A configuration is merged into it.
    ApplyConfiguration,
    /// A JSON patch.
    JsonPatch,
}

/// The expressions of such a policy as programs: with parameters, or without.
#[derive(Debug)]
pub struct Mutations {
    /// Match conditions and variables.
    pub program: AdmissionProgram,
    /// The changes, in their order.
    pub patches: Vec<(PatchType, Made)>,
    /// What is wrong with the changes, by their fields.
    pub faults: Vec<(String, Fault)>,
}

/// A policy.
#[derive(Debug)]
pub struct MutatingAdmission {
    /// Conditions and variables as they are written.
    pub written: Admission,
    /// What applies where there are parameters.
    pub with_params: Mutations,
    /// What applies where there are none: `params` is not known then.
    // Kyverno: mutate.go: HasParams is whether a parameter was found.
    pub without_params: Mutations,
}

impl MutatingAdmission {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    pub fn new(spec: &Value) -> Result<Self, String> {
        let written = Admission::read(spec, spec.get("matchConditions"), "validations");
        let written = Admission { validations: Vec::new(), ..written };
        let of = |params: bool| Mutations::new(spec, &written, params);
        Ok(MutatingAdmission { with_params: of(true)?, without_params: of(false)?, written })
    }
}

impl Mutations {
    fn new(spec: &Value, written: &Admission, params: bool) -> Result<Self, String> {
        let program = AdmissionProgram::of_kind(written, Kind::MutatingAdmission { params })?;
        let mut faults = Vec::new();
        let mut patches = Vec::new();
        for (at, mutation) in items(spec.get("mutations")).enumerate() {
            let (of, field, wanted) = match mutation.find_str(&["patchType"]) {
                "JSONPatch" => (PatchType::JsonPatch, "jsonPatch", Wanted::JsonPatches),
                "ApplyConfiguration" => {
                    (PatchType::ApplyConfiguration, "applyConfiguration", Wanted::Configuration)
                }
                _ => continue,
            };
            let Some(body) = mutation.get(field).filter(|body| !body.is_null()) else { continue };
            let expression = Str::from(body.find_str(&["expression"]));
            let field = format!("mutations[{at}].{field}.expression");
            patches.push((of, make(&program.environment, &expression, wanted, field, &mut faults)));
        }
        Ok(Mutations { program, patches, faults })
    }
}
