//! What rules ask a cluster while they are evaluated: ConfigMaps, API calls, resources.
//!
//! In: paths of the Kubernetes API. Out: what the cluster answers, each asked once as long as there is room.

use engine::json::{Value, measure};
use engine::load::Extension;
use engine::world::{SignatureAnswer, StaticWorld, World};
use engine_cluster::Api;
use std::collections::HashMap;
use std::sync::Mutex;

/// How many bytes of answers are kept.
const MAX_KEPT: usize = 64 << 20;
/// What an answer counts at least.
const LEAST: usize = 256;

/// Answers, by path, and how many bytes they have.
type Kept = (HashMap<String, Result<Value, String>>, usize);

/// A cluster that answers, shared by all threads.
pub(crate) struct Live {
    api: Api,
    kept: Mutex<Kept>,
}

impl Live {
    pub(crate) fn new(api: Api) -> Self {
        Live { api, kept: Mutex::default() }
    }

    /// The world of a thread, which has the time and random numbers of another.
    pub(crate) fn world<'a>(&'a self, host: &'a StaticWorld) -> LiveWorld<'a> {
        LiveWorld { live: self, host }
    }

    fn answer(&self, path: &str) -> Result<Value, String> {
        let known = self.kept.lock().ok().and_then(|kept| kept.0.get(path).cloned());
        if let Some(known) = known {
            return known;
        }
        let answer = self.api.get(path, "application/json").map_err(|refusal| refusal.message);
        let size = answer.as_ref().map_or(0, |value| measure(value, 0, MAX_KEPT).unwrap_or(MAX_KEPT))
            + path.len()
            + LEAST;
        if let Ok(mut kept) = self.kept.lock()
            && kept.1 + size <= MAX_KEPT
        {
            kept.1 += size;
            kept.0.insert(path.to_owned(), answer.clone());
        }
        answer
    }
}

/// The world of a thread.
pub(crate) struct LiveWorld<'a> {
    live: &'a Live,
    host: &'a StaticWorld,
}

impl World for LiveWorld<'_> {
    fn now(&self) -> i64 {
        self.host.now()
    }

    fn random(&self) -> u64 {
        self.host.random()
    }

    fn manifest_signature(
        &self,
        object: &Value,
        manifests: &Value,
        attestor: &Value,
    ) -> Option<SignatureAnswer> {
        self.host.manifest_signature(object, manifests, attestor)
    }

    fn kubernetes(&self, path: &str) -> Option<Result<Value, String>> {
        Some(self.live.answer(path))
    }

    fn extension(&self) -> &'static Extension {
        self.host.extension()
    }
}
