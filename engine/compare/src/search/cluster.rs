//! Objects of the cluster that policies ask for: what they read of them, and what the cluster holds while a request is evaluated.
//!
//! In: calls of the Kubernetes API and ConfigMaps in a policy's context, `resource.Get` and `resource.List` in CEL; the footprint of their
//! answers. Out: objects for a request, some of whose values are those of the request's object, and a [`World`] that answers with them.
//! Both sides ask the same cluster. A list of a kind of which there is no object is empty, as it is in a cluster that knows the kind.

use crate::objects::defaults::defaulted;
use crate::objects::kinds::{Target, smallest};
use crate::objects::schema::{Schema, Shape};
use crate::objects::valid::{complete, is_stored};
use crate::reads::Reads;
use crate::reads::field_path::{Elements, FieldPath, Step, field_path, put, values_at};
use crate::request::Request;
use crate::search::Search;
use crate::search::cells::{CellInputs, Cells, cells};
use engine::load::{Cluster, Extension};
use engine::resource::plural;
use engine::world::{SignatureAnswer, World};
use engine_json::{Map, Path, Str, Value};
use std::sync::Arc;

/// What stands for a namespace or a name that is not written.
const ANY: &str = "*";
/// How a step begins that stands for an answer of the cluster.
const BEGIN: &str = "cluster ";

/// Objects that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    version: Str,
    resource: Str,
    namespace: Str,
    name: Str,
}

impl Asked {
    /// Objects by their version, plural, namespace and name; `None` for what is made when it is asked for.
    pub(crate) fn new(version: &str, resource: &str, namespace: Option<&str>, name: Option<&str>) -> Self {
        let or_any = |text: Option<&str>| text.map_or(Str::new_static(ANY), Str::new);
        Asked {
            version: Str::new(version),
            resource: Str::new(resource),
            namespace: or_any(namespace),
            name: or_any(name),
        }
    }

    /// The objects of a path of the API; variables in it are `*`.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            _ => return None,
        };
        let (namespace, resource, name) = match rest {
            ["namespaces", namespace, resource] => (*namespace, *resource, ""),
            ["namespaces", namespace, resource, name] => (*namespace, *resource, *name),
            [resource] => ("", *resource, ""),
            [resource, name] => ("", *resource, *name),
            _ => return None,
        };
        let part = |text| Some(text).filter(|text: &&str| !text.contains('*'));
        Some(Asked::new(&version, resource, part(namespace), part(name)))
    }

    /// The step that stands for the answer.
    pub(crate) fn step(&self) -> Step {
        Step::Key(Str::from(format!(
            "{BEGIN}{} {} {} {}",
            self.version, self.resource, self.namespace, self.name
        )))
    }

    /// The objects for which a step stands.
    pub(crate) fn of_step(step: &str) -> Option<Self> {
        let parts: Vec<&str> = step.strip_prefix(BEGIN)?.split(' ').collect();
        let [version, resource, namespace, name] = parts.as_slice() else { return None };
        Some(Asked::new(version, resource, Some(namespace), Some(name)))
    }

    /// Whether it is a list, or an object whose name is written.
    pub(crate) fn is_named(&self) -> bool {
        self.name != ANY
    }

    fn is_list(&self) -> bool {
        self.name.is_empty()
    }

    /// The objects in words.
    pub(crate) fn describe(&self, schema: &Schema, reads: &Reads) -> String {
        let Target { version, kind } = self.target(schema, reads);
        let name = if self.is_list() { "those that are selected" } else { self.name.as_str() };
        match self.namespace.as_str() {
            "" => format!("{version} {kind} {name}"),
            ANY => format!("{version} {kind} {name} in the Namespace of the object"),
            namespace => format!("{version} {kind} {namespace}/{name}"),
        }
    }

    /// The kind whose plural is asked for.
    pub(crate) fn target(&self, schema: &Schema, reads: &Reads) -> Target {
        let known =
            schema.kinds().find(|(version, kind)| *version == self.version && plural(kind) == *self.resource);
        // A policy that names the kind without its group names it for each.
        let of_any_group = || {
            let mut all = reads.kinds.iter();
            all.find(|((_, resource), _)| *resource == self.resource).map(|(_, kind)| kind)
        };
        let of_group = reads.kinds.get(&(self.version.clone(), self.resource.clone()));
        let named = || of_group.or_else(of_any_group).cloned();
        let kind = known.map(|(_, kind)| Str::new(kind)).or_else(named);
        let kind = kind.unwrap_or_else(|| Str::from(singular(&self.resource)));
        Target { version: self.version.clone(), kind }
    }
}

