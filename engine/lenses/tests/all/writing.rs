//! What an editor says to somebody who writes an expression: names, types, values, completions, edits that were tried.
//!
//! In: policies in which a place is marked. Out: a failure where something else is said of it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails as it does"
)]

use engine::world::StaticWorld;
use engine_json::{Value, parse};
use engine_lenses::wire::{EvaluateInput, Input, Text};
use engine_lenses::writing::{MACROS, complete, describe, fixes, repairs};

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ns, labels: {team: shop}}, spec: {containers: \
     [{name: a, image: 'nginx:1'}, {name: b, image: 'b:2', securityContext: {privileged: true}}]}}";

/// A policy with this after `expression:`, and the place of the sign `¦`, which is taken away.
fn policy(written: &str) -> (String, u32) {
    let text = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}\n  \
         variables:\n  - name: all\n    expression: object.spec.containers\n  validations:\n  - expression: {written}\n"
    );
    let at = text.find('¦').map_or(0, |at| text[..at].encode_utf16().count());
    (text.replace('¦', ""), u32::try_from(at).unwrap())
}

fn input(text: &str, at: u32) -> EvaluateInput {
    let one = |text: &str| vec![Text { name: "t.yaml".to_owned(), text: text.to_owned() }];
    let input = Input { policies: one(text), resources: one(POD), ..Input::default() };
    EvaluateInput { input, at, ..EvaluateInput::default() }
}

fn described(written: &str) -> Value {
    let (text, at) = policy(written);
    parse(&describe(&input(&text, at), at, &StaticWorld::default())).unwrap()
}

fn completed(text: &str, at: u32) -> Value {
    parse(&complete(&input(text, at), &StaticWorld::default())).unwrap()
}

fn labels(answer: &Value) -> Vec<String> {
    let options = answer.get("options").and_then(Value::as_array).unwrap_or_default();
    options.iter().map(|option| option.find_str(&["label"]).to_owned()).collect()
}

/// The policy after the edit of this number of the first problem.
fn fixed(written: &str) -> Vec<(String, String)> {
    let (text, _) = policy(written);
    let answer = parse(&fixes(&input(&text, 0).input, "policies")).unwrap();
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut found = Vec::new();
    for problem in answer.get("fixes").and_then(Value::as_array).unwrap() {
        for edit in problem.get("edits").and_then(Value::as_array).unwrap() {
            let mut out = String::new();
            let mut last = 0;
            for change in edit.get("changes").and_then(Value::as_array).unwrap() {
                let place =
                    |name: &str| usize::try_from(change.get(name).unwrap().as_i64().unwrap()).unwrap();
                out.push_str(&String::from_utf16(&units[last..place("from")]).unwrap());
                out.push_str(change.find_str(&["insert"]));
                last = place("to");
            }
            out.push_str(&String::from_utf16(&units[last..]).unwrap());
            let line = out.split_once("validations:\n  - expression: ").unwrap().1.trim_end().to_owned();
            found.push((edit.find_str(&["label"]).to_owned(), line));
        }
    }
    found
}

#[test]
fn a_part_is_described_by_its_type_and_its_value_however_the_scalar_is_written() {
    for written in [
        "object.spec.contai¦ners.all(c, has(c.image))",
        "\"object.spec.contai¦ners.all(c, has(c.image))\"",
        "'object.metadata.name != ''é'' && object.spec.contai¦ners.all(c, has(c.image))'",
        "|-\n      object.metadata.name != '' &&\n      object.spec.contai¦ners.all(c, has(c.image))",
        ">-\n      object.metadata.name != '' &&\n      object.spec.contai¦ners.all(c, has(c.image))",
    ] {
        let said = described(written);
        assert_eq!(said.find_str(&["text"]), "object.spec.containers", "{written}");
        assert_eq!((said.find_str(&["type"]), said.find_str(&["on"])), ("dyn", "Pod ns/web"));
        assert!(said.find_str(&["value"]).starts_with("[{\"image\":\"nginx:1\""), "{said:?}");
        assert_eq!(said.get("path").unwrap().as_array().unwrap().len(), 2);
        // The place is that of the words in the text.
        let (text, _) = policy(written);
        let place = |name: &str| usize::try_from(said.get(name).unwrap().as_i64().unwrap()).unwrap();
        let units: Vec<u16> = text.encode_utf16().collect();
        let shown = String::from_utf16(&units[place("from")..place("to")]).unwrap();
        assert_eq!(shown, "object.spec.containers", "{written}");
    }
}

