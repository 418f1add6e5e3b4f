//! Evaluation held against what cel-go gives: values, errors, costs.

use super::*;
use crate::check::check;
use crate::env::Env;
use crate::function::Function;
use crate::program::Options;
use crate::types::Type;
use crate::value::Numbers;
use crate::{standard, syntax};
use engine_json::{Str, parse, to_json};

const MACROS: &[&[syntax::Macro]] = &[
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
];

const POD: &str = r#"{"metadata":{"name":"web-1","labels":{"app":"web","n":"42","tier":"front"}},
    "spec":{"hostNetwork":false,"containers":[
    {"name":"app","image":"ghcr.io/org/app:1.2","securityContext":{},"ports":[{"containerPort":8080}]},
    {"name":"istio-proxy","image":"docker.io/istio/proxyv2:1.20","securityContext":{"privileged":true}}]}}"#;

fn rows() -> impl Iterator<Item = &'static Function> {
    let libraries = [
        standard::OPTIONAL,
        standard::STRINGS,
        standard::STRINGS_REVERSE,
        standard::LISTS,
        standard::SETS,
        standard::ENCODERS,
        standard::REGEX,
        standard::TWO_VARIABLES,
    ];
    standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten()
}

/// The value as JSON, or the error, and the cost.
fn run(source: &str, limit: Option<u64>) -> (String, u64) {
    over(POD, source, limit)
}

/// The same over another document.
fn over(document: &str, source: &str, limit: Option<u64>) -> (String, u64) {
    let env = standard::with_types(Env::new(rows()).unwrap()).with_variable("object", Type::Dyn);
    let ast = syntax::parse(source, &syntax::Options { macros: MACROS, optional_syntax: true }).unwrap();
    let checked = check(&ast, &env);
    assert!(checked.issues.is_empty(), "{source}: {:?}", checked.issues);
    let names = [Str::from("object")];
    let options = Options { variables: &names, fold: true };
    let program = match Program::new(&ast, Some(&checked), &env, &options) {
        Ok(program) => program,
        Err(error) => return (format!("program: {error}"), 0),
    };
    let document = parse(document).unwrap();
    let bindings = [Binding::Value(Value::json(&document, Numbers::AsWritten))];
    let evaluated = program.evaluate(&Input { variables: &bindings, limit, ..Input::default() });
    let text = match &evaluated.outcome {
        Ok(value) => to_json(&value.to_json()),
        Err(error) => format!("error: {error}"),
    };
    (text, evaluated.cost)
}

fn gives(source: &str) -> String {
    run(source, None).0
}

