//! The walk of a pattern over a resource.
//!
//! In: a compiled pattern and a value. Out: the verdict, with Kyverno's path and words.
//! Mirrors: pkg/engine/validate/validate.go, pkg/engine/anchor/handlers.go.

use super::anchor::Anchor;
use super::mismatch::{Kind, Mismatch, Verdict};
use super::{Entry, MAX_OBSERVATIONS, MAX_WORK, MapNode, Node, Observation, What, metadata};
use engine_jmespath::go_format::go_format;
use engine_json::{Map, Path, Segment, Str, Value};

/// Holds a resource against a pattern.
pub(super) fn check(root: &Node, resource: &Value, left: &mut u64) -> Verdict {
    let mut walk = Walk { present: Vec::new(), described: None, left: *left };
    let verdict = verdict(&mut walk, root, resource);
    *left = walk.left;
    verdict
}

/// The same, and what was held against what on the way.
pub(super) fn describe(root: &Node, resource: &Value) -> (Verdict, Vec<Observation>) {
    let mut walk = Walk { present: Vec::new(), described: Some(Vec::new()), left: MAX_WORK };
    let verdict = verdict(&mut walk, root, resource);
    (verdict, walk.described.unwrap_or_default())
}

fn verdict(walk: &mut Walk, root: &Node, resource: &Value) -> Verdict {
    let Err(mismatch) = walk.element(root, resource, &Trail::ROOT) else { return Verdict::Pass };
    let mismatch = *mismatch;
    if walk.left == 0 {
        Verdict::Error(Mismatch {
            text: format!(
                "the patterns of the rule take more than {MAX_WORK} steps for one resource: split them"
            ),
            ..mismatch
        })
    } else if mismatch.is_skip() {
        Verdict::Skip(mismatch)
    } else if mismatch.is_negation() {
        if mismatch.path.is_empty() { Verdict::Error(mismatch) } else { Verdict::Fail(mismatch) }
    } else if walk.key_is_missing() || mismatch.path.is_empty() {
        Verdict::Error(mismatch)
    } else {
        Verdict::Fail(mismatch)
    }
}

/// What it takes to word a mismatch, which an anchor around may let pass.
const MISMATCH: usize = 20;

/// A place in resource and pattern, as a chain of steps on the stack: it costs nothing until something fails.
struct Trail<'a> {
    parent: Option<&'a Trail<'a>>,
    resource: Option<Step<'a>>,
    pattern: Option<Step<'a>>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a Str),
    Index(usize),
}

impl<'a> Trail<'a> {
    const ROOT: Trail<'static> = Trail { parent: None, resource: None, pattern: None };

    fn key(&'a self, entry: &'a Entry) -> Trail<'a> {
        Trail {
            parent: Some(self),
            resource: Some(Step::Key(&entry.key)),
            pattern: Some(Step::Key(&entry.written)),
        }
    }

    fn item(&'a self, resource: usize, pattern: usize) -> Trail<'a> {
        let (resource, pattern) = (Some(Step::Index(resource)), Some(Step::Index(pattern)));
        Trail { parent: Some(self), resource, pattern }
    }

    fn steps(&self, of: impl Fn(&Trail<'a>) -> Option<Step<'a>>) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(here) = place {
            steps.extend(of(here));
            place = here.parent;
        }
        steps.reverse();
        steps
    }

    /// Kyverno's form: `/spec/containers/0/`.
    fn text(&self) -> String {
        let mut text = String::from("/");
        for step in self.steps(|place| place.resource) {
            match step {
                Step::Key(key) => text.push_str(key),
                Step::Index(at) => text.push_str(&at.to_string()),
            }
            text.push('/');
        }
        text
    }

    fn path(&self, of: impl Fn(&Trail<'a>) -> Option<Step<'a>>) -> Path {
        let segment = |step| match step {
            Step::Key(key) => Segment::Key(Str::clone(key)),
            Step::Index(at) => Segment::from(at),
        };
        self.steps(of).into_iter().map(segment).collect()
    }

    #[expect(
        clippy::unnecessary_box_returns,
        reason = "an error as small as a pointer keeps the results of the walk small"
    )]
    fn mismatch(&self, kind: Kind, text: String) -> Box<Mismatch> {
        Box::new(Mismatch {
            kind,
            text,
            path: self.text(),
            resource_path: self.path(|place| place.resource),
            pattern_path: self.path(|place| place.pattern),
        })
    }
}

type Walked = Result<(), Box<Mismatch>>;

struct Walk {
    /// Anchored keys as written, and whether some map of the resource had the key.
    present: Vec<(Str, bool)>,
    /// Fields and anchors, where somebody wants to know.
    described: Option<Vec<Observation>>,
    /// What is left of [`MAX_WORK`].
    left: u64,
}

impl Walk {
    /// Counts work; an error once there was too much, which the walk then ends with.
    fn spend(&mut self, work: usize, place: &Trail<'_>) -> Walked {
        self.left = self.left.saturating_sub(work as u64);
        if self.left == 0 { Err(place.mismatch(Kind::Plain, String::new())) } else { Ok(()) }
    }

