//! The policies of both sides, and which of them changed.
//!
//! In: two bundles that were loaded alike. Out: [`Sides`]: pairs of policies by group, kind, namespace and name; bundles with what has to be evaluated
//! twice. A policy is the same where its document has the same value, and so have the exceptions and bindings that name it.

use engine::Bundle;
use engine::apply::{Phase, is_independent};
use engine::load::Host;
use engine::policy::{Body, Policy};
use engine::resource::{DocumentId, Gvk};
use engine_json::{Value, to_json};
use engine_lenses::wire::Text;
use std::collections::BTreeMap;

/// How a policy changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairChange {
    /// The old side has none of this name.
    Added,
    /// The new side has none.
    Removed,
    /// Both have one, and they differ.
    Changed,
    /// The policy is the same; its exceptions or bindings differ.
    Beside,
}

impl PairChange {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            PairChange::Added => "added",
            PairChange::Removed => "removed",
            PairChange::Changed => "changed",
            PairChange::Beside => "exceptions or bindings changed",
        }
    }
}

/// A policy on both sides.
#[derive(Clone, Debug)]
pub struct Pair {
    /// `group/Kind`.
    pub kind: String,
    /// `name`, or `namespace/name`.
    pub name: String,
    /// How it changed; nothing where it did not.
    pub change: Option<PairChange>,
    /// Its document on either side.
    pub documents: [Option<DocumentId>; 2],
    /// The value of the policy on either side, and what names it there.
    pub(crate) values: [Vec<Value>; 2],
    /// Its action on either side, where it is one for the whole policy.
    pub actions: [Option<String>; 2],
}

impl Pair {
    fn of(kind: String, name: String) -> Self {
        Pair {
            kind,
            name,
            change: None,
            documents: [None; 2],
            values: [Vec::new(), Vec::new()],
            actions: [None, None],
        }
    }

    /// The policy on either side, with the exceptions and bindings that name it there.
    pub fn texts(&self) -> [Vec<Text>; 2] {
        let text = |value: &Value| Text { name: self.name.clone(), text: to_json(value) };
        self.values.each_ref().map(|values| values.iter().map(text).collect())
    }
}

/// Both sides, ready to be evaluated.
pub struct Sides {
    /// All pairs, in the order of the new side; those that are removed last.
    pub pairs: Vec<Pair>,
    /// What is evaluated of each object: what changed, and what changes objects.
    pub(crate) narrow: [Bundle; 2],
    /// What is evaluated besides of an object that the sides leave otherwise: the policies that are in no narrow bundle, over what those that change
    /// objects leave.
    pub(crate) rest: Option<[Bundle; 2]>,
    /// For each policy of a bundle its pair; nothing for one of the rest that the narrow bundle has too.
    pub(crate) narrow_pairs: [Vec<Option<usize>>; 2],
    pub(crate) rest_pairs: [Vec<Option<usize>>; 2],
}

type Key = (String, String);

fn key(policy: &Policy) -> Key {
    let kind = Gvk::new(&policy.api_version, policy.raw.find_str(&["kind"]));
    (format!("{}/{}", kind.group, kind.kind), policy.key())
}

/// Which policies are evaluated twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twice {
    /// Those that changed.
    Changed,
    /// All.
    All,
}

impl Sides {
    /// Pairs the policies of an old and a new bundle.
    pub fn new(bundles: [Bundle; 2], twice: Twice) -> Self {
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        let mut pairs: Vec<Pair> = Vec::new();
        let [old, new] = &bundles;
        for (side, bundle) in [(1, new), (0, old)] {
            let named = named(bundle);
            for policy in &bundle.policies {
                let (kind, name) = key(policy);
                let at = *places.entry((kind.clone(), name.clone())).or_insert_with(|| {
                    pairs.push(Pair::of(kind, name));
                    pairs.len() - 1
                });
                let Some(pair) = pairs.get_mut(at) else { continue };
                if let Some(values) = pair.values.get_mut(side) {
                    values.push(policy.raw.clone());
                    values.extend(named.get(policy.name.as_str()).into_iter().flatten().cloned());
                }
                if let Some(document) = pair.documents.get_mut(side) {
                    document.get_or_insert(policy.document);
                }
                if let Some(action) = pair.actions.get_mut(side) {
                    *action = action_of(policy);
                }
            }
        }
        pairs.iter_mut().for_each(settle);
        Sides::narrowed(bundles, pairs, &places, twice)
    }

