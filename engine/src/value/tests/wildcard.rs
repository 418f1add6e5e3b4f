//! Wildcards: pattern, text, whether it fits.

use crate::value::wildcard::{Wildcard, contains_wildcard, matches};

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
}

#[test]
fn only_stars_and_question_marks_are_wildcards() {
    assert!(contains_wildcard("a?") && contains_wildcard("*"));
    assert!(!contains_wildcard("[a].+\\"));
}
