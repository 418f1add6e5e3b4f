//! Calls of functions: arguments, the overload that fits them, what it costs.

use super::Evaluation;
use super::attribute::Resolved;
use super::logic::Truth;
use crate::error::{Error, Kind, Outcome};
use crate::function::Run;
use crate::program::{Callee, Node, invoke};
use crate::value::Value;
use engine_values::re2::{Answer, Refusal};

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    pub(super) fn call(&mut self, at: u32, callee: u32, first: u32, count: u16) -> Outcome<'v> {
        let program = self.program;
        let Some(callee) = program.callees.get(callee as usize) else { return Err(Error::no_overload()) };
        let outcome = match count {
            0 => self.finish(callee, &mut []),
            1 => match self.last_argument(callee, first, &[]) {
                Ok(value) => self.finish(callee, &mut [value]),
                failed => failed,
            },
            2 if let Some(attribute) = self.held_attribute(callee, first) => {
                self.held(callee, first, attribute)
            }
            2 => match self.eval(self.argument(first)) {
                Ok(a) => {
                    match self.last_argument(callee, first.saturating_add(1), std::slice::from_ref(&a)) {
                        Ok(b) => self.finish(callee, &mut [a, b]),
                        failed => failed,
                    }
                }
                failed => failed,
            },
            count => self.call_many(callee, first, u32::from(count)),
        };
        outcome.map_err(|error| self.placed(at, error))
    }

    /// The attribute that is asked for what it holds, where nobody listens.
    fn held_attribute(&self, callee: &Callee, first: u32) -> Option<u32> {
        let is_held = callee.candidates.first().is_some_and(|candidate| matches!(candidate.run, Run::Held));
        match self.program.nodes.get(self.argument(first) as usize) {
            Some(Node::Attribute(attribute)) if is_held && self.trace.is_none() => Some(*attribute),
            _ => None,
        }
    }

    /// What an attribute holds, without an optional value in between.
    fn held(&mut self, callee: &Callee, first: u32, attribute: u32) -> Outcome<'v> {
        self.steps = self.steps.wrapping_add(1);
        let value = match self.resolved(attribute) {
            Ok(Resolved::Json(found, numbers) | Resolved::SomeJson(found, numbers)) => {
                Some(Value::json(found, numbers))
            }
            Ok(Resolved::Value(Value::Optional(value))) => value.map(|value| Value::clone(&value)),
            Ok(Resolved::Some(value) | Resolved::Value(value)) => Some(value),
            Ok(Resolved::None) => None,
            Ok(Resolved::Test(is_there)) => Some(Value::Bool(is_there)),
            Err(error) => return Err(self.placed(self.argument(first), error)),
        };
        let other = self.last_argument(callee, first.saturating_add(1), &[Value::Null])?;
        self.charge(callee.cost.before(&[]).units(None));
        Ok(value.unwrap_or(other))
    }

    fn call_many(&mut self, callee: &Callee, first: u32, count: u32) -> Outcome<'v> {
        let mut args = Vec::with_capacity(count as usize);
        for at in 0..count.saturating_sub(1) {
            args.push(self.eval(self.argument(first.saturating_add(at)))?);
        }
        let last = self.last_argument(callee, first.saturating_add(count.saturating_sub(1)), &args)?;
        args.push(last);
        self.finish(callee, &mut args)
    }

    /// The last argument. Where it fails, the call is charged all the same, with a value of size 1 in its place.
    // cel-go: runtimecost.go; the tracker finds the values of all arguments then, the error among them.
    fn last_argument(&mut self, callee: &Callee, at: u32, before: &[Value<'v>]) -> Outcome<'v> {
        let outcome = self.eval(self.argument(at));
        if outcome.as_ref().is_err_and(|error| !error.is_final()) {
            if let Some(error) = callee.cost.refused(before) {
                return Err(self.ended(error));
            }
            let mut args = before.to_vec();
            args.push(Value::Null);
            let units = callee.cost.before(&args).units(None);
            self.charge(units);
        }
        outcome
    }

    fn finish(&mut self, callee: &Callee, args: &mut [Value<'v>]) -> Outcome<'v> {
        if let Some(error) = callee.cost.refused(args) {
            return Err(self.ended(error));
        }
        let cost = callee.cost.before(args);
        let outcome = invoke(&mut self.host, callee, args).map_err(|error| self.ended(error));
        let units = cost.units(outcome.as_ref().ok());
        if units == u64::MAX && self.limit < u64::MAX {
            // cel-go stops at the first sum above the limit; what comes behind it would wrap around.
            self.cost = units;
            return Err(self.ended(Error::new(Kind::CostLimit)));
        }
        self.charge(units);
        outcome
    }

    /// A function nobody declared.
    pub(super) fn unknown(&mut self, name: u32, first: u32, count: u16) -> Outcome<'v> {
        for at in 0..u32::from(count) {
            self.eval(self.argument(first.saturating_add(at)))?;
        }
        let name = self.program.names.get(name as usize).cloned().unwrap_or_default();
        Err(Error::text(format!("no such overload: {name}")))
    }

    // cel-go: optimizations.go; what is not a text has no overload without a name.
    pub(super) fn matches(&mut self, text: u32, pattern: u32, regex: u32, callee: u32) -> Truth {
        let program = self.program;
        let args = match (self.eval(text), self.eval(pattern)) {
            (Ok(text), Ok(pattern)) => [text, pattern],
            (Err(error), _) | (_, Err(error)) => return Truth::Failed(error),
        };
        if let Some(callee) = program.callees.get(callee as usize) {
            let units = callee.cost.before(&args).units(None);
            self.charge(units);
        }
        let [text, _] = &args;
        match (text.as_str(), program.regexes.get(regex as usize)) {
            (Some(text), Some((_, regex))) => matched(regex.is_match(text), &mut self.steps),
            _ => Truth::Failed(Error::no_overload()),
        }
    }

    /// `or` and `orValue`, which evaluate their second part only where it counts and cost nothing.
    // cel-go: cel/library.go evalOptionalOr, evalOptionalOrValue.
    pub(super) fn optional_or(&mut self, a: u32, b: u32, takes_value: bool) -> Outcome<'v> {
        if takes_value
            && self.trace.is_none()
            && let Some(Node::Attribute(attribute)) = self.program.nodes.get(a as usize)
        {
            return self.attribute_or(*attribute, a, b);
        }
        match self.eval(a)? {
            Value::Optional(Some(value)) if takes_value => Ok(Value::clone(&value)),
            Value::Optional(Some(value)) => Ok(Value::Optional(Some(value))),
            Value::Optional(None) => self.eval(b),
            _ => Err(Error::no_overload()),
        }
    }

    /// The same for an attribute, without an optional value in between.
    fn attribute_or(&mut self, attribute: u32, a: u32, b: u32) -> Outcome<'v> {
        self.steps = self.steps.wrapping_add(1);
        match self.resolved(attribute) {
            Ok(Resolved::SomeJson(found, numbers)) => Ok(Value::json(found, numbers)),
            Ok(Resolved::Some(value)) => Ok(value),
            Ok(Resolved::Value(Value::Optional(Some(value)))) => Ok(Value::clone(&value)),
            Ok(Resolved::None | Resolved::Value(Value::Optional(None))) => self.eval(b),
            Ok(Resolved::Json(..) | Resolved::Value(_) | Resolved::Test(_)) => Err(Error::no_overload()),
            Err(error) => Err(self.placed(a, error)),
        }
    }
}

/// What a regular expression says, and the steps it took.
fn matched(answer: Result<Answer<bool>, Refusal>, steps: &mut u64) -> Truth {
    match answer {
        Ok(answer) => {
            *steps = steps.saturating_add(answer.steps / 4);
            Truth::from(answer.value)
        }
        Err(_) => Truth::Failed(Error::new(Kind::Bound("the steps of a regular expression"))),
    }
}
