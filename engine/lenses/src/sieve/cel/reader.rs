//! Expressions of a policy as trees, and what names in them stand for.
//!
//! In: expressions with their paths. Out: a [`Reader`], which knows of a name whether it is a container, a text of a list, or
//! a variable of the policy.

use crate::sieve::found::On;
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin};
use engine_cel::operators as op;
use engine_cel::syntax;
use engine_celpolicy::environment::MACROS;
use engine_json::Path;
use std::cell::Cell;

/// More nodes than these are not looked at, however often variables are used.
const MAX_STEPS: usize = 50_000;

/// Deeper expressions are not looked at: those that look go down with them.
const MAX_LEVELS: usize = 100;
/// So many variables are looked into on the way to a node.
const MAX_HOPS: u8 = 4;

/// An expression that was read.
#[derive(Debug)]
pub(super) struct Text {
    /// Its path in the document.
    pub(super) path: Path,
    /// It as it is written.
    pub(super) written: String,
    ast: Ast,
}

/// A node of one of the expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) text: usize,
    pub(super) id: ExprId,
    /// How many variables were looked into on the way to it.
    pub(super) hops: u8,
}

/// A list that an exception gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    Images,
    Values,
}

/// What a name of a fold holds.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// One container after the other.
    Container,
    /// What is looked at itself, such as one image after the other.
    Of(On),
    /// One text after the other.
    Texts(Vec<String>),
    /// One text of an exception after the other.
    Allowed(Allowed),
    Other,
}

/// The names of the folds around a node, the innermost last.
pub(super) type Scope = Vec<(String, Bound)>;

/// The expressions of one policy or exception.
#[derive(Debug, Default)]
pub(super) struct Reader {
    texts: Vec<Text>,
    variables: Vec<(String, usize)>,
    steps: Cell<usize>,
}

/// Two sides of `&&` or `||`, a choice, a negation: what a truth value is made of.
pub(super) enum Logic<'r> {
    Not(At),
    /// Both sides, and whether both must be true.
    Two(At, At, bool),
    Choice(At, At, At),
    Fold(&'r Comprehension),
    Truth(bool),
    Leaf,
}

impl Reader {
    /// Reads an expression; nothing where it cannot be read.
    pub(super) fn add(&mut self, path: Path, text: &str) -> Option<At> {
        let options = syntax::Options { macros: MACROS, optional_syntax: true };
        let ast = syntax::parse(text, &options).ok().filter(is_shallow)?;
        let id = ast.root();
        self.texts.push(Text { path, written: text.to_owned(), ast });
        Some(At { text: self.texts.len() - 1, id, hops: 0 })
    }

    /// Reads a variable of the policy, which expressions name.
    pub(super) fn add_variable(&mut self, name: &str, path: Path, text: &str) {
        if let Some(at) = self.add(path, text) {
            self.variables.push((name.to_owned(), at.text));
        }
    }

    /// Whether there is room for one step more.
    pub(super) fn goes_on(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() < MAX_STEPS
    }

    pub(super) fn text(&self, at: At) -> Option<&Text> {
        self.texts.get(at.text)
    }

    pub(super) fn expr(&self, at: At) -> &Expr {
        const NOTHING: &Expr = &Expr::Literal(Literal::Null);
        self.texts.get(at.text).map_or(NOTHING, |text| text.ast.expr(at.id))
    }

    /// The bytes that a node was made of.
    pub(super) fn span(&self, at: At) -> (usize, usize) {
        self.texts.get(at.text).map_or((0, 0), |text| {
            let node = text.ast.node(at.id);
            (node.start as usize, node.end as usize)
        })
    }

    /// It as it is written.
    pub(super) fn source(&self, at: At) -> &str {
        let (from, to) = self.span(at);
        self.texts.get(at.text).and_then(|text| text.written.get(from..to)).unwrap_or_default()
    }

    /// The node itself, or what the variable that it names is.
    pub(super) fn resolved(&self, at: At) -> At {
        let mut at = at;
        // A variable uses those before it alone.
        for _ in 0..=self.variables.len() {
            let Some(of) = self.variable(at) else { break };
            at = of;
        }
        at
    }

    fn variable(&self, at: At) -> Option<At> {
        let Expr::Select { operand, field, test: false } = self.expr(at) else { return None };
        let Expr::Ident(name) = self.expr(At { id: *operand, ..at }) else { return None };
        let is_it = |(known, _): &&(String, usize)| known == field.as_str();
        let (_, text) = self.variables.iter().rfind(is_it).filter(|_| name == "variables")?;
        let id = self.texts.get(*text)?.ast.root();
        (at.hops < MAX_HOPS).then_some(At { text: *text, id, hops: at.hops + 1 })
    }

