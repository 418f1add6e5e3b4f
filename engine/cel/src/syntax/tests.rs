//! What texts become: trees, problems and their places.

use super::*;
use crate::report::render;

/// All macros, with optional syntax.
pub(super) const ALL: Options<'static> = Options {
    macros: &[STANDARD, OPTIONAL, TWO_VARIABLES, BINDINGS, MATH, LISTS, PROTOS],
    optional_syntax: true,
};

pub(super) fn problems(source: &str) -> String {
    parse(source, &ALL).map_or_else(|issues| render(source, &issues), |_| String::from("none"))
}

fn accepted(source: &str) {
    assert_eq!(problems(source), "none", "{source}");
}

/// The first line of what is printed, without what all have in common.
fn first(source: &str) -> String {
    let text = problems(source);
    text.lines().next().unwrap_or_default().replace("ERROR: <input>:", "")
}

#[test]
fn texts_of_the_grammar_are_accepted() {
    for source in [
        "[]",
        "[,]",
        "{,}",
        "[1, ?a, 2,]",
        "{'a': 1, ?'b': c,}",
        "a.b.C{x: 1, ?y: z, `a-b`: 2,}",
        ".a.b{}",
        "a.?b[?c].`d e`.f(g)[0]",
        "--1 - -1 == - 1 ? !!a : -b",
        "a ? b : c ? d : e",
        "1 in [1] in [2] < 3 == 4",
        "!-1",
        "a.b(1).c",
        ".f(.x)",
        "'a' + \"b\" + r'\\c' + '''d''' + b'e'.size()",
    ] {
        accepted(source);
    }
}

#[test]
fn texts_outside_the_grammar_are_refused() {
    for source in [
        "",
        "a b",
        "f(1,)",
        "f(1)(2)",
        "(a)(1)",
        "a.?b()",
        "-!a",
        "!-a",
        "a.in",
        "a.`b`()",
        "{true}",
        "[,1]",
        "[1,,]",
        "{1: 2,,}",
        "M{a: 1,,}",
    ] {
        assert_ne!(problems(source), "none", "{source}");
    }
}

#[test]
fn names_and_literals_that_are_none() {
    assert_eq!(first("a + if"), "1:5: reserved identifier: if");
    assert_eq!(first("1 + .as"), "1:5: reserved identifier: as");
    assert_eq!(first("for(has(1))"), "1:1: reserved identifier: for");
    accepted("a.for.if(1)");
    assert_eq!(first("-9223372036854775809"), "1:1: invalid int literal");
    assert_eq!(first("-  9223372036854775808"), "none");
    assert_eq!(first("--9223372036854775808"), "1:3: invalid int literal");
    assert_eq!(first("[1e400]"), "1:2: invalid double literal");
    assert_eq!(first("1 + '\\ud800'"), "1:5: invalid unicode code point");
}

