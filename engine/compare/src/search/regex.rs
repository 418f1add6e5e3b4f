//! Texts that a regular expression probably meets, and such that it probably just misses.
//!
//! In: an expression. Out: a text of the first alternative of each choice and of the first character of each class, and further ones, each
//! with another option in one place: another alternative, another end of a class, a character outside of it, one repetition more or less than
//! is allowed, another case. No claim hangs on it: the engines say what meets.

/// How many characters of an expression are looked at.
const MAX_LENGTH: usize = 2_000;
/// How often a part is repeated at most.
const MAX_REPEATS: usize = 130;
/// How many texts are made of one expression, and how many further ones within alternatives that are not the first.
const MAX_SAMPLES: usize = 24;
const MAX_WITHIN: usize = 24;

/// The texts to try: first with optional parts left out, and with them.
pub(crate) fn sample(expression: &str) -> Vec<String> {
    let text: Vec<char> = expression.chars().take(MAX_LENGTH).collect();
    let mut found = Vec::new();
    let (mut choices, mut groups) = (Vec::new(), Vec::new());
    for least in [0, 1] {
        let mut sampler = Sampler::new(&text, least, Vec::new());
        found.push(sampler.alternatives());
        (choices, groups) = (sampler.choices, sampler.groups);
    }
    // What no anchor holds may stand in the middle of a text.
    if let Some(first) = found.first().cloned() {
        let begins = if expression.starts_with('^') { first.clone() } else { format!("x{first}") };
        let ends = if expression.ends_with('$') { begins.clone() } else { format!("{begins}x") };
        found.extend([begins, ends].into_iter().filter(|text| *text != first));
    }
    let others =
        choices.iter().enumerate().flat_map(|(at, count)| (1..*count).map(move |option| (at, option)));
    let singles: Vec<(usize, usize)> = others.collect();
    let of = |others: Vec<(usize, usize)>| Sampler::new(&text, 1, others).alternatives();
    for other in &singles {
        if found.len() >= MAX_SAMPLES {
            break;
        }
        let text = of(vec![*other]);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    // What stands within another alternative shows only where that is taken.
    let most = found.len() + MAX_WITHIN;
    for (alternative, other) in within(&groups, &choices, &singles) {
        if found.len() >= most {
            break;
        }
        let text = of(vec![alternative, other]);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    if let Some(first) = found.first().cloned() {
        found.extend(other_cases(&first));
    }
    found
}

/// Texts with each further member of a class where the class is repeated, between two of the first one: of `^[a-z-]+$` comes `a-a`; and of a
/// class that is not, what lies between the ends of its ranges: of `^(a|[1-4]0)$` comes `20`.
pub(crate) fn with_members(expression: &str) -> Vec<String> {
    let text: Vec<char> = expression.chars().take(MAX_LENGTH).collect();
    let mut sampler = Sampler::new(&text, 1, Vec::new()).of_members();
    sampler.alternatives();
    let (choices, groups) = (sampler.choices, sampler.groups);
    let others = choices.iter().enumerate();
    let singles: Vec<(usize, usize)> =
        others.flat_map(|(at, count)| (1..*count).map(move |option| (at, option))).collect();
    let within = within(&groups, &choices, &singles).map(|(alternative, other)| vec![alternative, other]);
    let of = |others| Sampler::new(&text, 1, others).of_members().alternatives();
    singles
        .iter()
        .map(|other| vec![*other])
        .take(MAX_SAMPLES)
        .chain(within.take(MAX_WITHIN))
        .map(of)
        .collect()
}

/// Alternatives but the first, each with another option in a choice that was made before: those within them are.
fn within<'c>(
    groups: &'c [usize],
    choices: &'c [usize],
    singles: &'c [(usize, usize)],
) -> impl Iterator<Item = ((usize, usize), (usize, usize))> {
    let options = |at: &usize| choices.get(*at).copied().unwrap_or(1);
    let alternatives = groups.iter().flat_map(move |at| (1..options(at)).map(move |option| (*at, option)));
    alternatives.flat_map(|alternative| {
        singles.iter().filter(move |(at, _)| *at < alternative.0).map(move |other| (alternative, *other))
    })
}

/// What lies between the ends of the ranges of a class: beside each, and in the middle.
fn inner(members: &[char]) -> Vec<char> {
    let mut found = Vec::new();
    for three in members.windows(3) {
        let [from, '-', to] = three else { continue };
        let (from, to) = (u32::from(*from), u32::from(*to));
        let between = [from + 1, to.saturating_sub(1), from.midpoint(to)];
        found.extend(between.into_iter().filter(|at| from < *at && *at < to).filter_map(char::from_u32));
    }
    found
}

/// The text in other cases; the last is one that is hardly ever listed.
fn other_cases(text: &str) -> Vec<String> {
    let flip = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let mut chars = text.chars();
    let last = chars.next_back().map(|last| format!("{}{}", chars.as_str(), flip(last)));
    [Some(text.to_uppercase()), last].into_iter().flatten().filter(|other| other != text).collect()
}

struct Sampler<'t> {
    text: &'t [char],
    at: usize,
    /// How often an optional part is written.
    least: usize,
    /// At which choices another option than the first is taken, and which.
    others: Vec<(usize, usize)>,
    /// How many options each choice had so far.
    choices: Vec<usize>,
    /// Which of them are between alternatives.
    groups: Vec<usize>,
    /// Whether of classes only members are taken, and those of a repeated class stand between others.
    is_of_members: bool,
    /// The first member of the class that was read last.
    first_member: Option<char>,
}

