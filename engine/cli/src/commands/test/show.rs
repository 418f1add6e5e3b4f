//! `--output-format`: the rows of a test as table, JSON, YAML, markdown or JUnit XML.
//!
//! In: rows. Out: text, byte for byte as the original writes it, except that the suites of JUnit stand in the order in
//! which their policies come.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/output.go, printOutputFormats.

use super::check::{Outcome, Row};
use crate::report::table::{self, Cell};
use engine::apply::Status;
use engine::json::{Map, Value, to_json_indent};
use engine::yaml::emit::to_yaml4;
use std::fmt::Write;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Table,
    Json,
    Yaml,
    Markdown,
    Junit,
}

impl Format {
    /// The format of an argument.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Format::Table),
            "json" => Ok(Format::Json),
            "yaml" => Ok(Format::Yaml),
            "markdown" => Ok(Format::Markdown),
            "junit" => Ok(Format::Junit),
            _ => Err("invalid format, expected (json, yaml, markdown, junit)".to_owned()),
        }
    }
}

/// The rows of a test.
pub(super) fn show(rows: &[&Row], format: Format, with_messages: bool, colours: bool) -> String {
    match format {
        Format::Table => format!("\n{}\n", table(rows, with_messages, colours)),
        Format::Json => format!("\n{}\n\n", to_json_indent(&value(rows, with_messages), "  ")),
        Format::Yaml => format!("\n{}\n\n", to_yaml4(&value(rows, with_messages))),
        Format::Markdown => format!("\n{}\n\n", markdown(rows, with_messages)),
        Format::Junit => format!("\n{}\n\n", junit(rows, with_messages)),
    }
}

/// The rows as a table; the first has number one.
pub(super) fn table(rows: &[&Row], with_messages: bool, colours: bool) -> String {
    let cells = rows.iter().map(|row| {
        let status = match row.outcome {
            Outcome::Pass | Outcome::PassAsSkipped => Status::Pass,
            Outcome::Skip | Outcome::NotYet => Status::Skip,
            Outcome::Fail => Status::Fail,
        };
        Cell {
            policy: row.policy.clone(),
            rule: row.rule.clone(),
            resource: row.resource.clone(),
            status,
            reason: row.reason.clone(),
            message: row.message.clone(),
        }
    });
    table::draw(cells.collect(), with_messages, colours)
}

fn value(rows: &[&Row], with_messages: bool) -> Value {
    let value = |(at, row): (usize, &&Row)| {
        let text = |text: &str| Value::from(text);
        let mut map: Map = [
            ("ID", Value::from(i64::try_from(at + 1).unwrap_or(i64::MAX))),
            ("POLICY", text(&row.policy)),
            ("RULE", text(&row.rule)),
            ("RESOURCE", text(&row.resource)),
            ("RESULT", text(row.outcome.word())),
            ("REASON", text(&row.reason)),
        ]
        .into_iter()
        .collect();
        if with_messages {
            map.insert("Message", text(&row.message));
        }
        Value::object(map)
    };
    Value::array(rows.iter().enumerate().map(value).collect())
}

fn markdown(rows: &[&Row], with_messages: bool) -> String {
    let mut titles = vec!["ID", "POLICY", "RULE", "RESOURCE", "RESULT", "REASON"];
    if with_messages {
        titles.push("MESSAGE");
    }
    let mut out = format!("| {} | \n|{}\n", titles.join(" | "), "----|".repeat(titles.len()));
    for (at, row) in rows.iter().enumerate() {
        let Row { policy, rule, resource, outcome, reason, message } = row;
        let word = outcome.word();
        let _ = write!(out, "| {} | {policy} | {rule} | {resource} | {word} | {reason} |", at + 1);
        if with_messages {
            let _ = write!(out, " {message} |");
        }
        out.push('\n');
    }
    out
}

// Kyverno: nothing is escaped, and a failure without messages is left open; ours is escaped and closed.
fn junit(rows: &[&Row], with_messages: bool) -> String {
    let failed = |rows: &[&Row]| rows.iter().filter(|row| row.outcome == Outcome::Fail).count();
    let mut policies: Vec<&str> = Vec::new();
    for row in rows {
        if !policies.contains(&row.policy.as_str()) {
            policies.push(&row.policy);
        }
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites tests=\"{}\" failures=\"{}\">", rows.len(), failed(rows));
    for policy in policies {
        let of_policy: Vec<&Row> = rows.iter().filter(|row| row.policy == policy).copied().collect();
        let (count, failed, name) = (of_policy.len(), failed(&of_policy), escaped(policy));
        let _ = writeln!(out, " <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\">");
        for row in of_policy {
            case(&mut out, row, with_messages);
        }
        out.push_str(" </testsuite>\n");
    }
    out.push_str("</testsuites>");
    out
}

fn case(out: &mut String, row: &Row, with_messages: bool) {
    let (policy, rule, resource) = (escaped(&row.policy), escaped(&row.rule), escaped(&row.resource));
    let _ = writeln!(out, "  <testcase classname=\"{rule}\" name=\"{resource}\">");
    if row.outcome == Outcome::Fail {
        let (reason, word) = (escaped(&row.reason), row.outcome.word());
        let _ = write!(
            out,
            "   <failure message=\"{reason}\">\n    Policy: {policy}\n    Rule: {rule}\n    Resource: {resource}\n    Result: {word}\n"
        );
        if with_messages {
            let _ = writeln!(out, "    Message: {}", escaped(&row.message));
        }
        out.push_str("   </failure>\n");
    } else {
        // The end of a CDATA section cannot stand within one.
        let plain = |text: &str| text.replace("]]>", "]]]]><![CDATA[>");
        let (reason, policy, rule, resource) =
            (plain(&row.reason), plain(&row.policy), plain(&row.rule), plain(&row.resource));
        let _ = write!(
            out,
            "   <system-out><![CDATA[\n    Reason: {reason}\n    Policy: {policy}\n    Rule: {rule}\n    Resource: {resource}\n"
        );
        if with_messages {
            let _ = writeln!(out, "    Message: {}", plain(&row.message));
        }
        out.push_str("   ]]></system-out>\n");
    }
    out.push_str("  </testcase>\n");
}

/// Text for XML.
fn escaped(text: &str) -> String {
    let allowed = |c: char| if c < ' ' && !matches!(c, '\n' | '\r' | '\t') { '\u{fffd}' } else { c };
    let text: String = text.chars().map(allowed).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
