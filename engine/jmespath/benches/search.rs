//! How long a search takes: prints nanoseconds for typical expressions over a Pod of about 6 kB.
//!
//! `cargo bench -p engine-jmespath`
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and prints")]

use engine_jmespath::{Registry, Runtime, parse};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const EXPRESSIONS: [&str; 8] = [
    "request.object.metadata.labels.app",
    "request.object.metadata.labels.missing || 'none'",
    "request.object.spec.[ephemeralContainers, initContainers, containers][]",
    "element.securityContext.capabilities.add[] || `[]`",
    "request.object.spec.containers[?!contains(image, ':')].name",
    "request.object.spec.containers[].{name: name, limit: resources.limits.memory}",
    "length(request.object.spec.volumes[?hostPath])",
    "request.object.spec.containers[*].image | sort(@) | [0]",
];

fn main() {
    let document = engine_json::parse(&document()).unwrap_or_default().with_float_numbers();
    let registry = Registry::standard();
    let runtime = Runtime::new(&registry);
    println!("document: {} bytes", engine_json::to_json(&document).len());
    for text in EXPRESSIONS {
        let Ok(expression) = parse(text) else {
            println!("{text}: does not parse");
            continue;
        };
        let search = nanoseconds(|| drop(black_box(expression.search(black_box(&document), &runtime))));
        let compile = nanoseconds(|| drop(black_box(parse(black_box(text)))));
        println!("{search:>7.0} ns search {compile:>7.0} ns parse  {text}");
    }
}

/// The shortest mean of five rounds.
fn nanoseconds(run: impl Fn()) -> f64 {
    let rounds = (0..5).map(|_| {
        let start = Instant::now();
        (0..20_000).for_each(|_| run());
        start.elapsed().as_nanos() as f64 / 20_000.0
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn document() -> String {
    let mut containers = String::new();
    for n in 0..14 {
        let _ = write!(
            containers,
            r#"{}{{"name":"c{n}","image":"registry.example.com/team/service-{n}:1.{n}.0","args":["--port=80{n}0","--verbose"],
            "env":[{{"name":"LOG_LEVEL","value":"info"}},{{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"fieldPath":"metadata.name"}}}}}}],
            "resources":{{"limits":{{"cpu":"500m","memory":"256Mi"}},"requests":{{"cpu":"100m","memory":"128Mi"}}}},
            "securityContext":{{"allowPrivilegeEscalation":false,"capabilities":{{"drop":["ALL"]}},"runAsNonRoot":true}}}}"#,
            if n > 0 { "," } else { "" },
        );
    }
    let pod = format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"web","namespace":"default","labels":{{"app":"web","tier":"front"}}}},
        "spec":{{"containers":[{containers}],"volumes":[{{"name":"tmp","emptyDir":{{}}}},{{"name":"host","hostPath":{{"path":"/var"}}}}]}}}}"#
    );
    format!(
        r#"{{"request":{{"operation":"CREATE","object":{pod}}},"element":{{"name":"c","securityContext":{{"capabilities":{{"add":["NET_ADMIN","CHOWN"]}}}}}}}}"#
    )
}
