//! `podsieve check`: whether an API server and Kyverno take what files hold.
//!
//! In: files with policies, bindings, exceptions and parameters. Out: a line for each problem with its place and how many documents are
//! taken, or all of it as JSON. The exit code: 1 where one is refused or cannot be read.

mod documents;
mod manifests;

use crate::args::{Check, CheckFormat};
use crate::exit::Failure;
use crate::terminal::{self, one_line, plural};
use documents::documents;
use engine::json::Value;
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use engine_lenses::wire::{Diagnostic, Range};
use manifests::manifests;
use std::fmt::Write;

/// The group of Kubernetes' own policies.
const GROUP: &str = "admissionregistration.k8s.io/";

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    Refused,
    /// Nothing is known of its kind but its metadata.
    Unchecked,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Verdict::Taken => "taken",
            Verdict::Refused => "refused",
            Verdict::Unchecked => "not checked",
        }
    }
}

/// A document, and what becomes of it.
struct Checked {
    range: Option<Range>,
    kind: String,
    name: String,
    verdict: Verdict,
}

/// Something to say.
struct Finding {
    /// The file, for what has no place in it.
    file: String,
    said: Diagnostic,
}

/// All that was found.
#[derive(Default)]
struct Report {
    documents: Vec<Checked>,
    findings: Vec<Finding>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Check) -> Result<u8, Failure> {
    let report = if arguments.static_manifests { manifests(arguments)? } else { documents(arguments) };
    let is_good = report.findings.iter().all(|finding| finding.said.severity != "error");
    if report.documents.is_empty() && is_good {
        return Err(Failure("there is no document to check".to_owned()));
    }
    match arguments.output {
        CheckFormat::Json => terminal::document(&json(&report, arguments)),
        CheckFormat::Text => terminal::print(&text(&report, arguments)),
    }
    Ok(u8::from(!is_good))
}

fn text(report: &Report, arguments: &Check) -> String {
    let mut out = String::new();
    for Finding { file, said: Diagnostic { range, severity, code, message, hints } } in &report.findings {
        let place = range
            .as_ref()
            .map_or_else(|| file.clone(), |range| format!("{}:{}:{}", range.name, range.line, range.column));
        let _ = writeln!(out, "{}: {severity}[{code}]: {}", one_line(&place), one_line(message));
        for hint in hints {
            let _ = writeln!(out, "  help: {}", one_line(hint));
        }
    }
    let count = |verdict| report.documents.iter().filter(|document| document.verdict == verdict).count();
    let all = plural(report.documents.len(), "document");
    let (taken, refused) = (count(Verdict::Taken), count(Verdict::Refused));
    let unchecked = match count(Verdict::Unchecked) {
        0 => String::new(),
        unchecked => format!(", {unchecked} not checked (of kinds whose fields are not known)"),
    };
    let release = arguments.kubernetes;
    let _ = writeln!(out, "{all}, Kubernetes {release}: {taken} taken, {refused} refused{unchecked}");
    out
}

fn json(report: &Report, arguments: &Check) -> String {
    let text = |text: &str| Value::from(text);
    let line = |range: Option<&Range>| range.map_or(Value::Null, |range| Value::from(i64::from(range.line)));
    let file = |range: Option<&Range>, file: &str| {
        range.map_or_else(|| text(file), |range| text(range.name.as_str()))
    };
    let documents = report.documents.iter().map(|document| {
        object([
            ("file", file(document.range.as_ref(), "")),
            ("line", line(document.range.as_ref())),
            ("kind", text(&document.kind)),
            ("name", text(&document.name)),
            ("verdict", text(document.verdict.as_str())),
        ])
    });
    let diagnostics = report.findings.iter().map(|Finding { file: name, said }| {
        let range = said.range.as_ref();
        let column = range.map_or(Value::Null, |range| Value::from(i64::from(range.column)));
        object([
            ("file", file(range, name)),
            ("line", line(range)),
            ("column", column),
            ("severity", text(&said.severity)),
            ("code", text(&said.code)),
            ("message", text(&said.message)),
            ("hints", Value::array(said.hints.iter().map(|hint| text(hint)).collect())),
        ])
    });
    let report = object([
        ("version", text(&engine_lenses::run::version().podsieve)),
        ("kubernetes", text(&arguments.kubernetes.to_string())),
        ("documents", Value::array(documents.collect())),
        ("diagnostics", Value::array(diagnostics.collect())),
    ]);
    pretty(&report) + "\n"
}
