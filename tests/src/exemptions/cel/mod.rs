//! Exemptions in CEL with weaknesses planted in them, each the same for the same seed.
//!
//! In: choices. Out: texts with the exemption and without it, and the families of attackers that must get in, as whoever wrote
//! the exemption would say: a text that is only contained, a list that is forgotten, a label that anybody can set.

mod elsewhere;
mod policies;

pub use elsewhere::generate as generate_elsewhere;

use super::Texts;
use super::generate::{Generated, IMAGES};
use crate::random::Choices;
use std::fmt::Write;

/// A generated exemption in CEL.
#[derive(Clone, Debug)]
pub struct GeneratedCel {
    /// The texts, and what is planted.
    pub made: Generated,
    /// The texts as they would be without the exemption.
    pub without: Texts,
}

/// What a policy refuses: an expression over a container `c`, what breaks it in YAML, and what it opens where all is lifted.
struct Rule {
    test: &'static str,
    asks: &'static str,
    open: &'static [&'static str],
}

const RULES: [Rule; 3] = [
    Rule {
        test: "c.?securityContext.?capabilities.?add.orValue([]).all(k, k in ['CHOWN', 'KILL'])",
        asks: "securityContext: {capabilities: {add: [NET_ADMIN]}}",
        open: &["capability"],
    },
    Rule {
        test: "!c.?securityContext.?privileged.orValue(false)",
        asks: "securityContext: {privileged: true}",
        open: &[],
    },
    Rule {
        test: "!c.?securityContext.?privileged.orValue(false) && c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0)",
        asks: "ports: [{containerPort: 8080, hostPort: 8080}]",
        open: &["field"],
    },
];

/// All containers, wherever they stand.
const ALL: &str = "(object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([]))";

/// A test of an image, and what it leaves open.
fn image_test(choices: &mut Choices, operand: &str, image: &str) -> (String, Vec<&'static str>) {
    let (name, tag) = image.rsplit_once(':').unwrap_or((image, ""));
    let (registry, path) = name.split_once('/').unwrap_or(("", name));
    let open = vec!["registry", "tag"];
    match choices.below(9) {
        1 => (format!("{operand}.contains('{path}')"), open),
        2 => (format!("{operand}.endsWith('{path}:{tag}')"), vec!["registry"]),
        3 => (format!("{operand}.startsWith('{name}')"), open),
        4 => (format!("{operand}.startsWith('{registry}/')"), open),
        5 => (format!("{operand}.startsWith('{name}:')"), vec!["tag"]),
        6 => (format!("{operand} in ['{image}', 'registry.example/other:1']"), vec![]),
        7 => (format!("{operand}.matches('{path}')"), open),
        8 => (format!("{operand}.matches('^{}:.*$')", name.replace('.', "\\\\.")), vec!["tag"]),
        _ => (format!("{operand} == '{image}'"), vec![]),
    }
}

/// A Pod with an exempt init container, or main container.
fn pod(list: &str, image: &str, asks: &str) -> String {
    let exempt = format!("  - name: exempt\n    image: {image}\n    {asks}\n");
    let app = "  - name: app\n    image: registry.example/shop:3\n";
    let (init, main) = if list == "initContainers" {
        (format!("  initContainers:\n{exempt}"), String::new())
    } else {
        (String::new(), exempt)
    };
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\n  namespace: store\n  labels: {{mesh: 'on'}}\nspec:\n{init}  containers:\n{app}{main}"
    )
}

/// A policy: what stands in its constraints, further fields of its spec, and its validation.
fn policy(constraints: &str, more: &str, validation: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: guard}}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}}\n{constraints}{more}  validations:\n  - message: not allowed\n    expression: >-\n      {validation}\n"
    )
}

fn conditions(expressions: &[String]) -> String {
    let mut out = String::from("  matchConditions:\n");
    for (at, expression) in expressions.iter().enumerate() {
        let _ = write!(out, "  - name: condition-{at}\n    expression: >-\n      {expression}\n");
    }
    out
}

