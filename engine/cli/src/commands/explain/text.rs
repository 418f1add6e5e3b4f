//! Explanations for people, on 80 columns.
//!
//! In: explanations. Out: for each a heading, the sentence, the lines that decided, the edits, and the steps where asked.

use super::frame;
use crate::print::paint::Paint;
use crate::terminal::one_line;
use engine::Bundle;
use engine::resource::Resource;
use engine_lenses::origin::Origin;
use engine_lenses::wire::{Edit, Explanation, Range, Step};
use std::fmt::Write;

/// So wide is the answer.
pub(super) const WIDTH: usize = 80;
/// So many of the lines that decided are shown for policy and resource each.
const MOST_FRAMES: usize = 2;
/// Steps lie so deep at most on screen.
const MOST_DEPTH: u32 = 12;

/// All explanations, a blank line between them.
pub(super) fn print(bundle: &Bundle, explanations: &[Explanation], with_tree: bool, paint: Paint) -> String {
    let mut out = String::new();
    let texts = frame::Texts::new(bundle);
    for (at, explanation) in explanations.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        describe(&mut out, (bundle, &texts), explanation, with_tree, paint);
    }
    out
}

fn describe(
    out: &mut String,
    (bundle, texts): (&Bundle, &frame::Texts),
    explanation: &Explanation,
    with_tree: bool,
    paint: Paint,
) {
    let _ = writeln!(out, "{}", heading(explanation, paint));
    let origin = origin(bundle, explanation);
    if !origin.is_empty() {
        let _ = writeln!(out, "  {}", paint.faint(&format!("from {}", one_line(&origin))));
    }
    wrapped(out, "  ", &explanation.sentence);
    for range in frames(explanation) {
        frame::draw(out, texts, range, paint);
    }
    if let Some(effect) = effect(&explanation.effect) {
        let _ = writeln!(out, "  a cluster would {effect}");
    }
    edits(out, &explanation.edits, paint);
    if with_tree {
        let _ = writeln!(out, "  steps:");
        explanation.steps.iter().enumerate().for_each(|(at, step)| {
            let decides = explanation.deciding.iter().any(|deciding| *deciding as usize == at);
            tree(out, step, decides, paint);
        });
    }
}

/// Where the resource comes from, where its text says that.
fn origin(bundle: &Bundle, explanation: &Explanation) -> String {
    let named = &explanation.resource;
    let is_named = |resource: &&Resource| {
        (resource.kind(), resource.namespace(), resource.name_or_generate_name())
            == (named.kind.as_str(), named.namespace.as_str(), named.name.as_str())
    };
    bundle.resources.iter().find(is_named).map(|found| Origin::of(bundle, found).words()).unwrap_or_default()
}

/// `FAIL no-latest/tag on default/Pod/web`.
fn heading(explanation: &Explanation, paint: Paint) -> String {
    let verdict = match explanation.verdict.as_str() {
        "pass" => paint.good("PASS"),
        "fail" => paint.bad("FAIL"),
        "warn" => paint.doubtful("WARN"),
        "error" => paint.bad("ERROR"),
        "skip" => paint.doubtful("SKIP"),
        "undecided" => paint.doubtful("NOT DECIDED"),
        _ => paint.faint("NO MATCH"),
    };
    let (policy, resource) = (&explanation.policy, &explanation.resource);
    let parts = [&policy.namespace, &policy.name, &explanation.rule];
    let rule: Vec<&str> = parts.iter().filter(|part| !part.is_empty()).map(|part| part.as_str()).collect();
    let parts = [&resource.namespace, &resource.kind, &resource.name];
    let object: Vec<&str> = parts.iter().filter(|part| !part.is_empty()).map(|part| part.as_str()).collect();
    let autogen = explanation.autogen.as_ref();
    let autogen = autogen.map_or_else(String::new, |from| format!(" (autogen, from {})", one_line(from)));
    let (rule, object) = (rule.join("/"), object.join("/"));
    format!("{verdict} {}{autogen} on {}", one_line(&rule), one_line(&object))
}

