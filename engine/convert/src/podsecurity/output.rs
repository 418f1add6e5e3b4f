//! Units as policies.
//!
//! In: a source and a target. Out: documents as YAML: ValidatingPolicies, a ValidatingAdmissionPolicy with its binding, or a classic rule.

use super::classic;
use super::source::{CONTROLLERS, REPLICATION, Source};
use super::unit::{Place, Unit};
use super::units::{notes, units};
use crate::emit;
use crate::expressions::formula::quoted;
use crate::kinds::admission::NAME_LABEL;
use crate::kinds::policy::{Body, around, evaluation};
use crate::kinds::templates::replication;
use crate::rules::ephemeral::of_ephemeral_containers;
use crate::taken_by;
use engine_json::{Map, Value};
use engine_podsecurity::Version;

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// ValidatingPolicies of Kyverno, one for each check.
    ValidatingPolicies,
    /// A ValidatingAdmissionPolicy of Kubernetes and its binding.
    AdmissionPolicy,
    /// A ClusterPolicy with a `podSecurity` rule.
    Classic,
    /// A ClusterPolicy with a rule in CEL for each check.
    ClassicCel,
}

/// Documents, and what a reader should know.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// The documents, with comments above each.
    pub documents: Vec<(Vec<String>, Value)>,
    /// Why nothing is made.
    pub refused: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Checks that decide otherwise than the source asks; empty where all is the same.
    pub differing: Vec<&'static str>,
}

impl Compiled {
    /// The documents as YAML.
    pub fn text(&self) -> String {
        let texts = self.documents.iter().map(|(comments, document)| emit::document(comments, document));
        texts.collect::<Vec<_>>().join("---\n")
    }
}

/// Compiles a source.
pub fn compile(source: &Source, target: Target) -> Compiled {
    let mut made = match target {
        Target::ValidatingPolicies => validating_policies(source),
        Target::AdmissionPolicy => admission_policy(source),
        Target::Classic => classic::pod_security(source),
        Target::ClassicCel => classic::cel(source),
    };
    if let Version::Minor(minor) = source.version
        && minor > engine_podsecurity::NEWEST_MINOR
    {
        let newest = engine_podsecurity::NEWEST_MINOR;
        made.notes
            .push(format!("v1.{minor} has the checks of v1.{newest}, the newest version that is known here"));
    }
    made.notes.extend(taken_by(made.documents.iter().map(|(_, document)| document)));
    let is_in_cel = matches!(target, Target::ValidatingPolicies | Target::AdmissionPolicy);
    if is_in_cel && source.policy.allows_existing_violations && made.refused.is_none() {
        made.notes.push(
            "the rule admits updates of objects that failed before (`allowExistingViolations`), the new policy refuses them".to_owned(),
        );
    }
    made
}

/// `restricted`, version `latest` (of v1.37).
pub(super) fn titled(source: &Source) -> String {
    let newest = match source.version {
        Version::Latest => format!(", which is v1.{} here", engine_podsecurity::NEWEST_MINOR),
        Version::Minor(_) => String::new(),
    };
    format!("Pod Security Standards, {}, version {}{newest}", source.level, source.version)
}

pub(crate) fn message(source: &Source, unit: &Unit) -> String {
    let begin = format!("violates PodSecurity \"{}:{}\": {} (", source.level, source.version, unit.reason);
    format!("{} +\n  {} + ')'", quoted(&begin), unit.detail.replace('\n', "\n  "))
}

pub(super) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(Map::from_entries(entries.into_iter().map(|(key, value)| (key.into(), value)).collect()))
}

pub(super) fn texts<T: AsRef<str>>(all: &[T]) -> Value {
    Value::array(all.iter().map(|one| Value::from(one.as_ref())).collect())
}

fn named(all: &[(String, String)]) -> Value {
    let one = |(name, expression): &(String, String)| {
        object([("name", Value::from(name.as_str())), ("expression", Value::from(expression.as_str()))])
    };
    Value::array(all.iter().map(one).collect())
}

