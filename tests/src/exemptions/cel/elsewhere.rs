//! Exemptions in CEL beside those of policies that validate: in rules `validate.cel`, and in policies of images.
//!
//! A rule is a policy of [`super::policies`] written as a ClusterPolicy; a policy of images wants a signature, or a digest, of
//! all images, and none of them has one.

use super::super::Texts;
use super::{GeneratedCel, IMAGES, conditions, generated, image_test, place, policies};
use crate::random::Choices;
use engine::json::{Map, Value};
use engine::yaml::emit::to_yaml_ordered;

/// One exemption.
pub fn generate(choices: &mut Choices) -> GeneratedCel {
    let mut found = match choices.below(16) {
        0 => rule("rule: precondition by name", policies::condition_by_place(choices)),
        1 => rule("rule: precondition by image", policies::condition_by_image(choices)),
        2 => rule("rule: expression by image", policies::validation_by_image(choices)),
        3 => rule("rule: expression by container name", policies::validation_by_name(choices)),
        4 => rule("rule: variables", by_variable(choices)),
        5 => rule("rule: service account", policies::by_service_account(choices)),
        6 => rule("rule: in other words", policies::in_other_words(choices)),
        7..=9 => of_images_by_place(choices),
        10 => of_images_by_condition(choices),
        11 | 12 => of_images_by_validation(choices),
        13 | 14 => of_images_by_reference(choices),
        _ => of_images_by_rule(choices),
    };
    if choices.below(3) == 2 {
        found.made.texts.pods.clear();
    }
    found
}

/// Rules know no functions of Kyverno: what asks for one is another case.
fn by_variable(choices: &mut Choices) -> GeneratedCel {
    loop {
        let found = policies::by_variable(choices);
        if !found.made.texts.policies.iter().any(|text| text.contains("image(c.image)")) {
            return found;
        }
    }
}

fn rule(kind: &'static str, found: GeneratedCel) -> GeneratedCel {
    let GeneratedCel { mut made, mut without } = found;
    made.kind = kind;
    for text in made.texts.policies.iter_mut().chain(&mut without.policies) {
        *text = as_rule(text);
    }
    GeneratedCel { made, without }
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}

/// A ValidatingPolicy as a ClusterPolicy with one rule.
fn as_rule(policy: &str) -> String {
    let policy = engine::yaml::parse_one(policy).unwrap_or_default();
    let list = |name: &str| policy.find(&["spec", name]).cloned().unwrap_or(Value::array(Vec::new()));
    let resources = object([("kinds", Value::array(vec![Value::from("Pod")]))]);
    let filters = Value::array(vec![object([("resources", resources)])]);
    let cel = object([("variables", list("variables")), ("expressions", list("validations"))]);
    let rule = object([
        ("name", Value::from("containers")),
        ("match", object([("any", filters)])),
        ("celPreconditions", list("matchConditions")),
        ("validate", object([("cel", cel)])),
    ]);
    to_yaml_ordered(&object([
        ("apiVersion", Value::from("kyverno.io/v1")),
        ("kind", Value::from("ClusterPolicy")),
        ("metadata", object([("name", Value::from("guard"))])),
        ("spec", object([("rules", Value::array(vec![rule]))])),
    ]))
}

/// All images, wherever they stand.
const ALL: &str = "(images.containers + images.initContainers + images.ephemeralContainers)";

/// What a policy of images asks of an image `i`.
const ASKED: [&str; 2] = ["verifyImageSignatures(i, [attestors.signer]) > 0", "image(i).containsDigest()"];

/// A policy of images: what stands in its constraints, further fields of its spec, and its validation.
fn policy(constraints: &str, more: &str, validation: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {{name: guard}}\nspec:\n  validationConfigurations: {{mutateDigest: false, required: false, verifyDigest: false}}\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}}\n{constraints}{more}  attestors:\n  - name: signer\n    cosign: {{keyless: {{identities: [{{subject: builder, issuer: issuer}}]}}}}\n  validations:\n  - message: not signed\n    expression: >-\n      {validation}\n"
    )
}

/// A Pod of one image, in one list or in two.
fn pod(choices: &mut Choices, image: &str) -> String {
    let one = |name: &str| format!("  - name: {name}\n    image: {image}\n");
    let init = match choices.below(2) {
        0 => String::new(),
        _ => format!("  initContainers:\n{}", one("init")),
    };
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\n  namespace: store\n  labels: {{mesh: 'on'}}\nspec:\n{init}  containers:\n{}",
        one("app")
    )
}

