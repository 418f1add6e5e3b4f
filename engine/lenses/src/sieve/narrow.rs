//! The narrowest exemption for a refused workload, as a PolicyException, as an exclude of podSecurity, or in the rule.
//!
//! In: a refused workload. Out: the object to use, and which attackers it shuts out. It begins with what lets the workload
//! in at all, and is tightened as `check` would have it, until nobody gets in who can be shut out.

use super::check::{Texts, gets_in};
use super::edit::{Edit, edited};
use super::families::{Attack, FAMILIES};
use super::find::{self, TTL};
use super::funnel::{Refused, refused, rule_path};
use super::legit::{Base, Sides};
use super::other_forms;
use super::pod::{map, spec_path, texts};
use super::runner::TrialRunner;
use super::sibling::SiblingPod;
use super::tighten::{self, Remedies, entry, exclusions};
use crate::run;
use crate::wire;
use engine::load::Role;
use engine::resource::DocumentId;
use engine_json::{Path, Value};
use engine_yaml::emit::to_yaml_ordered;

pub(super) use super::tighten::{Exactness, condition};

/// So many tightenings follow one another.
const MAX_ROUNDS: usize = 16;

/// An exemption that has been made as narrow as can be.
pub(super) struct Narrowed<'w> {
    /// The object that holds it.
    pub(super) object: Value,
    /// The part that is new.
    pub(super) change: Value,
    pub(super) runner: TrialRunner<'w>,
}

/// The narrowest exemptions for all refused workloads.
pub(super) fn all(
    runner: &TrialRunner<'_>,
    input: &wire::SieveInput,
    texts: &Texts<'_>,
) -> Vec<wire::SieveNarrow> {
    let exactness = if input.exact_images { Exactness::Exact } else { Exactness::AnyTag };
    let expires = input.expires.as_deref();
    let mut found = Vec::new();
    for refused in &refused(runner) {
        let attackers = refused.attackers();
        let forms = [
            ("podSecurity", of_pod_security(refused, exactness)),
            ("exception", of_exception(refused, expires, exactness)),
            ("rule", of_rule(refused, exactness)),
        ];
        let is_asked = |form: &str| input.form.as_deref().is_none_or(|asked| asked == form);
        for (form, narrowed) in forms.into_iter().filter(|(form, _)| is_asked(form)) {
            let Some(narrowed) = narrowed else { continue };
            let (mut refuses, mut admits) = (Vec::new(), Vec::new());
            for attack in attackers.iter().chain(&reached(refused, &narrowed)) {
                let is_in = refused.is_in(&narrowed.runner, &attack.case);
                if is_in { &mut admits } else { &mut refuses }.push(attack.text.clone());
            }
            found.push(wire::SieveNarrow {
                resource: run::resource_ref(refused.resource, texts.positions),
                policy: refused.refusal.policy.clone(),
                rule: refused.rule.clone(),
                form: form.to_owned(),
                object: to_yaml_ordered(&narrowed.object),
                change: to_yaml_ordered(&narrowed.change),
                refuses,
                admits,
                notes: notes(form, expires, exactness).into_iter().chain(of_names(form, refused)).collect(),
            });
        }
    }
    found
}

/// Who bears a name that the exemption's own patterns take.
fn reached(refused: &Refused<'_, '_>, narrowed: &Narrowed<'_>) -> Vec<Attack> {
    let Some(names) = &refused.names else { return Vec::new() };
    let exemptions = find::all(&narrowed.runner).into_iter().filter(|found| found.kind.is_exception());
    let family = FAMILIES.iter().filter(|family| family.name == "name");
    let all = exemptions.flat_map(|found| {
        family.clone().flat_map(|family| (family.make)(&found, &refused.base)).collect::<Vec<_>>()
    });
    let evil = names.replace('*', "evil");
    all.filter(|attack| attack.case.object.find_str(&["metadata", "name"]) == evil).take(1).collect()
}

/// What a pattern of names takes.
fn of_names(form: &str, refused: &Refused<'_, '_>) -> Option<String> {
    let names = refused.names.as_ref().filter(|_| form == "exception")?;
    Some(format!(
        "the names of its Pods have a random suffix: every user who may create Pods there can use a name like `{names}`"
    ))
}

fn notes(form: &str, expires: Option<&str>, exactness: Exactness) -> Vec<String> {
    let mut notes = Vec::new();
    if exactness == Exactness::AnyTag {
        notes.push(
            "it admits any tag of the repository: exact images admit only the image as written".to_owned(),
        );
    }
    match (form, expires) {
        ("exception", Some(_)) => {
            notes.push(format!(
                "the label `{TTL}` makes Kyverno delete it in a cluster; until then it counts"
            ));
        }
        (_, Some(_)) => notes.push("only a PolicyException can expire".to_owned()),
        (_, None) => {}
    }
    notes
}

