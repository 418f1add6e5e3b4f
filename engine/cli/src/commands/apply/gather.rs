//! What a run of `apply` is made of: files by their flags, read and loaded.
//!
//! In: the arguments. Out: a bundle, what is to be said about the texts, and whether all of it could be used; or
//! the error with which the original ends, such as `require policy`.

use super::beside;
use super::evaluate::keeps_responses;
use super::inputs::{self, Input, has_no_kind};
use super::is_text;
use crate::args::Apply;
use crate::clock;
use crate::commands::mesh::{Arriving, Pair, arriving};
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::{diagnostics, text};
use crate::terminal;
use engine::Bundle;
use engine::apply::is_independent;
use engine::diag::{Diagnostic, Severity};
use engine::json::quote;
use engine::load::{Host, Role, variable};
use engine::policy::Exception;
use engine::resource::Protocol;
use engine::value::Duration;
use engine::yaml::Source;
use engine_celpolicy::request_fault;
use std::ops::Range;
use std::path::Path;

/// A run before anything is evaluated.
pub(super) struct Gathered {
    pub(super) bundle: Bundle,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Policies and resources that cannot be read.
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) resources: Resources,
    /// Controllers and their Pods as they arrive, where a mesh is asked for.
    pub(super) pairs: Vec<Pair>,
}

/// Where the resources are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resources {
    /// In the bundle.
    Loaded,
    /// Their texts are among the sources of the bundle, and nothing else is known of them.
    Texts,
}

/// All paths that the arguments name as something to read.
pub(super) fn inputs_of(arguments: &Apply) -> impl Iterator<Item = &String> {
    let lists = [
        &arguments.policies,
        &arguments.resource,
        &arguments.old_resource,
        &arguments.target_resource,
        &arguments.parameter_resource,
        &arguments.json,
        &arguments.exception,
        &arguments.image_data,
    ];
    let single = [&arguments.values_file, &arguments.context_file, &arguments.userinfo];
    lists.into_iter().flatten().chain(single.into_iter().flatten())
}

/// Refuses arguments that contradict each other, or that only a cluster could answer.
// Kyverno: checkArguments.
pub(super) fn check(arguments: &Apply) -> Result<(), Failure> {
    let refusal = if arguments.values_file.is_some() && !arguments.set.is_empty() {
        "pass the values either using set flag or values_file flag".to_owned()
    } else if arguments.policies.is_empty() {
        "require policy".to_owned()
    } else if let Err(Failure(words)) = inputs::refuse_two_pipes(&arguments.policies, &arguments.resource) {
        words
    } else if let Some(reason) = elsewhere(arguments) {
        reason
    } else if let Err(error) = Duration::parse(&arguments.generated_exception_ttl) {
        let text = quote(&arguments.generated_exception_ttl);
        format!("invalid argument {text} for \"--generated-exception-ttl\" flag: {error}")
    } else if !arguments.resource.is_empty() && !arguments.json.is_empty() {
        "both resource and json files can not be used together, use one or the other".to_owned()
    } else if inputs_to_evaluate(arguments).next().is_none() {
        "resource file(s) or cluster required".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure(refusal))
}

/// The files of what is evaluated.
fn inputs_to_evaluate(arguments: &Apply) -> impl Iterator<Item = &String> {
    let Apply { resource, json, http_payload, envoy_payload, .. } = arguments;
    [resource, json, http_payload, envoy_payload].into_iter().flatten()
}

/// The files of requests with the words of the original for one that cannot be used.
fn requests(arguments: &Apply) -> impl Iterator<Item = (Protocol, &String, String)> {
    let of = |protocol, what: &'static str, paths| {
        let words = move |path: &String| format!("failed to parse {what} payload from {path}");
        std::slice::Iter::<String>::map(paths, move |path| (protocol, path, words(path)))
    };
    let http = of(Protocol::Http, "HTTP", arguments.http_payload.iter());
    http.chain(of(Protocol::Envoy, "envoy", arguments.envoy_payload.iter()))
}

