//! Whom an exemption is meant for: the Pods that it lets in, from the texts or made of its own values.
//!
//! In: an exemption, the runner with it and without it. Out: [`Base`]s, each admitted with it and refused without it.

use super::edit::{Edit, edited};
use super::find::{Exemption, Kind, On};
use super::images;
use super::pod::{self, Container, compliant_container, compliant_pod, containers, map, spec_of};
use super::risky_fields::{FieldOwner, RISKY_FIELDS, capabilities, of_control};
use super::runner::{Case, Refusal, TrialRunner};
use engine::matching::UserInfo;
use engine::policy::Policy;
use engine::value::wildcard;
use engine_json::{Path, Str, Value};

/// So many Pods are attacked for one exemption.
const MAX_BASES: usize = 6;
/// A made Pod is looked for with so many trials.
const MAX_MADE: u32 = 400;

/// A Pod that an exemption is meant for.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) case: Case,
    /// Its place among the resources; `None` for a made one.
    pub(super) resource: Option<usize>,
    /// What it is refused for without the exemption, as policy and rule.
    pub(super) lifted: Vec<(String, String)>,
    /// Who refuses it with the exemption too, and is left out of account.
    pub(super) ignored: Vec<(String, String)>,
    /// The containers that the exemption is about.
    pub(super) exempt: Vec<Container>,
    /// The same object without anything that needs an exemption; `None` where it is refused for other reasons.
    pub(super) compliant: Option<Value>,
    /// Where there is none: the same object without its containers, where nobody minds that, as where images are refused.
    pub(super) without_containers: Option<Value>,
}

/// Both sides of an exemption.
pub(super) struct Sides<'w> {
    pub(super) with: TrialRunner<'w>,
    pub(super) without: TrialRunner<'w>,
}

/// Policy and rule of a refusal.
pub(super) fn key(refusal: &Refusal) -> (String, String) {
    (refusal.policy.clone(), refusal.rule.clone())
}

impl Sides<'_> {
    /// What is refused without and not with; nothing where the exemption makes no difference.
    fn lifted(&self, case: &Case) -> (Keys, Keys) {
        let without: Vec<_> = self.without.refusals(case).iter().map(key).collect();
        if without.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let with: Vec<_> = self.with.refusals(case).iter().map(key).collect();
        let lifted = without.into_iter().filter(|refused| !with.contains(refused)).collect();
        (lifted, with)
    }
}

/// Who gets in by the exemption: the Pods that it is meant for, and those of the texts that it is not meant for.
pub(super) struct LetIn {
    pub(super) bases: Vec<Base>,
    pub(super) strangers: Vec<Base>,
}

/// Who gets in by the exemption; `not_meant` has for each resource why no exemption is meant for it.
pub(super) fn let_in(exemption: &Exemption, sides: &Sides<'_>, not_meant: &[Option<String>]) -> LetIn {
    let mut found: Vec<Base> = Vec::new();
    let mut strangers: Vec<Base> = Vec::new();
    for (at, resource) in sides.with.bundle.resources.iter().enumerate() {
        if sides.with.budget_spent() {
            break;
        }
        let is_stranger = not_meant.get(at).is_some_and(Option::is_some);
        let list = if is_stranger { &mut strangers } else { &mut found };
        if list.len() >= MAX_BASES {
            continue;
        }
        if spec_of(&resource.value).is_none() {
            continue;
        }
        let namespace = namespace_given(exemption, &sides.with, resource.namespace());
        let case = Case { namespace, ..Case::of(resource.typed.clone()) };
        let (lifted, ignored) = sides.lifted(&case);
        if !lifted.is_empty() {
            list.push(base(exemption, sides, case, Some(at), (lifted, ignored)));
        }
    }
    // Each image pattern wants a Pod of its own.
    let patterns: Vec<Option<&str>> = match exemption.image_selectors().count() {
        0 => vec![None],
        _ => exemption.image_selectors().map(|selector| Some(selector.pattern.as_str())).collect(),
    };
    for pattern in patterns {
        let is_met = |base: &Base| match pattern {
            None => true,
            Some(pattern) => base.exempt.iter().any(|c| wildcard::matches(pattern, &c.image)),
        };
        if found.len() < MAX_BASES
            && !found.iter().any(is_met)
            && let Some((case, lifted)) = make(exemption, sides, pattern)
        {
            found.push(base(exemption, sides, case, None, (lifted, Vec::new())));
        }
    }
    LetIn { bases: found, strangers }
}

