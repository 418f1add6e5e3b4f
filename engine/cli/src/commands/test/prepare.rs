//! A test before anything is evaluated: its files read and loaded.
//!
//! In: a [`TestFile`]. Out: a bundle, with what the original prints on the way and what we say about the files; or why
//! the test cannot run, in the original's words.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, the first half of runTest.

use super::cluster;
use super::file::TestFile;
use super::find::{below, clean, folder_of};
use crate::args::Test;
use crate::commands::inputs::deprecated::{self, Deprecated};
use crate::commands::inputs::{self, Input, has_no_kind};
use crate::exit::Failure;
use crate::files::{Files, Text, Unreadable};
use crate::print::{diagnostics, text};
use crate::terminal::plural;
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::load::Role;
use engine::policy::{Policy, PolicyKind};
use engine::resource::{Protocol, Resource};
use engine::yaml::emit::to_yaml;
use engine::yaml::{Parsed, Source};
use engine_celpolicy::request_fault;
use engine_lenses::report::as_test;
use std::fmt::Write as _;

/// What is printed while a test runs.
#[derive(Default)]
pub(super) struct Printed {
    /// On standard output: what the original prints.
    pub(super) out: String,
    /// On standard error: what we say.
    pub(super) notes: String,
    /// How many errors are among the notes: beside them the exit code is not 0.
    pub(super) errors: usize,
    /// Said of the whole run: the policies and exceptions of kinds that Kyverno will remove.
    pub(super) deprecated: Vec<Deprecated>,
    /// Whether the run ends here for them.
    pub(super) ends: bool,
}

impl Printed {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// An error, which ends with a line break.
    fn error(&mut self, text: &str) {
        self.notes.push_str(text);
        self.errors += 1;
    }

    fn refuse_deprecated(&mut self, role: Role) -> Result<(), String> {
        let refusal = deprecated::refuse(&self.deprecated, role);
        self.ends = refusal.is_err();
        refusal.map_err(|Failure(words)| words)
    }
}

/// Loads everything that a test names.
pub(super) fn prepare(
    test: &TestFile,
    arguments: &Test,
    files: &dyn Files,
    printed: &mut Printed,
) -> Result<Bundle, String> {
    prepare_changed(test, arguments, files, printed, |_, parsed| parsed)
}

/// The same, of what a change has made of the documents.
pub(super) fn prepare_changed(
    test: &TestFile,
    arguments: &Test,
    files: &dyn Files,
    printed: &mut Printed,
    change: impl Fn(&(Role, Source), Parsed) -> Parsed,
) -> Result<Bundle, String> {
    let folder = folder_of(&test.path);
    printed.line(&format!("Loading test  ( {} ) ...", test.path));
    printed.line("  Loading values/variables ...");
    let mut inputs = settings(test, &folder, &arguments.image_data, files, printed)?;
    policies(test, &folder, files, &mut inputs, printed)?;
    if arguments.warnings_as_errors {
        printed.deprecated = deprecated::among_policies(&inputs, &[]);
        printed.refuse_deprecated(Role::Policies)?;
    }
    printed.line("  Loading resources ...");
    inputs.extend(resources(Role::Resources, &test.resources, &folder, "resources", files, printed)?);
    let behind_resources = printed.out.len();
    let old = &arguments.old_resource;
    inputs.extend(resources(Role::OldResources, old, "", "old resources", files, printed)?);
    let targets = &test.target_resources;
    inputs.extend(resources(Role::ClusterResources, targets, &folder, "target resources", files, printed)?);
    let params = &test.param_resources;
    inputs.extend(resources(Role::Parameters, params, &folder, "parameter resources", files, printed)?);
    if !test.cluster_resources.is_empty() {
        printed.line("Loading Kubernetes resources ...");
    }
    let cluster = cluster::objects(test, &folder, files)?;
    inputs.extend(payloads(test, &folder, files, printed)?);
    printed.line("  Loading exceptions ...");
    for path in &test.exceptions {
        inputs.push(
            single(Role::Exceptions, &below(&folder, path), files).map_err(|error| {
                format!("error: failed to load exceptions (unable to read yaml ({error}))")
            })?,
        );
    }
    let (followed, extension) = (arguments.by.followed(), arguments.by.extension());
    let (mut bundle, found) = inputs::load_changed(inputs::sources(inputs), followed, extension, change);
    printed.deprecated = deprecated::find(&bundle, &found, &[]);
    for resource in &bundle.resources {
        if let (Some(protocol), Some(fault)) = (resource.protocol, request_fault(resource)) {
            return Err(refused_request(&bundle, resource, protocol, &fault));
        }
    }
    say(&bundle, &found, printed);
    refuse_broken(test, &bundle, &found)?;
    let duplicates = as_test::settle(&mut bundle);
    let warning = |resource: &Resource| {
        let (kind, name, namespace) = (resource.kind(), resource.name(), resource.namespace());
        format!("  warning: found duplicated resource {kind} {name} {namespace}\n")
    };
    printed.out.insert_str(behind_resources, &duplicates.iter().map(warning).collect::<Vec<_>>().concat());
    cluster::settle(test, &folder, files, cluster, &mut bundle)?;
    arguments.asked.settle(&mut bundle)?;
    if let Some(unheard) = arguments.asked.unheard(&bundle) {
        let _ = writeln!(printed.notes, "warning: {unheard}");
    }
    if arguments.warnings_as_errors {
        printed.refuse_deprecated(Role::Exceptions)?;
    }
    printed.line(&applying(&bundle));
    as_test::label_namespaces(&mut bundle)?;
    Ok(bundle)
}

