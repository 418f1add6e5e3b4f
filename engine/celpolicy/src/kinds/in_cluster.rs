//! What an API server asks first of all its policies: whether they are for a request, and with which parameters.
//!
//! In: what is asked about, constraints, bindings. Out: a [`Selection`], parameters, or why there are none.
//! Mirrors: `apiserver/pkg/admission/plugin/policy/generic` of Kubernetes 0.36.

use super::binding::Binding;
use crate::apply::{
    Found, Place, Served, Subject, Unknown, Wanted as WantedParams, depends_on_namespace, parameters, served,
    unknown_kind,
};
use crate::functions::authz::{Asker, Rights, Wanted};
use crate::policy::AdmissionProgram;
use engine::body::Asked;
use engine_json::{Str, Value};
use engine_podsecurity::rbac::Rbac;
use std::sync::Arc;

/// The kinds about which policies are never asked.
// Kubernetes: policy/generic/plugin.go admissionResources, pkg/kubeapiserver/admission/exclusion/resources.go.
const NEVER_ASKED: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
];

/// Whether no policy is asked about an object of this kind.
pub(super) fn is_never_asked(subject: &Subject) -> bool {
    let [group, _, resource] = &subject.resource;
    // Kubernetes: one connects to subresources alone, with options (`PodExecOptions`).
    let is_whole = subject.request.find_str(&["subResource"]).is_empty();
    if subject.operation == "CONNECT"
        && is_whole
        && !subject.request.find_str(&["kind", "kind"]).ends_with("Options")
    {
        return true;
    }
    NEVER_ASKED.iter().any(|(of, name)| group == of && resource == name)
}

/// Whether constraints select what is asked about.
pub(super) enum Selection {
    /// They do not.
    No,
    /// They do.
    AsAsked,
    /// They do, as an object of another version of its kind.
    As(Place),
    /// They do not, by labels of a Namespace that nobody has given.
    Doubtful(String),
    /// That cannot be said.
    Undecided(String),
    /// They cannot be read, in Kubernetes' words.
    Failed(String),
}

/// A request to a policy.
#[derive(Clone, Copy)]
pub(super) struct Selecting<'a> {
    /// What is asked about, as it was before any policy changed it.
    pub(super) subject: &'a Subject,
    /// `apiVersion` and `kind` of the parameters of the policy, where it takes any.
    pub(super) param_kind: Option<&'a (Str, Str)>,
    pub(super) asked: &'a Asked<'a>,
}

impl Selecting<'_> {
    /// Whether these constraints select it; there may be none.
    pub(super) fn selection(&self, constraints: Option<&Value>) -> Selection {
        let Some(constraints) = constraints else { return Selection::AsAsked };
        match served(constraints, self.subject) {
            Ok(Some(Served::AsAsked)) => Selection::AsAsked,
            Ok(Some(Served::As(place))) => Selection::As(place),
            Ok(None) if depends_on_namespace(constraints, self.subject) => {
                Selection::Doubtful(not_given(self.subject))
            }
            Ok(None) => Selection::No,
            Err(Unknown::NotGiven(why)) => Selection::Undecided(why),
            Err(Unknown::Selector(error)) => Selection::Failed(error),
        }
    }

    /// Why the policy can have no parameters, where their kind is not served.
    pub(super) fn unknown_kind(&self) -> Option<String> {
        let (api_version, kind) = self.param_kind?;
        let Asked { settings, objects, .. } = *self.asked;
        // A server that sends a request knows its kinds.
        if self.is_sent() { None } else { unknown_kind(api_version, kind, settings, objects) }
    }

    /// Whether a server has sent the request: all policies and bindings that it has are given then.
    pub(super) fn is_sent(&self) -> bool {
        self.asked.settings.request.is_some()
    }

    /// The parameters that a binding takes; one that is null where it takes none.
    pub(super) fn params(&self, binding: &Binding) -> Result<Found, String> {
        let (Some((api_version, kind)), Some(reference)) = (self.param_kind, &binding.params) else {
            return Ok(Found { objects: vec![Value::Null], is_answered: true });
        };
        let Asked { settings, objects, world, .. } = *self.asked;
        let namespace = self.subject.request_namespace();
        let wanted = WantedParams { api_version, kind, reference, namespace, settings: Some(settings) };
        parameters(&wanted, objects, world)
    }
}

/// What counts of a Namespace that nobody has given.
fn not_given(subject: &Subject) -> String {
    let name = subject.request_namespace();
    format!(
        "the Namespace `{name}` is not given, and counts as one without labels (give it with `--target-resource`, or its labels as \
         `namespaceSelector` of a values file)"
    )
}

/// What a verdict of this program may rest on that nobody has given.
pub(super) fn namespace_doubt(subject: &Subject, program: &AdmissionProgram) -> Option<String> {
    let is_open = !subject.namespace_is_given && program.depends().on_namespace;
    is_open.then(|| not_given(subject))
}

/// Why a policy says nothing that no binding names.
pub(super) const UNBOUND: &str = "no binding of the policy is given, and without one it decides nothing";

/// Why a binding says nothing that finds no parameters, and may.
pub(super) fn no_parameters(binding: &Binding) -> String {
    let reference = binding.params.as_ref();
    let what = match reference.map_or("", |reference| reference.find_str(&["name"])) {
        "" => "no parameters that the binding selects are".to_owned(),
        name => format!("the parameter `{name}` is not"),
    };
    format!("{what} given, and without any the binding decides nothing (`--parameter-resource`)")
}

/// Who asks, for expressions that ask who may do what: by Roles and bindings, where some are given and so is the user.
pub(super) fn asker(asked: &Asked<'_>, subject: &Subject, program: &AdmissionProgram) -> Asker {
    if !program.depends().on_rights {
        return Asker { rights: Rights::Unknown, ..Asker::default() };
    }
    let objects = asked.objects.in_cluster_of(asked.host).map(|object| &object.value);
    let roles: Vec<Value> = objects.filter(|object| Rbac::is_read(object)).cloned().collect();
    let user = asked.settings.user.as_ref();
    let is_master = user.is_some_and(|user| user.groups.iter().any(|group| group == "system:masters"));
    let is_known = user.is_some() && (is_master || !roles.is_empty());
    let of_request = |path: &[&str]| Str::from(subject.request.find_str(path));
    Asker {
        user: user.map(|user| user.username.clone()).unwrap_or_default(),
        groups: user.map(|user| user.groups.clone()).unwrap_or_default(),
        refused: Str::default(),
        rights: if is_known { Rights::Given(Arc::new(roles)) } else { Rights::Unknown },
        request: Wanted {
            group: of_request(&["requestResource", "group"]),
            resource: of_request(&["requestResource", "resource"]),
            subresource: of_request(&["subResource"]),
            namespace: of_request(&["namespace"]),
            name: of_request(&["name"]),
            path: Str::default(),
        },
    }
}