    fn narrowed(bundles: [Bundle; 2], pairs: Vec<Pair>, places: &BTreeMap<Key, usize>, twice: Twice) -> Self {
        let place = |policy: &Policy| places.get(&key(policy)).copied();
        let is_changed = |policy: &Policy| {
            place(policy).and_then(|at| pairs.get(at)).is_some_and(|pair| pair.change.is_some())
        };
        let is_narrow = |policy: &Policy| twice == Twice::All || is_changed(policy) || mutates(policy);
        let may_change = bundles
            .iter()
            .flat_map(|bundle| &bundle.policies)
            .any(|policy| is_changed(policy) && mutates(policy));
        let has_rest = bundles.iter().flat_map(|bundle| &bundle.policies).any(|policy| !is_narrow(policy));
        let mut rest = (may_change && has_rest).then(|| bundles.clone());
        for bundle in rest.iter_mut().flatten() {
            bundle.policies.retain(|policy| mutates(policy) || !is_narrow(policy));
        }
        let mut narrow = bundles;
        for bundle in &mut narrow {
            bundle.policies.retain(is_narrow);
        }
        let narrow_pairs =
            narrow.each_ref().map(|bundle| bundle.policies.iter().map(place).collect::<Vec<_>>());
        let place_of_rest = |policy: &Policy| place(policy).filter(|_| !is_narrow(policy));
        let rest_pairs = [0, 1].map(|side| {
            let bundle = rest.as_ref().and_then(|bundles| bundles.get(side));
            bundle.into_iter().flat_map(|bundle| &bundle.policies).map(place_of_rest).collect()
        });
        Sides { pairs, narrow, rest, narrow_pairs, rest_pairs }
    }

    /// Whether objects can be evaluated one by one, each forgotten before the next is read.
    pub fn is_independent(&self) -> bool {
        let has_body = |bundle: &Bundle| bundle.policies.iter().any(|policy| policy.body.is_some());
        let is_apart =
            |bundle: &Bundle| is_independent(bundle) && (bundle.host == Host::Cli || !has_body(bundle));
        self.narrow.iter().chain(self.rest.iter().flatten()).all(is_apart)
    }

    /// How many policies are evaluated by both sides.
    pub fn evaluated(&self) -> usize {
        let [old, new] = &self.narrow;
        old.policies.len().max(new.policies.len())
    }

    /// The policies that changed, by their places.
    pub fn changed(&self) -> impl Iterator<Item = (usize, &Pair)> {
        self.pairs.iter().enumerate().filter(|(_, pair)| pair.change.is_some())
    }

    /// The bundles that are evaluated, the old one first.
    pub fn bundles(&self) -> &[Bundle; 2] {
        &self.narrow
    }
}

/// Says how a pair changed.
fn settle(pair: &mut Pair) {
    let [old, new] = &pair.values;
    let is_policy = |values: &[Value]| values.first().cloned();
    pair.change = match (old.as_slice(), new.as_slice()) {
        ([], _) => Some(PairChange::Added),
        (_, []) => Some(PairChange::Removed),
        (old, new) if old == new => None,
        (old, new) if is_policy(old) == is_policy(new) => Some(PairChange::Beside),
        _ => Some(PairChange::Changed),
    };
}

/// The exceptions and bindings of a bundle, by the name of the policy that they name.
fn named(bundle: &Bundle) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let bare = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    for exception in bundle.exceptions.iter() {
        let Some(document) = bundle.document(exception.document) else { continue };
        for target in &exception.targets {
            found.entry(bare(&target.policy)).or_default().push(document.value.clone());
        }
    }
    for (_, value) in bundle.other_exceptions.iter().chain(&bundle.bindings) {
        let references = value.find(&["spec", "policyRefs"]).and_then(Value::as_array).unwrap_or_default();
        let mut names: Vec<&str> = references.iter().map(|one| one.find_str(&["name"])).collect();
        names.push(value.find_str(&["spec", "policyName"]));
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            found.entry(bare(name)).or_default().push(value.clone());
        }
    }
    found
}

/// Whether a policy may leave an object otherwise than it came.
fn mutates(policy: &Policy) -> bool {
    let changes = |body: &Body| matches!(body, Body::Mutate(_) | Body::VerifyImages(_));
    policy.body.as_ref().is_some_and(|body| body.phase() == Phase::Mutate)
        || policy.all_rules().any(|rule| changes(&rule.body))
}

/// The action of a policy: `Audit` or `Enforce`, as it is written for all of it or for each of its rules.
fn action_of(policy: &Policy) -> Option<String> {
    let spec = policy.raw.get("spec")?;
    let rules = spec.get("rules").and_then(Value::as_array).unwrap_or_default();
    let mut own = rules.iter().filter_map(|rule| rule.find(&["validate", "failureAction"])?.as_str());
    let action = match own.next() {
        Some(first) if own.all(|other| other == first) => first,
        Some(_) => return None,
        None => match spec.get("validationActions").and_then(Value::as_array) {
            Some([one]) => one.as_str()?,
            Some(_) => return None,
            None => spec.get("validationFailureAction")?.as_str()?,
        },
    };
    Some(action.to_owned())
}