/// What is decided that is no object of Kubernetes: JSON, and requests that reach a proxy.
fn payloads(
    test: &TestFile,
    folder: &str,
    files: &dyn Files,
    printed: &mut Printed,
) -> Result<Vec<Input>, String> {
    if !test.json_payloads.is_empty() {
        printed.line("  Loading JSON payloads ...");
    }
    let read = |path: &String| {
        single(Role::Payloads, &below(folder, path), files)
            .map_err(|error| format!("error: failed to load JSON payload {path} ({error})"))
    };
    let mut inputs = test.json_payloads.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    inputs.extend(requests(Protocol::Http, "HTTP", &test.http_payloads, folder, files, printed)?);
    inputs.extend(requests(Protocol::Envoy, "Envoy", &test.envoy_payloads, folder, files, printed)?);
    Ok(inputs)
}

/// Values, user info, and what registries hold.
fn settings(
    test: &TestFile,
    folder: &str,
    image_data: &[String],
    files: &dyn Files,
    printed: &mut Printed,
) -> Result<Vec<Input>, String> {
    let mut inputs: Vec<Input> = values(test, folder, files)?.into_iter().collect();
    if !test.user_info.is_empty() {
        printed.line("  Loading user infos ...");
        inputs.push(single(Role::UserInfo, &below(folder, &test.user_info), files).map_err(|error| {
            format!("error: failed to load request info (unable to read yaml ({error}))")
        })?);
    }
    for path in image_data {
        inputs.push(
            single(Role::ImageData, path, files)
                .map_err(|error| format!("failed to load image data ({error})"))?,
        );
    }
    if !test.context.is_empty() {
        let path = below(folder, &test.context);
        inputs.push(single(Role::ImageData, &path, files)?);
    }
    Ok(inputs)
}

/// The policies that the test names.
fn policies(
    test: &TestFile,
    folder: &str,
    files: &dyn Files,
    inputs: &mut Vec<Input>,
    printed: &mut Printed,
) -> Result<(), String> {
    printed.line("  Loading policies ...");
    for path in &test.policies {
        let paths = files
            .policy_paths(&below(folder, path))
            .map_err(|error| format!("error: failed to load policies ({})", error.original))?;
        for path in paths {
            inputs.push(
                single(Role::Policies, &path, files)
                    .map_err(|error| format!("error: failed to load policies ({error})"))?,
            );
        }
    }
    Ok(())
}

/// The words of the original for requests that cannot be loaded.
fn unloaded(what: &str, path: &str, error: &str) -> String {
    format!("error: failed to load {what} payloads from path {path} ({error})")
}

/// The requests of these paths.
fn requests(
    protocol: Protocol,
    what: &str,
    paths: &[String],
    folder: &str,
    files: &dyn Files,
    printed: &mut Printed,
) -> Result<Vec<Input>, String> {
    if !paths.is_empty() {
        printed.line(&format!("  Loading {what} payloads ..."));
    }
    let read = |path: &String| {
        let path = below(folder, path);
        single(Role::Requests(protocol), &path, files).map_err(|error| unloaded(what, &path, &error))
    };
    paths.iter().map(read).collect()
}

fn refused_request(bundle: &Bundle, resource: &Resource, protocol: Protocol, fault: &str) -> String {
    let what = if protocol == Protocol::Http { "HTTP" } else { "Envoy" };
    let source = bundle.document(resource.document).and_then(|document| bundle.source(document.source));
    unloaded(what, source.map_or("", |(_, source)| source.name.as_str()), fault)
}

fn single(role: Role, path: &str, files: &dyn Files) -> Result<Input, String> {
    let text = files.read(path).map_err(|Unreadable { original, .. }| original)?;
    Ok(Input { role, text })
}

