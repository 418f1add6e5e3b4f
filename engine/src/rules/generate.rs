//! `generate` rules: objects that are made because another one came.
//!
//! In: the object that came, and a cluster in memory. Out: for each rule that matched whether it applies, and the
//! objects that it makes, which stand in the cluster from then on.
//! Mirrors: pkg/engine/background.go, pkg/background/generate/{controller,generator,data,clone,source}.go,
//! pkg/background/common/labels.go.

use super::{RuleResult, Status, Subject, add_entries, conditions, evaluate_conditions, exceptions};
use crate::cluster::{Cluster, Target};
use crate::context::{JsonContext, variables};
use crate::matching::{Request, rule_matches, selector_matches};
use crate::pattern::{Pattern, Verdict};
use crate::policy::{Body, Generate, GenerateForeach};
use crate::resource::{Gvk, Resource};
use crate::trace::{Kind, Step, StepOutcome, Trace};
use engine_json::{Map, Value};

/// How many elements one rule may visit for one object.
const MAX_ELEMENTS: usize = 10_000;

/// Whether a rule applies to the object that came: passed, failed where only the old object is meant, skipped; `None`
/// where it has nothing to do with either.
// Kyverno: filterRule. Exceptions come first, before match and preconditions.
pub(crate) fn filter<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let rule = subject.rule;
    let result = |status: Status, message: String| Some(RuleResult::new(rule, status, message));
    let excepted = lifted(subject, context, trace);
    if !excepted.is_empty() {
        let message = format!("rule is skipped due to policy exception {}", excepted.join(", "));
        let mut skipped = result(Status::Skip, message)?;
        skipped.exceptions = excepted;
        return Some(skipped);
    }
    let is_deleted = subject.operation == "DELETE";
    if is_deleted || !rule_matches(rule, &subject.request, trace) {
        let old = if is_deleted { Some(subject.resource) } else { subject.old_resource };
        let meant = matches!(rule.body, Body::Generate(_))
            && old
                .is_some_and(|old| rule_matches(rule, &Request { resource: old, ..subject.request }, trace));
        return if meant { result(Status::Fail, String::new()) } else { None };
    }
    context.checkpoint();
    let decided = decide(subject, context, trace);
    context.restore();
    let (status, message) = decided?;
    result(status, message)
}

/// The exceptions that lift the rule, as `namespace/name`.
// Kyverno: MatchesException asks the cluster for the namespace, and without it no exception applies.
fn lifted(subject: &Subject<'_>, context: &mut JsonContext<'_>, trace: &mut Trace) -> Vec<String> {
    if subject.exceptions.is_empty() {
        return Vec::new();
    }
    exceptions::applying(subject, context, trace)
        .iter()
        .map(|exception| format!("{}/{}", exception.namespace, exception.name))
        .collect()
}

fn decide<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<(Status, String)> {
    // Kyverno: a context that cannot be loaded is only logged.
    add_entries(context, &subject.rule.context, subject).ok()?;
    let preconditions = subject.rule.preconditions.as_ref();
    let mut holds = |context: &mut JsonContext<'a>| {
        evaluate_conditions(context, preconditions, trace, conditions::Role::Precondition)
    };
    match holds(context) {
        Err(error) => return Some((Status::Error, format!("failed to evaluate conditions: {error}"))),
        Ok(outcome) if outcome.holds => return Some((Status::Pass, String::new())),
        Ok(_) => {}
    }
    if let Some(old) = subject.old_resource {
        context.replace(&["request", "object"], old.value.clone());
        match holds(context) {
            Err(error) => {
                let message = format!("failed to evaluate conditions for old resource: {error}");
                return Some((Status::Error, message));
            }
            Ok(outcome) if outcome.holds => return Some((Status::Fail, outcome.message)),
            Ok(_) => {}
        }
    }
    Some((Status::Skip, String::new()))
}

/// What a rule makes, and what is to be said about it.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The objects, as they stand in the cluster.
    pub(crate) objects: Vec<Value>,
    /// Why there are none, or fewer than the rule names; else empty.
    pub(crate) notes: Vec<String>,
}

