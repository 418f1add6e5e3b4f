//! How wide an exclusion is: what it lets through beside what its author had in mind.
//!
//! In: `{control: "Capabilities", images: ["*/istio/proxyv2*"]}`. Out: [`Width`]s, each with an example that gets through:
//! `evil.example/istio/proxyv2:1`. Every example of an image has been tried on the very pattern.

use super::{CONTROLS, Exclusion, Images, Wildcard};
use crate::words::quoted;
use engine_json::Str;

/// Where the registry of a stranger stands in examples.
const STRANGER: &str = "evil.example";

/// Something that an exclusion lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Width {
    /// Which part of the exclusion is wide.
    pub part: Part,
    /// What gets through, one line.
    pub text: String,
    /// What to write instead.
    pub hint: String,
}

/// A part of an exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The image pattern of this place.
    Image(usize),
    /// The exclusion as a whole: it names no field.
    Field,
    /// The value pattern of this place.
    Value(usize),
}

/// All that an exclusion lets through without need; nothing for an unknown control, which excludes nothing.
pub fn widths(exclusion: &Exclusion, wildcard: &Wildcard) -> Vec<Width> {
    let Some(control) = CONTROLS.iter().find(|control| control.name == exclusion.control) else {
        return Vec::new();
    };
    let mut found: Vec<Width> = exclusion
        .images
        .iter()
        .enumerate()
        .filter_map(|(at, pattern)| of_image(at, pattern, wildcard))
        .collect();
    if exclusion.restricted_field.is_empty()
        && !exclusion.images.is_empty()
        && control.images != Images::Forbidden
    {
        let what = match control.name {
            "Capabilities" => "with any capability, such as SYS_ADMIN",
            "Host Ports" => "with any port of the node",
            _ => "whatever it sets",
        };
        found.push(Width {
            part: Part::Field,
            text: format!(
                "without `restrictedField` the control {} is off for these images in containers[] too, {what}",
                quoted([control.name])
            ),
            hint: "name the place and what is allowed there: `restrictedField: spec.initContainers[*]…` and `values`"
                .to_owned(),
        });
    }
    for (at, pattern) in exclusion.values.iter().enumerate() {
        if pattern.contains('*') && wildcard.any(std::slice::from_ref(pattern), "SYS_ADMIN") {
            found.push(Width {
                part: Part::Value(at),
                text: format!("the value `{pattern}` takes anything, such as SYS_ADMIN"),
                hint: "list the values that are needed".to_owned(),
            });
        }
    }
    found
}

/// What a pattern of images takes beside the image that it names.
fn of_image(at: usize, pattern: &Str, wildcard: &Wildcard) -> Option<Width> {
    let is_taken = |image: &String| wildcard.any(std::slice::from_ref(pattern), image);
    let strange = [
        ("any registry", other_registry(pattern)),
        ("any project of that registry", other_project(pattern)),
        ("any name that begins so", other_name(pattern)),
    ];
    let taken = strange.into_iter().filter_map(|(what, image)| Some((what, image.filter(is_taken)?)));
    let listed: Vec<String> = taken.map(|(what, image)| format!("{what} (`{image}`)")).collect();
    if listed.is_empty() {
        return None;
    }
    Some(Width {
        part: Part::Image(at),
        text: format!("the pattern `{pattern}` takes {}", listed.join(" and ")),
        hint: "name the registry and end the name before the tag: `registry.example/project/image:*`, or pin a digest"
            .to_owned(),
    })
}

/// An image of a stranger's registry that fits, where the registry of the pattern is open.
fn other_registry(pattern: &str) -> Option<String> {
    let (host, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    let star = host.find('*')?;
    let (before, after) = (host.get(..star)?, host.get(star + 1..)?);
    let name = match (before, after.trim_matches('*')) {
        ("", "") => STRANGER.to_owned(),
        ("", after) => format!("{STRANGER}/{}", after.trim_start_matches(['.', '-', '/'])),
        (before, after) => format!("{before}.{STRANGER}/{after}"),
    };
    let path = if rest.is_empty() { "any".to_owned() } else { filled(rest) };
    let whole = format!("{}/{path}", name.trim_end_matches('/'));
    Some(if tagged(&whole) { whole } else { format!("{whole}:1") })
}

/// Registries in which anybody can have a project.
const SHARED: [&str; 7] =
    ["docker.io", "index.docker.io", "ghcr.io", "quay.io", "gcr.io", "public.ecr.aws", "registry.gitlab.com"];

/// An image of a stranger's project that fits, in a registry in which anybody can have one.
fn other_project(pattern: &str) -> Option<String> {
    let (host, rest) = pattern.split_once('/')?;
    let rest = rest.strip_prefix('*')?;
    let image = format!("{host}/evil/{}", filled(rest.trim_start_matches('/')));
    let image = if rest.trim_matches('*').is_empty() { format!("{host}/evil/any:1") } else { image };
    SHARED.contains(&host).then(|| if tagged(&image) { image } else { format!("{image}:1") })
}

/// An image whose name only begins as the pattern says, where the pattern ends in the middle of a name.
fn other_name(pattern: &str) -> Option<String> {
    let open = pattern.strip_suffix('*')?;
    let last = open.rsplit('/').next()?;
    if last.is_empty() || last.contains([':', '@', '*']) {
        return None;
    }
    let (host, rest) = open.split_once('/').unwrap_or(("", open));
    let host = host.replace('*', STRANGER);
    let host = if host.is_empty() { String::new() } else { format!("{host}/") };
    Some(format!("{host}{}-backdoor:1", filled(rest)))
}

/// The pattern with something in the place of its wildcards.
fn filled(pattern: &str) -> String {
    let without_last = pattern.strip_suffix('*').unwrap_or(pattern);
    without_last.replace('*', "any").replace('?', "x")
}

fn tagged(image: &str) -> bool {
    image.rsplit('/').next().is_some_and(|name| name.contains([':', '@']))
}
