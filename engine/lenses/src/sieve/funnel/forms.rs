//! What each system writes for each width, or why it cannot.
//!
//! In: a refused workload and a width. Out: four [`Form`]s: Pod Security Admission, an exclude of the podSecurity rule, a
//! PolicyException, an edit of the rule; each with the runner in which it stands.

use super::Refused;
use crate::sieve::edit::{Edit, edited};
use crate::sieve::narrow;
use crate::sieve::other_forms;
use crate::sieve::pod::{map, texts};
use crate::sieve::runner::TrialRunner;
use crate::sieve::tighten::{entry, exclusions, patterns_of};
use engine::load::Role;
use engine::policy::Policy;
use engine_json::{Path, Str, Value};
use engine_podsecurity::Level;
use engine_podsecurity::exclude::{CONTROLS, Exclusion, Images};
use engine_yaml::emit::to_yaml_ordered;

/// The widths, widest first.
pub(super) const WIDTHS: [(&str, &str); 6] = [
    ("cluster", "the whole cluster"),
    ("namespace", "the namespace"),
    ("profile", "the profile"),
    ("control", "the control on the Pod"),
    ("image", "the control on one image"),
    ("place", "the control on one image in one place, with its values"),
];

/// How one system says one width.
pub(in crate::sieve) struct Form<'w> {
    pub(in crate::sieve) system: &'static str,
    pub(in crate::sieve) note: String,
    pub(in crate::sieve) text: String,
    /// The runner after the change; `None` where the system cannot say it.
    pub(in crate::sieve) runner: Option<TrialRunner<'w>>,
}

/// A system that cannot say it.
pub(in crate::sieve) fn cannot<'w>(system: &'static str, why: &str) -> Form<'w> {
    Form { system, note: why.to_owned(), text: String::new(), runner: None }
}

/// The forms of a width.
pub(super) fn of_width<'w>(width: &str, refused: &Refused<'_, 'w>) -> Vec<Form<'w>> {
    vec![
        admission(width, refused),
        pod_security(width, refused),
        exception(width, refused),
        rule(width, refused),
    ]
}

fn admission<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "psa";
    const LABEL: &str = "pod-security.kubernetes.io/enforce";
    let Some((level, _)) = refused.standard else {
        return cannot(SYSTEM, "Pod Security Admission has the controls of the standards and no others");
    };
    let namespace = refused.resource.namespace();
    // Elsewhere the level stands as it does in the rule.
    let labelled = |label: &str| Form {
        system: SYSTEM,
        note: String::new(),
        text: labels(if namespace.is_empty() { "default" } else { namespace }, LABEL, label),
        runner: Some(refused.runner.of_admission(level.name(), namespace, &[(LABEL, label)])),
    };
    match width {
        "cluster" => Form {
            system: SYSTEM,
            note: String::new(),
            text: CONFIGURATION.to_owned(),
            runner: Some(refused.runner.of_admission("privileged", namespace, &[])),
        },
        "namespace" => labelled("privileged"),
        "profile" if level == Level::Restricted => labelled("baseline"),
        "profile" => Form {
            note: "below baseline there is only privileged, which checks nothing".to_owned(),
            ..labelled("privileged")
        },
        _ => cannot(SYSTEM, "Pod Security Admission stops at the profile"),
    }
}

const CONFIGURATION: &str = "\
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults:
  enforce: privileged
";

fn labels(namespace: &str, key: &str, value: &str) -> String {
    let mut object = crate::sieve::pod::namespace(namespace);
    let path = Path::from_keys(&["metadata", "labels"]).join(key);
    object = edited(&object, &[Edit::Set(path, Value::from(value))]).unwrap_or(object);
    to_yaml_ordered(&object)
}

/// The path of the rule in its policy.
pub(in crate::sieve) fn rule_path(policy: &Policy, rule: &str) -> Option<Path> {
    policy.rules.iter().find(|known| known.name == rule).map(|rule| rule.path.clone())
}

