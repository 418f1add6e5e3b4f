//! Which fields of a resource a step looked at.
//!
//! In: steps, the rule and the resource. Out: paths, of fields that are there and of fields that an expression asks for
//! and does not find. Expressions are followed by their form alone: names, lists element by element, context entries
//! by what they are made of.

use engine::policy::{Body, Check, ContextEntry, Foreach, Rule, Source};
use engine::resource::Resource;
use engine::template;
use engine::trace::{Compared, Detail, Kind, Step};
use engine_jmespath::Node;
use engine_json::{Path, Segment, Str, Value};
use std::sync::Arc;

/// How many places an expression may stand for.
const MAX_PLACES: usize = 64;
/// How deep context entries may be made of one another.
const MAX_DEPTH: usize = 8;
/// How many nodes of a resource are looked at for a place.
const MAX_NODES: usize = 50_000;

/// A field that decided.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) path: Path,
    pub(super) value: Option<Value>,
    /// What the policy wants there, or holds it against.
    pub(super) wanted: Option<Value>,
    /// The literals of the expression that reads it.
    pub(super) literals: Vec<Value>,
}

/// What a condition reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    pub(super) paths: Vec<Path>,
    /// The literals beside them.
    pub(super) literals: Vec<Value>,
}

/// The fields that these steps looked at, each once.
pub(super) fn of_steps(
    steps: &[Step],
    deciding: &[usize],
    rule: Option<&Rule>,
    resource: &Resource,
) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut add = |path: Path, wanted: Option<Value>, literals: &[Value]| {
        if !path.is_empty() && fields.iter().all(|known| known.path != path) && fields.len() < MAX_PLACES {
            let value = resource.value.at_path(path.iter()).cloned();
            fields.push(Field { path, value, wanted, literals: literals.to_vec() });
        }
    };
    for step in deciding.iter().filter_map(|at| steps.get(*at)) {
        match (&step.detail, &step.resource_path) {
            (Some(Detail::Condition(compared)), _) => {
                let (key, value) = &compared.resolved;
                let sides = [(&compared.written.0, value), (&compared.written.1, key)];
                for (side, other) in sides {
                    let read = of_condition_side(side, compared, rule, resource);
                    let Read { paths, literals } = read;
                    for path in paths {
                        add(path, Some(other.clone()), &literals);
                    }
                }
            }
            (Some(Detail::Pattern(part)), Some(path)) => {
                add(path.clone(), Some(part.wanted.clone()), &[]);
            }
            (Some(Detail::Expression(part)), _) => {
                for path in &part.fields {
                    add(path.clone(), part.wanted.clone(), &part.literals);
                }
            }
            (_, Some(path)) if step.kind != Kind::Foreach => add(path.clone(), None, &[]),
            _ => {}
        }
    }
    fields
}

/// What both sides of a condition read.
pub(super) fn of_condition(compared: &Compared, rule: Option<&Rule>, resource: &Resource) -> Read {
    let mut read = of_condition_side(&compared.written.0, compared, rule, resource);
    let other = of_condition_side(&compared.written.1, compared, rule, resource);
    read.paths.extend(other.paths);
    read.literals.extend(other.literals);
    read
}

fn of_condition_side(side: &Value, compared: &Compared, rule: Option<&Rule>, resource: &Resource) -> Read {
    let mut reader = Reader {
        resource: &resource.value,
        elements: &compared.elements,
        entries: rule.map(entries).unwrap_or_default(),
        read: Read::default(),
        depth: 0,
    };
    reader.value(side);
    reader.read
}

/// The context entries of a rule and of its loops.
fn entries(rule: &Rule) -> Vec<&ContextEntry> {
    let mut found: Vec<&ContextEntry> = rule.context.iter().collect();
    if let Body::Validate(body) = &rule.body
        && let Check::Foreach(loops) = &body.check
    {
        let mut open: Vec<&Foreach> = loops.iter().collect();
        while let Some(each) = open.pop() {
            found.extend(&each.context);
            if let Check::Foreach(inner) = &each.check {
                open.extend(inner);
            }
        }
    }
    found
}

/// What an expression may stand for.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    /// The whole context.
    Root,
    /// `request`.
    Request,
    /// `images`: lists of images by container.
    Images(Option<&'static str>),
    /// An image taken apart; each part of it stands for the image.
    Image(Path),
    /// A field of the resource.
    Field(Path),
}

struct Reader<'r> {
    resource: &'r Value,
    elements: &'r [(Str, Value)],
    entries: Vec<&'r ContextEntry>,
    read: Read,
    depth: usize,
}