/// Why a flag cannot be followed offline.
fn elsewhere(arguments: &Apply) -> Option<String> {
    let asked = &arguments.elsewhere;
    if asked.cluster {
        let words = "--cluster asks a cluster; podsieve makes no network requests: write the objects into a file with \
                     `kubectl get … -o json | jq -r '.items[] | \"---\", tojson'` and give it with --resource";
        return Some(words.to_owned());
    }
    let is_remote = |path: &&String| path.contains("://");
    let remote = arguments.policies.iter().chain(&arguments.resource).find(is_remote)?;
    Some(format!("{remote} is remote; podsieve makes no network requests: fetch it, and give the file"))
}

/// Says which flags were taken and make no difference here.
fn say_unused(arguments: &Apply) {
    let asked = &arguments.elsewhere;
    // Without --cluster the original passes over these three as well.
    let unused = [
        (asked.cluster_wide_resources, "--cluster-wide-resources"),
        (asked.kubeconfig.is_some(), "--kubeconfig"),
        (asked.context.is_some(), "--context"),
        (asked.registry, "--registry"),
    ];
    for (_, flag) in unused.iter().filter(|(is_given, _)| *is_given) {
        terminal::say(&format!("warning: {flag} has no effect here\n"));
    }
}

/// Reads all files and loads them; resources that can be evaluated one after the other stay texts.
pub(super) fn gather(arguments: &Apply) -> Result<Gathered, Failure> {
    say_unused(arguments);
    let mut inputs = Vec::new();
    if let Some(path) = &arguments.userinfo {
        inputs.push(single(Role::UserInfo, path, |error| {
            format!("failed to load request info (unable to read yaml (unable to read yaml ({error})))")
        })?);
    }
    if let Some(path) = &arguments.values_file {
        inputs.push(single(Role::Values, path, |error| {
            format!("failed to decode yaml (unable to load variable file: {path} ({error}))")
        })?);
    }
    if let Some(path) = &arguments.context_file {
        inputs.push(single(Role::ImageData, path, |error| format!("failed to load context file ({error})"))?);
    }
    for path in &arguments.crd_paths {
        inputs.push(definitions(path)?);
    }
    let Policies { mut unreadable, found } = policies(arguments, &mut inputs);
    for path in &arguments.image_data {
        inputs.push(single(Role::ImageData, path, |error| format!("failed to load image data ({error})"))?);
    }
    unreadable.extend(resources(Role::OldResources, &arguments.old_resource, arguments, &mut inputs)?);
    unreadable.extend(resources(Role::ClusterResources, &arguments.target_resource, arguments, &mut inputs)?);
    unreadable.extend(resources(Role::Parameters, &arguments.parameter_resource, arguments, &mut inputs)?);
    let mut evaluated = Vec::new();
    for path in &arguments.json {
        evaluated
            .push(single(Role::Payloads, path, |error| format!("failed to load JSON payload ({error})"))?);
    }
    unreadable.extend(resources(Role::Resources, &arguments.resource, arguments, &mut evaluated)?);
    for (protocol, path, words) in requests(arguments) {
        let what = if protocol == Protocol::Http { "HTTP" } else { "envoy" };
        evaluated.push(single(Role::Requests(protocol), path, |error| {
            format!("{words}: failed to read {what} payload file {path}: {error}")
        })?);
    }
    let mut pairs = Vec::new();
    if let Some(mesh) = &arguments.mesh {
        let Arriving { inputs: arrived, pairs: made, notes } = arriving(evaluated, mesh)?;
        terminal::say(&notes.concat());
        (evaluated, pairs) = (arrived, made);
    }
    if arguments.exceptions_within_resources {
        inputs.extend(evaluated.iter().flat_map(exceptions_within));
    } else {
        for path in &arguments.exception {
            inputs.push(single(Role::Exceptions, path, |error| {
                format!("Error: failed to load exceptions (unable to read yaml ({error}))")
            })?);
        }
    }
    let first_resource = inputs.len();
    inputs.extend(evaluated);
    let sources = inputs::sources(inputs);
    let (mut bundle, mut diagnostics, resources) = without_resources(arguments, &sources, first_resource)
        .unwrap_or_else(|| {
            let host = if arguments.as_cluster { Host::Cluster } else { Host::Cli };
            let (bundle, diagnostics) = inputs::load_sources(sources, host);
            (bundle, diagnostics, Resources::Loaded)
        });
    refuse_broken_requests(arguments, &bundle)?;
    beside::settle(&bundle, &found, &mut diagnostics);
    let check = if arguments.check_resources { engine_kinds::check } else { engine_kinds::slips };
    diagnostics.extend(check(&bundle));
    // What `--set` says of the operation is not looked at.
    let unknown_operation = bundle.settings.unknown_operation();
    settle(arguments, &mut bundle);
    if arguments.exceptions_within_resources {
        settle_exceptions_within(&mut bundle, &mut diagnostics);
    }
    refuse_broken_settings(arguments, &bundle, &diagnostics, unknown_operation)?;
    say_without_exceptions(&bundle);
    if let Some((_, words)) = engine::apply::broken_projection(&bundle, &crate::world::at(clock::now())) {
        return Err(Failure(words));
    }
    Ok(Gathered { bundle, diagnostics, unreadable, resources, pairs })
}

