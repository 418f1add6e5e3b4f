//! The objects of a stream, whatever it is written in.
//!
//! In: a reader. Out: an iterator over texts of one object and over what is wrong between them. What begins with a bracket is JSON, all
//! else is YAML.

use crate::item::{Fault, Item};
use crate::json::Json;
use crate::window::Window;
use crate::yaml::Yaml;
use std::io::Read;

enum Language {
    Json(Json),
    Yaml(Yaml),
}

/// Cuts a stream into objects.
pub struct Cutter<R> {
    window: Window<R>,
    /// Nothing before the first sign that is not blank.
    language: Option<Language>,
}

impl<R: Read> Cutter<R> {
    /// A cutter of this stream, of which nothing is read yet.
    pub fn new(from: R) -> Self {
        Cutter { window: Window::new(from), language: None }
    }

    /// What the last list of JSON that was read to its end says of itself, before and behind its elements: with `[]` between
    /// them the list without its elements. Nothing where no list ended since this was asked last.
    pub fn around(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        match &mut self.language {
            Some(Language::Json(json)) => json.around.take(),
            Some(Language::Yaml(_)) | None => None,
        }
    }

    /// The language of the text, by its first sign.
    fn begin(&mut self) -> Language {
        let mut seen = 0;
        loop {
            let text = self.window.ahead(seen + 1);
            match text.get(seen) {
                Some(b' ' | b'\n' | b'\r' | b'\t' | 0xef | 0xbb | 0xbf) if seen < MAX_BLANKS => seen += 1,
                Some(b'{' | b'[') => return Language::Json(Json::new()),
                _ => return Language::Yaml(Yaml::new()),
            }
        }
    }
}

/// So many blanks are looked through for the first sign.
const MAX_BLANKS: usize = 4096;

impl<R: Read> Iterator for Cutter<R> {
    type Item = Result<Item, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut language = self.language.take().unwrap_or_else(|| self.begin());
        let next = match &mut language {
            Language::Json(json) => json.next(&mut self.window),
            Language::Yaml(yaml) => yaml.next(&mut self.window),
        };
        self.language = Some(language);
        // Said once, behind all that came before it.
        next.or_else(|| {
            let message = format!("the stream cannot be read any further: {}", self.window.error.take()?);
            Some(Err(Fault { line: self.window.line, message }))
        })
    }
}
