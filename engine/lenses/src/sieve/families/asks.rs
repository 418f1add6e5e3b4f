//! More than the legitimate Pod asks for: another capability, another field that the exemption switches off.

use super::{Attack, What, changed};
use crate::sieve::edit::edited;
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{containers, spec_of};
use crate::sieve::risky_fields::{FieldOwner, RISKY_FIELDS, RiskyField};

pub(super) fn capabilities(_: &Exemption, base: &Base) -> Vec<Attack> {
    RISKY_FIELDS.iter().filter(|risky| risky.is_capability()).filter_map(|risky| one(risky, base)).collect()
}

pub(super) fn fields(_: &Exemption, base: &Base) -> Vec<Attack> {
    RISKY_FIELDS.iter().filter(|risky| !risky.is_capability()).filter_map(|risky| one(risky, base)).collect()
}

fn one(risky: &'static RiskyField, base: &Base) -> Option<Attack> {
    let object = &base.case.object;
    let of_object = containers(object);
    let container = base.exempt.first().or(of_object.first())?;
    let spec = spec_of(object)?;
    let (at, whose) = match risky.place {
        FieldOwner::Container => (&container.path, format!(" for container `{}`", container.name)),
        FieldOwner::Pod => (&spec, String::new()),
    };
    let edits = risky.edits(at, None);
    let case = changed(base, &edits)?;
    // What the legitimate Pod asks for already is not an attack.
    if asks_already(risky, object, &case.object, at) {
        return None;
    }
    let mut attack = Attack::new(format!("{}{whose}", risky.text), case, What::Ask(risky));
    attack.pure = Some(edited(base.compliant.as_ref()?, &edits)?);
    Some(attack)
}

/// Whether a list that grew held the item before.
fn asks_already(
    risky: &RiskyField,
    before: &engine_json::Value,
    after: &engine_json::Value,
    at: &engine_json::Path,
) -> bool {
    let edits = risky.edits(at, None);
    edits.iter().any(|edit| {
        let list = |object: &engine_json::Value| {
            object.at_path(edit.path().iter()).and_then(|value| value.as_array().map(<[_]>::to_vec))
        };
        match (list(before), list(after).and_then(|list| list.last().cloned())) {
            (Some(list), Some(last)) => list.contains(&last),
            _ => false,
        }
    })
}
