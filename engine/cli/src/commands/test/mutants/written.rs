//! The tests that `podsieve test --mutants --write-tests FOLDER` writes.
//!
//! In: a folder, and mistakes with the tests that show them. Out: a folder for each test, which names the policy's own file; two mistakes that one object
//! shows have one. Each is run once it is written.

use super::search::Found;
use super::{Answer, Ready};
use crate::args::Test;
use crate::commands::test::find::{below, folder_of, join};
use crate::commands::test::{file, run_one, selector::Selector};
use crate::exit::Failure;
use crate::files;
use crate::terminal;
use engine::json::Value;
use engine::yaml::emit::to_yaml_ordered;
use engine::yaml::{Options, Source, SourceId, parse};
use engine_lenses::wire::Text;

const TEST: &str = "kyverno-test.yaml";
/// Files that a test made of texts has, in whose place the user's own are named.
const OWN: [&str; 2] = ["policies.yaml", "exceptions.yaml"];

/// The test file among the files of a test.
pub(super) fn test_of(files: &[Text]) -> Option<Value> {
    let text = &files.iter().find(|file| file.name == TEST)?.text;
    let source = Source { id: SourceId(0), name: TEST.to_owned(), text: text.as_str().into() };
    parse(&source, &Options::default()).documents.into_iter().next().map(|document| document.value)
}

/// Writes them, and says how many do not pass once they are there. Nothing is written where a file is there already.
pub(super) fn write(
    folder: &str,
    arguments: &Test,
    ready: &[Ready],
    answer: &Answer,
) -> Result<usize, Failure> {
    let mut planned: Vec<(String, Vec<Text>)> = Vec::new();
    for missed in &answer.missed {
        let Found::Shown { test: Ok(files), .. } = &missed.found else { continue };
        let Some(subject) = answer.subjects.get(missed.subject) else { continue };
        let Some(first) = subject.tests.first().and_then(|at| ready.get(*at)) else { continue };
        let name = files::as_name(subject.name.rsplit('/').next().unwrap_or_default());
        let to = join(folder, &format!("{name}-{}", planned.len() + 1));
        let files = with_own_files(files, &to, &subject.file, first).map_err(Failure)?;
        let is_known = |known: &[Text]| {
            let beside = |files: &[Text]| -> Vec<String> {
                files.iter().filter(|file| file.name != TEST).map(|file| file.text.clone()).collect()
            };
            beside(known) == beside(&files) && results(known) == results(&files)
        };
        if !planned.iter().any(|(_, known)| is_known(known)) {
            planned.push((to, files));
        }
    }
    for (folder, file) in
        planned.iter().flat_map(|(folder, files)| files.iter().map(move |file| (folder, file)))
    {
        files::refuse_existing(folder, &file.name)?;
    }
    let mut bad = 0;
    for (folder, files) in &planned {
        for file in files {
            let path = files::create(folder, &file.name, &file.text)?;
            terminal::say(&format!("written: {path}\n"));
        }
        if !passes(arguments, &join(folder, TEST)) {
            terminal::say(&format!(
                "error: {folder}: this test does not pass: the values of the other tests may be missing\n"
            ));
            bad += 1;
        }
    }
    Ok(bad)
}

fn results(files: &[Text]) -> Option<Value> {
    test_of(files)?.get("results").cloned()
}

/// The files of a test, which names the file of the policy, and the exceptions of the test that it goes beside.
fn with_own_files(files: &[Text], to: &str, policy: &str, beside: &Ready) -> Result<Vec<Text>, String> {
    let mut test = test_of(files).unwrap_or_default();
    let map = test.make_object();
    let from = folder_of(&beside.test.path);
    let exceptions = beside.test.exceptions.iter().map(|path| files::relative(to, &below(&from, path)));
    let exceptions: Vec<String> = exceptions.collect::<Result<_, _>>()?;
    for (field, paths) in [("policies", vec![files::relative(to, policy)?]), ("exceptions", exceptions)] {
        if !paths.is_empty() {
            map.insert(field, Value::array(paths.into_iter().map(Value::from).collect()));
        }
    }
    let kept = files.iter().filter(|file| !OWN.contains(&file.name.as_str())).map(|file| {
        let text = if file.name == TEST { to_yaml_ordered(&test) } else { file.text.clone() };
        Text { name: file.name.clone(), text }
    });
    Ok(kept.collect())
}

fn passes(arguments: &Test, path: &str) -> bool {
    let Ok(text) = files::read(path) else { return false };
    let selector = Selector::parse(crate::args::EVERY_ENTRY);
    file::read(path, &text.text).into_iter().all(|test| {
        test.is_ok_and(|test| {
            let tested = run_one(arguments, &selector, &test, &files::Anywhere);
            let is_passed = |row: &super::check::Row| row.outcome == super::Outcome::Pass;
            tested.error.is_none()
                && !tested.checked.rows.is_empty()
                && tested.checked.rows.iter().all(is_passed)
        })
    })
}
