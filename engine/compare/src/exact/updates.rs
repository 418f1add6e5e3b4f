//! Every update put to both engines.
//!
//! In: the cases of a kind, and how both sides decide about them as new objects. Out: nothing, or the end of the proof.
//! An update is a case together with objects as they were: one for each way in which both sides decide about an object that is created, as
//! the fragment knows the old object by no other way; where a selector looks at its labels, all objects. Updates that no API server takes,
//! such as of most fields of a Pod, are tried too: what is decided the same of all is decided the same of fewer.
//! Ephemeral containers are added by a request for a subresource of its own, which changes nothing else (Kubernetes:
//! `podEphemeralContainersStrategy`): for each case the old Pod has every part of its list that may have been there before.

use crate::exact::Proof;
use crate::exact::cases::{Cases, End, decided};
use crate::exact::plan::{Choice, Plan};
use crate::objects::admissible::plain_ephemeral;
use crate::objects::kinds::{EPHEMERAL_LIST, is_pod};
use crate::objects::schema::Schema;
use crate::request::{Attributes, Operation, Request};
use crate::sides::side::{Depth, Response};
use crate::sides::subresource::was_let_in;
use engine::body::Effect;
use engine_json::{Path, Str, Value};
use std::collections::BTreeMap;

/// How many objects as they were stand for one way of deciding about them.
const OLD_OF_EACH: usize = 2;
/// How many requests that add containers are looked at, and held against a random member.
const MAX_HELD: usize = 400;

/// What an update leaves as it is: the name, and in a Pod the ephemeral containers, which requests of their own add.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    namespace: Str,
    name: Str,
    ephemeral: String,
}

/// How both sides decide about an object that is created.
type Way = (Vec<(String, u8)>, Vec<(String, u8)>, [Effect; 2]);

/// Objects as they were.
#[derive(Default)]
pub(super) struct Before {
    of_each: BTreeMap<Kept, BTreeMap<Way, Vec<Value>>>,
    /// How many cases leave this as it is.
    cases: BTreeMap<Kept, usize>,
    /// How many requests add ephemeral containers.
    additions: usize,
}

impl Before {
    /// Keeps an object where it stands for others: the first ones of each way, or all.
    pub(super) fn keep(&mut self, object: Value, [old, new]: &[Response; 2], all: bool) {
        let rules = |response: &Response| {
            response.rules.iter().map(|(name, status)| (name.clone(), *status as u8)).collect::<Vec<_>>()
        };
        let kept = kept(&object);
        if is_pod(&object) {
            self.additions = self.additions.saturating_add(splits(&object).count());
        }
        *self.cases.entry(kept.clone()).or_default() += 1;
        let way = (rules(old), rules(new), [old.effect, new.effect]);
        let known = self.of_each.entry(kept).or_default().entry(way).or_default();
        if all || known.len() < OLD_OF_EACH {
            known.push(object);
        }
    }

    /// How many updates there are.
    fn count(&self) -> usize {
        let of = |(kept, ways): (&Kept, &BTreeMap<Way, Vec<Value>>)| {
            let olds: usize = ways.values().map(Vec::len).sum();
            olds.saturating_mul(self.cases.get(kept).copied().unwrap_or(0))
        };
        self.of_each.iter().map(of).fold(self.additions, usize::saturating_add)
    }

    fn of(&self, object: &Value) -> impl Iterator<Item = &Value> {
        self.of_each.get(&kept(object)).into_iter().flat_map(|ways| ways.values().flatten())
    }
}

impl Cases<'_, '_> {
    /// Tries all updates of a kind.
    pub(super) fn try_updates(
        &mut self,
        (plan, base): (&Plan, &Value),
        before: &Before,
        should_continue: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), End> {
        if before.count() > self.prover.max_cases.saturating_sub(self.shown) {
            return Err(End(Proof::Outside("more updates than are tried")));
        }
        let mut held = 0;
        for at in 0..plan.count() {
            if !should_continue(self.tried) {
                return Err(End(Proof::Stopped));
            }
            let object = self.object(plan, at, base, &mut Choice::Witness)?;
            for old in before.of(&object) {
                let old = Some(old.clone());
                let attributes = Attributes { operation: Operation::Update, old, ..Attributes::creation() };
                self.decide(&Request { object: object.clone(), attributes })?;
            }
            if is_pod(&object) {
                held = self.try_additions((plan, at, base), &object, held)?;
            }
        }
        Ok(())
    }

