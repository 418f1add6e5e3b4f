//! Anchors: keys in brackets that say how a field of a pattern is meant.
//!
//! In: a key such as `=(securityContext)`. Out: the anchor and the key inside, or nothing for a plain key.
//! Mirrors: pkg/engine/anchor/anchor.go.

/// What an anchor means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// `(key)`: if this matches, the siblings apply.
    Condition,
    /// `<(key)`: if this does not match, the whole rule does not apply.
    Global,
    /// `X(key)`: the key must not be there.
    Negation,
    /// `+(key)`: mutation adds the key where it is absent.
    AddIfNotPresent,
    /// `=(key)`: if the key is there, it must match.
    Equality,
    /// `^(key)`: one item of the list must match.
    Existence,
}

/// The anchor of a key and the key inside its brackets; `None` for a plain key.
// Go: the expression `^([+<=X^])?\((.+)\)$` over the trimmed key; `.` does not match a line break.
pub fn parse(key: &str) -> Option<(Anchor, &str)> {
    let key = key.trim();
    let (anchor, rest) = match key.chars().next()? {
        '(' => (Anchor::Condition, key),
        '<' => (Anchor::Global, key.get(1..)?),
        'X' => (Anchor::Negation, key.get(1..)?),
        '+' => (Anchor::AddIfNotPresent, key.get(1..)?),
        '=' => (Anchor::Equality, key.get(1..)?),
        '^' => (Anchor::Existence, key.get(1..)?),
        _ => return None,
    };
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    (!inner.is_empty() && !inner.contains('\n')).then_some((anchor, inner))
}

/// The key inside the brackets, or the key itself.
pub fn plain_key(key: &str) -> &str {
    parse(key).map_or(key, |(_, inner)| inner)
}
