//! Values of Kubernetes' and Kyverno's types where the language meets them: equality, keys, types, fields, errors.
//!
//! What is wanted was asked of the original's own environment (Kyverno 1.19).
#![expect(clippy::unwrap_used, reason = "what a test needs is there")]

use engine_cel::eval::{Binding, Input};
use engine_cel::value::{Numbers, Value};
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::environment::{Environment, Kind};
use engine_celpolicy::functions::outside::Handle;
use engine_json::to_json;
use std::sync::Arc;

/// An object as the CLI has it: all numbers are floats.
const OBJECT: &str = r#"{"object":{"n":3.0,"h":2.5,"l":9007199254740993.0,"e":1e21},"list":[{"p":[{"b":8080.0,"a":null},[1.5,true]]}]}"#;

/// The value as JSON or the error, and the cost.
fn run(source: &str) -> (String, u64) {
    let environment = Environment::new(Kind::Validating, false).unwrap();
    let compiled = match compile(source, &environment, Wanted::Any) {
        Ok(compiled) => compiled,
        Err(fault) => return (format!("compile: {}", fault.text), 0),
    };
    let handle = |type_name: &'static str| Binding::Value(Value::Opaque(Arc::new(Handle { type_name })));
    let object = engine_json::parse(OBJECT).unwrap();
    let bind = |name: &str| match name {
        "json" => handle("json.Json"),
        "http" => handle("http.Context"),
        "object" => Binding::Value(Value::json(&object, Numbers::Doubles)),
        "request" => Binding::Value(Value::json(&object, Numbers::Whole)),
        _ => Binding::Missing,
    };
    let bindings: Vec<Binding<'_>> = environment.variables.iter().map(|name| bind(name)).collect();
    let input = Input { variables: &bindings, limit: environment.limit, ..Input::default() };
    let evaluated = compiled.program.evaluate(&input);
    let text = match &evaluated.outcome {
        Ok(value) => to_json(&value.to_json()),
        Err(error) => format!("error: {error}"),
    };
    (text, evaluated.cost)
}

fn gives(rows: &[(&str, &str)]) {
    for (source, wanted) in rows {
        assert_eq!(run(source).0, *wanted, "{source}");
    }
}

// Kubernetes: a sum of quantities is a pointer, which `Equal` does not take for a quantity on its right.
#[test]
fn a_sum_of_quantities_is_equal_only_on_the_left() {
    gives(&[
        ("quantity('1').add(0) == quantity('1')", "true"),
        ("quantity('1') == quantity('1').add(0)", "error: no such overload"),
        ("quantity('1').add(0) == quantity('1').sub(0)", "error: no such overload"),
        ("quantity('1') != quantity('1').add(0)", "true"),
        ("quantity('1') in [quantity('1').add(0)]", "false"),
        ("[quantity('1').add(0), quantity('1')].distinct().size()", "2"),
        ("quantity('1').compareTo(quantity('1').add(0))", "0"),
    ]);
}

// A map or a list becomes a value of Go as a whole, and its keys are looked at after that.
#[test]
fn marshal_writes_maps_and_lists_of_any_depth() {
    gives(&[
        (
            "json.marshal([dyn({'a': {'b': [null]}}), dyn(b'1'), dyn(duration('1s'))])",
            "\"[{\\\"a\\\":{\\\"b\\\":[null]}},\\\"MQ==\\\",1000000000]\"",
        ),
        ("json.marshal(null)", "\"null\""),
        ("json.marshal(optional.of([{'a': 1}]))", "\"[{\\\"a\\\":1}]\""),
        (
            "json.marshal({1: 2})",
            "error: json: failed to convert CEL map to native map: unsupported type conversion from 'int' to string",
        ),
        (
            "json.marshal([int])",
            "error: json: failed to convert CEL list to native slice: type conversion not supported for 'type'",
        ),
        ("json.marshal([{true: 2}])", "error: json: unsupported map key type bool (original key type: bool)"),
        (
            "json.marshal(optional.of({2u: 2}))",
            "error: json: unsupported map key type uint64 (original key type: types.Uint)",
        ),
        (
            "json.marshal([dyn({1: double('NaN')}), dyn(json)])",
            "error: json: failed to convert CEL list to native slice: type conversion error from 'json.Json' to 'interface {}'",
        ),
        (
            "json.marshal([dyn(double('NaN')), dyn({1: 1})])",
            "error: json: unsupported map key type int64 (original key type: int64)",
        ),
        // Here the original ends without an answer.
        ("json.marshal(format.date())", "error: json: unsupported type: func(string) []string"),
        ("json.marshal(optional.of(format.date()))", "error: json: unsupported type: func(string) []string"),
    ]);
}

