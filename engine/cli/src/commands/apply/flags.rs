//! What the arguments of `apply` ask for, before a file is read.
//!
//! In: the arguments. Out: the paths that they name, or why they cannot be followed.

use super::{inputs, live};
use crate::args::Apply;
use crate::exit::Failure;
use crate::terminal;
use engine::json::quote;
use engine::resource::Protocol;
use engine::value::Duration;

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
    } else if let Some(reason) = not_offline(arguments) {
        reason
    } else if let Err(error) = Duration::parse(&arguments.generated_exception_ttl) {
        let text = quote(&arguments.generated_exception_ttl);
        format!("invalid argument {text} for \"--generated-exception-ttl\" flag: {error}")
    } else if !arguments.resource.is_empty() && !arguments.json.is_empty() {
        "both resource and json files can not be used together, use one or the other".to_owned()
    } else if let Some(reason) = live::refusal(arguments) {
        reason
    } else if !arguments.elsewhere.cluster && inputs_to_evaluate(arguments).next().is_none() {
        "resource file(s) or cluster required".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure(refusal))
}

/// The files of what is evaluated.
pub(super) fn inputs_to_evaluate(arguments: &Apply) -> impl Iterator<Item = &String> {
    let Apply { resource, json, http_payload, envoy_payload, .. } = arguments;
    [resource, json, http_payload, envoy_payload].into_iter().flatten()
}

/// The files of requests with the words of the original for one that cannot be used.
pub(super) fn requests(arguments: &Apply) -> impl Iterator<Item = (Protocol, &String, String)> {
    let of = |protocol, what: &'static str, paths| {
        let words = move |path: &String| format!("failed to parse {what} payload from {path}");
        std::slice::Iter::<String>::map(paths, move |path| (protocol, path, words(path)))
    };
    let http = of(Protocol::Http, "HTTP", arguments.http_payload.iter());
    http.chain(of(Protocol::Envoy, "envoy", arguments.envoy_payload.iter()))
}

/// Why a flag cannot be followed offline.
fn not_offline(arguments: &Apply) -> Option<String> {
    let is_remote = |path: &&String| path.contains("://");
    let remote = arguments.policies.iter().chain(&arguments.resource).find(is_remote)?;
    Some(format!("{remote} is remote; podsieve makes no network requests: fetch it, and give the file"))
}

/// Says which flags were taken and make no difference here.
pub(super) fn say_unused(arguments: &Apply) {
    let asked = &arguments.elsewhere;
    // Without --cluster the original passes over these three as well.
    let unused = [
        (asked.cluster_wide_resources && !asked.cluster, "--cluster-wide-resources"),
        (asked.kubeconfig.is_some() && !asked.cluster, "--kubeconfig"),
        (asked.context.is_some() && !asked.cluster, "--context"),
        (asked.registry, "--registry"),
    ];
    for (_, flag) in unused.iter().filter(|(is_given, _)| *is_given) {
        terminal::say(&format!("warning: {flag} has no effect here\n"));
    }
}