/// A kind with this plural.
fn singular(resource: &str) -> String {
    let stem = resource.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let stem = stem.unwrap_or_else(|| resource.strip_suffix('s').unwrap_or(resource).to_owned());
    let candidates = [format!("{stem}e"), stem.strip_suffix('e').unwrap_or("").to_owned()];
    let fits = |kind: &String| plural(kind) == resource;
    let kind = Some(stem.clone()).filter(fits).or_else(|| candidates.into_iter().find(fits)).unwrap_or(stem);
    let mut letters = kind.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// In how many clusters the smallest objects are tried.
const MAX_CLUSTERS: usize = 300;
/// How many objects of one kind the cluster holds at most.
const MAX_OBJECTS: usize = 40;

impl Search<'_, '_> {
    /// The request with a cluster around it, where policies ask for one.
    pub(crate) fn in_cluster(&mut self, request: Request) -> Request {
        if self.reads.cluster.is_empty() || request.attributes.cluster.is_some() {
            return request;
        }
        let mut objects = Vec::new();
        for (step, tree) in &self.reads.cluster {
            let Some(asked) = Asked::of_step(step) else { continue };
            let target = asked.target(self.schema, self.reads);
            let tree = match (asked.is_list(), tree.fields.get("items").and_then(|items| items.each.as_ref()))
            {
                (true, Some(each)) => (**each).clone(),
                (true, None) => crate::reads::tree::Tree::default(),
                (false, _) => tree.clone(),
            };
            let given = self.given_parameters(step, &target);
            if !given.is_empty() {
                objects.extend(given);
                continue;
            }
            let inputs = CellInputs { schema: self.schema, pool: &self.reads.pool };
            let cells = cells(&tree, &target.version, &target.kind, &inputs);
            for number in 0..self.how_many(&asked) {
                let mut object = self.object(&asked, &target, &cells, step, &request.object, number);
                if objects.iter().any(|known| is_same_object(known, &object)) {
                    // A cluster has one object of a name.
                    let name = Value::from(format!("n{number}"));
                    let place = field_path(&["metadata", "name"]);
                    put(&mut object, &place, Some(&name), Elements::All, self.schema);
                }
                objects.push(defaulted(&object));
            }
        }
        let mut request = request;
        request.attributes.cluster = Some(Arc::new(objects));
        request
    }

    /// The parameters of a kind that the caller gives: then there are no others.
    fn given_parameters(&self, step: &Str, target: &Target) -> Vec<Value> {
        if !self.reads.parameters.contains(step) {
            return Vec::new();
        }
        self.parameters.iter().filter(|object| target.is_of(object)).cloned().collect()
    }

    /// The same objects in several clusters: a policy may read nothing else.
    pub(crate) fn vary_cluster(&mut self, bases: &[Value], until: usize) {
        if self.reads.cluster.is_empty() {
            return;
        }
        for base in (0..MAX_CLUSTERS).flat_map(|_| bases) {
            if self.is_over(until) {
                return;
            }
            let request = self.bringing(base.clone());
            self.try_one(request);
        }
    }

    fn how_many(&mut self, asked: &Asked) -> usize {
        if !asked.is_list() {
            // The Namespace of a request is there.
            let is_own = asked.resource == "namespaces" && asked.name == ANY;
            return usize::from(is_own || self.random.below(6) != 0);
        }
        // Numbers that policies hold against something may be held against how many there are.
        let numbers =
            self.reads.pool.iter().filter_map(Value::as_i64).filter_map(|n| usize::try_from(n).ok());
        let bounds: Vec<usize> = numbers.filter(|n| *n < MAX_OBJECTS).flat_map(|n| [n, n + 1]).collect();
        match self.random.of(&bounds).copied() {
            Some(bound) if self.random.below(3) == 0 => bound,
            _ => self.random.below(4),
        }
    }

    fn object(
        &mut self,
        asked: &Asked,
        target: &Target,
        cells: &[Cells],
        step: &Str,
        of_request: &Value,
        number: usize,
    ) -> Value {
        let mut object = smallest(target, self.schema);
        // Many objects are there to be counted, and alike.
        let is_alike = number > 2;
        for cells in cells {
            if is_alike || self.random.below(3) != 0 {
                let at = if is_alike { number % 2 } else { self.random.below(cells.values.len()) };
                let value = cells.values.get(at).and_then(Option::as_ref);
                put(&mut object, &cells.path, value, Elements::All, self.schema);
            }
        }
        let namespace = of_request.find_str(&["metadata", "namespace"]).to_owned();
        let name = match (asked.name.as_str(), asked.resource.as_str()) {
            (ANY, "namespaces") => namespace.clone(),
            ("" | ANY, _) => match self.random.below(3) {
                0 => of_request.find_str(&["metadata", "name"]).to_owned(),
                _ => format!("n{number}"),
            },
            (name, _) => name.to_owned(),
        };
        let own = match asked.namespace.as_str() {
            "" | ANY if self.random.below(4) == 0 => "other",
            "" | ANY => namespace.as_str(),
            namespace => namespace,
        };
        let own = Value::from(own);
        let keeps = object.find(&["metadata", "namespace"]).is_some();
        put(
            &mut object,
            &field_path(&["metadata", "name"]),
            Some(&Value::from(name.as_str())),
            Elements::All,
            self.schema,
        );
        if keeps {
            put(&mut object, &field_path(&["metadata", "namespace"]), Some(&own), Elements::All, self.schema);
        }
        self.like_request(&mut object, step, of_request);
        // What no API server takes is in no cluster.
        complete(&mut object, self.schema);
        let has_types = self.schema.of(&object).is_none_or(|shape| has_types(&object, &shape, self.schema));
        if has_types && is_stored(&object, self.schema) { object } else { smallest(target, self.schema) }
    }

    /// Takes over values that the policies hold against those of the request's object.
    fn like_request(&mut self, object: &mut Value, step: &Str, of_request: &Value) {
        let links: Vec<(FieldPath, FieldPath)> = self
            .reads
            .cluster_links
            .iter()
            .filter(|(of, _, _)| of == step)
            .map(|(_, to, from)| (to.clone(), from.clone()))
            .collect();
        for (to, from) in links {
            let values: Vec<Value> = values_at(of_request, &from).into_iter().cloned().collect();
            let Some(value) = self.random.of(&values).cloned() else { continue };
            let value = match (self.random.below(4), value.as_str()) {
                (0 | 1, _) => value,
                (2, Some(text)) => self
                    .random
                    .of(&globs(text))
                    .map_or_else(|| value.clone(), |glob| Value::from(glob.as_str())),
                _ => continue,
            };
            put(object, &to, Some(&value), Elements::First, self.schema);
        }
    }
}

/// Patterns that a text meets: ClusterPolicies read what a cluster holds as such.
fn globs(text: &str) -> Vec<String> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, last) = text.split_at_checked(middle).unwrap_or((text, ""));
    let but_one: String = last.chars().skip(1).collect();
    let below = text.find('.').and_then(|at| text.get(at..)).map(|domain| format!("*{domain}"));
    let all = [format!("{first}*"), format!("*{last}"), format!("{first}?{but_one}")];
    below.into_iter().chain(all).filter(|_| !text.is_empty()).collect()
}

