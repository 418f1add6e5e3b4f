//! The type checker: what every part of an expression is, and which overload each call means.
//!
//! In: a tree and an environment. Out: [`Checked`]: the type of each node, what each name and call refers to, and all
//! errors at once, in cel-go's words. The rules and the order of reports are those of cel-go (`checker/checker.go`).

mod calls;
mod homogeneous;
mod infer;
mod literals;
mod scope;

use crate::ast::{Ast, Comprehension, Expr, ExprId, Literal};
use crate::env::{Env, FieldError, Identifier};
use crate::issue::Issue;
use crate::operators;
use crate::types::Type;
use engine_json::Str;
pub use homogeneous::homogeneous_literals;
use infer::Bindings;
use scope::Scopes;

/// More parts than this no type has; what is larger is `dyn`. Nested literals of bound variables would double it each time.
pub const MAX_TYPE_PARTS: usize = 10_000;

/// What the checker found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The type of each node, by its place in the tree; `dyn` where nothing is known.
    pub types: Vec<Type>,
    /// What each name, selection and call refers to, by the place of its node.
    pub references: Vec<Option<Reference>>,
    /// The errors in the order in which cel-go reports them; unsorted.
    pub issues: Vec<Issue>,
}

/// What a node refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// A variable of the environment, under its full name. A selection with this reference is the whole name.
    Variable(Str),
    /// A variable of a comprehension around.
    Local(Str),
    /// A type as a value.
    Type(Str, Type),
    /// A constant.
    Constant(Literal),
    /// A function and the overloads that fit, as places in its row.
    Function {
        /// The full name, with the name space.
        name: &'static str,
        /// The places of the overloads that fit.
        overloads: Box<[u16]>,
        /// Whether the receiver was part of the name: `math.abs(x)`.
        qualified: bool,
    },
}

impl Checked {
    /// The type of a node; `dyn` for one that was not checked.
    pub fn type_of(&self, id: ExprId) -> &Type {
        self.types.get(id.index()).unwrap_or(&Type::Dyn)
    }

    /// What a node refers to.
    pub fn reference(&self, id: ExprId) -> Option<&Reference> {
        self.references.get(id.index()).and_then(Option::as_ref)
    }
}

/// Checks a tree.
pub fn check(ast: &Ast, env: &Env) -> Checked {
    let count = ast.nodes().len();
    let mut checker = Checker {
        ast,
        env,
        bindings: Bindings::default(),
        scopes: Scopes::default(),
        types: vec![None; count],
        references: vec![None; count],
        issues: Vec::new(),
    };
    checker.check(ast.root());
    let Checker { bindings, types, references, issues, .. } = checker;
    let types = types.iter().map(|of| of.as_ref().map_or(Type::Dyn, |of| bindings.resolve_all(of)));
    Checked { types: types.collect(), references, issues }
}

struct Checker<'a> {
    ast: &'a Ast,
    env: &'a Env,
    bindings: Bindings,
    scopes: Scopes,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    issues: Vec<Issue>,
}

impl<'a> Checker<'a> {
    /// Checks a node and what is below it. The depth is that of the tree, which the parser bounds.
    fn check(&mut self, id: ExprId) {
        match self.ast.expr(id) {
            Expr::Literal(literal) => self.set_type(id, of_literal(literal)),
            Expr::Ident(name) => self.check_ident(id, name),
            Expr::Select { operand, field, test } => self.check_select(id, *operand, field, *test),
            Expr::Call { function, target, args } => self.check_call(id, function, *target, args),
            Expr::List { elements, optional } => self.check_list(id, elements, optional),
            Expr::Map(entries) => self.check_map(id, entries),
            Expr::Struct { name, fields } => self.check_struct(id, name, fields),
            Expr::Comprehension(fold) => self.check_comprehension(id, fold),
        }
    }

    fn check_ident(&mut self, id: ExprId, name: &'a Str) {
        if let Some((of, reference)) = self.resolve_simple(name) {
            self.set_type(id, of);
            self.refer(id, reference);
            return;
        }
        self.set_type(id, Type::Error);
        self.undeclared(id, name);
    }

    /// What a single name stands for: a variable of a comprehension around, else a name of the environment.
    fn resolve_simple(&self, name: &str) -> Option<(Type, Reference)> {
        if !name.starts_with('.')
            && let Some(of) = self.scopes.find(name)
        {
            return Some((of.clone(), Reference::Local(Str::from(name))));
        }
        self.resolve_global(name)
    }

    // cel-go: Env.lookupGlobalIdent.
    fn resolve_global(&self, name: &str) -> Option<(Type, Reference)> {
        let find = |candidate: &str| {
            if let Some(of) = self.env.variable(candidate) {
                return Some((of.clone(), Reference::Variable(Str::from(candidate))));
            }
            match self.env.identifier(candidate)? {
                Identifier::Type(of) => {
                    let reference = Reference::Type(Str::from(candidate), of.clone());
                    Some((Type::type_of(of.clone()), reference))
                }
                Identifier::Constant(of, value) => Some((of.clone(), Reference::Constant(value.clone()))),
            }
        };
        self.env.candidates(name, find).map(|(_, found)| found)
    }

    fn check_select(&mut self, id: ExprId, operand: ExprId, field: &'a Str, test: bool) {
        if !test
            && let Some(name) = self.qualified_name(id)
            && let Some((of, reference)) = self.resolve_qualified(&name)
        {
            self.set_type(id, of);
            self.refer(id, reference);
            return;
        }
        let selected = self.select_field(id, operand, field, false);
        let of = if test { Type::Bool } else { self.bindings.resolve(&selected) };
        self.set_type(id, of);
    }