impl Reader<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                for found in template::variables(text) {
                    let inner = found.text().replace("{{", "").replace("}}", "");
                    let places = self.expression(inner.trim());
                    self.keep(&places);
                }
            }
            Value::Array(list) => list.iter().for_each(|item| self.value(item)),
            Value::Object(map) => map.values().for_each(|item| self.value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn expression(&mut self, text: &str) -> Vec<Origin> {
        match engine_jmespath::parse(text.trim_start_matches('-').trim()) {
            Ok(expression) => self.eval(expression.ast(), &[Origin::Root]),
            Err(_) => Vec::new(),
        }
    }

    fn keep(&mut self, places: &[Origin]) {
        for place in places {
            if let Origin::Field(path) | Origin::Image(path) = place
                && !path.is_empty()
                && self.read.paths.len() < MAX_PLACES
                && !self.read.paths.contains(path)
            {
                self.read.paths.push(path.clone());
            }
        }
    }

    fn eval(&mut self, node: &Node, here: &[Origin]) -> Vec<Origin> {
        let mut found = match node {
            Node::Empty | Node::Index(_) | Node::Slice(_) => self.pick(node, here),
            Node::Field(name) => here.iter().flat_map(|place| self.field(place, name)).collect(),
            Node::CurrentNode | Node::Identity => here.to_vec(),
            Node::Literal(value) => {
                self.read.literals.push(value.clone());
                Vec::new()
            }
            Node::Subexpression(left, right)
            | Node::IndexExpression(left, right)
            | Node::Pipe(left, right) => {
                let left = self.eval(left, here);
                self.eval(right, &left)
            }
            Node::Flatten(source) => self.eval(source, here),
            Node::Projection(source, right) | Node::ValueProjection(source, right) => {
                let items = self.items_of(source, here);
                self.eval(right, &items)
            }
            Node::FilterProjection { source, right, condition } => {
                let items = self.items_of(source, here);
                let kept = self.eval(condition, &items);
                self.keep(&kept);
                self.eval(right, &items)
            }
            Node::Comparator { left, right, .. } => {
                for side in [left, right] {
                    let places = self.eval(side, here);
                    self.keep(&places);
                }
                Vec::new()
            }
            Node::NotExpression(inner) => {
                let places = self.eval(inner, here);
                self.keep(&places);
                Vec::new()
            }
            Node::FunctionExpression { name, arguments } => {
                let found = self.function(arguments, here);
                // The names of fields are the object's; a projection over them has no other place.
                if name.as_deref() == Some("keys") {
                    self.keep(&found);
                    return Vec::new();
                }
                found
            }
            Node::OrExpression(..)
            | Node::AndExpression(..)
            | Node::MultiSelectHash(_)
            | Node::MultiSelectList(_)
            | Node::ExpRef(_) => {
                node.children().into_iter().flat_map(|child| self.eval(child, here)).collect()
            }
        };
        found.truncate(MAX_PLACES);
        found
    }

    fn function(&mut self, arguments: &[Node], here: &[Origin]) -> Vec<Origin> {
        let is_reference = |node: &&Node| matches!(node, Node::ExpRef(_));
        let mut found: Vec<Origin> = Vec::new();
        for argument in arguments.iter().filter(|node| !is_reference(node)) {
            found.extend(self.eval(argument, here));
        }
        let items = self.items(&found);
        for reference in arguments.iter().filter(is_reference) {
            let inner = self.eval(reference, &items);
            self.keep(&inner);
        }
        found
    }

    fn items_of(&mut self, source: &Node, here: &[Origin]) -> Vec<Origin> {
        let places = self.eval(source, here);
        self.items(&places)
    }

    /// Each place, or the places of its elements.
    fn items(&self, places: &[Origin]) -> Vec<Origin> {
        let mut found = Vec::new();
        for place in places {
            match place {
                Origin::Field(path) => match self.resource.at_path(path.iter()) {
                    Some(Value::Array(list)) => {
                        found.extend((0..list.len()).map(|at| Origin::Field(path.join(at))));
                    }
                    Some(Value::Object(map)) => {
                        found.extend(map.keys().map(|key| Origin::Field(path.join(key.clone()))));
                    }
                    _ => found.push(place.clone()),
                },
                Origin::Images(Some(list)) => found.extend(self.images(list)),
                Origin::Images(None) => {
                    found.extend(LISTS.iter().map(|list| Origin::Images(Some(*list))));
                }
                Origin::Root | Origin::Request | Origin::Image(_) => found.push(place.clone()),
            }
        }
        found.truncate(MAX_PLACES);
        found
    }

    fn pick(&self, node: &Node, here: &[Origin]) -> Vec<Origin> {
        let Node::Index(at) = node else { return here.to_vec() };
        let mut found = Vec::new();
        for place in here {
            let list = match place {
                Origin::Field(path) => self.resource.at_path(path.iter()),
                _ => None,
            };
            // What is not a list was made into one: a text taken apart.
            let (Origin::Field(path), Some(Value::Array(list))) = (place, list) else {
                found.push(place.clone());
                continue;
            };
            let length = i64::try_from(list.len()).unwrap_or_default();
            let at = if *at < 0 { length + at } else { *at };
            found.push(Origin::Field(path.join(usize::try_from(at).unwrap_or_default())));
        }
        found
    }

    fn field(&mut self, place: &Origin, name: &Str) -> Vec<Origin> {
        match place {
            Origin::Root => self.root(name),
            Origin::Request => match name.as_str() {
                "object" | "oldObject" => vec![Origin::Field(Path::root())],
                "namespace" => vec![Origin::Field(Path::from_keys(&["metadata", "namespace"]))],
                "name" => vec![Origin::Field(Path::from_keys(&["metadata", "name"]))],
                _ => Vec::new(),
            },
            Origin::Images(None) => {
                LISTS.iter().filter(|list| **list == name).map(|list| Origin::Images(Some(list))).collect()
            }
            Origin::Images(Some(list)) => self.images(list),
            Origin::Image(path) => vec![Origin::Image(path.clone())],
            Origin::Field(path) => {
                // A field of elements that were made of other values: the values themselves.
                let is_map = self
                    .resource
                    .at_path(path.iter())
                    .is_none_or(|found| found.as_object().is_some() || found.is_null());
                vec![Origin::Field(if is_map { path.join(name.clone()) } else { path.clone() })]
            }
        }
    }

    fn root(&mut self, name: &Str) -> Vec<Origin> {
        if let Some((_, element)) = self.elements.iter().find(|(known, _)| known == name) {
            return find(self.resource, element).map(Origin::Field).into_iter().collect();
        }
        match name.as_str() {
            "request" => return vec![Origin::Request],
            "images" => return vec![Origin::Images(None)],
            _ => {}
        }
        let Some(entry) = self.entries.iter().rfind(|entry| entry.name == *name).copied() else {
            return Vec::new();
        };
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let places = self.entry(entry);
        self.depth -= 1;
        places
    }

    /// What a context entry is made of.
    fn entry(&mut self, entry: &ContextEntry) -> Vec<Origin> {
        match &entry.source {
            Source::Variable { value, jmes_path, default } => {
                let mut places = Vec::new();
                for written in [value, default] {
                    if let Some(text) = written.as_str() {
                        for found in template::variables(text) {
                            let inner = found.text().replace("{{", "").replace("}}", "");
                            places.extend(self.expression(inner.trim()));
                        }
                    } else {
                        self.value(written);
                    }
                }
                if !jmes_path.is_empty() {
                    if value.is_null() {
                        places.extend(self.expression(jmes_path));
                    } else if let Ok(path) = engine_jmespath::parse(jmes_path) {
                        places = self.eval(path.ast(), &places);
                    }
                }
                places
            }
            Source::ConfigMap { name, namespace } => {
                self.value(&Value::String(name.clone()));
                self.value(&Value::String(namespace.clone()));
                Vec::new()
            }
            Source::ApiCall(call) | Source::ImageRegistry(call) | Source::GlobalReference(call) => {
                self.value(call);
                Vec::new()
            }
            Source::Unknown => Vec::new(),
        }
    }

    /// The images of the containers in a list, wherever the resource holds its Pod.
    fn images(&self, list: &str) -> Vec<Origin> {
        let mut found = Vec::new();
        for base in PODS {
            let path = Path::from_keys(base).join(list);
            let containers = self.resource.at_path(path.iter()).and_then(Value::as_array).unwrap_or_default();
            found.extend((0..containers.len()).map(|at| Origin::Image(path.join(at).join("image"))));
        }
        found
    }
}

const LISTS: &[&str] = &["containers", "initContainers", "ephemeralContainers"];

/// Where kinds hold the spec of their Pod.
const PODS: &[&[&str]] =
    &[&["spec"], &["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"]];

/// The place of the very node that `wanted` shares with the tree, or else of the first that is equal.
fn find(tree: &Value, wanted: &Value) -> Option<Path> {
    let same = |value: &Value| match (value, wanted) {
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
        _ => false,
    };
    search(tree, &same).or_else(|| search(tree, &|value| value == wanted))
}

fn search(tree: &Value, is_it: &dyn Fn(&Value) -> bool) -> Option<Path> {
    let mut open = vec![(Path::root(), tree)];
    let mut left = MAX_NODES;
    while let Some((path, value)) = open.pop() {
        left = left.checked_sub(1)?;
        if is_it(value) {
            return Some(path);
        }
        match value {
            Value::Object(map) => {
                open.extend(map.iter().rev().map(|(key, item)| (path.join(Segment::Key(key.clone())), item)));
            }
            Value::Array(list) => {
                open.extend(list.iter().enumerate().rev().map(|(at, item)| (path.join(at), item)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    None
}
