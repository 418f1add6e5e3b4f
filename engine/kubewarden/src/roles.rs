//! The roles of who asks, which no request names.
//!
//! In: the user info of a request, and the bindings of the cluster. Out: roles as `NAMESPACE:NAME`, and cluster roles.
//! Mirrors: pkg/userinfo/roleRef.go of Kyverno 1.19.

use crate::path::Asked;
use crate::world::{Cluster, items};
use engine_json::{Str, Value};

const GROUP: &str = "rbac.authorization.k8s.io/v1";
/// What the name of a service account begins with.
const ACCOUNT: &str = "system:serviceaccount:";

/// The roles and the cluster roles of a user.
pub(crate) fn of_user(user: &Value, world: &Cluster<'_>) -> Result<(Vec<Str>, Vec<Str>), String> {
    let (mut roles, mut cluster_roles) = (Vec::new(), Vec::new());
    for kind in ["RoleBinding", "ClusterRoleBinding"] {
        let asked = Asked { api_version: GROUP.to_owned(), kind: kind.to_owned(), namespace: "", name: "" };
        for binding in items(&world.list(&asked)?) {
            let subjects = binding.get("subjects").and_then(Value::as_array).unwrap_or_default();
            let namespace = binding.find_str(&["metadata", "namespace"]);
            // Kyverno: of a RoleBinding its own namespace counts, whatever that of the account is.
            let of_account = |subject: &Value| match kind {
                "RoleBinding" => namespace.to_owned(),
                _ => subject.find_str(&["namespace"]).to_owned(),
            };
            if !subjects.iter().any(|subject| is_user(subject, user, &of_account(subject))) {
                continue;
            }
            let name = binding.find_str(&["roleRef", "name"]);
            match (kind, binding.find_str(&["roleRef", "kind"])) {
                ("RoleBinding", "Role") => roles.push(Str::from(format!("{namespace}:{name}"))),
                (_, "ClusterRole") => cluster_roles.push(Str::from(name)),
                _ => {}
            }
        }
    }
    Ok((roles, cluster_roles))
}

/// Whether a subject of a binding is the user, or a group of the user.
fn is_user(subject: &Value, user: &Value, namespace: &str) -> bool {
    let (name, user_name) = (subject.find_str(&["name"]), user.find_str(&["username"]));
    if let Some(account) = user_name.strip_prefix(ACCOUNT) {
        return account.split_once(':') == Some((namespace, name));
    }
    let groups = user.get("groups").and_then(Value::as_array).unwrap_or_default();
    user_name == name || groups.iter().any(|group| group.as_str() == Some(name))
}