/// Makes the objects of a rule.
// Kyverno: ApplyGeneratePolicy; an error there is only logged, and the rule passes all the same.
pub(crate) fn run<'a>(
    subject: &Subject<'a>,
    cluster: &Cluster,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Result<Made, String> {
    let Body::Generate(body) = &subject.rule.body else { return Ok(Made::default()) };
    add_entries(context, &subject.rule.context, subject)
        .map_err(|error| format!("failed to load rule level context: {error}"))?;
    let mut generator =
        Generator { subject, body, cluster, context, trace, made: Made::default(), elements: 0 };
    if let Some(loops) = &body.foreach {
        generator.loops(loops)?;
        return Ok(generator.made);
    }
    let rule = subject.rule;
    add_entries(generator.context, &rule.context, subject)
        .map_err(|error| format!("failed to load context: {error}"))?;
    if generator.holds(rule.preconditions.as_ref())? {
        generator.pattern(&body.pattern)?;
    }
    Ok(generator.made)
}

struct Generator<'g, 'a> {
    subject: &'g Subject<'a>,
    body: &'a Generate,
    cluster: &'g Cluster,
    context: &'g mut JsonContext<'a>,
    trace: &'g mut Trace,
    made: Made,
    elements: usize,
}

impl<'a> Generator<'_, 'a> {
    fn holds(&mut self, conditions: Option<&crate::policy::Conditions>) -> Result<bool, String> {
        evaluate_conditions(self.context, conditions, self.trace, conditions::Role::Precondition)
            .map(|outcome| outcome.holds)
            .map_err(|error| format!("failed to evaluate preconditions: {error}"))
    }

    // Kyverno: generateForeach; the rule's own preconditions are not asked for again.
    fn loops(&mut self, loops: &'a [GenerateForeach]) -> Result<(), String> {
        let mut errors = Vec::new();
        for (at, each) in loops.iter().enumerate() {
            let elements = match self.context.query(&each.list) {
                Ok(Value::Array(list)) => list.to_vec(),
                Ok(other) => vec![other],
                Err(error) => {
                    errors.push(format!("failed to evaluate {at} foreach list: {error}"));
                    continue;
                }
            };
            self.context.checkpoint();
            for (index, element) in elements.iter().enumerate().filter(|(_, element)| !element.is_null()) {
                self.elements += 1;
                if self.elements > MAX_ELEMENTS {
                    errors.push(format!(
                        "more than {MAX_ELEMENTS} elements: split the list over several rules"
                    ));
                    break;
                }
                self.context.reset();
                self.context.add_element(element, index, 0);
                self.trace.record(|| {
                    Step::new(Kind::Foreach, StepOutcome::Note, format!("element {index}"))
                        .in_policy(&each.path)
                });
                self.trace.enter();
                let outcome = self.element(each);
                self.trace.leave();
                if let Err(error) = outcome {
                    errors.push(format!("failed to process {index} element: {error}"));
                }
            }
            self.context.restore();
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }

    fn element(&mut self, each: &'a GenerateForeach) -> Result<(), String> {
        add_entries(self.context, &each.context, self.subject)
            .map_err(|error| format!("failed to load context: {error}"))?;
        if self.holds(each.preconditions.as_ref())? { self.pattern(&each.pattern) } else { Ok(()) }
    }

    // Kyverno: generator.generate.
    fn pattern(&mut self, pattern: &Value) -> Result<(), String> {
        let pattern = variables::substitute(self.context, pattern)
            .map_err(|error| format!("variable substitution failed: {error}"))?;
        for key in ["apiVersion", "kind", "namespace", "name"] {
            if pattern.get(key).is_some_and(|value| !value.is_null() && value.as_str().is_none()) {
                return Err(format!("`{key}` of the generated object is not a string"));
            }
        }
        let target = Target::of(&pattern);
        if !pattern.find_str(&["clone", "name"]).is_empty() {
            let source = Target {
                namespace: pattern.find_str(&["clone", "namespace"]).to_owned(),
                name: pattern.find_str(&["clone", "name"]).to_owned(),
                ..target.clone()
            };
            return self.clone_object(&source, &target);
        }
        let kinds = pattern.find(&["cloneList", "kinds"]).and_then(Value::as_array).unwrap_or_default();
        if !kinds.is_empty() {
            return self.clone_list(&pattern, kinds, &target.namespace);
        }
        self.data(pattern.get("data"), &target)
    }

    // Kyverno: manageData.
    fn data(&mut self, data: Option<&Value>, target: &Target) -> Result<(), String> {
        // Kyverno: without data the object has nothing but its name and its labels.
        let data = match data {
            None | Some(Value::Null) => &Value::object(Map::new()),
            Some(data @ Value::Object(_)) => data,
            Some(_) => return Err(format!("the data of {target} is not a map")),
        };
        match self.cluster.get(target) {
            None => self.create(data, target),
            Some(_) if !self.body.synchronize => {
                let note = format!("{target} exists already, and without `synchronize` it stays as it is");
                self.made.notes.push(note);
                Ok(())
            }
            Some(found) => self.update(data, &found, target),
        }
    }

    // Kyverno: manageCloneList.
    fn clone_list(&mut self, pattern: &Value, kinds: &[Value], namespace: &str) -> Result<(), String> {
        let list = pattern.get("cloneList").cloned().unwrap_or_default();
        let selector = list.get("selector").and_then(Value::as_object).map(super::mutate_existing::selector);
        for kind in kinds {
            let (api_version, kind) = split_kind(kind.as_str().unwrap_or(""));
            let found = self.cluster.list(&api_version, &kind, list.find_str(&["namespace"]));
            let fits = |object: &&Resource| {
                selector.as_ref().is_none_or(|selector| {
                    selector_matches(selector, &super::mutate_existing::labels(object))
                })
            };
            let mut any = false;
            for object in found.iter().filter(fits) {
                any = true;
                let source = target_of(object);
                if source.namespace == namespace {
                    self.made.notes.push(format!("{source} is not cloned onto itself"));
                    continue;
                }
                let target = Target { namespace: namespace.to_owned(), ..source.clone() };
                self.clone_object(&source, &target)?;
            }
            if !any {
                self.made.notes.push(format!("there is no {kind} to clone among the given objects"));
            }
        }
        Ok(())
    }

    // Kyverno: manageClone.
    fn clone_object(&mut self, source: &Target, target: &Target) -> Result<(), String> {
        if source.namespace == target.namespace && source.name == target.name {
            self.made.notes.push(format!("{source} is not cloned onto itself"));
            return Ok(());
        }
        let Some(mut copy) = self.cluster.get(source) else {
            return Err(format!(
                "{source}, which it clones, is not among the objects of the cluster that are given"
            ));
        };
        set_labels(&mut copy, [("generate.kyverno.io/clone-source", "")]);
        self.cluster.put(source, copy.clone())?;
        let gvk = Gvk::new(copy.find_str(&["apiVersion"]), copy.find_str(&["kind"]));
        let uid = copy.find_str(&["metadata", "uid"]).to_owned();
        let labels = [
            ("generate.kyverno.io/source-group", gvk.group.as_str()),
            ("generate.kyverno.io/source-version", gvk.version.as_str()),
            ("generate.kyverno.io/source-kind", gvk.kind.as_str()),
            ("generate.kyverno.io/source-namespace", source.namespace.as_str()),
            ("generate.kyverno.io/source-uid", uid.as_str()),
        ];
        set_labels(&mut copy, labels);
        if let Some(metadata) = metadata(&mut copy) {
            if source.namespace != target.namespace {
                metadata.remove("ownerReferences");
            }
            for key in ["uid", "selfLink", "creationTimestamp", "managedFields", "resourceVersion"] {
                metadata.remove(key);
            }
        }
        match self.cluster.get(target) {
            None => self.create(&copy, target),
            Some(found) => self.update(&copy, &found, target),
        }
    }

    /// The object as it goes into the cluster.
    fn labelled(&self, data: &Value, target: &Target) -> Value {
        let data = data.with_int_numbers();
        let mut object = Map::new();
        object.insert("apiVersion", Value::from(target.api_version.as_str()));
        let kind = match data.find_str(&["kind"]) {
            "" => target.kind.as_str(),
            kind => kind,
        };
        object.insert("kind", Value::from(kind));
        object.insert("metadata", Value::object(Map::new()));
        for (key, value) in data.as_object().into_iter().flat_map(Map::iter) {
            if !matches!(key.as_str(), "apiVersion" | "kind") {
                object.insert(key.clone(), value.clone());
            }
        }
        let mut object = Value::object(object);
        if let Some(metadata) = metadata(&mut object) {
            for (key, text) in [("name", &target.name), ("namespace", &target.namespace)] {
                if text.is_empty() {
                    metadata.remove(key);
                } else {
                    metadata.insert(key, Value::from(text.as_str()));
                }
            }
            metadata.remove("resourceVersion");
        }
        let (policy, trigger) = (self.subject.policy, self.subject.resource);
        let gvk = Gvk::new(trigger.api_version(), trigger.value.find_str(&["kind"]));
        let labels = [
            ("app.kubernetes.io/managed-by", "kyverno"),
            ("generate.kyverno.io/policy-name", policy.name.as_str()),
            ("generate.kyverno.io/policy-namespace", policy.namespace.as_str()),
            ("generate.kyverno.io/rule-name", self.subject.rule.name.as_str()),
            ("generate.kyverno.io/trigger-group", gvk.group.as_str()),
            ("generate.kyverno.io/trigger-kind", gvk.kind.as_str()),
            ("generate.kyverno.io/trigger-namespace", trigger.namespace()),
            ("generate.kyverno.io/trigger-uid", trigger.value.find_str(&["metadata", "uid"])),
            ("generate.kyverno.io/trigger-version", gvk.version.as_str()),
        ];
        set_labels(&mut object, labels);
        object
    }

    fn create(&mut self, data: &Value, target: &Target) -> Result<(), String> {
        let object = self.labelled(data, target);
        self.trace.record(|| Step::new(Kind::Verdict, true, format!("{target} is made")));
        self.cluster.put(target, object.clone())?;
        self.made.objects.push(object);
        Ok(())
    }

    // Kyverno: an object that is there is not said among those that were generated.
    fn update(&mut self, data: &Value, found: &Value, target: &Target) -> Result<(), String> {
        let object = self.labelled(data, target);
        let note = if !self.body.synchronize {
            format!("{target} exists already, and without `synchronize` it stays as it is")
        } else if fits(&object, found) && fits(found, &object) {
            format!("{target} exists already and needs no change")
        } else {
            self.cluster.put(target, object)?;
            format!("{target} exists already and is brought in line")
        };
        self.trace.record(|| Step::new(Kind::Verdict, StepOutcome::Note, note.clone()));
        self.made.notes.push(note);
        Ok(())
    }
}

