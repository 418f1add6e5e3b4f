//! What a court that may judge no more says of exemptions.

use super::court::Court;
use super::{check, run};
use crate::load::{Host, load};
use crate::run::Positions;
use crate::wire::{Input, SieveInput, Text};
use crate::world::StaticWorld;
use engine_json::Value;

const POLICY: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    exclude: {any: [{resources: {names: [istio-*]}}]}
    validate: {podSecurity: {level: baseline, version: latest}}
";

fn input(policies: &str, exceptions: &str) -> SieveInput {
    let text = |text: &str| vec![Text { name: "text.yaml".to_owned(), text: text.to_owned() }];
    let input = Input { policies: text(policies), exceptions: text(exceptions), ..Input::default() };
    SieveInput { input, ..SieveInput::default() }
}

#[test]
fn an_exemption_that_there_was_no_time_for_is_neither_narrow_nor_idle() {
    let (bundle, _) = load(crate::run::sources(&input(POLICY, "").input), Host::Cli);
    let (world, positions) = (StaticWorld::default(), Positions::new(&bundle));
    let texts = check::Texts { bundle: &bundle, positions: &positions };
    let court = || Court::new(&bundle, Host::Cli, &Value::Null, &world);
    let status = |court: Court<'_>| check::all(&court, &texts, &mut Vec::new())[0].status.clone();
    assert_eq!((status(court()), status(court().tired())), ("wide".to_owned(), "untried".to_owned()));
}

#[test]
fn exemptions_that_are_not_looked_at_are_counted() {
    let exception = |n: usize| {
        format!(
            "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: e{n}, namespace: a}}\nspec:\n  exceptions: \
             [{{policyName: absent, ruleNames: [r]}}]\n  match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n---\n"
        )
    };
    let output = run(&input("", &(0..301).map(exception).collect::<String>()), &StaticWorld::default());
    let said: Vec<&str> = output.diagnostics.iter().map(|said| said.message.as_str()).collect();
    let words = "only the first 300 of 301 exemptions are tried and told: split the texts";
    assert!(output.exemptions.len() == 300 && said.contains(&words), "{said:?}");
}
