//! The policy for Kubewarden beside `apply`: each recorded case as an admission request.
//!
//! In: the policies, resources and exceptions of the recorded library, and the recorded decisions of Pod Security Admission. Out: whether
//! the request is refused as `apply` says, in its words, and leaves the same object; and the recorded decision, word for word.

use engine::json::{Map, Value, parse, to_json};
use engine::world::StaticWorld;
use engine::yaml::{Options, Source, SourceId};
use engine_kubewarden::{Guest, Host, creating};
use engine_lenses::run;
use engine_lenses::wire::{Input, Output, Text};
use tests::recorded::{self, folder_or_skip, rows, say};

/// How many resources of the library must have been asked about, so that the test tests something.
const LEAST: usize = 1_000;

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}

fn texts(case: &Value, field: &str) -> Vec<String> {
    let list = case.get(field).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The documents of texts.
fn documents(texts: &[String]) -> Vec<Value> {
    let read = |text: &String| {
        let source = Source { id: SourceId(0), name: String::new(), text: text.as_str().into() };
        engine::yaml::parse(&source, &Options::default()).documents
    };
    let all = texts.iter().flat_map(read).map(|document| document.value);
    all.filter(|value| !value.find_str(&["kind"]).is_empty()).collect()
}

fn ask(guest: &mut Guest, call: &str, payload: &Value, host: &dyn Host) -> Value {
    let answer = guest.call(call, to_json(payload).as_bytes(), host);
    // An error of the call, and an answer that is none, is not what any test expects.
    answer.map_or_else(Value::from, |bytes| parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default())
}

/// What `apply` says of one resource in a cluster.
fn applied(policies: &[String], exceptions: &[String], resource: &Value) -> Output {
    let named = |texts: &[String]| -> Vec<Text> {
        texts.iter().map(|text| Text { name: "text".to_owned(), text: text.clone() }).collect()
    };
    let input = Input {
        policies: named(policies),
        exceptions: named(exceptions),
        resources: named(&[to_json(resource)]),
        host: Some("cluster".to_owned()),
        user_info: named(&["{apiVersion: cli.kyverno.io/v1alpha1, kind: UserInfo, userInfo: {}}".to_owned()]),
        ..Input::default()
    };
    run(&input, &StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..StaticWorld::at(0) })
}

/// What stands before the YAML of a refusal.
const HEAD: &str = "was blocked due to the following policies \n\n";

/// What of the words of a refusal `apply` does not say, and what it says and the refusal does not.
fn differences(output: &Output, answer: &Value) -> Vec<String> {
    let message = answer.find_str(&["message"]);
    let mut found = Vec::new();
    let mut expected = Map::new();
    let mut is_refused = false;
    for result in &output.results {
        for rule in &result.rules {
            let is_bad = matches!(rule.status.as_str(), "fail" | "error");
            if rule.kind != "Validation" || !is_bad {
                is_refused |= rule.kind == "Mutation" && rule.effect == "deny";
                continue;
            }
            is_refused = true;
            let (name, said) = (result.policy.name.as_str(), Value::from(rule.message.as_str()));
            match result.policy.kind.as_str() {
                "ClusterPolicy" | "Policy" => {
                    let mut rules =
                        expected.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
                    rules.insert(rule.rule.clone(), said);
                    expected.insert(name, Value::object(rules));
                }
                "ValidatingAdmissionPolicy" => is_refused = rule.effect == "deny",
                _ => {
                    let word = if rule.status == "fail" { "failed" } else { "error" };
                    let words = format!("Policy {name} {word}: {}", rule.message);
                    if !message.contains(&words) {
                        found.push(format!("not said: {words}"));
                    }
                }
            }
        }
    }
    let is_accepted = answer.get("accepted").and_then(Value::as_bool);
    if is_accepted != Some(!is_refused) {
        found.push(format!("accepted: {is_accepted:?}, apply refuses: {is_refused}"));
    }
    let blocked = message.split_once(HEAD).map(|(_, rest)| rest.split("\nPolicy ").next().unwrap_or(rest));
    let said = blocked.map_or_else(|| object([]), |text| engine::yaml::parse_one(text).unwrap_or_default());
    let (said, expected) = (to_json(&said), to_json(&Value::object(expected)));
    if said != expected && !message.starts_with("mutation policy") {
        found.push(format!("said {said}\n  expected {expected}"));
    }
    found
}

