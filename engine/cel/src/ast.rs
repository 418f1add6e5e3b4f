//! The tree of an expression: what the parser makes, the checker types and the program is compiled from.
//!
//! Nodes lie in one list and name one another by [`ExprId`], so that types, overloads and traces are tables beside the
//! tree and not parts of it. Macros are expanded: a comprehension holds what cel-go expands it to, and beside it which macro
//! it came from, so that it can be evaluated, explained and printed as it was written.

use engine_json::Str;

/// The place of a node in its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

impl ExprId {
    /// The id of the node at this place of the list.
    pub fn from_index(at: usize) -> Self {
        ExprId(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// The place in the list of nodes, and in every table beside it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parsed expression with macros expanded.
#[derive(Clone, Debug)]
pub struct Ast {
    nodes: Vec<Node>,
    root: ExprId,
}

/// One node: what it is and where it stands. All places are offsets in bytes of the source text.
#[derive(Clone, Debug)]
pub struct Node {
    /// What the node is.
    pub expr: Expr,
    /// Where cel-go points when it speaks of this node: the operator, the dot of a selection, the opening
    /// parenthesis of a call (`parser.go`, `helper.id`).
    pub at: u32,
    /// First byte of the text that the node was made of.
    pub start: u32,
    /// First byte behind it.
    pub end: u32,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Literal(Literal),
    /// A name: a variable, a type, or the first part of a qualified name. A leading dot is part of it.
    Ident(Str),
    /// `operand.field`, or `has(operand.field)` where `test` says so.
    Select {
        /// What is selected from.
        operand: ExprId,
        /// The name of the field.
        field: Str,
        /// Whether only the presence is asked for.
        test: bool,
    },
    /// A function, a method or an operator (`_+_`, `_[_]`, `_?._`, `_[?_]`, see [`crate::operators`]).
    Call {
        /// The name of the function.
        function: Str,
        /// The receiver of a method.
        target: Option<ExprId>,
        /// The arguments in their order, without the receiver.
        args: Box<[ExprId]>,
    },
    /// `[a, ?b]`.
    List {
        /// The elements in their order.
        elements: Box<[ExprId]>,
        /// The places of the elements written with `?`, ascending.
        optional: Box<[u32]>,
    },
    /// `{k: v, ?k: v}`.
    Map(Box<[Entry]>),
    /// `Name{field: v}`.
    Struct {
        /// The name of the type, with a leading dot where it was written.
        name: Str,
        /// The fields in their order.
        fields: Box<[Field]>,
    },
    /// A fold over a list or a map; all macros that iterate, and `cel.bind`, become one.
    Comprehension(Box<Comprehension>),
}

/// A constant of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// `1`.
    Int(i64),
    /// `1u`.
    Uint(u64),
    /// `1.0`.
    Double(f64),
    /// `'a'`.
    String(Str),
    /// `b'a'`.
    Bytes(Box<[u8]>),
}

/// One entry of a map literal. The entry has a node id of its own in cel-go; only its place is needed here.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
    /// Whether it was written with `?`.
    pub optional: bool,
    /// The offset of the colon, where cel-go points for the entry.
    pub at: u32,
}

/// One field of a struct literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field.
    pub name: Str,
    /// The value.
    pub value: ExprId,
    /// Whether it was written with `?`.
    pub optional: bool,
    /// The offset of the colon, where cel-go points for the field.
    pub at: u32,
}

/// A fold, as cel-go's macros expand to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What is iterated.
    pub range: ExprId,
    /// The variable of the element of a list, or of the key of a map; with two variables, of the index or key.
    pub var: Str,
    /// The second variable, of the element or value.
    pub var2: Option<Str>,
    /// The name of the accumulator.
    pub accu: Str,
    /// Its first value.
    pub init: ExprId,
    /// Whether to go on, asked before each element.
    pub condition: ExprId,
    /// The accumulator after an element.
    pub step: ExprId,
    /// The value of the whole, of the last accumulator.
    pub result: ExprId,
    /// What the fold was written as.
    pub origin: Origin,
}

/// The macro a comprehension was written as, with the parts that were written, which are nodes within the expansion too.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// `range.all(x, predicate)`, also with two variables.
    All(ExprId),
    /// `range.exists(x, predicate)`.
    Exists(ExprId),
    /// `range.exists_one(x, predicate)`, `existsOne`.
    ExistsOne(ExprId),
    /// `range.filter(x, predicate)`.
    Filter(ExprId),
    /// `range.map(x, transform)`, `range.map(x, predicate, transform)`, `transformList`.
    Map {
        /// The condition, where there is one.
        predicate: Option<ExprId>,
        /// The new element.
        transform: ExprId,
    },
    /// `range.transformMap(k, v, [predicate,] value)`.
    TransformMap {
        /// The condition, where there is one.
        predicate: Option<ExprId>,
        /// The new value under the same key.
        transform: ExprId,
    },
    /// `range.transformMapEntry(k, v, [predicate,] {key: value})`.
    TransformMapEntry {
        /// The condition, where there is one.
        predicate: Option<ExprId>,
        /// The new entries.
        transform: ExprId,
    },
    /// `cel.bind(x, init, body)`, and the variable that `optMap`, `optFlatMap` and `sortBy` bind: no iteration at all.
    Bind {
        /// The value of the variable (the `init` of the fold).
        value: ExprId,
        /// What is evaluated with it (the `result` of the fold).
        body: ExprId,
    },
}

impl Ast {
    /// A tree of these nodes.
    pub fn new(nodes: Vec<Node>, root: ExprId) -> Self {
        Ast { nodes, root }
    }

    /// The node that is the whole expression.
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// All nodes; the place of each is its [`ExprId`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of this id; of an id that is not of this tree, the empty node.
    pub fn node(&self, id: ExprId) -> &Node {
        const NOWHERE: &Node = &Node { expr: Expr::Literal(Literal::Null), at: 0, start: 0, end: 0 };
        self.nodes.get(id.index()).unwrap_or(NOWHERE)
    }

    /// What the node of this id is.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }
}
