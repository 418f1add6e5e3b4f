//! What an API server makes of an object by a MutatingAdmissionPolicy.
//!
//! In: a policy with its bindings, the object as it was before any policy changed it and as those before have left it. Out: the object
//! with all changes that could be made, and a row for each that could not.
//! Mirrors: `apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go` of Kubernetes 0.36.

use super::binding::Binding;
use super::in_cluster::{Selecting, Selection, UNBOUND, asker, is_never_asked, no_parameters};
use super::mutating_admission::MutatingAdmissionBody;
use super::path_of;
use crate::apply::{Patched, Patcher, Patching, Place, Subject};
use crate::functions::authz::Asker;
use crate::patch::By;
use engine::apply::{Effect, RuleResult, Status};
use engine::body::{Application, Asked, Mutated};
use engine::resource::Resource;
use engine_json::{Str, Value};

/// How often the policies of a request were applied.
#[derive(Clone, Copy)]
pub(super) enum Pass<'a> {
    /// For the first time.
    First,
    /// Once more: these applications, and no others.
    Again(&'a [Application]),
}

impl Pass<'_> {
    fn applies(self, application: Application) -> bool {
        match self {
            Pass::First => true,
            Pass::Again(applications) => applications.contains(&application),
        }
    }
}

/// What becomes of an object on its way through the bindings of a policy.
struct Way<'a> {
    subject: Subject,
    /// The version of its kind in which the policy sees it.
    place: Option<Place>,
    asker: Asker,
    asked: &'a Asked<'a>,
    rows: Vec<RuleResult>,
    again: Vec<Application>,
}

impl MutatingAdmissionBody {
    /// Applies the policy to a resource; what it is for is decided by the resource as it was.
    pub(super) fn admit(&self, asked: &Asked<'_>, met: &Resource, pass: Pass<'_>) -> Option<Mutated> {
        let subject = Subject::of_api_server_after(asked, met);
        // Kubernetes: the plugin does not handle deletions.
        if is_never_asked(&subject) || subject.object.is_null() {
            return None;
        }
        let of_request = Subject { object: met.value.with_int_numbers(), ..subject.clone() };
        let selecting = Selecting { subject: &of_request, param_kind: self.param_kind.as_ref(), asked };
        let alone = |row: RuleResult| Some(Mutated::of(vec![row], None));
        let place = match selecting.selection(self.constraints.as_ref()) {
            Selection::No => return None,
            Selection::Doubtful(why) => return alone(self.doubtful(None, &why)),
            Selection::Undecided(why) => return alone(self.undecided(None, why)),
            Selection::Failed(error) => return alone(self.failed("policy", &error, None)),
            Selection::AsAsked => None,
            Selection::As(place) => Some(place),
        };
        if self.bindings.is_empty() && selecting.is_sent() {
            return None;
        }
        if self.bindings.is_empty() {
            return alone(RuleResult { warnings: Vec::new(), ..self.doubtful(None, UNBOUND) });
        }
        if let Some(error) = selecting.unknown_kind() {
            return alone(self.failed("policy", &error, None));
        }
        let asker = asker(asked, &subject, &self.in_cluster().program);
        let mut way = Way { subject, place, asker, asked, rows: Vec::new(), again: Vec::new() };
        for (at, binding) in self.bindings.iter().enumerate() {
            self.apply_binding(&selecting, &mut way, (at, binding), pass);
        }
        let Way { subject, rows, again, .. } = way;
        // A request that is refused leaves nothing.
        let is_refused =
            |row: &RuleResult| row.status == Status::Error && !self.policy.written.ignores_failures;
        if rows.iter().any(is_refused) {
            let rows = rows.into_iter().filter(|row| row.status != Status::Pass).collect();
            return Some(Mutated::of(rows, None));
        }
        let is_changed = rows.iter().any(|row| row.status == Status::Pass);
        let object = is_changed.then_some(subject.object);
        (!rows.is_empty()).then(|| Mutated { again, ..Mutated::of(rows, object) })
    }

