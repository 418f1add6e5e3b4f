//! Rules that verify images: nothing of them is compared, so what is made is held against what is expected.

use super::{converted, refused};
use engine_convert::Target;

const KEY: &str = "-----BEGIN PUBLIC KEY-----\\nMFkw\\n-----END PUBLIC KEY-----";

fn policy(entry: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  validationFailureAction: Enforce\n  rules:\n  - name: \
         r\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    verifyImages: [{{{entry}}}]\n"
    )
}

#[test]
fn attestors_and_references_are_written_anew() {
    let keyed = format!(
        "imageReferences: ['ghcr.io/a/b:*', 'docker.io/c/*'], mutateDigest: false, attestors: [{{entries: [{{keys: {{publicKeys: \
         \"{KEY}\"}}}}, {{keyless: {{issuer: 'https://i', subject: 'https://s.io/*', rekor: {{url: 'https://r', ignoreTlog: true}}}}}}]}}]"
    );
    let all = converted(&policy(&keyed), Target::Cel);
    assert!(all[0].is_whole(), "{:?}", all[0].refused);
    let text = all[0].text();
    for part in [
        "kind: ImageValidatingPolicy\n",
        "validationActions: [Deny]",
        "mutateDigest: false\n    verifyDigest: true\n    required: true",
        "- glob: ghcr.io/a/b\n    - glob: ghcr.io/a/b:*\n    - glob: docker.io/c/*\n    - glob: c/*",
        "subjectRegExp: '^https://s\\.io/.*$'",
        "insecureIgnoreTlog: true",
        "verifyImageSignatures(image, [attestors.key, attestors.keyless]) >= 2",
        "object.spec.template.spec.?initContainers.orValue([]).map(container, container.image)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let notary = "type: Notary, imageReferences: ['*'], attestations: [{type: sbom/spdx, attestors: [{count: 1, entries: [{certificates: \
                  {cert: c}}, {certificates: {cert: d}}]}]}]";
    let text = converted(&policy(notary), Target::Cel)[0].text();
    let call = "verifyAttestationSignatures(image, attestations.attestation,\n            [attestors.notary, attestors.notary2]) > 0";
    assert!(text.contains(call) && text.contains("referrer:\n        type: sbom/spdx"), "{text}");
}

#[test]
fn what_an_image_policy_cannot_say_is_refused() {
    let keys = format!("attestors: [{{entries: [{{keys: {{publicKeys: \"{KEY}\"}}}}]}}]");
    for (entry, field, why) in [
        (format!("imageReferences: ['*/a:*'], {keys}"), "imageReferences[0]", "registry"),
        (format!("imageReferences: ['ghcr.io/a'], {keys}"), "imageReferences[0]", "without a tag"),
        (
            format!("imageReferences: ['*'], skipImageReferences: ['ghcr.io/a:*'], {keys}"),
            "skipImageReferences",
            "left out",
        ),
        (format!("imageReferences: ['*'], type: SigstoreBundle, {keys}"), "type", "`SigstoreBundle`"),
        (
            "imageReferences: ['*'], attestors: [{entries: [{keys: {secret: {name: a, namespace: b}}}]}]"
                .into(),
            "attestors[0].entries[0].keys",
            "Secret",
        ),
        (
            format!(
                "imageReferences: ['*'], attestations: [{{type: t, {keys}, conditions: [{{all: [{{key: '{{{{ a }}}}', operator: Equals, value: b}}]}}]}}]"
            ),
            "",
            "variables",
        ),
    ] {
        let found = refused(&policy(&entry), Target::Cel);
        assert!(found[0].0.ends_with(field) && found[0].1.contains(why), "{entry}: {found:?}");
    }
}