    /// What the truth of a node is made of.
    pub(super) fn logic(&self, at: At) -> Logic<'_> {
        let here = |id: &ExprId| At { id: *id, ..at };
        match self.expr(at) {
            Expr::Literal(Literal::Bool(truth)) => Logic::Truth(*truth),
            Expr::Comprehension(fold) => Logic::Fold(fold),
            Expr::Call { function, args, .. } => match (function.as_str(), &**args) {
                (op::LOGICAL_NOT, [of]) => Logic::Not(here(of)),
                (op::LOGICAL_AND, [left, right]) => Logic::Two(here(left), here(right), true),
                (op::LOGICAL_OR, [left, right]) => Logic::Two(here(left), here(right), false),
                (op::CONDITIONAL, [asked, yes, no]) => Logic::Choice(here(asked), here(yes), here(no)),
                _ => Logic::Leaf,
            },
            _ => Logic::Leaf,
        }
    }

    /// What a fold asks of each element; nothing for one that makes a list.
    pub(super) fn asked(fold: &Comprehension) -> Option<ExprId> {
        match fold.origin {
            Origin::All(asked) | Origin::Exists(asked) | Origin::ExistsOne(asked) => Some(asked),
            Origin::Bind { body, .. } => Some(body),
            Origin::Filter(_)
            | Origin::Map { .. }
            | Origin::TransformMap { .. }
            | Origin::TransformMapEntry { .. } => None,
        }
    }

    /// The names within a fold.
    pub(super) fn inner(&self, at: At, fold: &Comprehension, scope: &Scope) -> Scope {
        let mut inner = scope.clone();
        let bound = match fold.origin {
            Origin::Bind { .. } => Bound::Other,
            _ => self.bound(At { id: fold.range, ..at }, scope),
        };
        // Of two names the second is the element.
        match &fold.var2 {
            None => inner.push((fold.var.to_string(), bound)),
            Some(second) => {
                inner.push((fold.var.to_string(), Bound::Other));
                inner.push((second.to_string(), bound));
            }
        }
        inner
    }

    /// What the elements of a list are.
    fn bound(&self, range: At, scope: &Scope) -> Bound {
        let range = self.resolved(range);
        if !self.goes_on() {
            return Bound::Other;
        }
        if let Some((texts, allowed)) = self.strings(range, scope) {
            return allowed.map_or(Bound::Texts(texts), Bound::Allowed);
        }
        if let Expr::Comprehension(fold) = self.expr(range) {
            return match fold.origin {
                Origin::Filter(_) => self.bound(At { id: fold.range, ..range }, scope),
                Origin::Map { transform, .. } => {
                    let inner = self.inner(range, fold, scope);
                    let of = self.subject(At { id: transform, ..range }, &inner);
                    of.map_or(Bound::Other, Bound::Of)
                }
                _ => Bound::Other,
            };
        }
        if self.dotted(range, scope).is_some_and(|names| names == ["request", "userInfo", "groups"]) {
            return Bound::Of(On::Subject("Group".to_owned(), String::new()));
        }
        if self.is_of_images(range, scope) {
            Bound::Of(On::Image)
        } else if self.is_of_containers(range) {
            Bound::Container
        } else {
            Bound::Other
        }
    }

    /// Whether a list is made of the images that were found: `images.containers`.
    fn is_of_images(&self, list: At, scope: &Scope) -> bool {
        let list = self.resolved(list);
        if !self.goes_on() {
            return false;
        }
        let is_one =
            |names: Vec<String>| names.len() > 1 && names.first().is_some_and(|name| name == "images");
        match self.expr(list) {
            Expr::Call { function, args, .. } if function == op::ADD => {
                args.iter().all(|id| self.is_of_images(At { id: *id, ..list }, scope))
            }
            _ => self.dotted(list, scope).is_some_and(is_one),
        }
    }

    /// Whether a list is made of lists of containers.
    fn is_of_containers(&self, list: At) -> bool {
        let list = self.resolved(list);
        if !self.goes_on() {
            return false;
        }
        if self.source(list).contains("ontainers") {
            return true;
        }
        let here = |id: &ExprId| self.is_of_containers(At { id: *id, ..list });
        match self.expr(list) {
            Expr::Call { target, args, .. } => target.iter().chain(args.iter()).any(here),
            Expr::List { elements, .. } => elements.iter().any(here),
            _ => false,
        }
    }
}

/// Whether a tree has no more levels than are gone down.
fn is_shallow(ast: &Ast) -> bool {
    let mut open = vec![(ast.root(), 1)];
    let mut seen = 0;
    while let Some((id, level)) = open.pop() {
        seen += 1;
        if level > MAX_LEVELS || seen > MAX_STEPS {
            return false;
        }
        let mut below = |id: ExprId| open.push((id, level + 1));
        match ast.expr(id) {
            Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select { operand, .. } => below(*operand),
            Expr::Call { target, args, .. } => target.iter().chain(args.iter()).for_each(|id| below(*id)),
            Expr::List { elements, .. } => elements.iter().for_each(|id| below(*id)),
            Expr::Map(entries) => entries.iter().for_each(|entry| {
                below(entry.key);
                below(entry.value);
            }),
            Expr::Struct { fields, .. } => fields.iter().for_each(|field| below(field.value)),
            Expr::Comprehension(fold) => {
                [fold.range, fold.init, fold.step, fold.result].into_iter().for_each(below);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{MAX_LEVELS, Reader};
    use engine_json::Path;

    #[test]
    fn what_is_nested_too_deep_is_not_looked_at() {
        let read = |text: &str| Reader::default().add(Path::root(), text).is_some();
        let nested = |levels: usize| (0..levels).fold("true".to_owned(), |text, _| format!("!({text})"));
        assert!(read(&nested(MAX_LEVELS - 1)));
        assert!(!read(&nested(MAX_LEVELS)));
    }
}
