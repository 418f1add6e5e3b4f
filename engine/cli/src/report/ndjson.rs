//! `--report-format ndjson`: one line of JSON a verdict, for programs that read while this one writes.
//!
//! In: responses, one after the other. Out: a line for each rule that spoke (`"type":"result"`), for what was not decided
//! (`"undecided"`), for what is wrong with the texts (`"error"`), and a last line with the counts (`"end"`): a stream without it was
//! cut off.

use super::problems::Problem;
use engine::Bundle;
use engine::apply::{RuleResult, Status};
use engine::json::{Path, write_string};
use engine::policy::Policy;
use engine::resource::Resource;
use engine_lenses::report::{Counts, Response, message, severity};
use engine_lenses::run::Positions;
use std::fmt::Write as _;

/// Where an object was read.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The file, or `-`.
    pub(crate) name: &'a str,
    /// Its first line.
    pub(crate) line: usize,
    /// Which object of the stream it is.
    pub(crate) number: usize,
}

/// What lines are made of that does not change from object to object.
pub(crate) struct Lines<'a> {
    cluster: &'a str,
    with_passes: bool,
    policies: Vec<PolicyParts>,
}

/// The parts of lines about one policy.
struct PolicyParts {
    /// `"policy":"NAME",`
    name: String,
    /// Behind the result: severity.
    severity: String,
    /// The end of a line: `,"path":"FILE","line":7}`, for the policy as a whole and for each of its rules.
    place: String,
    rules: Vec<(String, String)>,
}

impl PolicyParts {
    fn new(positions: &Positions<'_>, policy: &Policy) -> Self {
        let place = |path: &Path| {
            let mut text = String::new();
            if let Some(range) = positions.of_path(policy.document, path) {
                text.push_str(",\"path\":");
                write_string(&mut text, &range.name);
                let _ = write!(text, ",\"line\":{}", range.line);
            }
            text + "}\n"
        };
        let mut parts = PolicyParts {
            name: field("policy", &policy.key()),
            severity: field("severity", severity(policy)),
            place: place(&Path::root()),
            rules: Vec::new(),
        };
        for rule in &policy.rules {
            parts.rules.push((rule.written_name.to_string(), place(&rule.path)));
        }
        parts
    }

    fn place(&self, rule: &str) -> &str {
        self.rules.iter().find(|(name, _)| name == rule).map_or(&self.place, |(_, place)| place)
    }
}

/// `"name":"text",`
fn field(name: &str, text: &str) -> String {
    let mut out = format!("\"{name}\":");
    write_string(&mut out, text);
    out.push(',');
    out
}

impl<'a> Lines<'a> {
    /// Lines about these policies.
    pub(crate) fn new(bundle: &Bundle, cluster: &'a str, with_passes: bool) -> Self {
        let positions = Positions::new(bundle);
        let policies = bundle.policies.iter().map(|policy| PolicyParts::new(&positions, policy)).collect();
        Lines { cluster, with_passes, policies }
    }

    /// The fields about an object, the same in each line about it.
    pub(crate) fn object(&self, resource: &Resource, place: Place<'_>) -> String {
        let mut out = String::with_capacity(192);
        let gvk = &resource.gvk;
        for (name, text) in [
            ("cluster", self.cluster),
            ("namespace", resource.namespace()),
            ("group", &gvk.group),
            ("version", &gvk.version),
            ("kind", &gvk.kind),
            ("name", resource.name_or_generate_name()),
            ("uid", resource.value.find_str(&["metadata", "uid"])),
            ("source", place.name),
        ] {
            out.push('"');
            out.push_str(name);
            out.push_str("\":");
            write_string(&mut out, text);
            out.push(',');
        }
        let _ = write!(out, "\"item\":{},\"itemLine\":{},", place.number, place.line);
        out
    }

