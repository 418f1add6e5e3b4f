//! From the parse tree, holes included, to nodes: a text with syntax errors may have other errors too, which the original
//! reports with them (`parser/parser.go`, the visitor).
//!
//! In: a parse tree. Out: nodes and problems. What waits to be visited lies in a list, so that no text can exhaust the stack.

use super::grammar::{Form, Part, Rule};
use super::stream::Stream;
use super::walk::{Child, NodeId, Tree};
use crate::ast::{Entry, Expr, ExprId, Field, Literal};
use crate::issue::Issue;
use crate::operators;
use crate::report::BEFORE;
use crate::syntax::MAX_DEPTH;
use crate::syntax::build::{Builder, Optional, Piece, Span, reserved, reserved_text};
use crate::syntax::literal;
use crate::syntax::token::{Kind, Token};
use engine_json::Str;

/// What is to do next.
#[derive(Clone, Copy)]
enum Task {
    /// Visit a node, or the hole where none is.
    Visit(Option<NodeId>),
    /// Make the node from the values of its parts: so many.
    Make(NodeId, usize),
    /// A node that counts for the limit of depth is left.
    Leave,
    /// Report a `?` that the options do not allow.
    NoOptional(Token),
}

/// Visits the whole tree and gives the node that stands for it; `None` where it is nested too deeply, which is reported.
pub(super) fn visit(
    trees: &[Tree],
    stream: &Stream<'_>,
    syntax: usize,
    builder: &mut Builder<'_>,
) -> Option<ExprId> {
    let mut visitor =
        Visitor { trees, stream, builder, syntax, tasks: Vec::new(), values: Vec::new(), depth: 0 };
    let first = visitor.tree(0).and_then(|root| node(root, Part::First));
    visitor.tasks.push(Task::Visit(first));
    visitor.run()?;
    visitor.values.pop().map(|piece| piece.id)
}

struct Visitor<'t, 's, 'b, 'p> {
    trees: &'t [Tree],
    stream: &'t Stream<'s>,
    builder: &'b mut Builder<'p>,
    /// How many syntax errors there are.
    syntax: usize,
    tasks: Vec<Task>,
    values: Vec<Piece>,
    depth: u32,
}

fn parts(tree: &Tree, part: Part) -> impl Iterator<Item = Child> + '_ {
    tree.parts.iter().filter(move |(own, _)| *own == part).map(|(_, child)| *child)
}

fn nodes(tree: &Tree, part: Part) -> impl Iterator<Item = NodeId> + '_ {
    parts(tree, part).filter_map(|child| match child {
        Child::Node(id) => Some(id),
        Child::Token(_) => None,
    })
}

fn tokens(tree: &Tree, part: Part) -> impl Iterator<Item = Token> + '_ {
    parts(tree, part).filter_map(|child| match child {
        Child::Token(token) => Some(token),
        Child::Node(_) => None,
    })
}

fn node(tree: &Tree, part: Part) -> Option<NodeId> {
    nodes(tree, part).next()
}

fn token(tree: &Tree, part: Part) -> Option<Token> {
    tokens(tree, part).next()
}

fn span(at: u32, tree: &Tree) -> Span {
    Span { at, start: tree.start.start, end: tree.end }
}

