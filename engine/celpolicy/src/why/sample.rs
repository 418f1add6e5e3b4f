//! A text that a regular expression matches.
//!
//! In: the expression. Out: the shortest text that follows its first alternatives, as a proposal: whether it matches is for whoever
//! tries it to find out.

use std::iter::Peekable;
use std::str::Chars;

/// A sample is so long at most.
const MAX_LENGTH: usize = 200;
/// How deep groups may nest.
const MAX_DEPTH: usize = 20;

/// A text that the expression may match.
pub(super) fn of(pattern: &str) -> String {
    alternatives(&mut pattern.chars().peekable(), 0)
}

/// The first of several alternatives, up to the end of the group.
fn alternatives(rest: &mut Peekable<Chars<'_>>, depth: usize) -> String {
    let mut first = None;
    loop {
        let found = sequence(rest, depth);
        first.get_or_insert(found);
        if rest.next_if_eq(&'|').is_none() {
            return first.unwrap_or_default();
        }
    }
}

fn sequence(rest: &mut Peekable<Chars<'_>>, depth: usize) -> String {
    let mut text = String::new();
    while let Some(sign) = rest.next_if(|sign| !matches!(sign, '|' | ')')) {
        let atom = match sign {
            '^' | '$' => String::new(),
            '.' => "a".to_owned(),
            '\\' => escaped(rest.next()),
            '[' => class(rest),
            '(' if depth < MAX_DEPTH => {
                if rest.next_if_eq(&'?').is_some() {
                    rest.by_ref().find(|sign| matches!(sign, ':' | '>'));
                }
                let inner = alternatives(rest, depth + 1);
                rest.next_if_eq(&')');
                inner
            }
            other => other.to_string(),
        };
        let times = times(rest);
        if text.len() + atom.len() * times <= MAX_LENGTH {
            text.push_str(&atom.repeat(times));
        }
    }
    text
}

/// How often the atom before stands at least.
fn times(rest: &mut Peekable<Chars<'_>>) -> usize {
    let times = match rest.next_if(|sign| matches!(sign, '*' | '?' | '+' | '{')) {
        None => return 1,
        Some('+') => 1,
        Some('{') => {
            let written: String = rest.by_ref().take_while(|sign| *sign != '}').collect();
            written.split(',').next().and_then(|least| least.parse().ok()).unwrap_or(1)
        }
        Some(_) => 0,
    };
    rest.next_if_eq(&'?');
    times
}

fn escaped(sign: Option<char>) -> String {
    match sign {
        Some('d') => "1".to_owned(),
        Some('w') => "a".to_owned(),
        Some('s') => " ".to_owned(),
        Some('b' | 'A' | 'z') | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// A sign that a class takes: its first, or one that stands in few.
fn class(rest: &mut Peekable<Chars<'_>>) -> String {
    let is_negated = rest.next_if_eq(&'^').is_some();
    let mut first = None;
    let mut is_begun = false;
    while let Some(sign) = rest.next_if(|sign| *sign != ']' || !is_begun) {
        is_begun = true;
        let found = if sign == '\\' { escaped(rest.next()) } else { sign.to_string() };
        first.get_or_insert(found);
    }
    rest.next_if_eq(&']');
    if is_negated { "a".to_owned() } else { first.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_sample_follows_the_first_alternatives() {
        for (pattern, wanted) in [
            ("^v[0-9].[0-9].[0-9]$", "v0a0a0"),
            (r"^registry\.example\.com/[a-z0-9./-]+:[0-9.]+$", "registry.example.com/a:0"),
            ("(?:ab|c){2}d?[^x]", "ababa"),
            ("^(a|b)*$", ""),
            (r"\d{3}\w+", "111a"),
            ("[", ""),
            ("(", ""),
        ] {
            assert_eq!(of(pattern), wanted, "{pattern}");
        }
    }
}
