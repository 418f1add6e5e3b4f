//! What the admission answers.
//!
//! In: a decision. Out: a [`Response`] with the status that the API server would send: 403 for a violation, 422 for bad
//! labels, 400 and 500 for what could not be decided.

use super::{LabelError, Request};
use engine_json::ordered::OrderedMap;

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Whether the request passes.
    pub allowed: bool,
    /// Why it does not.
    pub status: Option<Status>,
    /// What is said to the user beside the answer.
    pub warnings: Vec<String>,
    /// What the audit log notes: `enforce-policy`, `audit-violations`, `exempt`, `error`.
    pub audit_annotations: OrderedMap<&'static str, String>,
}

/// The status of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP code.
    pub code: u16,
    /// The reason in one word: `Forbidden`.
    pub reason: &'static str,
    /// The whole message.
    pub message: String,
    /// What it is about.
    pub details: Option<Details>,
}

/// What a refusal is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The name of the object.
    pub name: String,
    /// The API group.
    pub group: String,
    /// The kind or the resource.
    pub kind: String,
    /// The single reasons.
    pub causes: Vec<Cause>,
}

/// One reason of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The kind of reason: `FieldValueInvalid`, or empty.
    pub reason: &'static str,
    /// The text.
    pub message: String,
    /// The field, or empty.
    pub field: String,
}

impl Response {
    /// Yes, and nothing to say.
    pub(super) fn allow() -> Response {
        Response { allowed: true, ..Response::default() }
    }

    /// Yes, with one note for the audit log.
    pub(super) fn allow_noting(key: &'static str, text: impl Into<String>) -> Response {
        let mut response = Response::allow();
        response.audit_annotations.insert(key, text.into());
        response
    }

    /// Yes, because of an exemption.
    pub(super) fn exempt(by: &'static str) -> Response {
        Response::allow_noting("exempt", by)
    }

    /// No: the Pod breaks the policy that is enforced.
    pub(super) fn forbid(request: &Request, why: &str) -> Response {
        let (group, resource) = (&request.resource.group, &request.resource.resource);
        let qualified = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        let message = if request.name.is_empty() {
            format!("{qualified} is forbidden: {why}")
        } else {
            format!("{qualified} \"{}\" is forbidden: {why}", request.name)
        };
        let details = Details {
            name: request.name.clone(),
            group: group.clone(),
            kind: resource.clone(),
            causes: Vec::new(),
        };
        Response::refuse(Status { code: 403, reason: "Forbidden", message, details: Some(details) })
    }

    /// No: labels of the namespace are bad.
    pub(super) fn invalid(request: &Request, errors: &[LabelError]) -> Response {
        let name = request.name.clone();
        let message = format!("Namespace \"{name}\" is invalid: {}", LabelError::all(errors));
        let cause = |error: &LabelError| Cause {
            reason: "FieldValueInvalid",
            message: error.body(),
            field: error.field(),
        };
        let causes = errors.iter().map(cause).collect();
        let details = Details { name, group: String::new(), kind: "Namespace".to_owned(), causes };
        Response::refuse(Status { code: 422, reason: "Invalid", message, details: Some(details) })
    }

    /// No: something could not be decoded, for the reason given.
    pub(super) fn bad_request(what: &str, why: Option<&str>) -> Response {
        let status = Status { code: 400, reason: "BadRequest", message: what.to_owned(), details: None };
        Response::error(status, why)
    }

    /// No: the namespace cannot be had.
    pub(super) fn no_namespace(name: &str, why: &str) -> Response {
        let text = format!("failed to lookup namespace {}", engine_json::quote(name));
        let cause = Cause { reason: "", message: text.clone(), field: String::new() };
        let status = Status {
            code: 500,
            reason: "InternalError",
            message: format!("Internal error occurred: {text}"),
            details: Some(Details { causes: vec![cause], ..Details::default() }),
        };
        Response::error(status, Some(why))
    }

    fn error(status: Status, why: Option<&str>) -> Response {
        let note = why.map_or_else(|| status.message.clone(), |why| format!("{}: {why}", status.message));
        let mut response = Response::refuse(status);
        response.audit_annotations.insert("error", note);
        response
    }

    fn refuse(status: Status) -> Response {
        Response { allowed: false, status: Some(status), ..Response::default() }
    }
}