    /// Tries the requests that add ephemeral containers and leave this; `held` of them, and of those before, were held against a member.
    fn try_additions(
        &mut self,
        (plan, at, base): (&Plan, usize, &Value),
        object: &Value,
        mut held: usize,
    ) -> Result<usize, End> {
        let sides = self.prover.sides.each_ref();
        for split in splits(object) {
            let request = split.request(object, self.prover.schema);
            if !was_let_in(&request, sides) {
                continue;
            }
            let is_held = held < MAX_HELD && split.had.is_empty();
            let responses = self.respond(&request, if is_held { Depth::Reads } else { Depth::Decision })?;
            self.take(&request, &responses)?;
            if is_held {
                held += 1;
                self.look_at_reads(&responses)?;
                let mut random = self.random.clone();
                let member = self.object(plan, at, base, &mut Choice::Member(&mut random))?;
                self.random = random;
                let request = Split::all(&member).request(&member, self.prover.schema);
                let found = self.respond(&request, Depth::Decision)?;
                if responses.iter().zip(&found).any(|(one, other)| decided(one) != decided(other)) {
                    return Err(End(Proof::Outside("a case does not stand for its class")));
                }
            }
        }
        Ok(held)
    }
}

/// Which ephemeral containers of a Pod were there before, and which are added, by their places in the list. One may be both: another like
/// it was there.
#[derive(Clone, Debug, Default)]
struct Split {
    had: Vec<usize>,
    added: Vec<usize>,
}

impl Split {
    /// All are added.
    fn all(object: &Value) -> Self {
        Split { had: Vec::new(), added: (0..ephemeral(object).len()).collect() }
    }

    /// The request that adds them; a plain one where the Pod has none.
    fn request(&self, object: &Value, schema: &Schema) -> Request {
        let list = ephemeral(object);
        let pick = |places: &[usize]| -> Vec<Value> {
            places.iter().filter_map(|at| list.get(*at)).cloned().collect()
        };
        let had = pick(&self.had);
        let mut added = pick(&self.added);
        if added.is_empty() {
            added.push(plain_ephemeral(object, schema));
        }
        let with = |list: Vec<Value>| {
            let mut object = object.clone();
            let path = Path::from_keys(&["spec", EPHEMERAL_LIST]);
            object.put(&path, (!list.is_empty()).then(|| Value::array(list)));
            object
        };
        let old = with(had.clone());
        let new = with([had, added].concat());
        let attributes =
            Attributes { operation: Operation::Update, old: Some(old), ..Attributes::creation() };
        Request { object: new, attributes }
    }
}

/// All ways in which the list of a Pod may have come about by one request. A Pod without a list gets a plain container.
fn splits(object: &Value) -> impl Iterator<Item = Split> {
    let length = ephemeral(object).len();
    // Each place: was there, is added, or both.
    let all = (0..length).fold(1_usize, |all, _| all.saturating_mul(3));
    (0..all).filter_map(move |number| {
        let mut split = Split::default();
        let mut rest = number;
        for place in 0..length {
            if rest % 3 != 1 {
                split.had.push(place);
            }
            if rest % 3 != 0 {
                split.added.push(place);
            }
            rest /= 3;
        }
        (length == 0 || !split.added.is_empty()).then_some(split)
    })
}

fn ephemeral(object: &Value) -> &[Value] {
    object.find(&["spec", EPHEMERAL_LIST]).and_then(Value::as_array).unwrap_or_default()
}

/// Whether a Pod has containers that are added while it runs.
pub(super) fn has_ephemeral(object: &Value) -> bool {
    is_pod(object) && object.find(&["spec", EPHEMERAL_LIST]).is_some()
}

fn kept(object: &Value) -> Kept {
    let text = |key| Str::new(object.find_str(&["metadata", key]));
    let list = if is_pod(object) { object.find(&["spec", EPHEMERAL_LIST]) } else { None };
    Kept {
        namespace: text("namespace"),
        name: text("name"),
        ephemeral: list.map(engine_json::to_json).unwrap_or_default(),
    }
}