/// The lines of the steps that decided: those of the policy, then those of the resource, each once.
fn frames(explanation: &Explanation) -> Vec<&Range> {
    let is_fail = matches!(explanation.verdict.as_str(), "fail" | "warn");
    let most = if is_fail { MOST_FRAMES } else { 1 };
    let steps = explanation.deciding.iter().filter_map(|at| explanation.steps.get(*at as usize));
    let fields = explanation.fields.iter().filter_map(|field| field.range.as_ref());
    let of_policy = first(steps.clone().filter_map(|step| step.policy_range.as_ref()), most);
    let own = steps.filter_map(|step| step.resource_range.as_ref());
    let of_resource = first(fields.chain(own), most);
    of_policy.into_iter().chain(of_resource).collect()
}

fn first<'r>(ranges: impl Iterator<Item = &'r Range>, most: usize) -> Vec<&'r Range> {
    let mut kept: Vec<&Range> = Vec::new();
    for range in ranges {
        let is_new = kept
            .iter()
            .all(|known| (&known.input, known.index, known.line) != (&range.input, range.index, range.line));
        if is_new && kept.len() < most {
            kept.push(range);
        }
    }
    kept
}

fn effect(effect: &str) -> Option<&'static str> {
    match effect {
        "report" => Some("let it in and report it"),
        "warn" => Some("let it in with a warning"),
        "deny" => Some("refuse the request"),
        _ => None,
    }
}

fn edits(out: &mut String, edits: &[Edit], paint: Paint) {
    // A text or a number is one of many that pass; `true` and `false` are not.
    let is_proposed = |edit: &Edit| {
        edit.after.as_deref().is_some_and(|after| after.starts_with(|c: char| c == '"' || c.is_ascii_digit()))
    };
    let tried = match edits.iter().filter(|edit| is_proposed(edit)).count() {
        0 => "tried",
        1 => "tried; the value is a proposal",
        _ => "tried; the values are proposals",
    };
    match edits {
        [] => return,
        [_] => {
            let _ = writeln!(out, "  it would pass with this edit ({tried}):");
        }
        many => {
            let _ = writeln!(out, "  it would pass with these {} edits ({tried}):", many.len());
        }
    }
    for edit in edits {
        let place =
            edit.range.as_ref().map_or_else(String::new, |range| format!(" ({}:{})", range.name, range.line));
        let described = match (&edit.before, &edit.after) {
            (Some(before), None) => format!("remove {}, which is {before}{place}", edit.path),
            (_, None) => format!("remove {}{place}", edit.path),
            (None, Some(after)) => format!("add {}: {after}{place}", edit.path),
            (Some(before), Some(after)) => format!("set {}: {after}, instead of {before}{place}", edit.path),
        };
        wrapped(out, "  - ", &described);
        for line in edit.yaml.lines() {
            let _ = writeln!(out, "      {}", paint.good(line));
        }
    }
}

fn tree(out: &mut String, step: &Step, decides: bool, paint: Paint) {
    let sign = match step.outcome.as_str() {
        "yes" => paint.good("yes  "),
        "no" => paint.bad("no   "),
        "error" => paint.bad("error"),
        _ => "     ".to_owned(),
    };
    let mark = if decides { ">" } else { " " };
    let lines: Vec<String> = [&step.policy_range, &step.resource_range]
        .into_iter()
        .flatten()
        .map(|range| format!("{}:{}", range.name, range.line))
        .collect();
    let lines = if lines.is_empty() { String::new() } else { format!(" ({})", lines.join(", ")) };
    let indent = "  ".repeat(step.depth.min(MOST_DEPTH) as usize);
    let text = format!("{}: {}{lines}", step.kind, step.text.replace('\n', " "));
    let first = format!("  {mark} {sign} {indent}");
    let plain = 10 + indent.len();
    for (at, line) in fold(&text, WIDTH.saturating_sub(plain).max(30)).iter().enumerate() {
        let before = if at == 0 { first.clone() } else { " ".repeat(plain + 2) };
        let _ = writeln!(out, "{before}{line}");
    }
}

/// A text on several lines, the first behind a mark, the others below it.
fn wrapped(out: &mut String, mark: &str, text: &str) {
    for (at, line) in fold(text, WIDTH - mark.len()).iter().enumerate() {
        let before = if at == 0 { mark.to_owned() } else { " ".repeat(mark.len()) };
        let _ = writeln!(out, "{before}{line}");
    }
}

/// The words of a text on lines of this width; a longer word stays whole.
fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
