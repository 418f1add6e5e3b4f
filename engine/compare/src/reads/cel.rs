//! Which places expressions in CEL read.
//!
//! In: the text of an expression, and what names stand for. Out: where its value comes from; what is held against it is noted.

use crate::reads::field_path::Step;
use crate::reads::{Origin, Reads, patches};
use crate::search::cluster::Asked;
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin as Written};
use engine_cel::syntax::{BINDINGS, LISTS, MATH, OPTIONAL, Options, PROTOS, STANDARD, TWO_VARIABLES, parse};
use engine_json::{Str, Value};
use std::collections::BTreeMap;

/// What names stand for: `variables.x` under `x` of [`Scope::variables`], bound variables of macros under their own name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Variables of the policy.
    pub(crate) variables: BTreeMap<Str, Origin>,
    /// What exceptions let through: fields of `exceptions`.
    pub(crate) exempted: BTreeMap<Str, Origin>,
    bound: Vec<(Str, Origin)>,
}

impl Scope {
    /// Names of which `params` stands for these objects.
    pub(crate) fn with_params(params: Option<Origin>) -> Self {
        let bound = params.map(|params| (Str::new_static("params"), params));
        Scope { bound: bound.into_iter().collect(), ..Scope::default() }
    }
}

/// Numbers to try where a text is read as one and is held against none.
const SOME_NUMBERS: [i64; 2] = [1, 3];
/// How many elements a list of constants has that is tried as a whole.
const MAX_ITEMS: usize = 8;
/// How deep a tree is followed; the parser stops before.
const MAX_DEPTH: usize = 300;

/// An expression with the macros and the optional syntax of policies; `None` where it cannot be read.
pub(crate) fn parsed(text: &str) -> Option<Ast> {
    let macros: &[&[_]] = &[STANDARD, OPTIONAL, BINDINGS, LISTS, MATH, PROTOS, TWO_VARIABLES];
    parse(text, &Options { macros, optional_syntax: true }).ok()
}

/// Where the value of an expression comes from.
pub(crate) fn origin(text: &str, scope: &mut Scope, reads: &mut Reads) -> Origin {
    let Some(ast) = parsed(text) else { return Origin::default() };
    let mut walker = Walker { ast: &ast, scope, reads, depth: 0 };
    let found = walker.walk(ast.root());
    reads.note(&found);
    found
}

/// What walks a tree.
pub(super) struct Walker<'w> {
    /// The tree.
    pub(super) ast: &'w Ast,
    scope: &'w mut Scope,
    /// What was found.
    pub(super) reads: &'w mut Reads,
    depth: usize,
}

