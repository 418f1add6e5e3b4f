//! Lists, maps and objects as they are written.

use super::Checker;
use super::infer::most_general;
use crate::ast::{Entry, ExprId, Field};
use crate::env::Identifier;
use crate::types::Type;

impl<'a> Checker<'a> {
    // cel-go: checkCreateList. Elements of different types make a list of `dyn`; whether that may be is asked later.
    pub(super) fn check_list(&mut self, id: ExprId, elements: &'a [ExprId], optional: &[u32]) {
        let mut joined: Option<Type> = None;
        for (at, element) in elements.iter().enumerate() {
            self.check(*element);
            let mut of = self.type_of(*element);
            if optional.iter().any(|place| *place as usize == at) {
                of = self.unwrap_optional(*element, of);
            }
            joined = Some(self.join(joined, of));
        }
        let element = joined.unwrap_or_else(|| self.bindings.fresh());
        self.set_type(id, Type::list(element));
    }

    pub(super) fn check_map(&mut self, id: ExprId, entries: &'a [Entry]) {
        let mut joined: Option<(Type, Type)> = None;
        for entry in entries {
            let (keys, values) = joined.map_or((None, None), |(keys, values)| (Some(keys), Some(values)));
            self.check(entry.key);
            let key = self.type_of(entry.key);
            let keys = self.join(keys, key);
            self.check(entry.value);
            let mut value = self.type_of(entry.value);
            if entry.optional {
                value = self.unwrap_optional(entry.value, value);
            }
            joined = Some((keys, self.join(values, value)));
        }
        let (key, value) = joined.unwrap_or_else(|| (self.bindings.fresh(), self.bindings.fresh()));
        self.set_type(id, Type::map(key, value));
    }

    /// What is inside an optional; anything else but `dyn` is reported.
    fn unwrap_optional(&mut self, id: ExprId, of: Type) -> Type {
        match of {
            Type::Optional(inner) => (*inner).clone(),
            of => {
                if !of.is_dyn() {
                    self.mismatch(id, &Type::optional(of.clone()), &of);
                }
                of
            }
        }
    }

    // cel-go: joinTypes.
    fn join(&mut self, before: Option<Type>, of: Type) -> Type {
        let Some(before) = before else { return of };
        if self.bindings.is_assignable(&before, &of) { most_general(&before, &of) } else { Type::Dyn }
    }

    // cel-go: checkCreateStruct.
    pub(super) fn check_struct(&mut self, id: ExprId, name: &str, fields: &'a [Field]) {
        let Some((full, of)) = self.resolve_struct(name) else {
            self.undeclared(id, name);
            self.set_type(id, Type::Error);
            return;
        };
        let result = match &of {
            Type::Named(named) if !self.env.is_opaque(named) => of,
            of if is_well_known(of) => of.clone(),
            of => {
                self.report(self.at(id), format!("'{of}' is not a message type"));
                Type::Error
            }
        };
        self.set_type(id, result);
        for field in fields {
            self.check(field.value);
            let wanted = self.field_type(id, field.at, &full, &field.name);
            let mut given = self.type_of(field.value);
            if field.optional {
                given = self.unwrap_optional(field.value, given);
            }
            if !self.bindings.is_assignable(&wanted, &given) {
                let name = &field.name;
                let message =
                    format!("expected type of field '{name}' is '{wanted}' but provided type is '{given}'");
                self.report(field.at, message);
            }
        }
    }

    /// The full name of a type that may be constructed, and the type.
    fn resolve_struct(&self, name: &str) -> Option<(String, Type)> {
        let find = |candidate: &str| {
            if let Some(Identifier::Type(of)) = self.env.identifier(candidate) {
                return Some(of.clone());
            }
            self.env.type_kind(candidate).map(|_| Type::named(candidate))
        };
        self.env.candidates(name, find).map(|(found, of)| (found.name().to_owned(), of))
    }
}

// cel-go: isWellKnownType.
fn is_well_known(of: &Type) -> bool {
    match of {
        Type::Any | Type::Dyn | Type::Timestamp | Type::Duration | Type::Null | Type::Wrapper(_) => true,
        Type::List(element) => **element == Type::Dyn,
        Type::Map(entry) => entry.0 == Type::String && entry.1 == Type::Dyn,
        _ => false,
    }
}
