//! Another container, of a stranger's image, that asks for what the exempt one asks for.

use super::{Attack, What, changed};
use crate::sieve::edit::{Edit, edited};
use crate::sieve::find::Exemption;
use crate::sieve::legit::Base;
use crate::sieve::pod::{STRANGER, compliant_container, spec_of};
use engine_json::{Path, Value};

/// The lists of containers, the first one first.
const PLACES: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

pub(super) fn make(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    let (Some(container), Some(spec)) = (base.exempt.first(), spec_of(&base.case.object)) else {
        return Vec::new();
    };
    let Some(written) = base.case.object.at_path(container.path.iter()) else { return Vec::new() };
    let fields = ["securityContext", "ports"]
        .into_iter()
        .filter_map(|key| Some(Edit::Set(Path::root().join(key), written.get(key)?.clone())));
    let mut edits = fields.collect::<Vec<_>>();
    // What the exempt container does not say of itself, the other need not say either.
    if exemption.is_cel() {
        let unsaid = ["securityContext", "resources"].into_iter().filter(|key| written.get(key).is_none());
        edits.extend(unsaid.map(|key| Edit::Remove(Path::root().join(key))));
    }
    let stranger = edited(&compliant_container("stranger", STRANGER), &edits);
    let nobody_minds = base.compliant.as_ref().or(base.without_containers.as_ref());
    let (Some(stranger), Some(compliant)) = (stranger, nobody_minds) else { return Vec::new() };
    // An expression may look at one list and forget another.
    let lists = if exemption.is_cel() { &PLACES[..] } else { &["containers"] };
    let one = |list: &&str| {
        let edit = [Edit::Push(spec.join(*list), stranger.clone())];
        let place = if *list == "containers" { String::new() } else { format!(" in {list}[]") };
        let text = format!("a further container of image `{STRANGER}`{place}");
        let mut attack = Attack::new(text, changed(base, &edit)?, What::Bystander);
        attack.pure = edited(compliant, &edit).filter(|value| !Value::is_null(value));
        Some(attack)
    };
    lists.iter().filter_map(one).collect()
}
