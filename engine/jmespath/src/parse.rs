//! Words to a tree: an operator-precedence parser, with the original's tolerances.
//!
//! In: `f(a b)`, for commas between arguments are optional. Out: a function node with two arguments.
//!
//! Mirrors: go-jmespath `parser.go`.

use crate::ParseError;
use crate::ast::{Comparison, Node};
use crate::lex::lex;
use crate::limits::MAX_DEPTH;
use crate::token::{Token, TokenKind};
use engine_json::{Str, Value};
use engine_values::go_text::atoi;

type Parsed<T = Tree> = Result<T, ParseError>;

/// A node and how high the tree below it is.
struct Tree {
    node: Node,
    height: usize,
}

/// The tree of `text`.
pub(crate) fn parse_text(text: &str) -> Parsed<Node> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, nesting: 0 };
    let tree = parser.expression(0)?;
    match parser.current() {
        TokenKind::Eof => Ok(tree.node),
        kind => {
            Err(parser.error(format_args!("Unexpected token at the end of the expression: {}", kind.name())))
        }
    }
}

struct Parser {
    // INVARIANT: ends with Eof.
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
}

static END: Token = Token { kind: TokenKind::Eof, text: Str::new_static(""), at: 0 };

fn leaf(node: Node) -> Tree {
    Tree { node, height: 1 }
}

impl Parser {
    fn ahead(&self, places: usize) -> &Token {
        self.tokens.get(self.at + places).or(self.tokens.last()).unwrap_or(&END)
    }

    fn current(&self) -> TokenKind {
        self.ahead(0).kind
    }

    fn take(&mut self) -> Token {
        let token = self.ahead(0).clone();
        self.at += 1;
        token
    }