impl<'t> Visitor<'t, '_, '_, '_> {
    fn tree(&self, id: NodeId) -> Option<&'t Tree> {
        self.trees.get(id)
    }

    fn run(&mut self) -> Option<()> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(id) => self.visit(id)?,
                Task::Leave => self.depth -= 1,
                Task::Make(id, count) => {
                    let rest = self.values.len().saturating_sub(count);
                    let values = self.values.split_off(rest);
                    let Some(tree) = self.tree(id) else { continue };
                    let made = self.make(tree, &values);
                    self.value(made, tree);
                }
                Task::NoOptional(mark) => {
                    self.builder.report(mark.into(), "unsupported syntax '?'");
                }
            }
        }
        Some(())
    }

    fn value(&mut self, id: ExprId, tree: &Tree) {
        self.values.push(Piece { id, start: tree.start.start, end: tree.end, height: 0 });
    }

    /// Goes down to the first node that is more than a way to another (`unnest`).
    fn unnest(&self, mut id: NodeId) -> Option<NodeId> {
        loop {
            let tree = self.tree(id)?;
            let through = match (tree.rule, tree.form) {
                (Rule::Expr | Rule::Or | Rule::And | Rule::Relation | Rule::Calc, _) => {
                    token(tree, Part::Operator).is_none()
                }
                (_, form) => {
                    matches!(form, Form::OneMember | Form::OnePrimary | Form::Nested | Form::Constant)
                }
            };
            if !through {
                return Some(id);
            }
            id = node(tree, Part::First)?;
        }
    }

    /// Plans the visit of a node: its parts in their order, then the node itself.
    fn visit(&mut self, id: Option<NodeId>) -> Option<()> {
        let hole = Span { at: BEFORE, start: 0, end: 0 };
        let Some((id, tree)) = id.and_then(|id| self.unnest(id)).and_then(|id| Some((id, self.tree(id)?)))
        else {
            self.nothing(hole);
            return Some(());
        };
        let counted = match (tree.rule, tree.form) {
            (Rule::Expr | Rule::Relation | Rule::Calc, _) => true,
            (_, form) => matches!(form, Form::Select | Form::MemberCall | Form::Index),
        };
        if counted {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                self.builder.issues.push(Issue::nowhere("max recursion depth exceeded"));
                return None;
            }
            self.tasks.push(Task::Leave);
        }
        let Some(plan) = self.plan(tree) else {
            self.nothing(hole);
            return Some(());
        };
        let count = plan.iter().filter(|task| matches!(task, Task::Visit(_))).count();
        self.tasks.push(Task::Make(id, count));
        self.tasks.extend(plan.into_iter().rev());
        Some(())
    }

    /// What stands for a part that is not there. One error at least is reported for it (`parser.Visit`).
    fn nothing(&mut self, hole: Span) {
        if self.syntax == 0 && self.builder.issues.is_empty() {
            self.builder.issues.push(Issue::nowhere("unknown parse element encountered: <<nil>>"));
        }
        let id = self.builder.unspecified(hole);
        self.values.push(Piece { id, start: 0, end: 0, height: 0 });
    }

    /// The parts of a node that are visited before it; `None` for a node that stopped before it became anything.
    fn plan(&self, tree: &Tree) -> Option<Vec<Task>> {
        let one = |part| vec![Task::Visit(node(tree, part))];
        Some(match (tree.rule, tree.form) {
            (Rule::Expr, _) => {
                [Part::First, Part::Second, Part::Third].map(|part| Task::Visit(node(tree, part))).into()
            }
            (Rule::Or | Rule::And, _) => {
                let first = std::iter::once(node(tree, Part::First));
                first.chain(nodes(tree, Part::Second).map(Some)).map(Task::Visit).collect()
            }
            (Rule::Relation | Rule::Calc, _) => {
                [Part::First, Part::Third].map(|part| Task::Visit(node(tree, part))).into()
            }
            (_, Form::Not | Form::Negate | Form::Select) => one(Part::First),
            (_, Form::MemberCall) => {
                let mut plan = one(Part::First);
                if token(tree, Part::Name).is_some() {
                    plan.extend(self.list(tree, Rule::ExprList));
                }
                plan
            }
            (_, Form::Index) => {
                let mut plan = one(Part::First);
                if token(tree, Part::Operator).is_some() {
                    plan.extend(one(Part::Second));
                }
                plan
            }
            (_, Form::GlobalCall) if self.name(tree).is_none_or(|name| reserved(name).is_some()) => {
                Vec::new()
            }
            (_, Form::GlobalCall) => self.list(tree, Rule::ExprList),
            (_, Form::CreateList) => self.list(tree, Rule::ListInit),
            (_, Form::CreateMap) => self.entries(tree),
            (_, Form::CreateMessage) => self.fields(tree),
            (Rule::Unary, Form::Plain) => Vec::new(),
            (
                _,
                Form::Plain | Form::Name | Form::OneMember | Form::OnePrimary | Form::Nested | Form::Constant,
            ) => {
                return None;
            }
            _ => Vec::new(),
        })
    }

    fn inner(&self, tree: &Tree) -> Option<&'t Tree> {
        self.tree(node(tree, Part::Value)?)
    }

    /// The arguments of a call or the elements of a list.
    fn list(&self, tree: &Tree, rule: Rule) -> Vec<Task> {
        let Some(list) = self.inner(tree) else { return Vec::new() };
        let mut plan = Vec::new();
        for id in nodes(list, Part::Value) {
            if rule == Rule::ExprList {
                plan.push(Task::Visit(Some(id)));
                continue;
            }
            let element = self.tree(id);
            plan.push(Task::Visit(element.and_then(|element| node(element, Part::First))));
            let mark = element.and_then(|element| token(element, Part::Optional));
            plan.extend(mark.filter(|_| !self.builder.options.optional_syntax).map(Task::NoOptional));
        }
        plan
    }

    /// Keys and values of a map; none where some are missing.
    fn entries(&self, tree: &Tree) -> Vec<Task> {
        let mut plan = Vec::new();
        for (key, value, _) in self.pairs(tree) {
            if let Some(mark) = self.refused(key) {
                plan.push(Task::NoOptional(mark));
            } else {
                plan.extend([Task::Visit(node(key, Part::First)), Task::Visit(Some(value))]);
            }
        }
        plan
    }

    fn fields(&self, tree: &Tree) -> Vec<Task> {
        let mut plan = Vec::new();
        for (field, value, _) in self.pairs(tree) {
            match self.refused(field) {
                Some(_) => plan.push(Task::NoOptional(field.start)),
                None if self.field(field).is_some() => plan.push(Task::Visit(Some(value))),
                None => {}
            }
        }
        plan
    }

    fn refused(&self, key: &Tree) -> Option<Token> {
        token(key, Part::Optional).filter(|_| !self.builder.options.optional_syntax)
    }

    /// The keys, values and colons of a map or a message, as far as all three are there.
    fn pairs(&self, tree: &Tree) -> Vec<(&'t Tree, NodeId, Token)> {
        let Some(list) = self.inner(tree) else { return Vec::new() };
        let keys = nodes(list, Part::Key).filter_map(|key| self.tree(key));
        let values = nodes(list, Part::Value).zip(tokens(list, Part::Colon));
        keys.zip(values).map(|(key, (value, colon))| (key, value, colon)).collect()
    }

    /// The name of a field in a message.
    fn field(&self, tree: &Tree) -> Option<&'t str> {
        self.plain_name(self.tree(node(tree, Part::Name)?)?)
    }

    /// The name that stands behind a dot, without back-ticks (`normalizeIdent`).
    fn plain_name(&self, tree: &Tree) -> Option<&'t str> {
        let name = token(tree, Part::Name).filter(|_| tree.form == Form::Name)?;
        Some(self.stream.text(name).trim_matches('`'))
    }

    fn name(&self, tree: &Tree) -> Option<&'t str> {
        token(tree, Part::Name).map(|name| self.stream.text(name))
    }

    fn make(&mut self, tree: &Tree, values: &[Piece]) -> ExprId {
        let ids: Vec<ExprId> = values.iter().map(|value| value.id).collect();
        let operator = token(tree, Part::Operator);
        let at = operator.map_or(tree.start.start, |token| token.start);
        match (tree.rule, tree.form) {
            (Rule::Expr, _) => self.builder.operator(operators::CONDITIONAL, &ids, span(at, tree)),
            (Rule::Or, _) => self.chain(operators::LOGICAL_OR, tree, values),
            (Rule::And, _) => self.chain(operators::LOGICAL_AND, tree, values),
            (Rule::Relation | Rule::Calc, _) => match operator.and_then(|token| binary(token.kind)) {
                Some(name) => self.builder.operator(name, &ids, span(at, tree)),
                None => self.builder.report(span(tree.start.start, tree), "operator not found"),
            },
            (Rule::Unary, Form::Plain) => {
                let instead = Literal::String(Str::new_static("<<error>>"));
                self.builder.add(Expr::Literal(instead), span(tree.start.start, tree))
            }
            (_, Form::Not) => self.signed(operators::LOGICAL_NOT, tree, &ids),
            (_, Form::Negate) => self.signed(operators::NEGATE, tree, &ids),
            (_, Form::Select) => self.select(tree, &ids),
            (_, Form::MemberCall) => match (self.name(tree), ids.split_first()) {
                (Some(name), Some((&target, args))) => {
                    self.builder.call(name, Some(target), args, span(at, tree))
                }
                _ => self.builder.unspecified(span(tree.start.start, tree)),
            },
            (_, Form::Index) => {
                let optional =
                    if token(tree, Part::Optional).is_some() { Optional::Yes } else { Optional::No };
                match ids[..] {
                    [operand, index] => self.builder.index(operand, index, optional, span(at, tree)),
                    _ => self.builder.unspecified(span(tree.start.start, tree)),
                }
            }
            (_, Form::Ident) => self.ident(tree),
            (_, Form::GlobalCall) => self.call(tree, &ids, at),
            (_, Form::CreateList) => {
                let elements = self.inner(tree).map(|list| nodes(list, Part::Value).collect::<Vec<_>>());
                let marked = (0..).zip(elements.unwrap_or_default()).filter(|(_, element)| {
                    self.tree(*element).is_some_and(|element| token(element, Part::Optional).is_some())
                });
                let optional: Vec<u32> = marked.map(|(index, _)| index).collect();
                self.builder.list(&ids, &optional, span(at, tree))
            }
            (_, Form::CreateMap) => self.map(tree, &ids, at),
            (_, Form::CreateMessage) => self.message(tree, &ids, at),
            _ => self.literal(tree),
        }
    }

    fn chain(&mut self, name: &'static str, tree: &Tree, values: &[Piece]) -> ExprId {
        let signs: Vec<u32> = tokens(tree, Part::Operator).map(|token| token.start).collect();
        match self.builder.balanced(name, values, &signs) {
            Some(piece) => piece.id,
            None => self.builder.unspecified(span(tree.start.start, tree)),
        }
    }

    fn signed(&mut self, name: &'static str, tree: &Tree, ids: &[ExprId]) -> ExprId {
        let odd = tokens(tree, Part::Operator).count() % 2 == 1;
        match (ids, token(tree, Part::Operator)) {
            ([operand], Some(sign)) if odd => {
                self.builder.operator(name, &[*operand], span(sign.start, tree))
            }
            ([operand], _) => *operand,
            _ => self.builder.unspecified(span(tree.start.start, tree)),
        }
    }

    fn select(&mut self, tree: &Tree, ids: &[ExprId]) -> ExprId {
        let own = span(tree.start.start, tree);
        let name = node(tree, Part::Name).and_then(|name| self.tree(name));
        let (Some(name), Some(dot), [operand]) = (name, token(tree, Part::Operator), ids) else {
            return self.builder.unspecified(own);
        };
        let at = span(name.start.start, name);
        let field = self.plain_name(name).unwrap_or_else(|| {
            self.builder.report(at, "unsupported ident kind");
            ""
        });
        if token(tree, Part::Optional).is_some() {
            return self.builder.optional_select(*operand, field, at, span(dot.start, tree));
        }
        self.builder.select(*operand, field, span(dot.start, tree))
    }

    /// A name with the leading dot of its node.
    fn dotted(&self, tree: &Tree) -> Option<Str> {
        let dot = token(tree, Part::Dot).map_or("", |_| ".");
        self.name(tree).map(|name| [dot, name].into_iter().collect())
    }

    fn ident(&mut self, tree: &Tree) -> ExprId {
        let place = token(tree, Part::Name).map_or(tree.start.start, |name| name.start);
        match self.dotted(tree) {
            Some(name) => self.builder.ident(&name, span(place, tree)),
            None => self.builder.unspecified(span(tree.start.start, tree)),
        }
    }

    fn call(&mut self, tree: &Tree, ids: &[ExprId], at: u32) -> ExprId {
        let own = span(tree.start.start, tree);
        match self.dotted(tree) {
            Some(name) => match reserved(&name) {
                Some(word) => self.builder.report(own, reserved_text(word)),
                None => self.builder.call(&name, None, ids, span(at, tree)),
            },
            None => self.builder.unspecified(own),
        }
    }

    fn map(&mut self, tree: &Tree, ids: &[ExprId], at: u32) -> ExprId {
        let pairs = self.pairs(tree).into_iter().filter(|(key, ..)| self.refused(key).is_none());
        let (values, _) = ids.as_chunks::<2>();
        let entry = |(pair, [key, value]): ((&Tree, NodeId, Token), &[ExprId; 2])| Entry {
            key: *key,
            value: *value,
            optional: token(pair.0, Part::Optional).is_some(),
            at: pair.2.start,
        };
        let entries = pairs.zip(values).map(entry).collect();
        self.builder.map(entries, span(at, tree))
    }

    fn message(&mut self, tree: &Tree, ids: &[ExprId], at: u32) -> ExprId {
        let list = self.inner(tree).map_or(tree.start.start, |list| list.start.start);
        let mut values = ids.iter();
        let mut fields = Vec::new();
        for (field, _, colon) in self.pairs(tree) {
            if self.refused(field).is_some() {
                continue;
            }
            let Some(name) = self.field(field) else {
                self.builder.report(span(list, tree), "unsupported ident kind");
                continue;
            };
            let Some(&value) = values.next() else { continue };
            let optional = token(field, Part::Optional).is_some();
            fields.push(Field { name: Str::from(name), value, optional, at: colon.start });
        }
        let words: Vec<&str> = tokens(tree, Part::Name).map(|word| self.stream.text(word)).collect();
        let dot = token(tree, Part::Dot).map_or("", |_| ".");
        let name = format!("{dot}{}", words.join("."));
        self.builder.structure(Str::from(name), fields, span(at, tree))
    }

    fn literal(&mut self, tree: &Tree) -> ExprId {
        let own = span(tree.start.start, tree);
        let sign = token(tree, Part::Dot).map_or("", |_| "-");
        let text = self.name(tree).unwrap_or_default();
        let value = match tree.form {
            Form::String => return self.builder.string(text, own),
            Form::Bytes => return self.builder.bytes(text, own),
            Form::Int => literal::int(text, sign),
            Form::Uint => literal::uint(text),
            Form::Double => literal::double(text, sign),
            Form::True => Ok(Literal::Bool(true)),
            Form::False => Ok(Literal::Bool(false)),
            _ => Ok(Literal::Null),
        };
        self.builder.literal(value, own)
    }
}

/// The function of an operator of two operands.
fn binary(kind: Kind) -> Option<&'static str> {
    crate::syntax::fast::operator(kind).map(|(_, name)| name)
}
