//! Another image in the place of the exempt one, under the same container name.

use super::{Attack, What, with_image};
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::STRANGER;

pub(super) fn make(_: &Exemption, base: &Base) -> Vec<Attack> {
    let strange = base.exempt.iter().filter(|container| container.image != STRANGER);
    let one = |container: &crate::sieve::pod::Container| {
        let case = with_image(base, &container.path, STRANGER)?;
        let text = format!("container `{}` with image `{STRANGER}`", container.name);
        Some(Attack::new(text, case, What::Image(STRANGER.to_owned())))
    };
    strange.filter_map(one).collect()
}
