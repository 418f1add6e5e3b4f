//! The validators of literals: durations, times, regular expressions and clauses of `format`.
//!
//! In: a tree whose check found nothing. Out: a report for each literal that cannot be what it stands for. Kubernetes and
//! Kyverno switch them on in most environments (cel-go: `cel/validator.go`, `ext/formatting.go`).

use crate::ast::{Ast, Expr, ExprId, Literal};
use crate::check::Checked;
use crate::env::Env;
use crate::issue::Issue;
use crate::standard::literals;
use crate::types::Type;
use engine_values::re2::Regex;

/// Looks at the literals given to `duration`, then to `timestamp`, then to the method `matches`.
pub fn argument_literals(ast: &Ast, env: &Env, found: &mut Vec<Issue>) {
    for name in ["duration", "timestamp", "matches"] {
        calls(ast, |id| {
            let Expr::Call { function, args, .. } = ast.expr(id) else { return };
            let Some(argument) = args.first().filter(|_| function == name) else { return };
            let Expr::Literal(literal) = ast.expr(*argument) else { return };
            let is_right = match (name, literal) {
                ("duration", literal) => literals::is_duration(literal),
                ("timestamp", literal) => literals::is_timestamp(literal, env),
                // cel-go asserts that the first argument is the expression, also where it is the text.
                (_, Literal::String(pattern)) => Regex::new(pattern).is_ok(),
                _ => true,
            };
            if !is_right {
                found.push(Issue::at(ast.node(*argument).at, format!("invalid {name} argument")));
            }
        });
    }
}

/// Looks at each text that is given to `format` with a list literal: what its clauses take and how many there are.
pub fn format_literals(ast: &Ast, checked: &Checked, found: &mut Vec<Issue>) {
    calls(ast, |id| {
        let Expr::Call { function, target: Some(target), args } = ast.expr(id) else { return };
        let (Expr::Literal(Literal::String(text)), [list]) = (ast.expr(*target), &**args) else {
            return;
        };
        let Expr::List { elements, .. } = ast.expr(*list) else { return };
        if function != "format" {
            return;
        }
        let here = ast.node(id).at;
        let mut refuse = |at: u32, message: String| found.push(Issue::at(at, message));
        let takes = |letter: char, at: usize| {
            let argument = *elements.get(at)?;
            misfit(ast, checked, letter, argument)
        };
        match literals::clauses(text, elements.len(), &takes) {
            Ok(used) if elements.len() > used => refuse(
                here,
                format!(
                    "too many arguments supplied to string.format (expected {used}, got {})",
                    elements.len()
                ),
            ),
            Ok(_) => {}
            Err((None, message)) => refuse(here, message),
            Err((Some(argument), message)) => refuse(ast.node(argument).at, message),
        }
    });
}

/// The part of an argument that a clause cannot take, and why.
fn misfit(ast: &Ast, checked: &Checked, letter: char, argument: ExprId) -> Option<(ExprId, String)> {
    let of = |id: ExprId| checked.type_of(id);
    let refused = |id: ExprId, wrong: &str| Some((id, format!("{wrong}, was given {}", name(of(id)))));
    let (fits, wrong): (fn(&Type) -> bool, &str) = match letter {
        's' => {
            let wrong = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
            return unprintable(ast, checked, argument).and_then(|id| refused(id, wrong));
        }
        'd' => (|of| matches!(of, Type::Int | Type::Uint), "decimal clause can only be used on integers"),
        // `NaN` and `Infinity` are texts.
        'f' => {
            (|of| matches!(of, Type::Double | Type::String), "fixed-point clause can only be used on doubles")
        }
        'e' => {
            (|of| matches!(of, Type::Double | Type::String), "scientific clause can only be used on doubles")
        }
        'b' => (
            |of| matches!(of, Type::Bool | Type::Int | Type::Uint),
            "only integers and bools can be formatted as binary",
        ),
        'o' => (|of| matches!(of, Type::Int | Type::Uint), "octal clause can only be used on integers"),
        _ => (
            |of| matches!(of, Type::Int | Type::Uint | Type::String | Type::Bytes),
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
    };
    if fits(of(argument)) || *of(argument) == Type::Dyn { None } else { refused(argument, wrong) }
}

/// The first part of a value that `%s` cannot write.
fn unprintable(ast: &Ast, checked: &Checked, id: ExprId) -> Option<ExprId> {
    let is_printable = matches!(
        checked.type_of(id),
        Type::Dyn
            | Type::Null
            | Type::Bool
            | Type::Int
            | Type::Uint
            | Type::Double
            | Type::String
            | Type::Bytes
            | Type::Timestamp
            | Type::Duration
            | Type::List(_)
            | Type::Map(_)
            | Type::Type(_)
    );
    if !is_printable {
        return Some(id);
    }
    match ast.expr(id) {
        Expr::List { elements, .. } => elements.iter().find_map(|id| unprintable(ast, checked, *id)),
        Expr::Map(entries) => entries.iter().find_map(|entry| {
            unprintable(ast, checked, entry.key).or_else(|| unprintable(ast, checked, entry.value))
        }),
        _ => None,
    }
}

/// The name of a type without its parameters, as it is called at run time.
fn name(of: &Type) -> String {
    match of {
        Type::Null => "null_type".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Map(_) => "map".to_owned(),
        Type::Optional(_) => "optional_type".to_owned(),
        Type::Type(_) => "type".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        other => other.to_string(),
    }
}

/// Every node of the tree, parents before children.
fn calls(ast: &Ast, mut look: impl FnMut(ExprId)) {
    let mut open = vec![ast.root()];
    while let Some(id) = open.pop() {
        look(id);
        let before = open.len();
        match ast.expr(id) {
            Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select { operand, .. } => open.push(*operand),
            Expr::Call { target, args, .. } => open.extend(target.iter().chain(args)),
            Expr::List { elements, .. } => open.extend(elements),
            Expr::Map(entries) => open.extend(entries.iter().flat_map(|entry| [entry.key, entry.value])),
            Expr::Struct { fields, .. } => open.extend(fields.iter().map(|field| field.value)),
            Expr::Comprehension(fold) => {
                open.extend([fold.range, fold.init, fold.condition, fold.step, fold.result]);
            }
        }
        open.get_mut(before..).unwrap_or_default().reverse();
    }
}
