//! A function whose argument or bound changes is found, whichever it is: values on both sides of it are tried.
//!
//! Not found, as no value can be made of the result: `md5`, `sha1`, `sha256`, `gzip`, certificates and tokens.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

/// Expressions about the text `@`; the second differs from the first in one thing.
const IN_CEL: &[[&str; 2]] = &[
    ["@.trim() == 'x'", "@ == 'x'"],
    ["@.charAt(1) == 'b'", "@.charAt(2) == 'b'"],
    ["@.substring(1) == 'ab'", "@.substring(2) == 'ab'"],
    ["@.substring(0, 2) == 'ab'", "@.substring(0, 3) == 'ab'"],
    ["@.indexOf('.') == 1", "@.lastIndexOf('.') == 1"],
    ["@.indexOf('.') == 2", "@.indexOf('.') == 3"],
    ["@.split('-')[0] == 'a'", "@.split('-')[1] == 'a'"],
    ["@.split('-').size() == 3", "@.split('-').size() == 4"],
    ["@.split('-', 2)[1] == 'a'", "@.split('-', 3)[1] == 'a'"],
    ["@.split('-').join('') == 'ab'", "@.split('-').join('.') == 'ab'"],
    ["@.replace('-', '.') == 'a.b'", "@.replace('-', '.', 0) == 'a.b'"],
    ["@.replace('a', 'b') == 'bb'", "@.replace('a', 'b', 1) == 'bb'"],
    ["@.lowerAscii() == 'abc'", "@ == 'abc'"],
    ["@.upperAscii() == 'ABC'", "@ == 'ABC'"],
    ["@.matches('^[a-f]{2,4}$')", "@.matches('^[a-g]{2,4}$')"],
    ["@.matches('^[a-f]{2,4}$')", "@.matches('^[a-f]{2,5}$')"],
    ["@.matches('(?i)^yes$')", "@.matches('^yes$')"],
    ["@.find('[0-9]+') == '12'", "@.find('^[0-9]+') == '12'"],
    ["@.findAll('[0-9]').size() == 2", "@.findAll('[0-9]').size() == 3"],
    ["regex.replace(@, '[0-9]+', '') == 'ab'", "@ == 'ab'"],
    ["@.size() == 12", "@.size() == 13"],
    ["@.contains('ab')", "@.startsWith('ab')"],
    ["'%s-x'.format([@]) == 'a-x'", "'%s-x'.format([@]) == 'b-x'"],
    ["'pre-' + @ == 'pre-a'", "'pre-' + @ == 'pre-b'"],
    ["base64.decode(@) == b'abc'", "base64.decode(@) == b'abd'"],
    ["string(base64.decode(@)) == 'abc'", "string(base64.decode(@)) == 'abd'"],
    ["int(@) % 3 == 1", "int(@) % 4 == 1"],
    ["int(@) * 3 == 12", "int(@) * 4 == 12"],
    ["int(@) / 3 == 4", "int(@) / 4 == 4"],
    ["int(@) + 7 == 100", "int(@) + 8 == 100"],
    ["int(@) - 7 > 100", "int(@) - 7 >= 100"],
    ["double(@) > 1.5", "double(@) >= 1.5"],
    ["math.abs(int(@)) == 5", "int(@) == 5"],
    ["math.ceil(double(@)) == 3.0", "math.floor(double(@)) == 3.0"],
    ["math.round(double(@)) == 3.0", "math.trunc(double(@)) == 3.0"],
    ["math.greatest(int(@), 10) == 10", "math.greatest(int(@), 11) == 11"],
    ["math.bitAnd(int(@), 6) == 4", "math.bitAnd(int(@), 4) == 4"],
    ["math.sign(int(@)) == 1", "math.sign(int(@)) >= 0"],
    ["quantity(@).isGreaterThan(quantity('1Gi'))", "quantity(@).isGreaterThan(quantity('1025Mi'))"],
    ["quantity(@).compareTo(quantity('500m')) == 0", "@ == '500m'"],
    [
        "quantity(@).add(quantity('1Gi')).compareTo(quantity('3Gi')) > 0",
        "quantity(@).add(quantity('2Gi')).compareTo(quantity('3Gi')) > 0",
    ],
    ["quantity(@).sub(1).asInteger() == 4", "quantity(@).sub(2).asInteger() == 4"],
    ["quantity(@).isInteger()", "isQuantity(@)"],
    ["duration(@) > duration('1h')", "duration(@) >= duration('1h')"],
    ["duration(@) == duration('90m')", "@ == '90m'"],
    ["duration(@).getMinutes() == 90", "duration(@).getMinutes() == 91"],
    ["timestamp(@) > timestamp('2026-01-01T00:00:00Z')", "timestamp(@) >= timestamp('2026-01-01T00:00:00Z')"],
    ["timestamp(@).getHours() == 9", "timestamp(@).getHours('Asia/Tokyo') == 9"],
    ["timestamp(@).getMonth() == 2", "timestamp(@).getMonth() == 3"],
    ["timestamp(@).getDayOfWeek() == 2", "timestamp(@).getDayOfWeek('America/New_York') == 2"],
    ["timestamp(@).getDate() == 9", "timestamp(@).getDayOfMonth() == 9"],
    ["timestamp(@).getDayOfYear() == 59", "timestamp(@).getDayOfYear() == 60"],
    ["timestamp(@).getMinutes() == 30", "timestamp(@).getMinutes() == 31"],
    ["timestamp(@).getMilliseconds() == 5", "timestamp(@).getMilliseconds() == 6"],
    ["isIP(@)", "isIP(@) && ip(@).family() == 4"],
    ["ip(@).isLoopback()", "isIP(@)"],
    ["ip.isCanonical(@)", "isIP(@)"],
    // Of IPv4 there is one spelling that `ip` takes, of IPv6 there are several.
    ["ip(@) == ip('::1')", "@ == '::1'"],
    ["ip(@) == ip('10.0.0.1')", "ip(@) == ip('10.0.0.2')"],
    ["ip(@).isLinkLocalUnicast()", "ip(@).isLinkLocalMulticast()"],
    ["cidr('10.0.0.0/8').containsIP(@)", "cidr('10.0.0.0/9').containsIP(@)"],
    ["cidr('10.0.0.0/8').containsCIDR(@)", "cidr('10.0.0.0/9').containsCIDR(@)"],
    ["cidr(@).prefixLength() == 8", "cidr(@).prefixLength() == 9"],
    ["cidr(@).masked() == cidr('10.0.0.0/8')", "cidr(@) == cidr('10.0.0.0/8')"],
    ["url(@).getHost() == 'a.b'", "url(@).getHostname() == 'a.b'"],
    ["url(@).getScheme() == 'https'", "url(@).getScheme() == 'http'"],
    ["url(@).getPort() == '8080'", "url(@).getPort() == '8081'"],
    ["url(@).getEscapedPath() == '/a'", "url(@).getEscapedPath() == '/b'"],
    ["isURL(@)", "isURL(@) && url(@).getScheme() == 'https'"],
    ["semver(@).isGreaterThan(semver('1.2.3'))", "semver(@).isGreaterThan(semver('1.2.4'))"],
    ["semver(@).minor() == 3", "semver(@).minor() == 4"],
    ["isSemver(@)", "isSemver(@) && semver(@).major() > 1"],
    ["image(@).registry() == 'a.io'", "image(@).registry() == 'b.io'"],
    ["image(@).tag() == 'v1'", "image(@).tag() == 'v2'"],
    ["format.dns1123Label().validate(@).hasValue()", "format.dns1123Subdomain().validate(@).hasValue()"],
    ["@ in ['a', 'b']", "@ in ['a', 'c']"],
    ["sets.contains(['a', 'b'], @.split(','))", "sets.equivalent(['a', 'b'], @.split(','))"],
    ["@.split(',').sort() == ['a', 'b']", "@.split(',') == ['a', 'b']"],
    ["@.split(',').distinct().size() == 2", "@.split(',').size() == 2"],
    ["@.split(',').slice(1, 2) == ['a']", "@.split(',').slice(0, 1) == ['a']"],
    ["@.split(',').reverse()[0] == 'a'", "@.split(',')[0] == 'a'"],
    ["@.split(',').all(i, e, e == 'a' || i > 0)", "@.split(',').all(e, e == 'a')"],
    ["@.split(',').exists_one(e, e == 'a')", "@.split(',').exists(e, e == 'a')"],
    ["@.split(',').map(e, e + 'x').join('') == 'axbx'", "@ == 'a,b'"],
    ["@.split(',').isSorted()", "@.split(',').size() >= 1"],
    ["@.split(',').indexOf('a') == 1", "@.split(',').indexOf('a') == 2"],
    ["optional.of(@).optMap(v, v.trim()).orValue('') == 'x'", "@ == 'x'"],
    ["optional.ofNonZeroValue(@).hasValue()", "true"],
    ["@.charAt(0) == 't' && @.size() > 4", "@.charAt(0) == 't' && @.size() >= 4"],
    ["@.charAt(0) == 't' && @.size() <= 10", "@.charAt(0) == 't' && @.size() < 10"],
    ["@.endsWith('t') && @.size() < 7", "@.endsWith('t') && @.size() < 8"],
    ["int(@) > 1000000", "int(@) > 1000001"],
    ["string(int(@)) == @", "true"],
    ["json.unmarshal(@).a == 'b'", "json.unmarshal(@).a == 'c'"],
    ["bool(@)", "@ == 'true'"],
    ["strings.quote(@) == '\"a\"'", "@ == 'b'"],
];

