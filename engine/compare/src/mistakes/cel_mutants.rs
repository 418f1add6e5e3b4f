//! Small mistakes in expressions of CEL.
//!
//! In: an expression. Out: copies with one mistake each, in the order of the text.

use crate::mistakes::further;
use crate::mistakes::mutants::Class;
use crate::reads::cel::parsed;
use engine_cel::ast::{Ast, Expr, ExprId, Literal};

/// A text, and what is written for it.
const SWAPS: &[(Class, &str, &str)] = &[
    (Class::Operator, "==", "!="),
    (Class::Operator, "!=", "=="),
    (Class::Operator, "&&", "||"),
    (Class::Operator, "||", "&&"),
    (Class::Operator, "<=", "<"),
    (Class::Operator, ">=", ">"),
    (Class::Operator, " < ", " <= "),
    (Class::Operator, " > ", " >= "),
    (Class::Operator, "request.dryRun", "!request.dryRun"),
    (Class::Operator, "!has(", "has("),
    (Class::Operator, "startsWith(", "endsWith("),
    (Class::Operator, "endsWith(", "startsWith("),
    (Class::Operator, "!object", "object"),
    (Class::Operator, "!variables", "variables"),
    (Class::Quantifier, ".all(", ".exists("),
    (Class::Quantifier, ".exists(", ".all("),
    (Class::OrValue, "orValue(true)", "orValue(false)"),
    (Class::OrValue, "orValue(false)", "orValue(true)"),
    (Class::OrValue, "orValue(\"\")", "orValue(\"z\")"),
    (Class::OrValue, "orValue('')", "orValue('z')"),
    (Class::OrValue, "orValue(0)", "orValue(1)"),
    (Class::List, "initContainers", "containers"),
    (Class::List, "ephemeralContainers", "containers"),
    (Class::Constant, "true", "false"),
    (Class::Constant, "false", "true"),
];

/// The copies.
pub(crate) fn mutants(expression: &str) -> Vec<(Class, String, String)> {
    let mut all = Vec::new();
    let is_in_text = in_texts(expression);
    for (class, from, to) in SWAPS {
        for (at, _) in expression.match_indices(from) {
            if is_in_text.get(at).copied().unwrap_or(false) || is_within(expression, at, from) {
                continue;
            }
            all.push((
                at,
                *class,
                replaced(expression, at, from.len(), to),
                format!("`{from}` is `{to}` at {at}"),
            ));
        }
    }
    for (at, length, new) in constants(expression, &is_in_text) {
        all.push((at, Class::Constant, replaced(expression, at, length, &new), format!("{new} at {at}")));
    }
    for (at, length, new) in further::elements(expression, &is_in_text) {
        all.push((at, Class::Order, replaced(expression, at, length, &new), format!("{new} at {at}")));
    }
    all.sort_by_key(|(at, ..)| *at);
    all.into_iter().map(|(_, class, new, text)| (class, new, text)).collect()
}

/// Whether a match is only a part of what stands there: `=` of `==`, `has(` of `!has(`, `true` within a name.
fn is_within(text: &str, at: usize, from: &str) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at + from.len()..).and_then(|text| text.chars().next());
    let is_name = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts_with_name = from.starts_with(|c: char| c.is_ascii_alphanumeric());
    let ends_with_name = from.ends_with(|c: char| c.is_ascii_alphanumeric());
    (starts_with_name && is_name(before))
        || (ends_with_name && is_name(after))
        || (from == "==" && before == Some('!'))
}

pub(super) fn replaced(text: &str, at: usize, length: usize, with: &str) -> String {
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    format!("{before}{with}{}", rest.get(length..).unwrap_or(""))
}

/// For each byte whether it stands within quotes.
fn in_texts(expression: &str) -> Vec<bool> {
    let mut open: Option<u8> = None;
    let mut is_escaped = false;
    let within = |byte: u8| {
        let was = open.is_some();
        match open {
            _ if is_escaped => is_escaped = false,
            Some(_) if byte == b'\\' => is_escaped = true,
            Some(quote) if byte == quote => open = None,
            None if matches!(byte, b'"' | b'\'') => open = Some(byte),
            _ => {}
        }
        was
    };
    expression.bytes().map(within).collect()
}

/// Texts and whole numbers: their place, their length, and another one.
fn constants(expression: &str, is_in_text: &[bool]) -> Vec<(usize, usize, String)> {
    let bytes = expression.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = expression.get(at..).unwrap_or("");
        let is_inside = is_in_text.get(at).copied().unwrap_or(false);
        if matches!(byte, b'"' | b'\'') && !is_inside {
            let length = rest
                .bytes()
                .enumerate()
                .skip(1)
                .find(|(_, other)| other == byte)
                .map_or(1, |(end, _)| end + 1);
            let inner = rest.get(1..length.saturating_sub(1)).unwrap_or("");
            let quote = char::from(*byte);
            if !inner.contains('\\') {
                found.push((at, length, format!("{quote}{inner}z{quote}")));
            }
            at += length;
        } else if byte.is_ascii_digit() && !is_inside {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            let is_own = before.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, b'_' | b'.'));
            if let Some(number) =
                rest.get(..length).and_then(|digits| digits.parse::<u64>().ok()).filter(|_| is_own)
            {
                found.push((at, length, number.saturating_add(1).to_string()));
            }
            at += length.max(1);
        } else {
            at += 1;
        }
    }
    found
}

