//! `cargo run --release -p tests --bin bench [impact]`: what the engine's parts take, beside the floor.
//!
//! In: the pod-security policies of `shared/bench` with Pods made here, and the first recorded link. Out: a line for
//! each part with its median time and its ratio to the floor, which is the time to read the same YAML; then time and
//! memory of the program as a whole. Never a test: times differ from machine to machine.
#![expect(clippy::print_stdout, reason = "a command line tool")]

mod impact;
mod program;

use engine::apply::{Locations, Options, PolicyResult, Recording, apply_each};
use engine::load::{Host, Role, load};
use engine::world::StaticWorld;
use engine::yaml::{Options as YamlOptions, Source, SourceId};
use engine_lenses::wire::{Input, Text};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tests::recorded;

fn main() -> ExitCode {
    let Some(folder) = recorded::folder_or_skip("benchmarks") else { return ExitCode::SUCCESS };
    let policy_folder = folder.join("../bench/pod-security");
    if std::env::args().nth(1).as_deref() == Some("impact") {
        return said(impact::measure(&policy_folder));
    }
    println!("{:<44} {:>10} {:>8}", "part", "median", "floor x");
    if let Some(policies) = policies(&policy_folder) {
        for (count, rounds) in [(1, 200), (1_000, 11), (10_000, 5)] {
            batch(&policies, count, rounds);
        }
    }
    tests::throughput::pod_security(&pods, |line| println!("{line}"));
    // What could not be measured is said, and is not a success.
    let outcomes =
        [link(&folder), program::measure(&policy_folder, &folder), impact::measure(&policy_folder)];
    let codes = outcomes.map(said);
    codes.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS)
}

fn said(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The policy files of a folder, in the order of their names.
fn policies(folder: &Path) -> Option<Vec<Source>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let texts = paths.iter().filter_map(|path| Some(source(path.to_str()?, recorded::text(path).ok()?)));
    Some(texts.collect())
}

fn source(name: &str, text: String) -> Source {
    Source { id: SourceId(0), name: name.to_owned(), text: text.into() }
}

/// Pods of a mesh, one application container and one that sets up the network, some of them against some rule: the
/// shape of `shared/bench`, 0.64 kB each.
fn pods(count: usize) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for n in 0..count {
        let image =
            ["nginx:1.25", "docker.io/istio/proxyv2:1.20", "redis:7"].get(n % 3).copied().unwrap_or_default();
        let add = if n % 5 == 1 { "        add:\n        - NET_ADMIN\n" } else { "" };
        let _ = write!(
            out,
            "{}apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app: a{}\n  name: p{n}\n  namespace: ns{}\nspec:\n  \
             containers:\n  - image: {image}\n    name: c\n    ports:\n    - containerPort: 80\n    resources:\n      \
             limits:\n        cpu: 500m\n        memory: 256Mi\n    securityContext:\n      \
             allowPrivilegeEscalation: {}\n      capabilities:\n{add}        drop:\n        - ALL\n      \
             runAsNonRoot: {}\n      seccompProfile:\n        type: RuntimeDefault\n  initContainers:\n  - image: \
             docker.io/istio/proxyv2:1.20\n    name: istio-init\n    securityContext:\n      capabilities:\n        \
             add:\n        - NET_ADMIN\n        - NET_RAW\n      runAsUser: 0\n",
            if n == 0 { "" } else { "---\n" },
            n % 50,
            n % 20,
            n % 5 == 0,
            n % 7 != 0,
        );
    }
    out
}

/// The median of some rounds.
fn median<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..rounds.max(1))
        .map(|_| {
            let started = Instant::now();
            let made = work();
            let time = started.elapsed();
            drop(made);
            time
        })
        .collect();
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn describe(part: &str, time: Duration, floor: Duration) {
    let ratio = time.as_secs_f64() / floor.as_secs_f64().max(1e-9);
    let shown = if time < Duration::from_millis(10) {
        format!("{:.1} us", time.as_secs_f64() * 1e6)
    } else {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    };
    println!("{part:<44} {shown:>10} {ratio:>8.2}");
}

/// What is counted of a result.
type Count<'c> = &'c dyn Fn(&PolicyResult) -> usize;

fn batch(policies: &[Source], count: usize, rounds: usize) {
    let resources = source("pods.yaml", pods(count));
    let yaml = YamlOptions { max_bytes: usize::MAX, ..YamlOptions::default() };
    let floor = median(rounds, || engine::yaml::parse(&resources, &yaml));
    let title = |part: &str| format!("{part}, {} kB, {count} Pods", resources.text.len() / 1024);
    describe(&title("read YAML (the floor)"), floor, floor);
    let all = || {
        let policies = policies.iter().map(|source| (Role::Policies, source.clone()));
        policies.chain([(Role::Resources, resources.clone())]).collect::<Vec<_>>()
    };
    describe(&title("load with 20 rules"), median(rounds, || load(all(), Host::Cli)), floor);
    let (bundle, _) = load(all(), Host::Cli);
    let evaluated = |trace: Recording, count: Count<'_>| {
        let options = Options { host: Host::Cli, trace, places: Locations::Omit };
        let mut counted = 0;
        let world = StaticWorld::default();
        apply_each(&bundle, &world, &options, 0..bundle.resources.len(), |result| counted += count(&result));
        counted
    };
    let rules = |result: &PolicyResult| result.rules.len();
    let verdicts = evaluated(Recording::Off, &rules);
    let time = median(rounds, || evaluated(Recording::Off, &rules));
    describe(&title(&format!("apply, {verdicts} verdicts, one thread")), time, floor);
    // DESIGN: with its trace at most twice as long. Sentences are made when they are read: whoever reads all of them
    // pays for that too.
    let sentences = |result: &PolicyResult| {
        let steps = result.rules.iter().flat_map(|rule| &rule.steps).chain(&result.no_match);
        steps.map(|step| step.text().len()).sum()
    };
    let kinds: [(&str, Count<'_>); 2] =
        [("with a trace", &rules), ("with a trace, all of it read", &sentences)];
    for (what, count) in kinds {
        let traced = median(rounds, || evaluated(Recording::On, count));
        let ratio = traced.as_secs_f64() / time.as_secs_f64().max(1e-9);
        describe(&title(&format!("the same {what}, {ratio:.2} times that")), traced, floor);
    }
}

/// What lies between a key press and the verdict on the page: everything is read and decided anew.
fn link(folder: &Path) -> Result<(), String> {
    let links = recorded::text(&folder.join("links/links.txt"))?;
    let first = links.lines().next().unwrap_or("");
    let state = engine_lenses::share::decode(first).map_err(|error| error.to_string())?.state;
    let texts = |field: &str| {
        let text = state.get(field).unwrap_or("").to_owned();
        vec![Text { name: format!("{field}.yaml"), text }]
    };
    let input = Input {
        host: Some("playground".to_owned()),
        policies: texts("policy"),
        resources: texts("resource"),
        trace: true,
        ..Input::default()
    };
    let yaml = YamlOptions::default();
    let sources: Vec<Source> =
        ["policy", "resource"].map(|field| source(field, state.get(field).unwrap_or("").to_owned())).to_vec();
    let floor =
        median(500, || sources.iter().map(|source| engine::yaml::parse(source, &yaml)).collect::<Vec<_>>());
    describe("link 1: read YAML (the floor)", floor, floor);
    describe(
        "link 1: from texts to verdicts with reasons",
        median(500, || engine_lenses::run(&input, &engine::world::StaticWorld::default())),
        floor,
    );
    describe("link 1: open the link", median(500, || engine_lenses::share::decode(first)), floor);
    Ok(())
}
