//! The promises of the reducer: own work is never lost, verdicts keep their place, marks find their editors.

use std::rc::Rc;

use engine_lenses::wire::{Diagnostic, ObjectRef, Output, PolicyResult, Range, Refused, RuleResult};

use super::{Action, Answer, Chosen, Hint, Line, Pointed, Source, State, Tab, Work};
use crate::slot::{Side, Slot};
use crate::texts::Texts;

fn work(policy: &str) -> Work {
    Work { texts: Texts::of_sample(policy, "kind: Pod"), source: Source::Own }
}

fn page() -> State {
    State::new(work("one"), false, Vec::new())
}

fn verdict(status: &str) -> Rc<Output> {
    let rule = RuleResult {
        rule: "r".into(),
        status: status.into(),
        policy_ranges: vec![Range { input: "exceptions".into(), ..Range::default() }],
        resource_ranges: vec![Range { input: "resources".into(), ..Range::default() }],
        ..RuleResult::default()
    };
    let name = |name: &str| ObjectRef { name: name.to_owned(), ..ObjectRef::default() };
    let result =
        PolicyResult { policy: name("p"), resource: name("o"), rules: vec![rule], ..PolicyResult::default() };
    Rc::new(Output { results: vec![result], ..Output::default() })
}

#[test]
fn a_link_puts_own_work_aside_and_going_back_restores_it() {
    let own = page().after(Action::Edited(Slot::Policy, "mine".to_owned()));
    let opened = own.after(Action::Opened(work("theirs"), vec!["cut".to_owned()]));
    assert_eq!(opened.texts.get(Slot::Policy), "theirs");
    assert_eq!(opened.notes, ["cut"]);
    let back = opened.after(Action::WentBack);
    assert_eq!(back.texts.get(Slot::Policy), "mine");
    assert!(back.kept.is_empty() && back.notes.is_empty());
}

#[test]
fn what_is_said_of_an_empty_workspace_goes_when_it_is_no_longer_empty() {
    let empty = Work { texts: Texts::default(), source: Source::Own };
    let anew = page().after(Action::Opened(empty, vec!["empty".to_owned()]));
    assert_eq!(anew.notes, ["empty"]);
    assert!(anew.after(Action::Edited(Slot::Policy, "mine".to_owned())).notes.is_empty());
}

#[test]
fn the_way_back_stays_as_long_as_work_is_put_aside_that_is_not_on_screen() {
    let edited = State::new(work("theirs, edited"), true, vec![work("mine")]);
    assert!(edited.way_back().is_some() && edited.hint == Hint::Known);
    // Hidden it stays within reach, and the next text that is opened shows it again.
    let hidden = edited.clone().after(Action::Dismissed);
    assert!(hidden.way_back().is_some() && hidden.hint == Hint::Hidden);
    assert_eq!(hidden.after(Action::Opened(work("other"), Vec::new())).hint, Hint::New);
    // Going back loses nothing of what was typed meanwhile.
    let back = edited.after(Action::WentBack);
    assert_eq!(back.texts.get(Slot::Policy), "mine");
    let round = back.after(Action::WentBack);
    assert_eq!(round.texts.get(Slot::Policy), "theirs, edited");
    assert_eq!(round.way_back().map(|work| work.texts.get(Slot::Policy)), Some("mine"));
    assert!(State::new(work("mine"), true, vec![work("mine")]).way_back().is_none());
}

#[test]
fn an_error_of_a_text_is_its_own_and_a_refusal_marks_it_too() {
    let at = |input: &str| Some(Range { input: input.into(), ..Range::default() });
    let said = |severity: &str, input: &str| Diagnostic {
        severity: severity.to_owned(),
        message: format!("{severity} in {input}"),
        range: at(input),
        ..Diagnostic::default()
    };
    let diagnostics =
        vec![said("warning", "policies"), said("error", "resources"), said("error", "policies")];
    let broken = Output { diagnostics, ..Output::default() };
    let state = page().after(Action::Evaluated(Rc::new(broken), 0.5));
    assert_eq!(
        state.verdict.first_error(Slot::Policy).map(|said| said.message.as_str()),
        Some("error in policies")
    );
    let refused = vec![Refused { range: at("policies"), ..Refused::default() }];
    let state = page().after(Action::Evaluated(Rc::new(Output { refused, ..Output::default() }), 0.5));
    assert!(state.verdict.first_error(Slot::Policy).is_none());
    assert!(state.verdict.has_error(Slot::Policy) && !state.verdict.has_error(Slot::Resource));
}

