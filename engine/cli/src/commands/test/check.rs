//! What was said, held against what a test expects.
//!
//! In: the entries of `results`, and the responses. Out: a [`Row`] for each thing that was compared, and [`Doubt`]s:
//! rows that the original counts as passed although nothing was compared.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/output.go (printTestResult), command.go (checkResult).

use super::evaluate::Runs;
use super::expected::{Expected, Verdict};
use super::file::Entry;
use super::find::below;
use crate::files::Files;
use engine::Bundle;
use engine::apply::{RuleResult, RuleType, Status};
use engine::json::Value;
use engine::load::{Refused, Unsupported};
use engine::resource::Resource;
use engine_lenses::report::Response;
use engine_lenses::report::as_test::Evaluated;
use engine_lenses::report::message;

/// One line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) policy: String,
    pub(super) rule: String,
    pub(super) resource: String,
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) message: String,
}

/// How a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// As expected.
    Pass,
    /// Counts as passed: the resource was excluded, or skipped as expected.
    PassAsSkipped,
    /// Counts as passed although the policy is refused.
    Skip,
    /// Not as expected.
    Fail,
    /// Not compared, and counted apart.
    NotYet,
}

impl Outcome {
    /// The word in the table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Pass | Outcome::PassAsSkipped => "Pass",
            Outcome::Skip | Outcome::NotYet => "Skip",
            Outcome::Fail => "Fail",
        }
    }
}

/// A success that is none.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// The line of the entry.
    pub(super) line: u32,
    pub(super) text: String,
}

/// What a test came to.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) rows: Vec<Row>,
    pub(super) doubts: Vec<Doubt>,
    /// Differences between objects, to be shown.
    pub(super) differences: Vec<String>,
}

/// Compares all entries.
pub(super) fn check(
    entries: &[Entry],
    payloads: &[String],
    bundle: &Bundle,
    runs: &Runs<'_>,
    folder: &str,
    files: &dyn Files,
) -> Checked {
    let payloads = payloads.iter().map(|name| (below(folder, name), name.as_str())).collect();
    let expected = Expected::new(folder, files);
    let mut checker = Checker { bundle, runs, payloads, expected, checked: Checked::default() };
    for entry in entries {
        checker.entry(entry);
    }
    checker.checked.doubts.extend(unnamed(entries, bundle));
    checker.checked
}

/// The policies that are refused and that no entry names: nothing tests them, and nothing else would say so.
fn unnamed(entries: &[Entry], bundle: &Bundle) -> Vec<Doubt> {
    let name = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
    let is_named = |key: &str| entries.iter().any(|entry| name(&entry.policy) == name(key));
    let doubt = |refused: &Refused| {
        let document = bundle.document(refused.document);
        let source = document.and_then(|document| bundle.source(document.source));
        let file = source.map_or("", |(_, source)| source.name.as_str());
        let (policy, reason) = (&refused.policy, refused.reason.trim_end());
        let text = format!("policy `{policy}` of `{file}` is refused, and no result names it: {reason}");
        Doubt { line: 1, text }
    };
    bundle.refused.iter().filter(|refused| !is_named(&refused.policy)).map(doubt).collect()
}

struct Checker<'a> {
    bundle: &'a Bundle,
    runs: &'a Runs<'a>,
    /// Paths of documents of any form, and how the test names them.
    payloads: Vec<(String, &'a str)>,
    expected: Expected<'a>,
    checked: Checked,
}