/// The same in JMESPath, each with what it equals.
const IN_JMESPATH: &[[(&str, &str); 2]] = &[
    [("trim(@, ' ')", "'x'"), ("@", "'x'")],
    [("to_upper(@)", "'ABC'"), ("@", "'ABC'")],
    [("to_lower(@)", "'abc'"), ("@", "'abc'")],
    [("trim_prefix(@, 'a-')", "'b'"), ("@", "'b'")],
    [("split(@, '-')[0]", "'a'"), ("split(@, '-')[1]", "'a'")],
    [("regex_replace_all('[0-9]+', @, '')", "'ab'"), ("@", "'ab'")],
    [("truncate(@, `2`)", "'ab'"), ("truncate(@, `3`)", "'ab'")],
    [("base64_decode(@)", "'abc'"), ("base64_decode(@)", "'abd'")],
    [("path_canonicalize(@)", "'/a/b'"), ("@", "'/a/b'")],
    [("regex_match('^[a-f]{2,4}$', @)", "true"), ("regex_match('^[a-f]{2,5}$', @)", "true")],
    [("pattern_match('a*', @)", "true"), ("pattern_match('a*b', @)", "true")],
    [("starts_with(@, 'ab')", "true"), ("contains(@, 'ab')", "true")],
    [("semver_compare(@, '>=1.2.3')", "true"), ("semver_compare(@, '>=1.2.4')", "true")],
    [("to_number(@)", "5"), ("to_number(@)", "6")],
    [("length(@)", "12"), ("length(@)", "13")],
    [("reverse(@)", "'abc'"), ("@", "'abc'")],
    [("equal_fold(@, 'abc')", "true"), ("@", "'abc'")],
    [("time_after(@, '2026-01-01T00:00:00Z')", "true"), ("time_after(@, '2026-01-01T00:00:01Z')", "true")],
    [("add(to_number(@), `3`)", "10"), ("add(to_number(@), `4`)", "10")],
    [("modulo(to_number(@), `3`)", "1"), ("modulo(to_number(@), `4`)", "1")],
    [("round(to_number(@), `0`)", "3"), ("to_number(@)", "3")],
    [("parse_json(@).a", "'b'"), ("parse_json(@).a", "'c'")],
    [("parse_yaml(@).a", "'b'"), ("parse_yaml(@).a", "'c'")],
    [("join('', split(@, ','))", "'ab'"), ("@", "'ab'")],
    [("length(split(@, ','))", "3"), ("length(split(@, ','))", "4")],
    [("time_add(@, '1h')", "'2026-01-01T00:00:00Z'"), ("time_add(@, '2h')", "'2026-01-01T00:00:00Z'")],
    [("ends_with(@, 'ab')", "true"), ("contains(@, 'ab')", "true")],
    [("is_external_url(@)", "true"), ("is_external_url(@)", "false")],
    [("to_boolean(@)", "true"), ("@", "'true'")],
    [
        ("items(request.object.data || `{}`, 'k', 'v')[?starts_with(k, 'pw')].v | [0]", "'x'"),
        ("items(request.object.data || `{}`, 'k', 'v')[?contains(k, 'pw')].v | [0]", "'x'"),
    ],
    [
        ("items(request.object.data || `{}`, 'k', 'v')[?k == 'a'].v | [0]", "'x'"),
        ("items(request.object.data || `{}`, 'k', 'v')[?k == 'b'].v | [0]", "'x'"),
    ],
];