    fn describe(&mut self, place: &Trail<'_>, what: What) {
        if let Some(described) =
            self.described.as_mut().filter(|described| described.len() < MAX_OBSERVATIONS)
        {
            let (resource, pattern) = (place.path(|place| place.resource), place.path(|place| place.pattern));
            described.push(Observation { resource, pattern, what });
        }
    }

    // Kyverno: validateResourceElement.
    fn element(&mut self, node: &Node, value: &Value, place: &Trail<'_>) -> Walked {
        match node {
            Node::Map(map) => {
                let Value::Object(found) = value else {
                    let (path, found) = (place.text(), value.go_type());
                    return Err(place.mismatch(
                        Kind::Plain,
                        format!(
                            "pattern and resource have different structures. Path: {path}. Expected map[string]interface {{}}, found {found}"
                        ),
                    ));
                };
                let remembering = map.remembered.len().saturating_mul(1 + self.present.len());
                self.spend(1 + map.anchors.len() + map.rest.len() + remembering, place)?;
                self.remember(map, found);
                self.map(map, found, place)
            }
            Node::List(items) => {
                let Value::Array(found) = value else {
                    let path = place.text();
                    return Err(place.mismatch(
                        Kind::Plain,
                        format!("validation rule failed at path {path}, resource does not satisfy the expected overlay pattern"),
                    ));
                };
                self.list(items, value, found, place)
            }
            Node::Leaf { leaf, written } => {
                self.spend(leaf.work(value), place)?;
                let satisfied = match value {
                    Value::Array(items) => items.iter().all(|item| leaf.accepts(item)),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                        leaf.accepts(value)
                    }
                };
                self.describe(place, What::Field { fits: satisfied });
                if satisfied {
                    return Ok(());
                }
                self.spend(MISMATCH, place)?;
                let (value, written, path) = (go_format(value), go_format(written), place.text());
                Err(place.mismatch(
                    Kind::Plain,
                    format!("resource value '{value}' does not match '{written}' at path {path}"),
                ))
            }
        }
    }

    /// Notes which anchored keys this map of the resource has.
    // Kyverno: AnchorMap.CheckAnchorInResource.
    fn remember(&mut self, map: &MapNode, found: &Map) {
        for (written, key) in &map.remembered {
            match self.present.iter_mut().find(|(known, _)| known == written) {
                Some((_, true)) => {}
                Some((_, present)) => *present = found.contains_key(key),
                None => self.present.push((written.clone(), found.contains_key(key))),
            }
        }
    }

    // Kyverno: AnchorMap.KeysAreMissing; a forbidden key is meant to be missing.
    fn key_is_missing(&self) -> bool {
        self.present.iter().any(|(written, present)| !present && !written.trim().starts_with('X'))
    }

    // Kyverno: validateMap.
    fn map(&mut self, map: &MapNode, found: &Map, place: &Trail<'_>) -> Walked {
        let expanded;
        let map = match &map.expand {
            Some(written) => {
                self.spend(metadata::pairs(written, found), place)?;
                expanded = MapNode::without_expansion(&metadata::expand(written, found));
                &expanded
            }
            None => map,
        };
        let mut skips: Vec<Mismatch> = Vec::new();
        let mut applied = false;
        for entry in &map.anchors {
            match self.entry(entry, found, place) {
                Ok(()) => applied = true,
                Err(mismatch) if mismatch.is_skip() => skips.push(*mismatch),
                Err(mismatch) if is_sibling(&skips) => drop(mismatch),
                Err(mismatch) => return Err(mismatch),
            }
        }
        if !skips.is_empty() && (!applied || is_sibling(&skips)) {
            return Err(combine(skips, place));
        }
        map.rest.iter().try_for_each(|entry| self.entry(entry, found, place))
    }

    fn entry(&mut self, entry: &Entry, found: &Map, place: &Trail<'_>) -> Walked {
        let here = place.key(entry);
        let value = found.get(&entry.key);
        let walked = self.anchored(entry, value, place, &here);
        if let Some(anchor) = entry.anchor.filter(|_| self.described.is_some()) {
            let (is_there, holds) = (value.is_some(), walked.is_ok());
            self.describe(&here, What::Anchor { anchor, is_there, holds });
        }
        walked
    }

    fn anchored(
        &mut self,
        entry: &Entry,
        value: Option<&Value>,
        place: &Trail<'_>,
        here: &Trail<'_>,
    ) -> Walked {
        match entry.anchor {
            None | Some(Anchor::AddIfNotPresent) => {
                let value = value.unwrap_or(&Value::Null);
                if !entry.is_any {
                    return self.element(&entry.node, value, here);
                }
                self.describe(here, What::Field { fits: !value.is_null() });
                if !value.is_null() {
                    return Ok(());
                }
                let text = format!("{}/{} not found", place.text(), entry.written);
                Err(Box::new(Mismatch { path: place.text(), ..*here.mismatch(Kind::Plain, text) }))
            }
            Some(Anchor::Condition) => match value {
                None => {
                    let text = "conditional anchor key doesn't exist in the resource".to_owned();
                    Err(Box::new(here.mismatch(Kind::Plain, text).anchored(Kind::Conditional)))
                }
                Some(value) => {
                    let walked = self.element(&entry.node, value, here);
                    walked.map_err(|mismatch| Box::new(mismatch.anchored(Kind::Conditional)))
                }
            },
            Some(Anchor::Global) => value.map_or(Ok(()), |value| {
                let walked = self.element(&entry.node, value, here);
                walked.map_err(|mismatch| Box::new(mismatch.anchored(Kind::Global)))
            }),
            Some(Anchor::Equality) => value.map_or(Ok(()), |value| self.element(&entry.node, value, here)),
            Some(Anchor::Existence) => value.map_or(Ok(()), |value| self.existence(&entry.node, value, here)),
            Some(Anchor::Negation) if value.is_some() => {
                let text = format!("{} is not allowed", here.text());
                Err(Box::new(here.mismatch(Kind::Plain, text).anchored(Kind::Negation)))
            }
            Some(Anchor::Negation) => Ok(()),
        }
    }

    // Kyverno: existenceHandler.Handle, validateExistenceListResource.
    fn existence(&mut self, node: &Node, value: &Value, place: &Trail<'_>) -> Walked {
        let Value::Array(items) = value else {
            let found = value.go_type();
            return Err(place.mismatch(
                Kind::Plain,
                format!("invalid resource type {found}: Existence ^ () anchor can be used only on list/array type resource"),
            ));
        };
        let Node::List(patterns) = node else {
            let found = match node {
                Node::Map(_) => "map[string]interface {}",
                Node::Leaf { written, .. } => written.go_type(),
                Node::List(_) => "[]interface {}",
            };
            return Err(place.mismatch(
                Kind::Plain,
                format!(
                    "invalid pattern type {found}: Pattern has to be of list to compare against resource"
                ),
            ));
        };
        for (number, pattern) in patterns.iter().enumerate() {
            if !matches!(pattern, Node::Map(_)) {
                return Err(place.mismatch(
                    Kind::Plain,
                    "invalid pattern type []interface {}: Pattern has to be of type map to compare against items in resource"
                        .to_owned(),
                ));
            }
            let mut items = items.iter().enumerate();
            if !items.any(|(at, item)| self.element(pattern, item, &place.item(at, number)).is_ok()) {
                let text = format!("existence anchor validation failed at path {}", place.text());
                return Err(place.mismatch(Kind::Plain, text));
            }
        }
        Ok(())
    }

    // Kyverno: validateArray; only the first item of a pattern's list counts unless it is a list itself.
    fn list(&mut self, patterns: &[Node], value: &Value, found: &[Value], place: &Trail<'_>) -> Walked {
        let Some(first) = patterns.first() else {
            return Err(place.mismatch(Kind::Plain, "pattern Array empty".to_owned()));
        };
        match first {
            Node::Leaf { .. } => self.element(first, value, place),
            Node::Map(_) => {
                self.items(std::iter::repeat(first).zip(found).map(|(node, item)| (0, node, item)), place)
            }
            Node::List(_) => {
                if found.len() < patterns.len() {
                    let (found, wanted) = (found.len(), patterns.len());
                    let text = format!(
                        "validate Array failed, array length mismatch, resource Array len is {found} and pattern Array len is {wanted}"
                    );
                    return Err(Box::new(Mismatch {
                        path: String::new(),
                        ..*place.mismatch(Kind::Plain, text)
                    }));
                }
                self.items(
                    patterns.iter().zip(found).enumerate().map(|(at, (node, item))| (at, node, item)),
                    place,
                )
            }
        }
    }

    fn items<'n>(
        &mut self,
        items: impl Iterator<Item = (usize, &'n Node, &'n Value)>,
        place: &Trail<'_>,
    ) -> Walked {
        let mut skips = Vec::new();
        let mut applied = false;
        for (at, (pattern_at, node, item)) in items.enumerate() {
            match self.element(node, item, &place.item(at, pattern_at)) {
                Ok(()) => applied = true,
                Err(mismatch) if mismatch.is_skip() => skips.push(*mismatch),
                Err(mismatch) => return Err(mismatch),
            }
        }
        if applied || skips.is_empty() { Ok(()) } else { Err(combine(skips, place)) }
    }
}

/// Whether a condition on a direct sibling did not hold, rather than something deeper.
// Kyverno: a skip that is not a PatternError.
fn is_sibling(skips: &[Mismatch]) -> bool {
    skips.iter().any(|skip| skip.kind != Kind::Combined)
}

#[expect(
    clippy::unnecessary_box_returns,
    reason = "an error as small as a pointer keeps the results of the walk small"
)]
fn combine(skips: Vec<Mismatch>, place: &Trail<'_>) -> Box<Mismatch> {
    let text = skips.iter().map(|skip| skip.text.as_str()).collect::<Vec<_>>().join("; ");
    let mut combined = place.mismatch(Kind::Combined, text);
    if let Some(first) = skips.into_iter().next() {
        combined.resource_path = first.resource_path;
        combined.pattern_path = first.pattern_path;
    }
    combined
}