/// A refused workload as if an exemption were meant for it.
pub(super) fn base_of(runner: &TrialRunner<'_>, case: Case, refusal: &Refusal) -> Base {
    let none = Exemption::of_nothing(Kind::Exception, super::runner::CONFIGURATION);
    let sides = Sides { with: runner.clone(), without: runner.clone() };
    let own = key(refusal);
    let ignored = runner.refusals(&case).iter().map(key).filter(|other| *other != own).collect();
    base(&none, &sides, case, None, (vec![own], ignored))
}

/// Policies and rules.
type Keys = Vec<(String, String)>;

fn base(
    exemption: &Exemption,
    sides: &Sides<'_>,
    case: Case,
    resource: Option<usize>,
    (lifted, ignored): (Keys, Keys),
) -> Base {
    let mut exempt = exempt(exemption, sides, &case, &lifted);
    let is_compliant = |object: &Value| {
        let refused: Vec<_> = sides
            .without
            .refusals(&Case { object: object.clone(), ..case.clone() })
            .iter()
            .map(key)
            .collect();
        !refused.iter().any(|refused| lifted.contains(refused))
    };
    let compliant = pod::made_compliant(&case.object).filter(is_compliant);
    let without_containers = match compliant {
        Some(_) => None,
        None => pod::without_containers(&case.object).filter(is_compliant),
    };
    // Where images are refused, each of them needs the exemption, whatever its container asks for.
    if exempt.is_empty() && without_containers.is_some() {
        exempt = containers(&case.object);
    }
    Base { case, resource, lifted, ignored, exempt, compliant, without_containers }
}

/// The containers that the exemption is about: those that it names, and of them those that need it.
fn exempt(exemption: &Exemption, sides: &Sides<'_>, case: &Case, lifted: &Keys) -> Vec<Container> {
    let all = containers(&case.object);
    let named = |container: &&Container| {
        exemption.selectors.iter().any(|selector| match selector.on {
            On::Image => wildcard::matches(&selector.pattern, &container.image),
            On::Container => wildcard::matches(&selector.pattern, &container.name),
            On::Name
            | On::Namespace
            | On::Label(_)
            | On::Annotation(_)
            | On::NamespaceLabel(_)
            | On::Field(_)
            | On::Subject(..) => false,
        })
    };
    let named: Vec<Container> = all.iter().filter(named).cloned().collect();
    let asks = |container: &&Container| {
        let compliant = compliant_container(&container.name, &container.image);
        let Some(object) = edited(&case.object, &[Edit::Set(container.path.clone(), compliant)]) else {
            return false;
        };
        let refused: Keys =
            sides.without.refusals(&Case { object, ..case.clone() }).iter().map(key).collect();
        !lifted.iter().all(|lifted| refused.contains(lifted))
    };
    let from = if named.is_empty() { &all } else { &named };
    let needing: Vec<Container> = from.iter().filter(asks).cloned().collect();
    if needing.is_empty() { named } else { needing }
}

