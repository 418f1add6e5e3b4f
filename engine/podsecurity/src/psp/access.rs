//! Who may use a policy.
//!
//! In: a user, a policy and a namespace. Out: yes or no. [`Rbac`] answers from Roles, ClusterRoles and their bindings;
//! `system:masters` may use everything.
//!
//! ```
//! use engine_podsecurity::psp::{Access, Rbac, Use, User};
//! let read = |text| engine_json::parse(text).unwrap();
//! let objects = [
//!     read(r#"{"kind":"ClusterRole","metadata":{"name":"cni"},"rules":[{"apiGroups":["policy"],
//!         "resources":["podsecuritypolicies"],"resourceNames":["cni"],"verbs":["use"]}]}"#),
//!     read(r#"{"kind":"RoleBinding","metadata":{"name":"cni","namespace":"kube-system"},
//!         "roleRef":{"kind":"ClusterRole","name":"cni"},"subjects":[{"kind":"ServiceAccount","name":"istio-cni"}]}"#),
//! ];
//! let account = User::service_account("kube-system", "istio-cni");
//! let may = |policy, namespace| Rbac(&objects).may(&Use { user: &account, group: "policy", policy, namespace });
//! assert!(may("cni", "kube-system") && !may("cni", "default") && !may("other", "kube-system"));
//! ```

use engine_json::Value;

/// A user with the groups that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The groups.
    pub groups: Vec<String>,
}

impl User {
    /// A user without groups.
    pub fn named(name: &str) -> User {
        User { name: name.to_owned(), groups: Vec::new() }
    }

    /// A service account, with the groups in which the admission sees it: not `system:authenticated`.
    pub fn service_account(namespace: &str, name: &str) -> User {
        User {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            groups: vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")],
        }
    }
}

/// The question: may `user` do `use` to this policy in this namespace, taking policies to be in this API group?
#[derive(Clone, Copy, Debug)]
pub struct Use<'u> {
    /// Who.
    pub user: &'u User,
    /// `policy` or `extensions`.
    pub group: &'u str,
    /// Which policy.
    pub policy: &'u str,
    /// The namespace of the Pod.
    pub namespace: &'u str,
}

/// Who answers the question.
pub trait Access {
    /// Whether it may be done.
    fn may(&self, what: &Use<'_>) -> bool;
}

/// Everybody may use everything.
pub struct Everyone;

impl Access for Everyone {
    fn may(&self, _: &Use<'_>) -> bool {
        true
    }
}

/// What the Roles, ClusterRoles, RoleBindings and ClusterRoleBindings among these objects allow.
pub struct Rbac<'o>(pub &'o [Value]);

impl Access for Rbac<'_> {
    fn may(&self, what: &Use<'_>) -> bool {
        what.user.groups.iter().any(|group| group == "system:masters")
            || self.0.iter().any(|binding| self.binding_allows(binding, what))
    }
}

impl Rbac<'_> {
    fn binding_allows(&self, binding: &Value, what: &Use<'_>) -> bool {
        let namespace = binding.find_str(&["metadata", "namespace"]);
        let (in_scope, default_namespace) = match binding.find_str(&["kind"]) {
            "ClusterRoleBinding" => (true, ""),
            "RoleBinding" => (namespace == what.namespace, namespace),
            _ => (false, ""),
        };
        in_scope
            && list(binding, &["subjects"])
                .iter()
                .any(|subject| is_subject(subject, what.user, default_namespace))
            && self.role_allows(binding, default_namespace, what)
    }

    fn role_allows(&self, binding: &Value, namespace: &str, what: &Use<'_>) -> bool {
        let (kind, name) = (binding.find_str(&["roleRef", "kind"]), binding.find_str(&["roleRef", "name"]));
        let is_role = |role: &&Value| {
            role.find_str(&["kind"]) == kind
                && role.find_str(&["metadata", "name"]) == name
                && match kind {
                    "ClusterRole" => true,
                    // A ClusterRoleBinding has no namespace and cannot bind a Role.
                    "Role" => !namespace.is_empty() && role.find_str(&["metadata", "namespace"]) == namespace,
                    _ => false,
                }
        };
        let rules = self.0.iter().filter(is_role).flat_map(|role| list(role, &["rules"]));
        rules.into_iter().any(|rule| rule_allows(rule, what))
    }
}

fn rule_allows(rule: &Value, what: &Use<'_>) -> bool {
    let has = |key: &str, wanted: &str| {
        list(rule, &[key]).iter().any(|item| item.as_str().is_some_and(|item| item == wanted || item == "*"))
    };
    let names = list(rule, &["resourceNames"]);
    has("verbs", "use")
        && has("apiGroups", what.group)
        && has("resources", "podsecuritypolicies")
        && (names.is_empty() || names.iter().any(|name| name.as_str() == Some(what.policy)))
}

fn is_subject(subject: &Value, user: &User, default_namespace: &str) -> bool {
    let name = subject.find_str(&["name"]);
    match subject.find_str(&["kind"]) {
        "User" => user.name == name,
        "Group" => user.groups.iter().any(|group| group == name),
        "ServiceAccount" => {
            let namespace = match subject.find_str(&["namespace"]) {
                "" => default_namespace,
                namespace => namespace,
            };
            !namespace.is_empty() && user.name == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

fn list<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    value.find(keys).and_then(Value::as_array).unwrap_or(&[])
}
