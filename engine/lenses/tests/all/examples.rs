//! The examples in the documentation of this crate, as they are written there.

/// src/lib.rs
#[test]
fn texts_are_evaluated() {
    use engine::world::StaticWorld;
    use engine_lenses::wire::{Input, Text};

    let policy = "
    apiVersion: kyverno.io/v1
    kind: ClusterPolicy
    metadata: {name: labels}
    spec:
      rules:
      - name: team
        match: {any: [{resources: {kinds: [Pod]}}]}
        validate: {message: The label team is required., pattern: {metadata: {labels: {team: '?*'}}}}
    ";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: []}}";
    let text = |name: &str, text: &str| Text { name: name.into(), text: text.into() };
    let input = Input {
        policies: vec![text("policy.yaml", policy)],
        resources: vec![text("pod.yaml", pod)],
        ..Input::default()
    };
    let output = engine_lenses::run(&input, &StaticWorld::default());
    let rule = &output.results[0].rules[0];
    assert_eq!(rule.status, "fail");
    assert_eq!(
        rule.message,
        "validation error: The label team is required. rule team failed at path /metadata/labels/"
    );
    assert_eq!((rule.policy_ranges[0].line, rule.resource_ranges[0].line), (9, 1));
}

/// src/psa/mod.rs
#[test]
fn a_pod_reaches_a_level() {
    use engine_lenses::wire::{PsaInput, Text};
    let pod = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {hostPID: true}\n";
    let resources = vec![Text { name: "pod.yaml".to_owned(), text: pod.to_owned() }];
    let output = engine_lenses::psa::run(&PsaInput { resources, ..PsaInput::default() });
    assert_eq!(output.objects[0].reaches, "privileged");
    assert_eq!(output.objects[0].levels[0].detail, "host namespaces (hostPID=true)");
}

/// src/mesh.rs
#[test]
fn a_pod_arrives_with_a_mesh() {
    use engine_lenses::wire::{MeshInput, Text};
    let data = engine_lenses::injection::Data::read(engine_lenses::injection::RECORDED).unwrap();
    let pod =
        "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
    let resources = vec![Text { name: "pod.yaml".to_owned(), text: pod.to_owned() }];
    let input = MeshInput { resources, mesh: "istio@1.24".to_owned(), ..MeshInput::default() };
    let output = engine_lenses::mesh::run(&input, &data);
    assert_eq!(output.objects[0].outcome, "injected");
    assert_eq!((&*output.objects[0].before, &*output.objects[0].after), ("baseline", "privileged"));
}

/// src/share/mod.rs
#[test]
fn a_link_is_read_back() {
    use engine_lenses::share::{State, decode, link, state};
    let mut state = State::new();
    state.set(state::POLICY, "kind: ClusterPolicy\n");
    let link = link("https://playground.kyverno.io/", &state);
    assert!(link.starts_with("https://playground.kyverno.io/#/?content=N4IgDg9gNglgxgTxALhA"));
    assert_eq!(decode(&link).unwrap().state, state);
}
