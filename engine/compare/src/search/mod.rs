//! The search for a request on which two sides decide differently.
//!
//! In: two sides, their footprint, the kinds. Out: what was found, and how far the search came. Every request is put to both engines.
//! A request that takes a pair of branches which none before has taken is kept, and further ones are made of it: first each cell of each
//! place in turn, then rows of random cells, then several changes at once.

pub(crate) mod apart;
pub(crate) mod asking;
pub(crate) mod attributes;
pub(crate) mod cells;
pub(crate) mod cluster;
pub(crate) mod collections;
pub(crate) mod covering;
pub(crate) mod echo;
mod explore;
mod filled_in;
pub(crate) mod links;
mod noted;
pub(crate) mod order;
pub(crate) mod random;
pub(crate) mod regex;
pub(crate) mod remembered;
pub(crate) mod rows;
pub(crate) mod shrink;
pub(crate) mod spellings;
mod subresources;
pub(crate) mod templates;
pub(crate) mod texts;
pub(crate) mod unlike;
mod unread;
mod updates;
pub(crate) mod widened;

use crate::difference::{Basis, Criterion, Direction, differ_as_written, difference, is_undecided};
use crate::objects::admissible::{is_admissible, without_ephemeral};
use crate::objects::kinds::Target;
use crate::objects::schema::Schema;
use crate::objects::subresources::Subresource;
use crate::objects::valid::{complete, is_valid, settle};
use crate::objects::zeros::leave_out;
use crate::reads::Reads;
use crate::reads::field_path::{Elements, put};
use crate::request::{Attributes, Operation, Request};
use crate::search::asking::named_attributes;
use crate::search::cells::Cells;
use crate::search::random::Random;
use crate::search::remembered::Remembered;
use crate::sides::side::{Depth, FNV, Response, Side, mix};
use engine_json::{Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How many requests are kept to make others of.
const MAX_KEPT: usize = 600;
/// How many objects that took a new branch wait to be varied, and how many branches are told apart.
const MAX_FRONTIER: usize = 200;
const MAX_TAKEN: usize = 20_000;
/// How many objects that differ as written alone are tried as templates.
const MAX_SUSPECTS: usize = 24;
/// Of how many changed objects one gets a list turned round, where policies read elements by their number.
const TURNED_ONE_IN: usize = 3;
/// How many times the requests of another kind Pods get.
const POD_SHARE: usize = 3;
/// How many further requests are tried once a difference is found, for the other direction; and how many where nothing wider is among
/// what was found, as that is what lets in what was refused.
const PATIENCE: usize = 800;
const PATIENCE_FOR_WIDER: usize = 2_400;
/// How many requests are tried of each further kind once a difference is known.
const MAX_OF_ANOTHER: usize = 400;
/// After how many requests `should_continue` is called.
const ASKED_EVERY: usize = 64;
/// How many branches of a side are distinguished when pairs are counted.
const MAX_BRANCHES: usize = 256;

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The search.
    Search,
    /// The caller.
    Caller,
}

/// A search and its inputs.
pub(crate) struct Search<'s, 'w> {
    /// The old side.
    pub(crate) old: &'s Side<'w>,
    /// The new side.
    pub(crate) new: &'s Side<'w>,
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'s Schema,
    /// What both read.
    pub(crate) reads: &'s Reads,
    /// Subresources that policies name.
    pub(crate) named: &'s [&'static Subresource],
    /// Parameters of policies that the caller gives.
    pub(crate) parameters: &'s [Value],
    /// What is compared.
    pub(crate) criterion: Criterion,
    /// Whether a policy is asked before objects are validated, as those are that change them.
    pub(crate) is_before: bool,
    /// How many requests are tried at most.
    pub(crate) budget: usize,
    /// Which operations are tried.
    pub(crate) operations: &'s [Operation],
    /// Takes how many requests were tried; says whether to go on.
    pub(crate) should_continue: &'s mut dyn FnMut(usize) -> bool,
    /// What was found so far.
    pub(crate) found: Found,
    /// Random numbers.
    pub(crate) random: Random,
}

/// An object that took a branch which none before has taken.
pub(crate) struct Frontier {
    /// The object.
    pub(crate) object: Value,
    /// How much of it fails, on both sides.
    pub(crate) failures: usize,
    /// How many values of each place were tried beside it.
    pub(crate) rank: usize,
}

