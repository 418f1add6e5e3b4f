//! What the value of a part is made of: fields of the resource, other values, and literals.
//!
//! In: a part and where it was evaluated. Out: [`Reads`], the fields that stand in the part itself before those that only a variable
//! or a macro in it reads, and words for the first of them.

use super::sample;
use super::view::View;
use crate::functions::imageverify::{ATTESTATIONS, Attestor, SIGNATURES, SIGNERS};
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin};
use engine_cel::operators;
use engine_cel::value::Value;
use engine_json::{Number, Path, Value as Json, to_json};

/// So many fields are named for one part.
const MAX_FIELDS: usize = 24;
/// So many literals and other values are kept of one part.
const MAX_LITERALS: usize = 24;
/// Of so many elements of a macro it is said what they read.
const MAX_ROUNDS: usize = 12;
/// How deep parts may nest.
const MAX_DEPTH: usize = 60;
/// So many values are said in one sentence.
const MAX_SAID: usize = 3;
/// A value takes so many characters at most.
const MAX_SHORT: usize = 100;
/// So many where it says who signs.
const MAX_LONG: usize = 240;

/// What a part reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// The fields, be they there or not.
    pub(super) fields: Vec<Path>,
    /// How many of them the part itself names.
    named: usize,
    /// Other values, by the text of what gives them.
    others: Vec<(String, Json)>,
    /// What is written beside them.
    pub(super) literals: Vec<Json>,
    /// Who signed the image that a function verifies, and who should have.
    signers: Option<String>,
}

/// What a part reads.
pub(super) fn of(view: &View<'_, '_>, id: ExprId) -> Reads {
    let mut reads = Reads::default();
    reads.part(view, id, 0);
    reads.named = reads.fields.len();
    reads.below(view);
    reads.inner(view, id, 0);
    reads
}

impl Reads {
    /// The same beside what is written in the part around it.
    pub(super) fn beside(self, whole: Reads) -> Self {
        Reads { literals: whole.literals, ..self }
    }

    fn field(&mut self, path: Path) {
        if !path.is_empty() && self.fields.len() < MAX_FIELDS && !self.fields.contains(&path) {
            self.fields.push(path);
        }
    }

    fn literal(&mut self, value: Json) {
        if self.literals.len() < MAX_LITERALS && !self.literals.contains(&value) {
            self.literals.push(value);
        }
    }

    fn other(&mut self, view: &View<'_, '_>, id: ExprId) {
        if let Some(Ok(value)) = view.value(id) {
            // What an attestor is, is said where it is asked for.
            if attestor(value).is_some() {
                return;
            }
            let value = value.to_json();
            if !self.others.iter().any(|(_, known)| *known == value) {
                self.others.push((view.text(id), value.clone()));
            }
            self.literal(value);
        }
    }

    /// What stands in the part itself.
    fn part(&mut self, view: &View<'_, '_>, id: ExprId, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match view.expr(id) {
            Expr::Literal(literal) => self.literal(written(literal)),
            Expr::List { elements, .. } => elements.iter().for_each(|part| self.part(view, *part, depth + 1)),
            Expr::Map(entries) => entries.iter().for_each(|entry| self.part(view, entry.value, depth + 1)),
            Expr::Struct { fields, .. } => {
                fields.iter().for_each(|field| self.part(view, field.value, depth + 1));
            }
            Expr::Ident(_) | Expr::Select { .. } => match view.path(id, 0) {
                Some(path) => self.field(path),
                None => self.other(view, id),
            },
            Expr::Call { function, target, args } => {
                if let Some(path) = view.path(id, 0) {
                    self.field(path);
                    // What stands there where the field does not.
                    args.iter().skip(usize::from(target.is_none())).for_each(|part| {
                        self.part(view, *part, depth + 1);
                    });
                    return;
                }
                if function == operators::IN {
                    self.key(view, args);
                }
                if function == operators::LOGICAL_NOT {
                    return args.iter().for_each(|part| self.part(view, *part, depth));
                }
                if [SIGNATURES, ATTESTATIONS].contains(&function.as_str()) {
                    self.signers = self.signers.take().or_else(|| signers(view, args));
                }
                let is_operator = function.contains('_') || function.starts_with('@');
                if depth > 0 && !is_operator {
                    self.other(view, id);
                }
                target.iter().chain(args).for_each(|part| self.part(view, *part, depth + 1));
                if function == "matches"
                    && let Some(pattern) = self.literals.last().and_then(Json::as_str)
                {
                    let matching = Json::from(sample::of(pattern));
                    self.literal(matching);
                }
            }
            Expr::Comprehension(fold) => match fold.origin {
                Origin::Bind { value, body } => {
                    self.part(view, value, depth + 1);
                    let bound = view.bound_value(&fold.accu, value);
                    self.part(&view.within(None, &bound), body, depth + 1);
                }
                _ => self.part(view, fold.range, depth + 1),
            },
        }
    }

