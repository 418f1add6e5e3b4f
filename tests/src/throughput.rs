//! How many Pods a second pod security evaluates, native and in WebAssembly, by level.
//!
//! In: Pods made here. Out: a line for each way: the checks alone, Kyverno's rule over loaded Pods, and from texts to the
//! whole table. WebAssembly is measured in Node where it and the built package are there. Never a test.

use engine::apply::{Locations, Options, Recording, apply_each};
use engine::load::{Host, Role, load};
use engine::podsecurity::{Level, Version, evaluate, pod_of};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_lenses::wire::{PsaInput, Text};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// How many Pods are evaluated in one round.
const PODS: usize = 2_000;
/// The best of so many rounds counts.
const ROUNDS: usize = 7;

/// Measures, and says each line.
pub fn pod_security(pods: &dyn Fn(usize) -> String, mut describe: impl FnMut(&str)) {
    let text = pods(PODS);
    describe(&format!("{:<60} {:>12}", "pod security, one thread", "Pods/s"));
    let mut line = |what: &str, work: &mut dyn FnMut() -> usize| {
        let best = (0..ROUNDS).map(|_| per_second(work)).fold(0.0, f64::max);
        describe(&format!("{what:<60} {best:>12.0}"));
    };
    let source =
        |name: &str, text: &str| Source { id: SourceId(0), name: name.to_owned(), text: text.into() };
    let (bundle, _) = load(vec![(Role::Resources, source("pods.yaml", &text))], Host::Cli);
    for level in [Level::Baseline, Level::Restricted] {
        line(&format!("native: the checks of {level}"), &mut || {
            let pods = bundle.resources.iter().filter_map(|resource| pod_of(&resource.typed));
            pods.filter(|pod| !evaluate(level, Version::Latest, pod).is_empty()).count()
        });
        let sources = vec![
            (Role::Policies, source("policy.yaml", &policy(level))),
            (Role::Resources, source("pods.yaml", &text)),
        ];
        let (with_policy, _) = load(sources, Host::Cli);
        let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
        line(&format!("native: a podSecurity rule of {level}"), &mut || {
            let mut evaluated = 0;
            apply_each(&with_policy, &StaticWorld::default(), &options, 0..PODS, |result| {
                evaluated += result.rules.len();
            });
            evaluated
        });
    }
    let input = PsaInput {
        resources: vec![Text { name: "pods.yaml".to_owned(), text: text.clone() }],
        ..PsaInput::default()
    };
    line("native: psa, from text to the table of both levels", &mut || {
        engine_lenses::psa::run(&input).objects.len()
    });
    match wasm(&text) {
        Ok(lines) => lines.lines().for_each(&mut describe),
        Err(why) => describe(&format!("WebAssembly is not measured: {why}")),
    }
}

fn per_second(work: &mut dyn FnMut() -> usize) -> f64 {
    let started = Instant::now();
    let evaluated = work();
    let seconds = started.elapsed().as_secs_f64().max(1e-9);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let evaluated = evaluated as f64;
    evaluated / seconds
}

/// A rule with that level, as Kyverno's.
pub fn policy(level: Level) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: pss\nspec:\n  rules:\n  - name: {level}\n    match:\n      \
         any:\n      - resources:\n          kinds: [Pod]\n    validate:\n      podSecurity:\n        level: {level}\n        version: latest\n"
    )
}

/// The same in Node, over the built package.
fn wasm(text: &str) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !root.join("engine/wasm/npm/dist/node.js").is_file() {
        return Err("there is no package in engine/wasm/npm/dist: `cargo xtask build` makes it".to_owned());
    }
    let scratch = crate::program::Scratch::new().map_err(|error| error.to_string())?;
    let files = [
        ("pods.yaml", text.to_owned()),
        ("baseline.yaml", policy(Level::Baseline)),
        ("restricted.yaml", policy(Level::Restricted)),
    ];
    for (name, text) in files {
        scratch.write(name, &text).map_err(|error| error.to_string())?;
    }
    let script = root.join("tests/npm/throughput.mjs");
    let run = Command::new("node").arg(script).arg(scratch.path()).output();
    let output = run.map_err(|error| format!("node: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
