//! How long evaluating an expression takes, cost counted: prints nanoseconds, cost and size of the program for each
//! expression, from the shared folder where it lies beside the repository.
//!
//! `cargo bench -p engine-cel --bench evaluate`; behind `--` a part of the expressions that are wanted.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and prints")]
#![expect(clippy::unwrap_used, reason = "what is measured is known to work")]

use engine_cel::check::check;
use engine_cel::env::Env;
use engine_cel::eval::{Binding, Input};
use engine_cel::program::{Options, Program};
use engine_cel::types::Type;
use engine_cel::value::{Numbers, Value};
use engine_cel::{standard, syntax};
use engine_json::{Str, parse};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// The Pod of `shared/bench/cel-pod.yaml`.
const POD: &str = r#"{"metadata":{"name":"web-1","namespace":"shop","labels":{"app":"web","tier":"front",
"app.kubernetes.io/part-of":"shop"},"annotations":{"team":"shop"}},"spec":{"securityContext":{"runAsNonRoot":true,
"seccompProfile":{"type":"RuntimeDefault"}},"initContainers":[{"name":"init","image":"registry.example.com/shop/init:1.0",
"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}],"containers":[{"name":"web",
"image":"registry.example.com/shop/web:2.4","ports":[{"containerPort":8080,"protocol":"TCP"},{"containerPort":9090,
"protocol":"TCP"}],"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
"securityContext":{"allowPrivilegeEscalation":false,"privileged":false,"capabilities":{"drop":["ALL"],
"add":["NET_BIND_SERVICE"]}}},{"name":"log","image":"registry.example.com/shop/log:1.1","resources":{"limits":{
"cpu":"100m","memory":"64Mi"}},"securityContext":{"allowPrivilegeEscalation":false,"privileged":false,"capabilities":{
"drop":["ALL"]}}},{"name":"istio-proxy","image":"registry.example.com/istio/proxyv2:1.24.6","resources":{"limits":{
"cpu":"1","memory":"512Mi"}},"securityContext":{"allowPrivilegeEscalation":false,"privileged":false,"capabilities":{
"drop":["ALL"]}}}]}}"#;

const EXPRESSIONS: &str = "object.metadata.labels.app == 'web'
object.spec.containers.all(c, has(c.resources) && c.resources.limits.memory != '')
object.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(d, d == 'ALL'))
'container ' + object.spec.containers[0].name + ' of ' + object.metadata.namespace";

const MACROS: &[&[syntax::Macro]] = &[
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
];

/// What is measured.
struct Case {
    source: String,
    program: Program,
}

fn main() {
    let libraries = [standard::OPTIONAL, standard::STRINGS, standard::LISTS, standard::SETS, standard::REGEX];
    let rows = standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten();
    let env = standard::with_types(Env::new(rows).unwrap()).with_variable("object", Type::Dyn);
    let pod = parse(POD).unwrap();
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("shared/bench/cel-expressions.txt"));
    let text = files.find_map(|file| std::fs::read_to_string(file).ok());
    let text = text.as_deref().unwrap_or(EXPRESSIONS);
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases: Vec<Case> =
        lines.filter(|line| line.contains(&wanted)).filter_map(|line| case(line, &env)).collect();
    let bindings = [Binding::Value(Value::json(&pod, Numbers::Doubles))];
    let input = Input { variables: &bindings, limit: Some(1_000_000), ..Input::default() };
    let mut times = vec![f64::INFINITY; cases.len()];
    for _ in 0..PASSES {
        for (case, best) in cases.iter().zip(&mut times) {
            let time = nanoseconds(|| drop(black_box(case.program.evaluate(black_box(&input)))));
            *best = best.min(time);
        }
    }
    for (Case { source, program }, best) in cases.iter().zip(&times) {
        let cost = program.evaluate(&input).cost;
        println!("{best:>7.0} ns  cost {cost:>4}  {:>5} bytes  {source}", program.weight());
    }
    println!("{:>7.0} ns  geometric mean", mean(&times));
    let weights: Vec<f64> = cases.iter().map(|case| case.program.weight() as f64).collect();
    println!("{:>7.0} bytes of a program, geometric mean", mean(&weights));
}

/// An expression made ready; one that needs what this crate does not have is named and left out.
fn case(source: &str, env: &Env) -> Option<Case> {
    let ast = syntax::parse(source, &syntax::Options { macros: MACROS, optional_syntax: true }).unwrap();
    let checked = check(&ast, env);
    if let Some(issue) = checked.issues.first() {
        println!("      -     {source}: {}", issue.message);
        return None;
    }
    let options = Options { variables: &[Str::from("object")], fold: true };
    let program = Program::new(&ast, Some(&checked), env, &options).unwrap();
    Some(Case { source: source.to_owned(), program })
}

/// The geometric mean.
fn mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

/// Each expression is measured so often, with all others in between: a machine that others use is not always as fast.
const PASSES: u32 = 20;

/// The shortest mean of short rounds.
fn nanoseconds(run: impl Fn()) -> f64 {
    let rounds = (0..20).map(|_| {
        let start = Instant::now();
        (0..200).for_each(|_| run());
        start.elapsed().as_nanos() as f64 / 200.0
    });
    rounds.fold(f64::INFINITY, f64::min)
}