    /// The field whose name is looked for in a map.
    fn key(&mut self, view: &View<'_, '_>, args: &[ExprId]) {
        let [key, map] = args else { return };
        let Some(path) = view.path(*map, 0) else { return };
        // What was not asked for may be written there all the same.
        let literal = match view.expr(*key) {
            Expr::Literal(literal) => written(literal).as_str().map(str::to_owned),
            _ => None,
        };
        let evaluated = view.value(*key).and_then(|key| key.as_ref().ok()?.as_str().map(str::to_owned));
        let is_list =
            view.ground.document.at_path(path.iter()).is_some_and(|found| found.as_array().is_some());
        if let Some(key) = evaluated.or(literal).filter(|_| !is_list) {
            self.field(path.join(key.as_str()));
        }
    }

    /// What a field that is not there would hold, as other parts of the expression read it.
    fn below(&mut self, view: &View<'_, '_>) {
        let document = view.ground.document;
        let is_absent = |path: &&Path| document.at_path(path.iter()).is_none_or(Json::is_null);
        let absent: Vec<Path> = self.fields.iter().filter(is_absent).cloned().collect();
        if absent.is_empty() {
            return;
        }
        for at in 0..view.heard.ast.nodes().len() {
            let id = ExprId::from_index(at);
            if let Expr::Call { function, args, .. } = view.expr(id)
                && function == operators::IN
                && let [_, map] = &**args
                && view.path(*map, 0).is_some_and(|path| absent.iter().any(|known| path.starts_with(known)))
            {
                self.key(view, args);
            }
            if !matches!(view.expr(id), Expr::Select { .. } | Expr::Call { .. }) {
                continue;
            }
            if let Some(path) = view.path(id, 0)
                && absent.iter().any(|known| path.len() > known.len() && path.starts_with(known))
            {
                self.field(path);
            }
        }
    }

    /// What variables and macros in the part read.
    fn inner(&mut self, view: &View<'_, '_>, id: ExprId, depth: usize) {
        if depth > MAX_DEPTH || self.fields.len() >= MAX_FIELDS {
            return;
        }
        match view.expr(id) {
            Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::List { elements, .. } => {
                elements.iter().for_each(|part| self.inner(view, *part, depth + 1));
            }
            Expr::Map(entries) => entries.iter().for_each(|entry| self.inner(view, entry.value, depth + 1)),
            Expr::Struct { fields, .. } => {
                fields.iter().for_each(|field| self.inner(view, field.value, depth + 1));
            }
            Expr::Select { operand, field, .. } => {
                if let Some(heard) = variable(&view.heard.ast, *operand, field)
                    .and_then(|name| view.ground.variables.heard(name))
                {
                    let whole = View::whole(view.ground, heard);
                    self.part(&whole, heard.ast.root(), depth + 1);
                    self.inner(&whole, heard.ast.root(), depth + 1);
                } else {
                    self.inner(view, *operand, depth + 1);
                }
            }
            Expr::Call { target, args, .. } => {
                target.iter().chain(args).for_each(|part| self.inner(view, *part, depth + 1));
            }
            Expr::Comprehension(fold) => self.rounds(view, id, fold, depth),
        }
    }

    fn rounds(&mut self, view: &View<'_, '_>, id: ExprId, fold: &Comprehension, depth: usize) {
        if let Origin::Bind { value, body } = fold.origin {
            self.inner(view, value, depth + 1);
            let bound = view.bound_value(&fold.accu, value);
            return self.inner(&view.within(None, &bound), body, depth + 1);
        }
        self.inner(view, fold.range, depth + 1);
        for round in view.rounds(id).iter().take(MAX_ROUNDS) {
            let bound = view.bound(fold, round);
            let within = view.within(Some(&round.scope), &bound);
            for part in asked(&fold.origin).into_iter().flatten() {
                self.part(&within, part, depth + 1);
                self.inner(&within, part, depth + 1);
            }
        }
    }

    /// What the part is held against: what stands last in it.
    pub(super) fn wanted(&self) -> Option<Json> {
        self.literals.last().cloned()
    }

