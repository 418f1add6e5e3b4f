//! What stands in for a cluster where context entries ask one, for a host that is none.
//!
//! In: what the host was given: objects, mocked answers. Out: data that `rules/context.rs` turns into loaders.
//! Mirrors: cmd/cli/kubectl-kyverno/store/{contextloader,mock}.go.

use super::global_context::GlobalEntry;
use crate::resource::Resource;
use engine_json::{Str, Value};

/// The answers of a run.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Who answers calls of the Kubernetes API, and who has the ConfigMaps.
    pub cluster: Cluster,
    /// Answers to calls by method and address, before anybody else is asked.
    pub calls: Vec<CallAnswer>,
    /// What `generate` rules may clone besides: the rule's policy and name, and the objects.
    pub clone_sources: Vec<CloneSource>,
    /// What each GlobalContextEntry holds, or why it holds nothing.
    pub global: Vec<(Str, Result<Value, String>)>,
    /// The GlobalContextEntries that are given with the objects they stand for, asked after the ones above.
    pub entries: Vec<GlobalEntry>,
    /// Whether any GlobalContextEntry is given, those included that nobody can answer.
    pub has_entries: bool,
}

/// Who plays the cluster.
#[derive(Clone, Debug, Default)]
pub enum Cluster {
    /// The resources of the run answer calls, and ConfigMaps are not loaded: `kyverno apply`.
    #[default]
    Resources,
    /// Nobody: such entries are not loaded, and values have to stand in: `kyverno test`.
    Nobody,
    /// These objects answer calls, and the ConfigMaps are among them: `kyverno test` with cluster resources.
    Objects(Vec<Resource>),
}

/// Objects that one rule may clone.
#[derive(Clone, Debug)]
pub struct CloneSource {
    /// The policy's key: `name` or `namespace/name`.
    pub policy: String,
    /// The rule.
    pub rule: Str,
    /// The objects.
    pub objects: Vec<Resource>,
}

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct CallAnswer {
    /// `GET` or `POST`; empty for both.
    pub method: Str,
    /// The address or the path that is called.
    pub url: Str,
    /// The status code.
    pub status: i64,
    /// The body.
    pub body: Value,
}

impl Answers {
    /// The answer to a call; one for this very method goes before one for any.
    // Kyverno: lookupMockResponse.
    pub(crate) fn call(&self, method: &str, url: &str) -> Option<&CallAnswer> {
        let of = |wanted: &str| self.calls.iter().rfind(|call| call.method == wanted && call.url == url);
        of(method).or_else(|| of(""))
    }
}
