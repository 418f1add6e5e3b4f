//! The smallest object that shows a mistake.
//!
//! In: the policies of a test, and the same with the mistake. Out: [`Found`]: a request that both decide otherwise, as a test that passes with the policy
//! and fails with the mistake; or why there is none.

use crate::clock;
use engine::Bundle;
use engine::world::StaticWorld;
use engine_compare::{Finding, Grade, Operation, test_folder};
use engine_impact::{Constructed, Sides, Twice, constructed};
use engine_lenses::wire::Text;
use std::time::{Duration, Instant};

/// The longest that one mistake is searched for.
const EACH: Duration = Duration::from_secs(5);

/// What a search came to.
pub(super) enum Found {
    /// Nothing is decided otherwise: it is no mistake.
    Same,
    /// This shows it, and here is a test that does; or why none can.
    Shown { finding: Box<Finding>, test: Result<Vec<Text>, &'static str> },
    /// No request was found that shows it.
    Nothing,
    /// Why it was not searched.
    NotSearched(String),
}

/// What an answer makes of a mistake that no test notices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// A test can notice it, or nobody has looked.
    Missed,
    /// It shows, and no test can show it.
    Beyond,
    /// It changes no decision, as far as a search came: it is none.
    None,
}

impl Found {
    pub(super) fn standing(&self) -> Standing {
        match self {
            Found::Shown { test: Err(_), .. } => Standing::Beyond,
            Found::Shown { .. } | Found::NotSearched(_) => Standing::Missed,
            Found::Same | Found::Nothing => Standing::None,
        }
    }
}

/// All searches of a run, which end together.
pub(super) struct Search {
    begun: Instant,
    most: Duration,
    now: i64,
}

impl Search {
    pub(super) fn begin(seconds: u64) -> Self {
        Search { begun: Instant::now(), most: Duration::from_secs(seconds), now: clock::now() }
    }

    /// Searches for a request that a policy with a mistake decides otherwise.
    pub(super) fn find(&self, mut bundles: [Bundle; 2]) -> Found {
        for bundle in &mut bundles {
            bundle.resources.clear();
        }
        let sides = Sides::new(bundles, Twice::Changed);
        let world =
            StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..crate::world::at(self.now) };
        let Some((at, pair)) = sides.changed().next() else { return Found::Same };
        // A test makes each object anew: other requests are asked where that shows nothing.
        for operations in [&[Operation::Create][..], &[]] {
            let own = Instant::now();
            let mut goes_on = |_: usize| own.elapsed() < EACH && self.begun.elapsed() < self.most;
            if !goes_on(0) {
                return Found::NotSearched("the time for searches is over: --max-seconds".to_owned());
            }
            let answer = constructed(at, pair, operations, &world, &mut goes_on);
            let Some(Constructed { grade, finding, reason, .. }) = answer else { return Found::Same };
            match (finding, grade) {
                (Some(finding), _) => {
                    let [old, new] = pair.texts();
                    let test = test_folder(&old, &new, &finding.request, self.now);
                    return Found::Shown {
                        finding: Box::new(finding),
                        test: test.map(|folder| folder.files),
                    };
                }
                (None, Grade::NotCompared) => return Found::NotSearched(reason),
                (None, Grade::Same) if operations.is_empty() => return Found::Same,
                (None, _) => {}
            }
        }
        Found::Nothing
    }
}
