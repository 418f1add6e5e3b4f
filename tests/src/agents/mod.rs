//! An agent without a mind: it knows the answers of `podsieve mcp` and nothing else.
//!
//! In: the built program, policies with a mistake, objects that fail. Out: what the agent makes of them by following hints, fixes and edits word by word.

pub mod objects;
pub mod slips;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How often a text is changed at most.
const MAX_STEPS: usize = 8;

/// A server that is asked.
#[derive(Debug)]
pub struct Server {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Bytes of each answer.
    pub sizes: Vec<usize>,
}

impl Server {
    /// Starts the program in a folder.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(program: &Path, folder: &Path) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("mcp").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        Ok(Server { child, asks, answers: BufReader::new(answers), sizes: Vec::new() })
    }

    /// The answer of a tool.
    ///
    /// # Errors
    /// The server is gone, or refuses the call.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        writeln!(self.asks, "{message}").map_err(|error| error.to_string())?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&line).map_err(|error| format!("{tool}: {error}"))?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default();
        self.sizes.push(text.len());
        let structured = answer.pointer("/result/structuredContent").cloned();
        structured.ok_or_else(|| format!("{tool}: {answer}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It was started here, and ends with the test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The texts of a field as a tool takes them.
pub(crate) fn named(name: &str, texts: &[String]) -> Value {
    let text = |(at, text): (usize, &String)| json!({"name": format!("{name}-{at}.yaml"), "text": text});
    texts.iter().enumerate().map(text).collect()
}

/// The items of a list in an answer.
pub(crate) fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text of an answer.
pub(crate) fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A policy after the hints and fixes of `check` were followed until there are none.
///
/// # Errors
/// The server is gone.
pub fn mended(server: &mut Server, policy: &str) -> Result<String, String> {
    let mut now = policy.to_owned();
    let mut seen = BTreeSet::from([now.clone()]);
    for _ in 0..MAX_STEPS {
        let answer = server.call("check", &json!({"policies": [{"name": "policy.yaml", "text": now}]}))?;
        let next = of_hints(&now, &answer).chain(of_fixes(&now, &answer)).find(|next| !seen.contains(next));
        let Some(next) = next else { break };
        seen.insert(next.clone());
        now = next;
    }
    Ok(now)
}

/// The texts that hints ask for: `did you mean X`, `write X for Y`, about the words of the message.
fn of_hints<'a>(text: &'a str, answer: &'a Value) -> impl Iterator<Item = String> + 'a {
    list(answer, "diagnostics").iter().flat_map(move |said| {
        let line = line_of(said);
        list(said, "hints").iter().filter_map(Value::as_str).flat_map(move |hint| {
            let quoted = ticked(hint);
            let (new, old) = match (quoted.as_slice(), hint) {
                ([new, old], hint) if hint.starts_with("write ") => (*new, vec![*old]),
                ([new], hint) if hint.starts_with("did you mean ") || hint.starts_with("write ") => {
                    (*new, ticked(self::text(said, "message")))
                }
                _ => ("", Vec::new()),
            };
            let is_word =
                !new.is_empty() && new.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            old.into_iter().filter(move |_| is_word).filter_map(move |old| replaced(text, line, old, new))
        })
    })
}

/// The texts in which one fix was taken.
fn of_fixes<'a>(text: &'a str, answer: &'a Value) -> impl Iterator<Item = String> + 'a {
    list(answer, "fixes").iter().filter_map(move |fix| {
        let (old, new) = (self::text(fix, "old"), self::text(fix, "new"));
        let begin = text.split_inclusive('\n').take(line_of(fix).checked_sub(1)?).map(str::len).sum();
        let rest = text.get(begin..)?.strip_prefix(old)?;
        Some(format!("{}{new}{rest}", text.get(..begin)?))
    })
}

/// The line that `at` names.
fn line_of(said: &Value) -> usize {
    text(said, "at").rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(1)
}

/// What stands in back-ticks.
fn ticked(words: &str) -> Vec<&str> {
    words.split('`').skip(1).step_by(2).collect()
}

/// The text with another word where the old one is nearest to a line.
fn replaced(text: &str, line: usize, old: &str, new: &str) -> Option<String> {
    let mut begin = 0;
    let mut places = Vec::new();
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let place = whole.match_indices(old).map(|(place, _)| place).find(|place| {
            let (before, behind) = (whole.get(..*place), whole.get(place + old.len()..));
            !before.is_some_and(|before| before.ends_with(is_part))
                && !behind.is_some_and(|behind| behind.starts_with(is_part))
        });
        places.extend(place.map(|place| ((at + 1).abs_diff(line), begin + place)));
        begin += whole.len();
    }
    let (_, place) = places.into_iter().min()?;
    Some(format!("{}{new}{}", text.get(..place)?, text.get(place + old.len()..)?))
}
