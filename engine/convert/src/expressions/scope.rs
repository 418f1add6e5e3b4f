//! What names stand for in the expressions of a rule.
//!
//! In: the kinds of a rule, its context entries, the elements of its loops. Out: the value in CEL that a name reads.

use crate::context;
use crate::expressions::access::Access;
use crate::expressions::empty_lists::{is_null_list, null_fields};
use crate::expressions::expr::Expr;
use crate::expressions::formula::Formula;
use crate::expressions::types::Types;
use crate::refusal::{Class, Converted, refuse};
use crate::select::{Owner, Selection};
use engine_compare::schema::Shape;
use engine_json::{Path, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is known of the expressions of a rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Whether they read the object or the old one.
    pub(crate) reads_object: bool,
    /// Whether they ask for deletions.
    pub(crate) asks_for_deletions: bool,
}

/// A context entry.
#[derive(Debug)]
struct Entry {
    written: Value,
    path: Path,
    /// How many loops it stands in.
    depth: usize,
}

/// How often entries are read.
const MAX_READ: usize = 2_000;

/// Names and what they stand for.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is known of a rule, each by itself")]
pub(crate) struct Scope<'s> {
    pub(crate) schema: &'s Types<'s>,
    /// What is known of `object`.
    pub(crate) shape: Option<Shape>,
    /// Context entries, in their order.
    entries: Vec<Rc<Entry>>,
    /// How many more entries are read.
    budget: Rc<Cell<usize>>,
    /// What is taken for granted.
    notes: Rc<RefCell<Vec<String>>>,
    /// What must be there so that nothing errs, in the block of conditions that is read.
    needs: Rc<RefCell<Vec<Formula>>>,
    /// Whether one of them is not seen by what is tested, which errs by itself elsewhere.
    is_unseen: Rc<Cell<bool>>,
    /// What is known of the policy.
    pub(crate) owner: Owner,
    /// `variables` of the policy.
    variables: Rc<RefCell<Vec<(String, String)>>>,
    /// Those of them that are left out where nothing reads them.
    spare: Rc<RefCell<Vec<String>>>,
    /// Fields of the objects for which an API server writes null where they are empty.
    null_fields: Vec<&'static str>,
    /// Of all expressions read so far.
    facts: Rc<Cell<Facts>>,
    /// The elements of loops, the innermost last.
    pub(crate) elements: Vec<Expr>,
    /// Whether variables are not seen.
    is_inline: bool,
    /// Whether the rule is for Pods, so that it may be extended to templates.
    pub(crate) is_for_pods: bool,
    /// Whether what it is read for decides, and autogen reads it anew for templates.
    pub(crate) is_of_rule: bool,
    /// Whether what is written is for Pods alone, as templates get a policy of their own.
    is_of_pods_alone: bool,
    /// Whether mutations stand before this one: context entries are evaluated before the first.
    pub(crate) is_later: bool,
    /// Whether the object is read as it was before all mutations.
    pub(crate) reads_original: bool,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(selection: &Selection, schema: &'s Types<'s>) -> Self {
        let shape = selection.shape(schema);
        Scope {
            schema,
            shape,
            entries: Vec::new(),
            budget: Rc::new(Cell::new(MAX_READ)),
            notes: Rc::default(),
            needs: Rc::default(),
            is_unseen: Rc::default(),
            owner: selection.owner,
            variables: Rc::default(),
            spare: Rc::default(),
            null_fields: selection.kinds.iter().flat_map(null_fields).collect(),
            facts: Rc::new(Cell::new(Facts { reads_object: selection.reads_object, ..Facts::default() })),
            elements: Vec::new(),
            is_inline: false,
            is_for_pods: selection.is_for_pods(),
            is_of_rule: false,
            is_of_pods_alone: false,
            is_later: false,
            reads_original: false,
        }
    }

    /// The same for a rule, which autogen may read anew for templates of Pods.
    pub(crate) fn of_rule(selection: &Selection, schema: &'s Types<'s>) -> Self {
        Scope { is_of_rule: true, ..Scope::new(selection, schema) }
    }

    /// The same for objects of a kind of Kubernetes.
    pub(crate) fn of_kind(&self, version: &str, kind: &str) -> Self {
        Scope { shape: self.schema.schema().kind(version, kind), ..self.clone() }
    }

    /// The same for what holds templates of Pods, in a policy of its own with its own variables.
    pub(crate) fn of_template(&self, version: &str, kind: &str) -> Self {
        self.of_kind(version, kind).with_own_variables()
    }

    /// The same for Pods alone, in a policy of its own: their metadata is always there, that of templates need not be.
    pub(crate) fn of_pods_alone(&self) -> Self {
        Scope { is_of_pods_alone: true, ..self.with_own_variables() }
    }

    /// Whether metadata may be that of a template, which need not have any.
    pub(crate) fn may_lack_metadata(&self) -> bool {
        self.is_for_pods && self.owner.is_extended && !self.is_of_pods_alone
    }

    /// The same for another policy, with its own variables.
    fn with_own_variables(&self) -> Self {
        Scope { variables: Rc::default(), spare: Rc::default(), ..self.clone() }
    }

    /// The same for a mutation before which so many others stand.
    pub(crate) fn behind(&self, others: usize) -> Self {
        Scope { is_later: others > 0, ..self.clone() }
    }

    /// Takes up the entries of `context`.
    pub(crate) fn context(&mut self, written: Option<&Value>, path: &Path) {
        for (at, entry) in written.and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let entry = Entry { written: entry.clone(), path: path.join(at), depth: self.elements.len() };
            self.entries.push(Rc::new(entry));
        }
    }

    /// What a context entry gives, read as it is seen from here.
    pub(crate) fn entry(&self, name: &str) -> Option<Converted<Expr>> {
        let at = self.entries.iter().rposition(|entry| entry.written.find_str(&["name"]) == name)?;
        let entry = Rc::clone(self.entries.get(at)?);
        self.budget.set(self.budget.get().saturating_sub(1));
        if self.budget.get() == 0 {
            return Some(refuse(
                Class::Context,
                &entry.path,
                "context entries that use one another so often",
            ));
        }
        // It sees what stands before it.
        let mut before = self.clone();
        before.entries.truncate(at);
        before.reads_original |= self.is_later && entry.depth == 0;
        before.elements.truncate(entry.depth);
        Some(context::entry(&entry.written, &before, &entry.path))
    }

    /// What is known of the expressions read so far.
    pub(crate) fn facts(&self) -> Facts {
        self.facts.get()
    }

    /// An expression reads the object or the old one.
    pub(crate) fn note_object(&self) {
        self.facts.set(Facts { reads_object: true, ..self.facts.get() });
    }

    /// An expression asks for deletions.
    pub(crate) fn note_deletions(&self) {
        self.facts.set(Facts { asks_for_deletions: true, ..self.facts.get() });
    }

    /// Where this is not there, a condition errs.
    pub(crate) fn need(&self, access: &Access) {
        // Where the cluster has no such object, this errs as well: no validation is true then.
        if access.is_optional() && !self.owner.ignores_errors {
            let is_null = access.null_unless.clone().map(Formula::negated);
            let needed = Formula::or(is_null.into_iter().chain([access.is_there()]));
            self.needs.borrow_mut().push(needed);
        }
    }

    /// Without this a condition errs, as what is made of it does where nothing hides that.
    pub(crate) fn need_there(&self, there: Formula) {
        if there != Formula::True && !self.owner.ignores_errors {
            self.needs.borrow_mut().push(there);
        }
    }

    /// Where this holds and that is not there, a condition errs.
    pub(crate) fn need_where(&self, test: &Formula, access: &Access) {
        if access.is_optional() && !self.owner.ignores_errors {
            self.needs.borrow_mut().push(Formula::or([test.clone().negated(), access.is_there()]));
        }
    }

    /// Without this a condition errs, and what is made of it does not.
    pub(crate) fn need_always(&self, there: Formula) {
        if there != Formula::True && !self.owner.ignores_errors {
            self.is_unseen.set(true);
        }
        self.need_there(there);
    }

    /// Reads what is evaluated unless this decides before: what it needs is needed elsewhere alone.
    pub(crate) fn behind_decision<T>(
        &self,
        decided: &Formula,
        read: impl FnOnce() -> Converted<T>,
    ) -> Converted<T> {
        let before = self.needs.borrow().len();
        let made = read()?;
        for need in self.needs.borrow_mut().iter_mut().skip(before) {
            *need = Formula::or([decided.clone(), need.clone()]);
        }
        Ok(made)
    }

    /// What a filter or `[]` is of: where the keys of an absent map are an error elsewhere, these take it for null.
    // Go: interpreter.go ASTFilterProjection and ASTFlatten.
    pub(crate) fn null_if_absent(&self, read: impl FnOnce() -> Converted<Expr>) -> Converted<Expr> {
        let before = (self.needs.borrow().len(), self.is_unseen.get());
        Ok(match read()? {
            Expr::Elements(mut elements) if elements.errs_if_absent => {
                self.needs.borrow_mut().truncate(before.0);
                self.is_unseen.set(before.1);
                elements.errs_if_absent = false;
                Expr::Elements(elements)
            }
            other => other,
        })
    }

    /// What was needed so far, and whether some of it is not seen by what is tested; both begin anew.
    pub(crate) fn clear_needs(&self) -> (Vec<Formula>, bool) {
        (std::mem::take(&mut *self.needs.borrow_mut()), self.is_unseen.take())
    }

    /// Something is taken for granted.
    pub(crate) fn note(&self, text: &str) {
        let mut notes = self.notes.borrow_mut();
        if !notes.iter().any(|known| known == text) {
            notes.push(text.to_owned());
        }
    }

    /// What is taken for granted.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// The variables of the policy, without spare ones which none of these texts reads.
    pub(crate) fn variables(&self, texts: &[&str]) -> Vec<(String, String)> {
        let (all, spare) = (self.variables.borrow(), self.spare.borrow());
        let is_read = |name: &str| {
            let others = all.iter().map(|(_, text)| text.as_str());
            let mut texts = texts.iter().copied().chain(others);
            texts.any(|text| is_variable_in(name, text))
        };
        let kept = all.iter().filter(|(name, _)| !spare.contains(name) || is_read(name));
        kept.cloned().collect()
    }
}

