//! A session answers as a run of its own does, whatever came before.

use engine::run::Session;
use engine::wire::{Input, Text};
use engine::world::StaticWorld;

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
        let fresh = format!("{:?}", engine::run(&step, &world));
        let kept = format!("{:?}", session.run(&step, &world));
        assert_eq!(kept, fresh);
        verdicts.insert(fresh);
    }
    assert!(verdicts.len() > 8, "the steps are to differ: {}", verdicts.len());
}
