//! What the page knows, and what each event makes of it: a pure reducer, tested natively.
//!
//! In: a [`State`] and an [`Action`]. Out: the next state. Nothing here touches the browser; effects (worker, storage,
//! address bar) are in `app`. Example: `Action::Edited(Slot::Policy, text)` marks the verdict as out of date.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine_lenses::wire::{Diagnostic, Output, PsaOutput};

use crate::slot::{Side, Slot};
use crate::texts::Texts;

mod choice;
mod line;
mod panel;
mod psa;
mod report;
mod spaces;
mod tab;
mod table;
mod verdict;

pub(crate) use choice::{Chosen, Pointed, Subject, full_name, subjects};
pub(crate) use line::{Answer, LINE, Line};
pub(crate) use panel::{Panel, Theme};
pub(crate) use report::Form;
pub(crate) use spaces::{Space, SpaceAction, Spaces};
pub(crate) use tab::Tab;
pub(crate) use table::{Column, Filter, Place, Table, by_resource, with_verdict};
pub(crate) use verdict::Verdict;

/// How many put-aside works are kept.
const KEPT: usize = 5;

/// Everything on the page.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) texts: Texts,
    pub(crate) source: Source,
    /// The texts as they were opened, until one of them was replaced.
    opened: Texts,
    /// Whether the reader has typed since the texts were opened.
    pub(crate) touched: bool,
    /// Works of the reader that a link or a sample took the place of; the last is the newest.
    pub(crate) kept: Vec<Work>,
    /// Named workspaces.
    pub(crate) spaces: Spaces,
    /// Whether the browser keeps anything for this page.
    pub(crate) keeps: bool,
    /// `light`, `dark`, or as the system has it.
    pub(crate) theme: Option<Theme>,
    /// Rises when texts are replaced from outside: the editors then take them over.
    pub(crate) epoch: u32,
    /// The tab that is open on each side.
    pub(crate) left: Slot,
    pub(crate) right: Slot,
    /// Tabs that the reader opened though they are empty.
    pub(crate) added: BTreeSet<Slot>,
    /// The column whose list of further inputs is open.
    pub(crate) adding: Option<Side>,
    pub(crate) verdict: Verdict,
    /// What no API server would take of the texts that were looked at last.
    pub(crate) unfit: Rc<[Diagnostic]>,
    pub(crate) chosen: Option<Chosen>,
    /// Lines that take the place of those of the chosen verdict.
    pub(crate) pointed: Option<Pointed>,
    /// The line that *Why* is asked about.
    pub(crate) line: Option<Line>,
    /// The last line that was answered.
    answer: Option<(Line, Answer)>,
    /// The sentence about a verdict, below the names of its policy, rule and resource.
    explained: Option<String>,
    /// Of the last rule that was found for a line: why it is not for the chosen resource.
    unmatched: Option<Answer>,
    /// The tab of the right column that was asked for.
    pub(crate) tab: Tab,
    pub(crate) psa: psa::Psa,
    pub(crate) report: report::Report,
    /// Rises when a test of what is on screen shall be saved.
    pub(crate) tests_wanted: u32,
    /// What is to be said of the test that was saved.
    pub(crate) test_notes: Vec<String>,
    /// Rises when the editors shall scroll to the marked lines.
    pub(crate) scroll: u32,
    /// Where the cursor was last asked to go.
    pub(crate) reveal: Option<Reveal>,
    /// What is to be said about the link that was opened.
    pub(crate) notes: Vec<String>,
    pub(crate) hint: Hint,
    pub(crate) panel: Option<Panel>,
    pub(crate) view: View,
    /// Whether the page stands inside another one: compact, and nothing is kept.
    pub(crate) is_embedded: bool,
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

/// What the line below the toolbar says unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// What is open, and the way back.
    New,
    /// The way back alone: the texts were edited on an earlier visit.
    Known,
    /// Nothing: the reader has hidden it. Another visit shows it again.
    Hidden,
}

