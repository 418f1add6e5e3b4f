//! The tabs of the right column: each stands there only when it has something to say.
//!
//! In: the state. Out: which tabs there are, and which is open. Example: *Mutated* appears with the first policy that
//! changes a resource, and goes when no policy does.

use super::State;
use crate::slot::Slot;
use crate::words::results::tabs as words;

/// One view of what the engine said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Results,
    Why,
    Mutated,
    Generated,
    Report,
    Autogen,
    PodSecurity,
    Sieve,
    Mesh,
    Compare,
}

impl Tab {
    /// All, in their order on screen.
    const ALL: [Self; 10] = [
        Self::Results,
        Self::Why,
        Self::Mutated,
        Self::Generated,
        Self::Report,
        Self::Autogen,
        Self::PodSecurity,
        Self::Sieve,
        Self::Mesh,
        Self::Compare,
    ];

    /// The tab's words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Results => words::RESULTS,
            Self::Why => words::WHY,
            Self::Mutated => words::MUTATED,
            Self::Generated => words::GENERATED,
            Self::Report => words::REPORT,
            Self::Autogen => words::AUTOGEN,
            Self::PodSecurity => words::POD_SECURITY,
            Self::Sieve => words::SIEVE,
            Self::Mesh => words::MESH,
            Self::Compare => words::COMPARE,
        }
    }

    /// The id of its button.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Results => "tab-results",
            Self::Why => "tab-why",
            Self::Mutated => "tab-mutated",
            Self::Generated => "tab-generated",
            Self::Report => "tab-report",
            Self::Autogen => "tab-autogen",
            Self::PodSecurity => "tab-pod-security",
            Self::Sieve => "tab-sieve",
            Self::Mesh => "tab-mesh",
            Self::Compare => "tab-compare",
        }
    }

    /// The tab with these words.
    pub(crate) fn of_title(title: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.title() == title)
    }

    /// Whether it has something to say.
    fn speaks(self, state: &State) -> bool {
        let output = state.verdict.output.as_deref();
        let has = state.verdict.facts.tabs.contains(&self);
        match self {
            Self::Results => true,
            Self::Why | Self::Mutated | Self::Generated | Self::Report => has,
            Self::Autogen => output.is_some_and(|output| {
                output.autogen.iter().any(|made| !made.rules.is_empty() || !made.hindrances.is_empty())
            }),
            Self::PodSecurity | Self::Mesh => state.has_pods(),
            Self::Compare => {
                [Slot::Policy, Slot::NewPolicy].iter().any(|slot| !state.texts.get(*slot).trim().is_empty())
            }
            Self::Sieve => has || state.texts.may_exempt(),
        }
    }
}

impl State {
    /// The tabs that have something to say.
    pub(crate) fn result_tabs(&self) -> Vec<Tab> {
        Tab::ALL.into_iter().filter(|tab| tab.speaks(self)).collect()
    }

    /// While *Compare* is open the new policies stand beside the old ones; after it the resources do again.
    pub(super) fn show_compared(&mut self, tab: Tab) {
        if tab == Tab::Compare {
            self.added.insert(Slot::NewPolicy);
            self.left = Slot::Policy;
            self.right = Slot::NewPolicy;
        } else if self.tab == Tab::Compare && self.right == Slot::NewPolicy {
            self.right = Slot::Resource;
        }
    }

    /// The tab that is open: the one asked for, as long as it has something to say.
    pub(crate) fn open_result_tab(&self) -> Tab {
        if self.tab.speaks(self) { self.tab } else { Tab::Results }
    }
}
