//! The results as a table: a row for each resource, a column for each rule, and what the reader's filter leaves of it.
//!
//! In: an output and a [`Filter`]. Out: a [`Table`] whose cells are places in the output, so that it is small.

use crate::browser::lowercase;
use std::collections::BTreeMap;

use engine_lenses::wire::{ObjectRef, Output, PolicyResult, RuleResult};

use super::full_name;
use crate::words::results::verdicts::UNMATCHED;

/// What the reader wants to see; empty for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// A status.
    pub(crate) status: String,
    /// Words that the resource, the policy, the rule or the message holds, whatever their case.
    pub(crate) words: String,
}

impl Filter {
    /// Whether the reader wants the resources that no rule matched.
    pub(crate) fn is_unmatched(&self) -> bool {
        self.status == UNMATCHED
    }

    pub(crate) fn is_empty(&self) -> bool {
        (self.status.is_empty() || self.is_unmatched()) && self.words.trim().is_empty()
    }

    /// Whether a rule's verdict is wanted.
    pub(crate) fn takes(&self, result: &PolicyResult, rule: &RuleResult) -> bool {
        let holds = |text: &str, word: &str| lowercase(text).contains(word);
        if self.is_empty() && self.status.is_empty() {
            return true;
        }
        let has_status = self.status.is_empty() || rule.status == self.status;
        has_status
            && lowercase(&self.words).split_whitespace().all(|word| {
                holds(&result.policy.name, word)
                    || holds(&rule.rule, word)
                    || holds(&rule.message, word)
                    || holds(&full_name(&result.resource), word)
            })
    }

    /// Whether a policy without a matching rule is wanted.
    pub(crate) fn takes_silence(&self, result: &PolicyResult) -> bool {
        let name = lowercase(&format!("{} {}", result.policy.name, full_name(&result.resource)));
        (self.status.is_empty() || self.is_unmatched())
            && lowercase(&self.words).split_whitespace().all(|word| name.contains(word))
    }
}

/// The place of a rule's verdict in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) result: usize,
    pub(crate) rule: usize,
}

impl Place {
    pub(crate) fn of(self, output: &Output) -> Option<(&PolicyResult, &RuleResult)> {
        let result = output.results.get(self.result)?;
        Some((result, result.rules.get(self.rule)?))
    }
}

/// A rule, as its author named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) policy: String,
    pub(crate) rule: String,
}

/// A resource, with a verdict or none in each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) cells: Vec<Option<Place>>,
}

/// Resources by rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// Kind, namespace and name.
type Name<'a> = (&'a str, &'a str, &'a str);

fn name_of(object: &ObjectRef) -> Name<'_> {
    (&object.kind, &object.namespace, &object.name)
}

/// Results of the same resource together, in the order in which resources first appear.
pub(crate) fn by_resource(results: &[PolicyResult]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known = BTreeMap::new();
    // Results of a resource mostly follow one another.
    let mut last = None;
    for (at, result) in results.iter().enumerate() {
        let place = result.resource.range.as_ref().map_or((0, 0), |range| (range.index, range.from));
        let key = (place, name_of(&result.resource));
        let group = match last {
            Some((before, group)) if before == key => group,
            _ => *known.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            }),
        };
        last = Some((key, group));
        if let Some(group) = groups.get_mut(group) {
            group.push(at);
        }
    }
    groups
}

/// How many resources have a verdict of some rule.
pub(crate) fn with_verdict(results: &[PolicyResult]) -> usize {
    let speaks = |at: &usize| {
        results.get(*at).is_some_and(|result| !result.rules.is_empty() || result.patched.is_some())
    };
    by_resource(results).iter().filter(|group| group.iter().any(speaks)).count()
}

/// How pressing a status is; the most pressing of several verdicts of a rule on a resource stands in the cell.
fn weight(status: &str) -> usize {
    ["fail", "error", "warn", "pass", "skip"].iter().position(|known| *known == status).unwrap_or(5)
}

