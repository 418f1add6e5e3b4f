//! The sieve: the exemptions of the documents that the project began with, generated ones with planted weaknesses, funnel and
//! narrowest exemption. What the program prints for people is pinned by `docs/stories/how_wide_is_my_exemption.md`.
//!
//! In: texts. Out: a failure where a claim of the sieve does not hold when it is run again.

use engine::world::StaticWorld;
use engine_lenses::wire::{SieveExemption, SieveInput, SieveOutput, Text};
use tests::exemptions::{Tally, Texts, check, generate::generate, refused, sieve};
use tests::random::Choices;

/// The files of the story, by name.
fn story(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/stories/how_wide_is_my_exemption.md");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let (_, rest) = text.split_once(&format!("```yaml {name}\n")).unwrap_or_default();
    let file = rest.split("```").next().unwrap_or_default();
    assert!(!file.is_empty(), "the story has no {name}");
    file.to_owned()
}

fn texts(policy: &str, exception: Option<&str>, pods: &str) -> Texts {
    Texts {
        policies: vec![story(policy)],
        exceptions: exception.map(story).into_iter().collect(),
        pods: vec![story(pods)],
    }
}

/// The only exemption, all of whose claims hold.
#[track_caller]
fn attacked(texts: &Texts) -> SieveExemption {
    let output = sieve(texts, "check");
    let exemption = only(&output);
    assert_eq!(check(texts, &exemption, &mut Tally::default()), Vec::<String>::new());
    let meant: Vec<&str> = exemption.legitimate.iter().map(|pod| pod.resource.name.as_str()).collect();
    assert_eq!(meant, ["istio-pod", "linkerd-pod"]);
    exemption
}

#[track_caller]
fn only(output: &SieveOutput) -> SieveExemption {
    assert_eq!(output.exemptions.len(), 1, "{:?}", output.exemptions);
    output.exemptions.first().cloned().unwrap_or_default()
}

#[track_caller]
fn has(exemption: &SieveExemption, family: &str, end: &str) {
    let found = exemption.attacks.iter().find(|attack| attack.family == family && attack.text.contains(end));
    assert!(found.is_some(), "{family} {end}: {:#?}", exemption.families);
    assert!(found.is_some_and(|attack| attack.tightening.is_some()), "{family}: nothing shuts {end} out");
}

fn kept_out(exemption: &SieveExemption, family: &str) -> bool {
    exemption.families.iter().any(|found| found.name == family && found.tried > 0 && found.admitted == 0)
}

#[test]
fn images_alone_let_in_other_registries_other_positions_and_other_capabilities() {
    let exemption = attacked(&texts("images.yaml", None, "pods.yaml"));
    has(&exemption, "registry", "evil.example/istio/proxyv2");
    has(&exemption, "registry", "evil.example/linkerd/proxy-init");
    has(&exemption, "position", "docker.io/istio/proxyv2:1.20.2` in containers[]");
    has(&exemption, "position", "in ephemeralContainers[]");
    has(&exemption, "capability", "SYS_ADMIN");
    assert!(kept_out(&exemption, "image") && kept_out(&exemption, "bystander"));
}

#[test]
fn a_field_with_values_leaves_the_registry_open() {
    let exemption = attacked(&texts("field.yaml", None, "pods.yaml"));
    has(&exemption, "registry", "evil.example/istio/proxyv2");
    assert!(kept_out(&exemption, "position") && kept_out(&exemption, "capability"));
    let exemption = attacked(&texts("narrow.yaml", None, "pods.yaml"));
    assert_eq!((exemption.status.as_str(), exemption.width), ("narrow", 0));
}

#[test]
fn the_rule_with_foreach_leaves_the_registry_open() {
    let exemption = attacked(&texts("foreach.yaml", None, "pods.yaml"));
    assert_eq!(exemption.kind, "precondition");
    has(&exemption, "registry", "evil.example/istio/proxyv2");
    assert!(kept_out(&exemption, "position") && kept_out(&exemption, "capability"));
}

#[test]
fn the_exception_for_staging_lets_in_other_registries_and_positions() {
    let exemption = attacked(&texts("baseline.yaml", Some("exception.yaml"), "staging.yaml"));
    assert_eq!(exemption.kind, "exception");
    has(&exemption, "registry", "evil.example/istio/proxyv2");
    has(&exemption, "position", "in containers[]");
    has(&exemption, "capability", "SYS_ADMIN");
}

