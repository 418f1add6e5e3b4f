//! `podsieve compare`: each difference is one that `apply` shows too, planted mistakes are found, rewrites are not called different.
//!
//! In: policies written here and, where they lie beside the repository, those of the recorded library. Out: a failure where a grade
//! claims what is not so.

use engine::json::Value;
use engine_compare::{Actions, Comparison, Direction, Grade, Operation, Options, PlainValue, Taken, compare};
use engine_lenses::wire::Text;
use tests::differences::{answer, drawn, library, rewrites::rewrites};
use tests::random::Choices;
use tests::{program, recorded, terminal};

const CLASSIC: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: read-only}
spec:
  rules:
  - name: root
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      failureAction: Enforce
      message: the root filesystem must be read-only
      pattern:
        spec:
          =(initContainers): [{securityContext: {readOnlyRootFilesystem: true}}]
          containers: [{securityContext: {readOnlyRootFilesystem: true}}]
";

/// The same in CEL; `LISTS` are the lists of containers.
const VALIDATING: &str = "
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: read-only}
spec:
  validationActions: [Deny]
  autogen: {podControllers: {controllers: [deployments]}}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  variables:
  - {name: all, expression: 'LISTS'}
  validations:
  - message: the root filesystem must be read-only
    expression: variables.all.all(c, c.?securityContext.?readOnlyRootFilesystem.orValue(false) == true)
";

fn text(text: &str) -> Vec<Text> {
    vec![Text { name: "policy.yaml".into(), text: text.into() }]
}

fn compared(old: &str, new: &str, options: &Options) -> Comparison {
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    compare(&text(old), &text(new), options, &world, &mut |_| true)
}

fn creating() -> Options {
    Options { operations: vec![Operation::Create], ..Options::default() }
}

/// A policy whose verdict hangs on Ingresses of the cluster; `HOSTS` are the hosts that are taken.
const UNIQUE: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: unique-host}
spec:
  rules:
  - name: host
    match: {any: [{resources: {kinds: [Ingress]}}]}
    context:
    - name: hosts
      apiCall: {urlPath: /apis/networking.k8s.io/v1/ingresses, jmesPath: 'items[].spec.rules[].host'}
    validate:
      failureAction: Enforce
      allowExistingViolations: false
      message: the host is taken
      deny: {conditions: {all: [{key: '{{ request.object.spec.rules[].host }}', operator: AnyIn, value: '{{ hosts }}'}]}}
";