/// What a search has found.
#[derive(Default)]
pub(crate) struct Found {
    /// The first request for each gap between kinds of policies, operation, direction and cause.
    pub(crate) differences: BTreeMap<noted::Key, Request>,
    /// How many requests were tried.
    pub(crate) tried: usize,
    /// How many of them a side could not decide.
    pub(crate) undecided: usize,
    /// How many rest on an answer that was not given.
    pub(crate) assumed: usize,
    /// How many requests were made up that no API server would let through.
    pub(crate) impossible: usize,
    /// Objects of the caller's that no API server could read.
    pub(crate) not_taken: Vec<String>,
    /// How many differ as written, and not with what an API server fills in.
    pub(crate) only_written: usize,
    /// Requests that mutants are tried on.
    pub(crate) remembered: Remembered,
    /// Whether `should_continue` ended the search.
    pub(crate) was_stopped: bool,
    /// How much fails of the last request, on both sides; `None` where it could not be.
    pub(crate) last_failures: Option<usize>,
    kept: Vec<Request>,
    /// Objects that took a branch which none before has taken, the last one last: what else is needed for the next one shows beside them.
    pub(crate) frontier: Vec<Frontier>,
    /// The branches of either side that were taken of each kind.
    taken: BTreeSet<u64>,
    /// Objects that show a difference as written alone: other defaults are filled into a template than into a Pod.
    pub(crate) suspects: Vec<Value>,
    /// Kinds, and the branches that both sides took of one of their objects.
    seen: BTreeSet<(Str, u64, u64)>,
    /// Branches of either side, and the pairs that were met.
    old_branches: BTreeSet<u64>,
    new_branches: BTreeSet<u64>,
    pairs: BTreeSet<(u64, u64)>,
    /// What was found since the search turned to a kind.
    turn: noted::Turn,
    /// How many requests of controllers were held against those of Pods: by their kind, operation, direction and causes.
    echoes: BTreeMap<(Str, Operation, Direction, u64), usize>,
    /// Objects that stand for the ways in which both sides decide about what is created.
    ways: updates::Ways,
}

impl Found {
    /// Whether a request takes a branch that none of its kind and operation has taken before.
    fn takes_new(&mut self, request: &Request, responses: [&Response; 2]) -> bool {
        let kind = mix(FNV, request.object.find_str(&["kind"]).as_bytes());
        let mut is_new = false;
        for (side, response) in responses.iter().enumerate() {
            let place = kind ^ u64::from(side > 0);
            for branch in response.branches.iter().take(MAX_TAKEN.saturating_sub(self.taken.len())) {
                is_new |= self.taken.insert(mix(place, &branch.to_le_bytes()));
            }
        }
        is_new
    }

    /// The objects of a kind that were kept.
    pub(crate) fn kept_of<'f>(&'f self, kind: &'f str) -> impl Iterator<Item = &'f Value> {
        let objects = self.kept.iter().map(|kept| &kept.object);
        objects.filter(move |object| object.find_str(&["kind"]) == kind)
    }

    /// How many branches either side has taken, pairs of them that were met, and pairs that were not.
    pub(crate) fn branches(&self) -> (usize, usize, usize, usize) {
        let (old, new) = (self.old_branches.len(), self.new_branches.len());
        (old, new, self.pairs.len(), (old * new).saturating_sub(self.pairs.len()))
    }
}

impl Search<'_, '_> {
    /// Searches through all kinds, beginning with these requests.
    pub(crate) fn run(&mut self, targets: &[Target], given: &[Value], first: Vec<Request>) {
        // Given objects and subresources have a room of their own.
        self.found.remembered.turn(1, 2);
        for request in first {
            self.try_one(request);
        }
        self.subresources(self.named, !targets.is_empty());
        for object in given {
            let request = self.bringing(object.clone());
            let before = self.found.impossible;
            self.try_as_it_is(request, Origin::Caller);
            if self.found.impossible > before {
                self.found.not_taken.push(described(object));
            }
        }
        // What is found on Pods is found on what makes them in few requests.
        let weight = |target: &Target| if target.kind == "Pod" { POD_SHARE } else { 1 };
        let whole: usize = targets.iter().map(weight).sum();
        let mut shared = 0;
        for (at, target) in targets.iter().enumerate() {
            shared += weight(target);
            let until = if at + 1 == targets.len() { self.budget } else { self.budget * shared / whole };
            self.found.remembered.turn(weight(target), whole);
            let until = if at == 0 { until } else { self.turn_to_another(until) };
            self.explore(target, targets, given, until);
            if self.found.was_stopped {
                return;
            }
        }
    }

