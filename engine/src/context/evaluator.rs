//! Compiles and runs expressions for all rules of a run.
//!
//! In: expression texts. Out: values. What was compiled is kept, for the same texts come with every resource.

use crate::functions;
use crate::world::World;
use engine_jmespath::{EvalError, Expression, ParseError, Registry, Runtime};
use engine_json::{Str, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many compiled expressions are kept; variables put together from data could be without end.
const MAX_KEPT: usize = 4_096;

type Compiled = Rc<Result<Expression, ParseError>>;

/// Expressions of a run, with the functions they may call and the world they may ask.
pub(crate) struct Evaluator<'a> {
    registry: &'a Registry,
    world: &'a dyn World,
    kept: RefCell<BTreeMap<Str, Compiled>>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with these functions and this world.
    pub(crate) fn new(registry: &'a Registry, world: &'a dyn World) -> Self {
        Evaluator { registry, world, kept: RefCell::default() }
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
        expression.search(root, &Runtime { registry: self.registry, host: &host })
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