fn exception(rest: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: exempt, namespace: kyverno}}\nspec:\n  policyRefs: [{{name: guard, kind: ValidatingPolicy}}]\n{rest}"
    )
}

fn generated(kind: &'static str, texts: Texts, without: &str, planted: Vec<&'static str>) -> GeneratedCel {
    let bare = Texts { policies: vec![without.to_owned()], ..Texts::default() };
    GeneratedCel { made: Generated { kind, texts, planted }, without: bare }
}

/// A rule over all containers, and a Pod that breaks it.
fn rule(choices: &mut Choices) -> (&'static Rule, String, String, String) {
    let [first, ..] = &RULES;
    let rule = RULES.get(choices.below(RULES.len())).unwrap_or(first);
    let image = choices.pick(&IMAGES).to_owned();
    let list = if choices.below(2) == 0 { "initContainers" } else { "containers" };
    (rule, format!("{ALL}.all(c, {})", rule.test), pod(list, &image, rule.asks), image)
}

/// What gets in where the whole Pod is exempt whatever is in it.
fn whole(rule: &Rule) -> Vec<&'static str> {
    [&["image", "registry", "bystander", "position"], rule.open].concat()
}

/// One exemption.
pub fn generate(choices: &mut Choices) -> GeneratedCel {
    let mut found = match choices.below(18) {
        0 => exception_by_place(choices),
        1 => exception_by_image(choices),
        2 => exception_with_images(choices),
        3 => exception_with_values(choices),
        4 => exception_by_label(choices),
        5 => exception_by_user(choices),
        6 => policies::condition_by_place(choices),
        7 => policies::condition_by_image(choices),
        8 => policies::condition_by_namespace_label(choices),
        9 => policies::validation_by_image(choices),
        10 => policies::validation_by_name(choices),
        11 => policies::exclude_rule(choices),
        12 => policies::selector(choices),
        13 => policies::by_variable(choices),
        14 => policies::by_service_account(choices),
        15 => policies::of_deployments(choices),
        16 => policies::in_other_words(choices),
        _ => policies::admission_policy(choices),
    };
    let is_made = ["exception with images", "exception with values"].contains(&found.made.kind);
    if choices.below(3) == 2 && !is_made {
        found.made.texts.pods.clear();
    }
    found
}

/// Tests of name and namespace, and what they leave open.
fn place(choices: &mut Choices) -> (String, Vec<&'static str>) {
    match choices.below(6) {
        1 => ("object.metadata.namespace.startsWith('st')".to_owned(), vec!["namespace", "name"]),
        2 => ("object.metadata.namespace == 'store'".to_owned(), vec!["name"]),
        3 => (
            "object.metadata.name.contains('shop') && object.metadata.namespace == 'store'".to_owned(),
            vec!["name"],
        ),
        4 => ("object.metadata.name.endsWith('op')".to_owned(), vec!["name", "namespace"]),
        5 => (
            "object.metadata.name.matches('^sh') && object.metadata.namespace in ['store', 'shop']"
                .to_owned(),
            vec!["name"],
        ),
        _ => ("object.metadata.name == 'shop' && object.metadata.namespace == 'store'".to_owned(), vec![]),
    }
}

fn exception_by_place(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let (test, mut planted) = place(choices);
    planted.extend(whole(rule));
    let bare = policy("", "", &validation);
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&conditions(&[test]))],
        pods: vec![pod],
    };
    generated("exception by name", texts, &bare, planted)
}

/// A test that some image, or every image, of some lists is the exempt one, and what it leaves open.
fn some_image(choices: &mut Choices, rule: &Rule, image: &str) -> (String, Vec<&'static str>) {
    let (test, mut planted) = image_test(choices, "c.image", image);
    planted.extend(rule.open);
    planted.push("bystander");
    let list = if choices.below(2) == 0 {
        planted.push("position");
        ALL.to_owned()
    } else {
        "object.spec.?initContainers.orValue([])".to_owned()
    };
    (format!("{list}.exists(c, {test})"), planted)
}