/// A file of definitions of custom kinds.
// Kyverno: common.getCrdFilePath.
fn definitions(path: &str) -> Result<Input, Failure> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_yaml = Path::new(path).extension().is_some_and(|of| of == "yaml" || of == "yml");
    if !is_yaml {
        return Err(Failure(format!("CRD file must have .yaml or .yml extension: {path}")));
    }
    single(Role::CustomResourceDefinitions, path, |_| format!("CRD file does not exist at path: {path}"))
}

/// A request that its reader refuses ends the run.
fn refuse_broken_requests(arguments: &Apply, bundle: &Bundle) -> Result<(), Failure> {
    for resource in &bundle.resources {
        let Some(fault) = request_fault(resource) else { continue };
        let source = bundle.document(resource.document).and_then(|document| bundle.source(document.source));
        let name = source.map_or("", |(_, source)| source.name.as_str());
        let words = requests(arguments).find(|(_, path, _)| path.as_str() == name).map(|(_, _, words)| words);
        return Err(Failure(format!("{}: {fault}", words.unwrap_or_default())));
    }
    Ok(())
}

/// So many bytes of resources are read and forgotten piece by piece; less is held as a whole.
const LARGE: usize = 256 * 1024;

/// The bundle with nothing of the resources but their texts, where they can be evaluated one after the other.
fn without_resources(
    arguments: &Apply,
    sources: &[(Role, Source)],
    first_resource: usize,
) -> Option<(Bundle, Vec<Diagnostic>, Resources)> {
    let (others, evaluated) = sources.split_at_checked(first_resource)?;
    let bytes: usize = evaluated.iter().map(|(_, source)| source.text.len()).sum();
    // An entry of the global context is made of resources, and a mistake in one ends the run.
    let asks_all = evaluated.iter().any(|(_, source)| source.text.contains("GlobalContextEntry"));
    let needs_all = arguments.check_resources || arguments.as_cluster || keeps_responses(arguments);
    if bytes < LARGE || asks_all || needs_all {
        return None;
    }
    let (mut bundle, diagnostics) = inputs::load_sources(others.to_vec(), Host::Cli);
    bundle.sources.extend(evaluated.iter().cloned());
    is_independent(&bundle).then_some((bundle, diagnostics, Resources::Texts))
}

fn single(role: Role, path: &str, words: impl Fn(String) -> String) -> Result<Input, Failure> {
    let text = files::read(path).map_err(|Unreadable { original, .. }| Failure(words(original)))?;
    Ok(Input { role, text })
}

/// What came of reading the policies.
struct Policies {
    unreadable: Vec<Unreadable>,
    /// The inputs that no argument names: what a folder holds.
    found: Vec<Range<usize>>,
}

