//! What stands in for the cluster of a test: cluster resources, mocked calls, global context entries.
//!
//! In: the fields `clusterResources`, `apiCallResponses` and `globalContextEntries` of a test. Out: answers in the
//! bundle's settings, or why they cannot be given, in the original's words.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, apis/v1alpha1/test.go, store/gctx_{load,resolve}.go.

use super::expected;
use super::file::TestFile;
use super::find::below;
use crate::clock;
use crate::files::{Files, Unreadable};
use engine::Bundle;
use engine::json::{Map, Str, Value};
use engine::load::{CallAnswer, CloneSource, Cluster};
use engine::policy::{Body, Rule};
use engine::resource::{DocumentId, Resource};
use engine::yaml::{Options, Source, SourceId, parse};
use std::sync::Arc;

/// The objects that cluster resources add; `None` where the test has none, and so no cluster.
pub(super) fn objects(
    test: &TestFile,
    folder: &str,
    files: &dyn Files,
) -> Result<Option<Vec<Resource>>, String> {
    if test.cluster_resources.is_empty() {
        return Ok(None);
    }
    let mut objects = Vec::new();
    for path in &test.cluster_resources {
        let failed = |error: String| format!("error: failed to load Kubernetes resources: {error}");
        let documents = documents(&below(folder, path), files).map_err(failed)?;
        let Some(spec) = documents.first().and_then(|document| document.get("spec")) else { continue };
        for crd in spec.get("crds").and_then(Value::as_array).unwrap_or_default() {
            let path = below(folder, crd.as_str().unwrap_or(""));
            let failed = |error| format!("error: failed to load CRDs from path {path}: {error}");
            objects.extend(self::documents(&path, files).map_err(failed)?);
        }
        objects.extend_from_slice(spec.get("resources").and_then(Value::as_array).unwrap_or_default());
    }
    let resource = |value: &Value| Resource::new(value.with_float_numbers(), DocumentId(0));
    Ok(Some(objects.iter().map(resource).collect()))
}

fn documents(path: &str, files: &dyn Files) -> Result<Vec<Value>, String> {
    let text = files.read(path).map_err(|Unreadable { original, .. }| original)?;
    let source = Source { id: SourceId(0), name: text.name, text: text.text.into() };
    let parsed = parse(&source, &Options::default());
    match parsed.findings.first() {
        Some(finding) => Err(finding.message.clone()),
        None => Ok(parsed.documents.into_iter().map(|document| document.value).collect()),
    }
}

/// Puts the answers into the settings.
pub(super) fn settle(
    test: &TestFile,
    folder: &str,
    files: &dyn Files,
    cluster: Option<Vec<Resource>>,
    bundle: &mut Bundle,
) -> Result<(), String> {
    let calls = test.api_call_responses.iter().enumerate().map(|(at, entry)| call(at, entry));
    bundle.settings.answers.calls = calls.collect::<Result<_, _>>()?;
    for entry in &test.global_context_entries {
        let name = Str::new(entry.find_str(&["name"]));
        let held = global_entry(entry, folder, files)?;
        bundle.settings.answers.global.push((name, held));
    }
    bundle.settings.answers.clone_sources = clone_sources(test, folder, files, bundle);
    bundle.settings.answers.cluster = match cluster {
        None => Cluster::Nobody,
        Some(more) => {
            for object in &more {
                bundle.settings.define(&object.value);
            }
            let given = bundle.resources.iter().chain(&bundle.cluster_resources).cloned();
            Cluster::Objects(given.chain(more).collect())
        }
    };
    Ok(())
}

/// The objects of `cloneSourceResource`; of several entries about a rule, the first one counts.
// Kyverno: test.go, ruleToCloneSourceResource; a file that cannot be read is passed over, and the rule finds nothing.
fn clone_sources(test: &TestFile, folder: &str, files: &dyn Files, bundle: &Bundle) -> Vec<CloneSource> {
    let mut found: Vec<CloneSource> = Vec::new();
    for entry in &test.results {
        let is_known = found.iter().any(|known| known.policy == entry.policy && known.rule == entry.rule);
        let mut policies = bundle.policies.iter().filter(|policy| policy.key() == entry.policy);
        let generates = |rule: &Arc<Rule>| rule.name == entry.rule && matches!(rule.body, Body::Generate(_));
        if is_known || !policies.any(|policy| policy.all_rules().any(generates)) {
            continue;
        }
        let resources = match entry.clone_source.as_str() {
            "" => Vec::new(),
            path => expected::read(&below(folder, path), files).unwrap_or_default(),
        };
        let (policy, rule) = (entry.policy.clone(), Str::new(&entry.rule));
        found.push(CloneSource { policy, rule, objects: resources });
    }
    found
}