/// Whether both are called the same.
pub(crate) fn is_same_object(one: &Value, other: &Value) -> bool {
    let keys: [&[&str]; 4] = [&["apiVersion"], &["kind"], &["metadata", "namespace"], &["metadata", "name"]];
    keys.iter().all(|keys| one.find_str(keys) == other.find_str(keys))
}

/// Whether lists, maps and strings stand where the schema has them.
fn has_types(value: &Value, shape: &Shape, schema: &Schema) -> bool {
    match (value, shape) {
        (Value::Array(items), Shape::List(of)) => items.iter().all(|item| has_types(item, of, schema)),
        (Value::Object(map), Shape::Map(of)) => map.values().all(|item| has_types(item, of, schema)),
        (Value::Object(map), Shape::Object(_)) => map
            .iter()
            .all(|(key, item)| schema.field(shape, key).is_none_or(|shape| has_types(item, &shape, schema))),
        (Value::String(_), Shape::Text) | (Value::Null, _) => true,
        (_, Shape::List(_) | Shape::Map(_) | Shape::Object(_) | Shape::Text) => false,
        _ => true,
    }
}

impl Reads {
    /// The place in an answer of the cluster, where a path leads there: the step of the answer, and the way in one of its objects.
    pub(crate) fn of_cluster(path: &[Step]) -> Option<(&Str, &[Step])> {
        let [Step::Key(root), rest @ ..] = path else { return None };
        let asked = Asked::of_step(root)?;
        match rest {
            [Step::Key(items), Step::Each, rest @ ..] if asked.is_list() && items == "items" => {
                Some((root, rest))
            }
            rest if !asked.is_list() => Some((root, rest)),
            _ => None,
        }
    }

    /// Notes that a value of an answer is held against one of the request's object.
    pub(crate) fn link_cluster(&mut self, of_answers: &[(Str, FieldPath)], of_objects: &[FieldPath]) {
        for (step, to) in of_answers {
            for from in of_objects {
                if self.cluster_links.len() < MAX_LINKS && !to.is_empty() {
                    self.cluster_links.insert((step.clone(), to.clone(), from.clone()));
                }
            }
        }
    }
}

/// How many pairs of places are kept.
const MAX_LINKS: usize = 40;

