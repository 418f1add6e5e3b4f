//! The smallest edits that make a failing rule pass.
//!
//! In: a policy, a resource and the rule that failed. Out: edits, none of which can be left out. Each proposal comes from
//! the step that decided and is tried by evaluating the edited resource; when it passes, or fails at another place, the
//! search goes on from there. All of it is bounded, and the same every time.

use super::deciding::{self, Verdict};
use super::likely::{is_of_type, is_sensible, likeliest_first};
use super::{reads, samples};
use engine::apply::{self, Host, Locations, Options, Recording, RuleResult, Status};
use engine::load::Bundle;
use engine::pattern::anchor::Anchor;
use engine::policy::{Body, Policy, Rule};
use engine::resource::Resource;
use engine::trace::{Detail, Kind, Step};
use engine::world::World;
use engine_json::arrange::Arrange as _;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Path, Segment, Str, Value, to_json};
use engine_podsecurity::advise::repair;

/// How many edits may be found one after the other.
const MAX_ROUNDS: usize = 24;
/// How many edited resources are evaluated at most.
const MAX_TRIALS: usize = 1_200;
/// How many fields of one step are tried.
const MAX_FIELDS: usize = 12;

/// A change of one field.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) path: Path,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    /// The field and what it stands in, as YAML.
    pub(super) yaml: String,
}

/// One step of the search.
pub(super) type Proposal = (Path, Option<Value>);

/// What edited resources are tried in: the objects and settings of a bundle, taken over once for all trials, and no texts.
pub(super) struct Bench(Bundle);

impl Bench {
    pub(super) fn new(bundle: &Bundle) -> Self {
        Bench(Bundle {
            resources: bundle.resources.clone(),
            old_resources: bundle.old_resources.clone(),
            cluster_resources: bundle.cluster_resources.clone(),
            exceptions: bundle.exceptions.clone(),
            settings: bundle.settings.clone(),
            server: bundle.server,
            ..Bundle::default()
        })
    }
}

/// The edits after which the rule passes; none where none were found.
pub(super) fn sought(
    bench: &mut Bench,
    policies: &[Policy],
    host: Host,
    world: &dyn World,
    (policy, resource): (usize, usize),
    rule: &Str,
) -> Vec<Edit> {
    let Some(mut trial) = Trial::new(bench, policies, host, world, (policy, resource), rule) else {
        return Vec::new();
    };
    let edits = trial.search().map(|proposals| {
        let kept = trial.minimal(proposals);
        trial.described(&kept)
    });
    trial.end();
    edits.unwrap_or_default()
}

/// Evaluates one rule over edited forms of one resource.
struct Trial<'t> {
    bundle: &'t mut Bundle,
    world: &'t dyn World,
    host: Host,
    given: Resource,
    at: usize,
    rule: Str,
    policy: usize,
    left: usize,
}

impl<'t> Trial<'t> {
    fn new(
        Bench(bundle): &'t mut Bench,
        policies: &[Policy],
        host: Host,
        world: &'t dyn World,
        (policy, resource): (usize, usize),
        rule: &Str,
    ) -> Option<Self> {
        let given = bundle.resources.get(resource)?.clone();
        // What changes resources before they are validated, and the policy in question.
        let changes = |rule: &Rule| matches!(rule.body, Body::Mutate(_) | Body::VerifyImages(_));
        bundle.policies.clear();
        let mut place = 0;
        for (at, other) in policies.iter().enumerate() {
            if at == policy {
                place = bundle.policies.len();
                bundle.policies.push(other.clone());
            } else if other.rules.iter().any(|rule| changes(rule)) {
                bundle.policies.push(other.clone());
            }
        }
        let rule = rule.clone();
        Some(Trial { bundle, world, host, given, at: resource, rule, policy: place, left: MAX_TRIALS })
    }

    /// Puts the resource back as it was.
    fn end(self) {
        if let Some(place) = self.bundle.resources.get_mut(self.at) {
            *place = self.given;
        }
    }

