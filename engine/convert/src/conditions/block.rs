//! Blocks of conditions, and the errors in them.
//!
//! In: what each condition tests, and what must be there so that it does not err. Out: formulas that are false where Kyverno errs.
//!
//! Kyverno evaluates the conditions of `all` in their order until one does not hold, those of `any` until one holds, and errs where the one
//! that it comes to reads what is not there. `&&` and `||` of CEL have no order: an error of one side is hidden where the other side decides.
//! So a condition with others behind it says first that what it reads is there.

use crate::expressions::formula::Formula;
use crate::expressions::way::presence;

/// A condition.
#[derive(Clone, Debug)]
pub(crate) struct One {
    /// What must be there so that it does not err.
    pub(crate) needs: Formula,
    /// Whether the test does not err by itself where something of it is missing.
    pub(crate) is_unseen: bool,
    /// When it holds.
    pub(crate) test: Formula,
}

impl One {
    /// What must be there, where nothing else can hide its error: a test that stands alone errs by itself.
    fn hidden(&self, is_last: bool) -> Formula {
        let is_plain = match &self.test {
            Formula::Test(..) | Formula::Not(_) => true,
            // Nothing else than the list itself is needed, which errs where it is not there.
            Formula::Each(list, ..) => match &self.needs {
                Formula::Test(there, _) => presence(there).is_some_and(|way| way.plain() == *list),
                _ => false,
            },
            _ => false,
        };
        if is_last && is_plain && !self.is_unseen { Formula::True } else { self.needs.clone() }
    }
}

/// Conditions of which all must hold, and others of which one must.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) any: Vec<One>,
    pub(crate) all: Vec<One>,
}

/// When a block holds, and what must be there so that no error is hidden.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// When it holds, or something is missing.
    pub(crate) checked: Formula,
    /// What must be there, where `checked` holds.
    pub(crate) needs: Formula,
}

impl Block {
    /// When it holds.
    pub(crate) fn holds(&self) -> Formula {
        let any = if self.any.is_empty() { Formula::True } else { Formula::or(tests(&self.any)) };
        Formula::and([any, Formula::and(tests(&self.all))])
    }

    /// What must be there so that none of them errs.
    pub(crate) fn needs(&self) -> Formula {
        let is_alone = self.any.len() + self.all.len() == 1;
        Formula::and(self.any.iter().chain(&self.all).map(|one| one.hidden(is_alone)))
    }

    /// What must be there so that none errs, where both parts are there, which Kyverno always evaluates both.
    fn all_needs(&self) -> Formula {
        Formula::and([no_error_in_any(&self.any), no_error_in_all(&self.all)])
    }

    /// That it does not hold and does not err, as a validation says it.
    pub(crate) fn denies(&self) -> Formula {
        match (self.any.as_slice(), self.all.as_slice()) {
            ([], all) => chain(all, Formula::False, false),
            // An error and a condition that holds both refuse.
            (any, []) => Formula::and(
                any.iter().map(|one| Formula::and([one.hidden(true), one.test.clone().negated()])),
            ),
            _ => Formula::and([self.all_needs(), self.holds().negated()]),
        }
    }

    /// That it does not err, and that this is so where it holds.
    pub(crate) fn guards(&self, inner: Formula) -> Formula {
        match (self.any.as_slice(), self.all.as_slice()) {
            ([], all) => chain(all, inner, true),
            _ => Formula::and([self.all_needs(), Formula::or([self.holds().negated(), inner])]),
        }
    }

    /// That it does not hold or errs, or else that this is so: a loop passes over elements whose preconditions err.
    // Kyverno: validate_resource.go validateElements.
    pub(crate) fn passes_over(&self, inner: Formula) -> Formula {
        let any = self.any.iter().rev().fold(None, |rest: Option<Formula>, one| {
            let test = Formula::or(std::iter::once(one.test.clone()).chain(rest));
            Some(Formula::and([one.needs.clone(), test]))
        });
        let all = self.all.iter().map(|one| Formula::and([one.needs.clone(), one.test.clone()]));
        let met = Formula::and(any.into_iter().chain(all));
        Formula::or([met.negated(), inner])
    }

    /// The block as a condition on which a policy is asked, and what the policy then says is there.
    pub(crate) fn asked(&self) -> Asked {
        let needs = |list: &[One]| {
            let last = list.len().saturating_sub(1);
            list.iter().enumerate().map(|(at, one)| one.hidden(at == last)).collect::<Vec<_>>()
        };
        match (self.any.as_slice(), self.all.as_slice()) {
            ([], all) => {
                let needs = needs(all);
                let checked = all.iter().zip(&needs).rev().fold(Formula::True, |inner, (one, needs)| {
                    Formula::or([needs.clone().negated(), Formula::and([one.test.clone(), inner])])
                });
                Asked { checked, needs: Formula::and(needs) }
            }
            (any, []) => {
                let needs = needs(any);
                let checked = any
                    .iter()
                    .zip(&needs)
                    .flat_map(|(one, needs)| [needs.clone().negated(), one.test.clone()]);
                let inner = any.iter().zip(&needs).rev().fold(Formula::True, |inner, (one, needs)| {
                    let rest =
                        if inner == Formula::True { inner } else { Formula::or([one.test.clone(), inner]) };
                    Formula::and([needs.clone(), rest])
                });
                Asked { checked: Formula::or(checked), needs: inner }
            }
            _ => {
                let needs = self.all_needs();
                Asked { checked: Formula::or([needs.clone().negated(), self.holds()]), needs }
            }
        }
    }
}

fn tests(list: &[One]) -> impl Iterator<Item = Formula> {
    list.iter().map(|one| one.test.clone())
}

/// That none that is come to errs, and that one does not hold or else this is so.
fn chain(all: &[One], inner: Formula, is_hidden: bool) -> Formula {
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().rev().fold(inner, |inner, (at, one)| {
        let needs = one.hidden(at == last && !is_hidden);
        Formula::and([needs, Formula::or([one.test.clone().negated(), inner])])
    })
}

fn no_error_in_all(all: &[One]) -> Formula {
    all.iter().rev().fold(Formula::True, |inner, one| {
        let rest =
            if inner == Formula::True { inner } else { Formula::or([one.test.clone().negated(), inner]) };
        Formula::and([one.needs.clone(), rest])
    })
}

fn no_error_in_any(any: &[One]) -> Formula {
    any.iter().rev().fold(Formula::True, |inner, one| {
        let rest = if inner == Formula::True { inner } else { Formula::or([one.test.clone(), inner]) };
        Formula::and([one.needs.clone(), rest])
    })
}