#[test]
fn untouched_texts_are_not_kept_and_an_editor_echo_is_no_edit() {
    let opened = page().after(Action::Edited(Slot::Policy, "one".to_owned()));
    assert!(!opened.touched);
    assert!(opened.after(Action::Opened(work("two"), Vec::new())).kept.is_empty());
}

#[test]
fn at_most_five_works_are_kept_the_newest_ones() {
    let mut state = page();
    for number in 0..9 {
        state = state.after(Action::Edited(Slot::Policy, format!("own {number}")));
        state = state.after(Action::Opened(work("theirs"), Vec::new()));
    }
    assert_eq!(state.kept.len(), 5);
    assert_eq!(state.kept.last().map(|work| work.texts.get(Slot::Policy)), Some("own 8"));
}

#[test]
fn the_first_failure_is_chosen_and_a_choice_by_hand_survives_the_next_run() {
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5));
    assert!(state.subject().is_some());
    assert_eq!(state.scroll, 1);
    // What has just been mended stays in sight, and goes with its rule.
    let mended = state.clone().after(Action::Evaluated(verdict("pass"), 0.5));
    assert_eq!(mended.subject().map(super::Subject::status), Some("pass"));
    assert!(mended.after(Action::Evaluated(Rc::new(Output::default()), 0.5)).chosen.is_none());
    // *Why* tells of the first verdict where nothing is chosen.
    let passes = page().after(Action::Evaluated(verdict("pass"), 0.5));
    assert!(passes.chosen.is_none());
    assert!(passes.after(Action::ShowedResultTab(Tab::Why)).subject().is_some());
    let by_hand = Chosen { by_hand: true, ..state.chosen.clone().unwrap() };
    let chosen = state.after(Action::Chose(by_hand)).after(Action::Evaluated(verdict("pass"), 0.5));
    assert_eq!(chosen.subject().map(super::Subject::status), Some("pass"));
}

#[test]
fn opening_what_is_open_keeps_its_verdict() {
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5));
    let again = state.after(Action::Opened(work("one"), Vec::new()));
    assert!(!again.verdict.stale && again.chosen.is_some());
    assert!(again.after(Action::Opened(work("two"), Vec::new())).verdict.stale);
}

#[test]
fn choosing_opens_the_tab_that_holds_the_lines() {
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5));
    let chosen = state.chosen.clone().unwrap();
    let state = state.after(Action::Chose(chosen));
    assert_eq!((state.left, state.right), (Slot::Exceptions, Slot::Resource));
    assert_eq!(state.tabs(Side::Policies), [Slot::Policy, Slot::Exceptions]);
    assert_eq!(state.marks(Slot::Exceptions).len(), 1);
    assert!(state.marks(Slot::Policy).is_empty());
}

#[test]
fn tabs_stand_there_only_with_something_to_say() {
    let state = page();
    assert_eq!(state.result_tabs(), [Tab::Results, Tab::PodSecurity, Tab::Mesh, Tab::Compare]);
    let state = state.after(Action::Evaluated(verdict("fail"), 0.5));
    assert_eq!(
        state.result_tabs(),
        [Tab::Results, Tab::Why, Tab::Report, Tab::PodSecurity, Tab::Sieve, Tab::Mesh, Tab::Compare]
    );
    let mut output = Output::clone(&verdict("pass"));
    for result in &mut output.results {
        result.patched = Some("kind: Pod".to_owned());
    }
    let mutated =
        state.after(Action::Evaluated(Rc::new(output), 0.5)).after(Action::ShowedResultTab(Tab::Mutated));
    assert_eq!(mutated.open_result_tab(), Tab::Mutated);
    let without = mutated.after(Action::Evaluated(verdict("pass"), 0.5));
    assert_eq!(without.open_result_tab(), Tab::Results);
}

