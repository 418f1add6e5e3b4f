//! The order in which requests about one kind are tried, and how many of each sort.
//!
//! In: a kind, its cells, the requests that it may take. Out: requests, from the smallest object and single changes to it up to several changes
//! at once. Where a request takes a branch that none before has taken, the search goes on from it.

use super::Search;
use crate::hardened::hardened;
use crate::objects::kinds::{Target, smallest};
use crate::search::asking::named_attributes;
use crate::search::cells::{CellInputs, Cells, cells};
use crate::search::{Frontier, links};
use engine_json::Value;
use std::cmp::Reverse;

/// In how many kept requests the pairs of linked places are tried.
const MAX_LINKED: usize = 12;
/// In how many of them texts that hold the value of another place.
const MAX_COMPOSED: usize = 2;
/// Until which share of a kind's requests, in percent, each step may go on: other clusters around the smallest objects; changes to one that
/// is hardened (for each such), pairs of them beyond that, and what a policy names beside what failed; changes to the smallest ones; those that
/// make less fail, and changes to what then passes; changes to what took a new branch; to what was kept; rows; several changes at once; other
/// users, operations and Namespaces. What is left is for several changes once more.
const CLUSTERS_UNTIL: usize = 10;
const HARDENED_UNTIL: usize = 12;
const PAIRED: usize = 5;
const EXCEPTED: usize = 15;
const SWEPT_UNTIL: usize = 30;
/// Until which what one side alone reads is tried beside other places, and in how many objects.
const UNLIKE_UNTIL: usize = 80;
const MAX_PASSING: usize = 3;
const CLIMBED_UNTIL: usize = 38;
const PASSING_UNTIL: usize = 46;
const ADVANCED_UNTIL: usize = 56;
/// How much of the search places that hang together have, where what comes before left nothing.
const LINKED: usize = 6;
const KEPT_UNTIL: usize = 60;
const ROWS_UNTIL: usize = 72;
const SEVERAL_UNTIL: usize = 80;
const ATTRIBUTES_UNTIL: usize = 90;
/// By how much rows and several changes end sooner where policies ask who asks, what is done, or where.
const FOR_ATTRIBUTES: usize = 10;

/// So many percent.
fn share(whole: usize, percent: usize) -> usize {
    whole * percent / 100
}

impl Search<'_, '_> {
    /// Tries requests about a kind.
    pub(super) fn explore(&mut self, target: &Target, targets: &[Target], given: &[Value], until: usize) {
        let inputs = CellInputs { schema: self.schema, pool: &self.reads.pool };
        let mut cells = cells(&self.reads.object, &target.version, &target.kind, &inputs);
        cells.sort_by_key(|cells| !self.reads.named.contains(&cells.path));
        let start = self.found.tried + self.found.impossible / 4;
        let kind = target.kind.as_str();
        let whole = until.saturating_sub(start);
        let is_it = |object: &&Value| object.find_str(&["kind"]) == kind;
        let mut bases: Vec<Value> = given.iter().filter(is_it).take(20).cloned().collect();
        let of_caller = bases.len();
        let least = smallest(target, self.schema);
        let hardened = hardened(&least, &cells, self.schema);
        bases.push(least);
        for base in &bases {
            let request = self.bringing(base.clone());
            self.try_one(request);
        }
        self.vary_cluster(&bases, start + share(whole, CLUSTERS_UNTIL));
        for (at, hardened) in hardened.iter().enumerate() {
            let until = start + share(whole, HARDENED_UNTIL * (at + 1));
            self.sweep(hardened, &cells, until);
            self.paired(hardened, &cells, until + share(whole, PAIRED));
            self.beside_failures(kind, &cells, until + share(whole, EXCEPTED));
        }
        bases.extend(hardened);
        for base in bases.iter().rev() {
            self.sweep(base, &cells, start + share(whole, SWEPT_UNTIL));
        }
        let passing: Vec<Value> = bases.iter().skip(of_caller).take(MAX_PASSING).cloned().collect();
        let before = self.found.tried;
        self.beside_unlike(&passing, &cells, start + share(whole, UNLIKE_UNTIL));
        // What follows has its share all the same.
        let start = start + self.found.tried - before;
        // What passes nearly all already passes sooner.
        for base in bases.iter().rev() {
            if let Some(passing) = self.climb(base, &cells, start + share(whole, CLIMBED_UNTIL)) {
                self.sweep(&passing, &cells, start + share(whole, PASSING_UNTIL));
            }
        }
        // Where nothing is left for them, places that hang together have a share of their own.
        let of_links = self.found.tried + share(whole, LINKED);
        self.linked(kind, &cells, of_links.max(start + share(whole, PASSING_UNTIL)));
        self.beside_filled_in(kind, &cells, start + share(whole, ADVANCED_UNTIL));
        self.advance(kind, &cells, start + share(whole, ADVANCED_UNTIL));
        // What was kept on the way is swept too, the first kept first.
        let mut at = 0;
        while let Some(kept) = self.found.kept.get(at).map(|kept| kept.object.clone()) {
            if self.is_over(start + share(whole, KEPT_UNTIL)) {
                break;
            }
            if is_it(&&kept) {
                self.sweep(&kept, &cells, start + share(whole, KEPT_UNTIL));
            }
            at += 1;
        }
        // Where a policy asks what is done, who does it or where, half of what is left is for that.
        let asks = self.reads.asks_operation || !named_attributes(self.reads).is_empty();
        let earlier = if asks { FOR_ATTRIBUTES } else { 0 };
        self.rows(target, &cells, start + share(whole, ROWS_UNTIL - earlier));
        self.several(kind, &cells, start + share(whole, SEVERAL_UNTIL - earlier));
        self.vary_attributes(kind, &cells, start + share(whole, ATTRIBUTES_UNTIL));
        self.changes(target, targets, &cells, until);
        self.several(kind, &cells, until);
    }

