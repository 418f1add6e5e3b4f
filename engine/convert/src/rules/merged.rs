//! Strategic merge patches as JSON patches, where a configuration that is applied merges otherwise.
//!
//! In: `patchStrategicMerge`. Out: mutations, each of which sees the object as the one before left it, and the conditions on which they are made.
//!
//! Kyverno tests `(k)` and `<(k)` before it patches, takes empty maps out of the patch, puts elements of lists that are merged by a key before
//! the others, and replaces all other lists (pkg/engine/mutate/patch/strategicPreprocessing.go, kyaml's walk/associative_sequence.go).

use crate::expressions::access::Access;
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::expressions::scope::Scope;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::json_patches::{Group, Text, written_groups};
use crate::rules::mutate::literal;
use crate::rules::pattern::pattern;
use engine::pattern::anchor::{Anchor, parse};
use engine_compare::schema::Shape;
use engine_compare::{PlainValue, Taken};
use engine_json::{Map, Path, Value};

/// What a patch becomes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    /// The conditions on which it is made.
    pub(crate) conditions: Vec<Formula>,
    /// Lists of JSON patches, one after another.
    pub(crate) mutations: Vec<String>,
}

/// How deep a patch may be.
const MAX_DEPTH: usize = 32;
/// Names of places, by the depth of the loop.
const INDICES: [&str; 2] = ["i", "j"];

/// A patch of a whole object.
pub(crate) fn merged(object: &Access, patch: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Merged> {
    let Some(Value::Object(map)) = without_empty(patch, 0) else {
        return refuse(Class::Rule, path, "a patch in which nothing is set");
    };
    let mut writer = Writer { scope, conditions: Vec::new(), steps: Vec::new(), made: Vec::new() };
    let place = Place {
        access: object.clone(),
        text: Text::default(),
        missing: Vec::new(),
        loops: Vec::new(),
        depth: 0,
    };
    writer.map(&place, &map, path)?;
    if writer.steps.is_empty() {
        return refuse(Class::Rule, path, "a patch that sets nothing");
    }
    let mutations = writer.steps.iter().map(Step::text).collect();
    Ok(Merged { conditions: writer.conditions, mutations })
}

/// A value without its empty maps, which Kyverno takes out of patches.
// Kyverno: deleteConditionElements; what stands below a condition is tested, and stays.
fn without_empty(value: &Value, depth: usize) -> Option<Value> {
    match value {
        Value::Object(map) if depth < MAX_DEPTH => {
            let entries = map.iter().filter_map(|(key, value)| {
                let is_tested = matches!(parse(key), Some((Anchor::Condition | Anchor::Global, _)));
                let kept = if is_tested { Some(value.clone()) } else { without_empty(value, depth + 1) };
                Some((key.clone(), kept?))
            });
            let entries: Vec<_> = entries.collect();
            (!entries.is_empty()).then(|| Value::object(Map::from_entries(entries)))
        }
        Value::Array(list) if depth < MAX_DEPTH && !list.is_empty() => {
            let kept: Vec<Value> = list.iter().filter_map(|one| without_empty(one, depth + 1)).collect();
            (!kept.is_empty()).then(|| Value::array(kept))
        }
        other => Some(other.clone()),
    }
}

/// A loop around patches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Each {
    list: String,
    index: &'static str,
    name: String,
    filter: Formula,
}

/// Patches that are made of the object as it stands before all of them.
struct Step {
    loops: Vec<Each>,
    groups: Vec<Group>,
    /// Whether what comes behind must see what it leaves.
    is_closed: bool,
}

impl Step {
    fn text(&self) -> String {
        let patches = written_groups(&self.groups);
        self.loops.iter().rev().fold(patches, |inner, each| {
            let filter = match &each.filter {
                Formula::True => String::new(),
                test => format!("\n  {},", test.text().replace('\n', "\n  ")),
            };
            let inner = inner.replace('\n', "\n  ");
            let list = operand(&each.list);
            format!("{list}.transformList({}, {},{filter}\n  {inner}).flatten()", each.index, each.name)
        })
    }
}

