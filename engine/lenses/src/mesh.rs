//! The mesh lens over texts: each Pod as it arrives after injection, and what that does to its Pod Security level.
//!
//! In: a [`wire::MeshInput`] and the data of `engine-mesh`, or a [`Bundle`] and a [`Setup`]. Out: a [`wire::MeshOutput`].
//! Controllers are evaluated by the Pod Security Standards when they are written, their Pods when they arrive; the
//! difference between both is what this says.
//!
//! ```
//! use engine_lenses::wire::{MeshInput, Text};
//! let data = engine_lenses::injection::Data::read(engine_lenses::injection::RECORDED).unwrap();
//! let pod = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
//! let resources = vec![Text { name: "pod.yaml".to_owned(), text: pod.to_owned() }];
//! let input = MeshInput { resources, mesh: "istio@1.24".to_owned(), ..MeshInput::default() };
//! let output = engine_lenses::mesh::run(&input, &data);
//! assert_eq!(output.objects[0].outcome, "injected");
//! assert_eq!((&*output.objects[0].before, &*output.objects[0].after), ("baseline", "privileged"));
//! ```

use crate::psa::{self, Object, objects, reference};
use crate::run::{self, Positions};
use crate::wire;
use engine::diag::{Code, Diagnostic};
use engine::load::{self, Bundle, Host, Role, as_written};
use engine::resource::DocumentId;
use engine_json::{Path, Value};
use engine_mesh::{Arrival, Data, Outcome, Setup, arrive};
use engine_yaml::{Source, SourceId};

/// Injects into everything in the input.
pub fn run(input: &wire::MeshInput, data: &Data) -> wire::MeshOutput {
    let sources = |role: Role, texts: &[wire::Text]| -> Vec<(Role, Source)> {
        texts.iter().map(|text| (role, text.into())).collect()
    };
    let mut all = sources(Role::Opened, &input.resources);
    let own = all.len();
    all.extend(sources(Role::Opened, &input.cluster_resources));
    let (bundle, diagnostics) = load::load(all, Host::Cli);
    let positions = Positions::new(&bundle);
    let described = |diagnostic| run::diagnostic(diagnostic, &positions);
    let setup = (!input.mesh.is_empty()).then(|| Setup::read(data, &input.mesh)).transpose();
    let (setup, wrong) = match setup {
        Ok(setup) => (setup, None),
        Err(why) => (None, Some(Diagnostic::error(Code::WrongType, None, why))),
    };
    let arrivals = setup.as_ref().map(|setup| arrivals(&bundle, data, setup)).unwrap_or_default();
    let is_own = |one: &&Arrived| {
        let document = bundle.documents.get(one.object.document.0 as usize);
        document.is_some_and(|document| (document.source.0 as usize) < own)
    };
    let arrivals: Vec<&Arrived> = arrivals.iter().filter(is_own).collect();
    let diagnostics: Vec<_> = diagnostics.into_iter().chain(wrong).map(described).collect();
    let mut output = wire::MeshOutput {
        version: run::version(),
        complete: run::is_complete(&diagnostics),
        objects: describe(&arrivals, &positions),
        releases: data.releases().into_iter().map(release).collect(),
        diagnostics,
        ..wire::MeshOutput::default()
    };
    if let Some(setup) = setup {
        output.note = setup.note.unwrap_or_default();
        (output.mesh, output.asked, output.release) = (setup.mesh, setup.version, setup.release);
    }
    output
}

fn source(name: &str, text: &str) -> Source {
    Source { id: SourceId(0), name: name.to_owned(), text: text.into() }
}

fn release(one: engine_mesh::Release) -> wire::MeshRelease {
    let engine_mesh::Release { mesh, version, from, source, is_native, options } = one;
    wire::MeshRelease { mesh, version, from, source, native: is_native, options }
}

/// An object and its Pod as it arrives.
pub struct Arrived {
    /// The object, as it is written.
    pub object: Object,
    /// Its Pod.
    pub arrival: Arrival,
}

impl Arrived {
    /// The strictest levels that are satisfied: by the object as it is written, by the Pod as it arrives.
    pub fn levels(&self) -> (&'static str, &'static str) {
        let reached = |object: &Value| psa::reached_by(object).unwrap_or("privileged");
        // Of kinds that Pod Security does not know, the Pod without the mesh says.
        let before = psa::reached_by(&self.object.value);
        (before.unwrap_or_else(|| reached(&self.arrival.bare)), reached(&self.arrival.pod))
    }

    /// Where the Pod satisfies less than the object: what that means.
    pub fn gap(&self) -> String {
        let (before, after) = self.levels();
        let rank =
            |level: &str| ["privileged", "baseline", "restricted"].iter().position(|one| *one == level);
        if rank(after) >= rank(before) {
            return String::new();
        }
        let kind = self.object.kind();
        let enforced =
            if (before, after) == ("restricted", "privileged") { "baseline or restricted" } else { before };
        let (who, what) = if kind == "Pod" {
            ("it", "refuses it".to_owned())
        } else {
            ("its Pod", format!("takes the {kind} and refuses its Pods"))
        };
        format!(
            "as written the {kind} satisfies {before}, but {who} arrives as {after}: a namespace that enforces {enforced} {what}"
        )
    }
}

/// The Pods of all objects of a bundle as they arrive, each with what is known of its namespace.
pub fn arrivals(bundle: &Bundle, data: &Data, setup: &Setup) -> Vec<Arrived> {
    let all = objects(bundle, as_written);
    let namespaces: Vec<Value> =
        all.iter().filter(|one| one.is_namespace()).map(|one| one.value.clone()).collect();
    let arrived = all.into_iter().filter_map(|object| {
        let namespace =
            namespaces.iter().find(|one| one.find_str(&["metadata", "name"]) == object.namespace());
        let arrival = arrive(data, setup, &object.value, namespace)?;
        Some(Arrived { object, arrival })
    });
    arrived.collect()
}

/// The Pod as YAML.
pub fn text(pod: &Value) -> String {
    engine_yaml::emit::to_yaml_ordered(pod)
}

/// What is said of each, with the lines of what was added.
pub fn describe(arrivals: &[&Arrived], positions: &Positions<'_>) -> Vec<wire::MeshObject> {
    let texts: Vec<String> = arrivals.iter().map(|one| text(&one.arrival.pod)).collect();
    let sources = texts.iter().map(|text| (Role::Resources, source("pod.yaml", text))).collect();
    let (bundle, _) = load::load(sources, Host::Cli);
    let lines = Positions::new(&bundle);
    let pairs = arrivals.iter().zip(texts).enumerate();
    pairs.map(|(at, (one, text))| describe_one(one, text, at, positions, &lines)).collect()
}

fn describe_one(
    one: &Arrived,
    pod: String,
    at: usize,
    positions: &Positions<'_>,
    lines: &Positions<'_>,
) -> wire::MeshObject {
    let document = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
    let added = one.arrival.added.iter().map(|added| wire::MeshAdded {
        path: added.path.to_string(),
        what: added.what.clone(),
        range: lines.of_path(document, &added.path),
    });
    let (before, after) = one.levels();
    let place = positions.of_path(one.object.document, &one.object.base.concat(&Path::root()));
    wire::MeshObject {
        resource: reference(&one.object, place),
        outcome: outcome(one.arrival.outcome).to_owned(),
        reason: one.arrival.reason.clone(),
        added: added.collect(),
        pod,
        before: before.to_owned(),
        after: after.to_owned(),
        gap: one.gap(),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Injected => "injected",
        Outcome::Left => "left",
        Outcome::Already => "already",
        Outcome::Refused => "refused",
    }
}
