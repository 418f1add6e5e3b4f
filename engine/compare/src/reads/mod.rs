//! What policies read of a request: places of the object, who asks, labels of the Namespace, operations.
//!
//! In: paths from the context of an expression, with the constants held against them. Out: [`Reads`]. The path
//! `request.object.spec` is the place `spec` of the object; `request.operation` is the operation.

pub(crate) mod cel;
pub(crate) mod cel_policies;
pub(crate) mod classic;
pub(crate) mod field_path;
pub(crate) mod forms;
pub(crate) mod jmespath;
mod keys;
pub(crate) mod params;
mod patches;
pub(crate) mod pod_security;
pub(crate) mod tree;
mod variables;

use crate::reads::field_path::{FieldPath, Step, field_path, paths};
use crate::reads::forms::{Form, MAX_FORMS, walked_back};
use crate::reads::tree::{MAX_CONSTANTS, Tree};
use crate::search::cluster::Asked;
use crate::search::unlike::Unlike;
use engine_json::{Segment, Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What one side reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Of the object.
    pub(crate) object: Tree,
    /// Places that a side itself names, where others are read because of what it stands for: they are tried first.
    pub(crate) named: BTreeSet<FieldPath>,
    /// Of the labels of its Namespace.
    pub(crate) namespace_labels: Tree,
    /// Names that are held against who asks.
    pub(crate) users: BTreeSet<Str>,
    /// Groups.
    pub(crate) groups: BTreeSet<Str>,
    /// Roles.
    pub(crate) roles: BTreeSet<Str>,
    /// Cluster roles.
    pub(crate) cluster_roles: BTreeSet<Str>,
    /// Places whose values are held against each other.
    pub(crate) links: BTreeSet<(FieldPath, FieldPath)>,
    /// Places of the object, now or as it was, whose values are held against the name of who asks.
    pub(crate) of_users: BTreeSet<FieldPath>,
    /// Places of the object as it was that are read; one without steps where all of it is.
    pub(crate) of_old: BTreeSet<FieldPath>,
    /// Of answers of the cluster, by the steps that stand for them.
    pub(crate) cluster: BTreeMap<Str, Tree>,
    /// Places in answers whose values are held against those of the object.
    pub(crate) cluster_links: BTreeSet<(Str, FieldPath, FieldPath)>,
    /// Kinds of objects that are asked for, by their version and plural.
    pub(crate) kinds: BTreeMap<(Str, Str), Str>,
    /// Which of these answers are parameters of policies.
    pub(crate) parameters: BTreeSet<Str>,
    /// All constants, for places that have none of their own.
    pub(crate) pool: Vec<Value>,
    /// Places at which the two sides do not read the same.
    pub(crate) unlike: Vec<Unlike>,
    /// Whether something is asked about the operation, or about the object as it was.
    pub(crate) asks_operation: bool,
    /// Whether something is asked about whether the request is stored (`dryRun`).
    pub(crate) asks_dry_run: bool,
    /// What is read of a request and is the same in all that are tried.
    pub(crate) fixed: BTreeSet<&'static str>,
    /// Whether an element of a list is read by its number, so that their order matters.
    pub(crate) asks_order: bool,
    /// What lies outside of the request and is asked for: an answer of a cluster, a registry, the time.
    pub(crate) outside: BTreeSet<String>,
}

/// How many pairs of places are kept.
const MAX_LINKS: usize = 60;

/// How many constants the pool holds.
pub(crate) const MAX_POOL: usize = 40;

/// What an expression's value comes from: paths from the context's root, and constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The paths.
    pub(crate) paths: Vec<FieldPath>,
    /// The constants.
    pub(crate) constants: Vec<Value>,
    /// The functions that values of the paths have gone through, the first first.
    pub(crate) forms: Vec<Form>,
}

/// How many paths a value is taken to come from; of constants as many as a place keeps.
const MAX_ORIGINS: usize = 24;

impl Origin {
    /// A constant.
    pub(crate) fn constant(value: Value) -> Self {
        Origin { constants: vec![value], ..Origin::default() }
    }

    /// A way.
    pub(crate) fn path(path: FieldPath) -> Self {
        Origin { paths: vec![path], ..Origin::default() }
    }

