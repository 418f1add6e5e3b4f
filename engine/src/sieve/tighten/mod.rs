//! The change that shuts an attacker out and leaves the legitimate Pods in.
//!
//! In: an exemption and an attacker that gets in. Out: the first of the changes proposed by [`propose`] that does both; it
//! has been run on the attacker and on every legitimate Pod.

mod exception;
mod patterns;
mod pod_security;
mod skips;

pub(super) use exception::condition;
pub(super) use patterns::{Exactness, patterns_of};
pub(super) use pod_security::{entry, exact_exclusions, exclusions, standard};

use super::check::Texts;
use super::court::Court;
use super::edit::{Edit, edited};
use super::families::Attack;
use super::find::{Exemption, Kind};
use super::kin::Kin;
use super::legit::{Base, Sides, key};
use crate::wire;
use engine_yaml::emit::to_yaml_ordered;

/// A change that may help.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) text: String,
    pub(super) edits: Vec<Edit>,
}

impl Proposal {
    fn new(text: String, edits: Vec<Edit>) -> Self {
        Proposal { text, edits }
    }
}

/// Looks for remedies; what has been tried is kept.
pub(super) struct Remedies<'a, 'w> {
    exemption: &'a Exemption,
    sides: &'a Sides<'w>,
    bases: &'a [Base],
    /// Another Pod that has to stay in.
    kin: Option<&'a Kin>,
    /// Edits, and the court after them where it leaves every legitimate Pod in.
    tried: Vec<(Vec<Edit>, Option<Court<'w>>)>,
}

impl<'a, 'w> Remedies<'a, 'w> {
    pub(super) fn new(exemption: &'a Exemption, sides: &'a Sides<'w>, bases: &'a [Base]) -> Self {
        Remedies { exemption, sides, bases, kin: None, tried: Vec::new() }
    }

    /// The same, where this Pod has to stay in as well.
    pub(super) fn with_kin(self, kin: Option<&'a Kin>) -> Self {
        Remedies { kin, ..self }
    }

    /// The first proposal that shuts the attacker out and leaves the legitimate Pods in.
    pub(super) fn best(&mut self, attack: &Attack, base: &Base) -> Option<Proposal> {
        let proposals = propose(self.exemption, attack, base, self.bases, &self.sides.with);
        proposals.into_iter().find(|proposal| {
            let court = self.court(&proposal.edits);
            court.is_some_and(|court| {
                court.refusals(&attack.case).iter().any(|refusal| base.lifted.contains(&key(refusal)))
            })
        })
    }

    /// It as it is told.
    pub(super) fn find(
        &mut self,
        attack: &Attack,
        base: &Base,
        texts: &Texts<'_>,
    ) -> Option<wire::SieveTightening> {
        let proposal = self.best(attack, base)?;
        let document = self.sides.with.document(self.exemption.document)?;
        let path = proposal.edits.first()?.path();
        let object = edited(document, &proposal.edits)?;
        Some(wire::SieveTightening {
            range: texts.place(self.exemption.document, path),
            edit: texts.edit(self.exemption.document, &proposal.edits, &object),
            object: to_yaml_ordered(&object),
            text: proposal.text,
        })
    }

    /// The court after these edits, where every legitimate Pod stays in.
    fn court(&mut self, edits: &[Edit]) -> Option<Court<'w>> {
        if let Some((_, court)) = self.tried.iter().find(|(known, _)| known == edits) {
            return court.clone();
        }
        let court = self.sides.with.with_edits(self.exemption.document, edits);
        let keeps = |court: &Court<'_>| {
            self.bases.iter().all(|base| {
                court.refusals(&base.case).iter().map(key).all(|refused| base.ignored.contains(&refused))
            }) && self.kin.is_none_or(|kin| kin.is_in(court))
        };
        let court = court.filter(keeps);
        self.tried.push((edits.to_vec(), court.clone()));
        court
    }
}

/// What may help, the smallest change first.
fn propose(
    exemption: &Exemption,
    attack: &Attack,
    base: &Base,
    bases: &[Base],
    court: &Court<'_>,
) -> Vec<Proposal> {
    let mut found = patterns::propose(exemption, attack, bases);
    match exemption.kind {
        Kind::PodSecurity => found.extend(pod_security::propose(exemption, bases, court)),
        Kind::Exception => {
            found.extend(pod_security::propose(exemption, bases, court));
            found.extend(exception::propose(exemption, attack, base, bases, court));
        }
        Kind::Precondition | Kind::Condition | Kind::Anchor => {
            found.extend(skips::propose(exemption, attack, bases, court));
        }
        Kind::Exclude => found.extend(pod_security::instead_of_exclude(exemption, bases, court)),
        Kind::PsaLabel | Kind::PsaExemption => {}
    }
    found
}
