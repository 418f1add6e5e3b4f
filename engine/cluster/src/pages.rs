//! The objects of a resource, page by page.
//!
//! In: an API and a resource. Out: an iterator over texts of one object, and over what is wrong; memory holds one object. Where a page is
//! gone (410) the resource is read anew from the beginning: whoever evaluates knows what came before by its uid.

use crate::api::{Api, Refusal};
use crate::cutter::Cutter;
use crate::discovery::ApiResource;
use crate::http::Body;
use crate::item::{Fault, Item};
use engine_json::parse;

/// How often a list is read anew.
const MAX_RESTARTS: usize = 3;
/// How many pages a list has at most.
const MAX_PAGES: usize = 1 << 20;

/// The objects of a resource.
pub struct Pages<'a> {
    api: &'a Api,
    path: String,
    limit: usize,
    page: Option<Cutter<Body>>,
    /// What the next page is asked by; nothing where there is none.
    next: Option<String>,
    /// Why the page cannot be read to its end.
    is_broken: bool,
    restarts: usize,
    turned: usize,
}

impl<'a> Pages<'a> {
    /// The objects of a resource, of one namespace or of all, so many a page.
    pub fn new(api: &'a Api, resource: &ApiResource, namespace: Option<&str>, limit: usize) -> Self {
        let path = resource.path(namespace);
        Pages {
            api,
            path,
            limit,
            page: None,
            next: Some(String::new()),
            is_broken: false,
            restarts: 0,
            turned: 0,
        }
    }

    /// How many objects there are, as far as the server says: of the first page all but those on it.
    ///
    /// # Errors
    /// Why the list cannot be read.
    pub fn count(api: &Api, resource: &ApiResource, namespace: Option<&str>) -> Result<u64, Refusal> {
        let list = api.get(&format!("{}?limit=1", resource.path(namespace)), JSON)?;
        let here = list.get("items").and_then(|items| items.as_array()).map_or(0, <[_]>::len) as u64;
        let more = list
            .find(&["metadata", "remainingItemCount"])
            .and_then(engine_json::Value::as_i64)
            .unwrap_or_default();
        Ok(here + u64::try_from(more).unwrap_or_default())
    }

    fn open(&mut self, token: &str) -> Result<(), Fault> {
        self.turned += 1;
        let fault = |message: String| Fault { line: 1, message };
        if self.turned > MAX_PAGES {
            return Err(fault(format!(
                "the list has more than {MAX_PAGES} pages and is not read to its end"
            )));
        }
        let from = if token.is_empty() { String::new() } else { format!("&continue={}", escaped(token)) };
        match self.api.stream(&format!("{}?limit={}{from}", self.path, self.limit), JSON) {
            Ok(body) => {
                self.page = Some(Cutter::new(body));
                Ok(())
            }
            Err(Refusal { status: 410, .. }) if self.restarts < MAX_RESTARTS => {
                self.restarts += 1;
                self.next = Some(String::new());
                Ok(())
            }
            Err(Refusal { message, .. }) => Err(fault(format!("the list cannot be read: {message}"))),
        }
    }

    /// The page is at its end: what comes next.
    fn turn(&mut self, mut page: Cutter<Body>) -> Option<Fault> {
        let around = page.around().and_then(|(before, behind)| {
            let text = [before, b"[]".to_vec(), behind].concat();
            parse(&String::from_utf8_lossy(&text)).ok()
        });
        let Some(list) = around else {
            // Why was said.
            if self.is_broken {
                return None;
            }
            return Some(Fault {
                line: 1,
                message: "the answer is not a list that was read to its end".to_owned(),
            });
        };
        let token = list.find_str(&["metadata", "continue"]);
        self.next = (!token.is_empty()).then(|| token.to_owned());
        None
    }
}

const JSON: &str = "application/json";

/// A text as a part of a query.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

impl Iterator for Pages<'_> {
    type Item = Result<Item, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(mut page) = self.page.take() else {
                let token = self.next.take()?;
                if let Err(fault) = self.open(&token) {
                    return Some(Err(fault));
                }
                continue;
            };
            let Some(item) = page.next() else {
                if let Some(fault) = self.turn(page) {
                    return Some(Err(fault));
                }
                continue;
            };
            self.is_broken |= item.is_err();
            self.page = Some(page);
            return Some(item);
        }
    }
}
