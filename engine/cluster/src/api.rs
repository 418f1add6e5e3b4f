//! An API server, asked politely.
//!
//! In: paths. Out: objects, streams of lists, or why there is nothing: who may not, what is not there, what was cut off. A server that
//! is busy (429) is asked again when it says.

use crate::http::{Address, Answer, Body, Client};
use engine_json::{Value, parse};
use std::io::Read as _;
use std::time::Duration;

/// How often a request is made again.
const MAX_TRIES: usize = 5;
/// The longest pause that a server gets.
const MAX_PAUSE: u64 = 30;
/// How much of an answer is read that is held as a whole.
const MAX_ANSWER: u64 = 64 << 20;
/// How much of an error is read.
const MAX_ERROR: u64 = 64 << 10;
/// Parts of paths with which a GET does something.
const ACTING: &[&str] = &["proxy", "exec", "attach", "portforward", ".."];

/// A server.
#[derive(Clone)]
pub struct Api {
    client: Client,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of HTTP; 0 where there was no answer.
    pub status: u16,
    /// In one line.
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Api {
    /// The server at this address.
    pub fn new(address: Address) -> Self {
        Api { client: Client::new(address) }
    }

    /// The answer to a GET as a stream; see [`Api::get`] for one that is small.
    pub(crate) fn stream(&self, path: &str, accept: &str) -> Result<Body, Refusal> {
        if path.split(['/', '?']).any(|part| ACTING.contains(&part)) {
            return Err(Refusal {
                status: 0,
                message: format!("`{path}` is not asked: it does more than read"),
            });
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let answer = self.client.get(path, accept);
            let Answer { status, retry_after, mut body } =
                answer.map_err(|error| Refusal { status: 0, message: format!("{path}: {error}") })?;
            if status == 200 {
                return Ok(body);
            }
            let mut text = Vec::new();
            // An error that cannot be read is an error still.
            let _ = (&mut body).take(MAX_ERROR).read_to_end(&mut text);
            let is_busy = matches!(status, 429 | 500 | 502 | 503 | 504);
            if is_busy && tries < MAX_TRIES {
                std::thread::sleep(Duration::from_secs(retry_after.unwrap_or(1).min(MAX_PAUSE)));
                continue;
            }
            let said = String::from_utf8_lossy(&text);
            // What stands between the two says it without a form.
            let said = parse(&said)
                .map_or_else(|_| said.to_string(), |status| status.find_str(&["message"]).to_owned());
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let said: String = said.chars().take(500).collect();
            return Err(Refusal { status, message: format!("{status}: {said}") });
        }
    }

    /// The answer to a GET as a value.
    ///
    /// # Errors
    /// Why there is none.
    pub fn get(&self, path: &str, accept: &str) -> Result<Value, Refusal> {
        let mut text = Vec::new();
        let mut body = self.stream(path, accept)?;
        let wrong = |what: String| Refusal { status: 200, message: format!("{path}: {what}") };
        (&mut body).take(MAX_ANSWER + 1).read_to_end(&mut text).map_err(|error| wrong(error.to_string()))?;
        if text.len() as u64 > MAX_ANSWER {
            return Err(wrong(format!("the answer has more than {} MiB", MAX_ANSWER >> 20)));
        }
        let text = std::str::from_utf8(&text).map_err(|_| wrong("the answer is not UTF-8".to_owned()))?;
        parse(text).map_err(|error| wrong(format!("the answer is not JSON: {error}")))
    }
}
