//! The files of a run of `apply`, read by their flags.
//!
//! In: the arguments. Out: texts with what each is for, and which could not be read; or the error with which the original ends.

use super::flags::requests;
use super::inputs::{self, Input, deprecated};
use super::is_text;
use crate::args::Apply;
use crate::commands::mesh::{Arriving, Pair, arriving};
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::text;
use crate::terminal;
use engine::load::Role;
use engine::resource::Protocol;
use std::ops::Range;
use std::path::Path;

/// What the files of a run hold.
pub(super) struct Read {
    /// All but what is evaluated.
    pub(super) inputs: Vec<Input>,
    /// What is evaluated: resources, payloads, requests.
    pub(super) evaluated: Vec<Input>,
    /// The inputs that no argument names: what a folder of policies holds.
    pub(super) found: Vec<Range<usize>>,
    /// Policies and resources that cannot be read.
    pub(super) unreadable: Vec<Unreadable>,
    /// Controllers and their Pods as they arrive, where a mesh is asked for.
    pub(super) pairs: Vec<Pair>,
}

/// Reads all files that the arguments name, in the order in which the original ends for one that it cannot read.
pub(super) fn read(arguments: &Apply) -> Result<Read, Failure> {
    let mut inputs = Vec::new();
    settings(arguments, &mut inputs)?;
    for path in &arguments.crd_paths {
        inputs.push(definitions(path)?);
    }
    let Policies { mut unreadable, found } = policies(arguments, &mut inputs);
    if arguments.warnings_as_errors {
        let deprecated = deprecated::among_policies(&inputs, &found);
        deprecated::refuse(&deprecated, Role::Policies)
            .inspect_err(|_| terminal::say(&deprecated::lines(&deprecated)))?;
    }
    for path in &arguments.image_data {
        inputs.push(single(Role::ImageData, path, |error| format!("failed to load image data ({error})"))?);
    }
    unreadable.extend(resources(Role::OldResources, &arguments.old_resource, arguments, &mut inputs)?);
    unreadable.extend(resources(Role::ClusterResources, &arguments.target_resource, arguments, &mut inputs)?);
    unreadable.extend(resources(Role::Parameters, &arguments.parameter_resource, arguments, &mut inputs)?);
    let (mut evaluated, more) = to_evaluate(arguments)?;
    unreadable.extend(more);
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
    Ok(Read { inputs, evaluated, found, unreadable, pairs })
}

/// User info, values and what registries hold.
fn settings(arguments: &Apply, inputs: &mut Vec<Input>) -> Result<(), Failure> {
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
    Ok(())
}

/// What is evaluated, and the files of it that cannot be read.
fn to_evaluate(arguments: &Apply) -> Result<(Vec<Input>, Vec<Unreadable>), Failure> {
    let mut evaluated = Vec::new();
    for path in &arguments.json {
        evaluated
            .push(single(Role::Payloads, path, |error| format!("failed to load JSON payload ({error})"))?);
    }
    let paths: &[String] =
        if arguments.open_lists || arguments.elsewhere.cluster { &[] } else { &arguments.resource };
    let unreadable = resources(Role::Resources, paths, arguments, &mut evaluated)?;
    for (protocol, path, words) in requests(arguments) {
        let what = if protocol == Protocol::Http { "HTTP" } else { "envoy" };
        evaluated.push(single(Role::Requests(protocol), path, |error| {
            format!("{words}: failed to read {what} payload file {path}: {error}")
        })?);
    }
    Ok((evaluated, unreadable))
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
            "warning: `{other}` is not read: after a folder or `-` `kyverno apply` reads no other path; give a glob pattern \
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
