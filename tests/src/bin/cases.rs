//! `cargo run -p tests --bin cases -- 1000`: generated cases with the engine's answers, for other builds of the engine.
//!
//! In: how many. Out: a line of JSON for each case: `input`, as the npm package takes it, and `output`, the text that the
//! engine writes here. `tests/npm/same.test.mjs` holds the module of the npm package against them.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use engine::world::StaticWorld;
use std::process::ExitCode;
use tests::generated::Generator;
use tests::random::Choices;

fn main() -> ExitCode {
    let count: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000);
    let generator = Generator::default();
    for seed in 0..count {
        let input = generator.case(&mut Choices::new(seed));
        let output = serde_json::to_string(&engine::run(&input, &StaticWorld::default()));
        let line = output.and_then(|output| serde_json::to_string(&(input, output)));
        match line {
            Ok(line) => println!("{line}"),
            Err(error) => {
                println!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
