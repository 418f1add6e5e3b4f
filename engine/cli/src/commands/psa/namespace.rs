//! `podsieve psa namespace`: what the API server answers, namespace by namespace.
//!
//! In: files, labels as if they were set, the cluster's configuration. Out: the policy of each namespace, and for each
//! object in it the refusal, the warnings and the notes for the audit log, word for word.

use super::{AdmissionInputs, answer, line, manner, print_answer, sarif};
use crate::args::PsaNamespace;
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::paint::Paint;
use crate::report::problems::is_complete;
use engine::podsecurity::admission::{Config, Source};
use engine_lenses::wire::{PsaAdmission, PsaOutput};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Runs the command.
pub(super) fn run(arguments: &PsaNamespace) -> Result<u8, Failure> {
    let config = arguments.admission_config.as_deref().map(config).transpose()?.unwrap_or_default();
    let asked = AdmissionInputs { config, labels: labels(&arguments.label)?, user: arguments.user.clone() };
    let (output, problems) = answer(&arguments.objects, asked)?;
    let format = arguments.objects.format;
    print_answer(format, &output, &problems, &|paint| text(&output, paint), &|| {
        sarif::of_admission(&output)
    })?;
    let of_objects = output.objects.iter().filter_map(|object| object.admission.as_ref());
    let of_namespaces = output.namespaces.iter().filter_map(|namespace| namespace.admission.as_ref());
    let is_refused = of_objects.chain(of_namespaces).any(|admission| !admission.allowed);
    Ok(u8::from(is_refused || !is_complete(&problems)))
}

/// The configuration in a file, or in the file that it names.
fn config(path: &str) -> Result<Config, Failure> {
    let unreadable = |Unreadable { path, original }| Failure(format!("`{path}` cannot be read: {original}"));
    let text = |path: &str| files::read(path).map_err(unreadable);
    let refused =
        |message: String| Failure(format!("{path}: the admission configuration is refused: {message}"));
    match Config::read_admission(&text(path)?.text).map_err(|error| refused(error.message))? {
        Source::Config(config) => Ok(config),
        // Kubernetes: a path is relative to the file that names it.
        Source::Path(named) => {
            let whole = Path::new(path).parent().unwrap_or(Path::new("")).join(&named);
            let text = text(&whole.to_string_lossy())?.text;
            Config::read(&text).map_err(|error| refused(format!("{named}: {}", error.message)))
        }
    }
}

const PREFIX: &str = "pod-security.kubernetes.io/";
/// The labels that mean something to the admission.
const KNOWN: [&str; 6] = ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"];

/// `prod:enforce=baseline` as a label of the namespace, `enforce=baseline` as one of every namespace.
fn labels(given: &[String]) -> Result<BTreeMap<String, BTreeMap<String, String>>, Failure> {
    let mut labels: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for label in given {
        let wrong =
            || Failure(format!("--label {label}: write `enforce=baseline` or `prod:enforce=baseline`"));
        let (name, value) = label.split_once('=').ok_or_else(wrong)?;
        let (namespace, name) = name.split_once(':').unwrap_or(("*", name));
        let name = if name.contains('/') { name.to_owned() } else { format!("{PREFIX}{name}") };
        let known = name.strip_prefix(PREFIX).is_some_and(|name| KNOWN.contains(&name));
        if !known {
            let list = KNOWN.join(", ");
            return Err(Failure(format!("--label {label}: Pod Security Admission knows only {list}")));
        }
        labels.entry(namespace.to_owned()).or_default().insert(name, value.to_owned());
    }
    Ok(labels)
}

fn text(output: &PsaOutput, paint: Paint) -> String {
    let mut out = String::new();
    let mut counts = [0_usize; 3];
    for namespace in &output.namespaces {
        let place = paint.faint(&line(namespace.range.as_ref()));
        let known =
            if namespace.declared { "" } else { "  (no labels are known: the cluster's defaults count)" };
        let _ = writeln!(
            out,
            "namespace {}  enforce={} audit={} warn={}  {place}{known}",
            namespace.name, namespace.enforce, namespace.audit, namespace.warn
        );
        if let Some(admission) = &namespace.admission {
            describe(&mut out, "Namespace", admission, paint);
            if !admission.allowed {
                counts[2] += 1;
            }
        }
        for object in output.objects.iter().filter(|object| object.resource.namespace == namespace.name) {
            let Some(admission) = &object.admission else { continue };
            let verdict = match (admission.allowed, admission.warnings.is_empty()) {
                (true, true) => paint.good("allowed"),
                (true, false) => paint.doubtful("allowed, with a warning"),
                (false, _) => paint.bad("refused"),
            };
            let place = paint.faint(&line(object.resource.range.as_ref()));
            let _ = writeln!(out, "  {place}  {} {}: {verdict}", object.resource.kind, object.resource.name);
            describe(&mut out, "", admission, paint);
            let at = if admission.allowed { usize::from(!admission.warnings.is_empty()) } else { 2 };
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
    }
    let [allowed, warned, refused] = counts;
    let _ = writeln!(out, "allowed: {allowed}, allowed with a warning: {warned}, refused: {refused}");
    out + &manner(output)
}

fn describe(out: &mut String, who: &str, admission: &PsaAdmission, paint: Paint) {
    if !admission.message.is_empty() {
        let who = if who.is_empty() { String::new() } else { format!("{who} refused: ") };
        let _ = writeln!(out, "    {}{}", paint.bad(&who), admission.message);
    }
    for warning in &admission.warnings {
        let _ = writeln!(out, "    {} {warning}", paint.doubtful("Warning:"));
    }
    for (name, text) in &admission.audit {
        let _ = writeln!(out, "    {}", paint.faint(&format!("audit {name}: {text}")));
    }
}