/// The object that `apply` leaves, where policies change it.
fn left(output: &Output) -> Option<String> {
    let last = output.results.iter().rev().find_map(|result| result.patched.as_ref())?;
    Some(to_json(&engine::yaml::parse_one(last).ok()?.with_int_numbers()))
}

/// A cluster that knows every Namespace, with no label but its name, and in which users have no roles, as `apply` does.
struct Namespaces;

impl Host for Namespaces {
    fn kubernetes(&self, _: &str, question: &str) -> Result<String, String> {
        let question = parse(question).map_err(|error| error.to_string())?;
        let name = question.get("name").cloned().unwrap_or_default();
        let labels = object([("kubernetes.io/metadata.name", name.clone())]);
        let metadata = object([("name", name), ("labels", labels)]);
        match question.find_str(&["kind"]) {
            "Namespace" => Ok(to_json(&object([("metadata", metadata)]))),
            "RoleBinding" | "ClusterRoleBinding" => Ok(r#"{"items":[]}"#.to_owned()),
            kind => Err(format!("no {kind} is within reach")),
        }
    }

    fn now(&self) -> i64 {
        0
    }
}

/// Whether policies ask a cluster for more than that: what it would say, `apply` takes from files.
fn asks_cluster(policies: &[String]) -> bool {
    let asks =
        ["resource.get", "resource.list", "urlpath", "configmap:", "globalreference", "globalcontext."];
    policies.iter().map(|text| text.to_lowercase()).any(|text| asks.iter().any(|word| text.contains(word)))
}

#[test]
fn the_library_is_decided_as_apply_decides_it() {
    let Some(folder) = folder_or_skip("the library as admission requests") else { return };
    let cases = rows(&folder.join("library/in.jsonl.gz")).unwrap();
    let (mut compared, mut mutated, mut refused) = (0, 0, 0);
    let mut breaches = Vec::new();
    for case in &cases {
        // Values replace what a request says: only the terminal has them.
        let is_other = ["values", "context", "userInfo", "json", "parameterResources", "targetResources"];
        if is_other.iter().any(|field| case.get(field).is_some()) {
            continue;
        }
        let (policies, exceptions) = (texts(case, "policies"), texts(case, "exceptions"));
        if asks_cluster(&policies) {
            continue;
        }
        let list =
            |texts: &[String]| Value::array(texts.iter().map(|text| Value::from(text.as_str())).collect());
        let settings = object([
            ("policies", list(&policies)),
            ("exceptions", list(&exceptions)),
            ("action", Value::from("Enforce")),
        ]);
        let mut guest = Guest::default();
        let valid = ask(&mut guest, "validate_settings", &settings, &Namespaces);
        if valid.get("valid").and_then(Value::as_bool) != Some(true) {
            refused += 1;
            continue;
        }
        for resource in documents(&texts(case, "resources")) {
            let payload = object([("settings", settings.clone()), ("request", creating(&resource))]);
            let answer = ask(&mut guest, "validate", &payload, &Namespaces);
            let output = applied(&policies, &exceptions, &resource);
            let mut found = differences(&output, &answer);
            if let Some(left) = left(&output).filter(|_| answer.find_str(&["message"]).is_empty()) {
                mutated += 1;
                let object = answer.get("mutated_object").map(|object| to_json(&object.with_int_numbers()));
                if object.as_ref() != Some(&left) {
                    found.push(format!("mutated {object:?}\n  expected {left}"));
                }
            }
            compared += 1;
            let (id, name) = (case.find_str(&["id"]), resource.find_str(&["metadata", "name"]));
            breaches.extend(found.into_iter().map(|words| format!("{id} {name}: {words}")));
        }
    }
    say(&format!(
        "{compared} requests compared, {mutated} of them changed; {refused} cases are refused as settings"
    ));
    assert!(breaches.is_empty(), "{} differences\n{}", breaches.len(), breaches.join("\n"));
    assert!(compared >= LEAST, "{compared} requests");
}

/// The cluster of a recorded decision.
struct Recorded<'r>(&'r Value);

impl Host for Recorded<'_> {
    fn kubernetes(&self, operation: &str, question: &str) -> Result<String, String> {
        let question = parse(question).map_err(|error| error.to_string())?;
        if operation == "get_resource" {
            let error = self.0.find_str(&["namespaceError"]);
            let missing = format!("namespaces \"{}\" not found", question.find_str(&["name"]));
            return Err(if error.is_empty() { missing } else { error.to_owned() });
        }
        let error = self.0.find_str(&["podListError"]);
        if !error.is_empty() {
            return Err(error.to_owned());
        }
        let generated = || Value::array(self.0.get("podsGenerated").map(generated).unwrap_or_default());
        let pods = self.0.get("pods").cloned().unwrap_or_else(generated);
        Ok(to_json(&object([("items", pods)])))
    }

    fn now(&self) -> i64 {
        0
    }
}

