//! `docs/library-pairs.md` is what the comparison says of the public library's pairs of folders.
//!
//! In: the recorded library. Out: a failure where the page leaves a pair out, shows an object on which a pair does not differ, or is silent about
//! a difference that a short search finds; with `UPDATE=1` the page is written by the whole search instead.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_compare::{Comparison, Grade, Options};
use engine_lenses::wire::Text;
use std::path::{Path, PathBuf};
use tests::differences::pairs::{LibraryPair, compared, options, page, pairs, row, written};
use tests::recorded;

/// How many requests a pair without a known difference is tried on: the whole search belongs to `UPDATE=1`.
const SHORT: usize = 2_000;

/// So many tests share the pairs, as each takes its time.
const SHARES: usize = 4;

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/library-pairs.md")
}

/// The pairs of the recorded library.
fn recorded_pairs() -> Option<Vec<LibraryPair>> {
    let folder = recorded::folder_or_skip("the pairs of the library")?;
    Some(pairs(&folder.join("trees/policies")).unwrap())
}

#[test]
fn the_page_has_every_pair() {
    let Some(pairs) = recorded_pairs() else { return };
    assert!(pairs.len() > 50, "{}", pairs.len());
    if std::env::var_os("UPDATE").is_some() {
        let rows: Vec<_> = pairs.iter().map(|pair| row(&pair.name, &compared(pair, &options()))).collect();
        std::fs::write(page_path(), page(&rows)).unwrap();
    }
    let rows = written(&std::fs::read_to_string(page_path()).unwrap());
    let names = |all: &mut dyn Iterator<Item = &str>| all.map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        names(&mut rows.iter().map(|row| row.name.as_str())),
        names(&mut pairs.iter().map(|pair| pair.name.as_str())),
        "not up to date: UPDATE=1 cargo test --release -p tests --test all library_pairs::the_page"
    );
}

/// One share of the pairs decides as the page says.
fn decide_as_the_page_says(share: usize) {
    let Some(pairs) = recorded_pairs() else { return };
    let rows = written(&std::fs::read_to_string(page_path()).unwrap());
    for (row, pair) in rows.iter().zip(&pairs).skip(share).step_by(SHARES) {
        let answer = again(pair, row.objects.iter().map(|(_, object)| object.as_str()));
        assert_eq!(answer.grade.as_str(), row.grade, "{}: {:?}", row.name, answer.findings);
        for (direction, _) in &row.objects {
            let found = answer.findings.iter().any(|finding| finding.direction.as_str() == direction);
            assert!(found, "{}: nothing is {direction}", row.name);
        }
    }
}

#[test]
fn the_first_share_of_pairs_decides_as_the_page_says() {
    decide_as_the_page_says(0);
}

#[test]
fn the_second_share_of_pairs_decides_as_the_page_says() {
    decide_as_the_page_says(1);
}

#[test]
fn the_third_share_of_pairs_decides_as_the_page_says() {
    decide_as_the_page_says(2);
}

#[test]
fn the_last_share_of_pairs_decides_as_the_page_says() {
    decide_as_the_page_says(SHARES - 1);
}

/// A short search that begins with these objects.
fn again<'o>(pair: &LibraryPair, objects: impl Iterator<Item = &'o str>) -> Comparison {
    let resources: Vec<Text> = objects
        .enumerate()
        .map(|(at, text)| Text { name: format!("{at}.yaml"), text: text.to_owned() })
        .collect();
    let answer = compared(pair, &Options { resources, max_requests: SHORT, mutants: 0, ..options() });
    debug_assert!(answer.grade != Grade::Same || answer.findings.is_empty());
    answer
}
