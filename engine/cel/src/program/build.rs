//! From tree to steps.

use super::names::Scope;
use super::{
    Attribute, Callee, Constant, Fold, Key, Near, Node, Options, Program, Qualifier, Question, Root, Set,
};
use crate::ast::{Ast, Entry, Expr, ExprId, Field};
use crate::check::{Checked, Reference};
use crate::env::{Env, Identifier};
use crate::error::{Error, Kind};
use crate::types::Type;
use engine_json::Str;

/// Makes the program; see [`Program::new`].
pub(super) fn build(
    ast: &Ast,
    checked: Option<&Checked>,
    env: &Env,
    options: &Options<'_>,
) -> Result<Program, Box<Error>> {
    let program = Program {
        nodes: Vec::with_capacity(ast.nodes().len()),
        places: Vec::with_capacity(ast.nodes().len()),
        root: 0,
        constants: Vec::new(),
        attributes: Vec::new(),
        folds: Vec::new(),
        callees: Vec::new(),
        sets: Vec::new(),
        args: Vec::new(),
        names: options.variables.to_vec(),
        regexes: Vec::new(),
        locals: 0,
        refuses_other_keys: env.refuses_other_keys,
    };
    let mut builder = Builder { ast, checked, env, options, program, scope: Scope::default() };
    let root = builder.node(ast.root())?;
    let mut program = builder.program;
    program.root = root;
    program.locals = builder.scope.count();
    Ok(program)
}

pub(super) struct Builder<'a> {
    pub(super) ast: &'a Ast,
    pub(super) checked: Option<&'a Checked>,
    pub(super) env: &'a Env,
    pub(super) options: &'a Options<'a>,
    pub(super) program: Program,
    pub(super) scope: Scope,
}

fn attribute_node(at: u32, test: bool) -> Node {
    if test { Node::Ask(Question::Has(at)) } else { Node::Attribute(at) }
}

