//! The exempt container in another list: as a main container, an init container, an ephemeral one.

use super::{Attack, What, changed};
use crate::sieve::edit::Edit;
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{APP, LISTS, compliant_container, spec_of};
use engine_json::Value;

pub(super) fn make(_: &Exemption, base: &Base) -> Vec<Attack> {
    let object = &base.case.object;
    let Some(spec) = spec_of(object) else { return Vec::new() };
    let mut attacks = Vec::new();
    for container in &base.exempt {
        let Some(written) = object.at_path(container.path.iter()) else { continue };
        for list in LISTS.into_iter().filter(|list| *list != container.list) {
            let own = spec.join(container.list);
            let is_last =
                object.at_path(own.iter()).and_then(Value::as_array).is_none_or(|list| list.len() < 2);
            let mut edits =
                vec![Edit::Remove(container.path.clone()), Edit::Push(spec.join(list), written.clone())];
            if is_last && container.list == "containers" {
                edits.push(Edit::Push(own, compliant_container("app", APP)));
            }
            let Some(case) = changed(base, &edits) else { continue };
            attacks.push(Attack::new(
                format!("image `{}` in {list}[]", container.image),
                case,
                What::Position,
            ));
        }
    }
    attacks
}
