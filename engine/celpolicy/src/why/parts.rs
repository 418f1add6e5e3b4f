//! The parts of an expression as steps: each with its value, and whether the verdict follows from it.
//!
//! In: an expression that was listened to. Out: steps, the parts of a part one level below it. Of `&&` and `||` the sides decide that
//! have the value of the whole; of `?:` the condition and the branch that was taken; of `all` and `exists` the elements.

use super::reads::{self, cut, short, sides, variable};
use super::view::View;
use engine::trace::{Detail, Expression, Kind, Step, StepOutcome};
use engine_cel::ast::{Comprehension, Expr, ExprId, Origin};
use engine_cel::operators;
use engine_cel::value::Value;
use engine_json::Path;

/// So many elements of a macro are said.
const MAX_ELEMENTS: usize = 8;
/// How deep parts are taken apart.
const MAX_DEPTH: u32 = 16;
/// A part takes so many characters at most.
const MAX_TEXT: usize = 160;
/// So many steps are made of one policy.
const MAX_STEPS: usize = 400;

/// Makes steps.
pub(super) struct StepWriter {
    /// Where the expression stands in the policy's document.
    pub(super) place: Path,
    /// The steps so far.
    pub(super) steps: Vec<Step>,
    depth: u32,
}

/// Whether the verdict follows from a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    Yes,
    No,
}

impl Decides {
    pub(super) fn when(decides: bool) -> Self {
        if decides { Decides::Yes } else { Decides::No }
    }

    fn and(self, decides: bool) -> Self {
        Decides::when(self == Decides::Yes && decides)
    }
}

impl StepWriter {
    pub(super) fn new() -> Self {
        StepWriter { place: Path::root(), steps: Vec::new(), depth: 0 }
    }

    fn push(&mut self, step: Step) {
        if self.steps.len() < MAX_STEPS {
            self.steps.push(step.in_policy(&self.place).at_depth(self.depth));
        }
    }

    /// What a variable of the policy is.
    pub(super) fn variable(&mut self, name: &str, view: &View<'_, '_>) {
        let root = view.heard.ast.root();
        let step = match view.value(root) {
            None => return,
            Some(Ok(value)) => {
                let text = format!("`variables.{name}` is {}", short(&value.to_json()));
                Step::new(Kind::Context, StepOutcome::Note, text)
            }
            Some(Err(words)) => {
                let text = format!("`variables.{name}` fails: {words}");
                Step::new(Kind::Context, StepOutcome::Error, text)
            }
        };
        match view.path(root, 0).filter(|path| !path.is_empty()) {
            Some(path) => self.push(step.in_resource(&path)),
            None => self.push(step),
        }
        if self.is_taken_apart(view, root) {
            self.depth += 1;
            self.below(view, root, Decides::No);
            self.depth -= 1;
        }
    }

    /// What an expression makes.
    pub(super) fn made(&mut self, view: &View<'_, '_>) {
        let root = view.heard.ast.root();
        let text = cut(&view.text(root), MAX_TEXT);
        self.push(match view.value(root) {
            None => return,
            Some(Ok(value)) => {
                let text = format!("`{text}` gives {}", short(&value.to_json()));
                Step::new(Kind::Expression, StepOutcome::Note, text)
            }
            Some(Err(words)) => {
                Step::new(Kind::Expression, StepOutcome::Error, format!("`{text}` fails: {words}"))
            }
        });
        if self.is_taken_apart(view, root) {
            self.depth += 1;
            self.below(view, root, Decides::No);
            self.depth -= 1;
        }
    }

    /// An expression: what it is as a whole, and its parts where they decide.
    pub(super) fn whole(&mut self, view: &View<'_, '_>, kind: Kind, decides: Decides) {
        let root = view.heard.ast.root();
        if !self.is_taken_apart(view, root) {
            return self.leaf(view, root, kind, decides);
        }
        if decides == Decides::Yes {
            return self.part(view, root, kind, decides);
        }
        // What did not decide is taken apart once.
        self.heading(view, root, kind);
        self.depth += 1;
        self.below(view, root, decides);
        self.depth -= 1;
    }

