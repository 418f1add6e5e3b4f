//! Both sides of an object.
//!
//! In: an object, or all objects for the policies that look at them at the end. Out: how the sides decide it otherwise, rule by rule.

use crate::class::{Class, classify};
use crate::diff::diff;
use crate::facts::{Fact, Said, Undecided, Verdict};
use crate::sides::Sides;
use engine::Bundle;
use engine::apply::{Directory, Driver, Locations, Options, Phase, Recording, cleanup};
use engine::resource::Resource;
use engine::world::World;
use engine_json::Value;
use std::collections::BTreeMap;

/// So many objects are evaluated by one side before the other: the policies of one alone are what a processor keeps near.
const AT_ONCE: usize = 16;

/// How a rule decides an object otherwise.
#[derive(Clone, Debug)]
pub struct Change {
    /// How.
    pub class: Class,
    /// The policy, by its pair.
    pub pair: usize,
    /// The rule as written; empty for a policy without rules, and where the object is left otherwise.
    pub rule: String,
    /// What the old side and the new one said; nothing where the rule did not speak.
    pub verdicts: [Option<Verdict>; 2],
    /// What is left or made, as lines that go and lines that come; else empty.
    pub diff: String,
}

/// What came of both sides.
#[derive(Debug, Default)]
pub struct Judged {
    /// How they decide otherwise.
    pub changes: Vec<Change>,
    /// What could not be decided by the new side, or by the old one alone.
    pub undecided: Vec<Undecided>,
    /// The policies that changed and spoke, by their pairs.
    pub spoke: Vec<usize>,
}

/// The objects that policies may look up, by side.
pub struct Tables<'a> {
    narrow: [Directory<'a>; 2],
    rest: Option<[Directory<'a>; 2]>,
}

impl<'a> Tables<'a> {
    /// Those of the bundles.
    pub fn of(sides: &'a Sides) -> Self {
        let of = |bundles: &'a [Bundle; 2]| bundles.each_ref().map(Directory::of);
        Tables { narrow: of(&sides.narrow), rest: sides.rest.as_ref().map(of) }
    }
}

/// How a run decides, without steps and places: those of what is shown are looked up again.
fn options(sides: &Sides) -> Options {
    let [_, new] = &sides.narrow;
    Options { host: new.host, trace: Recording::Off, places: Locations::Omit }
}

/// Evaluates objects by both sides; a thread has one of its own.
pub struct Judge<'a> {
    sides: &'a Sides,
    narrow: [Driver<'a>; 2],
    rest: Option<[Driver<'a>; 2]>,
}

/// The options that judges share: they are borrowed for as long as one of them is there.
pub struct Rules(Options);

impl Rules {
    /// Those of these sides.
    pub fn of(sides: &Sides) -> Self {
        Rules(options(sides))
    }
}

impl<'a> Judge<'a> {
    /// A judge with the policies of both sides.
    pub fn new(sides: &'a Sides, tables: &'a Tables<'a>, world: &'a dyn World, rules: &'a Rules) -> Self {
        let drivers = |[old, new]: &'a [Bundle; 2], [old_table, new_table]: &'a [Directory<'a>; 2]| {
            [(old, old_table), (new, new_table)]
                .map(|(bundle, table)| Driver::new(bundle, table, world, &rules.0))
        };
        let rest = sides.rest.as_ref().zip(tables.rest.as_ref());
        Judge {
            sides,
            narrow: drivers(&sides.narrow, &tables.narrow),
            rest: rest.map(|(bundles, tables)| drivers(bundles, tables)),
        }
    }

    /// How the sides decide each of these objects otherwise, in their order.
    pub fn judge<'r>(&'r self, resources: &'r [Resource]) -> impl Iterator<Item = (&'r Resource, Judged)> {
        resources.chunks(AT_ONCE).flat_map(|chunk| self.several(chunk))
    }

    fn several<'r>(&self, resources: &'r [Resource]) -> Vec<(&'r Resource, Judged)> {
        let [old, new] = said(&self.sides.narrow, &self.narrow, &self.sides.narrow_pairs, resources);
        let sides = old.into_iter().zip(new);
        resources
            .iter()
            .zip(sides)
            .map(|(resource, (old, new))| (resource, self.one(resource, old, new)))
            .collect()
    }

    fn one(&self, resource: &Resource, mut old: Said, mut new: Said) -> Judged {
        // Policies that change objects see what those before them left, and validation what all of them left.
        let is_left_alike = old.steps == new.steps;
        let rest = self.rest.as_ref().zip(self.sides.rest.as_ref()).filter(|_| !is_left_alike);
        if let Some((drivers, bundles)) = rest {
            let more = said(bundles, drivers, &self.sides.rest_pairs, std::slice::from_ref(resource));
            for (said, more) in [&mut old, &mut new].into_iter().zip(more.into_iter().flatten()) {
                said.facts.extend(more.facts);
                said.undecided.extend(more.undecided);
            }
        }
        let mut judged = Judged::default();
        if old.left != new.left {
            judged.changes.push(self.left(&old, &new, resource));
        }
        held_against(self.sides, [old, new], is_left_alike, &mut judged);
        judged
    }

    /// That the object is left otherwise, by the first policy that changed and changes it on one of the sides.
    fn left(&self, old: &Said, new: &Said, resource: &Resource) -> Change {
        let is_changed =
            |pair: &&usize| self.sides.pairs.get(**pair).is_some_and(|pair| pair.change.is_some());
        let all = || new.steps.iter().chain(&old.steps).map(|(pair, _)| pair);
        let pair = all().find(is_changed).or(all().next()).copied().unwrap_or(usize::MAX);
        let [before, after] = [old, new].map(|said| said.left.as_ref().unwrap_or(&resource.value));
        let diff = diff([std::slice::from_ref(before), std::slice::from_ref(after)]);
        Change { class: Class::Mutated, pair, rule: String::new(), verdicts: [None, None], diff }
    }
}

