//! The parser of correct texts: operators by precedence, no step back, nothing kept but the tree.
//!
//! In: tokens. Out: the tree, or only that the text is not one of the grammar's or is nested too deeply; [`super::exact`] then
//! finds out what the original says. The grammar is `parser/gen/CEL.g4`.

use super::build::{Builder, Optional, Piece, Span, reserved, reserved_text};
use super::token::{Kind, Token};
use super::{MAX_DEPTH, literal};
use crate::ast::{Entry, ExprId, Field, Literal};
use crate::operators;
use engine_json::Str;

/// The text is not one of the grammar's, or nested too deeply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

type Parsed<T = Piece> = Result<T, Refused>;

/// Parses a whole text.
pub(super) fn parse(source: &str, tokens: &[Token], builder: &mut Builder<'_>) -> Parsed<ExprId> {
    let mut parser = Parser {
        source,
        tokens,
        next: 0,
        builder,
        stack: Vec::with_capacity(16),
        signs: Vec::new(),
        depth: Depth { exprs: 0, relations: 0, sums: 0 },
    };
    let root = parser.expr()?;
    parser.expect(Kind::End)?;
    Ok(root.id)
}

struct Parser<'s, 'b, 'p> {
    source: &'s str,
    tokens: &'s [Token],
    next: usize,
    builder: &'b mut Builder<'p>,
    /// Arguments, elements and terms of what is being read, the innermost last.
    stack: Vec<Piece>,
    /// The places of the signs between terms.
    signs: Vec<u32>,
    depth: Depth,
}

/// How deep the rules of the grammar are nested; the original refuses more than [`MAX_DEPTH`] of one of them.
#[derive(Clone, Copy)]
struct Depth {
    exprs: u32,
    relations: u32,
    sums: u32,
}

impl From<Token> for Span {
    fn from(token: Token) -> Self {
        Span { at: token.start, start: token.start, end: token.end }
    }
}

/// The operators of two operands: how strongly they bind, and their function.
pub(super) fn operator(kind: Kind) -> Option<(u8, &'static str)> {
    Some(match kind {
        Kind::Or => (1, operators::LOGICAL_OR),
        Kind::And => (2, operators::LOGICAL_AND),
        Kind::Less => (RELATION, operators::LESS),
        Kind::LessEquals => (RELATION, operators::LESS_EQUALS),
        Kind::GreaterEquals => (RELATION, operators::GREATER_EQUALS),
        Kind::Greater => (RELATION, operators::GREATER),
        Kind::Equals => (RELATION, operators::EQUALS),
        Kind::NotEquals => (RELATION, operators::NOT_EQUALS),
        Kind::In => (RELATION, operators::IN),
        Kind::Plus => (4, operators::ADD),
        Kind::Minus => (4, operators::SUBTRACT),
        Kind::Star => (5, operators::MULTIPLY),
        Kind::Slash => (5, operators::DIVIDE),
        Kind::Percent => (5, operators::MODULO),
        _ => return None,
    })
}

const RELATION: u8 = 3;

impl<'s> Parser<'s, '_, '_> {
    fn ahead(&self, by: usize) -> Kind {
        self.tokens.get(self.next + by).map_or(Kind::End, |token| token.kind)
    }

    fn peek(&self) -> Kind {
        self.ahead(0)
    }

