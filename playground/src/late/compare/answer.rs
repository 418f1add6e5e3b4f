//! The answers of the module that compares, as it writes them (`engine/wasm-compare/src/answer.rs`).
//!
//! In: JSON. Out: shapes whose ranges name inputs of the page.

use engine_lenses::wire::{Diagnostic, Range, TestFolder};
use serde::Deserialize;

use crate::slot::Slot;

/// Whether two sides decide the same.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Compared {
    /// `same`, `no difference found`, `different`, `not compared`.
    pub(crate) grade: String,
    pub(crate) findings: Vec<Finding>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) search: Search,
    pub(crate) not_noticed: Vec<NotNoticed>,
    pub(crate) but_for: Vec<String>,
    pub(crate) assumptions: Vec<String>,
    pub(crate) stopped: bool,
}

/// A request on which they differ.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Finding {
    pub(crate) direction: String,
    pub(crate) operation: String,
    pub(crate) subresource: Option<String>,
    pub(crate) explanation: Option<String>,
    pub(crate) object: Kind,
    pub(crate) yaml: String,
    pub(crate) old_yaml: Option<String>,
    pub(crate) user: String,
    pub(crate) groups: Vec<String>,
    pub(crate) dry_run: bool,
    pub(crate) namespace_labels: Vec<(String, String)>,
    pub(crate) cluster_yaml: Vec<String>,
    pub(crate) old: Decision,
    pub(crate) new: Decision,
    pub(crate) test: Option<TestFolder>,
    pub(crate) no_test: String,
}

/// What of an object is said in a heading.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Kind {
    pub(crate) kind: String,
}

/// What a cluster does by one side.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Decision {
    pub(crate) effect: String,
    pub(crate) rules: Vec<Said>,
    pub(crate) object: Option<String>,
    pub(crate) generated: Vec<String>,
}

/// What one rule says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Said {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) status: String,
    pub(crate) message: String,
    pub(crate) range: Option<Range>,
}

/// Why a side is not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reason {
    pub(crate) side: String,
    pub(crate) text: String,
    pub(crate) range: Option<Range>,
}

/// How far the search came.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Search {
    pub(crate) requests: usize,
    pub(crate) undecided: usize,
    pub(crate) only_written: usize,
    pub(crate) places: usize,
    pub(crate) pairs_met: usize,
    pub(crate) pairs_not_met: usize,
    pub(crate) mutants: usize,
    pub(crate) noticed: usize,
}

/// A mistake in the new side that no request noticed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NotNoticed {
    pub(crate) class: String,
    pub(crate) text: String,
}

/// Classic policies, and what became of each.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Converted {
    pub(crate) policies: Vec<Conversion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// One of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Conversion {
    pub(crate) range: Option<Range>,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) converted: bool,
    pub(crate) text: String,
    pub(crate) grade: Option<String>,
    pub(crate) requests: usize,
    pub(crate) allows_existing_violations: bool,
    pub(crate) findings: Vec<Finding>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) notes: Vec<String>,
}

/// What has no faithful form.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Refused {
    pub(crate) rule: String,
    pub(crate) field: String,
    pub(crate) text: String,
    pub(crate) range: Option<Range>,
}

impl Compared {
    /// With ranges that the page knows.
    pub(crate) fn on_page(mut self) -> Self {
        for finding in &mut self.findings {
            for rule in finding.old.rules.iter_mut().chain(&mut finding.new.rules) {
                on_page(rule.range.as_mut());
            }
        }
        for reason in &mut self.reasons {
            on_page(reason.range.as_mut());
        }
        self
    }

    /// The lines on both sides that decided about the first difference.
    pub(crate) fn deciding(&self) -> Vec<Range> {
        let rules = |finding: &Finding| -> Vec<Range> {
            let both = finding.old.rules.iter().chain(&finding.new.rules);
            both.filter(|rule| rule.status != "pass").filter_map(|rule| rule.range.clone()).collect()
        };
        let of_reasons = self.reasons.iter().filter_map(|reason| reason.range.clone());
        self.findings.first().map_or_else(|| of_reasons.collect(), rules)
    }
}

/// A side is an input of the page.
fn on_page(range: Option<&mut Range>) {
    if let Some(range) = range {
        let slot = if range.input == "new" { Slot::NewPolicy } else { Slot::Policy };
        range.input = slot.input().into();
    }
}

impl Converted {
    /// The new policies as one text.
    pub(crate) fn text(&self) -> String {
        let whole = self.policies.iter().filter(|one| one.converted);
        whole.map(|one| one.text.as_str()).collect::<Vec<_>>().join("---\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Converted};

    #[test]
    fn ranges_of_sides_become_those_of_the_page() {
        let json = r#"{"grade": "different", "findings": [{"object": {"kind": "Pod", "spec": {}},
            "old": {"effect": "deny", "rules": [{"status": "fail", "range": {"input": "old", "line": 3}}]},
            "new": {"effect": "allow", "rules": [{"status": "fail", "range": {"input": "new", "line": 5}}]}}]}"#;
        let compared = serde_json::from_str::<Compared>(json).unwrap().on_page();
        let places: Vec<_> = compared.deciding().into_iter().map(|range| (range.input, range.line)).collect();
        assert_eq!(places, [("policies".into(), 3), ("newPolicies".into(), 5)]);
    }

    #[test]
    fn what_is_not_converted_is_no_part_of_the_text() {
        let json = r#"{"policies": [{"converted": true, "text": "a: 1\n"}, {"converted": false}, {"converted": true, "text": "b: 1\n"}]}"#;
        assert_eq!(serde_json::from_str::<Converted>(json).unwrap().text(), "a: 1\n---\nb: 1\n");
    }
}