    /// What was found in objects that are made, in updates and deletions of them, and in templates where they are Pods.
    fn changes(&mut self, target: &Target, targets: &[Target], cells: &[Cells], until: usize) {
        if target.kind == "Pod" && !self.old.is_of_pods() && !self.new.is_of_pods() {
            let until = if self.found.has_own_difference() { self.turn_to_another(until) } else { until };
            self.in_controllers(&target.kind, targets, until);
            self.updates(&target.kind, until);
            self.cells_in_controllers(&target.kind, cells, until);
        } else {
            self.updates(&target.kind, until);
        }
    }

    /// Goes on from what took a branch that nothing before has taken, from that of which least fails and the last such first: of conditions
    /// that must hold at once, each is met beside those that were met before.
    fn advance(&mut self, kind: &str, cells: &[Cells], until: usize) {
        while !self.is_over(until) {
            let of_kind = |(_, known): &(usize, &Frontier)| known.object.find_str(&["kind"]) == kind;
            let waiting = self.found.frontier.iter().enumerate().filter(of_kind);
            let Some((at, _)) = waiting.min_by_key(|(at, known)| (known.failures, Reverse(*at))) else {
                return;
            };
            let from = self.found.frontier.remove(at);
            self.sweep_on(from, cells, until);
        }
    }

    /// Cells of two places that are held against each other, in the smallest object and in those that were kept.
    fn linked(&mut self, kind: &str, cells: &[Cells], until: usize) {
        if self.reads.links.is_empty() {
            return;
        }
        let bases: Vec<Value> = self.found.kept_of(kind).take(MAX_LINKED).cloned().collect();
        let links = &self.reads.links;
        let amounts = bases.iter().take(1).flat_map(|base| links::same_amounts(base, links, self.schema));
        let composed = bases
            .iter()
            .take(MAX_COMPOSED)
            .flat_map(|base| links::composed(base, links, &self.reads.object, self.schema));
        for object in amounts.chain(composed).collect::<Vec<_>>() {
            if self.is_over(until) {
                return;
            }
            let request = self.bringing(object);
            self.try_one(request);
        }
        for base in &bases {
            for object in links::pairs(base, &self.reads.links, cells, &mut self.random, self.schema) {
                if self.is_over(until) {
                    return;
                }
                let request = self.bringing(object);
                self.try_one(request);
            }
        }
    }
}
