//! The sieve on exemptions in CEL: each kind with its attackers and changes, generated ones with planted weaknesses, funnel and
//! narrowest exemption.
//!
//! In: texts. Out: a failure where a claim of the sieve does not hold when it is run again.

use engine_lenses::wire::{SieveExemption, SieveOutput};
use tests::exemptions::{Tally, Texts, cel, check, check_beside, refused, sieve};
use tests::random::Choices;

/// No privileged container, but for what stands in `$`.
const RULE: &str = "apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: guard}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
$  validations:
  - message: not privileged
    expression: >-
      @(object.spec.containers + object.spec.?initContainers.orValue([]))
      .all(c, %!c.?securityContext.?privileged.orValue(false))
";

/// The policy with more of its spec, an alternative to all of its validation, and one to its question about a container.
fn policy(more: &str, whole: &str, each: &str) -> String {
    RULE.replace('$', more).replace('@', whole).replace('%', each)
}

fn exception(rest: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: exempt, namespace: kyverno}}\nspec:\n  policyRefs:\n  - {{name: guard, kind: ValidatingPolicy}}\n{rest}"
    )
}

fn condition(expression: &str) -> String {
    format!("  matchConditions:\n  - name: which\n    expression: {expression:?}\n")
}

const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: proxy-1
  namespace: mesh
  labels: {mesh: 'on'}
spec:
  initContainers:
  - name: init
    image: docker.io/istio/proxyv2:1.24.1
    securityContext: {privileged: true}
  containers:
  - name: app
    image: registry.example/shop:3
";

fn texts(policy: String, exception: Option<String>) -> Texts {
    Texts { policies: vec![policy], exceptions: exception.into_iter().collect(), pods: vec![POD.to_owned()] }
}

/// The only exemption, which is of this kind, and all of whose claims hold.
#[track_caller]
fn attacked(texts: &Texts, kind: &str) -> SieveExemption {
    let output = sieve(texts, "check");
    assert_eq!(output.exemptions.len(), 1, "{output:#?}");
    let exemption = output.exemptions.first().cloned().unwrap_or_default();
    assert_eq!(exemption.kind, kind);
    assert_eq!(exemption.status, "wide", "{:?}", exemption.notes);
    assert_eq!(exemption.legitimate.len(), 1, "{:?}", exemption.notes);
    assert_eq!(check(texts, &exemption, &mut Tally::default()), Vec::<String>::new());
    exemption
}

/// The change that shuts out the attacker of a family.
#[track_caller]
fn change<'e>(exemption: &'e SieveExemption, family: &str) -> &'e str {
    let attack = exemption.attacks.iter().find(|attack| attack.family == family);
    assert!(attack.is_some(), "no attacker of {family}: {:#?}", exemption.families);
    let change = attack.and_then(|attack| attack.tightening.as_ref());
    change.map_or("", |change| change.text.as_str())
}

#[track_caller]
fn in_text(exemption: &SieveExemption, family: &str) -> String {
    let attack = exemption.attacks.iter().find(|attack| attack.family == family);
    let change = attack.and_then(|attack| attack.tightening.as_ref());
    change.and_then(|change| change.edit.as_ref()).map(|edit| edit.text.clone()).unwrap_or_default()
}

#[test]
fn an_exception_is_attacked_by_whom_its_conditions_take() {
    let by_name = exception(&condition("object.metadata.name.startsWith('proxy-')"));
    let found = attacked(&texts(policy("", "", ""), Some(by_name)), "celException");
    assert!(
        change(&found, "name").contains("`object.metadata.name == 'proxy-1'` for"),
        "{}",
        change(&found, "name")
    );
    assert_eq!(change(&found, "namespace"), "add a condition: the namespace is `mesh`");
    assert!(change(&found, "bystander").starts_with("add a condition: all images are among"));
    // The condition is written below those that are there.
    assert_eq!(
        in_text(&found, "namespace"),
        "\n  - name: narrowed-1\n    expression: >-\n      object.?metadata.?namespace.orValue('') == 'mesh'"
    );
    let by_image =
        exception(&condition("object.spec.initContainers.exists(c, c.image.contains('istio/proxyv2'))"));
    let found = attacked(&texts(policy("", "", ""), Some(by_image)), "celException");
    assert_eq!(
        change(&found, "registry"),
        "write `c.image.startsWith('docker.io/istio/proxyv2:')` for `c.image.contains('istio/proxyv2')`"
    );
}