    /// What the rule says of the resource with this value; nothing where it does not match or nothing may be tried any
    /// more.
    fn evaluate(&mut self, value: &Value, trace: Recording) -> Option<RuleResult> {
        self.left = self.left.checked_sub(1)?;
        let resource = self.resource(value);
        *self.bundle.resources.get_mut(self.at)? = resource;
        let options = Options { host: self.host, trace, places: Locations::Omit };
        let mut found = None;
        apply::apply_each(self.bundle, self.world, &options, self.at..self.at + 1, |result| {
            if result.policy == self.policy {
                found = found.take().or_else(|| result.rules.into_iter().find(|rule| rule.rule == self.rule));
            }
        });
        found
    }

    fn resource(&self, value: &Value) -> Resource {
        let float = value.with_float_numbers();
        let made = Resource::new(float, self.given.document);
        match self.host {
            Host::Cli | Host::Cluster => made,
            Host::Playground => Resource { typed: value.with_int_numbers(), ..made },
        }
    }

    fn passes(&mut self, value: &Value) -> bool {
        self.evaluate(value, Recording::Off).is_some_and(|said| said.status == Status::Pass)
    }

    fn search(&mut self) -> Option<Vec<Proposal>> {
        let mut state = self.given.value.clone();
        let mut taken: Vec<Proposal> = Vec::new();
        let mut seen: OrderedSet<String> = engine_json::arrange::set([to_json(&state)]);
        for _ in 0..MAX_ROUNDS {
            let said = self.evaluate(&state, Recording::On)?;
            if said.status == Status::Pass {
                return Some(taken);
            }
            let here = Decision::of(&said);
            // The first that fails elsewhere; or else the first of which the same step says something else.
            let mut onward: [Option<(Proposal, Value)>; 2] = [None, None];
            for step in self.proposals(&said, &state)? {
                let mut next = state.clone();
                if !step.iter().all(|(path, value)| next.put(path, value.clone()))
                    || seen.contains(&to_json(&next))
                {
                    continue;
                }
                let Some(said) = self.evaluate(&next, Recording::On) else { continue };
                if said.status == Status::Pass {
                    taken.extend(step);
                    return Some(taken);
                }
                let ([one], Status::Fail | Status::Warn | Status::Error) = (step.as_slice(), said.status)
                else {
                    continue;
                };
                let there = Decision::of(&said);
                let [elsewhere, otherwise] = &mut onward;
                if there.at != here.at {
                    elsewhere.get_or_insert_with(|| (one.clone(), next));
                } else if there.words != here.words
                    && (one.1.is_some() || matches!(one.0.last(), Some(Segment::Index(_))))
                {
                    otherwise.get_or_insert_with(|| (one.clone(), next));
                }
            }
            let (step, next) = onward.into_iter().flatten().next()?;
            seen.insert(to_json(&next));
            taken.push(step);
            state = next;
        }
        None
    }