/// A place of the object.
#[derive(Clone, Debug)]
struct Place {
    access: Access,
    /// The path as text of CEL.
    text: Text,
    /// What stands above it and need not be there: the path, and what must be there. What is made there is a map.
    missing: Vec<(String, Access)>,
    loops: Vec<Each>,
    depth: usize,
}

impl Place {
    fn field(&self, key: &str, scope: &Scope<'_>) -> Place {
        let access = self.access.field(key, scope.schema);
        let mut text = self.text.clone();
        text.push(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
        Place { access, text, depth: self.depth + 1, ..self.clone() }
    }

    /// The same as what others stand below.
    fn holder(&self) -> Place {
        let mut holder = self.clone();
        if self.access.is_optional() {
            holder.missing.push((self.text.finished(), self.access.clone()));
        }
        holder
    }
}

struct Writer<'w, 's> {
    scope: &'w Scope<'s>,
    conditions: Vec<Formula>,
    steps: Vec<Step>,
    /// Places that are there after a patch.
    made: Vec<String>,
}

impl Writer<'_, '_> {
    fn groups(&mut self, loops: &[Each]) -> Option<&mut Vec<Group>> {
        let fits = self.steps.last().is_some_and(|step| step.loops == loops && !step.is_closed);
        if !fits {
            self.steps.push(Step { loops: loops.to_vec(), groups: Vec::new(), is_closed: false });
        }
        self.steps.last_mut().map(|step| &mut step.groups)
    }

    fn push(&mut self, place: &Place, group: Group) {
        let Some(groups) = self.groups(&place.loops) else { return };
        match (groups.last_mut(), group) {
            (Some(Group::Always(patches)), Group::Always(more)) => patches.extend(more),
            (_, group) => groups.push(group),
        }
    }

    /// What stands above a place is made where it is missing.
    fn make_missing(&mut self, place: &Place) {
        for (text, access) in &place.missing {
            if self.made.contains(text) {
                continue;
            }
            self.made.push(text.clone());
            let patch = format!("JSONPatch{{op: 'add', path: {text}, value: {{}}}}");
            self.push(place, Group::If(access.is_there().text(), Vec::new(), vec![patch]));
        }
    }

    fn set(&mut self, place: &Place, value: &str) {
        self.make_missing(place);
        let patch = format!("JSONPatch{{op: 'add', path: {}, value: {value}}}", place.text.finished());
        self.push(place, Group::Always(vec![patch]));
    }

    fn map(&mut self, place: &Place, map: &Map, path: &Path) -> Converted<()> {
        if place.depth > MAX_DEPTH {
            return refuse(Class::Rule, path, "a patch of such depth");
        }
        let holder = place.holder();
        for (written, value) in map.iter() {
            let here = path.join(written.clone());
            let (anchor, key) =
                parse(written).map_or((None, written.as_str()), |(anchor, key)| (Some(anchor), key));
            if key.contains("{{") {
                return refuse(Class::Rule, &here, "a variable in a key of a patch");
            }
            let field = holder.field(key, self.scope);
            match (anchor, value) {
                (Some(Anchor::Condition | Anchor::Global), _) if place.loops.is_empty() => {
                    let test = self.tested(&field.access, value, &here)?;
                    self.conditions.push(test);
                }
                (Some(Anchor::AddIfNotPresent), _) if place.loops.is_empty() => {
                    // A list that is there is merged with nothing, and loses what its keys do not tell apart.
                    if let Some(taken) =
                        merge_keys(&holder.access, key).and_then(|keys| keyed(&field.access, keys))
                    {
                        self.scope.schema.assume_plain(Some(&here), taken);
                    }
                    self.make_missing(&field);
                    let value = literal(&without_anchors(value, &here, 0)?, &here, self.scope)?;
                    let patch =
                        format!("JSONPatch{{op: 'add', path: {}, value: {value}}}", field.text.finished());
                    let there = field.access.is_there();
                    self.push(&field, Group::If(there.text(), Vec::new(), vec![patch]));
                }
                (Some(Anchor::AddIfNotPresent), _) => {
                    return refuse(
                        Class::Rule,
                        &here,
                        format!(
                            "`{written}` in elements of a list, of which the source adds to all what one has not"
                        ),
                    );
                }
                (Some(_), _) => return refuse(Class::Rule, &here, format!("`{written}` in a patch")),
                (None, Value::Object(map)) => self.map(&field, map, &here)?,
                (None, Value::Array(list)) => self.list(&holder, key, list, &here)?,
                (None, scalar) => {
                    let value = literal(scalar, &here, self.scope)?;
                    self.set(&field, &value);
                }
            }
        }
        Ok(())
    }

