//! The inputs of the page: which there are, what they are called here, in a link and in the engine's input.
//!
//! Example: the slot `Resource` is the tab *Resources*, the key `resource` of a link, the field `resources` of
//! `engine::wire::Input`, and the file `resources.yaml` in messages.

/// One text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    Policy,
    Exceptions,
    Context,
    Config,
    Definitions,
    Resource,
    OldResource,
    Cluster,
    ImageData,
}

/// The two columns of editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Policies,
    Resources,
}

impl Slot {
    /// All, in the order of the tabs.
    pub(crate) const ALL: [Self; 9] = [
        Self::Policy,
        Self::Exceptions,
        Self::Context,
        Self::Config,
        Self::Definitions,
        Self::Resource,
        Self::OldResource,
        Self::Cluster,
        Self::ImageData,
    ];

    /// The tab's words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Policy => "Policies",
            Self::Exceptions => "Exceptions",
            Self::Context => "Request",
            Self::Config => "Kyverno config",
            Self::Definitions => "CRDs",
            Self::Resource => "Resources",
            Self::OldResource => "Old resources",
            Self::Cluster => "Cluster",
            Self::ImageData => "Image data",
        }
    }

    /// What the tab is for, as a tooltip.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Policy => "Kyverno policies, one or many YAML documents",
            Self::Exceptions => "PolicyExceptions",
            Self::Context => {
                "Who asks and for what: user, groups, roles, operation; variables that stand in for API calls"
            }
            Self::Config => "Kyverno's own ConfigMap: resource filters, excluded groups",
            Self::Definitions => "CustomResourceDefinitions; never required",
            Self::Resource => "The resources that are judged, one or many YAML documents",
            Self::OldResource => "The resources as they were before an update",
            Self::ImageData => "What registries would say of images, by reference: nothing is fetched",
            Self::Cluster => {
                "What is in the cluster already: Namespaces with labels, ConfigMaps, objects to clone"
            }
        }
    }

    /// What an empty text shows in grey: the shape that is expected.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Policy => {
                "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: my-policy\nspec:\n  rules: …"
            }
            Self::Exceptions => {
                "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata:\n  name: my-exception\n  namespace: default\nspec:\n  exceptions:\n    - policyName: my-policy\n      ruleNames: [my-rule]\n  match:\n    any:\n      - resources:\n          kinds: [Pod]\n          names: [my-pod]"
            }
            Self::Context => {
                "context:\n  username: jane\n  groups: [developers]\n  roles: []\n  clusterRoles: []\n  operation: CREATE\n  namespaceLabels:\n    team: shop\nvariables:\n  podCount: 3"
            }
            Self::Config => {
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kyverno\n  namespace: kyverno\ndata:\n  resourceFilters: '[*/*,kube-system,*]'"
            }
            Self::Definitions => {
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec: …"
            }
            Self::Resource => "apiVersion: v1\nkind: Pod\nmetadata:\n  name: my-pod\nspec:\n  containers: …",
            Self::OldResource => {
                "# The same names as in Resources, as they were before the update.\n# Set operation: UPDATE in Request."
            }
            Self::ImageData => {
                "ghcr.io/shop/web:1.2:\n  registry: ghcr.io\n  repository: shop/web\n  identifier: '1.2'\n  resolvedImage: ghcr.io/shop/web@sha256:…\n  manifest: {}\n  configData:\n    config:\n      User: '1000'"
            }
            Self::Cluster => {
                "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    team: storefront"
            }
        }
    }

    /// The key in a link.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Exceptions => "exceptions",
            Self::Context => "context",
            Self::Config => "config",
            Self::Definitions => "customResourceDefinitions",
            Self::Resource => "resource",
            Self::OldResource => "oldResource",
            Self::Cluster => "clusterResources",
            Self::ImageData => "imageData",
        }
    }

    /// The field of the engine's input.
    pub(crate) const fn input(self) -> &'static str {
        match self {
            Self::Policy => "policies",
            Self::Exceptions => "exceptions",
            Self::Context => "context",
            Self::Config => "config",
            Self::Definitions => "customResourceDefinitions",
            Self::Resource => "resources",
            Self::OldResource => "oldResources",
            Self::Cluster => "clusterResources",
            Self::ImageData => "imageData",
        }
    }

    /// The text's name in messages.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Policy => "policy.yaml",
            Self::Exceptions => "exceptions.yaml",
            Self::Context => "context.yaml",
            Self::Config => "config.yaml",
            Self::Definitions => "crds.yaml",
            Self::Resource => "resources.yaml",
            Self::OldResource => "old-resources.yaml",
            Self::Cluster => "cluster.yaml",
            Self::ImageData => "image-data.yaml",
        }
    }

    /// The column it stands in.
    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Policy | Self::Exceptions | Self::Context | Self::Config | Self::Definitions => {
                Side::Policies
            }
            Self::Resource | Self::OldResource | Self::Cluster | Self::ImageData => Side::Resources,
        }
    }

    /// The slot of a field of the engine's input.
    pub(crate) fn of_input(input: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.input() == input)
    }
}

impl Side {
    /// The slots of this column.
    pub(crate) fn slots(self) -> impl Iterator<Item = Slot> {
        Slot::ALL.into_iter().filter(move |slot| slot.side() == self)
    }

    /// The id of the button that lists further inputs.
    pub(crate) const fn adder(self) -> &'static str {
        match self {
            Self::Policies => "add-policies",
            Self::Resources => "add-resources",
        }
    }

    /// The slot that is always there.
    pub(crate) const fn main(self) -> Slot {
        match self {
            Self::Policies => Slot::Policy,
            Self::Resources => Slot::Resource,
        }
    }
}
