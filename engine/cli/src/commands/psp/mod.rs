//! `podsieve psp`: PodSecurityPolicy, as Kubernetes decided it until 1.24.
//!
//! In: files with policies, RBAC and Pods, and who asks. Out: for each Pod the policy that lets it in, or the message of
//! the refusal with the line of each field at fault; the exit code.

use super::inputs::{Objects, line, read_objects};
use crate::args::{Format, Psp, PspCheck, PspCommand};
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::problems::{described, is_complete};
use crate::report::sarif::{Finding, Scan, document, rule};
use crate::terminal::{self, plural};
use engine::podsecurity::psp::{Release, User};
use engine_lenses::psa::View;
use engine_lenses::psp::Options;
use engine_lenses::run::Positions;
use engine_lenses::wire::{PspOutput, PspPod, Range};
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
    let Objects { bundle, problems } = read_objects(&arguments.filename)?;
    let view = if arguments.as_written { View::AsWritten } else { View::Defaulted };
    let options = Options { release, view, user: user(arguments)? };
    let output = engine_lenses::psp::report(&bundle, &Positions::new(&bundle), &options);
    let output = PspOutput { complete: is_complete(&problems), diagnostics: described(&problems), ..output };
    if output.pods.is_empty() {
        terminal::say("warning: there is no Pod or workload in these files\n");
    }
    let answer = match arguments.format {
        Format::Text => text(&output, Paint::out()),
        Format::Json => {
            serde_json::to_string_pretty(&output).map_err(|error| Failure(error.to_string()))? + "\n"
        }
        Format::Sarif => document(&problems, scan(&output)),
    };
    if matches!(arguments.format, Format::Text) {
        terminal::print(&answer);
    } else {
        terminal::document(&answer);
    }
    let is_allowed = output.pods.iter().all(|pod| pod.allowed);
    // Kubernetes evaluates without a policy that it refuses or leaves out, and a job must not take that for a pass.
    let is_usable = refused(&output).is_empty();
    Ok(u8::from(!is_allowed || !is_usable || !is_complete(&problems)))
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

/// Why Kubernetes has no use for a policy: each reason with its place.
fn refused(output: &PspOutput) -> Vec<(String, Option<&Range>)> {
    let mut all = Vec::new();
    for policy in &output.policies {
        let (name, range) = (&policy.name, policy.range.as_ref());
        for reason in &policy.unusable {
            all.push((format!("PodSecurityPolicy {name} cannot be used: {reason}"), range));
        }
        for error in &policy.errors {
            all.push((format!("PodSecurityPolicy {name}: {}", error.text), error.range.as_ref().or(range)));
        }
    }
    all
}

fn text(output: &PspOutput, paint: Paint) -> String {
    let mut out = String::new();
    for (words, range) in refused(output) {
        let _ = writeln!(out, "{}  {} {words}", line(range), paint.bad("Error:"));
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
        "evaluated as written"
    } else {
        "a Pod without a service account has `default` (--as-written leaves it out)"
    };
    let _ = writeln!(
        out,
        "Kubernetes {}, {}; {granted}; {view}",
        output.kubernetes_version,
        plural(output.policies.len(), "policy")
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

fn scan(output: &PspOutput) -> Scan {
    let mut findings = Vec::new();
    for (text, range) in refused(output) {
        findings.push(Finding::at(range.cloned(), REFUSED, "error", text));
    }
    for pod in output.pods.iter().filter(|pod| !pod.allowed) {
        let whole = (pod.message.clone(), pod.resource.range.clone());
        let each = pod.refusals.iter().map(|refusal| (refusal.text.clone(), refusal.range.clone()));
        for (text, range) in [whole].into_iter().chain(each) {
            findings.push(Finding::at(range, RULE, "error", text));
        }
    }
    let refused = rule(REFUSED, "PodSecurityPolicies that Kubernetes refuses or leaves out");
    (vec![rule(RULE, "PodSecurityPolicy"), refused], findings)
}

const RULE: &str = "pod-security-policy";
/// As `podsieve apply` calls policies that Kyverno refuses.
const REFUSED: &str = "refused";
