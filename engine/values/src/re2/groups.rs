//! Sets with names: `\d`, `[:alpha:]`.
//!
//! In: `w`, or `alpha`. Out: the ranges of the set, all of ASCII, and whether the set is all other characters.

/// Ranges, and whether the characters outside of them are meant.
pub(super) type Group = (&'static [(u8, u8)], bool);

const DIGIT: &[(u8, u8)] = &[(b'0', b'9')];
const PERL_SPACE: &[(u8, u8)] = &[(b'\t', b'\n'), (0x0c, b'\r'), (b' ', b' ')];
const WORD: &[(u8, u8)] = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The set of `\d` and its like, by the letter.
pub(super) fn perl(letter: char) -> Option<Group> {
    Some(match letter {
        'd' => (DIGIT, false),
        'D' => (DIGIT, true),
        's' => (PERL_SPACE, false),
        'S' => (PERL_SPACE, true),
        'w' => (WORD, false),
        'W' => (WORD, true),
        _ => return None,
    })
}

/// The set of `[:alpha:]` and its like, by what stands between the colons.
pub(super) fn posix(name: &str) -> Option<Group> {
    let (name, is_negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let ranges: &[(u8, u8)] = match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7f)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1f), (0x7f, 0x7f)],
        "digit" => DIGIT,
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => WORD,
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    };
    Some((ranges, is_negated))
}
