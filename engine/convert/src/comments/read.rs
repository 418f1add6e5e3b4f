//! The comments of a document, and those around it.
//!
//! In: the documents that were loaded, and which one. Out: its comments; what stands between two documents is above the second one.

use engine::Bundle;
use engine::resource::DocumentId;
use engine_json::{Path, Value};
use engine_yaml::{Comment, Options, Side, Source, SourceId};

/// The comments of a document.
pub(crate) fn read(bundle: &Bundle, id: DocumentId) -> Vec<Comment> {
    let Some((document, spans)) = bundle.document(id).zip(bundle.spans(id)) else { return Vec::new() };
    let Some((_, source)) = bundle.source(document.source) else { return Vec::new() };
    let (text, span) = (&source.text, document.span);
    let others = || bundle.documents.iter().filter(|other| other.source == document.source);
    let ends = others().map(|other| other.span.end).filter(|end| *end <= span.start);
    let before = ends.max().unwrap_or(0);
    let is_last = others().all(|other| other.span.start <= span.start);
    let mut found = around(text.get(before as usize..span.start as usize).unwrap_or(""), Side::Above);
    found.extend(spans.comments(text));
    for (path, patches) in patches(&document.value) {
        found.extend(of_patches(&path, &patches));
    }
    if is_last {
        found.extend(around(text.get(span.end as usize..).unwrap_or(""), Side::Below));
    }
    found
}

/// Comments between documents, where nothing else stands there.
fn around(text: &str, side: Side) -> Vec<Comment> {
    let comment = |line: &str| {
        let line = line.trim();
        match line.strip_prefix("---").map_or(line, str::trim_start) {
            "" => Some(None),
            text if text.starts_with('#') => Some(Some(text.to_owned())),
            _ => None,
        }
    };
    let found: Option<Vec<Option<String>>> =
        text.trim_start_matches('\u{feff}').lines().map(comment).collect();
    let found = found.into_iter().flatten().flatten();
    found.map(|text| Comment { text, path: Path::root(), side }).collect()
}

/// JSON patches that are written as YAML within a text.
fn patches(document: &Value) -> Vec<(Path, String)> {
    let mut found = Vec::new();
    let rules = Path::from_keys(&["spec", "rules"]);
    let list = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    for (at, rule) in list.iter().enumerate() {
        let mutate = rules.join(at).join("mutate");
        let loops = rule.find(&["mutate", "foreach"]).and_then(Value::as_array).unwrap_or_default();
        let loops = loops.iter().enumerate().map(|(at, one)| (mutate.join("foreach").join(at), Some(one)));
        for (path, one) in std::iter::once((mutate.clone(), rule.get("mutate"))).chain(loops) {
            let text = one.and_then(|one| one.get("patchesJson6902")).and_then(Value::as_str);
            found.extend(text.map(|text| (path.join("patchesJson6902"), text.to_owned())));
        }
    }
    found
}

fn of_patches(path: &Path, text: &str) -> Vec<Comment> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let parsed = engine_yaml::parse(&source, &Options::default());
    let found = parsed.documents.iter().flat_map(|document| document.spans(text).comments(text));
    // What stands above all patches is about the first.
    let inner =
        |comment: &Comment| if comment.path.is_empty() { path.join(0) } else { path.concat(&comment.path) };
    found.map(|comment| Comment { path: inner(&comment), ..comment }).collect()
}
