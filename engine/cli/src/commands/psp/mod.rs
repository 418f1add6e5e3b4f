//! `podsieve psp`: PodSecurityPolicy, as Kubernetes decided it until 1.24.
//!
//! In: files with policies, RBAC and Pods, and who asks. Out: for each Pod the policy that lets it in, or the message of
//! the refusal with the line of each field at fault; the exit code.

use super::psa::{self, Files, line};
use crate::args::{Format, Psp, PspCheck, PspCommand};
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::sarif::{Finding, document};
use crate::terminal;
use engine::json::Value;
use engine::podsecurity::psp::{Release, User};
use engine::psa::View;
use engine::psp::Options;
use engine::report::object;
use engine::run::Positions;
use engine::wire::{PspOutput, PspPod};
use std::fmt::Write;

/// Runs the command.
pub(crate) fn run(psp: &Psp) -> Result<u8, Failure> {
    match &psp.command {
        PspCommand::Check(arguments) => check(arguments),
    }
}

fn check(arguments: &PspCheck) -> Result<u8, Failure> {
    let version = &arguments.kubernetes_version;
    let release = Release::parse(version)
        .ok_or_else(|| Failure(format!("--kubernetes-version {version}: write a release such as 1.24")))?;
    if let Some(why) = release.refused() {
        return Err(Failure(format!("--kubernetes-version {version}: {why}")));
    }
    let Files { bundle, is_complete } = psa::read(&arguments.filename)?;
    let view = if arguments.as_written { View::AsWritten } else { View::Defaulted };
    let options = Options { release, view, user: user(arguments)? };
    let output = engine::psp::report(&bundle, &Positions::new(&bundle), &options);
    let answer = match arguments.format {
        Format::Text => text(&output, Paint::out()),
        Format::Json => {
            serde_json::to_string_pretty(&output).map_err(|error| Failure(error.to_string()))? + "\n"
        }
        Format::Sarif => sarif(&output),
    };
    terminal::print(&answer);
    let is_allowed = output.pods.iter().all(|pod| pod.allowed);
    Ok(u8::from(!is_allowed || !is_complete))
}

fn user(arguments: &PspCheck) -> Result<User, Failure> {
    let Some(account) = &arguments.service_account else {
        return Ok(User { name: arguments.user.clone(), groups: arguments.group.clone() });
    };
    let wrong = || Failure(format!("--service-account {account}: write `namespace:name`"));
    let (namespace, name) = account.split_once(':').ok_or_else(wrong)?;
    let mut user = User::service_account(namespace, name);
    user.groups.extend(arguments.group.iter().cloned());
    Ok(user)
}

fn text(output: &PspOutput, paint: Paint) -> String {
    let mut out = String::new();
    for policy in &output.policies {
        for reason in &policy.unusable {
            let place = line(policy.range.as_ref());
            let _ = writeln!(
                out,
                "{place}  {} PodSecurityPolicy {} cannot be used: {reason}",
                paint.doubtful("Warning:"),
                policy.name
            );
        }
        for error in &policy.errors {
            let place = line(error.range.as_ref().or(policy.range.as_ref()));
            let _ = writeln!(
                out,
                "{place}  {} PodSecurityPolicy {}: {}",
                paint.doubtful("Warning:"),
                policy.name,
                error.text
            );
        }
    }
    for pod in &output.pods {
        describe(&mut out, pod, paint);
    }
    let refused = output.pods.iter().filter(|pod| !pod.allowed).count();
    let _ = writeln!(out, "allowed: {}, refused: {refused}", output.pods.len() - refused);
    let granted = if output.has_rbac {
        "policies are granted by the roles and bindings of these files"
    } else {
        "no role or binding is among these files: everybody may use every policy"
    };
    let view = if output.as_written {
        "judged as written"
    } else {
        "a Pod without a service account has `default` (--as-written leaves it out)"
    };
    let _ = writeln!(
        out,
        "Kubernetes {}, {} {}; {granted}; {view}",
        output.kubernetes_version,
        output.policies.len(),
        if output.policies.len() == 1 { "policy" } else { "policies" }
    );
    out
}

fn describe(out: &mut String, pod: &PspPod, paint: Paint) {
    let resource = &pod.resource;
    let place = paint.faint(&line(resource.range.as_ref()));
    let of = format!("{} {}/{}", resource.kind, resource.namespace, resource.name);
    let by: Vec<String> = [("account", &pod.account), ("made by", &pod.user)]
        .iter()
        .filter(|(_, name)| !name.is_empty())
        .map(|(what, name)| format!("{what} {name}"))
        .collect();
    let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
    if pod.allowed {
        let _ = writeln!(out, "{place}  {of}{by}: {} {}", paint.good("allowed by"), pod.policy);
        return;
    }
    let _ = writeln!(out, "{place}  {of}{by}: {}", paint.bad("refused"));
    let _ = writeln!(out, "  {}", pod.message);
    for refusal in &pod.refusals {
        let _ = writeln!(out, "    {}  {}", paint.faint(&line(refusal.range.as_ref())), refusal.text);
    }
}

fn sarif(output: &PspOutput) -> String {
    let mut findings = Vec::new();
    for pod in output.pods.iter().filter(|pod| !pod.allowed) {
        let whole = (pod.message.clone(), pod.resource.range.clone());
        let each = pod.refusals.iter().map(|refusal| (refusal.text.clone(), refusal.range.clone()));
        for (text, range) in [whole].into_iter().chain(each) {
            findings.push(Finding { rule: RULE.to_owned(), level: "error", text, range });
        }
    }
    let title = object([("text", Value::from("PodSecurityPolicy"))]);
    document(vec![object([("id", Value::from(RULE)), ("shortDescription", title)])], &findings)
}

const RULE: &str = "pod-security-policy";
