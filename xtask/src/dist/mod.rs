//! What is published, in `target/dist`.
//!
//! In: the name of a part. Out: its file.

pub(crate) mod npm;

use crate::project::Project;
use crate::say::{Done, Failure};

/// Builds a part.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Done {
    if arguments != ["npm"] {
        return Err(Failure::new("this is no part of what is published", "give `npm`"));
    }
    npm::build(project, &project.target("dist")).map(drop)
}
