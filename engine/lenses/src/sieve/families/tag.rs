//! Variants: another tag or digest of the very repository.

use super::{Attack, What, Who, with_image};
use crate::sieve::find::Exemption;
use crate::sieve::images::variants;
use crate::sieve::legit::Base;

pub(super) fn make(_: &Exemption, base: &Base) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for container in &base.exempt {
        for (group, images) in variants(&container.image).into_iter().enumerate() {
            for image in images {
                let Some(case) = with_image(base, &container.path, &image) else { continue };
                let mut attack = Attack::new(format!("image `{image}`"), case, What::Image(image.clone()));
                attack.who = Who::Publisher;
                attack.group = Some(format!("{} {group}", container.path));
                attacks.push(attack);
            }
        }
    }
    attacks
}
