//! Which lines belong together, and which steps know them.

use engine_lenses::wire::{ExplainRead, Explanation, Range, Step};

use super::{Touch, Why, block, of_policy, of_resource};

const POLICY: &str = "\
rules:
- name: r
  match:
    any:
    - resources:
        kinds: [Pod]
  validate:
    message: m

    pattern:
      spec:
        containers:
        - image: '!*:latest'
          =(name): a*
- name: s
";

fn range(input: &str, line: u32, end_line: u32) -> Range {
    Range { input: input.into(), line, end_line, ..Range::default() }
}

fn step(kind: &str, line: u32, end_line: u32) -> Step {
    Step { kind: kind.to_owned(), policy_range: Some(range("policies", line, end_line)), ..Step::default() }
}

fn explanation(verdict: &str, steps: Vec<Step>, deciding: u32) -> Explanation {
    Explanation { verdict: verdict.to_owned(), steps, deciding: vec![deciding], ..Explanation::default() }
}

fn failed() -> Explanation {
    let steps =
        vec![step("rule", 2, 14), step("match", 5, 6), step("field", 13, 13), step("pattern", 13, 13)];
    explanation("fail", steps, 2)
}

#[test]
fn a_block_is_what_is_indented_below_its_line() {
    assert_eq!([1, 2, 5, 7, 9, 12, 13, 15].map(|line| block(POLICY, line).1), [15, 14, 6, 14, 9, 14, 14, 15]);
}

#[test]
fn steps_of_a_line_are_those_in_its_block_or_the_narrowest_around_it() {
    let of = |line| of_policy(&[failed()], "policies", POLICY, line).map(|touch| (touch.steps, touch.why));
    assert_eq!(of(13), Some((vec![2, 3], Why::Steps)));
    assert_eq!(of(6), Some((vec![1], Why::Steps)));
    assert_eq!(of(3), Some((vec![1], Why::Steps)));
    assert_eq!(of(2), Some((vec![1, 2, 3], Why::Steps)));
    assert_eq!(of(8), Some((Vec::new(), Why::Said)));
    // The pattern ended above.
    assert_eq!(of(14), Some((Vec::new(), Why::NeverReached)));
    assert_eq!((of(1), of(15)), (None, None));
}

#[test]
fn what_a_rule_that_does_not_match_would_ask_is_never_reached() {
    let all = [explanation("noMatch", vec![step("rule", 2, 14), step("match", 5, 6)], 1)];
    let touch = |steps: Vec<usize>, why| Some(Touch { rule: 0, steps, why });
    assert_eq!(of_policy(&all, "policies", POLICY, 13), touch(Vec::new(), Why::NeverReached));
    assert_eq!(of_policy(&all, "policies", POLICY, 6), touch(vec![1], Why::Steps));
}

#[test]
fn a_line_of_a_resource_is_known_by_what_read_it() {
    let text = "kind: Pod\nspec:\n  hostPID: true\n  containers:\n  - name: a\n    image: b\n";
    let read = |step, line, end, absent| ExplainRead {
        step,
        absent,
        range: Some(range("resources", line, end)),
        ..ExplainRead::default()
    };
    let reads = vec![
        read(Some(1), 1, 1, false),
        read(Some(2), 6, 6, false),
        read(None, 3, 3, false),
        read(Some(3), 2, 6, true),
    ];
    let all = [Explanation { reads, ..failed() }];
    let of = |line| {
        of_resource(&all, text, line).into_iter().map(|touch| (touch.steps, touch.why)).collect::<Vec<_>>()
    };
    assert_eq!(of(6), [(vec![2], Why::Steps)]);
    assert_eq!(of(4), [(vec![2], Why::Steps)]);
    assert_eq!(of(3), [(Vec::new(), Why::PassingCheck)]);
    // What is absent would stand in its holder, whose first line shows it.
    assert_eq!(of(2), [(vec![2, 3], Why::Steps)]);
    assert_eq!(of(5), [(vec![2], Why::Steps)]);
}
