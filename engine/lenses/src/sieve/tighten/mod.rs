//! The change that shuts an attacker out and leaves the legitimate Pods in.
//!
//! In: an exemption and an attacker that gets in. Out: the first of the changes proposed by [`propose`] that does both; it
//! has been run on the attacker and on every legitimate Pod.

mod cel;
mod exception;
mod patterns;
mod pod_security;
mod skips;

pub(super) use exception::condition;
pub(super) use patterns::{Exactness, patterns_for, patterns_of};
pub(super) use pod_security::{entry, exact_exclusions, exclusions, standard};

use super::check::Texts;
use super::edit::{Edit, edited};
use super::families::Attack;
use super::find::{Exemption, Kind};
use super::legit::{Base, Sides, key};
use super::runner::TrialRunner;
use super::sibling::SiblingPod;
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
    sibling: Option<&'a SiblingPod>,
    /// Edits, and the runner after them where it leaves every legitimate Pod in.
    tried: Vec<(Vec<Edit>, Option<TrialRunner<'w>>)>,
}

impl<'a, 'w> Remedies<'a, 'w> {
    pub(super) fn new(exemption: &'a Exemption, sides: &'a Sides<'w>, bases: &'a [Base]) -> Self {
        Remedies { exemption, sides, bases, sibling: None, tried: Vec::new() }
    }

    /// The same, where this Pod has to stay in as well.
    pub(super) fn with_sibling(self, sibling: Option<&'a SiblingPod>) -> Self {
        Remedies { sibling, ..self }
    }

    /// The first proposal that shuts the attacker out and leaves the legitimate Pods in.
    pub(super) fn best(&mut self, attack: &Attack, base: &Base) -> Option<Proposal> {
        let proposals = propose(self.exemption, attack, base, self.bases, &self.sides.with);
        proposals.into_iter().find(|proposal| {
            let runner = self.runner(&proposal.edits);
            runner.is_some_and(|runner| {
                runner.refusals(&attack.case).iter().any(|refusal| base.lifted.contains(&key(refusal)))
            })
        })
    }

    /// It as it is said.
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
            notes: texts.lonely.notes(&proposal.edits),
            text: proposal.text,
        })
    }

    /// The runner after these edits, where every legitimate Pod stays in.
    fn runner(&mut self, edits: &[Edit]) -> Option<TrialRunner<'w>> {
        if let Some((_, runner)) = self.tried.iter().find(|(known, _)| known == edits) {
            return runner.clone();
        }
        let runner = self.sides.with.with_edits(self.exemption.document, edits);
        let keeps = |runner: &TrialRunner<'_>| {
            self.bases.iter().all(|base| {
                runner.refusals(&base.case).iter().map(key).all(|refused| base.ignored.contains(&refused))
            }) && self.sibling.is_none_or(|sibling| sibling.is_in(runner))
        };
        let runner = runner.filter(keeps);
        self.tried.push((edits.to_vec(), runner.clone()));
        runner
    }
}

/// What may help, the smallest change first.
fn propose(
    exemption: &Exemption,
    attack: &Attack,
    base: &Base,
    bases: &[Base],
    runner: &TrialRunner<'_>,
) -> Vec<Proposal> {
    let mut found = patterns::propose(exemption, attack, bases);
    match exemption.kind {
        Kind::PodSecurity => found.extend(pod_security::propose(exemption, bases, runner)),
        Kind::Exception => {
            found.extend(pod_security::propose(exemption, bases, runner));
            found.extend(exception::propose(exemption, attack, base, bases, runner));
        }
        Kind::Precondition | Kind::Condition | Kind::Anchor => {
            found.extend(skips::propose(exemption, attack, bases, runner));
        }
        Kind::Exclude => found.extend(pod_security::instead_of_exclude(exemption, bases, runner)),
        Kind::Cel(_) => return cel::propose(exemption, attack, base, bases, runner),
        Kind::PsaLabel | Kind::PsaExemption => {}
    }
    found
}
