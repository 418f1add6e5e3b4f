//! Prints a tree as an expression; read again, the text gives the same tree.
//!
//! In: a tree and the macros it was read with. Out: the text, with macros as they are written and no parentheses but those that
//! are needed.

use super::Options;
use super::macros::{SORT_INPUT, written_as_method};
use crate::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin};
use crate::operators;
use std::fmt::Write as _;

/// Prints the whole tree.
pub fn print(ast: &Ast, options: &Options<'_>) -> String {
    let mut printer = Printer { ast, options, text: String::new() };
    printer.expr(ast.root(), Level::Expr);
    printer.text
}

/// How strongly the parts of an expression bind, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Expr,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Member,
}

/// The sign of an operator of two operands, how strongly it binds, and how strongly its second operand must.
fn binary(function: &str) -> Option<(&'static str, Level, Level)> {
    let relation = |sign| Some((sign, Level::Relation, Level::Sum));
    let sum = |sign| Some((sign, Level::Sum, Level::Product));
    let product = |sign| Some((sign, Level::Product, Level::Unary));
    match function {
        operators::LOGICAL_OR => Some(("||", Level::Or, Level::And)),
        operators::LOGICAL_AND => Some(("&&", Level::And, Level::Relation)),
        operators::EQUALS => relation("=="),
        operators::NOT_EQUALS => relation("!="),
        operators::LESS => relation("<"),
        operators::LESS_EQUALS => relation("<="),
        operators::GREATER => relation(">"),
        operators::GREATER_EQUALS => relation(">="),
        operators::IN => relation("in"),
        operators::ADD => sum("+"),
        operators::SUBTRACT => sum("-"),
        operators::MULTIPLY => product("*"),
        operators::DIVIDE => product("/"),
        operators::MODULO => product("%"),
        _ => None,
    }
}

/// What an optional macro binds, where a conditional is one: the receiver, the macro, the name and the body.
type OptionalMacro<'a> = (ExprId, &'static str, &'a str, ExprId);

struct Printer<'a> {
    ast: &'a Ast,
    options: &'a Options<'a>,
    text: String,
}

impl<'a> Printer<'a> {
    fn level(&self, id: ExprId) -> Level {
        let Expr::Call { function, target: None, args } = self.ast.expr(id) else { return Level::Member };
        match (function.as_str(), args.len()) {
            (operators::CONDITIONAL, 3) if self.optional_macro(id).is_none() => Level::Expr,
            (operators::LOGICAL_NOT | operators::NEGATE, 1) => Level::Unary,
            (function, 2) => binary(function).map_or(Level::Member, |(_, level, _)| level),
            _ => Level::Member,
        }
    }

    /// Prints an expression, in parentheses if it binds too weakly for its place.
    fn expr(&mut self, id: ExprId, least: Level) {
        let level = self.level(id);
        if level < least {
            self.text.push('(');
        }
        self.bare(id);
        if level < least {
            self.text.push(')');
        }
    }

