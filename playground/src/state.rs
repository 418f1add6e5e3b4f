//! What the page knows, and what each event makes of it: a pure reducer, tested natively.
//!
//! In: a [`State`] and an [`Action`]. Out: the next state. Nothing here touches the browser; effects (worker, storage,
//! address bar) are in `app`. Example: `Action::Edited(Slot::Policy, text)` marks the verdict as out of date.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::wire::{ObjectRef, Output, PolicyResult, Range, RuleResult};

use crate::slot::{Side, Slot};
use crate::texts::Texts;

/// How many put-aside works are kept.
const KEPT: usize = 5;

/// Everything on the page.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) texts: Texts,
    pub(crate) source: Source,
    /// Whether the reader has typed since the texts were opened.
    pub(crate) touched: bool,
    /// Works of the reader that a link or a sample took the place of; the last is the newest.
    pub(crate) kept: Vec<Work>,
    /// Rises when texts are replaced from outside: the editors then take them over.
    pub(crate) epoch: u32,
    /// The tab that is open on each side.
    pub(crate) left: Slot,
    pub(crate) right: Slot,
    /// Tabs that the reader opened though they are empty.
    pub(crate) added: BTreeSet<Slot>,
    pub(crate) verdict: Verdict,
    pub(crate) chosen: Option<Chosen>,
    /// Rises when the editors shall scroll to the marked lines.
    pub(crate) scroll: u32,
    /// Where the cursor was last asked to go.
    pub(crate) reveal: Option<Reveal>,
    /// What is to be said about the link that was opened.
    pub(crate) notes: Vec<String>,
    /// Whether the line about the sample is shown.
    pub(crate) hint: bool,
    pub(crate) panel: Option<Panel>,
    pub(crate) view: View,
}

/// Where the texts came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Own,
    Link,
    Sample { title: String, about: String },
}

/// Texts and where they came from: what is put aside and taken up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) texts: Texts,
    pub(crate) source: Source,
}

/// The engine's last word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) output: Option<Rc<Output>>,
    pub(crate) millis: f64,
    /// Why the last run gave no output.
    pub(crate) failure: Option<String>,
    /// Whether the texts have changed since.
    pub(crate) stale: bool,
}

/// A rule's verdict on a resource, by names, so that it is found again after the next key press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) resource: String,
    /// Chosen by the reader, not by the page.
    pub(crate) by_hand: bool,
}

impl Chosen {
    pub(crate) fn of(result: &PolicyResult, rule: &RuleResult, by_hand: bool) -> Self {
        let policy = full_name(&result.policy);
        Self { policy, rule: rule.rule.clone(), resource: full_name(&result.resource), by_hand }
    }

    pub(crate) fn is(&self, result: &PolicyResult, rule: &RuleResult) -> bool {
        self.rule == rule.rule
            && self.policy == full_name(&result.policy)
            && self.resource == full_name(&result.resource)
    }
}

/// `Pod default/web`; without a namespace `Pod web`.
pub(crate) fn full_name(object: &ObjectRef) -> String {
    if object.namespace.is_empty() {
        return format!("{} {}", object.kind, object.name);
    }
    format!("{} {}/{}", object.kind, object.namespace, object.name)
}

/// A wish to see a place; the serial tells it from the same wish before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reveal {
    pub(crate) slot: Slot,
    pub(crate) from: u32,
    serial: u32,
}

/// What is open below the toolbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    Samples,
    Open,
    Share,
    About,
}

impl Panel {
    /// The id of the button that opens it.
    pub(crate) const fn button(self) -> &'static str {
        match self {
            Self::Samples => "open-samples",
            Self::Open => "open-open",
            Self::Share => "open-share",
            Self::About => "open-about",
        }
    }
}

/// Which column a narrow screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Policies,
    Resources,
    Results,
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Edited(Slot, String),
    /// A link or a sample, with what is to be said about it.
    Opened(Work, Vec<String>),
    /// Something that could not be done.
    Noted(String),
    WentBack,
    Judged(Rc<Output>, f64),
    Failed(String),
    Chose(Chosen),
    ShowedTab(Slot),
    /// The cursor shall go to a place.
    Revealed(Slot, u32),
    AddedTabs(Side),
    Toggled(Panel),
    Closed,
    Viewed(View),
    Dismissed,
}

impl State {
    /// The page with this work on it.
    pub(crate) fn new(work: Work, touched: bool, kept: Vec<Work>) -> Self {
        Self {
            texts: work.texts,
            source: work.source,
            touched,
            kept,
            epoch: 0,
            left: Slot::Policy,
            right: Slot::Resource,
            added: BTreeSet::new(),
            verdict: Verdict { stale: true, ..Verdict::default() },
            chosen: None,
            scroll: 0,
            reveal: None,
            notes: Vec::new(),
            hint: !touched,
            panel: None,
            view: View::Results,
        }
    }

