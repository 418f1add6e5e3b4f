//! Makes the parents that an `add` needs.
//!
//! In: a document and `/metadata/labels/a`. Out: the document with `metadata` and `labels`, empty where they were
//! missing: a list where the path goes on with a number or `-`, filled up with `null`, a map otherwise.
//! Mirrors: ensurePathExists of github.com/evanphx/json-patch/v5/patch.go.

use super::document::{Document, Node, Place, Source, decode};
use super::index;
use engine_json::Value;

/// How many `null`s one operation may put before its item.
const MAX_FILLED: usize = 10_000;

/// Makes what is missing above the end of a path.
pub(super) fn parents(document: &mut Document, path: &str) -> Result<(), String> {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    beneath(document.root(), &parts)
}

// As deep as the path, which is bounded.
fn beneath(mut place: Place<'_>, parts: &[&str]) -> Result<(), String> {
    let [part, rest @ ..] = parts else { return Ok(()) };
    let Some(next) = rest.first() else { return Ok(()) };
    let key = decode(part);
    if matches!(place.get(&key), Ok(Some(_))) {
        return match place.enter(&key) {
            Some(place) => beneath(place, rest),
            None => Err("invalid state detected".to_owned()),
        };
    }
    fill_up(&mut place, part)?;
    let mut made = make(next)?;
    // Go: the key is not decoded here, so with an escape in it the wrong one is made. What cannot be added, or is not
    // found again, is built all the same; the operation fails on it later.
    let is_added = place.add(part, Some(made.clone())).is_ok();
    match if is_added { place.enter(part) } else { None } {
        Some(place) => beneath(place, rest),
        None => beneath(Place::apart(&mut made), rest),
    }
}

/// Fills a list up to the place of a part that lies behind its end.
fn fill_up(place: &mut Place<'_>, part: &str) -> Result<(), String> {
    let Node::List(items) = &mut *place.node else { return Ok(()) };
    let Some(at) = index::parse(part).ok().and_then(|at| usize::try_from(at).ok()) else { return Ok(()) };
    fill(items.len(), at)?;
    while items.len() < at {
        items.push(Some(null()));
    }
    Ok(())
}

/// What a part leads to, by the part behind it.
fn make(next: &str) -> Result<Node, String> {
    let at = match index::parse(next) {
        Ok(at) if at < -1 => {
            return Err(format!(
                "Unable to ensure path for negative index other than -1: {at}: invalid index referenced"
            ));
        }
        Ok(at) => usize::try_from(at).unwrap_or(0),
        Err(_) if next == "-" => 0,
        Err(_) => return Ok(Node::empty(false)),
    };
    fill(0, at)?;
    Ok(Node::List(vec![Some(null()); at]))
}

fn fill(from: usize, to: usize) -> Result<(), String> {
    if to.saturating_sub(from) > MAX_FILLED {
        return Err(format!("a path of the patch leaves more than {MAX_FILLED} places of a list empty"));
    }
    Ok(())
}

fn null() -> Node {
    Node::Raw { value: Value::Null, source: Source::Patch }
}
