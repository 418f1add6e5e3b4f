//! A batch of texts: read, evaluated, said.
//!
//! In: a batch. Out: for each object its counts and its part of the text, and what is not one. A Secret is evaluated as everything
//! else, and what it holds is not said.

use super::Apply;
use crate::commands::running::{Batch, objects};
use crate::print::repeated::Repeated;
use crate::print::text;
use crate::report::ndjson::{Lines, Place};
use crate::report::withheld;
use engine::Bundle;
use engine::apply::{Driver, RuleResult, Status, evaluated_text};
use engine::diag::Severity;
use engine::json::{Value, to_json};
use engine::load::{Host, Role, load_values};
use engine::resource::{DocumentId, Resource};
use engine_celpolicy::WITH_STEPS;
use engine_lenses::report::{Counts, Response};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

/// What decides about batches.
pub(super) struct Judge<'a> {
    pub(super) arguments: &'a Apply,
    pub(super) bundle: &'a Bundle,
    /// The names of the streams.
    pub(super) names: &'a [&'a str],
    pub(super) lines: &'a Lines<'a>,
    pub(super) driver: &'a Driver<'a>,
    /// Whether an object that was read again is known by its uid, however it has changed.
    pub(super) by_uid: bool,
    /// Makes keys that nobody can foresee: an object whose key is that of another would hide it.
    pub(super) keys: &'a RandomState,
}

/// Something that is not evaluated.
pub(super) struct NotEvaluated {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) message: String,
}

/// What was decided of one object.
#[derive(Default)]
pub(super) struct Judged {
    /// What the object is known by when it is given again.
    pub(super) key: Option<u64>,
    pub(super) counts: Counts,
    /// How many verdicts rest on an assumed answer.
    pub(super) assumed: usize,
    /// Its part of the text.
    pub(super) range: Range<usize>,
    pub(super) notes: Vec<String>,
}

/// What came of a batch.
#[derive(Default)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) judged: Vec<Judged>,
    pub(super) faults: Vec<NotEvaluated>,
}

impl Judge<'_> {
    /// Evaluates a batch.
    pub(super) fn batch(&self, batch: Batch) -> Part {
        let name = self.names.get(batch.stream).copied().unwrap_or_default();
        let mut part = Part::default();
        for item in batch.items {
            let read = item.map_err(|fault| (fault.line, fault.message)).and_then(|item| {
                let values = objects(&item).map_err(|why| (item.line, why))?;
                Ok((values, Place { name, line: item.line, number: item.number }))
            });
            match read {
                Err((line, message)) => part.fault(name, line, message),
                Ok((values, place)) => values.iter().for_each(|value| self.object(value, place, &mut part)),
            }
        }
        part
    }

    fn object(&self, value: &Value, place: Place<'_>, part: &mut Part) {
        let documents = [(Role::Opened, DocumentId(u32::MAX), value.clone())];
        let (of_object, said) = load_values(documents, Host::Cli, WITH_STEPS);
        let mut notes = Vec::new();
        for diagnostic in said {
            let message = format!("object {}: {}", place.number, diagnostic.message);
            if diagnostic.severity == Severity::Error {
                part.fault(place.name, place.line, message);
            } else {
                notes.push(format!("warning: {}:{}: {message}\n", place.name, place.line));
            }
        }
        for resource in &of_object.resources {
            let start = part.text.len();
            let mut judged =
                Judged { key: self.key(value), notes: std::mem::take(&mut notes), ..Judged::default() };
            self.resource(resource, place, &mut part.text, &mut judged);
            judged.range = start..part.text.len();
            part.judged.push(judged);
        }
    }

    fn resource(&self, resource: &Resource, place: Place<'_>, out: &mut String, judged: &mut Judged) {
        let is_secret = withheld::is_secret(resource);
        let object = self.lines.object(resource, place);
        let mut after = Repeated::default();
        self.driver.each(std::slice::from_ref(resource), |result| {
            if !is_secret {
                for text in &result.evaluated {
                    let Some(policy) = self.bundle.policies.get(result.policy) else { continue };
                    let said = evaluated_text(policy, resource, text, None);
                    judged.notes.push(format!("warning: {}:{}: {}\n", place.name, place.line, said.message));
                }
            }
            let at = result.policy;
            let evaluated = std::slice::from_ref(resource);
            let Some(mut response) = Response::new(self.bundle, evaluated, result, self.arguments.audit_warn)
            else {
                return;
            };
            withheld::withhold(&mut response);
            judged.counts.add(&response);
            let in_doubt = |rule: &&RuleResult| {
                !rule.assumed.is_empty() && matches!(rule.status, Status::Pass | Status::Skip)
            };
            judged.assumed += response.rules.iter().filter(in_doubt).count();
            judged.notes.extend(text::notes(&response));
            if self.arguments.report_format.is_some() {
                self.lines.response(out, &object, at, &response);
                return;
            }
            if !is_secret {
                out.push_str(&text::blocks(&response, self.arguments.stdin));
            }
            text::failures(&mut after, &response);
            judged.notes.extend(text::errors(&response).map(|error| error()));
        });
        out.push_str(&after.finish().text());
    }

    /// What an object with a uid is known by: one that was read twice is the same to the last letter, and one that only bears the uid of
    /// another is evaluated.
    fn key(&self, value: &Value) -> Option<u64> {
        let uid = value.find_str(&["metadata", "uid"]);
        if uid.is_empty() {
            return None;
        }
        Some(if self.by_uid {
            // An object is served under several groups, and each is evaluated.
            self.keys.hash_one((uid, value.find_str(&["apiVersion"]), value.find_str(&["kind"])))
        } else {
            self.keys.hash_one(to_json(value))
        })
    }
}

impl Part {
    fn fault(&mut self, name: &str, line: usize, message: String) {
        self.faults.push(NotEvaluated { name: name.to_owned(), line, message });
    }
}