    /// The lines of a response of a policy, by its place in the bundle.
    pub(crate) fn response(&self, out: &mut String, object: &str, policy: usize, response: &Response<'_>) {
        let Some(parts) = self.policies.get(policy) else { return };
        for rule in &response.rules {
            let status = response.described_status(rule);
            if self.with_passes || !matches!(status, Status::Pass | Status::Skip) {
                line(out, object, parts, rule, status);
            }
        }
        for rule in &response.undecided {
            out.push_str("{\"type\":\"undecided\",");
            out.push_str(object);
            out.push_str(&parts.name);
            out.push_str(&field("rule", rule));
            out.push_str("\"message\":\"this kind of rule is not evaluated\"");
            out.push_str(parts.place(rule));
        }
    }

    /// The lines of a run whose responses were all kept.
    pub(crate) fn all(&self, bundle: &Bundle, responses: &[Response<'_>], problems: &[Problem]) -> String {
        let mut out = String::new();
        for problem in problems.iter().filter(|problem| problem.is_error()) {
            let place = problem.place();
            let name = place.as_ref().map_or("", |place| &place.name);
            out.push_str(&error(
                name,
                place.as_ref().map(|place| place.line as usize),
                &problem.said.message,
            ));
        }
        let positions = Positions::new(bundle);
        for response in responses {
            let resource = response.resource;
            let range = positions.of_path(resource.document, &Path::root()).unwrap_or_default();
            let place = Place { name: &range.name, line: range.line as usize, number: 1 };
            let policy = bundle.policies.iter().position(|policy| std::ptr::eq(policy, response.policy));
            let object = self.object(resource, place);
            self.response(&mut out, &object, policy.unwrap_or(usize::MAX), response);
        }
        out
    }

    /// What is wrong with the policies: those that are refused and those that are not evaluated.
    pub(crate) fn of_policies(bundle: &Bundle) -> String {
        let mut out = String::new();
        for refused in &bundle.refused {
            let name = bundle.document(refused.document).and_then(|document| bundle.source(document.source));
            let name = name.map_or("", |(_, source)| source.name.as_str());
            out.push_str(&error(
                name,
                None,
                &format!("policy `{}` is refused: {}", refused.policy, refused.reason),
            ));
        }
        for unsupported in &bundle.unsupported {
            out.push_str("{\"type\":\"undecided\",");
            out.push_str(&field("policy", &unsupported.policy));
            out.push_str(&field("rule", &unsupported.rule));
            out.push_str("\"message\":");
            write_string(&mut out, &format!("`{}` is not evaluated", unsupported.what));
            out.push_str("}\n");
        }
        out
    }

    /// The last line.
    pub(crate) fn end(&self, counts: &Counts, objects: usize, is_complete: bool) -> String {
        let Counts { pass, fail, warn, error, skip } = counts;
        let cluster = field("cluster", self.cluster);
        format!(
            "{{\"type\":\"end\",{cluster}\"complete\":{is_complete},\"objects\":{objects},\"pass\":{pass},\"fail\":{fail},\"warn\":{warn},\
             \"error\":{error},\"skip\":{skip}}}\n"
        )
    }
}

fn line(out: &mut String, object: &str, parts: &PolicyParts, rule: &RuleResult, status: Status) {
    out.push_str("{\"type\":\"result\",");
    out.push_str(object);
    out.push_str(&parts.name);
    out.push_str("\"rule\":");
    write_string(out, &rule.rule);
    out.push_str(",\"result\":\"");
    out.push_str(status.as_str());
    out.push_str("\",");
    out.push_str(&parts.severity);
    out.push_str("\"message\":");
    write_string(out, message(rule, status));
    if !rule.assumed.is_empty() {
        out.push_str(",\"assumed\":");
        write_string(out, &rule.assumed.join("; "));
    }
    out.push_str(parts.place(&rule.written_name));
}

/// A line about what is not evaluated.
pub(crate) fn error(path: &str, line: Option<usize>, message: &str) -> String {
    let line = line.map(|line| format!("\"line\":{line},")).unwrap_or_default();
    let mut out = format!("{{\"type\":\"error\",{}{line}\"message\":", field("path", path));
    write_string(&mut out, message);
    out + "}\n"
}