impl<'a> Checker<'a> {
    /// How the test names a document of any form.
    fn payload(&self, resource: &Resource) -> Option<&'a str> {
        let document = self.bundle.document(resource.document).filter(|_| resource.is_payload)?;
        let (_, source) = self.bundle.source(document.source)?;
        self.payloads.iter().find(|(path, _)| *path == source.name).map(|(_, name)| *name)
    }

    /// What a row calls a resource.
    fn key(&self, resource: &Resource) -> String {
        // Kyverno: a request is known by its path alone.
        if resource.protocol.is_some() {
            let document = self.bundle.document(resource.document);
            let source = document.and_then(|document| self.bundle.source(document.source));
            return source.map_or_else(String::new, |(_, source)| source.name.clone());
        }
        self.payload(resource).map_or_else(|| resource.key(), |name| format!("/{name}"))
    }

    fn entry(&mut self, entry: &Entry) {
        if let Some(what) = unsupported(self.bundle, entry) {
            self.not_yet(entry, &format!("`{}` is not supported yet", what.what));
            return;
        }
        let places = self.places(entry);
        if places.is_empty() {
            self.doubt(entry, "there is no resource, so nothing is tested".to_owned());
        }
        if !self.has_rule(entry) {
            let name = entry.policy.rsplit('/').next().unwrap_or("");
            self.doubt(entry, format!("policy `{name}` has no rule `{}`, so nothing is tested", entry.rule));
        }
        for resource in places {
            self.resource(entry, resource);
        }
    }

    /// A row for each resource, or each name where it is not that of a Kubernetes object, that cannot be evaluated yet.
    fn not_yet(&mut self, entry: &Entry, why: &str) {
        let doubts = self.checked.doubts.len();
        let found = self.places(entry);
        self.checked.doubts.truncate(doubts);
        let mut names: Vec<String> = found.into_iter().map(|resource| self.key(resource)).collect();
        if names.is_empty() {
            names = entry.resources.clone().unwrap_or_default();
        }
        if names.is_empty() {
            names.push(String::new());
        }
        for name in names {
            self.row(entry, &entry.rule, name, Outcome::NotYet, "Not supported yet", why.to_owned());
        }
    }

    /// The resources of an entry; all of them where it names none, or none that is there. What was changed by a rule
    /// about another object stands before what was evaluated, and what is both stands there twice, as in the original.
    fn places(&mut self, entry: &Entry) -> Vec<&'a Resource> {
        let triggers = self.runs.run(&entry.operation).iter().map(|keyed| keyed.resource);
        let patched = self.runs.targets.iter().filter(|target| !self.runs.patched(target).is_empty());
        let all: Vec<&'a Resource> = patched.chain(triggers).collect();
        let mut found = Vec::new();
        for wanted in entry.resources.iter().flatten() {
            let parts: Vec<&str> = wanted.split('/').collect();
            let fits = |object: &&&Resource| match parts.as_slice() {
                _ if object.is_payload => self.payload(object) == Some(wanted),
                [name] => *name == object.name(),
                [namespace, name] => *namespace == object.namespace() && *name == object.name(),
                _ => false,
            };
            let before = found.len();
            found.extend(all.iter().filter(fits).copied());
            let fitting = found.get(before..).unwrap_or_default();
            if fitting.is_empty() {
                self.doubt(entry, format!("there is no resource `{wanted}`, so it is not tested"));
            }
            self.doubt_kind(entry, &entry.kind, fitting);
        }
        if entry.resources.is_some() {
            for spec in &entry.specs {
                let fits = |object: &&&Resource| {
                    spec.api_version == object.api_version()
                        && spec.namespace == object.namespace()
                        && spec.name == object.name()
                };
                let before = found.len();
                found.extend(all.iter().filter(fits).copied());
                let fitting = found.get(before..).unwrap_or_default();
                self.doubt_kind(entry, &spec.kind, fitting);
                if fitting.is_empty() {
                    let name = &spec.name;
                    self.doubt(
                        entry,
                        format!("there is no resource `{name}` of this spec, so it is not tested"),
                    );
                }
            }
        } else if !entry.specs.is_empty() {
            let text = "`resourceSpecs` is not read without `resources`, so all resources are tested instead";
            self.doubt(entry, text.to_owned());
        }
        if found.is_empty() {
            if !entry.kind.is_empty() && entry.resources.iter().flatten().next().is_none() {
                self.doubt_kind(entry, &entry.kind, &all);
            }
            all
        } else {
            found
        }
    }

    /// Compares what was said of one resource.
    fn resource(&mut self, entry: &Entry, resource: &Resource) {
        let before = self.checked.rows.len();
        let mut is_passed_over = false;
        let mut excluded = None;
        let name = entry.policy.rsplit('/').next().unwrap_or("");
        let runs = self.runs;
        let evaluated = runs.run(&entry.operation).iter().find(|keyed| is_same(keyed.resource, resource));
        let responses = evaluated.map_or(&[][..], |keyed| &keyed.responses);
        for evaluated in responses.iter().filter(|evaluated| evaluated.response.policy.name == name) {
            is_passed_over |= self.response(entry, evaluated);
            if self.checked.rows.len() == before && !is_passed_over {
                let (outcome, word) = (Outcome::PassAsSkipped, "Excluded");
                self.row(entry, &entry.rule, self.key(resource), outcome, word, word.to_owned());
                excluded = Some(self.checked.rows.len());
            }
        }
        let targets = runs.targets.iter().filter(|target| is_same(target, resource));
        for (response, rule, patched) in targets.flat_map(|target| runs.patched(target)) {
            let verdict = self.compare(entry, response, rule, patched);
            self.verdict(entry, rule, self.key(resource), verdict);
        }
        if excluded == Some(self.checked.rows.len()) {
            self.doubt_excluded(entry, resource);
        }
        if self.checked.rows.len() > before {
            return;
        }
        if is_passed_over {
            let file = &entry.patched;
            let key = self.key(resource);
            self.doubt(entry, format!("`{key}` is not in `{file}`, so it is not tested"));
            return;
        }
        let refused =
            self.bundle.refused.iter().find(|refused| refused.policy.rsplit('/').next() == Some(name));
        if let Some(refused) = refused {
            let reason = refused.reason.clone();
            let why = format!("policy `{name}` is refused, so nothing is tested: {}", reason.trim_end());
            self.doubt(entry, why);
            self.row(entry, &entry.rule, self.key(resource), Outcome::Skip, "Invalid Policy", reason);
        } else {
            let words = "Not found".to_owned();
            self.row(entry, &entry.rule, self.key(resource), Outcome::Fail, "Not found", words);
        }
    }

    /// Compares one response; whether an object was passed over because it is not among the expected ones.
    fn response(&mut self, entry: &Entry, evaluated: &Evaluated<'_>) -> bool {
        let mut is_passed_over = false;
        let response = &evaluated.response;
        // Kyverno: what an entry says of a rule is not asked where a policy has no rules.
        let is_asked = |rule: &&RuleResult| response.policy.body.is_some() || is_named(entry, &rule.rule);
        for rule in response.rules.iter().filter(is_asked) {
            let key = self.key(response.resource);
            if rule.rule_type != RuleType::Generation {
                let verdict = self.compare(entry, response, rule, &evaluated.object);
                if !entry.fails_on_missing && verdict.message.contains("not found in manifest") {
                    is_passed_over = true;
                } else {
                    self.verdict(entry, rule, key, verdict);
                }
                continue;
            }
            if rule.generated.is_empty() {
                let verdict = status_alone(entry, response, rule);
                self.verdict(entry, rule, key, verdict);
            }
            for object in &rule.generated {
                let verdict = self.compare(entry, response, rule, object);
                let name = object.find_str(&["metadata", "name"]);
                self.verdict(entry, rule, format!("/{name}"), verdict);
            }
        }
        is_passed_over
    }

    fn compare(
        &mut self,
        entry: &Entry,
        response: &Response<'_>,
        rule: &RuleResult,
        object: &Value,
    ) -> Verdict {
        let differs = self.expected.compare(entry, object);
        differs.unwrap_or_else(|| status_alone(entry, response, rule))
    }

    fn verdict(&mut self, entry: &Entry, rule: &RuleResult, resource: String, verdict: Verdict) {
        let outcome = match (verdict.is_met, entry.result.as_str()) {
            (true, "skip") => Outcome::PassAsSkipped,
            (true, _) => Outcome::Pass,
            (false, _) => Outcome::Fail,
        };
        if verdict.is_met && !rule.assumed.is_empty() {
            let assumed = rule.assumed.join("; ");
            self.doubt(entry, format!("rule `{}` rests on an assumed answer: {assumed}", rule.rule));
        }
        if let Some(difference) = &verdict.difference {
            self.checked.differences.push(format!("{resource} by rule {}:\n{difference}", rule.rule));
        }
        self.row(entry, &rule.rule, resource, outcome, &verdict.reason, verdict.message);
    }

    fn row(
        &mut self,
        entry: &Entry,
        rule: &str,
        resource: String,
        outcome: Outcome,
        reason: &str,
        message: String,
    ) {
        // Kyverno: color.Policy keeps two parts of a name.
        let policy = entry.policy.split('/').take(2).collect::<Vec<_>>().join("/");
        let (rule, reason) = (rule.to_owned(), reason.to_owned());
        self.checked.rows.push(Row { policy, rule, resource, outcome, reason, message });
    }

    fn doubt(&mut self, entry: &Entry, text: String) {
        let known = |doubt: &Doubt| doubt.line == entry.line && doubt.text == text;
        if !self.checked.doubts.iter().any(known) {
            self.checked.doubts.push(Doubt { line: entry.line, text });
        }
    }

    /// Doubts an entry about another kind than its resources have: the original tests them whatever it says.
    fn doubt_kind(&mut self, entry: &Entry, kind: &str, found: &[&Resource]) {
        let wanted = kind.rsplit('/').next().unwrap_or("");
        let Some(first) = found.first().filter(|_| !wanted.is_empty()) else { return };
        if found.iter().any(|object| object.kind() == wanted) {
            return;
        }
        let key = self.key(first);
        self.doubt(
            entry,
            format!("there is no `{wanted}` of that name: `{key}` is tested, for the kind is not looked at"),
        );
    }

    fn doubt_excluded(&mut self, entry: &Entry, resource: &Resource) {
        let Entry { policy, rule, result, .. } = entry;
        if result != "skip" && self.has_rule(entry) {
            let key = self.key(resource);
            self.doubt(
                entry,
                format!("rule `{rule}` of policy `{policy}` did not look at `{key}`, so nothing is said of the expected `{result}`"),
            );
        }
    }

    /// Whether a policy of this name has the rule; where there is no such policy, that is said as a failure.
    fn has_rule(&self, entry: &Entry) -> bool {
        let name = entry.policy.rsplit('/').next().unwrap_or("");
        let mut policies = self.bundle.policies.iter().filter(|policy| policy.name == name).peekable();
        entry.rule.is_empty()
            || policies.peek().is_none()
            || policies.any(|policy| {
                policy.body.is_some() || policy.all_rules().any(|rule| is_named(entry, &rule.name))
            })
    }
}