#[test]
fn a_tag_before_a_digest_is_known() {
    let digest = format!("sha256:{}", "0".repeat(64));
    for (image, wanted) in [
        (
            format!("a:5000/r/i:1.2@{digest}"),
            ["1.2".to_owned(), format!("1.2@{digest}"), format!("@{digest}")],
        ),
        (format!("a:5000/r/i@{digest}"), [String::new(), digest.clone(), format!("@{digest}")]),
        ("a:5000/r/i".to_owned(), ["latest".to_owned(), "latest".to_owned(), ":latest".to_owned()]),
    ] {
        for (function, wanted) in ["tag", "identifier", "identifierWithSeparator"].iter().zip(wanted) {
            assert_eq!(run(&format!("image('{image}').{function}()")).0, format!("\"{wanted}\""), "{image}");
        }
    }
}

#[test]
fn errors_name_types_as_go_does() {
    gives(&[
        ("dyn(quantity('1')).all(x, true)", "error: got 'cel.Quantity', expected iterable type"),
        ("dyn(quantity('1').add(1)).all(x, true)", "error: got '*cel.Quantity', expected iterable type"),
        ("dyn(json).all(x, true)", "error: got '*ext.nativeObj', expected iterable type"),
        ("{}[dyn(url('/a'))]", "error: invalid qualifier type: cel.URL"),
        (
            "dyn(ip('::1')).distinct()",
            "error: internal error: interface conversion: cel.IP is not traits.Lister: missing method Add",
        ),
        (
            "{dyn(semver('1.2.3')): 1} == {} || true",
            "error: internal error: runtime error: hash of unhashable type cel.Semver",
        ),
        (
            "{dyn(format.date()): 1} == {} || true",
            "error: internal error: runtime error: hash of unhashable type cel.Format",
        ),
    ]);
}

#[test]
fn fields_and_types_are_asked_as_go_is() {
    gives(&[
        ("size(dyn(ip('::1')))", "error: no such overload: size"),
        ("type(image('nginx'))", "error: type conversion error from 'kyverno.image' to 'type'"),
        ("has(parseServiceAccount('system:serviceaccount:a:b').Name)", "true"),
        ("has(parseServiceAccount('a').Name)", "false"),
        ("dyn(parseServiceAccount('a')).nope", "error: no such field: nope"),
        ("has(dyn(parseServiceAccount('a')).nope)", "error: no such field: nope"),
        ("dyn(parseServiceAccount('a'))[1]", "error: no such overload"),
        ("has(dyn(ip('::1')).x)", "false"),
        ("optional.ofNonZeroValue(parseServiceAccount('a')).hasValue()", "false"),
        ("json.marshal(dyn(format.date()))", "error: json: unsupported type: func(string) []string"),
    ]);
}

// Kubernetes: library/regex.go; what a constant pattern is read ahead for names no types.
#[test]
fn what_has_no_overload_is_not_named_behind_a_constant_pattern() {
    gives(&[
        ("dyn(1).find('a')", "error: no such overload"),
        ("dyn(1).find('a' + '')", "error: no such overload: find(int, string)"),
        ("'ab'.findAll('a', dyn(1.0))", "error: no such overload"),
        ("regex.extract(dyn(1), 'b').hasValue()", "error: no such overload: regex.extract(int, string)"),
    ]);
}

#[test]
fn a_network_is_charged_by_its_prefix() {
    for (source, wanted) in [
        ("cidr('::/0').containsIP('::1')", 2),
        ("cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/24'))", 6),
        ("cidr('10.0.0.0/8').containsCIDR(dyn(cidr('10.0.0.0/24')))", 7),
    ] {
        assert_eq!(run(source).1, wanted, "{source}");
    }
}

#[test]
fn a_pattern_that_is_read_ahead_takes_what_go_makes_of_a_value() {
    gives(&[
        ("dyn(optional.of(optional.of('abc'))).find('[a-z]+')", "\"abc\""),
        ("'abc'.findAll('[a-z]', dyn(optional.of(1)))", "[\"a\"]"),
        ("dyn(int).find('i')", "\"i\""),
        ("dyn(optional.of(1)).find('a')", "error: no such overload"),
        ("'abc'.find(dyn(optional.of('a')))", "error: no such overload: find(string, optional_type)"),
    ]);
}

#[test]
fn what_go_cannot_convert_is_refused() {
    let no_text = "error: type conversion error from 'user.ServiceAccount' to 'string'";
    gives(&[
        ("json.marshal(optional.of({'a': 1}))", "\"{\\\"a\\\":1}\""),
        ("json.marshal(optional.of(optional.of({})))", "\"{}\""),
        ("json.marshal(optional.of(url('/a?b').getQuery()))", "\"{\\\"b\\\":[\\\"\\\"]}\""),
        ("json.marshal(optional.of(json.unmarshal('{\"a\":1}')))", "\"{\\\"a\\\":1}\""),
        ("gzip.compress(parseServiceAccount('a'))", no_text),
        ("json.unmarshal(dyn(parseServiceAccount('a')))", no_text),
        ("gzip.compress(dyn(json))", "error: type conversion error from 'json.Json' to 'string'"),
    ]);
}