/// How many of the planted weaknesses must be found, of a hundred.
const RECALL: usize = 97;

#[test]
fn every_claim_about_generated_exemptions_holds_when_it_is_run_again() {
    let count = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40);
    let (mut tally, mut faults, mut planted, mut found) = (Tally::default(), Vec::new(), 0, 0);
    for seed in 0..count {
        let made = generate(&mut Choices::new(seed));
        let output = sieve(&made.texts, "check");
        for exemption in &output.exemptions {
            faults.extend(check(&made.texts, exemption, &mut tally));
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
fn a_narrower_way_never_lets_more_in_and_the_narrowest_holds_when_it_is_run_again() {
    let texts = texts("baseline.yaml", None, "istio.yaml");
    let output = sieve(&texts, "funnel");
    let [funnel] = output.funnels.as_slice() else { panic!("{:?}", output.funnels) };
    for system in ["psa", "podSecurity", "exception", "rule"] {
        let forms = funnel.steps.iter().flat_map(|step| &step.forms);
        let widths: Vec<u32> =
            forms.filter(|form| form.system == system && form.admits).map(|form| form.let_in).collect();
        // The profile below baseline is the privileged one, for which Pod Security Admission has a label alone.
        assert!(widths.is_sorted_by(|wide, narrow| wide >= narrow), "{system}: {widths:?}");
    }
    let output = sieve(&texts, "narrow");
    assert_eq!(output.narrowest.len(), 2, "{:?}", output.narrowest);
    for narrow in &output.narrowest {
        let mut with = texts.clone();
        match narrow.form.as_str() {
            "exception" => with.exceptions = vec![narrow.object.clone()],
            _ => with.policies = vec![narrow.object.clone()],
        }
        assert!(!refused(&with, &texts.pods[0], None), "{}", narrow.object);
        let evil = texts.pods[0].replace("docker.io/istio", "evil.example/istio");
        assert!(refused(&with, &evil, None), "{}", narrow.object);
        assert!(narrow.refuses.iter().any(|text| text.contains("evil.example")), "{:?}", narrow.refuses);
    }
}

fn asked(input: &SieveInput) -> SieveOutput {
    // The first of January 2026.
    engine_lenses::sieve::run(input, &StaticWorld::at(1_767_225_600_000_000_000))
}

fn text(name: &str, text: &str) -> Vec<Text> {
    vec![Text { name: name.to_owned(), text: text.to_owned() }]
}

#[test]
fn an_exception_that_can_lift_nothing_is_idle_and_an_expired_one_is_named() {
    let exception = story("exception.yaml");
    let mut input = SieveInput::default();
    input.input.policies = text("policy.yaml", &story("baseline.yaml"));
    input.input.exceptions = text("e.yaml", &exception.replace("baseline-service-mesh", "baseline"));
    let output = asked(&input);
    assert_eq!(output.exemptions[0].status, "idle");
    assert!(
        output.exemptions[0].notes[0].contains("has no rule `baseline`"),
        "{:?}",
        output.exemptions[0].notes
    );
    let label = "metadata:\n  labels: {cleanup.kyverno.io/ttl: '2025-06-01'}\n";
    input.input.exceptions = text("e.yaml", &exception.replace("metadata:\n", label));
    let output = asked(&input);
    assert_eq!(output.exemptions[0].status, "wide");
    assert!(
        output.exemptions[0].notes[0].contains("expired on 2025-06-01"),
        "{:?}",
        output.exemptions[0].notes
    );
}

#[test]
fn a_privileged_namespace_lets_everything_in() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mesh\n  labels: {pod-security.kubernetes.io/enforce: privileged}\n";
    let mut input = SieveInput::default();
    input.input.resources = text("ns.yaml", namespace);
    let output = asked(&input);
    let exemption = only(&output);
    assert_eq!((exemption.kind.as_str(), exemption.status.as_str()), ("psaLabel", "wide"));
    assert_eq!(exemption.range.as_ref().map(|range| range.line), Some(5));
    for family in ["image", "field", "capability", "bystander"] {
        assert!(exemption.attacks.iter().any(|attack| attack.family == family), "{family}");
    }
}

#[test]
fn an_exempt_user_of_the_admission_is_whoever_has_that_name() {
    let config = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline}\nexemptions: {usernames: [builder]}\n";
    let input = SieveInput { admission_config: text("psa.yaml", config), ..SieveInput::default() };
    let output = asked(&input);
    let exemption = only(&output);
    assert_eq!((exemption.kind.as_str(), exemption.status.as_str()), ("psaExemption", "wide"));
}

