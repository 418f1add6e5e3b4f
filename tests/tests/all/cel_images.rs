//! ImageValidatingPolicy in the terminal: what image data decides, what nobody checked and never passes, test folders, payloads, and
//! policies with mistakes in them.
//!
//! In: the built `podsieve`, policies, Pods, image data. Out: a failure where a verdict, a word or an exit code differ.

use tests::program;
use tests::terminal::{Run, run};

const ATTESTORS: &str = "  attestors:
  - name: key
    cosign:
      key: {data: \"-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8nXRh950IZbRj8Ra/N9sbqOPZrfM\\n\\
        5/KAQN0/KjHcorm/J5yctVd7iEcnessRQjU917hmKO6JWVGHpDguIyakZA==\\n-----END PUBLIC KEY-----\\n\"}
      ctlog: {insecureIgnoreTlog: true}
  - {name: ours, cosign: {keyless: {identities: [{issuer: 'https://ci', subjectRegExp: '^https://git/.*'}]}}}
  - {name: nobody, cosign: {}}
";

const SELECTS: &str = "  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
";

/// A policy with these fields behind its constraints.
fn policy(name: &str, more: &str) -> String {
    let head = "apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: ";
    format!("{head}{name}}}\nspec:\n{SELECTS}{ATTESTORS}{more}")
}

const LOOSE: &str =
    "  validationConfigurations: {mutateDigest: false, verifyDigest: false, required: false}\n";

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: a, image: 'ghcr.io/acme/app:v1'}]}
";

/// What a registry says of the image, as its owner has verified it.
const DATA: &str = "\
ghcr.io/acme/app:v1:
  digest: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  configData: {architecture: amd64, config: {User: '65532'}}
  signedBy:
  - {issuer: 'https://ci', subject: 'https://git/acme/app'}
  attestations:
  - type: https://slsa.dev/provenance/v1
    predicate: {builder: {id: ours}}
    signedBy: [{issuer: 'https://ci', subject: 'https://git/acme/app'}]
  - {type: sbom/cyclonedx, predicate: {bomFormat: CycloneDX}}
";

fn apply(policy: &str, data: &str, flags: &[&str]) -> Option<Run> {
    let program = program::find_or_skip()?;
    let files = [("p.yaml", policy), ("r.yaml", POD), ("data.yaml", data)];
    let given: &[&str] = if data.is_empty() { &[] } else { &["--image-data", "data.yaml"] };
    Some(run(&program, &files, &[&["apply", "p.yaml", "-r", "r.yaml"], given, flags].concat(), ""))
}

/// The policy over the Pod: the numbers of the last line, and what was said of errors.
fn verdict(policy: &str, data: &str) -> Option<(String, String)> {
    let Run { out, err, .. } = apply(policy, data, &[])?;
    let last = out.lines().rfind(|line| line.starts_with("pass: ")).unwrap_or("").trim();
    Some((last.to_owned(), format!("{out}{err}")))
}

const PASS: &str = "pass: 1, fail: 0, warn: 0, error: 0, skip: 0";
const FAIL: &str = "pass: 0, fail: 1, warn: 0, error: 0, skip: 0";
const ERROR: &str = "pass: 0, fail: 0, warn: 0, error: 1, skip: 0";

fn asks(expression: &str) -> String {
    policy(
        "p",
        &format!(
            "{LOOSE}  attestations:\n  - {{name: slsa, intoto: {{type: 'https://slsa.dev/provenance/v1'}}}}\n  - {{name: sbom, \
                          referrer: {{type: sbom/cyclonedx}}}}\n  - {{name: vex, intoto: {{type: vex}}}}\n  validations:\n  - expression: >-\n      \
                          {expression}\n"
        ),
    )
}

