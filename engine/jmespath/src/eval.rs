//! A tree and a value to a value.
//!
//! In: `a.b`, `{"a":{"b":1}}`. Out: 1, borrowed from the document.
//!
//! A missing key is an error that most kinds of nodes turn into null (`or_null`); which ones do is the heart of
//! this dialect. Mirrors: go-jmespath `interpreter.go`.

use crate::argument::{Argument, NULL};
use crate::ast::{Comparison, Node};
use crate::call::Call;
use crate::function::Kind;
use crate::limits::{self, MAX_STEPS, MAX_TEXT};
use crate::registry::{Host, Runtime};
use crate::{EvalError, slice};
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Str, Value};
use std::cell::Cell;

type Evaluated<'a> = Result<Argument<'a>, EvalError>;

/// One search.
pub(crate) struct Evaluator<'a> {
    runtime: Runtime<'a>,
    /// Whether values that are made must be weighed; see [`limits::WEIGH_FROM`].
    weighs: bool,
    steps: Cell<u64>,
    /// Whether a function made a text of bytes that are none, and U+FFFD of each of them.
    has_lost_bytes: Cell<bool>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(runtime: Runtime<'a>, weighs: bool) -> Self {
        Evaluator { runtime, weighs, steps: Cell::new(MAX_STEPS), has_lost_bytes: Cell::new(false) }
    }

    pub(crate) fn host(&self) -> &'a dyn Host {
        self.runtime.host
    }

    pub(crate) fn lose_bytes(&self) {
        self.has_lost_bytes.set(true);
    }

    pub(crate) fn has_lost_bytes(&self) -> bool {
        self.has_lost_bytes.get()
    }

    pub(crate) fn charge(&self, steps: u64) -> Result<(), EvalError> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(EvalError::limit(format!("the expression takes more than {MAX_STEPS} steps"))),
        }
    }

    /// A value that was just made, weighed if need be.
    fn made(&self, value: Value) -> Evaluated<'a> {
        if self.weighs {
            self.charge(limits::weigh(&value)? as u64)?;
        }
        Ok(Argument::Owned(value))
    }

    /// The value of `node` over `current`.
    // The recursion ends: a tree is at most limits::MAX_DEPTH high. Work is left to small functions, since what
    // one arm keeps on the stack would weigh on every level.
    pub(crate) fn evaluate(&self, node: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        self.charge(1)?;
        match node {
            Node::Field(name) => field(name, current),
            Node::Subexpression(left, right) | Node::IndexExpression(left, right) => {
                self.chain(left, right, current)
            }
            Node::Index(index) => Ok(indexed(*index, current)),
            Node::Identity | Node::CurrentNode => Ok(current.clone()),
            Node::Literal(value) => Ok(Argument::Borrowed(value)),
            Node::Comparator { operator, left, right } => self.comparator(*operator, left, right, current),
            Node::Pipe(left, right) => self.pipe(left, right, current),
            Node::OrExpression(left, right) => self.or(left, right, current),
            Node::AndExpression(left, right) => self.and(left, right, current),
            Node::NotExpression(inner) => self.not(inner, current),
            Node::Projection(source, right) => self.projection(source, right, current),
            Node::FilterProjection { source, right, condition } => {
                self.filter_projection(source, right, condition, current)
            }
            Node::ValueProjection(source, right) => self.value_projection(source, right, current),
            Node::Flatten(source) => self.flatten(source, current),
            Node::Slice(parts) => sliced(*parts, current),
            Node::MultiSelectList(nodes) => self.multi_select_list(nodes, current),
            Node::MultiSelectHash(pairs) => self.multi_select_hash(pairs, current),
            Node::FunctionExpression { name, arguments } => self.call(name.as_ref(), arguments, current),
            Node::ExpRef(inner) => Ok(Argument::Expression(inner)),
            Node::Empty => Err(EvalError::other("Unknown AST node: ASTEmpty")),
        }
    }

    /// As `evaluate`, with null for a missing key.
    fn or_null(&self, node: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        match self.evaluate(node, current) {
            Err(EvalError::UnknownKey { .. }) => Ok(NULL),
            result => result,
        }
    }

    /// As `evaluate`, with null for any error: so the sources of `[]`, `[?…]` and `.*` are read.
    fn any_error_as_null(&self, node: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        match self.evaluate(node, current) {
            Err(error) if !error.is_final() => Ok(NULL),
            result => result,
        }
    }

    fn chain(&self, left: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let left = self.evaluate(left, current)?;
        self.evaluate(right, &left)
    }

    fn pipe(&self, left: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let left = self.or_null(left, current)?;
        self.or_null(right, &left)
    }

    fn or(&self, left: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let left = self.or_null(left, current)?;
        if left.is_truthy() { Ok(left) } else { self.or_null(right, current) }
    }

    fn and(&self, left: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let left = self.or_null(left, current)?;
        // Go: the right side alone keeps its missing key an error.
        if left.is_truthy() { self.evaluate(right, current) } else { Ok(left) }
    }

    fn not(&self, inner: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let holds = self.or_null(inner, current)?.is_truthy();
        Ok(Argument::Owned(Value::Bool(!holds)))
    }

    fn comparator(
        &self,
        operator: Comparison,
        left: &'a Node,
        right: &'a Node,
        current: &Argument<'a>,
    ) -> Evaluated<'a> {
        let left = self.or_null(left, current)?;
        let right = self.or_null(right, current)?;
        if let (Some(left), Some(right)) = (left.value(), right.value()) {
            self.charge(limits::alike(left, right))?;
        }
        Ok(compare(operator, &left, &right))
    }

    fn projection(&self, source: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let source = self.or_null(source, current)?;
        let Some(elements) = source.elements() else { return Ok(NULL) };
        let mut collected = Vec::new();
        for element in elements {
            self.collect(right, element, &mut collected)?;
        }
        self.made(Value::array(collected))
    }

    fn filter_projection(
        &self,
        source: &'a Node,
        right: &'a Node,
        condition: &'a Node,
        current: &Argument<'a>,
    ) -> Evaluated<'a> {
        let source = self.any_error_as_null(source, current)?;
        let Some(elements) = source.elements() else { return Ok(NULL) };
        let mut collected = Vec::new();
        for element in elements {
            if self.or_null(condition, &element)?.is_truthy() {
                self.collect(right, element, &mut collected)?;
            }
        }
        self.made(Value::array(collected))
    }

    fn value_projection(&self, source: &'a Node, right: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let source = self.any_error_as_null(source, current)?;
        let Some(map) = source.object() else { return Ok(NULL) };
        let mut collected = Vec::new();
        // Go: interpreter.go ASTValueProjection makes a slice of that many nils and appends the values to it.
        for _ in 0..map.len() {
            self.collect(right, NULL, &mut collected)?;
        }
        // Go: in the order of a map, which is mostly the one in which it was filled: that of the names.
        let mut order: Vec<usize> = (0..map.len()).collect();
        order.arrange_by_key(|at| map.at(*at).map(|(key, _)| key));
        for at in order {
            let value =
                source.part(|value| value.as_object().and_then(|map| map.at(at)).map(|(_, value)| value));
            self.collect(right, value.unwrap_or(NULL), &mut collected)?;
        }
        self.made(Value::array(collected))
    }

    /// Appends `right` over `element`, unless it is null.
    fn collect(
        &self,
        right: &'a Node,
        element: Argument<'a>,
        into: &mut Vec<Value>,
    ) -> Result<(), EvalError> {
        let value = match right {
            Node::Identity => {
                self.charge(1)?;
                element
            }
            right => self.or_null(right, &element)?,
        };
        if !value.is_null() {
            into.push(value.into_value());
        }
        Ok(())
    }

    fn flatten(&self, source: &'a Node, current: &Argument<'a>) -> Evaluated<'a> {
        let source = self.any_error_as_null(source, current)?;
        let Some(list) = source.list() else { return Ok(NULL) };
        let mut flat = Vec::with_capacity(list.len());
        for element in list {
            match element {
                Value::Array(inner) => {
                    self.charge(1 + inner.len() as u64)?;
                    flat.extend(inner.iter().cloned());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                    flat.push(element.clone());
                }
            }
        }
        self.made(Value::array(flat))
    }

    fn multi_select_list(&self, nodes: &'a [Node], current: &Argument<'a>) -> Evaluated<'a> {
        if current.is_null() {
            return Ok(NULL);
        }
        let mut list = Vec::with_capacity(nodes.len());
        for node in nodes {
            list.push(self.or_null(node, current)?.into_value());
        }
        self.made(Value::array(list))
    }

    fn multi_select_hash(&self, pairs: &'a [(Str, Node)], current: &Argument<'a>) -> Evaluated<'a> {
        if current.is_null() {
            return Ok(NULL);
        }
        let mut entries = Vec::with_capacity(pairs.len());
        for (key, node) in pairs {
            entries.push((key.clone(), self.or_null(node, current)?.into_value()));
        }
        self.made(Value::object(Map::from_entries(entries)))
    }

    fn call(&self, name: Option<&Str>, arguments: &'a [Node], current: &Argument<'a>) -> Evaluated<'a> {
        let Some(name) = name else { return Err(EvalError::other("invalid node value type")) };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.or_null(argument, current)?);
        }
        let Some(function) = self.runtime.registry.get(name) else {
            return Err(EvalError::other(format!("unknown function: {name}")));
        };
        function.check(&values)?;
        let value = (function.run)(&mut Call { evaluator: self }, &values)?;
        let result = self.made(value)?;
        match result {
            Argument::Owned(Value::String(text)) if text.len() > MAX_TEXT => {
                Err(EvalError::limit(format!("the text exceeds {MAX_TEXT} bytes")))
            }
            Argument::Owned(list @ Value::Array(_)) if function.returns == [Kind::ArrayObject] => {
                Ok(Argument::Objects(list))
            }
            result => Ok(result),
        }
    }
}

