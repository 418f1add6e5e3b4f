//! The answer for people.
//!
//! In: pairs with their answers. Out: a grade for each, what shows it, and how far the search came.

use super::Answered;
use crate::commands::inputs::line;
use crate::print::paint::Paint;
use engine::body::Effect;
use engine::yaml::emit::to_yaml_ordered;
use engine_compare::{Comparison, Counts, Direction, Finding, Grade, Operation, RuleVerdict};
use std::fmt::Write;

/// All pairs with at most so many differences of each, and a line of how many there are of each grade.
pub(super) fn text(answered: &[Answered], most: usize, paint: Paint) -> String {
    let mut out = String::new();
    for answered in answered {
        describe(&mut out, answered, most, paint);
    }
    let count = |grade: Grade| answered.iter().filter(|answered| answered.answer.grade == grade).count();
    let _ = writeln!(
        out,
        "same: {}, no difference found: {}, different: {}, not compared: {}",
        count(Grade::Same),
        count(Grade::NoDifference),
        count(Grade::Different),
        count(Grade::NotCompared)
    );
    out
}

fn describe(out: &mut String, Answered { pair, answer }: &Answered, most: usize, paint: Paint) {
    let grade = match answer.grade {
        Grade::Same if answer.counts.cases > 0 => {
            let cases = answer.counts.cases;
            let words = format!("✓ same ({cases} {})", if cases == 1 { "case" } else { "cases" });
            good(answer, &words, paint)
        }
        Grade::Same => good(answer, "✓ same", paint),
        Grade::NoDifference if notices(answer, LOW) => good(answer, "✓ no difference found", paint),
        Grade::NoDifference => paint.doubtful("? no difference found"),
        Grade::Different => paint.bad("✗ different"),
        Grade::NotCompared => paint.doubtful("? not compared"),
    };
    let _ = writeln!(out, "{grade}  {} → {}", pair.old.name, pair.new.name);
    for reason in &answer.reasons {
        let place = line(reason.range.as_ref());
        let place = if place.is_empty() { place } else { format!("{} ", paint.faint(&place)) };
        let _ = writeln!(out, "  {}: {place}{}", reason.side, reason.text);
    }
    for finding in answer.findings.iter().take(most) {
        describe_finding(out, finding, paint);
    }
    let more = answer.findings.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(out, "  {more} more: --all");
    }
    if answer.counts.cases > 0 {
        let _ = writeln!(out, "  every case was evaluated on both sides, and each is decided the same");
    } else if answer.grade == Grade::Same {
        let others = if answer.but_for.is_empty() { "" } else { " beside that" };
        let _ =
            writeln!(out, "  they differ only in messages, comments or order{others}: no request was needed");
    } else if answer.counts.requests > 0 {
        describe_search(out, answer, paint);
    }
    for assumption in &answer.assumptions {
        let _ = writeln!(out, "  {}", paint.faint(assumption));
    }
    out.push('\n');
}

/// A grade without a difference, and what it leaves out.
fn good(answer: &Comparison, grade: &str, paint: Paint) -> String {
    if answer.but_for.is_empty() {
        return paint.good(grade);
    }
    paint.doubtful(&format!("{grade}, but for {}", answer.but_for.join(", ")))
}

fn describe_search(out: &mut String, answer: &Comparison, paint: Paint) {
    let Counts {
        requests,
        undecided,
        assumed,
        places,
        old_branches,
        new_branches,
        pairs_met,
        pairs_not_met,
        ..
    } = answer.counts;
    let pairs = pairs_met.saturating_add(pairs_not_met);
    let _ = writeln!(
        out,
        "  {requests} requests, which vary {places} fields; they took {old_branches} branches of the old side and {new_branches} of the new, and {pairs_met} of {pairs} pairs of branches"
    );
    if undecided > 0 {
        let _ = writeln!(out, "  {undecided} requests could not be decided by both");
    }
    if assumed > 0 {
        let _ = writeln!(out, "  {assumed} verdicts rest on an assumed answer, such as an empty list");
    }
    let Counts { mutants, noticed, only_written, .. } = answer.counts;
    if only_written > 0 {
        let _ = writeln!(
            out,
            "  {only_written} requests differ as written, but not as an API server fills them in and stores them"
        );
    }
    if answer.grade == Grade::NoDifference && !notices(answer, LOW) {
        let _ = writeln!(out, "  {}", paint.doubtful(warning(mutants)));
    }
    if mutants > 0 {
        let _ = writeln!(out, "  of {mutants} mistakes put into the new side, {noticed} are noticed");
        for missed in &answer.missed {
            let _ = writeln!(
                out,
                "    {}",
                paint.faint(&format!("not noticed: {} {}", missed.class, missed.text))
            );
        }
    }
}

/// A share of mistakes in per cent below which *no difference found* says little.
const LOW: u8 = 50;

/// Whether the requests notice at least so many per cent of the mistakes that were put in; not where none was.
pub(super) fn notices(answer: &Comparison, percent: u8) -> bool {
    let Counts { mutants, noticed, .. } = answer.counts;
    mutants > 0 && noticed.saturating_mul(100) >= mutants.saturating_mul(usize::from(percent))
}

fn warning(mutants: usize) -> &'static str {
    if mutants == 0 {
        "warning: no mistake was put into the new side, so nothing says how far to trust this"
    } else {
        "warning: trust this little, for the search does not notice most mistakes in the new side"
    }
}

/// What a cluster does with a request.
fn done(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allowed",
        Effect::Report => "reported",
        Effect::Warn => "allowed with a warning",
        Effect::Unknown => "not decided",
        Effect::Deny => "refused",
    }
}

