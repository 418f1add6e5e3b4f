//! Every question as JSON text: one row a question, and doors are loops over the rows.
//!
//! In: the name of a question and its input as JSON. Out: the answer as JSON. The shapes are those of [`crate::wire`], of
//! [`crate::CompareInput`] and [`crate::ConvertInput`]; `index.d.ts`, `tools.d.ts` and `compare.d.ts` of the npm package name the same fields.

use crate::compared::{compare, convert};
use crate::search::Search;
use engine::world::World;
use engine_lenses::run::Session;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What an answer needs beside its input.
pub struct Asking<'a> {
    /// The time, and what evaluates policies in CEL.
    pub world: &'a dyn World,
    /// The policies of the last question, for the next one.
    pub session: &'a mut Session,
    /// Who waits for a search.
    pub search: &'a mut dyn Search,
}

type Answer = fn(&str, &mut Asking<'_>) -> Result<String, String>;

/// One question.
pub struct Question {
    /// As it is asked: the name of the function in the npm package.
    pub name: &'static str,
    /// What it answers, in a sentence.
    pub about: &'static str,
    /// The shape of its input, by the name that it has in the declarations of the npm package.
    pub input: &'static str,
    /// The shape of its answer.
    pub output: &'static str,
    answer: Answer,
}

impl Question {
    /// The answer: both are JSON text.
    ///
    /// # Errors
    /// The input has not the shape of this question. What is wrong with the texts in it is a part of the answer.
    pub fn answer(&self, input: &str, asking: &mut Asking<'_>) -> Result<String, String> {
        (self.answer)(input, asking)
    }
}

/// The rows that a module of their own has without the others.
pub const COMPARE: Question = row(
    "compare",
    "whether two sets of policies decide the same",
    "CompareInput",
    "Comparison",
    |text, asking| json(&compare(&read(text)?, asking.world, asking.search)?),
);
/// As [`COMPARE`].
pub const CONVERT: Question = row(
    "convert",
    "classic policies written anew in CEL, each compared with its source",
    "ConvertInput",
    "Conversion",
    |text, asking| json(&convert(&read(text)?, asking.world, asking.search)),
);

/// All questions.
pub const QUESTIONS: [Question; 15] = [
    row("apply", "what policies decide about resources", "Input", "Output", |text, asking| {
        let input = read(text)?;
        json(&asking.session.run(&input, asking.world))
    }),
    row(
        "explain",
        "why each rule decided as it did, and what would make it pass",
        "ExplainInput",
        "ExplainOutput",
        |text, asking| json(&engine_lenses::explain::run(&read(text)?, asking.world)),
    ),
    COMPARE,
    CONVERT,
    row(
        "sieve",
        "who gets in through an exemption, and the narrowest that lets in what it is for",
        "SieveInput",
        "SieveOutput",
        |text, asking| json(&engine_lenses::sieve::run(&read(text)?, asking.world)),
    ),
    row(
        "psa",
        "what the Pod Security Standards decide about Pods and workloads",
        "PsaInput",
        "PsaOutput",
        |text, _| json(&engine_lenses::psa::run(&read(text)?)),
    ),
    row("psp", "what PodSecurityPolicies and RBAC decide about Pods", "PspInput", "PspOutput", |text, _| {
        json(&engine_lenses::psp::run(&read(text)?))
    }),
    row(
        "checkResources",
        "what no API server would take, in resources and in patterns",
        "Input",
        "CheckOutput",
        |text, asking| json(&engine_kinds::run(&read(text)?, asking.world)),
    ),
    row("report", "the reports of everything in the input", "ReportInput", "ReportOutput", |text, asking| {
        json(&engine_lenses::report::run(&read(text)?, asking.world)?)
    }),
    row("testFolder", "the folder of a test with today's verdicts", "Input", "TestFolder", |text, asking| {
        json(&engine_lenses::report::as_test::run(&read(text)?, asking.world)?)
    }),
    row(
        "evaluate",
        "what an expression gives where it stands in a policy",
        "EvaluateInput",
        "EvaluateOutput",
        |text, asking| json(&engine_lenses::evaluate::run(&read(text)?, asking.world)?),
    ),
    row("cel", "what an expression of CEL gives", "CelInput", "CelOutput", |text, asking| {
        engine_celpolicy::expression::json::answer(text, asking.world)
    }),
    row(
        "rewrite",
        "a text in which one document says something else",
        "RewriteInput",
        "RewriteOutput",
        |text, _| json(&engine_lenses::rewrite::run(&read(text)?)?),
    ),
    row(
        "functions",
        "the functions that an expression of JMESPath may call",
        "{}",
        "FunctionDoc[]",
        |_, _| json(&engine_lenses::run::functions()),
    ),
    row(
        "version",
        "the version of the engine, and the release of Kyverno that it follows",
        "{}",
        "Version",
        |_, _| json(&engine_lenses::run::version()),
    ),
];

const fn row(
    name: &'static str,
    about: &'static str,
    input: &'static str,
    output: &'static str,
    answer: Answer,
) -> Question {
    Question { name, about, input, output, answer }
}

/// The question of this name.
pub fn question(name: &str) -> Option<&'static Question> {
    QUESTIONS.iter().find(|question| question.name == name)
}

/// The answer to a question: both are JSON text.
///
/// # Errors
/// There is no question of this name, or its input has not the shape of that question. What is wrong with the texts in an input is a
/// part of the answer.
pub fn ask(name: &str, input: &str, asking: &mut Asking<'_>) -> Result<String, String> {
    let known = || QUESTIONS.map(|question| question.name).join(", ");
    let question = question(name).ok_or_else(|| format!("there is no question `{name}`: ask {}", known()))?;
    question.answer(input, asking)
}

fn json(answer: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map_err(|error| error.to_string())
}

/// Lines and columns of an error are those of a JSON text that most callers have never seen.
fn read<T: DeserializeOwned>(input: &str) -> Result<T, String> {
    serde_json::from_str(input).map_err(|error| {
        let error = error.to_string();
        let words = error.rsplit_once(" at line ").map_or(error.as_str(), |(words, _)| words);
        format!("input: {words}")
    })
}
