//! The page as others see it: pictures of its states, what Lighthouse says, what hostile links do to it.
//!
//! In: the built site, `tests/browser/{shots,lighthouse,stranger}.mjs`. Out: PNG files below target, scores, a line a link. Never a test: pictures
//! are for eyes, and scores depend on the machine.

use crate::browser::{self, Browser};
use crate::npm_package;
use crate::project::Project;
use crate::say::{Done, Failure};
use crate::site;

/// Builds, serves and takes the pictures; the name of one state takes that one alone.
pub(crate) fn shots(project: &Project, arguments: &[String]) -> Done {
    let folder = project.target("shots").display().to_string();
    let mut words = vec!["shots.mjs", &folder];
    words.extend(arguments.iter().map(String::as_str));
    drive(project, &words)
}

/// Builds, serves and asks Lighthouse; it says that it is skipped where Lighthouse is not installed.
pub(crate) fn lighthouse(project: &Project, arguments: &[String]) -> Done {
    let mut words = vec!["lighthouse.mjs"];
    words.extend(arguments.iter().map(String::as_str));
    drive(project, &words)
}

/// Builds, serves and opens hostile links, made of numbers: 200, or so many from a first one on.
pub(crate) fn strangers(project: &Project, arguments: &[String]) -> Done {
    npm_package::build(project, false)?;
    let mut words = vec!["stranger.mjs"];
    words.extend(arguments.iter().map(String::as_str));
    drive(project, &words)
}

fn drive(project: &Project, words: &[&str]) -> Done {
    let dist = site::build(project, false)?;
    match browser::find()? {
        Browser::Missing(advice) => Err(Failure::new("no Chromium to look with", advice)),
        Browser::Found(chromium) => browser::drive(project, &chromium, &dist, words),
    }
}
