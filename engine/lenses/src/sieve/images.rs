//! Look-alikes of images: what somebody else can publish that a pattern takes for the real one.
//!
//! In: the image that is meant, and the pattern that lets it in. Out: images of a stranger's registry, project or name, and
//! other tags and digests of the same repository. Which of them a pattern takes is found out by running, not here.

use engine::value::wildcard;

/// The registry of a stranger.
const EVIL: &str = "evil.example";
/// A digest that nobody has.
const DIGEST: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// An image in parts, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts<'i> {
    /// `docker.io`; empty where none is written.
    pub(super) registry: &'i str,
    /// `istio/proxyv2`.
    pub(super) path: &'i str,
    /// `:1.24`, `@sha256:…`, both, or nothing.
    pub(super) tag: &'i str,
}

/// The parts of an image.
pub(super) fn parts(image: &str) -> Parts<'_> {
    let end = image.find('@').unwrap_or(image.len());
    let (named, _) = image.split_at_checked(end).unwrap_or((image, ""));
    let slash = named.rfind('/').map_or(0, |at| at + 1);
    let colon = named.get(slash..).and_then(|last| last.find(':')).map_or(end, |at| slash + at);
    let (name, tag) = image.split_at_checked(colon).unwrap_or((image, ""));
    match name.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => {
            Parts { registry: host, path, tag }
        }
        _ => Parts { registry: "", path: name, tag },
    }
}

impl Parts<'_> {
    /// Registry and path, as written.
    pub(super) fn repository(&self) -> String {
        if self.registry.is_empty() {
            self.path.to_owned()
        } else {
            format!("{}/{}", self.registry, self.path)
        }
    }
}

/// Images that are not the real one, in groups of one kind each; of a group the first that gets in says enough.
pub(super) fn lookalikes(image: &str, pattern: Option<&str>) -> Vec<Vec<String>> {
    let Parts { registry, path, tag } = parts(image);
    let tag = if tag.is_empty() { ":1" } else { tag };
    let last = path.rsplit('/').next().unwrap_or(path);
    let at = |repository: String| format!("{repository}{tag}");
    let here = |path: String| if registry.is_empty() { path } else { format!("{registry}/{path}") };
    let mut other_registry = vec![
        at(format!("{EVIL}/{path}")),
        at(format!("{EVIL}/x/{path}")),
        at(format!("{EVIL}/{last}")),
        at(format!("{EVIL}/{registry}/{path}")),
        at(format!("{EVIL}/evil/any")),
    ];
    let (front, back) = pattern.map(filled).unwrap_or_default();
    other_registry.extend(front);
    let mut other_name = vec![at(format!("{EVIL}/x/{path}-backdoor")), at(format!("{EVIL}/{last}-backdoor"))];
    other_name.extend(back);
    let own_name = vec![at(here(format!("{path}-backdoor"))), at(here(format!("{path}/backdoor")))];
    let other_project = [format!("evil/{last}"), format!("evil/{path}"), "evil/any".to_owned()];
    let other_project = other_project.into_iter().map(|path| at(here(path))).collect();
    let mut groups = vec![other_registry, other_name, own_name, other_project];
    if !registry.is_empty() {
        let hosts = [format!("{registry}.{EVIL}/{path}"), format!("{EVIL}{registry}/{path}")];
        groups.push(hosts.into_iter().map(at).collect());
    }
    let own = parts(image).repository();
    for group in &mut groups {
        group.retain(|other| !parts(other).path.is_empty() && parts(other).repository() != own);
    }
    groups
}

/// What fits a pattern: with a stranger's registry where it begins with a star, with another name where it ends so.
fn filled(pattern: &str) -> (Vec<String>, Vec<String>) {
    let front = pattern.strip_prefix('*').map(|rest| format!("{EVIL}{}", tame(rest)));
    let front = front.map(|image| if parts(&image).tag.is_empty() { format!("{image}:1") } else { image });
    let back = pattern.strip_suffix('*').map(|front| format!("{}-backdoor:1", front.replace('*', "evil")));
    let all = pattern.replace('*', "evil").replace('?', "x");
    let fits = |image: &String| wildcard::matches(pattern, image) && !image.contains("//");
    (front.into_iter().chain([all]).filter(fits).collect(), back.into_iter().filter(fits).collect())
}

/// The rest of a pattern with something in the place of its stars.
fn tame(rest: &str) -> String {
    let slash = if rest.starts_with('/') { "" } else { "/" };
    let body = rest.strip_suffix('*').unwrap_or(rest).replace(['*', '?'], "x");
    format!("{slash}{body}")
}

/// Other tags and digests of the same repository, in groups.
pub(super) fn variants(image: &str) -> Vec<Vec<String>> {
    let parts = parts(image);
    let repository = parts.repository();
    let tags = vec![format!("{repository}:latest"), format!("{repository}:0.0.1-old"), repository.clone()];
    let mut digests = vec![format!("{repository}@{DIGEST}")];
    let mut groups = Vec::new();
    if let Some(tag) = parts.tag.strip_prefix(':') {
        let tag = tag.split('@').next().unwrap_or(tag);
        groups.push(vec![format!("{repository}:{tag}-evil")]);
        digests.push(format!("{repository}:{tag}@{DIGEST}"));
    }
    groups.extend([tags, digests]);
    for group in &mut groups {
        group.retain(|other| other != image);
    }
    groups
}

/// The images that a pattern may have been written for: known ones first, then one of a registry that nobody has.
pub(super) fn meant(pattern: &str) -> Vec<String> {
    let known =
        KNOWN.iter().filter(|image| wildcard::matches(pattern, image)).map(|image| (*image).to_owned());
    let mut found: Vec<String> = known.collect();
    if !pattern.contains(['*', '?']) {
        found.push(pattern.to_owned());
    } else if found.is_empty() {
        let stars = pattern.trim_matches('*').trim_matches('/');
        let name = stars.replace(['*', '?'], "x");
        let name = if name.is_empty() { "any".to_owned() } else { name };
        let Parts { registry, tag, .. } = parts(&name);
        let host = if registry.is_empty() { "registry.example/" } else { "" };
        let tag = if tag.is_empty() { ":1.0" } else { "" };
        let name = name.strip_suffix(':').map_or(name.clone(), |name| format!("{name}:1.0"));
        let tag = if name.ends_with(":1.0") { "" } else { tag };
        for host in [host, ""] {
            found.push(format!("{host}{name}{tag}"));
            found.push(format!("{host}{name}"));
        }
        found.push(pattern.replace(['*', '?'], "x"));
        // Who takes images apart takes no name of one letter.
        found.push(pattern.replace('*', "any").replace('?', "x"));
    }
    found.retain(|image| wildcard::matches(pattern, image));
    unique(found)
}

/// Images whose publishers everybody knows.
const KNOWN: &[&str] = &[
    "docker.io/istio/proxyv2:1.24.0",
    "gcr.io/istio-release/proxyv2:1.24.0",
    "cr.l5d.io/linkerd/proxy-init:v2.4.1",
    "cr.l5d.io/linkerd/proxy:edge-24.11.8",
    "docker.io/grafana/promtail:3.2.1",
    "docker.io/fluent/fluent-bit:3.2.2",
    "quay.io/cilium/cilium:v1.16.4",
    "quay.io/prometheus/node-exporter:v1.8.2",
];

fn unique(images: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for image in images {
        if !seen.contains(&image) {
            seen.push(image);
        }
    }
    seen
}