/// What both sides say of objects.
fn said(
    [old, new]: &[Bundle; 2],
    [old_driver, new_driver]: &[Driver<'_>; 2],
    [old_pairs, new_pairs]: &[Vec<Option<usize>>; 2],
    resources: &[Resource],
) -> [Vec<Said>; 2] {
    [Said::of(old, old_driver, old_pairs, resources), Said::of(new, new_driver, new_pairs, resources)]
}

/// Holds what two sides said against one another. Where they leave the object alike, policies that did not change say the same.
fn held_against(sides: &Sides, [old, new]: [Said; 2], is_left_alike: bool, judged: &mut Judged) {
    let counts =
        |pair: usize| !is_left_alike || sides.pairs.get(pair).is_some_and(|pair| pair.change.is_some());
    let mut by_pair: BTreeMap<usize, [Vec<Fact>; 2]> = BTreeMap::new();
    // What the new side could not decide comes first.
    for (side, said) in [(1, new), (0, old)] {
        judged.undecided.extend(said.undecided.into_iter().filter(|one| counts(one.pair)));
        for fact in said.facts.into_iter().filter(|fact| counts(fact.pair)) {
            let [before, after] = by_pair.entry(fact.pair).or_default();
            (if side == 0 { before } else { after }).push(fact);
        }
    }
    for (pair, facts) in by_pair {
        judged.spoke.push(pair);
        of_policy(facts, &mut judged.changes);
    }
}

/// Holds what one policy said against what it said before.
fn of_policy([mut before, after]: [Vec<Fact>; 2], changes: &mut Vec<Change>) {
    let mut rest = Vec::new();
    for fact in after {
        let is_twin = |other: &Fact| (other.rule_type, &other.rule) == (fact.rule_type, &fact.rule);
        match before.iter().position(is_twin) {
            Some(at) => changes.extend(change(Some(before.remove(at)), Some(fact))),
            None => rest.push(fact),
        }
    }
    // A rule that has another name and decides the same is the same rule.
    for fact in rest {
        let is_renamed = |other: &Fact| {
            other.rule_type == fact.rule_type
                && (other.verdict.status, other.verdict.effect) == (fact.verdict.status, fact.verdict.effect)
        };
        let twin = before.iter().position(is_renamed).map(|at| before.remove(at));
        changes.extend(change(twin, Some(fact)));
    }
    changes.extend(before.into_iter().filter_map(|fact| change(Some(fact), None)));
}

/// What became of a rule.
fn change(old: Option<Fact>, new: Option<Fact>) -> Option<Change> {
    let is_renamed = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| old.rule != new.rule);
    let class = match classify(old.as_ref(), new.as_ref()) {
        None if is_renamed => Class::Message,
        class => class?,
    };
    let made = |fact: Option<&Fact>| -> Vec<Value> {
        fact.map(|fact| fact.generated.iter().chain(&fact.target).cloned().collect()).unwrap_or_default()
    };
    let diff = match class {
        Class::Generated | Class::Mutated => diff([&made(old.as_ref()), &made(new.as_ref())]),
        _ => String::new(),
    };
    let fact = new.as_ref().or(old.as_ref())?;
    let (pair, rule) = (fact.pair, fact.rule.to_string());
    Some(Change { class, pair, rule, verdicts: [old, new].map(|fact| fact.map(|fact| fact.verdict)), diff })
}

/// How the policies that look at all objects at the end decide otherwise: those that delete, and those that look at images as they were given. By the
/// place of the object in the bundles, whose objects are the same.
pub fn afterwards(sides: &Sides, world: &dyn World) -> Vec<(usize, Judged)> {
    let is_asked = |bundle: &Bundle| bundle.policies.iter().any(is_at_end);
    if !sides.narrow.iter().any(is_asked) {
        return Vec::new();
    }
    let mut said: BTreeMap<usize, [Said; 2]> = BTreeMap::new();
    let options = options(sides);
    for (side, (bundle, pairs)) in sides.narrow.iter().zip(&sides.narrow_pairs).enumerate() {
        cleanup(bundle, world, &options, |result| {
            let Some(resource) = bundle.resources.get(result.resource) else { return };
            let [old, new] = said.entry(result.resource).or_default();
            (if side == 0 { old } else { new }).add(bundle, pairs, resource, result);
        });
    }
    let judged = |(at, said)| {
        let mut judged = Judged::default();
        held_against(sides, said, true, &mut judged);
        (at, judged)
    };
    said.into_iter().map(judged).collect()
}

fn is_at_end(policy: &engine::policy::Policy) -> bool {
    let body = policy.body.as_ref().map(|body| body.phase());
    matches!(body, Some(Phase::Cleanup | Phase::VerifyImages))
        || policy.rules.iter().any(|rule| matches!(rule.body, engine::policy::Body::Cleanup(_)))
}
