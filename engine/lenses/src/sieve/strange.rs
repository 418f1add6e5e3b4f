//! Pods of the texts that get in by an exemption which is not meant for them.
//!
//! In: those Pods. Out: an attack for each that no other policy refuses, with the change that shuts it out and leaves the Pods in
//! that the exemption is meant for.

use super::check::{Texts, gets_in};
use super::families::{Attack, What};
use super::legit::{Base, Sides};
use super::runner::TrialRunner;
use super::tighten::Remedies;
use crate::wire;
use engine_yaml::emit::to_yaml_ordered;

/// The name of the family.
const FAMILY: &str = "given";
/// What it is.
const TITLE: &str = "Pods of the texts that it is not meant for";

/// Adds them, the first family of all.
pub(super) fn add(
    strangers: &[Base],
    sides: &Sides<'_>,
    rest: &TrialRunner<'_>,
    (bases, remedies): (&[Base], &mut Remedies<'_, '_>),
    texts: &Texts<'_>,
    described: &mut wire::SieveExemption,
) {
    if strangers.is_empty() {
        return;
    }
    let mut admitted = 0;
    for (at, stranger) in strangers.iter().enumerate() {
        let attack = Attack::of_texts(stranger.case.clone(), What::Name);
        let Some(refusal) = gets_in(&attack, sides, stranger) else { continue };
        if !rest.refusals(&stranger.case).is_empty() {
            continue;
        }
        admitted += 1;
        let Some(pod) = described.strangers.get(at).cloned() else { continue };
        described.attacks.push(wire::SieveAttack {
            family: FAMILY.to_owned(),
            text: format!("`{}`: {}", pod.key, pod.doubt),
            who: "anyone".to_owned(),
            resource: to_yaml_ordered(&stranger.case.object),
            user: pod.user,
            groups: pod.groups,
            namespace: pod.namespace,
            refusal,
            tightening: remedy(stranger, bases, remedies, texts),
            ..wire::SieveAttack::default()
        });
    }
    described.width += admitted;
    let tried = u32::try_from(strangers.len()).unwrap_or(u32::MAX);
    described.tried += tried;
    let (name, title) = (FAMILY.to_owned(), TITLE.to_owned());
    described.families.push(wire::SieveFamily { name, title, tried, admitted });
}

/// The first change that refuses the stranger, whatever tells it from the others: its images, name, namespace, labels, or the place of
/// its containers.
fn remedy(
    stranger: &Base,
    bases: &[Base],
    remedies: &mut Remedies<'_, '_>,
    texts: &Texts<'_>,
) -> Option<wire::SieveTightening> {
    let base = Base { lifted: stranger.lifted.clone(), ..bases.first()?.clone() };
    let images = stranger.exempt.iter().map(|container| What::Image(container.image.clone()));
    let others = [What::Name, What::Namespace, What::Label, What::Position, What::Bystander];
    images.chain(others).find_map(|what| {
        let attack = Attack::of_texts(stranger.case.clone(), what);
        remedies.find(&attack, &base, texts)
    })
}