/// A wish to see a place; the serial distinguishes it from the same wish before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reveal {
    pub(crate) slot: Slot,
    pub(crate) from: u32,
    serial: u32,
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
    /// The texts shall be evaluated as by this host.
    ChoseHost(&'static str),
    /// A link or a sample, with what is to be said about it.
    Opened(Work, Vec<String>),
    /// What stood there at another moment of the browser's history, and whether it was edited.
    Restored(Work, bool),
    /// Something that could not be done.
    Noted(String),
    WentBack,
    Space(SpaceAction),
    Themed(Option<Theme>),
    Evaluated(Rc<Output>, f64),
    /// What no API server would take.
    Checked(Vec<Diagnostic>),
    Failed(String),
    Chose(Chosen),
    /// A verdict was chosen to hear why.
    AskedWhy(Chosen),
    Pointed(Pointed),
    /// The cursor is on a line while *Why* is open.
    AtLine(Line),
    /// *Why* was asked about a line, whatever is open.
    AskedLine(Line),
    /// What a rule has to do with that line.
    Answered(Answer),
    /// The sentence about a verdict has come.
    Explained(String),
    ShowedResultTab(Tab),
    /// What `psa` said.
    EvaluatedPsa(PsaOutput),
    /// The reports as YAML, or why there are none.
    Reported(Result<String, String>),
    ChoseForm(Form),
    WantedTest,
    /// A test was saved, or could not be.
    SavedTest(Vec<String>),
    ChosePsaVersion(String),
    SetPsaAsWritten(bool),
    ShowedTab(Slot),
    /// The cursor shall go to a place.
    Revealed(Slot, u32),
    /// The list of inputs that can be added was opened or closed.
    ToggledAdding(Side),
    /// An input was added, and is shown.
    Added(Slot),
    Toggled(Panel),
    Closed,
    Viewed(View),
    Dismissed,
}

impl State {
    /// The page with this work on it.
    pub(crate) fn new(work: Work, touched: bool, kept: Vec<Work>) -> Self {
        Self {
            opened: work.texts.clone(),
            texts: work.texts,
            source: work.source,
            touched,
            kept,
            spaces: Spaces::default(),
            keeps: true,
            theme: None,
            epoch: 0,
            left: Slot::Policy,
            right: Slot::Resource,
            added: BTreeSet::new(),
            adding: None,
            verdict: Verdict { stale: true, ..Verdict::default() },
            unfit: Rc::from([]),
            chosen: None,
            pointed: None,
            line: None,
            answer: None,
            explained: None,
            unmatched: None,
            tab: Tab::Results,
            psa: psa::Psa::default(),
            report: report::Report::default(),
            tests_wanted: 0,
            test_notes: Vec::new(),
            scroll: 0,
            reveal: None,
            notes: Vec::new(),
            hint: if touched { Hint::Known } else { Hint::New },
            panel: None,
            view: View::Results,
            is_embedded: false,
        }
    }

    /// The state after an event.
    #[must_use]
    pub(crate) fn after(mut self, action: Action) -> Self {
        match action {
            Action::Edited(slot, text) => self.edit(slot, &text),
            Action::ChoseHost(host) => self.choose_host(host),
            Action::Opened(work, notes) => self.open(work, notes),
            Action::Restored(work, touched) => {
                self.replace(work);
                self.touched = touched;
            }
            Action::Noted(note) => self.notes = vec![note],
            Action::WentBack => self.go_back(),
            Action::Space(action) => self.after_space(action),
            Action::Themed(theme) => self.theme = theme,
            Action::Evaluated(output, millis) => self.evaluate(output, millis),
            Action::Checked(said) => self.unfit = Rc::from(said),
            Action::Failed(why) => self.fail(why),
            Action::Chose(chosen) => self.choose(chosen),
            Action::AskedWhy(chosen) => {
                self.choose(chosen);
                self.show_why();
            }
            Action::Pointed(pointed) => self.point(pointed),
            Action::AtLine(line) => self.ask_line(line),
            Action::AskedLine(line) => {
                self.ask_line(line);
                self.show_why();
            }
            Action::Answered(answer) => self.hear(answer),
            Action::Explained(described) => self.explained = Some(described),
            Action::ShowedResultTab(tab) => {
                self.show_compared(tab);
                self.tab = tab;
                self.leave_line();
                self.pointed = None;
                self.choose_for_why();
            }
            Action::EvaluatedPsa(output) => self.take_psa(output),
            Action::Reported(answer) => self.report.answer = Some(answer.map(Rc::from)),
            Action::WantedTest => self.tests_wanted += 1,
            Action::SavedTest(notes) => self.test_notes = notes,
            Action::ChoseForm(form) => self.report.form = form,
            Action::ChosePsaVersion(version) => self.psa.version = version,
            Action::SetPsaAsWritten(on) => self.psa.as_written = on,
            Action::ShowedTab(slot) => self.show_tab(slot),
            Action::Revealed(slot, from) => self.reveal(slot, from),
            Action::ToggledAdding(side) => self.adding = (self.adding != Some(side)).then_some(side),
            Action::Added(slot) => {
                self.added.insert(slot);
                self.adding = None;
                self.show_tab(slot);
            }
            Action::Toggled(panel) => {
                self.adding = None;
                self.spaces.said = None;
                self.panel = (self.panel != Some(panel)).then_some(panel);
            }
            Action::Closed => {
                self.panel = None;
                self.adding = None;
            }
            Action::Viewed(view) => self.view = view,
            Action::Dismissed => {
                self.notes.clear();
                self.hint = Hint::Hidden;
            }
        }
        self
    }

