//! Image references as Kyverno's `images` shows them.
//!
//! In: `nginx` or `ghcr.io/org/app:v1@sha256:…`, and the cluster's default registry. Out: registry, path, name,
//! tag and digest, and the reference written out. `nginx` gives `docker.io/nginx:latest`, without `library/`.
//!
//! Mirrors: pkg/utils/image/infos.go (`GetImageInfo`); the grammar below it is in `reference`.

pub mod reference;
pub mod registry;

use engine_json::{Map, Value};
use reference::Reference;
use std::fmt;

/// What Kyverno's configuration says about images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSettings {
    /// The registry of images that name none.
    pub default_registry: String,
    /// Whether that registry is shown where an image names none.
    pub is_registry_mutation_enabled: bool,
}

impl Default for ImageSettings {
    /// As without a configuration: `docker.io`, and it is shown.
    fn default() -> Self {
        ImageSettings { default_registry: "docker.io".into(), is_registry_mutation_enabled: true }
    }
}

/// An image reference taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// `docker.io`, or empty.
    pub registry: String,
    /// The last part of the path: `busybox`.
    pub name: String,
    /// `some-repository/busybox`.
    pub path: String,
    /// `v2`, or empty where only a digest is given.
    pub tag: String,
    /// `sha256:…`, or empty.
    pub digest: String,
    /// Registry, path, and the digest or else the tag.
    pub reference: String,
    /// Registry, path and tag, even if the tag is empty.
    pub reference_with_tag: String,
}

/// Why a text is not an image, in Kyverno's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageError(String);

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ImageError {}

impl ImageRef {
    /// Reads an image reference.
    pub fn parse(image: &str, settings: &ImageSettings) -> Result<ImageRef, ImageError> {
        let is_registry_missing = is_registry_missing(image);
        let full = if is_registry_missing {
            format!("{}/{image}", settings.default_registry)
        } else {
            image.to_owned()
        };
        let Reference { domain, path, tag, digest } = Reference::parse(&full).map_err(|error| {
            ImageError(format!(
                "bad image: {full}, defaultRegistry: {}, enableDefaultRegistryMutation: {}: {error}",
                settings.default_registry, settings.is_registry_mutation_enabled
            ))
        })?;
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let tag = if tag.is_empty() && digest.is_empty() { "latest".into() } else { tag };
        let is_registry_hidden = is_registry_missing && !settings.is_registry_mutation_enabled;
        let registry = if is_registry_hidden { String::new() } else { domain };
        let reference_with_tag = format!("{}:{tag}", with_registry(&registry, &path));
        let mut image =
            ImageRef { registry, name, path, tag, digest, reference: String::new(), reference_with_tag };
        image.reference = image.to_string();
        // Kyverno: a first part with an underscore can be no domain and is taken for a registry after all.
        let parts = image.path.split_once('/').filter(|(first, _)| first.contains('_'));
        if image.registry.is_empty()
            && let Some((first, rest)) = parts
        {
            (image.registry, image.path) = (first.to_owned(), rest.to_owned());
        }
        Ok(image)
    }

    /// The map under `images.containers.<name>`, without `jsonPointer`; empty parts are left out.
    pub fn to_map(&self) -> Map {
        let required = ["name", "path"];
        let fields = [
            ("registry", &self.registry),
            ("name", &self.name),
            ("path", &self.path),
            ("tag", &self.tag),
            ("digest", &self.digest),
            ("reference", &self.reference),
            ("referenceWithTag", &self.reference_with_tag),
        ];
        let is_shown = |(key, text): &(&str, &String)| !text.is_empty() || required.contains(key);
        fields.into_iter().filter(is_shown).map(|(key, text)| (key, Value::from(text.as_str()))).collect()
    }
}

impl fmt::Display for ImageRef {
    /// `registry/path@digest`, or `registry/path:tag` without a digest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let image = with_registry(&self.registry, &self.path);
        if self.digest.is_empty() {
            write!(f, "{image}:{}", self.tag)
        } else {
            write!(f, "{image}@{}", self.digest)
        }
    }
}

fn with_registry(registry: &str, path: &str) -> String {
    if registry.is_empty() { path.to_owned() } else { format!("{registry}/{path}") }
}

/// Whether the part before the first `/` is not a registry: no point, no port, not `localhost`, no capital letter.
fn is_registry_missing(image: &str) -> bool {
    let Some((first, _)) = image.split_once('/') else { return true };
    !first.contains(['.', ':']) && first != "localhost" && reference::to_lower(first) == first
}
