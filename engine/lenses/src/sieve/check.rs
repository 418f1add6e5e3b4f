//! Attacks every exemption and says who gets in.
//!
//! In: a runner. Out: for each exemption its legitimate Pods, the attackers that are admitted with it and refused without
//! it, and for each the tightening that was found to block them.

use super::diff::diff;
use super::edit::Edit;
use super::families::{Attack, FAMILIES, Who};
use super::find::{self, Exemption, MAX_EXEMPTIONS};
use super::legit::{self, Base, LetIn, Sides, key};
use super::meant;
use super::registries::Lonely;
use super::runner::{CONFIGURATION, Case, MAX_TRIALS, TrialRunner};
use super::strange;
use super::textual;
use super::tighten::Remedies;
use crate::run::{self, Positions};
use crate::wire;
use engine::diag::{Code, Diagnostic};
use engine::load::Bundle;
use engine::resource::{DocumentId, Resource};
use engine_json::{Path, Value};
use engine_yaml::Span;
use engine_yaml::emit::to_yaml_ordered;

/// So many attackers of one family are listed; all are counted.
const MAX_LISTED: usize = 6;

/// What is known of the texts besides.
pub(super) struct Texts<'a> {
    pub(super) bundle: &'a Bundle,
    pub(super) positions: &'a Positions<'a>,
    /// Registries that one of the resources alone uses.
    pub(super) lonely: Lonely,
}

impl Texts<'_> {
    /// The change of the text that edits of a document come to, where that is one stretch.
    pub(super) fn edit(&self, id: DocumentId, edits: &[Edit], wanted: &Value) -> Option<wire::SieveEdit> {
        let document = self.bundle.document(id)?;
        let (_, source) = self.bundle.source(document.source)?;
        let spans = self.bundle.spans(id)?;
        let stretch = (document.span.start as usize, document.span.end as usize);
        let (from, to, text) =
            textual::replacement(&source.text, stretch, &spans, edits, (&document.value, wanted))?;
        let at = |byte: usize| u32::try_from(byte).ok();
        let range =
            self.positions.of_span(Span { source: document.source, start: at(from)?, end: at(to)? })?;
        Some(wire::SieveEdit { range, text })
    }

    /// The lines of a path; none of what is not a text of the bundle.
    pub(super) fn place(&self, document: DocumentId, path: &Path) -> Option<wire::Range> {
        if document == CONFIGURATION { None } else { self.positions.of_path(document, path) }
    }
}