/// A Pod that the exemption lets in, made of its own values.
fn make(exemption: &Exemption, sides: &Sides<'_>, pattern: Option<&str>) -> Option<(Case, Keys)> {
    let base = frame(exemption, sides)?;
    let mut images = pattern.map_or_else(|| exemption.hints.clone(), images::meant);
    if pattern.is_none() {
        images.push(pod::APP.to_owned());
    }
    let named = exemption.selectors.iter().find(|selector| selector.on == On::Container);
    let name = named.map_or_else(|| "exempt".to_owned(), |selector| plain(&selector.pattern));
    let mut trials = 0;
    let mut try_one = |frame: &Value, image: &str, list: &str, want: &Want| {
        trials += 1;
        if trials > MAX_MADE || sides.with.budget_spent() {
            return None;
        }
        let case = Case { object: made(frame, list, &name, image, want)?, ..base.clone() };
        let (lifted, with) = sides.lifted(&case);
        (with.is_empty() && !lifted.is_empty()).then_some((case, lifted))
    };
    for image in &images {
        for list in pod::LISTS {
            for want in wants(exemption) {
                // An expression may ask it of every container.
                let frames = [Some(base.object.clone()), alike(exemption, &base.object, image, &name)];
                let found = frames.iter().flatten().find_map(|frame| try_one(frame, image, list, &want));
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

/// The frame with a main container that is known as the exempt one is, for exemptions that want it of all.
fn alike(exemption: &Exemption, frame: &Value, image: &str, name: &str) -> Option<Value> {
    let main = spec_of(frame)?.join("containers").join(0_usize);
    let name = if exemption.holds(&On::Container) { format!("{name}x") } else { "app".to_owned() };
    let edits = [
        Edit::Set(main.join("image"), Value::from(image)),
        Edit::Set(main.join("name"), Value::from(name.as_str())),
    ];
    exemption.is_cel().then(|| edited(frame, &edits))?
}

/// The Namespace of this name among the texts, where the exemption is about its labels.
fn namespace_given(exemption: &Exemption, runner: &TrialRunner<'_>, name: &str) -> Option<Value> {
    let is_about_it = exemption.selectors.iter().any(|selector| matches!(selector.on, On::NamespaceLabel(_)));
    if !is_about_it {
        return None;
    }
    let name = if name.is_empty() { "default" } else { name };
    let is_it = |value: &&Value| {
        value.find_str(&["kind"]) == "Namespace" && value.find_str(&["metadata", "name"]) == name
    };
    runner.documents().map(|(_, _, value)| value).find(is_it).cloned()
}

/// What a made Pod asks for.
enum Want {
    Nothing,
    /// A container that says nothing of itself but its image.
    Bare,
    Capabilities(Vec<String>),
    Row(&'static super::risky_fields::RiskyField, Option<String>),
}

fn made(frame: &Value, list: &str, name: &str, image: &str, want: &Want) -> Option<Value> {
    let spec = spec_of(frame)?;
    let path = spec.join(list);
    let at = frame.at_path(path.iter()).and_then(Value::as_array).map_or(0, <[Value]>::len);
    let mut edits = vec![Edit::Push(path.clone(), compliant_container(name, image))];
    let container = path.join(at);
    match want {
        Want::Nothing => {}
        Want::Bare => {
            let bare = map([("name", name.into()), ("image", image.into())]);
            edits = vec![Edit::Push(path.clone(), bare)];
        }
        Want::Capabilities(names) => {
            edits.extend(capabilities(&container, &names.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        Want::Row(risky, value) => {
            let place = if risky.place == FieldOwner::Pod { &spec } else { &container };
            edits.extend(risky.edits(place, value.as_deref()));
        }
    }
    edited(frame, &edits)
}

/// What to try: first what the exemption itself names.
fn wants(exemption: &Exemption) -> Vec<Want> {
    let mut wants = Vec::new();
    for (control, values) in &exemption.controls {
        let plain: Vec<String> = values.iter().filter(|value| !value.contains(['*', '?'])).cloned().collect();
        if control == "Capabilities" {
            let names = if plain.is_empty() { MESH.map(str::to_owned).to_vec() } else { plain };
            wants.push(Want::Capabilities(names));
        } else if let Some(risky) = of_control(control) {
            wants.extend(plain.first().map(|value| Want::Row(risky, Some(value.clone()))));
            wants.extend(
                RISKY_FIELDS
                    .iter()
                    .filter(|risky| risky.control == control)
                    .map(|risky| Want::Row(risky, None)),
            );
        }
    }
    if wants.is_empty() {
        wants.push(Want::Capabilities(MESH.map(str::to_owned).to_vec()));
        wants.push(Want::Nothing);
        wants.extend(RISKY_FIELDS.iter().map(|risky| Want::Row(risky, None)));
    }
    if exemption.is_cel() {
        wants.push(Want::Bare);
    }
    wants
}

/// The capabilities that meshes ask for.
const MESH: [&str; 2] = ["NET_ADMIN", "NET_RAW"];

/// The Pod around what asks: named, placed and labelled as the exemption and the rule want it.
fn frame(exemption: &Exemption, sides: &Sides<'_>) -> Option<Case> {
    let policies = &sides.with.bundle.policies;
    let policy = policies.iter().find(|policy| exemption.policies.contains(&policy.key()));
    let selector = |on: &On| {
        exemption
            .selectors
            .iter()
            .find(|selector| selector.on == *on)
            .map(|selector| plain(&selector.pattern))
    };
    let namespace = selector(&On::Namespace)
        .filter(|_| exemption.kind != Kind::Precondition || policy.is_some())
        .or_else(|| policy.and_then(namespace_of))
        .unwrap_or_else(|| "team".to_owned());
    let name = selector(&On::Name).unwrap_or_else(|| "web".to_owned());
    let mut object = compliant_pod(&name, &namespace);
    let kind = exemption.workload.or_else(|| policy.and_then(kind_of)).unwrap_or("Pod");
    if kind != "Pod" {
        object = controller(kind, &object)?;
    }
    let metadata = Path::from_keys(&["metadata"]);
    let mut edits = Vec::new();
    let mut user = None;
    let mut labels = Vec::new();
    for selector in &exemption.selectors {
        let value = Value::from(plain(&selector.pattern));
        match &selector.on {
            On::Label(key) => edits.push(Edit::Set(metadata.join("labels").join(plain(key).as_str()), value)),
            On::Annotation(key) if key == super::find::RUNTIME_CLASS => {
                edits.push(Edit::Set(spec_of(&object)?.join(key.as_str()), value));
            }
            On::Annotation(key) => {
                edits.push(Edit::Set(metadata.join("annotations").join(plain(key).as_str()), value));
            }
            On::Subject(kind, of) if user.is_none() => {
                user = Some(subject(kind, of, &plain(&selector.pattern)));
            }
            On::Field(path) => edits.push(Edit::Set(path.clone(), value)),
            On::NamespaceLabel(key) => {
                labels.push(Edit::Set(metadata.join("labels").join(plain(key).as_str()), value));
            }
            On::Subject(..) | On::Image | On::Container | On::Name | On::Namespace => {}
        }
    }
    let namespace = (!labels.is_empty()).then(|| edited(&pod::namespace(&namespace), &labels)).flatten();
    Some(Case { object: edited(&object, &edits)?, user, namespace })
}

/// A user that a subject means.
pub(super) fn subject(kind: &str, namespace: &str, name: &str) -> UserInfo {
    let mut user = UserInfo { username: Str::new("somebody"), ..UserInfo::default() };
    match kind {
        "Group" => user.groups = vec![Str::new(name)],
        "ServiceAccount" => {
            user.username = format!("system:serviceaccount:{namespace}:{name}").into();
            user.groups = vec![Str::new("system:serviceaccounts")];
        }
        _ => user.username = Str::new(name),
    }
    user
}

/// A pattern with something in the place of its wildcards.
pub(super) fn plain(pattern: &str) -> String {
    pattern.replace(['*', '?'], "x")
}

fn filters(policy: &Policy) -> impl Iterator<Item = &engine::policy::Filter> {
    policy.rules.iter().flat_map(|rule| rule.matches.filters())
}

/// A namespace that the policy is for.
fn namespace_of(policy: &Policy) -> Option<String> {
    if !policy.scope_namespace().is_empty() {
        return Some(policy.scope_namespace().to_owned());
    }
    filters(policy).find_map(|filter| filter.namespaces.first()).map(|wanted| plain(wanted.pattern()))
}

/// The kind of Pods, or of what makes them, that the policy is for.
fn kind_of(policy: &Policy) -> Option<&'static str> {
    const KINDS: [&str; 8] = [
        "Pod",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "ReplicaSet",
        "ReplicationController",
        "Job",
        "CronJob",
    ];
    KINDS.into_iter().find(|kind| {
        filters(policy).any(|filter| filter.kinds.iter().any(|selector| selector.kind.matches(kind)))
    })
}

/// Whether a policy that the exemption weakens is about Pods, or about what makes them.
pub(super) fn is_about_pods(exemption: &Exemption, runner: &TrialRunner<'_>) -> bool {
    if exemption.is_cel() {
        return exemption.workload.is_some();
    }
    let policies = runner.bundle.policies.iter();
    policies
        .filter(|policy| exemption.policies.contains(&policy.key()))
        .any(|policy| kind_of(policy).is_some())
}

/// The controller of this kind that makes such Pods.
fn controller(kind: &str, pod: &Value) -> Option<Value> {
    let version = match kind {
        "Job" | "CronJob" => "batch/v1",
        "ReplicationController" => "v1",
        _ => "apps/v1",
    };
    let template = map([
        ("metadata", map([("labels", map([("app", "web".into())]))])),
        ("spec", pod.get("spec")?.clone()),
    ]);
    let mut spec = map([("template", template)]);
    if kind == "CronJob" {
        spec = map([("schedule", "0 0 * * *".into()), ("jobTemplate", map([("spec", spec)]))]);
    } else if kind != "Job" {
        let labels = map([("matchLabels", map([("app", "web".into())]))]);
        spec = edited(&spec, &[Edit::Set(Path::from_keys(&["selector"]), labels)])?;
    }
    Some(map([
        ("apiVersion", version.into()),
        ("kind", kind.into()),
        ("metadata", pod.get("metadata")?.clone()),
        ("spec", spec),
    ]))
}
