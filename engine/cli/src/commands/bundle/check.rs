//! What a module answers to requests.
//!
//! In: a module, and files with AdmissionReviews, requests, or objects that are created. Out: a line for each. The exit code: 1 where
//! one is refused or has no answer.

use super::{files, object, without_cluster};
use crate::clock;
use crate::exit::Failure;
use crate::terminal;
use engine::json::{Value, parse, to_json};
use engine::yaml::{Options, Source, SourceId};
use engine_kubewarden::creating;
use engine_kubewarden_host::Module;
use std::fmt::Write as _;

/// Asks a module about the requests in these files.
pub(super) fn run(module: &str, paths: &[String]) -> Result<u8, Failure> {
    let bytes = std::fs::read(module).map_err(|error| Failure(format!("{module}: {error}")))?;
    let module = Module::new(&bytes)?;
    let alone = without_cluster();
    let (mut asked, mut accepted, mut out) = (0, 0, String::new());
    for (path, text) in files::texts(paths)? {
        for (at, request) in requests(&text).into_iter().enumerate() {
            // As in a cluster: each request meets an instance of its own.
            let mut instance = module.instance(clock::now(), alone.clone())?;
            let payload = object([("settings", object([])), ("request", request.clone())]);
            let answer = instance.call("validate", to_json(&payload).as_bytes());
            let answer = answer.and_then(|answer| {
                parse(&String::from_utf8_lossy(&answer)).map_err(|error| error.to_string())
            });
            asked += 1;
            accepted += usize::from(is_accepted(&answer));
            let _ = writeln!(out, "{path}:{} {}: {}", at + 1, about(&request), words(answer));
        }
    }
    terminal::print(&format!("{out}accepted: {accepted}, refused or not answered: {}\n", asked - accepted));
    if asked == 0 {
        return Err(Failure("there is no request in these files".to_owned()));
    }
    Ok(u8::from(accepted < asked))
}

/// The requests of a text.
fn requests(text: &str) -> Vec<Value> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let documents = engine::yaml::parse(&source, &Options::default()).documents;
    let request = |value: Value| match value.get("request") {
        Some(request) => request.clone(),
        None if value.get("operation").is_some() => value,
        None => creating(&value),
    };
    documents
        .into_iter()
        .map(|document| document.value)
        .filter(|value| !value.is_null())
        .map(request)
        .collect()
}

fn is_accepted(answer: &Result<Value, String>) -> bool {
    answer.as_ref().is_ok_and(|answer| answer.get("accepted").and_then(Value::as_bool) == Some(true))
}

fn about(request: &Value) -> String {
    let text = |path: &[&str]| request.find_str(path).to_owned();
    let (operation, kind) = (text(&["operation"]), text(&["kind", "kind"]));
    format!("{operation} {kind}/{}/{}", text(&["namespace"]), text(&["name"]))
}

fn words(answer: Result<Value, String>) -> String {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return format!("no answer: {error}"),
    };
    let warnings = answer.get("warnings").and_then(Value::as_array).unwrap_or_default();
    let mut words = match answer.get("accepted").and_then(Value::as_bool) {
        Some(true) if answer.get("mutated_object").is_some() => "accepted, changed".to_owned(),
        Some(true) => "accepted".to_owned(),
        _ => format!("refused: {}", answer.find_str(&["message"]).trim()),
    };
    for warning in warnings.iter().filter_map(Value::as_str) {
        let _ = write!(words, "\n  warning: {warning}");
    }
    words
}
