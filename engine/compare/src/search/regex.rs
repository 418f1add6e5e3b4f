//! Texts that a regular expression probably meets.
//!
//! In: an expression. Out: a text, made of the first alternative of each choice and of the first character of each class. No claim
//! hangs on it: the engines say whether it meets.

/// How many characters of an expression are looked at.
const MAX_LENGTH: usize = 2_000;
/// How often a part is repeated at most.
const MAX_REPEATS: usize = 64;

/// Two texts: with optional parts left out, and with them.
pub(crate) fn sample(expression: &str) -> Vec<String> {
    let expression: Vec<char> = expression.chars().take(MAX_LENGTH).collect();
    [0, 1].map(|least| Sampler { text: &expression, at: 0, least }.alternatives()).into()
}

struct Sampler<'t> {
    text: &'t [char],
    at: usize,
    /// How often an optional part is written.
    least: usize,
}

impl Sampler<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// The first alternative up to the end of a group.
    fn alternatives(&mut self) -> String {
        let mut first: Option<String> = None;
        let mut current = String::new();
        while let Some(c) = self.peek() {
            if c == ')' {
                break;
            }
            self.at += 1;
            if c == '|' {
                first.get_or_insert(std::mem::take(&mut current));
                current.clear();
                continue;
            }
            let part = self.part(c);
            let times = self.times();
            (0..times).for_each(|_| current.push_str(&part));
        }
        first.unwrap_or(current)
    }

    fn part(&mut self, c: char) -> String {
        match c {
            '^' | '$' => String::new(),
            '.' => "x".to_owned(),
            '\\' => match self.take() {
                Some('d') => "1".to_owned(),
                Some('w' | 'S') => "x".to_owned(),
                Some('s') => " ".to_owned(),
                Some('b' | 'A' | 'z') | None => String::new(),
                Some(other) => other.to_string(),
            },
            '[' => self.class(),
            '(' => {
                if self.peek() == Some('?') {
                    while self.take().is_some_and(|c| c != ':' && c != '>') {}
                }
                let inner = self.alternatives();
                self.take();
                inner
            }
            other => other.to_string(),
        }
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
        if is_not {
            return "xyz0_".chars().find(|c| !members.contains(c)).map(String::from).unwrap_or_default();
        }
        members.first().map(ToString::to_string).unwrap_or_default()
    }

    fn times(&mut self) -> usize {
        let times = match self.peek() {
            Some('*' | '?') => self.least,
            Some('+') => 1,
            Some('{') => {
                let digits: String =
                    self.text.iter().skip(self.at + 1).take_while(|c| c.is_ascii_digit()).collect();
                while self.peek().is_some_and(|c| c != '}') {
                    self.at += 1;
                }
                digits.parse().unwrap_or(1).min(MAX_REPEATS)
            }
            _ => return 1,
        };
        self.at += 1;
        times
    }
}
