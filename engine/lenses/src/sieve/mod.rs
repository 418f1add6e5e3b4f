//! How narrow an exemption is: who else gets in through it, and the change that blocks them.
//!
//! In: a [`wire::SieveInput`]. Out: a [`wire::SieveOutput`]. Every exemption of the texts is attacked: Pods are made that it
//! should not let in, and evaluated by the real engine with it and without it. Whoever is admitted with it and refused
//! without it is listed, beside the change that refuses him and leaves the legitimate Pods in; both have been run.
//!
//! Reading order: `found`, `find`, `runner`, `legit`, `families`, `tighten`, `check`, then `funnel`, `narrow` and `other_forms`.

mod cel;
mod check;
mod diff;
mod edit;
mod families;
mod find;
mod found;
mod funnel;
mod images;
mod legit;
mod meant;
mod narrow;
mod other_forms;
mod pod;
mod risky_fields;
mod registries;
mod runner;
mod strange;
mod sibling;
#[cfg(test)]
mod tests;
mod textual;
mod tighten;

use crate::run::{self, Positions};
use crate::wire;
use engine::diag::{Code, Diagnostic};
use engine::load;
use engine::world::World;
use engine_json::Value;
use registries::Lonely;
use runner::TrialRunner;

/// Answers what is asked.
pub fn run(input: &wire::SieveInput, world: &dyn World) -> wire::SieveOutput {
    let host = run::host(&input.input);
    let (bundle, mut diagnostics) =
        load::load_with(run::sources(&input.input), run::followed(&input.input), world.extension());
    let configuration = configuration(input, &mut diagnostics);
    let positions = Positions::new(&bundle);
    let runner = TrialRunner::new(&bundle, host, &configuration, world);
    let mut output = wire::SieveOutput { version: run::version(), ..wire::SieveOutput::default() };
    let runner = input.level.as_deref().and_then(|level| with_level(&runner, level)).unwrap_or(runner);
    let texts = check::Texts { bundle: &bundle, positions: &positions, lonely: Lonely::of(&bundle) };
    let ask = input.ask.as_deref().unwrap_or("check");
    ask.clone_into(&mut output.ask);
    match ask {
        "funnel" => output.funnels = funnel::all(&runner, &texts),
        "narrow" => output.narrowest = narrow::all(&runner, input, &texts),
        "check" => {
            let not_meant = meant::not_meant(input, &bundle);
            output.exemptions = check::all(&runner, &texts, &not_meant, &mut diagnostics);
            diagnostics.extend(meant::unknown(input, &bundle));
        }
        other => {
            let message = format!("`{other}` is nothing to ask: it is `check`, `funnel` or `narrow`");
            diagnostics.push(Diagnostic::error(Code::WrongType, None, message));
        }
    }
    output.tried = runner.trials();
    if runner.budget_spent() {
        let message = format!("only {} Pods were evaluated; the rest was not tried", runner::MAX_TRIALS);
        diagnostics.push(Diagnostic::warning(Code::Limit, None, message));
    }
    output.diagnostics = diagnostics.into_iter().map(|said| run::diagnostic(said, &positions)).collect();
    output.complete = run::is_complete(&output.diagnostics);
    output
}

/// The runner with a policy more that asks for a level of the Pod Security Standards.
fn with_level<'w>(runner: &TrialRunner<'w>, level: &str) -> Option<TrialRunner<'w>> {
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: pod-security}}\nspec:\n  rules:\n  \
         - name: {level}\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    \
         validate: {{failureAction: Enforce, podSecurity: {{level: {level}, version: latest}}}}\n"
    );
    let value = engine_yaml::parse_one(&policy).ok()?;
    runner.with_new(load::Role::Policies, &value).map(|(runner, _)| runner)
}

/// The configuration of the admission; null where there is none, or where it cannot be read.
fn configuration(input: &wire::SieveInput, diagnostics: &mut Vec<Diagnostic>) -> Value {
    let Some(text) = input.admission_config.first() else { return Value::Null };
    if let Err(why) = crate::psa::read_config(&text.text) {
        let message = format!("the admission configuration is refused: {why}");
        diagnostics.push(Diagnostic::error(Code::Refused, None, message));
        return Value::Null;
    }
    engine_yaml::parse_one(&text.text).unwrap_or_default()
}
