//! Calls: which function is meant, and which of its overloads fit.

use super::{Checker, Reference, is_logical};
use crate::ast::{Expr, ExprId, Literal};
use crate::env::Declared;
use crate::operators;
use crate::types::Type;
use std::fmt::Write;

impl<'a> Checker<'a> {
    // cel-go: checkCall. Reports come from arguments first, then the receiver, then the function.
    pub(super) fn check_call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: &'a [ExprId],
    ) {
        if function == operators::OPTIONAL_SELECT {
            self.check_optional_select(id, args);
            return;
        }
        for arg in args {
            self.check(*arg);
        }
        let env = self.env;
        let Some(target) = target else {
            match env.function(function) {
                Some(declared) => self.resolve_overload(id, declared, None, args, false),
                None => self.undeclared_function(id, function),
            }
            return;
        };
        if let Some(mut name) = self.qualified_name(target) {
            name.push('.');
            name.push_str(function);
            if let Some(declared) = env.function(&name) {
                self.resolve_overload(id, declared, None, args, true);
                return;
            }
        }
        self.check(target);
        match env.function(function) {
            Some(declared) => self.resolve_overload(id, declared, Some(target), args, false),
            None => self.undeclared_function(id, function),
        }
    }

    fn undeclared_function(&mut self, id: ExprId, function: &str) {
        self.set_type(id, Type::Error);
        self.undeclared(id, function);
    }

    // cel-go: checkOptSelect; the parser makes no other shape than (operand, text).
    fn check_optional_select(&mut self, id: ExprId, args: &'a [ExprId]) {
        if let [operand, field] = args
            && let Expr::Literal(Literal::String(field)) = self.ast.expr(*field)
        {
            let selected = self.select_field(id, *operand, field, true);
            let of = self.bindings.resolve(&selected);
            self.set_type(id, of);
        }
    }

    // cel-go: resolveOverload. The result is that of the first overload that fits, or `dyn` where others disagree.
    fn resolve_overload(
        &mut self,
        id: ExprId,
        declared: &'a Declared,
        target: Option<ExprId>,
        args: &[ExprId],
        qualified: bool,
    ) {
        if is_logical(declared.row.name) {
            self.resolve_logical(id, declared, args);
            return;
        }
        let given: Vec<Type> = target.iter().chain(args).map(|arg| self.type_of(*arg)).collect();
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for (at, shape) in declared.overloads.iter().enumerate() {
            let disabled = shape.cross_type && !self.env.cross_type_numeric_comparison;
            if disabled || shape.signature.member != target.is_some() {
                continue;
            }
            let first = self.bindings.fresh_many(shape.params);
            if shape.signature.params.len() != given.len() {
                continue;
            }
            let wanted = instantiate(&shape.signature.params, first, shape.params);
            let wanted: &[Type] = wanted.as_deref().unwrap_or(&shape.signature.params);
            if !self.bindings.are_assignable(given.iter().zip(wanted)) {
                continue;
            }
            fitting.push(u16::try_from(at).unwrap_or(u16::MAX));
            let gives = self.bindings.resolve(&shifted(&shape.signature.result, first, shape.params));
            match &result {
                None => result = Some(gives),
                Some(known) if !known.is_dyn() && *known != gives => result = Some(Type::Dyn),
                Some(_) => {}
            }
        }
        match result {
            Some(of) => {
                self.set_type(id, of);
                self.refer_to_function(id, declared, fitting, qualified);
            }
            None => self.no_overload(id, declared.row.name, &given, target.is_some()),
        }
    }

    /// `&&` and `||` take any number of operands, each of which must be a bool.
    fn resolve_logical(&mut self, id: ExprId, declared: &'a Declared, args: &[ExprId]) {
        let mut fits = true;
        for arg in args {
            let found = self.type_of(*arg);
            if !self.bindings.is_assignable(&found, &Type::Bool) {
                self.mismatch(*arg, &Type::Bool, &found);
                fits = false;
            }
        }
        if !fits {
            self.set_type(id, Type::Error);
            return;
        }
        self.set_type(id, Type::Bool);
        self.refer_to_function(id, declared, vec![0], false);
    }

    fn refer_to_function(&mut self, id: ExprId, declared: &Declared, overloads: Vec<u16>, qualified: bool) {
        let name = declared.row.name;
        self.refer(id, Reference::Function { name, overloads: overloads.into_boxed_slice(), qualified });
    }

    fn no_overload(&mut self, id: ExprId, function: &str, given: &[Type], member: bool) {
        let given: Vec<Type> = given.iter().map(|of| self.bindings.resolve_all(of)).collect();
        let signature = call_text(&given, member);
        let message = format!("found no matching overload for '{function}' applied to '{signature}'");
        self.report(self.at(id), message);
        self.set_type(id, Type::Error);
    }
}

/// `string.(int)` or `(int, string)`.
fn call_text(given: &[Type], member: bool) -> String {
    let mut text = String::new();
    let args = match given.split_first() {
        Some((receiver, args)) if member => {
            let _ = write!(text, "{receiver}.");
            args
        }
        _ => given,
    };
    let args: Vec<String> = args.iter().map(Type::to_string).collect();
    let _ = write!(text, "({})", args.join(", "));
    text
}

/// The parameters with fresh variables; `None` where there are none to put in.
fn instantiate(params: &[Type], first: u32, count: u32) -> Option<Vec<Type>> {
    (count > 0).then(|| params.iter().map(|param| shifted(param, first, count)).collect())
}

/// The type with its numbered parameters as the variables that begin with `first`.
fn shifted(of: &Type, first: u32, count: u32) -> Type {
    if count == 0 {
        return of.clone();
    }
    match of {
        Type::Var(at) => Type::Var(first.saturating_add(*at)),
        Type::List(element) => Type::list(shifted(element, first, count)),
        Type::Map(entry) => Type::map(shifted(&entry.0, first, count), shifted(&entry.1, first, count)),
        Type::Optional(value) => Type::optional(shifted(value, first, count)),
        Type::Type(Some(of)) => Type::type_of(shifted(of, first, count)),
        other => other.clone(),
    }
}
