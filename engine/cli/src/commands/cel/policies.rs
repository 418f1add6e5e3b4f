//! The expressions of policies in files: what is wrong with them, and where in the YAML.

use crate::commands::inputs::{self, Input};
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::diagnostics::{render, renderer};
use crate::terminal;
use engine::diag::Severity;
use engine::load::Role;

/// Looks at all policies in CEL of these files; how many problems there are.
pub(super) fn check(paths: &[String]) -> Result<usize, Failure> {
    let mut read = Vec::new();
    for path in paths {
        let text = files::read(path)
            .map_err(|Unreadable { original, .. }| Failure(format!("{path}: {original}")))?;
        read.push(Input { role: Role::Policies, text });
    }
    let (bundle, diagnostics) = inputs::load(read);
    for policy in bundle.policies.iter().filter(|policy| policy.body.is_some()) {
        let (kind, key) = (policy.kind.as_str(), policy.key());
        terminal::print(&format!("{kind} {key}: all expressions compile\n"));
    }
    let wrong = diagnostics.iter().filter(|said| said.severity == Severity::Error);
    let described = wrong.map(|said| terminal::say(&format!("{}\n", render(&bundle, said, &renderer()))));
    Ok(described.count())
}