    /// What may be tried next, each a change of one field or of several at once.
    fn proposals(&self, said: &RuleResult, state: &Value) -> Option<Vec<Vec<Proposal>>> {
        let resource = self.resource(state);
        let policy = self.bundle.policies.get(self.policy)?;
        let rule = policy.all_rules().find(|rule| rule.name == self.rule).map(AsRef::as_ref);
        let deciding = deciding::of(Verdict::Decided(said.status), &said.steps);
        let mut found: Vec<Vec<Proposal>> = Vec::new();
        for step in deciding.iter().filter_map(|at| said.steps.get(*at)) {
            let (read, other) = match &step.detail {
                Some(Detail::PodSecurity { level, version, .. }) => {
                    let changes = repair(state, *level, *version, &Value::clone).unwrap_or_default();
                    // From the end, so that what goes out of a list moves nothing that is still to be changed.
                    found.push(changes.into_iter().rev().map(|change| (change.path, change.value)).collect());
                    continue;
                }
                Some(Detail::Pattern(part)) => {
                    of_pattern(step, &part.wanted, &part.found, &mut found);
                    continue;
                }
                Some(Detail::Condition(compared)) => {
                    let other = vec![&compared.resolved.1, &compared.resolved.0];
                    (reads::of_condition(compared, rule, &resource), other)
                }
                Some(Detail::Expression(part)) => {
                    (reads::Read { paths: part.fields.clone(), literals: part.literals.clone() }, Vec::new())
                }
                Some(
                    Detail::Rule(_)
                    | Detail::Walk(_)
                    | Detail::Branches(_)
                    | Detail::Variable(_)
                    | Detail::List { .. }
                    | Detail::Element { .. },
                )
                | None => continue,
            };
            of_fields(&read, &other, state, &mut found);
            if step.kind == Kind::Expression {
                // An expression takes no other type than the one that it finds.
                found.retain(|step| step.iter().all(|(path, value)| is_of_type(path, value.as_ref(), state)));
            }
        }
        found.retain(|step| step.iter().all(|(path, value)| is_sensible(path, value.as_ref(), state)));
        Some(likeliest_first(found, state))
    }

    /// What is left when every edit that is not needed is dropped.
    fn minimal(&mut self, proposals: Vec<Proposal>) -> Vec<Proposal> {
        let mut kept = proposals;
        let mut at = 0;
        while at < kept.len() {
            let mut without = kept.clone();
            without.remove(at);
            let mut value = self.given.value.clone();
            let fits = without.iter().all(|(path, new)| value.put(path, new.clone()));
            if fits && self.passes(&value) {
                kept = without;
            } else {
                at += 1;
            }
        }
        kept
    }

    fn described(&self, proposals: &[Proposal]) -> Vec<Edit> {
        let mut edited = self.given.value.clone();
        for (path, value) in proposals {
            edited.put(path, value.clone());
        }
        let edit = |(path, after): &Proposal| Edit {
            path: path.clone(),
            before: self.given.value.at_path(path.iter()).cloned(),
            after: after.clone(),
            yaml: after.as_ref().map_or_else(String::new, |_| yaml(&edited, path)),
        };
        let mut edits: Vec<Edit> = proposals.iter().map(edit).collect();
        edits.arrange_by(|a, b| a.path.cmp(&b.path));
        edits
    }
}

/// Where a verdict was decided.
struct Decision {
    /// The places in policy and resource.
    at: Vec<(Option<Path>, Option<Path>)>,
    /// What the steps say.
    words: Vec<String>,
}

impl Decision {
    fn of(said: &RuleResult) -> Self {
        let steps = &said.steps;
        let deciding = deciding::of(Verdict::Decided(said.status), steps);
        let at = |at: &usize| {
            let step = steps.get(*at)?;
            let element = steps.iter().take(*at).rfind(|step| step.kind == Kind::Foreach);
            let place = step.resource_path.as_ref().or(element.and_then(|step| step.resource_path.as_ref()));
            Some((step.policy_path.clone(), place.cloned()))
        };
        let words = |at: &usize| steps.get(*at).map(|step| step.text().into_owned());
        Decision {
            at: deciding.iter().filter_map(at).collect(),
            words: deciding.iter().filter_map(words).collect(),
        }
    }
}

