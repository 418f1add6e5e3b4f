//! `--report-format sarif`: SARIF 2.1.0, for code scanning.
//!
//! In: responses, and what is wrong with the files. Out: one run with a rule for each policy rule, and a result for each that failed, warned or could
//! not be decided, at the lines of the resource, with the lines of the policy beside it.

use super::problems::{Problem, is_complete};
use engine::Bundle;
use engine::apply::{RuleResult, Status};
use engine::json::{Path, Value};
use engine::resource::DocumentId;
use engine_lenses::origin::Origin;
use engine_lenses::report::json::pretty;
use engine_lenses::report::{Context, Response, annotation, message, object, severity};
use engine_lenses::run::Positions;
use engine_lenses::wire::Range;
use std::fmt::Write;

/// The whole document.
pub(crate) fn print(context: &Context<'_>, responses: &[Response<'_>], problems: &[Problem]) -> String {
    let positions = Positions::new(context.bundle);
    let mut rules: Rules = Vec::new();
    let mut results = Vec::new();
    for response in responses {
        for rule in &response.rules {
            let status = response.described_status(rule);
            let level = match status {
                Status::Pass | Status::Skip => continue,
                Status::Warn => "warning",
                Status::Fail | Status::Error => "error",
            };
            // A policy in CEL has no rules with names.
            let id = format!("{}/{}", response.policy.key(), rule.written_name);
            let id = id.trim_end_matches('/').to_owned();
            if !rules.iter().any(|(known, _)| *known == id) {
                rules.push((id.clone(), described(response, &id)));
            }
            results.push(finding((context.bundle, &positions), response, rule, &id, level));
        }
    }
    run(problems, rules, results)
}

/// Something found at a place, by a rule of that id.
pub(crate) struct Finding {
    pub(crate) rule: String,
    /// `error`, `warning` or `note`.
    pub(crate) level: &'static str,
    pub(crate) text: String,
    pub(crate) range: Option<Range>,
    /// Other places that it is about, each with what is said of it.
    pub(crate) related: Vec<(String, Range)>,
    /// Where the object comes from, which is no place in the text.
    pub(crate) logical: Value,
    /// Further fields of the result.
    pub(crate) more: Vec<(&'static str, Value)>,
}

impl Finding {
    /// What was found at one place.
    pub(crate) fn at(range: Option<Range>, rule: &str, level: &'static str, text: String) -> Self {
        Finding {
            rule: rule.to_owned(),
            level,
            text,
            range,
            related: Vec::new(),
            logical: Value::Null,
            more: Vec::new(),
        }
    }

