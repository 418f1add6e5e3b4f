//! What is true in JMESPath, how values compare, and what `&&` and `||` give: one of their sides, and not always a truth value.
//!
//! In: nodes and values. Out: formulas, and values that hold where a formula does.

use crate::expressions::expr::{Attribute, Elements, Expr, is_falsy};
use crate::expressions::formula::{Formula, Quantifier, quoted};
use crate::expressions::jmes::Reading;
use crate::refusal::Converted;
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_jmespath::ast::Comparison;
use engine_json::Value;

impl Reading<'_, '_> {
    /// Whether a node gives something true.
    pub(crate) fn truth(&self, node: &Node, within: Option<&Expr>) -> Converted<Formula> {
        match node {
            Node::AndExpression(left, right) => {
                let left = self.truth(left, within)?;
                let right = self.truth_behind(&left.clone().negated(), right, within)?;
                Ok(Formula::and([left, right]))
            }
            Node::OrExpression(left, right) => {
                let left = self.truth(left, within)?;
                let right = self.truth_behind(&left, right, within)?;
                Ok(Formula::or([left, right]))
            }
            Node::NotExpression(inner) => Ok(self.truth(inner, within)?.negated()),
            Node::Comparator { operator, left, right } => {
                if let (Node::MultiSelectList(one), Node::MultiSelectList(other)) = (&**left, &**right)
                    && one.len() == other.len()
                    && matches!(operator, Comparison::Equal | Comparison::NotEqual)
                {
                    let pairs = one.iter().zip(other).map(|(one, other)| {
                        let (one, other) = (self.node(one, within)?, self.node(other, within)?);
                        self.compared(Comparison::Equal, &one, &other)
                    });
                    let same = Formula::and(pairs.collect::<Converted<Vec<_>>>()?);
                    return Ok(if *operator == Comparison::Equal { same } else { same.negated() });
                }
                let (left, right) = (self.node(left, within)?, self.node(right, within)?);
                self.compared(*operator, &left, &right)
            }
            other => self.truth_of(&self.node(other, within)?),
        }
    }

