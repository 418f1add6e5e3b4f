//! What the recorded suites do not show: integers of Go, lists of maps, names of an expression, examples of rows.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_jmespath::go_format::go_format;
use engine_jmespath::{Arg, EvalError, Function, Kind, Registry, Runtime, parse};
use engine_json::{Value, to_json};

#[track_caller]
fn check(text: &str, json: &str, wanted: &str) {
    let registry = Registry::standard();
    check_with(text, json, wanted, &registry);
}

#[track_caller]
fn check_with(text: &str, json: &str, wanted: &str, registry: &Registry) {
    let document = engine_json::parse(json).unwrap();
    let got = match parse(text).unwrap().search(&document, &Runtime::new(registry)) {
        Ok(value) => to_json(&value),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, wanted, "{text}");
}

#[test]
fn the_examples_of_all_functions_hold() {
    let registry = Registry::standard();
    assert_eq!(registry.iter().count(), 26);
    for function in registry.iter() {
        assert!(!function.examples.is_empty(), "{}", function.name);
        for (text, wanted) in function.examples {
            let wanted = to_json(&engine_json::parse(wanted).unwrap());
            check_with(text, "null", &wanted, &registry);
        }
    }
}

#[test]
fn missing_keys_are_errors_unless_something_above_asks_for_null() {
    let document = r#"{"a":{},"n":null}"#;
    check("b", document, r#"Unknown key "b" in path"#);
    check("a.b.c", document, r#"Unknown key "b" in path"#);
    check("a && b", document, "{}");
    check("@ && b", document, r#"Unknown key "b" in path"#);
    check("n.b", document, "null");
    check("b || 'x'", document, r#""x""#);
    check("b || c", document, "null");
    check("b | @", document, "null");
    check("b[*]", document, "null");
    check("b[]", document, "null");
    check("abs(b)[]", document, "null");
    check("[b, {c: c}]", document, r#"[null,{"c":null}]"#);
    check("!b", document, "true");
}

#[test]
fn integers_are_no_numbers() {
    let document = r#"{"i":2,"same":2,"f":2.5}"#;
    check("i > `1`", document, "null");
    check("i == `2`", document, "false");
    check("i == same", document, "true");
    check("f > `1`", document, "true");
    check("abs(i)", document, r#"Invalid type for: 2, expected: []jmespath.JpType{"number"}"#);
    check("type(i)", document, "unknown type");
    check("to_string(i)", document, r#""2""#);
}

#[test]
fn value_projections_begin_with_as_many_nulls() {
    check("@.*.to_string(@)", r#"{"b":1,"a":"x"}"#, r#"["null","null","x","1"]"#);
    check("@.*", r#"{"b":1,"a":null}"#, "[1]");
}

const ROWS: &[Function] = &[
    Function {
        name: "pairs",
        args: &[],
        returns: &[Kind::ArrayObject],
        note: "a list with Go's own type for lists of maps",
        examples: &[],
        run: |_, _| Ok(engine_json::parse(r#"[{"k":"a"},{"k":"b"}]"#).unwrap()),
    },
    Function {
        name: "sum",
        args: &[Arg::ARRAY],
        returns: &[Kind::String],
        note: "replaces the standard one",
        examples: &[],
        run: |call, _| Ok(Value::from(call.host().now())),
    },
];

#[test]
fn lists_of_maps_are_no_plain_lists() {
    let mut registry = Registry::standard();
    registry.extend(ROWS);
    check_with("length(pairs())", "null", "2", &registry);
    check_with("pairs('ignored')[1].k", "null", r#""b""#, &registry);
    check_with("pairs()[?k=='a'] | [0]", "null", r#"{"k":"a"}"#, &registry);
    check_with("pairs() == `[{\"k\":\"a\"},{\"k\":\"b\"}]`", "null", "false", &registry);
    let wanted = "interface conversion: interface {} is []map[string]interface {}, not []interface {}";
    check_with("reverse(pairs())", "null", wanted, &registry);
    check_with("type(pairs())", "null", "unknown type", &registry);
    check_with("sum(pairs())", "null", "0", &registry);
}

#[test]
fn where_the_original_panics_no_null_hides_it() {
    let document = r#"{"l":[{}],"o":{}}"#;
    let wanted = "runtime error: comparing uncomparable type map[string]interface {}";
    check("contains(l, o)[]", document, wanted);
    check(
        "merge('a')",
        document,
        "interface conversion: interface {} is string, not map[string]interface {}",
    );
    let error = parse("contains(l, o) || 'x'").unwrap();
    let registry = Registry::standard();
    let error = error.search(&engine_json::parse(document).unwrap(), &Runtime::new(&registry)).unwrap_err();
    assert!(matches!(error, EvalError::Crash { .. }), "{error:?}");
}

#[test]
fn an_expression_tells_its_names() {
    let expression = parse("request.object.spec[?x == y].[a, {k: b}] || max_by(l, &v) | z").unwrap();
    let names: Vec<&str> = expression.fields().collect();
    assert_eq!(names, ["request", "object", "spec", "a", "b", "x", "y", "l", "v", "z"]);
    assert_eq!(expression.root_fields().collect::<Vec<_>>(), ["request", "l"]);
    assert_eq!(parse("@.a.b || @ | c").unwrap().root_fields().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn parse_errors_have_places() {
    let error = |text| parse(text).map_err(|error| (error.offset, error.message)).unwrap_err();
    assert_eq!(error("a.b#"), (3, "SyntaxError: Unknown char: '#'".into()));
    assert_eq!(error("é.'x"), (0, r"SyntaxError: Unknown char: '\u00e9'".into()));
    assert_eq!(error("a[99999999999999999999]").0, 2);
    assert_eq!(
        error("a == `{b}`"),
        (7, "invalid character 'b' looking for beginning of object key string".into())
    );
    assert_eq!(error("f(a"), (3, "SyntaxError: Incomplete expression".into()));
}

#[test]
fn go_prints_and_reads_numbers_its_own_way() {
    let value = engine_json::parse(r#"{"b":[1e6,null,"x",true,0.00001],"a":{},"i":1000000}"#).unwrap();
    assert_eq!(go_format(&value), "map[a:map[] b:[1e+06 <nil> x true 1e-05] i:1000000]");
}
