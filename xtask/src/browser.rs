//! Finds Chromium, and runs Node scripts that drive it against a served `www/dist`.
//!
//! In: the environment (`CHROMIUM`, `CI`). Out: the program's path, or a sentence that says what to install. Where
//! `CI=true`, `apt-get` is asked to install it: where there is none, or it may not, that sentence is the advice.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Project, run_loud, run_quiet};
use crate::say::{Done, Failure, line, step};
use crate::{node, serve, tail};

const ADVICE: &str = "apt-get install chromium, or set CHROMIUM to the path of a Chromium or Chrome";

/// Where Chromium was found.
pub(crate) enum Browser {
    Found(PathBuf),
    /// Not here, and nobody asked us to install it.
    Missing(&'static str),
}

/// Looks for a browser; under `CI=true` a missing one is installed or is a failure.
pub(crate) fn find() -> Done<Browser> {
    if let Some(path) = look() {
        return Ok(Browser::Found(path));
    }
    if std::env::var("CI").as_deref() != Ok("true") {
        return Ok(Browser::Missing(ADVICE));
    }
    step("apt-get install chromium", || {
        let mut update = Command::new("apt-get");
        run_quiet(update.args(["update", "-qq"]), ADVICE)?;
        let mut install = Command::new("apt-get");
        install.env("DEBIAN_FRONTEND", "noninteractive").args(["install", "-y", "-qq", "chromium"]);
        run_quiet(&mut install, ADVICE)
    })?;
    look().map(Browser::Found).ok_or_else(|| Failure::new("no Chromium, even after installing it", ADVICE))
}

fn look() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named));
    }
    let places = [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ];
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    on_path.chain(places.map(PathBuf::from)).find(|candidate| candidate.is_file())
}

/// Serves the folder on a free port and runs Node in `tests/browser` with the address at hand.
pub(crate) fn drive(project: &Project, chromium: &Path, dist: &Path, arguments: &[&str]) -> Done {
    node::install(project, "tests/browser")?;
    let listener = serve::bind(0)?;
    let url = serve::url(&listener)?;
    let root = dist.to_path_buf();
    std::thread::spawn(move || serve::forever(&listener, root));
    let mut node = project.node("tests/browser");
    node.args(arguments).env("CHROMIUM", chromium).env("PODSIEVE_URL", url);
    // What the page saves is evaluated by the terminal client, which `cargo xtask test browser` builds before.
    node.env("PODSIEVE", project.program("podsieve"));
    run_loud(&mut node, "the lines above name the test and the reason")
}

/// So many files are run a second time at most: where more fail it is not for the machine.
const MOST_RUN_AGAIN: usize = 2;

/// Runs the browser tests. Where a test waits in vain on a slow machine, its file is run once more: what fails twice is a failure, and what
/// passes then is named.
pub(crate) fn test(project: &Project, chromium: &Path, dist: &Path) -> Done {
    let list = project.target("browser-failed.txt");
    let destination = format!("--test-reporter-destination={}", list.display());
    let report = [
        "--test",
        "--test-reporter=tap",
        "--test-reporter-destination=stdout",
        "--test-reporter=./failed.mjs",
        &destination,
    ];
    drop(std::fs::remove_file(&list));
    let (_, failed_before) = tail::counted();
    let Err(failure) = drive(project, chromium, dist, &report) else { return Ok(()) };
    let failed = std::fs::read_to_string(&list).unwrap_or_default();
    let files: Vec<&str> = failed.lines().collect();
    if files.is_empty() || files.len() > MOST_RUN_AGAIN {
        return Err(failure);
    }
    line(format!("\nrun once more, as a test in them failed: {}", files.join(" ")));
    drive(project, chromium, dist, &[&["--test"], files.as_slice()].concat())?;
    tail::forgive(failed_before);
    line(format!("\nunsteady: a test failed at first and passed when run again, in {}", files.join(" ")));
    Ok(())
}
