//! What an expression in CEL asks, if it is inside the fragment.
//!
//! In: the text of an expression. Out: what it is the value of, while the tests on the way are noted. Functions and operators that are not
//! named here are outside.

use crate::exact::asked::{MAX_STEPS, Outside, Test};
use crate::exact::language::TextTest;
use crate::exact::reader::{NOT_INSIDE, Reader, Value};
use crate::reads::cel::parsed;
use crate::reads::field_path::{FieldPath, Step};
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin as Written};
use engine_json::{Str, Value as Json};

/// How deep an expression is followed.
const MAX_DEPTH: usize = 200;
/// How many places a value may be at.
const MAX_PLACES: usize = 12;

impl Reader<'_> {
    /// What an expression is the value of.
    pub(crate) fn read(&mut self, text: &str) -> Result<Value, Outside> {
        let ast = parsed(text).ok_or("an expression that cannot be read")?;
        let mut walker = Walker { ast: &ast, text, reader: self, bound: Vec::new(), depth: 0 };
        walker.walk(ast.root())
    }
}

struct Walker<'w, 'a> {
    ast: &'w Ast,
    text: &'w str,
    reader: &'w mut Reader<'a>,
    bound: Vec<(Str, Value)>,
    depth: usize,
}

impl Walker<'_, '_> {
    fn walk(&mut self, id: ExprId) -> Result<Value, Outside> {
        if self.depth > MAX_DEPTH {
            return Err("a deep expression");
        }
        self.depth += 1;
        let found = self.of(id);
        self.depth -= 1;
        found
    }

    fn truth(&mut self, id: ExprId) -> Result<(), Outside> {
        let value = self.walk(id)?;
        self.reader.as_truth(&value)
    }

    fn of(&mut self, id: ExprId) -> Result<Value, Outside> {
        match self.ast.expr(id) {
            Expr::Literal(literal) => constant(literal),
            Expr::Ident(name) => self.ident(name),
            Expr::Select { operand, field, test: _ } => {
                if matches!(self.ast.expr(*operand), Expr::Ident(name) if name == "variables") {
                    return self.reader.variables.get(field).cloned().ok_or(NOT_INSIDE);
                }
                if matches!(self.ast.expr(*operand), Expr::Ident(name) if name == "request") {
                    return if field == "operation" { Ok(Value::Operation) } else { Err("the request") };
                }
                let below = self.below(*operand, field)?;
                let is_test = matches!(self.ast.expr(id), Expr::Select { test: true, .. });
                Ok(if is_test { Value::Truth } else { below })
            }
            Expr::Call { function, target, args } => self.call(id, function, *target, args),
            Expr::List { elements, optional } if optional.is_empty() => {
                let scalar = |value: Value| match value {
                    Value::Constant(value) => Ok(value),
                    _ => Err(NOT_INSIDE),
                };
                let all: Result<Vec<Json>, Outside> =
                    elements.iter().map(|element| self.walk(*element).and_then(scalar)).collect();
                all.map(Value::Constants)
            }
            Expr::Comprehension(fold) => self.fold(id, fold),
            // An empty map stands for what is not there.
            Expr::Map(entries) if entries.is_empty() => Ok(Value::Place(Vec::new())),
            Expr::List { .. } | Expr::Map(_) | Expr::Struct { .. } => Err(NOT_INSIDE),
        }
    }

    fn ident(&self, name: &Str) -> Result<Value, Outside> {
        if let Some((_, value)) = self.bound.iter().rfind(|(known, _)| known == name) {
            return Ok(value.clone());
        }
        if name == "object" {
            Ok(Value::Place(vec![Vec::new()]))
        } else {
            Err("a name that is not the object")
        }
    }

    /// The field of what stands at a place.
    fn below(&mut self, operand: ExprId, field: &Str) -> Result<Value, Outside> {
        let Value::Place(paths) = self.walk(operand)? else { return Err(NOT_INSIDE) };
        if field.ends_with("Timestamp") {
            return Err("a time");
        }
        let mut found = Vec::new();
        for mut path in paths {
            path.push(Step::Key(field.clone()));
            if path.len() >= MAX_STEPS {
                return Err("a deep expression");
            }
            self.reader.touch(&path);
            found.push(path);
        }
        Ok(Value::Place(found))
    }

