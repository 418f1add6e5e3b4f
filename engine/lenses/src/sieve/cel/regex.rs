//! A regular expression as wildcards, as far as that goes.
//!
//! In: a regular expression. Out: patterns with `*` and `?` that take about the same. They are where attackers are looked
//! for; whether one gets in is found out by running.

/// The patterns, one for each alternative of the whole.
pub(super) fn patterns(regex: &str) -> Vec<String> {
    alternatives(regex).into_iter().map(one).collect()
}

/// The alternatives that stand in no group.
fn alternatives(regex: &str) -> Vec<&str> {
    let (mut depth, mut escaped) = (0_usize, false);
    regex
        .split(move |c: char| {
            let is_end = c == '|' && depth == 0 && !escaped;
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_end
        })
        .collect()
}

fn one(regex: &str) -> String {
    let mut out = String::new();
    let begins = regex.starts_with('^');
    let ends = regex.ends_with('$') && !regex.ends_with("\\$");
    let mut chars = regex.trim_start_matches('^').chars().peekable();
    if !begins {
        out.push('*');
    }
    while let Some(c) = chars.next() {
        let piece = match c {
            '$' if chars.peek().is_none() => continue,
            '\\' => match chars.next() {
                Some('d' | 'w' | 's' | 'S' | 'W' | 'D') => '?',
                Some('b' | 'A' | 'z') | None => continue,
                Some(plain) => plain,
            },
            '.' => '?',
            '[' => {
                // A set: any one character stands for it.
                let mut last = '[';
                for next in chars.by_ref() {
                    if next == ']' && last != '[' && last != '\\' {
                        break;
                    }
                    last = next;
                }
                '?'
            }
            '(' => {
                out.push_str(&group(&mut chars));
                continue;
            }
            ')' => continue,
            plain => plain,
        };
        let is_repeated = matches!(chars.peek(), Some('*' | '+' | '?' | '{'));
        if is_repeated {
            if chars.next() == Some('{') {
                chars.by_ref().take_while(|c| *c != '}').for_each(drop);
            }
            out.push('*');
        } else {
            out.push(piece);
        }
    }
    if !ends {
        out.push('*');
    }
    while out.contains("**") {
        out = out.replace("**", "*");
    }
    out
}

/// The first alternative of a group, or a star where it is repeated or holds groups itself.
fn group(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let (mut inner, mut depth) = (String::new(), 1_usize);
    for c in chars.by_ref() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        inner.push(c);
    }
    let is_repeated = chars.next_if(|c| matches!(c, '*' | '+' | '?')).is_some();
    let inner = inner.trim_start_matches("?:").trim_start_matches("?i");
    if is_repeated || inner.contains('(') {
        return "*".to_owned();
    }
    let first = alternatives(inner).first().copied().unwrap_or_default();
    one(&format!("^{first}$"))
}

#[cfg(test)]
mod tests {
    use super::patterns;

    #[test]
    fn a_regular_expression_becomes_wildcards() {
        assert_eq!(patterns("^docker\\.io/istio/.*$"), ["docker.io/istio/*"]);
        assert_eq!(patterns("docker.io/istio"), ["*docker?io/istio*"]);
        assert_eq!(patterns("^(quay|ghcr)\\.io/a:v[0-9]+$"), ["quay.io/a:v*"]);
        assert_eq!(patterns("^a$|^b-.+"), ["a", "b-*"]);
    }
}
