//! What may stand at a place of an expression: variables, fields, functions, macros.
//!
//! In: an expression in which somebody types, and the place. Out: JSON, see [`super::complete`]. The text before the place is read with
//! a name put there and what is open closed; so the checker itself says what stands before the dot.

use super::names::{self, MACROS};
use super::rows;
use super::site::Site;
use super::tree;
use super::values::Objects;
use super::{Answer, fields::Around, kinds, options};
use engine_cel::ast::{Ast, Expr, ExprId, Literal, Origin};
use engine_cel::check::check;
use engine_cel::env::{Env, TypeKind};
use engine_cel::operators as op;
use engine_cel::syntax;
use engine_cel::types::Type;
use engine_celpolicy::environment::is_written;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Str, Value, to_json};

/// What stands where somebody types.
const HERE: &str = "podsieve_here";
/// So many keys of an object are offered.
const MAX_KEYS: usize = 60;
/// So many characters of a key's value are shown.
const MAX_VALUE: usize = 60;

/// What an option is.
#[derive(Clone, Copy)]
enum Kind {
    Variable,
    Field,
    Function,
    Macro,
    Keyword,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Variable => "variable",
            Kind::Field => "field",
            Kind::Function => "function",
            Kind::Macro => "macro",
            Kind::Keyword => "keyword",
        }
    }
}

/// What may stand at a place.
pub(super) fn at(site: &Site, at: u32, objects: &Objects<'_>) -> Option<Value> {
    let around = site.around()?;
    let cursor = site.byte(at);
    let before = site.source.get(..cursor)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = before.trim_end_matches(is_word).len();
    let head = before.get(..start)?;
    let open = open(head)?;
    // A number may have a dot and no members.
    if before.get(start..)?.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (ast, here) = read(head, &open, &around)?;
    let mut found = Offers { env: &around.environment.env, options: Vec::new(), known: OrderedSet::new() };
    let mut answer = Answer::new();
    // What is replaced begins where the word does in the text, which knows folded lines and escapes.
    answer.place(at.min(site.place(start)), at);
    let way = tree::way(&ast, here);
    let folds = tree::folds(&ast, &way);
    if let Some((operand, is_optional)) = operand(&ast, here) {
        let checked = check(&ast, found.env);
        let of = checked.type_of(operand);
        let variables = |name: &str| super::variable_path(&around, name, 0);
        let path = tree::field_path(&ast, operand, &folds, &variables);
        let held = if let Type::Optional(inner) = of { inner } else { of };
        if !found.qualified(&ast, operand) {
            found.members(held);
            if let Some(path) = &path {
                answer.list("path", path.iter().map(|name| Value::from(name.as_str())));
                answer.set("kinds", kinds(&site.document));
                found.keys(objects.object(site), path);
            }
            if !is_optional {
                found.methods(of);
            }
        }
    } else {
        for (_, fold) in folds.iter().rev() {
            let names = match fold.origin {
                Origin::Bind { .. } => [Some(&fold.accu), None],
                _ => [Some(&fold.var), fold.var2.as_ref()],
            };
            for name in names.into_iter().flatten() {
                found.option(name, Kind::Variable, "", names::ELEMENT, &[]);
            }
        }
        found.global();
    }
    if found.options.is_empty() && !answer.0.contains_key("path") {
        return None;
    }
    answer.list("options", found.options.into_iter());
    Some(answer.end())
}

/// What is open at the end of a text: its brackets, outermost first; nothing within a text in quotes.
fn open(head: &str) -> Option<Vec<char>> {
    let mut open = Vec::new();
    let mut rest = head;
    while let Some(sign) = rest.chars().next() {
        rest = rest.get(sign.len_utf8()..)?;
        match sign {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => drop(open.pop()),
            '"' | '\'' => {
                let triple = [sign, sign].iter().collect::<String>();
                let (quote, is_long) = match rest.strip_prefix(triple.as_str()) {
                    Some(inner) => {
                        rest = inner;
                        (format!("{sign}{sign}{sign}"), true)
                    }
                    None => (sign.to_string(), false),
                };
                let end = closing(rest, &quote, is_long)?;
                rest = rest.get(end..)?;
            }
            _ => {}
        }
    }
    Some(open)
}

