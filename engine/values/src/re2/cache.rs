//! The expressions used last: a rule asks with the same one for every resource.
//!
//! In: an expression. Out: it made ready, and what that took.

use super::{Regex, SyntaxError};
use std::cell::RefCell;
use std::rc::Rc;

/// How many expressions are kept, and how much they may weigh together.
const MAX_CACHED: usize = 64;
const MAX_CACHED_WEIGHT: usize = 4 << 20;

thread_local! {
    /// The newest stands at the end.
    static CACHE: RefCell<Vec<(String, Rc<Regex>)>> = const { RefCell::new(Vec::new()) };
}

/// An expression made ready.
#[derive(Clone, Debug)]
pub struct Cached {
    /// The expression.
    pub regex: Rc<Regex>,
    /// How many steps it took to make it ready, each about as much as one node of a search; 0 where it was known.
    pub steps: usize,
}

/// The expression made ready; it is kept for the next call.
pub fn cached(pattern: &str) -> Result<Cached, SyntaxError> {
    let known = CACHE.with_borrow_mut(|cache| {
        let at = cache.iter().rposition(|(known, _)| known == pattern)?;
        let entry = cache.remove(at);
        let regex = Rc::clone(&entry.1);
        cache.push(entry);
        Some(regex)
    });
    if let Some(regex) = known {
        return Ok(Cached { regex, steps: 0 });
    }
    let regex = Rc::new(Regex::new(pattern)?);
    CACHE.with_borrow_mut(|cache| {
        cache.push((pattern.to_owned(), Rc::clone(&regex)));
        let weight = |cache: &[(String, Rc<Regex>)]| -> usize {
            cache.iter().map(|(pattern, regex)| pattern.len() + regex.weight()).sum()
        };
        while cache.len() > MAX_CACHED || weight(cache) > MAX_CACHED_WEIGHT {
            cache.remove(0);
        }
    });
    let steps = pattern.len() + regex.weight() / 64;
    Ok(Cached { regex, steps })
}
