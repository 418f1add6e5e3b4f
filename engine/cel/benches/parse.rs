//! How long reading an expression takes: prints nanoseconds for each expression, from the shared folder where it lies beside
//! the repository.
//!
//! `cargo bench -p engine-cel --bench parse`
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and prints")]

use engine_cel::syntax::{BINDINGS, LISTS, MATH, OPTIONAL, Options, PROTOS, STANDARD, TWO_VARIABLES, parse};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const OPTIONS: Options<'static> = Options {
    macros: &[STANDARD, OPTIONAL, TWO_VARIABLES, BINDINGS, MATH, LISTS, PROTOS],
    optional_syntax: true,
};

const EXPRESSIONS: &str = "object.metadata.labels.app == 'web'
object.spec.containers.all(c, has(c.resources) && c.resources.limits.memory != '')
object.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(d, d == 'ALL'))
'container ' + object.spec.containers[0].name + ' of ' + object.metadata.namespace";

fn main() {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("shared/bench/cel-expressions.txt"));
    let text = files.find_map(|file| std::fs::read_to_string(file).ok());
    let text = text.as_deref().unwrap_or(EXPRESSIONS);
    let mut logs = Vec::new();
    for source in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let time = nanoseconds(|| drop(black_box(parse(black_box(source), &OPTIONS))));
        println!("{time:>7.0} ns  {source}");
        logs.push(time.ln());
    }
    println!("{:>7.0} ns  geometric mean", (logs.iter().sum::<f64>() / logs.len() as f64).exp());
}

/// The shortest mean of nine rounds.
fn nanoseconds(run: impl Fn()) -> f64 {
    let rounds = (0..9).map(|_| {
        let start = Instant::now();
        (0..2_000).for_each(|_| run());
        start.elapsed().as_nanos() as f64 / 2_000.0
    });
    rounds.fold(f64::INFINITY, f64::min)
}