    /// This and another.
    pub(crate) fn and(mut self, other: Origin) -> Self {
        for path in other.paths {
            if self.paths.len() < MAX_ORIGINS && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        for constant in other.constants {
            if self.constants.len() < MAX_CONSTANTS && !self.constants.contains(&constant) {
                self.constants.push(constant);
            }
        }
        other.forms.into_iter().for_each(|form| self.push_form(form));
        self
    }

    fn push_form(&mut self, form: Form) {
        if self.forms.len() < MAX_FORMS && !self.forms.contains(&form) {
            self.forms.push(form);
        }
    }

    /// What a function makes of it, with the constants among its arguments.
    pub(crate) fn through(mut self, function: &str, arguments: Vec<Value>) -> Self {
        if let Some(form) = Form::of(function, arguments) {
            self.push_form(form);
        }
        self
    }

    /// The same without its constants.
    pub(crate) fn without_constants(self) -> Self {
        Origin { constants: Vec::new(), ..self }
    }

    /// With wildcards that fit the first constant: the operators of the family `In` take what an object has for a wildcard, too.
    // Kyverno: pkg/engine/variables/operator/anyin.go, `wildcard.Match` both ways round.
    pub(crate) fn with_wildcards(mut self) -> Self {
        let first = self.constants.iter().find_map(|constant| constant.as_str()?.chars().next());
        let begins = first.filter(|c| c.is_alphanumeric()).map(|c| format!("{c}*"));
        // Of many constants only the first are tried.
        let at = usize::from(!self.constants.is_empty());
        for text in begins.into_iter().chain(["*".to_owned()]) {
            self.constants.insert(at, Value::from(text));
        }
        self
    }

    /// An element of a list, or the value itself where it is one already.
    pub(crate) fn element(mut self) -> Self {
        if self.forms.last_mut().is_some_and(|form| form.step_into(None)) {
            return self;
        }
        for path in self.paths.iter_mut().filter(|path| path.last() != Some(&Step::Each)) {
            path.push(Step::Each);
        }
        self
    }

    /// One step further down; constants stay what they are.
    pub(crate) fn below(mut self, step: &Step) -> Self {
        // What was read from a text has no place of its own.
        if self.forms.last_mut().is_some_and(|form| form.step_into(key(step))) {
            return self;
        }
        for path in &mut self.paths {
            path.push(step.clone());
        }
        self
    }
}

impl Reads {
    /// Notes that something is read and what it is held against.
    pub(crate) fn note(&mut self, origin: &Origin) {
        let constants = walked_back(&origin.forms, &origin.constants);
        for path in &origin.paths {
            self.note_path(path, &constants);
        }
        self.link(origin);
        origin.constants.iter().for_each(|constant| self.add_to_pool(constant));
    }

    /// Notes that the values of these places are held against each other.
    fn link(&mut self, origin: &Origin) {
        let places: Vec<&[Step]> = origin.paths.iter().filter_map(|path| of_object(path)).collect();
        let of_answers = origin.paths.iter().filter_map(|path| Reads::of_cluster(path));
        let of_answers: Vec<_> = of_answers.map(|(step, rest)| (step.clone(), rest.to_vec())).collect();
        let of_objects: Vec<FieldPath> = places.iter().map(|place| place.to_vec()).collect();
        for (at, one) in places.iter().enumerate() {
            for other in places.iter().skip(at + 1) {
                let is_apart = !one.starts_with(other) && !other.starts_with(one);
                if is_apart && self.links.len() < MAX_LINKS {
                    self.links.insert((one.to_vec(), other.to_vec()));
                }
            }
        }
        self.link_cluster(&of_answers, &of_objects);
        let is_user = |path: &FieldPath| {
            path.iter().map_while(key).eq(["request", "userInfo", "username"])
                || path.iter().map_while(key).eq(["serviceAccountName"])
        };
        if origin.paths.iter().any(is_user) {
            let places =
                origin.paths.iter().filter_map(|path| of_object(path).or_else(|| of_old_object(path)));
            let room = MAX_LINKS.saturating_sub(self.of_users.len());
            self.of_users.extend(places.filter(|place| !place.is_empty()).take(room).map(<[Step]>::to_vec));
        }
    }

    /// Adds what stands in a parameter: the policies may hold it against anything.
    pub(crate) fn pool_values_of(&mut self, parameter: &Value) {
        let of_object = [Segment::Key(Str::new_static("apiVersion")), Segment::Key(Str::new_static("kind"))];
        let metadata = Segment::Key(Str::new_static("metadata"));
        for path in paths(parameter) {
            let first = path.iter().next();
            let is_about = first.is_some_and(|first| of_object.contains(first) || *first == metadata);
            if let Some(value) = parameter.at_path(path.iter()).filter(|_| !is_about) {
                self.add_to_pool(value);
            }
        }
    }

    /// Adds a constant that is held against an unknown place.
    pub(crate) fn add_to_pool(&mut self, constant: &Value) {
        let is_plain = matches!(constant, Value::String(_) | Value::Number(_));
        if is_plain && self.pool.len() < MAX_POOL && !self.pool.contains(constant) {
            self.pool.push(constant.clone());
        }
    }

