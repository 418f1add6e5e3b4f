//! Whether resources and patterns have the fields of Kubernetes' own kinds: `contaners` is none of a Pod, and `two` is no
//! number of replicas.
//!
//! In: what was loaded. Out: warnings with places and, where a field has a similar name, what may have been meant. Kinds that
//! are not Kubernetes' own are left alone, and so are fields that are missing. `data/kinds.txt` is made by the build tool of
//! the source of `k8s-openapi`: `=v1 Pod core.v1.Pod` is a kind and its type, `:core.v1.Pod` begins a type, `spec
//! #core.v1.PodSpec` is a field and what it holds (`[]` a list of, `{}` a map of, `#` a type).
//!
//! ```
//! use engine::load::{Host, Role, load};
//! use engine::yaml::{Source, SourceId};
//! let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  contaners: []\n";
//! let source = Source { id: SourceId(0), name: "pod.yaml".into(), text: text.into() };
//! let (bundle, _) = load(vec![(Role::Resources, source)], Host::Cli);
//! let said = engine_kinds::check(&bundle);
//! assert_eq!(said[0].message, "a Pod has no field `spec.contaners`: an API server refuses or drops it");
//! assert_eq!(said[0].hints, ["did you mean `containers`?"]);
//! ```

mod schema;
mod near;
mod kinds;
mod walk;
mod pattern;

#[cfg(test)]
mod tests;

use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::json::Path;
use engine::load::Role;
use engine::resource::DocumentId;
use engine::world::World;
use engine::yaml::Spans;
use engine_lenses::run::Positions;
use engine_lenses::wire::{CheckOutput, Input};

/// More than this is not said of one input: whoever mistook one field everywhere knows by then.
pub const MAX_FINDINGS: usize = 200;

/// The texts that hold objects.
const OBJECTS: [Role; 4] = [Role::Resources, Role::Opened, Role::OldResources, Role::ClusterResources];

/// A field that is not there, or holds what it cannot.
#[derive(Debug)]
struct Finding {
    path: Path,
    code: Code,
    message: String,
    hint: Option<String>,
}

/// The same of an input, as warnings with their lines.
pub fn run(input: &Input, world: &dyn World) -> CheckOutput {
    let (bundle, said) = engine_lenses::run::read(input, world);
    let positions = Positions::new(&bundle);
    let described = check(&bundle).into_iter().map(|said| engine_lenses::run::diagnostic(said, &positions));
    CheckOutput {
        version: engine_lenses::run::version(),
        complete: said.iter().all(|said| said.severity != Severity::Error),
        diagnostics: described.collect(),
    }
}

/// Whether this is one of Kubernetes' own kinds.
pub fn is_known(api_version: &str, kind: &str) -> bool {
    schema::schema().of(api_version, kind).is_some()
}

/// What no API server would take: in resources, resources before an update and objects of the cluster; what patterns ask
/// for though no resource that they are for can have it; and kinds of rules that are written with a slip.
pub fn check(bundle: &Bundle) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for (id, document) in (0..).map(DocumentId).zip(&bundle.documents) {
        let role = bundle.source(document.source).map(|(role, _)| *role);
        if role.is_some_and(|role| OBJECTS.contains(&role)) {
            say(bundle, id, walk::findings(&document.value), &mut said);
        }
    }
    of_policies(bundle, |_| true, &mut said);
    said
}

/// What rules were probably meant to say: of the above what is about policies, and only where there is something to guess.
pub fn slips(bundle: &Bundle) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    of_policies(bundle, |finding| finding.hint.is_some(), &mut said);
    said
}

fn of_policies(bundle: &Bundle, keeps: fn(&Finding) -> bool, said: &mut Vec<Diagnostic>) {
    let given = kinds::given(bundle);
    for policy in &bundle.policies {
        for rule in &policy.rules {
            let mut found = kinds::findings(rule, &given);
            found.extend(pattern::findings(rule));
            found.retain(keeps);
            say(bundle, policy.document, found, said);
        }
    }
    said.truncate(MAX_FINDINGS);
}

fn say(bundle: &Bundle, id: DocumentId, findings: Vec<Finding>, said: &mut Vec<Diagnostic>) {
    if findings.is_empty() || said.len() >= MAX_FINDINGS {
        return;
    }
    let Some(spans) = bundle.spans(id) else { return };
    said.extend(findings.into_iter().map(|finding| diagnostic(&spans, finding)));
}

fn diagnostic(spans: &Spans, finding: Finding) -> Diagnostic {
    let Finding { path, code, message, hint } = finding;
    let key = spans.key_span(&path).filter(|_| code == Code::UnknownField);
    let span = key.or_else(|| spans.value_span(&path)).unwrap_or_else(|| spans.deepest(&path).1);
    let diagnostic = Diagnostic::warning(code, Some(span), message);
    match hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}
