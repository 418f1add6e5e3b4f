//! Where a cluster would decide otherwise than the CLI, and why.
//!
//! In: a body, and what the CLI asks it. Out: both verdicts and the reason, which is found by asking again with one difference less.

use super::Seen;
use super::admission::AdmissionBody;
use super::validating::ValidatingBody;
use crate::apply::{Subject, matches};
use engine::apply::{RuleResult, Status};
use engine::body::{Asked, Difference, PolicyBody};
use engine::load::Host;
use engine_cel::value::Numbers;
use engine_json::Value;
use std::any::Any;
use std::cell::OnceCell;

const NUMBERS: &str = "every whole number is read as a double here";
const REQUEST: &str = "the request and its namespace are filled by the API server there";

/// The same question to a cluster, over subjects that both kinds of policies see.
fn in_cluster<'a>(asked: &Asked<'a>, by_kyverno: Subject, by_kubernetes: Subject) -> Asked<'a> {
    let seen = Seen { by_kyverno: by_kyverno.into(), by_kubernetes: by_kubernetes.into() };
    Asked { made: OnceCell::from(Box::new(seen) as Box<dyn Any>), ..asked.of_host(Host::Cluster) }
}

/// The worst of what was said; a policy that is not asked because of what nobody has given says nothing.
fn verdict(rows: Option<Vec<RuleResult>>) -> Option<Status> {
    let rows = rows.unwrap_or_default().into_iter();
    let asked = rows.filter(|row| row.status != Status::Skip || row.assumed.is_empty());
    asked.map(|row| row.status).max_by_key(|status| status.severity())
}

/// What a cluster would say of a resource with doubles for whole numbers.
fn with_doubles(body: &dyn PolicyBody, asked: &Asked<'_>) -> Option<Status> {
    let doubled = |mut subject: Subject| {
        subject.numbers = Numbers::Doubles;
        subject
    };
    let (one, other) = (doubled(Subject::of_webhook(asked)), doubled(Subject::of_validation(asked)));
    verdict(body.evaluate(&in_cluster(asked, one, other)))
}

/// What a cluster would say of a resource whose Namespace has the labels that the CLI sees.
fn with_labels_of_values(body: &dyn PolicyBody, asked: &Asked<'_>) -> Option<Status> {
    let seen = Subject::of_admission(asked.resource, asked.settings);
    let subject = Subject {
        namespace_labels: seen.namespace_labels,
        namespace_is_given: true,
        ..Subject::of_validation(asked)
    };
    verdict(body.evaluate(&in_cluster(asked, Subject::of_webhook(asked), subject)))
}

/// Whether the constraints of the policy itself select a resource in a cluster.
fn is_selected_there(body: &AdmissionBody, asked: &Asked<'_>) -> bool {
    let subject = Subject::of_validation(asked);
    body.constraints.as_ref().is_none_or(|constraints| matches(constraints, &subject).unwrap_or(true))
}

/// For a policy of Kyverno's own.
pub(super) fn of_kyverno(body: &ValidatingBody, asked: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
    let policy = &body.policy;
    let constraints = policy.match_constraints.as_ref();
    let selects_namespaces =
        constraints.is_some_and(|constraints| constraints.find(&["namespaceSelector"]).is_some());
    let can_differ = body.depends.on_numbers
        || body.depends.on_request
        || selects_namespaces
        || !policy.namespace.is_empty()
        || !asked.old_objects.is_empty()
        || body.exceptions.iter().any(|(exception, _)| exception.expires_at.is_some());
    if !can_differ || asked.resource.is_payload {
        return None;
    }
    let here = verdict(body.evaluate(asked));
    let there = verdict(body.evaluate(there));
    if here == there {
        return None;
    }
    let subject = Subject::of_webhook(asked);
    let expired = body.exceptions.iter().find(|(exception, _)| exception.is_expired(asked.world.now()));
    let why = if !policy.namespace.is_empty() && subject.request_namespace() != policy.namespace {
        format!("the policy is for namespace `{}` alone", policy.namespace)
    } else if let Some((exception, _)) = expired {
        format!("exception `{}` has expired, which is not looked at here", exception.key())
    } else if with_doubles(body, asked) == here {
        NUMBERS.to_owned()
    } else {
        REQUEST.to_owned()
    };
    Some(Difference { here, there, why })
}

/// For a policy of the API server's.
pub(super) fn of_kubernetes(
    body: &AdmissionBody,
    asked: &Asked<'_>,
    there: &Asked<'_>,
) -> Option<Difference> {
    if asked.resource.is_payload {
        return None;
    }
    let depends = body.program.depends();
    let can_differ = depends.on_numbers
        || depends.on_request
        || !asked.old_objects.is_empty()
        || body.bindings.len() != 1
        || body.selects_otherwise();
    if !can_differ {
        return None;
    }
    let here = verdict(body.evaluate(asked));
    let there = verdict(body.evaluate(there));
    if here == there {
        return None;
    }
    let why = if body.bindings.is_empty() {
        "no binding of the policy is given, and without one it decides nothing".to_owned()
    } else if with_labels_of_values(body, asked) == here {
        "labels of a Namespace are those that it has there, and those of a values file alone here".to_owned()
    } else if with_doubles(body, asked) == here {
        NUMBERS.to_owned()
    } else if !is_selected_there(body, asked) {
        "the policy itself does not select the object, which is not asked beside a binding here".to_owned()
    } else if there.is_none() {
        "the policy and one of its bindings must both select the object, and parameters must be found"
            .to_owned()
    } else if body.bindings.len() > 1 {
        "every binding decides there, and not the last alone".to_owned()
    } else if body.bindings.iter().any(|binding| binding.params.is_some()) {
        "parameters are those of the kind and namespace that the binding means".to_owned()
    } else {
        REQUEST.to_owned()
    };
    Some(Difference { here, there, why })
}

/// For a policy that generates or deletes.
pub(super) fn of_changing(
    body: &dyn PolicyBody,
    namespace: &str,
    asked: &Asked<'_>,
    there: &Asked<'_>,
) -> Option<Difference> {
    if asked.resource.is_payload {
        return None;
    }
    let is_of_another = super::home::is_elsewhere(there, namespace);
    let (here, there) = (verdict(body.evaluate(asked)), verdict(body.evaluate(there)));
    let why = if is_of_another {
        format!("the policy is for namespace `{namespace}` alone")
    } else {
        "whole numbers are integers there, exceptions end, and the request and its namespace are known"
            .to_owned()
    };
    (here != there).then_some(Difference { here, there, why })
}

/// Whether constraints say anything that a cluster reads otherwise than the CLI.
pub(super) fn is_read_otherwise(constraints: Option<&Value>) -> bool {
    constraints.is_some_and(|constraints| constraints.find(&["namespaceSelector"]).is_some())
}
