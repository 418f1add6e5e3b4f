//! The text of `kyverno apply`, byte for byte.
//!
//! In: responses. Out: the parts of the text: header, mutated and generated objects, refused policies, failures,
//! summary. `summary` of nothing is `\npass: 0, fail: 0, warn: 0, error: 0, skip: 0 \n`.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/{command,print}.go, processor/policy_processor.go (printOutput).

use super::repeated::Repeated;
use crate::terminal::one_line;
use engine::Bundle;
use engine::apply::{Phase, RuleResult, RuleType, Status};
use engine::json::Value;
use engine::yaml::emit::to_yaml4;
use engine_lenses::report::{Counts, Response};
use std::cell::LazyCell;
use std::fmt::Write;

const DIVIDER: &str = "----------------------------------------------------------------------";

/// `Applying 3 policy rule(s) to 2 resource(s)...`
pub(crate) fn header(bundle: &Bundle, resources: usize) -> String {
    header_to(bundle, &format!("{resources} resource(s)"))
}

/// The same where nobody knows how many there will be.
pub(crate) fn header_of_stream(bundle: &Bundle) -> String {
    header_to(bundle, "resources as they are read")
}

fn header_to(bundle: &Bundle, resources: &str) -> String {
    let rules: usize = bundle.policies.iter().map(engine::policy::Policy::rule_count).sum();
    let refused: usize = bundle.refused.iter().map(|refused| refused.rules).sum();
    let exceptions = match bundle.exceptions.len() + bundle.other_exceptions.len() {
        0 => String::new(),
        n => format!(" with {n} exception(s)"),
    };
    format!("\nApplying {} policy rule(s) to {resources}{exceptions}...\n", rules + refused)
}

/// The box about a resource file that cannot be read.
pub(crate) fn unreadable_resource(path: &str, error: &str) -> String {
    format!("\n{DIVIDER}\nfailed to load resources: {path}. \nerror: {error}\n{DIVIDER}\n")
}

const MUTATED: &str = "\n\nMutation:\nMutation has been applied successfully.";
const GENERATED: &str = "\n\nGenerate:\nGeneration completed successfully.";

/// The blocks of mutated and generated objects.
// Kyverno: a mutating policy says the object even where no rule matched, and the last line has no end.
pub(crate) fn blocks(response: &Response<'_>, without_titles: bool) -> String {
    let mut out = String::new();
    let mut block = |object: &Value, success: &str| {
        if !without_titles {
            let _ = write!(
                out,
                "\npolicy {} applied to {}:",
                one_line(&response.policy.name),
                plain_path(response)
            );
        }
        let _ = write!(out, "\n{}\n---\n", as_yaml(object));
        if !response.targets.is_empty() {
            out.push_str("patched targets: \n");
            for target in &response.targets {
                let _ = write!(out, "\n{}\n---\n\n", as_yaml(target));
            }
        }
        out.push_str(success);
    };
    match response.phase {
        Phase::Mutate => block(response.patched.as_ref().unwrap_or(&response.resource.value), MUTATED),
        Phase::Generate => response.generated.iter().for_each(|object| block(object, GENERATED)),
        Phase::Validate | Phase::VerifyImages | Phase::Cleanup => {}
    }
    out
}

/// What is said where the objects go to `--output`.
pub(crate) fn successes(response: &Response<'_>) -> String {
    match response.phase {
        Phase::Mutate => MUTATED.to_owned(),
        Phase::Generate => GENERATED.repeat(response.generated.len()),
        Phase::Validate | Phase::VerifyImages | Phase::Cleanup => String::new(),
    }
}

/// File names and documents for `--output`.
pub(crate) fn documents(response: &Response<'_>) -> Vec<(String, String)> {
    let document = |object: &Value| {
        let targets = response.targets.iter().map(|target| format!("{}\n---\n", as_yaml(target)));
        format!("{}\n---\n\n{}", as_yaml(object), targets.collect::<String>())
    };
    match response.phase {
        Phase::Mutate => {
            let object = response.patched.as_ref().unwrap_or(&response.resource.value);
            vec![(format!("{}-mutated", response.resource.name()), document(object))]
        }
        Phase::Generate => {
            let name = format!("{}-generated", response.policy.name);
            response.generated.iter().map(|object| (name.clone(), document(object))).collect()
        }
        Phase::Validate | Phase::VerifyImages | Phase::Cleanup => Vec::new(),
    }
}