#[test]
fn what_was_not_checked_never_passes() {
    for expression in [
        "images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) > 0)",
        "images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) == 0)",
        "images.containers.all(i, verifyAttestationSignatures(i, attestations.slsa, [attestors.ours]) == 0)",
        "images.containers.all(i, getImageData(i) != null)",
        "images.containers.all(i, true || verifyImageSignatures(i, [attestors.ours]) > 0)",
        "true",
    ] {
        let Some((nothing, said)) = verdict(&asks(expression), "") else { return };
        assert_eq!(nothing, ERROR, "{expression}: {said}");
        let why = "no registry is asked from here, and no image data is given for ghcr.io/acme/app:v1";
        assert!(said.contains(&format!("failed to evaluate policy: {why}")), "{said}");
    }
    // The image is known, and nothing of its signatures.
    let bare = DATA.split_once("  signedBy:").map_or("", |(before, _)| before);
    for (expression, why) in [
        (
            "images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) == 0)",
            "who signed ghcr.io/acme/app:v1",
        ),
        (
            "images.containers.all(i, verifyAttestationSignatures(i, attestations.slsa, [attestors.ours]) == 0)",
            "what is attested of ghcr.io/acme/app:v1",
        ),
        (
            "images.containers.all(i, extractPayload(i, attestations.sbom) != null)",
            "what is attested of ghcr.io/acme/app:v1",
        ),
    ] {
        let Some((numbers, said)) = verdict(&asks(expression), bare) else { return };
        assert_eq!(numbers, ERROR, "{expression}: {said}");
        assert!(said.contains(&format!("the image data does not say {why}")), "{said}");
    }
    // Where no image is selected nobody has to be asked.
    let none = asks("images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) > 0)")
        .replace("  validations:", "  matchImageReferences: [{glob: 'quay.io/*'}]\n  validations:");
    let Some((numbers, said)) = verdict(&none, "") else { return };
    assert_eq!(numbers, PASS, "{said}");
}

#[test]
fn image_data_says_who_signed_and_what_is_attested() {
    let of = |inner: &str| format!("images.containers.all(i, {inner})");
    let statement = "extractPayload(i, attestations.slsa).predicate.builder.id == 'ours'";
    let verified =
        format!("verifyAttestationSignatures(i, attestations.slsa, [attestors.ours]) == 1 && {statement}");
    for (expression, wanted) in [
        (of("verifyImageSignatures(i, [attestors.ours]) == 1"), PASS),
        (of("verifyImageSignatures(i, [attestors.ours, attestors.key, attestors.nobody]) == 1"), PASS),
        (of("verifyImageSignatures(i, [attestors.key]) > 0"), FAIL),
        (of("verifyImageSignatures(i, [attestors.nobody]) > 0"), FAIL),
        (of(&verified), PASS),
        (of("verifyAttestationSignatures(i, attestations.slsa, [attestors.key]) > 0"), FAIL),
        (of("verifyAttestationSignatures(i, attestations.vex, [attestors.ours]) > 0"), FAIL),
        (of("extractPayload(i, attestations.sbom).bomFormat == 'CycloneDX'"), PASS),
        (of("getImageData(i).ConfigData.Config.User == '65532'"), PASS),
        (of("getImageData(i).ConfigData.Architecture == 'arm64'"), FAIL),
    ] {
        let Some((numbers, said)) = verdict(&asks(&expression), DATA) else { return };
        assert_eq!(numbers, wanted, "{expression}: {said}");
    }
    // A statement is read once its signature was verified; an attestation must be one of the policy's.
    for (expression, words) in [
        (
            of(statement),
            "failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation",
        ),
        (of("getImageData(i).config != null"), "no such field: config"),
        (of("extractPayload(i, 'other') != null"), "attestation not found in policy: other"),
        (
            of("verifyImageSignatures(i, ['key']) > 0"),
            "unsupported native conversion from string to 'v1alpha1.Attestor'",
        ),
        (
            of("verifyImageSignatures('A/b', [attestors.key]) > 0"),
            "failed to get imagedata: could not parse reference: A/b",
        ),
    ] {
        let Some((numbers, said)) = verdict(&asks(&expression), DATA) else { return };
        assert_eq!(numbers, ERROR, "{expression}: {said}");
        assert!(said.contains(&format!("failed to evaluate policy: {words}")), "{said}");
    }
}

