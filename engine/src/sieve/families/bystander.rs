//! Another container, of a stranger's image, that asks for what the exempt one asks for.

use super::{Attack, What, changed};
use crate::sieve::edit::{Edit, edited};
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{STRANGER, compliant_container, spec_of};
use engine_json::{Path, Value};

pub(super) fn make(_: &Exemption, base: &Base) -> Vec<Attack> {
    let (Some(container), Some(spec)) = (base.exempt.first(), spec_of(&base.case.object)) else {
        return Vec::new();
    };
    let Some(written) = base.case.object.at_path(container.path.iter()) else { return Vec::new() };
    let fields = ["securityContext", "ports"]
        .into_iter()
        .filter_map(|key| Some(Edit::Set(Path::root().join(key), written.get(key)?.clone())));
    let stranger = edited(&compliant_container("stranger", STRANGER), &fields.collect::<Vec<_>>());
    let Some(stranger) = stranger else { return Vec::new() };
    let edit = [Edit::Push(spec.join("containers"), stranger)];
    let (Some(case), Some(compliant)) = (changed(base, &edit), &base.compliant) else { return Vec::new() };
    let mut attack = Attack::new(format!("a further container of image `{STRANGER}`"), case, What::Bystander);
    attack.pure = edited(compliant, &edit).filter(|value| !Value::is_null(value));
    vec![attack]
}
