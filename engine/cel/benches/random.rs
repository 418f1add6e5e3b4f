//! Random expressions without end: nothing may panic, hang or overflow 300 kB of stack.
//!
//! `cargo bench -p engine-cel --bench random -- SEED COUNT`; without numbers, 100,000 expressions.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and prints")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what fails, fails loudly"
)]

#[path = "../tests/all/generate/mod.rs"]
mod generate;

use engine_cel::error::Kind;
use engine_cel::report::render;
use engine_cel::syntax::{parse, print};
use generate::{
    Random, SYNTAX, bindings, document, environment, evaluate, mutated, nodes, program, well_typed,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a wasm module in a browser's worker has at least.
const STACK: usize = 300 << 10;

#[derive(Debug, Default)]
struct Counts {
    read: u64,
    checked: u64,
    programs: u64,
    values: u64,
    /// Well typed expressions that did not check, or lacked an overload.
    ill: u64,
    /// Printed texts that are not read as the same tree.
    printed_otherwise: u64,
    slowest: Duration,
    slowest_text: String,
}

fn main() {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse::<u64>().ok());
    let (seed, count) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(100_000));
    let run = move || {
        let start = Instant::now();
        let counts = run(seed, count);
        println!("{count} expressions of seed {seed} in {:.0} s: {counts:#?}", start.elapsed().as_secs_f64());
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

fn run(seed: u64, count: u64) -> Counts {
    let (env, document) = (environment(), document());
    let bindings = bindings(&document);
    let mut random = Random::new(seed);
    let mut counts = Counts::default();
    for number in 0..count {
        let is_typed = number % 4 == 0;
        let depth = 1 + random.below(5);
        let source = if is_typed { well_typed(&mut random, depth) } else { mutated(&mut random) };
        let start = Instant::now();
        let is_fine = one(&source, is_typed, &env, &bindings, &mut counts);
        if !is_fine {
            counts.ill += 1;
            println!("not found by the checker: {source}");
        }
        let time = start.elapsed();
        if time > counts.slowest {
            counts.slowest = time;
            counts.slowest_text = source;
        }
    }
    counts
}

/// Reads, prints, checks and evaluates; whether an expression that is well typed was found to be so.
fn one(
    source: &str,
    is_typed: bool,
    env: &engine_cel::env::Env,
    bindings: &[engine_cel::eval::Binding<'_>],
    counts: &mut Counts,
) -> bool {
    let tree = match parse(source, &SYNTAX) {
        Ok(tree) => tree,
        Err(issues) => {
            black_box(render(source, &issues));
            return !is_typed;
        }
    };
    counts.read += 1;
    let text = print(&tree, &SYNTAX);
    if !parse(&text, &SYNTAX).is_ok_and(|again| nodes(&again) == nodes(&tree)) {
        counts.printed_otherwise += 1;
        println!("printed otherwise: {source}");
    }
    let checked = engine_cel::check::check(&tree, env);
    if !checked.issues.is_empty() {
        black_box(render(source, &checked.issues));
        return !is_typed;
    }
    counts.checked += 1;
    let Some(program) = program(&tree, &checked, env) else { return true };
    counts.programs += 1;
    match evaluate(&program, bindings).outcome {
        Ok(value) => {
            counts.values += 1;
            black_box(value.to_json());
            true
        }
        Err(error) => {
            black_box(error.to_string());
            !is_typed
                || !matches!(error.kind, Kind::NoOverload | Kind::NoOperation(_) | Kind::NoOverloadOf { .. })
        }
    }
}