/// Pods that a case only describes: so many like one, with names by a pattern.
fn generated(of: &Value) -> Vec<Value> {
    let named = |number: u64| {
        let mut metadata = of.find(&["pod", "metadata"])?.as_object()?.clone();
        let name = of.find_str(&["namePattern"]).replace("{i}", &number.to_string());
        metadata.insert("name", Value::from(name.as_str()));
        let mut pod = of.get("pod")?.as_object()?.clone();
        pod.insert("metadata", Value::object(metadata));
        Some(Value::object(pod))
    };
    let count = of.get("count").map(to_json).and_then(|count| count.parse().ok()).unwrap_or(0);
    (0..count).filter_map(named).collect()
}

/// The recorded decisions that cannot be asked for, and why.
const CANNOT_BE_ASKED: [(&str, &[&str]); 2] = [
    (
        "a host ends a module whose time is up, and tells it nothing before",
        &[
            "ns-update-pods/094-cancelled",
            "ns-update-pods/095-cancelled-single-pod",
            "ns-update-pods/096-cancelled-replica-order",
        ],
    ),
    (
        "an object that cannot be decoded makes a request that cannot be read, to which there is one answer",
        &[
            "ns-other/101-object-error",
            "ns-other/102-old-object-error",
            "pod-error/188-object-error",
            "pod-error/189-object-error-privileged-namespace",
            "pod-error/191-old-object-error",
            "controller-error/253-object-error",
        ],
    ),
];

/// The labels of the namespaces of a case; one without any has none.
fn labels(namespaces: Option<&Value>) -> Value {
    let entries = namespaces.and_then(Value::as_object).into_iter().flat_map(Map::iter);
    let labels = |labels: &Value| if labels.is_null() { object([]) } else { labels.clone() };
    Value::object(entries.map(|(name, of)| (name.clone(), labels(of))).collect())
}

fn pod_security(case: &Value) -> Option<String> {
    let mut request = case.get("request")?.as_object()?.clone();
    let user = object([("username", request.get("username").cloned().unwrap_or_default())]);
    request.insert("userInfo", user);
    let empty = || object([("defaults", object([]))]);
    let settings = object([
        ("podSecurity", case.get("config").cloned().unwrap_or_else(empty)),
        ("namespaceLabels", labels(case.get("namespaces"))),
    ]);
    let payload = object([("settings", settings), ("request", Value::object(request))]);
    let answer = ask(&mut Guest::default(), "validate", &payload, &Recorded(case));
    let response = case.get("response")?;
    let said = |value: Option<&Value>| to_json(value.unwrap_or(&Value::Null));
    let pairs = [
        (answer.get("accepted"), response.get("allowed")),
        (answer.get("message"), response.find(&["status", "message"])),
        (answer.get("code"), response.find(&["status", "code"])),
        (answer.get("warnings"), response.get("warnings")),
        (answer.get("audit_annotations"), response.get("auditAnnotations")),
    ];
    let differs = pairs.into_iter().find(|(ours, theirs)| said(*ours) != said(*theirs));
    differs.map(|(ours, theirs)| format!("{}\n  expected {}", said(ours), said(theirs)))
}

#[test]
fn pod_security_is_decided_as_recorded() {
    let cases = recorded::Recorded::all().rows("podsecurity/admission.jsonl").unwrap();
    let cannot =
        |case: &&Value| CANNOT_BE_ASKED.iter().any(|(_, cases)| cases.contains(&case.find_str(&["id"])));
    let (left_out, asked): (Vec<&Value>, Vec<&Value>) = cases.iter().partition(cannot);
    let breaches: Vec<String> = asked
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case.find_str(&["id"]), pod_security(case)?)))
        .collect();
    say(&format!("{} decisions compared, {} left out", asked.len(), left_out.len()));
    assert_eq!(left_out.len(), CANNOT_BE_ASKED.iter().map(|(_, cases)| cases.len()).sum::<usize>());
    assert!(breaches.is_empty(), "{} differences\n{}", breaches.len(), breaches.join("\n"));
    assert!(asked.len() > 200);
}
