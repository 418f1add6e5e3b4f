//! Calls of context entries: of the Kubernetes API, answered from the objects at hand, and of services.
//!
//! In: a call with its variables put in. Out: the answer, or Kyverno's words: of a path that a policy of a namespace may not
//! ask for, of a service that Kyverno calls for nobody. No service is called from here.
//! Mirrors: pkg/engine/apicall/{apiCall,executor}.go.

use super::deferred::ApiCall;
use super::{Evaluator, JsonContext, variables};
use crate::functions::clean_path;
use crate::policy::ContextEntry;
use crate::value::network::egress::Server;
use crate::value::network::url::unescape_path;
use crate::value::{re2, x509};
use engine_json::{Str, Value};

/// The paths that name a namespace, which is the second group.
const WITH_NAMESPACE: &str = "^/api(s)?/.*?/namespaces/([^/]+)/?.*$";

impl JsonContext<'_> {
    // Kyverno: apiLoader.LoadData.
    pub(super) fn api_call(&mut self, entry: &ContextEntry, call: &ApiCall<'_>) -> Result<(), String> {
        let fetched = self.fetch(entry, call);
        let fetched = fetched.map_err(|error| format!("failed to fetch data for APICall: {error}"))?;
        self.store(entry, call, fetched).map_err(|error| format!("failed to store data for APICall: {error}"))
    }

    fn fetch(&mut self, entry: &ContextEntry, call: &ApiCall<'_>) -> Result<Fetched, String> {
        let name = &entry.name;
        let url = call.call.find_str(&["urlPath"]);
        let resolved = variables::substitute(self, call.call).map_err(|error| {
            format!("failed to substitute variables in context entry {name} {url}: {error}")
        })?;
        let path = resolved.find_str(&["urlPath"]);
        check_namespace(path, call.policy_namespace)?;
        let default = call.call.get("default").filter(|default| !default.is_null());
        match (answer(name, call, &resolved, self.evaluator), default) {
            (Ok(answer), _) => Ok(Fetched::Answer { path: Str::new(path), answer }),
            (Err(_), Some(default)) => Ok(Fetched::Default(default.clone())),
            (Err(error), None) => Err(error),
        }
    }

    fn store(&mut self, entry: &ContextEntry, call: &ApiCall<'_>, fetched: Fetched) -> Result<(), String> {
        let name = &entry.name;
        let (path, answer) = match fetched {
            Fetched::Default(default) => return self.add_entry(name, &default),
            Fetched::Answer { path, answer } => (path, answer),
        };
        let written = call.call.find_str(&["jmesPath"]);
        if written.is_empty() {
            return self.add_entry(name, &answer);
        }
        let expression = variables::substitute(self, &Value::from(written)).map_err(|error| {
            format!("failed to substitute variables in context entry {name} JMESPath {written}: {error}")
        })?;
        let text = expression.as_str().unwrap_or("");
        let evaluator = self.evaluator;
        let apply = || evaluator.apply(text, &answer.with_float_numbers());
        let result =
            if call.objects.cluster.is_some() { apply() } else { evaluator.answer(&path, text, apply) };
        let result = result
            .map_err(|error| format!("failed to apply JMESPath {text} for context entry {name}: {error}"))?;
        self.add_entry(name, &result)
    }
}

/// What a call gives to its entry.
enum Fetched {
    Answer {
        path: Str,
        answer: Value,
    },
    /// What the entry names for want of an answer.
    Default(Value),
}

/// Refuses a path outside the namespace of the policy, where it has one; escapes are read as an API server reads them.
fn check_namespace(path: &str, policy_namespace: &str) -> Result<(), String> {
    if policy_namespace.is_empty() {
        return Ok(());
    }
    let path = clean_path(&unescape_path(path).unwrap_or_else(|_| path.to_owned()));
    let found = re2::cached(WITH_NAMESPACE).ok().and_then(|pattern| pattern.regex.find_all(&path, 1).ok());
    match found.as_deref().and_then(|found| found.first()?.group(2)) {
        None => Err(format!(
            "path {path} does not contain a namespace segment, which is required for namespaced policies"
        )),
        Some(namespace) if namespace != policy_namespace => Err(format!(
            "path {path} refers to namespace {namespace}, which is different from the policy namespace {policy_namespace}"
        )),
        Some(_) => Ok(()),
    }
}

fn answer(
    name: &str,
    call: &ApiCall<'_>,
    resolved: &Value,
    evaluator: &Evaluator<'_>,
) -> Result<Value, String> {
    let path = resolved.find_str(&["urlPath"]);
    let method = resolved.find_str(&["method"]);
    if path.is_empty() {
        return Err(refused_service(name, method, resolved));
    }
    let answer = match method {
        "GET" => call.objects.get(path, evaluator),
        method => Err(format!("method {method} not supported for fake client")),
    };
    answer.map_err(|error| format!("failed to {method} resource with raw url: {path}: {error}"))
}

/// Why a service is not called: for a reason of the original's, or because nothing is called from here.
// Kyverno: executor.executeServiceCall.
fn refused_service(name: &str, method: &str, resolved: &Value) -> String {
    let Some(service) = resolved.get("service").filter(|service| !service.is_null()) else {
        return format!("missing service for APICall {name}");
    };
    let server = match Server::parse(service.find_str(&["url"])) {
        Ok(server) => server,
        Err(why) => return format!("failed to validate URL for APICall {name}: {why}"),
    };
    let bundle = service.find_str(&["caBundle"]);
    if !bundle.is_empty() && !x509::is_certificate(bundle) {
        return format!("failed to parse PEM CA bundle for APICall {name}");
    }
    if !matches!(method, "GET" | "POST") {
        return format!(
            "failed to build HTTP request for APICall {name}: invalid request type {method} for APICall {name}"
        );
    }
    match server.connect(method) {
        Err(why) => format!("failed to execute HTTP request for APICall {name}: {why}"),
        Ok(()) => "a service cannot be called from here".to_owned(),
    }
}