fn exception_by_image(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, _, image) = rule(choices);
    let (test, planted) = some_image(choices, rule, &image);
    let bare = policy("", "", &validation);
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&conditions(&[test]))],
        pods: vec![pod("initContainers", &image, rule.asks)],
    };
    generated("exception by image", texts, &bare, planted)
}

fn exception_with_images(choices: &mut Choices) -> GeneratedCel {
    let (rule, _, pod, image) = rule(choices);
    let (name, _) = image.rsplit_once(':').unwrap_or((&image, ""));
    let (uses, written, mut planted) = match choices.below(3) {
        0 => ("c.image in exceptions.allowedImages", image.clone(), vec![]),
        1 => (
            "exceptions.allowedImages.exists(i, c.image.startsWith(i))",
            name.to_owned(),
            vec!["registry", "tag"],
        ),
        _ => (
            "exceptions.allowedImages.exists(i, c.image.contains(i))",
            name.rsplit('/').next().unwrap_or(name).to_owned(),
            vec!["registry", "tag"],
        ),
    };
    planted.extend(rule.open);
    planted.push("position");
    let bare = policy("", "", &format!("{ALL}.all(c, {uses} || {})", rule.test));
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&format!("  images: ['{written}']\n"))],
        pods: vec![pod],
    };
    generated("exception with images", texts, &bare, planted)
}

fn exception_with_values(choices: &mut Choices) -> GeneratedCel {
    let image = choices.pick(&IMAGES).to_owned();
    let [rule, ..] = &RULES;
    let all = "c.?securityContext.?capabilities.?add.orValue([]).all(k, k in ['CHOWN'] || k in exceptions.allowedValues)";
    let bare = policy("", "", &format!("{ALL}.all(c, {all})"));
    let wide = choices.below(2) == 0;
    let values = if wide { "NET_ADMIN, SYS_ADMIN" } else { "NET_ADMIN" };
    let mut planted = vec!["image", "registry", "bystander", "position"];
    planted.extend(wide.then_some("capability"));
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&format!("  allowedValues: [{values}]\n"))],
        pods: vec![pod("initContainers", &image, rule.asks)],
    };
    generated("exception with values", texts, &bare, planted)
}

fn exception_by_label(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, pod, _) = rule(choices);
    let test = choices.pick(&[
        "has(object.metadata.labels) && 'mesh' in object.metadata.labels",
        "object.metadata.?labels.?mesh.orValue('') == 'on'",
        "has(object.metadata.labels) && has(object.metadata.labels.mesh) && object.metadata.labels.mesh in ['on', 'yes']",
        "object.metadata.?labels[?'mesh'].orValue('').startsWith('o')",
    ]);
    let mut planted = whole(rule);
    planted.extend(["label", "name", "namespace"]);
    let bare = policy("", "", &validation);
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&conditions(&[test.to_owned()]))],
        pods: vec![pod],
    };
    generated("exception by label", texts, &bare, planted)
}

fn exception_by_user(choices: &mut Choices) -> GeneratedCel {
    let (rule, validation, _, _) = rule(choices);
    let test = choices.pick(&[
        "request.userInfo.username.startsWith('builder-')",
        "'system:authenticated' in request.userInfo.groups",
        "request.userInfo.groups.exists(g, g == 'system:serviceaccounts')",
        "request.userInfo.username.contains('deploy')",
    ]);
    let mut planted = whole(rule);
    planted.push("user");
    let bare = policy("", "", &validation);
    let texts = Texts {
        policies: vec![bare.clone()],
        exceptions: vec![exception(&conditions(&[test.to_owned()]))],
        pods: Vec::new(),
    };
    generated("exception by user", texts, &bare, planted)
}
