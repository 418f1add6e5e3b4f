//! The parts of an expression that leave something out.
//!
//! In: an expression and the value at which it lets an object by. Out: [`Part`]s: each alternative that is enough for that
//! value and says "these" of what an object is known by.

use super::reader::{At, Bound, Logic, Reader, Scope};
use super::subject::Atom;
use crate::sieve::found::{Element, FoundSelector, On};
use engine_cel::ast::{Comprehension, Expr, Literal, Origin};
use engine_cel::operators as op;

/// A part that leaves something out.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) at: At,
    /// Its value for whom it is an exemption.
    pub(super) when: bool,
    /// What it looks at, where it looks at one after the other.
    pub(super) element: Option<Element>,
    pub(super) atoms: Vec<Atom>,
}

impl Part {
    pub(super) fn selectors(&self, reader: &Reader) -> Vec<FoundSelector> {
        self.atoms.iter().flat_map(|atom| atom.selectors(reader)).collect()
    }
}

/// Whether a node is one of several that are each enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Alone,
    AsAlternative,
}

/// What a leaf of an expression is.
#[derive(Debug, PartialEq)]
enum Leaf {
    /// What an object is known by.
    Known(On),
    /// Whether something is there at all.
    Presence,
    /// Anything else.
    Test,
}

/// The parts of a match condition.
pub(super) fn of_condition(reader: &Reader, root: At) -> Vec<Part> {
    let mut found = Vec::new();
    walk(reader, root, false, Stands::AsAlternative, &Scope::new(), &mut found);
    found
}

/// The parts of an expression that selects images by their references.
pub(super) fn of_reference(reader: &Reader, root: At) -> Vec<Part> {
    let mut found = Vec::new();
    let scope = vec![("ref".to_owned(), Bound::Of(On::Image))];
    walk(reader, root, false, Stands::AsAlternative, &scope, &mut found);
    for part in &mut found {
        part.element = Some(Element::Reference);
    }
    found
}

/// The parts of a validation: a list of what is allowed is not one, but the rule itself.
pub(super) fn of_validation(reader: &Reader, root: At) -> Vec<Part> {
    let mut found = Vec::new();
    walk(reader, root, true, Stands::Alone, &Scope::new(), &mut found);
    let mut leaves = Vec::new();
    leaves_of(reader, root, &Scope::new(), &mut |_, leaf| leaves.push(leaf));
    found.retain(|part| {
        let is_who = part.atoms.iter().all(|atom| is_who(&atom.on));
        leaves.iter().any(|leaf| match leaf {
            Leaf::Test => true,
            Leaf::Known(on) => is_who && !self::is_who(on),
            Leaf::Presence => false,
        })
    });
    found
}

/// Whether it says whose object it is, and not what is in it.
fn is_who(on: &On) -> bool {
    matches!(on, On::Name | On::Namespace | On::NamespaceLabel(_) | On::Subject(..))
}

/// All comparisons of conditions that say "these".
pub(super) fn atoms(reader: &Reader, root: At) -> Vec<Atom> {
    let mut found = Vec::new();
    gather(reader, root, true, &Scope::new(), &mut found);
    found
}

/// All comparisons with lists that exceptions give.
pub(super) fn with_exceptions(reader: &Reader, root: At) -> Vec<Atom> {
    let mut found = Vec::new();
    let mut take = |at: (At, &Scope), _| {
        let (at, scope) = at;
        let atom = reader.atom(at, true, scope).or_else(|| reader.atom(at, false, scope));
        found.extend(atom.filter(|atom| atom.allowed.is_some()));
    };
    leaves_of(reader, root, &Scope::new(), &mut take);
    found
}

