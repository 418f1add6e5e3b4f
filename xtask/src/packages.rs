//! The engine and the crates below it as packages, each built from what its package holds.
//!
//! In: the checkout. Out: nothing; failure where a package lacks what it needs. Cargo holds what it unpacked and built
//! for a package of the same name, version and place for current, whatever that package holds by now, and keeps it in
//! its home beyond any checkout. So each run packages in a place that no run had before, and leaves nothing there; runs of
//! several checkouts follow each other, for one would take away what the other has unpacked.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::lock;
use crate::project::{self, Project, run_loud};
use crate::say::Done;

const PACKAGES: [&str; 8] = [
    "engine-json",
    "engine-values",
    "engine-yaml",
    "engine-jmespath",
    "engine-cel",
    "engine-podsecurity",
    "engine-mesh",
    "engine",
];

/// Makes the packages and builds each of them.
pub(crate) fn check(project: &Project) -> Done {
    run_loud(project.cargo().args(["fetch", "--quiet", "--locked"]), "is there a network?")?;
    let _ours = match project::cargo_home() {
        Some(home) => lock::take(&home.join(".podsieve-packages.lock"))?,
        None => None,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let places = project.target("packages");
    // What a run that was broken off has left, and then our own: where it cannot go, the next run tries again.
    let _ = std::fs::remove_dir_all(&places);
    let mut cargo = project.cargo();
    cargo.env("CARGO_TARGET_DIR", places.join(now.to_string()));
    // All that is needed is there now, and a registry that answers late or not at all is not a fault of the packages.
    cargo.args(["package", "--quiet", "--allow-dirty", "--offline"]);
    for name in PACKAGES {
        cargo.args(["--package", name]);
    }
    let checked = run_loud(&mut cargo, "the lines above name the crate");
    let _ = std::fs::remove_dir_all(&places);
    sweep();
    checked
}

/// Takes away what cargo unpacked of our packages into its home: there it would stay for good.
fn sweep() {
    let sources = project::cargo_home().and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    let Some(sources) = sources else { return };
    for source in sources.flatten() {
        // A registry of the network bears its host's name before the dash; cargo's own of the moment has none.
        if !source.file_name().to_string_lossy().starts_with('-') {
            continue;
        }
        for name in PACKAGES {
            let unpacked = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
            let _ = std::fs::remove_dir_all(source.path().join(unpacked));
        }
        // Goes only where nothing is left in it.
        let _ = std::fs::remove_dir(source.path());
    }
}
