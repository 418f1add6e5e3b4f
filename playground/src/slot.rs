//! The inputs of the page: which there are, what they are called here, in a link and in the engine's input.
//!
//! Example: the slot `Resource` is the tab *Resources*, the key `resource` of a link, the field `resources` of
//! `engine_lenses::wire::Input`, and the file `resources.yaml` in messages.

use crate::words::inputs;

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
    NewPolicy,
}

/// The two columns of editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Policies,
    Resources,
}

impl Slot {
    /// All, in the order of the tabs.
    pub(crate) const ALL: [Self; 10] = [
        Self::Policy,
        Self::Exceptions,
        Self::Context,
        Self::Config,
        Self::Definitions,
        Self::Resource,
        Self::OldResource,
        Self::Cluster,
        Self::ImageData,
        Self::NewPolicy,
    ];

    /// The tab's words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Policy => inputs::POLICY.title,
            Self::Exceptions => inputs::EXCEPTIONS.title,
            Self::Context => inputs::CONTEXT.title,
            Self::Config => inputs::CONFIG.title,
            Self::Definitions => inputs::DEFINITIONS.title,
            Self::Resource => inputs::RESOURCE.title,
            Self::OldResource => inputs::OLD_RESOURCE.title,
            Self::Cluster => inputs::CLUSTER.title,
            Self::ImageData => inputs::IMAGE_DATA.title,
            Self::NewPolicy => inputs::NEW_POLICY.title,
        }
    }

    /// What the tab is for, as a tooltip.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Policy => inputs::POLICY.about,
            Self::Exceptions => inputs::EXCEPTIONS.about,
            Self::Context => inputs::CONTEXT.about,
            Self::Config => inputs::CONFIG.about,
            Self::Definitions => inputs::DEFINITIONS.about,
            Self::Resource => inputs::RESOURCE.about,
            Self::OldResource => inputs::OLD_RESOURCE.about,
            Self::Cluster => inputs::CLUSTER.about,
            Self::ImageData => inputs::IMAGE_DATA.about,
            Self::NewPolicy => inputs::NEW_POLICY.about,
        }
    }

    /// What an empty text shows in grey: the shape that is expected.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Policy => inputs::POLICY.example,
            Self::Exceptions => inputs::EXCEPTIONS.example,
            Self::Context => inputs::CONTEXT.example,
            Self::Config => inputs::CONFIG.example,
            Self::Definitions => inputs::DEFINITIONS.example,
            Self::Resource => inputs::RESOURCE.example,
            Self::OldResource => inputs::OLD_RESOURCE.example,
            Self::Cluster => inputs::CLUSTER.example,
            Self::ImageData => inputs::IMAGE_DATA.example,
            Self::NewPolicy => inputs::NEW_POLICY.example,
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
            Self::NewPolicy => "newPolicies",
        }
    }

    /// The field of the engine's input; new policies have none there, and bear this name in ranges.
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
            Self::NewPolicy => "newPolicies",
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
            Self::NewPolicy => "new-policies.yaml",
        }
    }

    /// The column it stands in.
    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Policy | Self::Exceptions | Self::Context | Self::Config | Self::Definitions => {
                Side::Policies
            }
            // New policies stand beside the old ones.
            Self::Resource | Self::OldResource | Self::Cluster | Self::ImageData | Self::NewPolicy => {
                Side::Resources
            }
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