    fn apply_binding(
        &self,
        selecting: &Selecting<'_>,
        way: &mut Way<'_>,
        (at, binding): (usize, &Binding),
        pass: Pass<'_>,
    ) {
        let row = match selecting.selection(binding.constraints.as_ref()) {
            Selection::No => return,
            Selection::Doubtful(why) => self.doubtful(Some(binding), &why),
            Selection::Undecided(why) => self.undecided(Some(binding), why),
            Selection::Failed(error) => self.failed("binding", &error, Some(binding)),
            Selection::AsAsked | Selection::As(_) => match selecting.params(binding) {
                Err(error) => self.failed("binding", &error, Some(binding)),
                Ok(found) if found.objects.is_empty() && found.is_answered => return,
                Ok(found) if found.objects.is_empty() => {
                    self.doubtful(Some(binding), &no_parameters(binding))
                }
                Ok(found) => {
                    for (place, params) in found.objects.iter().enumerate() {
                        self.apply_once(way, binding, params, ((at, place), pass));
                    }
                    return;
                }
            },
        };
        way.rows.push(row);
    }

    /// Applies all changes with these parameters: those that cannot be made are left out.
    fn apply_once(
        &self,
        way: &mut Way<'_>,
        binding: &Binding,
        params: &Value,
        (application, pass): (Application, Pass<'_>),
    ) {
        let is_first = matches!(pass, Pass::First);
        let own = way.place.as_ref().map(|place| way.subject.own_place(place));
        let seen =
            way.place.as_ref().map_or_else(|| Ok(way.subject.clone()), |place| way.subject.in_version(place));
        let seen = match seen {
            Ok(seen) => seen,
            Err(why) => return way.rows.push(self.undecided(Some(binding), why)),
        };
        let version = Str::from(seen.object.find_str(&["apiVersion"]));
        let by = By::Kind { version: &version, atomics: false, definitions: &seen.definitions };
        let how = Patching { by, patcher: Patcher::ApiServer, server: way.asked.server, met: None };
        let given = (params, Some(&way.asker));
        let (patched, steps) = self.patched(self.in_cluster(), &seen, given, how, way.asked.is_traced);
        let (object, failed) = match patched {
            Patched::NotMatched if is_first => {
                return way.rows.push(RuleResult { steps, ..self.skipped(Some(binding)) });
            }
            Patched::NotMatched => return,
            Patched::NoConditions(error) | Patched::Failed(_, error) => {
                return way.rows.push(RuleResult { steps, ..self.refused(error, None, binding) });
            }
            // Kubernetes: such an answer is the server's own, whatever the failure policy.
            Patched::Ended(at, error) => {
                let row = self.refused(error, Some(at), binding);
                return way.rows.push(RuleResult { steps, effect: Some(Effect::Deny), ..row });
            }
            Patched::Object(object) => (object, Vec::new()),
            Patched::Partly(object, failed) => (object, failed),
        };
        if !pass.applies(application) {
            return;
        }
        let object = own.map_or_else(|| Ok(object.clone()), |own| own.convert(&object));
        match object {
            Ok(object) => way.subject.object = object,
            Err(why) => return way.rows.push(self.undecided(Some(binding), why)),
        }
        let count = self.in_cluster().patches.len();
        if failed.len() < count || count == 0 {
            way.rows.push(RuleResult { steps, ..self.passed(Some(binding)) });
        }
        way.rows.extend(failed.into_iter().map(|(at, error)| self.refused(error, Some(at), binding)));
        if self.is_applied_again {
            way.again.push(application);
        }
    }

    /// A row for a change that cannot be made, or for conditions.
    fn refused(&self, error: String, at: Option<usize>, binding: &Binding) -> RuleResult {
        let mut row = self.row(Status::Error, error, Some(binding));
        let field = at.map_or_else(|| "spec.mutations".to_owned(), |at| format!("spec.mutations[{at}]"));
        row.policy_paths.push(path_of(&self.root, &field));
        row
    }

    /// A row for what is wrong with a policy or a binding by itself.
    fn failed(&self, what: &str, error: &str, binding: Option<&Binding>) -> RuleResult {
        self.row(Status::Error, format!("failed to configure {what}: {error}"), binding)
    }

    /// A row for what lies in something that nobody has given.
    fn undecided(&self, binding: Option<&Binding>, message: String) -> RuleResult {
        RuleResult { effect: Some(Effect::Unknown), ..self.row(Status::Error, message, binding) }
    }

    /// A row for a policy that is not applied because of what nobody has given.
    fn doubtful(&self, binding: Option<&Binding>, why: &str) -> RuleResult {
        self.row(Status::Skip, String::new(), binding).assuming(why)
    }
}
