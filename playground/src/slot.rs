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
}

/// The two columns of editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Policies,
    Resources,
}

impl Slot {
    /// All, in the order of the tabs.
    pub(crate) const ALL: [Self; 8] = [
        Self::Policy,
        Self::Exceptions,
        Self::Context,
        Self::Config,
        Self::Definitions,
        Self::Resource,
        Self::OldResource,
        Self::Cluster,
    ];

    /// The tab's words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Policy => "Policies",
            Self::Exceptions => "Exceptions",
            Self::Context => "Context",
            Self::Config => "Kyverno config",
            Self::Definitions => "CRDs",
            Self::Resource => "Resources",
            Self::OldResource => "Old resources",
            Self::Cluster => "Cluster",
        }
    }

    /// What the tab is for, as a tooltip.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Policy => "Kyverno policies, one or many YAML documents",
            Self::Exceptions => "PolicyExceptions",
            Self::Context => "The Kyverno Playground's context: user, operation, namespace labels, variables",
            Self::Config => "Kyverno's own ConfigMap: resource filters, excluded groups",
            Self::Definitions => "CustomResourceDefinitions; never required",
            Self::Resource => "The resources that are judged, one or many YAML documents",
            Self::OldResource => "The resources as they were before an update",
            Self::Cluster => "Objects of the cluster: Namespaces with labels, ConfigMaps, clone sources",
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
        }
    }

    /// The column it stands in.
    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Policy | Self::Exceptions | Self::Context | Self::Config | Self::Definitions => {
                Side::Policies
            }
            Self::Resource | Self::OldResource | Self::Cluster => Side::Resources,
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

    /// The slot that is always there.
    pub(crate) const fn main(self) -> Slot {
        match self {
            Self::Policies => Slot::Policy,
            Self::Resources => Slot::Resource,
        }
    }
}