/// Where a text in quotes has ended; nothing where it has not.
fn closing(text: &str, quote: &str, is_long: bool) -> Option<usize> {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if sign == '\\' {
            is_escaped = true;
        } else if text.get(at..)?.starts_with(quote) {
            return Some(at + quote.len());
        } else if sign == '\n' && !is_long {
            return None;
        }
    }
    None
}

/// The tree of what stands before the place, with a name there; and the node of that name.
fn read(head: &str, open: &[char], around: &Around) -> Option<(Ast, ExprId)> {
    let closed: String = open.iter().rev().collect();
    // Of a choice the first may have come, and of a macro the name.
    let ends = [closed.clone(), format!(" : null{closed}"), format!(", true{closed}")];
    for end in ends {
        let text = format!("{head}{HERE}{end}");
        if let Ok(ast) = syntax::parse(&text, &options(around))
            && let Some(here) = find(&ast)
        {
            return Some((ast, here));
        }
    }
    // What stands before is in pieces: the chain of names at the place may still be read.
    let chain = chain(head);
    let text = format!("{chain}{HERE}");
    let ast = syntax::parse(&text, &options(around)).ok()?;
    let here = find(&ast)?;
    Some((ast, here))
}

/// The names and dots at the end of a text.
fn chain(head: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '?');
    let from = head.trim_end_matches(is_part).len();
    head.get(from..).unwrap_or("").trim_start_matches(['.', '?'])
}

fn find(ast: &Ast) -> Option<ExprId> {
    tree::all(ast).into_iter().find(|id| match ast.expr(*id) {
        Expr::Ident(name) => name == HERE,
        Expr::Select { field, .. } => field == HERE,
        Expr::Call { function, args, .. } if function == op::OPTIONAL_SELECT => args.last().is_some_and(
            |name| matches!(ast.expr(*name), Expr::Literal(Literal::String(name)) if name == HERE),
        ),
        _ => false,
    })
}

/// What stands before the dot, and whether that is `.?`.
fn operand(ast: &Ast, here: ExprId) -> Option<(ExprId, bool)> {
    match ast.expr(here) {
        Expr::Select { operand, .. } => Some((*operand, false)),
        Expr::Call { args, .. } => args.first().map(|operand| (*operand, true)),
        _ => None,
    }
}

struct Offers<'a> {
    env: &'a Env,
    options: Vec<Value>,
    known: OrderedSet<String>,
}

