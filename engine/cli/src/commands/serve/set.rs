//! The policies that are served: one set at a time, read whole or not at all.
//!
//! In: paths. Out: their texts with a digest, or why they are not used: a file that cannot be read, a policy that Kyverno refuses or that does not load.

use crate::args::AsHost;
use crate::clock;
use crate::files;
use engine::load::Extension;
use engine::world::StaticWorld;
use engine_lenses::wire::{Input, Loaded, Text};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::time::SystemTime;

/// A set of policies.
pub(super) struct Set {
    /// What is asked with every request: the policies, and as whom they decide.
    pub(super) input: Input,
    /// `sha256:…` of all texts in their order.
    pub(super) digest: String,
    /// What evaluates policies in CEL, as the flags ask for it.
    extension: &'static Extension,
    /// How much there is.
    pub(super) loaded: Loaded,
    /// Each policy, `ClusterPolicy require-labels`.
    pub(super) names: Vec<String>,
}

impl Set {
    /// The world of a request.
    pub(super) fn world(&self) -> StaticWorld {
        world(self.extension)
    }

    /// `12 policies, sha256:…`
    pub(super) fn said(&self) -> String {
        let count = self.loaded.policies;
        format!("{count} {}, {}", if count == 1 { "policy" } else { "policies" }, self.digest)
    }
}

/// The set that these paths name now.
pub(super) fn read(paths: &[String], by: &AsHost) -> Result<Set, String> {
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(lost.original.clone());
    }
    let mut policies = Vec::new();
    for path in &opened.paths {
        let text = files::read(path).map_err(|lost| lost.original)?;
        policies.push(Text { name: text.name, text: text.text });
    }
    let mut digest = Sha256::new();
    for text in &policies {
        // Lengths keep two texts from being one.
        digest.update((text.text.len() as u64).to_be_bytes());
        digest.update(&text.text);
    }
    let mut hex = "sha256:".to_owned();
    for byte in digest.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    let extension = by.extension();
    let input = Input { policies, ..by.input() };
    let answer = podsieve::decide(&input, &world(extension));
    if let Some(refused) = answer.refused.first() {
        return Err(format!("policy {} is refused: {}", refused.policy, refused.reason));
    }
    if let Some(wrong) = answer.diagnostics.iter().find(|one| one.severity == "error") {
        let place =
            wrong.range.as_ref().map_or_else(String::new, |range| format!("{}:{}: ", range.name, range.line));
        return Err(format!("{place}{}", wrong.message));
    }
    if answer.loaded.policies == 0 {
        return Err(format!("there is no policy in {}", paths.join(", ")));
    }
    let names = answer.autogen.iter().map(|one| format!("{} {}", one.policy.kind, one.policy.name)).collect();
    Ok(Set { input, digest: hex, extension, loaded: answer.loaded, names })
}

/// What changes once a file does: names, lengths and times.
pub(super) fn stamp(paths: &[String]) -> Vec<(String, u64, Option<SystemTime>)> {
    let about = |path: String| {
        let about = std::fs::metadata(&path).ok();
        (
            path,
            about.as_ref().map_or(0, std::fs::Metadata::len),
            about.and_then(|about| about.modified().ok()),
        )
    };
    files::opened(paths).paths.into_iter().map(about).collect()
}

fn world(extension: &'static Extension) -> StaticWorld {
    StaticWorld { extension: Some(extension), ..crate::world::at(clock::now()) }
}
