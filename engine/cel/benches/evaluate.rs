//! How long evaluating an expression takes, cost counted: prints nanoseconds, cost and size of the program for each
//! expression, from the shared folder where it lies beside the repository.
//!
//! `cargo bench -p engine-cel --bench evaluate`; behind `--` a part of the expressions that are wanted, and `--beside FILE`
//! with the times of others (the form: `Beside::read`), which prints how many times as long they take.
#![expect(clippy::print_stdout, reason = "a benchmark measures and prints")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what is measured is known to work")]

mod common;

use common::{SYNTAX, arguments, environment, expressions, mean, nanoseconds};
use engine_cel::check::check;
use engine_cel::env::Env;
use engine_cel::eval::{Binding, Input};
use engine_cel::program::{Options, Program};
use engine_cel::syntax;
use engine_cel::value::{Numbers, Value};
use engine_json::{Str, parse};
use std::hint::black_box;

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

fn main() {
    let (wanted, beside) = arguments();
    let (env, pod) = (environment(), parse(POD).unwrap());
    let sources = expressions(&wanted);
    let programs: Vec<Program> = sources.iter().map(|source| program(source, &env)).collect();
    let bindings = [Binding::Value(Value::json(&pod, Numbers::Doubles))];
    let input = Input { variables: &bindings, limit: Some(1_000_000), ..Input::default() };
    let evaluate = |at: usize| drop(black_box(programs[at].evaluate(black_box(&input))));
    let times = nanoseconds(programs.len(), 200, evaluate);
    for ((source, program), time) in sources.iter().zip(&programs).zip(&times) {
        let (cost, bytes, ratios) =
            (program.evaluate(&input).cost, program.weight(), beside.ratios(source, *time));
        println!("{time:>7.0} ns{ratios}  cost {cost:>4}  {bytes:>5} bytes  {source}");
    }
    println!("{:>7.0} ns  geometric mean", mean(&times));
    beside.print(&sources, &times);
    let weights: Vec<f64> = programs.iter().map(|program| program.weight() as f64).collect();
    println!("{:>7.0} bytes of a program, geometric mean", mean(&weights));
}

fn program(source: &str, env: &Env) -> Program {
    let ast = syntax::parse(source, &SYNTAX).unwrap();
    let options = Options { variables: &[Str::from("object")], fold: true };
    Program::new(&ast, Some(&check(&ast, env)), env, &options).unwrap()
}
