//! `podsieve convert`: classic policies written anew in CEL.
//!
//! In: files with policies. Out: policies in CEL, to standard output or into a folder; to standard error what became of each, with its
//! grade or the lines that have no faithful form. What is found to decide differently is not written either. The exit code: 1 where a policy
//! is not converted or would decide differently, 2 where a file is in the way.

use crate::args::{Convert, ConvertFormat, ConvertTo};
use crate::commands::compare::{ENDED, describe_finding, ended_after};
use crate::commands::inputs;
use crate::exit::Failure;
use crate::files;
use crate::parallel;
use crate::print::diagnostics;
use crate::print::paint::Paint;
use crate::terminal;
use engine::diag::{Code, Severity};
use engine::json::Value;
use engine::load::{Host, Role};
use engine_celpolicy::AS_WRITTEN;
use engine_compare::{Comparison, Grade, Options};
use engine_convert::{Conversion, Refused, Target, convert_all, grade};
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use engine_lenses::wire::{Range, Text};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// How long each policy is compared.
const MAX_TIME: Duration = Duration::from_secs(30);

/// A policy and its answer.
struct Answered {
    file: String,
    conversion: Conversion,
    comparison: Option<Comparison>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Convert) -> Result<u8, Failure> {
    let target = match arguments.to {
        ConvertTo::Cel => Target::Cel,
        ConvertTo::ValidatingAdmissionPolicy => Target::ValidatingAdmissionPolicy,
        ConvertTo::ValidatingPolicy => Target::ValidatingPolicy,
    };
    let Documents { all, kinds, is_whole } = read(&arguments.policies, target)?;
    if all.is_empty() {
        return Err(Failure(format!("there is no {} to convert{}", target.sources(), there(&kinds, target))));
    }
    let named = names(&all);
    if let Some(folder) = output(arguments) {
        // Before the work, which may take minutes.
        let there: Vec<&str> = named
            .iter()
            .flatten()
            .map(|named| named.file.as_str())
            .filter(|name| files::is_there(folder, name))
            .collect();
        if !there.is_empty() {
            return Ok(in_the_way(folder, &there));
        }
    }
    let options = Options { max_requests: arguments.max_requests, mutants: 0, ..Options::default() };
    let comparisons = parallel::map(&all, |(_, conversion)| {
        (conversion.is_whole() && !arguments.no_compare).then(|| compared(conversion, &options))
    });
    let answered: Vec<Answered> = all
        .into_iter()
        .zip(comparisons)
        .map(|((file, conversion), comparison)| Answered { file, conversion, comparison })
        .collect();
    let is_written = match arguments.format {
        ConvertFormat::Json => {
            terminal::document(&json(&answered));
            true
        }
        ConvertFormat::Text => {
            for one in &answered {
                terminal::say(&words(one));
            }
            write(arguments, &answered, &named)?
        }
    };
    if !is_whole {
        terminal::say(NOT_WHOLE);
    }
    if !is_written {
        return Ok(IN_THE_WAY);
    }
    Ok(u8::from(!is_whole || !answered.iter().all(is_good)))
}

/// What is said where a file holds something that is not YAML.
const NOT_WHOLE: &str = "not everything was read, see the errors above: what stands there is not converted\n";

/// What some files hold.
pub(super) struct Documents {
    /// What becomes of each document that is converted, with its file.
    pub(super) all: Vec<(String, Conversion)>,
    /// The kinds of all documents.
    kinds: BTreeSet<String>,
    /// Whether all of it is YAML.
    pub(super) is_whole: bool,
}

/// What there is instead, and what to do with it.
fn there(kinds: &BTreeSet<String>, target: Target) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = kinds.iter().take(MAX_KINDS).map(String::as_str).collect();
    let is_new = kinds.contains("ValidatingPolicy") || kinds.contains("NamespacedValidatingPolicy");
    let hint = if is_new && target == Target::Cel {
        "; of a ValidatingPolicy `--to ValidatingAdmissionPolicy` makes one of the API server"
    } else {
        ""
    };
    format!(", but {}{hint}", names.join(", "))
}

/// So many kinds are named.
const MAX_KINDS: usize = 5;

/// What becomes of the documents of these files.
pub(super) fn read(paths: &[String], target: Target) -> Result<Documents, Failure> {
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(inputs::failure(lost));
    }
    let (mut texts, mut kinds, mut is_whole) = (Vec::new(), BTreeSet::new(), true);
    for path in &opened.paths {
        let text = files::read(path).map_err(|lost| inputs::failure(&lost))?;
        let text = Text { name: text.name, text: text.text };
        is_whole &= say_errors(&text, &mut kinds);
        texts.push(text);
    }
    let name = |at: usize| texts.get(at).map_or_else(String::new, |text| text.name.clone());
    let all = convert_all(&texts, target).into_iter().map(|(at, conversion)| (name(at), conversion));
    Ok(Documents { all: all.collect(), kinds, is_whole })
}