    /// The state after an event.
    #[must_use]
    pub(crate) fn after(mut self, action: Action) -> Self {
        match action {
            Action::Edited(slot, text) => self.edit(slot, &text),
            Action::Opened(work, notes) => self.open(work, notes),
            Action::Noted(note) => self.notes = vec![note],
            Action::WentBack => {
                if let Some(work) = self.kept.pop() {
                    self.replace(work);
                    self.touched = true;
                }
            }
            Action::Judged(output, millis) => self.judge(output, millis),
            Action::Failed(why) => {
                self.verdict = Verdict { failure: Some(why), ..Verdict::default() };
                self.chosen = None;
            }
            Action::Chose(chosen) => {
                self.chosen = Some(chosen);
                self.scroll += 1;
                self.show_marked_tabs();
            }
            Action::ShowedTab(slot) => match slot.side() {
                Side::Policies => self.left = slot,
                Side::Resources => self.right = slot,
            },
            Action::Revealed(slot, from) => {
                self = self.after(Action::ShowedTab(slot));
                self.view = match slot.side() {
                    Side::Policies => View::Policies,
                    Side::Resources => View::Resources,
                };
                let serial = self.reveal.map_or(0, |reveal| reveal.serial) + 1;
                self.reveal = Some(Reveal { slot, from, serial });
            }
            Action::AddedTabs(side) => self.added.extend(side.slots()),
            Action::Toggled(panel) => self.panel = (self.panel != Some(panel)).then_some(panel),
            Action::Closed => self.panel = None,
            Action::Viewed(view) => self.view = view,
            Action::Dismissed => {
                self.notes.clear();
                self.hint = false;
            }
        }
        self
    }

    fn edit(&mut self, slot: Slot, text: &str) {
        // Editors also speak when they are given a text; that is no edit.
        if self.texts.get(slot) != text {
            self.texts.set(slot, text);
            self.touched = true;
            self.verdict.stale = true;
        }
    }

    /// Puts the reader's own work aside and shows another.
    fn open(&mut self, work: Work, notes: Vec<String>) {
        if self.touched && self.texts != work.texts && !self.texts.is_empty() {
            self.kept.push(Work { texts: self.texts.clone(), source: self.source.clone() });
            let surplus = self.kept.len().saturating_sub(KEPT);
            self.kept.drain(..surplus);
        }
        self.replace(work);
        self.notes = notes;
    }

    fn replace(&mut self, work: Work) {
        // The same texts have the same verdict, and the engine is not asked again.
        self.verdict.stale |= self.texts != work.texts;
        self.texts = work.texts;
        self.source = work.source;
        self.touched = false;
        self.epoch += 1;
        self.left = Slot::Policy;
        self.right = Slot::Resource;
        self.added.clear();
        self.chosen = if self.verdict.stale { None } else { self.first_failure() };
        self.scroll += 1;
        self.notes.clear();
        self.hint = true;
        self.panel = None;
    }

    fn judge(&mut self, output: Rc<Output>, millis: f64) {
        let first_word = self.chosen.is_none() && !self.touched;
        self.verdict = Verdict { output: Some(output), millis, failure: None, stale: false };
        let by_hand = self.chosen.as_ref().is_some_and(|chosen| chosen.by_hand);
        if !by_hand || self.chosen_rule().is_none() {
            self.chosen = self.first_failure();
            if first_word && self.chosen.is_some() {
                self.scroll += 1;
            }
        }
    }

    /// The first rule that needs attention.
    fn first_failure(&self) -> Option<Chosen> {
        let output = self.verdict.output.as_ref()?;
        output.results.iter().find_map(|result| {
            let rule = result.rules.iter().find(|rule| matches!(rule.status.as_str(), "fail" | "error"))?;
            Some(Chosen::of(result, rule, false))
        })
    }

    /// The rule's verdict that is chosen, where the last output still has it.
    pub(crate) fn chosen_rule(&self) -> Option<&RuleResult> {
        let chosen = self.chosen.as_ref()?;
        let output = self.verdict.output.as_ref()?;
        output.results.iter().find_map(|result| result.rules.iter().find(|rule| chosen.is(result, rule)))
    }

    /// The lines of a slot that the chosen verdict points at.
    pub(crate) fn marks(&self, slot: Slot) -> Vec<Range> {
        let Some(rule) = self.chosen_rule() else { return Vec::new() };
        let ranges = rule.policy_ranges.iter().chain(&rule.resource_ranges);
        ranges.filter(|range| Slot::of_input(&range.input) == Some(slot)).cloned().collect()
    }

    /// Opens the tabs in which the chosen lines are.
    fn show_marked_tabs(&mut self) {
        let marked = |state: &Self, side: Side, open: Slot| {
            let here = side.slots().find(|slot| !state.marks(*slot).is_empty());
            if state.marks(open).is_empty() { here.unwrap_or(open) } else { open }
        };
        self.left = marked(self, Side::Policies, self.left);
        self.right = marked(self, Side::Resources, self.right);
    }

    /// The tabs of a side: its main one, those with text, those that were opened.
    pub(crate) fn tabs(&self, side: Side) -> Vec<Slot> {
        let open = self.open_tab(side);
        let wanted = |slot: &Slot| {
            *slot == side.main()
                || *slot == open
                || self.added.contains(slot)
                || !self.texts.get(*slot).is_empty()
        };
        side.slots().filter(wanted).collect()
    }

    /// The open tab of a side.
    pub(crate) fn open_tab(&self, side: Side) -> Slot {
        match side {
            Side::Policies => self.left,
            Side::Resources => self.right,
        }
    }
}

#[cfg(test)]
mod tests;
