//! The report of `--policy-report` while resources are evaluated, held as texts that repeat.
//!
//! In: responses, as they come. Out: the report, byte for byte that of `engine_lenses::report::openreports::print`. Of two hundred
//! thousand results each word is held once, and beside them so many numbers.

use crate::print::repeated::{Finished, Repeated};
use engine_lenses::report::{Context, Counts, Response, openreports};

/// What resources that were evaluated at once add to the report.
#[derive(Default)]
pub(crate) struct Streamed {
    merged: Repeated,
    own: Repeated,
    counts: Counts,
    results: usize,
}

/// The same, when nothing is added any more.
pub(crate) struct Part {
    merged: Finished,
    own: Finished,
    counts: Counts,
    results: usize,
}

impl Streamed {
    /// Adds the results of a response.
    pub(crate) fn add(&mut self, context: &Context<'_>, response: &Response<'_>) {
        if response.rules.is_empty() {
            return;
        }
        if !response.policy.namespace.is_empty() {
            push(&mut self.own, &openreports::own(context, response));
            return;
        }
        for rule in &response.rules {
            self.counts.count(response.described_status(rule));
            self.results += 1;
            push(&mut self.merged, &openreports::one(context, response, rule));
        }
    }

    /// Ends this part.
    pub(crate) fn finish(self) -> Part {
        let Streamed { merged, own, counts, results } = self;
        Part { merged: merged.finish(), own: own.finish(), counts, results }
    }
}

/// How the field begins and ends that says which resource a result is about, as YAML and as JSON.
const RESOURCES: [(&str, &str); 2] = [("\n  resources:\n", "\n  result: "), (",\"resources\":[", "}],")];

/// Adds a text in parts: what stands around the resource is the same for many.
fn push(to: &mut Repeated, text: &str) {
    let mut rest = text;
    for (begin, end) in RESOURCES {
        while let Some(at) = rest.find(begin) {
            let (before, behind) = rest.split_at(at);
            let (resource, after) = behind.split_at(behind.find(end).unwrap_or(behind.len()));
            to.push(before);
            to.push(resource);
            rest = after;
        }
    }
    to.push(rest);
}

/// Gives away the whole report in pieces.
pub(crate) fn print(context: &Context<'_>, parts: &[Part], mut out: impl FnMut(&str)) {
    let mut counts = Counts::default();
    for part in parts {
        counts.merge(part.counts);
    }
    if parts.iter().any(|part| part.results > 0) {
        let (before, after) = openreports::around(context, &counts);
        out(&before);
        let mut is_first = true;
        for part in parts.iter().filter(|part| part.results > 0) {
            let text = part.merged.text();
            // Each result begins with what separates it from the one before.
            out(text.strip_prefix(openreports::separator(context)).filter(|_| is_first).unwrap_or(&text));
            is_first = false;
        }
        out(&after);
        out("\n");
    }
    for part in parts {
        out(&part.own.text());
    }
}

/// Whether there is a report of a namespaced policy.
pub(crate) fn has_own(parts: &[Part]) -> bool {
    parts.iter().any(|part| !part.own.is_empty())
}
