//! `docs/library-pairs.md` is what the comparison says of the public library's pairs of folders.
//!
//! In: the recorded library. Out: a failure where the page leaves a pair out, shows an object on which a pair does not differ, or is silent about
//! a difference that a short search finds; with `UPDATE=1` the page is written by the whole search instead.

use engine_compare::{Comparison, Grade, Options};
use engine_lenses::wire::Text;
use tests::differences::pairs::{LibraryPair, compared, options, page, pairs, row, written};
use tests::recorded;

/// How many requests a pair without a known difference is tried on: the whole search belongs to `UPDATE=1`.
const SHORT: usize = 2_000;

#[test]
fn the_page_is_what_the_comparison_says_of_the_pairs() {
    let Some(folder) = recorded::folder_or_skip("the pairs of the library") else { return };
    let pairs = pairs(&folder.join("trees/policies")).unwrap();
    assert!(pairs.len() > 50, "{}", pairs.len());
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/library-pairs.md");
    if std::env::var_os("UPDATE").is_some() {
        let rows: Vec<_> = pairs.iter().map(|pair| row(&pair.name, &compared(pair, &options()))).collect();
        std::fs::write(&path, page(&rows)).unwrap();
    }
    let rows = written(&std::fs::read_to_string(&path).unwrap());
    let names = |all: &mut dyn Iterator<Item = &str>| all.map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        names(&mut rows.iter().map(|row| row.name.as_str())),
        names(&mut pairs.iter().map(|pair| pair.name.as_str())),
        "not up to date: UPDATE=1 cargo test --release -p tests --test all library_pairs::"
    );
    for (row, pair) in rows.iter().zip(&pairs) {
        let answer = again(pair, row.objects.iter().map(|(_, object)| object.as_str()));
        assert_eq!(answer.grade.as_str(), row.grade, "{}: {:?}", row.name, answer.findings);
        for (direction, _) in &row.objects {
            let found = answer.findings.iter().any(|finding| finding.direction.as_str() == direction);
            assert!(found, "{}: nothing is {direction}", row.name);
        }
    }
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
