//! The smallest request that still shows a difference.
//!
//! In: a request on which two sides differ. Out: one with nothing in it that could be left out: each field is taken away in turn, and
//! stays away where the difference stays. What an API server asks of every object stays.

use crate::cause::{NO_CAUSE, causes_of};
use crate::difference::{Basis, Criterion, Direction, difference};
use crate::objects::admissible::is_admissible;
use crate::objects::schema::Schema;
use crate::objects::valid::{is_stored_by_one, is_valid};
use crate::reads::field_path::{keys_of, paths};
use crate::request::{Attributes, Operation, Request};
use crate::search::cluster::smaller;
use crate::search::echo::plainer_kinds;
use crate::sides::side::{Depth, Response, Side};
use crate::sides::subresource::was_let_in;
use engine_json::Path;

/// How many requests are tried for one difference.
const MAX_TRIES: usize = 1_500;

/// What a difference is shrunk by.
pub(crate) struct Shrinker<'s, 'w> {
    /// The old side.
    pub(crate) old: &'s Side<'w>,
    /// The new side.
    pub(crate) new: &'s Side<'w>,
    /// What is compared.
    pub(crate) criterion: Criterion,
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'s Schema,
}

/// What stays while a request becomes smaller.
#[derive(Clone, Copy)]
struct Shown {
    direction: Direction,
    /// The rule that holds up the request, with its lines.
    cause: u64,
    /// Whether an API server takes the object.
    is_valid: bool,
    /// Whether it stores what one side leaves of it.
    is_stored: bool,
    /// Whether it shows on this kind of controllers, and not on its template alone.
    is_of_kind: bool,
}

impl Shrinker<'_, '_> {
    /// The smallest request; one that an API server takes, where the first one is, also if the policies change it before.
    pub(crate) fn smallest(&self, request: &Request, direction: Direction, cause: u64) -> Request {
        let direction = Shown {
            direction,
            cause,
            is_valid: is_valid(request, false, self.schema),
            is_stored: self.is_stored(request),
            is_of_kind: !self.shows_plainer(request, direction),
        };
        let mut best = self.plainer(request.clone(), direction);
        let mut tries = 0;
        loop {
            let mut is_smaller = false;
            // Deep places last, so that whole branches go first; the last elements of a list before the first.
            let mut all = paths(&best.object);
            all.sort_by_key(|path| (path.len(), std::cmp::Reverse(path.clone())));
            for path in all {
                if tries == MAX_TRIES {
                    return best;
                }
                if is_needed(&path) || best.object.at_path(path.iter()).is_none() {
                    continue;
                }
                tries += 1;
                let mut smaller = best.clone();
                smaller.object.put(&path, None);
                if let Some(old) = smaller.attributes.old.as_mut() {
                    old.put(&path, None);
                }
                if self.still(&smaller, direction) {
                    best = smaller;
                    is_smaller = true;
                }
            }
            for smaller in smaller(&best) {
                tries += 1;
                if tries < MAX_TRIES && self.still(&smaller, direction) {
                    best = smaller;
                    is_smaller = true;
                    break;
                }
            }
            if !is_smaller {
                return best;
            }
        }
    }

    fn is_stored(&self, request: &Request) -> bool {
        let [old, new] = [self.old, self.new].map(|side| side.evaluate(request, Depth::Decision));
        is_stored_by_one(request, [&old, &new], self.schema)
    }

    fn still(&self, request: &Request, shown: Shown) -> bool {
        let direction = shown.direction;
        if !is_admissible(request, self.schema) || shown.is_valid && !is_valid(request, false, self.schema) {
            return false;
        }
        let basis = Basis::of(self.criterion, self.schema, [self.old, self.new]);
        let sides = [self.old, self.new];
        let differ = |[old, new]: &[Response; 2], request: &Request| {
            difference(old, new, basis, &request.object) == Some(direction)
        };
        let left = sides.map(|side| side.evaluate(request, Depth::Decision));
        if !differ(&left, request) {
            return false;
        }
        let defaulted = request.defaulted(sides);
        let depth = if shown.cause == NO_CAUSE { Depth::Decision } else { Depth::Branches };
        let responses = sides.map(|side| side.evaluate(&defaulted, depth));
        differ(&responses, &defaulted)
            && (shown.cause == NO_CAUSE || causes_of(&responses, direction).contains(&shown.cause))
            && was_let_in(request, sides)
            && (!shown.is_stored || is_stored_by_one(request, left.each_ref(), self.schema))
            && (!shown.is_of_kind || !self.shows_plainer(request, direction))
    }

    /// Whether the same request about a plainer kind shows this too.
    fn shows_plainer(&self, request: &Request, direction: Direction) -> bool {
        plainer_kinds(request, self.schema).iter().any(|plainer| {
            is_admissible(plainer, self.schema)
                && is_valid(plainer, false, self.schema)
                && self.differs(plainer, direction)
        })
    }

    /// Whether the sides differ in this way, with what an API server fills in too.
    fn differs(&self, request: &Request, direction: Direction) -> bool {
        let basis = Basis::of(self.criterion, self.schema, [self.old, self.new]);
        [request, &request.defaulted([self.old, self.new])].into_iter().all(|request| {
            let old = self.old.evaluate(request, Depth::Decision);
            let new = self.new.evaluate(request, Depth::Decision);
            difference(&old, &new, basis, &request.object) == Some(direction)
        })
    }

    /// The same object with plainer attributes, where they do not matter.
    fn plainer(&self, request: Request, direction: Shown) -> Request {
        let cluster = request.attributes.cluster.clone();
        let of = request.attributes.of;
        let operation = of.map_or(Operation::Create, |of| of.operation);
        let plain = Attributes { operation, of, cluster, ..Attributes::creation() };
        let created = Request { attributes: plain, ..request.clone() };
        if self.still(&created, direction) {
            return created;
        }
        let mut best = request;
        let with = |change: &dyn Fn(&mut Attributes)| {
            let mut plainer = best.clone();
            change(&mut plainer.attributes);
            plainer
        };
        let mut tries = vec![
            with(&|attributes| attributes.labels.clear()),
            with(&|attributes| attributes.is_dry_run = false),
            with(&|attributes| attributes.user = Attributes::creation().user),
        ];
        if best.attributes.operation == Operation::Update {
            let unchanged = best.object.clone();
            tries.push(with(&|attributes| attributes.old = Some(unchanged.clone())));
        }
        if let Some(plainer) = tries.into_iter().find(|plainer| self.still(plainer, direction)) {
            best = plainer;
        }
        best
    }
}

/// What every object has.
fn is_needed(path: &Path) -> bool {
    let keys = keys_of(path);
    matches!(
        keys.as_slice(),
        ["apiVersion" | "kind" | "metadata" | "spec"]
            | ["metadata", "name" | "namespace"]
            | [.., "containers" | "initContainers" | "ephemeralContainers", "[]", "name" | "image"]
            | [.., "containers" | "template" | "jobTemplate"]
            | [.., "template", "spec"]
            | ["spec", "jobTemplate", "spec"]
    )
}
