//! Conditions of filters in JMESPath, and the errors in them.
//!
//! In: `items[?length(names) > `1`]`. Out: what must be there in each element: where a function errs for one element, the whole expression errs.

use crate::expressions::expr::{Elements, Expr};
use crate::expressions::formula::{Formula, Quantifier};
use crate::expressions::jmes::Reading;
use crate::refusal::Converted;
use engine_jmespath::Node;

impl Reading<'_, '_> {
    /// Whether it is the condition of a filter.
    pub(crate) fn is_in_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// In a filter this must be there, or the whole expression errs.
    pub(crate) fn need_in_filter(&self, there: Formula) {
        if let Some(needs) = self.filter.filter(|_| there != Formula::True) {
            needs.borrow_mut().push(there);
        }
    }

    /// What a filter needs of each element.
    pub(crate) fn need_of_each(&self, elements: &Elements, needs: Vec<Formula>) {
        let each = Formula::each(
            elements.list.clone(),
            Quantifier::All,
            elements.name.clone(),
            Formula::or([elements.filter.clone().negated(), Formula::and(needs)]),
        );
        if !self.is_seen(&elements.list) {
            return;
        }
        match self.filter {
            Some(_) => self.need_in_filter(each),
            None => self.scope.need_always(each),
        }
    }

    /// Whether a list is one of the object, the cluster or the element of a loop, and not of an element that is projected.
    fn is_seen(&self, list: &str) -> bool {
        let root = list.trim_start_matches('(').split(['.', '[', '(']).next().unwrap_or("");
        let is_of_loop = |element: &Expr| matches!(element, Expr::Field(access) if access.plain() == root);
        self.filter.is_some()
            || matches!(root, "object" | "oldObject" | "variables" | "dyn" | "resource" | "globalContext")
            || self.scope.elements.iter().any(is_of_loop)
    }

    /// Whether a node gives something true that is evaluated unless this decides before.
    pub(crate) fn truth_behind(
        &self,
        decided: &Formula,
        node: &Node,
        within: Option<&Expr>,
    ) -> Converted<Formula> {
        let Some(needs) = self.filter else {
            return self.scope.behind_decision(decided, || self.truth(node, within));
        };
        let before = needs.borrow().len();
        let test = self.truth(node, within)?;
        for need in needs.borrow_mut().iter_mut().skip(before) {
            *need = Formula::or([decided.clone(), need.clone()]);
        }
        Ok(test)
    }
}
