//! Resources as they arrive, for commands that evaluate them.
//!
//! In: the texts of resources and a mesh. Out: the same texts and one more for each Pod that is injected; a Pod that was
//! written itself is taken out of its text, a controller stays, because it is evaluated too.

use super::{data, setup};
use crate::commands::inputs::{self, Input};
use crate::exit::Failure;
use crate::files;
use engine::load::Role;
use engine_lenses::mesh::{Arrived, arrivals};
use engine_lenses::run::Positions;

/// What is evaluated, and what is to be said of it.
pub(crate) struct Arriving {
    pub(crate) inputs: Vec<Input>,
    /// Controllers and their Pods.
    pub(crate) pairs: Vec<Pair>,
    /// What is to be known about the mesh, and about Pods that are not injected.
    pub(crate) notes: Vec<String>,
}

/// A controller and the Pod that it makes, as it arrives.
pub(crate) struct Pair {
    pub(crate) namespace: String,
    /// Kind and name of what was written.
    pub(crate) written: (String, String),
    /// Name of the Pod.
    pub(crate) pod: String,
    /// The mesh in words: `istio 1.24`.
    pub(crate) mesh: String,
    /// Where the Pod satisfies less of the Pod Security Standards: what that means.
    pub(crate) gap: String,
}

/// Lets the Pods of these texts arrive.
pub(crate) fn arriving(written: Vec<Input>, asked: &str) -> Result<Arriving, Failure> {
    let data = data()?;
    let setup = setup(&data, asked)?;
    let texts = |inputs: &[Input]| -> Vec<Input> {
        let copy =
            |input: &Input| files::Text { name: input.text.name.clone(), text: input.text.text.clone() };
        inputs.iter().map(|input| Input { role: Role::Opened, text: copy(input) }).collect()
    };
    let (bundle, _) = inputs::load(texts(&written));
    let positions = Positions::new(&bundle);
    let mesh = format!("{} {}", setup.mesh, setup.version);
    let mut out = Arriving { inputs: written, pairs: Vec::new(), notes: Vec::new() };
    out.notes.extend(setup.note.iter().map(|note| format!("note: {note}\n")));
    for one in &arrivals(&bundle, &data, &setup) {
        let Arrived { object, arrival } = one;
        let who = format!("{} {}/{}", object.kind(), object.namespace(), object.name());
        if arrival.added.is_empty() {
            out.notes.push(format!("note: {who} is not injected: {}\n", arrival.reason));
        }
        let is_pod = object.kind() == "Pod";
        if is_pod && arrival.added.is_empty() {
            continue;
        }
        let place = positions.of_path(object.document, &object.base);
        let file = place.map(|place| place.name).unwrap_or_default();
        if is_pod && object.base.iter().next().is_none() {
            take_out(&mut out.inputs, &bundle, object.document);
        }
        let text = files::Text {
            name: format!("{file} with {mesh}"),
            text: engine_lenses::mesh::text(&arrival.pod),
        };
        out.inputs.push(Input { role: Role::Resources, text });
        out.pairs.push(Pair {
            namespace: object.namespace().to_owned(),
            written: (object.kind().to_owned(), object.name().to_owned()),
            pod: arrival.pod.find_str(&["metadata", "name"]).to_owned(),
            mesh: mesh.clone(),
            gap: one.gap(),
        });
    }
    Ok(out)
}

/// Blanks a document in its text, so that all places stay what they are.
fn take_out(inputs: &mut [Input], bundle: &engine::Bundle, document: engine::resource::DocumentId) {
    let Some(document) = bundle.documents.get(document.0 as usize) else { return };
    let Some(input) = inputs.get_mut(document.source.0 as usize) else { return };
    let span = document.span.start as usize..document.span.end as usize;
    let Some(written) = input.text.text.get(span.clone()) else { return };
    let blank: String = written.chars().filter(|c| *c == '\n').collect();
    input.text.text.replace_range(span, &blank);
}
