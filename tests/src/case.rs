//! Cases in Markdown: prose, inputs and the verdicts that are expected.
//!
//! In: a file with fenced blocks ```` ```yaml policy ````, `resource`, `oldResource`, `exception`, `values`,
//! `userInfo`, `context`, `config`, `clusterResources`, and one ```` ```text expect ````; beside it `text effect` for what
//! a cluster would do, and `yaml autogen` for the rules that autogen makes. Out: a [`Case`], what the engine says as
//! lines such as `fail  policy/rule  default/Pod/web  message` (with `-` for no namespace), below each the objects that it
//! made or changed, and the file with new expectations.

use engine_lenses::share::host::usual;
use engine_lenses::wire::{Input, Output, Text};
use std::fmt::Write;

/// A case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What the engine is given.
    pub input: Input,
    /// What is expected, in the order of the file.
    pub expected: Vec<Expected>,
}

/// One block of expectations.
#[derive(Clone, Debug)]
pub struct Expected {
    /// What it is about.
    pub what: What,
    /// Its lines.
    pub text: String,
    /// Where they stand in the file, as bytes.
    place: (usize, usize),
}

/// What a block of expectations is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// `text expect`: verdicts, refusals, diagnostics.
    Verdicts,
    /// `text effect`: what a cluster would do with each request.
    Effects,
    /// `yaml autogen`: the rules that autogen makes.
    Autogen,
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
    if !case.expected.iter().any(|expected| expected.what == What::Verdicts) {
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
        "imageData" => &mut input.image_data,
        "parameters" => &mut input.parameters,
        "payloads" => &mut input.payloads,
        "httpPayloads" => &mut input.http_payloads,
        "envoyPayloads" => &mut input.envoy_payloads,
        "expect" | "effect" | "autogen" => {
            let what = match role {
                "effect" => What::Effects,
                "autogen" => What::Autogen,
                _ => What::Verdicts,
            };
            case.expected.push(Expected { what, text: body.to_owned(), place: (from, to) });
            return Ok(());
        }
        // Only prose: an example in some language. The tab that the page opens, and what it compares there, is the page's matter.
        "" | "view" | "newPolicies" => return Ok(()),
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
    /// That of the page, as for its samples.
    Sample,
}

/// What the engine answers.
pub fn answer(case: &Case, manner: Manner) -> Output {
    let mut input = case.input.clone();
    let has_request =
        !input.context.is_empty() || !input.config.is_empty() || !input.old_resources.is_empty();
    if manner == Manner::Sample {
        let policies: Vec<&str> = input.policies.iter().map(|text| text.text.as_str()).collect();
        input.host = Some(usual(&policies.join("\n")).to_owned());
    } else if has_request {
        input.host = Some("playground".to_owned());
    }
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..Default::default() };
    engine_lenses::run(&input, &world)
}

/// What the engine says of one thing.
pub fn text(output: &Output, what: What) -> String {
    match what {
        What::Verdicts => lines(output),
        What::Effects => effects(output),
        What::Autogen => autogen(output),
    }
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
            if let Some(note) = &rule.note {
                let _ = writeln!(out, "      note: {note}");
            }
            for warning in &rule.warnings {
                let _ = writeln!(out, "      warning: {warning}");
            }
            rule.generated.iter().for_each(|object| quote(&mut out, "generated", object));
        }
        if let Some(said) = &result.in_cluster {
            let _ = writeln!(out, "      {said}");
        }
        if let Some(object) = &result.patched {
            quote(&mut out, "patched", object);
        }
    }
    for refused in &output.refused {
        let _ = writeln!(out, "refused {}  {}", refused.policy, refused.reason.replace('\n', "\\n"));
    }
    for diagnostic in &output.diagnostics {
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

/// An object that came about, a line for each of its own.
fn quote(out: &mut String, title: &str, object: &str) {
    let _ = writeln!(out, "      {title}:");
    for line in object.lines() {
        let _ = writeln!(out, "      | {line}");
    }
}

/// What a cluster would do with each request, as far as each policy is concerned.
fn effects(output: &Output) -> String {
    let mut out = String::new();
    for result in &output.results {
        let object = &result.resource;
        let _ = writeln!(
            out,
            "{:<6}  {}  {}/{}/{}",
            result.effect, result.policy.name, object.namespace, object.kind, object.name
        );
    }
    out
}

/// The rules that autogen makes, and why it makes none.
fn autogen(output: &Output) -> String {
    let mut out = String::new();
    let line = |range: &Option<engine_lenses::wire::Range>| range.as_ref().map_or(0, |range| range.line);
    for made in &output.autogen {
        let policy = &made.policy.name;
        for rule in &made.rules {
            let kinds = rule.kinds.join(", ");
            let _ = writeln!(out, "# {policy}/{}, line {}, for {kinds}:", rule.from, line(&rule.range));
            out.push_str(&rule.text);
        }
        for hindrance in &made.hindrances {
            let rule = hindrance.rule.as_ref().map(|rule| format!("/{rule}")).unwrap_or_default();
            let reason = &hindrance.reason;
            let _ = writeln!(out, "# {policy}{rule}, line {}: none: {reason}", line(&hindrance.range));
        }
    }
    out
}

/// The file with other expectations.
pub fn with_expected(text: &str, case: &Case, output: &Output) -> String {
    let mut out = String::new();
    let mut at = 0;
    for expected in &case.expected {
        let (from, to) = expected.place;
        out.push_str(text.get(at..from).unwrap_or(""));
        out.push_str(&self::text(output, expected.what));
        at = to;
    }
    out + text.get(at..).unwrap_or("")
}
