//! All tests in their order, or some groups: formatting, lints, Rust tests, recorded answers, packages, npm package, browser, size.
//!
//! In: group names (none: all). Out: one line a group at the end, with its time; failure if one failed. A group goes on after
//! another has failed, so that one run says everything. What two groups need is built once.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::{self, Browser};
use crate::clock::Clock;
use crate::project::{Project, run_loud};
use crate::say::{Done, Failure, line, loud_step};
use crate::{dist, node, npm_package, packages, site, size, tail, wasm};

type Group = (&'static str, fn(&Run<'_>) -> Done<Outcome>);

/// What became of a group.
enum Outcome {
    Passed,
    Skipped(String),
}

/// A run of the tests, and what it has built so far.
struct Run<'a> {
    project: &'a Project,
    site: OnceCell<PathBuf>,
    npm: OnceCell<PathBuf>,
}

impl Run<'_> {
    /// The page.
    fn site(&self) -> Done<&Path> {
        kept(&self.site, || site::build(self.project, false))
    }

    /// The npm package, and the policy for Kubewarden.
    fn npm(&self) -> Done<&Path> {
        kept(&self.npm, || npm_package::build(self.project, false))
    }

    /// The terminal client and the program that holds it against the recorded answers, as the tests have them: features are those that
    /// the whole workspace asks for, so that nothing is compiled a second time.
    fn programs(&self) -> Done {
        let mut cargo = self.project.cargo();
        cargo.args(["build", "--quiet", "--workspace", "--bin", "podsieve", "--bin", "conformance"]);
        run_loud(&mut cargo, "the lines above name the place")
    }
}

/// What was built, or is built now; a build that fails is tried again by the next group, which then says so too.
fn kept(built: &OnceCell<PathBuf>, build: impl FnOnce() -> Done<PathBuf>) -> Done<&Path> {
    if let Some(path) = built.get() {
        return Ok(path);
    }
    let path = build()?;
    Ok(built.get_or_init(|| path))
}

const GROUPS: [Group; 8] = [
    ("format", format),
    ("clippy", clippy),
    ("cargo", cargo_tests),
    ("conformance", conformance),
    ("package", package),
    ("npm", npm_tests),
    ("browser", browser_tests),
    ("size", size_limits),
];

/// Groups that run where they are named, and not with all: the terminal client is compiled anew for another target, eight minutes of a processor,
/// and its runs are those of the tests a second time. The examples need Go and a package of Python, the clients for agents a hundred packages of npm.
const BY_NAME: [Group; 3] = [("npx", npx_tests), ("examples", example_tests), ("mcp", mcp_tests)];

fn groups() -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().chain(&BY_NAME)
}

/// The names of the groups, in their order.
pub(crate) fn names() -> String {
    format!(
        "{}; where it is named: {}",
        GROUPS.map(|(name, _)| name).join(", "),
        BY_NAME.map(|(name, _)| name).join(", ")
    )
}

/// Runs the named groups, or all.
pub(crate) fn run(project: &Project, wanted: &[String]) -> Done {
    if let Some(unknown) = wanted.iter().find(|name| !groups().any(|(group, _)| group == name)) {
        return Err(Failure::new(format!("there is no group `{unknown}`"), format!("choose of {}", names())));
    }
    let run = Run { project, site: OnceCell::new(), npm: OnceCell::new() };
    let whole = Clock::start();
    let mut summary = Vec::new();
    let mut failed = Vec::new();
    let is_asked = |(name, _): &&Group| wanted.iter().any(|wanted| wanted == name);
    let all: Vec<&Group> =
        if wanted.is_empty() { GROUPS.iter().collect() } else { groups().filter(is_asked).collect() };
    for (name, group) in all {
        let clock = Clock::start();
        let result = loud_step(name, || group(&run));
        let times = clock.shown();
        match result {
            Ok(Outcome::Passed) => summary.push(format!("  {name:<12} {times}  passed")),
            Ok(Outcome::Skipped(why)) => summary.push(format!("  {name:<12} {times}  skipped: {why}")),
            Err(failure) => {
                failure.print();
                summary.push(format!("  {name:<12} {times}  FAILED: {}", failure.headline()));
                failed.push((*name, failure));
            }
        }
    }
    line(format!("\n{}\n  {:<12} {}", summary.join("\n"), "together", whole.shown()));
    let (passed, failures) = tail::counted();
    for (name, failure) in failed.iter().filter(|(_, failure)| !failure.tail().is_empty()) {
        line(format!("\nthe last lines of {name}:\n  {}", failure.tail().join("\n  ")));
    }
    if passed + failures > 0 {
        // A group that fails without a test that fails counts as one.
        line(format!("\n{passed} passed, {} failed", failures.max(failed.len())));
    }
    if failed.is_empty() {
        return Ok(());
    }
    let failed: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    Err(Failure::new(
        format!("{} failed", failed.join(", ")),
        format!("run one alone with `cargo xtask test {}`", failed.first().copied().unwrap_or_default()),
    ))
}

fn format(run: &Run<'_>) -> Done<Outcome> {
    run_loud(run.project.cargo().args(["fmt", "--all", "--check"]), "run `cargo fmt --all`")?;
    Ok(Outcome::Passed)
}

