//! The merge itself: scalars are replaced, maps are merged field by field, lists by the rules of `list`.
//!
//! In: the nodes of resource and patch. Out: the merged node, or nothing where the patch deletes it. `null` and
//! `$patch: delete` delete, `$patch: replace` replaces a map or list whole.
//! Mirrors: sigs.k8s.io/kustomize/kyaml/yaml/merge2/{merge2,smpdirective}.go, yaml/walk/{walk,map}.go.

use super::keys::Schema;
use super::tree::{Id, Kind, Node, Tree};
use engine_json::Str;
use engine_json::arrange::Arrange as _;

/// What is merged at a place: the resource's node and the patch's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) dest: Option<Id>,
    pub(super) patch: Option<Id>,
}

/// What `$patch` says of a map or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Merge,
    Replace,
    Delete,
}

const DIRECTIVE: &str = "$patch";
/// The rank of a key that only the result has.
const LAST: u32 = u32::MAX;

/// Merges a patch into a resource.
pub(super) fn merge(tree: &mut Tree, resource: Id, patch: Id) -> Result<Option<Id>, String> {
    walk(tree, Pair { dest: Some(resource), patch: Some(patch) }, None)
}

// Go: Walker.Walk.
pub(super) fn walk(tree: &mut Tree, pair: Pair, schema: Option<Schema>) -> Result<Option<Id>, String> {
    let schema = schema.or_else(|| schema_of(tree, pair));
    let kind = [pair.dest, pair.patch].into_iter().flatten().find_map(|id| tree.kind(id));
    if let Some(kind) = kind {
        tree.expect(pair.dest, kind)?;
        tree.expect(pair.patch, kind)?;
    }
    match kind {
        // Two nothings are merged as maps are.
        None | Some(Kind::Map) => walk_map(tree, pair, schema),
        Some(Kind::Scalar) => Ok(pair.patch.or(pair.dest)),
        Some(Kind::List) => match schema {
            Some(Schema::List { keys, items }) => super::list::walk(tree, pair, keys, items.map(Schema::Map)),
            Some(Schema::Map(_)) | None => Ok(pair.patch.or(pair.dest)),
        },
    }
}

/// The schema that a map names itself: a whole object inside of an unknown one has its own.
// Go: Walker.GetSchema.
fn schema_of(tree: &Tree, pair: Pair) -> Option<Schema> {
    [pair.dest, pair.patch].into_iter().flatten().find_map(|id| {
        let text = |key| tree.field(id, key).filter(|at| !tree.is_empty(*at)).map_or("", |at| tree.text(at));
        Schema::of_kind(text("apiVersion"), text("kind"))
    })
}

// Go: Walker.walkMap.
fn walk_map(tree: &mut Tree, pair: Pair, schema: Option<Schema>) -> Result<Option<Id>, String> {
    let Some(dest) = visit_map(tree, pair)? else { return Ok(None) };
    let pair = Pair { dest: Some(dest), patch: pair.patch };
    let mut at = 0;
    for key in names(tree, pair) {
        // Names and fields go the same way: each is looked up where the last one was, which many labels need.
        let entries = tree.fields(dest);
        while entries.get(at).is_some_and(|entry| entry.key < key) {
            at += 1;
        }
        let here = entries.get(at).filter(|entry| entry.key == key).map(|entry| entry.value);
        let of_patch =
            |tree: &Tree| Some(tree.fields(pair.patch?).iter().find(|entry| entry.key == key)?.rank);
        let fields = Pair {
            dest: here.or_else(|| tree.field(dest, &key)),
            patch: pair.patch.and_then(|patch| tree.field(patch, &key)),
        };
        let merged = walk(tree, fields, schema.and_then(|schema| schema.field(&key)))?;
        let is_same = merged == fields.dest && merged.is_some_and(|id| tree.kind(id).is_some());
        if !is_same {
            let rank = of_patch(tree).unwrap_or(LAST);
            tree.set_field(dest, &key, merged, rank)?;
        }
    }
    Ok(Some(dest))
}

/// The names of the fields of both, sorted.
fn names(tree: &Tree, pair: Pair) -> Vec<Str> {
    let both = [pair.dest, pair.patch].into_iter().flatten();
    let mut names: Vec<Str> =
        both.flat_map(|id| tree.fields(id).iter().map(|entry| entry.key.clone())).collect();
    names.arrange();
    names.dedup();
    names
}

/// The map that the merged fields are put into.
// Go: Merger.VisitMap.
fn visit_map(tree: &mut Tree, pair: Pair) -> Result<Option<Id>, String> {
    if tree.is_missing_or_null(pair.dest) {
        if let Some(patch) = pair.patch {
            // Go: what is wrong with a directive does not matter here.
            let deleted = directive(tree, patch) == Ok(Directive::Delete);
            return Ok((!deleted).then_some(patch));
        }
        // A `null` that only the resource has stays.
        return match pair.dest {
            Some(_) => Ok(Some(tree.push(Node::Null { keep: true })?)),
            None => Ok(None),
        };
    }
    chosen(tree, pair)
}

/// Which of the two goes on, by the patch's directive; `null` deletes.
pub(super) fn chosen(tree: &mut Tree, pair: Pair) -> Result<Option<Id>, String> {
    let Some(patch) = pair.patch else { return Ok(pair.dest) };
    if tree.kind(patch).is_none() {
        return Ok(None);
    }
    Ok(match directive(tree, patch)? {
        Directive::Merge => pair.dest,
        Directive::Replace => Some(patch),
        Directive::Delete => None,
    })
}

/// What `$patch` says; it is taken out.
// Go: determineSmpDirective.
fn directive(tree: &mut Tree, patch: Id) -> Result<Directive, String> {
    match tree.kind(patch) {
        Some(Kind::Map) => {
            let Some(value) = tree.field(patch, DIRECTIVE) else { return Ok(Directive::Merge) };
            let directive = read_directive(tree.text(value))?;
            tree.clear(patch, DIRECTIVE);
            Ok(directive)
        }
        Some(Kind::List) => {
            // The first item with the key counts, and only if it holds nothing else.
            let item = tree.items(patch).iter().copied().find(|item| tree.field(*item, DIRECTIVE).is_some());
            let Some(item) = item.filter(|item| tree.fields(*item).len() == 1) else {
                return Ok(Directive::Merge);
            };
            let text =
                tree.field(item, DIRECTIVE).map_or_else(Str::default, |value| Str::new(tree.text(value)));
            let directive = read_directive(&text)?;
            tree.set_item(patch, None, &[DIRECTIVE], &[text])?;
            Ok(directive)
        }
        Some(Kind::Scalar) | None => Err("no implemented strategic merge patch strategy".to_owned()),
    }
}

fn read_directive(text: &str) -> Result<Directive, String> {
    match text {
        "merge" => Ok(Directive::Merge),
        "replace" => Ok(Directive::Replace),
        "delete" => Ok(Directive::Delete),
        other => Err(format!("unknown patch strategy '{other}'")),
    }
}