/// A PolicyException for the rule: whom it is for, which controls it lifts, when it ends.
pub(super) fn exception(
    refused: &Refused<'_, '_>,
    filter: Value,
    pod_security: Option<Value>,
    expires: Option<&str>,
) -> Value {
    let policy = refused.policy;
    let name = format!("{}-{}", policy.name, refused.resource.name_or_generate_name());
    let namespace = if policy.scope_namespace().is_empty() { "kyverno" } else { policy.scope_namespace() };
    let rule = refused.rule.as_str();
    let autogen = format!("autogen-{rule}");
    let rules = if refused.resource.kind() == "Pod" { texts(&[rule]) } else { texts(&[rule, &autogen]) };
    let target = map([("policyName", policy.key().into()), ("ruleNames", rules)]);
    let filters = Value::array(vec![map([("resources", filter)])]);
    let spec = map([("exceptions", Value::array(vec![target])), ("match", map([("any", filters)]))]);
    let metadata = map([("name", name.trim_end_matches('-').into()), ("namespace", namespace.into())]);
    let mut object = map([
        ("apiVersion", "kyverno.io/v2".into()),
        ("kind", "PolicyException".into()),
        ("metadata", metadata),
        ("spec", spec),
    ]);
    let mut edits = Vec::new();
    if let Some(ends) = expires {
        edits.push(Edit::Set(Path::from_keys(&["metadata", "labels"]).join(TTL), Value::from(ends)));
    }
    if let Some(entries) = pod_security {
        edits.push(Edit::Set(Path::from_keys(&["spec", "podSecurity"]), entries));
    }
    object = edited(&object, &edits).unwrap_or(object);
    object
}

/// The namespace of the workload. One that names none lies in `default` for the terminal and a cluster, and in no namespace for
/// the Playground: both are written, for the exemption is to hold for all of them.
// Kyverno: `kyverno apply` knows the Pod by `default` alone, the Playground by the empty name.
pub(super) fn namespaces(refused: &Refused<'_, '_>) -> Value {
    match refused.resource.namespace() {
        "" => texts(&["default", ""]),
        namespace => texts(&[namespace]),
    }
}

/// The filter for the workload alone; for a workload, its Pods too; for a Pod of a controller, all Pods of that.
pub(super) fn filter(refused: &Refused<'_, '_>) -> Value {
    let resource = refused.resource;
    let (kind, name) = (resource.kind(), resource.name_or_generate_name());
    let pods = refused.names.as_deref().unwrap_or(name);
    let (kinds, names) = if kind == "Pod" {
        (texts(&[kind]), texts(&[pods]))
    } else {
        (texts(&[kind, "Pod"]), texts(&[name, pods]))
    };
    map([("kinds", kinds), ("namespaces", namespaces(refused)), ("names", names)])
}

/// As an exclude of the podSecurity rule.
fn of_pod_security<'w>(refused: &Refused<'_, 'w>, exactness: Exactness) -> Option<Narrowed<'w>> {
    let entries = entries(refused, exactness)?;
    let path = rule_path(refused.policy, &refused.rule)?.join("validate").join("podSecurity").join("exclude");
    let edits: Vec<Edit> = entries.iter().map(|entry| Edit::Push(path.clone(), entry.clone())).collect();
    let document = refused.policy.document;
    let runner = refused.runner.with_edits(document, &edits)?;
    refused.is_in(&runner, &refused.base.case).then_some(())?;
    let object = runner.document(document)?.clone();
    Some(Narrowed { object, change: map([("exclude", Value::array(entries))]), runner })
}

/// The narrowest entries for what is refused.
fn entries(refused: &Refused<'_, '_>, exactness: Exactness) -> Option<Vec<Value>> {
    let mut needed = exclusions(&refused.base.case.object, refused.standard?, &[]);
    if exactness == Exactness::Exact {
        needed = tighten::exact_exclusions(&refused.base.case.object, refused.standard?);
    }
    // Two controls may go by one name; one entry is for both.
    let mut entries: Vec<Value> = Vec::new();
    for entry in needed.iter().map(entry) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    (!entries.is_empty()).then_some(entries)
}

/// As a PolicyException.
pub(super) fn of_exception<'w>(
    refused: &Refused<'_, 'w>,
    expires: Option<&str>,
    exactness: Exactness,
) -> Option<Narrowed<'w>> {
    if refused.policy.body.is_some() {
        return other_forms::of_exception(refused, expires, exactness);
    }
    let entries = if refused.standard.is_some() { Some(entries(refused, exactness)?) } else { None };
    let object = exception(refused, filter(refused), entries.map(Value::array), expires);
    let (runner, id) = refused.runner.with_new(Role::Exceptions, &object)?;
    let runner = tightened(refused, runner, id, &Path::root(), exactness)?;
    let object = runner.document(id)?.clone();
    Some(Narrowed { change: object.clone(), object, runner })
}