impl Scope<'_> {
    /// A list that is put together: a variable of the policy where one can be seen, else the text.
    pub(crate) fn list(&self, name: &str, text: &str) -> String {
        // Variables do not know the elements of loops.
        if self.elements.is_empty() { self.variable_of(name, text) } else { format!("({text})") }
    }

    /// A variable of the policy, or the text in brackets where variables are not seen, as in `matchConditions`.
    pub(crate) fn variable_of(&self, name: &str, text: &str) -> String {
        if self.is_inline {
            return format!("({text})");
        }
        let mut variables = self.variables.borrow_mut();
        if let Some((known, _)) = variables.iter().find(|(_, known)| known == text) {
            return format!("variables.{known}");
        }
        let count = variables.iter().filter(|(known, _)| known.starts_with(name)).count();
        let name = if count == 0 { name.to_owned() } else { format!("{name}{}", count + 1) };
        variables.push((name.clone(), text.to_owned()));
        format!("variables.{name}")
    }

    /// What autogen moves into templates and may be missing there, as a variable: metadata, which a template need not have, and all of an
    /// object that was there before, which is null for one that is created.
    pub(crate) fn held(&self, access: &Access, key: &str) -> Option<Access> {
        let of = access.plain();
        let name = match of {
            "object.metadata" if key != "namespace" => "metadata",
            "oldObject.metadata" if key != "namespace" => "oldMetadata",
            "oldObject.spec" => "oldSpec",
            _ => return None,
        };
        if !self.may_lack_metadata() {
            return None;
        }
        let is_old = if of.starts_with("old") { "oldObject != null && " } else { "" };
        let text = self.variable_of(name, &format!("{is_old}has({of}) ? {of} : {{}}"));
        Some(Access::of(&text, access.shape.clone()))
    }

    /// A field of a value; where an API server writes null for an empty list, a variable stands for it that is a list.
    pub(crate) fn field(&self, access: &Access, key: &str) -> Access {
        let of_template = || access.of_template(key, self.schema);
        if let Some(field) = (self.is_for_pods && self.owner.is_extended).then(of_template).flatten() {
            return field;
        }
        let field = access.field(key, self.schema);
        let is_of_root = access.path().is_some_and(<[String]>::is_empty) && self.null_fields.contains(&key);
        if !is_of_root && !access.shape.as_ref().is_some_and(|shape| is_null_list(shape, key)) {
            return field;
        }
        let name = match (access.plain().split('.').next(), field.path()) {
            (Some("object"), Some(path)) if !path.iter().any(|key| key == "[]") => Some(key.to_owned()),
            (Some("oldObject"), Some(path)) if !path.iter().any(|key| key == "[]") => Some(format!(
                "old{}{}",
                key.get(..1).unwrap_or("").to_uppercase(),
                key.get(1..).unwrap_or("")
            )),
            _ => None,
        };
        field.with_null(&|text| {
            let made = name.as_ref().and_then(|name| self.spare_variable(name, text));
            made.unwrap_or_else(|| format!("({text})"))
        })
    }

    /// A variable of the policy that is left out where nothing reads it; nothing where variables are not seen.
    pub(crate) fn spare_variable(&self, name: &str, text: &str) -> Option<String> {
        let made = (!self.is_inline).then(|| self.variable_of(name, text))?;
        let known = made.strip_prefix("variables.").unwrap_or(&made).to_owned();
        self.spare.borrow_mut().push(known);
        Some(made)
    }

    /// An answer of the cluster: a variable of the policy with a name like this, or the call itself where variables are not seen.
    pub(crate) fn answer(&self, name: &str, call: &str) -> String {
        let is_free = !self.is_inline && self.elements.is_empty();
        let mut name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !crate::expressions::access::is_identifier(&name) {
            name.insert(0, '_');
        }
        if is_free { self.variable_of(&name, call) } else { call.to_owned() }
    }

    /// The same, where variables are not seen.
    pub(crate) fn inline(&self) -> Self {
        Scope { is_inline: true, ..self.clone() }
    }

    /// The same for a message: what it reads is no part of what is decided.
    pub(crate) fn for_message(&self) -> Self {
        Scope { facts: Rc::default(), notes: Rc::default(), is_of_rule: false, ..self.clone() }
    }

    /// The same within a loop.
    pub(crate) fn within(&self, element: Expr) -> Self {
        let mut inner = self.clone();
        inner.elements.push(element);
        inner
    }
}

/// Whether a text reads a variable.
fn is_variable_in(name: &str, text: &str) -> bool {
    text.split(&format!("variables.{name}"))
        .skip(1)
        .any(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}
