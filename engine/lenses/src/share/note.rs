//! What is worth saying about a link that was read.
//!
//! In: what reading found and what had to be fixed. Out: notes in plain words, each with a stable code; those
//! that mean damage come first. A cut link gives `link-cut` and says which texts were saved, and how far.

use super::json::Found;
use super::link::Repair;
use super::lz::End;
use super::{host, state};

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub code: NoteCode,
    /// The remark in plain words.
    pub message: String,
}

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteCode {
    /// The end of the link is missing.
    LinkCut,
    /// Only the mark at the very end is missing.
    EndMissing,
    /// The link was changed within.
    LinkDamaged,
    /// Halves of characters were replaced by U+FFFD.
    LoneSurrogates,
    /// A field holds no text and was left out.
    NotText,
    /// A field that the Kyverno Playground does not know was kept.
    UnknownField,
    /// The context is of the first generation, whose fields are not read any more.
    FlatContext,
    /// Double percent-encoding was taken off.
    EncodedTwice,
    /// A bare `+` was read as itself.
    PlusNotEncoded,
    /// Spaces were read as `+`.
    SpaceForPlus,
    /// White space within the payload was passed over.
    WhiteSpace,
    /// Another alphabet was read.
    UrlAlphabet,
}

impl NoteCode {
    /// Whether something of the link is lost.
    pub fn is_damage(self) -> bool {
        match self {
            NoteCode::LinkCut | NoteCode::LinkDamaged | NoteCode::LoneSurrogates | NoteCode::NotText => true,
            NoteCode::EndMissing
            | NoteCode::UnknownField
            | NoteCode::FlatContext
            | NoteCode::EncodedTwice
            | NoteCode::PlusNotEncoded
            | NoteCode::SpaceForPlus
            | NoteCode::WhiteSpace
            | NoteCode::UrlAlphabet => false,
        }
    }

    /// The name under which tools know it.
    pub fn name(self) -> &'static str {
        match self {
            NoteCode::LinkCut => "link-cut",
            NoteCode::EndMissing => "end-missing",
            NoteCode::LinkDamaged => "link-damaged",
            NoteCode::LoneSurrogates => "lone-surrogates",
            NoteCode::NotText => "not-text",
            NoteCode::UnknownField => "unknown-field",
            NoteCode::FlatContext => "flat-context",
            NoteCode::EncodedTwice => "encoded-twice",
            NoteCode::PlusNotEncoded => "plus-not-encoded",
            NoteCode::SpaceForPlus => "space-for-plus",
            NoteCode::WhiteSpace => "white-space",
            NoteCode::UrlAlphabet => "url-alphabet",
        }
    }
}

/// All notes on one reading of this many UTF-16 units, those that mean damage first.
pub(super) fn notes(found: &Found, length: usize, end: End, repairs: &[Repair]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut add = |code, message: String| notes.push(Note { code, message });
    if end == End::Cut && found.is_whole {
        add(NoteCode::EndMissing, "the very end of this link is missing; its texts are whole".into());
    } else if end == End::Cut {
        // What was changed in its middle often reads as if it went on: nothing tells the two apart.
        let message =
            format!("this link of {length} characters was cut, or changed on the way: {}", saved(found));
        add(NoteCode::LinkCut, message);
    } else if !found.is_whole || end != End::Mark {
        add(NoteCode::LinkDamaged, format!("this link was changed on the way: {}", saved(found)));
    }
    if found.lone_surrogates > 0 {
        let count = found.lone_surrogates;
        add(NoteCode::LoneSurrogates, format!("{count} broken characters were replaced by U+FFFD"));
    }
    for name in &found.not_text {
        add(NoteCode::NotText, format!("the field `{name}` holds no text and was left out"));
    }
    for (name, _) in
        found.state.iter().filter(|(name, _)| !state::KNOWN_FIELDS.contains(name) && *name != host::FIELD)
    {
        let message = format!("the field `{name}` is not known to the Kyverno Playground; it is kept");
        add(NoteCode::UnknownField, message);
    }
    if found.state.get(state::CONTEXT).is_some_and(is_flat_context) {
        let message = "the context is of 2023, with `username` and its like at the top level: the Kyverno \
                       Playground does not read them any more";
        add(NoteCode::FlatContext, message.into());
    }
    notes.extend(repairs.iter().map(|repair| repair_note(*repair)));
    notes
}

fn repair_note(repair: Repair) -> Note {
    let (code, message) = match repair {
        Repair::EncodedTwice => (
            NoteCode::EncodedTwice,
            "the link was percent-encoded twice; the Kyverno Playground does not open it",
        ),
        Repair::PlusNotEncoded => (
            NoteCode::PlusNotEncoded,
            "a `+` of the link is not encoded as `%2B`; the Kyverno Playground does not open it",
        ),
        Repair::SpaceForPlus => (NoteCode::SpaceForPlus, "spaces in the link were read as `+`"),
        Repair::WhiteSpace => (NoteCode::WhiteSpace, "white space in the link was passed over"),
        Repair::UrlAlphabet => (NoteCode::UrlAlphabet, "the link is written in the URL-safe alphabet"),
    };
    Note { code, message: message.into() }
}

/// What a link that is not whole still gave.
fn saved(found: &Found) -> String {
    let length = |name: &str| found.state.get(name).map_or(0, |text| text.encode_utf16().count());
    let is_cut = |name: &str| found.cut_field.as_deref() == Some(name);
    let names = found.state.iter().map(|(name, _)| name).filter(|name| !is_cut(name) && length(name) > 0);
    let whole: Vec<String> = names.map(|name| format!("`{name}` ({} characters)", length(name))).collect();
    let cut = found.cut_field.as_deref().map(|name| {
        let count = length(name);
        format!("the first {count} characters of `{name}`")
    });
    let parts: Vec<String> = whole.into_iter().chain(cut).collect();
    let verb = if parts.len() == 1 && found.cut_field.is_none() { "was" } else { "were" };
    format!("{} {verb} saved, the rest is lost", parts.join(" and "))
}

/// The context of the first generation named the user at the top level.
fn is_flat_context(context: &str) -> bool {
    let is_key = |line: &str, keys: &[&str]| {
        let line = line.trim_start_matches(['{', ' ', '"', '\'']);
        keys.iter().any(|key| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        })
    };
    let old = ["username", "groups", "roles", "clusterRoles", "namespaceLabels", "operation"];
    let new = ["kubernetes", "context", "variables", "flags"];
    let top_level = |line: &&str| !line.starts_with([' ', '\t']) || context.trim_start().starts_with('{');
    let has = |keys: &[&str]| context.lines().filter(top_level).any(|line| is_key(line, keys));
    has(&old) && !has(&new)
}
