//! Kubernetes' MutatingAdmissionPolicy: as it is written, and compiled.
//!
//! In: the `spec` of a document that its schema takes. Out: a [`MutatingAdmission`] in which each expression is a program or says what
//! is wrong with it. Mirrors: `pkg/admissionpolicy/{mutate,compiler}.go` of Kyverno 1.19.

use super::admission::make;
use super::decode::items;
use super::{Admission, AdmissionProgram, Made};
use crate::compile::{Fault, Wanted};
use crate::environment::{Kind, Offered};
use engine::load::Kubernetes;
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
    /// Reads a policy and compiles it as the CLI does.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    pub fn new(spec: &Value) -> Result<Self, String> {
        let (written, changes) = Self::written(spec);
        let of = |params: bool| {
            let messages = Kind::Admission { params: written.has_params, authorizer: false };
            Mutations::new(&written, &changes, Kind::MutatingAdmission { params }, messages)
        };
        Ok(MutatingAdmission { with_params: of(true)?, without_params: of(false)?, written })
    }

    /// Reads a policy.
    pub fn written(spec: &Value) -> (Admission, Vec<Change>) {
        let written = Admission::read(spec, spec.get("matchConditions"), "validations");
        let changes =
            items(spec.get("mutations")).enumerate().filter_map(|(at, mutation)| Change::read(at, mutation));
        (Admission { validations: Vec::new(), ..written }, changes.collect())
    }
}

/// A change as it is written.
#[derive(Debug)]
pub struct Change {
    of: PatchType,
    wanted: Wanted,
    /// Where it stands in the spec.
    field: String,
    expression: Str,
}

impl Change {
    fn read(at: usize, mutation: &Value) -> Option<Self> {
        let (of, field, wanted) = match mutation.find_str(&["patchType"]) {
            "JSONPatch" => (PatchType::JsonPatch, "jsonPatch", Wanted::JsonPatches),
            "ApplyConfiguration" => {
                (PatchType::ApplyConfiguration, "applyConfiguration", Wanted::Configuration)
            }
            _ => return None,
        };
        let body = mutation.get(field).filter(|body| !body.is_null())?;
        let expression = Str::from(body.find_str(&["expression"]));
        Some(Change { of, wanted, field: format!("mutations[{at}].{field}.expression"), expression })
    }
}

impl Mutations {
    /// Compiles a policy as an API server of a release does.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    // Kubernetes: policy/mutating/compilation.go compilePolicy.
    pub fn of_api_server(spec: &Value, release: Kubernetes) -> Result<Self, String> {
        let (written, changes) = MutatingAdmission::written(spec);
        let offered = Offered {
            params: written.has_params,
            authorizer: true,
            variables: true,
            patches: true,
            libraries: release,
        };
        let kind = Kind::ApiServer(offered);
        Self::new(&written, &changes, kind, kind)
    }

    fn new(written: &Admission, changes: &[Change], kind: Kind, of_messages: Kind) -> Result<Self, String> {
        let program = AdmissionProgram::of_kinds(written, kind, of_messages)?;
        let mut faults = Vec::new();
        let made = |change: &Change| {
            let Change { of, wanted, field, expression } = change;
            (*of, make(&program.environment, expression, *wanted, field.clone(), &mut faults))
        };
        let patches = changes.iter().map(made).collect();
        Ok(Mutations { program, patches, faults })
    }
}