    /// A condition on a field: it is there, and satisfies the pattern.
    fn tested(&self, access: &Access, value: &Value, path: &Path) -> Converted<Formula> {
        let there = access.is_there();
        match value {
            Value::Object(map) if map.is_empty() => Ok(there),
            Value::String(text) if &**text == "*" => Ok(there),
            Value::String(_) if matches!(access.shape, Some(Shape::Text) | None) => {
                Ok(Formula::and([there, pattern(access, value, path, self.scope)?.passes]))
            }
            _ => refuse(Class::Rule, path, "a condition in a patch that is not a string"),
        }
    }

    fn list(&mut self, holder: &Place, key: &str, list: &[Value], path: &Path) -> Converted<()> {
        let place = holder.field(key, self.scope);
        let has_anchors = list.iter().any(|one| has_anchors(one, 0));
        let merge_key = match merge_keys(&holder.access, key) {
            Some([]) | None if !has_anchors => {
                let value = literal(&Value::array(list.to_vec()), path, self.scope)?;
                self.set(&place, &value);
                return Ok(());
            }
            Some([one]) => *one,
            _ => {
                return refuse(
                    Class::Rule,
                    path,
                    "a list that is merged by keys which its elements need not have, or may have twice",
                );
            }
        };
        if let Some(taken) = keyed(&place.access, &[merge_key]) {
            self.scope.schema.assume_plain(Some(path), taken);
        }
        if let ([Value::Object(item)], true) = (list, has_anchors) {
            let here = path.join(0);
            return if has_global(item) {
                self.global(&place, item, &here)
            } else {
                self.each(&place, key, item, &here)
            };
        }
        if has_anchors {
            return refuse(Class::Rule, path, "elements with anchors beside others");
        }
        for (at, item) in list.iter().enumerate().rev() {
            self.element(&place, merge_key, item, &path.join(at))?;
        }
        Ok(())
    }

    /// A list of which an element must satisfy `<(k)`, if it has any.
    fn global(&mut self, place: &Place, item: &Map, path: &Path) -> Converted<()> {
        if !place.loops.is_empty() {
            return refuse(Class::Rule, path, "`<()` in a list within a list");
        }
        let access = &place.access;
        let name = access.element_name();
        let test = self.only_global(&access.element(&name), item, path)?;
        let is_empty = Formula::equal(&format!("size({})", access.plain()), "0");
        let one = Formula::each(access.plain().to_owned(), Quantifier::Exists, name, test);
        let is_container = access.plain().ends_with("ontainers") && !access.is_optional();
        let any = if is_container { one } else { Formula::or([is_empty, one]) };
        self.conditions.push(Formula::and([access.is_there(), any]));
        Ok(())
    }

    /// The condition of an element that holds nothing but one `<(k)`.
    fn only_global(&self, access: &Access, item: &Map, path: &Path) -> Converted<Formula> {
        let mut entries = item.iter();
        let (Some((written, value)), None) = (entries.next(), entries.next()) else {
            return refuse(Class::Rule, path, "`<()` beside other fields of an element");
        };
        let here = path.join(written.clone());
        match (parse(written), value) {
            (Some((Anchor::Global, key)), _) => {
                self.tested(&access.field(key, self.scope.schema), value, &here)
            }
            (None, Value::Object(map)) => {
                self.only_global(&access.field(written, self.scope.schema), map, &here)
            }
            _ => refuse(Class::Rule, &here, "`<()` beside other anchors of an element"),
        }
    }

