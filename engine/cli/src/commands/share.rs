//! `podsieve share`: Kyverno Playground links from files, files from links, and the verdicts of a link.
//!
//! In: files or a link. Out: a link, texts, or verdicts. What was fixed or lost in a link is said on standard error.

use crate::args::{Share, ShareCommand, ShareDecode, ShareEncode, ShareOpen};
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::terminal;
use engine::load::Host;
use engine_lenses::share::{self, Decoded, State, state};
use engine_lenses::wire::{Input, Output, Range, RuleResult, Text};
use std::fmt::Write;

/// Runs the command.
pub(crate) fn run(share: &Share) -> Result<u8, Failure> {
    match &share.command {
        ShareCommand::Encode(arguments) => encode(arguments),
        ShareCommand::Decode(arguments) => decode(arguments),
        ShareCommand::Open(arguments) => open(arguments),
    }
}

fn encode(arguments: &ShareEncode) -> Result<u8, Failure> {
    let mut texts = State::new();
    let fields = [
        (state::POLICY, &arguments.policy),
        (state::RESOURCE, &arguments.resource),
        (state::OLD_RESOURCE, &arguments.old_resource),
        (state::CONTEXT, &arguments.context),
        (state::CONFIG, &arguments.config),
        (state::CUSTOM_RESOURCE_DEFINITIONS, &arguments.crd),
        (state::CLUSTER_RESOURCES, &arguments.cluster_resource),
        (state::EXCEPTIONS, &arguments.exception),
    ];
    for (name, paths) in fields {
        if !paths.is_empty() {
            texts.set(name, joined(paths)?);
        }
    }
    if texts.iter().any(|(_, text)| share::holds_secret(text)) {
        terminal::say("warning: these files hold a Secret, and everyone who has the link can read it\n");
    }
    terminal::document(&format!("{}\n", share::link(&arguments.page, &texts)));
    Ok(0)
}

fn unreadable(Unreadable { path, original }: Unreadable) -> Failure {
    Failure(format!("`{path}` cannot be read: {original}"))
}

/// Several files as one text of several documents.
fn joined(paths: &[String]) -> Result<String, Failure> {
    let mut out = String::new();
    for path in paths {
        let text = files::read(path).map_err(unreadable)?.text;
        if !out.is_empty() {
            if !out.ends_with('\n') {
                out.push('\n');
            }
            if !text.starts_with("---") {
                out.push_str("---\n");
            }
        }
        out.push_str(&text);
    }
    Ok(out)
}

/// The state in a link, with all that is worth saying; whether it is whole.
fn read_link(link: &str) -> Result<Decoded, Failure> {
    let text = if link == "-" { files::read("-").map_err(unreadable)?.text } else { link.to_owned() };
    let decoded = share::decode(&text).map_err(|error| Failure(error.to_string()))?;
    for note in &decoded.notes {
        let level = if note.code.is_damage() { "warning" } else { "note" };
        terminal::say(&format!("{level}[{}]: {}\n", note.code.name(), note.message));
    }
    Ok(decoded)
}

/// The exit code of a link that was read: what is cut is not a success.
fn code(decoded: &Decoded) -> u8 {
    u8::from(!decoded.complete)
}

fn decode(arguments: &ShareDecode) -> Result<u8, Failure> {
    let decoded = read_link(&arguments.link)?;
    let texts = decoded.state.iter().filter(|(_, text)| !text.is_empty());
    match &arguments.output {
        None => {
            let mut out = String::new();
            for (name, text) in texts {
                let _ = write!(out, "# {name}\n{text}{}", if text.ends_with('\n') { "\n" } else { "\n\n" });
            }
            terminal::document(&out);
        }
        Some(folder) => {
            for (name, text) in texts {
                let path = files::create(folder, &format!("{}.yaml", file_name(name)), text)?;
                terminal::print(&format!("{path}\n"));
            }
        }
    }
    Ok(code(&decoded))
}

/// A field's name as a file name: a link is a stranger's text and must not choose a path.
fn file_name(field: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = field.chars().take(64).map(plain).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

fn open(arguments: &ShareOpen) -> Result<u8, Failure> {
    arguments.by.refuse_release()?;
    let decoded = read_link(&arguments.link)?;
    let texts = |name: &str| -> Vec<Text> {
        let text = decoded.state.get(name).filter(|text| !text.trim().is_empty());
        text.map(|text| Text { name: name.to_owned(), text: text.to_owned() }).into_iter().collect()
    };
    let of_link = || {
        let policies = decoded.state.get(state::POLICY).unwrap_or_default();
        share::host::chosen(&decoded.state).unwrap_or_else(|| share::host::usual(policies))
    };
    let host = arguments.by.named().map_or_else(of_link, Host::as_str);
    let input = Input {
        host: Some(host.to_owned()),
        policies: texts(state::POLICY),
        resources: texts(state::RESOURCE),
        old_resources: texts(state::OLD_RESOURCE),
        exceptions: texts(state::EXCEPTIONS),
        cluster_resources: texts(state::CLUSTER_RESOURCES),
        context: texts(state::CONTEXT),
        config: texts(state::CONFIG),
        custom_resource_definitions: texts(state::CUSTOM_RESOURCE_DEFINITIONS),
        trace: arguments.explain,
        ..Input::default()
    };
    let output = engine_lenses::run(&input, &crate::world::at(crate::clock::now()));
    for diagnostic in &output.diagnostics {
        let place = diagnostic.range.as_ref().map(|range| format!("{}: ", line(range))).unwrap_or_default();
        terminal::say(&format!(
            "{}[{}]: {place}{}\n",
            diagnostic.severity, diagnostic.code, diagnostic.message
        ));
    }
    terminal::print(&described(&output));
    let failed = output.counts.fail + output.counts.error > 0;
    let unread = output.diagnostics.iter().any(|diagnostic| diagnostic.severity == "error");
    Ok(if failed || unread { 1 } else { code(&decoded) })
}

fn described(output: &Output) -> String {
    let mut out = String::new();
    for result in &output.results {
        let object = &result.resource;
        let resource = format!("{}/{}/{}", object.namespace, object.kind, object.name);
        for rule in &result.rules {
            let message = rule.message.replace('\n', " ");
            let _ = writeln!(
                out,
                "{:<5} {}/{}  {}  {message}",
                rule.status,
                result.policy.name,
                rule.rule,
                resource.trim_start_matches('/')
            );
            out.push_str(&steps(rule));
        }
    }
    for refused in &output.refused {
        let _ = writeln!(out, "error {}  refused: {}", refused.policy, refused.reason);
    }
    let counts = output.counts;
    let _ = writeln!(
        out,
        "\npass: {}, fail: {}, warn: {}, error: {}, skip: {}",
        counts.pass, counts.fail, counts.warn, counts.error, counts.skip
    );
    out
}

fn steps(rule: &RuleResult) -> String {
    let mut out = String::new();
    for step in &rule.steps {
        let indent = "  ".repeat(step.depth.min(20) as usize);
        let places: Vec<String> = step.policy_range.iter().chain(&step.resource_range).map(line).collect();
        let places = if places.is_empty() { String::new() } else { format!("  ({})", places.join(", ")) };
        let text = step.text.replace('\n', " ");
        let _ = writeln!(out, "      {indent}{:<5} {}: {text}{places}", step.outcome, step.kind);
    }
    out
}

fn line(range: &Range) -> String {
    format!("{}:{}", range.name, range.line)
}