    /// Turns to another kind, and says until when it may be looked at: not for long where a difference is known, which may lie in what the kinds
    /// have in common.
    fn turn_to_another(&mut self, until: usize) -> usize {
        if !self.found.has_any_difference() {
            return until;
        }
        self.found.begin_turn();
        (self.found.tried + self.found.impossible / 4 + MAX_OF_ANOTHER).min(self.budget)
    }

    /// The request that brings an object: it is made, or, where it has what no new object has, changed.
    pub(crate) fn bringing(&self, object: Value) -> Request {
        let before = (object.find_str(&["kind"]) == "Pod").then(|| without_ephemeral(&object)).flatten();
        let mut attributes = Attributes::creation();
        if before.is_some() && self.operations.contains(&Operation::Update) {
            attributes = Attributes { operation: Operation::Update, old: before, ..attributes };
        }
        Request { object, attributes }
    }

    /// The same, in every other case by a user whom a policy names, in a Namespace that it names, or as another operation.
    pub(crate) fn with_attributes(&mut self, object: Value, all: &[Attributes]) -> Request {
        let request = self.bringing(object);
        if all.is_empty() || self.random.below(2) == 0 {
            return request;
        }
        let mut attributes = self.random.of(all).cloned().unwrap_or_else(Attributes::creation);
        let operation = self.random.of(self.operations).copied().unwrap_or(request.attributes.operation);
        // What no new object has stays a change.
        if request.attributes.operation == Operation::Create && operation != Operation::Create {
            attributes.old = Some(request.object.clone());
            attributes.operation = operation;
        } else {
            attributes.old = request.attributes.old;
            attributes.operation = request.attributes.operation;
        }
        Request { object: request.object, attributes }
    }

    /// The attributes that rows and changes are tried in; none where no policy asks for any.
    pub(crate) fn attributes_to_try(&self) -> Vec<Attributes> {
        let mut all = named_attributes(self.reads);
        if !all.is_empty() || self.reads.asks_operation || self.operations.contains(&Operation::Delete) {
            all.push(Attributes::creation());
        }
        all
    }

    /// Puts a request that an API server could take to both sides; whether it took a new pair of branches.
    pub(crate) fn try_one(&mut self, mut request: Request) -> bool {
        complete(&mut request.object, self.schema);
        request.attributes.old.iter_mut().for_each(|old| complete(old, self.schema));
        settle(&mut request);
        self.try_as_it_is(request, Origin::Search)
    }

    /// The same for a request as it is. A Pod to which ephemeral containers are added is tried as one that has them as well: policies that are
    /// not asked about `pods/ephemeralcontainers` meet them then.
    fn try_as_it_is(&mut self, request: Request, origin: Origin) -> bool {
        let with_them = request.adds_ephemeral().then(|| {
            let old = Some(request.object.clone());
            Request { attributes: Attributes { old, ..request.attributes.clone() }, ..request.clone() }
        });
        let is_new = self.put_to_both(request, origin);
        let Some(with_them) = with_them else { return is_new };
        let failures = self.found.last_failures;
        let is_also_new = self.put_to_both(with_them, origin);
        self.found.last_failures = self.found.last_failures.max(failures);
        is_new || is_also_new
    }

    /// An object of the caller's is as it is: a file need not be what an API server takes.
    fn put_to_both(&mut self, mut request: Request, origin: Origin) -> bool {
        leave_out(&mut request.object, self.schema);
        request.attributes.old.iter_mut().for_each(|old| leave_out(old, self.schema));
        let request = self.in_cluster(request);
        self.found.last_failures = None;
        let is_valid = || origin == Origin::Caller || is_valid(&request, self.is_before, self.schema);
        if !is_admissible(&request, self.schema) || !is_valid() {
            self.found.impossible += 1;
            return false;
        }
        self.evaluate_both(request, origin)
    }