/// Reads the policies. The original passes over files that cannot be read without a word.
fn policies(arguments: &Apply, inputs: &mut Vec<Input>) -> Policies {
    let (mut failed, mut in_folders) = (Vec::new(), Vec::new());
    for path in &arguments.policies {
        match files::policy_paths(path) {
            Ok(paths) => {
                if paths.is_empty() {
                    terminal::say(&format!(
                        "warning: `{path}` holds no policy file: only names that end in .yaml or .yml are read\n"
                    ));
                }
                let (found, unreadable) = inputs::read(Role::Policies, &paths);
                let first = inputs.len();
                inputs.extend(found);
                failed.extend(unreadable);
                if paths != [path.as_str()] {
                    in_folders.push(first..inputs.len());
                }
            }
            Err(error) => failed.push(error),
        }
    }
    for Unreadable { path, original } in &failed {
        terminal::say(&format!("error: policy file `{path}` cannot be read: {original}\n"));
    }
    Policies { unreadable: failed, found: in_folders }
}

/// The resources; the files that cannot be read. A first path that is not there ends the run.
fn resources(
    role: Role,
    paths: &[String],
    arguments: &Apply,
    inputs: &mut Vec<Input>,
) -> Result<Vec<Unreadable>, Failure> {
    let found = files::resource_paths(paths)
        .map_err(|Unreadable { original, .. }| Failure(format!("failed to load resources ({original})")))?;
    if let Some(other) = found.ignored.first() {
        terminal::say(&format!(
            "warning: `{other}` is not read: behind a folder or `-` the original reads no other path; give a pattern \
             such as 'folder/*.yaml' to read both\n"
        ));
    }
    let (texts, unreadable) = inputs::read(role, &found.paths);
    inputs.extend(texts);
    for Unreadable { path, original } in &unreadable {
        terminal::say(&format!("error: resource file `{path}` cannot be read: {original}\n"));
        if is_text(arguments) {
            terminal::print(&text::unreadable_resource(path, original));
        }
    }
    Ok(unreadable)
}

/// The PolicyExceptions among the resources of a text: the text with everything else blanked out, so that places
/// stay what they are.
fn exceptions_within(input: &Input) -> Vec<Input> {
    if !input.text.text.contains("PolicyException") {
        return Vec::new();
    }
    let id = engine::yaml::SourceId(0);
    let source =
        engine::yaml::Source { id, name: input.text.name.clone(), text: input.text.text.as_str().into() };
    let parsed = engine::yaml::parse(&source, &engine::yaml::Options::default());
    let is_exception = |document: &&engine::yaml::Document| {
        document.value.find_str(&["kind"]) == "PolicyException"
            && document.value.find_str(&["apiVersion"]).starts_with("kyverno.io/")
    };
    // A blank for each byte: places are counted in bytes.
    let blank =
        |text: &str| -> String { text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect() };
    let alone = |document: &engine::yaml::Document| {
        let (start, end) = (document.span.start as usize, document.span.end as usize);
        let part = |range: Range<usize>| source.text.get(range).unwrap_or("");
        let text = blank(part(0..start)) + part(start..end);
        Input { role: Role::Exceptions, text: files::Text { name: source.name.clone(), text } }
    };
    parsed.documents.iter().filter(is_exception).map(alone).collect()
}

/// Says which files were given for exceptions and hold none: the original says nothing.
fn say_without_exceptions(bundle: &Bundle) {
    for (_, source) in bundle.sources.iter().filter(|(role, _)| *role == Role::Exceptions) {
        if !bundle.documents.iter().any(|document| document.source == source.id) {
            terminal::say(&format!("warning: `{}` holds no exception\n", source.name));
        }
    }
}

/// Exceptions that were found among resources are resources first: they lie in the namespace `default` where they name
/// none, and one that cannot be used is passed over.
// Kyverno: exception.SelectFrom. It says nothing of those it passes over.
fn settle_exceptions_within(bundle: &mut Bundle, diagnostics: &mut [Diagnostic]) {
    let is_within =
        |source: Option<&(Role, Source)>| source.is_some_and(|(role, _)| *role == Role::Exceptions);
    for diagnostic in diagnostics {
        let source = diagnostic.span.and_then(|span| bundle.source(span.source));
        if diagnostic.severity == Severity::Error && is_within(source) {
            diagnostic.severity = Severity::Warning;
            diagnostic
                .hints
                .push("all is evaluated without this exception, as the original does it".to_owned());
        }
    }
    let placed = |exception: &Exception| {
        let source = bundle.document(exception.document).and_then(|document| bundle.source(document.source));
        let mut placed = exception.clone();
        if placed.namespace.is_empty() && is_within(source) {
            placed.namespace = "default".into();
        }
        placed
    };
    bundle.exceptions = bundle.exceptions.iter().map(placed).collect();
}

