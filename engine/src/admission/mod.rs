//! The request with which a resource comes, as each host makes it, and the JSON context of that request.
//!
//! In: a resource, and the settings that came with it. Out: an [`Admission`], and from it a context in which no
//! rule has added anything yet.

mod cli;
mod playground;

use crate::context::{Evaluator, JsonContext, Loader};
use crate::load::{Bundle, Config, Host};
use crate::matching::UserInfo;
use crate::resource::{Gvk, Resource};
use engine_json::{Map, Str, Value};
use std::sync::Arc;

/// A request.
pub(crate) struct Admission {
    /// The object that is evaluated; for a deletion the one that goes.
    pub(crate) resource: Resource,
    /// The kind that rules match.
    pub(crate) gvk: Gvk,
    /// The subresource; empty for the object itself.
    pub(crate) subresource: Str,
    /// The object before an update.
    pub(crate) old_resource: Option<Resource>,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub(crate) operation: Str,
    /// Who asks.
    pub(crate) user: UserInfo,
    /// Kyverno's configuration.
    pub(crate) config: Arc<Config>,
    /// Values that are set in the context.
    values: Vec<(Str, Value)>,
    /// The `request` of the context, where the host fills it as a whole.
    request: Option<Value>,
    /// Whether the context describes the user.
    tells_user: bool,
}

/// The request of a resource under the policy of this name.
pub(crate) fn admit(
    bundle: &Bundle,
    policy: &str,
    resource: &Resource,
    evaluator: &Evaluator<'_>,
    host: Host,
) -> Admission {
    match host {
        Host::Cli | Host::Cluster => cli::admit(bundle, policy, resource, evaluator),
        Host::Playground => playground::admit(bundle, resource),
    }
}

/// The kind that rules match: that of the parent for a kind that stands for a subresource.
fn parent_kind(bundle: &Bundle, resource: &Resource) -> (Gvk, Str) {
    match bundle.settings.part_of(&resource.gvk) {
        Some((parent, name)) => (parent, Str::new(name.split('/').nth(1).unwrap_or(""))),
        None => (resource.gvk.clone(), Str::default()),
    }
}

impl Admission {
    /// A context in which nobody asks for anything: the images of the object alone.
    pub(crate) fn bare_context<'a>(&self, evaluator: &'a Evaluator<'a>) -> JsonContext<'a> {
        let mut context = JsonContext::new(evaluator);
        let images = Loader::Images(self.resource.value.clone(), self.config.images.clone());
        context.add_loader(Str::new_static("images"), images);
        context
    }

    /// The context of the request.
    pub(crate) fn context<'a>(&self, evaluator: &'a Evaluator<'a>) -> JsonContext<'a> {
        self.context_with_images(evaluator, &self.resource.value)
    }

    /// The same with the images of another object: of what the resource was when its policy began.
    // Kyverno: images are put into the context with the policy's (NewPolicyContext), objects after each rule.
    pub(crate) fn context_with_images<'a>(
        &self,
        evaluator: &'a Evaluator<'a>,
        of: &Value,
    ) -> JsonContext<'a> {
        let mut context = JsonContext::new(evaluator);
        match &self.request {
            Some(request) => context.add(&["request"], request.clone()),
            None => cli::add_objects(&mut context, self),
        }
        let images = Loader::Images(of.clone(), self.config.images.clone());
        context.add_loader(Str::new_static("images"), images);
        if self.tells_user {
            add_user(&mut context, &self.user);
        }
        context.set_operation(&self.operation);
        for (name, value) in &self.values {
            context.add_variable(name, value.clone());
        }
        context
    }
}

/// What the context says of the user.
// Kyverno: AddUserInfo, AddServiceAccount.
fn add_user(context: &mut JsonContext<'_>, user: &UserInfo) {
    context.add(&["request", "userInfo"], Value::object(user_map(user)));
    if !user.roles.is_empty() {
        context.add(&["request", "roles"], texts(&user.roles));
    }
    if !user.cluster_roles.is_empty() {
        context.add(&["request", "clusterRoles"], texts(&user.cluster_roles));
    }
    let (name, namespace) = service_account(&user.username);
    context.add(&["serviceAccountName"], Value::from(name));
    context.add(&["serviceAccountNamespace"], Value::from(namespace));
}

/// The user as Kubernetes writes it: what is empty is left out.
fn user_map(user: &UserInfo) -> Map {
    let mut info = Map::new();
    let mut put = |key: &str, value: Value, is_empty: bool| {
        if !is_empty {
            info.insert(key, value);
        }
    };
    put("username", Value::String(user.username.clone()), user.username.is_empty());
    put("uid", Value::String(user.uid.clone()), user.uid.is_empty());
    put("groups", texts(&user.groups), user.groups.is_empty());
    put("extra", Value::object(user.extra.clone()), user.extra.is_empty());
    info
}

fn texts(texts: &[Str]) -> Value {
    Value::array(texts.iter().cloned().map(Value::String).collect())
}

/// Name and namespace of the service account in a user name.
// Kyverno: the first 22 bytes are cut off without a look at them.
fn service_account(username: &str) -> (&str, &str) {
    let prefix = "system:serviceaccount:".len();
    let rest = if username.len() > prefix { username.get(prefix..).unwrap_or("") } else { "" };
    let mut parts = rest.split(':');
    match (parts.next(), parts.next()) {
        (Some(namespace), Some(name)) => (name, namespace),
        _ => ("", ""),
    }
}
