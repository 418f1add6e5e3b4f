//! Cases in Markdown: prose, inputs and the verdicts that are expected.
//!
//! In: a file with fenced blocks ```` ```yaml policy ````, `resource`, `oldResource`, `exception`, `values`,
//! `userInfo`, `context`, `config`, `clusterResources`, and one ```` ```text expect ````. Out: a [`Case`], its verdicts
//! from the engine as lines such as `fail  policy/rule  default/Pod/web  message` (with `-` for no namespace), and the
//! file with new expectations.

use engine::wire::{Input, Output, Text};
use std::fmt::Write;

/// A case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What the engine is given.
    pub input: Input,
    /// The lines that are expected.
    pub expected: String,
    /// Where those lines stand in the file, as bytes.
    place: Option<(usize, usize)>,
}

/// Reads a case.
pub fn read(text: &str) -> Result<Case, String> {
    let mut case = Case::default();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let Some(info) = line.trim_end().strip_prefix("```") else { continue };
        match open.take() {
            None => open = Some((info.trim().to_owned(), at)),
            Some((info, from)) => {
                let body = text.get(from..start).unwrap_or("");
                block(&mut case, &info, body, from, start)
                    .map_err(|error| format!("line {}: {error}", number + 1))?;
            }
        }
    }
    if let Some((info, _)) = open {
        return Err(format!("the block `{info}` is not closed"));
    }
    if case.place.is_none() {
        return Err("there is no block ```text expect".to_owned());
    }
    Ok(case)
}

fn block(case: &mut Case, info: &str, body: &str, from: usize, to: usize) -> Result<(), String> {
    let mut words = info.split_whitespace();
    let (language, role) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let input = &mut case.input;
    let into = match role {
        "policy" => &mut input.policies,
        "resource" => &mut input.resources,
        "oldResource" => &mut input.old_resources,
        "exception" | "exceptions" => &mut input.exceptions,
        "values" => &mut input.values,
        "userInfo" => &mut input.user_info,
        "context" => &mut input.context,
        "config" => &mut input.config,
        "clusterResource" | "clusterResources" => &mut input.cluster_resources,
        "customResourceDefinitions" => &mut input.custom_resource_definitions,
        "expect" => {
            body.clone_into(&mut case.expected);
            case.place = Some((from, to));
            return Ok(());
        }
        // Only prose: an example in some language.
        "" => return Ok(()),
        other => return Err(format!("a block of kind `{other}`: there is no such input")),
    };
    let name = format!("{role}.{language}");
    into.push(Text { name, text: body.to_owned() });
    Ok(())
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The terminal's manner; the Playground's where a case has a context, a configuration or old resources.
    Case,
    /// The Playground's, as for its samples.
    Sample,
}

/// What the engine says, a line for each rule that spoke.
pub fn verdicts(case: &Case, manner: Manner) -> String {
    let mut input = case.input.clone();
    let has_request =
        !input.context.is_empty() || !input.config.is_empty() || !input.old_resources.is_empty();
    if manner == Manner::Sample || has_request {
        input.host = Some("playground".to_owned());
    }
    lines(&engine::run(&input, &engine::world::StaticWorld::default()))
}

/// Whether the engine says what is expected: line for line, where a line without words stands for any words.
pub fn agrees(expected: &str, got: &str) -> bool {
    let fields =
        |line: &str| -> Vec<String> { line.splitn(4, "  ").map(|field| field.trim().to_owned()).collect() };
    let line = |(expected, got): (&str, &str)| {
        let (expected, got) = (fields(expected.trim_end()), fields(got));
        expected == got || (expected.len() == 3 && got.get(..3) == Some(expected.as_slice()))
    };
    expected.lines().count() == got.lines().count() && expected.lines().zip(got.lines()).all(line)
}

/// The lines of an output.
pub fn lines(output: &Output) -> String {
    let mut out = String::new();
    for result in &output.results {
        let object = &result.resource;
        let namespace = if object.namespace.is_empty() { "-" } else { &object.namespace };
        for rule in &result.rules {
            let line = format!(
                "{:<4}  {}/{}  {namespace}/{}/{}  {}",
                rule.status,
                result.policy.name,
                rule.rule,
                object.kind,
                object.name,
                rule.message.replace('\\', "\\\\").replace('\n', "\\n")
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    for refused in &output.refused {
        let _ = writeln!(out, "refused {}  {}", refused.policy, refused.reason.replace('\n', "\\n"));
    }
    for diagnostic in output.diagnostics.iter().filter(|diagnostic| diagnostic.severity != "info") {
        let place = diagnostic.range.as_ref().map(|range| format!("  {}:{}", range.name, range.line));
        let _ = writeln!(
            out,
            "{}[{}]{}  {}",
            diagnostic.severity,
            diagnostic.code,
            place.unwrap_or_default(),
            diagnostic.message
        );
    }
    if out.is_empty() {
        out.push_str("no rule matches\n");
    }
    out
}

/// The file with other expectations.
pub fn with_expected(text: &str, case: &Case, expected: &str) -> String {
    let Some((from, to)) = case.place else { return text.to_owned() };
    let (head, tail) = (text.get(..from).unwrap_or(""), text.get(to..).unwrap_or(""));
    format!("{head}{expected}{tail}")
}
