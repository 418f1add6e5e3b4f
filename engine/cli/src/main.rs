//! `podsieve`: Kyverno's verdicts in a terminal, without a cluster.
//!
//! In: arguments, files, standard input. Out: on standard output what the original prints, byte for byte; on
//! standard error everything we add: diagnostics with lines, warnings, progress. The exit code is the original's.
//!
//! ```text
//! podsieve apply policy.yaml -r pod.yaml
//! ```

mod args;
mod clock;
mod commands;
mod exit;
mod files;
mod parallel;
mod print;
mod report;
mod terminal;
mod timeout;
mod world;

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // WASI opens all paths below `/`, and its host says which folder the run is in; where that is not there, no path is found.
    #[cfg(target_os = "wasi")]
    drop(std::env::var_os("PWD").map(std::env::set_current_dir));
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error, std::env::args_os()),
    };
    let is_compare = matches!(cli.command, args::Command::Compare(_));
    if let Err(failure) = timeout::begin(cli.timeout.as_deref(), is_compare) {
        return exit::of_argument(failure, is_compare);
    }
    let outcome = match cli.command {
        args::Command::Apply(apply) => commands::apply::run(&apply),
        args::Command::Ask(ask) => commands::ask::run(&ask),
        args::Command::Bundle(bundle) => commands::bundle::run(&bundle),
        args::Command::Cleanup(cleanup) => commands::cleanup::run(&cleanup),
        args::Command::Cel(cel) => commands::cel::run(&cel),
        args::Command::Check(check) => commands::check::run(&check),
        args::Command::Compare(compare) => commands::compare::run(&compare),
        args::Command::Convert(convert) => commands::convert::run(&convert),
        args::Command::Legacy(legacy) => commands::legacy::run(&legacy),
        args::Command::Fix(fix) => commands::test::fix::run(&fix),
        args::Command::Impact(impact) => commands::impact::run(&impact),
        args::Command::Jp(jp) => commands::jp::run(&jp),
        args::Command::Completion(completion) => commands::completion::run(&completion),
        args::Command::Create(create) => commands::create::run(&create),
        args::Command::Explain(explain) => commands::explain::run(&explain),
        args::Command::Mcp(mcp) => commands::mcp::run(&mcp),
        args::Command::Mesh(mesh) => commands::mesh::run(&mesh),
        args::Command::Psa(psa) => commands::psa::run(&psa),
        args::Command::Psp(psp) => commands::psp::run(&psp),
        args::Command::Serve(serve) => commands::serve::run(&serve),
        args::Command::Sieve(sieve) => commands::sieve::run(&sieve),
        args::Command::Share(share) => commands::share::run(&share),
        args::Command::Test(test) => commands::test::run(&test),
        args::Command::Version => commands::version::run(),
    };
    exit::of(outcome)
}
