//! Rows collapsed to what a person reads.
//!
//! In: rows. Out: groups of rows that say the same: one policy, rule, class and message, names left out of account. What a controller made, and is decided
//! as the controller itself, is no object of its own here.

use crate::class::Class;
use crate::rows::{Object, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that say the same.
#[derive(Clone, Debug)]
pub struct Group {
    /// The policy, by its pair.
    pub pair: usize,
    /// The rule.
    pub rule: String,
    /// How the objects are decided otherwise.
    pub class: Class,
    /// The rows, by their places; the first stands for all.
    pub rows: Vec<usize>,
    /// How many of the objects of each kind there are, without what their controllers made.
    pub kinds: BTreeMap<String, usize>,
    /// In how many namespaces.
    pub namespaces: usize,
}

/// An owner may own an owner, so deep.
const MAX_OWNERS: usize = 8;

/// The groups, by policy in the order of the first row's class, the worst first.
pub fn collapse(rows: &[Row]) -> Vec<Group> {
    let mut by_object: BTreeMap<(usize, &str, Class, &str, &str, &str), usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let Object { kind, namespace, name, .. } = &row.object;
        by_object
            .entry((row.change.pair, &row.change.rule, row.change.class, kind, namespace, name))
            .or_insert(at);
    }
    let owner = |row: &Row| {
        let owner = row.owner.as_ref()?;
        let of_row = (row.change.pair, row.change.rule.as_str(), row.change.class);
        by_object
            .get(&(of_row.0, of_row.1, of_row.2, &owner.kind, &row.object.namespace, &owner.name))
            .copied()
    };
    let root = |at: usize| {
        let next = |at: &usize| rows.get(*at).and_then(owner).filter(|next| next != at);
        std::iter::successors(Some(at), next).take(MAX_OWNERS).last().unwrap_or(at)
    };
    let mut groups: BTreeMap<(usize, Class, &str, [String; 2]), Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(first) = rows.get(root(at)) else { continue };
        let change = &row.change;
        groups.entry((change.pair, change.class, &change.rule, likeness(first))).or_default().push(at);
    }
    let mut found: Vec<Group> = groups
        .into_iter()
        .map(|((pair, class, rule, _), mut members)| {
            members.sort_by_key(|at| (root(*at) != *at, *at));
            let roots: Vec<&Row> =
                members.iter().filter(|at| root(**at) == **at).filter_map(|at| rows.get(*at)).collect();
            let mut kinds = BTreeMap::new();
            for row in &roots {
                *kinds.entry(row.object.kind.clone()).or_default() += 1;
            }
            let namespaces: BTreeSet<&str> = roots.iter().map(|row| row.object.namespace.as_str()).collect();
            Group { pair, rule: rule.to_owned(), class, rows: members, kinds, namespaces: namespaces.len() }
        })
        .collect();
    let worst: BTreeMap<usize, Class> = found.iter().rev().map(|group| (group.pair, group.class)).collect();
    let worst = |group: &Group| worst.get(&group.pair).copied();
    found.sort_by_key(|group| (worst(group), group.pair, group.class, group.rows.first().copied()));
    found
}

/// What both sides say, without the names of the object.
fn likeness(row: &Row) -> [String; 2] {
    let names = [&row.object.name, &row.object.namespace];
    row.change.verdicts.each_ref().map(|verdict| {
        let Some(verdict) = verdict else { return String::new() };
        let mut words = format!("{} {}", verdict.effect.as_str(), verdict.message);
        for name in names.into_iter().filter(|name| name.len() > 1) {
            words = words.replace(name.as_str(), "…");
        }
        words
    })
}
