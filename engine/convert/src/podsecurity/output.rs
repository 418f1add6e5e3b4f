//! Units as policies.
//!
//! In: a source and a target. Out: documents as YAML: ValidatingPolicies, a ValidatingAdmissionPolicy with its binding, or a classic rule.

use super::classic;
use super::source::{CONTROLLERS, Source};
use super::unit::{Place, Unit};
use super::units::{notes, units};
use crate::emit;
use crate::expressions::formula::quoted;
use crate::rules::ephemeral::of_ephemeral_containers;
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
    /// The checks of the documents that are about one.
    pub checks: Vec<&'static str>,
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
    match target {
        Target::ValidatingPolicies => validating_policies(source),
        Target::AdmissionPolicy => admission_policy(source),
        Target::Classic => classic::pod_security(source),
        Target::ClassicCel => classic::cel(source),
    }
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
    let rules = rules.iter().filter(|(_, resources)| !resources.is_empty()).map(|(group, resources)| {
        object([
            ("apiGroups", texts(&[group])),
            ("apiVersions", texts(&["v1"])),
            ("resources", texts(resources)),
            ("operations", texts(&["CREATE", "UPDATE"])),
        ])
    });
    map.insert("resourceRules", Value::array(rules.collect()));
    Value::object(map)
}

pub(super) fn policy(kind: &str, api: &str, name: &str, spec: Map) -> Value {
    object([
        ("apiVersion", Value::from(api)),
        ("kind", Value::from(kind)),
        ("metadata", object([("name", Value::from(name))])),
        ("spec", Value::object(spec)),
    ])
}

fn validating_policies(source: &Source) -> Compiled {
    let mut made = Compiled { notes: notes(source), ..Compiled::default() };
    for unit in units(source, Place::Object) {
        let mut spec = Map::new();
        spec.insert("validationActions", texts(&source.actions));
        if source.controllers.len() < CONTROLLERS.len() {
            let controllers = object([("controllers", texts(&source.controllers))]);
            spec.insert("autogen", object([("podControllers", controllers)]));
        }
        spec.insert("matchConstraints", constraints(source, &[("", &["pods"])]));
        let conditions = conditions(source, "object.spec");
        if !conditions.is_empty() {
            spec.insert("matchConditions", named(&conditions));
        }
        spec.insert("variables", named(&unit.variables));
        spec.insert("validations", Value::array(vec![validation(source, &unit)]));
        let name = format!("{}-{}", source.name, unit.slug);
        let comment = format!("# {}: {}", titled(source), unit.title);
        let document = policy("ValidatingPolicy", "policies.kyverno.io/v1", &name, spec);
        let of_ephemeral_containers = of_ephemeral_containers(&document);
        made.documents.push((vec![comment.clone()], document));
        made.checks.push(unit.id);
        if let Some(document) = of_ephemeral_containers {
            made.documents.push((vec![format!("{comment}, in ephemeral containers")], document));
            made.checks.push(unit.id);
        }
    }
    made
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
    let pod = pod(&source.controllers);
    let mut variables = vec![("pod".to_owned(), pod.clone())];
    let mut validations = Vec::new();
    for unit in units(source, Place::Variable) {
        for variable in &unit.variables {
            if !variables.iter().any(|(name, _)| *name == variable.0) {
                variables.push(variable.clone());
            }
        }
        validations.push(validation(source, &unit));
    }
    let of = |wanted: &[&'static str]| -> Vec<&'static str> {
        wanted
            .iter()
            .filter(|plural| source.controllers.iter().any(|known| known == *plural))
            .copied()
            .collect()
    };
    let (apps, batch) =
        (of(&["daemonsets", "deployments", "replicasets", "statefulsets"]), of(&["cronjobs", "jobs"]));
    let rules: [(&str, &[&str]); 3] =
        [("", &["pods", "pods/ephemeralcontainers"]), ("apps", &apps), ("batch", &batch)];
    let mut spec = Map::new();
    spec.insert("failurePolicy", Value::from("Fail"));
    spec.insert("matchConstraints", constraints(source, &rules));
    let conditions = conditions(source, &format!("({pod}).spec"));
    if !conditions.is_empty() {
        spec.insert("matchConditions", named(&conditions));
    }
    spec.insert("variables", named(&variables));
    spec.insert("validations", Value::array(validations));
    let mut binding = Map::new();
    binding.insert("policyName", Value::from(source.name.as_str()));
    binding.insert("validationActions", texts(&source.actions));
    made.documents.push((
        vec![format!("# {}", titled(source))],
        policy("ValidatingAdmissionPolicy", api, &source.name, spec),
    ));
    made.documents.push((Vec::new(), policy("ValidatingAdmissionPolicyBinding", api, &source.name, binding)));
    made
}