    /// Elements that satisfy the conditions `(k)` of the one that is written.
    fn each(&mut self, place: &Place, key: &str, item: &Map, path: &Path) -> Converted<()> {
        let Some(index) = INDICES.get(place.loops.len()) else {
            return refuse(Class::Rule, path, "lists within lists within lists");
        };
        let name = place.access.element_name();
        let element = place.access.element(&name);
        let (mut tests, mut rest) = (Vec::new(), Vec::new());
        for (written, value) in item.iter() {
            let here = path.join(written.clone());
            match parse(written) {
                Some((Anchor::Condition, key)) => {
                    let is_any = key == "name" && matches!(value.as_str(), Some("*" | "?*"));
                    let field = element.field(key, self.scope.schema);
                    let test = if is_any { Formula::True } else { self.tested(&field, value, &here)? };
                    tests.push(test);
                }
                Some(_) => return refuse(Class::Rule, &here, format!("`{written}` in elements of a list")),
                None => rest.push((written.clone(), value.clone())),
            }
        }
        let filter = Formula::and(tests);
        if filter != Formula::True {
            if key == "initContainers" {
                return refuse(Class::Rule, path, "some of the init containers, which run in their order");
            }
            self.scope.schema.note_kept_order();
            self.scope.note(
                "the source puts elements that a patch changes before those that it leaves as they are, the new policy keeps their order",
            );
        }
        let mut text = place.text.clone();
        text.push("/");
        text.index(index);
        let mut loops = place.loops.clone();
        loops.push(Each { list: place.access.or("[]"), index, name, filter });
        let inner = Place { access: element, text, missing: Vec::new(), loops, depth: place.depth + 1 };
        self.map(&inner, &Map::from_entries(rest), path)
    }

    /// An element that is merged into the one of the same key, or put before all others.
    fn element(&mut self, place: &Place, key: &str, item: &Value, path: &Path) -> Converted<()> {
        let named = item.as_object().and_then(|map| Some((map, map.get(key)?.as_str()?)));
        let Some((map, name)) = named.filter(|(_, name)| !name.contains("{{")) else {
            return refuse(
                Class::Rule,
                path,
                format!("an element without `{key}`, or with a variable there"),
            );
        };
        self.make_missing(place);
        let (list, item) = (place.access.or("[]"), place.access.element_name());
        let text = place.text.finished();
        let made = format!("JSONPatch{{op: 'add', path: {text}, value: []}}");
        if place.access.is_optional() && !self.made.contains(&text) {
            self.made.push(text.clone());
            self.push(place, Group::If(place.access.is_there().text(), Vec::new(), vec![made]));
        }
        let field = format!("{item}.{key}");
        let list = operand(&list);
        let names = format!("{list}.map({item}, {field})");
        let mut first = place.text.clone();
        first.push("/0");
        let mut from = place.text.clone();
        from.push("/");
        from.index(&format!("{names}.indexOf({})", quoted(name)));
        let exists = format!("{list}.exists({item}, {field} == {})", quoted(name));
        let to = first.finished();
        let moved = format!("JSONPatch{{op: 'move', from: {}, path: {to}}}", from.finished());
        let value = format!("{{{}: {}}}", quoted(key), quoted(name));
        let added = format!("JSONPatch{{op: 'add', path: {to}, value: {value}}}");
        self.push(place, Group::If(exists, vec![moved], vec![added]));
        if let Some(step) = self.steps.last_mut() {
            step.is_closed = true;
        }
        let rest: Vec<_> = map.iter().filter(|(name, _)| name.as_str() != key).collect();
        let rest = rest.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let access = place.access.known().index(0).known();
        let inner = Place { access, text: first, missing: Vec::new(), ..place.clone() };
        self.map(&inner, &Map::from_entries(rest), path)
    }
}

/// The keys by which the elements of a list are merged; nothing where the kind is not known.
// kyaml's OpenAPI: x-kubernetes-patch-merge-key.
fn merge_keys(holder: &Access, key: &str) -> Option<&'static [&'static str]> {
    let Some(Shape::Object(name)) = &holder.shape else { return None };
    Some(match (name.rsplit('.').next().unwrap_or(name), key) {
        (
            "PodSpec",
            "containers" | "initContainers" | "ephemeralContainers" | "volumes" | "imagePullSecrets",
        )
        | ("ServiceAccount", "secrets")
        | ("Container" | "EphemeralContainer", "env") => &["name"],
        ("Container" | "EphemeralContainer", "volumeMounts") => &["mountPath"],
        ("Container" | "EphemeralContainer", "volumeDevices") => &["devicePath"],
        ("PodSpec", "hostAliases") => &["ip"],
        ("Container", "ports") => &["containerPort", "protocol"],
        ("ServiceSpec", "ports") => &["port", "protocol"],
        ("PodSpec", "topologySpreadConstraints") => &["topologyKey", "whenUnsatisfiable"],
        ("ObjectMeta", "finalizers" | "ownerReferences") => &["uid", "name"],
        _ => &[],
    })
}