#[test]
fn images_and_values_of_an_exception_are_what_the_policy_compares_them_with() {
    let uses = "exceptions.allowedImages.exists(i, c.image.startsWith(i)) || ";
    let images = exception("  images: [docker.io/istio/proxyv2]\n");
    let found = attacked(&texts(policy("", "", uses), Some(images)), "celException");
    assert!(change(&found, "registry").contains("`docker.io/istio/proxyv2:` for `docker.io/istio/proxyv2`"));
    let uses = "('privileged' in exceptions.allowedValues) || ";
    let values = exception("  allowedValues: [privileged]\n");
    let found = attacked(&texts(policy("", "", uses), Some(values)), "celException");
    assert!(change(&found, "image").starts_with("add a condition: all images are among"));
}

#[test]
fn a_match_condition_that_leaves_something_out_is_narrowed_where_it_stands() {
    let more = condition("!(object.metadata.namespace in ['mesh', 'infra'])");
    let found = attacked(&texts(policy(&more, "", ""), None), "matchCondition");
    assert_eq!(change(&found, "name"), "leave out only where the name is `proxy-1`");
    assert_eq!(in_text(&found, "name"), " && object.?metadata.?name.orValue('') == 'proxy-1'");
    let variable = "  variables:\n  - {name: isMesh, expression: \"object.metadata.?labels.?mesh.orValue('') == 'on'\"}\n";
    let found = attacked(&texts(policy(variable, "variables.isMesh || ", ""), None), "validation");
    assert_eq!(change(&found, "label"), "leave out only where the name is `proxy-1`");
}

#[test]
fn a_label_of_the_namespace_lets_in_whatever_is_in_it() {
    let more = condition("!(namespaceObject.metadata.?labels[?'exempt'].orValue('') == 'true')");
    let alone = Texts { policies: vec![policy(&more, "", "")], ..Texts::default() };
    let found = attacked(&alone, "matchCondition");
    assert!(
        found.legitimate[0].namespace.as_deref().unwrap_or_default().contains("exempt: \"true\""),
        "{found:?}"
    );
    assert!(change(&found, "image").starts_with("leave out only where all images are among"));
}

#[test]
fn a_part_of_a_validation_is_narrowed_for_the_container_that_it_looks_at() {
    let found = attacked(&texts(policy("", "", "c.name == 'init' || "), None), "validation");
    assert_eq!(
        in_text(&found, "image").matches("c.image.startsWith(").count(),
        1,
        "{}",
        in_text(&found, "image")
    );
    assert_eq!(
        change(&found, "position"),
        "leave out only where `docker.io/istio/proxyv2:*` stands in initContainers[] alone"
    );
    // What is allowed is the rule itself.
    let list = RULE
        .replace(['$', '@'], "")
        .replace("%!c.?securityContext.?privileged.orValue(false)", "c.image.startsWith('docker.io/')");
    assert_eq!(sieve(&texts(list, None), "check").exemptions.len(), 0);
}