fn is_same(one: &Resource, other: &Resource) -> bool {
    std::ptr::eq(one, other)
        || one.is_payload && one.document == other.document
        || (!one.is_payload
            && one.name() == other.name()
            && one.namespace() == other.namespace()
            && one.kind() == other.kind()
            && one.api_version() == other.api_version())
}

/// Whether an entry is about a rule: itself, or what autogen makes of it.
fn is_named(entry: &Entry, rule: &str) -> bool {
    let plain = rule.strip_prefix("autogen-cronjob-").or_else(|| rule.strip_prefix("autogen-"));
    entry.rule.is_empty()
        || rule == entry.rule
        || plain == Some(&entry.rule)
        || rule.strip_prefix("autogen-") == Some(&entry.rule)
}

/// The name of a rule without what autogen puts before it.
fn plain(rule: &str) -> &str {
    rule.strip_prefix("autogen-cronjob-").or_else(|| rule.strip_prefix("autogen-")).unwrap_or(rule)
}

/// What of an entry's policy or rule is not evaluated yet.
fn unsupported<'b>(bundle: &'b Bundle, entry: &Entry) -> Option<&'b Unsupported> {
    let name = entry.policy.rsplit('/').next();
    bundle.unsupported.iter().find(|what| {
        what.policy.rsplit('/').next() == name
            && (what.rule.is_empty() || entry.rule.is_empty() || plain(&what.rule) == plain(&entry.rule))
    })
}

/// The expected verdict held against the actual one.
// Kyverno: compareExpectedRuleResult.
fn status_alone(entry: &Entry, response: &Response<'_>, rule: &RuleResult) -> Verdict {
    let status: Status = response.described_status(rule);
    let (is_met, wanted) = (status.as_str() == entry.result, &entry.result);
    let reason = if is_met { "Ok".to_owned() } else { format!("Want {wanted}, got {}", status.as_str()) };
    Verdict { is_met, reason, message: message(rule, status).to_owned(), difference: None }
}
