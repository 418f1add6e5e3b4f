//! The words of *Compare*.

use super::many;
use crate::compare::answer::Finding;

pub(crate) const COMPARE: &str = "Compare";
pub(crate) const TO_CEL: &str = "CEL";
pub(crate) const CONVERT_TO: &str = "convert to";
pub(crate) const KINDS_IN_CEL: &str = "policies in CEL";
pub(crate) const CREATIONS: &str = "creations only";
pub(crate) const ENFORCED: &str = "as if all enforced";
pub(crate) const STOP: &str = "Stop";
pub(crate) const ABOUT: &str = "Looks for an object that Policies and New policies decide differently.";
pub(crate) const NO_OLD: &str =
    "There is nothing to compare yet: put the policies that you have into Policies.";
pub(crate) const NO_NEW: &str = "There is nothing to compare with yet: put the new policies into New policies, or press Convert to CEL, which writes the ClusterPolicies in Policies anew as policies in CEL.";
pub(crate) const WRITE_OLD: &str = "Show Policies";
pub(crate) const WRITE_NEW: &str = "Show New policies";
pub(crate) const LOADING: &str = "One moment: the part of the engine that compares is loading.";
pub(crate) const STOPPED: &str = "Stopped. No difference had been reported.";
pub(crate) const STOPPED_CONVERTING: &str = "Stopped: the new policies are not compared.";
pub(crate) const TOO_LONG: &str = "the search was ended after 30 seconds: compare fewer policies at once";
pub(crate) const OUTDATED: &str = "The policies have changed since: compare again.";
pub(crate) const SEARCHED: &str = "Requests tried";

pub(crate) const SMALLEST: &str = "The smallest object that shows it";
pub(crate) const BEFORE: &str = "The object before the update";
pub(crate) const DRY_RUN: &str = "It is a dry run.";
pub(crate) const CLUSTER: &str = "What the cluster holds";
pub(crate) const INTO_CLUSTER: &str = "Put these objects into Cluster";
pub(crate) const OBJECT: &str = "the object";
pub(crate) const LEFT: &str = "The object afterwards:";
pub(crate) const GENERATED: &str = "Generates:";
pub(crate) const OPEN: &str = "Open this object in Resources";
pub(crate) const COPY_TEST: &str = "Copy kyverno-test.yaml";
pub(crate) const TEST: &str = "A test that passes with the old policies and fails with the new ones";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const OLD: &str = "Old";
pub(crate) const NEW: &str = "New";
pub(crate) const SIDES: &str = "What the old and the new policies say";
pub(crate) const SILENT: &str = "No rule has anything to say.";
pub(crate) const ASSUMED: &str = "What this rests on";
pub(crate) const MISSED: &str = "Mistakes that no request noticed";
pub(crate) const NOT_MADE: &str = "not converted";
pub(crate) const NOTHING_CLASSIC: &str = "Policies holds nothing that becomes a policy in CEL: no ClusterPolicy, Policy, CleanupPolicy or PolicyException of kyverno.io.";
pub(crate) const NOTHING_VALIDATING: &str = "Policies holds nothing that becomes a ValidatingAdmissionPolicy: no ValidatingPolicy, ClusterPolicy or Policy.";
pub(crate) const NOTHING_OF_API_SERVER: &str =
    "Policies holds nothing that becomes a ValidatingPolicy: no ValidatingAdmissionPolicy.";
pub(crate) const WHOLE_OR_NOT: &str =
    "A policy is converted whole or not at all: change what is named, or write it by hand.";
pub(crate) const COMPARING: &str = "Converted. Comparing the new policies with the old ones…";

/// The number of requests while a search is on its way.
pub(crate) fn tried(requests: u32) -> String {
    format!("{} so far", many(requests as usize, "request", "requests"))
}

/// What the button says that converts.
pub(crate) fn convert(to: &str) -> String {
    format!("Convert to {to}")
}

/// The grade as a heading, and whether it leaves out a setting that differs.
pub(crate) fn grade(grade: &str, leaves_out: bool) -> &'static str {
    match (grade, leaves_out) {
        ("same", false) => "Same",
        ("same", true) => "Same, but for settings",
        ("different", _) => "Different",
        ("no difference found", false) => "No difference found",
        ("no difference found", true) => "No difference found, but for settings",
        _ => "Not compared",
    }
}

/// Settings that differ and that no comparison evaluates.
pub(crate) fn but_for(settings: &[String]) -> String {
    format!("Differs and is not compared: {}.", settings.join(", "))
}

/// The status that a grade looks like.
pub(crate) fn looks(grade: &str) -> &'static str {
    match grade {
        "same" | "no difference found" => "pass",
        "different" => "fail",
        _ => "warn",
    }
}

