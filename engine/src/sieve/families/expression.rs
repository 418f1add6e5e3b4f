//! Text of the object that the policy evaluates: a Pod whose own text is an expression and says what the exemption wants to
//! hear, or has no value, so that a loop passes over the container.

use super::{Attack, What, changed, with_image};
use crate::sieve::edit::Edit;
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::STRANGER;
use engine_json::Value;

/// An expression without a value.
const NOTHING: &str = "{{ nobody }}";

pub(super) fn make(_: &Exemption, base: &Base) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for container in base.exempt.iter().filter(|container| !container.image.contains('\'')) {
        let yields = format!("{{{{ '{}' }}}}", container.image);
        attacks.extend(with_image(base, &container.path, &yields).map(|case| {
            let text = format!("image `{yields}`, an expression that yields the exempt image");
            Attack::new(text, case, What::Image(yields.clone()))
        }));
        let edits = [
            Edit::Set(container.path.join("image"), Value::from(STRANGER)),
            Edit::Push(container.path.join("args"), Value::from(NOTHING)),
        ];
        attacks.extend(changed(base, &edits).map(|case| {
            let text = format!(
                "container `{}` with image `{STRANGER}` and the argument `{NOTHING}`, an expression without a value",
                container.name
            );
            Attack::new(text, case, What::Image(STRANGER.to_owned()))
        }));
    }
    attacks
}