#[test]
fn excluded_rules_and_selectors_give_way_to_a_match_condition() {
    let rule = "    excludeResourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods], resourceNames: [proxy-1]}\n";
    let found = attacked(&texts(policy(rule, "", ""), None), "excludeResourceRule");
    assert!(
        change(&found, "namespace").starts_with("write a match condition in its place"),
        "{}",
        change(&found, "namespace")
    );
    let selector =
        "    objectSelector:\n      matchExpressions:\n      - {key: mesh, operator: DoesNotExist}\n";
    // Of Kyverno's own kinds it leaves out nothing that is created, for an old object without labels is looked at too.
    let own = policy(selector, "", "");
    assert_eq!(sieve(&texts(own.clone(), None), "check").exemptions[0].status, "idle");
    let own = own.replace("policies.kyverno.io/v1\nkind: V", "admissionregistration.k8s.io/v1\nkind: V");
    let own = own.replace("kind: ValidatingPolicy", "kind: ValidatingAdmissionPolicy");
    let found = attacked(&texts(own, None), "selector");
    assert!(change(&found, "label").ends_with("leaves out only where the name is `proxy-1`"));
    let selector = "    namespaceSelector:\n      matchExpressions:\n      - {key: kubernetes.io/metadata.name, operator: NotIn, values: [mesh]}\n";
    let found = attacked(&texts(policy(selector, "", ""), None), "selector");
    assert!(change(&found, "name").ends_with("leaves out only where the name is `proxy-1`"));
}

/// How many of the planted weaknesses must be found, of a hundred.
const RECALL: usize = 97;

#[test]
fn preconditions_and_expressions_of_a_rule_are_narrowed_where_they_stand() {
    let rule = |preconditions: &str, each: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: guard}}\nspec:\n  rules:\n  - name: other\n    match: {{any: [{{resources: {{kinds: [ConfigMap]}}}}]}}\n    validate: {{message: m, pattern: {{data: {{a: b}}}}}}\n  - name: containers\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n{preconditions}    validate:\n      cel:\n        expressions:\n        - message: not privileged\n          expression: >-\n            (object.spec.containers + object.spec.?initContainers.orValue([])).all(c, {each}!c.?securityContext.?privileged.orValue(false))\n"
        )
    };
    let negated = "    celPreconditions:\n    - name: not-mesh\n      expression: \"!(object.metadata.namespace in ['mesh', 'infra'])\"\n";
    let found = attacked(&texts(rule(negated, ""), None), "matchCondition");
    assert_eq!(found.rule, "containers");
    assert_eq!(change(&found, "name"), "leave out only where the name is `proxy-1`");
    assert_eq!(in_text(&found, "name"), " && object.?metadata.?name.orValue('') == 'proxy-1'");
    let found = attacked(&texts(rule("", "c.name == 'init' || "), None), "validation");
    assert_eq!(found.rule, "containers");
    assert_eq!(
        change(&found, "position"),
        "leave out only where `docker.io/istio/proxyv2:*` stands in initContainers[] alone"
    );
}

/// A policy that wants a signature of each image; what stands for `$` is in its spec, for `@` before its question about an image.
const SIGNED: &str = "apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: guard}
spec:
  validationConfigurations: {mutateDigest: false, required: false, verifyDigest: false}
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
$  attestors:
  - name: signer
    cosign: {keyless: {identities: [{subject: builder, issuer: issuer}]}}
  validations:
  - message: not signed
    expression: >-
      (images.containers + images.initContainers).all(i, @verifyImageSignatures(i, [attestors.signer]) > 0)
";

#[test]
fn what_a_policy_of_images_leaves_out_is_attacked_with_images_that_nobody_signed() {
    let proxy = "apiVersion: v1\nkind: Pod\nmetadata: {name: proxy-1, namespace: mesh}\nspec:\n  containers:\n  - name: proxy\n    image: docker.io/istio/proxyv2:1.24.1\n";
    let texts = |more: &str, each: &str| Texts {
        policies: vec![SIGNED.replace('$', more).replace('@', each)],
        exceptions: Vec::new(),
        pods: vec![proxy.to_owned()],
    };
    let selects = "  matchImageReferences:\n  - expression: \"!ref.contains('istio/proxyv2')\"\n";
    let found = attacked(&texts(selects, ""), "matchImageReference");
    assert_eq!(
        change(&found, "registry"),
        "write `ref.startsWith('docker.io/istio/proxyv2:')` for `ref.contains('istio/proxyv2')`"
    );
    let found = attacked(&texts("", "i.startsWith('docker.io/istio/') || "), "validation");
    assert_eq!(
        change(&found, "tag"),
        "write `i == 'docker.io/istio/proxyv2:1.24.1'` for `i.startsWith('docker.io/istio/')`"
    );
    assert_eq!(
        change(&found, "position"),
        "leave out only where `docker.io/istio/proxyv2:*` stands in containers[] alone"
    );
    let by_place = condition("!(object.metadata.namespace == 'mesh')");
    let found = attacked(&texts(&by_place, ""), "matchCondition");
    assert!(change(&found, "bystander").starts_with("leave out only where all images are among"));
    // A list of the images that are looked at is what the policy is for.
    let selects =
        "  matchImageReferences: [{glob: 'ghcr.io/*'}, {expression: \"ref.startsWith('quay.io/')\"}]\n";
    assert_eq!(sieve(&texts(selects, ""), "check").exemptions.len(), 0);
}