    /// The dotted name that a chain of selections spells, where it begins with a name.
    fn qualified_name(&self, id: ExprId) -> Option<String> {
        match self.ast.expr(id) {
            Expr::Ident(name) => Some(name.to_string()),
            Expr::Select { operand, field, test: false } => {
                let mut name = self.qualified_name(*operand)?;
                name.push('.');
                name.push_str(field);
                Some(name)
            }
            _ => None,
        }
    }

    // cel-go: Env.resolveQualifiedIdent.
    fn resolve_qualified(&self, name: &str) -> Option<(Type, Reference)> {
        let first = name.split('.').next().unwrap_or(name);
        if !first.is_empty() && self.scopes.find(first).is_some() {
            return None;
        }
        self.resolve_global(name)
    }

    /// The type of a field of what the operand is.
    // cel-go: checkSelectField.
    fn select_field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        self.check(operand);
        let of = self.bindings.resolve(&self.type_of(operand));
        let (target, was_optional) = match &of {
            Type::Optional(inner) => ((**inner).clone(), true),
            other => (other.clone(), false),
        };
        let selected = match &target {
            Type::Map(entry) => entry.1.clone(),
            Type::Named(name) if !self.env.is_opaque(name) => self.field_type(id, self.at(id), name, field),
            Type::Var(_) => {
                self.bindings.is_assignable(&Type::Dyn, &target);
                Type::Dyn
            }
            Type::Dyn | Type::Any | Type::Error => Type::Dyn,
            other => {
                self.report(self.at(id), format!("type '{other}' does not support field selection"));
                Type::Dyn
            }
        };
        if was_optional || optional { Type::optional(selected) } else { selected }
    }

    // cel-go: lookupFieldType.
    fn field_type(&mut self, _id: ExprId, at: u32, of: &str, field: &str) -> Type {
        match self.env.field(of, field) {
            Ok(found) => found,
            Err(FieldError::UnknownType) => {
                self.report(at, format!("unexpected failed resolution of '{of}'"));
                Type::Error
            }
            Err(FieldError::UnknownField) => {
                self.report(at, format!("undefined field '{field}'"));
                Type::Error
            }
        }
    }

    fn check_comprehension(&mut self, id: ExprId, fold: &'a Comprehension) {
        self.check(fold.range);
        self.check(fold.init);
        let range = self.bindings.resolve(&self.type_of(fold.range));
        let accu = self.type_of(fold.init);
        let outer = self.scopes.mark();
        self.scopes.enter(&fold.accu, accu.clone());
        let (var, var2) = self.element_types(fold, &range);
        let inner = self.scopes.mark();
        self.scopes.enter(&fold.var, var);
        if let Some(name) = &fold.var2 {
            self.scopes.enter(name, var2);
        }
        self.check(fold.condition);
        self.assert_type(fold.condition, &Type::Bool);
        self.check(fold.step);
        self.assert_type(fold.step, &accu);
        self.scopes.leave(inner);
        self.check(fold.result);
        self.scopes.leave(outer);
        let result = self.bindings.resolve(&self.type_of(fold.result));
        self.set_type(id, result);
    }

    /// The types of the variables of a fold, by what is iterated.
    fn element_types(&mut self, fold: &Comprehension, range: &Type) -> (Type, Type) {
        match range {
            Type::List(element) if fold.var2.is_some() => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Dyn),
            Type::Map(entry) => (entry.0.clone(), entry.1.clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.bindings.is_assignable(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let what = "cannot be range of a comprehension (must be list, map, or dynamic)";
                self.report(self.at(fold.range), format!("expression of type '{other}' {what}"));
                (Type::Error, Type::Error)
            }
        }
    }

    fn assert_type(&mut self, id: ExprId, wanted: &Type) {
        let found = self.type_of(id);
        if !self.bindings.is_assignable(wanted, &found) {
            self.mismatch(id, wanted, &found);
        }
    }

    fn mismatch(&mut self, id: ExprId, wanted: &Type, found: &Type) {
        self.report(self.at(id), format!("expected type '{wanted}' but found '{found}'"));
    }

    fn undeclared(&mut self, id: ExprId, name: &str) {
        let container = &self.env.container;
        self.report(self.at(id), format!("undeclared reference to '{name}' (in container '{container}')"));
    }

    fn report(&mut self, at: u32, message: String) {
        self.issues.push(Issue::at(at, message));
    }

    fn at(&self, id: ExprId) -> u32 {
        self.ast.node(id).at
    }

    fn type_of(&self, id: ExprId) -> Type {
        self.types.get(id.index()).cloned().flatten().unwrap_or(Type::Error)
    }

    fn set_type(&mut self, id: ExprId, of: Type) {
        if let Some(place) = self.types.get_mut(id.index()) {
            *place = Some(if is_larger(&of, &mut 0) { Type::Dyn } else { of });
        }
    }

    fn refer(&mut self, id: ExprId, to: Reference) {
        if let Some(place) = self.references.get_mut(id.index()) {
            *place = Some(to);
        }
    }
}

fn of_literal(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// Whether a type has more parts than [`MAX_TYPE_PARTS`]; stops counting there.
fn is_larger(of: &Type, counted: &mut usize) -> bool {
    *counted += 1;
    if *counted > MAX_TYPE_PARTS {
        return true;
    }
    match of {
        Type::List(of) | Type::Optional(of) | Type::Type(Some(of)) => is_larger(of, counted),
        Type::Map(entry) => is_larger(&entry.0, counted) || is_larger(&entry.1, counted),
        _ => false,
    }
}

/// Whether a call is an operator that the checker treats apart from its row.
fn is_logical(function: &str) -> bool {
    function == operators::LOGICAL_AND || function == operators::LOGICAL_OR
}
