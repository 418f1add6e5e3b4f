//! What holds for every policy and every resource, tried on generated ones.
//!
//! In: `CASES=1000000 cargo test --release -p tests --test all property::` for a long run, 2,000 cases otherwise. Out: how many
//! cases were tried, how long it took and what came of them; or the smallest case found on which something does not hold.
//! `tests/npm/same.test.mjs` asks WebAssembly for the same answers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test fail as the test does")]

use engine::apply::{Locations, Options, Outcome, Recording, apply, apply_to_each, is_independent};
use engine::json::{Map, Value, parse, to_json};
use engine::load::{Host, Role, load};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_lenses::wire::{Input, Text};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tests::generated::Generator;
use tests::random::{Choices, shrunk};
use tests::recorded::say;

/// What one case may take, in a build without optimization on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// Where the numbers begin.
const SEED: u64 = 20_261_122_000_000;

fn cases() -> usize {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

fn case(generator: &Generator, numbers: &[u64]) -> (Input, Choices) {
    let mut choices = Choices::again(numbers);
    (generator.case(&mut choices), choices)
}

/// Tries a property on so many cases on all cores. Where it says why it does not hold, or panics, the case is made
/// smaller and shown.
fn holds(name: &str, count: usize, property: impl Fn(&Input, &mut Choices) -> Result<(), String> + Sync) {
    let generator = Generator::default();
    let verdict = |input: &Input, choices: &mut Choices| {
        let started = Instant::now();
        let answered = catch_unwind(AssertUnwindSafe(|| property(input, choices)));
        let words = |panic: Box<dyn std::any::Any + Send>| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        };
        answered.unwrap_or_else(|panic| Err(format!("panic: {}", words(panic))))?;
        if started.elapsed() < LONG { Ok(()) } else { Err(format!("took {:?}", started.elapsed())) }
    };
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return None;
            }
            let mut choices = Choices::new(SEED + at as u64);
            let input = generator.case(&mut choices);
            if verdict(&input, &mut choices).is_err() {
                next.store(count, Ordering::Relaxed);
                return Some(choices.taken);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().find_map(|thread| thread.join().unwrap())
    });
    let Some(numbers) = failed else {
        say(&format!("{name}: {count} cases in {:.1} s", started.elapsed().as_secs_f64()));
        return;
    };
    let fails = |numbers: &[u64]| {
        let (input, mut choices) = case(&generator, numbers);
        verdict(&input, &mut choices).is_err()
    };
    let (input, mut choices) = case(&generator, &shrunk(&numbers, fails));
    let why = verdict(&input, &mut choices).err().unwrap_or_default();
    panic!("{name} does not hold: {why}\n{}", serde_json::to_string_pretty(&input).unwrap());
}

#[test]
fn no_case_panics_and_every_verdict_occurs() {
    let counts: [AtomicUsize; 6] = Default::default();
    holds("an answer without a panic", cases(), |input, _| {
        let output = engine_lenses::run(input, &StaticWorld::default());
        let described = output.counts;
        let with = [
            described.pass,
            described.fail,
            described.error,
            described.skip,
            u32::try_from(output.refused.len()).unwrap(),
        ];
        let patched = output.results.iter().any(|result| result.patched.is_some());
        for (count, is_there) in counts.iter().zip(with.map(|count| count > 0).into_iter().chain([patched])) {
            count.fetch_add(usize::from(is_there), Ordering::Relaxed);
        }
        Ok(())
    });
    let names = ["pass", "fail", "error", "skip", "refused", "patched"];
    let shares: Vec<usize> =
        counts.iter().map(|count| 100 * count.load(Ordering::Relaxed) / cases()).collect();
    let described: Vec<String> =
        names.iter().zip(&shares).map(|(name, share)| format!("{name} {share} %")).collect();
    say(&format!("cases with: {}", described.join(", ")));
    // A generator whose policies match nothing would prove nothing.
    assert!(shares.iter().all(|share| *share >= 3), "{described:?}");
}