/// The same in CEL; `LIST` is the first element of the namespace's or the cluster's.
const UNIQUE_IN_CEL: &str = "
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: unique-host}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [ingresses]}]
  variables:
  - {name: ingresses, expression: \"dyn(resource.List('networking.k8s.io/v1', 'ingresses', 'NAMESPACE').items)\"}
  validations:
  - message: the host is taken
    expression: >-
      object.?spec.?rules.orValue([]).all(rule, !has(rule.host) || variables.ingresses.all(other,
      other.?spec.?rules.orValue([]).all(taken, !has(taken.host) || taken.host != rule.host)))
";

#[test]
fn what_the_cluster_holds_is_part_of_a_request() {
    // `AnyIn` takes `*.example` of the cluster for a pattern, and `!=` does not.
    let wildcards = compared(UNIQUE, &UNIQUE_IN_CEL.replace("NAMESPACE", ""), &creating());
    assert_eq!(wildcards.grade, Grade::Different, "{:?}", wildcards.reasons);
    let plain = PlainValue { keys: vec!["host".into()], taken: Taken::NoWildcards };
    let without = Options { plain_values: vec![plain], ..creating() };
    let same = compared(UNIQUE, &UNIQUE_IN_CEL.replace("NAMESPACE", ""), &without);
    assert_eq!(same.grade, Grade::NoDifference, "{:?} {:?}", same.findings, same.reasons);
    let narrow = compared(UNIQUE, &UNIQUE_IN_CEL.replace("NAMESPACE", "default"), &without);
    assert_eq!(narrow.grade, Grade::Different);
    let wider = narrow.findings.iter().find(|finding| finding.direction == Direction::Wider).unwrap();
    let cluster = wider.request.attributes.cluster.as_deref().unwrap();
    // The one object that shows it, in another Namespace.
    assert_eq!(cluster.len(), 1, "{cluster:?}");
    assert_eq!(cluster[0].find_str(&["metadata", "namespace"]), "other");
    let host = |object: &Value| {
        object
            .find(&["spec", "rules"])
            .and_then(|list| list.at(0))
            .map(|rule| rule.find_str(&["host"]).to_owned())
    };
    assert_eq!(host(&cluster[0]), host(&wider.request.object));
}

#[test]
fn a_list_of_containers_that_a_rewrite_forgets_is_found_with_the_smallest_pod() {
    let forgotten = VALIDATING.replace("LISTS", "object.spec.containers");
    let answer = compared(CLASSIC, &forgotten, &creating());
    assert_eq!(answer.grade, Grade::Different);
    let wider = answer.findings.iter().find(|finding| finding.direction == Direction::Wider).unwrap();
    let object = &wider.request.object;
    assert!(object.find(&["spec", "initContainers"]).is_some(), "{object:?}");
    assert_eq!(object.find_str(&["kind"]), "Pod");
    // Nothing stands in it that could be left out.
    let context = "{\"readOnlyRootFilesystem\":true}";
    let container = object.find(&["spec", "containers"]).and_then(|list| list.at(0)).unwrap();
    assert_eq!(engine::json::to_json(container.get("securityContext").unwrap()), context);
    assert!(object.find(&["metadata", "labels"]).is_none() && object.find(&["spec", "volumes"]).is_none());
    // Both explanations, with lines.
    let [old, new] = &wider.verdicts;
    assert_eq!((old[0].status.as_str(), new[0].status.as_str()), ("fail", "pass"));
    assert!(old[0].range.as_ref().is_some_and(|range| range.line > 10));
}

#[test]
fn a_faithful_rewrite_differs_in_the_controllers_that_autogen_makes_alone() {
    let whole =
        VALIDATING.replace("LISTS", "object.spec.containers + object.spec.?initContainers.orValue([])");
    let answer = compared(CLASSIC, &whole, &creating());
    let kinds: Vec<&str> =
        answer.findings.iter().map(|finding| finding.request.object.find_str(&["kind"])).collect();
    assert!(!kinds.is_empty() && !kinds.contains(&"Pod") && !kinds.contains(&"Deployment"), "{kinds:?}");
    // Without autogen on either side nothing is left.
    let bare = CLASSIC.replace(
        "{name: read-only}",
        "{name: read-only, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}",
    );
    let whole = whole.replace("controllers: [deployments]", "controllers: []");
    assert_eq!(compared(&bare, &whole, &creating()).grade, Grade::Same);
    // Where not all cases are tried, it is said how far the search came.
    let answer = compared(&bare, &whole, &Options { max_cases: 10, ..creating() });
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
    let counts = answer.counts;
    assert!(counts.requests > 1_000 && counts.old_branches > 3 && counts.new_branches > 3, "{counts:?}");
    assert!(counts.pairs_met > 9 && counts.mutants > 3, "{counts:?}");
    assert_eq!(counts.noticed + answer.missed.len(), counts.mutants);
}

#[test]
fn what_decides_nothing_is_the_same_and_needs_no_request() {
    let new = CLASSIC
        .replace("must be read-only", "has to be read-only")
        .replace("rules:", "background: true\n  rules:");
    let answer = compared(CLASSIC, &new.replace("  background: true\n", ""), &Options::default());
    assert_eq!((answer.grade, answer.counts.requests), (Grade::Same, 0));
    let kinds = CLASSIC.replace("[Pod]", "[Pod, Deployment]");
    let turned = CLASSIC.replace("[Pod]", "[Deployment, Pod]");
    assert_eq!(compared(&kinds, &turned, &Options::default()).grade, Grade::Same);
    assert_ne!(compared(&kinds, CLASSIC, &creating()).grade, Grade::Same);
    // A message with a variable can fail a rule.
    let variable = CLASSIC.replace("must be read-only", "{{ request.object.spec.nope }}");
    assert_ne!(compared(CLASSIC, &variable, &Options::default()).grade, Grade::Same);
}

#[test]
fn actions_decide_unless_both_are_taken_to_enforce() {
    let audits = CLASSIC.replace("Enforce", "Audit");
    let answer = compared(CLASSIC, &audits, &creating());
    assert_eq!((answer.grade, answer.findings[0].direction), (Grade::Different, Direction::Wider));
    let enforced = Options { actions: Actions::Enforced, max_requests: 1_000, ..creating() };
    assert_ne!(compared(CLASSIC, &audits, &enforced).grade, Grade::Different);
}

#[test]
fn what_cannot_be_evaluated_is_not_compared_and_says_its_line() {
    let refused = CLASSIC.replace("the root filesystem must be read-only", "'{{ request.object.nope( }}'");
    let answer = compared(CLASSIC, &refused, &Options::default());
    assert_eq!((answer.grade, answer.reasons[0].side), (Grade::NotCompared, "new"));
    assert_eq!(answer.reasons.len(), 1, "a refused policy is listed once: {:?}", answer.reasons);
    let misspelt = CLASSIC.replace("failureAction", "failureActon");
    let answer = compared(CLASSIC, &misspelt, &Options::default());
    assert_eq!(answer.reasons[0].text, "unknown field `failureActon` (did you mean `failureAction`?)");
    assert_eq!(answer.reasons[0].range.as_ref().map(|range| range.line), Some(10), "{:?}", answer.reasons);
    let broken = VALIDATING.replace("LISTS", "object.spec.(");
    let answer = compared(CLASSIC, &broken, &Options::default());
    assert_eq!(answer.grade, Grade::NotCompared);
    assert!(!answer.reasons.is_empty());
}

#[test]
fn a_level_of_pod_security_is_a_side() {
    let rule = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {failureAction: Enforce, podSecurity: {level: LEVEL, version: latest}}\n";
    let of = |level: &str| rule.replace("LEVEL", level);
    let options = Options { max_requests: 3_000, mutants: 0, ..creating() };
    // A rule asks for the check of probes in every version, which a cluster makes since 1.34 (docs/pod-security-table.md).
    let before =
        compared("{level: baseline, version: v1.32}", &of("baseline").replace("latest", "v1.32"), &options);
    let said: Vec<&str> = before.findings.iter().map(|one| one.verdicts[1][0].message.as_str()).collect();
    assert!(!said.is_empty() && said.iter().all(|one| one.contains("probe or lifecycle host")), "{said:?}");
    // Kyverno 1.19 does not know what newer versions of the standards allow: `procMount` of Pods with users of their own, and further sysctls.
    let newest = compared("level: baseline", &of("baseline"), &options);
    assert_eq!((newest.grade, newest.findings[0].direction), (Grade::Different, Direction::Stricter));
    let shown = engine::json::to_json(&newest.findings[0].request.object);
    assert!(shown.contains("sysctls") || shown.contains("procMount"), "{shown}");
    let answer = compared("level: restricted", &of("baseline"), &options);
    assert_eq!((answer.grade, answer.findings[0].direction), (Grade::Different, Direction::Wider));
    assert!(!answer.findings[0].verdicts[0][0].message.is_empty());
}

#[test]
fn pod_security_policies_are_a_side() {
    let policy = |host_network: &str| {
        format!(
            "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {{name: p}}\nspec:\n  seLinux: {{rule: RunAsAny}}\n  \
             supplementalGroups: {{rule: RunAsAny}}\n  runAsUser: {{rule: RunAsAny}}\n  fsGroup: {{rule: RunAsAny}}\n  volumes: ['*']\n  \
             hostNetwork: {host_network}\n"
        )
    };
    let options = Options { mutants: 0, max_requests: 4_000, ..creating() };
    let answer = compared(&policy("false"), &policy("true"), &options);
    assert_eq!(answer.findings.first().map(|finding| finding.direction), Some(Direction::Wider));
    assert_eq!(compared(&policy("false"), &policy("false"), &options).grade, Grade::NoDifference);
}

#[test]
fn a_template_of_a_pod_gets_other_defaults_than_a_pod() {
    let requests = |fields: &str| {
        let pattern =
            format!("containers: [{{resources: {{requests: {{{fields}}}, limits: {{cpu: '?*'}}}}}}]");
        CLASSIC
            .replace("containers: [{securityContext: {readOnlyRootFilesystem: true}}]", &pattern)
            .replace("          =(initContainers): [{securityContext: {readOnlyRootFilesystem: true}}]\n", "")
    };
    // What is limited in a Pod is requested too; in a template it may be limited alone.
    let answer = compared(&requests("cpu: '?*'"), &requests("=(cpu): '?*'"), &creating());
    let kinds: Vec<_> =
        answer.findings.iter().map(|finding| finding.request.object.find_str(&["kind"])).collect();
    assert_eq!((answer.grade, kinds.contains(&"Pod")), (Grade::Different, false), "{kinds:?}");
}

#[test]
fn what_shows_beside_an_object_that_is_let_in_and_what_needs_two_elements_is_found() {
    let exempts = |image: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: \
             {{kinds: [Pod]}}}}]}}\n    validate: {{failureAction: Enforce, podSecurity: {{level: restricted, version: latest, exclude: \
             [{{controlName: Capabilities, images: ['{image}*']}}]}}}}\n"
        )
    };
    let options = Options { mutants: 0, ..creating() };
    let answer = compared(&exempts("ghcr.io/team/app"), &exempts("ghcr.io/team/appz"), &options);
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.counts);
    let quantified = |quantifier: &str| {
        let all = "variables.all.all(c, c.?securityContext.?readOnlyRootFilesystem.orValue(false) == true)";
        let test =
            format!("variables.all.{quantifier}(c, c.image.startsWith('corp/')) || size(variables.all) == 0");
        VALIDATING.replace(all, &test).replace("LISTS", "object.spec.?initContainers.orValue([])")
    };
    let answer = compared(&quantified("all"), &quantified("exists"), &options);
    assert_eq!(answer.grade, Grade::Different);
}

