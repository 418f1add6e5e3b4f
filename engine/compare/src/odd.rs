//! Texts that hardly an object in a cluster has, and on which two sides differ all the same.
//!
//! In: a request on which they differ. Out: the same with plain texts, or the gap that it falls into where it then differs no more.

use crate::gap::KindGap;
use crate::objects::admissible::{all_images, are_readable, is_pulled, is_readable};
use crate::objects::kinds::{CONTAINER_LISTS, pod_spec_of};
use crate::objects::schema::IMAGE;
use crate::request::Request;
use crate::sides::side::{Depth, Side};
use engine::apply::Status;
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// Fields in which Kubernetes itself reads `*`: rules of roles and of webhooks, hosts.
const OF_KUBERNETES: [&str; 9] = [
    "apiGroups",
    "apiVersions",
    "host",
    "hosts",
    "nonResourceURLs",
    "operations",
    "resourceNames",
    "resources",
    "verbs",
];
/// Images that can be pulled: with a registry and a tag, without either, with the tag that many policies name, and by a digest.
const READABLE: [&str; 4] = [
    IMAGE,
    "nginx",
    "nginx:latest",
    "nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000",
];
/// How deep an object is looked into.
const MAX_DEPTH: usize = 40;

/// What becomes of a request on which two sides differ.
pub(crate) enum Odd {
    /// It has no such text.
    No,
    /// They differ on this one too, which has none.
    Plainer(Box<Request>),
    /// They differ by such a text alone.
    Gap(KindGap),
}

/// Looks for such texts. `differs` says whether the sides differ on another request in the same way.
pub(crate) fn odd(request: &Request, sides: [&Side<'_>; 2], differs: impl Fn(&Request) -> bool) -> Odd {
    // What can be pulled is odd only to a side that cannot read it.
    let is_taken = if sides.iter().any(|side| errs(side, request)) { is_readable } else { is_pulled };
    for image in READABLE {
        let plainer = plain(request, image, is_taken);
        if plainer == *request {
            return Odd::No;
        }
        if differs(&plainer) {
            return Odd::Plainer(Box::new(plainer));
        }
    }
    // What a pattern asks for before its wildcard may be such an image once something stands there.
    let longer = longer_images(request);
    if longer != *request && are_readable(&longer.object) && differs(&longer) {
        return Odd::Plainer(Box::new(longer));
    }
    let is_by_images = |image: &&str| {
        let mut with_images = request.clone();
        objects(&mut with_images).for_each(|object| read_images(object, image, is_taken));
        with_images != *request && !differs(&with_images)
    };
    if READABLE.iter().all(is_by_images) {
        return Odd::Gap(KindGap::UnreadableImages);
    }
    let [old, new] = sides.map(Side::is_classic);
    if old == new { Odd::No } else { Odd::Gap(KindGap::Wildcards) }
}

/// Whether a rule of a side cannot decide a request.
fn errs(side: &Side<'_>, request: &Request) -> bool {
    side.evaluate(request, Depth::Decision).rules.values().any(|status| *status == Status::Error)
}

fn objects(request: &mut Request) -> impl Iterator<Item = &mut Value> {
    std::iter::once(&mut request.object).chain(request.attributes.old.as_mut())
}

/// The request with images that can be pulled, and without wildcards where Kubernetes reads none.
fn plain(request: &Request, image: &str, is_taken: fn(&str) -> bool) -> Request {
    let mut plain = request.clone();
    for object in objects(&mut plain) {
        read_images(object, image, is_taken);
        without_wildcards(object, "", 0);
    }
    plain
}

/// The request with something behind each image that cannot be read, where it can be read then, and without wildcards.
fn longer_images(request: &Request) -> Request {
    let longer_image = |image: &str| {
        let longer = ["app", "1"].map(|more| format!("{image}{more}"));
        longer.into_iter().find(|longer| is_readable(longer)).filter(|_| !is_readable(image))
    };
    let mut longer = request.clone();
    for object in objects(&mut longer) {
        change_images(object, longer_image);
        without_wildcards(object, "", 0);
    }
    longer
}

fn read_images(object: &mut Value, image: &str, is_taken: fn(&str) -> bool) {
    if !all_images(object, is_taken) {
        change_images(object, |_| Some(image.to_owned()));
    }
}

/// Gives each container another image, where there is one.
fn change_images(object: &mut Value, other: impl Fn(&str) -> Option<String>) {
    let Some(spec) = pod_spec_of(object.find_str(&["kind"])) else { return };
    for list in CONTAINER_LISTS {
        let keys: Vec<&'static str> = spec.iter().copied().chain([list]).collect();
        let path = Path::from_keys(&keys);
        let Some(Value::Array(containers)) = object.at_path(path.iter()).cloned() else { continue };
        let mut containers = containers.to_vec();
        for container in &mut containers {
            let other = other(container.find_str(&["image"]));
            if let (Some(other), Some(map)) = (other, container.object_mut()) {
                map.insert("image", Value::from(other));
            }
        }
        object.put(&path, Some(Value::array(containers)));
    }
}

fn without_wildcards(value: &mut Value, field: &str, depth: usize) {
    match value {
        Value::String(text) if text.contains(['*', '?']) && !OF_KUBERNETES.contains(&field) => {
            *text = Str::from(text.replace(['*', '?'], "x"));
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            for item in Arc::make_mut(items).iter_mut() {
                without_wildcards(item, field, depth + 1);
            }
        }
        Value::Object(map) if depth < MAX_DEPTH => {
            for (key, item) in Arc::make_mut(map).iter_mut() {
                without_wildcards(item, key, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::plain;
    use crate::objects::schema::IMAGE;
    use crate::request::Request;
    use engine::yaml::parse_one;

    #[test]
    fn images_become_readable_and_wildcards_letters_where_kubernetes_reads_none() {
        for (written, expected) in [
            (
                "{kind: Pod, spec: {containers: [{image: '!*:latest', args: ['a*']}], hosts: ['*.x']}}",
                "{kind: Pod, spec: {containers: [{image: 'registry.example/app:1.0', args: [ax]}], hosts: ['*.x']}}",
            ),
            (
                "{kind: Role, rules: [{verbs: ['*'], note: '?'}]}",
                "{kind: Role, rules: [{verbs: ['*'], note: x}]}",
            ),
            (
                "{kind: Pod, spec: {containers: [{image: 'nginx:latest'}]}}",
                "{kind: Pod, spec: {containers: [{image: 'nginx:latest'}]}}",
            ),
        ] {
            let read = |text: &str| Request::of(parse_one(text).unwrap_or_default());
            assert_eq!(plain(&read(written), IMAGE, super::is_readable), read(expected), "{written}");
        }
    }
}
