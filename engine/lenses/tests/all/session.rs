//! A session answers as a run of its own does, whatever came before.

use engine::world::StaticWorld;
use engine_lenses::run::Session;
use engine_lenses::wire::{Input, Text};

const POLICY: &str = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: team\nspec:\n  rules:\n  - name: label\n    match:\n      any:\n      - resources:\n          kinds: [Pod]\n    \
                      validate:\n      message: a team is needed, {{ request.operation }}\n      pattern:\n        metadata:\n          labels:\n            team: ?*\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    team: a\n";

fn texts(list: &[&str]) -> Vec<Text> {
    list.iter().map(|text| Text { name: "a.yaml".to_owned(), text: (*text).to_owned() }).collect()
}

fn input(host: &str, policies: &[&str], resources: &[&str]) -> Input {
    Input {
        host: Some(host.to_owned()),
        policies: texts(policies),
        resources: texts(resources),
        trace: true,
        ..Input::default()
    }
}

#[test]
fn a_session_answers_as_runs_of_their_own_do() {
    let other = POLICY.replace("?*", "b");
    let broken = POLICY.replace("pattern:", "patern:");
    let pod_b = POD.replace("team: a", "team: b");
    let context = "context:\n  operation: UPDATE\n  username: jane\n";
    let config = "data:\n  resourceFilters: '[Pod,*,*]'\n";
    let mut steps = vec![
        input("playground", &[POLICY], &[POD]),
        input("playground", &[POLICY], &[&pod_b]),
        input("playground", &[POLICY], &["", POD, "kind: ["]),
        input("cli", &[POLICY], &[POD]),
        input("cli", &[POLICY, &other], &[POD, &pod_b]),
        input("cli", &[&other], &[POD, &pod_b]),
        input("cli", &[&broken, POLICY], &[POD]),
        input("cli", &[&broken, POLICY], &[]),
        input("cli", &[], &[POD]),
    ];
    for (context, config) in [(context, ""), ("", config), (context, config), ("", "")] {
        let step = input("playground", &[POLICY], &[POD]);
        steps.push(Input { context: texts(&[context]), config: texts(&[config]), ..step });
    }
    let world = StaticWorld::at(0);
    let mut session = Session::default();
    let mut verdicts = std::collections::BTreeSet::new();
    for step in steps {
        let fresh = format!("{:?}", engine_lenses::run(&step, &world));
        let kept = format!("{:?}", session.run(&step, &world));
        assert_eq!(kept, fresh);
        verdicts.insert(fresh);
    }
    assert!(verdicts.len() > 8, "the steps are to differ: {}", verdicts.len());
}

const SEVERAL: &str = "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: several
spec:
  rules:
  - name: label
    match: {any: [{resources: {kinds: [Pod, Deployment]}}]}
    exclude: {any: [{resources: {names: ['keep-*']}}]}
    validate:
      message: '{{ request.object.metadata.name }} needs a team'
      pattern: {metadata: {labels: {team: '?*'}}}
  - name: no-latest
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: images
      variable: {jmesPath: 'request.object.spec.containers[].image'}
    validate:
      message: 'no latest: {{ images }}'
      deny: {conditions: {any: [{key: '{{ images }}', operator: AnyIn, value: ['*:latest']}]}}
  - name: baseline
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {podSecurity: {level: baseline, version: latest}}
";

fn pods(count: usize) -> String {
    let pod = |n: usize| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{n} # é😀\n  labels: {{team: t{n}}}\nspec:\n  hostPID: {}\n  containers:\n  - {{name: c, image: 'web:{}'}}\n",
            n.is_multiple_of(2),
            if n.is_multiple_of(3) { "latest" } else { "1" }
        )
    };
    (0..count).map(pod).collect::<Vec<_>>().join("---\n")
}

/// What somebody types: places and texts from a sequence that every run repeats.
struct Typing(u64);

impl Typing {
    fn one_of<T: Copy + Default>(&mut self, all: &[T]) -> T {
        all.get(self.below(all.len())).copied().unwrap_or_default()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }

