//! What is asked of the host's cluster: parameters of policies, and the roles of who asks.

use super::{POD, create, with_policies};
use engine_json::{Value, parse, to_json};
use engine_kubewarden::{Guest, Host, Nowhere};
use std::cell::RefCell;

/// A host that answers lists, and keeps the questions: operation, kind, namespace, field selector.
struct Lists<'a> {
    lists: &'a [(&'a str, &'a str)],
    asked: RefCell<Vec<String>>,
}

impl<'a> Lists<'a> {
    fn of(lists: &'a [(&'a str, &'a str)]) -> Self {
        Lists { lists, asked: RefCell::default() }
    }
}

impl Host for Lists<'_> {
    fn kubernetes(&self, operation: &str, question: &str) -> Result<String, String> {
        let question = parse(question).unwrap();
        let text = |field: &str| question.find_str(&[field]).to_owned();
        let kind = text("kind");
        let words = [operation.to_owned(), kind.clone(), text("namespace"), text("field_selector")];
        self.asked.borrow_mut().push(words.join(" ").trim_end().to_owned());
        let list = self.lists.iter().find(|(known, _)| *known == kind);
        list.map(|(_, items)| format!(r#"{{"items":{items}}}"#)).ok_or(format!("{kind} is forbidden"))
    }

    fn now(&self) -> i64 {
        0
    }
}

fn ask(policy: &str, host: &dyn Host, request: &str) -> Value {
    let settings = with_policies(policy, &[]);
    let payload = format!(r#"{{"settings":{settings},"request":{request}}}"#);
    let answer = Guest::default().call("validate", payload.as_bytes(), host).unwrap();
    parse(std::str::from_utf8(&answer).unwrap()).unwrap()
}

/// What is said of a request, and with which code.
fn said(answer: &Value) -> (String, Option<i64>) {
    (answer.find_str(&["message"]).to_owned(), answer.get("code").and_then(Value::as_i64))
}

const NAMES: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: names}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations:
  - {expression: 'params == null || object.metadata.name == params.data.name', messageExpression: \"'call it ' + params.data.name\"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: by-name}
spec:
  policyName: names
  validationActions: [Deny]
  paramRef: {name: allowed, parameterNotFoundAction: Deny}
";

#[test]
fn parameters_are_looked_up() {
    let maps = r#"[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"allowed","namespace":"shop"},"data":{"name":"api"}}]"#;
    let lists = [("ConfigMap", maps)];
    let host = Lists::of(&lists);
    let denied = "ValidatingAdmissionPolicy 'names' with binding 'by-name' denied request: call it api";
    assert_eq!(said(&ask(NAMES, &host, &create(POD))), (denied.to_owned(), Some(422)));
    let words = "list_resources_by_namespace ConfigMap shop metadata.name=allowed";
    assert_eq!(host.asked.borrow().as_slice(), [words]);
    let renamed = create(&POD.replace("\"web\"", "\"api\""));
    assert_eq!(ask(NAMES, &host, &renamed).get("accepted"), Some(&Value::Bool(true)));
    // Of a kind that is not Kubernetes' own no host says whether it has namespaces.
    let custom = NAMES.replace("apiVersion: v1, kind: ConfigMap", "apiVersion: example.com/v1, kind: Limit");
    let limits = r#"[{"metadata":{"name":"allowed"},"data":{"name":"api"}}]"#;
    let lists = [("Limit", limits)];
    let host = Lists::of(&lists);
    assert_eq!(said(&ask(&custom, &host, &create(POD))).0, denied);
    assert_eq!(host.asked.borrow().as_slice(), ["list_resources_all Limit  metadata.name=allowed"]);
}

#[test]
fn parameters_that_cannot_be_had_refuse_by_the_policys_failure_policy() {
    let head = "ValidatingAdmissionPolicy 'names' with binding 'by-name' denied request: failed to configure binding: ";
    let lists = [("ConfigMap", "[]")];
    let none = said(&ask(NAMES, &Lists::of(&lists), &create(POD)));
    let words = "no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!(none, (format!("{head}{words}"), Some(422)));
    let forbidden = said(&ask(NAMES, &Lists::of(&[]), &create(POD)));
    assert_eq!(forbidden.0, format!("{head}ConfigMap is forbidden"));
    let ignoring = NAMES.replacen("spec:\n", "spec:\n  failurePolicy: Ignore\n", 1);
    let answer = ask(&ignoring, &Lists::of(&[]), &create(POD));
    assert_eq!(answer.get("accepted"), Some(&Value::Bool(true)), "{}", to_json(&answer));
    let allowing = NAMES.replace("parameterNotFoundAction: Deny", "parameterNotFoundAction: Allow");
    let answer = ask(&allowing, &Lists::of(&lists), &create(POD));
    assert_eq!(answer.get("accepted"), Some(&Value::Bool(true)), "{}", to_json(&answer));
}

#[test]
fn the_reason_of_a_validation_is_the_code() {
    let policy = |reason: &str| {
        NAMES
            .replace("  paramKind: {apiVersion: v1, kind: ConfigMap}\n", "")
            .replace("  paramRef: {name: allowed, parameterNotFoundAction: Deny}\n", "")
            .replace("params == null || object.metadata.name == params.data.name", "false")
            .replace(
                "messageExpression: \"'call it ' + params.data.name\"",
                &format!("message: held{reason}"),
            )
    };
    let code = |reason: &str| said(&ask(&policy(reason), &Nowhere, &create(POD))).1;
    assert_eq!(code(""), Some(422));
    for (reason, expected) in [("Invalid", 422), ("Forbidden", 403), ("RequestEntityTooLarge", 413)] {
        assert_eq!(code(&format!(", reason: {reason}")), Some(expected), "{reason}");
    }
    let failing = policy(", reason: Forbidden").replace("'false'", "'object.metadata.none == 1'");
    let (message, code) = said(&ask(&failing, &Nowhere, &create(POD)));
    assert!(message.contains("no such key: none"), "{message}");
    assert_eq!(code, Some(422));
}

const ADMINS: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: frozen}
spec:
  background: false
  rules:
  - name: admins
    match: {any: [{resources: {kinds: [Pod]}}]}
    exclude: {any: [{clusterRoles: [cluster-admin]}, {roles: ['shop:owner']}]}
    validate: {failureAction: Enforce, message: 'nothing new: {{request.clusterRoles}}', deny: {}}
";

#[test]
fn roles_are_those_of_the_bindings() {
    let roles = r#"[
        {"metadata":{"name":"a","namespace":"shop"},"subjects":[{"kind":"User","name":"ann"}],"roleRef":{"kind":"Role","name":"owner"}},
        {"metadata":{"name":"b","namespace":"shop"},"subjects":[{"kind":"ServiceAccount","name":"ci","namespace":"other"}],"roleRef":{"kind":"Role","name":"owner"}},
        {"metadata":{"name":"c","namespace":"shop"},"subjects":[{"kind":"User","name":"eve"}],"roleRef":{"kind":"ClusterRole","name":"view"}}]"#;
    let of_cluster = r#"[{"metadata":{"name":"d"},"subjects":[{"kind":"Group","name":"sre"},{"kind":"ServiceAccount","name":"cd","namespace":"ops"}],"roleRef":{"kind":"ClusterRole","name":"cluster-admin"}}]"#;
    let lists = [("RoleBinding", roles), ("ClusterRoleBinding", of_cluster)];
    let accepted = |user: &str| {
        let request = create(POD).replace(r#"{"username":"ann"}"#, user);
        ask(ADMINS, &Lists::of(&lists), &request)
    };
    for user in [
        r#"{"username":"ann"}"#,
        r#"{"username":"bob","groups":["sre"]}"#,
        // Kyverno: a RoleBinding is for accounts of its own namespace.
        r#"{"username":"system:serviceaccount:shop:ci"}"#,
        r#"{"username":"system:serviceaccount:ops:cd"}"#,
    ] {
        assert_eq!(accepted(user).get("accepted"), Some(&Value::Bool(true)), "{user}");
    }
    for user in [r#"{"username":"bob"}"#, r#"{"username":"system:serviceaccount:other:ci"}"#] {
        assert_eq!(accepted(user).get("accepted"), Some(&Value::Bool(false)), "{user}");
    }
    let eve = said(&accepted(r#"{"username":"eve"}"#)).0;
    assert!(eve.ends_with("admins: 'nothing new: [\"view\"]'\n"), "{eve}");
    let unknown = said(&ask(ADMINS, &Nowhere, &create(POD)));
    let words = "not decided: the roles of user ann: no cluster is within reach";
    assert_eq!(unknown, (words.to_owned(), Some(400)));
}

/// A host that keeps what is said to its log.
#[derive(Default)]
struct Log(RefCell<Vec<String>>);

impl Host for Log {
    fn kubernetes(&self, _: &str, _: &str) -> Result<String, String> {
        Err("no cluster is within reach".to_owned())
    }

    fn now(&self) -> i64 {
        0
    }

    fn log(&self, line: &str) {
        self.0.borrow_mut().push(line.to_owned());
    }
}

#[test]
fn what_no_host_answers_is_said_and_what_hosts_answer_is_not() {
    let policy = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: asks}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - {name: map, configMap: {name: settings, namespace: policies}}
    - {name: pods, apiCall: {urlPath: '/api/v1/namespaces/{{request.namespace}}/pods'}}
    - {name: widgets, apiCall: {urlPath: /apis/example.com/v1/widgets}}
    - {name: service, apiCall: {service: {url: 'https://example.com'}}}
    validate: {failureAction: Enforce, message: refused, deny: {}}
";
    let log = Log::default();
    let answer = Guest::default().call("validate_settings", with_policies(policy, &[]).as_bytes(), &log);
    assert_eq!(answer.unwrap(), br#"{"valid":true}"#);
    let said = |line: u32, entry: &str, what: &str| {
        format!(
            "policies:{line}:7: context entry `{entry}` of rule `r` asks {what}, which no host of Kubewarden answers: expressions that use it will fail"
        )
    };
    let expected = [said(12, "widgets", "`/apis/example.com/v1/widgets`"), said(13, "service", "a service")];
    assert_eq!(log.0.into_inner(), expected);
}
