//! How fast the two readers are: `cargo bench -p engine-yaml --bench read [FILE]`.
//!
//! In: a file of YAML, or 10,000 Pods made here. Out: megabytes a second for the quick reader, the full one, and
//! for spans and writing.

#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use engine_yaml::{Options, Parsed, Reader, Source, SourceId, emit, parse};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let file = std::env::args().nth(1).filter(|argument| !argument.starts_with("--"));
    let text = file.map_or_else(pods, |path| std::fs::read_to_string(path).unwrap_or_default());
    let source = Source { id: SourceId(0), name: "bench".into(), text: text.as_str().into() };
    let read = |reader| parse(&source, &Options { reader, ..Options::default() });
    let parsed = read(Reader::Fast);
    println!(
        "{} bytes, {} documents, {} findings",
        text.len(),
        parsed.documents.len(),
        parsed.findings.len()
    );
    let quick = parsed.documents.iter().filter(|document| document.was_read_quickly(&text)).count();
    println!("{quick} documents by the quick reader alone");
    measure("quick reader", text.len(), || read(Reader::Fast));
    measure("full reader", text.len(), || read(Reader::Full));
    measure("spans", text.len(), || {
        parsed.documents.iter().for_each(|document| drop(black_box(document.spans(&text))));
        Parsed::default()
    });
    measure("emit", text.len(), || {
        parsed.documents.iter().for_each(|document| drop(black_box(emit::to_yaml(&document.value))));
        Parsed::default()
    });
}

/// The best of several runs, as the machine is rarely idle.
fn measure(name: &str, bytes: usize, run: impl Fn() -> Parsed) {
    let seconds = |_| {
        let start = Instant::now();
        let parsed = black_box(run());
        let seconds = start.elapsed().as_secs_f64();
        drop(parsed);
        seconds
    };
    let best = (0..7).map(seconds).fold(f64::INFINITY, f64::min);
    println!("{name}: {:.1} MB/s", bytes as f64 / best / 1e6);
}

fn pods() -> String {
    let pod = |n: usize| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{n}\n  namespace: ns-{}\n  labels:\n    app: a{}\n\
             spec:\n  hostNetwork: false\n  containers:\n  - name: main\n    image: registry.example.com/team/app:1.{n}\n\
             \x20   resources:\n      limits:\n        cpu: 500m\n        memory: 128Mi\n    securityContext:\n\
             \x20     runAsNonRoot: true\n      capabilities:\n        drop: [\"ALL\"]\n  volumes:\n  - name: tmp\n\
             \x20   emptyDir: {{}}\n---\n",
            n % 50,
            n % 100
        )
    };
    (0..10_000).map(pod).collect()
}
