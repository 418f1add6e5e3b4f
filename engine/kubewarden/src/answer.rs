//! The answer to a request, as Kubewarden wants it.
//!
//! In: what was decided. Out: JSON such as `{"accepted":false,"message":"…","code":400}`; what is empty is left out.

use engine_json::{Map, Value, to_json};

/// The code of a refusal by a webhook that names none.
// Kubernetes: ToStatusErr of apiserver/pkg/admission/plugin/webhook/errors.
pub(crate) const BAD_REQUEST: u16 = 400;
/// The code of what is forbidden.
pub(crate) const FORBIDDEN: u16 = 403;

/// What was decided.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Why the request is refused, and with which code; nothing where it is accepted.
    pub(crate) refusal: Option<(String, u16)>,
    /// What the user is warned of.
    pub(crate) warnings: Vec<String>,
    /// What goes into the audit log.
    pub(crate) audit_annotations: Vec<(String, String)>,
    /// The object, where policies have changed it.
    pub(crate) mutated_object: Option<Value>,
}

impl Answer {
    /// A refusal for this reason.
    pub(crate) fn refused(message: String) -> Self {
        Answer { refusal: Some((message, BAD_REQUEST)), ..Answer::default() }
    }

    /// The answer as JSON.
    pub(crate) fn json(self) -> String {
        let Answer { refusal, warnings, audit_annotations, mutated_object } = self;
        let mut answer = Map::new();
        answer.insert("accepted", Value::Bool(refusal.is_none()));
        // A request that is refused has no object.
        if let Some(object) = mutated_object.filter(|_| refusal.is_none()) {
            answer.insert("mutated_object", object);
        }
        if let Some((message, code)) = refusal {
            answer.insert("message", Value::from(message));
            answer.insert("code", Value::from(i64::from(code)));
        }
        if !warnings.is_empty() {
            answer.insert("warnings", Value::array(warnings.into_iter().map(Value::from).collect()));
        }
        let annotations: Map =
            audit_annotations.into_iter().map(|(key, text)| (key, Value::from(text))).collect();
        if !annotations.is_empty() {
            answer.insert("audit_annotations", Value::object(annotations));
        }
        to_json(&Value::object(answer))
    }
}
