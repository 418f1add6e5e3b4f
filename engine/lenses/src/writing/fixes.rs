//! What may be done about what is wrong with the expressions of a text.
//!
//! In: a text. Out: JSON, see [`super::fixes`]. Each edit was tried: with it the expression has fewer problems, or the field that may be
//! absent is asked for. Which fields of objects are read is said as well: a schema that is not here knows those.

use super::near;
use super::site::{Site, Sites};
use super::tree;
use super::{Answer, absent, fields::Around, kinds, options};
use engine_cel::ast::{Ast, Expr, ExprId};
use engine_cel::check::{Checked, check};
use engine_cel::env::TypeKind;
use engine_cel::operators as op;
use engine_cel::syntax;
use engine_cel::types::Type;
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::environment::is_written;
use engine_json::{Str, Value};

/// So much is said of one text.
const MAX_FIXES: usize = 100;
/// So many fields that are read are named.
const MAX_READS: usize = 500;

/// Changes of an expression: stretches in bytes and what stands there then, ascending.
pub(super) type Changes = Vec<(usize, usize, String)>;

/// A problem with the edits that would solve it.
struct Problem {
    stretch: (usize, usize),
    message: String,
    edits: Vec<(String, Changes)>,
}

/// All of a text.
pub(super) fn of(sites: &Sites) -> Value {
    let (mut fixes, mut reads) = (Vec::new(), Vec::new());
    let all: Vec<Site> = sites.all().collect();
    for site in &all {
        let Some(around) = site.around() else { continue };
        let Ok(ast) = syntax::parse(&site.source, &options(&around)) else { continue };
        let checked = check(&ast, &around.environment.env);
        let asked = CheckedExpression { site, around: &around, ast: &ast, checked: &checked };
        for problem in asked.problems(&all) {
            if fixes.len() < MAX_FIXES && !problem.edits.is_empty() {
                fixes.push(described(site, &problem));
            }
        }
        for (from, to, path) in asked.reads() {
            if reads.len() < MAX_READS {
                let (from, to) = site.stretch(from, to);
                let mut read = Answer::new();
                read.place(from, to).list("path", path.iter().map(|name| Value::from(name.as_str())));
                read.set("kinds", kinds(&site.document));
                reads.push(read.end());
            }
        }
    }
    let mut answer = Answer::new();
    answer.list("fixes", fixes.into_iter()).list("reads", reads.into_iter());
    answer.end()
}

fn described(site: &Site, problem: &Problem) -> Value {
    let edit = |(label, changes): &(String, Changes)| {
        let change = |(from, to, insert): &(usize, usize, String)| {
            let mut change = Answer::new();
            let (from, to) = if from == to {
                // An insertion stands behind what is before it, or where the line begins.
                let place =
                    if *from == site.source.len() { site.stretch(0, *from).1 } else { site.place(*from) };
                (place, place)
            } else {
                site.stretch(*from, *to)
            };
            change.place(from, to).text("insert", &site.written(insert));
            change.end()
        };
        let mut edit = Answer::new();
        edit.text("label", label).list("changes", changes.iter().map(change));
        edit.end()
    };
    let (from, to) = site.stretch(problem.stretch.0, problem.stretch.1);
    let mut answer = Answer::new();
    answer.place(from, to).text("message", &problem.message).list("edits", problem.edits.iter().map(edit));
    answer.end()
}

/// An expression with changes.
pub(super) fn changed(source: &str, changes: &Changes) -> String {
    let mut text = String::new();
    let mut at = 0;
    for (from, to, insert) in changes {
        text.push_str(source.get(at..*from).unwrap_or(""));
        text.push_str(insert);
        at = *to;
    }
    text.push_str(source.get(at..).unwrap_or(""));
    text
}

/// An expression with what is known of it.
struct CheckedExpression<'a> {
    site: &'a Site,
    around: &'a Around,
    ast: &'a Ast,
    checked: &'a Checked,
}

