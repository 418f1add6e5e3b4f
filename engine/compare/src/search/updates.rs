//! Updates from any object to any other, as far as the policies tell them apart; and deletions of each.
//!
//! In: objects of a kind that were created, one or two for each way in which both sides decide about them. Out: updates between any two
//! ways, the same object on both sides among them, and deletions, by any user and by those whom policies name. What is decided of a Pod when
//! it is created may be decided of a controller when its template changes alone: of a Pod that is there, most fields never change.

use crate::objects::kinds::CONTROLLERS;
use crate::reads::field_path::{Elements, FieldPath, put};
use crate::request::{Attributes, Operation, Request};
use crate::search::asking::named_attributes;
use crate::search::attributes::same_name;
use crate::search::cells::{CellInputs, Cells, cells};
use crate::search::{Found, Search};
use crate::sides::side::{FNV, Response, mix};
use engine_json::{Str, Value};
use std::collections::BTreeMap;

/// How many ways of one kind are told apart, and how many objects stand for each.
const MAX_WAYS: usize = 10;
const OF_EACH: usize = 2;
/// How many updates of one kind are tried, of those controllers that are looked at less, and by users whom policies name.
const MAX_UPDATES: usize = 220;
const FEWER_UPDATES: usize = 30;
const MAX_BY_USERS: usize = 120;
/// How many controllers stand for all variants of autogen.
const FULL_CONTROLLERS: usize = 2;
/// How many objects are changed in what is held against what it was, in how many places, between how many values.
const MAX_CHANGED: usize = 2;
const MAX_PLACES: usize = 4;
const MAX_STEPS: usize = 9;
/// In how many places the name of who asks is tried, and of how many users.
const MAX_OWN: usize = 2;
const MAX_OWNERS: usize = 2;
/// Numbers that are far from each other: bounds of how much one may change are between them.
const FAR: [i64; 5] = [1, 3, 5, 10, 100];

/// Objects of each kind, by how both sides decide about them where they are created.
#[derive(Default)]
pub(super) struct Ways(BTreeMap<Str, BTreeMap<u64, Vec<Value>>>);

impl Ways {
    /// The objects of a kind, the first of each way before the second of any.
    fn of(&self, kind: &str) -> Vec<Value> {
        let ways = self.0.get(kind);
        let at = |rank: usize| {
            ways.into_iter().flat_map(move |ways| ways.values().filter_map(move |known| known.get(rank)))
        };
        (0..OF_EACH).flat_map(at).cloned().collect()
    }
}

impl Found {
    /// Keeps an object that is created, where it stands for others.
    pub(super) fn note_way(
        &mut self,
        request: &Request,
        responses: [&Response; 2],
        is_stored: impl FnOnce() -> bool,
    ) {
        if request.attributes.operation != Operation::Create || request.attributes.of.is_some() {
            return;
        }
        let way = responses.iter().fold(FNV, |way, response| {
            let changes = [response.effect as u8, u8::from(response.object.is_some())];
            let way = mix(way, &changes);
            response
                .rules
                .iter()
                .fold(way, |way, (name, status)| mix(mix(way, name.as_bytes()), &[*status as u8]))
        });
        let ways = self.ways.0.entry(Str::new(request.object.find_str(&["kind"]))).or_default();
        if ways.len() == MAX_WAYS && !ways.contains_key(&way) {
            return;
        }
        let known = ways.get(&way).map_or(&[][..], Vec::as_slice);
        // What is updated is in a cluster already.
        if known.len() < OF_EACH && !known.contains(&request.object) && is_stored() {
            ways.entry(way).or_default().push(request.object.clone());
        }
    }
}

impl Search<'_, '_> {
    /// Updates and deletions of a kind, and of what makes Pods where it is that.
    pub(crate) fn updates(&mut self, kind: &str, until: usize) {
        self.updates_of(kind, MAX_UPDATES, until);
        self.each_to_each(kind, until);
        self.unread_changes(&self.found.ways.of(kind), until);
        self.by_those_named_in_it(kind, until);
        if kind != "Pod" || self.old.is_of_pods() || self.new.is_of_pods() {
            return;
        }
        for (at, (_, controller)) in CONTROLLERS.iter().enumerate() {
            let most = if at < FULL_CONTROLLERS { MAX_UPDATES } else { FEWER_UPDATES };
            self.updates_of(controller, most, until);
        }
    }

    fn updates_of(&mut self, kind: &str, most: usize, until: usize) {
        let all = self.found.ways.of(kind);
        let plain = Attributes::creation();
        let changes = |from: usize, to: usize| Some((all.get(from)?, all.get(to)?));
        // Near the front first: the first objects of each way, and the smallest ones among them.
        let mut pairs: Vec<(usize, usize)> =
            (0..all.len()).flat_map(|from| (0..all.len()).map(move |to| (from, to))).collect();
        pairs.sort_by_key(|(from, to)| from + to);
        pairs.truncate(most);
        for operation in [Operation::Update, Operation::Delete] {
            if !self.operations.contains(&operation) {
                continue;
            }
            let is_delete = operation == Operation::Delete;
            // What goes is what it was.
            for (from, to) in pairs.iter().filter(|(from, to)| !is_delete || from == to) {
                let Some((from, to)) = changes(*from, *to) else { continue };
                if self.is_over(until) {
                    return;
                }
                self.try_change(operation, from, to, &plain);
            }
        }
        self.updates_by_users(&all, &pairs, until);
    }

