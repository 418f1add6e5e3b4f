//! One policy over one request of HTTP or of Envoy.
//!
//! Mirrors: `pkg/engine/compiler/policy.go` of kyverno-authz, `authz_processor.go` of Kyverno's CLI for the words.

use super::Subject;
use super::frame::Frame;
use crate::functions::message::Message;
use crate::functions::outside::Handle;
use crate::functions::request::{Verdict, verdict};
use crate::policy::{Policy, RequestProgram};
use engine::apply::Status;
use engine::resource::{DocumentId, Protocol, Resource};
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::Value as Cel;
use engine_json::Value;
use std::sync::Arc;

/// The verdict of a policy on a request, its words, and the place of the validation that answered.
pub fn answered(
    policy: &Policy,
    program: &RequestProgram,
    protocol: Protocol,
    request: Message,
    outside: &dyn Outside,
) -> (Status, String, Option<usize>) {
    let subject = Subject::of_payload(&Resource::new(Value::Null, DocumentId(0)));
    let mut frame = Frame::new(&program.environment, &program.variables, &subject, outside);
    frame.bind("object", Binding::Value(Cel::Opaque(Arc::new(request))));
    // kyverno-authz: declared, and nobody gives it a value.
    frame.bind("image", Binding::Missing);
    frame.bind("mcp", Binding::Value(Cel::Opaque(Arc::new(Handle { type_name: "mcp.MCP" }))));
    let skip = (Status::Skip, "request does not match".to_owned(), None);
    let failed = |error: String, at| {
        let ignored = (Status::Skip, "request does not match".to_owned(), None);
        if policy.ignores_failures { ignored } else { (Status::Error, error, at) }
    };
    match frame.conditions(&program.match_conditions) {
        Ok(true) => {}
        Ok(false) => return skip,
        Err(error) => return failed(error, None),
    }
    frame.bind("variables", Binding::Lazy);
    for (at, answer) in program.answers.iter().enumerate() {
        let said = match frame.run(answer) {
            Ok(said) => said,
            Err(error) => return failed(error.to_string(), Some(at)),
        };
        return match (verdict(&said), protocol) {
            (None, _) => continue,
            (Some(Verdict::Allowed), _) => (Status::Pass, "request allowed".to_owned(), Some(at)),
            (Some(Verdict::Denied(reason)), Protocol::Http) => {
                (Status::Fail, format!("request denied, reason: {reason}"), Some(at))
            }
            (Some(Verdict::Denied(code)), Protocol::Envoy) => {
                (Status::Fail, format!("request denied with status code {code}"), Some(at))
            }
            (Some(Verdict::Foreign), _) => {
                failed("rule result is expected to be *authv3.CheckResponse".to_owned(), Some(at))
            }
            (Some(Verdict::Neither), _) => {
                (Status::Error, "the response neither allows nor denies".to_owned(), Some(at))
            }
        };
    }
    skip
}
