//! Calls: operators become steps of their own, everything else a function with the overloads that may be meant.

use super::build::{Builder, count, invalid_qualifier};
use super::{Callee, Candidate, Constant, Key, KindOf, Node, Operation, Question, Relation, Set, Side};
use crate::ast::ExprId;
use crate::check::Reference;
use crate::cost::Cost;
use crate::env::{Declared, Shape};
use crate::error::Error;
use crate::function::{Overload, PatternErrors, Run};
use crate::operators as op;
use crate::value::{ListRef, Value};
use engine_json::Str;
use engine_values::re2::Regex;
use std::sync::Arc;

/// What a call means.
struct Meant<'a> {
    declared: &'a Declared,
    target: Option<ExprId>,
    /// The one overload the checker found.
    chosen: Option<&'a Shape>,
}

impl<'a> Builder<'a> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Result<u32, Box<Error>> {
        let meant = self.meant(id, function, target);
        let target = meant.as_ref().map_or(target, |meant| meant.target);
        let mut nodes = Vec::with_capacity(args.len() + 1);
        for arg in target.iter().chain(args) {
            nodes.push(self.node(*arg)?);
        }
        let name = meant.as_ref().map_or(function, |meant| meant.declared.row.name);
        let chosen = meant.as_ref().and_then(|meant| meant.chosen).map(|shape| shape.overload);
        if let Some(node) = self.operator(id, name, &nodes, chosen)? {
            return Ok(node);
        }
        let Some(meant) = meant else { return Ok(self.unknown(id, name, &nodes)) };
        if let Some(node) = builtin(&meant, &nodes) {
            return Ok(self.push(id, node));
        }
        let mut callee = callee(&meant, nodes.len());
        if let Some(constant) = self.folded(&callee, &nodes)? {
            return Ok(self.constant(id, constant));
        }
        let pattern = self.pattern(&meant, &nodes)?;
        callee.is_named = pattern.is_none() || !is_read_ahead(meant.declared);
        let callee = self.callee(callee);
        if name == "matches"
            && let (Some(regex), [text, pattern]) = (pattern, nodes.as_slice())
        {
            let question = Question::Matches { text: *text, pattern: *pattern, regex, callee };
            return Ok(self.push(id, Node::Ask(question)));
        }
        let first = self.arguments(&nodes);
        let count = u16::try_from(nodes.len()).unwrap_or(u16::MAX);
        Ok(self.push(id, Node::Call(callee, first, count)))
    }

    /// The function that is meant: as the checker found, else by name.
    fn meant(&self, id: ExprId, function: &str, target: Option<ExprId>) -> Option<Meant<'a>> {
        let env = self.env;
        if let Some(Reference::Function { name, overloads, qualified }) = self.reference(id) {
            let declared = env.function(name)?;
            let chosen = match **overloads {
                [at] => declared.overloads.get(usize::from(at)),
                _ => None,
            };
            return Some(Meant { declared, target: target.filter(|_| !qualified), chosen });
        }
        if let Some(prefix) = target.and_then(|target| self.qualified(target))
            && let Some(declared) = env.function(&format!("{prefix}.{function}"))
        {
            return Some(Meant { declared, target: None, chosen: None });
        }
        env.function(function).map(|declared| Meant { declared, target, chosen: None })
    }

    fn unknown(&mut self, id: ExprId, name: &str, nodes: &[u32]) -> u32 {
        self.program.names.push(Str::from(name.trim_start_matches('.')));
        let name = u32::try_from(self.program.names.len() - 1).unwrap_or(u32::MAX);
        let first = self.arguments(nodes);
        self.push(id, Node::Unknown(name, first, u16::try_from(nodes.len()).unwrap_or(u16::MAX)))
    }

    /// The step of an operator; `None` for a function.
    fn operator(
        &mut self,
        id: ExprId,
        name: &str,
        nodes: &[u32],
        chosen: Option<&Overload>,
    ) -> Result<Option<u32>, Box<Error>> {
        let ask = Node::Ask;
        let by_text = chosen.is_some_and(|overload| !matches!(overload.cost, Cost::One));
        let node = match (name, nodes) {
            (op::LOGICAL_AND, [a, b]) => ask(Question::And(*a, *b)),
            (op::LOGICAL_OR, [a, b]) => ask(Question::Or(*a, *b)),
            (op::LOGICAL_AND, many) => ask(Question::AndMany(self.arguments(many), count(many))),
            (op::LOGICAL_OR, many) => ask(Question::OrMany(self.arguments(many), count(many))),
            (op::LOGICAL_NOT, [a]) => ask(Question::Not(*a)),
            (op::CONDITIONAL, [condition, yes, no]) => {
                self.uncharge(*yes);
                self.uncharge(*no);
                Node::Conditional(*condition, *yes, *no)
            }
            (op::EQUALS, [a, b]) => ask(Question::Equal(*a, *b)),
            (op::NOT_EQUALS, [a, b]) => ask(Question::NotEqual(*a, *b)),
            (op::NEGATE, [a]) => Node::Negate(*a),
            (op::IN, [a, b]) => return Ok(Some(self.membership(id, *a, *b, chosen))),
            (op::INDEX, [a, b]) => return self.index(id, *a, *b, false).map(Some),
            (op::OPTIONAL_INDEX | op::OPTIONAL_SELECT, [a, b]) => {
                return self.index(id, *a, *b, true).map(Some);
            }
            ("or", [a, b]) if chosen.is_none_or(|o| o.id == "optional_or_optional") => Node::Or2(*a, *b),
            ("orValue", [a, b]) if chosen.is_none_or(|o| o.id == "optional_orValue_value") => {
                Node::OrValue(*a, *b)
            }
            (name, [a, b]) => match (operation(name), relation(name)) {
                (Some(operation), _) => Node::Binary(operation, by_text, *a, *b),
                (_, Some(relation)) => ask(Question::Ordered(relation, by_text, *a, *b)),
                (None, None) => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(self.push(id, node)))
    }

    // cel-go: planner.go planCallIndex.
    fn index(&mut self, id: ExprId, operand: u32, index: u32, optional: bool) -> Result<u32, Box<Error>> {
        let constant = if let Some(Node::Const(at)) = self.program.nodes.get(index as usize) {
            Some((*at, self.constant_at(index).map(Constant::value)))
        } else {
            None
        };
        let key = match constant {
            Some((_, Some(Value::Str(text)))) => Key::Field(text.into()),
            Some((at, Some(Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_)) | None)) => {
                Key::Constant(at)
            }
            Some((_, Some(other))) => return Err(invalid_qualifier(crate::value::go_type(&other))),
            None => {
                self.uncharge(index);
                Key::Node(index)
            }
        };
        Ok(self.qualify(id, operand, key, optional, false))
    }

    // cel-go: decorators.go maybeOptimizeSetMembership.
    fn membership(&mut self, id: ExprId, value: u32, within: u32, chosen: Option<&Overload>) -> u32 {
        let is_list = chosen.is_some_and(|overload| overload.id == "in_list");
        if is_list && let Some(Constant::Value(Value::List(list))) = self.constant_at(within) {
            if list.is_empty() {
                return self.constant(id, Constant::Value(Value::Bool(false)));
            }
            if list.iter().all(is_hashable) {
                let set = Set::new(ListRef::Made(list));
                let set = self.set(set);
                return self.push(id, Node::Ask(Question::InSet(value, set)));
            }
        }
        self.push(id, Node::Ask(Question::In(value, within, is_list)))
    }

    /// Reads a constant regular expression; its place in the program.
    fn pattern(&mut self, meant: &Meant<'_>, nodes: &[u32]) -> Result<Option<u32>, Box<Error>> {
        let rule = meant.chosen.map_or_else(
            || meant.declared.overloads.iter().find_map(|shape| shape.overload.pattern),
            |shape| shape.overload.pattern,
        );
        let Some((at, errors)) = rule else { return Ok(None) };
        let constant = nodes.get(usize::from(at)).and_then(|node| self.constant_at(*node));
        let Some(Constant::Text(text)) = constant else { return Ok(None) };
        let fails = match errors {
            PatternErrors::Always => true,
            PatternErrors::WhenFolded => self.options.fold,
            PatternErrors::Never => false,
        };
        match Regex::new(text) {
            Ok(regex) => {
                let text = Str::from(&**text);
                self.program.regexes.push((text, Arc::new(regex)));
                Ok(u32::try_from(self.program.regexes.len() - 1).ok())
            }
            Err(error) if fails => Err(Error::text(error.to_string())),
            Err(_) => Ok(None),
        }
    }
}

