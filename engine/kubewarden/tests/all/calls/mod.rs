//! Calls as a host makes them.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

mod asked;
mod wrong;

use engine_json::{Map, Value, parse, to_json};
use engine_kubewarden::{Guest, Host, Nowhere};

fn call(operation: &str, payload: &str) -> Value {
    let answer = Guest::default().call(operation, payload.as_bytes(), &Nowhere).unwrap();
    parse(&String::from_utf8(answer).unwrap()).unwrap()
}

fn object(entries: &[(&str, Value)]) -> Value {
    Value::object(entries.iter().cloned().collect::<Map>())
}

fn validate(settings: &str, request: &str) -> Value {
    call("validate", &format!(r#"{{"settings":{settings},"request":{request}}}"#))
}

fn with_policies(policies: &str, more: &[(&str, Value)]) -> String {
    let mut entries = vec![("policies", Value::from(policies))];
    entries.extend_from_slice(more);
    to_json(&object(&entries))
}

fn create(pod: &str) -> String {
    format!(
        r#"{{"uid":"1","operation":"CREATE","name":"web","namespace":"shop","kind":{{"group":"","version":"v1","kind":"Pod"}},
        "resource":{{"group":"","version":"v1","resource":"pods"}},"userInfo":{{"username":"ann"}},"object":{pod}}}"#
    )
}

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"name":"c","image":"nginx"}],"activeDeadlineSeconds":9007199254740993}}"#;

const LABELS: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, message: The label team is required., pattern: {metadata: {labels: {team: '?*'}}}}
  - name: owner
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Audit, message: The label owner is required., pattern: {metadata: {labels: {owner: '?*'}}}}
";

const ADDS: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: adds}
spec:
  background: false
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {+(team): '{{request.userInfo.username}}-{{request.uid}}'}}}}
";

