//! Kyverno Playground links: a state as the fragment of a URL, and back.
//!
//! In: whatever was pasted, a whole link or a piece of one. Out: the [`State`] in it, with notes on what was
//! fixed or lost; and from a state the link that the original writes, byte for byte.
//!
//! ```
//! use engine_lenses::share::{State, decode, link, state};
//! let mut state = State::new();
//! state.set(state::POLICY, "kind: ClusterPolicy\n");
//! let link = link("https://playground.kyverno.io/", &state);
//! assert!(link.starts_with("https://playground.kyverno.io/#/?content=N4IgDg9gNglgxgTxALhA"));
//! assert_eq!(decode(&link).unwrap().state, state);
//! ```
//!
//! Mirrors: the Kyverno Playground's `frontend/src/functions/share.ts` and its router.

pub mod host;
mod json;
mod link;
pub mod lz;
mod note;
mod secret;
pub mod state;

pub use note::{Note, NoteCode};
pub use secret::holds_secret;
pub use state::State;

#[cfg(test)]
mod tests;

use link::Payload;
use lz::{End, Unpacked};
use std::fmt;

/// How many bytes of pasted text are looked at: 4 MiB; browsers give up on links of half that length.
pub const MAX_PASTE: usize = 4 * 1024 * 1024;

/// A state that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What the link holds, or what could be saved of it.
    pub state: State,
    /// Whether the link was whole.
    pub complete: bool,
    /// What is worth saying.
    pub notes: Vec<Note>,
}

/// Why there is nothing to show, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareError {
    /// There is no text.
    Empty,
    /// The text is a link without a state.
    NoContent,
    /// The link names a policy of the public library instead of holding a state.
    LibraryLink {
        /// The folder of the policy.
        policy: String,
        /// The file of the resources, if one is named.
        resource: Option<String>,
    },
    /// The payload cannot be unpacked, or holds something else.
    NotAState,
    /// The payload was cut before the first text.
    CutTooEarly,
    /// The text, or what it unpacks to, is too long.
    TooLarge,
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareError::Empty => f.write_str("there is no link to open: paste the whole link"),
            ShareError::NoContent => f.write_str(
                "this link holds no policy: a share link has `content=` behind the `#`; copy it from the share \
                 dialog again",
            ),
            ShareError::LibraryLink { policy, resource } => {
                write!(f, "this link only names the policy `{policy}`")?;
                if let Some(resource) = resource {
                    write!(f, " and the resource file `{resource}`")?;
                }
                f.write_str(" of the public library, which is not in the link: open the policy there and paste it")
            }
            ShareError::NotAState => f.write_str(
                "this is not a link of podsieve or of the Kyverno Playground, or it was changed on the way: copy it from its source again",
            ),
            ShareError::CutTooEarly => f.write_str(
                "this link was cut so early that nothing of the policy is left: copy the whole link from its source",
            ),
            ShareError::TooLarge => f.write_str("this link holds more than any policy needs: it is not opened"),
        }
    }
}

impl std::error::Error for ShareError {}

/// Reads the state in a link, a piece of a link, or a bare payload.
pub fn decode(text: &str) -> Result<Decoded, ShareError> {
    if text.trim().is_empty() {
        return Err(ShareError::Empty);
    }
    if text.len() > MAX_PASTE {
        return Err(ShareError::TooLarge);
    }
    let payloads = link::payloads(text);
    if payloads.is_empty() {
        return Err(match link::parameter(text, "policy") {
            Some(policy) => {
                let policy = policy.trim_matches('/').to_owned();
                ShareError::LibraryLink { policy, resource: link::parameter(text, "resource") }
            }
            None => ShareError::NoContent,
        });
    }
    // The first reading that gives a whole state, or else the one that saves the most.
    let mut best: Result<Decoded, ShareError> = Err(ShareError::NotAState);
    for payload in payloads {
        let attempt = unpack(&payload);
        if attempt.as_ref().is_ok_and(|decoded| decoded.complete) {
            return attempt;
        }
        if rank(&attempt) > rank(&best) {
            best = attempt;
        }
    }
    best
}

/// How much an attempt is worth: saved characters before errors, telling errors before others.
fn rank(attempt: &Result<Decoded, ShareError>) -> (u8, usize) {
    match attempt {
        Ok(decoded) => (3, decoded.state.iter().map(|(_, text)| text.len()).sum()),
        Err(ShareError::TooLarge) => (2, 0),
        Err(ShareError::CutTooEarly) => (1, 0),
        Err(
            ShareError::Empty
            | ShareError::NoContent
            | ShareError::LibraryLink { .. }
            | ShareError::NotAState,
        ) => (0, 0),
    }
}

fn unpack(payload: &Payload) -> Result<Decoded, ShareError> {
    let Unpacked { mut units, certain, end } = lz::decompress(payload.symbols.iter().copied());
    units.truncate(certain);
    if end == End::Limit {
        return Err(ShareError::TooLarge);
    }
    let found = json::read(&units).ok_or(ShareError::NotAState)?;
    if found.has_too_many {
        return Err(ShareError::TooLarge);
    }
    // Behind the closing brace only the end mark can be missing.
    let complete = found.is_whole && matches!(end, End::Mark | End::Cut);
    if !complete && found.state.iter().all(|(_, text)| text.is_empty()) {
        return Err(if end == End::Cut { ShareError::CutTooEarly } else { ShareError::NotAState });
    }
    let notes = note::notes(&found, units.len(), end, &payload.repairs);
    Ok(Decoded { state: found.state, complete, notes })
}

/// The value of `content`: the packed state, percent-encoded as the original's router does.
// vue-router: encodeQueryValue leaves `/` and `=` as they are.
pub fn encode(state: &State) -> String {
    let units: Vec<u16> = json::write(state).encode_utf16().collect();
    lz::compress_to_base64(&units).replace('+', "%2B")
}

/// The link that opens this state on the page at `origin_and_path`, such as `https://playground.kyverno.io/`.
pub fn link(origin_and_path: &str, state: &State) -> String {
    link_with(origin_and_path, state, &[])
}

/// The same with parameters of our own behind `content`, which the original passes over.
pub fn link_with(origin_and_path: &str, state: &State, parameters: &[(&str, &str)]) -> String {
    let page = origin_and_path.split('#').next().unwrap_or(origin_and_path);
    let mut link = format!("{page}#/?content={}", encode(state));
    for (name, value) in parameters {
        link.extend(["&", &percent_encoded(name), "=", &percent_encoded(value)]);
    }
    link
}

/// The value of a parameter of our own in a link.
pub fn parameter(link: &str, name: &str) -> Option<String> {
    link::parameter(link, &percent_encoded(name))
}

/// Everything but letters, digits and `-._~` as percent signs.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(byte as char);
        } else {
            out.extend([format!("%{byte:02X}")]);
        }
    }
    out
}
