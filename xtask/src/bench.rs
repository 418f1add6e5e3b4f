//! The page's two times in headless Chromium: a link opened cold until its verdict is on screen, and a key press.
//!
//! In: the built site and `tests/browser/bench.mjs`. Out: medians in milliseconds beside the budgets. Never a test:
//! machines differ.

use crate::browser::{self, Browser};
use crate::project::Project;
use crate::say::{Done, Failure};
use crate::site;

/// Builds, serves and measures.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Done {
    let dist = site::build(project, false)?;
    match browser::find()? {
        Browser::Missing(advice) => Err(Failure::new("no Chromium to measure with", advice)),
        Browser::Found(chromium) => {
            let mut words = vec!["bench.mjs"];
            words.extend(arguments.iter().map(String::as_str));
            browser::drive(project, &chromium, &dist, &words)
        }
    }
}