#[test]
fn an_image_must_be_verified_by_one_of_the_policies_and_have_a_digest() {
    let asking = |name: &str, configuration: &str, expression: &str| {
        policy(
            name,
            &format!(
                "  validationConfigurations: {configuration}\n  validations: [{{expression: \"{expression}\"}}]\n"
            ),
        )
    };
    let tagged = "{verifyDigest: false}";
    let Some((numbers, said)) = verdict(&asking("digest", "{}", "true"), DATA) else { return };
    assert_eq!(numbers, FAIL, "{said}");
    assert!(said.contains("1 - digest image ghcr.io/acme/app:v1 does not have a digest\n"), "{said}");
    let required = asking("required", tagged, "true");
    let Some((numbers, said)) = verdict(&required, DATA) else { return };
    assert_eq!(numbers, FAIL, "{said}");
    let words = "image ghcr.io/acme/app:v1 is not verified: no policy performed a signature or attestation check on it";
    assert!(said.contains(&format!("1 - required {words}\n")), "{said}");
    let by = |who: &str, wanted: &str| {
        asking(
            "checks",
            tagged,
            &format!("images.containers.all(i, verifyImageSignatures(i, [attestors.{who}]) {wanted})"),
        )
    };
    // The evidence of one policy counts for all, whichever comes first.
    for both in [[&required, &by("ours", "> 0")], [&by("ours", "> 0"), &required]] {
        let Some((numbers, said)) = verdict(&format!("{}---\n{}", both[0], both[1]), DATA) else { return };
        assert_eq!(numbers, "pass: 2, fail: 0, warn: 0, error: 0, skip: 0", "{said}");
    }
    let Some((numbers, said)) = verdict(&by("key", "== 0"), DATA) else { return };
    assert_eq!(numbers, FAIL, "{said}");
    assert!(
        said.contains("image ghcr.io/acme/app:v1 failed signature or attestation verification"),
        "{said}"
    );
}

const TRUE: &str = "validations: [{expression: \"true\"}]";

/// A policy that passes.
fn good() -> String {
    policy("good", &format!("{LOOSE}  {TRUE}\n"))
}

/// The same with a mistake.
fn wrong(from: &str, to: &str) -> String {
    good().replace("name: good", "name: wrong").replace(from, to)
}

#[test]
fn expressions_that_do_not_compile_are_named_with_their_line_and_stop_nothing() {
    let good = good();
    let compiled = [
        (wrong(TRUE, "validations: [{expression: images.nope(}]"), "spec.validations[0].expression: "),
        (
            wrong(TRUE, "validations: [{expression: 'images.containers[0]'}]"),
            "output is expected to be of type bool",
        ),
        (
            wrong(TRUE, "images: [{name: x, expression: \"'x'\"}]\n  validations: []"),
            "output is expected to be of type list",
        ),
        (wrong(TRUE, "validations: [{expression: 'true ß'}]"), "token recognition error at: 'ß'"),
        (wrong(TRUE, "matchImageReferences: [{glob: '[a'}]\n  validations: []"), "unexpected end of input"),
        (
            wrong(TRUE, "matchImageReferences: [{expression: ref}]\n  validations: []"),
            "output is expected to be of type bool",
        ),
        (
            wrong("cosign: {}", "cosign: {key: {expression: nope}}"),
            "spec.attestors[2].cosign.key.expression: ",
        ),
        (
            wrong(TRUE, "variables: [{name: a, expression: variables.b}]\n  validations: []"),
            "undefined field 'b'",
        ),
    ];
    for (policy, words) in &compiled {
        let Some(ran) = apply(&format!("{policy}---\n{good}"), DATA, &[]) else { return };
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("pass: 1, fail: 0, warn: 0, error: 1, skip: 0"), "{policy}{said}");
        assert!(
            said.contains("failed to compile policy: ") && ran.err.contains("warning[bad-expression]"),
            "{said}"
        );
        assert!(ran.err.contains(words) && ran.err.contains("p.yaml:"), "{words}\n{said}");
        assert_eq!(ran.code, 1);
    }
}