fn is_hashable(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Str(_) | Value::Text(_)
    )
}

fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        op::ADD => Operation::Add,
        op::SUBTRACT => Operation::Subtract,
        op::MULTIPLY => Operation::Multiply,
        op::DIVIDE => Operation::Divide,
        op::MODULO => Operation::Modulo,
        _ => return None,
    })
}

fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        op::LESS => Relation::Less,
        op::LESS_EQUALS => Relation::LessEquals,
        op::GREATER => Relation::Greater,
        op::GREATER_EQUALS => Relation::GreaterEquals,
        _ => return None,
    })
}

/// Whether the original reads constant regular expressions of a function ahead, and calls code of its own then.
// Kubernetes: library/regex.go FindRegexOptimization.
fn is_read_ahead(declared: &Declared) -> bool {
    let is_ahead = |shape: &Shape| matches!(shape.overload.pattern, Some((_, PatternErrors::Always)));
    declared.overloads.iter().any(is_ahead)
}

/// The step of a function that most policies call, as far as it means what the standard library says.
fn builtin(meant: &Meant<'_>, nodes: &[u32]) -> Option<Node> {
    let is_standard = |shape: &Shape| SIZES.contains(&shape.overload.id);
    match (nodes, meant.chosen.map(|shape| shape.overload.id)) {
        ([text, part], Some("starts_with_string")) => {
            Some(Node::Ask(Question::Within(Side::Start, *text, *part)))
        }
        ([text, part], Some("ends_with_string")) => {
            Some(Node::Ask(Question::Within(Side::End, *text, *part)))
        }
        ([text, part], Some("contains_string")) => {
            Some(Node::Ask(Question::Within(Side::Anywhere, *text, *part)))
        }
        ([value], Some(id)) if SIZES.contains(&id) => Some(Node::Size(*value)),
        ([value], None)
            if meant.declared.row.name == "size" && meant.declared.overloads.iter().all(is_standard) =>
        {
            Some(Node::Size(*value))
        }
        _ => None,
    }
}

/// The overloads of `size` in the standard library, all of which do the same.
const SIZES: [&str; 8] = [
    "size_bytes",
    "bytes_size",
    "size_list",
    "list_size",
    "size_map",
    "map_size",
    "size_string",
    "string_size",
];

fn callee(meant: &Meant<'_>, arity: usize) -> Callee {
    let declared = meant.declared;
    let candidate = |shape: &Shape| Candidate {
        run: shape.overload.run,
        guarded: shape.overload.guarded,
        params: shape.signature.params.iter().map(KindOf::of).collect(),
    };
    let by_name = declared.overloads.first().map_or(Cost::One, |shape| shape.overload.cost_by_name);
    if let Some(shape) = meant.chosen {
        let candidates = [candidate(shape)].into();
        return Callee {
            name: declared.row.name,
            candidates,
            is_known: true,
            is_named: true,
            cost: shape.overload.cost,
        };
    }
    let fits =
        |shape: &&Shape| shape.signature.params.len() == arity && !matches!(shape.overload.run, Run::Builtin);
    let candidates = declared.overloads.iter().filter(fits).map(candidate).collect();
    Callee { name: declared.row.name, candidates, is_known: false, is_named: true, cost: by_name }
}