/// The place of the last element.
fn last<T>(list: &[T]) -> u32 {
    u32::try_from(list.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

impl<'a> Builder<'a> {
    pub(super) fn push(&mut self, place: ExprId, node: Node) -> u32 {
        self.program.nodes.push(node);
        self.program.places.push(place);
        last(&self.program.nodes)
    }

    pub(super) fn constant(&mut self, place: ExprId, constant: Constant) -> u32 {
        self.program.constants.push(constant);
        let at = last(&self.program.constants);
        self.push(place, Node::Const(at))
    }

    pub(super) fn fold(&mut self, fold: Fold) -> u32 {
        self.program.folds.push(fold);
        last(&self.program.folds)
    }

    pub(super) fn callee(&mut self, callee: Callee) -> u32 {
        self.program.callees.push(callee);
        last(&self.program.callees)
    }

    pub(super) fn set(&mut self, set: Set) -> u32 {
        self.program.sets.push(set);
        last(&self.program.sets)
    }

    /// Nodes as arguments: the place of the first.
    pub(super) fn arguments(&mut self, nodes: &[u32]) -> u32 {
        let first = u32::try_from(self.program.args.len()).unwrap_or(u32::MAX);
        self.program.args.extend_from_slice(nodes);
        first
    }

    pub(super) fn reference(&self, id: ExprId) -> Option<&'a Reference> {
        self.checked.and_then(|checked| checked.reference(id))
    }

    /// The constant at a node of the program, if it is one.
    pub(super) fn constant_at(&self, node: u32) -> Option<&Constant> {
        let Some(Node::Const(at)) = self.program.nodes.get(node as usize) else { return None };
        self.program.constants.get(*at as usize)
    }

    /// Makes a node and what is below it. The depth is that of the tree, which the parser bounds.
    pub(super) fn node(&mut self, id: ExprId) -> Result<u32, Box<Error>> {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Literal(literal) => Ok(self.constant(id, Constant::of_literal(literal))),
            Expr::Ident(name) => self.ident(id, name),
            Expr::Select { operand, field, test } => self.select(id, *operand, field, *test),
            Expr::Call { function, target, args } => self.call(id, function, *target, args),
            Expr::List { elements, optional } => self.list(id, elements, optional),
            Expr::Map(entries) => self.map(id, entries),
            Expr::Struct { name, fields } => self.object(id, name, fields),
            Expr::Comprehension(fold) => self.comprehension(id, fold),
        }
    }

    fn ident(&mut self, id: ExprId, name: &str) -> Result<u32, Box<Error>> {
        if let Some(reference) = self.reference(id) {
            return self.referred(id, reference);
        }
        if !name.starts_with('.')
            && let Some(local) = self.scope.find(name)
        {
            return Ok(self.push(id, Node::Local(local, true)));
        }
        match self.global(id, name) {
            Some(node) => node,
            None => Ok(self.variable(id, name.trim_start_matches('.'))),
        }
    }

    /// What a name of the environment stands for, found without a checker.
    fn global(&mut self, id: ExprId, name: &str) -> Option<Result<u32, Box<Error>>> {
        enum Is {
            Variable(Str),
            Identifier(Str, Identifier),
        }
        let env = self.env;
        let names = self.options.variables;
        let found = env.candidates(name, |candidate| {
            if names.iter().any(|known| known == candidate) {
                return Some(Is::Variable(Str::from(candidate)));
            }
            env.identifier(candidate).map(|is| Is::Identifier(Str::from(candidate), is.clone()))
        });
        Some(match found?.1 {
            Is::Variable(name) => Ok(self.variable(id, &name)),
            Is::Identifier(name, Identifier::Type(of)) => self.type_value(id, &name, &of),
            Is::Identifier(_, Identifier::Constant(_, literal)) => {
                Ok(self.constant(id, Constant::of_literal(&literal)))
            }
        })
    }

    fn referred(&mut self, id: ExprId, reference: &Reference) -> Result<u32, Box<Error>> {
        match reference {
            // cel-go: planner.go planCheckedIdent; a variable that is a type is looked up as the name of a type.
            Reference::Local(name) | Reference::Variable(name)
                if self.checked.is_some_and(|checked| matches!(checked.type_of(id), Type::Type(_))) =>
            {
                match self.env.identifier(name) {
                    Some(Identifier::Type(of)) => self.type_value(id, name, of),
                    _ => Err(Error::text(format!("reference to undefined type: {name}"))),
                }
            }
            Reference::Local(name) => match self.scope.find(name) {
                Some(local) => Ok(self.push(id, Node::Local(local, true))),
                None => Ok(self.variable(id, name)),
            },
            Reference::Variable(name) => Ok(self.variable(id, name)),
            Reference::Constant(literal) => Ok(self.constant(id, Constant::of_literal(literal))),
            Reference::Type(name, of) => self.type_value(id, name, of),
            Reference::Function { name, .. } => Ok(self.variable(id, name)),
        }
    }

    // cel-go: planner.go planCheckedIdent; only types registered under the very name are values.
    fn type_value(&mut self, id: ExprId, name: &str, of: &Type) -> Result<u32, Box<Error>> {
        match run_time_name(of) {
            Some(run_time) if run_time == name => {
                Ok(self.constant(id, Constant::Type(Str::from(run_time.as_str()))))
            }
            _ => Err(Error::text(format!("reference to undefined type: {name}"))),
        }
    }

    fn variable(&mut self, id: ExprId, name: &str) -> u32 {
        let known = self.program.names.iter().position(|known| known == name);
        let slot = known.unwrap_or_else(|| {
            self.program.names.push(Str::from(name));
            self.program.names.len() - 1
        });
        self.push(id, Node::Var(u16::try_from(slot).unwrap_or(u16::MAX), true))
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) -> Result<u32, Box<Error>> {
        if let Some(reference) = self.reference(id) {
            return self.referred(id, reference);
        }
        if self.checked.is_none()
            && !test
            && let Some(name) = self.qualified(id)
            && let Some(found) = self.global(id, &name)
        {
            return found;
        }
        let operand = self.node(operand)?;
        Ok(self.qualify(id, operand, Key::Field(field.into()), false, test))
    }

    /// The dotted name that names and selections make, unless its first part is a variable of a comprehension.
    pub(super) fn qualified(&self, id: ExprId) -> Option<String> {
        match self.ast.expr(id) {
            Expr::Ident(name) if self.scope.find(name).is_none() => Some(name.to_string()),
            Expr::Select { operand, field, test: false } => {
                self.qualified(*operand).map(|operand| format!("{operand}.{field}"))
            }
            _ => None,
        }
    }

    /// Selects from a node: one more step of its attribute, or the first of a new one.
    pub(super) fn qualify(&mut self, id: ExprId, operand: u32, key: Key, optional: bool, test: bool) -> u32 {
        let qualifier = Qualifier { key, optional, near: Near::default(), place: id };
        if let Some(Node::Attribute(at)) = self.program.nodes.get(operand as usize).copied()
            && let Some(attribute) = self.program.attributes.get_mut(at as usize)
            && !attribute.test
        {
            attribute.qualifiers.push(qualifier);
            attribute.test = test;
            return self.push(id, attribute_node(at, test));
        }
        let root = match self.program.nodes.get(operand as usize) {
            Some(Node::Var(slot, _)) => Root::Var(*slot),
            Some(Node::Local(slot, _)) => Root::Local(*slot),
            Some(Node::Conditional(..)) => Root::Conditional(operand),
            _ => Root::Node(operand),
        };
        let charged = !matches!(root, Root::Conditional(_));
        self.program.attributes.push(Attribute { root, qualifiers: vec![qualifier], charged, test });
        let at = last(&self.program.attributes);
        self.push(id, attribute_node(at, test))
    }

    /// Takes away what a node costs as the branch of a condition, or as an index.
    // cel-go: planner.go planCallConditional takes the bare attribute, which nobody observes.
    pub(super) fn uncharge(&mut self, node: u32) {
        match self.program.nodes.get_mut(node as usize) {
            Some(Node::Var(_, charged) | Node::Local(_, charged)) => *charged = false,
            Some(Node::Attribute(at)) => {
                if let Some(attribute) = self.program.attributes.get_mut(*at as usize) {
                    attribute.charged = false;
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, id: ExprId, elements: &[ExprId], optional: &[u32]) -> Result<u32, Box<Error>> {
        let mut nodes = Vec::with_capacity(elements.len());
        for element in elements {
            nodes.push(self.node(*element)?);
        }
        if optional.is_empty() {
            if let Some(list) = self.constant_list(&nodes) {
                return Ok(self.constant(id, list));
            }
            let first = self.arguments(&nodes);
            return Ok(self.push(id, Node::List(first, count(&nodes))));
        }
        let is_optional = |at: usize| u32::from(optional.iter().any(|o| *o as usize == at));
        let marked: Vec<u32> =
            nodes.iter().enumerate().flat_map(|(at, node)| [*node, is_optional(at)]).collect();
        let first = self.arguments(&marked);
        Ok(self.push(id, Node::OptionalList(first, count(&nodes))))
    }

    fn map(&mut self, id: ExprId, entries: &[Entry]) -> Result<u32, Box<Error>> {
        let mut nodes = Vec::with_capacity(entries.len() * 3);
        for entry in entries {
            nodes.push(self.node(entry.key)?);
            nodes.push(self.node(entry.value)?);
            nodes.push(u32::from(entry.optional));
        }
        // What may be refused is refused while it is evaluated.
        if !self.env.refuses_other_keys
            && let Some(map) = self.constant_map(&nodes)
        {
            return Ok(self.constant(id, map));
        }
        let first = self.arguments(&nodes);
        Ok(self.push(id, Node::Map(first, u32::try_from(entries.len()).unwrap_or(u32::MAX))))
    }

    fn object(&mut self, id: ExprId, name: &str, fields: &[Field]) -> Result<u32, Box<Error>> {
        let mut nodes = Vec::with_capacity(fields.len() * 3);
        for field in fields {
            self.program.names.push(field.name.clone());
            nodes.push(last(&self.program.names));
            nodes.push(self.node(field.value)?);
            nodes.push(u32::from(field.optional));
        }
        let env = self.env;
        let known = env.candidates(name, |candidate| env.type_kind(candidate).map(|_| ()));
        let Some((found, ())) = known else {
            return Err(Error::text(format!("unknown type: {name}")));
        };
        self.program.names.push(Str::from(found.name()));
        let name = last(&self.program.names);
        let first = self.arguments(&nodes);
        Ok(self.push(id, Node::Struct(name, first, u32::try_from(fields.len()).unwrap_or(u32::MAX))))
    }
}

/// How many there are.
pub(super) fn count(nodes: &[u32]) -> u32 {
    u32::try_from(nodes.len()).unwrap_or(u32::MAX)
}

/// The name of a type as a value; `None` for types that are none.
fn run_time_name(of: &Type) -> Option<String> {
    Some(match of {
        Type::Null => "null_type".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Map(_) => "map".to_owned(),
        Type::Optional(_) => "optional_type".to_owned(),
        Type::Type(_) => "type".to_owned(),
        Type::Dyn | Type::Any | Type::Wrapper(_) | Type::Param(_) | Type::Var(_) | Type::Error => {
            return None;
        }
        other => other.to_string(),
    })
}

/// An operator that cannot be used as a qualifier.
pub(super) fn invalid_qualifier(of: &str) -> Box<Error> {
    Error::new(Kind::Text(Str::from(format!("invalid qualifier type: {of}"))))
}
