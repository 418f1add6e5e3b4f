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

use crate::rbac::What;
pub use crate::rbac::{Rbac, User};

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

impl Access for Rbac<'_> {
    fn may(&self, what: &Use<'_>) -> bool {
        let Use { user, group, policy, namespace } = *what;
        let resource = "podsecuritypolicies";
        let what = What::Resource { group, resource, subresource: "", name: policy, namespace };
        self.allows(user, "use", &what).is_some()
    }
}
