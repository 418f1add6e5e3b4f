//! Every Markdown case is a test of its own name: `cargo test -p tests --test suite matching`.
//!
//! In: `tests/suite/**/*.md` and `playground/samples/**/*.md`. Out: a failure where the engine says something else
//! than the file expects. `UPDATE=1` writes what the engine says into the files; read the difference before a commit.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use tests::case::{self, Expected, Manner};

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        ("suite", root.join("suite"), Manner::Case),
        ("samples", root.join("../playground/samples"), Manner::Sample),
    ];
    let is_update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut trials = Vec::new();
    for (title, folder, manner) in folders {
        let mut files = Vec::new();
        markdown(&folder, 0, &mut files);
        files.sort();
        for file in files {
            let inner = file.strip_prefix(&folder).unwrap_or(&file).with_extension("");
            let name = format!("{title}/{}", inner.display()).replace('\\', "/");
            trials.push(Trial::test(name, move || check(&file, manner, is_update)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn markdown(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && depth < 8 {
            markdown(&path, depth + 1, files);
        } else if path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("README.md")
        {
            files.push(path);
        }
    }
}

fn check(file: &Path, manner: Manner, is_update: bool) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let case = case::read(&text)?;
    let output = case::answer(&case, manner);
    let got = |expected: &Expected| case::text(&output, expected.what);
    let wrong = case.expected.iter().find(|expected| !case::agrees(&expected.text, &got(expected)));
    let Some(wrong) = wrong else { return Ok(()) };
    if is_update {
        std::fs::write(file, case::with_expected(&text, &case, &output))?;
        return Ok(());
    }
    let (expected, got) = (&wrong.text, got(wrong));
    Err(format!("expected\n{expected}\ngot\n{got}\nUPDATE=1 writes what was got into the file").into())
}
