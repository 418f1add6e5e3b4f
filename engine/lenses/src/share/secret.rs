//! Whether a text holds a Secret: worth a word before everybody can read it in a link.

/// Whether a document of this text is a Secret with `data` or `stringData`.
///
/// Looks at words alone, not at what YAML makes of them, so that it also sees a Secret in a text that cannot be read, in
/// JSON and in flow style; it would rather warn once too often.
pub fn holds_secret(text: &str) -> bool {
    let is_secret = |document: &&str| {
        values_of(document, "kind").any(|rest| {
            let named = rest.trim_start_matches("!!str").trim_start().trim_start_matches(['"', '\'']);
            named.strip_prefix("Secret").is_some_and(|rest| !rest.starts_with(is_word))
        })
    };
    let has_data =
        |document: &&str| ["data", "stringData"].iter().any(|key| values_of(document, key).next().is_some());
    text.split("\n---").any(|document| is_secret(&document) && has_data(&document))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// What stands behind each place where `key` is a key.
fn values_of<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(key).filter_map(|(at, word)| {
        let (before, rest) = text.split_at_checked(at)?;
        let rest = rest.get(word.len()..)?.trim_start_matches(['"', '\'']).trim_start();
        let is_whole = !before.ends_with(is_word);
        Some(rest.strip_prefix(':')?.trim_start()).filter(|_| is_whole)
    })
}
