//! Policies: match and exclude blocks, context, preconditions and a body; and exceptions, values and the Playground's
//! context beside them.

use super::condition::conditions;
use super::expression::{Expressions, Place, Scope};
use super::mutate::mutate;
use super::pattern::pattern;
use super::resource::{labels, things};
use super::{object, odd, texts};
use crate::random::Choices;
use engine::json::Value;

const KINDS: &[&str] = &[
    "Pod",
    "*",
    "Deployment",
    "v1/Pod",
    "apps/v1/Deployment",
    "CronJob",
    "ConfigMap",
    "Thing",
    "*/*",
    "Namespace",
    "Pod/exec",
    "example.com/*/Thing",
];

/// Makes the policies of a case.
pub(super) struct Maker<'a> {
    pub(super) choices: &'a mut Choices,
    pub(super) expressions: &'a Expressions,
    /// The resources that the policies will meet.
    pub(super) samples: &'a [Value],
}

impl Maker<'_> {
    /// The policy number `n`.
    pub(super) fn policy(&mut self, n: usize) -> Value {
        let is_namespaced = self.choices.once_in(8);
        let rules: Vec<Value> = (0..=self.choices.below(2)).map(|n| self.rule(n)).collect();
        let mut spec = vec![
            ("validationFailureAction", Value::from(self.choices.pick(&["Audit", "Enforce"]))),
            ("rules", Value::array(rules)),
        ];
        // Most rules speak of the request, which a background scan does not have.
        if !self.choices.once_in(25) {
            spec.push(("background", Value::from(false)));
        }
        if self.choices.once_in(8) {
            spec.push(("applyRules", Value::from("One")));
        }
        let mut annotations = Vec::new();
        if self.choices.once_in(4) {
            let kinds = self.choices.pick(&["none", "Deployment", "Deployment,CronJob", "StatefulSet"]);
            annotations.push(("pod-policies.kyverno.io/autogen-controllers", Value::from(kinds)));
        }
        let metadata = object([
            ("name", Value::from(format!("p{n}"))),
            ("namespace", if is_namespaced { Value::from("default") } else { Value::Null }),
            ("annotations", if annotations.is_empty() { Value::Null } else { object(annotations) }),
        ]);
        object([
            ("apiVersion", Value::from("kyverno.io/v1")),
            ("kind", Value::from(if is_namespaced { "Policy" } else { "ClusterPolicy" })),
            ("metadata", metadata),
            ("spec", object(spec)),
        ])
    }

    fn sample(&mut self) -> Value {
        self.samples.get(self.choices.below(self.samples.len())).cloned().unwrap_or_default()
    }

    fn rule(&mut self, n: usize) -> Value {
        let mut entries = vec![("name", Value::from(format!("r{n}"))), ("match", self.block())];
        if self.choices.once_in(6) {
            let block = self.block();
            entries.push(("exclude", block));
        }
        let variables = if self.choices.once_in(2) { 1 + self.choices.below(2) } else { 0 };
        if variables > 0 {
            let context = (0..variables).map(|n| self.context_entry(n)).collect();
            entries.push(("context", Value::array(context)));
        }
        let scope = Scope { variables, place: Place::Rule };
        if self.choices.once_in(3) {
            entries.push(("preconditions", conditions(self.choices, self.expressions, scope)));
        }
        if self.choices.once_in(4) {
            let sample = self.sample();
            entries.push(("mutate", mutate(self.choices, self.expressions, scope, &sample)));
        } else {
            let body = self.validate(scope);
            entries.push(("validate", body));
        }
        object(entries)
    }

    fn block(&mut self) -> Value {
        let filters =
            |maker: &mut Self| Value::array((0..=maker.choices.below(2)).map(|_| maker.filter()).collect());
        match self.choices.below(6) {
            0..=3 => object([("any", filters(self))]),
            4 => object([("all", filters(self))]),
            _ => self.filter(),
        }
    }

    fn filter(&mut self) -> Value {
        let sample = self.sample();
        let choices = &mut *self.choices;
        // Most rules are for a kind that is there.
        let kind = match choices.below(8) {
            0..=3 => sample.find_str(&["kind"]),
            4..=6 => "Pod",
            _ => choices.pick(KINDS),
        };
        let mut resources = vec![("kinds", texts(&[kind]))];
        if choices.once_in(8) {
            resources.push(("names", texts(&[choices.pick(&["web*", "?b-*", "*", "nothing"])])));
        }
        if choices.once_in(10) {
            resources.push(("namespaces", texts(&[choices.pick(&["default", "pr*", "*"])])));
        }
        if choices.once_in(8) {
            resources.push(("selector", selector(choices)));
        }
        if choices.once_in(15) {
            resources.push(("annotations", labels(choices)));
        }
        if choices.once_in(10) {
            resources.push(("operations", texts(&[choices.pick(&["CREATE", "UPDATE", "DELETE"])])));
        }
        if choices.once_in(12) {
            let labels = object([("matchLabels", object([("tier", Value::from("*"))]))]);
            resources.push(("namespaceSelector", labels));
        }
        let subject =
            object([("kind", Value::from("User")), ("name", Value::from(choices.pick(&["a*", "bob"])))]);
        object([
            ("resources", odd(choices, object(resources))),
            ("subjects", if choices.once_in(15) { Value::array(vec![subject]) } else { Value::Null }),
        ])
    }

    /// The variable number `n`, which may speak of those before it.
    fn context_entry(&mut self, n: usize) -> Value {
        let scope = Scope { variables: n, place: Place::Rule };
        let mut variable = Vec::new();
        if self.choices.once_in(2) {
            let expression = self.expressions.expression(self.choices, scope, 2);
            variable.push(("jmesPath", Value::from(expression)));
            if self.choices.below(4) > 0 {
                variable.push(("default", Value::from("name")));
            }
        }
        if variable.is_empty() || self.choices.once_in(3) {
            let value = match self.choices.below(3) {
                0 => Value::from(self.expressions.text(self.choices, scope)),
                1 => things(self.choices, 1),
                _ => texts(&["web", "{{ request.object.metadata.name }}"]),
            };
            variable.push(("value", value));
        }
        object([("name", Value::from(format!("v{n}"))), ("variable", object(variable))])
    }

    fn validate(&mut self, scope: Scope) -> Value {
        let message = match self.choices.below(3) {
            0 => Value::from("it is not as it should be"),
            1 => Value::from("{{ request.object.metadata.name }} is not as it should be"),
            _ => Value::from(self.expressions.text(self.choices, scope)),
        };
        let mut body = vec![("message", message), self.check(scope)];
        if self.choices.once_in(8) {
            body.push(("allowExistingViolations", Value::from(self.choices.once_in(2))));
        }
        object(body)
    }

    fn check(&mut self, scope: Scope) -> (&'static str, Value) {
        match self.choices.below(if scope.place == Place::Loop { 7 } else { 10 }) {
            0..=2 => {
                let sample = self.subject(scope);
                let depth = 2 + self.choices.below(4);
                ("pattern", pattern(self.choices, &sample, depth))
            }
            3 => {
                let sample = self.subject(scope);
                let patterns =
                    (0..=self.choices.below(2)).map(|_| pattern(self.choices, &sample, 4)).collect();
                ("anyPattern", Value::array(patterns))
            }
            4..=6 => ("deny", object([("conditions", conditions(self.choices, self.expressions, scope))])),
            7 | 8 => ("foreach", Value::array(vec![self.each(scope.within_loop())])),
            _ => ("podSecurity", self.pod_security()),
        }
    }

    /// What a pattern will be held against: the resource without its names, or an element.
    fn subject(&mut self, scope: Scope) -> Value {
        let sample = self.sample();
        let first = sample.find(&["spec", "containers"]).and_then(|list| list.at(0)).cloned();
        if let Some(element) = first.filter(|_| scope.place == Place::Loop) {
            return element;
        }
        let parts =
            ["metadata", "spec", "data"].map(|key| (key, sample.get(key).cloned().unwrap_or_default()));
        object(parts)
    }

    fn each(&mut self, scope: Scope) -> Value {
        let lists = [
            "request.object.spec.containers",
            "request.object.spec.[ephemeralContainers, initContainers, containers][]",
            "request.object.spec.containers || `[]`",
            "request.object.spec.a || `[1]`",
            "request.object.metadata.labels || `{}`",
            "request.object.spec.a",
        ];
        let mut entries = vec![("list", Value::from(self.choices.pick(&lists)))];
        if self.choices.once_in(4) {
            entries.push(("elementScope", Value::from(self.choices.once_in(2))));
        }
        if self.choices.once_in(4) {
            entries.push(("preconditions", conditions(self.choices, self.expressions, scope)));
        }
        if self.choices.once_in(5) {
            let value = Value::from(self.expressions.text(self.choices, scope));
            let entry = object([("name", Value::from("v1")), ("variable", object([("value", value)]))]);
            entries.push(("context", Value::array(vec![entry])));
        }
        entries.push(self.check(scope));
        object(entries)
    }

    fn pod_security(&mut self) -> Value {
        let choices = &mut *self.choices;
        let control =
            choices.pick(&["Capabilities", "Host Namespaces", "Privileged Containers", "Seccomp", "Nothing"]);
        let mut exclusion = vec![("controlName", Value::from(control))];
        if choices.once_in(2) {
            exclusion.push(("images", texts(&[choices.pick(&["nginx*", "*", "ghcr.io/*"])])));
        }
        if choices.once_in(4) {
            exclusion.push((
                "restrictedField",
                Value::from("spec.containers[*].securityContext.capabilities.add"),
            ));
            exclusion.push(("values", texts(&["NET_ADMIN"])));
        }
        object([
            ("level", Value::from(choices.pick(&["baseline", "restricted", "privileged"]))),
            ("version", Value::from(choices.pick(&["latest", "v1.24", "v1.0"]))),
            ("exclude", if choices.once_in(2) { Value::array(vec![object(exclusion)]) } else { Value::Null }),
        ])
    }
}

