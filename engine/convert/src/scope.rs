//! What names stand for in the expressions of a rule.
//!
//! In: the kinds of a rule, its context entries, the elements of its loops. Out: the value in CEL that a name reads.

use crate::expr::Expr;
use crate::jmes::value;
use crate::refusal::{Class, Converted, refuse};
use crate::select::Selection;
use crate::types::Types;
use engine_compare::schema::Shape;
use engine_json::{Path, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is known of the expressions of a rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Whether they read the object or the old one.
    pub(crate) reads_object: bool,
    /// Whether they ask for deletions.
    pub(crate) asks_for_deletions: bool,
}

/// Names and what they stand for.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'s> {
    pub(crate) schema: &'s Types<'s>,
    /// What is known of `object`.
    pub(crate) shape: Option<Shape>,
    /// Context entries: the name in the rule, and what it gives.
    entries: Vec<(String, Expr)>,
    /// `variables` of the policy.
    variables: Rc<RefCell<Vec<(String, String)>>>,
    /// Of all expressions read so far.
    facts: Rc<Cell<Facts>>,
    /// The elements of loops, the innermost last.
    pub(crate) elements: Vec<Expr>,
    /// Whether variables are not seen.
    is_inline: bool,
    /// Whether the rule is for Pods, so that it may be extended to templates.
    pub(crate) is_for_pods: bool,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(selection: &Selection, schema: &'s Types<'s>) -> Self {
        let shape = selection.shape(schema);
        Scope {
            schema,
            shape,
            entries: Vec::new(),
            variables: Rc::default(),
            facts: Rc::new(Cell::new(Facts { reads_object: selection.reads_object, ..Facts::default() })),
            elements: Vec::new(),
            is_inline: false,
            is_for_pods: selection.is_for_pods(),
        }
    }

    /// Reads `context`.
    pub(crate) fn context(&mut self, written: Option<&Value>, path: &Path) -> Converted<()> {
        for (at, entry) in written.and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let place = path.join(at);
            let name = entry.find_str(&["name"]).to_owned();
            let Some(variable) = entry.get("variable") else {
                let what = entry.as_object().and_then(|map| map.keys().find(|key| *key != "name").cloned());
                let text = format!("a context entry of `{}`", what.unwrap_or_default());
                return refuse(Class::Context, &place, text);
            };
            let expr = self.variable(variable, &place.join("variable"))?;
            self.entries.push((name, expr));
        }
        Ok(())
    }

    fn variable(&self, variable: &Value, path: &Path) -> Converted<Expr> {
        if variable.get("value").is_some() && variable.get("jmesPath").is_some() {
            return refuse(Class::Context, path, "a variable with `value` and `jmesPath`");
        }
        if let Some(text) = variable.get("jmesPath").and_then(Value::as_str) {
            let expr =
                value(text.trim_start_matches("{{").trim_end_matches("}}"), self, &path.join("jmesPath"))?;
            return match variable.get("default") {
                None => Ok(expr),
                // What is empty stays: a default is for what is absent alone.
                Some(default) if matches!(expr, Expr::Field(_)) && !has_variables(default) => {
                    let Expr::Field(access) = expr else { return Ok(expr) };
                    Ok(Expr::Defaulted(access, default.clone()))
                }
                Some(default) => {
                    expr.or_else(Expr::literal(default)).ok_or_else(|| crate::refusal::Refusal {
                        class: Class::Context,
                        path: path.join("default"),
                        text: "this default is not converted".into(),
                    })
                }
            };
        }
        crate::template::whole(variable.get("value").unwrap_or(&Value::Null), self, &path.join("value"))
    }

    /// What a context entry gives.
    pub(crate) fn entry(&self, name: &str) -> Option<&Expr> {
        self.entries.iter().rev().find(|(known, _)| known == name).map(|(_, expr)| expr)
    }

    /// What is known of the expressions read so far.
    pub(crate) fn facts(&self) -> Facts {
        self.facts.get()
    }

    /// An expression reads the object or the old one.
    pub(crate) fn note_object(&self) {
        self.facts.set(Facts { reads_object: true, ..self.facts.get() });
    }

    /// An expression asks for deletions.
    pub(crate) fn note_deletions(&self) {
        self.facts.set(Facts { asks_for_deletions: true, ..self.facts.get() });
    }

    /// The variables of the policy.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        self.variables.borrow().clone()
    }
}

fn has_variables(value: &Value) -> bool {
    engine_json::to_json(value).contains("{{")
}

impl Scope<'_> {
    /// A list that is put together: a variable of the policy where one can be seen, else the text.
    pub(crate) fn list(&self, name: &str, text: &str) -> String {
        // Variables do not know the elements of loops.
        if self.elements.is_empty() { self.variable_of(name, text) } else { format!("({text})") }
    }

    /// A variable of the policy, or the text in brackets where variables are not seen, as in `matchConditions`.
    pub(crate) fn variable_of(&self, name: &str, text: &str) -> String {
        if self.is_inline {
            return format!("({text})");
        }
        let mut variables = self.variables.borrow_mut();
        if let Some((known, _)) = variables.iter().find(|(_, known)| known == text) {
            return format!("variables.{known}");
        }
        let count = variables.iter().filter(|(known, _)| known.starts_with(name)).count();
        let name = if count == 0 { name.to_owned() } else { format!("{name}{}", count + 1) };
        variables.push((name.clone(), text.to_owned()));
        format!("variables.{name}")
    }

    /// The same, where variables are not seen.
    pub(crate) fn inline(&self) -> Self {
        Scope { is_inline: true, ..self.clone() }
    }

    /// The same for a message: what it reads is no part of what is decided.
    pub(crate) fn for_message(&self) -> Self {
        Scope { facts: Rc::default(), ..self.clone() }
    }

    /// The same within a loop.
    pub(crate) fn within(&self, element: Expr) -> Self {
        let mut inner = self.clone();
        inner.elements.push(element);
        inner
    }
}