    fn compared(&self, operator: Comparison, left: &Expr, right: &Expr) -> Converted<Formula> {
        let sign = match operator {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        let is_deletion = |one: &Expr, other: &Expr| {
            matches!(one, Expr::Attribute(Attribute::Operation)) && other.is_text("DELETE")
        };
        if operator == Comparison::Equal && (is_deletion(left, right) || is_deletion(right, left)) {
            self.scope.note_deletions();
        }
        if let (Expr::Bool(formula), Expr::Literal(Value::Bool(wanted))) = (left, right)
            && matches!(operator, Comparison::Equal | Comparison::NotEqual)
        {
            let is_same = *wanted == (operator == Comparison::Equal);
            return Ok(if is_same { formula.clone() } else { formula.clone().negated() });
        }
        let side = |expr: &Expr| match expr {
            Expr::Attribute(attribute) => Some((attribute.text().to_owned(), Formula::True)),
            Expr::Cel(text, _) => Some((text.clone(), Formula::True)),
            Expr::Literal(Value::String(text)) => Some((quoted(text), Formula::True)),
            Expr::Literal(value @ (Value::Bool(_) | Value::Number(_))) => {
                Some((engine_json::to_json(value), Formula::True))
            }
            Expr::Field(access) => Some((access.plain().to_owned(), access.is_there())),
            _ => None,
        };
        let (Some((left, is_left)), Some((right, is_right))) = (side(left), side(right)) else {
            return self.refuse("a comparison of lists, maps or results");
        };
        let contrary = crate::rules::leaf::opposite(sign).map(|sign| format!("{left} {sign} {right}"));
        let test = Formula::Test(format!("{left} {sign} {right}"), contrary);
        // An absent value is null, which is different from all that is written.
        let are_absent = Formula::and([is_left.clone().negated(), is_right.clone().negated()]);
        let is_of_two = is_left != Formula::True && is_right != Formula::True;
        Ok(match operator {
            Comparison::Equal if is_of_two => {
                Formula::or([are_absent, Formula::and([is_left, is_right, test])])
            }
            Comparison::NotEqual if is_of_two => {
                let same = Formula::and([is_left, is_right, test.negated()]);
                Formula::or([are_absent, same]).negated()
            }
            Comparison::NotEqual => Formula::or([is_left.negated(), is_right.negated(), test]),
            _ => Formula::and([is_left, is_right, test]),
        })
    }

    /// Whether a value is true.
    pub(crate) fn truth_of(&self, expr: &Expr) -> Converted<Formula> {
        match expr {
            Expr::Bool(formula) => Ok(formula.clone()),
            Expr::Literal(value) => Ok(if is_falsy(value) { Formula::False } else { Formula::True }),
            Expr::Field(access) | Expr::Defaulted(access, _) | Expr::Nullable(access) => {
                match &access.shape {
                    Some(Shape::Text) => Ok(Formula::equal(&access.or("''"), "''").negated()),
                    Some(Shape::Truth) => Ok(Formula::test(access.or("false"))),
                    Some(Shape::List(_)) => {
                        Ok(Formula::equal(&format!("size({})", access.or("[]")), "0").negated())
                    }
                    Some(Shape::Map(_) | Shape::Object(_)) => {
                        Ok(Formula::equal(&format!("size({})", access.or("{}")), "0").negated())
                    }
                    Some(Shape::Number) => Ok(access.is_there()),
                    _ => self.refuse("a value of unknown type as a truth value"),
                }
            }
            // A list is true that has elements.
            Expr::Elements(elements) => elements.each(Quantifier::Exists, &mut |_| Ok(Formula::True)),
            Expr::Where(test, value, None) => Ok(Formula::and([test.clone(), self.truth_of(value)?])),
            _ => self.refuse("a value other than a field as a truth value"),
        }
    }

    /// `left && right`: the right side where the left one is true, else the left one.
    // Go: interpreter.go ASTAndExpression; a missing key on the right alone stays an error.
    pub(crate) fn both(&self, left: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let is_truth = |expr: &Expr| matches!(expr, Expr::Bool(_));
        let test = self.truth(left, within)?;
        let value = self.scope.behind_decision(&test.clone().negated(), || self.node(right, within))?;
        let gives_truth = match left {
            Node::Comparator { .. } | Node::NotExpression(_) => true,
            other => is_truth(&self.node(other, within)?),
        };
        if gives_truth && is_truth(&value) {
            let right = self.truth_behind(&test.clone().negated(), right, within)?;
            return Ok(Expr::Bool(Formula::and([test, right])));
        }
        Ok(Expr::Where(test, Box::new(value), None))
    }

    /// The value, or where it is false the right side of `||`.
    pub(crate) fn or_behind(&self, left: Expr, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let decided = match &left {
            Expr::Bool(left) => left.clone(),
            _ => Formula::False,
        };
        let behind = self.scope.behind_decision(&decided, || self.node(right, within))?;
        match (left, behind) {
            (Expr::Bool(left), Expr::Bool(_) | Expr::Literal(Value::Bool(_))) => {
                let right = self.scope.behind_decision(&left, || self.truth(right, within))?;
                Ok(Expr::Bool(Formula::or([left, right])))
            }
            (Expr::Where(test, value, None), Expr::Literal(default)) => {
                let known = match *value {
                    Expr::Field(access) => {
                        let test = Formula::and([test, self.truth_of(&Expr::Field(access.clone()))?]);
                        return Ok(Expr::Where(test, Box::new(Expr::Field(access.known())), Some(default)));
                    }
                    other => other,
                };
                let test = Formula::and([test, self.truth_of(&known)?]);
                Ok(Expr::Where(test, Box::new(known), Some(default)))
            }
            _ => self.refuse("`||` other than between a field and a default"),
        }
    }

    /// What a projection takes of each element; one without the key before a function drops out.
    // Go: interpreter.go ASTProjection.
    pub(crate) fn each_of(&self, elements: Elements, right: &Node) -> Converted<Elements> {
        if let Node::Subexpression(key, call) = right
            && matches!(**call, Node::FunctionExpression { .. })
        {
            return elements.kept(&mut |item| {
                let (there, known) = match self.node(key, Some(&item))? {
                    Expr::Field(access) => (access.is_there(), Expr::Field(access.known())),
                    other => (Formula::True, other),
                };
                Ok((there, self.node(call, Some(&known))?))
            });
        }
        elements.then(&mut |item| self.node(right, Some(&item)))
    }
}