impl Offers<'_> {
    fn option(&mut self, label: &str, kind: Kind, detail: &str, doc: &str, examples: &[(&str, &str)]) {
        if !self.known.insert(label.to_owned()) {
            return;
        }
        let mut fields = Map::new();
        fields.insert("label", Value::from(label));
        fields.insert("kind", Value::from(kind.as_str()));
        fields.insert("detail", Value::from(detail));
        fields.insert("doc", Value::from(doc));
        if !examples.is_empty() {
            fields.insert("examples", rows::examples(examples.get(..1).unwrap_or_default()));
        }
        self.options.push(Value::object(fields));
    }

    /// The fields of what is declared.
    fn members(&mut self, of: &Type) {
        let Type::Named(name) = of else { return };
        let Some(TypeKind::Struct(fields)) = self.env.type_kind(name) else { return };
        for (name, of) in fields.clone() {
            self.option(&name, Kind::Field, &of.to_string(), "", &[]);
        }
    }

    /// The fields that the object of the page has there, with their values; what lies in a list is that of its first element.
    fn keys(&mut self, object: Option<&Value>, path: &[Str]) {
        let step = |value: Option<&Value>, name: &Str| {
            let value = value?;
            if name == "[]" { value.at(0).cloned() } else { value.get(name).cloned() }
        };
        let found = path.iter().fold(object.cloned(), |value, name| step(value.as_ref(), name));
        let Some(map) = found.as_ref().and_then(Value::as_object) else { return };
        let is_name = |key: &&Str| engine_celpolicy::expression::is_name(key);
        for (key, value) in map.iter().filter(|(key, _)| is_name(key)).take(MAX_KEYS) {
            let value = to_json(&value.with_int_numbers());
            self.option(key, Kind::Field, &super::describe::shortened(&value, MAX_VALUE), "", &[]);
        }
    }

    /// Functions that begin with the names before the dot: `math.abs`.
    fn qualified(&mut self, ast: &Ast, operand: ExprId) -> bool {
        let Some(prefix) = dotted(ast, operand).map(|name| format!("{name}.")) else { return false };
        let before = self.options.len();
        let macros = MACROS.iter().filter_map(|row| Some((row.name.strip_prefix(&prefix)?, row)));
        for (name, row) in macros {
            self.option(name, Kind::Macro, row.signature, row.note, row.examples);
        }
        for declared in self.env.functions() {
            let row = declared.row;
            let Some(name) = row.name.strip_prefix(&prefix).filter(|_| is_written(row.name)) else {
                continue;
            };
            if !name.contains('.') {
                let first = declared.overloads.first().map_or("", |shape| shape.overload.signature);
                self.option(name, Kind::Function, &rows::signature(row.name, first), row.note, row.examples);
            }
        }
        self.options.len() > before
    }

    /// Functions and macros that are called on a value of a type.
    fn methods(&mut self, of: &Type) {
        let word = match of {
            Type::List(_) => "list",
            Type::Map(_) => "map",
            Type::Optional(_) => "optional",
            Type::Dyn | Type::Any | Type::Error => "",
            _ => "-",
        };
        let fits_macro = |kinds: &&[&str]| !kinds.is_empty() && (word.is_empty() || kinds.contains(&word));
        for row in MACROS.iter().filter(|row| fits_macro(&row.of)) {
            self.option(row.name, Kind::Macro, row.signature, row.note, row.examples);
        }
        for declared in self.env.functions() {
            let row = declared.row;
            let fitting = declared.overloads.iter().find(|shape| {
                let receiver = shape.signature.params.first();
                shape.signature.member && receiver.is_some_and(|wanted| fits(wanted, of))
            });
            if let Some(shape) = fitting.filter(|_| is_written(row.name)) {
                let signature = rows::signature(row.name, shape.overload.signature);
                self.option(row.name, Kind::Function, &signature, row.note, row.examples);
            }
        }
    }

    /// What stands by itself: variables, functions, `has`, `true`.
    fn global(&mut self) {
        let variables: Vec<_> =
            self.env.variables().map(|(name, of)| (name.clone(), of.to_string())).collect();
        for (name, of) in variables.iter().filter(|(name, _)| !name.contains('.')) {
            self.option(name, Kind::Variable, of, names::variable(name), &[]);
        }
        for row in MACROS.iter().filter(|row| row.of.is_empty()) {
            self.option(row.name, Kind::Macro, row.signature, row.note, row.examples);
        }
        for declared in self.env.functions() {
            let row = declared.row;
            let plain = declared.overloads.iter().find(|shape| !shape.signature.member);
            if let Some(shape) = plain.filter(|_| is_written(row.name)) {
                let signature = rows::signature(row.name, shape.overload.signature);
                self.option(row.name, Kind::Function, &signature, row.note, row.examples);
            }
        }
        for word in ["true", "false", "null"] {
            self.option(word, Kind::Keyword, "", "", &[]);
        }
    }
}

/// The names of a chain that begins with a name.
fn dotted(ast: &Ast, id: ExprId) -> Option<String> {
    match ast.expr(id) {
        Expr::Ident(name) => Some(name.to_string()),
        Expr::Select { operand, field, test: false } => Some(format!("{}.{field}", dotted(ast, *operand)?)),
        _ => None,
    }
}

/// Whether a value of this type may be the receiver.
fn fits(wanted: &Type, of: &Type) -> bool {
    match (wanted, of) {
        (Type::Dyn | Type::Any | Type::Var(_) | Type::Param(_), _)
        | (_, Type::Dyn | Type::Any | Type::Error | Type::Var(_) | Type::Param(_))
        | (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_))
        | (Type::Optional(_), Type::Optional(_)) => true,
        (wanted, Type::Wrapper(of)) => *wanted == **of,
        (wanted, of) => wanted == of,
    }
}
