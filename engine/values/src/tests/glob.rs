//! What `glob.Compile(pattern)` of github.com/gobwas/glob v0.2.3 made of patterns, and of texts under them.

use crate::glob::{Glob, MAX_DEPTH};

const MATCHES: &[(&str, &str, bool)] = &[
    ("ghcr.io/{kyverno/*,sigstore/*}", "ghcr.io/kyverno/app:v1", true),
    ("ghcr.io/{kyverno/*,sigstore/cosign}", "ghcr.io/kyverno/app", false),
    ("*{:latest,:v1}", "a/b:latest", true),
    ("ghcr.io/*", "ghcr.io/a/b@sha256:0", true),
    ("ghcr.io/?", "ghcr.io/ab", false),
    ("x{a*,bb*}", "xab", true),
    ("xy{a*,bcd}", "xyabc", true),
    ("xy{a*,bcd}", "xyab", false),
    ("{a*,b/c}", "aba{,", true),
    ("*", "xé,x.", true),
    ("****", "é-x,a", true),
    ("**", "-{b{", true),
    ("*", "ba", true),
    ("**", "/é/.,", true),
    ("{a*,b/c}", "a.{{-", true),
    ("*{,a}", "ab-c:", true),
    ("**", "{ab:x", true),
    ("{,a}**.", "{.", true),
    ("**", "-xab:ab", true),
    ("{,a}/*", "/:", true),
    ("**", "-/,é", true),
    ("*", "abab,x", true),
    ("*", "a-", true),
    ("*", ":*bc", true),
    ("*", "b{", true),
    ("****", "c{:bc", true),
    ("*", "./:*", true),
    ("**", ",/a", true),
    ("[[c-a]*", "c.{-a", true),
    ("*?", ",/é", true),
    ("{a*,b/c}", "ab", true),
    ("*", ",-:", true),
    ("*", "c/a*", true),
    ("**", "abx", true),
    ("*", "b{.{{", true),
    ("{,a}/*", "/a*éa", true),
    ("**", ",*", true),
    ("**", ",.b,{", true),
    ("[!a][!b-c]**!", "::{", false),
    ("[ab]", "-xb", false),
    ("[!a]\\*[-[!b-c]", "c:", false),
    ("-", "xaabb", false),
    ("{a*,b/c}*", "x:", false),
    ("a", ",é,", false),
    ("-/", "c.é{{", false),
    ("[ab]", "ébc", false),
    ("[!b-c]?::", "/éc,x", false),
    ("aa/{a*,b/c}", "abc", false),
    ("?[ab]a", "cb{x", false),
    ("!{,a}{,a}?", "bb*", false),
    (".]!{a,b}[!a]", "{*,-*", false),
    ("{ab,a{b,c}}/*", ":-*/", false),
    ("[a-c]", "/,*", false),
    ("\\*?*", "ab-x{", false),
    ("[!b-c]", "-ab:.", false),
    ("{,a}{aé}]", "ab", false),
    ("[!b-c][[c-a]", "..é", false),
    ("??", "a*.", false),
];

const ERRORS: &[(&str, &str)] = &[
    ("{a,[c-a]?[]", "hi character 'a' should be greater than lo 'c'"),
    ("[{,a}b", "unexpected end of input"),
    ("x*[]aéb", "could not parse range"),
    ("![]-[{a-", "expected close range character"),
];

#[test]
fn patterns_match_as_in_the_original() {
    for (pattern, text, wanted) in MATCHES {
        assert_eq!(Glob::parse(pattern).unwrap().matches(text), *wanted, "{pattern} {text}");
    }
}

#[test]
fn what_is_not_a_pattern_is_said_in_the_words_of_the_original() {
    for (pattern, wanted) in ERRORS {
        assert_eq!(Glob::parse(pattern).unwrap_err(), *wanted, "{pattern}");
    }
}

#[test]
fn long_and_deep_patterns_end() {
    assert!(Glob::parse(&"{".repeat(MAX_DEPTH + 1)).unwrap_err().contains("nest deeper"));
    assert!(!Glob::parse(&"*a".repeat(200)).unwrap().matches(&"b".repeat(5_000)));
    assert!(Glob::parse(&"{a,aa}".repeat(100)).unwrap().matches(&"a".repeat(150)));
}