#[test]
fn a_step_takes_the_marks_until_the_next_verdict() {
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5));
    let range = Range { input: "policies".into(), ..Range::default() };
    let pointed = Pointed { key: "step 1".to_owned(), ranges: vec![range], status: "skip" };
    let state = state.after(Action::Pointed(pointed));
    assert_eq!((state.marks(Slot::Policy).len(), state.marks(Slot::Exceptions).len()), (1, 0));
    assert_eq!(state.mark_status(), "skip");
    let evaluated = state.after(Action::Evaluated(verdict("fail"), 0.5));
    assert_eq!((evaluated.marks(Slot::Policy).len(), evaluated.mark_status().as_str()), (0, "fail"));
}

#[test]
fn the_rule_of_a_line_is_looked_at_also_where_it_is_not_for_the_resource() {
    let at = |line| Action::AskedLine(Line { slot: Slot::Policy, line });
    let answered = |rule: &str, verdict: &str| {
        let [rule, verdict] = [rule, verdict].map(str::to_owned);
        Action::Answered(Answer { policy: " p".to_owned(), rule, verdict, ..Answer::default() })
    };
    let rule = |state: &State| state.chosen.as_ref().map(|chosen| chosen.rule.clone());
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5)).after(at(3));
    let other = state.after(answered("other", "noMatch"));
    assert_eq!(rule(&other).as_deref(), Some("other"));
    assert!(other.subject().is_none() && other.unmatched().is_some() && other.answer().is_some());
    // The steps come a moment later, with the same verdicts.
    let other = other.after(Action::Evaluated(verdict("fail"), 0.5));
    assert!(other.unmatched().is_some());
    // Until the next line is answered it stays, and a line of no rule leaves it.
    let next = other.clone().after(at(4));
    assert!(next.unmatched().is_some() && next.answer().is_none());
    assert!(next.clone().after(answered("", "")).unmatched().is_some());
    let known = next.after(answered("r", "fail"));
    assert!(known.unmatched().is_none() && known.subject().is_some());
    // Who types looks at what has a verdict.
    let typed = other.after(Action::Edited(Slot::Policy, "two".to_owned()));
    assert_eq!(rule(&typed).as_deref(), Some("r"));
    assert!(typed.unmatched().is_none() && typed.line.is_none());
}

#[test]
fn what_is_said_of_a_sample_goes_once_its_text_was_replaced() {
    let sample = Source::Sample { title: "t".to_owned(), about: "a".to_owned() };
    let opened =
        State::new(Work { source: sample.clone(), ..work("kind: ClusterPolicy") }, false, Vec::new());
    let edited = opened.after(Action::Edited(Slot::Policy, "kind: ClusterPolicies".to_owned()));
    assert_eq!(edited.source, sample);
    let replaced = edited.after(Action::Edited(Slot::Policy, "apiVersion: v1".to_owned()));
    assert_eq!(replaced.source, Source::Own);
}

#[test]
fn going_through_the_history_puts_nothing_aside() {
    let own = page().after(Action::Edited(Slot::Policy, "mine".to_owned()));
    let back = own.after(Action::Restored(work("before"), true));
    assert_eq!((back.texts.get(Slot::Policy), back.touched, back.kept.len()), ("before", true, 0));
}

#[test]
fn new_policies_stand_beside_the_old_ones_while_they_are_compared_and_are_not_evaluated() {
    let state = page().after(Action::Evaluated(verdict("fail"), 0.5));
    let state = state.after(Action::ShowedResultTab(Tab::Compare));
    assert_eq!(state.open_result_tab(), Tab::Compare);
    assert_eq!((state.left, state.right), (Slot::Policy, Slot::NewPolicy));
    let state = state.after(Action::Edited(Slot::NewPolicy, "two".to_owned()));
    assert!(!state.verdict.stale && state.touched);
    let state = state.after(Action::ShowedResultTab(Tab::Results));
    assert_eq!(state.right, Slot::Resource);
    assert_eq!(state.tabs(Side::Resources), [Slot::Resource, Slot::NewPolicy]);
    assert_eq!(state.texts.to_link().get("newPolicies"), Some("two"));
    assert!(state.texts.input().policies.iter().all(|text| text.text == "one"));
}
