//! Random expressions from a seed: well typed ones, and texts that are nearly expressions.
//!
//! In: a seed. Out: the same expressions for the same seed, over the variables of [`VARIABLES`] and a document `object`.

mod mutate;
mod typed;

pub(crate) use mutate::mutated;
pub(crate) use typed::well_typed;

use engine_cel::check::Checked;
use engine_cel::env::Env;
use engine_cel::eval::{Binding, Evaluated, Input};
use engine_cel::program::{Options, Program};
use engine_cel::syntax::{self, Macro};
use engine_cel::types::Type;
use engine_cel::value::{Map, Numbers, Timestamp, Value};
use engine_cel::{ast, standard};
use engine_json::{Str, parse};
use std::sync::Arc;

/// Numbers without a pattern.
pub(crate) struct Random(u64);

impl Random {
    /// Numbers of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % bound.max(1)
    }

    /// One of these.
    pub(crate) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// What expressions are read with.
pub(crate) const SYNTAX: syntax::Options<'static> = syntax::Options { macros: MACROS, optional_syntax: true };

const MACROS: &[&[Macro]] = &[
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
];

/// The document behind `object`.
pub(crate) const DOCUMENT: &str = r#"{"metadata":{"name":"web-1","namespace":"shop","labels":{"app":"web","n":"42"},
"annotations":{"team":"shop"}},"spec":{"hostNetwork":false,"replicas":3,"containers":[{"name":"web",
"image":"registry.example.com/shop/web:2.4","ports":[{"containerPort":8080},{"containerPort":9090}],
"securityContext":{"privileged":false,"capabilities":{"drop":["ALL"],"add":["CHOWN"]}}},{"name":"log",
"image":"ghcr.io/log:1.1","resources":{"limits":{"cpu":"100m"}}}],"n":null,"list":[1,2.5,"x",true]}}"#;

/// The variables and their types, in the order of [`bindings`].
pub(crate) const VARIABLES: [(&str, &str); 13] = [
    ("object", "dyn"),
    ("i", "int"),
    ("u", "uint"),
    ("d", "double"),
    ("s", "string"),
    ("y", "bytes"),
    ("b", "bool"),
    ("t", "timestamp"),
    ("p", "duration"),
    ("li", "list(int)"),
    ("ls", "list(string)"),
    ("m", "map(string, int)"),
    ("o", "optional_type(string)"),
];

/// The values of the variables.
pub(crate) fn bindings(document: &engine_json::Value) -> Vec<Binding<'_>> {
    let time = Timestamp::from_seconds(1_709_209_845).unwrap();
    let map: Map<'_> =
        [("a", 1), ("bb", -2)].map(|(key, i)| (Value::Str(key), Value::Int(i))).into_iter().collect();
    [
        Value::json(document, Numbers::AsWritten),
        Value::Int(7),
        Value::Uint(3),
        Value::Double(1.5),
        Value::Str("abc"),
        Value::Bytes(b"xyz"),
        Value::Bool(true),
        Value::Timestamp(time),
        Value::Duration(90_000_000_000),
        Value::list([3, 1, 2].map(Value::Int).to_vec()),
        Value::list(["a", "bb", ""].map(Value::Str).to_vec()),
        Value::map(map),
        Value::Optional(Some(Arc::new(Value::Str("there")))),
    ]
    .map(Binding::Value)
    .into()
}

/// The environment: the standard library, all extensions and the variables.
pub(crate) fn environment() -> Env {
    let libraries = [
        standard::OPTIONAL,
        standard::STRINGS,
        standard::STRINGS_REVERSE,
        standard::LISTS,
        standard::SETS,
        standard::ENCODERS,
        standard::REGEX,
        standard::TWO_VARIABLES,
    ];
    let rows = standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten();
    let env = standard::with_types(Env::new(rows).unwrap());
    VARIABLES.iter().fold(env, |env, (name, of)| env.with_variable(name, Type::parse(of).unwrap()))
}

/// The program of an expression; `None` where it has none.
pub(crate) fn program(tree: &ast::Ast, checked: &Checked, env: &Env) -> Option<Program> {
    let names = VARIABLES.map(|(name, _)| Str::from(name));
    Program::new(tree, Some(checked), env, &Options { variables: &names, fold: true }).ok()
}

/// Its evaluation, under the cost limit that Kubernetes has.
pub(crate) fn evaluate<'v>(program: &'v Program, bindings: &[Binding<'v>]) -> Evaluated<'v> {
    program.evaluate(&Input { variables: bindings, limit: Some(1_000_000), ..Input::default() })
}

/// The nodes of a tree without their places, numbered from the root on: the same for the same tree.
pub(crate) fn nodes(tree: &ast::Ast) -> Vec<String> {
    let mut found = vec![tree.root()];
    let mut nodes = Vec::new();
    while let Some(id) = found.get(nodes.len()) {
        let mut expr = tree.expr(*id).clone();
        match &mut expr {
            ast::Expr::Map(entries) => entries.iter_mut().for_each(|entry| entry.at = 0),
            ast::Expr::Struct { fields, .. } => fields.iter_mut().for_each(|field| field.at = 0),
            _ => {}
        }
        let text = format!("{expr:?}");
        let mut parts = text.split("ExprId(");
        let mut node = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once(')').unwrap_or((part, ""));
            let child = ast::ExprId::from_index(number.parse().unwrap_or_default());
            let place = found.iter().position(|known| *known == child).unwrap_or(found.len());
            if place == found.len() {
                found.push(child);
            }
            node.extend(["#", place.to_string().as_str(), rest]);
        }
        nodes.push(node);
    }
    nodes
}

/// The document.
pub(crate) fn document() -> engine_json::Value {
    parse(DOCUMENT).unwrap()
}
