//! The expressions of policies in files: what is wrong with them, and where in the YAML.

use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::diagnostics::{render, renderer};
use crate::terminal;
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Host, Role, load};
use engine::yaml::{Path, Source, SourceId, Span};
use engine_celpolicy::compile::Fault;
use engine_celpolicy::place::in_scalar;
use engine_celpolicy::policy::{Policy, Program, policies};

/// Looks at all policies in CEL of these files; how many problems there are.
pub(super) fn check(paths: &[String]) -> Result<usize, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        let read = files::read(path)
            .map_err(|Unreadable { original, .. }| Failure(format!("{path}: {original}")))?;
        let source = Source { id: SourceId(0), name: path.clone(), text: read.text.into() };
        sources.push((Role::Policies, source));
    }
    let (bundle, _) = load(sources, Host::Cli);
    let mut wrong = 0;
    for policy in policies(&bundle) {
        let Err(refused) = Program::new(&policy, &[]) else {
            terminal::print(&format!("{} {}: all expressions compile\n", policy.kind, policy.key()));
            continue;
        };
        for (path, fault) in &refused.faults {
            for diagnostic in diagnostics(&bundle, &policy, path, fault) {
                wrong += 1;
                terminal::say(&format!("{}\n", render(&bundle, &diagnostic, &renderer())));
            }
        }
    }
    Ok(wrong)
}

/// The problems of one expression, each at its place in the file.
fn diagnostics(bundle: &Bundle, policy: &Policy, field: &str, fault: &Fault) -> Vec<Diagnostic> {
    let scalar = scalar(bundle, policy, field);
    let at = |problem: &(Option<u32>, String)| {
        let (place, message) = problem;
        let span = scalar.as_ref().map(|(span, written, value)| match place {
            None => *span,
            Some(place) => {
                let start = in_scalar(written, value, *place as usize);
                let start = span.start.saturating_add(u32::try_from(start).unwrap_or(0)).min(span.end);
                Span { start, end: start.saturating_add(1).min(span.end.max(start)), ..*span }
            }
        });
        Diagnostic::error(Code::BadExpression, span, format!("{field}: {message}"))
    };
    fault.problems.iter().map(at).collect()
}

/// The scalar of a field: its place, how it is written, and its value.
fn scalar(bundle: &Bundle, policy: &Policy, field: &str) -> Option<(Span, String, String)> {
    let id = policy.document?;
    let document = bundle.document(id)?;
    let path = path_of(field);
    let value = document.value.at_path(path.iter())?.as_str()?.to_owned();
    let span = bundle.spans(id)?.value_span(&path)?;
    let (_, source) = bundle.source(document.source)?;
    let written = source.text.get(span.start as usize..span.end as usize)?.to_owned();
    Some((span, written, value))
}

/// `spec.validations[0].expression` as a path.
fn path_of(field: &str) -> Path {
    let segments = field.split('.').flat_map(|part| part.split('['));
    segments.fold(Path::root(), |path, segment| {
        let place = segment.strip_suffix(']').and_then(|place| place.parse::<usize>().ok());
        place.map_or_else(|| path.join(segment), |place| path.join(place))
    })
}
