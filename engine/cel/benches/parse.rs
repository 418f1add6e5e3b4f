//! How long reading an expression takes, and reading and checking it: prints nanoseconds for each expression, from the shared
//! folder where it lies beside the repository.
//!
//! `cargo bench -p engine-cel --bench parse`; behind `--` a part of the expressions that are wanted, and `--beside FILE` with
//! the times that others take to read and check, which prints how many times as long that is.
#![expect(clippy::print_stdout, reason = "a benchmark measures and prints")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what is measured is known to work")]

mod common;

use common::{SYNTAX, arguments, environment, expressions, mean, nanoseconds};
use engine_cel::check::check;
use engine_cel::syntax::parse;
use std::hint::black_box;

fn main() {
    let (wanted, beside) = arguments();
    let env = environment();
    let sources = expressions(&wanted);
    let read = nanoseconds(sources.len(), 50, |at| drop(black_box(parse(black_box(&sources[at]), &SYNTAX))));
    let checked = nanoseconds(sources.len(), 50, |at| {
        let tree = parse(black_box(&sources[at]), &SYNTAX).unwrap();
        drop(black_box(check(&tree, &env)));
    });
    for ((source, read), checked) in sources.iter().zip(&read).zip(&checked) {
        println!("{read:>7.0} ns  checked {checked:>7.0} ns{}  {source}", beside.ratios(source, *checked));
    }
    println!("{:>7.0} ns  checked {:>7.0} ns  geometric mean", mean(&read), mean(&checked));
    beside.print(&sources, &checked);
}
