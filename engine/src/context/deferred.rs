//! Context entries that are loaded when an expression names them.
//!
//! In: entries with the level at which they were declared. Out: values in the context, loaded once a level; an
//! entry that nothing names is never loaded, so its mistakes stay silent.
//! Mirrors: pkg/engine/context/deferred.go, its resets included.

use super::{Absent, Evaluator, JsonContext, Keep, List, Lookup, api, find_images, variables};
use crate::cluster::Cluster;
use crate::load::Answers;
use crate::policy::{ContextEntry, Source};
use crate::value::image::ImageSettings;
use engine_json::{Path, Str, Value};

/// What a name is loaded from.
#[derive(Clone)]
pub(crate) enum Loader<'a> {
    /// The images of the resource.
    Images(Value, ImageSettings),
    /// A variable of the rule's context.
    Variable(&'a ContextEntry),
    /// An answer that is already there: a ConfigMap.
    Answer(Value),
    /// A call of the Kubernetes API, answered from the objects at hand.
    ApiCall(&'a ContextEntry, ApiCall<'a>),
    /// A ConfigMap among the objects that answer, named with variables.
    ConfigMap {
        /// The entry.
        entry: &'a ContextEntry,
        /// The namespace that a namespaced policy must keep to; empty for a ClusterPolicy.
        policy_namespace: &'a str,
    },
    /// What a GlobalContextEntry holds.
    Global {
        /// The reference as written.
        reference: &'a Value,
        /// What is given.
        answers: &'a Answers,
        /// What becomes of it where nobody can answer.
        absent: Absent,
        /// The namespace of a namespaced policy, which may not ask; empty for a ClusterPolicy.
        policy_namespace: &'a str,
    },
    /// What a registry knows of an image, answered from what is given.
    ImageData(&'a ContextEntry, ImageCall<'a>),
}

/// What a call of the Kubernetes API is answered from.
#[derive(Clone, Copy)]
pub(crate) struct ApiCall<'a> {
    /// The call as written.
    pub(crate) call: &'a Value,
    /// The objects at hand.
    pub(crate) objects: Objects<'a>,
    /// The namespace that a namespaced policy must keep to; empty for a ClusterPolicy.
    pub(crate) policy_namespace: &'a str,
}

/// What a question about an image is answered from.
#[derive(Clone, Copy)]
pub(crate) struct ImageCall<'a> {
    /// The question as written.
    pub(crate) call: &'a Value,
    /// What is given of images, by their references.
    pub(crate) data: &'a [(Str, Value)],
    /// What becomes of it where nobody can answer.
    pub(crate) absent: Absent,
}

/// How many levels of a document take as much stack as one entry that another one names.
const LEVELS_OF_A_LOADER: usize = 4;

/// What a registry says of an image.
const IMAGE_FIELDS: [&str; 8] = [
    "image",
    "resolvedImage",
    "registry",
    "repository",
    "identifier",
    "manifestList",
    "manifest",
    "configData",
];

/// The objects that a call of the Kubernetes API can find.
#[derive(Clone, Copy)]
pub(crate) struct Objects<'a> {
    /// The objects that are given.
    pub(crate) given: &'static [List],
    /// The cluster of a `generate` rule: what stands there too, as it is by now.
    pub(crate) cluster: Option<&'a Cluster>,
}

