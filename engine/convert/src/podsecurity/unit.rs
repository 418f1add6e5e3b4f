//! One check in CEL.
//!
//! In: what a check calls a fault. Out: a [`Unit`], of which a policy or a part of one is made.

use super::exempt::{Lifted, Values, lifted};
use super::words::{all, any, filter, not};
use engine_podsecurity::exclude::Exclusion;

/// Where expressions find a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In `object`, as Kyverno's autogen moves it into templates.
    Object,
    /// In the variable `pod`, which is the Pod or its template.
    Variable,
}

impl Place {
    /// The spec of the Pod.
    pub(super) fn spec(self) -> &'static str {
        match self {
            Place::Object => "object.spec",
            Place::Variable => "variables.pod.spec",
        }
    }

    /// The annotations of the Pod.
    pub(super) fn annotations(self) -> &'static str {
        match self {
            Place::Object => "has(object.metadata) ? object.metadata.?annotations.orValue({}) : {}",
            Place::Variable => "variables.pod.?metadata.?annotations.orValue({})",
        }
    }

    /// A list of containers.
    fn containers(self, list: &str) -> String {
        match list {
            "containers" => format!("{}.containers", self.spec()),
            other => format!("{}.?{other}.orValue([])", self.spec()),
        }
    }
}

/// A check in CEL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    /// Its name in names of policies.
    pub(crate) slug: &'static str,
    /// The control of the Pod Security Standards.
    pub(crate) title: &'static str,
    /// The short reason.
    pub(crate) reason: &'static str,
    /// Names and expressions.
    pub(crate) variables: Vec<(String, String)>,
    /// What must be true.
    pub(crate) expression: String,
    /// The words for what is not, as an expression.
    pub(crate) detail: String,
}

impl Unit {
    /// Notes a variable, once.
    pub(super) fn variable(&mut self, name: &str, expression: String) {
        if !self.variables.iter().any(|(known, _)| known == name) {
            self.variables.push((name.to_owned(), expression));
        }
    }
}

/// A fault of a container, a volume or another element: when it is there, and what exclusions are held against.
pub(super) struct Fault {
    /// The field: below the container, or the whole.
    pub(super) field: &'static str,
    /// When it is there; an expression over `container`.
    pub(super) bad: Vec<String>,
    /// Its values.
    pub(super) values: Values,
    /// A list within the container, and the name of its elements, over which `bad` speaks.
    pub(super) within: Option<(&'static str, &'static str)>,
}

impl Fault {
    pub(super) fn new(field: &'static str, bad: impl Into<String>, values: Values) -> Fault {
        Fault { field, bad: vec![bad.into()], values, within: None }
    }

    /// The fault, but for what is lifted.
    fn left(&self, exclusions: &[&Exclusion], field: &str, image: Option<&str>) -> Option<Vec<String>> {
        let mut parts = self.bad.clone();
        match lifted(exclusions, field, &self.values, image) {
            Lifted::Always => return None,
            Lifted::Never => {}
            Lifted::When(condition) => parts.push(not(&condition)),
        }
        Some(match self.within {
            Some((list, name)) => vec![format!("{list}.exists({name}, {})", all(&parts))],
            None => parts,
        })
    }
}

/// The lists of containers, as they are looked at.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// What all checks are made with.
pub(super) struct Maker<'e> {
    /// Where the Pod is.
    pub(super) place: Place,
    /// The exclusions of the control.
    pub(super) exclusions: Vec<&'e Exclusion>,
}

impl Maker<'_> {
    /// The containers with one of these faults; `None` where every one is excluded.
    pub(super) fn faulty(&self, unit: &mut Unit, faults: &[Fault]) -> Option<String> {
        let image = "container.?image.orValue('')";
        let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
        for list in LISTS {
            let left = faults.iter().filter_map(|fault| {
                let field = format!("spec.{list}[*].{}", fault.field);
                fault.left(&self.exclusions, &field, Some(image))
            });
            let parts: Vec<Vec<String>> = left.collect();
            let whole = match parts.as_slice() {
                [] => continue,
                [one] => one.clone(),
                several => vec![any(&several.iter().map(|one| all(one)).collect::<Vec<_>>())],
            };
            match groups.iter_mut().find(|(_, known)| *known == whole) {
                Some((lists, _)) => lists.push(list),
                None => groups.push((vec![list], whole)),
            }
        }
        let texts: Vec<String> = groups
            .iter()
            .map(|(lists, parts)| {
                let of = if lists.len() == LISTS.len() {
                    unit.variable("allContainers", self.all_containers());
                    "variables.allContainers".to_owned()
                } else {
                    self.some_containers(lists)
                };
                filter(&of, "container", parts)
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join(" +\n"))
    }

    /// All containers of the Pod.
    pub(super) fn all_containers(&self) -> String {
        LISTS.map(|list| self.place.containers(list)).join(" +\n")
    }

    fn some_containers(&self, lists: &[&str]) -> String {
        match lists {
            [one] => self.place.containers(one),
            several => {
                let all: Vec<String> = several.iter().map(|list| self.place.containers(list)).collect();
                format!("({})", all.join(" + "))
            }
        }
    }

    /// Whether the Pod itself has the fault; `None` where that is excluded.
    pub(super) fn of_pod(&self, fault: &Fault) -> Option<String> {
        fault.left(&self.exclusions, fault.field, None).map(|parts| all(&parts))
    }

    /// The elements of a list of the Pod that have the fault; `None` where all are excluded.
    pub(super) fn elements(&self, of: &str, name: &str, fault: &Fault) -> Option<String> {
        fault.left(&self.exclusions, fault.field, None).map(|parts| filter(of, name, &parts))
    }
}