    fn is_taken_apart(&self, view: &View<'_, '_>, id: ExprId) -> bool {
        self.depth < MAX_DEPTH
            && match view.expr(id) {
                Expr::Call { function, target: None, args } => match (function.as_str(), &**args) {
                    (operators::LOGICAL_AND | operators::LOGICAL_OR | operators::CONDITIONAL, _) => true,
                    (operators::LOGICAL_NOT, [inner]) => self.is_taken_apart(view, *inner),
                    _ => false,
                },
                Expr::Select { operand, field, test: false } => {
                    let heard = variable(&view.heard.ast, *operand, field)
                        .and_then(|name| view.ground.variables.heard(name));
                    heard.is_some_and(|heard| is_decided(heard.scope.value(heard.ast.root())))
                }
                Expr::Comprehension(fold) => match fold.origin {
                    Origin::All(_) | Origin::Exists(_) | Origin::ExistsOne(_) => !view.rounds(id).is_empty(),
                    Origin::Bind { .. } => true,
                    _ => false,
                },
                _ => false,
            }
    }

    /// A part and what it is made of.
    fn part(&mut self, view: &View<'_, '_>, id: ExprId, kind: Kind, decides: Decides) {
        if view.value(id).is_none() || matches!(view.expr(id), Expr::Literal(_)) {
            return;
        }
        if decides == Decides::No || !self.is_taken_apart(view, id) {
            return self.leaf(view, id, kind, decides);
        }
        self.heading(view, id, kind);
        self.depth += 1;
        self.below(view, id, decides);
        self.depth -= 1;
    }

    fn below(&mut self, view: &View<'_, '_>, id: ExprId, decides: Decides) {
        if let Some(sides) = sides(view, id) {
            for side in sides {
                let is_same = is_alike(view.value(side), view.value(id));
                self.part(view, side, Kind::Expression, decides.and(is_same));
            }
            return;
        }
        match view.expr(id) {
            Expr::Call { args, .. } => match &**args {
                [condition, yes, no] => {
                    let taken = if is_true(view.value(*condition)) { yes } else { no };
                    self.part(view, *condition, Kind::Expression, decides);
                    self.part(view, *taken, Kind::Expression, decides);
                }
                many => many.iter().for_each(|part| self.part(view, *part, Kind::Expression, decides)),
            },
            Expr::Select { field, .. } => {
                if let Some(heard) = view.ground.variables.heard(field) {
                    let whole = View::whole(view.ground, heard);
                    self.part(&whole, heard.ast.root(), Kind::Expression, decides);
                }
            }
            Expr::Comprehension(fold) => self.fold(view, id, fold, decides),
            Expr::Literal(_) | Expr::Ident(_) | Expr::List { .. } | Expr::Map(_) | Expr::Struct { .. } => {}
        }
    }

    fn fold(&mut self, view: &View<'_, '_>, id: ExprId, fold: &Comprehension, decides: Decides) {
        let asked = match fold.origin {
            Origin::Bind { value, body } => {
                if let Some(Ok(found)) = view.value(value) {
                    let text = format!("`{}` is {}", fold.accu, short(&found.to_json()));
                    self.push(Step::new(Kind::Variable, StepOutcome::Note, text));
                }
                let bound = view.bound_value(&fold.accu, value);
                return self.part(&view.within(None, &bound), body, Kind::Expression, decides);
            }
            Origin::All(asked) | Origin::Exists(asked) | Origin::ExistsOne(asked) => asked,
            Origin::Filter(_)
            | Origin::Map { .. }
            | Origin::TransformMap { .. }
            | Origin::TransformMapEntry { .. } => return,
        };
        let rounds = view.rounds(id);
        // The elements that decide are those that are as the whole is; where none is, as for one too many, all are.
        let is_one = matches!(fold.origin, Origin::ExistsOne(_));
        let is_alike = |at: usize| {
            rounds.get(at).is_some_and(|round| is_alike(round.scope.value(asked), view.value(id)))
        };
        let has_alike = !is_one && (0..rounds.len()).any(is_alike);
        let mut left = MAX_ELEMENTS;
        for (at, round) in rounds.iter().enumerate() {
            let decides = decides.and(!has_alike || is_alike(at));
            if decides == Decides::No || left == 0 {
                continue;
            }
            left -= 1;
            let bound = view.bound(fold, round);
            let element = bound.value.as_ref().map(Value::to_json).unwrap_or_default();
            let detail = Detail::Element { index: round.at, element };
            let step = Step::of(Kind::Foreach, StepOutcome::Note, detail);
            match &bound.path {
                Some(path) => self.push(step.in_resource(path)),
                None => self.push(step),
            }
            self.depth += 1;
            self.part(&view.within(Some(&round.scope), &bound), asked, Kind::Expression, decides);
            self.depth -= 1;
        }
    }

