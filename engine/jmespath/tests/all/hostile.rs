//! An expression and its document are hostile input: every bound holds, nothing panics, nothing takes long.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use engine_jmespath::limits::{MAX_DEPTH, MAX_RESULT_DEPTH, MAX_STEPS, MAX_TEXT, MAX_WEIGHT, weigh};
use engine_jmespath::{EvalError, Registry, Runtime, parse};
use engine_json::Value;

fn search(text: &str, document: &Value) -> Result<Value, EvalError> {
    let registry = Registry::standard();
    parse(text).unwrap().search(document, &Runtime::new(&registry))
}

#[track_caller]
fn check_limit(text: &str, document: &Value, wanted: &str) {
    match search(text, document) {
        Err(EvalError::Limit { message }) => assert!(message.contains(wanted), "{message}"),
        other => panic!("{:?}", other.map(|_| "a value")),
    }
}

#[test]
fn deep_expressions_are_refused() {
    let wanted = format!("SyntaxError: the expression is nested deeper than {MAX_DEPTH} levels");
    let texts = [
        "(".repeat(100_000),
        "[".repeat(100_000),
        "!".repeat(100_000),
        "& ".repeat(100_000),
        "{a:".repeat(100_000),
        "f(".repeat(100_000),
        "a[?".repeat(100_000),
        format!("a{}", ".a".repeat(100_000)),
        format!("a{}", "|a".repeat(100_000)),
        format!("a{}", "[0]".repeat(100_000)),
        format!("a{}", "[]".repeat(100_000)),
        format!("a{}", "[*].a".repeat(100_000)),
    ];
    for text in texts {
        assert_eq!(parse(&text).unwrap_err().message, wanted, "{text:.8}");
    }
    assert!(parse(&format!("a{}", ".a".repeat(MAX_DEPTH - 1))).is_ok());
    let json = "[".repeat(100_000);
    assert!(parse(&format!("`{json}`")).is_err());
}