impl Walker<'_> {
    /// Where the value of a node comes from.
    pub(super) fn walk(&mut self, id: ExprId) -> Origin {
        if self.depth > MAX_DEPTH {
            return Origin::default();
        }
        self.depth += 1;
        let found = self.of(id);
        self.depth -= 1;
        found
    }

    fn of(&mut self, id: ExprId) -> Origin {
        match self.ast.expr(id) {
            Expr::Literal(literal) => constant(literal).map(Origin::constant).unwrap_or_default(),
            Expr::Ident(name) => self.name(name),
            Expr::Select { operand, field, test } => {
                match self.ast.expr(*operand) {
                    Expr::Ident(name) if name == "variables" => {
                        return self.scope.variables.get(field).cloned().unwrap_or_default();
                    }
                    Expr::Ident(name) if name == "exceptions" => {
                        return self.scope.exempted.get(field).cloned().unwrap_or_default();
                    }
                    _ => {}
                }
                let found = self.walk(*operand);
                let found = found.without_constants().below(&Step::Key(field.clone()));
                if *test {
                    self.reads.note(&found);
                }
                found
            }
            Expr::Call { function, target, args } => self.call(function, *target, args),
            Expr::List { elements, .. } => self.list(elements),
            Expr::Map(entries) => {
                let ids: Vec<ExprId> = entries.iter().flat_map(|entry| [entry.key, entry.value]).collect();
                self.all(&ids)
            }
            Expr::Struct { name, fields } => {
                if name.trim_start_matches('.') == "JSONPatch" {
                    patches::of_struct(self, fields);
                }
                let ids: Vec<ExprId> = fields.iter().map(|field| field.value).collect();
                self.all(&ids)
            }
            Expr::Comprehension(fold) => self.fold(fold),
        }
    }

    fn name(&self, name: &Str) -> Origin {
        let bound = self.scope.bound.iter().rfind(|(known, _)| known == name);
        bound.map_or_else(|| Origin::path(vec![Step::Key(name.clone())]), |(_, origin)| origin.clone())
    }

    fn all(&mut self, ids: &[ExprId]) -> Origin {
        ids.iter().fold(Origin::default(), |found, id| found.and(self.walk(*id)))
    }

    /// The elements, and a list of constants as it stands, which a function may have made.
    fn list(&mut self, elements: &[ExprId]) -> Origin {
        let found = self.all(elements);
        let items: Option<Vec<Value>> = elements
            .iter()
            .map(|id| match self.ast.expr(*id) {
                Expr::Literal(literal) => constant(literal),
                _ => None,
            })
            .collect();
        let whole = items.filter(|items| (1..=MAX_ITEMS).contains(&items.len())).map(Value::array);
        whole.map(Origin::constant).into_iter().fold(found, Origin::and)
    }

    fn call(&mut self, function: &Str, target: Option<ExprId>, args: &[ExprId]) -> Origin {
        if matches!(function.as_str(), "_[_]" | "_?._" | "_[?_]")
            && let [operand, key] = args
        {
            return self.index(*operand, *key);
        }
        if matches!(function.as_str(), "_&&_" | "_||_" | "!_") {
            for arg in args {
                let found = self.walk(*arg);
                self.reads.note(&found);
            }
            return Origin::default();
        }
        let mut found = target.map(|target| self.walk(target)).unwrap_or_default();
        if let Some(asked) = self.asked(function, &found, args) {
            let of_arguments = self.all(args);
            self.reads.note(&of_arguments);
            self.note_name(&asked, args);
            let answer = Origin::path(vec![asked.step()]);
            self.reads.note(&answer);
            return answer;
        }
        if let Some(name) = found.paths.iter().find_map(|path| outside(path)) {
            self.reads.outside.insert(format!("{name}.{function}()"));
        }
        let of_target = target.is_some().then(|| constant_of(&found)).flatten();
        let mut arguments: Vec<Value> = of_target.into_iter().collect();
        for arg in args {
            let of_arg = self.walk(*arg);
            arguments.extend(constant_of(&of_arg));
            found = found.and(of_arg);
        }
        if matches!(function.as_str(), "int" | "uint" | "double") && found.constants.is_empty() {
            // A text that is read as a number, and nothing says around which.
            found.constants.extend(SOME_NUMBERS.map(Value::from));
        }
        found = found.through(&self.name_of(function, target), arguments);
        self.reads.note(&found);
        found
    }

    /// The name of a function, with that of its library.
    fn name_of(&self, function: &Str, target: Option<ExprId>) -> Str {
        match target.map(|target| self.ast.expr(target)) {
            Some(Expr::Ident(library)) if LIBRARIES.contains(&library.as_str()) => {
                Str::from(format!("{library}.{function}"))
            }
            _ => function.clone(),
        }
    }

    /// The objects of the cluster that a call asks for.
    fn asked(&self, function: &str, target: &Origin, args: &[ExprId]) -> Option<Asked> {
        let is_resource = target.paths.iter().any(|path| outside(path) == Some("resource"));
        let text = |at: usize| match self.ast.expr(*args.get(at)?) {
            Expr::Literal(Literal::String(text)) => Some(text.as_str()),
            _ => None,
        };
        match (function, args.len()) {
            ("Get" | "get", 4) if is_resource => Some(Asked::new(text(0)?, text(1)?, text(2), text(3))),
            ("List" | "list", 3 | 4) if is_resource => {
                Some(Asked::new(text(0)?, text(1)?, text(2), Some("")))
            }
            _ => None,
        }
    }

    /// The name of an object may be a value of the request's object.
    fn note_name(&mut self, asked: &Asked, args: &[ExprId]) {
        let Some(name) = args.get(3).filter(|_| !asked.is_named()) else { return };
        let held = self.walk(*name);
        let name =
            vec![asked.step(), Step::Key(Str::new_static("metadata")), Step::Key(Str::new_static("name"))];
        self.reads.note(&Origin::path(name).and(Origin { constants: Vec::new(), ..held }));
    }

    fn index(&mut self, operand: ExprId, key: ExprId) -> Origin {
        let is_variables = matches!(self.ast.expr(operand), Expr::Ident(name) if name == "variables");
        let below = self.walk(operand);
        let below = below.without_constants();
        match self.ast.expr(key) {
            Expr::Literal(Literal::String(name)) if is_variables => {
                self.scope.variables.get(name).cloned().unwrap_or_default()
            }
            Expr::Literal(Literal::String(name)) => below.below(&Step::Key(name.clone())),
            Expr::Literal(_) => {
                self.reads.asks_order = true;
                below.below(&Step::Each)
            }
            _ => {
                let key = self.walk(key);
                let names: Vec<Str> =
                    key.constants.iter().filter_map(|name| name.as_str().map(Str::new)).collect();
                let each = below.clone().below(&Step::Each);
                names.into_iter().fold(each, |found, name| found.and(below.clone().below(&Step::Key(name))))
            }
        }
    }

    fn fold(&mut self, fold: &Comprehension) -> Origin {
        if let Written::Bind { value, body } = &fold.origin {
            let value = self.walk(*value);
            self.reads.note(&value);
            return self.with(&[(fold.accu.clone(), value)], |walker| walker.walk(*body));
        }
        let range = self.walk(fold.range);
        let element = range.clone().below(&Step::Each);
        self.reads.note(&element.clone().without_constants());
        // The first of two is the key of a map, which is read as an element too, or the number of an element.
        self.reads.asks_order |= fold.var2.is_some();
        let names = std::iter::once(&fold.var).chain(&fold.var2);
        let bound: Vec<_> = names.map(|name| (name.clone(), element.clone())).collect();
        let (parts, result): (Vec<ExprId>, Option<ExprId>) = match &fold.origin {
            Written::All(one) | Written::Exists(one) | Written::ExistsOne(one) | Written::Filter(one) => {
                (vec![*one], None)
            }
            Written::Map { predicate, transform }
            | Written::TransformMap { predicate, transform }
            | Written::TransformMapEntry { predicate, transform } => {
                (predicate.iter().copied().collect(), Some(*transform))
            }
            Written::Bind { .. } => (Vec::new(), None),
        };
        let is_filter = matches!(fold.origin, Written::Filter(_));
        let made = self.with(&bound, |walker| {
            for part in parts {
                let found = walker.walk(part);
                walker.reads.note(&found);
            }
            result.map(|result| walker.walk(result)).unwrap_or_default()
        });
        if is_filter { range } else { list_of(made) }
    }

    fn with<T>(&mut self, names: &[(Str, Origin)], act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.bound.len();
        self.scope.bound.extend(names.iter().cloned());
        let done = act(self);
        self.scope.bound.truncate(before);
        done
    }
}