    fn choose_host(&mut self, host: &'static str) {
        self.texts.choose_host(host);
        self.leave_line();
        self.touched = true;
        self.verdict.stale = true;
    }

    fn fail(&mut self, why: String) {
        self.verdict = Verdict { failure: Some(why), serial: self.verdict.serial + 1, ..Verdict::default() };
        self.chosen = None;
    }

    fn show_why(&mut self) {
        self.tab = Tab::Why;
        self.view = View::Results;
    }

    fn point(&mut self, pointed: Pointed) {
        self.pointed = Some(pointed);
        self.scroll += 1;
        self.show_marked_tabs();
    }

    fn show_tab(&mut self, slot: Slot) {
        match slot.side() {
            Side::Policies => self.left = slot,
            Side::Resources => self.right = slot,
        }
    }

    /// Asks the cursor to go to a place, which a narrow screen then shows.
    fn reveal(&mut self, slot: Slot, from: u32) {
        self.show_tab(slot);
        self.view = match slot.side() {
            Side::Policies => View::Policies,
            Side::Resources => View::Resources,
        };
        let serial = self.reveal.map_or(0, |reveal| reveal.serial) + 1;
        self.reveal = Some(Reveal { slot, from, serial });
    }

    fn edit(&mut self, slot: Slot, text: &str) {
        // Editors also speak when they are given a text; that is not an edit.
        if self.texts.get(slot) != text {
            self.texts.set(slot, text);
            if self.opened.is_empty()
                || self.source != Source::Own && self.texts.is_replaced(slot, &self.opened)
            {
                // What was opened is no longer there, and nothing is to be said of it.
                self.source = Source::Own;
                self.notes.clear();
            }
            self.leave_line();
            self.touched = true;
            self.verdict.stale |= slot != Slot::NewPolicy;
        }
    }

    /// The newest work put aside that is not what is shown anyway.
    pub(crate) fn way_back(&self) -> Option<&Work> {
        self.kept.iter().rev().find(|work| work.texts != self.texts)
    }

    /// Shows the newest work put aside. The reader's own that it takes the place of goes behind the others: going on leads
    /// round to it.
    fn go_back(&mut self) {
        let shown = Work { texts: self.texts.clone(), source: self.source.clone() };
        let before = self.kept.len();
        self.kept.retain(|work| work.texts != shown.texts);
        let is_own = self.touched || self.kept.len() < before;
        let Some(work) = self.kept.pop() else { return };
        if is_own && !shown.texts.is_empty() {
            self.kept.insert(0, shown);
        }
        self.replace(work);
        self.touched = true;
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
        self.verdict.stale |= !self.texts.are_evaluated_alike(&work.texts);
        self.unfit = Rc::from([]);
        self.opened = work.texts.clone();
        self.texts = work.texts;
        self.source = work.source;
        self.spaces.open = None;
        self.touched = false;
        self.epoch += 1;
        self.left = Slot::Policy;
        self.right = Slot::Resource;
        self.added.clear();
        self.chosen = if self.verdict.stale { None } else { self.first_failure() };
        self.scroll += 1;
        self.pointed = None;
        self.forget_line();
        self.tab = Tab::Results;
        self.notes.clear();
        self.hint = Hint::New;
        self.panel = None;
    }

    fn choose(&mut self, chosen: Chosen) {
        self.chosen = Some(chosen);
        self.pointed = None;
        self.forget_line();
        self.scroll += 1;
        self.show_marked_tabs();
    }

    fn evaluate(&mut self, output: Rc<Output>, millis: f64) {
        let first_word = self.chosen.is_none() && !self.touched;
        self.verdict = Verdict::new(output, millis, self.verdict.serial);
        self.pointed = None;
        let by_hand = self.chosen.as_ref().is_some_and(|chosen| chosen.by_hand);
        let is_gone = self.subject().is_none() && self.unmatched().is_none();
        if !by_hand || is_gone {
            // What has just been mended stays in sight, unless something else fails.
            let failure = self.first_failure();
            if failure.is_some() || is_gone {
                self.chosen = failure;
            }
            if first_word && self.chosen.is_some() {
                self.scroll += 1;
            }
        }
        self.choose_for_why();
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

    /// All that is to be said about the texts.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let output = self.verdict.output.as_ref();
        output.into_iter().flat_map(|output| &output.diagnostics).chain(&*self.unfit)
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