/// Whether an object fits another one taken as a pattern.
// Kyverno: validate.MatchPattern.
fn fits(resource: &Value, pattern: &Value) -> bool {
    matches!(Pattern::new(pattern).check(resource), Verdict::Pass)
}

fn target_of(object: &Resource) -> Target {
    Target {
        api_version: object.api_version().to_owned(),
        kind: object.kind().to_owned(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
    }
}

/// Group with version, and kind, of a text such as `v1/Secret` or `apps/v1/Deployment`.
// Kyverno: kubeutils.GetKindFromGVK.
fn split_kind(text: &str) -> (String, String) {
    match text.rsplit_once('/') {
        Some((api_version, kind)) => (api_version.to_owned(), kind.to_owned()),
        None => (String::new(), text.to_owned()),
    }
}

/// The metadata, made where there is none; `None` where it is not a map.
fn metadata(object: &mut Value) -> Option<&mut Map> {
    let object = object.object_mut()?;
    if object.get("metadata").is_none() {
        object.insert("metadata", Value::object(Map::new()));
    }
    object.get_mut("metadata").and_then(Value::object_mut)
}

/// Adds labels; where one that is there is no text, all that are there go.
// Go: unstructured.GetLabels knows only maps of texts.
fn set_labels<'l>(object: &mut Value, labels: impl IntoIterator<Item = (&'l str, &'l str)>) {
    let Some(metadata) = metadata(object) else { return };
    let known = metadata.get("labels").and_then(Value::as_object);
    let mut all = known.filter(|known| known.values().all(|value| value.as_str().is_some())).cloned();
    let all = all.get_or_insert_with(Map::new);
    for (key, value) in labels {
        all.insert(key, Value::from(value));
    }
    metadata.insert("labels", Value::object(std::mem::take(all)));
}