/// Says what of a text is misspelt or cannot be read, which may be why a policy is not converted; whether all of it is YAML.
fn say_errors(text: &Text, kinds: &mut BTreeSet<String>) -> bool {
    let (bundle, mut all) =
        inputs::load_sources(vec![(Role::Policies, text.into())], Host::Cluster, AS_WRITTEN);
    // What is refused is listed with its policy, and objects beside the policies are not converted.
    let is_listed = |code: Code| matches!(code, Code::Refused | Code::UnknownKind | Code::NoKind);
    all.retain(|one| one.severity == Severity::Error && !is_listed(one.code));
    diagnostics::print(&bundle, &all);
    let named = bundle.documents.iter().map(|document| document.value.find_str(&["kind"]));
    kinds.extend(named.filter(|kind| !kind.is_empty()).map(str::to_owned));
    !all.iter().any(|one| matches!(one.code, Code::YamlSyntax | Code::Limit))
}

fn compared(conversion: &Conversion, options: &Options) -> Comparison {
    let world = crate::world::as_written();
    let begun = Instant::now();
    let mut comparison = grade(conversion, options, &world, &mut |_| begun.elapsed() < MAX_TIME);
    if begun.elapsed() >= MAX_TIME {
        comparison.assumptions.push(ended_after(MAX_TIME, "the most for one policy"));
    }
    comparison
}

fn is_different(one: &Answered) -> bool {
    one.comparison.as_ref().is_some_and(|comparison| comparison.grade == Grade::Different)
}

fn is_good(one: &Answered) -> bool {
    one.conversion.is_whole() && !is_different(one)
}

/// Where something stands, as `file:line`.
pub(super) fn place(file: &str, range: Option<&Range>) -> String {
    range.map_or_else(|| file.to_owned(), |range| format!("{file}:{}", range.line))
}

