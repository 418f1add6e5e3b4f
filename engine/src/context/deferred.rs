//! Context entries that are loaded when an expression names them.
//!
//! In: entries with the level at which they were declared. Out: values in the context, loaded once a level; an
//! entry that nothing names is never loaded, so its mistakes stay silent.
//! Mirrors: pkg/engine/context/deferred.go, its resets included.

use super::{JsonContext, Keep, images, variables};
use crate::policy::{ContextEntry, Source};
use crate::value::image::ImageSettings;
use engine_json::{Str, Value};

/// What a name is loaded from.
#[derive(Clone)]
pub(crate) enum Loader<'a> {
    /// The images of the resource.
    Images(Value, ImageSettings),
    /// A variable of the rule's context.
    Variable(&'a ContextEntry),
    /// An answer that is already there: a ConfigMap, an answer of an API.
    Answer(Value),
}

struct Leveled<'a> {
    name: Str,
    level: usize,
    matched: bool,
    loaded: bool,
    loader: Loader<'a>,
}

/// The loaders of a context, in the order of their declaration.
#[derive(Default)]
pub(super) struct Deferred<'a> {
    /// While a loader runs: its level and its place, which bound what it can see.
    running: Option<(usize, usize)>,
    loaders: Vec<Leveled<'a>>,
}

impl<'a> Deferred<'a> {
    pub(super) fn add(&mut self, name: Str, loader: Loader<'a>, level: usize) {
        self.loaders.push(Leveled { name, level, matched: false, loaded: false, loader });
    }

    /// The first loader within the bounds that the expression names and that has not been tried.
    fn next_match(&mut self, expression: &str, level: usize, index: usize) -> Option<usize> {
        let mut candidates = self.loaders.iter_mut().take(index).enumerate();
        let (at, found) = candidates.find(|(_, loader)| {
            !loader.matched && !loader.loaded && loader.level <= level && names(expression, &loader.name)
        })?;
        found.matched = true;
        Some(at)
    }
}

impl JsonContext<'_> {
    /// Loads everything that the expression names.
    // Kyverno: LoadMatching; while a loader runs, only what was declared before it is seen.
    pub(super) fn load_matching(&mut self, expression: &str) -> Result<(), String> {
        if self.deferred.loaders.is_empty() {
            return Ok(());
        }
        let (level, index) =
            self.deferred.running.unwrap_or((self.checkpoints.len(), self.deferred.loaders.len()));
        while let Some(at) = self.deferred.next_match(expression, level, index) {
            self.load(at)?;
        }
        Ok(())
    }

    /// Runs a loader at once.
    pub(crate) fn load_now(&mut self, name: &str, loader: &Loader<'_>) -> Result<(), String> {
        self.run_loader(loader, name).map(|_| ())
    }

    fn load(&mut self, at: usize) -> Result<(), String> {
        let Some(found) = self.deferred.loaders.get(at) else { return Ok(()) };
        let (loader, name, level) = (found.loader.clone(), found.name.clone(), found.level);
        self.deferred.running = Some((level, at));
        let result = self.run_loader(&loader, &name);
        self.deferred.running = None;
        let loaded = result?;
        if let Some(found) = self.deferred.loaders.get_mut(at) {
            found.loaded = loaded;
        }
        Ok(())
    }

    /// Runs a loader; whether it counts as loaded.
    fn run_loader(&mut self, loader: &Loader<'_>, name: &str) -> Result<bool, String> {
        match loader {
            Loader::Images(resource, settings) => {
                if let Some(found) = images::extract(resource, settings)? {
                    self.add(&["images"], found);
                }
                // Kyverno: ImageInfoLoader never says that it has loaded, so it runs at every level.
                Ok(false)
            }
            Loader::Answer(value) => {
                self.replace_entry(name, value)?;
                Ok(true)
            }
            Loader::Variable(entry) => {
                let value = self.variable_value(entry)?;
                self.replace_entry(name, &value)?;
                Ok(true)
            }
        }
    }

    // Kyverno: variableLoader.loadVariable.
    fn variable_value(&mut self, entry: &ContextEntry) -> Result<Value, String> {
        let name = &entry.name;
        let Source::Variable { value, jmes_path, default } = &entry.source else {
            return Err(format!("failed to add context entry for variable {name} since it evaluated to nil"));
        };
        let failed = |what: &str, error: String| {
            format!("failed to substitute variables in context entry {name} {what}: {error}")
        };
        let path = match variables::substitute(self, &Value::String(jmes_path.clone())) {
            Ok(Value::String(path)) => path,
            Ok(_) => return Err(format!("jmespath value must be a string {name} {jmes_path}: <nil>")),
            Err(error) => return Err(failed(jmes_path, error)),
        };
        let go = engine_jmespath::go_format::go_format;
        let default = variables::substitute(self, default).map_err(|error| failed(&go(default), error))?;
        let mut output = default.clone();
        if value.is_null() {
            if !path.is_empty() {
                match self.query(&path) {
                    Ok(Value::Null) => {}
                    Ok(found) => output = found,
                    Err(_) if !default.is_null() => {}
                    Err(error) => {
                        return Err(format!("failed to apply jmespath {path} to variable <nil>: {error}"));
                    }
                }
            }
        } else {
            let found = variables::substitute(self, value).map_err(|error| failed(&go(value), error))?;
            if path.is_empty() {
                output = found;
            } else {
                match self.evaluator.apply(&path, &found) {
                    Ok(applied) => output = applied,
                    Err(_) if !default.is_null() => {}
                    Err(error) => {
                        return Err(format!("failed to apply jmespath {path} to variable <nil>: {error}"));
                    }
                }
            }
        }
        if output.is_null() {
            return Err(format!("failed to add context entry for variable {name} since it evaluated to nil"));
        }
        Ok(output)
    }

    // Kyverno: deferredLoaders.Reset.
    pub(super) fn reset_loaders(&mut self, keep: Keep) {
        let level = self.checkpoints.len();
        for loader in &mut self.deferred.loaders {
            loader.matched = false;
        }
        let mut at = 0;
        while let Some((loader_level, loaded)) = self.deferred.loaders.get(at).map(|l| (l.level, l.loaded)) {
            let restore = keep == Keep::Nothing;
            if loaded && loader_level <= level && (restore || loader_level < level) {
                // A mistake here is only logged by the original.
                drop(self.load(at));
            }
            let drops = loader_level > level || (loader_level == level && (loaded || !restore));
            if drops {
                self.deferred.loaders.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

/// Whether an expression names a context entry: `x` is named by `x.y` and `f(x)`, not by `a.x` or `x1`.
// Go: `(?:\A|\z|\s|[^.0-9A-Za-z])name\b`, where the name is taken as text.
fn names(expression: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some(last) = name.chars().next_back() else { return false };
    expression.match_indices(name).any(|(at, _)| {
        let before = expression.get(..at).and_then(|text| text.chars().next_back());
        let after = expression.get(at + name.len()..).and_then(|text| text.chars().next());
        before.is_none_or(|c| c != '.' && !c.is_ascii_alphanumeric()) && after.is_some_and(word) != word(last)
    })
}