/// Said where a flag names the operation and a policy in CEL would not hear of it.
const OPERATION_IN_VALUES: &str = "warning: `--set request.operation` does not count for policies in CEL, as in the original: \
     name it under globalValues in a values file\n";

/// What the flags change about what was loaded.
fn settle(arguments: &Apply, bundle: &mut Bundle) {
    if !arguments.exceptions_within_policies {
        let sources: Vec<bool> = bundle.sources.iter().map(|(role, _)| *role == Role::Policies).collect();
        let documents: Vec<bool> = bundle
            .documents
            .iter()
            .map(|document| sources.get(document.source.0 as usize).copied().unwrap_or_default())
            .collect();
        bundle
            .exceptions
            .retain(|exception| !documents.get(exception.document.0 as usize).copied().unwrap_or_default());
    }
    let has_cel = bundle.policies.iter().any(|policy| policy.body.is_some());
    // Kyverno: variables/parse.go. What is no plain `name=value` is passed over.
    for entry in &arguments.set {
        let mut parts = entry.trim().split('=').map(str::trim);
        if let (Some(name), Some(value), None) = (parts.next(), parts.next(), parts.next()) {
            let values = &mut bundle.settings.global_values;
            let is_known = values.iter().any(|(known, _)| known == name);
            if name.is_empty() || value.is_empty() || name.contains("request.object.") || is_known {
                terminal::say(&format!("warning: `--set {entry}` is passed over, as the original does\n"));
            } else {
                match variable(name, &value.into()) {
                    Ok(entry) => {
                        bundle.settings.flag_values.push(entry.0.clone());
                        values.push(entry);
                        if name == "request.operation" && has_cel {
                            terminal::say(OPERATION_IN_VALUES);
                        }
                    }
                    Err(why) => terminal::say(&format!("warning: `--set` is passed over: {why}\n")),
                }
            }
        } else {
            terminal::say(&format!("warning: `--set {entry}` is passed over: write name=value\n"));
        }
    }
}

/// Values, user info and exceptions that cannot be used end the run: what would be evaluated is something else.
fn refuse_broken_settings(
    arguments: &Apply,
    bundle: &Bundle,
    found: &[Diagnostic],
    unknown_operation: Option<String>,
) -> Result<(), Failure> {
    let is_broken = |role: Role| {
        found.iter().any(|diagnostic| {
            let source = diagnostic.span.and_then(|span| bundle.source(span.source));
            diagnostic.severity == Severity::Error && source.is_some_and(|(of, _)| *of == role)
        })
    };
    let deprecated = |what: &str, path: &str| {
        format!("\nWARNING: {what} file ({path}) uses a deprecated schema that will be removed in 1.15\n")
    };
    let (values, user) =
        (arguments.values_file.as_deref().unwrap_or(""), arguments.userinfo.as_deref().unwrap_or(""));
    if !is_broken(Role::UserInfo) && has_no_kind(bundle, Role::UserInfo) {
        terminal::print(&deprecated("user infos", user));
    }
    let refusal = if is_broken(Role::UserInfo) {
        format!("failed to load request info (unable to use {user})")
    } else if let Some(words) = unknown_operation {
        words
    } else if is_broken(Role::Values) {
        format!("failed to decode yaml (unable to load variable file: {values})")
    } else if has_no_kind(bundle, Role::Values) {
        terminal::print(&deprecated("values", values));
        format!(
            "failed to decode yaml (values file {values} uses a deprecated schema — please migrate to the latest format)"
        )
    } else if is_broken(Role::Exceptions) {
        let words =
            found.iter().map(|said| &said.message).find(|text| text.starts_with("failed to parse document"));
        let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
        format!("Error: failed to load exceptions (unable to load exceptions{words})")
    } else {
        return Ok(());
    };
    diagnostics::print(bundle, found);
    Err(Failure(refusal))
}