#[test]
fn in_a_macro_the_first_element_is_told_of_and_its_name_where_it_is_given() {
    let said = described("variables.all.all(c, c.im¦age != '')");
    assert_eq!((said.find_str(&["text"]), said.find_str(&["value"])), ("c.image", "\"nginx:1\""));
    assert_eq!(said.get("elements").unwrap().as_array().unwrap().len(), 1);
    assert_eq!(engine_json::to_json(said.get("path").unwrap()), r#"["spec","containers","[]","image"]"#);
    let said = described("variables.all.all(¦c, c.image != '')");
    assert_eq!((said.find_str(&["text"]), said.find_str(&["note"])), ("c", "each element in turn"));
    assert_eq!(engine_json::to_json(said.get("path").unwrap()), r#"["spec","containers","[]"]"#);
    let said = described("variables.all.ex¦ists(c, c.image != '')");
    assert_eq!((said.find_str(&["function"]), said.find_str(&["value"])), ("exists", "true"));
}

#[test]
fn a_function_is_told_with_the_overload_that_is_called_and_an_error_in_the_words_of_the_evaluation() {
    let said = described("object.metadata.name.starts¦With('w')");
    assert_eq!(said.find_str(&["signature"]), "string.startsWith(string) -> bool");
    assert_eq!((said.find_str(&["type"]), said.find_str(&["value"])), ("bool", "true"));
    assert!(!said.get("examples").unwrap().as_array().unwrap().is_empty());
    let said = described("object.spec.host¦Network == true");
    assert_eq!(said.find_str(&["error"]), "no such key: hostNetwork");
    let said = described("request.name == 'a' && obj¦ect.metadata.name == 'b'");
    assert_eq!(said.find_str(&["note"]), "the object as it is after the request; in a DELETE it is null");
    // What the whole never came to is evaluated by itself.
    let said = described("false && object.metadata.na¦me == 'b'");
    assert_eq!(said.find_str(&["value"]), "\"web\"");
}

#[test]
fn what_may_stand_at_a_place_is_said_while_the_rest_is_still_missing() {
    let offered = |written: &str| {
        let (text, at) = policy(written);
        completed(&text, at)
    };
    let answer = offered("object.spec.containers.all(c, c.¦");
    assert_eq!(engine_json::to_json(answer.get("path").unwrap()), r#"["spec","containers","[]"]"#);
    assert!(labels(&answer).contains(&"image".to_owned()), "{answer:?}");
    let answer = offered("variables.¦");
    assert_eq!(labels(&answer)[0], "all");
    let answer = offered("object.metadata.labels.te¦");
    assert!(labels(&answer).contains(&"team".to_owned()));
    let answer = offered("request.userInfo.¦ == 'x'");
    assert_eq!(labels(&answer)[..4], ["extra", "groups", "uid", "username"]);
    let answer = offered("object.metadata.name == 'a' ? 'b'.st¦");
    assert!(labels(&answer).contains(&"startsWith".to_owned()));
    assert!(!labels(&answer).contains(&"all".to_owned()), "a text has no elements");
    let answer = offered("object.spec.containers.ex¦");
    assert!(labels(&answer).contains(&"exists".to_owned()));
    let answer = offered("math.¦");
    assert!(labels(&answer).contains(&"abs".to_owned()), "{answer:?}");
    let answer = offered("object.spec.containers.exists(c, ¦)");
    assert_eq!(labels(&answer)[0], "c");
    assert!(labels(&answer).contains(&"object".to_owned()) && labels(&answer).contains(&"has".to_owned()));
    let answer = offered("¦");
    assert!(labels(&answer).contains(&"variables".to_owned()), "{answer:?}");
    // Within a text nothing is to be completed; quotes that are open end with their line.
    assert!(offered("object.metadata.name == 'a.¦'").is_null());
    let answer = offered("\"object.metadata.¦");
    assert!(labels(&answer).contains(&"labels".to_owned()), "{answer:?}");
}

#[test]
fn the_fields_of_every_kind_that_hold_expressions_are_known() {
    let admission =
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\n";
    let ours =
        |kind: &str| format!("apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p}}\n");
    let rule = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n";
    let template = |interpolate: &str| {
        let head = ours("GeneratingPolicy");
        format!("{head}spec:\n  generate:\n  - template:\n      interpolate: {interpolate}\n  ")
    };
    for text in [
        format!("{admission}spec:\n  matchConditions:\n  - {{name: a, expression: 'object.¦'}}\n"),
        format!("{admission}spec:\n  auditAnnotations:\n  - {{key: a, valueExpression: 'object.¦'}}\n"),
        format!(
            "{admission}spec:\n  validations:\n  - {{expression: 'true', messageExpression: 'object.¦'}}\n"
        ),
        format!(
            "{}spec:\n  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: object.¦\n",
            ours("MutatingPolicy")
        ),
        format!(
            "{}spec:\n  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: object.¦\n",
            ours("MutatingPolicy")
        ),
        format!("{}spec:\n  generate:\n  - expression: object.¦\n", ours("GeneratingPolicy")),
        format!("{}spec:\n  conditions:\n  - {{name: a, expression: 'object.¦'}}\n", ours("DeletingPolicy")),
        format!(
            "{}spec:\n  matchConditions:\n  - {{name: a, expression: 'object.¦'}}\n",
            ours("PolicyException")
        ),
        format!(
            "{}spec:\n  variables:\n  - {{name: a, expression: 'object.¦'}}\n",
            ours("NamespacedValidatingPolicy")
        ),
        format!(
            "{}spec:\n  images:\n  - {{name: a, expression: 'object.¦'}}\n",
            ours("ImageValidatingPolicy")
        ),
        format!(
            "{}spec:\n  attestors:\n  - name: a\n    cosign:\n      key:\n        expression: object.¦\n",
            ours("NamespacedImageValidatingPolicy")
        ),
        format!(
            "{}spec:\n  attestors:\n  - name: a\n    notary: {{certs: {{expression: 'object.¦'}}}}\n",
            ours("ImageValidatingPolicy")
        ),
        format!(
            "{}    value: |\n        kind: ConfigMap\n        data: {{a: \"(( object.¦ ))\"}}\n",
            template("cel")
        ),
        format!("{}    value: \"metadata: {{name: 'a-(( object.¦'}}\"\n", template("cel")),
        format!("{rule}    celPreconditions:\n    - {{name: a, expression: 'object.¦'}}\n"),
        format!("{rule}    validate:\n      cel:\n        expressions:\n        - expression: object.¦\n"),
        format!(
            "{rule}    validate:\n      cel:\n        variables:\n        - {{name: a, expression: 'object.¦'}}\n"
        ),
    ] {
        let at = u32::try_from(text[..text.find('¦').unwrap()].encode_utf16().count()).unwrap();
        let answer = completed(&text.replace('¦', ""), at);
        assert!(labels(&answer).contains(&"spec".to_owned()), "{text}: {answer:?}");
    }
    // Without `interpolate: cel` it is a text as others are.
    let plain = template("none") + "    value: 'a: (( object. ))'\n";
    let at = u32::try_from(plain.find("object.").unwrap() + 7).unwrap();
    assert_eq!(completed(&plain, at), Value::Null);
}

const OF_IMAGES: &str = "apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: p}\nspec:\n  \
     matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}\n";

#[test]
fn expressions_of_images_know_what_is_found_and_who_signs() {
    let at = |text: &str| u32::try_from(text.find('¦').unwrap()).unwrap();
    let offered = |rest: &str| {
        let text = format!("{OF_IMAGES}{rest}");
        labels(&completed(&text.replace('¦', ""), at(&text)))
    };
    let validation = offered("  validations:\n  - expression: ¦\n");
    for name in ["images", "attestors", "attestations", "object", "verifyImageSignatures"] {
        assert!(validation.contains(&name.to_owned()), "{name}: {validation:?}");
    }
    // What selects images knows their reference alone.
    let reference = offered("  matchImageReferences:\n  - expression: ¦\n");
    assert!(
        reference.contains(&"ref".to_owned()) && !reference.contains(&"object".to_owned()),
        "{reference:?}"
    );
    let text = format!("{OF_IMAGES}  validations:\n  - expression: images.cont¦ainers.all(i, true)\n");
    let said =
        parse(&describe(&input(&text.replace('¦', ""), at(&text)), at(&text), &StaticWorld::default()));
    assert_eq!(said.unwrap().find_str(&["type"]), "list(string)");
}

#[test]
fn a_misspelt_name_in_a_template_or_a_policy_of_images_is_written_right() {
    let edits = |text: &str| {
        let answer = parse(&fixes(&input(text, 0).input, "policies")).unwrap();
        let fixes = answer.get("fixes").and_then(Value::as_array).unwrap().to_vec();
        let edits = fixes.iter().flat_map(|fix| fix.get("edits").and_then(Value::as_array).unwrap().to_vec());
        edits
            .map(|edit| {
                let change = edit.get("changes").and_then(Value::as_array).unwrap()[0].clone();
                let place =
                    |name: &str| usize::try_from(change.get(name).unwrap().as_i64().unwrap()).unwrap();
                (text[place("from")..place("to")].to_owned(), change.find_str(&["insert"]).to_owned())
            })
            .collect::<Vec<_>>()
    };
    let wanted = ("startWith".to_owned(), "startsWith".to_owned());
    assert!(
        edits(&format!("{OF_IMAGES}  matchImageReferences:\n  - expression: ref.startWith('a')\n"))
            .contains(&wanted)
    );
    let template = "apiVersion: policies.kyverno.io/v1\nkind: GeneratingPolicy\nmetadata: {name: p}\nspec:\n  generate:\n  - template:\n      \
                    interpolate: cel\n      value: |\n        kind: ConfigMap\n        data:\n          a: 'x (( object.metadata.name.startWith(''b'') ))'\n";
    let found = edits(template);
    assert!(found.contains(&wanted), "{found:?}");
}

#[test]
fn a_misspelt_name_is_written_right_and_a_list_is_asked_for_its_size() {
    let one =
        |written: &str| fixed(written).first().cloned().unwrap_or_else(|| panic!("nothing for {written}"));
    assert_eq!(
        one("objct.metadata.name == 'a'"),
        ("Write object".into(), "object.metadata.name == 'a'".into())
    );
    assert_eq!(one("object.metadata.name.startWith('a')").1, "object.metadata.name.startsWith('a')");
    assert_eq!(one("request.userInfo.usrname == 'a'").1, "request.userInfo.username == 'a'");
    assert_eq!(one("variables.al.size() > 1").1, "variables.all.size() > 1");
    assert_eq!(one("'\"a\".startWith(''b'')'").1, "'\"a\".startsWith(''b'')'");
    let of_list = "object.spec.containers.filter(c, c.name == 'a')";
    assert_eq!(one(of_list).1, format!("size({of_list}) > 0"));
    assert_eq!(one(&format!("{of_list} && true")).1, format!("size({of_list}) > 0 && true"));
    assert_eq!(one(&format!("\"!{of_list}\"")).1, format!("\"!(size({of_list}) > 0)\""));
    assert!(fixed("nonsense == 1").is_empty() && fixed("object.metadata.name == 'a'").is_empty());
}

#[test]
fn a_field_that_may_be_absent_is_asked_for_first_or_read_as_an_optional_value() {
    assert_eq!(
        fixed("object.spec.hostNetwork == false || object.metadata.name == 'a'")
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>(),
        [
            "has(object.spec.hostNetwork) && object.spec.hostNetwork == false || object.metadata.name == 'a'",
            "object.spec.?hostNetwork.orValue(false) == false || object.metadata.name == 'a'",
        ]
    );
    assert_eq!(
        fixed(">-\n      object.spec.containers.all(c,\n      c.securityContext.runAsUser > 0)")
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>(),
        [
            ">-\n      object.spec.containers.all(c,\n      has(c.securityContext) && c.securityContext.runAsUser > 0)",
            ">-\n      object.spec.containers.all(c,\n      c.?securityContext.?runAsUser.orValue(0) > 0)",
            ">-\n      object.spec.containers.all(c,\n      has(c.securityContext) && has(c.securityContext.runAsUser) && c.securityContext.runAsUser > 0)",
            ">-\n      object.spec.containers.all(c,\n      c.securityContext.?runAsUser.orValue(0) > 0)",
        ]
    );
    assert_eq!(
        fixed("'!object.spec.hostNetwork'")[0].1,
        "'!(has(object.spec.hostNetwork) && object.spec.hostNetwork)'"
    );
    assert!(fixed("has(object.spec.hostNetwork) && object.spec.hostNetwork == true").is_empty());
}

#[test]
fn the_fields_of_objects_that_are_read_are_named_with_their_places() {
    let (text, _) = policy("object.spec.contianers.all(c, has(c.image))");
    let answer = parse(&fixes(&input(&text, 0).input, "policies")).unwrap();
    let reads = answer.get("reads").unwrap().as_array().unwrap();
    let units: Vec<u16> = text.encode_utf16().collect();
    let shown: Vec<String> = reads
        .iter()
        .map(|read| {
            let place = |name: &str| usize::try_from(read.get(name).unwrap().as_i64().unwrap()).unwrap();
            let word = String::from_utf16(&units[place("from")..place("to")]).unwrap();
            format!("{word} {}", engine_json::to_json(read.get("path").unwrap()))
        })
        .collect();
    assert!(shown.contains(&r#"contianers ["spec","contianers"]"#.to_owned()), "{shown:?}");
    assert!(shown.contains(&r#"image ["spec","contianers","[]","image"]"#.to_owned()), "{shown:?}");
}

#[test]
fn the_examples_of_macros_give_what_they_say() {
    for (expression, value) in MACROS.iter().flat_map(|row| row.examples) {
        let asked = format!("{{\"expression\": {}}}", engine_json::quote(expression));
        let answer =
            parse(&engine_celpolicy::expression::json::answer(&asked, &StaticWorld::default()).unwrap())
                .unwrap();
        let given =
            answer.get("value").map_or_else(|| panic!("{expression}: {answer:?}"), engine_json::to_json);
        assert_eq!(given, *value, "{expression}");
    }
}

#[test]
fn hostile_places_and_texts_are_answered() {
    let (text, _) = policy("object.spec.containers.all(c, c.image != '')");
    for at in 0..u32::try_from(text.encode_utf16().count()).unwrap() + 3 {
        parse(&describe(&input(&text, at), at + 2, &StaticWorld::default())).unwrap();
        completed(&text, at);
    }
    let deep = format!("\"{}true{}\"", "(".repeat(100), ")".repeat(100));
    let (text, at) = policy(&format!("{deep}¦"));
    completed(&text, at);
    parse(&fixes(&input(&text, 0).input, "policies")).unwrap();
}

#[test]
fn a_line_that_mends_a_policy_is_found() {
    let good = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: p\nspec:\n  rules:\n  - name: r\n    match:\n      any:\n      - resources:\n          \
         kinds:\n          - Pod\n    validate:\n      message: \"{{ request.operation }}\"\n      deny: {}\n";
    let found = |text: &str| {
        let policies = vec![Text { name: "p.yaml".to_owned(), text: text.to_owned() }];
        let input = Input { policies, ..Input::default() };
        repairs(&input, &StaticWorld::default()).into_iter().next().map(|repair| (repair.line, repair.new))
    };
    assert_eq!(found(good), None);
    for (line, old, wrong) in [
        (13, "    validate:", "     validate:"),
        (10, "      - resources:", "     - resources:"),
        (14, "      message: \"{{ request.operation }}\"", "      message: \"{{ request.operation }}"),
        (14, "      message: \"{{ request.operation }}\"", "      message: \"{{ request.operation }\""),
    ] {
        let text = good.replacen(old, wrong, 1);
        // Where a line may be written in several ways, the policy loads with each.
        let (at, new) = found(&text).unwrap_or_else(|| panic!("{wrong}: no repair"));
        let mended: Vec<&str> = text
            .lines()
            .enumerate()
            .map(|(row, whole)| if row + 1 == at { new.as_str() } else { whole })
            .collect();
        assert_eq!(found(&mended.join("\n")), None, "{line}: {wrong}");
        assert!(at.abs_diff(line) <= 1, "{wrong}: {at} {new}");
    }
    assert_eq!(found("kind: ConfigMap"), None);
}