    /// What is compared.
    pub(crate) fn basis(&self) -> Basis<'_> {
        Basis::of(self.criterion, self.schema, [self.old, self.new])
    }

    fn evaluate_both(&mut self, request: Request, origin: Origin) -> bool {
        let old = self.old.evaluate(&request, Depth::Branches);
        let new = self.new.evaluate(&request, Depth::Branches);
        let found = &mut self.found;
        found.tried += 1;
        found.last_failures = Some(old.failures + new.failures);
        found.undecided += usize::from(is_undecided(&old, &new));
        found.assumed += usize::from(old.is_assumed || new.is_assumed);
        let direction = difference(&old, &new, self.basis(), &request.object);
        let lasting =
            direction.filter(|direction| self.is_lasting(&request, [&old, &new], *direction, origin));
        if let Some(direction) = lasting {
            self.note_difference(&request, [&old, &new], direction, origin);
        }
        let is_of_files = self.basis().has_objects
            && direction.is_none()
            && !is_undecided(&old, &new)
            && differ_as_written(&old, &new, &request.object);
        let found = &mut self.found;
        found.only_written += usize::from(is_of_files);
        if direction.is_some() && lasting.is_none() {
            found.only_written += 1;
            if found.suspects.len() < MAX_SUSPECTS {
                found.suspects.push(request.object.clone());
            }
        }
        if found.tried.is_multiple_of(ASKED_EVERY) && !(self.should_continue)(found.tried) {
            found.was_stopped = true;
        }
        let (is_before, schema) = (self.is_before, self.schema);
        found.note_way(&request, [&old, &new], || !is_before || is_valid(&request, false, schema));
        let kind = Str::new(request.object.find_str(&["kind"]));
        let is_new = found.seen.insert((kind, old.signature, new.signature));
        found.remembered.take(&request, [old.signature, new.signature]);
        if is_new {
            note_branches(found, &old, &new);
            if found.takes_new(&request, [&old, &new]) && found.frontier.len() < MAX_FRONTIER {
                let failures = old.failures + new.failures;
                found.frontier.push(Frontier { object: request.object.clone(), failures, rank: 0 });
            }
            if found.kept.len() < MAX_KEPT {
                found.kept.push(request);
            }
        }
        is_new
    }

    pub(crate) fn is_over(&self, until: usize) -> bool {
        let found = &self.found;
        found.was_stopped
            || found.tried + found.impossible / 4 >= until.min(self.budget)
            || found.turn.is_over(found.tried, [PATIENCE, PATIENCE_FOR_WIDER])
    }

    /// Several changes at once to what was kept.
    fn several(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let attributes = self.attributes_to_try();
        while !self.is_over(until) && !cells.is_empty() {
            let Some(object) = self.some_kept(kind) else { return };
            let object = self.changed(object, cells, 3);
            let request = self.with_attributes(object, &attributes);
            self.try_one(request);
        }
    }

    pub(crate) fn changed(&mut self, mut object: Value, cells: &[Cells], most: usize) -> Value {
        for _ in 0..=self.random.below(most) {
            if let Some(cells) = self.random.of(cells) {
                let cells = cells.clone();
                self.change(&mut object, &cells);
            }
        }
        self.copy_linked(&mut object);
        if self.reads.asks_order && self.random.below(TURNED_ONE_IN) == 0 {
            order::turn(&mut object, &mut self.random);
        }
        object
    }

    /// In every third case makes two values equal, or nearly so, that are held against each other.
    pub(crate) fn copy_linked(&mut self, object: &mut Value) {
        if self.reads.links.is_empty() || self.random.below(3) != 0 {
            return;
        }
        let at = self.random.below(self.reads.links.len());
        if let Some(link) = self.reads.links.iter().nth(at) {
            links::copy(object, link, &mut self.random, self.schema);
        }
    }

    /// A request that was kept for this kind; the last ones more often.
    fn some_kept(&mut self, kind: &str) -> Option<Value> {
        let count = self.found.kept_of(kind).count();
        let at = self.random.below(count).max(self.random.below(count));
        self.found.kept_of(kind).nth(at).cloned()
    }

    pub(crate) fn change(&mut self, object: &mut Value, cells: &Cells) {
        let which = match self.random.below(3) {
            0 => Elements::Further,
            1 => Elements::All,
            _ => Elements::First,
        };
        if let Some(value) = self.random.of(&cells.values) {
            put(object, &cells.path, value.as_ref(), which, self.schema);
        }
    }
}

/// An object by its kind and name.
fn described(object: &Value) -> String {
    let name = match object.find(&["metadata", "name"]) {
        Some(Value::String(name)) => name.to_string(),
        Some(other) => format!("{} (not a string)", engine_json::to_json(other)),
        None => "without a name".to_owned(),
    };
    format!("{} {name}", object.find_str(&["kind"]))
}

fn note_branches(found: &mut Found, old: &Response, new: &Response) {
    let keep = |known: &mut BTreeSet<u64>, branches: &[u64]| {
        for branch in branches {
            if known.len() < MAX_BRANCHES {
                known.insert(*branch);
            }
        }
    };
    keep(&mut found.old_branches, &old.branches);
    keep(&mut found.new_branches, &new.branches);
    for one in old.branches.iter().filter(|one| found.old_branches.contains(one)) {
        for other in new.branches.iter().filter(|other| found.new_branches.contains(other)) {
            found.pairs.insert((*one, *other));
        }
    }
}
