//! Look-alikes: an image of somebody else that the pattern takes for the real one.

use super::{Attack, What, Who, with_image};
use crate::sieve::find::Exemption;
use crate::sieve::images::{lookalikes, parts};
use crate::sieve::legit::Base;
use engine::value::wildcard;

/// Registries in which anybody can have a project.
const SHARED: [&str; 8] = [
    "",
    "docker.io",
    "index.docker.io",
    "ghcr.io",
    "quay.io",
    "gcr.io",
    "public.ecr.aws",
    "registry.gitlab.com",
];

pub(super) fn make(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for container in &base.exempt {
        let pattern = exemption
            .image_selectors()
            .find(|selector| wildcard::matches(&selector.pattern, &container.image));
        for (group, images) in lookalikes(&container.image, pattern.map(|selector| selector.pattern.as_str()))
            .into_iter()
            .enumerate()
        {
            for image in images {
                let Some(case) = with_image(base, &container.path, &image) else { continue };
                let mut attack = Attack::new(format!("image `{image}`"), case, What::Image(image.clone()));
                attack.who = who(&container.image, &image);
                attack.group = Some(format!("{} {group}", container.path));
                attacks.push(attack);
            }
        }
    }
    attacks
}

/// Who can publish an image: anybody, or who has rights where the real one comes from.
fn who(real: &str, other: &str) -> Who {
    let (real, other) = (parts(real), parts(other));
    let project = |path: &str| path.rsplit_once('/').map(|(project, _)| project.to_owned());
    if real.registry != other.registry {
        return Who::Anyone;
    }
    let is_inside = match project(real.path) {
        None => !other.path.contains('/'),
        Some(project) => other.path.starts_with(&format!("{project}/")),
    };
    if is_inside || !SHARED.contains(&real.registry) { Who::Publisher } else { Who::Anyone }
}