const CEL: &str = "
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations:
  - {expression: \"has(object.metadata.labels)\", message: no labels}
";

#[test]
fn the_protocol_is_the_first_one() {
    assert_eq!(call("protocol_version", ""), Value::from("v1"));
    assert!(Guest::default().call("other", b"", &Nowhere).is_err());
}

#[test]
fn a_refusal_has_the_words_of_the_webhook() {
    let answer = validate(&with_policies(LABELS, &[]), &create(POD));
    assert_eq!(answer.get("accepted"), Some(&Value::Bool(false)));
    assert_eq!(
        answer.find_str(&["message"]),
        "\n\nresource Pod/shop/web was blocked due to the following policies \n\nlabels:\n  team: 'validation error: The label team is \
         required. rule team failed at path /metadata/labels/'\n"
    );
    assert_eq!(answer.get("code").and_then(Value::as_i64), Some(400));
    let said =
        "fail: validation error: The label owner is required. rule owner failed at path /metadata/labels/";
    assert_eq!(answer.find_str(&["audit_annotations", "labels.owner"]), said);
}

#[test]
fn an_action_of_the_settings_goes_before_those_of_policies() {
    let audit = with_policies(LABELS, &[("action", Value::from("Audit"))]);
    assert_eq!(validate(&audit, &create(POD)).get("accepted"), Some(&Value::Bool(true)));
    let enforce = with_policies(LABELS, &[("action", Value::from("Enforce"))]);
    let answer = validate(&enforce, &create(POD));
    assert!(answer.find_str(&["message"]).contains("\n  owner: 'validation error: The label owner"));
}

#[test]
fn what_is_mutated_is_validated_and_given_back() {
    let answer = validate(&with_policies(&format!("{ADDS}---{LABELS}"), &[]), &create(POD));
    assert_eq!(answer.get("accepted"), Some(&Value::Bool(true)), "{}", to_json(&answer));
    let mutated = answer.get("mutated_object").unwrap();
    assert_eq!(mutated.find_str(&["metadata", "labels", "team"]), "ann-1");
    // It has no `float64`.
    let deadline = mutated.find(&["spec", "activeDeadlineSeconds"]).and_then(Value::as_i64);
    assert_eq!(deadline, Some(9_007_199_254_740_993));
}

#[test]
fn a_policy_in_cel_has_the_words_of_its_webhook() {
    let answer = validate(&with_policies(CEL, &[]), &create(POD));
    assert_eq!(answer.find_str(&["message"]), "Policy cel failed: no labels");
    let broken = CEL.replace("has(object.metadata.labels)", "object.metadata.labels.team == 'x'");
    let answer = validate(&with_policies(&broken, &[]), &create(POD));
    assert!(answer.find_str(&["message"]).starts_with("Policy cel error: "), "{}", to_json(&answer));
}

#[test]
fn both_webhooks_are_heard() {
    let answer = validate(&with_policies(&format!("{LABELS}---{CEL}"), &[]), &create(POD));
    let message = answer.find_str(&["message"]);
    assert!(message.starts_with("\n\nresource Pod/shop/web was blocked"), "{message}");
    assert!(message.ends_with("\nPolicy cel failed: no labels"), "{message}");
}

#[test]
fn a_subresource_is_not_its_resource() {
    let request = create(POD).replace(r#""name":"web","#, r#""name":"web","subResource":"status","#);
    for policy in [LABELS, CEL] {
        let answer = validate(&with_policies(policy, &[]), &request);
        assert_eq!(answer.get("accepted"), Some(&Value::Bool(true)), "{}", to_json(&answer));
    }
    let of_status = CEL.replace("[pods]", "[pods/status]");
    let answer = validate(&with_policies(&of_status, &[]), &request);
    assert_eq!(answer.find_str(&["message"]), "Policy cel failed: no labels");
    let of_status = LABELS.replace("[Pod]", "[Pod/status]");
    let answer = validate(&with_policies(&of_status, &[]), &request);
    assert!(answer.find_str(&["message"]).contains("The label team is required"), "{}", to_json(&answer));
}

#[test]
fn a_level_of_pod_security_is_asked_with_the_labels_of_the_namespace() {
    let settings = r#"{"podSecurity":{"defaults":{"enforce":"restricted"}},"namespaceLabels":{"shop":{},"open":{"pod-security.kubernetes.io/enforce":"privileged"}}}"#;
    let answer = validate(settings, &create(POD));
    assert_eq!(answer.get("code").and_then(Value::as_i64), Some(403));
    let message = answer.find_str(&["message"]);
    assert!(
        message.starts_with("pods \"web\" is forbidden: violates PodSecurity \"restricted:latest\""),
        "{message}"
    );
    let open = create(POD).replace("shop", "open");
    assert_eq!(validate(settings, &open).get("accepted"), Some(&Value::Bool(true)));
}

#[test]
fn a_deletion_is_about_the_object_that_goes() {
    let deny = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: keep}
spec:
  rules:
  - name: keep
    match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}
    validate:
      failureAction: Enforce
      message: 'keep {{request.oldObject.metadata.name}}'
      deny: {conditions: {any: [{key: '{{request.operation}}', operator: Equals, value: DELETE}]}}
";
    let request =
        create("null").replace("CREATE", "DELETE").replace(r#""uid":"1""#, &format!(r#""oldObject":{POD}"#));
    let answer = validate(&with_policies(deny, &[]), &request);
    assert!(answer.find_str(&["message"]).ends_with("keep:\n  keep: keep web\n"), "{}", to_json(&answer));
}

#[test]
fn the_next_request_is_decided_by_its_own_settings() {
    let mut guest = Guest::default();
    let mut accepted = |settings: &str, request: &str| {
        let payload = format!(r#"{{"settings":{settings},"request":{request}}}"#);
        let answer = guest.call("validate", payload.as_bytes(), &Nowhere).unwrap();
        parse(std::str::from_utf8(&answer).unwrap()).unwrap().get("accepted").and_then(Value::as_bool)
    };
    let (labels, adds) = (with_policies(LABELS, &[]), with_policies(ADDS, &[]));
    assert_eq!(accepted(&labels, &create(POD)), Some(false));
    assert_eq!(
        accepted(
            &labels,
            &create(&POD.replace("\"name\":\"web\",", "\"name\":\"web\",\"labels\":{\"team\":\"a\"},"))
        ),
        Some(true)
    );
    assert_eq!(accepted(&adds, &create(POD)), Some(true));
    assert_eq!(accepted(&labels, r#"{"operation":"CREATE"}"#), Some(false));
    assert_eq!(accepted(&labels, &create(POD)), Some(false));
}

#[test]
fn a_payload_that_is_none_is_an_error_and_no_panic() {
    let mut guest = Guest::default();
    for payload in ["", "{", "[]", "null", "{\"request\":1}", "{\"settings\":[]}", "\u{0}"] {
        if let Ok(answer) = guest.call("validate", payload.as_bytes(), &Nowhere) {
            assert!(String::from_utf8(answer).unwrap().contains("\"accepted\":false"), "{payload}");
        }
    }
    assert!(guest.call("validate", &[0xff], &Nowhere).is_err());
    assert!(Nowhere.kubernetes("get_resource", "{}").is_err());
}

/// A host whose cluster has one Namespace, and a ConfigMap.
struct Shop;

impl Host for Shop {
    fn kubernetes(&self, operation: &str, question: &str) -> Result<String, String> {
        let question = parse(question).unwrap();
        match (operation, question.find_str(&["kind"]), question.find_str(&["name"])) {
            ("get_resource", "Namespace", "shop") => {
                Ok(r#"{"metadata":{"name":"shop","labels":{"tier":"prod"}}}"#.to_owned())
            }
            ("get_resource", "ConfigMap", "teams") => Ok(r#"{"data":{"known":"ann"}}"#.to_owned()),
            (_, kind, name) => Err(format!("{kind} {name} is not there")),
        }
    }

    fn now(&self) -> i64 {
        0
    }
}

#[test]
fn what_stands_in_the_cluster_is_asked_of_the_host() {
    let policy = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams}
spec:
  rules:
  - name: known
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {tier: prod}}}}]}
    context: [{name: teams, configMap: {name: teams, namespace: policies}}]
    validate:
      failureAction: Enforce
      message: 'known are {{teams.data.known}}'
      deny: {}
";
    let ask = |policy: &str, host: &dyn Host, request: &str| {
        let settings = with_policies(policy, &[]);
        let payload = format!(r#"{{"settings":{settings},"request":{request}}}"#);
        let answer = Guest::default().call("validate", payload.as_bytes(), host).unwrap();
        parse(std::str::from_utf8(&answer).unwrap()).unwrap()
    };
    let refused = ask(policy, &Shop, &create(POD));
    assert!(refused.find_str(&["message"]).ends_with("known: known are ann\n"), "{}", to_json(&refused));
    let unknown = ask(policy, &Nowhere, &create(POD));
    let words = "not decided: the labels of namespace shop: no cluster is within reach";
    assert_eq!(unknown.find_str(&["message"]), words);
    // A policy that ignores errors lets in, and says so.
    let ignoring = policy.replace("spec:\n", "spec:\n  failurePolicy: Ignore\n");
    let let_in = ask(&ignoring, &Nowhere, &create(POD));
    assert_eq!(let_in.get("accepted"), Some(&Value::Bool(true)));
    assert_eq!(let_in.get("warnings").and_then(|list| list.at(0)?.as_str()), Some(words));
}

#[test]
fn a_module_that_came_with_settings_takes_more() {
    let mut guest = Guest::default();
    let mut call = |operation: &str, payload: &str| {
        let answer = guest.call(operation, payload.as_bytes(), &Nowhere).unwrap();
        let answer = parse(std::str::from_utf8(&answer).unwrap()).unwrap();
        (answer.get("accepted").or(answer.get("valid")).and_then(Value::as_bool), answer)
    };
    assert_eq!(call("bundle", &with_policies(LABELS, &[])).0, Some(true));
    let request = |settings: &str| format!(r#"{{"settings":{settings},"request":{}}}"#, create(POD));
    assert_eq!(call("validate", &request("{}")).0, Some(false));
    assert_eq!(call("validate", &request(r#"{"action":"Audit"}"#)).0, Some(true));
    let refused = call("validate", &request(r#"{"action":"audit"}"#)).1;
    assert!(refused.find_str(&["message"]).starts_with("the settings cannot be used: `action` must be"));
    let both = call("validate", &request(&with_policies(CEL, &[]))).1;
    let message = both.find_str(&["message"]);
    assert!(message.contains("labels:\n  team:") && message.contains("Policy cel failed"), "{message}");
    assert_eq!(call("validate", &request("null")).0, Some(false));
    // What a call that does not come back leaves is as good as new.
    let mut again = guest.anew();
    let answer = again.call("validate", request("{}").as_bytes(), &Nowhere).unwrap();
    assert!(String::from_utf8_lossy(&answer).contains("\"accepted\":false"));
}

#[test]
fn settings_beside_what_came_decide_as_if_all_had_come_together() {
    let by_label = LABELS
        .replace("kinds: [Pod]", "kinds: [Pod], namespaceSelector: {matchLabels: {tier: prod}}")
        .replace("spec:\n", "spec:\n  failurePolicy: Ignore\n");
    let level = r#"{"podSecurity":{"defaults":{"enforce":"restricted"}},"namespaceLabels":{"shop":{}}}"#;
    for text in [LABELS, &by_label] {
        for more in [
            r#"{"action":"Audit"}"#,
            r#"{"action":"Enforce","namespaceLabels":{"shop":{"tier":"prod"}}}"#,
            r#"{"failurePolicy":"Fail"}"#,
            r#"{"failurePolicy":"Ignore","action":null}"#,
            level,
        ] {
            let mut guest = Guest::default();
            guest.call("bundle", with_policies(text, &[]).as_bytes(), &Nowhere).unwrap();
            let payload = format!(r#"{{"settings":{more},"request":{}}}"#, create(POD));
            let answer = guest.call("validate", payload.as_bytes(), &Nowhere).unwrap();
            let all = more.replacen('{', &format!(r#"{{"policies":{},"#, to_json(&Value::from(text))), 1);
            let together = to_json(&validate(&all, &create(POD)));
            assert_eq!(String::from_utf8(answer).unwrap(), together, "{more}");
        }
    }
}
