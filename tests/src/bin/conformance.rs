//! `conformance emit --suite S < cases.jsonl > answers.jsonl`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::io::{BufRead, Write};

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["emit", "--suite", suite] if tests::emit::SUITES.contains(suite) => {
            let mut out = std::io::stdout().lock();
            for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
                let answer = engine::json::to_json(&tests::emit::answer(suite, &line));
                if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
                    break;
                }
            }
            std::process::ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: conformance emit --suite {} < cases.jsonl", tests::emit::SUITES.join("|"));
            std::process::ExitCode::from(2)
        }
    }
}