#[test]
fn every_claim_about_generated_exemptions_holds_when_it_is_run_again() {
    held(cel::generate);
}

#[test]
fn every_claim_about_exemptions_of_rules_and_of_policies_of_images_holds_when_it_is_run_again() {
    held(cel::generate_elsewhere);
}

/// Attacks generated exemptions, and runs every claim again.
#[track_caller]
fn held(generate: fn(&mut Choices) -> cel::GeneratedCel) {
    let count = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40);
    let (mut tally, mut faults, mut planted, mut found) = (Tally::default(), Vec::new(), 0, 0);
    for seed in 0..count {
        let cel::GeneratedCel { made, without } = generate(&mut Choices::new(seed));
        let output = sieve(&made.texts, "check");
        for exemption in &output.exemptions {
            faults.extend(check_beside(&made.texts, Some(&without), exemption, &mut tally));
        }
        let attacks = || output.exemptions.iter().flat_map(|exemption| &exemption.attacks);
        planted += made.planted.len();
        found +=
            made.planted.iter().filter(|family| attacks().any(|attack| attack.family == **family)).count();
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(tally.attacks > 100 && tally.tightenings > 100, "{tally:?}");
    assert!(found * 100 >= planted * RECALL, "{found} of {planted} planted weaknesses");
}

#[test]
fn the_funnel_and_the_narrowest_are_written_in_cel() {
    let refused_by = texts(policy("", "", ""), None);
    let SieveOutput { funnels, .. } = sieve(&refused_by, "funnel");
    let [funnel] = funnels.as_slice() else { panic!("{funnels:#?}") };
    for system in ["exception", "rule"] {
        let forms = || funnel.steps.iter().flat_map(|step| &step.forms).filter(|form| form.system == system);
        let widths: Vec<u32> = forms().filter(|form| form.admits).map(|form| form.let_in).collect();
        assert!(widths.len() >= 4, "{system}: {widths:?}");
        assert!(widths.is_sorted_by(|wide, narrow| wide >= narrow), "{system}: {widths:?}");
        assert!(widths.first() > widths.last(), "{system}: {widths:?}");
    }
    let SieveOutput { narrowest, .. } = sieve(&refused_by, "narrow");
    let forms: Vec<&str> = narrowest.iter().map(|narrow| narrow.form.as_str()).collect();
    assert_eq!(forms, ["exception", "rule"]);
    for narrow in &narrowest {
        let mut with = refused_by.clone();
        match narrow.form.as_str() {
            "exception" => with.exceptions = vec![narrow.object.clone()],
            _ => with.policies = vec![narrow.object.clone()],
        }
        assert!(!refused(&with, POD, None), "{}", narrow.object);
        for (from, to) in [
            ("docker.io/istio", "evil.example/istio"),
            ("name: proxy-1", "name: evil"),
            ("namespace: mesh", "namespace: evil"),
            (
                "registry.example/shop:3\n",
                "registry.example/shop:3\n    securityContext: {privileged: true}\n  - {name: b, image: evil, securityContext: {privileged: true}}\n",
            ),
        ] {
            assert!(refused(&with, &POD.replace(from, to), None), "{to}: {}", narrow.object);
        }
    }
}