fn selector(choices: &mut Choices) -> Value {
    if choices.once_in(2) {
        return object([("matchLabels", object([("app", Value::from(choices.pick(&["web", "*", "d?"])))]))]);
    }
    let (operator, values) = match choices.below(4) {
        0 => ("In", texts(&["db", "a-b"])),
        1 => ("NotIn", texts(&["db"])),
        2 => ("Exists", Value::Null),
        _ => ("DoesNotExist", Value::Null),
    };
    let entries = [("key", Value::from("team")), ("operator", Value::from(operator)), ("values", values)];
    object([("matchExpressions", Value::array(vec![object(entries)]))])
}

/// A PolicyException.
pub(super) fn exception(choices: &mut Choices) -> Value {
    let resources = object([("kinds", texts(&["Pod"])), ("names", texts(&[choices.pick(&["web*", "*"])]))]);
    let block = object([("any", Value::array(vec![object([("resources", resources)])]))]);
    let lifted = object([
        ("policyName", Value::from(choices.pick(&["p0", "p1", "default/p0"]))),
        ("ruleNames", texts(&[choices.pick(&["r0", "*", "autogen-r0", "r1"])])),
    ]);
    object([
        ("apiVersion", Value::from(choices.pick(&["kyverno.io/v2", "kyverno.io/v2beta1"]))),
        ("kind", Value::from("PolicyException")),
        ("metadata", object([("name", Value::from("e")), ("namespace", Value::from("default"))])),
        ("spec", object([("exceptions", Value::array(vec![lifted])), ("match", block)])),
    ])
}

/// A values file.
pub(super) fn values(choices: &mut Choices) -> Value {
    let global = object([("request.operation", Value::from(choices.pick(&["CREATE", "UPDATE", "DELETE"])))]);
    let labels = object([("name", Value::from("default")), ("labels", object([("tier", Value::from("x"))]))]);
    object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("Value")),
        ("globalValues", if choices.once_in(2) { global } else { Value::Null }),
        ("namespaceSelector", Value::array(vec![labels])),
    ])
}

/// The context of the Playground.
pub(super) fn context(choices: &mut Choices, is_update: bool) -> Value {
    let operation = if is_update { "UPDATE" } else { choices.pick(&["CREATE", "DELETE", ""]) };
    let inner = object([
        ("username", Value::from(choices.pick(&["alice", "bob"]))),
        ("operation", Value::from(operation)),
        ("namespaceLabels", object([("tier", Value::from("x"))])),
    ]);
    object([
        ("apiVersion", Value::from("playground.kyverno.io/v1alpha1")),
        ("kind", Value::from("Context")),
        ("context", inner),
    ])
}
