//! The JSON context of a rule: the document that its expressions are evaluated over.
//!
//! In: the request (object, operation, namespace, user), values, and context entries that are loaded when an
//! expression names them. Out: answers to expressions, in Kyverno's words where there is none.
//! Mirrors: pkg/engine/context/{context,deferred,evaluate}.go.

mod api;
mod assumed;
mod calls;
mod deferred;
mod directory;
mod evaluated;
mod evaluator;
mod images;
mod lookup;
pub(crate) mod variables;

pub(crate) use deferred::{ApiCall, ImageCall, Loader, Objects};
pub use directory::Directory;
pub(crate) use directory::List;
pub use evaluated::Evaluated;
pub(crate) use evaluator::Evaluator;
pub(crate) use images::{Image, find_images};
pub(crate) use lookup::{Absent, global_value};

use deferred::Deferred;
use engine_json::{Excess, Map, Str, Value, format_smolstr, measure};

/// How many bytes context entries may bring into the context of one rule.
// Kyverno: DefaultMaxContextSize.
pub(crate) const MAX_CONTEXT_BYTES: usize = 2 * 1024 * 1024;
/// How many bytes of text may be read and written to put variables in, for one policy and resource.
const MAX_WORK_BYTES: u64 = 256 * 1024 * 1024;

/// How many levels documents and the context entries that they name may come to while one stands in another: that is how
/// deep putting variables in recurses.
const MAX_NESTING: usize = 320;

/// The document and what may still be loaded into it.
pub(crate) struct JsonContext<'a> {
    pub(crate) evaluator: &'a Evaluator<'a>,
    // INVARIANT: always a map.
    root: Value,
    checkpoints: Vec<Value>,
    deferred: Deferred<'a>,
    operation: Str,
    size: usize,
    /// What was asked, while somebody listens.
    asked: Option<Vec<Lookup>>,
    work: u64,
    nesting: usize,
}

/// How many questions are kept between two looks at them.
const MAX_ASKED: usize = 200;

/// Something that was asked of the context.
pub(crate) enum Lookup {
    /// A variable.
    Variable {
        /// Its expression.
        expression: String,
        /// Its value.
        value: Value,
    },
    /// A context entry that was loaded.
    Entry {
        /// Its name.
        name: Str,
        /// Its value.
        value: Value,
    },
}

impl<'a> JsonContext<'a> {
    /// An empty context.
    pub(crate) fn new(evaluator: &'a Evaluator<'a>) -> Self {
        JsonContext {
            evaluator,
            root: Value::object(Map::new()),
            checkpoints: Vec::new(),
            deferred: Deferred::default(),
            operation: Str::default(),
            size: 0,
            asked: None,
            work: 0,
            nesting: 0,
        }
    }

    /// Keeps what is asked from here on.
    pub(crate) fn listen(&mut self) {
        self.asked = Some(Vec::new());
    }

    /// What was asked since somebody listens; from here on nothing is kept.
    pub(crate) fn asked(&mut self) -> Vec<Lookup> {
        self.asked.take().unwrap_or_default()
    }