    fn call(
        &mut self,
        id: ExprId,
        function: &Str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Result<Value, Outside> {
        match (function.as_str(), target, args) {
            ("_&&_" | "_||_", None, [one, other]) => {
                self.truth(*one)?;
                self.truth(*other)?;
                Ok(Value::Truth)
            }
            ("!_", None, [one]) => {
                self.truth(*one)?;
                Ok(Value::Truth)
            }
            ("_?_:_", None, [test, one, other]) => {
                self.truth(*test)?;
                let (one, other) = (self.walk(*one)?, self.walk(*other)?);
                self.either(one, other)
            }
            ("_[_]" | "_?._" | "_[?_]", None, [operand, key]) => match self.ast.expr(*key) {
                Expr::Literal(Literal::String(name)) => {
                    if matches!(self.ast.expr(*operand), Expr::Ident(name) if name == "variables" || name == "request")
                    {
                        return Err(NOT_INSIDE);
                    }
                    self.below(*operand, &name.clone())
                }
                _ => Err("an element by its number, or a key that is computed"),
            },
            ("_==_" | "_!=_", None, [one, other]) => {
                let (one, other) = (self.walk(*one)?, self.walk(*other)?);
                self.equal(one, other)
            }
            ("_<_" | "_<=_" | "_>_" | "_>=_", None, [one, other]) => {
                let (one, other) = (self.walk(*one)?, self.walk(*other)?);
                self.ordered(one, other)
            }
            ("@in", None, [one, other]) => {
                let (one, other) = (self.walk(*one)?, self.walk(*other)?);
                self.within(id, one, other)
            }
            ("_+_", None, [one, other]) => {
                let (one, other) = (self.walk(*one)?, self.walk(*other)?);
                let mut all = elements(one)?;
                all.extend(elements(other)?);
                all.dedup();
                if all.len() > MAX_PLACES { Err("many lists") } else { Ok(Value::Elements(all)) }
            }
            _ => self.method(id, function, target, args),
        }
    }

    /// A function with a name.
    fn method(
        &mut self,
        id: ExprId,
        function: &Str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Result<Value, Outside> {
        match (function.as_str(), target, args) {
            ("size", None, [of]) => self.size(id, *of),
            ("size", Some(of), []) => self.size(id, of),
            ("hasValue", Some(of), []) => match self.walk(of)? {
                Value::Place(_) => Ok(Value::Truth),
                _ => Err(NOT_INSIDE),
            },
            ("orValue", Some(of), [default]) => {
                let (of, default) = (self.walk(of)?, self.walk(*default)?);
                match (of, default) {
                    (Value::Place(paths), Value::Constant(_)) => Ok(Value::Place(paths)),
                    (Value::Place(paths), Value::Constants(list)) if list.is_empty() => {
                        Ok(Value::Place(paths))
                    }
                    (Value::Place(paths), Value::Place(more)) if more.is_empty() => Ok(Value::Place(paths)),
                    _ => Err(NOT_INSIDE),
                }
            }
            ("startsWith" | "endsWith" | "contains", Some(of), [part]) => {
                let (Value::Place(paths), Value::Constant(Json::String(part))) =
                    (self.walk(of)?, self.walk(*part)?)
                else {
                    return Err(NOT_INSIDE);
                };
                let test = match function.as_str() {
                    "startsWith" => TextTest::starts(&part),
                    "endsWith" => TextTest::ends(&part),
                    _ => TextTest::holds(&part),
                };
                self.reader.test(&paths, &Test::Text(test));
                Ok(Value::Truth)
            }
            _ => Err(NOT_INSIDE),
        }
    }

    /// One value or the other.
    fn either(&mut self, one: Value, other: Value) -> Result<Value, Outside> {
        match (one, other) {
            (one, other) if one == other => Ok(one),
            (Value::Place(mut one), Value::Place(other)) => {
                one.extend(other);
                if one.len() > MAX_PLACES { Err("many places") } else { Ok(Value::Place(one)) }
            }
            (Value::Place(place), Value::Constant(Json::String(_) | Json::Number(_)))
            | (Value::Constant(Json::String(_) | Json::Number(_)), Value::Place(place)) => {
                Ok(Value::Place(place))
            }
            (Value::Place(place), Value::Constants(list)) | (Value::Constants(list), Value::Place(place))
                if list.is_empty() =>
            {
                Ok(Value::Place(place))
            }
            (
                Value::Elements(mut one),
                other @ (Value::Elements(_) | Value::Place(_) | Value::Constants(_)),
            )
            | (other @ (Value::Place(_) | Value::Constants(_)), Value::Elements(mut one)) => {
                one.extend(elements(other)?);
                if one.len() > MAX_PLACES { Err("many places") } else { Ok(Value::Elements(one)) }
            }
            (one, other) => {
                self.reader.as_truth(&one)?;
                self.reader.as_truth(&other)?;
                Ok(Value::Truth)
            }
        }
    }

    fn equal(&mut self, one: Value, other: Value) -> Result<Value, Outside> {
        let is_truth = |value: &Value| matches!(value, Value::Truth | Value::Constant(Json::Bool(_)));
        match (one, other) {
            (one, other) if is_truth(&one) && is_truth(&other) => Ok(Value::Truth),
            (Value::Place(paths), Value::Constant(value)) | (Value::Constant(value), Value::Place(paths)) => {
                self.reader.test(&paths, &Test::Equals(value));
                Ok(Value::Truth)
            }
            (Value::Operation, Value::Constant(_)) | (Value::Constant(_), Value::Operation) => {
                Ok(Value::Truth)
            }
            (Value::Constant(_), Value::Constant(_)) => Ok(Value::Truth),
            (size @ (Value::Size(_) | Value::Count(..)), Value::Constant(bound))
            | (Value::Constant(bound), size @ (Value::Size(_) | Value::Count(..))) => {
                self.sized(&size, &bound)
            }
            _ => Err("two values held against each other"),
        }
    }

    fn ordered(&mut self, one: Value, other: Value) -> Result<Value, Outside> {
        match (one, other) {
            (Value::Place(paths), Value::Constant(Json::Number(number)))
            | (Value::Constant(Json::Number(number)), Value::Place(paths)) => {
                let bound = Json::Number(number).as_i64().ok_or("a number with a fraction")?;
                self.reader.test(&paths, &Test::Order(bound));
                Ok(Value::Truth)
            }
            (size @ (Value::Size(_) | Value::Count(..)), Value::Constant(bound))
            | (Value::Constant(bound), size @ (Value::Size(_) | Value::Count(..))) => {
                self.sized(&size, &bound)
            }
            _ => Err("two values held against each other"),
        }
    }

    /// A size held against a number.
    fn sized(&mut self, size: &Value, bound: &Json) -> Result<Value, Outside> {
        let bound = bound.as_i64().and_then(|bound| usize::try_from(bound).ok());
        let bound = bound.ok_or("a size that is held against something else than a number")?;
        match size {
            Value::Count(paths, formula) => self.reader.count(paths, &format!("{formula} {bound}"), bound),
            Value::Size(paths) => self.reader.test(paths, &Test::Size(bound)),
            _ => return Err(NOT_INSIDE),
        }
        Ok(Value::Truth)
    }

    fn size(&mut self, id: ExprId, of: ExprId) -> Result<Value, Outside> {
        match self.walk(of)? {
            Value::Place(paths) => Ok(Value::Size(paths)),
            Value::Elements(paths) => {
                let formula = self.formula(id);
                Ok(Value::Count(paths, formula))
            }
            _ => Err(NOT_INSIDE),
        }
    }

    fn within(&mut self, id: ExprId, one: Value, other: Value) -> Result<Value, Outside> {
        match (one, other) {
            (Value::Place(paths), Value::Constants(list)) => {
                for value in list {
                    self.reader.test(&paths, &Test::Equals(value));
                }
                Ok(Value::Truth)
            }
            (Value::Operation | Value::Constant(_), Value::Constants(_)) => Ok(Value::Truth),
            (Value::Constant(Json::String(text)), Value::Place(paths)) => {
                self.reader.test(&paths, &Test::Has(text));
                Ok(Value::Truth)
            }
            (Value::Constant(value), Value::Elements(paths)) => {
                self.quantify(id, &paths);
                self.reader.test(&paths, &Test::Equals(value));
                Ok(Value::Truth)
            }
            _ => Err(NOT_INSIDE),
        }
    }

    fn fold(&mut self, id: ExprId, fold: &Comprehension) -> Result<Value, Outside> {
        if let Written::Bind { value, body } = &fold.origin {
            let value = self.walk(*value)?;
            return self.with(fold.var.clone(), value, |walker| walker.walk(*body));
        }
        if fold.var2.is_some() {
            return Err("a macro with two variables");
        }
        let range = elements(self.walk(fold.range)?)?;
        self.quantify(id, &range);
        let element = Value::Place(range.clone());
        self.with(fold.var.clone(), element, |walker| match &fold.origin {
            Written::All(test) | Written::Exists(test) => {
                walker.truth(*test)?;
                Ok(Value::Truth)
            }
            Written::ExistsOne(test) => {
                walker.truth(*test)?;
                let formula = walker.formula(id);
                walker.reader.count(&range, &formula, 1);
                Ok(Value::Truth)
            }
            Written::Filter(test) => {
                walker.truth(*test)?;
                Ok(Value::Elements(range))
            }
            Written::Map { predicate, transform } => {
                if let Some(predicate) = predicate {
                    walker.truth(*predicate)?;
                }
                match walker.walk(*transform)? {
                    Value::Place(paths) => Ok(Value::Elements(paths)),
                    _ => Err(NOT_INSIDE),
                }
            }
            Written::TransformMap { .. } | Written::TransformMapEntry { .. } | Written::Bind { .. } => {
                Err(NOT_INSIDE)
            }
        })
    }

    fn with<T>(&mut self, name: Str, value: Value, act: impl FnOnce(&mut Self) -> T) -> T {
        self.bound.push((name, value));
        let done = act(self);
        self.bound.pop();
        done
    }

    /// Notes that an expression says something of all elements or of one.
    fn quantify(&mut self, id: ExprId, paths: &[FieldPath]) {
        let formula = self.formula(id);
        self.reader.quantify(paths, &formula);
    }

    /// The words of an expression, and what its names stand for: equal formulas have equal ones.
    fn formula(&self, id: ExprId) -> String {
        let node = self.ast.node(id);
        let text = self.text.get(node.start as usize..node.end as usize).unwrap_or(self.text);
        if text.contains("variables") {
            format!("{text} {:?} {:?}", self.bound, self.reader.variables)
        } else {
            format!("{text} {:?}", self.bound)
        }
    }
}

/// The places of the elements of a list.
fn elements(list: Value) -> Result<Vec<FieldPath>, Outside> {
    match list {
        Value::Elements(paths) => Ok(paths),
        Value::Place(paths) => Ok(paths.into_iter().map(|path| [path, vec![Step::Each]].concat()).collect()),
        Value::Constants(list) if list.is_empty() => Ok(Vec::new()),
        _ => Err(NOT_INSIDE),
    }
}

fn constant(literal: &Literal) -> Result<Value, Outside> {
    let value = match literal {
        Literal::Int(number) => Json::from(*number),
        Literal::String(text) => Json::String(text.clone()),
        Literal::Bool(truth) => Json::Bool(*truth),
        Literal::Null | Literal::Uint(_) | Literal::Double(_) | Literal::Bytes(_) => return Err(NOT_INSIDE),
    };
    Ok(Value::Constant(value))
}