impl Objects<'_> {
    pub(super) fn get(&self, path: &str, evaluator: &Evaluator<'_>) -> Result<Value, String> {
        if let Some(answer) = evaluator.world().kubernetes(path) {
            return answer.map(|answer| answer.with_float_numbers());
        }
        let given = self.given.iter().map(|list| evaluator.directory().list(*list)).collect();
        let place = api::ObjectSources { given, cluster: self.cluster };
        if let Some(plural) = place.unknown_list(path) {
            evaluator.assume_none(plural);
        }
        if self.cluster.is_some() {
            return api::get(&place, path);
        }
        // What is given stays the same, and so does the answer.
        evaluator.answer(path, "", || api::get(&place, path))
    }
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
    pub(crate) fn load_matching(&mut self, expression: &str) -> Result<(), String> {
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
        let value = |root: &Value| root.get(&name).cloned().unwrap_or_default();
        self.keep(|root| Lookup::Entry { value: value(root), name: name.clone() });
        Ok(())
    }

    /// Where the context entry of this name stands in the policy.
    pub(crate) fn entry_path(&self, name: &str) -> Option<&Path> {
        let found = self.deferred.loaders.iter().rfind(|loader| loader.name == name)?;
        match &found.loader {
            Loader::Variable(entry)
            | Loader::ApiCall(entry, _)
            | Loader::ConfigMap { entry, .. }
            | Loader::ImageData(entry, _) => Some(&entry.path),
            Loader::Images(..) | Loader::Answer(_) | Loader::Global { .. } => None,
        }
    }

    /// Runs a loader; whether it counts as loaded.
    fn run_loader(&mut self, loader: &Loader<'_>, name: &str) -> Result<bool, String> {
        self.enter(LEVELS_OF_A_LOADER)?;
        let outcome = self.run_one(loader, name);
        self.leave(LEVELS_OF_A_LOADER);
        outcome
    }

    fn run_one(&mut self, loader: &Loader<'_>, name: &str) -> Result<bool, String> {
        match loader {
            Loader::Images(resource, settings) => {
                self.add_images(&find_images(resource, None, settings, None)?);
                // Kyverno: ImageInfoLoader never says that it has loaded, so it runs at every level.
                Ok(false)
            }
            Loader::Answer(value) => {
                self.replace_entry(name, value)?;
                Ok(true)
            }
            Loader::ApiCall(entry, call) => {
                self.api_call(entry, call)?;
                Ok(true)
            }
            Loader::ConfigMap { entry, policy_namespace } => {
                let found = self.config_map(entry, policy_namespace).map_err(|error| {
                    format!("failed to retrieve config map for context entry {name}: {error}")
                })?;
                self.add_entry(name, &found)?;
                Ok(true)
            }
            // Kyverno: without a store of entries nothing is loaded, whoever asks.
            Loader::Global { absent: Absent::Fails, policy_namespace, .. }
                if !policy_namespace.is_empty() =>
            {
                Err(format!("context entry {name}: globalReference is not allowed in namespaced policies"))
            }
            Loader::Global { reference, answers, absent, .. } => {
                match (self.global_entry(name, reference, answers), absent) {
                    (Ok(found), _) => self.add_entry(name, &found)?,
                    (Err(_), Absent::Unknown) => {}
                    (Err(error), Absent::Fails) => {
                        return Err(format!(
                            "failed to marshal APICall data for context entry {name}: {error}"
                        ));
                    }
                }
                Ok(true)
            }
            Loader::ImageData(entry, call) => {
                match (self.image_data(entry, call), call.absent) {
                    (Ok(value), _) => self.add_entry(name, &value)?,
                    (Err(_), Absent::Unknown) => {}
                    (Err(error), Absent::Fails) => return Err(error),
                }
                Ok(true)
            }
            Loader::Variable(entry) => {
                let value = self.variable_value(entry)?;
                self.replace_entry(name, &value)?;
                Ok(true)
            }
        }
    }

    // Kyverno: imageDataLoader.fetchImageData. A registry is never asked.
    fn image_data(&mut self, entry: &ContextEntry, call: &ImageCall<'_>) -> Result<Value, String> {
        let name = &entry.name;
        let field = |key: &str| call.call.get(key).cloned().unwrap_or_else(|| Value::from(""));
        let (reference, path) = (field("reference"), field("jmesPath"));
        let wanted = variables::substitute(self, &reference).map_err(|error| {
            let reference = reference.as_str().unwrap_or("");
            format!("ailed to substitute variables in context entry {name} {reference}: {error}")
        })?;
        let Value::String(wanted) = wanted else {
            let go = engine_jmespath::go_format::go_format;
            return Err(format!("invalid image reference {}, image reference must be a string", go(&wanted)));
        };
        let expression = variables::substitute(self, &path).map_err(|error| {
            let path = path.as_str().unwrap_or("");
            format!("failed to substitute variables in context entry {name} {path}: {error}")
        })?;
        let found = call.data.iter().rfind(|(image, _)| *image == wanted).map(|(_, data)| data.clone());
        let found = found.or_else(|| self.evaluator.world().image_data(&wanted));
        let given = found.ok_or_else(|| {
            let failed = format!("failed to fetch image descriptor: {wanted}");
            format!("{failed}, error: {failed}")
        })?;
        let fields = IMAGE_FIELDS.map(|key| (key, given.get(key).cloned().unwrap_or_default()));
        let data = Value::object(fields.into_iter().collect()).with_float_numbers();
        match expression.as_str().filter(|text| !text.is_empty()) {
            None => Ok(data),
            Some(text) => self.evaluator.apply(text, &data).map_err(|error| {
                format!("failed to apply JMESPath ({text}) results to context entry {name}, error: {error}")
            }),
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