#[test]
fn the_deepest_expressions_fit_a_small_stack() {
    // A browser gives a module 1 MiB. A debug build needs three times the stack of a release build, which does
    // with less than 400 kB.
    let run = || {
        let document = engine_json::parse(r#"{"a":[1]}"#).unwrap();
        let levels = MAX_DEPTH - 2;
        let nested = |open: &str, close: &str| format!("{}@{}", open.repeat(levels), close.repeat(levels));
        let texts = [
            nested("[", "]"),
            nested("{a: ", "}"),
            nested("not_null(", ")"),
            nested("!", ""),
            format!("@{}", " | [@]".repeat(levels)),
            format!("@{}", "[*]".repeat(levels)),
            format!("{}@{}", "map(&".repeat(levels / 2), ", a)".repeat(levels / 2)),
            format!("{}@{}", "[?".repeat(levels), "]".repeat(levels)),
        ];
        for text in texts {
            let result = search(&text, &document);
            assert!(!matches!(result, Err(EvalError::Limit { .. })), "{text:.8}");
        }
    };
    std::thread::Builder::new()
        .stack_size(if cfg!(debug_assertions) { 5 << 18 } else { 3 << 17 })
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn values_that_double_at_each_stage_are_refused() {
    let document = engine_json::parse(r#"{"a":[1,2,3]}"#).unwrap();
    let stages = |stage: &str| vec![stage; 60].join(" | ");
    let heavy = format!("exceeds {MAX_WEIGHT} entries");
    check_limit(&stages("[@, @]"), &document, &heavy);
    check_limit(&stages("{a: @, b: @}"), &document, &heavy);
    check_limit(&stages("[@, @][]"), &document, &heavy);
    check_limit(&format!("{} == 'x'", stages("[@, @]")), &document, &heavy);
    check_limit(&format!("to_string({})", stages("[@, @]")), &document, &heavy);
    check_limit(&format!("abs({})", stages("[@, @]")), &document, &heavy);
    // An error that is not a limit would be null here.
    check_limit(&format!("({})[]", stages("[@, @]")), &document, &heavy);
}

#[test]
fn deep_values_are_refused() {
    let mut document = Value::Null;
    for _ in 0..MAX_RESULT_DEPTH {
        document = Value::array(vec![document]);
    }
    assert_eq!(weigh(&document), Ok(MAX_RESULT_DEPTH + 1));
    assert!(matches!(weigh(&Value::array(vec![document])), Err(EvalError::Limit { .. })));
    // A low tree of many stages, each of which wraps the value once.
    let stages = format!("({})", vec!["[@]"; 120].join("|"));
    let text = vec![stages.as_str(); 120].join("|");
    check_limit(&text, &Value::Bool(true), "nested deeper");
    check_limit(&text.replace("[@]", "to_array({a: @})"), &Value::Bool(true), "nested deeper");
}

#[test]
fn long_texts_are_refused() {
    let document = Value::from("x".repeat(100_000));
    let text = format!("join('', [{}])", vec!["@"; 100].join(","));
    check_limit(&text, &document, &format!("the text exceeds {MAX_TEXT} bytes"));
    check_limit(&format!("join('', [{}])|[@,@]", vec!["@"; 600].join(",")), &document, "exceeds");
}

#[test]
fn long_searches_are_refused() {
    let list: Vec<Value> = (0..3000).map(|n| Value::from(f64::from(n))).collect();
    let literal = engine_json::to_json(&Value::array(list.clone()));
    let text = format!("[?contains(`{literal}`, @) && length(`{literal}`[?@ == `-1`]) == `1`]");
    check_limit(&text, &Value::array(list), &format!("takes more than {MAX_STEPS} steps"));
}

#[test]
fn sorting_what_cannot_be_ordered_does_not_panic() {
    let texts: Vec<String> =
        (0..500).map(|n| if n % 3 == 0 { "NaN".into() } else { format!("{}", n * 7 % 50) }).collect();
    let document = Value::array(texts.iter().map(|text| Value::from(text.as_str())).collect());
    let sorted = search("sort(map(&to_number(@), @))", &document).unwrap();
    assert_eq!(sorted.as_array().map(<[_]>::len), Some(500));
    assert!(sorted.at(0).and_then(Value::as_f64).unwrap().is_nan());
    assert!(search("sort_by(@, &to_number(@))", &document).is_ok());
}

/// A small generator of random numbers (splitmix64), so that each run tries the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const ATOMS: [&str; 16] = [
    "a",
    "b",
    "l",
    "o",
    "zz",
    "@",
    "*",
    "[*]",
    "[]",
    "`1`",
    "`[1,[2],null]`",
    "'x'",
    "`{\"a\":[1]}`",
    "\"a b\"",
    "[0]",
    "&a",
];
const JOINTS: [&str; 14] =
    [".", "|", "||", "&&", "==", "<", " ", ",", "[]", "[*].", ".*.", "[?@].", "[::-1].", "."];
const CALLS: [&str; 9] = [
    "sort_by(l,&",
    "map(&",
    "max_by(l, &",
    "length(",
    "to_string(",
    "merge(@,",
    "contains(l,",
    "not_null(",
    "[",
];
const WORDS: [&str; 30] = [
    "a",
    ".",
    "[",
    "]",
    "[]",
    "[?",
    "(",
    ")",
    "{",
    "}",
    ":",
    ",",
    "*",
    "&",
    "&&",
    "|",
    "||",
    "!",
    "==",
    "=",
    "-",
    "-1",
    "@",
    "`",
    "'",
    "\"",
    "\\",
    "\u{80}",
    "é",
    "99999999999999999999",
];

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.pick(&ATOMS).into();
    }
    match random.below(8) {
        0..4 => {
            let left = expression(random, depth - 1);
            format!("{left}{}{}", random.pick(&JOINTS), expression(random, depth - 1))
        }
        4 => format!("[{}, {}]", expression(random, depth - 1), expression(random, depth - 1)),
        5 => format!("{{a: {}, b: {}}}", expression(random, depth - 1), expression(random, depth - 1)),
        6 => format!("({})", expression(random, depth - 1)),
        _ => {
            let call = random.pick(&CALLS);
            let end = if call == "[" {
                "]"
            } else if call == "map(&" {
                ", l)"
            } else {
                ")"
            };
            format!("{call}{}{end}", expression(random, depth - 1))
        }
    }
}

#[test]
fn random_texts_do_not_panic() {
    let document =
        r#"{"a":{"b":[1,2,{"a":"x"}]},"b":"text","l":[{"a":1},{"a":2},[3],null],"o":{"x":{},"y":[]}}"#;
    let document = engine_json::parse(document).unwrap().with_float_numbers();
    let registry = Registry::standard();
    let mut random = Random(1);
    let mut values = 0;
    for n in 0..30_000 {
        let text = match n % 3 {
            0 => (0..random.below(12)).map(|_| random.pick(&WORDS)).collect(),
            1 => {
                let bytes: Vec<u8> =
                    (0..random.below(24)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => {
                let depth = random.below(6);
                expression(&mut random, depth)
            }
        };
        if let Ok(expression) = parse(&text) {
            values += usize::from(expression.search(&document, &Runtime::new(&registry)).is_ok());
        }
    }
    assert!(values > 1000, "{values}");
}
