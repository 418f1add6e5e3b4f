//! ValidatingPolicy and its exceptions: as they are written, and compiled.
//!
//! In: documents that their schema takes. Out: a [`Policy`], and a [`Program`] for it, or what is wrong with it in Kyverno's words.
//! Mirrors: `api/policies.kyverno.io/v1beta1` and `pkg/cel/policies/vpol/compiler` of Kyverno 1.19.

mod admission;
mod attestors;
mod autogen;
mod compiling;
mod decode;
mod deleting;
mod exception;
mod faults;
mod generating;
mod images;
mod mutating;
mod mutating_admission;
mod mutating_autogen;
mod placeholders;
mod program;
mod requests;
mod schema;
mod schema_changing;
mod schema_images;
mod stored;
mod template;

pub use admission::{Admission, AdmissionProgram, Made};
pub use attestors::{CompiledAttestor, Given};
pub(crate) use autogen::passed_over;
pub use autogen::{Custom, custom};
pub use compiling::exception_conditions;
pub use decode::{decode, is_simple, repeated_name};
pub use decode::{items, texts};
pub use deleting::{DELETING_COMPILER, Deleting};
pub use exception::{Exception, refusal};
pub use generating::{GENERATING_COMPILER, Generating, Generation};
pub use images::{ImageProgram, Images, NotCompiled, Placed, Reference, is_bare};
pub use mutating::{Mutating, Mutation};
pub use mutating_admission::{Change, MutatingAdmission, Mutations, PatchType};
pub use placeholders::{Within, expressions_in_template};
pub use program::{CompiledValidation, ExceptionProgram, Program, Refused};
pub use requests::RequestProgram;
pub use schema::{ADMISSION, BINDING, EXCEPTION, VALIDATING};
pub use schema_changing::{DELETING, GENERATING, MUTATING, MUTATING_ADMISSION};
pub use schema_images::IMAGES;
pub use stored::{STATIC, aggregated, faults_of, oldest_taking, refusal_of_webhook, refusal_to_store};
pub use template::{Part, Segment, Template};

use engine_json::{Str, Value};

/// A policy that validates.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// `ValidatingPolicy` or `NamespacedValidatingPolicy`.
    pub kind: Str,
    /// Its name.
    pub name: Str,
    /// Its namespace; empty for one of the whole cluster.
    pub namespace: Str,
    /// What resources it is for.
    pub evaluation: Evaluation,
    /// Whether match conditions that fail count as not met.
    pub ignores_failures: bool,
    /// Which resources it matches, as written; `None` where nothing is said.
    pub match_constraints: Option<Value>,
    /// Names and expressions.
    pub match_conditions: Vec<(Str, Str)>,
    /// Names and expressions, in their order: one may use those before it.
    pub variables: Vec<(Str, Str)>,
    /// What it asks.
    pub validations: Vec<Validation>,
    /// Keys and expressions.
    pub audit_annotations: Vec<(Str, Str)>,
    /// The same policy for controllers of Pods, where it has such variants.
    pub variants: Vec<Policy>,
    /// For which custom workloads it is, where it names any.
    pub custom: Option<Custom>,
}

/// What a policy is evaluated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// Resources.
    #[default]
    Kubernetes,
    /// Payloads of any form.
    Json,
    /// Requests of HTTP or of Envoy.
    Requests,
}

/// One question of a policy.
#[derive(Clone, Debug, Default)]
pub struct Validation {
    /// What has to be true.
    pub expression: Str,
    /// What is said where it is not.
    pub message: Str,
    /// An expression for what is said; empty where there is none.
    pub message_expression: Str,
}

impl Policy {
    /// `namespace/name`, or the name alone.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}