pub(super) fn validation(source: &Source, unit: &Unit) -> Value {
    object([
        ("expression", Value::from(unit.expression.as_str())),
        (
            "message",
            Value::from(format!(
                "violates PodSecurity \"{}:{}\": {}",
                source.level, source.version, unit.reason
            )),
        ),
        ("messageExpression", Value::from(message(source, unit))),
    ])
}

/// The requests that count; `spec` is the expression of the Pod's spec.
fn conditions(source: &Source, spec: &str) -> Vec<(String, String)> {
    let mut all = source.conditions.clone();
    let listed = |list: &[String]| list.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let mut add = |name: &str, value: &str, list: &[String]| {
        if !list.is_empty() {
            all.push((name.to_owned(), format!("!({value} in [{}])", listed(list))));
        }
    };
    add("namespace-is-not-exempt", "request.namespace", &source.namespaces);
    add("user-is-not-exempt", "request.userInfo.username", &source.usernames);
    add(
        "runtime-class-is-not-exempt",
        &format!("{spec}.?runtimeClassName.orValue('')"),
        &source.runtime_classes,
    );
    all
}

fn constraints(source: &Source, rules: &[(&str, &[&str])]) -> Value {
    let mut map = source.selectors.clone();
    let named: Vec<&str> = source.policy.operations.iter().map(String::as_str).collect();
    let operations = if named.is_empty() { vec!["CREATE", "UPDATE"] } else { named };
    let rules = rules.iter().filter(|(_, resources)| !resources.is_empty()).map(|(group, resources)| {
        object([
            ("apiGroups", texts(&[group])),
            ("apiVersions", texts(&["v1"])),
            ("resources", texts(resources)),
            ("operations", texts(&operations)),
        ])
    });
    map.insert("resourceRules", Value::array(rules.collect()));
    Value::object(map)
}

/// A policy with this name, in a namespace where one is given.
pub(super) fn policy((kind, api): (&str, &str), (name, namespace): (&str, Option<&str>), spec: Map) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name", Value::from(name));
    if let Some(namespace) = namespace {
        metadata.insert("namespace", Value::from(namespace));
    }
    object([
        ("apiVersion", Value::from(api)),
        ("kind", Value::from(kind)),
        ("metadata", Value::object(metadata)),
        ("spec", Value::object(spec)),
    ])
}

fn validating_policies(source: &Source) -> Compiled {
    let mut made = Compiled { notes: notes(source), ..Compiled::default() };
    let units = units(source, Place::Object);
    for unit in &units {
        let name = format!("{}-{}", source.name, unit.slug);
        let comment = format!("# {}: {}", titled(source), unit.title);
        let document = validating_policy(source, &name, std::slice::from_ref(unit));
        let of_ephemeral_containers = of_ephemeral_containers(&document);
        made.documents.push((vec![comment.clone()], document));
        if let Some(document) = of_ephemeral_containers {
            made.documents.push((vec![format!("{comment}, in ephemeral containers")], document));
        }
    }
    if source.controllers.iter().any(|plural| plural == REPLICATION) && !units.is_empty() {
        let document = replication(&validating_policy(source, &source.name, &units), &[]);
        let comment = "# autogen extends no policy in CEL to ReplicationControllers".to_owned();
        made.documents.push((vec![format!("# {}", titled(source)), comment], document));
    }
    made
}

/// A ValidatingPolicy with these checks.
fn validating_policy(source: &Source, name: &str, units: &[Unit]) -> Value {
    let mut spec = Map::new();
    spec.insert("validationActions", texts(&source.actions));
    let written = Value::object(source.policy.spec.clone());
    if let Some(evaluation) = evaluation(&written, Body::Validate) {
        spec.insert("evaluation", evaluation);
    }
    around(&mut spec, &written);
    let extended: Vec<&String> = source.controllers.iter().filter(|plural| *plural != REPLICATION).collect();
    if extended.len() + 1 < CONTROLLERS.len() {
        let controllers = object([("controllers", texts(&extended))]);
        spec.insert("autogen", object([("podControllers", controllers)]));
    }
    spec.insert("matchConstraints", constraints(source, &[("", &["pods"])]));
    let conditions = conditions(source, "object.spec");
    if !conditions.is_empty() {
        spec.insert("matchConditions", named(&conditions));
    }
    spec.insert("variables", named(&variables(units, Vec::new())));
    spec.insert("validations", Value::array(units.iter().map(|unit| validation(source, unit)).collect()));
    let namespace = source.policy.namespace.as_deref();
    let kind = if namespace.is_some() { "NamespacedValidatingPolicy" } else { "ValidatingPolicy" };
    policy((kind, "policies.kyverno.io/v1"), (name, namespace), spec)
}