/// As a condition of the rule's foreach.
pub(super) fn of_rule<'w>(refused: &Refused<'_, 'w>, exactness: Exactness) -> Option<Narrowed<'w>> {
    if refused.policy.body.is_some() {
        return other_forms::of_policy(refused, exactness);
    }
    if refused.standard.is_some() {
        return None;
    }
    let (edits, _) = loops(refused)?;
    let document = refused.policy.document;
    let runner = refused.runner.with_edits(document, &edits)?;
    let path = rule_path(refused.policy, &refused.rule)?;
    let runner = tightened(refused, runner, document, &path, exactness)?;
    let object = runner.document(document)?.clone();
    let change = object.at_path(path.iter())?.clone();
    Some(Narrowed { object, change, runner })
}

/// The images of all containers of an object of this kind, as an expression.
pub(super) fn all_images(kind: &str) -> String {
    let spec = spec_path(kind).unwrap_or_default();
    format!("{{{{ request.object.{spec}.[initContainers, containers, ephemeralContainers][].image }}}}")
}

/// One more precondition that must hold, where the block has room for it.
pub(super) fn precondition(refused: &Refused<'_, '_>, at: &Path, condition: Value) -> Option<Edit> {
    let document = refused.runner.document(refused.policy.document)?;
    let path = at.join("preconditions");
    match document.at_path(path.iter()) {
        Some(Value::Array(_)) => Some(Edit::Push(path, condition)),
        _ => Some(Edit::Push(path.join("all"), condition)),
    }
}

/// A precondition in every foreach of the rule that leaves the exempt images out; and it alone, as YAML.
pub(super) fn loops(refused: &Refused<'_, '_>) -> Option<(Vec<Edit>, String)> {
    let images: Vec<&str> = refused.base.exempt.iter().map(|container| container.image.as_str()).collect();
    let path = rule_path(refused.policy, &refused.rule)?.join("validate").join("foreach");
    let document = refused.runner.document(refused.policy.document)?;
    let count = document.at_path(path.iter())?.as_array()?.len();
    if images.is_empty() {
        return None;
    }
    let condition = condition("{{ element.image }}", "AnyNotIn", tighten::patterns_of(&images));
    let edits: Vec<Edit> = (0..count)
        .map(|at| precondition(refused, &path.join(at), condition.clone()))
        .collect::<Option<_>>()?;
    // One loop is enough where it is the only one that refuses.
    let is_enough = |edit: &Edit| {
        let runner = refused.runner.with_edits(refused.policy.document, std::slice::from_ref(edit));
        runner.is_some_and(|runner| refused.is_in(&runner, &refused.base.case))
    };
    let edits = edits.iter().find(|edit| is_enough(edit)).map_or(edits.clone(), |edit| vec![edit.clone()]);
    let text = map([("preconditions", map([("all", Value::array(vec![condition.clone()]))]))]);
    Some((edits, to_yaml_ordered(&text)))
}

/// The runner after all tightenings of the new exemption below a path; `None` where it does not let the workload in.
pub(super) fn tightened<'w>(
    refused: &Refused<'_, 'w>,
    mut runner: TrialRunner<'w>,
    document: DocumentId,
    below: &Path,
    exactness: Exactness,
) -> Option<TrialRunner<'w>> {
    if !refused.is_in(&runner, &refused.base.case) {
        return None;
    }
    // What lets no other Pod of the controller in at all cannot be tightened so that it does.
    let sibling = refused.sibling.as_ref().filter(|sibling| sibling.is_in(&runner));
    for _ in 0..MAX_ROUNDS {
        let Some(better) = better(refused, &runner, document, below, exactness, sibling) else { break };
        runner = better;
    }
    Some(runner)
}

/// The runner after one tightening more.
fn better<'w>(
    refused: &Refused<'_, 'w>,
    runner: &TrialRunner<'w>,
    document: DocumentId,
    below: &Path,
    exactness: Exactness,
    sibling: Option<&SiblingPod>,
) -> Option<TrialRunner<'w>> {
    let is_ours = |path: &Path| path.starts_with(below);
    let ours: Vec<_> = find::all(runner)
        .into_iter()
        .filter(|exemption| exemption.document == document && is_ours(&exemption.path))
        .collect();
    for exemption in ours {
        let sides = Sides { with: runner.clone(), without: refused.runner.clone() };
        let bases: [Base; 1] = [refused.base.clone()];
        let [base] = &bases;
        let mut remedies = Remedies::new(&exemption, &sides, &bases).with_sibling(sibling);
        for family in FAMILIES.iter().filter(|family| family.name != "tag" || exactness == Exactness::Exact) {
            for attack in (family.make)(&exemption, base) {
                if gets_in(&attack, &sides, base).is_none() {
                    continue;
                }
                if let Some(proposal) = remedies.best(&attack, base) {
                    return runner.with_edits(document, &proposal.edits);
                }
            }
        }
    }
    None
}