#[test]
fn fields_that_cannot_be_are_named_with_their_line_and_stop_nothing() {
    let good = good();
    let refused = [
        (wrong("validations: [{expression: \"true\"}]", "validation: []"), "validation"),
        (
            wrong("{verifyDigest", "{verifyDigests: true, verifyDigest")
                .replace("mutateDigest", "mutatesDigest"),
            "mutatesDigest",
        ),
        (wrong("validations: [", "validations: [{expression: 1}, "), "expression"),
        (
            wrong("cosign: {}", "cosign: {}, notary: {}"),
            "exactly one of `cosign`, `notary` must be given, here are 2",
        ),
        (wrong(", cosign: {}", ""), "exactly one of `cosign`, `notary` must be given, here are 0"),
        (
            wrong("validations:", "matchImageReferences: [{}]\n  validations:"),
            "exactly one of `glob`, `expression`",
        ),
        (wrong("validations:", "attestors: 5\n  validations:"), "attestors"),
        (wrong("validations:", "credentials: {providers: [docker]}\n  validations:"), "providers"),
    ];
    for (policy, words) in &refused {
        let Some(ran) = apply(&format!("{good}---\n{policy}"), DATA, &[]) else { return };
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(PASS), "{policy}{said}");
        assert!(
            ran.err.contains("error[") && ran.err.contains(words) && ran.err.contains("p.yaml:"),
            "{words}\n{said}"
        );
        assert_eq!(ran.code, 1, "{said}");
    }
}

#[test]
fn what_is_found_only_in_a_run_is_an_error() {
    let good = good();
    // A reference that is none.
    let Some((numbers, said)) = verdict(
        &good.replace("validations:", "images: [{name: x, expression: \"['A/b']\"}]\n  validations:"),
        DATA,
    ) else {
        return;
    };
    assert_eq!(numbers, ERROR, "{said}");
    assert!(said.contains("failed to evaluate policy: could not parse reference: A/b"), "{said}");
    // A variable that stands twice and asks for itself.
    let twice = "variables: [{name: a, expression: '1'}, {name: a, expression: variables.a}]\n  validations: [{expression: variables.a == 1}]";
    let Some((numbers, said)) = verdict(&good.replace(TRUE, twice), DATA) else { return };
    assert_eq!(numbers, ERROR, "{said}");
    assert!(said.contains("variable a asks for itself"), "{said}");
}