    fn edit(&mut self, text: &mut String) {
        const TYPED: [&str; 14] = [
            "x",
            " ",
            "\n",
            "#",
            "---\n",
            "\n---\n",
            "\n---\n---\n",
            "é😀",
            "'",
            "[",
            "\n--- x\n",
            "\r\n",
            "...\n",
            "kind: Pod\n",
        ];
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + self.one_of(&[0, 0, 1, 5, 90])).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let typed = if self.below(3) == 0 { "" } else { self.one_of(&TYPED) };
        text.replace_range(at..end, typed);
    }
}

#[test]
fn changes_add_up_to_the_answers_of_whole_runs() {
    let world = StaticWorld::at(0);
    let exception = "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e}\nspec:\n  exceptions: [{policyName: several, ruleNames: [label]}]\n  match: {any: [{resources: {names: [pod-1]}}]}\n";
    let (mut partial, mut asked) = (0, 0);
    for (seed, (host, policies)) in [
        ("cli", vec![SEVERAL]),
        ("playground", vec![SEVERAL, POLICY]),
        ("playground", vec![SEVERAL, exception]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut typing = Typing(seed as u64);
        let (mut one, two) = (pods(8), pods(3));
        let mut session = Session::default();
        let mut last = None;
        for serial in 1..150 {
            let mut step = input(host, &policies, &[&one, &two]);
            (step.trace, step.no_match) = (seed == 1, seed == 2);
            let changes = session.changes(&step, serial, serial - 1, &world);
            (partial, asked) = (partial + usize::from(changes.since != 0), asked + 1);
            let output = changes.onto(last.as_ref()).unwrap();
            let fresh = engine_lenses::run(&step, &world);
            assert_eq!(format!("{output:#?}"), format!("{fresh:#?}"), "after\n{one}");
            last = Some(output);
            if serial % 20 == 0 {
                one = pods(8);
            } else {
                typing.edit(&mut one);
            }
        }
    }
    assert!(partial * 2 > asked, "{partial} of {asked} answers are made of those before");
}

#[test]
fn a_change_says_what_is_new_and_no_more() {
    let world = StaticWorld::at(0);
    let (before, after) = (pods(50), pods(50).replace("pod-20 ", "pod-20-new "));
    let mut session = Session::default();
    let whole = session.changes(&input("playground", &[SEVERAL], &[&before]), 1, 0, &world);
    assert_eq!((whole.since, whole.output.results.len()), (0, 50));
    let changes = session.changes(&input("playground", &[SEVERAL], &[&after]), 2, 1, &world);
    assert_eq!((changes.since, changes.head, changes.tail), (1, 20, 29));
    assert_eq!(changes.output.results.len(), 1);
    assert_eq!(
        (changes.units_added - changes.units_removed, changes.lines_added - changes.lines_removed),
        (4, 0)
    );
    // Whoever holds another answer, or asks of other policies, gets a whole one.
    assert_eq!(session.changes(&input("playground", &[SEVERAL], &[&before]), 3, 1, &world).since, 0);
    assert_eq!(session.changes(&input("playground", &[POLICY], &[&before]), 4, 3, &world).since, 0);
}

#[test]
fn nothing_is_kept_where_a_verdict_hangs_on_more_than_its_resource() {
    let world = StaticWorld::at(0);
    let timed = SEVERAL.replace("needs a team", "{{ time_now_utc() }}").replace("'?*'", "'!t1'");
    let mutates = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: m}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    mutate: {patchStrategicMerge: {metadata: {labels: {added: 'true'}}}}\n";
    let selects =
        SEVERAL.replace("kinds: [Pod, Deployment]", "kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}");
    for policy in [timed.as_str(), mutates, selects.as_str()] {
        let mut session = Session::default();
        session.changes(&input("playground", &[policy], &[&pods(5)]), 1, 0, &world);
        let other = pods(5).replace("pod-3", "pod-x");
        assert_eq!(session.changes(&input("playground", &[policy], &[&other]), 2, 1, &world).since, 0);
    }
}
