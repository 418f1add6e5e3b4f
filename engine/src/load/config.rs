//! Kyverno's configuration: which resources and users it leaves alone, and what images it assumes.
//!
//! In: the ConfigMap `kyverno`. Out: a [`Config`].
//! Mirrors: pkg/config.

use crate::matching::UserInfo;
use crate::policy::KindSelector;
use crate::resource::Resource;
use crate::value::Wildcard;
use crate::value::image::ImageSettings;
use engine_json::{Str, Value};

/// What Kyverno leaves alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    filters: Vec<Filter>,
    excluded: Users,
    included: Users,
    /// What is assumed of images.
    pub images: ImageSettings,
}

/// A resource filter: `[kind,namespace,name]`.
#[derive(Clone, Debug)]
struct Filter {
    text: Str,
    kind: KindSelector,
    namespace: Wildcard,
    name: Wildcard,
}

#[derive(Clone, Debug, Default)]
struct Users {
    names: Vec<Wildcard>,
    groups: Vec<Wildcard>,
    roles: Vec<Wildcard>,
    cluster_roles: Vec<Wildcard>,
}

/// The resource filters that the Kyverno Playground starts with.
const PLAYGROUND_FILTERS: &str = "[*,kyverno,*][Event,*,*][*,kube-system,*][*,kube-public,*][*,kube-node-lease,*]\
    [Node,*,*][APIService,*,*][TokenReview,*,*][SubjectAccessReview,*,*][SelfSubjectAccessReview,*,*][Binding,*,*]\
    [ReplicaSet,*,*][AdmissionReport,*,*][ClusterAdmissionReport,*,*][BackgroundScanReport,*,*]\
    [ClusterBackgroundScanReport,*,*][ClusterRole,*,kyverno:*][ClusterRoleBinding,*,kyverno:*]\
    [ServiceAccount,kyverno,kyverno][ConfigMap,kyverno,kyverno][ConfigMap,kyverno,kyverno-metrics]\
    [Deployment,kyverno,kyverno][Job,kyverno,kyverno-hook-pre-delete][NetworkPolicy,kyverno,kyverno]\
    [PodDisruptionBudget,kyverno,kyverno][Role,kyverno,kyverno:*][RoleBinding,kyverno,kyverno:*]\
    [Secret,kyverno,kyverno-svc.kyverno.svc.*][Service,kyverno,kyverno-svc][Service,kyverno,kyverno-svc-metrics]\
    [ServiceMonitor,kyverno,kyverno-svc-service-monitor][Pod,kyverno,kyverno-test]";

impl Config {
    /// The configuration that the Kyverno Playground starts with.
    pub(crate) fn of_playground() -> Self {
        let excluded = Users { groups: vec![Wildcard::new("system:nodes")], ..Users::default() };
        Config { filters: filters(PLAYGROUND_FILTERS), excluded, ..Config::default() }
    }

    /// The configuration in a ConfigMap.
    pub(crate) fn of_config_map(map: &Value) -> Self {
        let text = |key: &str| map.find_str(&["data", key]);
        let mut config = Config { filters: filters(text("resourceFilters")), ..Config::default() };
        let registry = text("defaultRegistry");
        if !registry.is_empty() {
            registry.clone_into(&mut config.images.default_registry);
        }
        if let "false" | "f" | "F" | "FALSE" | "False" | "0" = text("enableDefaultRegistryMutation") {
            config.images.is_registry_mutation_enabled = false;
        }
        (config.excluded.names, config.included.names) = users(text("excludeUsernames"));
        (config.excluded.groups, config.included.groups) = users(text("excludeGroups"));
        (config.excluded.roles, config.included.roles) = users(text("excludeRoles"));
        (config.excluded.cluster_roles, config.included.cluster_roles) = users(text("excludeClusterRoles"));
        config
    }

    /// The filter that takes the resource out of every rule's sight, as it is written.
    // Kyverno: ToFilter; a Namespace is also filtered by the namespace it is.
    pub(crate) fn filter_of(&self, resource: &Resource) -> Option<&str> {
        let gvk = &resource.gvk;
        let is_namespace = gvk.group.is_empty() && gvk.version == "v1" && gvk.kind == "Namespace";
        let found = self.filters.iter().find(|filter| {
            filter.kind.group.matches(&gvk.group)
                && filter.kind.version.matches(&gvk.version)
                && filter.kind.kind.matches(&gvk.kind)
                && filter.kind.subresource.matches("")
                && ((filter.namespace.matches(resource.namespace()) && filter.name.matches(resource.name()))
                    || (is_namespace && filter.namespace.matches(resource.name())))
        });
        found.map(|filter| filter.text.as_str())
    }

    /// Whether rules leave this user alone.
    // Kyverno: IsExcluded.
    pub(crate) fn excludes(&self, user: &UserInfo) -> bool {
        !self.included.has(user) && self.excluded.has(user)
    }
}

impl Users {
    fn has(&self, user: &UserInfo) -> bool {
        let any = |wanted: &[Wildcard], found: &[Str]| {
            wanted.iter().any(|w| found.iter().any(|text| w.matches(text)))
        };
        self.names.iter().any(|name| name.matches(&user.username))
            || any(&self.groups, &user.groups)
            || any(&self.roles, &user.roles)
            || any(&self.cluster_roles, &user.cluster_roles)
    }
}

// Kyverno: parseKinds.
fn filters(text: &str) -> Vec<Filter> {
    let mut found = Vec::new();
    for part in text.split('[').skip(1) {
        let Some((inner, _)) = part.split_once(']') else { continue };
        let mut fields = inner.split(',');
        let (kind, namespace, name) = (fields.next(), fields.next(), fields.next());
        found.push(Filter {
            text: Str::from(format!("[{inner}]")),
            kind: KindSelector::parse(kind.unwrap_or("")),
            namespace: Wildcard::new(namespace.unwrap_or("")),
            name: Wildcard::new(name.unwrap_or("")),
        });
    }
    found
}

/// Excluded and, with `!` before them, included users.
// Kyverno: parseExclusions.
fn users(text: &str) -> (Vec<Wildcard>, Vec<Wildcard>) {
    let (mut excluded, mut included) = (Vec::new(), Vec::new());
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix('!').map(str::trim) {
            Some("") => {}
            Some(name) => included.push(Wildcard::new(name)),
            None => excluded.push(Wildcard::new(part)),
        }
    }
    (excluded, included)
}
