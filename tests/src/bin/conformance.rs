//! `conformance emit --suite S < cases.jsonl > answers.jsonl`, and `conformance check [FOLDER] [--show N] [--only NAME]`: without a folder all
//! recorded answers, those in the repository and those beside it. `conformance same PROGRAM` holds another build of the terminal client
//! against the one beside it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tests::both::{self, Held};
use tests::check::{self, Options};
use tests::emit;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["emit", "--suite", suite] if emit::SUITES.contains(suite) => answer_all(suite),
        ["check", rest @ ..] => match check_arguments(rest) {
            Some(options) => {
                let is_good = check::run(&options, |line| println!("{line}"));
                if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            }
            None => usage(),
        },
        ["same", program] => hold(Path::new(program)),
        _ => usage(),
    }
}

fn hold(other: &Path) -> ExitCode {
    match both::run(other) {
        Ok(Held { runs, differences }) => {
            for difference in &differences {
                println!("{difference}");
            }
            println!("{runs} runs by both, {} differ", differences.len());
            if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: conformance emit --suite {} < cases.jsonl", emit::SUITES.join("|"));
    eprintln!("       conformance check [FOLDER] [--show N] [--only SUITE]");
    eprintln!("       conformance same PROGRAM");
    ExitCode::from(2)
}

fn answer_all(suite: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
        let answer = engine::json::to_json(&emit::answer(suite, &line));
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

fn check_arguments(arguments: &[&str]) -> Option<Options> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match *argument {
            "--show" => options.show = rest.next()?.parse().ok()?,
            "--only" => (*rest.next()?).clone_into(&mut options.only),
            path if path.starts_with('-') => return None,
            path => options.folder = Some(PathBuf::from(path)),
        }
    }
    Some(options)
}
