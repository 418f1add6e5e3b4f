//! The families of attackers: each makes of a legitimate Pod others that an exemption should not let in.
//!
//! In: an exemption and a Pod that it is meant for. Out: [`Attack`]s, none of them tried yet. A family is one small file
//! and one row of [`FAMILIES`]; docs/sieve.md says of each what it means.

mod asks;
mod bystander;
mod image;
mod labels;
mod position;
mod reach;
mod registry;
mod tag;
mod users;

use super::edit::{Edit, edited};
use super::find::Exemption;
use super::legit::Base;
use super::risky_fields::RiskyField;
use super::runner::Case;
use engine_json::{Path, Value};

/// Who can do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Whoever may create Pods.
    Anyone,
    /// Whoever may also push to the repository or the registry of the exempt image.
    Publisher,
}

impl Who {
    /// The name in answers.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Who::Anyone => "anyone",
            Who::Publisher => "publisher",
        }
    }
}

/// What an attacker has changed, for those that look for a remedy.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The image of this container.
    Image(String),
    /// The list that the exempt container is in.
    Position,
    /// Something more is asked for, there.
    Ask(&'static RiskyField),
    /// Another container asks for the same.
    Bystander,
    Name,
    Namespace,
    Label,
    User,
}

/// An attacker that may get in.
#[derive(Clone, Debug)]
pub(super) struct Attack {
    pub(super) who: Who,
    /// What differs, in one line.
    pub(super) text: String,
    pub(super) case: Case,
    /// The same change of a Pod that needs no exemption: where it is set, that Pod must be refused without the exemption,
    /// or the change is nothing that anybody minds.
    pub(super) pure: Option<Value>,
    pub(super) what: What,
    /// Of attackers that differ in nothing that matters one is enough.
    pub(super) group: Option<String>,
}

impl Attack {
    fn new(text: String, case: Case, what: What) -> Self {
        Attack { who: Who::Anyone, text, case, pure: None, what, group: None }
    }

    /// A Pod of the texts, told from the others by this.
    pub(super) fn of_texts(case: Case, what: What) -> Self {
        Attack::new(String::new(), case, what)
    }
}

/// A family.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) make: fn(&Exemption, &Base) -> Vec<Attack>,
}

/// All families, in the order in which they are said.
pub(super) const FAMILIES: &[Family] = &[
    Family { name: "registry", title: "look-alike registries, projects and names", make: registry::make },
    Family { name: "position", title: "the same image in another list of containers", make: position::make },
    Family { name: "image", title: "another image under the exempt container's name", make: image::make },
    Family { name: "bystander", title: "another container that asks for the same", make: bystander::make },
    Family { name: "capability", title: "an added capability", make: asks::capabilities },
    Family { name: "field", title: "other fields that the exemption switches off", make: asks::fields },
    Family { name: "namespace", title: "other namespaces", make: reach::namespaces },
    Family { name: "name", title: "other names", make: reach::names },
    Family { name: "label", title: "labels and annotations that anybody can set", make: labels::make },
    Family { name: "user", title: "other users", make: users::make },
    Family { name: "tag", title: "other tags and digests of the same repository", make: tag::make },
];

/// The case with edits to its object.
fn changed(base: &Base, edits: &[Edit]) -> Option<Case> {
    let object = edited(&base.case.object, edits)?;
    (object != base.case.object).then(|| Case { object, ..base.case.clone() })
}

/// The case with another image in a container.
fn with_image(base: &Base, container: &Path, image: &str) -> Option<Case> {
    changed(base, &[Edit::Set(container.join("image"), Value::from(image))])
}
