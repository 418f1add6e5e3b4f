//! `--test-case-selector policy=*,rule=*,resource=*`: which entries of `results` are checked.
//!
//! In: the argument. Out: a [`Selector`], and what is wrong with the argument, in the original's words.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/test/filter/filter.go.

use super::file::Entry;
use engine::value::Wildcard;

enum Part {
    Policy(Wildcard),
    Rule(Wildcard),
    Resource(Wildcard),
}

/// Which entries are wanted.
#[derive(Default)]
pub(super) struct Selector {
    parts: Vec<Part>,
    /// The resources that stand in for those of every entry.
    // Kyverno: they are looked up by name, wildcards and all, so that `good*` finds nothing, and all are checked.
    pub(super) resources: Vec<String>,
    /// What is not a condition.
    pub(super) errors: Vec<String>,
}

impl Selector {
    /// Reads the argument.
    pub(super) fn parse(text: &str) -> Self {
        let mut selector = Selector::default();
        let mut ends = false;
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let mut sides = part.split('=');
            let (Some(key), Some(value), None) = (sides.next(), sides.next(), sides.next()) else {
                selector.errors.push(format!(
                    "Invalid test-case-selector argument ({part}). Parameter must be in the form `<key>=<value>`."
                ));
                continue;
            };
            let value = value.trim();
            match key.trim() {
                "policy" => selector.parts.push(Part::Policy(Wildcard::new(value))),
                "rule" => selector.parts.push(Part::Rule(Wildcard::new(value))),
                "resource" => {
                    ends |= value == "*";
                    if !ends {
                        selector.resources.push(value.to_owned());
                    }
                    selector.parts.push(Part::Resource(Wildcard::new(value)));
                }
                _ => selector.errors.push(format!(
                    "Invalid test-case-selector ({part}). Parameter can only be policy, rule or resource."
                )),
            }
        }
        if !selector.errors.is_empty() {
            selector.resources.clear();
        }
        selector
    }

    /// The entry as it is checked; `None` where it is not wanted.
    pub(super) fn apply(&self, entry: &Entry) -> Option<Entry> {
        let fits = |part: &Part| match part {
            Part::Policy(wanted) => entry.policy.is_empty() || wanted.matches(&entry.policy),
            Part::Rule(wanted) => entry.rule.is_empty() || wanted.matches(&entry.rule),
            Part::Resource(wanted) => {
                let named = entry.resources.as_deref().unwrap_or_default();
                named.is_empty() || named.iter().any(|name| wanted.matches(name))
            }
        };
        let mut entry = self.parts.iter().all(fits).then(|| entry.clone())?;
        if !self.resources.is_empty() {
            entry.resources = Some(self.resources.clone());
        }
        Some(entry)
    }
}