#[test]
fn parts_of_texts_keys_of_maps_and_who_deletes_are_tried() {
    let validating = |expression: &str| {
        let all = "variables.all.all(c, c.?securityContext.?readOnlyRootFilesystem.orValue(false) == true)";
        VALIDATING.replace(all, expression).replace("LISTS", "[]")
    };
    let split = "object.spec.?volumes.orValue([]).all(v, !has(v.hostPath) || v.hostPath.path.split('/')[1] == \"data\")";
    let key = "('ownerReferences' in object.metadata)";
    for (old, from, to) in
        [(split, "data", "dataz"), (split, "'/'", "'/z'"), (key, "ownerReferences", "ownerReferencesz")]
    {
        let answer = compared(&validating(old), &validating(&old.replace(from, to)), &creating());
        assert_eq!(answer.grade, Grade::Different, "{old}: {from} is {to}");
    }
    let deleting = CLASSIC
        .replace("{kinds: [Pod]}", "{kinds: [Pod], operations: [DELETE], selector: {matchLabels: {env: production}}}, subjects: [{kind: User, name: bob}]")
        .replace("  rules:", "  background: false\n  rules:")
        .replace("pattern:", "deny: {conditions: {all: [{key: '{{request.operation}}', operator: Equals, value: DELETE}]}}")
        .split("        spec:")
        .next()
        .unwrap_or_default()
        .to_owned();
    let answer = compared(&deleting, &deleting.replace("Equals", "NotEquals"), &Options::default());
    let found: Vec<_> = answer.findings.iter().map(|finding| finding.request.attributes.operation).collect();
    assert_eq!((answer.grade, found), (Grade::Different, vec![Operation::Delete]), "{:?}", answer.reasons);
}