    fn error(&self, message: impl std::fmt::Display) -> ParseError {
        ParseError::syntax(self.ahead(0).at, message)
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<()> {
        if self.current() == kind {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(format_args!("Expected {}, received: {}", kind.name(), self.current().name())))
    }

    /// A node above trees of which the highest has this height.
    fn above(&self, height: usize, node: Node) -> Parsed {
        if height >= MAX_DEPTH {
            return Err(self.error(format_args!("the expression is nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(Tree { node, height: height + 1 })
    }

    fn unary(&self, make: fn(Box<Node>) -> Node, inner: Tree) -> Parsed {
        self.above(inner.height, make(Box::new(inner.node)))
    }

    fn binary(&self, make: fn(Box<Node>, Box<Node>) -> Node, left: Tree, right: Tree) -> Parsed {
        self.above(left.height.max(right.height), make(Box::new(left.node), Box::new(right.node)))
    }

    /// An expression of words that bind tighter than `power`.
    fn expression(&mut self, power: u8) -> Parsed {
        if self.nesting >= MAX_DEPTH {
            return Err(self.error(format_args!("the expression is nested deeper than {MAX_DEPTH} levels")));
        }
        self.nesting += 1;
        let first = self.take();
        let mut left = self.prefix(first)?;
        while power < self.current().power() {
            let kind = self.take().kind;
            left = self.infix(kind, left)?;
        }
        self.nesting -= 1;
        Ok(left)
    }

    /// What `token` means at the beginning of an expression.
    fn prefix(&mut self, token: Token) -> Parsed {
        match token.kind {
            TokenKind::JsonLiteral => json_literal(&token),
            TokenKind::StringLiteral => Ok(leaf(Node::Literal(Value::String(token.text)))),
            TokenKind::QuotedIdentifier if self.current() == TokenKind::Lparen => {
                Err(ParseError::syntax(token.at, "Can't have quoted identifier as function Name."))
            }
            TokenKind::UnquotedIdentifier | TokenKind::QuotedIdentifier => Ok(leaf(Node::Field(token.text))),
            TokenKind::Star => self.leading_star(),
            TokenKind::Filter => self.filter(leaf(Node::Identity)),
            TokenKind::Lbrace => self.multi_select_hash(),
            TokenKind::Flatten => self.flatten(leaf(Node::Identity)),
            TokenKind::Lbracket => self.leading_bracket(),
            TokenKind::Current => Ok(leaf(Node::CurrentNode)),
            TokenKind::Expref => self.operand(token.kind, Node::ExpRef),
            TokenKind::Not => self.operand(token.kind, Node::NotExpression),
            TokenKind::Lparen => self.parenthesis(),
            TokenKind::Eof => Err(ParseError::syntax(token.at, "Incomplete expression")),
            TokenKind::Unknown
            | TokenKind::Dot
            | TokenKind::Rparen
            | TokenKind::Rbracket
            | TokenKind::Rbrace
            | TokenKind::Or
            | TokenKind::Pipe
            | TokenKind::Number
            | TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::Less
            | TokenKind::LessOrEqual
            | TokenKind::Greater
            | TokenKind::GreaterOrEqual
            | TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::And => {
                Err(ParseError::syntax(token.at, format_args!("Invalid token: {}", token.kind.name())))
            }
        }
    }

    /// What the word `kind`, just consumed, makes of the expression on its left.
    fn infix(&mut self, kind: TokenKind, left: Tree) -> Parsed {
        match kind {
            TokenKind::Dot => self.dot(left),
            TokenKind::Pipe => self.operator(kind, Node::Pipe, left),
            TokenKind::Or => self.operator(kind, Node::OrExpression, left),
            TokenKind::And => self.operator(kind, Node::AndExpression, left),
            TokenKind::Lparen => self.call(left),
            TokenKind::Filter => self.filter(left),
            TokenKind::Flatten => self.flatten(left),
            TokenKind::Equal => self.comparator(kind, Comparison::Equal, left),
            TokenKind::NotEqual => self.comparator(kind, Comparison::NotEqual, left),
            TokenKind::Less => self.comparator(kind, Comparison::Less, left),
            TokenKind::LessOrEqual => self.comparator(kind, Comparison::LessOrEqual, left),
            TokenKind::Greater => self.comparator(kind, Comparison::Greater, left),
            TokenKind::GreaterOrEqual => self.comparator(kind, Comparison::GreaterOrEqual, left),
            TokenKind::Lbracket => self.bracket(left),
            TokenKind::Unknown
            | TokenKind::Star
            | TokenKind::Rparen
            | TokenKind::Rbracket
            | TokenKind::Lbrace
            | TokenKind::Rbrace
            | TokenKind::Number
            | TokenKind::UnquotedIdentifier
            | TokenKind::QuotedIdentifier
            | TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::JsonLiteral
            | TokenKind::StringLiteral
            | TokenKind::Current
            | TokenKind::Expref
            | TokenKind::Not
            | TokenKind::Eof => Err(self.error(format_args!("Unexpected token: {}", kind.name()))),
        }
    }

    /// What follows a prefix operator.
    fn operand(&mut self, kind: TokenKind, make: fn(Box<Node>) -> Node) -> Parsed {
        let inner = self.expression(kind.power())?;
        self.unary(make, inner)
    }

    fn parenthesis(&mut self) -> Parsed {
        let inner = self.expression(0)?;
        self.expect(TokenKind::Rparen)?;
        Ok(inner)
    }

    /// `*` at the beginning of an expression.
    fn leading_star(&mut self) -> Parsed {
        let right = if self.current() == TokenKind::Rbracket {
            leaf(Node::Identity)
        } else {
            self.projected(TokenKind::Star.power())?
        };
        self.binary(Node::ValueProjection, leaf(Node::Identity), right)
    }

    fn dot(&mut self, left: Tree) -> Parsed {
        let power = TokenKind::Dot.power();
        if self.current() == TokenKind::Star {
            self.at += 1;
            let right = self.projected(power)?;
            return self.binary(Node::ValueProjection, left, right);
        }
        let right = self.after_dot(power)?;
        self.binary(Node::Subexpression, left, right)
    }

    fn operator(&mut self, kind: TokenKind, make: fn(Box<Node>, Box<Node>) -> Node, left: Tree) -> Parsed {
        let right = self.expression(kind.power())?;
        self.binary(make, left, right)
    }

    fn comparator(&mut self, kind: TokenKind, operator: Comparison, left: Tree) -> Parsed {
        let right = self.expression(kind.power())?;
        let height = left.height.max(right.height);
        self.above(
            height,
            Node::Comparator { operator, left: Box::new(left.node), right: Box::new(right.node) },
        )
    }

    fn call(&mut self, left: Tree) -> Parsed {
        // Go: parser.go led takes whatever value the node has: `'abs'(a)` calls abs, and so does `abs(b)(a)`.
        let name = match left.node {
            Node::Field(name) | Node::Literal(Value::String(name)) => Some(name),
            Node::FunctionExpression { name, .. } => name,
            _ => None,
        };
        let mut arguments = Vec::new();
        let mut height = 0;
        while self.current() != TokenKind::Rparen {
            let argument = self.expression(0)?;
            if self.current() == TokenKind::Comma {
                self.at += 1;
            }
            height = height.max(argument.height);
            arguments.push(argument.node);
        }
        self.expect(TokenKind::Rparen)?;
        self.above(height, Node::FunctionExpression { name, arguments })
    }

    /// `[` behind an expression.
    fn bracket(&mut self, left: Tree) -> Parsed {
        if matches!(self.current(), TokenKind::Number | TokenKind::Colon) {
            let right = self.index()?;
            return self.index_expression(left, right);
        }
        self.expect(TokenKind::Star)?;
        self.expect(TokenKind::Rbracket)?;
        let right = self.projected(TokenKind::Star.power())?;
        self.binary(Node::Projection, left, right)
    }

    /// `[` at the beginning of an expression.
    fn leading_bracket(&mut self) -> Parsed {
        match self.current() {
            TokenKind::Number | TokenKind::Colon => match self.index() {
                Ok(right) => self.index_expression(leaf(Node::Identity), right),
                // Go: parser.go nud drops this error and goes on with an empty node.
                Err(_) => Ok(leaf(Node::Empty)),
            },
            TokenKind::Star if self.ahead(1).kind == TokenKind::Rbracket => {
                self.at += 2;
                let right = self.projected(TokenKind::Star.power())?;
                self.binary(Node::Projection, leaf(Node::Identity), right)
            }
            _ => self.multi_select_list(),
        }
    }

    /// The inside of `[n]` or `[a:b:c]` with its closing bracket.
    fn index(&mut self) -> Parsed<Node> {
        if self.current() == TokenKind::Colon || self.ahead(1).kind == TokenKind::Colon {
            return self.slice();
        }
        let index = self.whole_number()?;
        self.expect(TokenKind::Rbracket)?;
        Ok(Node::Index(index))
    }

    fn slice(&mut self) -> Parsed<Node> {
        let mut parts = [None; 3];
        let mut part = parts.iter_mut();
        let mut slot = part.next();
        while let (Some(value), false) = (slot.as_deref_mut(), self.current() == TokenKind::Rbracket) {
            match self.current() {
                TokenKind::Colon => {
                    self.at += 1;
                    slot = part.next();
                }
                TokenKind::Number => *value = Some(self.whole_number()?),
                kind => {
                    let received = kind.name();
                    return Err(self.error(format_args!("Expected tColon or tNumber, received: {received}")));
                }
            }
        }
        self.expect(TokenKind::Rbracket)?;
        Ok(Node::Slice(parts))
    }

    /// The number that comes next; it is consumed if it fits.
    fn whole_number(&mut self) -> Parsed<i64> {
        let token = self.ahead(0);
        let number =
            atoi(&token.text).map_err(|error| ParseError { offset: token.at, message: error.to_string() })?;
        self.at += 1;
        Ok(number)
    }

    fn index_expression(&mut self, left: Tree, right: Node) -> Parsed {
        let is_slice = matches!(right, Node::Slice(_));
        let indexed = self.binary(Node::IndexExpression, left, leaf(right))?;
        if !is_slice {
            return Ok(indexed);
        }
        let right = self.projected(TokenKind::Star.power())?;
        self.binary(Node::Projection, indexed, right)
    }

    fn flatten(&mut self, left: Tree) -> Parsed {
        let flattened = self.unary(Node::Flatten, left)?;
        let right = self.projected(TokenKind::Flatten.power())?;
        self.binary(Node::Projection, flattened, right)
    }

    /// The condition behind `[?`, its bracket, and what follows.
    fn filter(&mut self, source: Tree) -> Parsed {
        let condition = self.expression(0)?;
        self.expect(TokenKind::Rbracket)?;
        let right = if self.current() == TokenKind::Flatten {
            leaf(Node::Identity)
        } else {
            self.projected(TokenKind::Filter.power())?
        };
        let height = source.height.max(right.height).max(condition.height);
        let node = Node::FilterProjection {
            source: Box::new(source.node),
            right: Box::new(right.node),
            condition: Box::new(condition.node),
        };
        self.above(height, node)
    }

    fn multi_select_list(&mut self) -> Parsed {
        let mut values = Vec::new();
        let mut height = 0;
        loop {
            let value = self.expression(0)?;
            height = height.max(value.height);
            values.push(value.node);
            if self.current() == TokenKind::Rbracket {
                self.at += 1;
                return self.above(height, Node::MultiSelectList(values));
            }
            self.expect(TokenKind::Comma)?;
        }
    }

    fn multi_select_hash(&mut self) -> Parsed {
        let mut pairs = Vec::new();
        let mut height = 0;
        loop {
            if !matches!(self.current(), TokenKind::UnquotedIdentifier | TokenKind::QuotedIdentifier) {
                return Err(self.error("Expected tQuotedIdentifier or tUnquotedIdentifier"));
            }
            let key = self.take().text;
            self.expect(TokenKind::Colon)?;
            let value = self.expression(0)?;
            height = height.max(value.height);
            pairs.push((key, value.node));
            // Go: parser.go parseMultiSelectHash goes on with the next pair even where the comma is missing.
            match self.current() {
                TokenKind::Comma => self.at += 1,
                TokenKind::Rbrace => {
                    self.at += 1;
                    return self.above(height, Node::MultiSelectHash(pairs));
                }
                _ => {}
            }
        }
    }

    /// What may stand behind a dot.
    fn after_dot(&mut self, power: u8) -> Parsed {
        match self.current() {
            TokenKind::QuotedIdentifier | TokenKind::UnquotedIdentifier | TokenKind::Star => {
                self.expression(power)
            }
            TokenKind::Lbracket => {
                self.at += 1;
                self.multi_select_list()
            }
            TokenKind::Lbrace => {
                self.at += 1;
                self.multi_select_hash()
            }
            _ => Err(self.error("Expected identifier, lbracket, or lbrace")),
        }
    }

    /// What follows a projection, and is evaluated for each of its elements.
    fn projected(&mut self, power: u8) -> Parsed {
        match self.current() {
            kind if kind.power() < 10 => Ok(leaf(Node::Identity)),
            TokenKind::Lbracket | TokenKind::Filter => self.expression(power),
            TokenKind::Dot => {
                self.at += 1;
                self.after_dot(power)
            }
            _ => Err(self.error("Error")),
        }
    }
}

fn json_literal(token: &Token) -> Parsed {
    match engine_json::parse(&token.text) {
        // Go's encoding/json reads every number into an interface{} as float64.
        Ok(value) => Ok(leaf(Node::Literal(value.with_float_numbers()))),
        Err(error) => Err(ParseError { offset: token.at + error.offset, message: error.message }),
    }
}
