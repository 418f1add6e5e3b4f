//! A tree is printed as it was written, and read again it is the same.

use super::*;
use crate::ast::{Entry, Field};
use crate::syntax::tests::ALL;
use crate::syntax::{Macro, parse};

/// The tree without places and ids.
fn shape(ast: &Ast, id: ExprId) -> String {
    let of = |id: &ExprId| shape(ast, *id);
    let all = |ids: &[ExprId]| ids.iter().map(of).collect::<Vec<_>>();
    match ast.expr(id) {
        Expr::Literal(value) => format!("{value:?}"),
        Expr::Ident(name) => name.to_string(),
        Expr::Select { operand, field, test } => format!("select({}, {field:?}, {test})", of(operand)),
        Expr::Call { function, target, args } => {
            format!("call({function}, {:?}, {:?})", target.as_ref().map(of), all(args))
        }
        Expr::List { elements, optional } => format!("list({:?}, {optional:?})", all(elements)),
        Expr::Map(entries) => {
            let entry = |entry: &Entry| (of(&entry.key), of(&entry.value), entry.optional);
            format!("map({:?})", entries.iter().map(entry).collect::<Vec<_>>())
        }
        Expr::Struct { name, fields } => {
            let field = |field: &Field| (field.name.clone(), of(&field.value), field.optional);
            format!("{name}({:?})", fields.iter().map(field).collect::<Vec<_>>())
        }
        Expr::Comprehension(fold) => {
            let parts = all(&[fold.range, fold.init, fold.condition, fold.step, fold.result]);
            let origin = std::mem::discriminant(&fold.origin);
            format!("fold({}, {:?}, {}, {parts:?}, {origin:?})", fold.var, fold.var2, fold.accu)
        }
    }
}

fn printed(source: &str, options: &Options<'_>) -> String {
    let ast = parse(source, options).unwrap();
    let text = print(&ast, options);
    let again = parse(&text, options).unwrap_or_else(|issues| panic!("{text}: {issues:?}"));
    assert_eq!(shape(&ast, ast.root()), shape(&again, again.root()), "{source}\n{text}");
    text
}

#[test]
fn what_is_printed_is_what_was_read() {
    for source in [
        "a.b.c[0].`d-e`.?f[?g]",
        "-a - -1 * (b + c) % 2",
        "-(0.a) + -(-1.b[2]) - -(1.5) + -1u",
        "!(a && b) || c in [1, ?d]",
        "a ? b : c ? d : e",
        "(a ? b : c) ? (d ? e : f) : g",
        "{?\"k\": 1u, 2: {}}",
        "a.b.C{x: 1, ?`y.z`: null}",
        ".f(.a, b.c(1.5, -0.0))",
        "\"\\n\\\"é\\u0001\" + b\"\\xff\\\\a\"",
        "[1].all(x, x > 0) && [2].exists(i, v, true)",
        "a.map(x, x + 1).map(x, x > 1, [x]).filter(y, has(y.z))",
        "a.transformList(i, v, v).transformMap(k, v, true, v).transformMapEntry(k, v, {k: v})",
        "o.optMap(x, x.y).optFlatMap(y, y ? o : p)",
        "cel.bind(x, [1], x.sortBy(e, -e))",
        "math.least(1, 2) + math.greatest(a)",
        "a.exists_one(x, x == 1 == true)",
        "a && (b && c)",
        "(a && (b && c)) && (d || e && f)",
    ] {
        assert_eq!(printed(source, &ALL), source);
    }
}

#[test]
fn what_can_be_written_otherwise_gives_the_same_tree() {
    for (source, text) in [
        ("--a", "a"),
        ("---1", "-(1)"),
        ("- - -a", "-a"),
        ("-(-1)", "-(-1)"),
        ("!(!a)", "!(!a)"),
        ("a && b && c && d && e", "a && b && c && d && e"),
        ("((a && b) && c)", "a && b && c"),
        ("math.least(1, 2, 3)", "math.least([1, 2, 3])"),
        ("proto.getExt(m, a.b) == proto.hasExt(m, a.b)", "m.`a.b` == has(m.`a.b`)"),
        ("1 + (2 + 3)", "1 + (2 + 3)"),
        ("(1 < 2) < 3 < (4 < 5)", "1 < 2 < 3 < (4 < 5)"),
        ("r'\\d' + '''x\r\ny'''", "\"\\\\d\" + \"x\\ny\""),
        ("0x10 + 1e3", "16 + 1000.0"),
    ] {
        assert_eq!(printed(source, &ALL), text);
    }
}

#[test]
fn a_method_that_is_a_function_is_printed_as_a_method() {
    let rows = &[Macro::method_to_function("orValue", 1, "__orValueCompat__")];
    let options = Options { macros: &[rows], optional_syntax: true };
    assert_eq!(printed("(a + b).?c.orValue([])", &options), "(a + b).?c.orValue([])");
}