impl<'t> Sampler<'t> {
    fn new(text: &'t [char], least: usize, others: Vec<(usize, usize)>) -> Self {
        Sampler {
            text,
            at: 0,
            least,
            others,
            choices: Vec::new(),
            groups: Vec::new(),
            is_of_members: false,
            first_member: None,
        }
    }

    /// With members of classes alone.
    fn of_members(mut self) -> Self {
        self.is_of_members = true;
        self
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// One of so many options: the first but at one choice.
    fn choose(&mut self, count: usize) -> usize {
        let at = self.choices.len();
        self.choices.push(count);
        self.others.iter().find(|(choice, _)| *choice == at).map_or(0, |(_, option)| *option)
    }

    /// One alternative up to the end of a group.
    fn alternatives(&mut self) -> String {
        let mut all = vec![String::new()];
        while let Some(c) = self.peek() {
            if c == ')' {
                break;
            }
            self.at += 1;
            if c == '|' {
                all.push(String::new());
                continue;
            }
            self.first_member = None;
            let part = self.part(c);
            let between = self.first_member.filter(|_| matches!(self.peek(), Some('+' | '*')));
            let times = self.times();
            let Some(current) = all.last_mut() else { continue };
            if let Some(between) = between {
                current.push(between);
                current.push_str(&part);
                current.push(between);
            } else {
                (0..times).for_each(|_| current.push_str(&part));
            }
        }
        if all.len() > 1 {
            self.groups.push(self.choices.len());
        }
        let at = self.choose(all.len());
        all.into_iter().nth(at).unwrap_or_default()
    }

    fn part(&mut self, c: char) -> String {
        match c {
            '^' | '$' => String::new(),
            '.' => "x".to_owned(),
            '\\' => match self.take() {
                Some('d') => self.one_of(&['1', 'x']),
                Some('w' | 'S') => self.one_of(&['x', ' ']),
                Some('s') => self.one_of(&[' ', 'x']),
                Some('b' | 'A' | 'z' | 'Q' | 'E') | None => String::new(),
                // What a point is escaped for: any character.
                Some('.') => self.one_of(&['.', 'x']),
                Some(other) => other.to_string(),
            },
            '[' => self.class(),
            '(' => {
                if self.peek() == Some('?') {
                    // Flags alone, or flags and names before what the group holds.
                    while self.peek().is_some_and(|c| !matches!(c, ':' | '>' | ')')) {
                        self.at += 1;
                    }
                    if self.take() == Some(')') {
                        return String::new();
                    }
                }
                let inner = self.alternatives();
                self.take();
                inner
            }
            other => other.to_string(),
        }
    }

    fn one_of(&mut self, options: &[char]) -> String {
        let at = self.choose(options.len());
        options.get(at).map(ToString::to_string).unwrap_or_default()
    }

    fn class(&mut self) -> String {
        let is_not = self.peek() == Some('^');
        if is_not {
            self.take();
        }
        let mut members = Vec::new();
        while let Some(c) = self.take() {
            match c {
                ']' if !members.is_empty() => break,
                '\\' => members.extend(self.take().map(|c| match c {
                    'd' => '1',
                    'w' => 'x',
                    other => other,
                })),
                other => members.push(other),
            }
        }
        let is_range = |from: char, to: char| members.windows(3).any(|three| *three == [from, '-', to]);
        let holds = |c: char| {
            members.contains(&c)
                || members.windows(3).any(|three| matches!(three, [from, '-', to] if *from <= c && c <= *to))
        };
        let outside = "x0_A-".chars().find(|c| !holds(*c));
        if is_not {
            return match outside {
                Some(outside) => {
                    let first = members.first().copied().unwrap_or(outside);
                    self.one_of(&[outside, first])
                }
                None => String::new(),
            };
        }
        let Some(first) = members.first().copied() else { return String::new() };
        if self.is_of_members {
            self.first_member = Some(first);
            // A hyphen at an end stands for itself.
            let hyphen = members.last().filter(|last| **last == '-');
            let others = members.iter().skip(1).filter(|c| **c != '-').chain(hyphen).copied();
            let mut options = vec![first];
            for c in others.chain(inner(&members)) {
                if options.len() < MAX_SAMPLES && !options.contains(&c) {
                    options.push(c);
                }
            }
            return self.one_of(&options);
        }
        // The ends of each range, and the members that stand alone.
        let mut options = vec![first];
        options.extend(members.iter().skip(1).filter(|c| **c != '-').take(5));
        if !is_range(first, *members.get(2).unwrap_or(&first)) && members.last() == Some(&'-') {
            options.push('-');
        }
        options.extend(outside);
        self.one_of(&options)
    }

    fn times(&mut self) -> usize {
        let options = match self.peek() {
            Some('*') => vec![self.least, 1 - self.least.min(1), 2],
            Some('?') => vec![self.least, 1 - self.least.min(1)],
            Some('+') => vec![1, 0, 2],
            Some('{') => {
                let inner: String = self.text.iter().skip(self.at + 1).take_while(|c| **c != '}').collect();
                self.at += inner.chars().count() + 1;
                let (least, most) = inner.split_once(',').unwrap_or((inner.as_str(), inner.as_str()));
                let Ok(least) = least.parse::<usize>() else { return 1 };
                let most = most.parse::<usize>().ok();
                let further = most.into_iter().flat_map(|most| [most, most + 1]);
                [least].into_iter().chain(further).chain(least.checked_sub(1)).collect()
            }
            _ => return 1,
        };
        self.at += 1;
        // A question mark or a plus behind it says how much is tried first, and nothing of what meets.
        if matches!(self.peek(), Some('?' | '+')) {
            self.at += 1;
        }
        let at = self.choose(options.len());
        options.get(at).copied().unwrap_or(1).min(MAX_REPEATS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_anchor_holds_stands_in_the_middle_of_a_text() {
        let has = |expression: &str, text: &str| sample(expression).iter().any(|known| known == text);
        assert!(has("^a[.]b", "a.bx") && !has("^a[.]b$", "a.bx"));
        assert!(has("a[.]b$", "xa.b") && !has("^a[.]b$", "xa.b"));
        assert!(has("a[.]b", "xa.bx"));
    }

    #[test]
    fn members_lie_within_ranges_and_alternatives() {
        let rows: [(&str, &[&str]); 3] = [
            ("^([1-9]|[1-4]0|50)%$", &["2%", "20%", "30%"]),
            ("^[a-d]$", &["b", "c"]),
            ("^[a-z-]+$", &["a-a"]),
        ];
        for (expression, wanted) in rows {
            let found = with_members(expression);
            for text in wanted {
                assert!(found.iter().any(|found| found == text), "{expression} -> {text}: {found:?}");
            }
        }
    }

    #[test]
    fn samples_lie_on_both_sides_of_bounds() {
        let rows: [(&str, &[&str]); 7] = [
            ("^reg/[a-z]{1,3}/", &["reg/a/", "reg/aaa/", "reg/aaaa/", "reg//"]),
            ("^(true|True)$", &["true", "True", "TRUE"]),
            ("(?i)^ab$", &["ab", "AB", "aB"]),
            ("^v[0-9]+", &["v0", "v9", "v", "vx"]),
            ("^a?b*$", &["ab", "b", "a"]),
            ("^(a/|[a-z0-9]+[.]b/)?c", &["a/c", "a.b/c", "0.b/c"]),
            (r"^\d\.\d$", &["1.1", "1x1"]),
        ];
        for (expression, wanted) in rows {
            let found = sample(expression);
            for text in wanted {
                assert!(found.iter().any(|found| found == text), "{expression} -> {text}: {found:?}");
            }
        }
    }
}