    /// Updates of one field alone, of which a policy asks what it was: from each of its values to each other one.
    fn each_to_each(&mut self, kind: &str, until: usize) {
        let places: Vec<FieldPath> =
            self.reads.of_old.iter().filter(|place| !place.is_empty()).take(MAX_PLACES).cloned().collect();
        if places.is_empty() || !self.operations.contains(&Operation::Update) {
            return;
        }
        let inputs = CellInputs { schema: self.schema, pool: &self.reads.pool };
        let known = self.found.ways.of(kind);
        let Some(first) = known.first() else { return };
        let mut all = cells(&self.reads.object, first.find_str(&["apiVersion"]), kind, &inputs);
        all.retain(|cells| places.contains(&cells.path));
        // What is held against what it was is there, mostly.
        let mut filled = first.clone();
        for cells in &all {
            let is_filled = |value: &&Value| !value.is_null() && value.as_str() != Some("");
            let value = cells.values.iter().flatten().find(is_filled);
            put(&mut filled, &cells.path, value, Elements::All, self.schema);
        }
        for base in std::iter::once(&filled).chain(known.iter().take(MAX_CHANGED)) {
            for cells in &all {
                if !self.change_between(base, cells, until) {
                    return;
                }
            }
        }
    }

    /// Creations and updates by a user whose name stands in the object, or stood there: a policy may let the owner change what is his.
    fn by_those_named_in_it(&mut self, kind: &str, until: usize) {
        let places: Vec<FieldPath> = self.reads.of_users.iter().take(MAX_OWN).cloned().collect();
        let known = self.found.ways.of(kind);
        let plain = Attributes::creation();
        let mut users = vec![plain.clone()];
        users.extend(named_attributes(self.reads).into_iter().filter(|by| by.user != plain.user));
        users.truncate(MAX_OWNERS);
        for (place, base) in
            places.iter().flat_map(|place| known.iter().take(MAX_CHANGED).map(move |base| (place, base)))
        {
            let names = users.iter().map(|by| Some(Value::from(by.user.username.as_str())));
            let values: Vec<Option<Value>> =
                [None, Some(Value::from("x"))].into_iter().chain(names).collect();
            let with = |value: &Option<Value>| {
                let mut object = base.clone();
                put(&mut object, place, value.as_ref(), Elements::All, self.schema);
                object
            };
            let objects: Vec<Value> = values.iter().map(with).collect();
            for by in &users {
                for object in &objects {
                    if self.is_over(until) {
                        return;
                    }
                    self.try_one(Request { object: object.clone(), attributes: by.clone() });
                    let others = objects.iter().filter(|other| *other != object);
                    for other in others.filter(|_| self.operations.contains(&Operation::Update)) {
                        self.try_change(Operation::Update, other, object, by);
                    }
                }
            }
        }
    }

    /// Updates of one place from each of its values to each other one; whether there is time for more.
    fn change_between(&mut self, base: &Value, cells: &Cells, until: usize) -> bool {
        let with = |value: &Option<Value>| {
            let mut object = base.clone();
            put(&mut object, &cells.path, value.as_ref(), Elements::All, self.schema);
            object
        };
        let objects: Vec<Value> = steps(cells).iter().map(with).collect();
        for (from, to) in objects.iter().flat_map(|from| objects.iter().map(move |to| (from, to))) {
            if self.is_over(until) {
                return false;
            }
            if from != to {
                self.try_change(Operation::Update, from, to, &Attributes::creation());
            }
        }
        true
    }

    /// The same by users and in Namespaces that policies name: who asks may only matter where something becomes wrong, or right.
    fn updates_by_users(&mut self, all: &[Value], pairs: &[(usize, usize)], until: usize) {
        let by = named_attributes(self.reads);
        if by.is_empty() || !self.operations.contains(&Operation::Update) {
            return;
        }
        let unlike = pairs.iter().filter(|(from, to)| from != to);
        let tries = unlike.flat_map(|pair| by.iter().map(move |attributes| (pair, attributes)));
        for ((from, to), attributes) in tries.take(MAX_BY_USERS) {
            let (Some(from), Some(to)) = (all.get(*from), all.get(*to)) else { continue };
            if self.is_over(until) {
                return;
            }
            self.try_change(Operation::Update, from, to, attributes);
        }
    }

    /// An update of one object to another by a user whom no policy names.
    pub(super) fn update(&mut self, from: &Value, to: &Value) {
        self.try_change(Operation::Update, from, to, &Attributes::creation());
    }

    fn try_change(&mut self, operation: Operation, from: &Value, to: &Value, by: &Attributes) {
        let old = Some(same_name(from.clone(), to));
        let attributes = Attributes { operation, old, ..by.clone() };
        self.try_one(Request { object: to.clone(), attributes });
    }
}

/// The values of a field between which it is changed.
fn steps(cells: &Cells) -> Vec<Option<Value>> {
    let is_number = |value: &Option<Value>| value.as_ref().is_some_and(|value| value.as_number().is_some());
    let far = FAR.iter().map(|number| Some(Value::from(*number)));
    let far = far.filter(|_| cells.values.iter().any(is_number));
    let mut found: Vec<Option<Value>> = Vec::new();
    for value in far.chain(cells.values.iter().cloned()) {
        if found.len() < MAX_STEPS && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