fn clippy(run: &Run<'_>) -> Done<Outcome> {
    let advice = "the lines above name the place";
    let native = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    run_loud(run.project.cargo().args(native), advice)?;
    // What runs on both has been looked at: here only what those modules add.
    wasm::ensure_target(run.project, wasm::TARGET)?;
    let mut wasm = run.project.cargo();
    wasm.args(["clippy", "--quiet", "--no-deps", "--target", wasm::TARGET]);
    for module in [wasm::ENGINE, wasm::CEL, wasm::COMPARE, wasm::APP, wasm::POLICY] {
        wasm.args(["--package", module.package]);
    }
    run_loud(wasm.args(["--", "-D", "warnings"]), advice)?;
    Ok(Outcome::Passed)
}

/// All tests of all crates: a second failure must not hide behind the first. The terminal client is built with them, as it has tests.
fn cargo_tests(run: &Run<'_>) -> Done<Outcome> {
    let mut cargo = run.project.cargo();
    run_loud(cargo.args(["test", "--workspace", "--no-fail-fast"]), "the lines above name the test")?;
    Ok(Outcome::Passed)
}

/// Holds the engine against the recorded answers. The programs are those of the tests, built with the same selection of features.
fn conformance(run: &Run<'_>) -> Done<Outcome> {
    run.programs()?;
    let mut check = Command::new(run.project.program("conformance"));
    run_loud(check.arg("check").current_dir(run.project.path(".")), "the lines above name the suite")?;
    Ok(Outcome::Passed)
}

fn package(run: &Run<'_>) -> Done<Outcome> {
    packages::check(run.project)?;
    run.programs()?;
    loud_step("pack the programs of the tests as a release", || dist::rehearse(run.project))?;
    Ok(Outcome::Passed)
}

fn npm_tests(run: &Run<'_>) -> Done<Outcome> {
    run.npm()?;
    node::install(run.project, "tests/npm")?;
    wasm::ensure_target(run.project, dist::npm::TARGET)?;
    run_loud(run.project.node("tests/npm").arg("--test"), "the lines above name the test")?;
    Ok(Outcome::Passed)
}

/// The packed npm package with the terminal client: installed and run, and held against the program for this machine in all recorded runs.
fn npx_tests(run: &Run<'_>) -> Done<Outcome> {
    run.programs()?;
    let packed = dist::npm::build(run.project, &run.project.target("dist"))?;
    let mut node = run.project.node("tests/npx");
    node.arg("--test").env("PACKED", packed).env("PODSIEVE", run.project.program("podsieve"));
    run_loud(&mut node, "the lines above name the test")?;
    let mut same = Command::new(run.project.program("conformance"));
    same.arg("same").arg(run.project.path("engine/wasm/npm/dist/cli.mjs"));
    run_loud(same.current_dir(run.project.path(".")), "the lines above name the run")?;
    Ok(Outcome::Passed)
}

/// The examples of other languages, with the terminal client as a module of WASI.
fn example_tests(run: &Run<'_>) -> Done<Outcome> {
    let module = dist::npm::module(run.project)?;
    let mut go = Command::new("go");
    go.args(["test", "-count=1", "./..."]).env("PODSIEVE_WASM", &module);
    run_loud(go.current_dir(run.project.path("examples/go")), "is Go installed?")?;
    let packages = python_packages(run.project, "examples/python")?;
    let mut python = Command::new("python3");
    python.args(["-B", "-m", "unittest"]).env("PODSIEVE_WASM", &module).env("PYTHONPATH", &packages);
    run_loud(python.current_dir(run.project.path("examples/python")), "the lines above name the test")?;
    Ok(Outcome::Passed)
}

/// The official clients of two languages against `podsieve mcp`.
fn mcp_tests(run: &Run<'_>) -> Done<Outcome> {
    run.programs()?;
    node::install(run.project, "tests/mcp")?;
    let program = run.project.program("podsieve");
    let mut node = run.project.node("tests/mcp");
    run_loud(node.arg("--test").env("PODSIEVE", &program), "the lines above name the test")?;
    let packages = python_packages(run.project, "tests/mcp")?;
    let mut python = Command::new("python3");
    python.args(["-B", "client.py"]).env("PODSIEVE", program).env("PYTHONPATH", packages);
    run_loud(python.current_dir(run.project.path("tests/mcp")), "the lines above name what differs")?;
    Ok(Outcome::Passed)
}

/// The folder with what `requirements.txt` of a folder names.
fn python_packages(project: &Project, folder: &str) -> Done<PathBuf> {
    let packages = project.target("xtask/python").join(folder);
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--upgrade",
        "--requirement",
        "requirements.txt",
        "--target",
    ]);
    pip.arg(&packages).current_dir(project.path(folder));
    run_loud(&mut pip, "are Python 3 and pip installed, and is PyPI within reach?")?;
    Ok(packages)
}

fn browser_tests(run: &Run<'_>) -> Done<Outcome> {
    let dist = run.site()?;
    run.npm()?;
    match browser::find()? {
        Browser::Missing(advice) => Ok(Outcome::Skipped(format!("browser tests need Chromium; {advice}"))),
        Browser::Found(chromium) => {
            // What lies there may be of another day, or missing.
            run.programs()?;
            browser::test(run.project, &chromium, dist)?;
            Ok(Outcome::Passed)
        }
    }
}

/// What a first visit and the npm module weigh; a budget exceeded is a failure.
fn size_limits(run: &Run<'_>) -> Done<Outcome> {
    run.site()?;
    run.npm()?;
    size::print(run.project)?;
    Ok(Outcome::Passed)
}