#[test]
fn test_folders_payloads_and_exceptions_of_policies_of_images_are_evaluated() {
    let Some(program) = program::find_or_skip() else { return };
    let asked = asks("images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) > 0)");
    let file = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\npolicies: [p.yaml]\nresources: [r.yaml]\nresults:\n- {policy: \
                p, kind: Pod, isImageValidatingPolicy: true, resources: [web], result: RESULT}\n";
    for (data, result) in [(&["--image-data", "data.yaml"][..], "pass"), (&[], "error")] {
        let file = file.replace("RESULT", result);
        let files =
            [("p.yaml", &*asked), ("r.yaml", POD), ("data.yaml", DATA), ("kyverno-test.yaml", &*file)];
        let all = run(&program, &files, &[&["test", "."], data].concat(), "");
        let passed = "\nTest Summary: 1 tests passed and 0 tests failed\n\n";
        assert!(all.out.ends_with(passed) && all.code == 0, "{}{}", all.out, all.err);
    }
    let exception = "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {policyRefs: [{name: p, \
                     kind: ImageValidatingPolicy}], matchConditions: [{name: c, expression: object.metadata.name == 'web'}]}\n";
    let files = [("p.yaml", &*asked), ("r.yaml", POD), ("e.yaml", exception)];
    let all = run(
        &program,
        &files,
        &["apply", "p.yaml", "-r", "r.yaml", "-e", "e.yaml", "-t", "--detailed-results"],
        "",
    );
    assert!(all.out.contains("rule is skipped due to policy exception: x/e"), "{}{}", all.out, all.err);
    let json = "apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: j}\nspec:\n  evaluation: {mode: JSON}\n  attestors: \
                []\n  images: [{name: all, expression: object.images}]\n  validations: [{expression: size(images.all) == 1, message: one image}]\n";
    let digest = "nginx@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    for (payload, words, code) in [
        (r#"{"images": ["nginx"]}"#.to_owned(), "1 - j image nginx does not have a digest\n", 1),
        (format!(r#"{{"images": ["{digest}"]}}"#), "no image data is given for nginx@sha256:", 1),
        (r#"{"images": []}"#.to_owned(), "1 - j one image\n", 1),
        (r#"{"other": []}"#.to_owned(), "no such key: images", 1),
    ] {
        let files = [("p.yaml", json), ("payload.json", &*payload)];
        let all = run(&program, &files, &["apply", "p.yaml", "--json", "payload.json"], "");
        assert!(format!("{}{}", all.out, all.err).contains(words), "{words}: {}{}", all.out, all.err);
        assert_eq!(all.code, code);
    }
}

/// What `explain` says, without the breaks between its lines.
fn explained(files: &[(&str, &str)], args: &[&str]) -> Option<String> {
    let all = run(&program::find_or_skip()?, files, &[&["explain", "p.yaml"], args].concat(), "");
    assert_eq!(all.code, 0, "{}{}", all.out, all.err);
    Some(all.out.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn explain_says_who_signed_and_whom_the_attestor_wants() {
    let asked = asks("images.containers.all(i, verifyImageSignatures(i, [attestors.ours]) > 0)");
    let other = DATA.replace("https://git/acme/app", "https://elsewhere/app");
    let data = ["-r", "r.yaml", "--image-data", "data.yaml"];
    let of = |data: &str, args: &[&str]| {
        explained(&[("p.yaml", &*asked), ("r.yaml", POD), ("data.yaml", data)], args)
    };
    let Some(failed) = of(&other, &data) else { return };
    for words in [
        "FAIL p/p on shop/Pod/web",
        "spec.containers[0].image is `ghcr.io/acme/app:v1`",
        r#"signed by `[{"issuer":"https://ci","subject":"https://elsewhere/app"}]`"#,
        r#"`attestors.ours` wants `[{"issuer":"https://ci","subjectRegExp":"^https://git/.*"}]`"#,
        "r.yaml:4 4 | spec:",
    ] {
        assert!(failed.contains(words), "{words}: {failed}");
    }
    assert!(of(DATA, &data).is_some_and(|said| said.starts_with("PASS p/p on shop/Pod/web")));
    // Without data nothing is decided, as for `apply`.
    assert!(of(DATA, &["-r", "r.yaml"]).is_some_and(|said| said.contains("no image data is given for")));
}

#[test]
fn explain_says_why_a_classic_rule_does_not_verify_an_image_and_where_it_stands() {
    let rule = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: signed\n    match: {any: [{resources: \
                {kinds: [Pod]}}]}\n    verifyImages:\n    - imageReferences: ['ghcr.io/*']\n      mutateDigest: false\n      attestors: [{entries: \
                [{keyless: {issuer: 'https://ci', subject: 'https://git/acme/*', rekor: {url: 'https://rekor'}}}]}]\n";
    let other = DATA.replace("https://git/acme/app", "https://elsewhere/app");
    let files = [("p.yaml", rule), ("r.yaml", POD), ("data.yaml", &*other)];
    let Some(said) = explained(&files, &["-r", "r.yaml", "--image-data", "data.yaml"]) else { return };
    for words in [
        "FAIL p/signed on shop/Pod/web",
        "failed to verify image ghcr.io/acme/app:v1",
        "p.yaml:9 9 | - imageReferences",
        "r.yaml:4 4 | spec:",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn explain_takes_payloads_parameters_and_definitions_as_apply_does() {
    let json = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: j}\nspec:\n  evaluation: {mode: JSON}\n  validations: \
                [{expression: 'object.buckets.all(b, b.access == \"private\")'}]\n";
    let payload = r#"{"buckets": [{"access": "public"}]}"#;
    let Some(said) = explained(&[("p.yaml", json), ("d.json", payload)], &["--json", "d.json"]) else {
        return;
    };
    assert!(said.contains("buckets[0].access is `public`") && said.contains("d.json:1"), "{said}");
    let limited = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: v}\nspec:\n  paramKind: {apiVersion: v1, kind: \
                   ConfigMap}\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}\n  \
                   validations: [{expression: object.metadata.name != params.data.name}]\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: \
                   ValidatingAdmissionPolicyBinding\nmetadata: {name: v}\nspec: {policyName: v, paramRef: {name: c, namespace: shop, \
                   parameterNotFoundAction: Deny}, validationActions: [Deny]}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {name: web}\n";
    let files = [("p.yaml", limited), ("r.yaml", POD), ("c.yaml", map)];
    let args = ["-r", "r.yaml", "--parameter-resource", "c.yaml", "--as-cluster"];
    let said = explained(&files, &args).unwrap_or_default();
    assert!(said.contains("FAIL v") && said.contains("metadata.name is `web`"), "{said}");
}
