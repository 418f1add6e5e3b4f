//! Which types fit where: type variables, what they are bound to, and whether one type can stand for another.
//!
//! In: types, some of them variables. Out: yes or no, and bindings that stay where the answer was yes. The rules are those
//! of cel-go (`checker/types.go`), legacy treatment of null included.

use crate::types::Type;

/// What type variables stand for. A failed question leaves no trace.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
    /// What each binding was before it was changed, so that a failed question can be undone.
    changes: Vec<(u32, Option<Type>)>,
}

impl Bindings {
    /// A variable that stands for nothing yet.
    pub(super) fn fresh(&mut self) -> Type {
        self.bound.push(None);
        Type::Var(u32::try_from(self.bound.len() - 1).unwrap_or(u32::MAX))
    }

    /// As many fresh variables, of which the first has this number.
    pub(super) fn fresh_many(&mut self, count: u32) -> u32 {
        let first = u32::try_from(self.bound.len()).unwrap_or(u32::MAX);
        self.bound.extend((0..count).map(|_| None));
        first
    }

    fn get(&self, var: u32) -> Option<&Type> {
        self.bound.get(var as usize).and_then(Option::as_ref)
    }

    fn bind(&mut self, var: u32, to: Type) {
        if let Some(place) = self.bound.get_mut(var as usize) {
            let before = place.replace(to);
            self.changes.push((var, before));
        }
    }

    fn undo_to(&mut self, mark: usize) {
        while self.changes.len() > mark {
            if let Some((var, before)) = self.changes.pop()
                && let Some(place) = self.bound.get_mut(var as usize)
            {
                *place = before;
            }
        }
    }

    /// Whether a value of one type can stand where the other is asked for, or the reverse: variables are bound so that it is.
    pub(super) fn is_assignable(&mut self, a: &Type, b: &Type) -> bool {
        let mark = self.changes.len();
        let fits = self.fits(a, b);
        if !fits {
            self.undo_to(mark);
        }
        fits
    }

    /// The same of each pair; the bindings of all stay, or none.
    pub(super) fn are_assignable<'t>(&mut self, pairs: impl Iterator<Item = (&'t Type, &'t Type)>) -> bool {
        let mark = self.changes.len();
        for (a, b) in pairs {
            if !self.fits(a, b) {
                self.undo_to(mark);
                return false;
            }
        }
        true
    }

    // cel-go: internalIsAssignable.
    fn fits(&mut self, a: &Type, b: &Type) -> bool {
        if let Type::Var(var) = b {
            match self.substitutes(a, *var) {
                Substitution::Fits => return true,
                Substitution::BoundOtherwise => return false,
                Substitution::Cyclic => {}
            }
        }
        if let Type::Var(var) = a {
            return self.substitutes(b, *var) == Substitution::Fits;
        }
        if a.is_dyn() || b.is_dyn() || *a == Type::Error || *b == Type::Error {
            return true;
        }
        if *a == Type::Null {
            return is_nullable(b);
        }
        if *b == Type::Null {
            return is_nullable(a);
        }
        match (a, b) {
            (Type::Wrapper(a), Type::Wrapper(b)) => a == b,
            (Type::Wrapper(inner), other) | (other, Type::Wrapper(inner)) => **inner == *other,
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.fits(a, b),
            (Type::Map(a), Type::Map(b)) => self.fits(&a.0, &b.0) && self.fits(&a.1, &b.1),
            (a, b) => a == b,
        }
    }

    // cel-go: isValidTypeSubstitution.
    fn substitutes(&mut self, of: &Type, var: u32) -> Substitution {
        if *of == Type::Var(var) {
            return Substitution::Fits;
        }
        let Some(bound) = self.get(var).cloned() else {
            if self.is_mentioned(var, of) {
                return Substitution::Cyclic;
            }
            self.bind(var, of.clone());
            return Substitution::Fits;
        };
        if *of == bound {
            return Substitution::Fits;
        }
        if !self.fits(of, &bound) {
            return Substitution::BoundOtherwise;
        }
        let general = most_general(of, &bound);
        if !self.is_mentioned(var, &general) {
            self.bind(var, general);
        }
        Substitution::Fits
    }

    /// Whether a variable is part of a type, through bindings too.
    // cel-go: notReferencedIn, turned round.
    fn is_mentioned(&self, var: u32, within: &Type) -> bool {
        match within {
            Type::Var(other) if *other == var => true,
            Type::Var(other) => self.get(*other).is_some_and(|bound| self.is_mentioned(var, bound)),
            Type::List(of) | Type::Optional(of) | Type::Type(Some(of)) => self.is_mentioned(var, of),
            Type::Map(entry) => self.is_mentioned(var, &entry.0) || self.is_mentioned(var, &entry.1),
            _ => false,
        }
    }

    /// The type with each variable replaced by what it stands for; free ones stay.
    pub(super) fn resolve(&self, of: &Type) -> Type {
        self.substitute(of, &|var| Type::Var(var))
    }

    /// The same with free variables as `dyn`.
    pub(super) fn resolve_all(&self, of: &Type) -> Type {
        self.substitute(of, &|_| Type::Dyn)
    }

    // cel-go: substitute.
    fn substitute(&self, of: &Type, free: &impl Fn(u32) -> Type) -> Type {
        match of {
            Type::Var(var) => match self.get(*var) {
                Some(bound) => self.substitute(bound, free),
                None => free(*var),
            },
            Type::List(element) => Type::list(self.substitute(element, free)),
            Type::Map(entry) => Type::map(self.substitute(&entry.0, free), self.substitute(&entry.1, free)),
            Type::Optional(value) => Type::optional(self.substitute(value, free)),
            Type::Type(Some(of)) => Type::type_of(self.substitute(of, free)),
            other => other.clone(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Substitution {
    /// The type can stand for the variable, which is bound to it now.
    Fits,
    /// The variable stands for something else.
    BoundOtherwise,
    /// The variable is a part of the type.
    Cyclic,
}

/// Whether null can stand for a value of the type.
// cel-go: internalIsAssignableNull and isLegacyNullable.
fn is_nullable(of: &Type) -> bool {
    matches!(
        of,
        Type::Null
            | Type::Optional(_)
            | Type::Named(_)
            | Type::Any
            | Type::Timestamp
            | Type::Duration
            | Type::Wrapper(_)
    )
}

/// The one of two types that allows more.
pub(super) fn most_general(a: &Type, b: &Type) -> Type {
    if is_equal_or_less_specific(a, b) { a.clone() } else { b.clone() }
}

// cel-go: isEqualOrLessSpecific.
fn is_equal_or_less_specific(a: &Type, b: &Type) -> bool {
    if a.is_dyn() || matches!(a, Type::Var(_)) {
        return true;
    }
    if b.is_dyn() || matches!(b, Type::Var(_)) {
        return false;
    }
    match (a, b) {
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
            is_equal_or_less_specific(a, b)
        }
        (Type::Map(a), Type::Map(b)) => {
            is_equal_or_less_specific(&a.0, &b.0) && is_equal_or_less_specific(&a.1, &b.1)
        }
        (Type::Type(_), Type::Type(_)) => true,
        (a, b) => erased(a) == erased(b),
    }
}

/// A wrapper is the same kind as what it wraps.
fn erased(of: &Type) -> &Type {
    if let Type::Wrapper(inner) = of { inner } else { of }
}
