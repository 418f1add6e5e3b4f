//! Policies that delete: whether an object that is there goes.
//!
//! In: an object. Out: whether one of the policies of a side deletes it. Nothing is asked for, so there is no operation and no user.

use crate::reads::Reads;
use crate::request::Request;
use crate::sides::side::{Depth, Response, Side};
use engine::apply::{Locations, Options, Status, cleanup};
use engine::body::{Effect, Phase};
use engine::load::Host;
use engine::policy::{Body, Policy};
use engine::trace::Recording;
use engine::value::Duration;
use engine::value::time::Time;
use engine::world::World;
use engine_json::Value;

/// Whether a policy deletes.
pub(crate) fn deletes(policy: &Policy) -> bool {
    policy.rules.iter().any(|rule| matches!(rule.body, Body::Cleanup(_)))
        || policy.body.as_ref().is_some_and(|body| matches!(body.phase(), Phase::Cleanup))
}

impl Side<'_> {
    /// Whether all of its policies delete.
    pub(crate) fn deletes(&self) -> bool {
        !self.bundle.policies.is_empty() && self.bundle.policies.iter().all(deletes)
    }

    /// Whether the object of a request goes.
    pub(crate) fn evaluate_deletion(&self, request: &Request, depth: Depth) -> Response {
        let made = request.object.find(&["metadata", "creationTimestamp"]);
        if made.is_some_and(|made| Time::parse_rfc3339(made.as_str().unwrap_or("")).is_err()) {
            // An API server writes a time.
            return Response { effect: Effect::Unknown, ..Response::nothing() };
        }
        let (mut bundle, world) = self.asked(request, depth);
        let resource = Side::as_cluster(&request.object);
        let namespace = resource.namespace().to_owned();
        bundle.resources.push(resource);
        let is_short = depth == Depth::Decision;
        let options = Options {
            host: Host::Cluster,
            trace: if is_short { Recording::Off } else { Recording::On },
            places: if is_short { Locations::Omit } else { Locations::Include },
        };
        let mut response = Response::nothing();
        let mut results = Vec::new();
        cleanup(&bundle, &world, &options, |result| results.push(result));
        for result in &results {
            self.take(&bundle, &namespace, result, depth, &mut response);
            response.is_deleted |= result.rules.iter().any(|rule| rule.status == Status::Pass);
        }
        if response.effect != Effect::Unknown {
            response.effect = Effect::Allow;
        }
        response.branches.sort_unstable();
        response.branches.dedup();
        response.sign();
        response
    }
}

/// Ages to try where a policy asks when an object was made, in seconds.
const AGES: [i64; 4] = [1, 3_600, 86_400, 2_592_000];

/// Notes times at which an object may have been made: around those that policies name.
pub(crate) fn note_ages(reads: &mut Reads, world: &dyn World) {
    let metadata = reads.object.fields.get("metadata");
    let is_read = metadata.is_some_and(|metadata| metadata.fields.contains_key("creationTimestamp"));
    if !is_read {
        return;
    }
    let second = 1_000_000_000;
    let named = reads.pool.iter().filter_map(Value::as_str).filter_map(|text| Duration::parse(text).ok());
    let near = |age: i64| [age - 1, age, age + 1];
    let ages: Vec<i64> = named.flat_map(|age| near(age.0 / second)).chain(AGES).collect();
    let now = world.now() / second;
    let times: Vec<Value> = ages
        .into_iter()
        .map(|age| Value::from(Time::from_unix(now.saturating_sub(age), 0).to_rfc3339()))
        .collect();
    reads.note_object(&crate::reads::field_path::field_path(&["metadata", "creationTimestamp"]), &times);
}
