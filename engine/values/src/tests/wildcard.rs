//! Wildcards: pattern, text, whether it fits.

use crate::wildcard::{Wildcard, contains_wildcard, matches};

const CASES: &[(&str, &str, bool)] = &[
    ("", "", true),
    ("", "a", false),
    ("*", "", true),
    ("**", "x/y", true),
    ("?", "", false),
    ("?", "é", true),
    ("??", "é", false),
    ("?*", "", false),
    ("?*", "a", true),
    ("*?", "ab", true),
    ("web", "web", true),
    ("web", "web1", false),
    ("web*", "web", true),
    ("*web", "the web", true),
    ("*web", "webs", false),
    ("*:latest", "nginx:latest", true),
    ("*:latest", "nginx:1.2", false),
    ("a*b*c", "a-b-b-c", true),
    ("a*b*c", "acb", false),
    ("ab*ba", "aba", false),
    ("*na*", "banana", true),
    ("*an?", "banana", true),
    ("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaa", false),
    ("[ab]", "a", false),
    (r"a\*", "a*", false),
    ("*é?", "caféx", true),
    ("*é?", "café", false),
    ("?", "ab", false),
    ("a?c", "aéc", true),
    ("a?c*", "aéc", true),
    ("*a?c*d", "xaabc-abcd", true),
    ("*??*", "é", false),
    ("*??*", "éa", true),
    ("*??", "a", false),
    ("a*??", "aéé", true),
    ("a*a", "a", false),
    ("?*?*?", "ab", false),
    ("?*?*?", "a\u{10ffff}c", true),
    ("*ab*ab", "ab-ab", true),
    ("*ab*ab", "aba", false),
];

#[test]
fn patterns_fit_as_in_the_original() {
    for (pattern, text, fits) in CASES {
        assert_eq!(matches(pattern, text), *fits, "{pattern:?} {text:?}");
        assert_eq!(Wildcard::new(pattern).matches(text), *fits, "compiled {pattern:?} {text:?}");
    }
}

#[test]
fn many_stars_take_no_time() {
    assert!(!matches(&"*a".repeat(2_000), &"a".repeat(1_999)));
    assert!(matches(&"a*".repeat(500), &"ab".repeat(5_000)));
    let long = "a".repeat(1_000_000);
    assert!(!matches(&format!("*{}b*c", "a".repeat(500_000)), &long));
}

#[test]
fn only_stars_and_question_marks_are_wildcards() {
    assert!(contains_wildcard("a?") && contains_wildcard("*"));
    assert!(!contains_wildcard("[a].+\\"));
}

/// The textbook's way: a table of which beginnings of the text fit which beginnings of the pattern.
fn by_table(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut row: Vec<bool> = (0..=text.len()).map(|length| length == 0).collect();
    for wanted in pattern.chars() {
        let mut next = vec![wanted == '*' && row[0]];
        for (at, found) in text.iter().enumerate() {
            next.push(match wanted {
                '*' => next[at] || row[at + 1],
                '?' => row[at],
                wanted => row[at] && wanted == *found,
            });
        }
        row = next;
    }
    row.last() == Some(&true)
}

#[test]
fn every_short_pattern_fits_what_the_table_says() {
    let words = |letters: &str, longest: u32| -> Vec<String> {
        let letters: Vec<char> = letters.chars().collect();
        let count = letters.len();
        let word = |length: u32, n: usize| (0..length).map(|at| letters[n / count.pow(at) % count]).collect();
        (0..=longest)
            .flat_map(|length| (0..count.pow(length)).map(move |n| word(length, n)).collect::<Vec<String>>())
            .collect()
    };
    for pattern in words("*?aé", 5) {
        for text in words("aé", 5) {
            assert_eq!(matches(&pattern, &text), by_table(&pattern, &text), "{pattern:?} {text:?}");
        }
    }
}
