//! Run after run for somebody who types: what did not change is kept.
//!
//! In: an input, again and again. Out: the answers of [`super::run`], byte for byte, or what has changed in them.

use super::answer;
use super::facts::Facts;
use super::kept::Kept;
use super::positions::{Places, Positions};
use super::watched::Watched;
use super::{followed, sources};
use crate::wire;
use engine::apply;
use engine::diag::{Code, Diagnostic};
use engine::load::{LoadedPolicies, Role};
use engine::world::World;

/// Run after run, with the policies of the last run kept as they were loaded for as long as their texts stay the
/// same. The answers are those of [`run`], byte for byte.
#[derive(Default)]
pub struct Session {
    policies: Option<LoadedPolicies>,
    /// Their places, as far as somebody has asked for them.
    places: Places,
    /// What autogen made of them.
    autogen: Option<Vec<wire::Autogen>>,
    /// What each document adds to the last answer of [`Session::changes`].
    kept: Option<Kept>,
}

impl Session {
    /// Decides everything in the input, as [`run`] does.
    pub fn run(&mut self, input: &wire::Input, world: &dyn World) -> wire::Output {
        self.decided(input, world).0
    }

    /// The same, by what has changed since an earlier answer: documents that are as they were are not evaluated again where
    /// verdicts look at one resource alone. `serial` is the number of this answer, above 0, and `since` that of the answer
    /// which whoever asks still holds; where it is not the last one the answer is a whole one.
    pub fn changes(
        &mut self,
        input: &wire::Input,
        serial: u32,
        since: u32,
        world: &dyn World,
    ) -> wire::Changes {
        if let Some(mut kept) = self.kept.take()
            && let Some(edit) = kept.edit(since, input)
        {
            let (new, facts) = self.decided(&edit.input(input), world);
            if let Some(changes) = kept.take(serial, edit, new, &facts) {
                self.kept = Some(kept);
                return changes;
            }
        }
        let (output, facts) = self.decided(input, world);
        self.kept = Kept::new(serial, input, &output, &facts);
        wire::Changes::whole(output)
    }

    fn decided(&mut self, input: &wire::Input, world: &dyn World) -> (wire::Output, Facts) {
        let world = Watched::new(world);
        let followed = followed(input);
        let mut texts = sources(input);
        // Policies come first in the list.
        let others = texts.split_off(texts.partition_point(|(role, _)| *role == Role::Policies));
        let known = self.policies.take().filter(|known| known.is_with(&texts, followed, world.extension()));
        if known.is_none() {
            (self.places, self.autogen) = Default::default();
        }
        let policies = known.unwrap_or_else(|| LoadedPolicies::new(texts, followed, world.extension()));
        let (bundle, mut diagnostics) = policies.clone().finish(others);
        if let Some((document, message)) = apply::broken_projection(&bundle, &world) {
            let span = bundle.document(document).map(|document| document.span);
            diagnostics.push(Diagnostic::error(Code::BadExpression, span, message));
        }
        let positions = Positions::with(&bundle, std::mem::take(&mut self.places));
        let facts = Facts::of(&bundle, policies.diagnostic_count(), &diagnostics);
        let made = || bundle.policies.iter().map(|policy| answer::autogen_of(policy, &positions)).collect();
        let autogen = self.autogen.get_or_insert_with(made).clone();
        let output = wire::Output {
            autogen,
            ..answer::decide(input, followed.host, &bundle, diagnostics, &positions, &world)
        };
        let facts = Facts { is_apart: facts.is_apart && !world.was_asked(), ..facts };
        let (sources, documents) = policies.len();
        self.places = positions.into_places(sources, documents);
        self.policies = Some(policies);
        (output, facts)
    }
}