fn is_found(old: String, new: String) -> bool {
    let text = |text: String| vec![Text { name: "policy.yaml".into(), text }];
    let world = engine::world::StaticWorld::default();
    let options = Options { max_requests: 4_000, mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true).grade == Grade::Different
}

fn in_cel(expression: &str) -> String {
    let expression = engine_json::to_json(&engine_json::Value::from(expression.replace('@', "variables.v")));
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}}]}}, \
         matchConditions: [{{name: c, expression: \"'a' in object.metadata.?annotations.orValue({{}})\"}}], \
         variables: [{{name: v, expression: object.metadata.annotations.a}}], \
         validations: [{{message: refused, expression: {expression}}}]}}}}"
    )
}

fn in_jmespath((expression, value): (&str, &str)) -> String {
    let key = format!("{{{{ {} }}}}", expression.replace('@', "request.object.metadata.annotations.a"));
    let key = engine_json::to_json(&engine_json::Value::from(key));
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{background: false, rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [ConfigMap]}}}}]}}, \
         preconditions: {{all: [{{key: \"{{{{ request.object.metadata.annotations.a || '' }}}}\", operator: NotEquals, value: ''}}]}}, \
         validate: {{failureAction: Enforce, message: refused, deny: {{conditions: {{any: [{{key: {key}, operator: Equals, value: {value}}}]}}}}}}}}]}}}}"
    )
}

#[test]
fn a_change_to_a_function_of_cel_is_found() {
    let missed: Vec<_> = IN_CEL.iter().filter(|[old, new]| !is_found(in_cel(old), in_cel(new))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_change_to_a_function_of_jmespath_is_found() {
    let is_missed = |[old, new]: &&[(&str, &str); 2]| !is_found(in_jmespath(*old), in_jmespath(*new));
    let missed: Vec<_> = IN_JMESPATH.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