/// A list that a macro has made of elements: it is read through the elements, whose last step is taken back so that a walk over
/// the list arrives at them again.
fn list_of(mut elements: Origin) -> Origin {
    for path in &mut elements.paths {
        if path.last() == Some(&Step::Each) {
            path.pop();
        }
    }
    elements
}

/// Libraries whose name stands before their functions.
const LIBRARIES: [&str; 17] = [
    "base64",
    "format",
    "gzip",
    "hash",
    "ip",
    "json",
    "jsonpatch",
    "lists",
    "math",
    "optional",
    "random",
    "regex",
    "sets",
    "strings",
    "time",
    "user",
    "yaml",
];

/// The value of an argument that is a constant.
fn constant_of(origin: &Origin) -> Option<Value> {
    origin.constants.first().filter(|_| origin.paths.is_empty()).cloned()
}

/// The libraries that ask something outside.
fn outside(path: &[Step]) -> Option<&str> {
    match path {
        [Step::Key(name)] => {
            let known = ["resource", "http", "globalContext", "image", "authorizer"];
            known.into_iter().find(|known| name == known)
        }
        _ => None,
    }
}

fn constant(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Int(number) => Some(Value::from(*number)),
        Literal::Uint(number) => i64::try_from(*number).ok().map(Value::from),
        Literal::Double(number) => Some(Value::from(*number)),
        Literal::String(text) => Some(Value::String(text.clone())),
        Literal::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(Value::from),
        Literal::Null | Literal::Bool(_) => None,
    }
}