    fn keep(&mut self, make: impl FnOnce(&Value) -> Lookup) {
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.len() < MAX_ASKED) {
            asked.push(make(&self.root));
        }
    }

    /// The elements of the loops around, by their names.
    pub(crate) fn elements(&self) -> Vec<(Str, Value)> {
        let is_element = |name: &str| name.starts_with("element") && !name.starts_with("elementIndex");
        let entries = self.root.as_object().into_iter().flat_map(Map::iter);
        entries
            .filter(|(name, _)| is_element(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Sets the value at these keys; maps are merged into maps that are there.
    // Kyverno: addToContext.
    pub(crate) fn add(&mut self, keys: &[&str], value: Value) {
        let wrapped = keys.iter().rev().fold(value, |value, key| {
            let mut map = Map::new();
            map.insert(*key, value);
            Value::object(map)
        });
        if let Value::Object(map) = wrapped {
            merge(&map, self.root.make_object());
        }
    }

    /// Sets the value under these keys in place of what is there.
    // Kyverno: AddResource clears request.object before it adds.
    pub(crate) fn replace(&mut self, keys: &[&str], value: Value) {
        self.add(keys, Value::Null);
        self.add(keys, value);
    }

    /// `request.operation`, beside the operation that decides about deletions.
    pub(crate) fn set_operation(&mut self, operation: &str) {
        self.add(&["request", "operation"], Value::from(operation));
        self.operation = Str::new(operation);
    }

    /// The operation of the request.
    // Kyverno: QueryOperation.
    pub(crate) fn operation(&self) -> &str {
        if self.operation.is_empty() {
            return self.root.get("request").map_or("", |request| request.find_str(&["operation"]));
        }
        &self.operation
    }

    /// An element of foreach and its place, under their names of this nesting.
    // Kyverno: AddElement; the index is an int64, which is not a number to JMESPath.
    pub(crate) fn add_element(&mut self, element: &Value, index: usize, nesting: usize) {
        let index = Value::from(i64::try_from(index).unwrap_or(i64::MAX));
        let root = self.root.make_object();
        root.insert("element", element.clone());
        root.insert(format_smolstr!("element{nesting}"), element.clone());
        root.insert("elementIndex", index.clone());
        root.insert(format_smolstr!("elementIndex{nesting}"), index);
    }

    /// Sets a variable by its dotted name: `request.object.metadata.name`, `"a.b".c`.
    // Kyverno: AddVariable reads the name as a line of CSV with dots between.
    pub(crate) fn add_variable(&mut self, name: &str, value: Value) {
        let keys = split_dotted(name);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.add(&keys, value);
    }

    /// Adds a loader that runs when an expression names it.
    pub(crate) fn add_loader(&mut self, name: Str, loader: Loader<'a>) {
        self.deferred.add(name, loader, self.checkpoints.len());
    }

    /// Puts the value of a context entry in place of what its name had.
    // Kyverno: ReplaceContextEntry; the value goes through JSON text, after which every number is a float64.
    pub(crate) fn replace_entry(&mut self, name: &str, value: &Value) -> Result<(), String> {
        self.grow(value)?;
        self.root.make_object().insert(name, value.with_float_numbers());
        Ok(())
    }

    /// Adds the value of a context entry to what its name has.
    // Kyverno: AddContextEntry.
    pub(crate) fn add_entry(&mut self, name: &str, value: &Value) -> Result<(), String> {
        self.grow(value)?;
        self.add(&[name], value.with_float_numbers());
        Ok(())
    }

    fn grow(&mut self, value: &Value) -> Result<(), String> {
        let exceeded = |size: String| {
            format!("context size limit exceeded: {size} bytes exceeds limit of {MAX_CONTEXT_BYTES} bytes")
        };
        self.size += measure(value, 1, variables::MAX_DOCUMENT_BYTES).map_err(|excess| match excess {
            Excess::Depth => excess.to_string(),
            Excess::Bytes(most) => exceeded(format!("more than {most}")),
        })?;
        if self.size > MAX_CONTEXT_BYTES { Err(exceeded(self.size.to_string())) } else { Ok(()) }
    }

    /// Goes this many levels down; an error if that is too deep.
    fn enter(&mut self, levels: usize) -> Result<(), String> {
        if self.nesting + levels > MAX_NESTING {
            return Err(format!(
                "variables that name one another come to more than {MAX_NESTING} levels: make their values flatter, or \
                 name fewer of them in one another"
            ));
        }
        self.nesting += levels;
        Ok(())
    }

    fn leave(&mut self, levels: usize) {
        self.nesting -= levels;
    }

    /// Counts text that is read or written to put variables in.
    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        self.work = self.work.saturating_add(bytes as u64);
        if self.work > MAX_WORK_BYTES {
            return Err(format!(
                "the variables of the policy take more than {MAX_WORK_BYTES} bytes of text for one resource: put \
                 smaller values in, or split the policy"
            ));
        }
        Ok(())
    }

    /// Answers an expression, loading first what it names.
    // Kyverno: context.Query.
    pub(crate) fn query(&mut self, expression: &str) -> Result<Value, String> {
        self.load_matching(expression)?;
        let expression = expression.trim();
        if expression.is_empty() {
            return Err("invalid query (nil)".to_owned());
        }
        let compiled = self.evaluator.compile(expression);
        let compiled =
            compiled.as_ref().as_ref().map_err(|error| format!("incorrect query {expression}: {error}"))?;
        self.evaluator.search(compiled, &self.root).map_err(|error| format!("JMESPath query failed: {error}"))
    }

    /// The value under a name of the document's root.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.root.get(name)
    }

    /// Starts anew for another policy: the document goes back to where it was when the policy before it began.
    pub(crate) fn begin_policy(&mut self) {
        while self.checkpoints.len() > 1 {
            self.checkpoints.pop();
        }
        if self.checkpoints.is_empty() {
            self.checkpoint();
        }
        self.reset();
        self.size = 0;
        self.work = 0;
    }

    /// Keeps the document as it is now, to come back to it.
    pub(crate) fn checkpoint(&mut self) {
        self.checkpoints.push(self.root.clone());
    }

    /// Goes back to the last checkpoint and keeps it.
    pub(crate) fn reset(&mut self) {
        if let Some(kept) = self.checkpoints.last() {
            self.root = kept.clone();
            self.reset_loaders(Keep::Checkpoint);
        }
    }

    /// Goes back to the last checkpoint and forgets it.
    pub(crate) fn restore(&mut self) {
        if let Some(kept) = self.checkpoints.pop() {
            self.root = kept;
            self.reset_loaders(Keep::Nothing);
        }
    }
}

/// Whether going back keeps the checkpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Checkpoint,
    Nothing,
}

// Kyverno: mergeMaps.
fn merge(source: &Map, target: &mut Map) {
    for (key, value) in source.iter() {
        if let Value::Object(inner) = value
            && let Some(below) = target.get_mut(key).and_then(Value::object_mut)
        {
            merge(inner, below);
            continue;
        }
        target.insert(key.clone(), value.clone());
    }
}

/// The fields of a line of CSV whose separator is a dot.
fn split_dotted(name: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = name;
    loop {
        if let Some(quoted) = rest.strip_prefix('"')
            && let Some((field, after)) = quoted_field(quoted)
        {
            fields.push(field);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None => return fields,
            }
            continue;
        }
        if let Some((field, next)) = rest.split_once('.') {
            fields.push(field.to_owned());
            rest = next;
        } else {
            fields.push(rest.to_owned());
            return fields;
        }
    }
}

/// A field up to its closing quote (two quotes stand for one), and what follows.
fn quoted_field(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        field.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Some((field, after)),
        }
    }
}