fn walk(reader: &Reader, at: At, when: bool, stands: Stands, scope: &Scope, found: &mut Vec<Part>) {
    if !reader.goes_on() {
        return;
    }
    let resolved = reader.resolved(at);
    match reader.logic(resolved) {
        Logic::Not(of) => walk(reader, of, !when, stands, scope, found),
        Logic::Two(left, right, both) if both != when => {
            for side in [left, right] {
                walk(reader, side, when, Stands::AsAlternative, scope, found);
            }
        }
        Logic::Two(left, right, _) => {
            if !take(reader, at, when, stands, scope, found) {
                for side in [left, right] {
                    walk(reader, side, when, Stands::Alone, scope, found);
                }
            }
        }
        Logic::Choice(asked, yes, no) => {
            let is_never = |side: At| matches!(reader.logic(side), Logic::Truth(truth) if truth != when);
            for (truth, side) in [(true, yes), (false, no)] {
                if !is_never(side) {
                    walk(reader, asked, truth, Stands::AsAlternative, scope, found);
                }
                walk(reader, side, when, Stands::Alone, scope, found);
            }
        }
        Logic::Fold(fold) => {
            // Whoever is filtered away is not asked.
            let is_enough = match fold.origin {
                Origin::All(_) => when,
                Origin::Exists(_) => !when,
                _ => false,
            };
            if is_enough {
                filters(reader, At { id: fold.range, ..resolved }, scope, found);
            }
            if !take(reader, at, when, stands, scope, found)
                && let Some(asked) = Reader::asked(fold)
            {
                let inner = reader.inner(resolved, fold, scope);
                walk(reader, At { id: asked, ..resolved }, when, Stands::Alone, &inner, found);
            }
        }
        Logic::Truth(_) => {}
        Logic::Leaf => {
            if let Some(list) = emptied(reader, resolved, when) {
                filters(reader, list, scope, found);
            } else {
                take(reader, at, when, stands, scope, found);
            }
        }
    }
}

/// Takes a node that is an alternative and says "these".
fn take(reader: &Reader, at: At, when: bool, stands: Stands, scope: &Scope, found: &mut Vec<Part>) -> bool {
    let mut atoms = Vec::new();
    let is_part = stands == Stands::AsAlternative && says_these(reader, at, when, scope, &mut atoms);
    if is_part {
        let element = scope.iter().rev().find_map(|(name, bound)| match bound {
            Bound::Container => Some(Element::Container(name.clone())),
            Bound::Of(On::Image) => Some(Element::Image(name.clone())),
            _ => None,
        });
        found.push(Part { at, when, element, atoms });
    }
    is_part
}

/// The parts of the filters that a list went through.
fn filters(reader: &Reader, list: At, scope: &Scope, found: &mut Vec<Part>) {
    let list = reader.resolved(list);
    if let Expr::Comprehension(fold) = reader.expr(list)
        && reader.goes_on()
    {
        if let Origin::Filter(asked) = fold.origin {
            let inner = reader.inner(list, fold, scope);
            walk(reader, At { id: asked, ..list }, false, Stands::AsAlternative, &inner, found);
        }
        filters(reader, At { id: fold.range, ..list }, scope, found);
    }
}

/// The list that has to be empty for this value: `list.filter(…).size() == 0`.
fn emptied(reader: &Reader, at: At, when: bool) -> Option<At> {
    let Expr::Call { function, args, .. } = reader.expr(at) else { return None };
    let [size, zero] = &**args else { return None };
    let is_zero = matches!(reader.expr(At { id: *zero, ..at }), Expr::Literal(Literal::Int(0)));
    let is_empty = match function.as_str() {
        op::EQUALS => when,
        op::NOT_EQUALS | op::GREATER => !when,
        _ => false,
    };
    let size = reader.resolved(At { id: *size, ..at });
    let Expr::Call { function, target, args } = reader.expr(size) else { return None };
    let list = target.or_else(|| args.first().copied())?;
    (function == "size" && is_zero && is_empty).then_some(At { id: list, ..size })
}

/// Whether a node has this value only for objects that it says something of; takes the comparisons.
fn says_these(reader: &Reader, at: At, when: bool, scope: &Scope, atoms: &mut Vec<Atom>) -> bool {
    if !reader.goes_on() {
        return false;
    }
    let at = reader.resolved(at);
    let known = atoms.len();
    let is_so = match reader.logic(at) {
        Logic::Not(of) => says_these(reader, of, !when, scope, atoms),
        Logic::Two(left, right, both) => {
            let left = says_these(reader, left, when, scope, atoms);
            let right = says_these(reader, right, when, scope, atoms);
            if both == when { left || right } else { left && right }
        }
        Logic::Choice(asked, yes, no) => {
            let is_never = |side: At| matches!(reader.logic(side), Logic::Truth(truth) if truth != when);
            match (is_never(yes), is_never(no)) {
                (false, true) => {
                    let asked = says_these(reader, asked, true, scope, atoms);
                    says_these(reader, yes, when, scope, atoms) || asked
                }
                (true, false) => {
                    let asked = says_these(reader, asked, false, scope, atoms);
                    says_these(reader, no, when, scope, atoms) || asked
                }
                _ => false,
            }
        }
        Logic::Fold(fold) => of_fold(reader, at, fold, when, scope, atoms),
        Logic::Truth(_) => false,
        Logic::Leaf => match reader.atom(at, when, scope) {
            Some(atom) if atom.allowed.is_none() && !atom.patterns.is_empty() => {
                atoms.push(atom);
                true
            }
            _ => of_size(reader, at, when, scope, atoms),
        },
    };
    if !is_so {
        atoms.truncate(known);
    }
    is_so
}

