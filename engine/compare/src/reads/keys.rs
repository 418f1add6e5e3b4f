//! Keys that a key with wildcards may stand for.
//!
//! In: a key of a pattern or a selector. Out: keys to try: such that meet it and such that just miss it, so that `a*` and `a?` are told
//! apart. Kyverno takes wildcards in keys of labels and annotations (pkg/engine/wildcards: `ReplaceInSelector`, `ExpandInMetadata`).

use engine_json::Str;

/// What stands for each wildcard in turn.
const FILLINGS: [&str; 3] = ["x", "", "xx"];

/// The keys to try: the key itself where it has no wildcards.
pub(crate) fn filled(key: &str) -> Vec<Str> {
    if !key.contains(['*', '?']) {
        return vec![Str::new(key)];
    }
    let mut found: Vec<Str> = Vec::new();
    for filling in FILLINGS {
        let key = key.replace(['*', '?'], filling);
        // No label and no annotation is called so.
        let is_named = !key.is_empty() && !key.starts_with('/') && !key.ends_with('/');
        if is_named && !found.iter().any(|known| **known == *key) {
            found.push(Str::from(key));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn keys_meet_wildcards_and_just_miss_them() {
        assert_eq!(filled("a"), ["a"]);
        assert_eq!(filled("a*"), ["ax", "a", "axx"]);
        assert_eq!(filled("a?"), ["ax", "a", "axx"]);
        assert_eq!(filled("*"), ["x", "xx"]);
        assert_eq!(filled("a.b/*"), ["a.b/x", "a.b/xx"]);
    }
}