/// Whether two expressions differ in nothing but what an absent value stands for, and that is held at once against a constant which both
/// stand to alike: `x.orValue('') == 'a'` and `x.orValue('z') == 'a'`.
pub(crate) fn are_alike(old: &str, new: &str) -> bool {
    let (Some(old), Some(new)) = (parsed(old), parsed(new)) else { return false };
    if old.nodes().len() != new.nodes().len() || old.root() != new.root() {
        return false;
    }
    let pairs = || old.nodes().iter().zip(new.nodes()).enumerate();
    let mut changed = pairs().filter(|(_, (one, other))| one.expr != other.expr);
    let (Some((at, (one, other))), None) = (changed.next(), changed.next()) else { return false };
    let (Expr::Literal(before), Expr::Literal(after)) = (&one.expr, &other.expr) else { return false };
    let Some(default) = parent(
        &old,
        at,
        |expr, id| matches!(expr, Expr::Call { function, target: Some(_), args } if function == "orValue" && **args == [id]),
    ) else {
        return false;
    };
    // A number stays what it is.
    let is_number = matches!((before, after), (Literal::Int(_), Literal::Int(_)));
    let default = parent(
        &old,
        default,
        |expr, id| matches!(expr, Expr::Call { function, target: None, args } if is_number && function == "int" && **args == [id]),
    )
    .unwrap_or(default);
    let held = |literal: &Literal| {
        let mut found = None;
        parent(&old, default, |expr, id| {
            found = test(&old, expr, id, literal);
            found.is_some()
        });
        found
    };
    let (before, after) = (held(before), held(after));
    before.is_some() && before == after
}

/// The node that a node is a part of, where it is of this form.
fn parent(ast: &Ast, at: usize, mut is_it: impl FnMut(&Expr, ExprId) -> bool) -> Option<usize> {
    let id = ExprId::from_index(at);
    ast.nodes().iter().position(|node| is_it(&node.expr, id))
}

/// What a test of the node `id` against a constant comes to where the node is this literal.
fn test(ast: &Ast, expr: &Expr, id: ExprId, literal: &Literal) -> Option<bool> {
    let Expr::Call { function, target, args } = expr else { return None };
    let constant = |other: ExprId| match ast.expr(other) {
        Expr::Literal(literal) => Some(literal),
        _ => None,
    };
    let function = function.as_str();
    match (function, target, &**args) {
        ("_==_" | "_!=_", None, [left, right]) => {
            let other = if *left == id {
                constant(*right)
            } else if *right == id {
                constant(*left)
            } else {
                None
            };
            // An integer may equal a double; nothing is said of those.
            let other =
                other.filter(|other| std::mem::discriminant(*other) == std::mem::discriminant(literal))?;
            Some((function == "_==_") == (other == literal))
        }
        ("_<_" | "_<=_" | "_>_" | "_>=_", None, [left, right]) => {
            let Literal::Int(number) = literal else { return None };
            let other = if *left == id { *right } else { *left };
            let Literal::Int(other) = constant(other).filter(|_| *left == id || *right == id)? else {
                return None;
            };
            let ordering = if *left == id { number.cmp(other) } else { other.cmp(number) };
            Some(match function {
                "_<_" => ordering.is_lt(),
                "_<=_" => ordering.is_le(),
                "_>_" => ordering.is_gt(),
                _ => ordering.is_ge(),
            })
        }
        ("@in", None, [item, list]) if *item == id => {
            let Expr::List { elements, .. } = ast.expr(*list) else { return None };
            let held: Option<Vec<&Literal>> = elements.iter().map(|element| constant(*element)).collect();
            let held = held?;
            let is_comparable =
                |other: &&Literal| std::mem::discriminant(*other) == std::mem::discriminant(literal);
            held.iter().all(is_comparable).then(|| held.contains(&literal))
        }
        (name, Some(target), [arg]) if *target == id => {
            let (Literal::String(text), Literal::String(held)) = (literal, constant(*arg)?) else {
                return None;
            };
            match name {
                "startsWith" => Some(text.starts_with(held.as_str())),
                "endsWith" => Some(text.ends_with(held.as_str())),
                "contains" => Some(text.contains(held.as_str())),
                "matches" => Some(engine::value::re2::Regex::new(held).ok()?.is_match(text).ok()?.value),
                _ => None,
            }
        }
        _ => None,
    }
}
