//! What an expression may use: functions, variables, types, and how strictly it is checked.
//!
//! In: rows of functions, declarations of variables and types. Out: an environment that the checker and the program ask by
//! name. An environment is made once and shared; [`Env::with`] puts declarations on top of it without copying the rows.

use crate::ast::Literal;
use crate::function::{Function, Overload};
use crate::types::{Signature, Type};
use engine_json::Str;
use engine_json::ordered::OrderedMap;
use std::sync::Arc;

/// What an expression may use. `clone` copies pointers.
#[derive(Clone, Debug, Default)]
pub struct Env {
    functions: Arc<OrderedMap<&'static str, Declared>>,
    variables: Arc<OrderedMap<Str, Type>>,
    types: Arc<OrderedMap<Str, TypeKind>>,
    identifiers: Arc<OrderedMap<Str, Identifier>>,
    /// The name space in which names are looked for first; empty in all of Kyverno's and Kubernetes' environments.
    pub container: Str,
    /// Whether `<` and its like compare numbers of different types where the checker knows them.
    pub cross_type_numeric_comparison: bool,
    /// Whether a map that is written refuses a key that is not a bool, a whole number or a text, as the language's
    /// specification says; cel-go takes it.
    pub refuses_other_keys: bool,
}

/// A function as the checker needs it: its row with each signature read.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The first row of this name.
    pub row: &'static Function,
    /// The overloads of all rows of this name, in the order given.
    pub overloads: Vec<Shape>,
}

/// The signature of an overload, its type parameters numbered.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The row of the overload.
    pub overload: &'static Overload,
    /// What it takes and gives; parameters are [`Type::Var`], counted from 0.
    pub signature: Signature,
    /// How many type parameters there are.
    pub params: u32,
    /// Whether it compares numbers of different types.
    pub cross_type: bool,
}

/// What is known of a type with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// Nothing can be selected from it: `json.Json`.
    Opaque,
    /// cel-go takes it for an object whose fields nobody declares: `kubernetes.URL`.
    Undeclared,
    /// An object with these fields.
    Struct(OrderedMap<Str, Type>),
    /// An object with any field, of type `dyn`: `Object.spec`.
    AnyField,
}

/// A name that stands for a value of the environment itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Identifier {
    /// A type as a value: `int`.
    Type(Type),
    /// A constant: `google.protobuf.NullValue.NULL_VALUE`.
    Constant(Type, Literal),
}

impl Env {
    /// An environment of these rows. Rows of one name are one function, their overloads in the order given.
    ///
    /// # Errors
    /// The row whose signature cannot be read.
    pub fn new(rows: impl IntoIterator<Item = &'static Function>) -> Result<Self, String> {
        let mut all = Vec::new();
        for row in rows {
            all.push(row);
        }
        Self::of_rows(&all)
    }

    // Once for all kinds of iterators: each would be code of its own.
    fn of_rows(rows: &[&'static Function]) -> Result<Self, String> {
        let mut functions: OrderedMap<&'static str, Declared> = OrderedMap::new();
        for row in rows {
            let declared =
                functions.entry(row.name).or_insert_with(|| Declared { row, overloads: Vec::new() });
            for overload in row.overloads {
                let shape = Shape::read(overload).map_err(|e| format!("{}: {e}", row.name))?;
                declared.overloads.push(shape);
            }
        }
        Ok(Env { functions: Arc::new(functions), cross_type_numeric_comparison: true, ..Env::default() })
    }

    /// The same with a variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, of: Type) -> Self {
        Arc::make_mut(&mut self.variables).insert(Str::from(name), of);
        self
    }

    /// The same with a type that has a name of its own.
    #[must_use]
    pub fn with_type(mut self, name: &str, kind: TypeKind) -> Self {
        Arc::make_mut(&mut self.types).insert(Str::from(name), kind);
        self
    }

    /// The same with a name for a type or a constant.
    #[must_use]
    pub fn with_identifier(mut self, name: &str, identifier: Identifier) -> Self {
        Arc::make_mut(&mut self.identifiers).insert(Str::from(name), identifier);
        self
    }