    fn note_path(&mut self, path: &[Step], constants: &[Value]) {
        let keys: Vec<&str> = path.iter().map_while(key).take(3).collect();
        match keys.as_slice() {
            ["object", ..] => self.note_object(path.get(1..).unwrap_or_default(), constants),
            ["oldObject", ..] => {
                self.asks_operation = true;
                self.note_old(path.get(1..).unwrap_or_default());
                self.note_object(path.get(1..).unwrap_or_default(), constants);
            }
            ["request", "object", ..] => self.note_object(path.get(2..).unwrap_or_default(), constants),
            ["request", "oldObject", ..] => {
                self.asks_operation = true;
                self.note_old(path.get(2..).unwrap_or_default());
                self.note_object(path.get(2..).unwrap_or_default(), constants);
            }
            ["request", "operation"] => self.asks_operation = true,
            ["request", "dryRun"] => self.asks_dry_run = true,
            ["request", "namespace"] | ["namespaceObject", "metadata", "name"] => {
                self.note_object(&field_path(&["metadata", "namespace"]), constants);
            }
            ["request", "name"] => {
                self.fixed
                    .insert("`request.name`, which is that of the object: none has a name that is generated");
                self.note_object(&field_path(&["metadata", "name"]), constants);
            }
            ["request", "userInfo", "username"] | ["serviceAccountName" | "serviceAccountNamespace"] => {
                self.users.extend(texts(constants));
            }
            ["request", "userInfo", "groups"] => self.groups.extend(texts(constants)),
            ["request", "roles"] => self.roles.extend(texts(constants)),
            ["request", "clusterRoles"] => self.cluster_roles.extend(texts(constants)),
            ["namespaceObject", "metadata", "labels"] => {
                let node = self.namespace_labels.at(path.get(3..).unwrap_or_default());
                for constant in constants {
                    node.add(constant);
                }
            }
            ["images", list, ..] => {
                let image = [Step::Key(Str::new_static("spec")), Step::Key(Str::new(list))];
                let image = image.into_iter().chain([Step::Each, Step::Key(Str::new_static("image"))]);
                self.note_object(&image.collect::<FieldPath>(), constants);
            }
            [root, ..] if Asked::of_step(root).is_some() => {
                let node = self.cluster.entry(Str::new(root)).or_default();
                let node = node.at(path.get(1..).unwrap_or_default());
                for constant in constants {
                    node.add(constant);
                }
            }
            other => self.fixed.extend(fixed(other)),
        }
    }

    /// Notes a place of the object.
    pub(crate) fn note_object(&mut self, place: &[Step], constants: &[Value]) {
        let node = self.object.at(place);
        for constant in constants {
            node.add(constant);
        }
    }

    fn note_old(&mut self, place: &[Step]) {
        if self.of_old.len() < MAX_LINKS {
            self.of_old.insert(place.to_vec());
        }
    }

    /// Notes names of Namespaces that a policy is for: those of objects in them, and of the Namespaces themselves.
    // Kyverno: `checkNameSpace` of pkg/utils/match takes the name of a Namespace for it.
    pub(crate) fn note_namespaces(&mut self, names: &[Value]) {
        if names.is_empty() {
            return;
        }
        for field in ["namespace", "name"] {
            self.note_object(&field_path(&["metadata", field]), names);
        }
    }
}

/// What is said of a place of the request that no request varies.
fn fixed(keys: &[&str]) -> Option<&'static str> {
    Some(match keys {
        ["request", "uid"] => "`request.uid`, which is empty",
        ["request", "options", ..] => "`request.options`, in which nothing is asked for",
        ["request", "userInfo", "uid"] => "`request.userInfo.uid`, which is empty",
        ["request", "userInfo", "extra"] => "`request.userInfo.extra`, which is empty",
        ["request", "subResource" | "requestSubResource"] => {
            "`request.subResource` beyond the subresources that policies name"
        }
        ["request", "requestKind" | "requestResource", ..] => {
            "`request.requestKind` and `request.requestResource`, which are those of the object"
        }
        ["namespaceObject", ..] => "the Namespace beyond its name and labels",
        _ => return None,
    })
}

/// The place in the object, where a path leads there.
fn of_object(path: &[Step]) -> Option<&[Step]> {
    match path {
        [Step::Key(root), Step::Key(object), rest @ ..] if root == "request" && object == "object" => {
            Some(rest)
        }
        [Step::Key(object), rest @ ..] if object == "object" => Some(rest),
        _ => None,
    }
}

/// The place in the object as it was, where a path leads there.
fn of_old_object(path: &[Step]) -> Option<&[Step]> {
    match path {
        [Step::Key(root), Step::Key(old), rest @ ..] if root == "request" && old == "oldObject" => Some(rest),
        [Step::Key(old), rest @ ..] if old == "oldObject" => Some(rest),
        _ => None,
    }
}

fn key(step: &Step) -> Option<&str> {
    match step {
        Step::Key(key) => Some(key),
        Step::Each => None,
    }
}

fn texts(constants: &[Value]) -> impl Iterator<Item = Str> {
    constants.iter().filter_map(|constant| constant.as_str().map(Str::new))
}