// Go: a structure has its fields in the order in which they are declared, a map its keys in theirs.
#[test]
fn a_url_is_written_as_the_structure_that_go_has() {
    let url = r#"{"Scheme":"https","Opaque":"","User":null,"Host":"a","Path":"","Fragment":"","RawQuery":"","RawPath":"","RawFragment":"","ForceQuery":false,"OmitHost":false}"#;
    let written = |text: &str| to_json(&engine_json::Value::from(text));
    gives(&[
        ("json.marshal(url('https://a'))", &written(url)),
        ("json.marshal([url('https://a')])", &written(&format!("[{url}]"))),
        ("json.marshal({'z': 1, 'a': 2})", &written(r#"{"a":2,"z":1}"#)),
        (
            "json.marshal(json.unmarshal('{\"b\":{\"z\":1,\"a\":2},\"a\":[]}'))",
            &written(r#"{"a":[],"b":{"a":2,"z":1}}"#),
        ),
    ]);
}

// The original panics, which is caught around the whole evaluation: nothing absorbs it, nothing around it is charged.
#[test]
fn a_function_that_panics_in_the_original_ends_the_evaluation() {
    let text = "error: internal error: interface conversion: interface {} is int64, not map[interface {}]interface {}";
    let call = "transform.listObjToMap([1], [1], 'a', 'a')";
    for (source, wanted) in [(call.to_owned(), 0), (format!("1 + 1 == 2 && {call} == {{}} || true"), 2)] {
        assert_eq!(run(&source), (text.to_owned(), wanted), "{source}");
    }
}

#[test]
fn a_type_nobody_knows_has_the_number_that_the_original_gives_it() {
    let (text, _) = run("object.?a[?'b'].exists(i, v, v)");
    assert!(text.contains("expression of type 'optional_type(_var4)' cannot be range"), "{text}");
}

// cel-go: runtimecost.go. An optional value has the size of what it holds; `json.encode` costs more than any limit, and what comes
// behind it makes it no cheaper.
#[test]
fn what_holds_nothing_costs_nothing_to_compare_and_no_sum_passes_over_the_limit() {
    for (source, cost) in [
        ("dyn(optional.of('')) == dyn(1)", 2),
        ("dyn(optional.of('a')) == dyn(1)", 3),
        ("dyn({'k': ''}.?k) == dyn(1)", 3),
    ] {
        assert_eq!(run(source), ("false".to_owned(), cost), "{source}");
    }
    let limit = "error: operation cancelled: actual cost limit exceeded";
    gives(&[
        ("json.encode('a')", limit),
        ("type(json.encode('a'))", limit),
        ("dyn(1) == dyn(json.encode('a'))", limit),
        ("string(dyn(json.encode('a')))", limit),
    ]);
}

// Kyverno: ConvertObjectToUnstructured writes a request as JSON and reads it again; the object is as the loader of resources has it.
#[test]
fn whole_numbers_of_a_request_are_integers() {
    gives(&[
        ("request.object.n % 2 == 1", "true"),
        ("type(request.object.n) == int && type(request.object.l) == int", "true"),
        ("type(request.object.h) == double && type(request.object.e) == double", "true"),
        ("request.object.l", "9007199254740992"),
        ("dyn(request.object) == object.object", "true"),
        ("object.object.n % 2 == 1", "error: no such overload: _%_"),
    ]);
}

// Go: `Unmarshal` into `interface{}` makes a float64 of every number.
#[test]
fn a_zero_of_json_keeps_its_sign() {
    gives(&[("1.0 / json.unmarshal('-0')", "\"-Inf\""), ("1.0 / json.unmarshal('[-0]')[0]", "\"-Inf\"")]);
}

// cel-go: baseList.String hands its elements to Go's `%v` as they are.
#[test]
fn a_list_of_a_document_is_printed_as_go_prints_it() {
    let wanted = "error: join: invalid input: {p: [map[a:<nil> b:8080], [1.5 true]]}";
    gives(&[("(['x'] + object.list).join()", wanted), ("(['x'] + dyn(request).list).join()", wanted)]);
}

// Kyverno: the contexts are structs of Go, which cel-go hands out as a whole and within nothing.
#[test]
fn a_context_is_written_as_its_structure() {
    gives(&[
        ("json.marshal(http)", r#""{\"ContextInterface\":{}}""#),
        ("json.marshal(json)", r#""{\"JsonIface\":{}}""#),
        (
            "json.marshal([http])",
            "error: json: failed to convert CEL list to native slice: type conversion error from 'http.Context' to 'interface {}'",
        ),
        (
            "json.marshal({'a': json})",
            "error: json: failed to convert CEL map to native map: type conversion error from 'json.Json' to 'interface {}'",
        ),
        (
            "json.marshal([parseServiceAccount('system:serviceaccount:a:b')])",
            "error: json: failed to convert CEL list to native slice: type conversion error from 'user.ServiceAccount' to 'interface {}'",
        ),
    ]);
}
