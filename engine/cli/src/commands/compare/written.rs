//! The tests that `podsieve compare --write-test FOLDER` writes.
//!
//! In: a folder, pairs with their answers. Out: a folder for `podsieve test` of each difference that one shows, all of them inside that folder, and a
//! line for each file that is written and for each difference that no test shows.

use super::Answered;
use super::pairs::Side;
use super::text;
use crate::clock;
use crate::exit::Failure;
use crate::files;
use crate::terminal;
use engine_compare::{Finding, test_folder};
use engine_lenses::wire::Text;
use std::path::Path;

/// A test: the folder below the one that is named, and its files.
struct Test {
    /// The folder of the pair, where there are several.
    of_pair: Option<String>,
    /// What the difference is called.
    difference: String,
    files: Vec<Text>,
}

/// Writes them: a single one into the folder itself, several into folders in it. Nothing is written where a file is there already.
pub(super) fn write_tests(folder: &str, answered: &[Answered]) -> Result<(), Failure> {
    let tests = tests(answered);
    let mut planned = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let before = tests.iter().take(at).filter(|before| before.of_pair == test.of_pair).count();
        let is_alone = tests.iter().filter(|other| other.of_pair == test.of_pair).count() == 1;
        let mut path = Path::new(folder).to_path_buf();
        path.extend(&test.of_pair);
        if !is_alone {
            path.push(format!("{}-{}", before + 1, test.difference));
        }
        planned.extend(test.files.iter().map(|file| (path.to_string_lossy().into_owned(), file)));
    }
    for (folder, file) in &planned {
        files::refuse_existing(folder, &file.name)?;
    }
    for (folder, file) in &planned {
        let path = files::create(folder, &file.name, &file.text)?;
        terminal::say(&format!("written: {path}\n"));
    }
    Ok(())
}

/// A test for each difference that one shows; the others are named with the reason.
fn tests(answered: &[Answered]) -> Vec<Test> {
    let mut tests = Vec::new();
    for (at, Answered { pair, answer }) in answered.iter().enumerate() {
        let (Side { texts: Ok(old), .. }, Side { texts: Ok(new), .. }) = (&pair.old, &pair.new) else {
            continue;
        };
        for finding in &answer.findings {
            match test_folder(old, new, &finding.request, clock::now()) {
                Ok(test) => tests.push(Test {
                    of_pair: (answered.len() > 1).then(|| folder_of(at, &pair.new.name)),
                    difference: difference(finding),
                    files: test.files,
                }),
                Err(why) => terminal::say(&format!(
                    "no test is written: {}: {}: {why}\n",
                    pair.new.name,
                    text::headline(finding)
                )),
            }
        }
    }
    tests
}

/// The folder of a pair: its number, as files of one name may be of several pairs, and the name of the new side.
fn folder_of(at: usize, new: &str) -> String {
    let stem = Path::new(new).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    format!("{:03}-{}", at + 1, files::as_name(&stem.unwrap_or_default()))
}

/// How the new side differs, and about what.
fn difference(finding: &Finding) -> String {
    files::as_name(&format!("{}-{}", finding.direction.as_str(), finding.request.object.find_str(&["kind"])))
}