impl CheckedExpression<'_> {
    fn problems(&self, all: &[Site]) -> Vec<Problem> {
        let mut found: Vec<Problem> = self
            .checked
            .issues
            .iter()
            .filter_map(|issue| Some(self.of_issue(issue.at? as usize, &issue.message)))
            .collect();
        if !self.checked.issues.is_empty() {
            return found;
        }
        found.extend(self.of_whole());
        if found.is_empty() {
            let reads = absent::reads(self.site, self.ast, all);
            found.extend(reads.iter().filter_map(|id| {
                let edits = absent::edits(&self.site.source, self.ast, *id, &reads);
                let is_tried = |(_, changes): &(String, Changes)| {
                    compile(
                        &changed(&self.site.source, changes),
                        &self.around.environment,
                        self.site.field.wanted,
                    )
                    .is_ok()
                };
                let edits: Vec<_> = edits.into_iter().filter(is_tried).collect();
                let stretch = self.field(*id)?;
                let name = self.site.source.get(stretch.0..stretch.1)?;
                Some(Problem {
                    stretch,
                    message: format!("`{name}` may be absent: then the expression is an error"),
                    edits,
                })
            }));
        }
        found
    }

    /// Whether fewer problems are left.
    fn is_better(&self, changes: &Changes) -> bool {
        let text = changed(&self.site.source, changes);
        syntax::parse(&text, &options(self.around)).is_ok_and(|ast| {
            check(&ast, &self.around.environment.env).issues.len() < self.checked.issues.len()
        })
    }

    fn of_issue(&self, at: usize, message: &str) -> Problem {
        let nodes = tree::all(self.ast).into_iter().filter(|id| self.ast.node(*id).at as usize == at);
        let mut edits = Vec::new();
        let mut stretch = None;
        for id in nodes {
            let (found, place) = self.renamed(id, message).unwrap_or_else(|| (self.sized(id), None));
            for edit in found {
                if self.is_better(&edit.1) && !edits.contains(&edit) {
                    edits.push(edit);
                }
            }
            stretch = stretch.or(place);
        }
        let stretch = stretch.unwrap_or((at, at + 1));
        Problem { stretch, message: message.to_owned(), edits }
    }

    /// Names that are near to the one that nobody knows, and its place.
    #[expect(clippy::type_complexity, reason = "edits, and a stretch where there is one")]
    fn renamed(&self, id: ExprId, message: &str) -> Option<(Vec<(String, Changes)>, Option<(usize, usize)>)> {
        let wanted = message.split('\'').nth(1)?;
        let env = &self.around.environment.env;
        let is_undeclared = message.starts_with("undeclared reference");
        let (place, near) = match self.ast.expr(id) {
            Expr::Ident(name) if is_undeclared && name == wanted => {
                let node = self.ast.node(id);
                let locals = tree::folds(self.ast, &tree::way(self.ast, id));
                let locals: Vec<Str> = locals
                    .iter()
                    .flat_map(|(_, fold)| [Some(fold.var.clone()), fold.var2.clone()])
                    .flatten()
                    .collect();
                let known =
                    env.variables().map(|(name, _)| name.as_str()).chain(locals.iter().map(Str::as_str));
                let near = near::names(wanted, known).into_iter().map(str::to_owned).collect::<Vec<_>>();
                ((node.start as usize, node.end as usize), near)
            }
            Expr::Call { function, .. } if is_undeclared && function == wanted => {
                // The opening bracket stands behind the name.
                let end = self.site.source.get(..self.ast.node(id).at as usize)?.trim_end().len();
                let start = end
                    .checked_sub(wanted.len())
                    .filter(|start| self.site.source.get(*start..end) == Some(wanted))?;
                let rows = env.functions().map(|declared| declared.row.name).filter(|name| is_written(name));
                let macros = super::MACROS.iter().map(|row| row.name);
                let near = near::names(wanted, rows.chain(macros)).into_iter().map(str::to_owned).collect();
                ((start, end), near)
            }
            Expr::Select { operand, field, .. }
                if message.starts_with("undefined field") && field == wanted =>
            {
                let of = match self.checked.type_of(*operand) {
                    Type::Optional(inner) => &**inner,
                    of => of,
                };
                let Type::Named(name) = of else { return None };
                let Some(TypeKind::Struct(fields)) = env.type_kind(name) else { return None };
                let near = near::names(wanted, fields.keys().map(Str::as_str))
                    .into_iter()
                    .map(str::to_owned)
                    .collect();
                (self.field(id)?, near)
            }
            _ => return None,
        };
        let edit = |name: String| (format!("Write {name}"), vec![(place.0, place.1, name)]);
        Some((near.into_iter().map(edit).collect(), Some(place)))
    }

    /// The same with the size of what is no truth value asked for, where one is wanted.
    fn sized(&self, id: ExprId) -> Vec<(String, Changes)> {
        let parts = match self.ast.expr(id) {
            Expr::Call { function, args, .. }
                if [op::LOGICAL_AND, op::LOGICAL_OR, op::LOGICAL_NOT, op::CONDITIONAL]
                    .contains(&function.as_str()) =>
            {
                args.to_vec()
            }
            _ => Vec::new(),
        };
        [id].into_iter().chain(parts).filter_map(|part| self.size(part)).collect()
    }

    fn size(&self, id: ExprId) -> Option<(String, Changes)> {
        if !matches!(self.checked.type_of(id), Type::List(_) | Type::Map(_) | Type::String | Type::Bytes) {
            return None;
        }
        let node = self.ast.node(id);
        let text = self.site.source.get(node.start as usize..node.end as usize)?;
        let is_negated = tree::all(self.ast).into_iter().any(|outer| {
            matches!(self.ast.expr(outer), Expr::Call { function, args, .. } if function == op::LOGICAL_NOT && args.contains(&id))
        });
        let (open, close) = if is_negated { ("(size(", ") > 0)") } else { ("size(", ") > 0") };
        let label = format!("Ask size({}) > 0", super::describe::shortened(text, 60));
        let (start, end) = (node.start as usize, node.end as usize);
        Some((label, vec![(start, start, open.to_owned()), (end, end, close.to_owned())]))
    }

    /// What the value is, where it should be a truth value.
    fn of_whole(&self) -> Option<Problem> {
        if self.site.field.wanted != Wanted::Bool {
            return None;
        }
        let edit = self.size(self.ast.root())?;
        let is_tried =
            compile(&changed(&self.site.source, &edit.1), &self.around.environment, Wanted::Bool).is_ok();
        let message = "output is expected to be of type bool".to_owned();
        let node = self.ast.node(self.ast.root());
        is_tried.then(|| Problem {
            stretch: (node.start as usize, node.end as usize),
            message,
            edits: vec![edit],
        })
    }

    /// Where the name of the field stands that a node selects.
    fn field(&self, id: ExprId) -> Option<(usize, usize)> {
        let node = self.ast.node(id);
        let Expr::Select { field, .. } = self.ast.expr(id) else { return None };
        let text = self.site.source.get(node.start as usize..node.end as usize)?;
        let start = node.start as usize + text.rfind(field.as_str())?;
        Some((start, start + field.len()))
    }

    /// The fields of objects that are read: where the name stands, and the way to it.
    fn reads(&self) -> Vec<(usize, usize, Vec<Str>)> {
        let variables = |name: &str| super::variable_path(self.around, name, 0);
        let mut found = Vec::new();
        for id in tree::all(self.ast) {
            let (operand, name, place) = match self.ast.expr(id) {
                Expr::Select { operand, field, .. } => (*operand, field.clone(), self.field(id)),
                Expr::Call { function, args, .. } if function == op::OPTIONAL_SELECT => {
                    let [operand, name] = &**args else { continue };
                    let Expr::Literal(engine_cel::ast::Literal::String(text)) = self.ast.expr(*name) else {
                        continue;
                    };
                    let node = self.ast.node(*name);
                    (*operand, text.clone(), Some((node.start as usize, node.end as usize)))
                }
                _ => continue,
            };
            let folds = tree::folds(self.ast, &tree::way(self.ast, id));
            let path = tree::field_path(self.ast, operand, &folds, &variables);
            if let (Some(mut path), Some((from, to))) = (path, place)
                && self.site.source.get(from..to) == Some(name.as_str())
            {
                path.push(name);
                found.push((from, to, path));
            }
        }
        found
    }
}
