//! The exempt container in another list: as a main container, an init container, an ephemeral one.

use super::{Attack, What, changed};
use crate::sieve::edit::{Edit, edited};
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{APP, LISTS, compliant_container, spec_of};
use engine_json::{Path, Value};

pub(super) fn make(exemption: &Exemption, base: &Base) -> Vec<Attack> {
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
            let group = format!("{} {list}", container.path);
            let mut push = |edits: &[Edit], text: String| {
                if let Some(case) = changed(base, edits) {
                    let attack = Attack::new(text, case, What::Position);
                    attacks.push(Attack { group: Some(group.clone()), ..attack });
                }
            };
            push(&edits, format!("image `{}` in {list}[]", container.image));
            // What takes its place may be refused itself, where images are looked at.
            let name = Value::from(format!("{}-too", container.name));
            let renamed = edited(written, &[Edit::Set(Path::from_keys(&["name"]), name)]);
            if let Some(renamed) = renamed.filter(|_| exemption.is_cel()) {
                let edits = [Edit::Push(spec.join(list), renamed)];
                push(&edits, format!("image `{}` in {list}[] too", container.image));
            }
        }
    }
    attacks
}