#[test]
fn planted_mistakes_are_found_and_none_that_is_missed_is_called_the_same() {
    let Some(folder) = recorded::folder_or_skip("planted differences") else { return };
    let library = library(&folder).unwrap();
    let options = Options { mutants: 0, max_requests: 4_000, ..Options::default() };
    let (mut choices, mut tried, mut missed) = (Choices::new(7), 0, Vec::new());
    while tried < 30 {
        let Some((known, mutant)) = drawn(&library, &mut choices) else { continue };
        let answer = answer(&known.policy, &mutant.policy, &options);
        if answer.grade == Grade::NotCompared {
            continue;
        }
        tried += 1;
        assert_ne!(answer.grade, Grade::Same, "{}: {}", known.id, mutant.text);
        if answer.grade != Grade::Different {
            missed.push(format!("{}: {}", known.id, mutant.text));
        }
    }
    // Some mistakes decide nothing: `cargo run -p tests --bin compare -- planted 500` names those that are missed.
    assert!(missed.len() <= 6, "{missed:?}");
}

#[test]
fn rewrites_that_keep_the_meaning_are_never_called_different() {
    let Some(folder) = recorded::folder_or_skip("rewrites") else { return };
    let library = library(&folder).unwrap();
    let options = Options { mutants: 0, max_requests: 600, ..Options::default() };
    let (mut choices, mut tried) = (Choices::new(3), 0);
    while tried < 40 {
        let Some(known) = library.get(choices.below(library.len())) else { continue };
        let all: Vec<(&str, Value)> = rewrites(&known.policy);
        let Some((name, new)) = all.get(choices.below(all.len())) else { continue };
        let answer = answer(&known.policy, new, &options);
        tried += usize::from(answer.grade != Grade::NotCompared);
        assert_ne!(answer.grade, Grade::Different, "{}: {name}: {:?}", known.id, answer.findings);
    }
}