/// What a pattern wants at its place.
fn of_pattern(step: &Step, wanted: &Value, found: &Value, proposals: &mut Vec<Vec<Proposal>>) {
    let Some(path) = &step.resource_path else { return };
    if deciding::anchor_of(step) == Some(Anchor::Negation) {
        proposals.push(vec![(path.clone(), None)]);
        return;
    }
    if deciding::anchor_of(step) == Some(Anchor::Existence) {
        let list = wanted.as_array().and_then(<[Value]>::first);
        for made in list.map(|item| samples::satisfying(item, &Value::Null)).unwrap_or_default() {
            let items = found.as_array().unwrap_or_default();
            for (at, item) in items.iter().enumerate().take(MAX_FIELDS) {
                proposals.push(vec![(path.join(at), Some(merged(item, &made)))]);
            }
            proposals.push(vec![(path.join(items.len()), Some(made))]);
        }
        return;
    }
    for value in samples::satisfying(wanted, found) {
        let value = if found.as_object().is_some() { merged(found, &value) } else { value };
        proposals.push(vec![(path.clone(), Some(value))]);
    }
    if !found.is_null() {
        proposals.push(vec![(path.clone(), None)]);
    }
}

/// A map with what another one has besides.
fn merged(into: &Value, from: &Value) -> Value {
    let (Some(map), Some(more)) = (into.as_object(), from.as_object()) else { return from.clone() };
    let mut all: Map = map.clone();
    for (key, value) in more.iter() {
        let value = all.get(key).map_or_else(|| value.clone(), |known| merged(known, value));
        all.insert(key.clone(), value);
    }
    Value::object(all)
}

/// Values for each field that a condition reads; the same value for all of them last.
fn of_fields(read: &reads::Read, others: &[&Value], state: &Value, proposals: &mut Vec<Vec<Proposal>>) {
    // What is there says more than what only could be there.
    let is_there = |path: &&Path| state.at_path(path.iter()).is_some();
    let (mut paths, mut absent): (Vec<&Path>, Vec<&Path>) = read.paths.iter().partition(is_there);
    paths.append(&mut absent);
    paths.truncate(MAX_FIELDS);
    let mut of_all: Vec<Value> = Vec::new();
    for path in &paths {
        let found = state.at_path(path.iter()).unwrap_or(&Value::Null);
        if let Some(map) = found.as_object() {
            // Where names of fields are compared, the fields themselves.
            let names =
                others.iter().flat_map(|other| other.as_array().unwrap_or(std::slice::from_ref(*other)));
            for name in
                names.filter_map(Value::as_str).filter(|name| !map.contains_key(name)).take(MAX_FIELDS)
            {
                for value in [Value::object(Map::new()), Value::array(vec![Value::object(Map::new())])] {
                    proposals.push(vec![(path.join(name), Some(value))]);
                }
            }
        }
        for value in samples::of_condition(others, &read.literals, found) {
            of_all.extend(value.clone().filter(|value| !of_all.contains(value)));
            let proposal = vec![((*path).clone(), value)];
            if !proposals.contains(&proposal) {
                proposals.push(proposal);
            }
        }
    }
    if paths.len() > 1 {
        for value in of_all.into_iter().take(MAX_FIELDS) {
            proposals.push(paths.iter().map(|path| ((*path).clone(), Some(value.clone()))).collect());
        }
    }
}

/// The field with what it stands in, as YAML; items of lists by their names.
fn yaml(root: &Value, path: &Path) -> String {
    fn within(value: &Value, way: &[Segment]) -> Value {
        let Some((first, rest)) = way.split_first() else { return value.with_int_numbers() };
        match first {
            Segment::Key(key) => {
                let below = within(value.get(key).unwrap_or(&Value::Null), rest);
                Value::object(std::iter::once((key.clone(), below)).collect())
            }
            Segment::Index(at) => {
                let item = value.at(*at as usize).unwrap_or(&Value::Null);
                let mut below = within(item, rest);
                let name = item.get("name").filter(|_| !rest.is_empty());
                if let (Some(name), Some(map)) = (name, below.as_object()) {
                    let mut named = Map::new();
                    named.insert("name", name.clone());
                    map.iter().for_each(|(key, value)| drop(named.insert(key.clone(), value.clone())));
                    below = Value::object(named);
                }
                Value::array(vec![below])
            }
        }
    }
    engine_yaml::emit::to_yaml_ordered(&within(root, path))
}
