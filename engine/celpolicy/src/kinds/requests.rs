//! ValidatingPolicies of mode `HTTP` and `Envoy`: read, compiled, and asked about requests.
//!
//! In: documents. Out: policies of the engine's bundle, which answer requests and nothing else.
//! Mirrors: `cmd/cli/kubectl-kyverno/processor/authz_processor.go` of Kyverno 1.19.

use super::validating;
use super::{DocumentPath, annotations, path_of, refused, repeated};
use crate::apply::{CliWorld, Why, answered};
use crate::functions::message::Message;
use crate::functions::shapes::{ENVOY_REQUEST, HTTP_REQUEST};
use crate::policy::{Evaluation, Policy, RequestProgram, decode, repeated_name};
use engine::apply::{RuleResult, RuleType, Status};
use engine::body::{Asked, PolicyBody, Turn};
use engine::diag::Diagnostic;
use engine::load::{Bundle, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::resource::{Protocol, Resource};
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// Reads a ValidatingPolicy of any mode.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    let policy = decode(value);
    if policy.evaluation != Evaluation::Requests {
        return validating::read::<W>(bundle, place, value, kind);
    }
    super::check_owners(bundle, place, value)?;
    if let Some((field, name)) = repeated_name(&policy) {
        return Err(repeated(bundle, place, &policy, &field, name).into());
    }
    let mode = value.find_str(&["spec", "evaluation", "mode"]);
    let protocol = if mode == "HTTP" { Protocol::Http } else { Protocol::Envoy };
    let program = RequestProgram::new(&policy, protocol)
        .map_err(|fault| refused(bundle, place, value, policy.key(), &fault))?;
    let made = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: policy.namespace.clone(),
        name: policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        body: Some(Arc::new(RequestsBody { root: place.path.clone(), protocol, policy, program })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((made, Vec::new()))
}

/// Why a payload is not a request: the words of the reader that the original asks.
pub fn request_fault(resource: &Resource) -> Option<String> {
    request(resource.protocol?, resource).err()
}

fn request(protocol: Protocol, resource: &Resource) -> Result<Message, String> {
    let shape = match protocol {
        Protocol::Http => &HTTP_REQUEST,
        Protocol::Envoy => &ENVOY_REQUEST,
    };
    Message::read(shape, &resource.value)
}

/// What answers requests.
#[derive(Debug)]
struct RequestsBody {
    /// Where the policy stands in its document.
    root: Path,
    protocol: Protocol,
    policy: Policy,
    program: RequestProgram,
}

impl PolicyBody for RequestsBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let namespace = &self.policy.namespace;
        let outside = CliWorld { world: asked.world, settings: asked.settings, namespace, also: &[] };
        let (status, message, at) = match request(self.protocol, asked.resource) {
            Ok(request) => answered(&self.policy, &self.program, self.protocol, request, &outside),
            Err(error) => (Status::Error, error, None),
        };
        let mut result =
            RuleResult::of_policy(self.policy.name.clone(), RuleType::Validation, status, message);
        if let Some(at) = at {
            result.policy_paths.push(path_of(&self.root, &format!("spec.validations[{at}].expression")));
        }
        Some(vec![result])
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn protocol(&self) -> Option<Protocol> {
        Some(self.protocol)
    }

    fn turn(&self) -> Turn {
        match self.protocol {
            Protocol::Http => Turn::Http,
            Protocol::Envoy => Turn::Envoy,
        }
    }

    fn source(&self) -> &'static str {
        "KyvernoValidatingPolicy"
    }
}
