//! `cargo xtask …`: builds the page and the npm package, serves, measures and tests them.
//!
//! In: a command and its options. Out: `www/dist`, `engine/wasm/npm/dist`, one printed line a step; exit code 1 and
//! an advice where a step fails. Example: `cargo xtask play --port 8081`.

mod bench;
mod browser;
mod choices;
mod clock;
mod day;
mod dist;
mod eyes;
#[cfg(test)]
mod features;
mod help;
mod kubernetes;
mod licenses;
mod lock;
mod node;
mod npm_package;
mod packages;
mod policy;
mod project;
mod release;
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
        line(help::all());
        return Ok(());
    };
    if help::is_asked(arguments) {
        let about = if help::is_asked(std::slice::from_ref(command)) { rest.first() } else { Some(command) };
        line(about.map_or_else(help::all, |command| help::of(command)));
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
        "policy" => {
            let options = Options::read(rest, &["--fast"])?;
            policy::build(&project, options.fast).map(drop)
        }
        "test" => test::run(&project, rest),
        "dist" => dist::run(&project, rest),
        "release" => release::run(&project, rest),
        "size" => size::print(&project),
        "bench" => bench::run(&project, rest),
        "shots" => eyes::shots(&project, rest),
        "strangers" => eyes::strangers(&project, rest),
        "lighthouse" => eyes::lighthouse(&project, rest),
        other => Err(Failure::new(format!("there is no command `{other}`"), help::all())),
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
                return Err(Failure::new(format!("there is no option `{argument}` here"), help::all()));
            }
            match name {
                "--port" => {
                    let value = attached.or_else(|| rest.next().cloned()).unwrap_or_default();
                    options.port = value.parse().map_err(|_| {
                        Failure::new(
                            format!("`{value}` is not a port"),
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