#[test]
fn the_command_says_grades_and_exits_by_them_and_apply_shows_the_difference_too() {
    let Some(program) = program::find_or_skip() else { return };
    let new = CLASSIC.replace(
        "readOnlyRootFilesystem: true}}]\n          containers",
        "readOnlyRootFilesystem: '*'}}]\n          containers",
    );
    let files = [("old/p.yaml", CLASSIC), ("new/p.yaml", new.as_str()), ("new/q.yaml", CLASSIC)];
    let ran = terminal::run(
        &program,
        &files[..2],
        &["compare", "old/p.yaml", "new/p.yaml", "--format", "json"],
        "",
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let json = engine::json::parse(&ran.out).unwrap();
    let finding = json.get("pairs").and_then(|pairs| pairs.at(0)?.get("findings")?.at(0)).unwrap();
    let object = engine::yaml::emit::to_yaml_ordered(finding.get("object").unwrap());
    let (direction, pod) = (finding.find_str(&["direction"]), [("pod.yaml", object.as_str())]);
    let apply = |policy: &str| {
        let files = [("policy.yaml", policy), pod[0]];
        terminal::run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "").code
    };
    assert_eq!((direction, apply(CLASSIC), apply(&new)), ("wider", 1, 0));
    let both = terminal::run(&program, &files, &["compare", "old", "new"], "");
    assert_eq!(both.code, 1);
    assert!(
        both.out.ends_with("same: 0, no difference found: 0, different: 1, not compared: 1\n"),
        "{}",
        both.out
    );
    let alike = terminal::run(&program, &files, &["compare", "old/p.yaml", "new/q.yaml"], "");
    assert_eq!(alike.code, 0, "{}", alike.out);
    let missing = terminal::run(&program, &files, &["compare", "old/p.yaml", "nope.yaml"], "");
    assert_eq!(missing.code, 2, "{}", missing.out);
    let sarif =
        terminal::run(&program, &files, &["compare", "old/p.yaml", "new/p.yaml", "--format", "sarif"], "");
    let sarif = engine::json::parse(&sarif.out).unwrap();
    let result = sarif.get("runs").and_then(|runs| runs.at(0)?.get("results")?.at(0)).unwrap();
    assert_eq!(result.find_str(&["ruleId"]), "policies-differ");
    let places = |key: &str| {
        let all = result.get(key).into_iter().flat_map(|all| (0..9).map_while(|at| all.at(at)));
        all.map(|place| place.find_str(&["physicalLocation", "artifactLocation", "uri"])).collect::<Vec<_>>()
    };
    // At the line of the new policy, with the lines of both beside it.
    let (places, related) = (places("locations"), places("relatedLocations"));
    assert_eq!((places, related), (vec!["new/p.yaml"], vec!["old/p.yaml", "new/p.yaml"]));
}

#[test]
fn folders_of_the_host_are_told_apart_by_their_parts() {
    let policy = |prefix: &str, read_only: bool| {
        format!(
            "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {{name: p}}\nspec:\n  seLinux: {{rule: RunAsAny}}\n  \
             supplementalGroups: {{rule: RunAsAny}}\n  runAsUser: {{rule: RunAsAny}}\n  fsGroup: {{rule: RunAsAny}}\n  volumes: ['*']\n  \
             allowedHostPaths: [{{pathPrefix: {prefix}, readOnly: {read_only}}}]\n"
        )
    };
    let options = Options { mutants: 0, ..creating() };
    let direction = |old: &str, new: &str| {
        let answer = compared(old, new, &options);
        answer
            .findings
            .first()
            .map(|finding| (finding.direction, engine::json::to_json(&finding.request.object)))
    };
    let [(wider, object), (stricter, _)] = [
        direction(&policy("/srv/data", false), &policy("/srv", false)).unwrap(),
        direction(&policy("/srv", false), &policy("/srv/data", false)).unwrap(),
    ];
    assert_eq!((wider, stricter), (Direction::Wider, Direction::Stricter));
    assert!(object.contains("/srv"), "{object}");
    let read = direction(&policy("/srv", false), &policy("/srv", true)).unwrap();
    assert_eq!(read.0, Direction::Stricter, "{}", read.1);
    assert!(direction(&policy("/srv", false), &policy("/srvx", false)).is_some());
}
