//! Exclusions one after the other, and what is to be said where a wide one lifts something.
//!
//! In: failed checks and exclusions. Out: what still fails, and a warning for each exclusion that lets this Pod pass and
//! would let a stranger's pass too.

use crate::value::wildcard;
use engine_json::ordered::OrderedSet;
use engine_podsecurity::exclude::{self, Exclusion, Part, Width, Wildcard, widths};
use engine_podsecurity::{CheckResult, Level, PodView, Version, Violation};

/// What exclusions leave.
pub(super) struct Lifted {
    /// What still fails.
    pub(super) failed: Vec<CheckResult>,
    /// What is less safe than it looks.
    pub(super) warnings: Vec<String>,
}

/// Applies the exclusions in order; `origin` begins each warning.
pub(super) fn lift(
    policy: (Level, Version),
    exclusions: &[Exclusion],
    origin: &str,
    mut failed: Vec<CheckResult>,
    pod: &PodView<'_>,
) -> Lifted {
    let wildcard = Wildcard(wildcard::matches);
    let mut warnings = Vec::new();
    for exclusion in exclusions {
        let before: Vec<Violation> = failed.iter().flat_map(|check| check.violations.clone()).collect();
        failed = exclude::apply(policy, std::slice::from_ref(exclusion), failed, pod, &wildcard);
        let is_left = |violation: &&Violation| {
            !failed.iter().any(|check| check.violations.iter().any(|left| left.path == violation.path))
        };
        let lifted: Vec<&Violation> = before.iter().filter(is_left).collect();
        if lifted.is_empty() {
            continue;
        }
        let took_part = |width: &Width| match width.part {
            Part::Image(at) => {
                let pattern = exclusion.images.get(at).map_or("", |pattern| pattern.as_str());
                lifted.iter().any(|violation| wildcard::matches(pattern, image_of(violation, pod)))
            }
            Part::Field | Part::Value(_) => true,
        };
        let widths = widths(exclusion, &wildcard).into_iter().filter(took_part);
        let wide: OrderedSet<String> = engine_json::arrange::set(widths.map(|width| width.text));
        if !wide.is_empty() {
            let wide: Vec<String> = wide.into_iter().collect();
            let (who, control) = (named(&lifted, pod), &exclusion.control);
            warnings.push(format!(
                "{origin}{who} passes only by the exclusion of {control}, and {}",
                wide.join("; ")
            ));
        }
    }
    Lifted { failed, warnings }
}

/// Whose violations were lifted: containers with their images, or the Pod.
fn named(lifted: &[&Violation], pod: &PodView<'_>) -> String {
    let mut named: Vec<String> = Vec::new();
    for violation in lifted {
        let who = match violation.container() {
            Some(name) => format!("container `{name}` of image `{}`", image_of(violation, pod)),
            None => "the Pod".to_owned(),
        };
        if !named.contains(&who) {
            named.push(who);
        }
    }
    named.join(" and ")
}

/// The image of the container that a violation is about.
fn image_of<'p>(violation: &Violation, pod: &PodView<'p>) -> &'p str {
    let container = pod.spec.at_path(violation.path.iter().skip(1).take(2));
    container.map(|container| container.find_str(&["image"])).unwrap_or_default()
}
