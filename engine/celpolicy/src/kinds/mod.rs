//! The kinds as rows of the engine's table: read, checked, compiled, and bound to what evaluates them.
//!
//! In: documents. Out: policies of the engine's bundle, or what is wrong with them, each problem at its place in the YAML.

mod admission;
mod admission_in_cluster;
mod binding;
mod deleting;
mod diagnose;
mod difference;
mod elsewhere;
mod generating;
mod home;
mod images;
mod in_cluster;
mod mutating;
mod mutating_admission;
mod mutating_in_cluster;
mod requests;
mod rule;
mod seen;
mod table;
mod unmatched;
mod validating;

use crate::apply::{Branches, NoSteps, Sentences, Why};
use crate::phases::{Changing, Phases};
use crate::server::API_SERVER;
use diagnose::{check_owners, diagnostics, of_exception, path_of, refused, remarked, repeated, unusable};
use engine::load::{
    ApiServer, DocumentPath, Extension, as_sent, as_written, published_defaults, settle_subresources,
};
use engine_json::{Map, Value};
pub use requests::request_fault;
use seen::Seen;

/// All kinds, with these steps to a verdict, and objects as this server stores them.
const fn all<W: Why>(server: Option<&'static ApiServer>) -> Extension {
    Extension {
        kinds: table::rows::<W>(),
        cel_rule: Some(rule::read::<W>),
        phases: Some(&Phases),
        defaults: published_defaults,
        requests: settle_subresources,
        server,
    }
}

// Statics are compiled here, and not with the settings of the crate that names them.
static EVALUATING: Extension = all::<NoSteps>(None);
static EXPLAINING: Extension = all::<Sentences>(Some(&API_SERVER));
static PLAIN: Extension = all::<Sentences>(None);
static BRANCHING: Extension = all::<Branches>(None);
static OF_HOSTS: Extension = Extension {
    kinds: table::of_requests(),
    cel_rule: Some(rule::read::<NoSteps>),
    phases: Some(&Changing),
    defaults: as_written,
    requests: as_sent,
    server: None,
};

/// Every kind that is evaluated here, without the steps to a verdict: a module that names this table alone carries nothing of them.
pub const WITHOUT_STEPS: &Extension = &EVALUATING;

/// The same kinds, and the steps to each verdict where they are asked for; a cluster gives them objects as it stores them.
pub const WITH_STEPS: &Extension = &EXPLAINING;

/// The same, and objects as they are written whatever host is followed.
pub const AS_WRITTEN: &Extension = &PLAIN;

/// The same kinds; the steps to a verdict say which branches it took, and nothing else.
pub const WITH_BRANCHES: &Extension = &BRANCHING;

/// The kinds that decide a request of Kubernetes, without steps. The others are read as far as their name, and carried by no module that
/// names this table alone.
pub const OF_REQUESTS: &Extension = &OF_HOSTS;

/// The annotations of a document.
fn annotations(value: &Value) -> Map {
    value.find(&["metadata", "annotations"]).and_then(Value::as_object).cloned().unwrap_or_else(Map::new)
}