fn of_fold(
    reader: &Reader,
    at: At,
    fold: &Comprehension,
    when: bool,
    scope: &Scope,
    atoms: &mut Vec<Atom>,
) -> bool {
    let Some(asked) = Reader::asked(fold) else { return false };
    let inner = reader.inner(at, fold, scope);
    says_these(reader, At { id: asked, ..at }, when, &inner, atoms)
}

/// `list.filter(x, …).size() > 0`: that there are "these".
fn of_size(reader: &Reader, at: At, when: bool, scope: &Scope, atoms: &mut Vec<Atom>) -> bool {
    let Some(list) = emptied(reader, at, !when).map(|list| reader.resolved(list)) else { return false };
    let Expr::Comprehension(fold) = reader.expr(list) else { return false };
    let Origin::Filter(asked) = fold.origin else { return false };
    let inner = reader.inner(list, fold, scope);
    says_these(reader, At { id: asked, ..list }, true, &inner, atoms)
}

/// All comparisons beneath a node that say "these" where it has this value.
fn gather(reader: &Reader, at: At, when: bool, scope: &Scope, atoms: &mut Vec<Atom>) {
    if !reader.goes_on() {
        return;
    }
    let at = reader.resolved(at);
    match reader.logic(at) {
        Logic::Not(of) => gather(reader, of, !when, scope, atoms),
        Logic::Two(left, right, _) => {
            gather(reader, left, when, scope, atoms);
            gather(reader, right, when, scope, atoms);
        }
        Logic::Choice(asked, yes, no) => {
            gather(reader, asked, true, scope, atoms);
            gather(reader, yes, when, scope, atoms);
            gather(reader, no, when, scope, atoms);
        }
        Logic::Fold(fold) => {
            if let Some(asked) = Reader::asked(fold) {
                let inner = reader.inner(at, fold, scope);
                gather(reader, At { id: asked, ..at }, when, &inner, atoms);
            }
        }
        Logic::Truth(_) => {}
        Logic::Leaf => match reader.atom(at, when, scope) {
            Some(atom) => atoms.push(atom),
            None => {
                of_size(reader, at, when, scope, atoms);
            }
        },
    }
}

/// Tells what the truth of an expression is made of, leaf by leaf.
fn leaves_of(reader: &Reader, at: At, scope: &Scope, tell: &mut dyn FnMut((At, &Scope), Leaf)) {
    if !reader.goes_on() {
        return;
    }
    let at = reader.resolved(at);
    match reader.logic(at) {
        Logic::Not(of) => leaves_of(reader, of, scope, tell),
        Logic::Two(left, right, _) => {
            leaves_of(reader, left, scope, tell);
            leaves_of(reader, right, scope, tell);
        }
        Logic::Choice(asked, yes, no) => {
            for side in [asked, yes, no] {
                leaves_of(reader, side, scope, tell);
            }
        }
        Logic::Fold(fold) => {
            if let Some(asked) = Reader::asked(fold) {
                let inner = reader.inner(at, fold, scope);
                leaves_of(reader, At { id: asked, ..at }, &inner, tell);
            }
            let range = reader.resolved(At { id: fold.range, ..at });
            if let Expr::Comprehension(within) = reader.expr(range)
                && let Origin::Filter(asked) = within.origin
            {
                let inner = reader.inner(range, within, scope);
                leaves_of(reader, At { id: asked, ..range }, &inner, tell);
            }
        }
        Logic::Truth(_) => {}
        Logic::Leaf => {
            let atom = reader.atom(at, true, scope).or_else(|| reader.atom(at, false, scope));
            let leaf = match (atom, reader.expr(at)) {
                (Some(atom), _) => Leaf::Known(atom.on),
                (None, Expr::Select { test: true, .. }) => Leaf::Presence,
                _ => Leaf::Test,
            };
            tell((at, scope), leaf);
        }
    }
}
