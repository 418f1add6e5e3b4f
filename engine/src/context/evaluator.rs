//! Compiles and runs expressions for all rules of a run.
//!
//! In: expression texts. Out: values. What was compiled is kept, for the same texts come with every resource.

use super::Directory;
use super::evaluated::Note;
use crate::functions;
use crate::world::World;
use engine_jmespath::{EvalError, Expression, ParseError, Registry, Runtime};
use engine_json::ordered::OrderedMap;
use engine_json::{Str, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// How many compiled expressions are kept; variables put together from data could be without end.
const MAX_KEPT: usize = 4_096;

/// How many answers of the Kubernetes API, and of expressions over them, are kept, and how many objects all their
/// lists hold together.
const MAX_ANSWERS: usize = 1_024;
const MAX_LISTED: usize = 1_000_000;

/// Functions that may say something else each time.
const IMPURE: [&str; 3] = ["random", "time_now", "time_since"];

type Compiled = Rc<Result<Expression, ParseError>>;

/// Expressions of a run, with the functions they may call and the world they may ask.
pub(crate) struct Evaluator<'a> {
    registry: Registry,
    world: &'a dyn World,
    /// The objects that calls of the Kubernetes API are answered from, and that rules patch.
    directory: &'a Directory<'a>,
    kept: RefCell<OrderedMap<Str, Compiled>>,
    answers: RefCell<Answers>,
    /// Texts of the data that were evaluated as expressions, until somebody asks.
    pub(super) notes: RefCell<Vec<Note>>,
    /// What was taken for an answer, until somebody asks.
    pub(super) assumed: RefCell<Vec<String>>,
}

/// Answers by path and expression.
#[derive(Default)]
struct Answers {
    kept: OrderedMap<(String, String), Value>,
    listed: usize,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with all functions, in this world, over these objects.
    pub(crate) fn new(world: &'a dyn World, directory: &'a Directory<'a>) -> Self {
        Evaluator {
            registry: functions::registry(),
            world,
            directory,
            kept: RefCell::default(),
            answers: RefCell::default(),
            notes: RefCell::default(),
            assumed: RefCell::default(),
        }
    }

    /// The objects of the run.
    pub(crate) fn directory(&self) -> &'a Directory<'a> {
        self.directory
    }

    /// The answer to a call of the Kubernetes API, or what an expression makes of it; asked for once, if it is not an error.
    pub(super) fn answer(
        &self,
        path: &str,
        expression: &str,
        ask: impl FnOnce() -> Result<Value, String>,
    ) -> Result<Value, String> {
        if IMPURE.iter().any(|name| expression.contains(name)) {
            return ask();
        }
        let key = (path.to_owned(), expression.to_owned());
        if let Some(answer) = self.answers.borrow().kept.get(&key) {
            return Ok(answer.clone());
        }
        let answer = ask()?;
        let mut answers = self.answers.borrow_mut();
        let list = answer.get("items").unwrap_or(&answer);
        let listed = list.as_array().map_or(1, <[Value]>::len);
        if answers.kept.len() >= MAX_ANSWERS || answers.listed + listed > MAX_LISTED {
            *answers = Answers::default();
        }
        answers.listed += listed;
        answers.kept.insert(key, answer.clone());
        Ok(answer)
    }

    /// The world that may be asked.
    pub(crate) fn world(&self) -> &'a dyn World {
        self.world
    }

    /// The expression of a text.
    pub(crate) fn compile(&self, text: &str) -> Compiled {
        if let Some(compiled) = self.kept.borrow().get(text) {
            return Rc::clone(compiled);
        }
        let compiled = Rc::new(engine_jmespath::parse(text));
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(Str::new(text), Rc::clone(&compiled));
        compiled
    }

    /// Runs a compiled expression.
    pub(crate) fn search(&self, expression: &Expression, root: &Value) -> Result<Value, EvalError> {
        let host = functions::WorldHost { world: self.world };
        expression.search(root, &Runtime { registry: &self.registry, host: &host })
    }

    /// Compiles and runs an expression over a value, in the words of the language alone.
    // Kyverno: jmespath.Interface.Search.
    pub(crate) fn search_text(&self, text: &str, value: &Value) -> Result<Value, String> {
        let compiled = self.compile(text);
        let expression = compiled.as_ref().as_ref().map_err(ToString::to_string)?;
        self.search(expression, value).map_err(|error| error.to_string())
    }

    /// Compiles and runs an expression over a value.
    // Kyverno: loaders.applyJMESPath.
    pub(crate) fn apply(&self, text: &str, value: &Value) -> Result<Value, String> {
        let compiled = self.compile(text);
        match compiled.as_ref() {
            Err(error) => Err(format!("failed to compile JMESPath: {text}, error: {error}")),
            Ok(expression) => self.search(expression, value).map_err(|error| error.to_string()),
        }
    }
}
