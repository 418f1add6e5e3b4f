//! What of an expression can come out differently in a cluster and in the CLI.
//!
//! In: a checked expression. Out: whether its value can depend on how whole numbers are read, or on what only a request has.
//! Whatever is not known to be alike counts as different: a second evaluation then decides.

use engine_cel::ast::{Ast, Expr, ExprId, Literal};
use engine_cel::check::Checked;
use engine_cel::operators as op;
use engine_cel::types::Type;

/// On what the value of an expression can depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Depends {
    /// On whether whole numbers are integers or doubles.
    pub on_numbers: bool,
    /// On the request, the namespace, the object before or the parameters.
    pub on_request: bool,
    /// On the Namespace of the request.
    pub on_namespace: bool,
    /// On what a server answers.
    pub on_http: bool,
    /// On who may do what.
    pub on_rights: bool,
}

impl Depends {
    /// On what either depends.
    #[must_use]
    pub fn or(self, other: Depends) -> Depends {
        Depends {
            on_numbers: self.on_numbers || other.on_numbers,
            on_request: self.on_request || other.on_request,
            on_namespace: self.on_namespace || other.on_namespace,
            on_http: self.on_http || other.on_http,
            on_rights: self.on_rights || other.on_rights,
        }
    }
}

/// What Kyverno makes of `orValue`.
const OR_VALUE: &str = "__orValueCompat__";

/// Functions that take an integer and an equal double for the same, or take no number at all.
const ALIKE: &[&str] = &[
    op::LOGICAL_AND,
    op::LOGICAL_OR,
    op::LOGICAL_NOT,
    op::CONDITIONAL,
    op::EQUALS,
    op::NOT_EQUALS,
    op::LESS,
    op::LESS_EQUALS,
    op::GREATER,
    op::GREATER_EQUALS,
    op::INDEX,
    op::OPTIONAL_INDEX,
    op::OPTIONAL_SELECT,
    op::IN,
    op::NOT_STRICTLY_FALSE,
    "size",
    "dyn",
    "contains",
    "endsWith",
    "startsWith",
    "matches",
    "split",
    "join",
    "replace",
    "trim",
    "lowerAscii",
    "upperAscii",
    "hasValue",
    "value",
    "or",
    "orValue",
    OR_VALUE,
    "optional.of",
    "optional.none",
    "optional.ofNonZeroValue",
];

/// Names that only a request gives a value, and that hosts fill differently.
const OF_REQUESTS: &[&str] = &["request", "namespaceObject", "oldObject", "params"];

/// On what the value of an expression can depend.
pub fn depends(ast: &Ast, checked: &Checked) -> Depends {
    let mut found = Depends::default();
    for node in ast.nodes() {
        match &node.expr {
            Expr::Ident(name) => {
                found.on_http |= name == "http";
                let name = name.as_str().trim_start_matches('.');
                found.on_request |= OF_REQUESTS.contains(&name);
                found.on_namespace |= name == "namespaceObject";
                found.on_rights |= name == "authorizer" || name.starts_with("authorizer.");
            }
            Expr::Call { function, target, args } => {
                let mut all = target.iter().chain(args.iter());
                found.on_numbers |=
                    !ALIKE.contains(&function.as_str()) && !is_known(function, &mut all, ast, checked);
            }
            Expr::Literal(_)
            | Expr::Select { .. }
            | Expr::List { .. }
            | Expr::Map(_)
            | Expr::Struct { .. }
            | Expr::Comprehension(_) => {}
        }
    }
    found
}

/// Whether the arguments leave no number of an object open: for a sum one that is no number is enough.
fn is_known(function: &str, args: &mut dyn Iterator<Item = &ExprId>, ast: &Ast, checked: &Checked) -> bool {
    let is_no_number = |arg: &ExprId| {
        !matches!(checked.type_of(*arg), Type::Dyn | Type::Any | Type::Int | Type::Uint | Type::Double)
            || is_no_number(ast, *arg, MAX_DEPTH)
    };
    let is_of_known_type = |arg: &ExprId| {
        matches!(checked.type_of(*arg), Type::String | Type::Bool | Type::Bytes | Type::Int | Type::Named(_))
    };
    let args: Vec<&ExprId> = args.collect();
    args.iter().all(|arg| is_of_known_type(arg))
        || (function == op::ADD && args.iter().any(|arg| is_no_number(arg)))
}

/// Sums deeper than this are taken for sums of numbers.
const MAX_DEPTH: usize = 50;

/// Whether an expression is a list, a map or a text by how it is written.
fn is_no_number(ast: &Ast, id: ExprId, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match ast.expr(id) {
        Expr::List { .. } | Expr::Map(_) | Expr::Literal(Literal::String(_)) => true,
        Expr::Call { function, args, .. } if [OR_VALUE, "orValue", op::ADD].contains(&function.as_str()) => {
            args.iter().any(|arg| is_no_number(ast, *arg, depth))
        }
        _ => false,
    }
}