/// Lists whose elements need not have the key by which they are merged, or may share it.
const LOOSELY_KEYED: [&str; 6] =
    ["imagePullSecrets", "secrets", "env", "volumeMounts", "volumeDevices", "topologySpreadConstraints"];

/// The lists of this name, taken to have elements that are told apart by their key: those of other containers are merged as well.
fn keyed(place: &Access, keys: &[&str]) -> Option<PlainValue> {
    let last = place.path()?.last().filter(|last| LOOSELY_KEYED.contains(&last.as_str()))?;
    let taken = Taken::Keyed(keys.iter().map(|key| (*key).to_owned()).collect());
    Some(PlainValue { keys: vec![last.clone()], taken })
}

fn has_global(item: &Map) -> bool {
    item.iter().any(|(key, value)| {
        matches!(parse(key), Some((Anchor::Global, _))) || value.as_object().is_some_and(has_global)
    })
}

fn has_anchors(value: &Value, depth: usize) -> bool {
    match value {
        Value::Object(map) if depth < MAX_DEPTH => {
            map.iter().any(|(key, value)| parse(key).is_some() || has_anchors(value, depth + 1))
        }
        Value::Array(list) if depth < MAX_DEPTH => list.iter().any(|one| has_anchors(one, depth + 1)),
        _ => false,
    }
}

/// A value that is added whole: what stands behind `+()` in it is added with it.
fn without_anchors(value: &Value, path: &Path, depth: usize) -> Converted<Value> {
    match value {
        Value::Object(map) if depth < MAX_DEPTH => {
            let entries = map.iter().map(|(written, value)| {
                let here = path.join(written.clone());
                let key = match parse(written) {
                    None => written.clone(),
                    Some((Anchor::AddIfNotPresent, key)) => key.into(),
                    Some(_) => return refuse(Class::Rule, &here, format!("`{written}` in what is added")),
                };
                Ok((key, without_anchors(value, &here, depth + 1)?))
            });
            Ok(Value::object(Map::from_entries(entries.collect::<Converted<_>>()?)))
        }
        // Kyverno: strategicPreprocessing.go processListOfMaps makes such elements of those that are there, and there are none.
        Value::Array(list) if list.iter().any(|one| has_anchors(one, 0)) => refuse(
            Class::Rule,
            path,
            "a list behind `+()` with anchors in its elements, of which the source adds nothing; without these anchors it adds them",
        ),
        Value::Array(list) if depth < MAX_DEPTH => {
            let items =
                list.iter().enumerate().map(|(at, one)| without_anchors(one, &path.join(at), depth + 1));
            Ok(Value::array(items.collect::<Converted<_>>()?))
        }
        other => Ok(other.clone()),
    }
}