/// The boxes about policies that are refused.
// Kyverno: one beginning of a reason decides about the title.
pub(crate) fn refused(bundle: &Bundle) -> String {
    let is_invalid = |reason: &str| reason.starts_with("variable 'element.name'");
    let (invalid, skipped): (Vec<_>, Vec<_>) =
        bundle.refused.iter().partition(|refused| is_invalid(&refused.reason));
    let mut out = String::new();
    for (title, group) in [("Policies Skipped:", skipped), ("Invalid Policies:", invalid)] {
        if group.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{DIVIDER}\n{title}");
        for (at, refused) in group.iter().enumerate() {
            let name = refused.policy.rsplit('/').next().unwrap_or(&refused.policy);
            let reason =
                if refused.reason.is_empty() { String::new() } else { format!(": {}", refused.reason) };
            let _ = writeln!(out, "{}. {}{reason}", at + 1, one_line(name));
        }
        let _ = writeln!(out, "{DIVIDER}");
    }
    out
}

/// Adds what is said of a response at the end: failed rules, and mutations that were skipped or went wrong.
pub(crate) fn failures(out: &mut Repeated, response: &Response<'_>) {
    let policy = one_line(&response.policy.name);
    // Nothing is said of most responses, and their paths need not be put together.
    let path = LazyCell::new(|| one_line(&response.resource_path()).into_owned());
    for rule in &response.rules {
        match (rule.rule_type, rule.status) {
            (RuleType::Mutation, Status::Skip) => {
                out.push(&format!("\nskipped mutate policy {policy} -> resource "));
                out.push(&path);
                out.push("\n");
            }
            (RuleType::Mutation | RuleType::Generation, Status::Error) => {
                let (kind, colon) = if rule.rule_type == RuleType::Mutation {
                    ("mutate", "error: ")
                } else {
                    ("generate", "error:")
                };
                out.push(&format!("\nerror while applying {kind} policy {policy} -> resource "));
                out.push(&path);
                out.push(&format!(" \n{colon} {}\n", rule.message));
            }
            (
                RuleType::Mutation
                | RuleType::Generation
                | RuleType::Validation
                | RuleType::ImageVerify
                | RuleType::Deletion,
                Status::Pass | Status::Fail | Status::Warn | Status::Error | Status::Skip,
            ) => {}
        }
    }
    let mut failed = response.rules.iter().filter(|rule| rule.status == Status::Fail).peekable();
    if failed.peek().is_some() {
        let how = if response.only_warns { "failed as audit warning:" } else { "failed:" };
        out.push(&format!("policy {policy} -> resource "));
        out.push(&path);
        out.push(&format!(" {how}\n"));
    }
    for (at, rule) in failed.enumerate() {
        let message = if rule.message.is_empty() { "validation failed" } else { &rule.message };
        out.push(&format!("{} - {} {message}\n", at + 1, one_line(&rule.rule)));
    }
}

/// What the verdicts alone do not say, such as why a rule that passed generated nothing.
pub(crate) fn notes(response: &Response<'_>) -> Vec<String> {
    let noted = response.rules.iter().filter(|rule| !rule.note.is_empty());
    let line = |rule: &RuleResult| format!("note: {}: {}\n", one_line(&named(response, rule)), rule.note);
    let warned = response.rules.iter().flat_map(|rule| {
        let of = || named(response, rule);
        rule.warnings.iter().map(move |warning| format!("warning: {}: {warning}\n", one_line(&of())))
    });
    noted.map(line).chain(warned).collect()
}

/// Why rules that validate or verify images ended in an error, a line each that is made when it is asked for: [`failures`]
/// says it of all others.
pub(crate) fn errors(response: &Response<'_>) -> impl Iterator<Item = impl FnOnce() -> String> {
    let is_silent = |rule: &&RuleResult| {
        rule.status == Status::Error && matches!(rule.rule_type, RuleType::Validation | RuleType::ImageVerify)
    };
    response.rules.iter().filter(is_silent).map(|rule| {
        || format!("error: {}\n", one_line(&format!("{}: {}", named(response, rule), rule.message)))
    })
}

/// Which rule it is, of which policy, and for which resource.
fn named(response: &Response<'_>, rule: &RuleResult) -> String {
    let rule = if rule.rule.is_empty() { String::new() } else { format!("rule `{}` of ", rule.rule) };
    format!("{rule}policy `{}` for {}", response.policy.name, response.resource_path())
}

/// The last line.
pub(crate) fn summary(counts: &Counts) -> String {
    let Counts { pass, fail, warn, error, skip } = counts;
    format!("\npass: {pass}, fail: {fail}, warn: {warn}, error: {error}, skip: {skip} \n")
}

fn plain_path(response: &Response<'_>) -> String {
    let resource = response.resource;
    let path = format!("{}/{}/{}", resource.namespace(), resource.kind(), resource.name());
    one_line(&path).into_owned()
}

/// An object as the original prints it: its whole numbers as integers, whatever it took them for before.
// Kyverno: an unstructured object holds `int64`.
fn as_yaml(object: &Value) -> String {
    to_yaml4(&object.with_int_numbers())
}

#[cfg(test)]
mod tests;
