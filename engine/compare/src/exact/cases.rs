//! Every case put to both engines.
//!
//! In: the plans of the kinds. Out: [`Proof`]. What an update is put together of is told in `updates`.

use crate::difference::{Basis, difference, is_undecided};
use crate::exact::asked::{Asked, Outside};
use crate::exact::plan::{Choice, Plan};
use crate::exact::updates::{self, Before};
use crate::exact::{Proof, Prover};
use crate::objects::kinds::Target;
use crate::reads::field_path::keys_of;
use crate::request::{Attributes, Operation, Request};
use crate::search::random::Random;
use crate::sides::side::{Depth, Response};
use engine::apply::Status;
use engine::body::Effect;
use engine_json::{Path, Segment, Value};
use std::collections::BTreeMap;

/// After how many cases `should_continue` is called.
const ASKED_EVERY: usize = 64;
/// Of how many cases of a kind it is looked at what the engines read.
const MAX_LOOKED_AT: usize = 400;
/// How many cases of a kind are held against a random member at least, where there are so many.
const MEMBERS: usize = 2_000;

/// The cases of two sides.
pub(crate) struct Cases<'p, 'w> {
    pub(crate) prover: &'p Prover<'p, 'w>,
    /// What is asked of the kind at hand.
    pub(crate) asked: Asked,
    /// Whether an update is for a policy by the labels of the object as it was.
    pub(crate) selects_objects: bool,
    /// How many requests were evaluated.
    pub(crate) tried: usize,
    /// How many of them are cases.
    pub(crate) shown: usize,
    /// Random members.
    pub(crate) random: Random,
}

/// Random members of classes.
#[derive(Clone, Debug, Default)]
pub struct Members {
    /// How many there were.
    pub drawn: usize,
    /// A case and a member of its class that is decided otherwise.
    pub against: Option<(Value, Value)>,
}

/// The end of it before all cases were tried.
pub(super) struct End(pub(super) Proof);

impl Cases<'_, '_> {
    /// Tries all cases of all kinds.
    pub(crate) fn try_all(
        &mut self,
        kinds: &[Target],
        should_continue: &mut dyn FnMut(usize) -> bool,
    ) -> Proof {
        let mut plans = Vec::new();
        let mut all = 0_usize;
        for target in kinds {
            let made = self.prover.asked(&target.kind);
            let made = made.and_then(|asked| self.prover.plan(target, &asked).map(|plan| (asked, plan)));
            match made {
                Err(outside) => return Proof::Outside(outside),
                Ok((asked, (plan, base))) => {
                    let cases = plan.count().saturating_mul(self.prover.operations.len());
                    all = all.saturating_add(cases);
                    plans.push((asked, plan, base));
                }
            }
        }
        if all > self.prover.max_cases {
            return Proof::Outside("more cases than are tried");
        }
        for (asked, plan, base) in plans {
            self.asked = asked;
            if let Err(End(proof)) = self.try_kind(&plan, &base, should_continue) {
                return proof;
            }
        }
        Proof::Same(self.shown)
    }

    /// Holds random members of random classes against the cases that stand for them; how many there were, and the first that is decided
    /// otherwise.
    pub(crate) fn draw(&mut self, kinds: &[Target], count: usize) -> Result<Members, Outside> {
        let mut plans = Vec::new();
        for target in kinds {
            let asked = self.prover.asked(&target.kind)?;
            plans.push(self.prover.plan(target, &asked)?);
        }
        let mut members = Members::default();
        while members.drawn < count && !plans.is_empty() {
            let Some((plan, base)) = plans.get(self.random.below(plans.len())) else { break };
            let at = self.random.below(plan.count());
            let schema = self.prover.schema;
            let mut random = self.random.clone();
            let stands = plan.value(at, Some(base), schema, &mut Choice::Witness);
            let member = plan.value(at, Some(base), schema, &mut Choice::Member(&mut random));
            self.random = random;
            let (Some(stands), Some(member)) = (stands, member) else { break };
            members.drawn += 1;
            let [expected, found] = [&stands, &member].map(|object| {
                let request = Request::of(object.clone());
                self.prover.sides.each_ref().map(|side| side.evaluate(&request, Depth::Decision))
            });
            let is_same = expected.iter().zip(&found).all(|(one, other)| decided(one) == decided(other));
            if !is_same {
                members.against = Some((stands, member));
                break;
            }
        }
        Ok(members)
    }

