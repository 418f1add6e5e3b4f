//! A resource as the policies of a kind see it: made once, whatever number of policies asks.

use crate::apply::Subject;
use engine::body::Asked;
use engine::load::Host;
use std::cell::OnceCell;

/// A resource as the policies of a kind see it, made when the first of them asks.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) by_kyverno: OnceCell<Subject>,
    pub(super) by_kubernetes: OnceCell<Subject>,
}

impl Seen {
    pub(super) fn of_kyverno(&self, asked: &Asked<'_>) -> &Subject {
        self.by_kyverno.get_or_init(|| match asked.host {
            Host::Cluster => Subject::of_webhook(asked),
            Host::Cli | Host::Playground => {
                Subject::of(asked.resource, asked.settings).read_by(asked.host, asked.resource).beside(asked)
            }
        })
    }

    pub(super) fn of_kubernetes(&self, asked: &Asked<'_>) -> &Subject {
        self.by_kubernetes.get_or_init(|| match asked.host {
            Host::Cluster => Subject::of_validation(asked),
            Host::Cli | Host::Playground => {
                Subject::of_admission(asked.resource, asked.settings).read_by(asked.host, asked.resource)
            }
        })
    }

    /// Tells the resource to what asks for it.
    pub(super) fn with<T>(
        asked: &Asked<'_>,
        of: for<'s> fn(&'s Seen, &Asked<'_>) -> &'s Subject,
        say: impl FnOnce(&Subject) -> T,
    ) -> T {
        let made = asked.made.get_or_init(|| Box::new(Seen::default()));
        match made.downcast_ref::<Seen>() {
            Some(seen) => say(of(seen, asked)),
            None => say(of(&Seen::default(), asked)),
        }
    }
}
