//! What the tool says: one line a step with its duration, and failures that name what to do.
//!
//! In: a step's name and its work. Out: the work's result; printed, for instance, `wasm-opt app            1.8 s`.

use std::fmt::Display;
use std::io::Write as _;
use std::time::Instant;

/// What every step returns.
pub(crate) type Done<T = ()> = Result<T, Failure>;

/// Why a step did not succeed, and what the person can do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    advice: String,
    /// The last lines that the failed program printed.
    tail: Vec<String>,
}

impl Failure {
    pub(crate) fn new(what: impl Display, advice: impl Display) -> Self {
        Self { what: what.to_string(), advice: advice.to_string(), tail: Vec::new() }
    }

    /// What the program had printed at last.
    pub(crate) fn after(self, tail: Vec<String>) -> Self {
        Self { tail, ..self }
    }

    /// The last lines that the failed program printed, if they were kept.
    pub(crate) fn tail(&self) -> &[String] {
        &self.tail
    }

    /// The first line, for a list of failed steps.
    pub(crate) fn headline(&self) -> &str {
        self.what.lines().next().unwrap_or_default()
    }

    #[expect(clippy::print_stderr, reason = "this is where the tool reports its errors")]
    pub(crate) fn print(&self) {
        eprintln!("\nerror: {}", self.what);
        if !self.advice.is_empty() {
            eprintln!("what to do: {}", self.advice);
        }
    }
}

/// Turns an input or output error into a failure that names the file.
pub(crate) fn at<T>(path: &std::path::Path, result: std::io::Result<T>) -> Done<T> {
    result.map_err(|error| Failure::new(format!("{}: {error}", path.display()), ""))
}

/// Prints one line.
#[expect(clippy::print_stdout, reason = "this is where the tool speaks")]
pub(crate) fn line(text: impl Display) {
    println!("{text}");
}

/// Does work that prints nothing of its own: name, then duration, on one line.
#[expect(clippy::print_stdout, reason = "this is where the tool speaks")]
pub(crate) fn step<T>(name: impl Display, work: impl FnOnce() -> Done<T>) -> Done<T> {
    print!("{name:<52}", name = name.to_string());
    // A line that appears late is not a failure of the build.
    drop(std::io::stdout().flush());
    let start = Instant::now();
    let result = work();
    let outcome = if result.is_ok() { "" } else { "  FAILED" };
    println!("{:>7.1} s{outcome}", start.elapsed().as_secs_f64());
    result
}

/// Does work whose programs speak for themselves: the name before, the duration after.
pub(crate) fn loud_step<T>(name: &str, work: impl FnOnce() -> Done<T>) -> Done<T> {
    line(format!("> {name}"));
    let start = Instant::now();
    let result = work();
    let outcome = if result.is_ok() { "" } else { "  FAILED" };
    line(format!("{:<52}{:>7.1} s{outcome}", format!("  {name}"), start.elapsed().as_secs_f64()));
    result
}
