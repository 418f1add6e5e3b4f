//! Requests that Kyverno's admission controller was asked about beside a real API server.
//!
//! In: policies as they were installed, requests, answers. Out: how many verdicts agree.

use super::{Given, code, comparable, decision, hold, items, values};
use crate::compare::{Difference, Tally};
use engine::apply::{self, Effect, Host, Locations, Options, Recording};
use engine::json::{Value, to_json};
use engine::load::{Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};

/// Holds a row.
pub fn check(row: &Value, tally: &mut Tally, differences: &mut Vec<Difference>) {
    let requests = || {
        let all = items(row, "requests").iter().enumerate();
        all.filter(|(_, request)| comparable(request, Given::Stored) && is_of_kyverno(request))
    };
    let said = |at: usize, is_denied: bool| {
        decision(format!("request {at}"), if is_denied { "denied" } else { "admitted" }, Value::from(""))
    };
    let wanted = requests().map(|(at, request)| said(at, code(answer(request)) >= 300));
    let decided = requests().map(|(at, request)| said(at, is_denied(row, request)));
    hold(row, wanted.collect(), decided.collect(), tally, differences);
}

fn answer(request: &Value) -> &Value {
    request.get("answer").unwrap_or(&Value::Null)
}

/// Whether it was let in, or refused by a webhook.
fn is_of_kyverno(request: &Value) -> bool {
    let answer = answer(request);
    code(answer) < 300 || answer.find_str(&["message"]).contains("denied the request")
}

fn is_denied(row: &Value, request: &Value) -> bool {
    let source = |text: String| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let mut sources = vec![(Role::Values, source(to_json(&values(row, "CREATE"))))];
    let policies = items(row, "policies").iter();
    sources.extend(policies.map(|policy| (Role::Policies, source(to_json(policy)))));
    let seen = request.get("seen").unwrap_or(&Value::Null);
    sources.push((Role::Resources, source(to_json(seen))));
    let (bundle, _) = load_with(sources, Host::Cluster, engine_celpolicy::WITH_STEPS);
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let outcome = apply::apply(&bundle, &StaticWorld::at(1_795_132_800_000_000_000), &options);
    outcome.results.iter().any(|result| apply::effect(&bundle, result) == Effect::Deny)
}
