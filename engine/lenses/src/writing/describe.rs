//! What stands at a place of an expression: its type, its value on the chosen resource, of a function how it is called.
//!
//! In: an expression, and a stretch of it. Out: JSON: `{from, to, text, type, value?, error?, on?, elements?, path?, kind?, note?,
//! function?, signature?, examples?}`.

use super::names;
use super::rows;
use super::site::Site;
use super::tree;
use super::values::Objects;
use super::{Answer, kinds, options};
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Origin};
use engine_cel::check::{Checked, Reference, check};
use engine_cel::syntax;
use engine_cel::types::Type;
use engine_json::{Str, Value, to_json};

/// So many characters of a part are shown.
const MAX_TEXT: usize = 300;
/// So many characters of a value.
const MAX_VALUE: usize = 4_000;

/// A part of an expression with what is known of it.
struct Part<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    id: ExprId,
    folds: Vec<(ExprId, &'a Comprehension)>,
}

/// What is to be said of a stretch; nothing where the expression cannot be read.
pub(super) fn of(site: &Site, (from, to): (u32, u32), objects: &Objects<'_>) -> Option<Value> {
    let around = site.around()?;
    let ast = syntax::parse(&site.source, &options(&around)).ok()?;
    let checked = check(&ast, &around.environment.env);
    let (start, end) = (site.byte(from), site.byte(to).max(site.byte(from)));
    let end = if start == end { next(&site.source, start) } else { end };
    let id = tree::smallest(&ast, start, end)?;
    let folds = tree::folds(&ast, &tree::way(&ast, id));
    let part = Part { ast: &ast, checked: &checked, id, folds };
    let node = ast.node(id);
    let mut answer = Answer::new();
    if let Some((name, place, of, fold)) = part.declared(site, start) {
        // The name that a macro gives to its elements, where it is written first.
        let (from, to) = site.stretch(place, place + name.len());
        answer.place(from, to).text("text", &name).text("type", &of.to_string()).text("note", names::ELEMENT);
        let path =
            |id| tree::field_path(&ast, id, &part.folds, &|name| super::variable_path(&around, name, 0));
        if let Some(path) = path(fold.range) {
            answer
                .list("path", path.iter().map(|name| Value::from(name.as_str())).chain([Value::from("[]")]));
        }
        answer.set("kinds", kinds(&site.document));
        return Some(answer.end());
    }
    let text = site.source.get(node.start as usize..node.end as usize).unwrap_or("");
    let (from, to) = site.stretch(node.start as usize, node.end as usize);
    answer.place(from, to).text("text", &shortened(text, MAX_TEXT));
    // What does not type has a problem of its own to say so.
    let of = checked.type_of(id);
    if !matches!(of, Type::Error) {
        answer.text("type", &of.to_string());
    }
    part.function(&mut answer, &around.environment, site, start);
    let path = tree::field_path(&ast, id, &part.folds, &|name| super::variable_path(&around, name, 0));
    if let Some(path) = path {
        answer.list("path", path.iter().map(|name| Value::from(name.as_str())));
        answer.set("kinds", kinds(&site.document));
    }
    if let Some(note) = part.note() {
        answer.text("note", note);
    }
    if let Some(of_resource) = objects.value(site, &around, &ast, id) {
        let resource = of_resource.resource;
        match &of_resource.found.value {
            Ok(value) => {
                answer.text("value", &shortened(&to_json(&value.with_int_numbers()), MAX_VALUE));
            }
            Err(words) => {
                answer.text("error", words);
            }
        }
        let namespace = resource.namespace();
        let slash = if namespace.is_empty() { "" } else { "/" };
        let name = resource.name_or_generate_name();
        answer.text("on", &format!("{} {namespace}{slash}{name}", resource.kind()));
        let elements = of_resource.found.elements.iter();
        let elements = elements.map(|at| Value::from(i64::try_from(*at).unwrap_or(i64::MAX)));
        answer.list("elements", elements);
    }
    Some(answer.end())
}

impl Part<'_> {
    /// What the name of a variable or a field of the environment is for.
    fn note(&self) -> Option<&'static str> {
        let name = match self.ast.expr(self.id) {
            Expr::Ident(name) if self.folds.iter().all(|(_, fold)| fold.var != *name) => name,
            _ => return None,
        };
        Some(names::variable(name)).filter(|note| !note.is_empty())
    }

    /// The name of an element where the macro declares it: the name, its place, its type, the macro.
    fn declared(&self, site: &Site, at: usize) -> Option<(Str, usize, Type, &Comprehension)> {
        let Expr::Comprehension(fold) = self.ast.expr(self.id) else { return None };
        if matches!(fold.origin, Origin::Bind { .. }) {
            return None;
        }
        let range = self.checked.type_of(fold.range);
        let begin = self.ast.node(fold.range).end as usize;
        let first = tree::asked(&fold.origin).first().map(|id| self.ast.node(*id).start as usize)?;
        let head = site.source.get(begin..first)?;
        let element = match range {
            Type::List(of) => (**of).clone(),
            Type::Map(entry) if fold.var2.is_some() => entry.1.clone(),
            Type::Map(entry) => entry.0.clone(),
            _ => Type::Dyn,
        };
        for (name, of) in [(Some(&fold.var), element.clone()), (fold.var2.as_ref(), element)] {
            let Some(name) = name else { continue };
            let place = begin
                + head.find('(').and_then(|open| Some(open + head.get(open..)?.find(name.as_str())?))?;
            if (place..place + name.len()).contains(&at) {
                return Some((name.clone(), place, of, fold));
            }
        }
        None
    }

    /// The function or the macro whose name stands at a place.
    fn function(
        &self,
        answer: &mut Answer,
        environment: &engine_celpolicy::environment::Environment,
        site: &Site,
        at: usize,
    ) {
        let node = self.ast.node(self.id);
        let word = word(&site.source, at);
        let written = match self.ast.expr(self.id) {
            Expr::Call { function, .. } => match self.checked.reference(self.id) {
                Some(Reference::Function { name, .. }) => Str::new_static(name),
                _ => function.clone(),
            },
            Expr::Comprehension(_) | Expr::Select { test: true, .. } => {
                Str::from(if word == "bind" { "cel.bind" } else { word })
            }
            _ => return,
        };
        // At an operator, or at a bracket, it is the whole that is asked about.
        if word.is_empty() || !written.ends_with(word) || node.end as usize <= at {
            return;
        }
        if let Some(row) = names::named(&written) {
            answer.text("function", row.name).text("signature", row.signature).text("note", row.note);
            answer.set("examples", rows::examples(row.examples));
        } else if let Some(declared) = environment.env.function(&written) {
            let chosen = match self.checked.reference(self.id) {
                Some(Reference::Function { overloads, .. }) => overloads.first().copied(),
                _ => None,
            };
            let overload = chosen.and_then(|at| declared.overloads.get(usize::from(at)));
            let overload =
                overload.or(declared.overloads.first()).map_or("", |shape| shape.overload.signature);
            answer
                .text("function", declared.row.name)
                .text("signature", &rows::signature(declared.row.name, overload));
            answer.text("note", declared.row.note).set("examples", rows::examples(declared.row.examples));
        }
    }
}

/// The word at a place.
pub(super) fn word(source: &str, at: usize) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let head = source.get(..at).unwrap_or("");
    let tail = source.get(at..).unwrap_or("");
    let from = head.trim_end_matches(is_word).len();
    let to = at + tail.len() - tail.trim_start_matches(is_word).len();
    source.get(from..to).unwrap_or("")
}

fn next(source: &str, at: usize) -> usize {
    at + source.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text.to_owned(),
    }
}