/// Two checks, of baseline and of restricted, go by the control `Capabilities`.
#[test]
fn a_control_of_two_checks_is_excluded_once() {
    let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {failureAction: Enforce, podSecurity: {level: restricted, version: latest}}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n  containers:\n  - {name: a, image: 'a:1', securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL], add: [NET_ADMIN]}}}\n";
    let mut input = SieveInput { ask: Some("narrow".to_owned()), ..SieveInput::default() };
    (input.input.policies, input.input.resources) = (text("policy.yaml", policy), text("pod.yaml", pod));
    let output = asked(&input);
    assert!(!output.narrowest.is_empty(), "{:?}", output.diagnostics);
    for narrow in &output.narrowest {
        assert_eq!(narrow.change.matches("controlName: Capabilities").count(), 1, "{}", narrow.change);
    }
}

/// Two Pods that the pattern lets in: the mesh's own, and one that is marked in some way.
fn two_pods(comment: &str, name: &str, labels: &str) -> Texts {
    let pod = |name: &str, labels: &str, image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {{{labels}}}}}\nspec:\n  initContainers:\n  \
             - name: init\n    image: {image}\n    securityContext: {{capabilities: {{add: [NET_ADMIN]}}}}\n  containers:\n  \
             - {{name: app, image: 'docker.io/app:1'}}\n"
        )
    };
    let own = pod("web", "", "docker.io/istio/proxyv2:1.20");
    let other = pod(name, labels, "mirror.example/istio/proxyv2:1");
    let pods = format!("{own}---\n{comment}\n{other}");
    Texts { policies: vec![story("images.yaml")], exceptions: Vec::new(), pods: vec![pods] }
}

fn names(pods: &[engine_lenses::wire::SievePod]) -> Vec<&str> {
    pods.iter().map(|pod| pod.resource.name.as_str()).collect()
}

#[test]
fn a_marked_pod_is_an_attacker_and_not_meant() {
    for (comment, name, labels) in [
        ("", "a-lookalike", ""),
        ("# An attacker's Pod, which must stay out.", "other", ""),
        ("", "other", "purpose: impostor"),
    ] {
        let texts = two_pods(comment, name, labels);
        let exemption = only(&sieve(&texts, "check"));
        assert_eq!(
            (names(&exemption.strangers), exemption.strangers[0].doubt.is_empty()),
            (vec![name], false)
        );
        assert!(!names(&exemption.legitimate).contains(&name));
        has(&exemption, "given", name);
        let written = exemption.attacks.iter().filter_map(|attack| attack.tightening.as_ref());
        assert!(written.into_iter().all(|change| !change.object.contains("mirror.example")), "{name}");
    }
}

#[test]
fn a_tick_decides_over_what_a_text_says() {
    let texts = two_pods("", "a-lookalike", "");
    let ask = |meant: &[&str], not_meant: &[&str]| {
        let list = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
        let input = SieveInput {
            input: texts.input(),
            meant_for: list(meant),
            not_meant_for: list(not_meant),
            ..SieveInput::default()
        };
        engine_lenses::sieve::run(&input, &StaticWorld::default())
    };
    let ticked = only(&ask(&["Pod/shop/a-lookalike"], &[]));
    assert_eq!((names(&ticked.legitimate).len(), ticked.strangers.len()), (3, 0));
    // A registry that one Pod alone uses is named before it is written.
    let changes = ticked.attacks.iter().filter_map(|attack| attack.tightening.as_ref());
    let writes = |change: &&engine_lenses::wire::SieveTightening| change.object.contains("mirror.example/");
    let named: Vec<bool> = changes
        .filter(writes)
        .map(|change| change.notes.iter().any(|note| note.contains("mirror.example")))
        .collect();
    assert!(!named.is_empty() && named.iter().all(|named| *named), "{named:?}");
    let unticked = only(&ask(&[], &["Pod/shop/web"]));
    assert_eq!(names(&unticked.strangers), ["web", "a-lookalike"]);
    assert!(!ask(&["Pod/web"], &[]).complete, "a Pod that is not there is named");
}