#[test]
fn macros_look_at_their_arguments() {
    for (source, message) in [
        ("has(a[0])", "1:6: invalid argument to has() macro"),
        ("has(has(a))", "1:9: invalid argument to has() macro"),
        ("[1].all(x.y, true)", "1:10: argument must be a simple name"),
        ("[1].map(__result__, 1)", "1:9: iteration variable overwrites accumulator variable"),
        ("[1].filter(1, true)", "1:12: argument is not an identifier"),
        ("[1].all(i, i, true)", "1:12: duplicate variable name: i"),
        ("o.optMap(x.y, 1)", "1:11: optMap() variable name must be a simple identifier"),
        ("cel.bind(1, 1, 1)", "1:10: cel.bind() variable names must be simple identifiers"),
        ("math.least()", "1:1: math.least() requires at least one argument"),
        ("math.greatest('a')", "1:15: math.greatest() invalid single argument value"),
        ("math.least([1,2], [3])", "1:12: math.least() simple literal arguments must be numeric"),
        (
            "1.sortBy(x, x)",
            "1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        ),
        ("proto.hasExt(a, b)", "1:17: invalid extension field"),
    ] {
        assert_eq!(first(source), message, "{source}");
    }
}

#[test]
fn a_call_with_other_arguments_is_no_macro() {
    for source in [
        "has()",
        "x.map(y)",
        "[1].filter(i, v, p)",
        "cel.bind(x, 1)",
        "other.bind(x, 1, 2)",
        "a.existsOne(x, y)",
    ] {
        accepted(source);
    }
}

#[test]
fn limits() {
    let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    accepted(&nested(249));
    assert_ne!(problems(&nested(250)), "none");
    accepted(&format!("a{}", ".b".repeat(250)));
    assert_ne!(problems(&format!("a{}", ".b".repeat(251))), "none");
    accepted(&format!("1{}", "+1".repeat(250)));
    assert_ne!(problems(&format!("1{}", "+1".repeat(251))), "none");
    accepted(&format!("a{}", " && a".repeat(5000)));
    assert_eq!(
        problems(&" ".repeat(100_001)),
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    );
    accepted(&format!("'{}'", "é".repeat(99_998)));
    let doubled = format!("o{}", ".optMap(x, x)".repeat(30));
    assert!(problems(&doubled).contains("exceeds limit of 100000 while expanding macro 'optMap'"));
}

/// Every problem on its line, without the pictures.
fn all(source: &str) -> Vec<String> {
    let lines = problems(source);
    let lines = lines.lines().filter_map(|line| line.strip_prefix("ERROR: <input>:"));
    lines.map(|line| line.replace(": Syntax error: ", ": ").replace(OPERAND, "{E}")).collect()
}

/// What may begin an operand.
const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

#[test]
fn one_token_too_many_or_too_few_is_passed_over() {
    assert_eq!(all("(a + b"), ["1:7: missing ')' at '<EOF>'"]);
    assert_eq!(all("{x y, z: 1}"), ["1:4: missing ':' at 'y'"]);
    assert_eq!(all("* a"), ["1:1: extraneous input '*' expecting {E}"]);
    assert_eq!(all("g(a,, b)"), ["1:5: extraneous input ',' expecting {E}"]);
    assert_eq!(all("a b"), ["1:3: extraneous input 'b' expecting <EOF>"]);
    assert_eq!(all("a b c"), ["1:3: mismatched input 'b' expecting <EOF>"]);
    assert_eq!(all("[a b]"), ["1:4: extraneous input 'b' expecting {']', ','}"]);
}

#[test]
fn what_fits_no_alternative_is_named() {
    assert_eq!(all("x."), ["1:3: no viable alternative at input '.'"]);
    assert_eq!(all("x. 'y'"), ["1:4: no viable alternative at input '. 'y''"]);
    assert_eq!(all("x.null"), ["1:3: mismatched input 'null' expecting IDENTIFIER"]);
    assert_eq!(
        all("-\n"),
        ["2:1: no viable alternative at input '-\\n'", "2:1: mismatched input '<EOF>' expecting {E}"]
    );
}

#[test]
fn errors_behind_an_error_are_found() {
    assert_eq!(
        all("x.in()"),
        ["1:3: no viable alternative at input '.in'", "1:6: mismatched input ')' expecting {E}"]
    );
    assert_eq!(all("a ? b ? c : d"), ["1:7: mismatched input '?' expecting ':'"]);
    assert_eq!(
        all("# has(1) #"),
        [
            "1:1: token recognition error at: '#'",
            "1:7: invalid argument to has() macro",
            "1:10: token recognition error at: '#'",
        ]
    );
    assert_eq!(
        all("a.?"),
        [
            "1:4: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}",
            "1:4: unsupported ident kind"
        ]
    );
    assert_eq!(all(""), ["1:0: mismatched input '<EOF>' expecting {E}"]);
}

// What was learned of one text is used for the next.
#[test]
fn the_problems_of_a_text_do_not_depend_on_the_texts_before() {
    let texts = [
        "(a + b",
        "{x y, z: 1}",
        "* a",
        "g(a,, b)",
        "a b c",
        "[a b]",
        "x.",
        "x. 'y'",
        "-\n",
        "x.in()",
        "a ? b ? c : d",
        "a.?",
        "",
        "f(1)(2) + [1, {",
        "a.b{c: d, e} && !(x[1]",
        "1 + + 2 * (3",
        "a && || b ? : c",
        "(] (] (]",
    ];
    let alone = |text: &'static str| std::thread::spawn(move || problems(text)).join().unwrap();
    for (at, text) in texts.iter().enumerate() {
        texts.iter().cycle().skip(at).take(7).for_each(|other| assert_ne!(problems(other), "none"));
        assert_eq!(problems(text), alone(text), "{text}");
    }
}

#[test]
fn the_search_for_errors_has_an_end() {
    let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(all(&nested(250)), ["-1:0: expression recursion limit exceeded: 250"]);
    assert_eq!(all(&format!("a{}", ".b".repeat(251))), ["-1:0: max recursion depth exceeded"]);
    let many = all(&"#1".repeat(200));
    assert_eq!(
        (many.len(), many.last().map(String::as_str)),
        (100, Some("1:197: token recognition error at: '#'"))
    );
    let recovered = all(&"(] ".repeat(40));
    assert_eq!(
        recovered.last().map(String::as_str),
        Some("1:121: error recovery attempt limit exceeded: 30")
    );
    assert_eq!(all(&format!("1{}", "+1".repeat(251))), ["-1:0: max recursion depth exceeded"]);
    let sums = format!("{}1{}", "1+(".repeat(130), ")".repeat(130));
    assert_eq!(all(&sums), ["-1:0: expression recursion limit exceeded: 250"]);
    assert_eq!(
        all(&format!("has(a) + a{}", ".b".repeat(251))),
        ["-1:0: max recursion depth exceeded", "1:5: invalid argument to has() macro"]
    );
}