fn words(one: &Answered) -> String {
    let conversion = &one.conversion;
    let mut out = String::new();
    let begin =
        format!("{}: {} `{}`", place(&one.file, conversion.range.as_ref()), conversion.kind, conversion.name);
    if !conversion.is_whole() {
        let _ = writeln!(out, "{begin}: not converted");
        for refused in &conversion.refused {
            let _ = writeln!(out, "  {}: {}", place(&one.file, refused.range.as_ref()), reason(refused));
        }
        let remedies: BTreeSet<&str> =
            conversion.refused.iter().map(|refused| refused.class.remedy()).collect();
        for remedy in remedies {
            let _ = writeln!(out, "  what to do: {remedy}");
        }
        return out;
    }
    let grade =
        one.comparison.as_ref().map_or("converted, not compared", |comparison| comparison.grade.as_str());
    let tried = one.comparison.as_ref().map_or_else(String::new, |comparison| {
        let (cases, requests) = (comparison.counts.cases, comparison.counts.requests);
        match (comparison.grade, requests) {
            (Grade::Same, 1..) => format!(" ({cases} cases)"),
            (_, 0) => String::new(),
            _ => format!(" in {requests} requests"),
        }
    });
    let unwritten = if is_different(one) { ": not written, but with `--no-compare`" } else { "" };
    let _ = writeln!(out, "{begin}: {grade}{tried}{unwritten}");
    for note in &conversion.notes {
        let _ = writeln!(out, "  {note}");
    }
    if conversion.allows_existing_violations {
        let _ = writeln!(
            out,
            "  the source admits updates of objects that failed before (`allowExistingViolations`), the new policy refuses them; such updates are not counted"
        );
    }
    if let Some(comparison) = &one.comparison {
        for finding in &comparison.findings {
            describe_finding(&mut out, finding, Paint::none());
        }
        for reason in &comparison.reasons {
            let _ = writeln!(out, "  {}", reason.text);
        }
        let is_of_time = |line: &&String| line.starts_with(ENDED);
        for line in comparison.assumptions.iter().filter(is_of_time) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// Why something is not converted.
pub(super) fn reason(refused: &Refused) -> String {
    let rule = if refused.rule.is_empty() { String::new() } else { format!("rule `{}`: ", refused.rule) };
    format!("{rule}`{}`: {}", refused.field, refused.text)
}

/// The folder into which files are written.
fn output(arguments: &Convert) -> Option<&String> {
    let is_written = !arguments.check && matches!(arguments.format, ConvertFormat::Text);
    arguments.output.as_ref().filter(|_| is_written)
}

/// Names the files that are in the way; the exit code.
fn in_the_way(folder: &str, names: &[&str]) -> u8 {
    for name in names {
        terminal::say(&format!("Error: {}\n", files::already_there(folder, name)));
    }
    terminal::say("nothing is converted and nothing is written\n");
    IN_THE_WAY
}

/// The exit code where a file is in the way.
const IN_THE_WAY: u8 = 2;

/// Writes what is whole and is not found to decide differently; whether no file was in the way.
fn write(arguments: &Convert, answered: &[Answered], named: &[Option<Named>]) -> Result<bool, Failure> {
    if arguments.check {
        return Ok(true);
    }
    let good = answered.iter().zip(named).filter(|(one, _)| is_good(one));
    let Some(folder) = &arguments.output else {
        let texts: Vec<String> = good.map(|(one, _)| one.conversion.text()).collect();
        terminal::document(&texts.join("---\n"));
        return Ok(true);
    };
    let mut is_free = true;
    for (one, named) in good {
        let Some(Named { file, taken }) = named else { continue };
        if files::is_there(folder, file) {
            // It was not there before the policies were compared.
            terminal::say(&format!("Error: {}\n", files::already_there(folder, file)));
            is_free = false;
            continue;
        }
        let path = files::create(folder, file, &one.conversion.text())?;
        let (kind, own) = (&one.conversion.kind, &one.conversion.name);
        let beside = if taken.is_empty() {
            String::new()
        } else {
            let place = place(&one.file, one.conversion.range.as_ref());
            format!(
                ": {taken} and {place} have the same kind {kind} and name `{own}`, of which a cluster keeps the last that is applied; rename one"
            )
        };
        terminal::say(&format!("written: {path}{beside}\n"));
    }
    Ok(is_free)
}

/// The file of a policy.
struct Named {
    /// Its name.
    file: String,
    /// Where the policy stands that has the same name; empty where none has.
    taken: String,
}

/// The files of all that is converted, and nothing for what is refused.
fn names(all: &[(String, Conversion)]) -> Vec<Option<Named>> {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let mut name = |(file, conversion): &(String, Conversion)| {
        let own = file_name(conversion);
        let names = (1..=MAX_NAMES).map(|at| match at {
            1 => format!("{own}.yaml"),
            at => format!("{own}-{at}.yaml"),
        });
        let mut taken = String::new();
        for name in names {
            match places.entry(name.clone()) {
                Entry::Occupied(known) if taken.is_empty() => taken.clone_from(known.get()),
                Entry::Occupied(_) => {}
                Entry::Vacant(free) => {
                    free.insert(place(file, conversion.range.as_ref()));
                    return Some(Named { file: name, taken });
                }
            }
        }
        None
    };
    all.iter().map(|one| if one.1.is_whole() { name(one) } else { None }).collect()
}

/// So many policies of one name are told apart by a number.
const MAX_NAMES: usize = 1_000;

/// The name of the source: an exception often has that of its policy.
fn file_name(conversion: &Conversion) -> String {
    let end = if conversion.kind == "PolicyException" { "-exception" } else { "" };
    format!("{}{end}", conversion.name)
}

fn json(answered: &[Answered]) -> String {
    let text = |text: &str| Value::from(text);
    let line = |range: Option<&Range>| range.map_or(Value::Null, |range| Value::from(i64::from(range.line)));
    let policies = answered.iter().map(|one| {
        let conversion = &one.conversion;
        let refused = conversion.refused.iter().map(|refused| {
            object([
                ("rule", text(&refused.rule)),
                ("class", text(refused.class.as_str())),
                ("field", text(&refused.field)),
                ("line", line(refused.range.as_ref())),
                ("text", text(&refused.text)),
                ("remedy", text(refused.class.remedy())),
            ])
        });
        let grade = one.comparison.as_ref().map_or(Value::Null, |comparison| text(comparison.grade.as_str()));
        let findings = one.comparison.iter().flat_map(|comparison| &comparison.findings).map(|finding| {
            object([
                ("direction", text(finding.direction.as_str())),
                ("object", finding.request.object.clone()),
            ])
        });
        object([
            ("file", text(&one.file)),
            ("line", line(conversion.range.as_ref())),
            ("kind", text(&conversion.kind)),
            ("name", text(&conversion.name)),
            ("converted", Value::Bool(is_good(one))),
            ("grade", grade),
            ("findings", Value::array(findings.collect())),
            ("refused", Value::array(refused.collect())),
            ("notes", Value::array(conversion.notes.iter().map(|note| text(note)).collect())),
            ("text", text(&if is_different(one) { String::new() } else { conversion.text() })),
        ])
    });
    let version = Value::from(engine_lenses::run::version().podsieve);
    pretty(&object([("version", version), ("policies", Value::array(policies.collect()))])) + "\n"
}

#[cfg(test)]
mod tests {
    use super::{Answered, compared, is_good, json, words};
    use engine_compare::{Grade, Options};
    use engine_convert::convert;
    use engine_lenses::wire::Text;

    #[test]
    fn what_is_found_to_decide_differently_is_not_written() {
        let policy = |pattern: &str| Text {
            name: "policy.yaml".into(),
            text: format!(
                "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: \
                 [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{message: m, pattern: {{spec: {{{pattern}: true}}}}}}}}]}}}}"
            ),
        };
        let mut conversion = convert(&policy("hostPID")).remove(0);
        conversion.source = convert(&policy("hostIPC")).remove(0).source;
        let options = Options { max_requests: 1_000, mutants: 0, ..Options::default() };
        let comparison = Some(compared(&conversion, &options));
        let one = Answered { file: "policy.yaml".into(), conversion, comparison };
        assert_eq!(one.comparison.as_ref().map(|comparison| comparison.grade), Some(Grade::Different));
        assert!(!is_good(&one));
        assert!(words(&one).contains("requests: not written, but with `--no-compare`\n"), "{}", words(&one));
        assert!(json(&[one]).contains("\"text\": \"\""));
    }
}