/// The variables of several checks behind others, each once.
fn variables(units: &[Unit], mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    for variable in units.iter().flat_map(|unit| &unit.variables) {
        if !variables.iter().any(|(name, _)| *name == variable.0) {
            variables.push(variable.clone());
        }
    }
    variables
}

/// The Pod of the object, or its template.
fn pod(controllers: &[String]) -> String {
    let has_jobs = controllers.iter().any(|plural| plural == "cronjobs");
    let has_others = controllers.iter().any(|plural| plural != "cronjobs");
    let template = "dyn(object).spec.template";
    let of_job = "dyn(object).spec.jobTemplate.spec.template";
    match (has_jobs, has_others) {
        (false, false) => "dyn(object)".to_owned(),
        (false, true) => format!("object.kind == 'Pod' ? dyn(object) : {template}"),
        (true, false) => format!("object.kind == 'Pod' ? dyn(object) : {of_job}"),
        (true, true) => {
            format!("object.kind == 'Pod' ? dyn(object) :\nobject.kind == 'CronJob' ? {of_job} : {template}")
        }
    }
}

fn admission_policy(source: &Source) -> Compiled {
    let api = "admissionregistration.k8s.io/v1";
    let mut made = Compiled { notes: notes(source), ..Compiled::default() };
    if source.policy.spec.get("admission").and_then(Value::as_bool) == Some(false) {
        made.refused =
            Some("it is not asked on admission, which an API server always asks its policies on".to_owned());
        return made;
    }
    let pod = pod(&source.controllers);
    let units = units(source, Place::Variable);
    let variables = variables(&units, vec![("pod".to_owned(), pod.clone())]);
    let validations = units.iter().map(|unit| validation(source, unit)).collect();
    let of = |wanted: &[&'static str]| -> Vec<&'static str> {
        wanted
            .iter()
            .filter(|plural| source.controllers.iter().any(|known| known == *plural))
            .copied()
            .collect()
    };
    let (apps, batch) =
        (of(&["daemonsets", "deployments", "replicasets", "statefulsets"]), of(&["cronjobs", "jobs"]));
    let mut core = vec!["pods", "pods/ephemeralcontainers"];
    core.extend(of(&[REPLICATION]));
    let rules: [(&str, &[&str]); 3] = [("", &core), ("apps", &apps), ("batch", &batch)];
    let mut spec = Map::new();
    let is_ignored = source.policy.spec.get("failurePolicy").and_then(Value::as_str) == Some("Ignore");
    spec.insert("failurePolicy", Value::from(if is_ignored { "Ignore" } else { "Fail" }));
    spec.insert("matchConstraints", constraints(source, &rules));
    let conditions = conditions(source, &format!("({pod}).spec"));
    if !conditions.is_empty() {
        spec.insert("matchConditions", named(&conditions));
    }
    spec.insert("variables", named(&variables));
    spec.insert("validations", Value::array(validations));
    let namespace = source.policy.namespace.as_deref();
    let name =
        namespace.map_or_else(|| source.name.clone(), |namespace| format!("{namespace}-{}", source.name));
    let mut binding = Map::new();
    binding.insert("policyName", Value::from(name.as_str()));
    binding.insert("validationActions", texts(&source.actions));
    if let Some(namespace) = namespace {
        let label = object([("matchLabels", object([(NAME_LABEL, Value::from(namespace))]))]);
        binding.insert("matchResources", object([("namespaceSelector", label)]));
    }
    made.documents.push((
        vec![format!("# {}", titled(source))],
        policy(("ValidatingAdmissionPolicy", api), (&name, None), spec),
    ));
    let of_binding = ("ValidatingAdmissionPolicyBinding", api);
    made.documents.push((Vec::new(), policy(of_binding, (&name, None), binding)));
    made
}