fn field<'a>(name: &Str, current: &Argument<'a>) -> Evaluated<'a> {
    if current.object().is_none() {
        return Ok(NULL);
    }
    current.part(|value| value.get(name)).ok_or_else(|| EvalError::UnknownKey { key: name.clone() })
}

fn indexed<'a>(index: i64, current: &Argument<'a>) -> Argument<'a> {
    let Some(list) = current.list() else { return NULL };
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let at = if index < 0 { index.saturating_add(length) } else { index };
    usize::try_from(at).ok().and_then(|at| current.part(|value| value.at(at))).unwrap_or(NULL)
}

fn sliced<'a>(parts: [Option<i64>; 3], current: &Argument<'a>) -> Evaluated<'a> {
    match current.list() {
        Some(list) => Ok(Argument::Owned(Value::array(slice::slice(list, parts)?))),
        None => Ok(NULL),
    }
}

fn compare(operator: Comparison, left: &Argument<'_>, right: &Argument<'_>) -> Argument<'static> {
    let holds = match (operator, left.number(), right.number()) {
        (Comparison::Equal, _, _) => left.equals(right),
        (Comparison::NotEqual, _, _) => !left.equals(right),
        (Comparison::Less, Some(left), Some(right)) => left < right,
        (Comparison::LessOrEqual, Some(left), Some(right)) => left <= right,
        (Comparison::Greater, Some(left), Some(right)) => left > right,
        (Comparison::GreaterOrEqual, Some(left), Some(right)) => left >= right,
        _ => return NULL,
    };
    Argument::Owned(Value::Bool(holds))
}