#[test]
fn each_example_of_a_row_gives_what_the_row_says() {
    let mut count = 0;
    for row in rows() {
        for (example, wanted) in row.examples {
            assert_eq!(gives(example), *wanted, "{}: {example}", row.name);
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn errors_are_absorbed_where_another_part_decides() {
    for (source, wanted) in [
        ("1/0 == 1 || true", "true"),
        ("1/0 == 1 && false", "false"),
        ("(1/0 == 1) || (1 % 0 == 1)", "error: division by zero"),
        ("object.metadata.name || true", "true"),
        ("object.metadata.name && true", "error: no such overload"),
        ("dyn('a') ? 1 : 2", "error: no such overload"),
        ("true ? 1 : 1/0", "1"),
        ("[1, 2, 0].all(x, 1/x > 0)", "false"),
        ("[0, 1].all(x, 1/x > 0)", "error: division by zero"),
        ("[0, 1].exists(x, 1/x > 0)", "true"),
        ("[0, 1].exists_one(x, 1/x > 0)", "error: division by zero"),
        ("cel.bind(x, 1/0, true)", "true"),
        ("cel.bind(x, 1/0, x > 0 || true)", "true"),
        ("cel.bind(x, [1].map(y, y + 1), [5].map(z, z + x[0]))", "[7]"),
    ] {
        assert_eq!(gives(source), wanted, "{source}");
    }
}

// The last failing predicate of `filter` and `exists_one` is the error, the first failing element of `map`.
#[test]
fn of_several_errors_the_one_that_the_original_keeps_is_kept() {
    assert_eq!(gives("[0, 1].filter(x, x == 0 ? 1/x > 0 : 1 % (x - 1) > 0)"), "error: modulus by zero");
    assert_eq!(gives("[0, 1].map(x, x == 0 ? 1/x : 1 % (x - 1))"), "error: division by zero");
}

#[test]
fn what_cannot_be_selected_is_said_in_the_originals_words() {
    for (source, wanted) in [
        ("object.nope.x", "error: no such key: nope"),
        ("object[0]", "error: no such key: 0"),
        ("object.spec.containers[9]", "error: index out of bounds: 9"),
        ("object.spec.containers.name", "error: unsupported index type 'string' in list"),
        ("has(object.spec.containers.foo)", "error: unsupported index type 'string' in list"),
        ("[1,2][dyn(1.5)]", "error: unsupported index value 1.5 in list"),
        ("[1,2][dyn(1.0)]", "2"),
        ("object.metadata.name.foo", "error: no such key: foo"),
        ("has(object.metadata.name.foo)", "false"),
        ("object.?nope.x.y.hasValue()", "false"),
        ("object.?spec.containers[9].hasValue()", "false"),
        ("object[object]", "error: invalid qualifier type: map[string]interface {}"),
        ("object[dyn(object)]", "error: invalid qualifier type: *types.baseMap"),
        ("object.spec.containers.map(c, object[c.ports])", "error: invalid qualifier type: *types.baseList"),
        ("object.flatten(1)", "error: no such overload: map(dyn, dyn).flatten(int)"),
        ("object.sortBy(k, k)", "error: no such overload: @sortByAssociatedKeys"),
        ("{1: 'a'}[dyn(1.0)]", "\"a\""),
        ("object.metadata.labels + 'a'", "error: no such overload: _+_"),
        ("object.metadata.name + 1", "error: no such overload"),
        ("dyn(null) < 1", "error: no such overload: _<_"),
        ("int(dyn(true))", "program: no such overload: int(bool)"),
        ("dyn(1).all(x, true)", "error: got 'types.Int', expected iterable type"),
        ("dyn(1).all(k, v, true)", "error: unsupported comprehension range type: types.Int"),
        ("[1,1].transformMapEntry(i, v, {v: i})", "error: insert failed: key 1 already exists"),
        ("math.least(dyn(['a']))", "error: no such overload: math.@min(list)"),
        ("cel.bind(q, type(1), q == int)", "program: reference to undefined type: q"),
        ("[1].map(x, type(x)).exists(q, q == int)", "program: reference to undefined type: q"),
        ("cel.bind(int, type('a'), int == type(1))", "true"),
        ("optional.ofNonZeroValue(optional.none()).hasValue()", "true"),
        ("int('a')", "program: type conversion error from 'string' to 'int'"),
    ] {
        assert_eq!(gives(source), wanted, "{source}");
    }
}

// cel-go: its cost rules ask for lists and ints without looking; the panic is caught at the end of the evaluation.
#[test]
fn a_cost_rule_that_panics_in_the_original_ends_the_evaluation() {
    let list = |of: &str, method: &str| {
        format!(
            "error: internal error: interface conversion: {of} is not traits.Lister: missing method {method}"
        )
    };
    let int =
        |of: &str| format!("error: internal error: interface conversion: ref.Val is {of}, not types.Int");
    for (source, wanted) in [
        ("object.nope.distinct()", list("*types.Err", "Add")),
        ("[1/0].distinct() == [1] || true", list("*types.Err", "Add")),
        ("[[1/0].sort()].exists(l, true)", list("*types.Err", "Add")),
        ("[2, 1].sortBy(x, 1/0)", list("*types.Err", "Add")),
        ("dyn(1).distinct()", list("types.Int", "Contains")),
        ("dyn('a').distinct()", list("types.String", "Contains")),
        ("dyn(object).distinct()", list("*types.baseMap", "Add")),
        ("[1].flatten(dyn(1.0))", int("types.Double")),
        ("[1].flatten(1/0) == [] || true", int("*types.Err")),
        ("{dyn(object.metadata.name == '' ? b'a' : b'b'): 1} == {} || true", UNHASHABLE.to_owned()),
        ("{b'a': 1} == {} || true", UNHASHABLE.to_owned()),
        // Where the checker does not know the overload, nobody asks.
        ("object.nope.sort() == [1] || true", "true".to_owned()),
        ("[1/0].flatten(object.nope) == [1] || true", "true".to_owned()),
        ("true || [1/0].distinct() == [1]", "true".to_owned()),
    ] {
        assert_eq!(gives(source), wanted, "{source}");
    }
}

#[test]
fn a_field_is_found_wherever_it_stands_in_each_map() {
    let maps = r#"[{"a": 1, "b": 2, "c": 3}, {"c": 4, "a": 5}, {"b": 6}, {"b": 7, "c": 8, "a": 9}, {}]"#;
    let many = format!(
        "[{}]",
        (0..300).map(|at| format!("{{\"k{at}\": 0, \"a\": 1}}")).collect::<Vec<_>>().join(",")
    );
    let wide = format!(
        "[{{{}, \"a\": 7}}, {{\"a\": 8}}]",
        (0..300).map(|at| format!("\"k{at}\": 0")).collect::<Vec<_>>().join(",")
    );
    for (source, document, wanted) in [
        ("object.map(m, m.?a.orValue(0))", maps, "[1,5,0,9,0]"),
        ("object.map(m, has(m.a))", maps, "[true,true,false,true,false]"),
        ("(object + object).map(m, m.?c.orValue(0))", maps, "[3,4,0,8,0,3,4,0,8,0]"),
        (
            "object.map(m, m.?c.orValue(0))",
            r#"[{"a": 1, "b": 2, "c": 3}, {"c": 4}, {"b": 1, "c": 5}]"#,
            "[3,4,5]",
        ),
        ("object.all(m, m.a == 1)", &many, "true"),
        ("(object + object).map(m, m.a)", &wide, "[7,8,7,8]"),
    ] {
        assert_eq!(over(document, source, None).0, wanted, "{source}");
    }
}

// A listener hears of each sum on its own; without one they are put into one text.
#[test]
fn a_sum_of_many_parts_is_the_sum_of_sums() {
    struct Silent;
    impl<'v> Trace<'v> for Silent {
        fn value(&mut self, _: crate::ast::ExprId, _: Result<&Value<'v>, &Error>) {}
        fn decided(&mut self, _: crate::ast::ExprId, _: usize) {}
    }
    let env = standard::with_types(Env::new(rows()).unwrap()).with_variable("object", Type::Dyn);
    let names = [Str::from("object")];
    let pod = parse(POD).unwrap();
    for (source, wanted) in [
        ("'a' + object.metadata.name + 'é' + 'b'", "\"aweb-1éb\""),
        ("object.metadata.name + 'é' + object.metadata.name + '0123456789'", "\"web-1éweb-10123456789\""),
        ("dyn(1) + 2 + 3", "6"),
        ("dyn('a') + 'b' + dyn(3)", "error: no such overload"),
        ("dyn('a') + 'b' + object.nope", "error: no such key: nope"),
        ("dyn('a') + object.nope + 'b'", "error: no such key: nope"),
        ("object.nope + 'a' + 'b'", "error: no such key: nope"),
        ("[1] + [2] + dyn([3])", "[1,2,3]"),
        ("dyn({}) + dyn('a') + 'b'", "error: no such overload: _+_"),
        ("dyn('a') + 'b' + dyn(null)", "error: no such overload"),
        ("dyn('a') + dyn(1) + 'b' + 'c'", "error: no such overload"),
    ] {
        let ast = syntax::parse(source, &syntax::Options { macros: MACROS, optional_syntax: true }).unwrap();
        let checked = check(&ast, &env);
        assert!(checked.issues.is_empty(), "{source}: {:?}", checked.issues);
        let options = Options { variables: &names, fold: false };
        let program = Program::new(&ast, Some(&checked), &env, &options).unwrap();
        let bindings = [Binding::Value(Value::json(&pod, Numbers::AsWritten))];
        let input = Input { variables: &bindings, ..Input::default() };
        let (alone, traced) = (program.evaluate(&input), program.trace(&input, &mut Silent));
        let text = |of: &Evaluated<'_>| {
            let outcome = of.outcome.as_ref();
            outcome.map_or_else(|e| format!("error: {e}"), |value| to_json(&value.to_json()))
        };
        assert_eq!((text(&alone), text(&traced)), (wanted.to_owned(), wanted.to_owned()), "{source}");
        assert_eq!(alone.cost, traced.cost, "{source}");
        assert_eq!(alone.outcome.err(), traced.outcome.err(), "{source}");
    }
}

const UNHASHABLE: &str = "error: internal error: runtime error: hash of unhashable type types.Bytes";

// The table of the specification; `object` has the same shape there.
#[test]
fn expressions_cost_what_they_cost_in_the_original() {
    for (source, wanted) in [
        ("1", 0),
        ("1 + 1", 1),
        ("object", 1),
        ("object.metadata.name", 3),
        ("object.metadata['name']", 3),
        ("has(object.metadata.name)", 2),
        ("object.metadata.name == 'a'", 4),
        ("'a' == 'b'", 1),
        ("[1,2,3]", 0),
        ("[object, object]", 12),
        ("{'a': object}", 31),
        ("lists.range(10).map(x, x)", 152),
        ("lists.range(100).all(x, x >= 0)", 612),
        ("lists.range(10000).all(x, x >= 0)", 60_012),
        ("lists.range(100).size()", 112),
        ("lists.range(2000000).size() > 0", 13),
        ("'a'.matches('a')", 1),
        ("'aaaaaaaaaaaaaaaaaaaa'.matches('a')", 3),
        ("object.metadata.name.matches('^web')", 4),
        ("object.metadata.name.contains('a')", 4),
        ("object.metadata.name.startsWith('a')", 4),
        ("object.metadata.name in ['a','b']", 3),
        ("json.encode(1)", u64::MAX),
        ("['a','b'].join(',')", 1),
        ("'%s'.format(['a'])", 1),
        ("'abc'.replace('a','b')", 1),
        ("true ? 1 : 2", 0),
        ("true || false", 0),
        ("object.metadata.name == 'web-1' ? 1 : 2", 4),
        ("object.?spec.?nope", 2),
        ("cel.bind(x, object.metadata, x.name)", 4),
        ("[1,2].map(x, [3,4].map(y, x*y))", 87),
        ("object.spec.containers.all(c, c.image.startsWith('ghcr'))", 16),
        ("object.spec.containers.map(c, c.image)", 32),
        ("object.spec.containers.filter(c, has(c.securityContext))", 32),
        ("object.metadata.labels.all(k, v, v != '')", 16),
        ("[1,2].map(x, 0)", 5),
        ("[1,2].map(x, x > 1, 'a')", 7),
        ("[1,2].transformList(k, v, [3])", 5),
        ("[3,1,2].sort()", 29),
        ("[1,2,2].distinct()", 29),
        ("[[1],[2]].flatten()", 13),
        ("[1,2].slice(0,1)", 12),
        ("sets.contains([1,2],[1])", 3),
        ("base64.encode(b'abc')", 2),
        ("regex.extract('abc','b')", 3),
        ("regex.extract('','')", 3),
        ("regex.replace('abc','b','c')", 4),
        ("[type(1), type(duration('1s'))]", 0),
        ("'%s'.format([type(1)])", 1),
        // What panics in the original is charged no more, and neither is what stands around it.
        ("dyn(1).distinct().size()", 0),
        ("[dyn(1).distinct()].flatten().size()", 0),
        ("{'a': size(object.metadata.distinct())}", 2),
        ("{dyn(object.metadata.name == '' ? b'a' : b'b'): 1}", 4),
    ] {
        assert_eq!(run(source, None).1, wanted, "{source}");
    }
}

#[test]
fn the_cost_limit_ends_the_evaluation_and_nothing_absorbs_it() {
    let limit = Some(1_000_000);
    let exceeded = "error: operation cancelled: actual cost limit exceeded";
    assert_eq!(run("lists.range(200000).all(x, x >= 0) || true", limit).0, exceeded);
    assert_eq!(run("json.encode(1)", limit).0, exceeded);
    assert_eq!(run("lists.range(1000).all(x, x >= 0)", limit).0, "true");
}

#[test]
fn a_value_takes_three_words_and_a_step_two() {
    assert_eq!(size_of::<Value<'_>>(), 24);
    assert_eq!(size_of::<Outcome<'_>>(), 24);
    assert!(size_of::<Node>() <= 20, "{}", size_of::<Node>());
}

#[test]
fn a_listener_hears_values_and_what_decided() {
    #[derive(Default)]
    struct Heard(Vec<String>);
    impl<'v> Trace<'v> for Heard {
        fn value(&mut self, node: crate::ast::ExprId, value: Result<&Value<'v>, &Error>) {
            let value = value.map_or_else(|e| format!("error: {e}"), |value| to_json(&value.to_json()));
            self.0.push(format!("{} {value}", node.index()));
        }
        fn decided(&mut self, _: crate::ast::ExprId, by: usize) {
            self.0.push(format!("decided by {by}"));
        }
    }
    let env = standard::with_types(Env::new(rows()).unwrap());
    let ast =
        syntax::parse("[1, 0].all(x, x > 0)", &syntax::Options { macros: MACROS, optional_syntax: true })
            .unwrap();
    let checked = check(&ast, &env);
    let program = Program::new(&ast, Some(&checked), &env, &Options { variables: &[], fold: true }).unwrap();
    let mut heard = Heard::default();
    let evaluated = program.trace(&Input::default(), &mut heard);
    assert_eq!(evaluated.outcome.unwrap().as_bool(), Some(false));
    assert!(heard.0.iter().any(|line| line == "decided by 1"), "{:?}", heard.0);
    assert_eq!(heard.0.iter().filter(|line| line.ends_with(" true")).count(), 1);
}

// Compared one by one, they would exceed the bound of comparisons.
#[test]
fn long_lists_of_texts_and_numbers_are_looked_up() {
    let list =
        |of: fn(u32) -> String, count| format!("[{}]", (0..count).map(of).collect::<Vec<_>>().join(","));
    let over_list = |list: String, source: &str| over(&format!("{{\"l\":{list}}}"), source, None).0;
    let texts = list(|at| format!("\"v{at}\""), 12_000);
    let numbers = list(|at| format!("{}", f64::from(at) / 2.0), 12_000);
    for source in [
        "object.l.distinct().size()",
        "sets.contains(object.l, object.l)",
        "sets.equivalent(object.l, object.l)",
    ] {
        let wanted = if source.ends_with("size()") { "12000" } else { "true" };
        assert_eq!(over_list(texts.clone(), source), wanted, "{source}");
        assert_eq!(over_list(numbers.clone(), source), wanted, "{source}");
    }
}

#[test]
fn what_is_equal_has_one_key() {
    let many =
        "[0, 1u, 2.0, 3.5, -0.0, 'a', null, true, [1], {'a': 1}, b'a', 9007199254740993, 1e300].map(x, x)";
    let all = format!(
        "[0.0, 1, 2u, 3.5, 'a', null, true, [1.0], {{'a': 1u}}, b'a', 9007199254740993, 1e300]{}",
        ".map(x, x)"
    );
    let twice = format!("{many} + {many}");
    assert_eq!(gives(&format!("sets.equivalent({twice}, {all} + {all})")), "true");
    assert_eq!(gives("sets.intersects(lists.range(300), dyn([-1.0, 0.5, 300.0]))"), "false");
    assert_eq!(gives("sets.intersects(lists.range(300), dyn([-1.0, 0.5, 299.0]))"), "true");
    // A double is equal to each of the whole numbers that it stands for.
    let large = "lists.range(300).map(x, 9007199254740993 + x)";
    assert_eq!(gives(&format!("sets.intersects({large}, dyn([9007199254740992.0]))")), "true");
    assert_eq!(gives("dyn(9007199254740993) == 9007199254740992.0"), "true");
    assert_eq!(
        gives("[1, 1.0, 1u, 2, 2.0, 0.5, 0.5, 'a', 'a', [1], [1.0], null, null].distinct().size()"),
        "6"
    );
}
