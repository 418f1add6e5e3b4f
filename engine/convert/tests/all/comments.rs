//! The comments of a source stand beside what its places became.
//!
//! In: policies with comments. Out: a failure where a comment stands elsewhere, twice or not at all.

use engine_convert::{Target, convert, convert_all};
use engine_lenses::wire::Text;

fn text(policy: &str) -> String {
    let all = convert(&Text { name: "policy.yaml".into(), text: policy.to_owned() });
    assert!(all.iter().all(engine_convert::Conversion::is_whole), "{policy}");
    all.iter().map(engine_convert::Conversion::text).collect::<Vec<_>>().join("---\n")
}

/// A rule that validates, with comments everywhere.
const VALIDATING: &str = r"# yaml-language-server: $schema=https://example.org/clusterpolicy.json
# License of the file.
---
# Head of the policy.
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  # Above the name.
  name: p # beside the name
  labels:
    # Above a label.
    team: a
spec:
  # Audit for now.
  validationFailureAction: Audit # until May
  background: false # no reports
  rules:
    # Above the rule.
    - name: r # its name
      match:
        any:
          - resources:
              kinds:
                - Pod # only Pods
      exclude:
        any:
          # System namespaces.
          - resources:
              namespaces: [kube-system]
      preconditions:
        all:
          # Not for deletions.
          - key: '{{ request.operation }}'
            operator: NotEquals
            value: DELETE
      validate:
        message: >- # what is said
          no host network
        pattern:
          spec:
            # A node's network is not for Pods.
            =(hostNetwork): false
            # Neither are its processes, see
            # the guide.
            =(hostPID): false # never
            containers:
              # Every container.
              - image: '!*:latest' # no latest
                # All limits.
                resources:
                  limits:
                    memory: '?*' # bytes
            # End of the pattern.
    # End of the rules.
# End of the file.
";

/// What it becomes.
const VALIDATED: &str = r"# License of the file.
# Head of the policy.
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  # Above the name.
  name: p # beside the name
  labels:
    # Above a label.
    team: a
spec:
  # Audit for now.
  validationActions: [Audit] # until May
  evaluation: # no reports
    background:
      enabled: false
  # kinds: only Pods
  matchConstraints:
    resourceRules:
      - apiGroups: ['']
        apiVersions: [v1]
        resources: [pods]
        operations: [CREATE, UPDATE]
  matchConditions:
    # System namespaces.
    - name: not-excluded
      expression: request.namespace != 'kube-system'
  validations:
    # Above the rule.
    # its name
    # preconditions: Not for deletions.
    - expression: |-
        // A node's network is not for Pods.
        !object.spec.?hostNetwork.orValue(false) &&
        // Neither are its processes, see
        // the guide.
        // never
        !object.spec.?hostPID.orValue(false) &&
        object.spec.containers.all(container,
          // Every container.
          // no latest
          !container.image.endsWith(':latest') &&
          // All limits.
          // bytes
          container.?resources.?limits.?memory.hasValue())
      message: no host network # what is said
    # End of the pattern.
    # End of the rules.
# End of the file.
";

/// Rules that mutate and generate.
const OTHERS: &str = r"apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: p
spec:
  rules: # all of them
    # Adds a label.
    - name: label
      match:
        any:
          - resources:
              kinds: [Service]
      mutate:
        patchStrategicMerge:
          metadata:
            labels:
              # The one who pays.
              +(team): a
              tier: b # one of two
    # Adds annotations.
    - name: note
      match: {any: [{resources: {kinds: [ConfigMap]}}]}
      mutate:
        patchesJson6902: |-
          # The first.
          - op: add
            path: /metadata/annotations/one
            value: a
          # The second.
          - op: add
            path: /metadata/annotations/two
            value: '#b'
    # Generates a ConfigMap.
    - name: make
      match: {any: [{resources: {kinds: [Namespace]}}]}
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: c
        namespace: '{{ request.object.metadata.name }}'
        synchronize: true # for ever
        # What it holds.
        data:
          data:
            # The key.
            key: a # and its value
            other: b
";

/// What they become.
const MADE: &str = r"apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata:
  name: p-label
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: ['']
        apiVersions: [v1]
        resources: [services]
        operations: [CREATE, UPDATE]
  mutations: # all of them
    # Adds a label.
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: |-
          Object{
            metadata: Object.metadata{
              // The one who pays.
              // one of two
              labels: {'team': object.metadata.?labels.?team.orValue('a'), 'tier': dyn('b')}
            }
          }
