//! How two lists of objects differ, as lines of YAML.
//!
//! In: objects before and after. Out: the lines that go with `-`, those that come with `+`, each below the keys that they stand in.

use engine_json::Value;
use std::fmt::Write;

/// Longer texts are not held against one another line by line.
const MAX_LINES: usize = 600;
/// So many lines of a difference are kept.
const MAX_SHOWN: usize = 60;

/// The lines in which they differ; of Secrets nothing but that they do.
pub(crate) fn diff([old, new]: [&[Value]; 2]) -> String {
    if old.iter().chain(new).any(|object| object.find_str(&["kind"]) == "Secret") {
        return "(a Secret: not shown)\n".to_owned();
    }
    let [old, new] = [old, new].map(text);
    let [old, new]: [Vec<&str>; 2] = [&old, &new].map(|text| text.lines().collect());
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return format!("(too long to show: {} lines, then {})\n", old.len(), new.len());
    }
    let common = common(&old, &new);
    let mut out = Lines::default();
    let (mut at, mut to) = (0, 0);
    for (a, b) in common.into_iter().chain([(old.len(), new.len())]) {
        old.get(at..a).into_iter().flatten().for_each(|line| out.put('-', line));
        new.get(to..b).into_iter().flatten().for_each(|line| out.put('+', line));
        if let Some(line) = old.get(a) {
            out.pass(line);
        }
        (at, to) = (a + 1, b + 1);
    }
    out.text()
}

fn text(objects: &[Value]) -> String {
    let one = |object: &Value| engine::yaml::emit::to_yaml_ordered(&object.with_int_numbers());
    objects.iter().map(one).collect::<Vec<_>>().join("---\n")
}

/// The places of a longest common subsequence.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut lengths = vec![0u16; (old.len() + 1) * width];
    let length =
        |lengths: &[u16], a: usize, b: usize| lengths.get(a * width + b).copied().unwrap_or_default();
    for (a, one) in old.iter().enumerate().rev() {
        for (b, other) in new.iter().enumerate().rev() {
            let best = if one == other {
                length(&lengths, a + 1, b + 1) + 1
            } else {
                length(&lengths, a + 1, b).max(length(&lengths, a, b + 1))
            };
            if let Some(place) = lengths.get_mut(a * width + b) {
                *place = best;
            }
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while let (Some(one), Some(other)) = (old.get(a), new.get(b)) {
        if one == other {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if length(&lengths, a + 1, b) >= length(&lengths, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

/// What is written so far.
#[derive(Default)]
struct Lines {
    shown: Vec<String>,
    /// The keys that the next line stands in and that are not shown yet.
    above: Vec<String>,
    lost: usize,
}

impl Lines {
    /// A line of both sides.
    fn pass(&mut self, line: &str) {
        let indent = indent(line);
        self.above.retain(|above| self::indent(above) < indent);
        self.above.push(line.to_owned());
    }

    /// A line of one side.
    fn put(&mut self, sign: char, line: &str) {
        let indent = indent(line);
        let above = std::mem::take(&mut self.above);
        let outer = above.into_iter().filter(|above| self::indent(above) < indent);
        let lines: Vec<String> =
            outer.map(|line| format!("  {line}")).chain([format!("{sign} {line}")]).collect();
        for line in lines {
            if self.shown.len() < MAX_SHOWN { self.shown.push(line) } else { self.lost += 1 }
        }
    }

    fn text(self) -> String {
        let mut out = String::new();
        for line in self.shown {
            let _ = writeln!(out, "{line}");
        }
        if self.lost > 0 {
            let _ = writeln!(out, "… and {} more lines", self.lost);
        }
        out
    }
}

/// How far in a line stands; what stands in an element of a list stands further in than its dash.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_below_their_keys() {
        let [old, new] = ["a", "b"].map(|image| {
            let text = format!("{{\"kind\":\"Pod\",\"spec\":{{\"image\":\"{image}\",\"n\":1}}}}");
            engine_json::parse(&text).unwrap()
        });
        assert_eq!(diff([&[old], &[new]]), "  spec:\n-   image: a\n+   image: b\n");
        assert_eq!(diff([&[], &[]]), "");
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret = engine_json::parse("{\"kind\":\"Secret\",\"data\":{\"a\":\"c2VjcmV0\"}}").unwrap();
        assert_eq!(diff([&[], &[secret]]), "(a Secret: not shown)\n");
    }
}
