//! The validator of list and map literals: all elements of one literal are of one type.
//!
//! In: a tree whose check found nothing. Out: one report for each list whose elements differ, and one for each key and value
//! of a map that is not of the first one's type. Kubernetes and Kyverno switch it on in most environments; literals below
//! a call that takes values of any type (`format`) are left out.

use super::Checked;
use crate::ast::{Ast, Entry, Expr, ExprId};
use crate::issue::Issue;
use crate::types::Type;

/// Functions below which literals may mix types.
// cel-go: ext/strings.go, stringFormatValidator.Configure.
const EXEMPT: [&str; 1] = ["format"];

/// Looks at every list literal and then at every map literal of the tree.
///
/// An element written with `?` whose type is `dyn` ends cel-go's validator with a panic; it is passed over here.
// cel-go: cel/validator.go, homogeneousAggregateLiteralValidator.
pub fn homogeneous_literals(ast: &Ast, checked: &Checked) -> Vec<Issue> {
    let mut look = Look { ast, checked, lists: Vec::new(), maps: Vec::new() };
    look.visit(ast.root());
    look.lists.append(&mut look.maps);
    look.lists
}

struct Look<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    lists: Vec<Issue>,
    maps: Vec<Issue>,
}

impl<'a> Look<'a> {
    /// A node and all below it, in the order of the text; the depth is that of the tree.
    fn visit(&mut self, id: ExprId) {
        match self.ast.expr(id) {
            Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select { operand, .. } => self.visit(*operand),
            Expr::Call { function, .. } if EXEMPT.contains(&function.as_str()) => {}
            Expr::Call { target, args, .. } => target.iter().chain(args).for_each(|arg| self.visit(*arg)),
            Expr::List { elements, optional } => {
                self.list(elements, optional);
                elements.iter().for_each(|element| self.visit(*element));
            }
            Expr::Map(entries) => {
                self.map(entries);
                for entry in entries {
                    self.visit(entry.key);
                    self.visit(entry.value);
                }
            }
            Expr::Struct { fields, .. } => fields.iter().for_each(|field| self.visit(field.value)),
            Expr::Comprehension(fold) => {
                for part in [fold.range, fold.init, fold.condition, fold.step, fold.result] {
                    self.visit(part);
                }
            }
        }
    }

    fn list(&mut self, elements: &[ExprId], optional: &[u32]) {
        let mut first: Option<&Type> = None;
        for (at, element) in elements.iter().enumerate() {
            let is_optional = optional.iter().any(|place| *place as usize == at);
            let Some(of) = self.element_type(*element, is_optional) else { continue };
            match first {
                None => first = Some(of),
                Some(wanted) if wanted == of => {}
                Some(wanted) => {
                    let issue = self.mismatch(*element, wanted, of);
                    self.lists.push(issue);
                    return;
                }
            }
        }
    }

    fn map(&mut self, entries: &[Entry]) {
        let Some((head, rest)) = entries.split_first() else { return };
        let key = self.checked.type_of(head.key);
        let Some(value) = self.element_type(head.value, head.optional) else { return };
        for entry in rest {
            let found = self.checked.type_of(entry.key);
            if found != key {
                let issue = self.mismatch(entry.key, key, found);
                self.maps.push(issue);
            }
            if let Some(found) = self.element_type(entry.value, entry.optional)
                && found != value
            {
                let issue = self.mismatch(entry.value, value, found);
                self.maps.push(issue);
            }
        }
    }

    /// The type of an element; what is inside, for one written with `?`.
    fn element_type(&self, id: ExprId, optional: bool) -> Option<&'a Type> {
        match self.checked.type_of(id) {
            Type::Optional(inner) if optional => Some(inner),
            _ if optional => None,
            of => Some(of),
        }
    }

    fn mismatch(&self, id: ExprId, wanted: &Type, found: &Type) -> Issue {
        Issue::at(self.ast.node(id).at, format!("expected type '{wanted}' but found '{found}'"))
    }
}
