//! Random expressions: nothing panics or hangs, what checks is evaluated without an error that the checker should have
//! found, and what is printed is read as the same tree.
//!
//! Many more at will: `cargo bench -p engine-cel --bench random -- SEED COUNT`.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use crate::generate::{
    self, Random, SYNTAX, bindings, document, environment, evaluate, nodes, program, well_typed,
};
use engine_cel::ast::Ast;
use engine_cel::check::{Checked, check};
use engine_cel::env::Env;
use engine_cel::error::Kind;
use engine_cel::syntax::{parse, print};

/// In a build without optimization a step takes a multiple of the stack.
const STACK: usize = if cfg!(debug_assertions) { 6 << 20 } else { 300 << 10 };

fn with_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn well_typed_expressions_check_and_never_lack_an_overload() {
    with_small_stack(|| {
        let (env, document) = (environment(), document());
        let bindings = bindings(&document);
        let mut random = Random::new(1);
        let (mut evaluated, mut values) = (0, 0);
        for _ in 0..800 {
            let source = well_typed(&mut random, 4);
            let Some((tree, checked)) = compiled(&source, &env) else { panic!("{source}") };
            let Some(program) = program(&tree, &checked, &env) else { continue };
            let outcome = evaluate(&program, &bindings).outcome;
            if let Err(error) = &outcome {
                let lacks =
                    matches!(error.kind, Kind::NoOverload | Kind::NoOperation(_) | Kind::NoOverloadOf { .. });
                assert!(!lacks, "{source}: {error}");
            }
            evaluated += 1;
            values += usize::from(outcome.is_ok());
        }
        assert!(evaluated > 400 && values > 200, "{evaluated} {values}");
    });
}

#[test]
fn what_is_printed_is_read_as_the_same_tree() {
    let mut random = Random::new(2);
    for number in 0..1_600 {
        let source =
            if number % 2 == 0 { generate::mutated(&mut random) } else { well_typed(&mut random, 4) };
        let Ok(tree) = parse(&source, &SYNTAX) else { continue };
        let text = print(&tree, &SYNTAX);
        let again = parse(&text, &SYNTAX).unwrap_or_else(|issues| panic!("{source}\n{text}: {issues:?}"));
        assert_eq!(nodes(&again), nodes(&tree), "{source}\n{text}");
    }
}

#[test]
fn nearly_expressions_are_answered() {
    with_small_stack(|| {
        let (env, document) = (environment(), document());
        let bindings = bindings(&document);
        let mut random = Random::new(3);
        let mut evaluated = 0;
        for _ in 0..1_500 {
            let source = generate::mutated(&mut random);
            if let Some((tree, checked)) = compiled(&source, &env)
                && let Some(program) = program(&tree, &checked, &env)
            {
                let _ = evaluate(&program, &bindings);
                evaluated += 1;
            }
        }
        assert!(evaluated > 250, "{evaluated}");
    });
}

/// The deepest expressions that the parser accepts.
#[test]
fn the_deepest_expressions_fit_a_small_stack() {
    let deep = |open: &str, times: usize, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(times), close.repeat(times))
    };
    let texts: Vec<String> = vec![
        deep("(", 249, "1", ")"),
        deep("[", 249, "1", "]"),
        deep("{1:", 249, "1", "}"),
        deep("size([", 120, "1", "])"),
        deep("!(", 240, "b", ")"),
        deep("b || b && !(", 240, "b", ")"),
        deep("li.all(x, ", 120, "b", ")"),
        deep("li.exists(x, x > 0 && ", 120, "b", ")"),
        deep("li.map(x, ", 120, "x", ")"),
        deep("cel.bind(x, 1, ", 240, "x", ")"),
        deep("o.optMap(x, ", 120, "x", ")"),
        deep("1+(", 120, "1", ")"),
        deep("b?i:", 240, "i", ""),
        deep("li[", 240, "0", "]"),
        deep("dyn(", 249, "1", ")"),
        deep("optional.of(", 240, "1", ")"),
        deep("m.transformMap(k, v, ", 80, "v", ")"),
        deep("object", 1, "", &".a".repeat(249)),
        format!("s{}", ".trim()".repeat(249)),
        format!("s{}", " + s".repeat(249)),
        vec!["b"; 5_000].join(" && "),
    ];
    with_small_stack(move || {
        let (env, document) = (environment(), document());
        let bindings = bindings(&document);
        for text in &texts {
            let Ok(tree) = parse(text, &SYNTAX) else { continue };
            let printed = print(&tree, &SYNTAX);
            assert!(parse(&printed, &SYNTAX).is_ok(), "{text}");
            let checked = check(&tree, &env);
            let Some(program) = program(&tree, &checked, &env) else { continue };
            let evaluated = evaluate(&program, &bindings);
            drop(evaluated.outcome.map(|value| value.to_json()));
        }
    });
}

/// An expression read and checked; `None` where it cannot be.
fn compiled(source: &str, env: &Env) -> Option<(Ast, Checked)> {
    let tree = parse(source, &SYNTAX).ok()?;
    let checked = check(&tree, env);
    checked.issues.is_empty().then_some((tree, checked))
}