/// A mocked call.
// Kyverno: validateAPICallResponseEntry.
fn call(at: usize, entry: &Value) -> Result<CallAnswer, String> {
    let (url, path) = (entry.find_str(&["url"]).trim(), entry.find_str(&["urlPath"]).trim());
    let method = entry.find_str(&["method"]).trim().to_uppercase();
    let status = entry.find(&["response", "statusCode"]).and_then(Value::as_i64).unwrap_or_default();
    let body = entry.find(&["response", "body"]).cloned().unwrap_or_default();
    let called = if url.is_empty() { path } else { url };
    let wrong = |what: &str| Err(format!("apiCallResponses[{at}]{what}"));
    if called.is_empty() {
        return wrong(": either url or urlPath is required");
    }
    if !url.is_empty() && !path.is_empty() {
        return wrong(": url and urlPath are mutually exclusive");
    }
    if !url.is_empty() && !url.starts_with("http://") && !url.starts_with("https://") {
        return wrong(&format!(": url \"{url}\" must be an absolute https/http URL"));
    }
    if !path.is_empty() && !path.starts_with('/') {
        return wrong(&format!(": urlPath \"{path}\" must be an absolute path starting with '/'"));
    }
    if !matches!(method.as_str(), "" | "GET" | "POST") {
        return wrong(": method must be GET or POST");
    }
    match &body {
        Value::Null => return wrong(&format!(" \"{called}\": response.body is required")),
        Value::Object(_) => {}
        _ => return wrong(&format!(" \"{called}\": response.body must be a JSON object")),
    }
    if status != 0 && !(100..=599).contains(&status) {
        return wrong(&format!(" \"{called}\": statusCode {status} must be between 100 and 599"));
    }
    let status = if status == 0 { 200 } else { status };
    Ok(CallAnswer { method: method.into(), url: Str::new(called), status, body })
}

/// What a global context entry holds; the inner error is said where the entry is asked for.
// Kyverno: ValidateGlobalContextEntries, ResolveGCEResourceFiles, ResolveGlobalContextMockData.
fn global_entry(entry: &Value, folder: &str, files: &dyn Files) -> Result<Result<Value, String>, String> {
    let name = entry.find_str(&["name"]);
    if name.trim().is_empty() {
        return Err("globalContextEntries: name is required".to_owned());
    }
    let list = |field: &str| entry.get(field).and_then(Value::as_array);
    let data = entry.get("data").filter(|data| !data.is_null());
    let sources = [data.is_some(), list("resources").is_some(), list("resourceFiles").is_some()];
    match sources.iter().filter(|is_given| **is_given).count() {
        0 => {
            return Err(format!(
                "globalContextEntries entry \"{name}\": one of data, resources, or resourceFiles is required"
            ));
        }
        1 => {}
        _ => {
            return Err(format!(
                "globalContextEntries entry \"{name}\": data, resources, and resourceFiles are mutually exclusive"
            ));
        }
    }
    let mut root = data.cloned().or_else(|| list("resources").map(|list| Value::array(list.to_vec())));
    if let Some(paths) = list("resourceFiles") {
        let mut all = Vec::new();
        for path in paths.iter().filter_map(Value::as_str) {
            all.extend(documents(&below(folder, path), files).map_err(|error| {
                format!("error: failed to load globalContextEntries resource files: {error}")
            })?);
        }
        root = Some(Value::array(all));
    }
    Ok(project(entry, name, root.unwrap_or_default().with_float_numbers()))
}

/// The part of the data that the entry names, and its projections.
// Kyverno: applyFieldPathAndProjections.
fn project(entry: &Value, name: &str, mut root: Value) -> Result<Value, String> {
    let world = crate::world::at(clock::now());
    let path = entry.find_str(&["fieldPath"]);
    if !path.is_empty() {
        root = engine::query(path, &root, &world)
            .map_err(|error| format!("globalContextEntries \"{name}\" fieldPath: {error}"))?;
    }
    let projections = entry.get("projections").and_then(Value::as_array).unwrap_or_default();
    if projections.is_empty() {
        return Ok(root);
    }
    let mut held = Map::new();
    for projection in projections {
        let (part, path) = (projection.find_str(&["name"]), projection.find_str(&["path"]));
        let value = engine::query(path, &root, &world).map_err(|error| {
            format!("globalContextEntries \"{name}\" projection \"{part}\" path \"{path}\": {error}")
        })?;
        held.insert(part, value);
    }
    Ok(Value::object(held))
}
