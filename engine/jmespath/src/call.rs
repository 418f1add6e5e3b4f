//! What a function can reach while it runs: the host, the evaluator for expressions it is given, and the budget.
//!
//! Example: `map` evaluates its expression with [`Call::evaluate`] once for each element.

use crate::EvalError;
use crate::argument::Argument;
use crate::ast::Node;
use crate::eval::Evaluator;
use crate::limits::MAX_TEXT;
use crate::registry::Host;
use engine_json::Value;

/// A running function.
pub struct Call<'c, 'a> {
    pub(crate) evaluator: &'c Evaluator<'a>,
}

impl<'a> Call<'_, 'a> {
    /// The value of `expression` over `value`; the error is [`EvalError::UnknownKey`] where a key is missing.
    pub fn evaluate(&mut self, expression: &'a Node, value: &Value) -> Result<Value, EvalError> {
        let current = Argument::Owned(value.clone());
        self.evaluator.evaluate(expression, &current).map(Argument::into_value)
    }

    /// As [`Call::evaluate`], with null where a key is missing.
    pub fn evaluate_or_null(&mut self, expression: &'a Node, value: &Value) -> Result<Value, EvalError> {
        match self.evaluate(expression, value) {
            Err(EvalError::UnknownKey { .. }) => Ok(Value::Null),
            result => result,
        }
    }

    /// The world outside.
    pub fn host(&self) -> &'a dyn Host {
        self.evaluator.host()
    }

    /// Takes `steps` from the budget of the search; a function calls it in proportion to its work.
    pub fn charge(&mut self, steps: usize) -> Result<(), EvalError> {
        self.evaluator.charge(steps as u64)
    }

    /// Remembers for this search that a text was made of bytes that are not UTF-8, which are U+FFFD in it.
    pub fn lose_bytes(&mut self) {
        self.evaluator.lose_bytes();
    }

    /// An error for a text that may have lost bytes; a function calls it whose answer is about the bytes.
    pub fn check_bytes(&self, text: &str) -> Result<(), EvalError> {
        if self.evaluator.has_lost_bytes() && text.contains("\u{fffd}") {
            let words = "the text was made of bytes that are not UTF-8, which this engine does not keep: it cannot be hashed or encoded";
            return Err(EvalError::other(words));
        }
        Ok(())
    }

    /// An error if a text of so many bytes may not be made; a function calls it before it makes a large one.
    pub fn check_text(&self, bytes: usize) -> Result<(), EvalError> {
        if bytes > MAX_TEXT {
            return Err(EvalError::limit(format!("the text exceeds {MAX_TEXT} bytes")));
        }
        Ok(())
    }
}
