//! `--report-format junit`: test results as CI servers read them.
//!
//! In: responses, and what is wrong with the files. Out: JUnit XML with a suite for each policy and a case for each rule and resource; failures carry
//! the message and the place of the resource as `file` and `line`.

use super::problems::Problem;
use engine::Bundle;
use engine::apply::{RuleResult, Status};
use engine::diag::Code;
use engine_lenses::origin::Origin;
use engine_lenses::report::{Context, Counts, Response, message};
use engine_lenses::run::Positions;
use std::fmt::Write;

/// The whole document.
pub(crate) fn print(context: &Context<'_>, responses: &[Response<'_>], problems: &[Problem]) -> String {
    let positions = Positions::new(context.bundle);
    let mut suites: Vec<(String, Counts, String)> = Vec::new();
    let described: Vec<&Problem> = problems.iter().filter(|problem| is_described(problem)).collect();
    if !described.is_empty() {
        let error = described.iter().filter(|problem| problem.is_error()).count();
        let counts = Counts { error, warn: described.len() - error, ..Counts::default() };
        suites.push(("input".to_owned(), counts, described.into_iter().map(input).collect()));
    }
    for refused in &context.bundle.refused {
        let text = format!(
            "    <testcase name=\"policy\" classname=\"{0}\">\n      <error type=\"refused\" message=\"{1}\"/>\n    </testcase>\n",
            escaped(&refused.policy),
            escaped(&refused.reason)
        );
        suites.push((refused.policy.clone(), Counts { error: 1, ..Counts::default() }, text));
    }
    for response in responses.iter().filter(|response| !response.rules.is_empty()) {
        let name = response.policy.key();
        let at = suites.iter().position(|(known, ..)| *known == name).unwrap_or_else(|| {
            suites.push((name, Counts::default(), String::new()));
            suites.len() - 1
        });
        let Some((_, counts, cases)) = suites.get_mut(at) else { continue };
        for rule in &response.rules {
            counts.count(response.described_status(rule));
            case(cases, (context.bundle, &positions), response, rule);
        }
    }
    let mut total = Counts::default();
    let mut body = String::new();
    for (name, counts, cases) in &suites {
        total.merge(*counts);
        let _ = writeln!(
            body,
            "  <testsuite name=\"{}\" {}>\n{cases}  </testsuite>",
            escaped(name),
            numbers(counts)
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"podsieve\" {}>\n{body}</testsuites>\n",
        numbers(&total)
    )
}

/// What could not be read: green would be a lie; and what is doubtful. Refused policies have suites of their own.
fn is_described(problem: &Problem) -> bool {
    let said = &problem.said;
    matches!(said.severity.as_str(), "error" | "warning") && said.code != Code::Refused.as_str()
}

fn input(problem: &Problem) -> String {
    let range = problem.place();
    let name = range.as_ref().map_or("input", |range| range.name.as_str());
    let place = range.as_ref().map(|range| format!(" file=\"{}\" line=\"{}\"", escaped(name), range.line));
    let words = escaped(&problem.said.message);
    let inner = if problem.is_error() {
        format!("<error type=\"{}\" message=\"{words}\"/>", problem.said.code)
    } else {
        format!("<system-out>warning: {words}</system-out>")
    };
    format!(
        "    <testcase name=\"{}\" classname=\"input\"{}>\n      {inner}\n    </testcase>\n",
        escaped(name),
        place.unwrap_or_default()
    )
}

/// Warnings pass, as they do for the exit code.
fn numbers(counts: &Counts) -> String {
    let Counts { pass, fail, warn, error, skip } = counts;
    let tests = pass + fail + warn + error + skip;
    format!("tests=\"{tests}\" failures=\"{fail}\" errors=\"{error}\" skipped=\"{skip}\"")
}

fn case(
    out: &mut String,
    (bundle, positions): (&Bundle, &Positions<'_>),
    response: &Response<'_>,
    rule: &RuleResult,
) {
    let status = response.described_status(rule);
    let resource = response.resource;
    let path = rule.resource_paths.first().cloned().unwrap_or_default();
    let place = positions.of_path(resource.document, &path);
    let place = place.map(|range| format!(" file=\"{}\" line=\"{}\"", escaped(&range.name), range.line));
    let _ = write!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\"{}",
        escaped(format!("{} {}", rule.rule, response.resource_path().trim_start_matches('/')).trim_start()),
        escaped(&response.policy.key()),
        place.unwrap_or_default()
    );
    let words = escaped(message(rule, status));
    let inner = match status {
        Status::Pass if rule.assumed.is_empty() => String::new(),
        Status::Pass => format!("<system-out>{words}</system-out>"),
        Status::Fail => format!("<failure type=\"fail\" message=\"{words}\"/>"),
        Status::Error => format!("<error type=\"error\" message=\"{words}\"/>"),
        Status::Skip => format!("<skipped message=\"{words}\"/>"),
        Status::Warn => format!("<system-out>warning: {words}</system-out>"),
    };
    let origin = Origin::of(bundle, resource).words();
    let inner = if origin.is_empty() {
        inner
    } else {
        let property = format!("<property name=\"origin\" value=\"{}\"/>", escaped(&origin));
        format!("<properties>{property}</properties>{inner}")
    };
    if inner.is_empty() {
        out.push_str("/>\n");
    } else {
        let _ = write!(out, ">\n      {inner}\n    </testcase>\n");
    }
}

/// Text for XML; characters that XML 1.0 cannot hold become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