    fn token(&self) -> Token {
        self.tokens.get(self.next).copied().unwrap_or(Token { kind: Kind::End, start: 0, end: 0 })
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        self.next += 1;
        token
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Token> {
        if self.peek() == kind { Ok(self.advance()) } else { Err(Refused) }
    }

    fn text(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// The end of the last token.
    fn end(&self) -> u32 {
        self.next.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end)
    }

    fn span(&self, at: u32, start: u32) -> Span {
        Span { at, start, end: self.end() }
    }

    fn piece(&self, id: ExprId, start: u32, height: u32) -> Piece {
        Piece { id, start, end: self.end(), height }
    }

    /// A node that counts for the limit of depth.
    fn higher(&self, id: ExprId, start: u32, below: u32) -> Parsed {
        if below >= MAX_DEPTH { Err(Refused) } else { Ok(self.piece(id, start, below + 1)) }
    }

    /// `or ['?' or ':' expr]`
    fn expr(&mut self) -> Parsed {
        self.depth.exprs += 1;
        if self.depth.exprs > MAX_DEPTH {
            return Err(Refused);
        }
        let mut out = self.terms()?;
        if self.peek() == Kind::Question {
            let at = self.advance().start;
            let yes = self.terms()?;
            self.expect(Kind::Colon)?;
            let no = self.expr()?;
            let span = self.span(at, out.start);
            let id = self.builder.operator(operators::CONDITIONAL, &[out.id, yes.id, no.id], span);
            out = self.higher(id, out.start, out.height.max(yes.height).max(no.height))?;
        }
        self.depth.exprs -= 1;
        Ok(out)
    }

    /// All operators of two operands.
    fn terms(&mut self) -> Parsed {
        self.depth.relations += 1;
        self.depth.sums += 1;
        let out = self.binary(1)?;
        self.depth.relations -= 1;
        self.depth.sums -= 1;
        Ok(out)
    }

    /// Operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Parsed {
        if self.depth.relations > MAX_DEPTH || self.depth.sums > MAX_DEPTH {
            return Err(Refused);
        }
        let mut left = self.operand()?;
        while let Some((power, name)) = operator(self.peek()).filter(|(power, _)| *power >= least) {
            if power < RELATION {
                left = self.chain(left, power, name)?;
                continue;
            }
            let at = self.advance().start;
            let before = self.depth;
            let deeper = if power == RELATION { &mut self.depth.relations } else { &mut self.depth.sums };
            *deeper += 1;
            let right = self.binary(power + 1)?;
            self.depth = before;
            let span = self.span(at, left.start);
            let id = self.builder.operator(name, &[left.id, right.id], span);
            left = self.higher(id, left.start, left.height.max(right.height))?;
        }
        Ok(left)
    }

    /// `a && b && c`: all terms first, then one balanced tree.
    fn chain(&mut self, first: Piece, power: u8, name: &'static str) -> Parsed {
        let (terms, signs, kind) = (self.stack.len(), self.signs.len(), self.peek());
        self.stack.push(first);
        while self.peek() == kind {
            let at = self.advance().start;
            self.signs.push(at);
            let term = self.binary(power + 1)?;
            self.stack.push(term);
        }
        let chained = self.stack.get(terms..).unwrap_or_default();
        let balanced = self.builder.balanced(name, chained, self.signs.get(signs..).unwrap_or_default());
        self.stack.truncate(terms);
        self.signs.truncate(signs);
        balanced.ok_or(Refused)
    }

    /// `member`, `!member`, `-member`; an even number of signs is none.
    fn operand(&mut self) -> Parsed {
        let sign = self.token();
        let name = match sign.kind {
            Kind::Bang => operators::LOGICAL_NOT,
            Kind::Minus if matches!(self.ahead(1), Kind::Int | Kind::Float) => return self.member(),
            Kind::Minus => operators::NEGATE,
            _ => return self.member(),
        };
        let mut odd = false;
        while self.eat(sign.kind) {
            odd = !odd;
        }
        let operand = self.member()?;
        let id = if odd {
            let span = self.span(sign.start, sign.start);
            self.builder.operator(name, &[operand.id], span)
        } else {
            operand.id
        };
        Ok(self.piece(id, sign.start, operand.height))
    }

    /// A primary expression and what is selected of it.
    fn member(&mut self) -> Parsed {
        let mut left = self.primary()?;
        loop {
            left = match self.peek() {
                Kind::Dot => self.selection(left)?,
                Kind::LeftBracket => self.index(left)?,
                _ => return Ok(left),
            };
        }
    }

    fn selection(&mut self, left: Piece) -> Parsed {
        let at = self.advance().start;
        let optional = self.eat(Kind::Question);
        let name = self.advance();
        let field = match name.kind {
            Kind::Ident => self.text(name),
            Kind::Quoted => self.text(name).trim_matches('`'),
            _ => return Err(Refused),
        };
        if optional {
            let span = self.span(at, left.start);
            let id = self.builder.optional_select(left.id, field, name.into(), span);
            return self.higher(id, left.start, left.height);
        }
        if name.kind == Kind::Ident && self.peek() == Kind::LeftParen {
            return self.call(field, Some(left), left.start);
        }
        let span = self.span(at, left.start);
        let id = self.builder.select(left.id, field, span);
        self.higher(id, left.start, left.height)
    }