/// The values: those in the test itself, or those of a file.
fn values(test: &TestFile, folder: &str, files: &dyn Files) -> Result<Option<Input>, String> {
    if let Some(values) = &test.values {
        let text = Text { name: format!("{}: values", test.path), text: to_yaml(values) };
        return Ok(Some(Input { role: Role::Values, text }));
    }
    if test.variables.is_empty() {
        return Ok(None);
    }
    let path = &test.variables;
    single(Role::Values, &clean(&format!("{folder}/{path}")), files)
        .map(Some)
        .map_err(|error| format!("failed to decode yaml (unable to load variable file: {path} ({error}))"))
}

/// The resources of these paths. One that cannot be read is said in a box, and the others count.
fn resources(
    role: Role,
    paths: &[String],
    folder: &str,
    what: &str,
    files: &dyn Files,
    printed: &mut Printed,
) -> Result<Vec<Input>, String> {
    let paths: Vec<String> = paths.iter().map(|path| below(folder, path)).collect();
    let found = files
        .resource_paths(&paths)
        .map_err(|error| format!("error: failed to load {what} ({})", error.original))?;
    let mut inputs = Vec::new();
    for path in &found.paths {
        match files.read(path) {
            Ok(text) => inputs.push(Input { role, text }),
            Err(Unreadable { original, .. }) => {
                printed.out.push_str(&text::unreadable_resource(path, &original));
                printed.error(&format!("error: resource file `{path}` cannot be read: {original}\n"));
            }
        }
    }
    Ok(inputs)
}

/// Says what is wrong with the files; policies that are refused or not supported are said with the results.
fn say(bundle: &Bundle, found: &[Diagnostic], printed: &mut Printed) {
    let renderer = diagnostics::renderer();
    for diagnostic in found {
        let is_described = matches!(diagnostic.code, Code::NotSupported | Code::Refused);
        if diagnostic.severity == Severity::Error && !is_described {
            printed.error(&format!("{}\n", diagnostics::render(bundle, diagnostic, &renderer)));
        }
    }
}

/// Why a test cannot run although its files are there.
fn refuse_broken(test: &TestFile, bundle: &Bundle, found: &[Diagnostic]) -> Result<(), String> {
    let broken = |role: Role| {
        let is_of = |diagnostic: &&Diagnostic| {
            let source = diagnostic.span.and_then(|span| bundle.source(span.source));
            diagnostic.severity == Severity::Error
                && !matches!(diagnostic.code, Code::NotSupported | Code::UnknownValue)
                && source.is_some_and(|(of, _)| *of == role)
        };
        found.iter().find(is_of).map(|diagnostic| diagnostic.message.as_str())
    };
    let (values, user) = (&test.variables, &test.user_info);
    if let Some(problem) = broken(Role::Values) {
        return Err(format!("failed to decode yaml (unable to load variable file: {values} ({problem}))"));
    }
    if test.values.is_none() && has_no_kind(bundle, Role::Values) {
        return Err(format!(
            "failed to decode yaml (values file {values} uses a deprecated schema — please migrate to the latest format)"
        ));
    }
    if let Some(problem) = broken(Role::UserInfo) {
        return Err(format!("error: failed to load request info ({problem})"));
    }
    if has_no_kind(bundle, Role::UserInfo) {
        return Err(format!(
            "userInfo file {user} uses a deprecated schema — please migrate to the latest format"
        ));
    }
    if let Some(problem) = broken(Role::Exceptions) {
        return Err(format!("error: failed to load exceptions (unable to load exceptions ({problem}))"));
    }
    if let Some(problem) = broken(Role::ImageData) {
        return Err(format!("failed to load image data ({problem})"));
    }
    match broken(Role::Resources) {
        Some(problem) => Err(format!("error: failed to load resources ({problem})")),
        None => Ok(()),
    }
}

/// `  Applying 1 policy to 2 resources with 0 exceptions ...`
fn applying(bundle: &Bundle) -> String {
    let whole = |of: &&engine::load::Unsupported| of.rule.is_empty() && of.what.ends_with("Policy");
    // Kyverno: neither cleanup policies nor those that answer requests are counted.
    let is_counted = |policy: &&Policy| {
        let answers = policy.body.as_ref().is_some_and(|body| body.protocol().is_some());
        !answers && !matches!(policy.kind, PolicyKind::CleanupPolicy | PolicyKind::ClusterCleanupPolicy)
    };
    let policies = bundle.policies.iter().filter(is_counted).count()
        + bundle.refused.len()
        + bundle.unsupported.iter().filter(whole).count();
    let resources = bundle.resources.iter().filter(|resource| !resource.is_payload).count();
    format!(
        "  Applying {} to {} with {} ...",
        plural(policies, "policy"),
        plural(resources, "resource"),
        plural(bundle.exceptions.len() + bundle.other_exceptions.len(), "exception")
    )
}