    /// The names under which `name` is looked for, the nearest name space first; a leading dot means the outermost.
    // cel-go: containers.Container.ResolveCandidateNames; without a container, nothing is allocated.
    pub fn candidates<'n, T>(
        &self,
        name: &'n str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<(Found<'n>, T)> {
        if let Some(absolute) = name.strip_prefix('.') {
            return find(absolute).map(|found| (Found::Same(absolute), found));
        }
        let mut container = self.container.as_str();
        while !container.is_empty() {
            let candidate = format!("{container}.{name}");
            if let Some(found) = find(&candidate) {
                return Some((Found::Longer(Str::from(candidate)), found));
            }
            container = container.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        find(name).map(|found| (Found::Same(name), found))
    }

    /// The function of this name, which may stand in a name space around.
    pub fn function(&self, name: &str) -> Option<&Declared> {
        self.candidates(name, |candidate| self.functions.get(candidate)).map(|(_, declared)| declared)
    }

    /// All functions, by name.
    pub fn functions(&self) -> impl Iterator<Item = &Declared> {
        self.functions.values()
    }

    /// The declared type of a variable.
    pub fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.get(name)
    }

    /// All variables, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&Str, &Type)> {
        self.variables.iter()
    }

    /// What a name stands for that is not a variable.
    pub fn identifier(&self, name: &str) -> Option<&Identifier> {
        self.identifiers.get(name)
    }

    /// What is known of a type. `Object` and all that begins with `Object.` are one row.
    // Kubernetes: apiserver/pkg/cel/mutation/typeresolver.go finds every name below `Object`.
    pub fn type_kind(&self, name: &str) -> Option<&TypeKind> {
        self.types.get(name).or_else(|| {
            let (root, _) = name.split_once('.')?;
            self.types.get(root).filter(|kind| **kind == TypeKind::AnyField)
        })
    }

    /// The type of a field of a type with a name.
    ///
    /// # Errors
    /// Why there is none, see [`FieldError`].
    pub fn field(&self, of: &str, field: &str) -> Result<Type, FieldError> {
        match self.type_kind(of) {
            None | Some(TypeKind::Undeclared | TypeKind::Opaque) => Err(FieldError::UnknownType),
            Some(TypeKind::AnyField) => Ok(Type::Dyn),
            Some(TypeKind::Struct(fields)) => fields.get(field).cloned().ok_or(FieldError::UnknownField),
        }
    }

    /// Whether nothing can be selected from the type of this name.
    pub fn is_opaque(&self, name: &str) -> bool {
        matches!(self.type_kind(name), Some(TypeKind::Opaque))
    }
}

/// Under which name something was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found<'n> {
    /// As it was written, without a leading dot.
    Same(&'n str),
    /// In a name space around.
    Longer(Str),
}

impl Found<'_> {
    /// The full name.
    pub fn name(&self) -> &str {
        match self {
            Found::Same(name) => name,
            Found::Longer(name) => name,
        }
    }
}

/// Why a field has no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// Nobody declares the fields of the type.
    UnknownType,
    /// The type has no such field.
    UnknownField,
}

impl Shape {
    fn read(overload: &'static Overload) -> Result<Self, String> {
        let mut names: Vec<Str> = Vec::new();
        let Signature { member, params, result } = Signature::parse(overload.signature)?;
        // cel-go: decls.go TypeParams; of the parameters' names, those of the result come first (seven times of eight, as
        // Go walks a map: the numbers show in messages alone).
        let result = number(&result, &mut names);
        let params = params.iter().map(|param| number(param, &mut names)).collect();
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        Ok(Shape {
            overload,
            signature: Signature { member, params, result },
            params: count,
            cross_type: CROSS_TYPE.contains(&overload.id),
        })
    }
}

/// The type with its parameters as variables numbered by their first appearance, in the result before the arguments.
fn number(of: &Type, names: &mut Vec<Str>) -> Type {
    match of {
        Type::Param(name) => {
            let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            Type::Var(u32::try_from(at).unwrap_or(u32::MAX))
        }
        Type::List(element) => Type::list(number(element, names)),
        Type::Map(entry) => {
            let key = number(&entry.0, names);
            Type::map(key, number(&entry.1, names))
        }
        Type::Optional(value) => Type::optional(number(value, names)),
        Type::Type(Some(of)) => Type::type_of(number(of, names)),
        other => other.clone(),
    }
}

/// The overloads that compare numbers of different types.
// cel-go: checker/env.go, crossTypeNumericComparisonOverloads.
const CROSS_TYPE: [&str; 24] = [
    "less_double_int64",
    "less_double_uint64",
    "less_equals_double_int64",
    "less_equals_double_uint64",
    "greater_double_int64",
    "greater_double_uint64",
    "greater_equals_double_int64",
    "greater_equals_double_uint64",
    "less_int64_double",
    "less_int64_uint64",
    "less_equals_int64_double",
    "less_equals_int64_uint64",
    "greater_int64_double",
    "greater_int64_uint64",
    "greater_equals_int64_double",
    "greater_equals_int64_uint64",
    "less_uint64_double",
    "less_uint64_int64",
    "less_equals_uint64_double",
    "less_equals_uint64_int64",
    "greater_uint64_double",
    "greater_uint64_int64",
    "greater_equals_uint64_double",
    "greater_equals_uint64_int64",
];
