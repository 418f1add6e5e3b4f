//! The question of Pod Security, and its last answer.
//!
//! In: the texts, a version, a way to look. Out: what `psa` is asked. It is asked only while its tab is open.

use std::rc::Rc;

use engine_lenses::wire::{PsaInput, PsaOutput, Range, Text};

use super::State;
use crate::slot::Slot;

/// What was asked for, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Psa {
    /// `latest` or `v1.N`.
    pub(crate) version: String,
    /// Whether an API server's defaults are left out.
    pub(crate) as_written: bool,
    pub(crate) output: Option<Rc<PsaOutput>>,
}

impl Default for Psa {
    fn default() -> Self {
        Self { version: "latest".to_owned(), as_written: false, output: None }
    }
}

/// Kinds that are or make Pods.
const KINDS: [&str; 8] = [
    "Pod",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "Job",
    "CronJob",
    "ReplicaSet",
    "ReplicationController",
];

/// The texts that are evaluated, in the order in which they are asked about.
const SLOTS: [Slot; 2] = [Slot::Resource, Slot::Cluster];

impl State {
    /// Whether a text holds something that is or makes Pods; looks at lines alone.
    pub(super) fn has_pods(&self) -> bool {
        SLOTS.iter().any(|slot| self.texts.get(*slot).lines().any(is_pod_kind))
    }

    /// What is asked of the engine.
    pub(crate) fn psa_input(&self) -> PsaInput {
        let text =
            |slot: &Slot| Text { name: slot.file().to_owned(), text: self.texts.get(*slot).to_owned() };
        PsaInput {
            resources: SLOTS.iter().map(text).collect(),
            version: Some(self.psa.version.clone()),
            as_written: self.psa.as_written,
            ..PsaInput::default()
        }
    }

    /// Takes the answer over; its places are named after the inputs in which they are.
    pub(super) fn take_psa(&mut self, mut output: PsaOutput) {
        let findings = output.objects.iter_mut().flat_map(|object| &mut object.checks);
        let ranges = findings.flat_map(|check| &mut check.findings).filter_map(|found| found.range.as_mut());
        ranges.for_each(rename);
        self.psa.output = Some(Rc::new(output));
    }
}

fn rename(range: &mut Range) {
    if let Some(slot) = SLOTS.get(range.index as usize) {
        range.input = slot.input().into();
    }
}

fn is_pod_kind(line: &str) -> bool {
    let value = line.trim_start_matches(['-', ' ', '"', '{', ',']).strip_prefix("kind");
    let kind = value.map(|rest| rest.trim_matches(['"', '\'', ':', ' ', ',', '}', '\r']));
    kind.is_some_and(|kind| KINDS.contains(&kind))
}