impl Table {
    /// The table of what the filter takes.
    pub(crate) fn of(output: &Output, filter: &Filter) -> Self {
        let mut table = Self::default();
        let mut known: BTreeMap<(Name<'_>, &str), usize> = BTreeMap::new();
        // Rules mostly come in the order of the columns.
        let (mut keys, mut next) = (Vec::new(), 0);
        for group in by_resource(&output.results) {
            let mut row = Row { name: String::new(), cells: vec![None; table.columns.len()] };
            let results = group.into_iter().filter_map(|at| Some((at, output.results.get(at)?)));
            for (at, result) in results {
                let wanted = result.rules.iter().enumerate().filter(|(_, rule)| filter.takes(result, rule));
                for (rule_at, rule) in wanted {
                    let written = rule.autogen.as_deref().unwrap_or(&rule.rule);
                    let key = (name_of(&result.policy), written);
                    let column = if keys.get(next) == Some(&key) {
                        next
                    } else {
                        *known.entry(key).or_insert_with(|| {
                            let policy = result.policy.name.clone();
                            table.columns.push(Column { policy, rule: written.to_owned() });
                            keys.push(key);
                            table.columns.len() - 1
                        })
                    };
                    next = column + 1;
                    row.cells.resize(table.columns.len().max(row.cells.len()), None);
                    if let Some(cell) = row.cells.get_mut(column) {
                        let before = cell.and_then(|place: Place| place.of(output));
                        if before.is_none_or(|(_, other)| weight(&rule.status) < weight(&other.status)) {
                            *cell = Some(Place { result: at, rule: rule_at });
                        }
                    }
                    if row.name.is_empty() {
                        row.name = full_name(&result.resource);
                    }
                }
            }
            if !row.name.is_empty() {
                table.rows.push(row);
            }
        }
        for row in &mut table.rows {
            row.cells.resize(table.columns.len(), None);
        }
        table
    }

    /// The verdict of a cell.
    pub(crate) fn place(&self, row: usize, column: usize) -> Option<Place> {
        self.rows.get(row)?.cells.get(column).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(policy: &str, resource: &str, rules: &[(&str, &str)]) -> PolicyResult {
        let name = |name: &str| ObjectRef { name: name.to_owned(), ..ObjectRef::default() };
        let rule = |(rule, status): &(&str, &str)| RuleResult {
            rule: (*rule).into(),
            status: (*status).into(),
            autogen: rule.strip_prefix("autogen-").map(str::to_owned),
            ..RuleResult::default()
        };
        let rules = rules.iter().map(rule).collect();
        PolicyResult { policy: name(policy), resource: name(resource), rules, ..PolicyResult::default() }
    }

    fn output() -> Output {
        let results = vec![
            result("p", "web", &[("a", "pass"), ("b", "fail")]),
            result("q", "web", &[]),
            result("p", "db", &[("autogen-a", "skip"), ("autogen-a", "fail")]),
        ];
        Output { results, ..Output::default() }
    }

    #[test]
    fn a_rule_of_autogen_stands_in_the_column_of_its_rule_and_the_worst_verdict_counts() {
        let output = output();
        let table = Table::of(&output, &Filter::default());
        let columns: Vec<&str> = table.columns.iter().map(|column| column.rule.as_str()).collect();
        assert_eq!(columns, ["a", "b"]);
        assert_eq!(table.rows.len(), 2);
        let (_, rule) = table.place(1, 0).unwrap().of(&output).unwrap();
        assert_eq!((rule.rule.as_str(), rule.status.as_str()), ("autogen-a", "fail"));
        assert_eq!(table.place(1, 1), None);
    }

    #[test]
    fn resources_that_no_rule_matched_are_counted_apart() {
        let mut output = output();
        assert_eq!(with_verdict(&output.results), 2);
        output.results.push(result("p", "cache", &[]));
        assert_eq!(with_verdict(&output.results), 2);
        let filter = Filter { status: UNMATCHED.to_owned(), words: "cache".to_owned() };
        assert!(output.results.last().is_some_and(|result| filter.takes_silence(result)));
    }

    #[test]
    fn a_filter_leaves_what_it_takes() {
        let output = output();
        let of = |status: &str, words: &str| {
            Table::of(&output, &Filter { status: status.to_owned(), words: words.to_owned() })
        };
        assert_eq!(of("fail", "").rows.len(), 2);
        assert_eq!(of("pass", "").columns.len(), 1);
        assert_eq!(of("", "WEB b").rows.len(), 1);
        assert!(of("warn", "").rows.is_empty());
    }
}