fn pod_security<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "podSecurity";
    if refused.standard.is_none() {
        return cannot(SYSTEM, "the rule is not a podSecurity rule");
    }
    let entries = match width {
        "cluster" => return cannot(SYSTEM, "an exclude is about a control, not about the rule"),
        "namespace" => return cannot(SYSTEM, "an exclude knows no namespaces"),
        "profile" => return cannot(SYSTEM, "an exclude is about one control"),
        _ => entries(width, refused),
    };
    let Some(entries) = entries else { return cannot(SYSTEM, "no exclude lifts what is refused") };
    let Some(path) = rule_path(refused.policy, &refused.rule) else {
        return cannot(SYSTEM, "the rule is not found");
    };
    let path = path.join("validate").join("podSecurity").join("exclude");
    let edits: Vec<Edit> = entries.iter().map(|entry| Edit::Push(path.clone(), entry.clone())).collect();
    Form {
        system: SYSTEM,
        note: String::new(),
        text: to_yaml_ordered(&map([("exclude", Value::array(entries))])),
        runner: refused.runner.with_edits(refused.policy.document, &edits),
    }
}

/// The entries for what is refused; none where no entries lift all of it.
fn entries(width: &str, refused: &Refused<'_, '_>) -> Option<Vec<Value>> {
    let standard = refused.standard?;
    let needed = exclusions(&refused.base.case.object, standard, &[]);
    if needed.is_empty() {
        return None;
    }
    let mut found: Vec<Value> = Vec::new();
    for exclusion in &needed {
        let control = CONTROLS.iter().find(|control| control.name == exclusion.control)?;
        let wide = |images: Vec<Str>| Exclusion {
            control: exclusion.control.clone(),
            images,
            ..Exclusion::default()
        };
        let any = || vec![Str::new_static("*")];
        let made = match (width, control.images) {
            ("control", Images::Required) => vec![wide(any())],
            ("control", Images::Optional) => vec![wide(Vec::new()), wide(any())],
            ("control", Images::Forbidden) => vec![wide(Vec::new())],
            ("image", _) => vec![wide(exclusion.images.clone())],
            _ => vec![exclusion.clone()],
        };
        for exclusion in made {
            let value = without_empty(entry(&exclusion));
            if !found.contains(&value) {
                found.push(value);
            }
        }
    }
    Some(found)
}

/// An entry without the fields that say nothing.
fn without_empty(mut entry: Value) -> Value {
    if entry.find_str(&["restrictedField"]).is_empty() {
        let object = entry.make_object();
        object.remove("restrictedField");
        object.remove("values");
    }
    entry
}

fn exception<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "exception";
    if refused.policy.body.is_some() {
        return other_forms::exception_form(width, refused);
    }
    let everywhere = map([("kinds", texts(&[refused.resource.kind()]))]);
    let object = match (width, refused.standard) {
        ("cluster", _) => narrow::exception(refused, everywhere, None, None),
        ("namespace", _) => {
            narrow::exception(refused, map([("namespaces", narrow::namespaces(refused))]), None, None)
        }
        ("profile", _) => return cannot(SYSTEM, "an exception lifts rules or controls, not a level"),
        ("control", None) => narrow::exception(refused, narrow::filter(refused), None, None),
        ("image", None) => {
            return cannot(
                SYSTEM,
                "of a rule other than podSecurity an exception lifts all for the whole Pod",
            );
        }
        (_, None) => match narrow::of_exception(refused, None, narrow::Exactness::AnyTag) {
            Some(narrowed) => {
                let text = to_yaml_ordered(&narrowed.object);
                let note = "conditions stand in for image and place".to_owned();
                return Form { system: SYSTEM, note, text, runner: Some(narrowed.runner) };
            }
            None => return cannot(SYSTEM, "no exception lets it in"),
        },
        (_, Some(_)) => {
            let Some(entries) = entries(width, refused) else {
                return cannot(SYSTEM, "no exclude lifts what is refused");
            };
            narrow::exception(refused, narrow::filter(refused), Some(Value::array(entries)), None)
        }
    };
    let runner = refused.runner.with_new(Role::Exceptions, &object).map(|(runner, _)| runner);
    Form { system: SYSTEM, note: String::new(), text: to_yaml_ordered(&object), runner }
}

