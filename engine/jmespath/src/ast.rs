//! The tree of an expression, with the original's kinds of nodes.
//!
//! Example: `a.b[0]` is `IndexExpression(Subexpression(Field a, Field b), Index 0)`.
//!
//! Mirrors: go-jmespath `parser.go`, `ASTNode`.

use engine_json::{Str, Value};

/// One node; the original's name of each kind is this one with `AST` before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// What the original leaves of a malformed index at the beginning of an expression: `[0`. It has no value.
    Empty,
    /// Two values compared.
    Comparator {
        /// How.
        operator: Comparison,
        /// The left value.
        left: Box<Node>,
        /// The right value.
        right: Box<Node>,
    },
    /// `@`.
    CurrentNode,
    /// `&expression`, for functions to evaluate.
    ExpRef(Box<Node>),
    /// `name(arguments)`; without a name where something else stood before the bracket, as in `@(a)`.
    FunctionExpression {
        /// The name.
        name: Option<Str>,
        /// The arguments.
        arguments: Vec<Node>,
    },
    /// A name.
    Field(Str),
    /// `source[?condition]` and what follows it.
    FilterProjection {
        /// Gives the list.
        source: Box<Node>,
        /// Evaluated for each element that is kept.
        right: Box<Node>,
        /// Which elements are kept.
        condition: Box<Node>,
    },
    /// `source[]`, always the source of a projection.
    Flatten(Box<Node>),
    /// The value itself, where nothing is written.
    Identity,
    /// `[n]`; negative counts from the end.
    Index(i64),
    /// `left[n]` or `left[a:b:c]`.
    IndexExpression(Box<Node>, Box<Node>),
    /// A JSON literal or a raw string.
    Literal(Value),
    /// `{key: value, …}`; each pair is the original's `ASTKeyValPair`.
    MultiSelectHash(Vec<(Str, Node)>),
    /// `[value, …]`.
    MultiSelectList(Vec<Node>),
    /// `left || right`.
    OrExpression(Box<Node>, Box<Node>),
    /// `left && right`.
    AndExpression(Box<Node>, Box<Node>),
    /// `!expression`.
    NotExpression(Box<Node>),
    /// `left | right`.
    Pipe(Box<Node>, Box<Node>),
    /// `source[*]`, `source[]` or a slice, and what follows it.
    Projection(Box<Node>, Box<Node>),
    /// `left.right`.
    Subexpression(Box<Node>, Box<Node>),
    /// `[start:stop:step]`.
    Slice([Option<i64>; 3]),
    /// `source.*` and what follows it.
    ValueProjection(Box<Node>, Box<Node>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Node {
    /// The original's name of this kind of node.
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Empty => "ASTEmpty",
            Node::Comparator { .. } => "ASTComparator",
            Node::CurrentNode => "ASTCurrentNode",
            Node::ExpRef(_) => "ASTExpRef",
            Node::FunctionExpression { .. } => "ASTFunctionExpression",
            Node::Field(_) => "ASTField",
            Node::FilterProjection { .. } => "ASTFilterProjection",
            Node::Flatten(_) => "ASTFlatten",
            Node::Identity => "ASTIdentity",
            Node::Index(_) => "ASTIndex",
            Node::IndexExpression(..) => "ASTIndexExpression",
            Node::Literal(_) => "ASTLiteral",
            Node::MultiSelectHash(_) => "ASTMultiSelectHash",
            Node::MultiSelectList(_) => "ASTMultiSelectList",
            Node::OrExpression(..) => "ASTOrExpression",
            Node::AndExpression(..) => "ASTAndExpression",
            Node::NotExpression(_) => "ASTNotExpression",
            Node::Pipe(..) => "ASTPipe",
            Node::Projection(..) => "ASTProjection",
            Node::Subexpression(..) => "ASTSubexpression",
            Node::Slice(_) => "ASTSlice",
            Node::ValueProjection(..) => "ASTValueProjection",
        }
    }

    /// The nodes directly below, in the original's order (values of a map without their pairs).
    pub fn children(&self) -> Vec<&Node> {
        match self {
            Node::Empty
            | Node::CurrentNode
            | Node::Field(_)
            | Node::Identity
            | Node::Index(_)
            | Node::Literal(_)
            | Node::Slice(_) => Vec::new(),
            Node::ExpRef(node) | Node::Flatten(node) | Node::NotExpression(node) => vec![node],
            Node::Comparator { left, right, .. }
            | Node::IndexExpression(left, right)
            | Node::OrExpression(left, right)
            | Node::AndExpression(left, right)
            | Node::Pipe(left, right)
            | Node::Projection(left, right)
            | Node::Subexpression(left, right)
            | Node::ValueProjection(left, right) => vec![left, right],
            Node::FilterProjection { source, right, condition } => vec![source, right, condition],
            Node::FunctionExpression { arguments, .. } => arguments.iter().collect(),
            Node::MultiSelectHash(pairs) => pairs.iter().map(|(_, value)| value).collect(),
            Node::MultiSelectList(values) => values.iter().collect(),
        }
    }

    /// Every node of the tree, parents before children.
    pub fn walk(&self) -> impl Iterator<Item = &Node> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let node = stack.pop()?;
            stack.extend(node.children().into_iter().rev());
            Some(node)
        })
    }

    /// Appends the names that are looked up in the value the whole expression is applied to.
    pub(crate) fn root_fields<'n>(&'n self, names: &mut Vec<&'n str>) {
        match self {
            Node::Field(name) => names.push(name),
            Node::Subexpression(left, right)
            | Node::IndexExpression(left, right)
            | Node::Pipe(left, right) => {
                left.root_fields(names);
                if matches!(**left, Node::CurrentNode | Node::Identity) {
                    right.root_fields(names);
                }
            }
            Node::Projection(source, _)
            | Node::ValueProjection(source, _)
            | Node::FilterProjection { source, .. } => source.root_fields(names),
            Node::ExpRef(_) => {}
            Node::Empty
            | Node::Comparator { .. }
            | Node::CurrentNode
            | Node::FunctionExpression { .. }
            | Node::Flatten(_)
            | Node::Identity
            | Node::Index(_)
            | Node::Literal(_)
            | Node::MultiSelectHash(_)
            | Node::MultiSelectList(_)
            | Node::OrExpression(..)
            | Node::AndExpression(..)
            | Node::NotExpression(_)
            | Node::Slice(_) => {
                for child in self.children() {
                    child.root_fields(names);
                }
            }
        }
    }
}
