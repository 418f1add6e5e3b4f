//! From wire to wire: what the page's worker, the Node module and other tools call.
//!
//! In: a [`wire::Input`]. Out: a [`wire::Output`]; positions are looked up once all is decided. Somebody who types asks again
//! and again with the same policies: a [`Session`] keeps what it made of them.

mod answer;
mod complete;
mod facts;
mod kept;
mod positions;
mod session;
mod watched;

pub use answer::diagnostic;
pub(crate) use answer::{policy_ref, refused, resource_ref, step};
pub use complete::is_complete;
pub use positions::Positions;
pub use session::Session;

use crate::wire;
use engine::diag::{Diagnostic, Severity};
use engine::load::{self, Bundle, Followed, Host, Role};
use engine::resource::Protocol;
use engine::world::World;
use engine_yaml::Source;

/// Decides everything in the input; the world is asked for the time and for random numbers.
pub fn run(input: &wire::Input, world: &dyn World) -> wire::Output {
    Session::default().run(input, world)
}

/// Everything in the input, read, and what is to be said about the texts.
pub fn read(input: &wire::Input, world: &dyn World) -> (Bundle, Vec<Diagnostic>) {
    load::load_with(sources(input), followed(input), world.extension())
}

/// Everything in the input, read, for which host it is evaluated, and whether all of it could be read and is evaluated; what is to be
/// said about the texts, [`run`] says.
pub(crate) fn bundle(input: &wire::Input, world: &dyn World) -> (Bundle, Host, bool) {
    let (bundle, said) = read(input, world);
    (bundle, host(input), said.iter().all(|said| said.severity != Severity::Error))
}

/// Which of the originals the input asks for.
pub(crate) fn host(input: &wire::Input) -> Host {
    match input.host.as_deref() {
        Some(name) => Host::named(name).unwrap_or_default(),
        None if input.kubernetes.is_some() => Host::Cluster,
        None => Host::Cli,
    }
}

/// The same, and of Kubernetes the release.
pub(crate) fn followed(input: &wire::Input) -> Followed {
    let kubernetes = input.kubernetes.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
    Followed { host: host(input), kubernetes }
}

/// This engine's version and the release that it follows.
pub fn version() -> wire::Version {
    wire::Version {
        podsieve: env!("CARGO_PKG_VERSION").to_owned(),
        kyverno: engine::KYVERNO_VERSION.to_owned(),
    }
}

/// Every function that an expression may call, by name: for completion in an editor, and for docs/functions.md.
pub fn functions() -> Vec<wire::FunctionDoc> {
    let example = |(expression, value): &(&str, &str)| wire::FunctionExample {
        expression: (*expression).to_owned(),
        value: (*value).to_owned(),
    };
    let registry = engine::registry();
    let documented = registry.iter().map(|row| wire::FunctionDoc {
        name: row.name.to_owned(),
        signature: row.signature(),
        doc: row.note.to_owned(),
        examples: row.examples.iter().map(example).collect(),
    });
    documented.collect()
}

pub(crate) fn sources(input: &wire::Input) -> Vec<(Role, Source)> {
    let groups = [
        (Role::Policies, &input.policies),
        (Role::ImageData, &input.image_data),
        (Role::Resources, &input.resources),
        (Role::OldResources, &input.old_resources),
        (Role::Exceptions, &input.exceptions),
        (Role::ClusterResources, &input.cluster_resources),
        (Role::Parameters, &input.parameters),
        (Role::Payloads, &input.payloads),
        (Role::Requests(Protocol::Http), &input.http_payloads),
        (Role::Requests(Protocol::Envoy), &input.envoy_payloads),
        (Role::Values, &input.values),
        (Role::UserInfo, &input.user_info),
        (Role::Context, &input.context),
        (Role::Config, &input.config),
        (Role::CustomResourceDefinitions, &input.custom_resource_definitions),
    ];
    groups.iter().flat_map(|(role, texts)| texts.iter().map(move |text| (*role, text.into()))).collect()
}

#[cfg(test)]
mod tests;