    /// A part that is taken apart below.
    fn heading(&mut self, view: &View<'_, '_>, id: ExprId, kind: Kind) {
        let text = format!("`{}` {}", cut(&view.text(id), MAX_TEXT), is(view.value(id)));
        self.push(Step::new(kind, outcome(view.value(id)), text));
    }

    /// A part with what it reads.
    fn leaf(&mut self, view: &View<'_, '_>, id: ExprId, kind: Kind, decides: Decides) {
        let value = view.value(id);
        let whole = reads::of(view, id);
        let reads = match failed(view, id) {
            // The field that is not there says more than all that stands around it.
            Some(at) => reads::of(view, at).beside(whole),
            None => whole,
        };
        let said = reads.said(view.ground.document);
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let text = format!("`{}` {}{said}", cut(&view.text(id), MAX_TEXT), is(value));
        let wanted = reads.wanted();
        let step = match reads.fields.first() {
            Some(path) => Step::new(kind, outcome(value), text).in_resource(path),
            None => Step::new(kind, outcome(value), text),
        };
        let (fields, literals) = (reads.fields, reads.literals);
        let decides = decides == Decides::Yes;
        self.push(step.with(Detail::Expression(Box::new(Expression { decides, fields, wanted, literals }))));
    }
}

/// The innermost part that failed, where the whole did.
fn failed(view: &View<'_, '_>, id: ExprId) -> Option<ExprId> {
    let fails = |id: ExprId| matches!(view.value(id), Some(Err(_)));
    if !fails(id) {
        return None;
    }
    let mut at = id;
    loop {
        let next = match view.expr(at) {
            Expr::Call { target, args, .. } => target.iter().chain(args).copied().find(|part| fails(*part)),
            Expr::Select { operand, .. } => match view.value(*operand) {
                Some(Ok(_)) => None,
                Some(Err(_)) => Some(*operand),
                // Parts of a chain of fields behind the one that is not there have no value at all.
                None => matches!(view.expr(*operand), Expr::Select { .. }).then_some(*operand),
            },
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
}

type Said<'v> = Result<Value<'v>, String>;

fn is_true(value: Option<&Said<'_>>) -> bool {
    matches!(value, Some(Ok(Value::Bool(true))))
}

/// Whether a value is a truth value or an error: what a verdict can be.
fn is_decided(value: Option<&Said<'_>>) -> bool {
    matches!(value, Some(Ok(Value::Bool(_)) | Err(_)))
}

/// Whether both hold, both do not, or both failed.
fn is_alike(one: Option<&Said<'_>>, other: Option<&Said<'_>>) -> bool {
    match (one, other) {
        (Some(Ok(Value::Bool(one))), Some(Ok(Value::Bool(other)))) => one == other,
        (Some(Err(_)), Some(Err(_))) => true,
        _ => false,
    }
}

fn outcome(value: Option<&Said<'_>>) -> StepOutcome {
    match value {
        Some(Ok(Value::Bool(truth))) => StepOutcome::from(*truth),
        Some(Err(_)) => StepOutcome::Error,
        Some(Ok(_)) | None => StepOutcome::Note,
    }
}

fn is(value: Option<&Said<'_>>) -> String {
    match value {
        Some(Ok(Value::Bool(truth))) => format!("is {truth}"),
        Some(Ok(value)) => format!("is {}", short(&value.to_json())),
        Some(Err(words)) => format!("fails, {words}"),
        None => "was not asked".to_owned(),
    }
}
