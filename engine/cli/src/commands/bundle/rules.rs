//! Which requests policies are for, and what they ask the cluster about them.
//!
//! In: settings. Out: [`Needs`]: the rules of a webhook that match the kinds and operations of the policies and no others, whether
//! objects are changed, and the kinds that the policies read.

use super::object;
use engine::json::{Str, Value};
use engine::load::{Host, Role, load_with};
use engine::policy::{Body, ContextEntry, KindSelector, Policy, Rule, Source};
use engine::resource::plural;
use engine_celpolicy::patch::published_types;
use engine_lenses::wire::Text;
use std::collections::{BTreeMap, BTreeSet};

const EVERY: &[&str] = &["CREATE", "UPDATE", "DELETE", "CONNECT"];
/// What a policy for Pods alone is for besides: group and plural.
const CONTROLLERS: [(&str, &str); 6] = [
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
];

type Texts = BTreeSet<String>;

/// What policies need of a cluster.
#[derive(Default)]
pub(super) struct Needs {
    /// By groups and operations: versions and resources.
    rules: BTreeMap<(Texts, Texts), (Texts, Texts)>,
    /// API version and kind.
    read: BTreeSet<(String, String)>,
    /// Whether objects are changed.
    pub(super) mutates: bool,
    /// Whether anything is refused where it cannot be decided.
    pub(super) fails: bool,
    /// The policies, as `Kind name`.
    pub(super) policies: Vec<String>,
}

impl Needs {
    /// Those of settings.
    pub(super) fn of(settings: &Value) -> Self {
        let texts = settings.get("policies").and_then(Value::as_array).unwrap_or_default();
        let sources = texts.iter().map(|text| {
            let text = text.as_str().map_or_else(|| engine::json::to_json(text), str::to_owned);
            (Role::Policies, (&Text { name: String::new(), text }).into())
        });
        let (bundle, _) = load_with(sources.collect(), Host::Cluster, engine_celpolicy::WITHOUT_STEPS);
        let mut needs = Needs::default();
        for policy in &bundle.policies {
            needs.policies.push(format!("{} `{}`", policy.kind.as_str(), policy.key()));
            needs.add(policy);
        }
        let has_level = settings.get("podSecurity").is_some_and(|value| !value.is_null());
        needs.fails = match settings.find_str(&["failurePolicy"]) {
            "" => has_level || bundle.policies.iter().any(|policy| !policy.ignores_errors),
            given => has_level || given != "Ignore",
        };
        if has_level {
            let operations = ["CREATE", "UPDATE"];
            needs.ask([""], ["v1"], ["namespaces", "pods", "pods/ephemeralcontainers"], operations);
            needs.ask([""], ["v1"], ["podtemplates", "replicationcontrollers"], operations);
            needs.ask_controllers(operations);
            needs.reads("v1", "Namespace");
            needs.reads("v1", "Pod");
        }
        needs
    }