/// The world of a caller, with a cluster of these objects.
pub(crate) struct InCluster<'w> {
    world: &'w dyn World,
    objects: Option<Arc<Vec<Value>>>,
    /// Version and kind of the parameters that stand beside the policies of a side.
    own: Vec<Target>,
}

impl<'w> InCluster<'w> {
    /// The world with the cluster of a request, where it has one; the policies then know that there is one to ask for ConfigMaps.
    pub(crate) fn new(
        world: &'w dyn World,
        objects: Option<&Arc<Vec<Value>>>,
        bundle: &mut engine::Bundle,
    ) -> Self {
        if objects.is_some() {
            bundle.settings.answers.cluster = Cluster::Objects(Vec::new());
        }
        let own = bundle.settings.parameters.iter().map(|parameter| Target::of(&parameter.value));
        InCluster { world, objects: objects.cloned(), own: own.collect() }
    }
}

impl World for InCluster<'_> {
    fn now(&self) -> i64 {
        self.world.now()
    }

    fn random(&self) -> u64 {
        self.world.random()
    }

    fn image_data(&self, reference: &str) -> Option<Value> {
        self.world.image_data(reference)
    }

    fn manifest_signature(
        &self,
        object: &Value,
        manifests: &Value,
        attestor: &Value,
    ) -> Option<SignatureAnswer> {
        self.world.manifest_signature(object, manifests, attestor)
    }

    fn kubernetes(&self, path: &str) -> Option<Result<Value, String>> {
        let Some(objects) = &self.objects else { return self.world.kubernetes(path) };
        let Some(asked) = Asked::of_path(path) else {
            return Some(Err(format!("the server could not find the requested resource: {path}")));
        };
        let is_meant = |object: &&Value| {
            let is_there = object.find_str(&["metadata", "namespace"]) == asked.namespace;
            object.find_str(&["apiVersion"]) == asked.version
                && plural(object.find_str(&["kind"])) == *asked.resource
                && (is_there || (asked.is_list() && asked.namespace.is_empty()))
                && (asked.is_list() || object.find_str(&["metadata", "name"]) == asked.name)
        };
        let mut found = objects.iter().filter(is_meant);
        if asked.is_list() {
            let list: Map = [("items", Value::array(found.cloned().collect()))].into_iter().collect();
            return Some(Ok(list.into()));
        }
        let missing = || format!("{} \"{}\" not found", asked.resource, asked.name);
        Some(found.next().cloned().ok_or_else(missing))
    }

    fn parameters(
        &self,
        version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Result<Vec<Value>, String>> {
        let wanted = Target { version: Str::new(version), kind: Str::new(kind) };
        if self.own.contains(&wanted) {
            // They stand with the policies.
            return None;
        }
        let Some(objects) = &self.objects else {
            return self.world.parameters(version, kind, namespace, name);
        };
        Some(Ok(objects.iter().filter(|object| wanted.is_of(object)).cloned().collect()))
    }

    fn global_context(&self, entry: &str, projection: &str) -> Option<Value> {
        self.world.global_context(entry, projection)
    }

    fn extension(&self) -> &'static Extension {
        self.world.extension()
    }
}

/// The requests whose cluster holds one object less, or one of whose objects has one field less.
pub(crate) fn smaller(request: &Request) -> Vec<Request> {
    let Some(objects) = &request.attributes.cluster else { return Vec::new() };
    let with = |objects: Vec<Value>| {
        let mut smaller = request.clone();
        smaller.attributes.cluster = Some(Arc::new(objects));
        smaller
    };
    let mut all = Vec::new();
    let namespace = request.object.find_str(&["metadata", "namespace"]);
    // The Namespace of an object is there as long as the object is.
    let is_own = |object: &Value| {
        object.find_str(&["kind"]) == "Namespace" && object.find_str(&["metadata", "name"]) == namespace
    };
    for at in (0..objects.len()).filter(|at| !objects.get(*at).is_some_and(is_own)) {
        let mut fewer = (**objects).clone();
        fewer.remove(at);
        all.push(with(fewer));
    }
    for (at, object) in objects.iter().enumerate() {
        for path in crate::reads::field_path::paths(object) {
            if is_needed(&path) {
                continue;
            }
            let mut changed = (**objects).clone();
            if let Some(object) = changed.get_mut(at) {
                object.put(&path, None);
                *object = defaulted(object);
            }
            // What an API server fills in stays.
            if changed != **objects {
                all.push(with(changed));
            }
        }
    }
    all
}

fn is_needed(path: &Path) -> bool {
    let needed: [&[&str]; 5] =
        [&["apiVersion"], &["kind"], &["metadata"], &["metadata", "name"], &["metadata", "namespace"]];
    needed.iter().any(|keys| *path == Path::from_keys(keys))
}