/// All exemptions of the texts.
pub(super) fn all(
    runner: &TrialRunner<'_>,
    texts: &Texts<'_>,
    not_meant: &[Option<String>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<wire::SieveExemption> {
    let found = find::all(runner);
    if found.len() > MAX_EXEMPTIONS {
        let count = found.len();
        let message = format!(
            "only the first {MAX_EXEMPTIONS} of {count} exemptions are tried and shown: split the texts"
        );
        diagnostics.push(Diagnostic::warning(Code::Limit, None, message));
    }
    found.iter().take(MAX_EXEMPTIONS).map(|exemption| one(exemption, runner, texts, not_meant)).collect()
}

fn one(
    exemption: &Exemption,
    runner: &TrialRunner<'_>,
    texts: &Texts<'_>,
    not_meant: &[Option<String>],
) -> wire::SieveExemption {
    let mut described = described(exemption, runner, texts);
    if let Some(why) = &exemption.idle {
        "idle".clone_into(&mut described.status);
        described.notes.insert(0, why.clone());
        return described;
    }
    let untried = |described: &mut wire::SieveExemption, note: String| {
        "untried".clone_into(&mut described.status);
        described.notes.push(note);
    };
    if runner.budget_spent() {
        untried(&mut described, format!("not tried: {MAX_TRIALS} Pods have been evaluated before"));
        return described;
    }
    let keeps = |key: &str| exemption.policies.iter().any(|policy| policy == key);
    let is_admission = exemption.kind.is_admission();
    let with = runner.only(&keeps, is_admission);
    let Some(without) = exemption.removed(&with) else {
        "unknown".clone_into(&mut described.status);
        described.notes.push("Kyverno refuses the policy without it, so nothing can be compared".to_owned());
        return described;
    };
    let sides = Sides { without: without.only(&keeps, is_admission), with };
    let LetIn { bases, strangers } = legit::let_in(exemption, &sides, not_meant);
    let shown = |base: &Base| pod(base, texts, not_meant);
    described.legitimate = bases.iter().map(shown).collect();
    described.strangers = strangers.iter().map(shown).collect();
    if bases.is_empty() && runner.budget_spent() {
        untried(&mut described, format!("not tried to the end: {MAX_TRIALS} Pods have been evaluated"));
        return described;
    }
    if bases.is_empty() && strangers.is_empty() {
        let (status, note) = if is_admission || legit::is_about_pods(exemption, runner) {
            ("idle", "it lets nothing in that was tried: give a Pod that it is meant for among the resources")
        } else {
            ("unknown", "the rule is not about Pods, and nothing else is attacked")
        };
        status.clone_into(&mut described.status);
        described.notes.push(note.to_owned());
        return described;
    }
    let rest = runner.only(&|key| !keeps(key), !is_admission);
    let mut remedies = Remedies::new(exemption, &sides, &bases);
    strange::add(&strangers, &sides, &rest, (&bases, &mut remedies), texts, &mut described);
    attack(exemption, &sides, &rest, (&bases, &mut remedies), texts, &mut described);
    let is_wide = described.attacks.iter().any(|attack| attack.who == "anyone");
    if !is_wide && runner.budget_spent() {
        untried(&mut described, format!("not tried to the end: {MAX_TRIALS} Pods have been evaluated"));
        return described;
    }
    if is_wide { "wide" } else { "narrow" }.clone_into(&mut described.status);
    described
}

fn described(exemption: &Exemption, runner: &TrialRunner<'_>, texts: &Texts<'_>) -> wire::SieveExemption {
    let document = runner.document(exemption.document).cloned().unwrap_or_default();
    let owner = Resource::new(document, exemption.document);
    let mut owner = run::resource_ref(&owner, texts.positions);
    owner.range = texts.place(exemption.document, &Path::root());
    wire::SieveExemption {
        kind: exemption.kind.as_str().to_owned(),
        text: exemption.text.clone(),
        owner,
        rule: exemption.rule.clone(),
        range: texts.place(exemption.document, &exemption.path),
        notes: exemption.notes.clone(),
        ..wire::SieveExemption::default()
    }
}

fn pod(base: &Base, texts: &Texts<'_>, not_meant: &[Option<String>]) -> wire::SievePod {
    let made = Resource::new(base.case.object.clone(), CONFIGURATION);
    let given = base.resource.and_then(|at| texts.bundle.resources.get(at));
    let mut resource = run::resource_ref(given.unwrap_or(&made), texts.positions);
    if given.is_none() {
        resource.range = None;
    }
    let (user, groups) = asking(&base.case);
    let text = to_yaml_ordered(&base.case.object);
    let namespace = base.case.namespace.as_ref().map(to_yaml_ordered);
    let key = given.map(meant::key).unwrap_or_default();
    let doubt = base.resource.and_then(|at| not_meant.get(at).cloned().flatten()).unwrap_or_default();
    wire::SievePod { resource, made: base.resource.is_none(), text, user, groups, namespace, key, doubt }
}

fn attack(
    exemption: &Exemption,
    sides: &Sides<'_>,
    rest: &TrialRunner<'_>,
    (bases, remedies): (&[Base], &mut Remedies<'_, '_>),
    texts: &Texts<'_>,
    described: &mut wire::SieveExemption,
) {
    for family in FAMILIES {
        let mut count = wire::SieveFamily {
            name: family.name.to_owned(),
            title: family.title.to_owned(),
            ..wire::SieveFamily::default()
        };
        let mut seen: Vec<String> = Vec::new();
        let mut in_already: Vec<(usize, String)> = Vec::new();
        let mut listed = 0;
        for (at, base) in bases.iter().enumerate() {
            // What refuses the legitimate Pod already says nothing about the attacker.
            let others: Vec<_> = rest.refusals(&base.case).iter().map(key).collect();
            for attack in (family.make)(exemption, base) {
                let group = attack.group.clone().map(|group| (at, group));
                let is_known = group.as_ref().is_some_and(|group| in_already.contains(group));
                if is_known || seen.contains(&attack.text) || rest.budget_spent() {
                    continue;
                }
                seen.push(attack.text.clone());
                count.tried += 1;
                let Some(refusal) = gets_in(&attack, sides, base) else { continue };
                if !rest.refusals(&attack.case).iter().map(key).all(|refused| others.contains(&refused)) {
                    continue;
                }
                in_already.extend(group);
                count.admitted += 1;
                described.width += u32::from(attack.who == Who::Anyone);
                listed += 1;
                if listed <= MAX_LISTED {
                    let tightening = remedies.find(&attack, base, texts);
                    described.attacks.push(describe(family.name, &attack, (at, base), refusal, tightening));
                }
            }
        }
        described.tried += count.tried;
        if count.tried > 0 {
            described.families.push(count);
        }
    }
}

/// What is said to an attacker without the exemption, if he is admitted with it.
pub(super) fn gets_in(attack: &Attack, sides: &Sides<'_>, base: &Base) -> Option<String> {
    let is_minded = |case: &Case| {
        sides.without.refusals(case).into_iter().find(|refusal| base.lifted.contains(&key(refusal)))
    };
    let is_admitted =
        sides.with.refusals(&attack.case).iter().map(key).all(|key| base.ignored.contains(&key));
    if !is_admitted {
        return None;
    }
    if let Some(pure) = &attack.pure {
        is_minded(&Case { object: pure.clone(), ..attack.case.clone() })?;
    }
    Some(is_minded(&attack.case)?.text)
}

/// Who asks, where that is not whom the texts name, and his groups.
fn asking(case: &Case) -> (Option<String>, Vec<String>) {
    let groups = case.user.iter().flat_map(|user| &user.groups).map(ToString::to_string);
    (case.user.as_ref().map(|user| user.username.to_string()), groups.collect())
}

fn describe(
    family: &str,
    attack: &Attack,
    (at, base): (usize, &Base),
    refusal: String,
    tightening: Option<wire::SieveTightening>,
) -> wire::SieveAttack {
    let resource = to_yaml_ordered(&attack.case.object);
    let (user, groups) = asking(&attack.case);
    wire::SieveAttack {
        family: family.to_owned(),
        text: attack.text.clone(),
        who: attack.who.as_str().to_owned(),
        legitimate: u32::try_from(at).unwrap_or(u32::MAX),
        diff: diff(&to_yaml_ordered(&base.case.object), &resource),
        resource,
        user,
        groups,
        namespace: attack.case.namespace.as_ref().map(to_yaml_ordered),
        refusal,
        tightening,
    }
}
