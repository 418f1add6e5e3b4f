//! Image references.

use super::text;
use crate::image::reference::Reference;
use crate::image::{ImageRef, ImageSettings};

/// A reference, and its domain, path, tag and digest. `{hex}` stands for 64 digits, `{HEX}` for 64 capital ones,
/// `{long}` for 256 letters.
const REFERENCES: &[(&str, &str)] = &[
    ("nginx", " nginx  "),
    ("nginx:1.25", " nginx 1.25 "),
    ("docker.io/library/nginx", "docker.io library/nginx  "),
    ("localhost:5000/a/b:v1", "localhost:5000 a/b v1 "),
    ("localhost:5000", " localhost 5000 "),
    ("[::1]:5000/a", "[::1]:5000 a  "),
    ("REG.io/a", "REG.io a  "),
    ("a__b/c-d.e--f", " a__b/c-d.e--f  "),
    ("gcr.io/p/i@sha256:{hex}", "gcr.io p/i  sha256:{hex}"),
    ("gcr.io/p/i:v1@sha256:{hex}", "gcr.io p/i v1 sha256:{hex}"),
    ("", "repository name must have at least one component"),
    ("Nginx", "repository name must be lowercase"),
    ("a/B", "repository name must be lowercase"),
    ("a:", "invalid reference format"),
    ("a:-x", "invalid reference format"),
    ("a//b", "invalid reference format"),
    ("a@sha256:abc", "invalid reference format"),
    ("a@sha256:{HEX}", "invalid checksum digest format"),
    ("a@md5:{hex}", "unsupported digest algorithm"),
    ("a@SHA256:{hex}", "invalid checksum digest format"),
    ("a@sha256:{hex}00", "invalid checksum digest length"),
    ("a_.b/c", "invalid reference format"),
    ("{long}", "repository name must not be more than 255 characters"),
    ("a___b", "invalid reference format"),
    ("-a", "invalid reference format"),
    ("a b", "invalid reference format"),
];

/// An image, and its registry, path, tag and both written references.
const IMAGES: &[(&str, [&str; 5])] = &[
    ("nginx", ["docker.io", "nginx", "latest", "docker.io/nginx:latest", "docker.io/nginx:latest"]),
    ("org/app:v1", ["docker.io", "org/app", "v1", "docker.io/org/app:v1", "docker.io/org/app:v1"]),
    ("localhost/app", ["localhost", "app", "latest", "localhost/app:latest", "localhost/app:latest"]),
    ("REG/app", ["REG", "app", "latest", "REG/app:latest", "REG/app:latest"]),
    ("reg.io:5000/a/b:1", ["reg.io:5000", "a/b", "1", "reg.io:5000/a/b:1", "reg.io:5000/a/b:1"]),
    ("g.io/a@sha256:{hex}", ["g.io", "a", "", "g.io/a@sha256:{hex}", "g.io/a:"]),
    ("g.io/a:2@sha256:{hex}", ["g.io", "a", "2", "g.io/a@sha256:{hex}", "g.io/a:2"]),
];

fn expanded(text: &str) -> String {
    let hex = "0a".repeat(32);
    text.replace("{hex}", &hex).replace("{HEX}", &"A".repeat(64)).replace("{long}", &"a".repeat(256))
}

#[test]
fn references_are_taken_apart_as_in_the_original() {
    for (input, output) in REFERENCES {
        let parts = Reference::parse(&expanded(input)).map(|found| {
            let Reference { domain, path, tag, digest } = found;
            format!("{domain} {path} {tag} {digest}")
        });
        assert_eq!(text(parts), expanded(output), "{input:?}");
    }
}

#[test]
fn images_have_the_default_registry() {
    for (input, output) in IMAGES {
        let image = ImageRef::parse(&expanded(input), &ImageSettings::default()).unwrap();
        let found = [image.registry, image.path, image.tag, image.reference, image.reference_with_tag];
        assert_eq!(found, output.map(expanded), "{input:?}");
    }
}

#[test]
fn without_mutation_the_registry_stays_empty() {
    let settings = ImageSettings { default_registry: "r.io".into(), is_registry_mutation_enabled: false };
    let image = ImageRef::parse("my_reg/a/b", &settings).unwrap();
    assert_eq!((image.registry.as_str(), image.path.as_str()), ("my_reg", "a/b"));
    assert_eq!(image.reference, "my_reg/a/b:latest");
    assert_eq!(ImageRef::parse("a", &settings).unwrap().to_string(), "a:latest");
    assert_eq!(
        text(ImageRef::parse("a b", &settings)),
        "bad image: r.io/a b, defaultRegistry: r.io, enableDefaultRegistryMutation: false: invalid reference format"
    );
}

#[test]
fn empty_parts_are_left_out_of_the_map() {
    let image = ImageRef::parse(&expanded("g.io/a@sha256:{hex}"), &ImageSettings::default()).unwrap();
    let map = image.to_map();
    let keys: Vec<&str> = map.keys().map(engine_json::Str::as_str).collect();
    assert_eq!(keys, ["registry", "name", "path", "digest", "reference", "referenceWithTag"]);
}