    /// `spec.hostNetwork is `true``; empty where nothing is to be said.
    pub(super) fn said(&self, document: &Json) -> String {
        let named = self.fields.iter().take(self.named);
        let fields = named.map(|path| match document.at_path(path.iter()) {
            None => format!("{path} is absent"),
            Some(value) => format!("{path} is {}", short(value)),
        });
        let others = self.others.iter().map(|(text, value)| format!("`{text}` is {}", short(value)));
        let mut said: Vec<String> = fields.chain(others).take(MAX_SAID).collect();
        said.extend(self.signers.clone());
        said.join(", ")
    }
}

/// An attestor of a policy of images.
fn attestor<'a>(value: &'a Value<'_>) -> Option<&'a Attestor> {
    let Value::Opaque(opaque) = value else { return None };
    opaque.as_any().downcast_ref()
}

/// Who signed an image, as it is given, and what each of the attestors asks for.
fn signers(view: &View<'_, '_>, args: &[ExprId]) -> Option<String> {
    let value = |id: &ExprId| view.value(*id).and_then(|value| value.as_ref().ok());
    // Without the attestors, which stand last.
    let (attestors, asked) = args.split_last()?;
    let asked: Vec<Value<'_>> = asked.iter().filter_map(value).cloned().collect();
    let found = view.ground.variables.outside()?.ask(SIGNERS, &asked).ok()?.to_json();
    let found = if asked.len() > 1 {
        format!("attested {}", long(&found))
    } else {
        format!("signed by {}", long(&found))
    };
    let list = value(attestors)?.as_list()?;
    let wanted = list.iter().filter_map(|one| {
        let Attestor { name, written } = attestor(&one)?;
        Some(format!("`attestors.{name}` wants {}", long(wanted_of(written))))
    });
    Some(std::iter::once(found).chain(wanted.take(MAX_SAID)).collect::<Vec<_>>().join(", "))
}

/// What an attestor asks of a signature: the innermost part that holds all of it.
fn wanted_of(attestor: &Json) -> &Json {
    let inner = [&["cosign", "keyless", "identities"][..], &["cosign"], &["notary"]];
    inner.iter().find_map(|path| attestor.find(path).filter(|part| !part.is_null())).unwrap_or(attestor)
}

/// The name of a variable of the policy.
pub(super) fn variable<'f>(ast: &Ast, operand: ExprId, field: &'f str) -> Option<&'f str> {
    matches!(ast.expr(operand), Expr::Ident(name) if name == "variables").then_some(field)
}

/// The parts of a macro that are evaluated for each element.
fn asked(origin: &Origin) -> [Option<ExprId>; 2] {
    match *origin {
        Origin::All(part) | Origin::Exists(part) | Origin::ExistsOne(part) | Origin::Filter(part) => {
            [Some(part), None]
        }
        Origin::Map { predicate, transform }
        | Origin::TransformMap { predicate, transform }
        | Origin::TransformMapEntry { predicate, transform } => [predicate, Some(transform)],
        Origin::Bind { .. } => [None, None],
    }
}

fn written(literal: &Literal) -> Json {
    match literal {
        Literal::Null => Json::Null,
        Literal::Bool(truth) => Json::from(*truth),
        Literal::Int(number) => Json::from(*number),
        Literal::Uint(number) => Json::from(Number::from(*number)),
        Literal::Double(number) => Value::Double(*number).to_json(),
        Literal::String(text) => Json::String(text.clone()),
        Literal::Bytes(bytes) => Value::Bytes(bytes).to_json(),
    }
}

/// A value in back-ticks, cut where it is long.
pub(super) fn short(value: &Json) -> String {
    let value = value.with_int_numbers();
    let text = value.as_str().map_or_else(|| to_json(&value), str::to_owned);
    format!("`{}`", cut(&text.replace(['\n', '\r'], " "), MAX_SHORT))
}

/// The same where more of it matters.
fn long(value: &Json) -> String {
    format!("`{}`", cut(&to_json(&value.with_int_numbers()), MAX_LONG))
}

/// A text, cut where it is long.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text.to_owned(),
    }
}

/// The sides of `&&` or `||`, those of the same operator within them taken apart.
pub(super) fn sides(view: &View<'_, '_>, id: ExprId) -> Option<Vec<ExprId>> {
    let Expr::Call { function, .. } = view.expr(id) else { return None };
    if function != operators::LOGICAL_AND && function != operators::LOGICAL_OR {
        return None;
    }
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        match view.expr(next) {
            Expr::Call { function: name, args, .. } if name == function => open.extend(args.iter().rev()),
            _ => found.push(next),
        }
    }
    Some(found)
}