    fn add(&mut self, policy: &Policy) {
        if engine_kubewarden::asks_namespaces(policy) {
            self.reads("v1", "Namespace");
        }
        if engine_kubewarden::asks_roles(policy) {
            self.reads("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
            self.reads("rbac.authorization.k8s.io/v1", "RoleBinding");
        }
        let of_rules =
            policy.rules.iter().filter_map(|rule| rule.raw.find(&["validate", "cel", "paramKind"]));
        for kind in policy.raw.find(&["spec", "paramKind"]).into_iter().chain(of_rules) {
            self.reads(kind.find_str(&["apiVersion"]), kind.find_str(&["kind"]));
        }
        if policy.body.is_some() {
            return self.add_in_cel(policy);
        }
        for rule in policy.rules.iter().chain(&policy.autogen) {
            self.add_rule(rule);
        }
    }

    fn add_rule(&mut self, rule: &Rule) {
        // Kyverno: pkg/controllers/webhook/controller.go defaultOperations.
        let default = match &rule.body {
            Body::Mutate(body) if body.targets.is_empty() => EVERY.split_at(2).0,
            Body::Validate(_) => EVERY,
            _ => return,
        };
        self.mutates |= matches!(rule.body, Body::Mutate(_));
        for filter in rule.matches.filters().filter(|filter| filter.has_resources || filter.has_user_info()) {
            let given: Vec<&str> = filter.operations.iter().map(Str::as_str).collect();
            let operations = if given.is_empty() { default.to_vec() } else { given };
            if filter.kinds.is_empty() {
                self.ask(["*"], ["*"], ["*"], operations.clone());
            }
            for kind in &filter.kinds {
                let (groups, resource) = place_of(kind);
                let mut resources = Texts::from([resource]);
                // Kyverno: pkg/controllers/webhook/utils_webhook.go, computeRules: what adds containers to a Pod that runs is asked too.
                if resources.contains("pods") {
                    resources.insert("pods/ephemeralcontainers".to_owned());
                }
                self.ask(groups, [kind.version.pattern().to_owned()], resources, operations.clone());
            }
        }
        rule.context.iter().for_each(|entry| self.add_entry(entry));
    }

    fn add_entry(&mut self, entry: &ContextEntry) {
        match &entry.source {
            Source::ConfigMap { .. } => self.reads("v1", "ConfigMap"),
            Source::ApiCall(call) => {
                if let Some((version, kind)) = engine_kubewarden::kind_of_path(call.find_str(&["urlPath"])) {
                    self.reads(&version, &kind);
                }
            }
            _ => {}
        }
    }

    fn add_in_cel(&mut self, policy: &Policy) {
        let spec = policy.raw.get("spec").cloned().unwrap_or_default();
        let is_kyverno = !policy.kind.as_str().contains("AdmissionPolicy");
        self.mutates |= policy.kind.as_str().contains("Mutating");
        let rules = spec.find(&["matchConstraints", "resourceRules"]).and_then(Value::as_array);
        let Some(rules) = rules.filter(|rules| !rules.is_empty()) else {
            return self.ask(["*"], ["*"], ["*"], EVERY.iter().copied());
        };
        for rule in rules {
            let of = |field: &str| -> Vec<String> {
                let list = rule.get(field).and_then(Value::as_array).unwrap_or_default();
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            };
            let resources = of("resources");
            if is_kyverno && resources == ["pods"] {
                self.ask_controllers(of("operations"));
            }
            self.ask(of("apiGroups"), of("apiVersions"), resources, of("operations"));
        }
    }

    fn ask_controllers<S: Into<String>>(&mut self, operations: impl IntoIterator<Item = S>) {
        let operations: Vec<String> = operations.into_iter().map(Into::into).collect();
        for (group, resource) in CONTROLLERS {
            self.ask([group], ["v1"], [resource], operations.clone());
        }
    }

    fn ask<G: Into<String>, V: Into<String>, R: Into<String>, O: Into<String>>(
        &mut self,
        groups: impl IntoIterator<Item = G>,
        versions: impl IntoIterator<Item = V>,
        resources: impl IntoIterator<Item = R>,
        operations: impl IntoIterator<Item = O>,
    ) {
        let mut operations: Texts = operations.into_iter().map(Into::into).collect();
        if operations.contains("*") {
            operations = EVERY.iter().copied().map(str::to_owned).collect();
        }
        let key = (groups.into_iter().map(Into::into).collect(), operations);
        let (known_versions, known_resources) = self.rules.entry(key).or_default();
        known_versions.extend(versions.into_iter().map(Into::into));
        known_resources.extend(resources.into_iter().map(Into::into));
    }

    fn reads(&mut self, version: &str, kind: &str) {
        self.read.insert((version.to_owned(), kind.to_owned()));
    }

    /// The rules of a webhook.
    pub(super) fn rules(&self) -> Value {
        let list = |texts: &Texts| {
            // What stands for all others, Kubernetes wants without them; `*` is all resources, and none of their subresources.
            let all = |text: &str| texts.contains(text);
            let is_covered = |text: &str| match text.split_once('/') {
                None => text != "*" && all("*"),
                Some((resource, subresource)) => {
                    let wider = [format!("{resource}/*"), format!("*/{subresource}")];
                    wider.iter().any(|wider| wider != text && all(wider))
                }
            };
            let is_covered = |text: &String| (all("*/*") && text != "*/*") || is_covered(text);
            let texts = texts.iter().filter(|text| !is_covered(text));
            Value::array(texts.map(|text| Value::from(text.as_str())).collect())
        };
        let rules = self.rules.iter().map(|((groups, operations), (versions, resources))| {
            object([
                ("apiGroups", list(groups)),
                ("apiVersions", list(versions)),
                ("resources", list(resources)),
                ("operations", list(operations)),
            ])
        });
        Value::array(rules.collect())
    }

    /// The kinds that are read.
    pub(super) fn context(&self) -> Value {
        let kinds = self.read.iter().map(|(version, kind)| {
            object([("apiVersion", Value::from(version.as_str())), ("kind", Value::from(kind.as_str()))])
        });
        Value::array(kinds.collect())
    }
}

/// The groups in which a kind may be, and the plural, with its subresource.
fn place_of(selector: &KindSelector) -> (Texts, String) {
    let (group, kind) = (selector.group.pattern(), selector.kind.pattern());
    let resource = if selector.kind.is_literal() { plural(kind) } else { "*".to_owned() };
    let resource = match selector.subresource.pattern() {
        "" => resource,
        subresource => format!("{resource}/{subresource}"),
    };
    let mut groups: Texts =
        if selector.group.is_literal() { [group.to_owned()].into() } else { Texts::new() };
    if groups.is_empty() && selector.kind.is_literal() {
        let rows = published_types().lines().filter_map(|line| line.strip_prefix('=')?.split_once(' '));
        let of_kind = rows.filter(|(_, rest)| rest.split(' ').next() == Some(kind));
        groups = of_kind
            .map(|(version, _)| version.split_once('/').map_or("", |(group, _)| group).to_owned())
            .filter(|known| selector.group.matches(known))
            .collect();
    }
    if groups.is_empty() {
        groups.insert("*".to_owned());
    }
    (groups, resource)
}
