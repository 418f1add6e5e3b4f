//! Image references as registries' clients read them: `nginx` is `index.docker.io/library/nginx`, tag `latest`.
//!
//! In: a reference. Out: its parts, or why it is none. The rules are looser than those of `reference`: a tag or a path
//! only has to hold the right characters.
//!
//! Mirrors: github.com/google/go-containerregistry pkg/name (weak validation).

use crate::network::url::Url;

/// The registry of images that name none.
const DEFAULT_REGISTRY: &str = "index.docker.io";

/// A reference taken apart. Two are equal when they were written the same and mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryImage {
    /// The registry, with its port.
    pub registry: String,
    path: String,
    /// The tag; empty where a digest is given.
    pub tag: String,
    /// `sha256:…`, or empty.
    pub digest: String,
    /// As it was written.
    pub original: String,
}

impl RegistryImage {
    /// Reads a reference.
    pub fn parse(text: &str) -> Result<RegistryImage, String> {
        tagged(text).or_else(|| digested(text)).ok_or_else(|| format!("could not parse reference: {text}"))
    }

    /// The repository within the registry: `library/nginx`.
    pub fn repository(&self) -> String {
        let is_official = self.registry == DEFAULT_REGISTRY && !self.path.contains('/');
        if is_official { format!("library/{}", self.path) } else { self.path.clone() }
    }

    /// The digest, or else the tag.
    pub fn identifier(&self) -> &str {
        if self.digest.is_empty() { &self.tag } else { &self.digest }
    }

    /// The tag, also where it is written before a digest.
    // Kyverno: libs/image tagFromReference.
    pub fn written_tag(&self) -> &str {
        if self.digest.is_empty() {
            return &self.tag;
        }
        let before = self.original.split('@').next().unwrap_or("");
        let name = before.rsplit('/').next().unwrap_or("");
        name.rsplit_once(':').map_or("", |(_, tag)| tag)
    }
}

// go-containerregistry: NewTag.
fn tagged(text: &str) -> Option<RegistryImage> {
    let (base, tag) = match text.rsplit_once(':') {
        Some((_, "")) => return None,
        Some((base, tag)) if !tag.contains('/') => (base, tag),
        _ => (text, ""),
    };
    let is_tag = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if tag.chars().count() > 128 || !tag.chars().all(is_tag) {
        return None;
    }
    let (registry, path) = repository(base)?;
    let tag = if tag.is_empty() { "latest" } else { tag }.to_owned();
    Some(RegistryImage { registry, path, tag, digest: String::new(), original: text.to_owned() })
}

// go-containerregistry: NewDigest.
fn digested(text: &str) -> Option<RegistryImage> {
    let (base, digest) = text.split_once('@')?;
    let hex = digest.strip_prefix("sha256:")?;
    let is_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    if hex.len() != 64 || !hex.bytes().all(is_hex) {
        return None;
    }
    let (registry, path) = match tagged(base) {
        Some(tagged) => (tagged.registry.clone(), tagged.repository()),
        None => repository(base)?,
    };
    Some(RegistryImage {
        registry,
        path,
        tag: String::new(),
        digest: digest.to_owned(),
        original: text.to_owned(),
    })
}

// go-containerregistry: NewRepository, NewRegistry.
fn repository(name: &str) -> Option<(String, String)> {
    let (registry, path) = match name.split_once('/') {
        Some((first, rest)) if first == "localhost" || first.contains(['.', ':']) => (first, rest),
        _ => ("", name),
    };
    let is_path =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.' | '/');
    if !(2..=255).contains(&path.chars().count()) || !path.chars().all(is_path) {
        return None;
    }
    let authority = format!("//{registry}");
    if !Url::parse(&authority).is_ok_and(|url| url.host_text() == registry) {
        return None;
    }
    let registry = if registry.is_empty() || registry == "docker.io" { DEFAULT_REGISTRY } else { registry };
    Some((registry.to_owned(), path.to_owned()))
}
