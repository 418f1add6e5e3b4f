//! Who may do what, by Roles, ClusterRoles and their bindings.
//!
//! In: objects, a user, and what the user asks for. Out: what allows it. `system:masters` may do everything.
//! Mirrors: `plugin/pkg/auth/authorizer/rbac/rbac.go`, `pkg/apis/rbac/v1/evaluation_helpers.go` of Kubernetes 1.36.
//!
//! ```
//! use engine_podsecurity::rbac::{Rbac, User, What};
//! let read = |text| engine_json::parse(text).unwrap();
//! let objects = [
//!     read(r#"{"kind":"Role","metadata":{"name":"reader","namespace":"shop"},"rules":[{"apiGroups":[""],"resources":["pods"],
//!         "verbs":["get"]}]}"#),
//!     read(r#"{"kind":"RoleBinding","metadata":{"name":"jo","namespace":"shop"},"roleRef":{"kind":"Role","name":"reader"},
//!         "subjects":[{"kind":"User","name":"jo"}]}"#),
//! ];
//! let pods = |namespace| What::Resource { group: "", resource: "pods", subresource: "", name: "", namespace };
//! let allows = |namespace, verb| Rbac(&objects).allows(&User::named("jo"), verb, &pods(namespace));
//! let reason = "RBAC: allowed by RoleBinding \"jo/shop\" of Role \"reader\" to User \"jo\"";
//! assert_eq!(allows("shop", "get").as_deref(), Some(reason));
//! assert_eq!((allows("shop", "list"), allows("other", "get")), (None, None));
//! ```

use engine_json::{Value, quote};

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

/// What somebody asks for.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// A resource.
    Resource {
        /// Its API group.
        group: &'a str,
        /// Its plural.
        resource: &'a str,
        /// A part of it; empty for the whole.
        subresource: &'a str,
        /// One object; empty for all.
        name: &'a str,
        /// Its namespace; empty for all, and for what has none.
        namespace: &'a str,
    },
    /// A path that is none.
    Path(&'a str),
}

impl What<'_> {
    fn namespace(&self) -> &str {
        match self {
            What::Resource { namespace, .. } => namespace,
            What::Path(_) => "",
        }
    }
}

/// The Roles, ClusterRoles, RoleBindings and ClusterRoleBindings among these objects.
pub struct Rbac<'o>(pub &'o [Value]);

impl Rbac<'_> {
    /// Whether this is one of the kinds that are looked at.
    pub fn is_read(object: &Value) -> bool {
        let (version, kind) = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
        version.starts_with("rbac.authorization.k8s.io/")
            && ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"].contains(&kind)
    }

    /// Why a user may do this, in the words of the API server; nothing where it may not.
    pub fn allows(&self, user: &User, verb: &str, what: &What<'_>) -> Option<String> {
        if user.groups.iter().any(|group| group == "system:masters") {
            return Some(String::new());
        }
        self.0.iter().find_map(|binding| self.allowed_by(binding, user, verb, what))
    }

    fn allowed_by(&self, binding: &Value, user: &User, verb: &str, what: &What<'_>) -> Option<String> {
        let own = binding.find_str(&["metadata", "namespace"]);
        let namespace = match binding.find_str(&["kind"]) {
            "ClusterRoleBinding" => "",
            "RoleBinding" if own == what.namespace() => own,
            _ => return None,
        };
        let subjects = list(binding, &["subjects"]);
        let subject = subjects.iter().find(|subject| is_subject(subject, user, namespace))?;
        self.role_allows(binding, namespace, verb, what).then(|| described(binding, subject, namespace))
    }

    fn role_allows(&self, binding: &Value, namespace: &str, verb: &str, what: &What<'_>) -> bool {
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
        rules.into_iter().any(|rule| rule_allows(rule, verb, what))
    }
}

fn rule_allows(rule: &Value, verb: &str, what: &What<'_>) -> bool {
    let any = |key: &str, fits: &dyn Fn(&str) -> bool| {
        list(rule, &[key]).iter().filter_map(Value::as_str).any(fits)
    };
    let has = |key: &str, wanted: &str| any(key, &|item| item == wanted || item == "*");
    has("verbs", verb)
        && match what {
            What::Resource { group, resource, subresource, name, .. } => {
                let names = list(rule, &["resourceNames"]);
                let is_of_resource = |item: &str| match item.split_once('/') {
                    None => item == "*" || (subresource.is_empty() && item == *resource),
                    Some((of, part)) => {
                        !subresource.is_empty() && part == *subresource && (of == "*" || of == *resource)
                    }
                };
                has("apiGroups", group)
                    && any("resources", &is_of_resource)
                    && (names.is_empty() || names.iter().any(|item| item.as_str() == Some(*name)))
            }
            What::Path(path) => any("nonResourceURLs", &|item| match item.strip_suffix('*') {
                Some(start) => path.starts_with(start),
                None => item == *path,
            }),
        }
}

/// What allows something.
fn described(binding: &Value, subject: &Value, namespace: &str) -> String {
    let named = |name: &str, namespace: &str| {
        if namespace.is_empty() { quote(name) } else { quote(&format!("{name}/{namespace}")) }
    };
    let own = |value: &Value, path: &[&str]| value.find_str(path).to_owned();
    let (kind, of) = (own(subject, &["kind"]), own(subject, &["name"]));
    let within = match (kind.as_str(), subject.find_str(&["namespace"])) {
        ("ServiceAccount", "") => namespace,
        ("ServiceAccount", within) => within,
        _ => "",
    };
    let role = quote(binding.find_str(&["roleRef", "name"]));
    format!(
        "RBAC: allowed by {} {} of {} {role} to {kind} {}",
        binding.find_str(&["kind"]),
        named(binding.find_str(&["metadata", "name"]), namespace),
        binding.find_str(&["roleRef", "kind"]),
        named(&of, within),
    )
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