    fn bare(&mut self, id: ExprId) {
        match self.ast.expr(id) {
            Expr::Literal(value) => self.literal(value),
            Expr::Ident(name) => self.text.push_str(name),
            Expr::Select { operand, field, test } => {
                self.text.push_str(if *test { "has(" } else { "" });
                self.expr(*operand, Level::Member);
                self.text.push('.');
                self.field(field);
                self.text.push_str(if *test { ")" } else { "" });
            }
            Expr::Call { function, target, args } => self.call(id, function, *target, args),
            Expr::List { elements, optional } => {
                self.text.push('[');
                for (index, &element) in (0_u32..).zip(elements.iter()) {
                    self.comma(index > 0);
                    self.mark(optional.contains(&index));
                    self.expr(element, Level::Expr);
                }
                self.text.push(']');
            }
            Expr::Map(entries) => {
                self.text.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    self.comma(index > 0);
                    self.mark(entry.optional);
                    self.expr(entry.key, Level::Expr);
                    self.text.push_str(": ");
                    self.expr(entry.value, Level::Expr);
                }
                self.text.push('}');
            }
            Expr::Struct { name, fields } => {
                self.text.push_str(name);
                self.text.push('{');
                for (index, field) in fields.iter().enumerate() {
                    self.comma(index > 0);
                    self.mark(field.optional);
                    self.field(&field.name);
                    self.text.push_str(": ");
                    self.expr(field.value, Level::Expr);
                }
                self.text.push('}');
            }
            Expr::Comprehension(fold) => self.fold(fold),
        }
    }

    fn comma(&mut self, wanted: impl Into<Wanted>) {
        if wanted.into() == Wanted::Yes {
            self.text.push_str(", ");
        }
    }

    fn mark(&mut self, wanted: impl Into<Wanted>) {
        if wanted.into() == Wanted::Yes {
            self.text.push('?');
        }
    }

    /// A name behind a dot or in a message, in back-ticks where it is not a plain one.
    fn field(&mut self, name: &str) {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && !matches!(name, "in" | "true" | "false" | "null");
        let tick = if plain { "" } else { "`" };
        let _ = write!(self.text, "{tick}{name}{tick}");
    }

    fn literal(&mut self, value: &Literal) {
        let text = &mut self.text;
        let _ = match value {
            Literal::Null => write!(text, "null"),
            Literal::Bool(value) => write!(text, "{value}"),
            Literal::Int(value) => write!(text, "{value}"),
            Literal::Uint(value) => write!(text, "{value}u"),
            Literal::Double(value) => write!(text, "{value:?}"),
            Literal::String(value) => {
                text.push('"');
                value.chars().for_each(|c| push_char(text, c));
                text.push('"');
                Ok(())
            }
            Literal::Bytes(bytes) => {
                text.push_str("b\"");
                for &byte in bytes {
                    match byte {
                        b' '..=b'~' => push_char(text, char::from(byte)),
                        _ => drop(write!(text, "\\x{byte:02x}")),
                    }
                }
                text.push('"');
                Ok(())
            }
        };
    }

    fn call(&mut self, id: ExprId, function: &'a str, target: Option<ExprId>, args: &'a [ExprId]) {
        if let Some((receiver, name, variable, body)) = self.optional_macro(id) {
            self.expr(receiver, Level::Member);
            let _ = write!(self.text, ".{name}({variable}, ");
            self.expr(body, Level::Expr);
            return self.text.push(')');
        }
        match (function, target, args) {
            (operators::CONDITIONAL, None, [condition, yes, no]) => {
                self.expr(*condition, Level::Or);
                self.text.push_str(" ? ");
                self.expr(*yes, Level::Or);
                self.text.push_str(" : ");
                self.expr(*no, Level::Expr);
            }
            (operators::LOGICAL_NOT, None, [operand]) => {
                self.text.push('!');
                self.expr(*operand, Level::Member);
            }
            (operators::NEGATE, None, [operand]) => self.negation(*operand),
            (operators::INDEX | operators::OPTIONAL_INDEX, None, [operand, index]) => {
                self.expr(*operand, Level::Member);
                self.text.push_str(if function == operators::INDEX { "[" } else { "[?" });
                self.expr(*index, Level::Expr);
                self.text.push(']');
            }
            (operators::OPTIONAL_SELECT, None, [operand, field]) => {
                self.expr(*operand, Level::Member);
                self.text.push_str(".?");
                if let Expr::Literal(Literal::String(field)) = self.ast.expr(*field) {
                    self.field(field);
                }
            }
            (_, None, [left, right]) if binary(function).is_some() => {
                self.operation(id, function, *left, *right);
            }
            _ => self.named(function, target, args),
        }
    }

    /// `-operand`. A number takes a sign in front of it as its own, so what begins with one stands in parentheses.
    fn negation(&mut self, operand: ExprId) {
        self.text.push('-');
        let start = self.text.len();
        self.expr(operand, Level::Member);
        let is_uint = matches!(self.ast.expr(operand), Expr::Literal(Literal::Uint(_)));
        let begins = self
            .text
            .get(start..)
            .is_some_and(|text| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
        if begins && !is_uint {
            self.text.insert(start, '(');
            self.text.push(')');
        }
    }

    fn operation(&mut self, id: ExprId, function: &str, left: ExprId, right: ExprId) {
        let Some((sign, level, behind)) = binary(function) else { return };
        if level > Level::And {
            return self.infix(&[(left, level), (right, behind)], sign);
        }
        // Terms of a chain become a balanced tree: where this is not the tree that all of them give, the two halves are terms.
        let mut terms = Vec::new();
        self.terms(id, function, &mut terms);
        if self.is_balanced(id, function, terms.len()) {
            let terms: Vec<_> = terms.into_iter().map(|term| (term, behind)).collect();
            return self.infix(&terms, sign);
        }
        self.infix(&[(left, behind), (right, behind)], sign);
    }

    fn infix(&mut self, operands: &[(ExprId, Level)], sign: &str) {
        for (index, &(operand, level)) in operands.iter().enumerate() {
            if index > 0 {
                let _ = write!(self.text, " {sign} ");
            }
            self.expr(operand, level);
        }
    }

    fn halves(&self, id: ExprId, chained: &str) -> Option<(ExprId, ExprId)> {
        match self.ast.expr(id) {
            Expr::Call { function, target: None, args } if function == chained => match args[..] {
                [left, right] => Some((left, right)),
                _ => None,
            },
            _ => None,
        }
    }

    /// All terms of a chain from left to right.
    fn terms(&self, id: ExprId, function: &str, terms: &mut Vec<ExprId>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            match self.halves(id, function) {
                Some((left, right)) => waiting.extend([right, left]),
                None => terms.push(id),
            }
        }
    }

    /// Whether a tree is the one that so many terms give.
    fn is_balanced(&self, id: ExprId, function: &str, terms: usize) -> bool {
        let mut waiting = vec![(id, terms)];
        while let Some((id, terms)) = waiting.pop() {
            match (self.halves(id, function), terms) {
                (None, 1) => {}
                (Some((left, right)), 2..) => {
                    let first = (terms - 1) / 2 + 1;
                    waiting.extend([(left, first), (right, terms - first)]);
                }
                _ => return false,
            }
        }
        true
    }

    /// `name(args)` and `target.name(args)`.
    fn named(&mut self, function: &str, target: Option<ExprId>, args: &[ExprId]) {
        let extreme = match function {
            "math.@min" => Some("math.least"),
            "math.@max" => Some("math.greatest"),
            _ => None,
        };
        if let Some(method) = written_as_method(self.options.macros, function, args.len())
            && let (None, Some((receiver, rest))) = (target, args.split_first())
        {
            self.expr(*receiver, Level::Member);
            let _ = write!(self.text, ".{method}");
            return self.arguments(rest);
        }
        if let Some(target) = target {
            self.expr(target, Level::Member);
            self.text.push('.');
        }
        self.text.push_str(extreme.unwrap_or(function));
        self.arguments(args);
    }

    fn arguments(&mut self, args: &[ExprId]) {
        self.text.push('(');
        for (index, &arg) in args.iter().enumerate() {
            self.comma(index > 0);
            self.expr(arg, Level::Expr);
        }
        self.text.push(')');
    }

    /// A fold, as the macro it was written as.
    fn fold(&mut self, fold: &'a Comprehension) {
        let (name, args) = match &fold.origin {
            Origin::Bind { value, body } => return self.bind(&fold.accu, *value, *body),
            Origin::All(predicate) => ("all", [Some(*predicate), None]),
            Origin::Exists(predicate) => ("exists", [Some(*predicate), None]),
            Origin::ExistsOne(predicate) => ("exists_one", [Some(*predicate), None]),
            Origin::Filter(predicate) => ("filter", [Some(*predicate), None]),
            Origin::Map { predicate, transform } => {
                (if fold.var2.is_some() { "transformList" } else { "map" }, [*predicate, Some(*transform)])
            }
            Origin::TransformMap { predicate, transform } => ("transformMap", [*predicate, Some(*transform)]),
            Origin::TransformMapEntry { predicate, transform } => {
                ("transformMapEntry", [*predicate, Some(*transform)])
            }
        };
        self.expr(fold.range, Level::Member);
        let _ = write!(self.text, ".{name}({}", fold.var);
        if let Some(second) = &fold.var2 {
            let _ = write!(self.text, ", {second}");
        }
        for arg in args.into_iter().flatten() {
            self.text.push_str(", ");
            self.expr(arg, Level::Expr);
        }
        self.text.push(')');
    }

    /// `cel.bind`, or the `sortBy` that binds its list.
    fn bind(&mut self, name: &str, value: ExprId, body: ExprId) {
        if name == SORT_INPUT
            && let Expr::Call { args, .. } = self.ast.expr(body)
            && let Some(Expr::Comprehension(keys)) = args.first().map(|keys| self.ast.expr(*keys))
            && let Origin::Map { transform, .. } = keys.origin
        {
            self.expr(value, Level::Member);
            let _ = write!(self.text, ".sortBy({}, ", keys.var);
            self.expr(transform, Level::Expr);
        } else {
            let _ = write!(self.text, "cel.bind({name}, ");
            self.expr(value, Level::Expr);
            self.text.push_str(", ");
            self.expr(body, Level::Expr);
        }
        self.text.push(')');
    }

    /// The parts of `optMap` and `optFlatMap`, where a conditional is what they expand to. The functions of the expansion
    /// have names that no expression can write.
    fn optional_macro(&self, id: ExprId) -> Option<OptionalMacro<'a>> {
        let Expr::Call { function, args, .. } = self.ast.expr(id) else { return None };
        let [condition, yes, no] = args[..] else { return None };
        let global = |id: ExprId, wanted: &str| match self.ast.expr(id) {
            Expr::Call { function, target: None, args } if function == wanted => Some(args),
            _ => None,
        };
        if function != operators::CONDITIONAL {
            return None;
        }
        global(no, "optional.none")?;
        let Expr::Call { target: Some(receiver), .. } = self.ast.expr(condition) else { return None };
        let (name, bound) = match global(yes, "optional.of") {
            Some(args) => ("optMap", *args.first()?),
            None => ("optFlatMap", yes),
        };
        let Expr::Comprehension(fold) = self.ast.expr(bound) else { return None };
        let Origin::Bind { body, .. } = fold.origin else { return None };
        Some((*receiver, name, fold.accu.as_str(), body))
    }
}

/// Whether something is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
}

impl From<bool> for Wanted {
    fn from(wanted: bool) -> Self {
        if wanted { Wanted::Yes } else { Wanted::No }
    }
}

fn push_char(text: &mut String, c: char) {
    match c {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c if c.is_control() => drop(write!(text, "\\u{:04x}", u32::from(c))),
        c => text.push(c),
    }
}

#[cfg(test)]
mod tests;