/// Results and diagnostics without the number of the text that a resource came in, sorted.
fn regardless_of_order(input: &Input) -> Vec<String> {
    let output = serde_json::to_string(&engine_lenses::run(input, &StaticWorld::default())).unwrap();
    let output = without_index(&parse(&output).unwrap());
    let of = |key: &str| output.get(key).and_then(Value::as_array).unwrap_or_default().iter().map(to_json);
    let mut all: Vec<String> = of("results").chain(of("diagnostics")).collect();
    all.sort();
    all.push(to_json(output.get("counts").unwrap()));
    all
}

fn without_index(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_place =
                matches!(map.get("input").and_then(Value::as_str), Some("resources" | "oldResources"));
            let kept = map.iter().filter(|(key, _)| !(is_place && *key == "index"));
            Value::object(kept.map(|(key, value)| (key.clone(), without_index(value))).collect::<Map>())
        }
        Value::Array(list) => Value::array(list.iter().map(without_index).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn the_order_of_resources_does_not_matter() {
    holds("the same in any order", cases() / 4, |input, choices| {
        let other = Input {
            resources: choices.shuffled(&input.resources),
            old_resources: choices.shuffled(&input.old_resources),
            ..input.clone()
        };
        let [one, two] = [input, &other].map(regardless_of_order);
        if one == two {
            Ok(())
        } else {
            Err(format!("{one:#?}\nin the order {:?}:\n{two:#?}", names(&other)))
        }
    });
}

fn names(input: &Input) -> Vec<&str> {
    input.resources.iter().map(|text| text.name.as_str()).collect()
}

/// Read and forgotten one by one, as the terminal client reads large files.
#[test]
fn resources_are_judged_alone_as_they_are_among_others() {
    let apart = AtomicUsize::new(0);
    holds("the same alone", cases() / 4, |input, _| {
        let roles = [
            (Role::Policies, &input.policies),
            (Role::Resources, &input.resources),
            (Role::OldResources, &input.old_resources),
            (Role::Exceptions, &input.exceptions),
            (Role::Values, &input.values),
        ];
        let source = |text: &Text| Source {
            id: SourceId(0),
            name: text.name.clone(),
            text: text.text.as_str().into(),
        };
        let sources = roles.iter().flat_map(|(role, texts)| texts.iter().map(|text| (*role, source(text))));
        let (whole, _) = load(sources.collect(), Host::Cli);
        let mut shell = whole.clone();
        shell.resources.clear();
        if !is_independent(&shell) {
            return Ok(());
        }
        apart.fetch_add(1, Ordering::Relaxed);
        let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
        let world = StaticWorld::default();
        let among = apply(&whole, &world, &options);
        let mut alone = Outcome::default();
        for (at, resource) in whole.resources.iter().enumerate() {
            let evaluated = std::slice::from_ref(resource);
            apply_to_each(&shell, evaluated, &world, &options, |mut result| {
                result.resource = at;
                alone.results.push(result);
            });
        }
        let [among, alone] = [among, alone].map(|outcome| format!("{:#?}", outcome.results));
        if among == alone { Ok(()) } else { Err(format!("{among}\nalone:\n{alone}")) }
    });
    assert!(apart.load(Ordering::Relaxed) > cases() / 20);
}

#[test]
fn a_failing_case_becomes_small() {
    let generator = Generator::default();
    let has = |numbers: &[u64]| {
        case(&generator, numbers).0.policies.iter().any(|text| text.text.contains("podSecurity"))
    };
    let found = (0..1_000).map(|seed| {
        let mut choices = Choices::new(seed);
        generator.case(&mut choices);
        choices.taken
    });
    let numbers = found.into_iter().find(|numbers| has(numbers)).unwrap();
    let small = shrunk(&numbers, has);
    assert!(has(&small) && small.len() * 2 < numbers.len(), "{} of {}", small.len(), numbers.len());
}
