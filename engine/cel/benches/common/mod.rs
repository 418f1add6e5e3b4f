//! What the benchmarks share: the expressions, the environment, and the times of others beside which ours are printed.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and prints")]
#![expect(clippy::unwrap_used, reason = "what is measured is known to work")]

use engine_cel::env::Env;
use engine_cel::syntax::{BINDINGS, LISTS, MATH, OPTIONAL, Options, PROTOS, STANDARD, TWO_VARIABLES};
use engine_cel::types::Type;
use engine_cel::{check, standard, syntax};
use std::path::Path;
use std::time::Instant;

/// How expressions are read.
pub(crate) const SYNTAX: Options<'static> = Options {
    macros: &[STANDARD, OPTIONAL, TWO_VARIABLES, BINDINGS, MATH, LISTS, PROTOS],
    optional_syntax: true,
};

const EXPRESSIONS: &str = "object.metadata.labels.app == 'web'
object.spec.containers.all(c, has(c.resources) && c.resources.limits.memory != '')
object.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(d, d == 'ALL'))
'container ' + object.spec.containers[0].name + ' of ' + object.metadata.namespace";

/// The functions of the language and its extensions, and the variable `object`.
pub(crate) fn environment() -> Env {
    let libraries = [standard::OPTIONAL, standard::STRINGS, standard::LISTS, standard::SETS, standard::REGEX];
    let rows = standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten();
    standard::with_types(Env::new(rows).unwrap()).with_variable("object", Type::Dyn)
}

/// The expressions that contain `wanted`, from the shared folder where it lies beside the repository; one that needs what this
/// crate does not have is named and left out.
pub(crate) fn expressions(wanted: &str) -> Vec<String> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("shared/bench/cel-expressions.txt"));
    let text = files.find_map(|file| std::fs::read_to_string(file).ok());
    let env = environment();
    let lines = text.as_deref().unwrap_or(EXPRESSIONS).lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && line.contains(wanted));
    let known = lines.filter(|line| {
        let checked = check::check(&syntax::parse(line, &SYNTAX).unwrap(), &env);
        if let Some(issue) = checked.issues.first() {
            println!("      -     {line}: {}", issue.message);
        }
        checked.issues.is_empty()
    });
    known.map(str::to_owned).collect()
}

/// What stands behind `--`: a part of the expressions that are wanted, and `--beside FILE`.
pub(crate) fn arguments() -> (String, Beside) {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let option = arguments.iter().position(|argument| argument == "--beside");
    let file = option.and_then(|at| arguments.get(at + 1));
    let wanted = arguments.iter().find(|argument| !argument.starts_with("--") && Some(*argument) != file);
    (wanted.cloned().unwrap_or_default(), file.map_or_else(Beside::default, |file| Beside::read(file)))
}

/// The times of others, measured on the same machine in the same hour.
#[derive(Default)]
pub(crate) struct Beside {
    names: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Beside {
    /// Tabs between columns: nanoseconds of each, `-` where it has none, and the expression in the last one. The first line
    /// names the columns.
    fn read(file: &str) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let mut names = lines.next().unwrap_or_default();
        names.pop();
        let rows = lines.filter_map(|mut cells| {
            let expression = cells.pop()?;
            Some((expression, cells.iter().map(|cell| cell.parse().ok()).collect()))
        });
        Beside { names, rows: rows.collect() }
    }

    fn time(&self, expression: &str, column: usize) -> Option<f64> {
        let row = self.rows.iter().find(|(known, _)| known == expression)?;
        *row.1.get(column)?
    }

    /// How many times as long each takes for an expression: ` 12.3×`.
    pub(crate) fn ratios(&self, expression: &str, time: f64) -> String {
        let columns = 0..self.names.len();
        let ratios = columns.map(|column| match self.time(expression, column) {
            Some(other) => format!("{:>7.1}×", other / time),
            None => "       -".to_owned(),
        });
        ratios.collect::<Vec<_>>().concat()
    }

    /// Prints how many times as long each takes in the geometric mean of the expressions that both have.
    pub(crate) fn print(&self, expressions: &[String], times: &[f64]) {
        for (column, name) in self.names.iter().enumerate() {
            let pairs = expressions.iter().zip(times);
            let both = pairs.filter_map(|(expression, time)| Some(self.time(expression, column)? / time));
            let ratios: Vec<f64> = both.collect();
            println!("{:>8.1}×  {name}, geometric mean of {}", mean(&ratios), ratios.len());
        }
    }
}

/// The geometric mean.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

/// Each expression is measured so often, with all others in between: a machine that others use is not always as fast.
const PASSES: u32 = 20;

/// The shortest mean of short rounds of `each` runs, for each expression.
pub(crate) fn nanoseconds(count: usize, each: u32, run: impl Fn(usize)) -> Vec<f64> {
    let mut times = vec![f64::INFINITY; count];
    for _ in 0..PASSES {
        for (at, best) in times.iter_mut().enumerate() {
            for _ in 0..ROUNDS {
                let start = Instant::now();
                (0..each).for_each(|_| run(at));
                *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(each));
            }
        }
    }
    times
}

const ROUNDS: u32 = 20;