/// The grade in a sentence.
pub(crate) fn sentence(grade: &str, requests: usize, directions: &[&str], stopped: bool) -> String {
    match grade {
        "same" if requests > 0 => {
            format!("Both decide the same in every case there is: {}.", many(requests, "case", "cases"))
        }
        "same" => {
            "Both decide the same: they differ only in messages, comments or the order of things.".to_owned()
        }
        "no difference found" => format!(
            "{} were put to both, and both decided the same about each{}. This is not a proof.",
            many(requests, "request", "requests"),
            if stopped { "; the time was over before the search was" } else { "" },
        ),
        "different" => differ(directions),
        _ => "A side cannot be compared:".to_owned(),
    }
}

fn differ(directions: &[&str]) -> String {
    let has = |direction: &str| directions.contains(&direction);
    match (has("wider"), has("stricter")) {
        (true, true) => "The new policies admit some objects that the old ones do not admit, and refuse others that the old ones admit.",
        (true, false) => "The new policies are wider: they admit what the old ones do not admit.",
        (false, true) => "The new policies are stricter: they do not admit what the old ones admit.",
        (false, false) => "Both admit the same, and do something else with it.",
    }
    .to_owned()
}

/// What a cluster does by one side.
pub(crate) fn effect(effect: &str) -> &'static str {
    match effect {
        "allow" => "admits it",
        "report" => "admits and reports it",
        "warn" => "admits it with a warning",
        "deny" => "refuses it",
        _ => "cannot decide",
    }
}

/// A finding in a few words: `Wider: a new Pod`.
pub(crate) fn finding(one: &Finding) -> String {
    let kind = &one.object.kind;
    let direction = match one.direction.as_str() {
        "wider" => "Wider",
        "stricter" => "Stricter",
        _ => "Otherwise",
    };
    let operation = match one.operation.as_str() {
        _ if one.subresource.as_deref() == Some("ephemeralcontainers") => "an ephemeral container added to a",
        "UPDATE" => "the update of a",
        "DELETE" => "the deletion of a",
        _ => "a new",
    };
    format!("{direction}: {operation} {kind}")
}

/// A clause as a sentence of its own.
pub(crate) fn sentence_of(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}.", first.chain(letters).collect::<String>())
}

/// Who asks, where it is not a user without roles.
pub(crate) fn user(name: &str, groups: &[String]) -> String {
    if groups.is_empty() {
        format!("Asked by {name}.")
    } else {
        format!("Asked by {name}, of the groups {}.", groups.join(", "))
    }
}

/// Labels of the Namespace.
pub(crate) fn labels(labels: &[(String, String)]) -> String {
    let all: Vec<String> = labels.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("Its Namespace has the labels {}.", all.join(", "))
}

/// How far the search came.
pub(crate) fn search(requests: usize, places: usize, met: usize, all: usize) -> String {
    format!(
        "{} varied {}; they took {met} of {all} pairs of branches, many of which cannot be taken.",
        many(requests, "request", "requests"),
        many(places, "field", "fields")
    )
}

/// How many mistakes the requests notice.
pub(crate) fn noticed(noticed: usize, mutants: usize) -> String {
    format!(
        "How far to trust it: of {} put into the new policies one at a time, the same requests notice {noticed}.",
        many(mutants, "small mistake", "small mistakes")
    )
}

/// What a search did not decide.
pub(crate) fn undecided(undecided: usize) -> String {
    format!("{} could not be decided by both.", many(undecided, "request", "requests"))
}

/// Requests that differ only before an API server fills in its defaults.
pub(crate) fn only_written(requests: usize) -> String {
    format!(
        "{} decided differently as written, but not as an API server fills them in and stores them: these do not count.",
        many(requests, "request is", "requests are")
    )
}

/// What became of a conversion.
pub(crate) fn converted(policies: usize, all: usize) -> String {
    format!("{policies} of {} converted", many(all, "policy", "policies"))
}

/// The grade of one converted policy.
pub(crate) fn of_policy(grade: &str, requests: usize) -> String {
    if requests == 0 {
        grade.to_owned()
    } else {
        let [one, more] = if grade == "same" { ["case", "cases"] } else { ["request", "requests"] };
        format!("{grade} in {}", many(requests, one, more))
    }
}

/// Where a reason stands, and what it is about.
pub(crate) fn refused(rule: &str, field: &str) -> String {
    if rule.is_empty() { format!("`{field}`: ") } else { format!("rule `{rule}`, `{field}`: ") }
}

/// Whose reason it is.
pub(crate) fn of_side(side: &str) -> &'static str {
    if side == "old" { "Policies: " } else { "New policies: " }
}

/// Why no test is offered.
pub(crate) fn no_test(why: &str) -> String {
    format!("No test shows this difference: {why}.")
}