fn rule<'w>(width: &str, refused: &Refused<'_, 'w>) -> Form<'w> {
    const SYSTEM: &str = "rule";
    if refused.policy.body.is_some() {
        return other_forms::policy_form(width, refused);
    }
    let Some(path) = rule_path(refused.policy, &refused.rule) else {
        return cannot(SYSTEM, "the rule is not found");
    };
    let document = refused.policy.document;
    let form = |edits: Vec<Edit>, text: String| Form {
        system: SYSTEM,
        note: String::new(),
        text,
        runner: refused.runner.with_edits(document, &edits),
    };
    match (width, refused.standard) {
        ("cluster", _) => {
            let only = refused.policy.rules.len() < 2;
            let runner = if only {
                refused.runner.with_document(document, None)
            } else {
                refused.runner.with_edits(document, &[Edit::Remove(path)])
            };
            let text = format!("# without the rule `{}`\n", refused.rule);
            Form { system: SYSTEM, note: String::new(), text, runner }
        }
        ("namespace", _) => match namespace_excluded(refused, &path) {
            Some((edit, text)) => form(vec![edit], text),
            None => cannot(SYSTEM, "the rule has an `exclude` block of another form"),
        },
        ("profile", Some((Level::Restricted, _))) => {
            let path = path.join("validate").join("podSecurity").join("level");
            form(vec![Edit::Set(path, Value::from("baseline"))], "level: baseline\n".to_owned())
        }
        ("profile", Some(_)) => cannot(SYSTEM, "below baseline there is no profile left"),
        ("profile", None) => cannot(SYSTEM, "the rule is not a profile"),
        ("control", None) => match images_let_by(refused, &path) {
            Some((edit, text)) => form(vec![edit], text),
            None => cannot(SYSTEM, "its preconditions have no room for another"),
        },
        ("image", None) => match narrow::loops(refused) {
            Some((edits, text)) => form(edits, text),
            None => cannot(SYSTEM, "the rule looks at the Pod as a whole: only a rule with foreach can"),
        },
        (_, None) => match narrow::of_rule(refused, narrow::Exactness::AnyTag) {
            Some(narrowed) => Form {
                system: SYSTEM,
                note: String::new(),
                text: to_yaml_ordered(&narrowed.change),
                runner: Some(narrowed.runner),
            },
            None => cannot(SYSTEM, "the rule looks at the Pod as a whole: only a rule with foreach can"),
        },
        (_, Some(_)) => cannot(SYSTEM, "a podSecurity rule says this in its `exclude`"),
    }
}

/// One more precondition, which lets the images of the workload by wherever they stand; `None` where there is no room for it.
fn images_let_by(refused: &Refused<'_, '_>, rule: &Path) -> Option<(Edit, String)> {
    let images: Vec<&str> = refused.base.exempt.iter().map(|container| container.image.as_str()).collect();
    let key = narrow::all_images(refused.resource.kind());
    let condition = narrow::condition(&key, "AllNotIn", patterns_of(&images));
    let text = map([("preconditions", map([("all", Value::array(vec![condition.clone()]))]))]);
    Some((narrow::precondition(refused, rule, condition)?, to_yaml_ordered(&text)))
}

/// One more filter of the rule's `exclude` block, for the namespace of the workload; `None` where the block has another
/// form, which has no room for it.
fn namespace_excluded(refused: &Refused<'_, '_>, rule: &Path) -> Option<(Edit, String)> {
    let filter = map([("resources", map([("namespaces", narrow::namespaces(refused))]))]);
    let written = refused.runner.document(refused.policy.document)?;
    let exclude = rule.join("exclude");
    let any = exclude.join("any");
    let is_taken = written.at_path(exclude.iter()).is_some() && written.at_path(any.iter()).is_none();
    let text = map([("exclude", map([("any", Value::array(vec![filter.clone()]))]))]);
    (!is_taken).then(|| (Edit::Push(any, filter), to_yaml_ordered(&text)))
}
