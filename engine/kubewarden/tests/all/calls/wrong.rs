//! Settings that cannot be used: each is refused, with the field, and with the line where it is a text.

use super::{CEL, LABELS, call, object, with_policies};
use engine_json::{Value, parse, to_json};

/// Why these settings are refused; `labels` stands for a policy that is well.
fn refused(settings: &str) -> String {
    let labels = to_json(&Value::from(LABELS));
    let answer = call("validate_settings", &settings.replace("LABELS", &labels));
    assert_eq!(answer.get("valid"), Some(&Value::Bool(false)), "{settings}");
    answer.find_str(&["message"]).to_owned()
}

/// Why a setting is refused beside a policy that is well.
fn beside(setting: &str) -> String {
    refused(&format!(r#"{{"policies":LABELS,{setting}}}"#))
}

/// Why a text is refused as `policies`.
fn policies(text: &str) -> String {
    refused(&with_policies(text, &[]))
}

/// Why a text is refused as `exceptions`.
fn exceptions(text: &str) -> String {
    refused(&with_policies(LABELS, &[("exceptions", Value::from(text))]))
}

const NOTHING: &str = "nothing decides: there is neither a policy in `policies` nor `podSecurity`";
const TEXT_OR_OBJECT: &str = "must be a YAML text or an object, or a list of both";

#[test]
fn what_is_not_settings() {
    assert_eq!(refused("[]"), "the settings must be an object; this is a list");
    assert_eq!(refused("7"), "the settings must be an object; this is a number");
    assert_eq!(refused("null"), NOTHING);
    assert_eq!(refused("{}"), NOTHING);
    let known = "`policies`, `exceptions`, `podSecurity`, `namespaceLabels`, `action`, `failurePolicy`";
    assert_eq!(refused(r#"{"polices":[]}"#), format!("`polices` is not a setting; there are {known}"));
}

#[test]
fn policies_of_the_wrong_form() {
    for (value, form) in [("7", "a number"), ("true", "a boolean")] {
        let said = refused(&format!(r#"{{"policies":{value}}}"#));
        assert_eq!(said, format!("`policies` {TEXT_OR_OBJECT}; this is {form}"));
        let said = beside(&format!(r#""exceptions":{value}"#));
        assert_eq!(said, format!("`exceptions` {TEXT_OR_OBJECT}; this is {form}"));
    }
    for (value, form) in [("7", "a number"), ("null", "null"), ("[]", "a list")] {
        let said = refused(&format!(r#"{{"policies":[LABELS,{value}]}}"#));
        assert_eq!(said, format!("`policies[1]` must be a YAML text or an object; this is {form}"));
    }
}

#[test]
fn policies_that_hold_nothing() {
    assert_eq!(refused(r#"{"policies":[]}"#), NOTHING);
    for text in ["", "\n", "---\n---\n", "# later\n---\n"] {
        assert_eq!(policies(text), "`policies` holds nothing but comments", "{text}");
        assert_eq!(exceptions(text), "`exceptions` holds nothing but comments", "{text}");
    }
    assert_eq!(refused(r#"{"policies":[LABELS,""]}"#), "`policies[1]` holds nothing but comments");
    assert_eq!(policies("{}"), "policies:1:1: a policy needs `apiVersion` and `kind`");
    let exception = "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: x, namespace: a}\nspec: {exceptions: [{policyName: labels, ruleNames: [team]}], match: {any: [{resources: {kinds: [Pod]}}]}}\n";
    assert_eq!(policies(exception), NOTHING);
}

#[test]
fn yaml_that_is_none_has_its_line() {
    for (text, said) in [
        ("a: [1\n", "2:1: did not find expected ',' or ']'"),
        ("a: 1\n b: 2\n", "2:3: mapping values are not allowed in this context"),
        ("\tkind: x\n", "1:1: found character that cannot start any token"),
        ("a: 'x\n", "2:1: found unexpected end of stream"),
        ("a: *b\n", "1:4: unknown anchor 'b' referenced"),
    ] {
        for (name, message) in [("policies", policies(text)), ("exceptions", exceptions(text))] {
            assert!(message.starts_with(&format!("{name}:{said}")), "{message}");
        }
    }
    let twice = LABELS.replace("spec:\n", "kind: ClusterPolicy\nspec:\n");
    assert!(
        policies(&twice).starts_with("policies:5:1: key \"kind\" already set in map"),
        "{}",
        policies(&twice)
    );
    // Within a text of several, and of several texts.
    let both = format!("{LABELS}---\na: [\n");
    assert!(policies(&both).starts_with("policies:15:1: "), "{}", policies(&both));
    let second = refused(r#"{"policies":[LABELS,"a: [1\n"]}"#);
    assert!(second.starts_with("policies[1]:2:1: "), "{second}");
}

#[test]
fn policies_that_are_wrong_have_their_lines() {
    let of = |from: &str, to: &str| policies(&LABELS.replacen(from, to, 1));
    for (message, said) in [
        (
            of("ClusterPolicy", "ClusterPolice"),
            "3:1: `kyverno.io/v1` `ClusterPolice` is not a policy (did you mean `ClusterPolicy`?)",
        ),
        (
            of("kyverno.io/v1", "kyverno.io/v9"),
            "3:1: `kyverno.io/v9` `ClusterPolicy` is not a policy (write `apiVersion: kyverno.io/v1`)",
        ),
        (
            of("kinds: [Pod]", "kinds: 7"),
            "8:32: `kinds` must be a list, this is a number (policy `labels` is not evaluated: Kyverno would not load it)",
        ),
        (of("kinds: [Pod]", "kindss: [Pod]"), "8:32: unknown field `kindss` (did you mean `kinds`?)"),
        (
            of("Enforce", "Refuse"),
            "9:16: `Refuse` is not one of `Audit`, `Enforce` (policy `labels` is not evaluated: Kyverno would not load it)",
        ),
        (of("pattern:", "patern:"), "9:78: unknown field `patern` (did you mean `pattern`?)"),
        (
            of("name: team", "name: owner"),
            "10:5: Kyverno refuses policy `labels`: spec.rules[1].name: Invalid value: {…}: Duplicate rule name: 'owner'",
        ),
        (policies("apiVersion: v1\nkind: ConfigMap\n"), "2:1: `v1` `ConfigMap` is not a policy"),
        (policies("kind: ClusterPolicy\n"), "1:1: a policy needs `apiVersion` and `kind`"),
        (policies("just text"), "1:1: a policy needs `apiVersion` and `kind`"),
        (
            policies("apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: x}\n"),
            "1:1: `spec` is required (policy `x` is not evaluated: Kyverno would not load it)",
        ),
        (
            policies(
                "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: x}\nspec: {rules: []}\n",
            ),
            "4:1: policy `x` has no rules",
        ),
        (
            policies(&CEL.replace("labels)", "labels")),
            "8:45: spec.validations[0].expression: Syntax error: missing ')' at '<EOF>'",
        ),
        (
            policies(&CEL.replace("has(object", "has(objekt")),
            "8:23: spec.validations[0].expression: undeclared reference to 'objekt' (in container '')",
        ),
        (
            policies(&CEL.replace("policies.kyverno.io/v1", "policies.kyverno.io/v9")),
            "2:1: `ValidatingPolicy` is not read in `policies.kyverno.io/v9`",
        ),
    ] {
        let message = message.split('\n').next().unwrap_or_default();
        assert!(message.starts_with(&format!("policies:{said}")), "{message}\n  expected {said}");
    }
    let as_object = engine_yaml::parse_one(&LABELS.replace("pattern:", "patern:")).unwrap();
    let said = refused(&to_json(&object(&[("policies", as_object)])));
    assert!(said.starts_with("policies:25:11: unknown field `patern`"), "{said}");
}

#[test]
fn a_policy_that_is_there_twice() {
    let said =
        "policies:14:1: ClusterPolicy `labels` is here already, at policies:2:1 (remove one of the two)";
    assert_eq!(policies(&format!("{LABELS}---{LABELS}")), said);
    let said =
        "policies[1]:2:1: ClusterPolicy `labels` is here already, at policies[0]:2:1 (remove one of the two)";
    assert_eq!(refused(r#"{"policies":[LABELS,LABELS]}"#), said);
    let other_kind = CEL.replace("name: cel", "name: labels");
    let both = call("validate_settings", &with_policies(&format!("{LABELS}---{other_kind}"), &[]));
    assert_eq!(both.get("valid"), Some(&Value::Bool(true)));
}

#[test]
fn policies_for_which_there_is_no_place() {
    let rule = |body: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: x}}\nspec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n{body}"
        )
    };
    let images = rule(
        "    verifyImages: [{imageReferences: ['*'], mutateDigest: false, attestors: [{entries: [{keys: {publicKeys: k8s://a/b}}]}]}]\n",
    );
    let said = policies(&images);
    assert!(
        said.starts_with("policies:6:5: policy `x`, rule `r` verifies images, which needs a registry"),
        "{said}"
    );
    let generates = rule(
        "    generate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {data: {a: b}}}\n",
    );
    let said = policies(&generates);
    assert!(said.starts_with("policies:1:1: policy `x` decides no request"), "{said}");
    let deletes = "apiVersion: policies.kyverno.io/v1\nkind: DeletingPolicy\nmetadata: {name: d}\nspec:\n  schedule: '* * * * *'\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [pods]}]}\n  conditions: [{name: a, expression: 'true'}]\n";
    let said = policies(deletes);
    assert!(said.starts_with("policies:1:1: policy `d` deletes objects"), "{said}");
}

#[test]
fn exceptions_that_are_wrong_have_their_lines() {
    let exception = "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: x, namespace: a}\nspec:\n  exceptions: [{policyName: labels, ruleNames: [team]}]\n  match: {any: [{resources: {kinds: [Pod]}}]}\n";
    let of = |from: &str, to: &str| exceptions(&exception.replace(from, to));
    for (message, said) in [
        (of("match:", "mach:"), "6:3: unknown field `mach` (did you mean `match`?)"),
        (of("[team]", "team"), "5:37: `ruleNames` must be a list, this is a string"),
        (of("kyverno.io/v2", "kyverno.io/v9"), "1:1: failed to parse document"),
        (of("PolicyException", "Exception"), "1:1: `kyverno.io/v2` `Exception` is not a PolicyException"),
        (exceptions("just text"), "1:1: an exception needs `apiVersion` and `kind`"),
        (exceptions(LABELS), "2:1: `kyverno.io/v1` `ClusterPolicy` is not a PolicyException"),
        (
            exceptions(
                "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: x, namespace: a}\nspec: {policyRefs: 7}\n",
            ),
            "4:8: `policyRefs` must be a list, this is a number",
        ),
    ] {
        assert!(message.starts_with(&format!("exceptions:{said}")), "{message}\n  expected {said}");
    }
}

#[test]
fn a_wrong_level_of_pod_security() {
    for (value, said) in [
        ("7", "`podSecurity` must be an object; this is a number"),
        (r#""restricted""#, "`podSecurity` must be an object; this is a string"),
        (
            r#"{"default":{}}"#,
            "`podSecurity.default` is not a field; there are `defaults`, `exemptions`, `apiVersion`, `kind`",
        ),
        (r#"{"defaults":7}"#, "`podSecurity.defaults` must be an object; this is a number"),
        (
            r#"{"defaults":{"enforce":7}}"#,
            "`podSecurity.defaults.enforce` must be a string; this is a number",
        ),
        (
            r#"{"defaults":{"enforced":"baseline"}}"#,
            "`podSecurity.defaults.enforced` is not a field; there are `enforce`, `enforce-version`, `audit`, `audit-version`, `warn`, `warn-version`",
        ),
        (
            r#"{"defaults":{"enforce":"strict"}}"#,
            "`podSecurity`: enforce: must be one of privileged, baseline, restricted",
        ),
        (
            r#"{"defaults":{"enforce-version":"1.30"}}"#,
            "`podSecurity`: enforce-version: must be \"latest\" or \"v1.x\"",
        ),
        (r#"{"exemptions":[]}"#, "`podSecurity.exemptions` must be an object; this is a list"),
        (
            r#"{"exemptions":{"users":[]}}"#,
            "`podSecurity.exemptions.users` is not a field; there are `usernames`, `runtimeClasses`, `namespaces`",
        ),
        (
            r#"{"exemptions":{"usernames":"ann"}}"#,
            "`podSecurity.exemptions.usernames` must be a list; this is a string",
        ),
        (
            r#"{"exemptions":{"usernames":[7]}}"#,
            "`podSecurity.exemptions.usernames[0]` must be a string; this is a number",
        ),
        (
            r#"{"exemptions":{"usernames":[""]}}"#,
            "`podSecurity`: exemptions.usernames[0]: Invalid value: \"\": username must not be empty",
        ),
        (
            r#"{"exemptions":{"namespaces":["a","a"]}}"#,
            "`podSecurity`: exemptions.namespaces[1]: Duplicate value: \"a\"",
        ),
        (r#"{"kind":"Config"}"#, "`podSecurity.kind` must be `PodSecurityConfiguration`, or not be there"),
        (
            r#"{"apiVersion":"v1"}"#,
            "`podSecurity.apiVersion` must be `pod-security.admission.config.k8s.io/v1`, or not be there",
        ),
    ] {
        assert_eq!(beside(&format!(r#""podSecurity":{value}"#)), said);
    }
}

#[test]
fn wrong_labels_of_namespaces() {
    for (value, said) in [
        ("[]", "`namespaceLabels` must be an object; this is a list"),
        (r#"{"shop":7}"#, "`namespaceLabels.shop` must be an object; this is a number"),
        (r#"{"shop":null}"#, "`namespaceLabels.shop` must be an object; this is null"),
        (r#"{"shop":{"team":7}}"#, "`namespaceLabels.shop.team` must be a string; this is a number"),
        (
            r#"{"Shop!":{}}"#,
            "`namespaceLabels.Shop!` is not the name of a Namespace: a lowercase RFC 1123 label must",
        ),
        (
            r#"{"shop":{"a b":"c"}}"#,
            "`namespaceLabels.shop.a b` is not the name of a label: name part must consist of",
        ),
        (
            r#"{"shop":{"a":"b c"}}"#,
            "`namespaceLabels.shop.a` is not a value of a label: a valid label must be",
        ),
    ] {
        let message = beside(&format!(r#""namespaceLabels":{value}"#));
        assert!(message.starts_with(said), "{message}");
    }
}

#[test]
fn wrong_actions() {
    for (name, wanted) in [("action", "`Enforce` or `Audit`"), ("failurePolicy", "`Fail` or `Ignore`")] {
        for (value, this) in [
            ("7", "a number"),
            (r#""enforce""#, "`enforce`"),
            (r#""ignore""#, "`ignore`"),
            (r#""""#, "``"),
            (r#"["Enforce"]"#, "a list"),
            ("{}", "an object"),
        ] {
            let said = beside(&format!(r#""{name}":{value}"#));
            assert_eq!(said, format!("`{name}` must be {wanted}; this is {this}"));
        }
    }
}

#[test]
fn a_setting_that_is_null_is_not_given() {
    let settings = format!(
        r#"{{"policies":{},"exceptions":null,"podSecurity":null,"namespaceLabels":null,"action":null,"failurePolicy":null}}"#,
        to_json(&Value::from(LABELS))
    );
    let answer = call("validate_settings", &settings);
    assert_eq!(answer, parse(r#"{"valid":true}"#).unwrap());
}