    fn result(&self) -> Value {
        let related = self.related.iter().map(|(text, range)| place(range, text)).collect::<Vec<_>>();
        let fields = [
            ("ruleId", Value::from(self.rule.as_str())),
            ("level", Value::from(self.level)),
            ("message", object([("text", Value::from(self.text.as_str()))])),
            (
                "locations",
                Value::array(
                    self.range.iter().map(|range| coming_from(location(range), &self.logical)).collect(),
                ),
            ),
            ("relatedLocations", if related.is_empty() { Value::Null } else { Value::array(related) }),
        ];
        let mut result = object(fields);
        if let Some(result) = result.object_mut() {
            self.more.iter().for_each(|(name, value)| drop(result.insert(*name, value.clone())));
        }
        result
    }
}

/// The rules of a scan, each with its id.
pub(crate) type Rules = Vec<(String, Value)>;

/// The rules of a scan, and what was found by them.
pub(crate) type Scan = (Rules, Vec<Finding>);

/// A rule with its id and a title.
pub(crate) fn rule(id: &str, title: &str) -> (String, Value) {
    let title = object([("text", Value::from(title))]);
    (id.to_owned(), object([("id", Value::from(id)), ("shortDescription", title)]))
}

/// A document of a scan, and of what is wrong with the files.
pub(crate) fn document(problems: &[Problem], (rules, findings): Scan) -> String {
    run(problems, rules, findings.iter().map(Finding::result).collect())
}

/// The whole document of one run. What could not be read or decided comes first: a scan without a word of it would look
/// clean.
fn run(problems: &[Problem], known: Rules, found: Vec<Value>) -> String {
    let mut rules: Rules = Vec::new();
    let mut results = Vec::new();
    for problem in problems {
        let id = &problem.said.code;
        if !rules.iter().chain(&known).any(|(known, _)| known == id) {
            rules.push((id.clone(), object([("id", Value::from(id.as_str()))])));
        }
        let level = match problem.said.severity.as_str() {
            "error" => "error",
            "warning" => "warning",
            _ => "note",
        };
        let finding = Finding::at(problem.place(), id, level, problem.said.message.clone());
        results.push(finding.result());
    }
    rules.extend(known);
    results.extend(found);
    let driver = object([
        ("name", Value::from("podsieve")),
        ("version", Value::from(engine_lenses::run::version().podsieve)),
        ("rules", Value::array(rules.into_iter().map(|(_, rule)| rule).collect())),
    ]);
    let run = object([
        ("tool", object([("driver", driver)])),
        // Whoever reads no results that are notes of the run itself sees here that it is not whole.
        (
            "invocations",
            Value::array(vec![object([("executionSuccessful", Value::Bool(is_complete(problems)))])]),
        ),
        ("columnKind", Value::from("unicodeCodePoints")),
        ("results", Value::array(results)),
    ]);
    let document = object([
        ("$schema", Value::from("https://json.schemastore.org/sarif-2.1.0.json")),
        ("version", Value::from("2.1.0")),
        ("runs", Value::array(vec![run])),
    ]);
    pretty(&document) + "\n"
}

fn described(response: &Response<'_>, id: &str) -> Value {
    let policy = response.policy;
    let text = |text: &str| if text.is_empty() { Value::Null } else { object([("text", Value::from(text))]) };
    let title = annotation(policy, "policies.kyverno.io/title");
    let title = if title.is_empty() { id } else { title };
    // The scale on which code scanning sorts findings.
    let score = match severity(policy) {
        "critical" => "9.5",
        "high" => "8.0",
        "medium" => "5.5",
        "low" => "3.0",
        _ => "",
    };
    let properties =
        if score.is_empty() { Value::Null } else { object([("security-severity", Value::from(score))]) };
    object([
        ("id", Value::from(id)),
        ("shortDescription", text(title)),
        ("fullDescription", text(annotation(policy, "policies.kyverno.io/description").trim())),
        ("properties", properties),
    ])
}

fn finding(
    (bundle, positions): (&Bundle, &Positions<'_>),
    response: &Response<'_>,
    rule: &RuleResult,
    id: &str,
    level: &str,
) -> Value {
    let words = message(rule, response.described_status(rule));
    let words = if words.is_empty() { "validation failed" } else { words };
    let logical = logical(&Origin::of(bundle, response.resource));
    let path = response.resource_path();
    let text = format!("{}: {words}", path.trim_start_matches('/'));
    let at = |document: DocumentId, paths: &[Path]| -> Vec<Value> {
        let root = [Path::root()];
        let paths = if paths.is_empty() { &root } else { paths };
        paths
            .iter()
            .filter_map(|path| positions.of_path(document, path))
            .take(1)
            .map(|range| location(&range))
            .collect()
    };
    object([
        ("ruleId", Value::from(id)),
        ("level", Value::from(level)),
        ("message", object([("text", Value::from(text))])),
        (
            "locations",
            Value::array(
                at(response.resource.document, &rule.resource_paths)
                    .into_iter()
                    .map(|place| coming_from(place, &logical))
                    .collect(),
            ),
        ),
        ("relatedLocations", Value::array(at(response.policy.document, &rule.policy_paths))),
    ])
}

/// The chart's template or the application that an object comes from, as locations that are no place in the text; null where nothing is known.
pub(crate) fn logical(origin: &Origin) -> Value {
    let of = |kind: &str, name: &str| {
        object([("fullyQualifiedName", Value::from(name)), ("kind", Value::from(kind))])
    };
    let Origin { template, chart, release, application, .. } = origin;
    let all = [("template", template), ("chart", chart), ("release", release), ("application", application)];
    let known: Vec<Value> =
        all.into_iter().filter(|(_, name)| !name.is_empty()).map(|(kind, name)| of(kind, name)).collect();
    if known.is_empty() { Value::Null } else { Value::array(known) }
}

/// A place, with where the object comes from.
fn coming_from(mut place: Value, logical: &Value) -> Value {
    if !logical.is_null()
        && let Some(place) = place.object_mut()
    {
        place.insert("logicalLocations", logical.clone());
    }
    place
}

/// What a finding is known by from one run to the next: names alone, whatever the lines are.
pub(crate) fn fingerprint(identity: &[&str]) -> String {
    // FNV-1a, 64 bits: https://datatracker.ietf.org/doc/draft-eastlake-fnv
    let bytes = identity.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn location(range: &Range) -> Value {
    place(range, "")
}

/// A place, with what is said of it.
fn place(range: &Range, said: &str) -> Value {
    let uri: String = range.name.split('/').map(percent_encoded).collect::<Vec<_>>().join("/");
    let region = object([
        ("startLine", Value::from(i64::from(range.line))),
        ("startColumn", Value::from(i64::from(range.column))),
        ("endLine", Value::from(i64::from(range.end_line.max(range.line)))),
    ]);
    let message = if said.is_empty() { Value::Null } else { object([("text", Value::from(said))]) };
    let physical = object([("artifactLocation", object([("uri", Value::from(uri))])), ("region", region)]);
    object([("physicalLocation", physical), ("message", message)])
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
