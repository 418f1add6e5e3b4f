//! All tests in their order, or some groups: formatting, lints, Rust tests, recorded answers, packages, npm package, browser, size.
//!
//! In: group names (none: all). Out: one line a group at the end; failure if one failed. A group goes on after
//! another has failed, so that one run says everything.

use crate::browser::{self, Browser};
use crate::project::{Project, run_loud};
use crate::say::{Done, Failure, line, loud_step};
use crate::{node, npm_package, packages, policy, site, size, wasm};

type Group = (&'static str, fn(&Project) -> Done<Outcome>);

/// What became of a group.
enum Outcome {
    Passed,
    Skipped(String),
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

/// The names of the groups, in their order.
pub(crate) fn names() -> String {
    GROUPS.map(|(name, _)| name).join(", ")
}

/// Runs the named groups, or all.
pub(crate) fn run(project: &Project, wanted: &[String]) -> Done {
    if let Some(unknown) = wanted.iter().find(|name| !GROUPS.iter().any(|(group, _)| group == name)) {
        return Err(Failure::new(format!("there is no group `{unknown}`"), format!("choose of {}", names())));
    }
    let mut summary = Vec::new();
    let mut failed = Vec::new();
    for (name, group) in
        GROUPS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name))
    {
        match loud_step(name, || group(project)) {
            Ok(Outcome::Passed) => summary.push(format!("  {name:<12} passed")),
            Ok(Outcome::Skipped(why)) => summary.push(format!("  {name:<12} skipped: {why}")),
            Err(failure) => {
                failure.print();
                summary.push(format!("  {name:<12} FAILED: {}", failure.headline()));
                failed.push((*name, failure));
            }
        }
    }
    line(format!("\n{}", summary.join("\n")));
    if failed.is_empty() {
        return Ok(());
    }
    for (name, failure) in failed.iter().filter(|(_, failure)| !failure.tail().is_empty()) {
        line(format!("\nthe last lines of {name}:\n  {}", failure.tail().join("\n  ")));
    }
    let failed: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    Err(Failure::new(
        format!("{} failed", failed.join(", ")),
        format!("run one alone with `cargo xtask test {}`", failed.first().copied().unwrap_or_default()),
    ))
}

fn format(project: &Project) -> Done<Outcome> {
    run_loud(project.cargo().args(["fmt", "--all", "--check"]), "run `cargo fmt --all`")?;
    Ok(Outcome::Passed)
}

fn clippy(project: &Project) -> Done<Outcome> {
    let advice = "the lines above name the place";
    let native = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    run_loud(project.cargo().args(native), advice)?;
    let mut wasm = project.cargo();
    wasm.args(["clippy", "--quiet", "--target", "wasm32-unknown-unknown"]);
    for module in [wasm::ENGINE, wasm::CEL, wasm::COMPARE, wasm::APP, wasm::POLICY] {
        wasm.args(["--package", module.package]);
    }
    wasm.args(["--", "-D", "warnings"]);
    run_loud(&mut wasm, advice)?;
    // What the page begins with is built without the features that npm gets.
    let mut first = project.cargo();
    first.args(["clippy", "--quiet", "--target", "wasm32-unknown-unknown", "--no-default-features"]);
    first.args(["--package", wasm::ENGINE.package, "--", "-D", "warnings"]);
    run_loud(&mut first, advice)?;
    Ok(Outcome::Passed)
}

fn cargo_tests(project: &Project) -> Done<Outcome> {
    // Tests run the program, and cargo builds it for no test by itself.
    run_loud(
        project.cargo().args(["build", "--quiet", "--package", "engine-cli"]),
        "the lines above name the place",
    )?;
    // All of them: a second failure must not hide behind the first.
    run_loud(
        project.cargo().args(["test", "--workspace", "--no-fail-fast"]),
        "the lines above name the test",
    )?;
    Ok(Outcome::Passed)
}

/// Holds the engine against the recorded answers, which lie outside of the repository.
fn conformance(project: &Project) -> Done<Outcome> {
    let Some(recorded) = project.conformance() else {
        let why = "no shared/conformance beside the repository or above it";
        return Ok(Outcome::Skipped(why.to_owned()));
    };
    build_program(project)?;
    let mut cargo = project.cargo();
    cargo
        .args(["run", "--quiet", "--release", "--package", "tests", "--bin", "conformance", "--", "check"])
        .arg(recorded);
    run_loud(&mut cargo, "the lines above name the suite")?;
    Ok(Outcome::Passed)
}

/// The terminal client as people run it.
fn build_program(project: &Project) -> Done {
    let mut cargo = project.cargo();
    cargo.args(["build", "--quiet", "--release", "--package", "engine-cli"]);
    run_loud(&mut cargo, "the lines above name the place")
}

fn package(project: &Project) -> Done<Outcome> {
    packages::check(project)?;
    Ok(Outcome::Passed)
}

fn npm_tests(project: &Project) -> Done<Outcome> {
    npm_package::build(project, false)?;
    policy::build(project, false)?;
    node::install(project, "tests/npm")?;
    run_loud(project.node("tests/npm").arg("--test"), "the lines above name the test")?;
    Ok(Outcome::Passed)
}

fn browser_tests(project: &Project) -> Done<Outcome> {
    let dist = site::build(project, false)?;
    npm_package::build(project, false)?;
    match browser::find()? {
        Browser::Missing(advice) => Ok(Outcome::Skipped(format!("browser tests need Chromium; {advice}"))),
        Browser::Found(chromium) => {
            // What lies there may be of another day, or missing.
            build_program(project)?;
            browser::test(project, &chromium, &dist)?;
            Ok(Outcome::Passed)
        }
    }
}

/// What a first visit and the npm module weigh; a budget exceeded is a failure.
fn size_limits(project: &Project) -> Done<Outcome> {
    site::build(project, false)?;
    npm_package::build(project, false)?;
    size::print(project)?;
    Ok(Outcome::Passed)
}