struct Asked {
    each: &'static str,
    all: String,
    image: String,
    pod: String,
}

fn asked(choices: &mut Choices) -> Asked {
    let each = choices.pick(&ASKED);
    let image = choices.pick(&IMAGES).to_owned();
    let pod = pod(choices, &image);
    Asked { each, all: format!("{ALL}.all(i, {each})"), image, pod }
}

/// What gets in where the whole Pod is exempt whatever is in it.
const WHOLE: [&str; 4] = ["image", "registry", "bystander", "position"];

fn of_images_by_place(choices: &mut Choices) -> GeneratedCel {
    let Asked { all, pod, .. } = asked(choices);
    let (test, mut planted) = place(choices);
    planted.extend(WHOLE);
    let bare = policy("", "", &all);
    let (written, exceptions, kind) = match choices.below(3) {
        0 => {
            let exception = super::exception(&conditions(&[test]));
            let exception = exception.replace("ValidatingPolicy}", "ImageValidatingPolicy}");
            (bare.clone(), vec![exception], "images: exception by name")
        }
        1 => (policy("", "", &format!("({test}) || {all}")), Vec::new(), "images: validation by name"),
        _ => {
            (policy("", &conditions(&[format!("!({test})")]), &all), Vec::new(), "images: condition by name")
        }
    };
    generated(kind, Texts { policies: vec![written], exceptions, pods: vec![pod] }, &bare, planted)
}

fn of_images_by_condition(choices: &mut Choices) -> GeneratedCel {
    let Asked { all, image, pod, .. } = asked(choices);
    let (test, mut planted) = image_test(choices, "c.image", &image);
    planted.extend(["bystander", "position"]);
    let more = conditions(&[format!("!object.spec.containers.exists(c, {test})")]);
    let texts = Texts { policies: vec![policy("", &more, &all)], exceptions: Vec::new(), pods: vec![pod] };
    generated("images: condition by image", texts, &policy("", "", &all), planted)
}

fn of_images_by_validation(choices: &mut Choices) -> GeneratedCel {
    let Asked { each, all, image, pod } = asked(choices);
    let (test, mut planted) = image_test(choices, "i", &image);
    planted.push("position");
    let written = match choices.below(4) {
        0 => format!("{ALL}.all(i, {test} || {each})"),
        1 => format!("{ALL}.filter(i, !({test})).all(i, {each})"),
        2 => format!("{ALL}.filter(i, !({test})).map(i, {each}).all(e, e)"),
        _ => format!("{ALL}.all(i, ({test}) ? true : {each})"),
    };
    let texts = Texts { policies: vec![policy("", "", &written)], exceptions: Vec::new(), pods: vec![pod] };
    generated("images: validation by image", texts, &policy("", "", &all), planted)
}

fn of_images_by_reference(choices: &mut Choices) -> GeneratedCel {
    let Asked { all, image, pod, .. } = asked(choices);
    let (test, mut planted) = image_test(choices, "ref", &image);
    planted.push("position");
    let expression = match choices.below(3) {
        0 => format!("!({test})"),
        1 => format!("({test}) ? false : true"),
        _ => format!("!(ref == 'registry.example/none:1' || {test})"),
    };
    let more = format!("  matchImageReferences:\n  - expression: >-\n      {expression}\n");
    let texts = Texts { policies: vec![policy("", &more, &all)], exceptions: Vec::new(), pods: vec![pod] };
    generated("images: selection", texts, &policy("", "", &all), planted)
}

fn of_images_by_rule(choices: &mut Choices) -> GeneratedCel {
    let Asked { all, pod, .. } = asked(choices);
    let (constraints, more) = match choices.below(2) {
        0 => (
            "    excludeResourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods], resourceNames: [shop]}\n",
            "namespace",
        ),
        _ => (
            "    namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [store]}]}\n",
            "name",
        ),
    };
    let mut planted = WHOLE.to_vec();
    planted.push(more);
    let texts =
        Texts { policies: vec![policy(constraints, "", &all)], exceptions: Vec::new(), pods: vec![pod] };
    generated("images: constraints", texts, &policy("", "", &all), planted)
}