    fn try_kind(
        &mut self,
        plan: &Plan,
        base: &Value,
        should_continue: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), End> {
        let count = plan.count();
        let operations = self.prover.operations;
        let (creates, updates, deletes) = (
            operations.contains(&Operation::Create),
            operations.contains(&Operation::Update),
            operations.contains(&Operation::Delete),
        );
        let members = (count / MEMBERS).max(1);
        let mut before = Before::default();
        for at in 0..count {
            if self.tried.is_multiple_of(ASKED_EVERY) && !should_continue(self.tried) {
                return Err(End(Proof::Stopped));
            }
            let object = self.object(plan, at, base, &mut Choice::Witness)?;
            let request = Request::of(object.clone());
            let depth = if at < MAX_LOOKED_AT { Depth::Reads } else { Depth::Decision };
            let responses = self.respond(&request, depth)?;
            // Containers that are added to running Pods are in no new one.
            if creates && !updates::has_ephemeral(&object) {
                self.take(&request, &responses)?;
            }
            self.look_at_reads(&responses)?;
            if at.is_multiple_of(members) {
                self.hold_against_member(plan, at, base, &responses)?;
            }
            if deletes {
                self.decide(&Request::deletion_of(object.clone(), &Attributes::creation()))?;
            }
            if updates {
                before.keep(object, &responses, self.selects_objects);
            }
        }
        if updates { self.try_updates((plan, base), &before, should_continue) } else { Ok(()) }
    }

    pub(super) fn object(
        &self,
        plan: &Plan,
        at: usize,
        base: &Value,
        choice: &mut Choice<'_>,
    ) -> Result<Value, End> {
        let made = plan.value(at, Some(base), self.prover.schema, choice);
        made.ok_or(End(Proof::Outside("a case that cannot be made")))
    }

    pub(super) fn respond(&mut self, request: &Request, depth: Depth) -> Result<[Response; 2], End> {
        self.tried += 1;
        let responses = self.prover.sides.each_ref().map(|side| side.evaluate(request, depth));
        let [old, new] = &responses;
        if is_undecided(old, new) || old.is_assumed || new.is_assumed {
            return Err(End(Proof::Outside("a case that is not decided")));
        }
        Ok(responses)
    }

    /// Takes a case, which is the end where it is not decided the same.
    pub(super) fn take(&mut self, request: &Request, [old, new]: &[Response; 2]) -> Result<(), End> {
        self.shown += 1;
        let Prover { criterion, schema, sides: [one, other], .. } = self.prover;
        let basis = Basis::of(*criterion, schema, [one, other]);
        match difference(old, new, basis, &request.object) {
            None => Ok(()),
            Some(_) => Err(End(Proof::Differs(Box::new(request.clone())))),
        }
    }

    pub(super) fn decide(&mut self, request: &Request) -> Result<(), End> {
        let responses = self.respond(request, Depth::Decision)?;
        self.take(request, &responses)
    }

    /// What the engines read is what was expected.
    pub(super) fn look_at_reads(&self, responses: &[Response; 2]) -> Result<(), End> {
        let mut paths = responses.iter().flat_map(|response| &response.reads);
        if paths.all(|path| is_expected(&self.asked, path)) {
            Ok(())
        } else {
            Err(End(Proof::Outside("the engines read more than was expected")))
        }
    }

    /// A random member of a class is decided as the case that stands for it.
    fn hold_against_member(
        &mut self,
        plan: &Plan,
        at: usize,
        base: &Value,
        expected: &[Response; 2],
    ) -> Result<(), End> {
        let mut random = self.random.clone();
        let member = self.object(plan, at, base, &mut Choice::Member(&mut random))?;
        self.random = random;
        let found = self.respond(&Request::of(member), Depth::Decision)?;
        let is_same = expected.iter().zip(&found).all(|(one, other)| decided(one) == decided(other));
        if is_same { Ok(()) } else { Err(End(Proof::Outside("a case does not stand for its class"))) }
    }
}

/// What a side decides.
pub(super) fn decided(response: &Response) -> (Effect, &BTreeMap<String, Status>) {
    (response.effect, &response.rules)
}

/// Whether a path leads to what is asked for.
fn is_expected(asked: &Asked, path: &Path) -> bool {
    let keys = keys_of(path);
    // What an object is called is looked at by every match.
    if matches!(
        keys.as_slice(),
        [] | ["kind" | "apiVersion" | "metadata"] | ["metadata", "name" | "namespace"]
    ) {
        return true;
    }
    let mut node = asked;
    for segment in path.iter() {
        let next = match segment {
            Segment::Key(key) => node.fields.get(key),
            Segment::Index(_) => node.each.as_deref(),
        };
        match next {
            Some(next) => node = next,
            // What is asked of a list or a map as a whole is asked of what is in it.
            None => return !node.tests.is_empty(),
        }
    }
    true
}
