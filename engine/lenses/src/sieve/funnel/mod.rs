//! The funnel: every way to let a refused workload in, from the widest to the narrowest, each with a measured width.
//!
//! In: a runner in which a workload is refused. Out: the six widths (the whole cluster, its namespace, the profile, the
//! control on the Pod, the control on one image, the control on one image in one place with its values), each as the
//! change in each system that can say it, and how many attackers get in with that change.

mod forms;

use super::check::Texts;
use super::families::{Attack, FAMILIES};
use super::find::{Exemption, Kind};
use super::legit::{Base, base_of, key};
use super::runner::{Case, Refusal, TrialRunner};
use super::sibling::{self, SiblingPod};
use super::tighten::standard;
use crate::run;
use crate::wire;
use engine::policy::Policy;
use engine::resource::Resource;
use engine_podsecurity::{Level, Version};
pub(super) use forms::{Form, cannot, rule_path};

/// So many refusals are looked at.
const MAX_REFUSALS: usize = 40;

/// A refused workload and what the ways to let it in are measured with.
pub(super) struct Refused<'a, 'w> {
    /// The policy alone, without an exemption for the workload.
    pub(super) runner: TrialRunner<'w>,
    pub(super) policy: &'a Policy,
    /// The rule as written.
    pub(super) rule: String,
    pub(super) resource: &'a Resource,
    pub(super) base: Base,
    /// The pattern of the names of its Pods; none for a Pod that stands alone.
    pub(super) names: Option<String>,
    /// Another Pod of the same controller.
    pub(super) sibling: Option<SiblingPod>,
    /// The level and version of the rule, if it is a podSecurity rule.
    pub(super) standard: Option<(Level, Version)>,
    pub(super) refusal: Refusal,
}

/// The workloads that are refused, each with the rule that refuses it.
pub(super) fn refused<'a, 'w>(runner: &'a TrialRunner<'w>) -> Vec<Refused<'a, 'w>> {
    let mut found = Vec::new();
    for resource in &runner.bundle.resources {
        let case = Case::of(resource.typed.clone());
        for refusal in runner.refusals(&case) {
            let policies = &runner.bundle.policies;
            let Some(policy) = policies.iter().find(|policy| policy.key() == refusal.policy) else {
                continue;
            };
            if found.len() >= MAX_REFUSALS || super::pod::spec_of(&resource.value).is_none() {
                continue;
            }
            let alone = runner.only(&|key| key == refusal.policy, false);
            let standard = policy
                .rules
                .iter()
                .find(|rule| rule.name == refusal.rule)
                .and_then(|rule| standard(&rule.raw));
            let base = base_of(&alone, case.clone(), &refusal);
            let rule = refusal.rule.clone();
            let names = sibling::names(resource, &runner.bundle.resources);
            let sibling = SiblingPod::of(&alone, resource, names.as_deref(), &key(&refusal));
            let runner = alone;
            found.push(Refused { runner, policy, rule, resource, base, names, sibling, standard, refusal });
        }
    }
    found
}

impl Refused<'_, '_> {
    /// The attackers that the rule refuses as things stand: whoever of them gets in does so by the exemption.
    pub(super) fn attackers(&self) -> Vec<Attack> {
        let none = Exemption::of_nothing(Kind::Exception, self.resource.document);
        let mut found: Vec<Attack> = Vec::new();
        for family in FAMILIES {
            let mut groups: Vec<String> = Vec::new();
            for attack in (family.make)(&none, &self.base) {
                let is_known = attack.group.as_ref().is_some_and(|group| groups.contains(group));
                if is_known || !self.minds(&attack) {
                    continue;
                }
                groups.extend(attack.group.clone());
                found.push(attack);
            }
        }
        found
    }

    /// Whether the rule refuses what the attacker has changed.
    fn minds(&self, attack: &Attack) -> bool {
        let refuses =
            |case: &Case| self.runner.refusals(case).iter().any(|refusal| key(refusal) == key(&self.refusal));
        let pure = attack.pure.as_ref();
        pure.is_none_or(|pure| refuses(&Case { object: pure.clone(), ..attack.case.clone() }))
            && refuses(&attack.case)
    }

    /// Whether a case is let in by a runner: by the rule that refused the workload, and by nobody who did not before.
    pub(super) fn is_in(&self, runner: &TrialRunner<'_>, case: &Case) -> bool {
        runner.refusals(case).iter().map(key).all(|refused| self.base.ignored.contains(&refused))
    }
}

/// The funnels of all refused workloads.
pub(super) fn all(runner: &TrialRunner<'_>, texts: &Texts<'_>) -> Vec<wire::SieveFunnel> {
    refused(runner).iter().map(|refused| one(refused, texts)).collect()
}

fn one(refused: &Refused<'_, '_>, texts: &Texts<'_>) -> wire::SieveFunnel {
    let attackers = refused.attackers();
    let mut steps = Vec::new();
    for (width, title) in forms::WIDTHS {
        let made = forms::of_width(width, refused);
        let forms = made.into_iter().map(|form| measure(form, refused, &attackers)).collect();
        steps.push(wire::SieveStep { width: width.to_owned(), title: title.to_owned(), forms });
    }
    wire::SieveFunnel {
        resource: run::resource_ref(refused.resource, texts.positions),
        policy: refused.refusal.policy.clone(),
        rule: refused.rule.clone(),
        refusal: refused.refusal.text.clone(),
        steps,
        attackers: attackers.into_iter().map(|attack| attack.text).collect(),
    }
}

/// Runs workload and attackers through a form.
fn measure(form: Form<'_>, refused: &Refused<'_, '_>, attackers: &[Attack]) -> wire::SieveForm {
    let mut described = wire::SieveForm {
        system: form.system.to_owned(),
        can: form.runner.is_some(),
        note: form.note,
        text: form.text,
        ..wire::SieveForm::default()
    };
    let Some(runner) = &form.runner else { return described };
    described.admits = refused.is_in(runner, &refused.base.case);
    for attack in attackers.iter().filter(|_| described.admits) {
        described.tried += 1;
        if refused.is_in(runner, &attack.case) {
            described.let_in += 1;
            described.names.push(attack.text.clone());
        }
    }
    described
}
