//! `cargo xtask …`: builds the page and the npm package, serves, measures and tests them.
//!
//! In: a command and its options. Out: `www/dist`, `engine/wasm/npm/dist`, one printed line a step; exit code 1 and
//! an advice where a step fails. Example: `cargo xtask play --port 8081`.

mod bench;
mod browser;
mod choices;
mod eyes;
mod kubernetes;
mod licenses;
mod lock;
mod node;
mod npm_package;
mod packages;
mod project;
mod say;
mod serve;
mod site;
mod size;
mod tail;
mod test;
mod wasm;
mod wasm_opt;

use std::process::ExitCode;

use project::Project;
use say::{Done, Failure, line};

/// `GROUPS` stands for the names that `test` knows.
const HELP: &str = "\
cargo xtask play [--port N] [--fast]  build the page and serve it on http://127.0.0.1:8080
cargo xtask build [--fast]            build the page into www/dist and the npm package into engine/wasm/npm/dist
cargo xtask test [GROUP…]             run all tests, or some groups of them (see below)
cargo xtask size                      sizes of every file that a visitor loads, against the budgets
cargo xtask shots [STATE]             pictures of the page in its states, into target/shots
cargo xtask lighthouse [mobile]       the median of five runs of Lighthouse, where that is installed
cargo xtask strangers [COUNT [FIRST]] opens hostile links, 200 or so many, and measures what they do to the page
cargo xtask bench                     link to verdict and key press to verdict in headless Chromium

--fast leaves out wasm-opt: larger modules, a slightly quicker build.
Groups of `test`: GROUPS.
Everything that is missing (the wasm target, npm packages at the versions of the lock files) is fetched by itself.";

fn help() -> String {
    HELP.replace("GROUPS", &test::names())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Done {
    let Some((command, rest)) = arguments.split_first() else {
        line(help());
        return Ok(());
    };
    if ["help", "--help", "-h"].contains(&command.as_str()) {
        line(help());
        return Ok(());
    }
    let project = Project::find()?;
    match command.as_str() {
        "play" => {
            let options = Options::read(rest, &["--port", "--fast"])?;
            // The port first: nobody wants to wait for a build and then learn that the port is taken.
            let listener = serve::bind(options.port)?;
            let dist = site::build(&project, options.fast)?;
            serve::announce(&listener)?;
            serve::forever(&listener, dist);
            Ok(())
        }
        "build" => {
            let options = Options::read(rest, &["--fast"])?;
            site::build(&project, options.fast)?;
            npm_package::build(&project, options.fast).map(drop)
        }
        "test" => test::run(&project, rest),
        "size" => size::print(&project),
        "bench" => bench::run(&project, rest),
        "shots" => eyes::shots(&project, rest),
        "strangers" => eyes::strangers(&project, rest),
        "lighthouse" => eyes::lighthouse(&project, rest),
        other => Err(Failure::new(format!("there is no command `{other}`"), help())),
    }
}

/// What may follow a command.
struct Options {
    port: u16,
    fast: bool,
}

impl Options {
    fn read(arguments: &[String], known: &[&str]) -> Done<Self> {
        let mut options = Self { port: 8080, fast: false };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, attached) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            if !known.contains(&name) {
                return Err(Failure::new(format!("there is no option `{argument}` here"), help()));
            }
            match name {
                "--port" => {
                    let value = attached.or_else(|| rest.next().cloned()).unwrap_or_default();
                    options.port = value.parse().map_err(|_| {
                        Failure::new(
                            format!("`{value}` is no port"),
                            "give a number from 1 to 65535, as in --port 8081",
                        )
                    })?;
                }
                _ => options.fast = true,
            }
        }
        Ok(options)
    }
}