/// The difference in a line: `wider: creating this Pod is reported by OLD and allowed by NEW`.
pub(in crate::commands) fn headline(finding: &Finding) -> String {
    headline_of(finding, ["OLD", "NEW"])
}

/// The same with other names for the sides.
pub(in crate::commands) fn headline_of(finding: &Finding, [old, new]: [&str; 2]) -> String {
    let kind = finding.request.object.find_str(&["kind"]);
    let operation = match finding.request.attributes.operation {
        Operation::Create => "creating",
        Operation::Update => "updating",
        Operation::Delete => "deleting",
        Operation::Connect => "connecting to",
    };
    let what = match (finding.request.attributes.of, finding.request.subresource()) {
        (Some(of), _) => format!("this request for {} with {}", of.path(), of.object.1),
        (None, Some(_)) => format!("adding an ephemeral container to this {kind}"),
        (None, None) => format!("{operation} this {kind}"),
    };
    match (finding.direction, finding.deletes) {
        (_, [true, false]) => format!("this {kind} is deleted by {old} and kept by {new}"),
        (_, [false, true]) => format!("this {kind} is kept by {old} and deleted by {new}"),
        (direction, _) => differs(finding, direction, &what, [old, new]),
    }
}

fn differs(finding: &Finding, direction: Direction, what: &str, names: [&str; 2]) -> String {
    let [old, new] = finding.effects;
    if direction != Direction::Otherwise {
        let [old_name, new_name] = names;
        let (old, new) = (done(old), done(new));
        return format!("{}: {what} is {old} by {old_name} and {new} by {new_name}", direction.as_str());
    }
    let by_both = match new {
        Effect::Unknown => "decided by neither".to_owned(),
        effect => format!("{} by both", done(effect)),
    };
    let but = if finding.left != [None, None] && finding.left[0] != finding.left[1] {
        "they leave different objects"
    } else if finding.generated[0] != finding.generated[1] {
        "they generate different objects"
    } else {
        "their rules say different things"
    };
    format!("{what} is {by_both}, but {but}")
}

/// A request on which the sides differ, and what each does.
pub(in crate::commands) fn describe_finding(out: &mut String, finding: &Finding, paint: Paint) {
    let _ = writeln!(out, "  {}", paint.bad(&headline(finding)));
    if let Some(gap) = finding.gap {
        let _ = writeln!(out, "    {}", paint.faint(gap.explanation()));
    }
    let yaml = to_yaml_ordered(&finding.request.object);
    indented(out, &yaml);
    let attributes = &finding.request.attributes;
    if let Some(old) = attributes.old.as_ref().filter(|old| **old != finding.request.object) {
        let _ = writeln!(out, "    {}", paint.faint("as it was:"));
        indented(out, &to_yaml_ordered(old));
    } else if attributes.operation == Operation::Update {
        let _ = writeln!(out, "    {}", paint.faint("the object did not change in this update"));
    }
    if attributes.user != engine_compare::Attributes::creation().user {
        let user = &attributes.user;
        let all = user.groups.iter().chain(&user.roles).chain(&user.cluster_roles);
        let all: Vec<&str> = all.map(engine::json::Str::as_str).collect();
        let _ = writeln!(
            out,
            "    {}",
            paint.faint(&format!("requested by {} ({})", user.username, all.join(", ")))
        );
    }
    if attributes.is_dry_run {
        let _ = writeln!(out, "    {}", paint.faint("in a dry run"));
    }
    for (key, value) in &attributes.labels {
        let _ = writeln!(out, "    {}", paint.faint(&format!("in a Namespace with the label {key}={value}")));
    }
    for object in attributes.cluster.iter().flat_map(|objects| objects.iter()) {
        let _ = writeln!(out, "    {}", paint.faint("in a cluster with"));
        indented(out, &to_yaml_ordered(object));
    }
    for (side, verdict) in ["old", "new"].iter().zip(&finding.verdicts) {
        describe_spoken(out, side, verdict, paint);
    }
    if finding.direction == Direction::Otherwise {
        describe_objects(out, finding);
    }
}

/// What either side leaves and generates.
fn describe_objects(out: &mut String, finding: &Finding) {
    if finding.left != [None, None] {
        for (side, left) in ["old", "new"].iter().zip(&finding.left) {
            let as_it_is = if left.is_none() { " the object as it is" } else { "" };
            let _ = writeln!(out, "    {side} leaves{as_it_is}");
            indented(out, left.as_deref().unwrap_or_default());
        }
    }
    if finding.generated[0] == finding.generated[1] {
        return;
    }
    for (side, generated) in ["old", "new"].iter().zip(&finding.generated) {
        let nothing = if generated.is_empty() { " nothing" } else { "" };
        let _ = writeln!(out, "    {side} generates{nothing}");
        for object in generated {
            indented(out, object);
        }
    }
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "      {line}");
    }
}

fn describe_spoken(out: &mut String, side: &str, verdict: &[RuleVerdict], paint: Paint) {
    if verdict.is_empty() {
        let _ = writeln!(out, "    {side}  does not match");
    }
    for verdict in verdict {
        let place = line(verdict.range.as_ref());
        let place = if place.is_empty() { place } else { format!("  {}", paint.faint(&place)) };
        let _ = writeln!(out, "    {side}  {}{place}", spoken(verdict));
    }
}

/// What a rule says of the request, as `POLICY RULE STATUS: MESSAGE`.
pub(super) fn spoken(verdict: &RuleVerdict) -> String {
    let rule = if verdict.rule.is_empty() { String::new() } else { format!(" {}", verdict.rule) };
    let message = verdict.message.lines().next().unwrap_or("");
    format!("{}{rule} {}: {message}", verdict.policy, verdict.status)
}
