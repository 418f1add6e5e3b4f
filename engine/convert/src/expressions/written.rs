//! Expressions that read nothing but what is written in the policy.
//!
//! In: `items(pairs, 'key', 'value')` beside a variable `pairs` that is a written map. Out: the list that Kyverno makes of it.

use crate::expressions::expr::Expr;
use crate::expressions::jmes::{Reading, value};
use crate::refusal::Converted;
use engine_jmespath::Node;
use engine_json::{Map, Value};

impl Reading<'_, '_> {
    /// The value of an expression that reads nothing but what is written.
    pub(crate) fn written(
        &self,
        expression: &engine_jmespath::Expression,
        within: Option<&Expr>,
    ) -> Option<Value> {
        let document = match within {
            Some(Expr::Literal(value)) => value.clone(),
            Some(_) => return None,
            None => {
                let entries = expression.root_fields().map(|name| {
                    let expr = match self.inner(name) {
                        Some(inner) => value(inner, self.scope, self.path).ok()?,
                        None => self.scope.entry(name)?.ok()?,
                    };
                    let Expr::Literal(value) = expr else { return None };
                    Some((name.into(), value))
                });
                Value::object(Map::from_entries(entries.collect::<Option<Vec<_>>>()?))
            }
        };
        engine_lenses::written::search(expression.text(), &document)
    }

    /// A list or a map of several values.
    pub(crate) fn several(&self, node: &Node, within: Option<&Expr>) -> Converted<Expr> {
        match node {
            Node::MultiSelectList(nodes) => {
                let items = nodes.iter().map(|node| self.node(node, within));
                Ok(Expr::Items(items.collect::<Converted<_>>()?))
            }
            // A name that is not known is null.
            Node::MultiSelectHash(pairs)
                if pairs.iter().all(|(_, node)| matches!(node, Node::Field(name) if name == "null")) =>
            {
                let entries = pairs.iter().map(|(key, _)| (key.clone(), Value::Null));
                Ok(Expr::Literal(Value::object(Map::from_entries(entries.collect()))))
            }
            other => self.refuse(&format!("`{}`", other.kind().trim_start_matches("AST"))),
        }
    }
}