---
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata:
  name: p-note
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: ['']
        apiVersions: [v1]
        resources: [configmaps]
        operations: [CREATE, UPDATE]
  mutations:
    # Adds annotations.
    - patchType: JSONPatch
      jsonPatch:
        expression: |-
          (has(object.metadata.annotations) ?
            [] :
            [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) +
          [
            // The first.
            JSONPatch{op: 'add', path: '/metadata/annotations/one', value: 'a'},
            // The second.
            JSONPatch{op: 'add', path: '/metadata/annotations/two', value: '#b'}
          ]
---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata:
  name: p-make
spec:
  evaluation: # for ever
    synchronize:
      enabled: true
  matchConstraints:
    resourceRules:
      - apiGroups: ['']
        apiVersions: [v1]
        resources: [namespaces]
        operations: [CREATE, UPDATE]
  generate:
    # Generates a ConfigMap.
    - template:
        # What it holds.
        value: |
          apiVersion: v1
          kind: ConfigMap
          metadata:
            name: c
            namespace: (( object.metadata.name ))
          data:
            # The key.
            # and its value
            key: a
            other: b
        interpolate: cel
";

/// A policy of Kyverno.
const OF_KYVERNO: &str = r"apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  name: p # n
spec:
  matchConstraints:
    resourceRules:
    # for them
    - {apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE]}
  validations:
  # why
  - expression: has(object.spec) # e
# end
";

/// The same of the API server.
const OF_SERVER: &str = r"apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: p # n
spec:
  matchConstraints:
    resourceRules:
      # for them
      - apiGroups: ['']
        apiVersions: [v1]
        resources: [services]
        operations: [CREATE]
  validations:
    # why
    - expression: has(object.spec) # e
# end
";

#[test]
fn a_rule_that_validates() {
    let made = text(VALIDATING);
    // The second document is the same for ReplicationControllers, without comments.
    let (first, second) = made.split_once("---\n").unwrap();
    assert!(!second.contains('#') && !second.contains("//"), "{second}");
    assert_eq!(first, VALIDATED);
}

#[test]
fn several_policies_mutations_and_templates() {
    let made = text(OTHERS);
    assert_eq!(made, MADE);
}

#[test]
fn policies_of_the_api_server() {
    let policy = OF_KYVERNO;
    let texts = [Text { name: "p.yaml".into(), text: policy.into() }];
    let all = convert_all(&texts, Target::ValidatingAdmissionPolicy);
    let made = all[0].1.text();
    let (first, second) = made.split_once("---\n").unwrap();
    assert!(!second.contains('#'), "{second}");
    assert_eq!(first, OF_SERVER);
}

#[test]
fn what_has_no_place_of_its_own_names_its_field() {
    let rule = |name: &str, list: &str| {
        format!(
            "  - name: {name}\n    match:\n      any:\n      - resources:\n          kinds:\n          - Service\n          # - Pod\n          \
             namespaces:\n          - prod # only\n    preconditions:\n      all:\n      # not when deleted\n      - {{key: '{{{{ \
             request.operation }}}}', operator: NotEquals, value: DELETE}}\n    validate:\n      message: m\n      foreach:\n      - list: \
             request.object.spec.{list}\n        deny:\n          conditions:\n            any:\n              # far to the right\n            \
             - {{key: '{{{{ element.name }}}}', operator: Equals, value: a}}\n"
        )
    };
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: p\nspec:\n  rules:\n{}{}",
        rule("r", "ports"),
        rule("s", "ports[]")
    );
    let made = text(&policy);
    // Two rules say the same of the same.
    for label in ["# match.any[0].resources.kinds:\n  # - Pod\n", "# namespaces: only\n"] {
        assert_eq!(made.matches(label).count(), 1, "{made}");
    }
    assert!(
        made.contains(
            "  validations:\n    # preconditions: not when deleted\n    # far to the right\n    - expression"
        ),
        "{made}"
    );
}

#[test]
fn a_variable_for_metadata_is_explained() {
    let policy = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: \
                  [{resources: {kinds: [Pod]}}]}, validate: {message: m, deny: {conditions: {any: [{key: \"{{ \
                  request.object.metadata.labels.team || '' }}\", operator: Equals, value: ''}]}}}}]}}";
    let made = text(policy);
    assert!(
        made.contains("    # Templates of Pods need not have metadata.\n    - name: metadata\n"),
        "{made}"
    );
}