    fn index(&mut self, left: Piece) -> Parsed {
        let at = self.advance().start;
        let optional = if self.eat(Kind::Question) { Optional::Yes } else { Optional::No };
        let index = self.expr()?;
        self.expect(Kind::RightBracket)?;
        let span = self.span(at, left.start);
        let id = self.builder.index(left.id, index.id, optional, span);
        self.higher(id, left.start, left.height.max(index.height))
    }

    /// The arguments of a call and the call.
    fn call(&mut self, name: &str, target: Option<Piece>, start: u32) -> Parsed {
        let at = self.advance().start;
        let base = self.stack.len();
        if self.peek() != Kind::RightParen {
            loop {
                let argument = self.expr()?;
                self.stack.push(argument);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        self.expect(Kind::RightParen)?;
        let args = self.stack.get(base..).unwrap_or_default();
        let below = args.iter().chain(&target).map(|piece| piece.height).max().unwrap_or(0);
        let args: Vec<ExprId> = args.iter().map(|piece| piece.id).collect();
        self.stack.truncate(base);
        let span = self.span(at, start);
        let id = self.builder.call(name, target.map(|target| target.id), &args, span);
        // Go: the call of a function is not counted, that of a method is (`parser.Visit`).
        if target.is_some() { self.higher(id, start, below) } else { Ok(self.piece(id, start, below)) }
    }

    fn primary(&mut self) -> Parsed {
        let token = self.token();
        match token.kind {
            Kind::Ident => self.named(token.start, ""),
            Kind::Dot if self.ahead(1) == Kind::Ident => {
                self.next += 1;
                self.named(token.start, ".")
            }
            Kind::LeftParen => {
                self.next += 1;
                let inner = self.expr()?;
                self.expect(Kind::RightParen)?;
                Ok(self.piece(inner.id, token.start, inner.height))
            }
            Kind::LeftBracket => self.list(),
            Kind::LeftBrace => self.map(),
            _ => self.literal(),
        }
    }

    /// A variable, the call of a function, or a message: what begins with a name.
    fn named(&mut self, start: u32, dot: &str) -> Parsed {
        let mut ahead = 1;
        while self.ahead(ahead) == Kind::Dot && self.ahead(ahead + 1) == Kind::Ident {
            ahead += 2;
        }
        if self.ahead(ahead) == Kind::LeftBrace {
            return self.message(start, dot, ahead);
        }
        let word = self.advance();
        let text = self.text(word);
        let dotted: Str;
        let name = if dot.is_empty() {
            text
        } else {
            dotted = [dot, text].into_iter().collect();
            dotted.as_str()
        };
        if self.peek() != Kind::LeftParen {
            let span = self.span(word.start, start);
            let id = self.builder.ident(name, span);
            return Ok(self.piece(id, start, 0));
        }
        let Some(word) = reserved(name) else { return self.call(name, None, start) };
        // Go: the arguments of a function that may not have this name are not looked at (`VisitGlobalCall`).
        let (known, ids) = (self.builder.issues.len(), self.builder.ids);
        let call = self.call(name, None, start)?;
        self.builder.issues.truncate(known);
        self.builder.ids = ids;
        let span = self.span(start, start);
        let id = self.builder.report(span, reserved_text(word));
        Ok(self.piece(id, start, call.height))
    }

    fn list(&mut self) -> Parsed {
        let at = self.advance().start;
        let base = self.stack.len();
        let mut optional = Vec::new();
        let mut more = !matches!(self.peek(), Kind::RightBracket | Kind::Comma);
        while more {
            let mark = self.optional_mark();
            let element = self.expr()?;
            if mark.is_some() {
                optional.push(u32::try_from(self.stack.len() - base).unwrap_or(u32::MAX));
                self.refuse_optional(mark, None);
            }
            self.stack.push(element);
            more = self.another(Kind::RightBracket);
        }
        self.eat(Kind::Comma);
        self.expect(Kind::RightBracket)?;
        let elements = self.stack.get(base..).unwrap_or_default();
        let below = elements.iter().map(|piece| piece.height).max().unwrap_or(0);
        let elements: Vec<ExprId> = elements.iter().map(|piece| piece.id).collect();
        self.stack.truncate(base);
        let span = self.span(at, at);
        let id = self.builder.list(&elements, &optional, span);
        Ok(self.piece(id, at, below))
    }

    /// Eats a comma that another element follows; one before the closing sign stays.
    fn another(&mut self, closing: Kind) -> bool {
        self.peek() == Kind::Comma && self.ahead(1) != closing && self.eat(Kind::Comma)
    }

    /// The place of a `?` in front of an element, and what was known before it.
    fn optional_mark(&mut self) -> Option<(u32, usize, u32)> {
        let at = self.token().start;
        self.eat(Kind::Question).then_some((at, self.builder.issues.len(), self.builder.ids))
    }

    /// Reports a `?` that the options do not allow; what stands behind it in a map is then not looked at.
    fn refuse_optional(&mut self, mark: Option<(u32, usize, u32)>, skipped: Option<()>) {
        let Some((at, known, ids)) = mark.filter(|_| !self.builder.options.optional_syntax) else { return };
        if skipped.is_some() {
            self.builder.issues.truncate(known);
            self.builder.ids = ids;
        }
        let span = self.span(at, at);
        self.builder.report(span, "unsupported syntax '?'");
    }

    fn map(&mut self) -> Parsed {
        let start = self.advance().start;
        let mut entries = Vec::new();
        let mut below = 0;
        let mut more = !matches!(self.peek(), Kind::RightBrace | Kind::Comma);
        while more {
            let mark = self.optional_mark();
            let key = self.expr()?;
            let at = self.expect(Kind::Colon)?.start;
            let value = self.expr()?;
            self.refuse_optional(mark, Some(()));
            below = below.max(key.height).max(value.height);
            entries.push(Entry { key: key.id, value: value.id, optional: mark.is_some(), at });
            more = self.another(Kind::RightBrace);
        }
        self.eat(Kind::Comma);
        self.expect(Kind::RightBrace)?;
        let span = self.span(start, start);
        let id = self.builder.map(entries, span);
        Ok(self.piece(id, start, below))
    }

    /// `a.b.C{field: value}`; the brace is `ahead` tokens ahead.
    fn message(&mut self, start: u32, dot: &str, ahead: usize) -> Parsed {
        let mut name = String::from(dot);
        for _ in 0..ahead {
            let token = self.advance();
            name.push_str(self.text(token));
        }
        let at = self.advance().start;
        let mut fields = Vec::new();
        let mut below = 0;
        let mut more = !matches!(self.peek(), Kind::RightBrace | Kind::Comma);
        while more {
            let mark = self.optional_mark();
            let field = self.advance();
            let name = match field.kind {
                Kind::Ident => self.text(field),
                Kind::Quoted => self.text(field).trim_matches('`'),
                _ => return Err(Refused),
            };
            let at = self.expect(Kind::Colon)?.start;
            let value = self.expr()?;
            self.refuse_optional(mark, Some(()));
            below = below.max(value.height);
            fields.push(Field { name: Str::from(name), value: value.id, optional: mark.is_some(), at });
            more = self.another(Kind::RightBrace);
        }
        self.eat(Kind::Comma);
        self.expect(Kind::RightBrace)?;
        let span = self.span(at, start);
        let id = self.builder.structure(Str::from(name), fields, span);
        Ok(self.piece(id, start, below))
    }

    fn literal(&mut self) -> Parsed {
        let start = self.token().start;
        let sign = if self.eat(Kind::Minus) { "-" } else { "" };
        let token = self.advance();
        let text = self.text(token);
        let span = self.span(start, start);
        let value = match token.kind {
            Kind::Int => literal::int(text, sign),
            Kind::Float => literal::double(text, sign),
            _ if !sign.is_empty() => return Err(Refused),
            Kind::Uint => literal::uint(text),
            Kind::True => Ok(Literal::Bool(true)),
            Kind::False => Ok(Literal::Bool(false)),
            Kind::Null => Ok(Literal::Null),
            Kind::String => {
                let id = self.builder.string(text, span);
                return Ok(self.piece(id, start, 0));
            }
            Kind::Bytes => {
                let id = self.builder.bytes(text, span);
                return Ok(self.piece(id, start, 0));
            }
            _ => return Err(Refused),
        };
        let id = self.builder.literal(value, span);
        Ok(self.piece(id, start, 0))
    }
}
